"""A finalizer at a chosen place: where Python 3.12 runs the collector, whatever Python runs this.

In: what to do, and functions of ours. Out: it is done at one of their places, on whichever thread
comes there. The places are where a function begins and where a C function returns to it, also in
the middle of a `with lock`. `everywhere` tries them all, one in each run.
"""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable, Collection
from types import FrameType

import treadle

PATIENCE = 30.0
_MANY = 200  # places: more are a mistake


class Visit:
    """Does something at the `at`-th place of functions that are named as `Class.function`."""

    def __init__(self, act: Callable[[], object], at: int, within: Collection[str]) -> None:
        self._act = act
        self._at = at
        self._within = frozenset(within)
        self._count = itertools.count(1).__next__
        self.done = False
        self.wrong: list[BaseException] = []

    def __enter__(self) -> Visit:
        threading.setprofile(self._look)
        sys.setprofile(self._look)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]

    def _look(self, frame: FrameType, event: str, _: object) -> None:
        if event not in ("call", "c_return") or frame.f_code.co_qualname not in self._within:
            return
        if self._count() != self._at:
            return
        self.done = True
        try:
            self._act()
        except treadle.CommandError as error:
            if "finalizer" not in str(error):  # it may be told that it cannot wait there
                self.wrong.append(error)
        except BaseException as error:
            self.wrong.append(error)


def everywhere(run: Callable[[], object], act: Callable[[], object], *within: str) -> int:
    """Run something again and again, with a finalizer at another place each time; how many."""
    for at in range(1, _MANY):
        visit, problems = Visit(act, at, within), list[BaseException]()

        def visited(visit: Visit = visit, problems: list[BaseException] = problems) -> None:
            try:
                with visit:
                    run()
            except BaseException as error:
                problems.append(error)

        thread = threading.Thread(target=visited, daemon=True)
        thread.start()
        thread.join(PATIENCE)
        assert not thread.is_alive(), f"hangs with a finalizer at place {at} of {within}"
        assert [*visit.wrong, *problems] == [], f"with a finalizer at place {at} of {within}"
        if not visit.done:
            return at - 1
    raise AssertionError(f"{_MANY} places in {within}")
