"""When work ran on the device, on the host's clock.

In: launches that are timed. Out: stamps, which the encoder writes around the work and the poller
reads when it has ended, and times in nanoseconds of time.perf_counter_ns. Nothing here is touched
unless a trace is on. What is submitted and who waits for it is not known here.

The device counts in ticks from an unknown beginning. Whatever was submitted after one reading of
the host's clock and was seen done before another bounds the difference from both sides; the closest
bounds so far count, and the middle between them is used. So times never lie outside what the host
saw, and are wrong by half of the narrowest gap at most: 0.1 to 0.3 ms, since the poller sleeps that
long between two looks.
"""

from __future__ import annotations

import struct
import threading
from time import perf_counter_ns
from typing import Any

from treadle.backends.webgpu.driver import Gpu

__all__ = ["STAMP_BYTES", "Clock", "Stamp"]

STAMP_BYTES = 16  # begin and end, in ticks
_MOST = 512  # launches in flight that are timed; more are not
_FRESH = 1_000_000_000  # nanoseconds after which bounds are worth a submission of their own
_DRIFT = 50_000  # nanoseconds in which two clocks may part by one: 20 ppm


class Stamp:
    """Room for the times of one launch."""

    __slots__ = ("_queries", "_resolved", "before", "staging")

    def __init__(self, gpu: Gpu) -> None:
        self._queries = gpu.device.create_query_set(type="timestamp", count=2)
        self._resolved = gpu.buffer(STAMP_BYTES, "QUERY_RESOLVE", "COPY_SRC")
        self.staging = gpu.buffer(STAMP_BYTES, "MAP_READ", "COPY_DST")
        self.before = 0  # when it was submitted, on the host's clock

    def writes(self, *, begin: bool, end: bool) -> dict[str, Any] | None:
        """What a pass is told that begins or ends the work."""
        told: dict[str, Any] = {"query_set": self._queries}
        if begin:
            told["beginning_of_pass_write_index"] = 0
        if end:
            told["end_of_pass_write_index"] = 1
        return told if begin or end else None

    def resolve(self, encoder: Any) -> None:
        """Record that the times go where the host can read them."""
        encoder.resolve_query_set(self._queries, 0, 2, self._resolved, 0)
        encoder.copy_buffer_to_buffer(self._resolved, 0, self.staging, 0, STAMP_BYTES)


class Clock:
    """The stamps of one device and what is known about its time."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._lock = threading.Lock()
        self._idle: list[Stamp] = []
        self._made = 0
        self._low = self._high = 0  # of host minus device
        self._learned: int | None = None  # when, on the host's clock

    @property
    def stale(self) -> bool:
        """Whether an empty submission should be timed first, to learn the device's time from it."""
        if not self._gpu.timestamps:
            return False
        return self._learned is None or perf_counter_ns() - self._learned > _FRESH

    def stamp(self) -> Stamp | None:
        """Room for the times of a launch; None where the device does not tell them."""
        if not self._gpu.timestamps:
            return None
        with self._lock:
            if self._idle:
                return self._idle.pop()
            if self._made == _MOST:
                return None
            self._made += 1
        return Stamp(self._gpu)

    def give(self, stamp: Stamp) -> None:
        """Take back a stamp that is not mapped."""
        with self._lock:
            self._idle.append(stamp)

    def read(self, stamp: Stamp) -> tuple[int, int] | None:
        """The times of work that was seen done just now; its stamp is mapped and given back."""
        after = perf_counter_ns()
        raw = bytes(self._gpu.mapped_bytes(stamp.staging, STAMP_BYTES))
        self._gpu.unmap(stamp.staging)
        ticks = struct.unpack("=QQ", raw)
        begin, end = (round(each * self._gpu.tick) for each in ticks)
        before = stamp.before
        self.give(stamp)
        if not 0 < begin <= end or end - begin > after - before:
            return None  # a driver that writes nothing, or whose counter went round
        offset = self._learn(before - begin, after - end, after)
        return begin + offset, end + offset

    def _learn(self, low: int, high: int, now: int) -> int:
        """Narrow the bounds by those of one submission; return the difference to use for it."""
        with self._lock:
            if self._learned is not None:
                drift = (now - self._learned) // _DRIFT
                closer = max(low, self._low - drift), min(high, self._high + drift)
                if closer[0] <= closer[1]:  # else a clock was set: what was known is void
                    low, high = closer
            self._low, self._high, self._learned = low, high, now
            return (low + high) // 2
