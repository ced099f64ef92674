"""How hard a device is driven: launches in flight at most, and pauses between them.

In: launches as they start and end. Out: whether another may start now, and if not, when to ask
again. Which one that would be is not known here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter

__all__ = ["Pace"]


def _later(seconds: float, call: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, call)
    timer.name = "treadle-pace"
    timer.daemon = True
    timer.start()


class Pace:
    """The limits of one device; changed and asked under its queue's lock."""

    def __init__(self, lanes: int, *, bounded: bool) -> None:
        self.lanes = lanes  # launches that make progress at the same time
        self.always = bounded  # the device takes no more than that
        self.limit: int | None = None  # launches in flight, where somebody has set one
        self.duty = 1.0  # share of the time in which work may run
        self.clock: Callable[[], float] = perf_counter
        self.later: Callable[[float, Callable[[], None]], None] = _later
        self.running: dict[int, float] = {}  # by command id: since when
        self._resume = 0.0
        self._asked = False

    @property
    def bounded(self) -> bool:
        """Whether every launch has to be allowed."""
        return self.always or self.limit is not None or self.duty < 1.0

    def room(self) -> bool:
        """Whether another launch may start, pauses apart."""
        # Submitters that share an unlimited device keep it supplied, and no more than that.
        most = self.lanes if self.always else 2 * self.lanes
        return len(self.running) < (most if self.limit is None else min(self.limit, most))

    def pause(self, resume: Callable[[], None]) -> bool:
        """Whether it is time to rest; `resume` is called when it no longer is."""
        left = self._resume - self.clock()
        if self.duty >= 1.0 or left <= 0:
            return False
        if not self._asked:
            self._asked = True
            self.later(left, resume)
        return True

    def resumed(self) -> None:
        """Take note that `resume` was called."""
        self._asked = False

    def started(self, number: int) -> None:
        """Take note of a launch."""
        self.running[number] = self.clock()

    def ended(self, number: int) -> bool:
        """Take note of its end; false for one that needed no permission."""
        since = self.running.pop(number, None)
        if since is None:
            return False
        if self.duty < 1.0:
            now = self.clock()
            self._resume = max(self._resume, now) + (now - since) * (1.0 / self.duty - 1.0)
        return True
