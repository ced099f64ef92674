"""The stream on which brief launches follow each other, put there by the threads that submit them.

In: steps that take little time, each with a number, rising. Out: the highest number that is done.
What is there runs in the order of the numbers, so that launches need no fences for each other; one
event behind each tells how far the stream has come. The caller holds its queue in `put` and in
`reached`, so neither is entered twice; everything else of the device goes on meanwhile.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from treadle.backends.base import Done, Replay, Step
from treadle.backends.cuda.driver import NOT_READY, DriverError, translate
from treadle.backends.cuda.lanes import QUICK
from treadle.backends.cuda.program import NativeProgram

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from treadle.backends.base import Fence
    from treadle.backends.cuda.driver import Cuda
    from treadle.backends.cuda.graph import Graphs
    from treadle.backends.cuda.lanes import Lane, Lanes
    from treadle.backends.cuda.memory import DeviceMemory, Pool

__all__ = ["QuickStream"]

_MOST = 1e-3  # seconds of one launch
_SHORT = 50e-6  # of launches for which the driver's time counts
_AHEAD = 10e-3  # of all that is there, as runtime.pace has it: it can be neither cancelled
_COUNT = 256  # nor overtaken; and so many launches


class QuickStream:
    """One stream, its events, and how far it has come."""

    def __init__(
        self,
        cuda: Cuda,
        lanes: Lanes,
        pool: Pool,
        lock: threading.Lock,
        here: Callable[[], bool],
        graphs: Graphs | None,
    ) -> None:
        """`lock` is that of launches; `here` says whether the device is this thread's current."""
        self._graphs = graphs
        self._lanes = lanes
        self._pool = pool
        self._lock = lock
        self._here = here
        self._runtime = cuda.runtime
        self._record: Any = cuda.runtime.eventRecord
        self._marks: deque[tuple[int, int, float, Any]] = deque()  # number, event, seconds, scratch
        self._spare: list[int] = []
        self._lane: Lane | None = None  # made with the first launch
        self._reached = 0
        self.newest = 0  # the number of the last launch that is there as a whole
        self.most = _AHEAD  # seconds of work with which it is full
        self.ahead = 0.0  # seconds of work that are there, roughly
        self.error: BaseException | None = None  # why nothing that is there will be done

    @property
    def full(self) -> bool:
        """Whether more than keeps the device busy is there."""
        return len(self._marks) >= _COUNT or self.ahead >= self.most

    def seconds(self, steps: Sequence[Any]) -> float:
        """How long steps take, roughly; infinity for what does not belong here.

        A kernel is measured where the device is current: new sizes may ask the driver."""
        if len(steps) != 1:
            return math.inf
        first = steps[0]
        if type(first) is Replay:
            found: float = first.recording.seconds
        elif type(first) is Step and type(first.program.handle) is NativeProgram and self._here():
            found = first.program.handle.prepare(first.dims).seconds
        else:
            return math.inf
        return found if found <= _MOST else math.inf

    def put(self, number: int, steps: Sequence[Any], seconds: float) -> bool:
        """Put steps there, all of them or nothing; false where this thread cannot just now.

        Where it is broken off, what was begun is over before others are told."""
        lanes, first = self._lanes, steps[0]
        if self.error is not None or lanes.lost is not None or not self._here():
            return False
        with self._lock:
            lane = self._lane
            if lane is None:
                lane = self._lane = lanes.single(QUICK)
            event = self._spare.pop() if self._spare else lanes.event()
            scratch: DeviceMemory | None = None
            try:
                if type(first) is Replay:
                    first.recording.launch(first.steps, lane.stream)
                else:
                    scratch = self._enqueue(first, lane, seconds)
                self._record(event, lane.stream)
                self._marks.append((number, event, seconds, scratch))
                self.newest = number
            except BaseException:  # Ctrl-C, too: the caller forgets what is on the stream
                self._runtime.streamSynchronize(lane.stream)
                raise
        self.ahead += seconds
        return True

    def _enqueue(self, step: Step, lane: Lane, seconds: float) -> DeviceMemory | None:
        """Launch a kernel; return the scratch that it uses."""
        sized = step.program.handle.prepare(step.dims)
        if sized.scratch:
            scratch = self._pool.allocate(sized.scratch)
            sized.fire(step, lane, scratch.address)
            return scratch
        graphs = self._graphs if seconds < _SHORT else None
        if graphs is None or not (known := sized.known.instance(graphs, sized, step)):
            sized.fire(step, lane, 0)
        elif status := graphs.launch(known, lane.stream):
            raise DriverError("cuGraphLaunch", status)
        return None

    def pending(self, number: int) -> bool:
        """Whether the newest launch there is this one, and has not ended: may be asked anywhere."""
        marks = self._marks
        try:
            newest, event, _, _ = marks[-1]
        except IndexError:
            return False
        return newest == number and self._lanes.query(event) == NOT_READY

    def reached(self) -> int:
        """The highest number up to which all is done; never blocks."""
        marks = self._marks
        if marks and self.error is None:
            every = self._lanes.query(marks[-1][1])  # most often all of it, or little
            while marks:
                number, event, seconds, _ = marks[0]
                status = every if every == 0 or len(marks) == 1 else self._lanes.query(event)
                if status == NOT_READY:
                    break
                if status:
                    self.error = self._lanes.failed(status)
                    break
                # From here to the end of `popleft` nothing can be interrupted.
                self._reached = number
                self._spare.append(event)
                self.ahead -= seconds
                marks.popleft()
            if not marks:
                self.ahead = 0.0
        return self._reached

    def fence(self) -> Fence:
        """Return the fence of all launches that are there; `reached` does not tell of them then.

        Their events are free at once: an event may be recorded again before it has happened."""
        if self.error is None:
            try:
                with self._lock:
                    marks, lane = list(self._marks), self._lanes.single(QUICK)
                    # With the fence before it, of which Ctrl-C may have kept its commands.
                    keep = [lane.tail, *[scratch for *_, scratch in marks]]
                    made = self._lanes.fence(lane, keep)
                    self.ahead = 0.0
                    self._spare += [event for _, event, *_ in marks]
                    self._marks.clear()  # last, and all of it: this may be done again
                    return made
            except Exception as error:
                self.error = translate(error)
        return Done(self.error)
