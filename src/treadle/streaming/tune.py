"""How many batches should be under way: the fewest that keep the bottleneck busy.

In: a run's figures, after each batch. Out: a depth. It climbs while another batch under way makes
the stream noticeably faster, steps back when one did not, and looks again now and then, because
work changes. It measures nothing itself, so that what it decides can be tested without a clock.
"""

from __future__ import annotations

from time import perf_counter_ns
from typing import Any

__all__ = ["Tuner"]

LIMIT = 16  # batches; more than this hides nothing that this does not
_WINDOW = 8  # batches to look at, beside those that were under way when the depth changed
_GAIN = 1.03  # faster by less than this is not worth a batch of memory
_BUSY = 0.97  # a bottleneck that is busy for this share has no more to give
_REST = 32  # windows until another look


class Tuner:
    """Finds a depth for one stream."""

    def __init__(self, max_bytes: int | None) -> None:
        self._max_bytes = max_bytes
        self._skip = 4  # batches until the pipeline is full and there is something to learn
        self._count = 0
        self._began = 0
        self._busy: dict[str, int] = {}
        self._before: float | None = None  # seconds for each batch at one less
        self._rest = 0

    def observe(self, stats: Any, depth: int) -> int:
        """Take note of a batch that came out; return the depth to go on with."""
        if self._skip:
            self._skip -= 1
            if not self._skip:
                self._mark(stats)
            return depth
        self._count += 1
        if self._count < _WINDOW:
            return depth
        wall = max(perf_counter_ns() - self._began, 1)
        busy = stats.busy()
        share = max(busy[name] - self._busy[name] for name in busy) / wall
        chosen = self.decide(wall / self._count, share, depth, self._bytes(stats))
        self._skip = max(chosen, depth) if chosen != depth else 0
        self._mark(stats)
        return chosen

    def _mark(self, stats: Any) -> None:
        self._count = 0
        self._began = perf_counter_ns()
        self._busy = stats.busy()

    @staticmethod
    def _bytes(stats: Any) -> int:
        count = max(stats.taken, 1)
        return int((stats.bytes_in + stats.bytes_out) // count)

    def decide(self, seconds: float, share: float, depth: int, nbytes: int) -> int:
        """Return the next depth, from the time for each batch and the bottleneck's busy share."""
        if self._rest:
            self._rest -= 1
            return depth
        before, self._before = self._before, None
        if before is not None and before < seconds * _GAIN:
            self._rest = _REST
            return depth - 1  # the last step up gained nothing
        fits = self._max_bytes is None or (depth + 1) * nbytes <= self._max_bytes
        if share >= _BUSY or depth >= LIMIT or not fits:
            self._rest = _REST
            return depth
        self._before = seconds
        return depth + 1
