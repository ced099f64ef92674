"""The two threads of a device: one encodes and submits, one notices what has ended.

In: launches, writes and reads. Out: fences that end exactly once. Submitting can block while
earlier work runs, so it has a thread of its own; the other polls without blocking, more slowly the
longer nothing happens. Both end by themselves after a while of idleness and start again when
needed. After a loss or close() everything that is open fails.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from time import perf_counter_ns
from typing import Any, NamedTuple

from treadle.backends.base import Copy, Fence, Replay, Step
from treadle.backends.webgpu.clock import STAMP_BYTES, Clock, Stamp
from treadle.backends.webgpu.driver import Gpu, translate_errors
from treadle.backends.webgpu.encode import Encoder
from treadle.backends.webgpu.memory import GpuMemory
from treadle.errors import DeviceError, DeviceLost

__all__ = ["PRIORITIES", "Fetch", "Fill", "Job", "Room", "Workers"]

PRIORITIES = 3
_SHORTEST = 20e-6  # seconds between two polls, at first
_LONGEST = 1e-3
_IDLE = 5.0  # seconds without work after which a thread ends


class Fetch(NamedTuple):
    """What to copy into a staging buffer, which is mapped then."""

    source: GpuMemory
    offset: int
    staging: Any
    nbytes: int


class Fill(NamedTuple):
    """Bytes to write into a block; whole words."""

    target: GpuMemory
    offset: int
    data: bytearray


class Job:
    """One launch, write or read, and its fence."""

    __slots__ = ("_ended", "_tell", "_times", "after", "error", "fetch", "fill", "keep", "stamp",
                 "started", "steps", "timed")  # fmt: skip

    def __init__(
        self,
        steps: Sequence[Step | Copy | Replay],
        tell: Callable[[Fence], None],
        *,
        after: Sequence[Fence] = (),
        fetch: Fetch | None = None,
        fill: Fill | None = None,
        timed: bool = False,
    ) -> None:
        self.steps = steps
        self.after = after
        self.fetch = fetch
        self.fill = fill
        self.error: BaseException | None = None
        self.started = False
        self.timed = timed
        self.stamp: Stamp | None = None  # where the device writes its times
        self._times: tuple[int, int] | None = None
        self.keep: list[Any] = []
        self._tell = tell
        self._ended = False

    def done(self) -> bool:
        """Whether it ended."""
        return self._ended

    def times(self) -> tuple[int, int] | None:
        """When it began and ended, in nanoseconds of the host's clock, if it was timed."""
        return self._times

    def ready(self) -> bool:
        """Whether everything that it comes after is in the device's queue already."""
        return all(getattr(fence, "started", True) for fence in self.after)

    def end(self, error: BaseException | None, times: tuple[int, int] | None = None) -> None:
        """End it, once, and tell."""
        if self._ended:
            return
        self.error = error
        self._times = times
        self.steps, self.after, self.fetch, self.fill = (), (), None, None
        self.keep = []
        self._ended = True
        try:
            self._tell(self)
        except Exception as problem:  # must not take the thread with it
            info = (type(problem), problem, problem.__traceback__, threading.current_thread())
            threading.excepthook(threading.ExceptHookArgs(info))


class Room:
    """A number of bytes that may be in use at the same time; taking more waits."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._used = 0
        self._freed = threading.Condition()

    def acquire(self, nbytes: int) -> None:
        """Take bytes; more than there ever are go when nothing else does."""
        with self._freed:
            self._freed.wait_for(lambda: not self._used or self._used + nbytes <= self._limit)
            self._used += nbytes

    def release(self, nbytes: int) -> None:
        """Give bytes back."""
        with self._freed:
            self._used -= nbytes
            self._freed.notify_all()


class Workers:
    """Both threads of one device."""

    def __init__(self, gpu: Gpu, encoder: Encoder, clock: Clock) -> None:
        self._gpu = gpu
        self._encoder = encoder
        self._clock = clock
        # One lock guards everything below; each condition wakes one thread only. A finalizer that
        # the garbage collector runs inside it may submit.
        lock = threading.RLock()
        self._changed = threading.Condition(lock)  # for close()
        self._to_submit = threading.Condition(lock)
        self._to_poll = threading.Condition(lock)
        self._waiting: tuple[deque[Job], ...] = tuple(deque() for _ in range(PRIORITIES))
        self._open: dict[int, Job] = {}  # submitted, by serial
        self._news = False  # something was submitted since the poller last slept
        self._gone: BaseException | None = None
        self._submitter: threading.Thread | None = None
        self._poller: threading.Thread | None = None

    def put(self, job: Job, priority: int = 0) -> None:
        """Take a job over; it ends later, on a thread of this device."""
        with self._changed:
            if self._gone is not None:
                raise self._gone
            self._waiting[min(max(priority, 0), PRIORITIES - 1)].append(job)
            if self._submitter is None:
                self._submitter = _start(self._submit_all, "treadle-webgpu-submit")
            else:
                self._to_submit.notify()

    # The thread that submits

    def _submit_all(self) -> None:
        while True:
            with self._changed:
                job = self._next()
                if job is None and self._gone is None:
                    self._to_submit.wait(_IDLE)
                    job = self._next()
                if job is None:
                    self._submitter = None
                    self._changed.notify_all()
                    return
                job.started = True
            try:
                self._submit(job)
            except Exception as error:
                job.end(error)
                if isinstance(error, DeviceLost):
                    self.lose(error)
            del job

    def _next(self) -> Job | None:
        """The first job of the most urgent that can go; the oldest of all always can."""
        for jobs in self._waiting:
            if jobs and jobs[0].ready():
                return jobs.popleft()
        return None

    def _submit(self, job: Job) -> None:
        self._check()
        if job.timed and job.steps and self._clock.stale:
            self._submit_encoded(Job((), lambda _: None), self._clock.stamp())
        if job.fill is not None:
            self._gpu.write(job.fill.target.block.buffer, job.fill.offset, job.fill.data)
        self._submit_encoded(job, self._clock.stamp() if job.timed and job.steps else None)

    def _encode(self, job: Job, stamp: Stamp | None) -> tuple[list[Any], tuple[Any, int] | None]:
        """Return command buffers, and what to map when they have run: a buffer and its bytes."""
        try:
            commands, job.keep = self._encoder.encode(job.steps, stamp)
        except BaseException:
            if stamp is not None:
                self._clock.give(stamp)
            raise
        buffers = [] if commands is None else [commands]
        if stamp is not None:
            return buffers, (stamp.staging, STAMP_BYTES)
        fetch = job.fetch
        if fetch is None:
            return buffers, None
        with translate_errors("a read"):
            encoder = self._gpu.device.create_command_encoder()
            encoder.copy_buffer_to_buffer(
                fetch.source.block.buffer, fetch.offset, fetch.staging, 0, fetch.nbytes
            )
            return [*buffers, encoder.finish()], (fetch.staging, fetch.nbytes)

    def _submit_encoded(self, job: Job, stamp: Stamp | None) -> None:
        # From here on only the job may hold its memory: it can end before this returns.
        buffers, mapped = self._encode(job, stamp)
        if not buffers:
            job.end(None)
            return
        serial = self._gpu.serial()
        with self._changed:
            self._open[serial] = job
        try:
            with translate_errors("a submission"):
                if stamp is not None:
                    job.stamp, stamp.before = stamp, perf_counter_ns()
                self._gpu.submit(buffers)
                if mapped is None:
                    self._gpu.when_done(serial)
                else:  # it is mapped when the work has ended, so that tells it as well
                    self._gpu.map_read(*mapped, serial)
        except BaseException:
            with self._changed:
                self._open.pop(serial, None)
            raise
        with self._changed:
            self._news = True
            if self._poller is None:
                self._poller = _start(self._poll_all, "treadle-webgpu-poll")
            else:
                self._to_poll.notify()

    # The thread that polls

    def _poll_all(self) -> None:
        pause = _SHORTEST
        while True:
            with self._changed:
                if not self._open and self._gone is None:
                    self._to_poll.wait_for(lambda: self._open or self._gone is not None, _IDLE)
                if not self._open:
                    self._poller = None
                    self._changed.notify_all()
                    return
                if self._news:
                    self._news, pause = False, _SHORTEST
            found = self._look()
            loss = self._loss()
            if loss is not None:
                self.lose(loss)
                continue
            if found:
                pause = _SHORTEST
                continue
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST)

    def _look(self) -> bool:
        """Poll once and end what has ended; return whether there was any."""
        self._gpu.poll()
        ended = self._gpu.ended
        found = []
        with self._changed:
            while ended:
                serial, good = ended.popleft()
                job = self._open.pop(serial, None)
                if job is not None:
                    found.append((job, good))
        for job, good in found:
            if not good:
                job.end(self._loss() or DeviceError("webgpu: the work was not completed"))
                continue
            job.end(None, self._times(job))
        return bool(found)

    def _times(self, job: Job) -> tuple[int, int] | None:
        if job.stamp is None:
            return None
        try:
            return self._clock.read(job.stamp)
        except Exception:  # the work is done all the same, and this thread must go on
            return None

    def _loss(self) -> DeviceLost | None:
        """What to say where the device was lost."""
        reason = self._gpu.lost
        return None if reason is None else DeviceLost(f"webgpu lost its device: {reason}")

    def _check(self) -> None:
        """Refuse to submit to a lost device, which would end the process."""
        loss = self._loss()
        if loss is not None:
            raise loss

    # The end

    def lose(self, error: BaseException) -> None:
        """Fail everything; nothing more will come from the device."""
        with self._changed:
            if self._gone is None:
                self._gone = error
            jobs = [*self._open.values(), *self._drop()]
            self._open.clear()
            self._to_submit.notify()
            self._to_poll.notify()
        for job in jobs:
            job.end(error)

    def _drop(self) -> list[Job]:
        dropped = [job for jobs in self._waiting for job in jobs]
        for jobs in self._waiting:
            jobs.clear()
        return dropped

    def close(self, reason: BaseException) -> None:
        """Fail what has not been submitted, wait for what has, and end both threads."""
        with self._changed:
            if self._gone is None:
                self._gone = reason
            dropped = self._drop()
            self._to_submit.notify()
            self._to_poll.notify()
        for job in dropped:
            job.end(reason)
        here = threading.current_thread()
        with self._changed:
            self._changed.wait_for(
                lambda: self._submitter in (None, here) and self._poller in (None, here)
            )


def _start(run: Callable[[], None], name: str) -> threading.Thread:
    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread
