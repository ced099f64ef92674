"""Ctrl-C at a chosen place: where Python itself looks for signals.

In: how many such places from now, and how many more until a second one. Out: KeyboardInterrupt
there. The places are where a function begins and where a C function returns to Python; what raises
there ends in the same frame, and under the same handlers, as a signal would. Python also looks
where a loop turns and where a type is called; those places are left to real signals (signals.py).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Container
from types import FrameType
from typing import Any

from treadle import testing

# Importing is not ours; and the manual device stands for hardware, which no signal interrupts.
HARDWARE = str(testing.__file__)
_ELSEWHERE = ("<frozen importlib", "<frozen zipimport", HARDWARE)
_HERE = os.path.dirname(os.path.abspath(__file__))


def in_hardware(frame: FrameType | None) -> bool:
    """Whether the manual device is at work."""
    while frame is not None and frame.f_code.co_filename != HARDWARE:
        frame = frame.f_back
    return frame is not None


def _deaf(frame: FrameType | None) -> bool:
    """Whether a finalizer runs, in which Python reports what is raised and goes on; and so on."""
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__del__" or code.co_filename.startswith(_ELSEWHERE):
            return True
        frame = frame.f_back
    return False


def _name(frame: FrameType, event: str) -> str:
    code = frame.f_code
    return f"{os.path.basename(code.co_filename)}:{frame.f_lineno} {code.co_name} ({event})"


class Interrupts:
    """Raises KeyboardInterrupt at the `at`-th place of a call, and again `then` places later."""

    def __init__(
        self,
        at: int,
        then: int = 0,
        before: Callable[[], object] | None = None,
        known: Container[str] = (),
        only: str = "",
    ) -> None:
        self._left = at
        self._known = known  # places at which nothing is raised
        self._only = only  # until the first one, places of this name alone are counted
        self._then = then
        self._before = before  # called at the first place, before anything is raised
        self.places: list[str] = []  # where it was raised
        self.passed = False  # whether the place was a known one
        self.seen = 0

    def __enter__(self) -> Interrupts:
        sys.setprofile(self._look)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        sys.settrace(None)

    def _look(self, frame: FrameType, event: str, _: object) -> None:
        if event not in ("call", "c_return"):
            return
        if frame.f_code.co_filename.startswith(_HERE) or _deaf(frame):
            return
        if self._only and not self.places and self._only != _name(frame, event):
            return
        self.seen += 1
        self._left -= 1
        if self._left:
            return
        place = _name(frame, event)
        if place in self._known:
            self.passed = True
            return
        first = not self.places
        self.places.append(place)
        if first:
            if self._before is not None:
                self._before()
            if self._then:
                # Python forgets a profiler that raises. The first thing that a tracer hears is the
                # exception itself; it puts the profiler back.
                self._left = self._then
                above: FrameType | None = frame
                while above is not None:
                    above.f_trace = self._again
                    above.f_trace_lines = False
                    above = above.f_back
                sys.settrace(self._again)
        raise KeyboardInterrupt

    def _again(self, frame: FrameType, event: str, _: object) -> Any:
        sys.settrace(None)
        sys.setprofile(self._look)
        return None


def count(call: Callable[[], object]) -> int:
    """How many places a call has."""
    counting = Interrupts(-1)
    with counting:
        call()
    return counting.seen
