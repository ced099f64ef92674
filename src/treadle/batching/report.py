"""What batching was like: counts, sizes and delays, a verdict, and a sentence of advice.

In: batches as they end, and items that never got into one. Out: an object, the same as text for a
terminal, as HTML for a notebook and as JSON. It decides nothing.
"""

from __future__ import annotations

import json
import threading
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from treadle.data import dataclass
from treadle.streaming.stats import LaneTime, Quantiles
from treadle.tables import listing

if TYPE_CHECKING:
    from treadle.batching.desk import Gathered

__all__ = ["BatchReport", "BatchStats"]

_FULL = 0.9  # of max_size
_ALONE = 1.5  # items in a batch, on average
_BUSY = 0.9  # of the wall clock

_ADVICE = {
    "empty": "Nothing was called.",
    "alone": "Calls come one by one and are not held up; batches will form when several come at "
    "the same time.",
    "full": "Batches are full: a larger max_size is worth a try, where the function takes larger "
    "batches at a better price.",
    "function-bound": "The function is busy all the time, and what comes meanwhile goes together: "
    "make it faster, or let more than one batch be under way with max_in_flight.",
    "arrival-bound": "The function waits for calls: all that come are served, and in batches as "
    "large as they allow.",
}


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What a batched function did so far; print it, or take `to_dict()` and `to_json()`."""

    items: int  # answered, well or badly; with rows=True these are calls
    failed: int  # of these, with an error
    left: int  # callers that were cancelled or timed out
    late: int  # whose deadline passed before a batch took them
    refused: int  # QueueFull
    batches: int
    retried: int  # of these, parts of batches that failed
    seconds: float  # from the first batch's begin to the last one's end
    throughput: float  # items a second
    max_size: int
    size_mean: float  # items, or rows, in a batch
    size_largest: int
    sizes: dict[int, int]  # how many batches there were of each size
    delay_p50: float  # seconds from the call to the batch's begin
    delay_p95: float
    delay_p99: float
    duration_p50: float  # seconds that a batch takes
    duration_p95: float
    busy: float  # share of the time in which a batch was under way
    verdict: str  # alone, full, function-bound, arrival-bound or empty
    advice: str

    def to_dict(self) -> dict[str, Any]:
        """Return everything as what JSON can hold."""
        return asdict(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), indent=indent)

    def __str__(self) -> str:
        head, *rows = self._lines()
        return "\n".join([head, *("  " + row for row in rows)])

    def _lines(self) -> list[str]:
        lost = [
            f"{count:,} {what}"
            for count, what in (
                (self.failed, "failed"),
                (self.left, "left"),
                (self.late, "late"),
                (self.refused, "refused"),
            )
            if count
        ]
        head = (
            f"{self.items:,} items in {self.batches:,} batches, {self.seconds:.3f} s: "
            f"{self.throughput:,.1f} a second" + (f" ({', '.join(lost)})" if lost else "")
        )
        delays = (self.delay_p50, self.delay_p95, self.delay_p99)
        p50, p95, p99 = (f"{seconds * 1e3:.2f} ms" for seconds in delays)
        took = (f"{seconds * 1e3:.2f} ms" for seconds in (self.duration_p50, self.duration_p95))
        return [
            head,
            f"size      {self.size_mean:.1f} of {self.max_size} on average, {self.size_largest} "
            "at most" + (f"; {self.retried:,} were parts tried again" if self.retried else ""),
            f"delay     p50 {p50}, p95 {p95}, p99 {p99}",
            "batch     p50 {}, p95 {}".format(*took),
            f"{self.verdict}: {self.busy:.1%} busy",
            self.advice,
        ]

    def _repr_html_(self) -> str:
        head, *rows = self._lines()
        return listing(head, (), [[row.strip()] for row in rows])


class BatchStats:
    """The figures of a batched function; any thread adds to them."""

    def __init__(self, max_size: int) -> None:
        self._max_size = max_size
        # Taken again by a finalizer that calls a batched function on the thread that holds it.
        self._lock = threading.RLock()
        self._items = self._failed = self._left = self._late = self._refused = self._retried = 0
        self._sizes: dict[int, int] = {}
        self._delays, self._durations = Quantiles(), Quantiles()
        self._busy = LaneTime()
        self._began = self._ended = 0.0

    def ended(
        self, batch: Gathered, now: float, error: BaseException | None, *, again: bool
    ) -> None:
        """Count a batch; `again` says that its items will be in others."""
        with self._lock:
            if not self._sizes:
                self._began = batch.began
            self._ended = max(self._ended, now)
            self._sizes[batch.size] = self._sizes.get(batch.size, 0) + 1
            self._retried += batch.retried
            self._durations.add(int((now - batch.began) * 1e9))
            self._busy.add(int(batch.began * 1e9), int(now * 1e9))
            if not again:
                kept = [item for item in batch.items if not item.left]
                self._items += len(kept)
                self._failed += len(kept) if error is not None else 0
            if not batch.retried:
                # Every fourth or so: counting all would take longer than what is counted.
                for item in batch.items[:: 1 + len(batch.items) // 8]:
                    self._delays.add(int((batch.began - item.came) * 1e9))

    def left(self) -> None:
        """Count a caller that no longer waits."""
        with self._lock:
            self._left += 1

    def late(self) -> None:
        """Count an item whose deadline passed."""
        with self._lock:
            self._late += 1

    def refused(self) -> None:
        """Count an item that had no room."""
        with self._lock:
            self._refused += 1

    def report(self) -> BatchReport:
        """Say what it was like so far."""
        with self._lock:
            seconds = max(self._ended - self._began, 0.0)
            batches = sum(self._sizes.values())
            mean = sum(size * count for size, count in self._sizes.items()) / max(batches, 1)
            busy = min(self._busy.busy / 1e9 / seconds, 1.0) if seconds else 0.0
            verdict = _verdict(batches, mean, mean / self._max_size, busy)
            p50, p95, p99 = (self._delays.at(share) / 1e9 for share in (0.5, 0.95, 0.99))
            return BatchReport(
                items=self._items,
                failed=self._failed,
                left=self._left,
                late=self._late,
                refused=self._refused,
                batches=batches,
                retried=self._retried,
                seconds=seconds,
                throughput=self._items / seconds if seconds else 0.0,
                max_size=self._max_size,
                size_mean=mean,
                size_largest=max(self._sizes, default=0),
                sizes=dict(sorted(self._sizes.items())),
                delay_p50=p50,
                delay_p95=p95,
                delay_p99=p99,
                duration_p50=self._durations.at(0.5) / 1e9,
                duration_p95=self._durations.at(0.95) / 1e9,
                busy=busy,
                verdict=verdict,
                advice=_ADVICE[verdict],
            )


def _verdict(batches: int, mean: float, filled: float, busy: float) -> str:
    if not batches:
        return "empty"
    if filled >= _FULL:
        return "full"
    if mean < _ALONE:
        return "alone"
    return "function-bound" if busy >= _BUSY else "arrival-bound"
