"""How long items wait for others to join them, learned from how they come.

In: when items come, how many there are, and how long batches take. Out: the moment at which a batch
that is not full goes. It has no clock of its own and starts nothing.
"""

from __future__ import annotations

__all__ = ["Patience"]

_QUIET = 8.0  # usual gaps without an item after which no more are expected
_QUICK = 0.3e-3  # seconds: a batch that is done before others could be told to wait for it
_UNKNOWN = 0.01  # seconds that a batch may take before any has ended
_LEARNS = 0.25  # the share of what is new in an average


class Patience:
    """What is known of the callers of one function.

    An item waits for others only where there were others lately: as many as were there at once, in
    a batch or waiting for one, are expected to come again. A caller that is alone, however quickly
    it calls again, never was one of several, and so never waits."""

    def __init__(self, max_size: int, max_delay: float) -> None:
        self._max_size = max_size
        self._max_delay = max_delay
        self.crowd = 0  # how many are expected at once
        self._peak = 0  # how many there were since the last batch ended
        self._gap = max_delay  # seconds between items that came while others were there
        self._duration = 0.0  # seconds that a batch takes
        self._last = -1e9  # when the last item came

    @property
    def calm(self) -> bool:
        """Whether callers come one by one, and batches of such are done in no time."""
        return self.crowd <= 1 and 0.0 < self._duration < _QUICK

    @property
    def duration(self) -> float:
        """Seconds that a batch usually takes."""
        return self._duration or _UNKNOWN

    def came(self, first: float, last: float, count: int, there: int) -> None:
        """Take note of `count` items that came from `first` to `last`; `there` counts all that are
        there now, with these."""
        gaps = count
        if there > count:  # there were others before
            first = self._last
        else:
            gaps -= 1
        if gaps:
            gap = min(max(last - first, 0.0) / gaps, self._max_delay)
            self._gap += (gap - self._gap) * min(_LEARNS * gaps, 1.0)
        self._last = max(self._last, last)
        self._peak = max(self._peak, there)

    def ended(self, seconds: float, there: int) -> None:
        """Take note of a batch's end; `there` counts all that are there still."""
        self._duration += (seconds - self._duration) * (_LEARNS if self._duration else 1.0)
        # A crowd is believed at once, and forgotten by halves: of those that have left, the first
        # few batches wait for a moment.
        self.crowd = max(self._peak, (self.crowd + self._peak) // 2)
        self._peak = there

    def goes_at(self, oldest: float, waiting: int) -> float:
        """When a batch goes that is not full, nothing else being under way.

        Waiting longer than a batch takes would cost more than a second batch does."""
        if waiting >= min(self.crowd, self._max_size):
            return oldest
        quiet = self._last + _QUIET * self._gap
        return min(oldest + min(self._max_delay, self._duration), quiet)

    def returns_by(self, oldest: float, waiting: int) -> float:
        """Until when a batch waits for callers who have an answer and are being woken.

        They come back one after the other, as quickly as their event loop runs them, which may take
        longer than `max_delay`: a batch that went in the midst of it would part them for good. But
        no batch waits longer than one takes."""
        if waiting >= min(self.crowd, self._max_size):
            return oldest
        return oldest + max(self._max_delay, self._duration)
