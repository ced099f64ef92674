"""The two threads of a device: one encodes and submits, one notices what has ended.

In: launches, writes and reads. Out: fences that end exactly once. Submitting can block while
earlier work runs, so it has a thread of its own; the other polls without blocking, more slowly the
longer nothing happens. Both end by themselves after a while of idleness and start again when
needed. After a loss or close() everything that is open fails.

A caller that brings a job takes no lock that Ctrl-C could leave taken: a job is put where the
thread finds it by one C call, and everything that changes afterwards is changed by the two threads.
The runtime is told of ends by the thread that polls alone, and may hold it up: so a finalizer that
reads a buffer while its thread holds the runtime's lock looks for the end of the read itself.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from operator import call
from time import perf_counter_ns
from typing import Any

from treadle.attendant import Attendant, giving_way
from treadle.backends.webgpu.clock import STAMP_BYTES, Clock, Stamp
from treadle.backends.webgpu.driver import Gpu, translate_errors
from treadle.backends.webgpu.encode import Encoder
from treadle.backends.webgpu.job import ByteRoom, Job
from treadle.courtesy import compute_behind_here
from treadle.errors import DeviceError, DeviceLost

__all__ = ["PRIORITIES", "Workers"]

PRIORITIES = 3
_SHORTEST = 20e-6  # seconds between two polls, at first
_LONGEST = 1e-3
_IDLE = 5.0  # seconds without work after which a thread ends


class Workers:
    """Both threads of one device."""

    def __init__(self, gpu: Gpu, encoder: Encoder, clock: Clock, room: ByteRoom) -> None:
        self._gpu = gpu
        self._encoder = encoder
        self._clock = clock
        self._room = room  # of what is to be written
        # Writes and reads, which come after nothing and before all that is launched later, and then
        # launches, the urgent before others.
        self._waiting: tuple[deque[Job], ...] = tuple(deque() for _ in range(1 + PRIORITIES))
        self._open: dict[int, Job] = {}  # submitted, by serial
        self._over: deque[tuple[Job, BaseException | None]] = deque()  # ended, and not told yet
        self._pause = _SHORTEST  # between two polls
        self._gone: BaseException | None = None
        self._submitter = Attendant("treadle-webgpu-submit", self._submit_next, idle=_IDLE)
        self._poller = Attendant("treadle-webgpu-poll", self._poll, idle=_IDLE)

    @property
    def are_here(self) -> bool:
        """Whether the caller runs on one of the threads."""
        return self._submitter.is_here or self._poller.is_here

    def put(self, job: Job, priority: int = -1, taken: list[Any] | None = None) -> None:
        """Take a job over; it ends later, on a thread of this device. Launches have a priority.

        While it is taken over it is in `taken`, too: it comes and goes there in the same step."""
        if self._gone is not None:
            raise self._gone
        jobs = self._waiting[1 + min(max(priority, -1), PRIORITIES - 1)]
        taken = [] if taken is None else taken
        come, go = (jobs.append, taken.append), (jobs.remove, taken.remove)
        try:
            list(map(call, come, (job, job)))  # C code, inside which no signal is looked for
            self._submitter.call()
        except BaseException as error:
            try:
                list(map(call, go, (job, job)))
            except ValueError:  # a thread has it, which another call woke
                if isinstance(error, DeviceError):
                    return
            raise

    # The thread that submits

    def _submit_next(self) -> bool:
        if self._gone is not None:
            return self._drop(self._gone)
        job = self._next()
        if job is None:  # what was submitted is looked after here, where no other thread can be had
            return not self._poller.alive and not self._called() and self._poll()
        job.started = True
        compute_behind_here(0)
        try:
            with giving_way:
                self._submit(job)
        except BaseException as error:
            self._finish(job, error)
            if isinstance(error, DeviceLost):
                self.lose(error)
            elif not isinstance(error, Exception):
                raise
        return True

    def _finish(self, job: Job, error: BaseException | None) -> None:
        """Have a job end that the device does not work on."""
        if job.inner:
            job.end(error)
        else:
            self._over.append((job, error))
            self._called()

    def _called(self) -> bool:
        """Call the thread that polls, if there is something for it; false if it cannot be had."""
        if self._open or self._over:
            try:
                self._poller.call()
            except DeviceError:
                return False
        return True

    def _next(self) -> Job | None:
        """Take the job that comes next."""
        while True:
            found = self._first()
            if found is None:
                return None
            # Looked for twice: while this thread looked where the less urgent wait, a write may
            # have been put before those, and behind it the launch that was found and needs it.
            if self._first() is not found:
                continue
            for jobs in self._waiting:
                with contextlib.suppress(ValueError):  # the caller that put it may take it back
                    jobs.remove(found)
                    return found

    def _first(self) -> Job | None:
        """The first job of the most urgent that can go; the oldest of all always can."""
        for jobs in self._waiting:
            with contextlib.suppress(IndexError):
                job = jobs[0]
                if job.ready():
                    return job
        return None

    def _submit(self, job: Job) -> None:
        self._check()
        if job.timed and job.steps and self._clock.stale:
            self._submit_encoded(Job((), lambda _: None, inner=True), self._clock.stamp())
        if job.fill is not None:
            self._gpu.write(job.fill.target.block.buffer, job.fill.offset, job.fill.data)
            job.fill = None
            self._room.freed()
        self._submit_encoded(job, self._clock.stamp() if job.timed and job.steps else None)

    def _encode(self, job: Job, stamp: Stamp | None) -> tuple[list[Any], tuple[Any, int] | None]:
        """Return command buffers, and what to map when they have run: a buffer and its bytes."""
        try:
            commands, job.keep, job.watch, job.shown = self._encoder.encode(job.steps, stamp)
        except BaseException:
            if stamp is not None:
                self._clock.give(stamp)
            raise
        buffers = [] if commands is None else [commands]
        if job.watch is not None:  # one thing is mapped; what went wrong matters more than when
            if stamp is not None:
                self._clock.give(stamp)
                job.timed = False
            return buffers, (job.watch.staging, 4)
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
            self._finish(job, None)
            return
        serial = job.serial = self._gpu.serial()
        self._open[serial] = job
        try:
            with translate_errors("a submission"):
                if stamp is not None and job.watch is None:
                    job.stamp, stamp.before = stamp, perf_counter_ns()
                self._gpu.submit(buffers)
                for canvas in job.shown:
                    canvas.present()
                if mapped is None:
                    self._gpu.when_done(serial)
                else:  # it is mapped when the work has ended, so that tells it as well
                    self._gpu.map_read(*mapped, serial)
        except BaseException:
            self._open.pop(serial, None)
            raise
        self._pause = _SHORTEST
        self._called()

    # The thread that polls

    def _poll(self) -> bool:
        """Look once, and rest where nothing has ended; false if nothing is open."""
        with contextlib.suppress(IndexError):
            while True:
                job, error = self._over.popleft()
                job.end(error)
        if not self._open:
            return False
        compute_behind_here(0)
        found = self._look()
        loss = self._loss()
        if loss is not None:
            self.lose(loss)
        elif found:
            self._pause = _SHORTEST
        else:
            pause = self._pause
            self._pause = min(pause * 2, _LONGEST)
            time.sleep(pause)
        return True

    def _look(self) -> bool:
        """Poll once and end what has ended; return whether there was any."""
        self._gpu.poll()
        found = False
        with contextlib.suppress(IndexError):
            while True:
                serial, good = self._gpu.ended.popleft()
                job = self._open.pop(serial, None)
                if job is None:
                    continue
                found = True
                self._end(job, good)
        return found

    def notice(self, job: Job) -> None:
        """End a job of the backend's own, if it has run, for the thread that waits for it."""
        self._gpu.poll()
        for good in (True, False):
            if (job.serial, good) in self._gpu.ended:
                self._end(job, good)
                self._open.pop(job.serial, None)

    def _end(self, job: Job, good: bool) -> None:
        if good:
            job.end(_ended_loops(job), self._times(job))
        else:
            job.end(self._loss() or DeviceError("webgpu: the work was not completed"))

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
        if self._gone is None:
            self._gone = error
        with contextlib.suppress(KeyError):
            while True:
                self._finish(self._open.popitem()[1], error)
        self._drop(error)

    def _drop(self, reason: BaseException) -> bool:
        """Fail what waits; false if nothing does."""
        dropped = False
        for jobs in self._waiting:
            with contextlib.suppress(IndexError):
                while True:
                    self._finish(jobs.popleft(), reason)
                    dropped = True
        return dropped

    def close(self, reason: BaseException) -> None:
        """Fail what has not been submitted, wait for what has, and end both threads.

        Ctrl-C breaks off the waiting alone; another call goes on with it."""
        if self._gone is None:
            self._gone = reason
        try:
            self._submitter.call()  # a job is ended where Ctrl-C does not come
        except DeviceError:
            self._drop(reason)
        self._submitter.dismiss()
        while not self._called() and self._poll():
            pass
        self._poller.dismiss()


def _ended_loops(job: Job) -> Exception | None:
    """What is wrong with a job in which the device ended a loop."""
    try:
        return None if job.watch is None else job.watch.read()
    except Exception as error:  # of the driver: the thread that polls must go on
        return error
