"""When work ran on the GPU, on the host's clock.

In: streams that are about to be launched on. Out: marks, which tell afterwards when the work
between two events began and ended, in nanoseconds of time.perf_counter_ns. Only copies between host
and GPU are always timed; other work is while a trace is on. Everything but `Mark.finish` needs
the backend's lock.

How exact: a reference event is known to have happened between two readings of the host's clock,
some 10 us apart on an idle GPU, and is put in the middle; of several the narrowest counts. CUDA
gives distances between events in milliseconds as f32 and in steps of about 0.5 us, which is 0.25 us
of rounding for the few seconds that a reference serves. So times are within about 10 us of the
host's, and within 1 us of each other.
"""

from __future__ import annotations

import contextlib
from time import perf_counter_ns
from typing import Protocol

from treadle.backends.cuda.driver import NOT_READY, Cuda

__all__ = ["Clock", "Mark"]

_TRIES = 5
_FRESH = 1_000_000_000  # nanoseconds that a reference serves; 2 us of drift were measured in one
_PATIENCE = 2_000_000  # nanoseconds to wait for a reference on a GPU that is busy


class _Reference:
    """An event that happened at a known time; it is used again when no mark needs it any more."""

    __slots__ = ("_spare", "event", "host", "width")

    def __init__(self, event: int, host: int, width: int, spare: list[int]) -> None:
        self.event = event
        self.host = host
        self.width = width  # of the interval that it surely happened in; `host` is its middle
        self._spare = spare

    def __del__(self) -> None:
        self._spare.append(self.event)


class Steps(Protocol):
    """Work whose steps stand between events."""

    events: list[tuple[int, int]]
    unread: bool


class Mark:
    """The beginning of one launch, and both of its times once it has ended."""

    __slots__ = ("_clock", "_reference", "_start", "end", "inner", "parts", "times")

    def __init__(self, clock: Clock, reference: _Reference, start: int, end: int) -> None:
        self.times: tuple[int, int] | None = None
        self.parts: list[tuple[int, int]] | None = None  # the same of every step, where known
        self.inner: Steps | None = None  # whose events tell that
        self.end = end  # to be recorded behind the work
        self._clock = clock
        self._reference: _Reference | None = reference
        self._start = start

    def forget(self) -> None:
        """Leave the steps alone: they were not launched."""
        inner, self.inner = self.inner, None
        if inner is not None:
            inner.unread = False

    def finish(self, well: bool) -> None:
        """Note the times of work that has ended, and give the events back."""
        reference, self._reference = self._reference, None
        if reference is not None and well:
            with contextlib.suppress(Exception):  # a device that is lost tells no times
                self.times = self._clock.between(reference, self._start, self.end)
                if self.inner is not None:
                    found = [self._clock.between(reference, *pair) for pair in self.inner.events]
                    self.parts = [each for each in found if each is not None]
            self._clock.spare += (self._start, self.end)
        self.forget()


class Clock:
    """The timing events of one device."""

    def __init__(self, cuda: Cuda) -> None:
        self.spare: list[int] = []
        self._runtime = cuda.runtime
        self._every: list[int] = []
        self._stream: int | None = None
        self._reference: _Reference | None = None
        self._closed = False

    def mark(self, stream: int) -> Mark | None:
        """Note that work begins on a stream; None if the GPU does not tell the time just now."""
        reference = self._reference
        now = perf_counter_ns()
        if reference is None or now - reference.host > _FRESH:
            self._reference = reference = self._align(now + _PATIENCE) or reference
            if reference is None:
                return None
        start, end = self.event(), self.event()
        self._runtime.eventRecord(start, stream)
        return Mark(self, reference, start, end)

    def event(self) -> int:
        """Return an event that can be timed."""
        if self.spare:
            return self.spare.pop()
        event: int = self._runtime.eventCreate()
        self._every.append(event)
        return event

    def _align(self, until: int) -> _Reference | None:
        runtime = self._runtime
        if self._stream is None:
            self._stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
        best: _Reference | None = None
        for _ in range(_TRIES):
            event = self.event()
            before = perf_counter_ns()
            runtime.eventRecord(event, self._stream)
            while (status := runtime.eventQuery(event)) == NOT_READY and perf_counter_ns() < until:
                pass
            after = perf_counter_ns()
            found = _Reference(event, (before + after) // 2, after - before, self.spare)
            if status == 0 and (best is None or found.width < best.width):
                best = found
        return best

    def between(self, reference: _Reference, start: int, end: int) -> tuple[int, int] | None:
        """The times of two events that have happened; None after close."""
        if self._closed:
            return None
        elapsed = self._runtime.eventElapsedTime
        began = reference.host + round(elapsed(reference.event, start) * 1e6)
        return began, began + round(elapsed(start, end) * 1e6)

    def close(self) -> None:
        """Destroy events and stream; nothing is timed afterwards."""
        self._closed = True
        self._reference = None
        for event in self._every:
            self._runtime.eventDestroy(event)
        self._every.clear()
        self.spare.clear()
        if self._stream is not None:
            self._runtime.streamDestroy(self._stream)
            self._stream = None
