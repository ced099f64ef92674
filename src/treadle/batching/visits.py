"""What an event loop does for the items that its tasks bring: it looks, now and again.

In: items that tasks of one loop brought to a desk. Out: calls of the desk's `advance`, at the end
of the loop's round, in which others may have come too, and when an item has waited long enough. So
no thread is needed to keep time, and a loop that is closed or held up delays its own items only.
"""

from __future__ import annotations

import math
import weakref
from typing import Any

from treadle.batching.desk import Desk

__all__ = ["LoopVisits"]

_GRAIN = 1e-3  # seconds that a selector sleeps at least
_SOON = 0.25e-3  # what is due sooner than this is looked for in every round of the loop


class LoopVisits:
    """One event loop's visits to a desk."""

    __slots__ = ("__weakref__", "_at", "_loop", "_max_delay", "_soon", "desk", "quiet")

    def __init__(self, loop: Any, desk: Desk, max_delay: float) -> None:
        # Neither a loop nor one of its timers is held: what is known of a loop goes with it.
        self._loop = weakref.ref(loop)
        self.desk = desk
        self._max_delay = max_delay
        self.quiet = True  # whether no task of this loop was let through in this round
        self._soon = False  # whether the loop will look in its next round
        self._at = math.inf  # when it will look in any case

    @property
    def runs(self) -> bool:
        """Whether the loop is there and runs."""
        loop = self._loop()
        return loop is not None and loop.is_running()

    def look_soon(self) -> None:
        """Have the loop look at the end of this round; for its own thread."""
        loop = self._loop()
        if loop is not None and not self._soon:
            self._soon = True
            loop.call_soon(self._look)

    def _look(self) -> None:
        desk, loop = self.desk, self._loop()
        if loop is not None and desk.tells(loop):
            # Tasks that were answered together are coming back, some in each round: what they bring
            # is looked at when the last of them has run.
            loop.call_soon(self._look)
            return
        self._soon = False
        desk.advance(most=1)
        if not desk.waiting:
            return
        now = desk.clock()
        if desk.looks_at - now < _SOON:
            self.look_soon()
            return
        # Also where only a batch's end is waited for: that may be noticed on another thread, which
        # decides to wait for more items as long as a batch takes, and cannot keep this loop's time.
        at = min(desk.looks_at, now + max(min(self._max_delay, desk.duration), _GRAIN))
        if loop is not None and at < self._at:
            self._at = at
            loop.call_later(at - now, self._timed)

    def _timed(self) -> None:
        self._at = math.inf
        self._look()
