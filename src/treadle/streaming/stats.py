"""What a stream's run amounts to, in bounded memory: counts, busy time and latencies.

In: batches as they pass each phase. Out: figures for a report, and records for a trace that is on.
It adds up; what the figures mean is the report's business.
"""

from __future__ import annotations

import math
import threading
from time import perf_counter_ns
from typing import TYPE_CHECKING

from treadle.runtime import observe

if TYPE_CHECKING:
    from treadle.streaming.batch import Batch

__all__ = ["LANES", "LaneTime", "Quantiles", "Stats"]

Phase = tuple[str, int, int]  # its name, start and stop

LANES = ("source", "prepare", "upload", "device", "download", "collect", "consumer")
_SEVERAL = 4  # batches, until what they took says anything
_STEPS = 32  # buckets for each doubling: quantiles are within 2 percent


class LaneTime:
    """How long something was busy: the union of its spans."""

    __slots__ = ("_until", "busy", "count")

    def __init__(self) -> None:
        self.busy = 0
        self.count = 0
        self._until = 0

    def add(self, start: int, stop: int) -> None:
        """Add a span; what was counted before is not counted again."""
        self.count += 1
        if stop > self._until:
            self.busy += stop - max(start, self._until)
            self._until = stop


class Quantiles:
    """Durations, counted in buckets."""

    __slots__ = ("_buckets", "count")

    def __init__(self) -> None:
        self._buckets: dict[int, int] = {}
        self.count = 0

    def add(self, duration: int) -> None:
        """Count one."""
        bucket = round(math.log2(max(duration, 1)) * _STEPS)
        self._buckets[bucket] = self._buckets.get(bucket, 0) + 1
        self.count += 1

    def at(self, share: float) -> float:
        """Return the duration that `share` of all do not exceed, or 0 without any."""
        wanted = math.ceil(share * self.count)
        for bucket in sorted(self._buckets):
            wanted -= self._buckets[bucket]
            if wanted <= 0:
                return float(2 ** (bucket / _STEPS))
        return 0.0


class Stats:
    """The figures of one run; feeders, collectors and the consumer add to them."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a finalizer may ask for a report, inside it too
        self._lanes = {name: LaneTime() for name in LANES}
        self.latency = Quantiles()
        self.taken = self.failed = self.skipped = self.late = self.expired = 0
        self.bytes_in = self.bytes_out = 0
        self.returned = 0  # bytes of the last batch's results
        self.started = self.stopped = 0
        self._given = 0  # when the consumer got its last batch

    def busy(self) -> dict[str, int]:
        """Nanoseconds for each lane."""
        with self._lock:
            return {name: lane.busy for name, lane in self._lanes.items()}

    def outlasts(self, lane: str, *others: str) -> bool:
        """Whether a lane has been busy for longer than others together, over several batches."""
        lanes = self._lanes
        return lanes[lane].count >= _SEVERAL and lanes[lane].busy > sum(
            lanes[other].busy for other in others
        )

    def span(self, lane: str, start: int, stop: int) -> None:
        """Add to a lane's busy time."""
        with self._lock:
            self._lanes[lane].add(start, stop)

    @staticmethod
    def working_on(batch: int) -> None:
        """Have a trace that is on know which batch this thread's commands belong to."""
        recorder = observe.active
        if recorder is not None:
            recorder.working_on(batch)

    def passed(self, stream: str, batch: Batch) -> None:
        """Take note of a batch that went as far as it will, and of each phase that it went through.

        All at once: a stream of small batches would otherwise do little else than keep books."""
        spans = batch.spans() if batch.commands else {}
        phases: list[Phase] = []
        if batch.pulled:
            phases.append(("source", batch.asked, batch.pulled))
        if batch.prepared:
            phases.append(("prepare", batch.preparing, batch.prepared))
        if batch.loading and batch.loaded:
            phases.append(("upload", batch.loading, batch.loaded))
        if batch.computing and "compute" not in spans:  # else a trace has the commands themselves
            up = spans.get("upload")
            began = max(batch.computing, up[1] if up else 0)
            phases.append(("device", began, batch.computed or batch.landed))
        if batch.collecting:
            phases.append(("collect", batch.collecting, batch.collected))
        with self._lock:
            lanes = self._lanes
            for lane, start, stop in phases:
                lanes[lane].add(start, stop)
            for phase, (start, stop) in spans.items():
                lanes["device" if phase == "compute" else phase].add(start, stop)
            if not self.started or batch.pulling < self.started:
                self.started = batch.pulling
            if batch.error is None:
                self.bytes_in += batch.nbytes
                self.bytes_out += batch.returned
        recorder = observe.active
        if recorder is not None:
            recorder.phases(stream, batch.index, phases)

    def asked(self) -> int:
        """Take note that the consumer wants a batch; return how long it was busy, or 0."""
        given = self._given
        if not given:
            return 0
        now = perf_counter_ns()
        self.span("consumer", given, now)
        return now - given

    def delivered(self, batch: Batch, deadline: int | None) -> None:
        """Take note that the consumer gets a batch."""
        now = self._given = self.stopped = perf_counter_ns()
        if not self.started:
            self.started = batch.pulling
        self.taken += 1
        if batch.error is not None:
            self.failed += 1
            return
        age = now - batch.pulling
        self.latency.add(age)
        if deadline is not None and age > deadline:
            self.late += 1
