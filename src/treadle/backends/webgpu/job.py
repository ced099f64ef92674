"""What the threads of a device are given to do, and the room for what waits to be written.

In: steps, bytes to write or places to read, and whom to tell. Out: jobs, each of which is a fence
that ends exactly once. Who does them, and when, is worker's.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from treadle.attendant import Bell, report
from treadle.backends.base import Copy, Draw, Fence, Replay, Step
from treadle.backends.webgpu.clock import Stamp
from treadle.backends.webgpu.encode import Watch
from treadle.backends.webgpu.memory import GpuMemory

__all__ = ["ByteRoom", "Fetch", "Fill", "Job"]

_LOOK = 0.1  # seconds after which a caller that waits for room looks again


class Fetch(NamedTuple):
    """What to copy into a staging buffer, which is mapped then."""

    source: GpuMemory
    offset: int
    staging: Any
    nbytes: int


class Fill:
    """Bytes to write into a block; whole words."""

    __slots__ = ("__weakref__", "data", "offset", "target")

    def __init__(self, target: GpuMemory, offset: int, data: bytearray) -> None:
        self.target = target
        self.offset = offset
        self.data = data


class Job:
    """One launch, write or read, and its fence."""

    __slots__ = ("_ended", "_tell", "_times", "after", "error", "fetch", "fill", "inner", "keep",
                 "serial", "shown", "stamp", "started", "steps", "timed", "watch")  # fmt: skip

    def __init__(
        self,
        steps: Sequence[Step | Copy | Replay | Draw],
        tell: Callable[[Fence], None],
        *,
        after: Sequence[Fence] = (),
        fetch: Fetch | None = None,
        fill: Fill | None = None,
        timed: bool = False,
        inner: bool = False,
    ) -> None:
        """`inner` says that `tell` is the backend's own and never blocks."""
        self.steps = steps
        self.after = after
        self.fetch = fetch
        self.fill = fill
        self.error: BaseException | None = None
        self.started = False
        self.serial = 0  # of its submission
        self.inner = inner
        self.timed = timed
        self.stamp: Stamp | None = None  # where the device writes its times
        self.watch: Watch | None = None  # where it writes that it ended loops
        self.shown: Sequence[Any] = ()  # canvases that show what it draws
        self._times: tuple[int, int] | None = None
        self.keep: list[Any] = []
        self._tell: Callable[[Fence], None] | None = tell
        self._ended = False

    def done(self) -> bool:
        """Whether it ended."""
        return self._ended

    def times(self) -> tuple[int, int] | None:
        """When it began and ended, in nanoseconds of the host's clock, if it was timed."""
        return self._times

    def ready(self) -> bool:
        """Whether everything that it comes after is in the device's queue already."""
        return all(getattr(fence, "started", True) or fence.done() for fence in self.after)

    def end(self, error: BaseException | None, times: tuple[int, int] | None = None) -> None:
        """End it, once, and tell."""
        tell, self._tell = self._tell, None  # in one step: both threads may end it
        if tell is None:
            return
        self.error = error
        self._times = times
        self.steps, self.after, self.fetch, self.fill = (), (), None, None
        self.keep, self.watch, self.shown = [], None, ()
        self._ended = True
        try:
            tell(self)
        except Exception as problem:  # must not take the thread with it
            report(problem)


class _Share(weakref.ref[Fill]):
    """The bytes that a fill was given; when the fill goes, this is put among what came back."""

    __slots__ = ("nbytes",)
    nbytes: int


class ByteRoom:
    """A number of bytes that may be in use at the same time; taking more waits."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._used = 0
        self._lock = threading.RLock()  # a finalizer may write, inside it too
        self._shares: set[_Share] = set()
        self._back: deque[_Share] = deque()
        self._waiting: deque[Bell] = deque()

    def acquire(self, job: Job, *, wait: bool = True) -> None:
        """Take the bytes of a job's fill, until that goes; more than there ever are go when nothing
        else does. Without `wait` they are taken in any case."""
        while not self._take(job, wait):
            bell = Bell()
            self._waiting.append(bell)  # before the last look: a later return of bytes rings
            if self._take(job, wait):
                return
            bell.sleep(_LOOK)

    def _take(self, job: Job, wait: bool) -> bool:
        assert job.fill is not None
        nbytes = len(job.fill.data)
        with self._lock:
            self._settle()
            if wait and self._used and self._used + nbytes > self._limit:
                return False
            share = _Share(job.fill, self._back.append)  # which is C code; see runtime.memory
            # Nothing from here to the end of `add` can be interrupted.
            share.nbytes = nbytes
            self._used += nbytes
            self._shares.add(share)
            return True

    def _settle(self) -> None:
        back = self._back
        while back:
            share = back[0]
            self._shares.discard(share)
            if back and back[0] is share:  # from here to the end nothing can be interrupted
                self._used -= share.nbytes
                del back[0]

    def freed(self) -> None:
        """Wake the callers that wait for room: something came back."""
        with contextlib.suppress(IndexError):
            while True:
                self._waiting.popleft().ring()
