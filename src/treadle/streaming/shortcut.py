"""Whether a consumer feeds the device itself: where a hand-over costs more than it hides.

In: how long batches and the consumer's own work take, and whether the device had done with a batch
when it was fed. Out: yes or no. Handing a batch from thread to thread takes tens of microseconds,
and hides only what takes longer. It reads no clock, so that what it decides can be tested.
"""

from __future__ import annotations

__all__ = ["Shortcut"]

_QUICK = 100_000  # nanoseconds of feeding, most of which hold Python's lock anyway
_BRIEF = 50_000  # and of what the consumer does with a result
_STREAK = 4  # batches in a row until that is believed
_SLOW = 3  # batches in a row until it no longer is; one may have met a pause of the machine's


class Shortcut:
    """The decision for one stream; never yes where it is not `possible`."""

    __slots__ = ("_possible", "_quick", "_slow", "active")

    def __init__(self, *, possible: bool) -> None:
        self._possible = possible
        self.active = possible
        self._quick = self._slow = 0

    def observe(self, feeding: int, consuming: int, *, ended: bool) -> bool:
        """Take note of a batch, in nanoseconds; return whether the consumer feeds the next one.

        `ended` says that nothing of it was left to wait for."""
        if not ended:  # the device computes by itself: there is something to hide
            self.active, self._quick = False, 0
        elif feeding <= _QUICK and consuming <= _BRIEF:
            self._slow = 0
            self._quick += 1
            if self._quick >= _STREAK:
                self.active = self._possible
        else:
            self._quick = 0
            self._slow += 1
            if self._slow >= _SLOW:
                self.active = False
        return self.active
