"""Lanes as streams, fences as events.

In: choices of lane, and fences to come after. Out: streams to launch on and fences that tell when
the work is done. Events are recycled once their fence was seen done. What is launched is not known
here. Everything but `CudaFence.done` is called with the backend's lock held.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

from treadle.backends.cuda.clock import Clock, Mark
from treadle.backends.cuda.driver import NOT_READY, Cuda, translate

__all__ = ["DOWNLOADS", "LANES", "NORMAL", "QUICK", "UPLOADS", "CudaFence", "Lane", "Lanes"]

LANES = 4
# Streams for each priority (interactive, normal, background) and each way of copying, and how
# urgent: 0 is the least. Copies have their own, so that no kernel queues up behind one, and so have
# brief launches (quick.py).
_COUNTS = (2, LANES, 2, 2, 2, 1)
_URGENCY = (-5, -1, 0, -1, -1, -1)
_NAMES = ("interactive", "normal", "background", "upload", "download", "quick")
NORMAL, UPLOADS, DOWNLOADS, QUICK = 1, 3, 4, 5


class Lane:
    """A stream, and the fence of what was launched last on it."""

    __slots__ = ("number", "owner", "priority", "stream", "tail")

    def __init__(self, owner: Any, priority: int, number: int) -> None:
        self.priority = priority
        self.number = number
        self.owner = owner  # CuPy's object, which destroys the stream when it goes
        self.stream: int = owner.ptr
        self.tail: CudaFence | None = None

    def __str__(self) -> str:
        """Its name in a trace."""
        return f"{_NAMES[self.priority]} {self.number}"


class CudaFence:
    """The completion of one launch."""

    __slots__ = ("_lanes", "error", "event", "keep", "lane", "mark")

    def __init__(
        self,
        lanes: Lanes,
        lane: Lane,
        event: int,
        keep: Any,
        error: BaseException | None,
        mark: Mark | None,
    ) -> None:
        self.error = error  # of what could not be launched behind the rest
        self.lane = lane
        self.event: int | None = event  # None: seen done
        self.keep = keep  # what the work uses
        self.mark = mark
        self._lanes = lanes

    def done(self) -> bool:
        """Whether the work ended; never blocks."""
        event = self.event
        if event is None:
            return True
        status = self._lanes.query(event)
        if status == NOT_READY:
            return False
        self._lanes.settle(self, status)
        return True

    def times(self) -> tuple[int, int] | None:
        """When the work began and ended, in nanoseconds of the host's clock, if it was timed."""
        return None if self.mark is None else self.mark.times

    def parts(self) -> list[tuple[int, int]] | None:
        """The same for each step of a replay, where those were timed one by one."""
        return None if self.mark is None else self.mark.parts

    def __repr__(self) -> str:
        return f"CudaFence({'open' if self.event is not None else 'done'})"


class Lanes:
    """The streams and events of one device."""

    def __init__(self, cuda: Cuda) -> None:
        self._cuda = cuda
        self.query: Any = cuda.runtime.eventQuery
        self._record: Any = cuda.runtime.eventRecord
        self._wait: Any = cuda.runtime.streamWaitEvent
        self._events: list[int] = []
        self._every: list[int] = []
        self._settling = threading.RLock()  # a finalizer may ask, inside it too
        self.clock = Clock(cuda)
        self._by_priority: list[list[Lane] | None] = [None] * len(_COUNTS)
        self.lost: BaseException | None = None

    def _streams(self, priority: int) -> list[Lane]:
        make = self._cuda.cupy.cuda.Stream
        made = [
            Lane(make(non_blocking=True, priority=_URGENCY[priority]), priority, number)
            for number in range(_COUNTS[priority])
        ]
        self._by_priority[priority] = made
        return made

    def single(self, kind: int) -> Lane:
        """Return the first lane of a kind."""
        return (self._by_priority[kind] or self._streams(kind))[0]

    def event(self) -> int:
        """Return an event that is free."""
        if self._events:
            return self._events.pop()
        runtime = self._cuda.runtime
        made: int = runtime.eventCreateWithFlags(runtime.eventDisableTiming)
        self._every.append(made)
        return made

    def choose(self, number: int, priority: int, after: Sequence[Any]) -> Lane:
        """Return the lane for a launch, made to wait for `after`.

        A launch that comes right after the last one of a lane goes there, where order is free."""
        lanes = self._by_priority[priority] or self._streams(priority)
        if not after:
            return lanes[number % len(lanes)]
        if len(after) == 1:  # most often
            last = after[0]
            if type(last) is CudaFence and last.lane.tail is last:
                found = last.lane
                if found.priority == priority:
                    return found
        open_ = [f for f in after if type(f) is CudaFence and f.event is not None]
        chosen = None
        for fence in open_:
            if fence.lane.tail is fence and fence.lane.priority == priority:
                chosen = fence.lane
        lane = chosen or lanes[number % len(lanes)]
        for fence in open_:
            event = fence.event
            if fence.lane is not lane and event is not None:
                self._wait(lane.stream, event, 0)
        return lane

    def fence(
        self, lane: Lane, keep: Any, error: BaseException | None = None, mark: Mark | None = None
    ) -> CudaFence:
        """Return the fence of all that was launched on a lane so far."""
        event = self.event() if mark is None else mark.end
        fence = CudaFence(self, lane, event, keep, error, mark)
        try:
            self._record(event, lane.stream)
            lane.tail = fence
            return fence
        except Exception:
            raise
        except BaseException:  # Ctrl-C: no caller gets the fence, so the work ends here
            self._cuda.runtime.streamSynchronize(lane.stream)
            raise

    def held_here(self) -> bool:
        """Whether this thread is about to note an end: then a finalizer runs."""
        return bool(self._settling._is_owned())  # type: ignore[attr-defined]

    def settle(self, fence: CudaFence, status: int) -> None:
        """Take note that a fence is done; a second time does nothing.

        Ctrl-C may break it off, and a finalizer inside it may do the same, so the event goes to
        the thread that takes it out of the fence, in one step."""
        with self._settling:
            if fence.event is None:
                return
            if fence.mark is not None:
                fence.mark.finish(status == 0)
            if status != 0:
                fence.error = self.failed(status)
            fence.keep = None
            if fence.lane.tail is fence:
                fence.lane.tail = None
            event, fence.event = fence.event, None
            if event is not None and fence.mark is None and status == 0:
                self._events.append(event)

    def failed(self, status: int) -> BaseException:
        """The error for what a query reported; it is the device's end."""
        try:
            self._cuda.runtime.check_status(status)
        except Exception as error:
            self.lost = translate(error, "cuda")
            return self.lost
        raise AssertionError(status)

    def drain(self) -> None:
        """Block until everything launched has ended."""
        for lanes in self._by_priority:
            for lane in lanes or ():
                self._cuda.runtime.streamSynchronize(lane.stream)

    def close(self) -> None:
        """Destroy streams and events; everything has been drained, so open fences are done."""
        self.query = lambda event: 0
        runtime = self._cuda.runtime
        self._by_priority = [None] * len(_COUNTS)
        for event in self._every:
            runtime.eventDestroy(event)
        self._every.clear()
        self._events.clear()
        self.clock.close()
