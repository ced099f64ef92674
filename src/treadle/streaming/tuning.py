"""What a stream decides while it runs, from its own figures.

In: how long batches take, and how busy each part is. Out: how many batches are under way, whether
the consumer feeds the device itself, whether prepare and collect take turns. What is decided is
tested without a clock.
"""

from __future__ import annotations

import threading
from time import perf_counter_ns
from types import TracebackType
from typing import Any

from treadle.streaming.stats import Stats

__all__ = ["LIMIT", "Alternating", "Shortcut", "Tuner"]

# Of the depth.
LIMIT = 16  # batches; more than this hides nothing that this does not
_WINDOW = 8  # batches to look at, beside those that were under way when the depth changed
_GAIN = 1.03  # faster by less than this is not worth a batch of memory
_BUSY = 0.97  # a bottleneck that is busy for this share has no more to give
_REST = 32  # windows until another look

# Of the shortcut.
_QUICK = 100_000  # nanoseconds of feeding, most of which hold Python's lock anyway
_BRIEF = 50_000  # and of what the consumer does with a result
_STREAK = 4  # batches in a row until that is believed
_SLOW = 3  # batches in a row until it no longer is; one may have met a pause of the machine's

_PATIENCE = 0.05  # seconds


class Tuner:
    """Finds how many batches should be under way: the fewest that keep the bottleneck busy.

    It climbs while another batch under way makes the stream noticeably faster, steps back when one
    did not, and looks again now and then, because work changes."""

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


class Shortcut:
    """Whether a consumer feeds the device itself; never where that is not `possible`.

    Handing a batch from thread to thread takes tens of microseconds, and hides only what takes
    longer."""

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


class Alternating:
    """A `with` block around prepare and around collect: one at a time, as long as the device takes
    longest.

    Where the device computes on the same cores, prepare and collect side by side would take both
    cores of a small machine from it for a moment, again and again, although one after the other
    they are done in time just as well. A function waits for its turn for moments only: a stream
    whose one function waits for the other gets no turns any more.

    Not `wanted` where the device has cores of its own, nor where the user asks for several threads:
    then prepare and collect may be most of the work, and take turns with nothing to compute."""

    def __init__(self, stats: Stats, *, wanted: bool) -> None:
        self._stats = stats
        self._lock = threading.Lock()
        self._wanted = wanted
        self._holder: int | None = None

    def __enter__(self) -> None:
        if self._wanted and self._stats.outlasts("device", "prepare", "collect"):
            if self._lock.acquire(timeout=_PATIENCE):
                self._holder = threading.get_ident()
            else:
                self._wanted = False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._holder == threading.get_ident():
            self._holder = None
            self._lock.release()
