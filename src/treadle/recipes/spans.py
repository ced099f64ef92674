"""How long something was under way, on whichever threads: the union of spans of time.

In: starts and stops, from any thread. Out: nanoseconds in which at least one span was open.
"""

from __future__ import annotations

import threading

__all__ = ["Spans"]

_MANY = 1024


class Spans:
    """Spans of time, merged where they overlap."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._spans: list[tuple[int, int]] = []
        self._summed = 0  # of spans that ended before
        self._before = 0  # this moment, and are forgotten

    def add(self, start: int, stop: int) -> None:
        """Add a span."""
        with self._mutex:
            if stop <= self._before:
                return
            self._spans.append((max(start, self._before), stop))
            if len(self._spans) > _MANY:
                self._spans = _merged(self._spans)
                self._sum_up(len(self._spans) - _MANY // 2)

    def _sum_up(self, count: int) -> None:
        """Keep the length of the oldest spans and forget when they were: a service has no end."""
        if count <= 0:
            return
        self._summed += sum(stop - start for start, stop in self._spans[:count])
        self._before = self._spans[count - 1][1]
        del self._spans[:count]

    def total(self) -> int:
        """Return the length of the union."""
        with self._mutex:
            self._spans = _merged(self._spans)
            return self._summed + sum(stop - start for start, stop in self._spans)


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for start, stop in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(stop, found[-1][1])
        else:
            found.append((start, stop))
    return found
