"""One launch on the CPU: steps in order, each shared among workers.

In: prepared steps. Out: a fence that ends exactly once. The thread that ends a step starts the
next, so nothing waits for anything; the workers of one step draw chunks from a counter that native
code advances. A thread that would only wait for a launch can take a worker's place. Unlike a worker
it may be interrupted by Ctrl-C anywhere, so whatever advances a launch may be done twice: a worker
then goes on from what is known to have happened.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from time import perf_counter_ns, sleep
from typing import Any, Protocol

from treadle.backends.base import Fence
from treadle.backends.cpu.jit import Code
from treadle.backends.cpu.workers import Workers
from treadle.errors import DeviceLost

__all__ = ["CallStep", "Launch", "NativeStep", "PartsStep", "ReadyStep"]

_CHUNK_NS = 100_000.0
# Chunks for each worker: so many that no worker waits long for the last, or few where each begins
# with rows that the one before it has computed as well.
_CHUNKS, _FEW_CHUNKS = 16, 4
# How long a worker stays with one task before it looks for urgent ones, by the task's urgency.
# What runs in the background is to give way, and the times are estimates, often several times off.
_QUOTA_NS = (3_000_000.0, 3_000_000.0, 300_000.0)
# How long a thread that helped waits for the last chunks, rather than be woken at their end.
_LINGER_NS = 200_000
_Control = ctypes.c_int64 * 7  # see codegen.llvm.render_shared


class ReadyStep(Protocol):
    """A step that is ready to run."""

    @property
    def parts(self) -> int:
        """How many workers can usefully share it."""
        ...

    def work(self) -> int:
        """Do some of it: 0 nothing is left, 1 this call ended it, 2 there is more."""
        ...


class NativeStep:
    """A compiled kernel over a packed argument block."""

    __slots__ = ("_block", "_code", "_control", "_found", "_keep", "_merges", "parts")

    def __init__(
        self,
        code: Code,
        block: bytes,
        units: int,
        cost: float,
        workers: int,
        urgency: int,
        keep: Any,
        *,
        merges: bool = False,
        near: bool = False,
        ordered: bool = False,
    ) -> None:
        each = max(cost / max(units, 1), 1e-3)
        fair = -(-units // (workers * (_FEW_CHUNKS if near else _CHUNKS)))
        # Where units need what those before them leave, a worker that took several would have all
        # others leave theirs half done.
        grain = 1 if ordered else max(1, min(int(_CHUNK_NS / each), fair))
        self.parts = min(workers, -(-units // grain))
        quota = max(1, int(_QUOTA_NS[urgency] / (each * grain)))
        self._control = _Control(0, units, grain, 0, quota, *code.entries)
        # A worker may still be on its way out of the native call when another has ended the step:
        # the code stays mapped until the last of them has dropped this object.
        self._code = code
        self._block = block
        self._keep = keep  # memory, needed until the last chunk has ended
        self._merges = merges
        self._found: list[int] = []  # by the thread that helps

    def work(self) -> int:
        """Run chunks."""
        result: int = self._code.work(self._block, ctypes.addressof(self._control))
        if result == 1:
            self._keep = None
        return result

    def help(self) -> int:
        """Do as `work` does, on a thread that may be interrupted; then `over` knows what it did."""
        arguments = (self._block,), (ctypes.addressof(self._control),)
        # Between the machine code and the list Python does not look for signals.
        self._found.extend(map(self._code.work, *arguments))
        if self._found[-1] == 1:
            self._keep = None
        return self._found[-1]

    def over(self) -> bool:
        """Whether `help` ended it."""
        return 1 in self._found

    def linger(self) -> bool:
        """Wait a moment for chunks that workers are at; return whether all have ended."""
        if self._merges:
            return False  # what follows the last chunk cannot be seen from here
        control = self._control
        late = perf_counter_ns() + _LINGER_NS
        while control[3] < control[1]:
            if perf_counter_ns() > late:
                return False
            sleep(0)  # lets go of Python's lock
        return True


class CallStep:
    """A Python callable; one worker runs it."""

    __slots__ = ("_call",)
    parts = 1

    def __init__(self, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call

    def work(self) -> int:
        """Call it."""
        call, self._call = self._call, None
        if call is None:
            return 0
        call()
        return 1


class PartsStep:
    """A Python callable that is called with each of some parts; workers share them. A part that was
    interrupted is done again."""

    __slots__ = ("_again", "_call", "_count", "_done", "_error", "_lock", "_mine", "_next", "parts")

    def __init__(self, call: Callable[[int], None], count: int, workers: int) -> None:
        self._call: Callable[[int], None] | None = call
        self._count = count
        self._next = 0
        self._done: set[int] = set()
        self._again: list[int] = []
        self._mine = -1  # what the thread that helps is at
        self._error: Exception | None = None
        self._lock = threading.Lock()
        self.parts = min(count, workers)

    def work(self) -> int:
        """Call it for parts that are not taken; the thread that ends the last raises an error."""
        while True:
            with self._lock:
                part = self._again.pop() if self._again else self._next
                self._next = max(self._next, part + 1)
            if part >= self._count:
                return 0
            if self._do(part):
                return 1

    def help(self) -> int:
        """Do as `work` does, on a thread that may be interrupted; then `over` knows what it did."""
        while True:
            with self._lock:
                part = self._mine = self._next
                self._next = part + 1
            if part >= self._count:
                return 0
            if self._do(part):
                return 1

    def _do(self, part: int) -> bool:
        call = self._call
        try:
            if call is not None:
                call(part)
        except Exception as error:
            self._error = error
        with self._lock:
            self._done.add(part)
            last = len(self._done) == self._count
        if last:
            self._call = None  # and with it the memory that it holds
            if self._error is not None:
                raise self._error
        return last

    def over(self) -> bool:
        """Whether all parts are done; if the one that was interrupted is not, it is to be. Raises
        what went wrong."""
        with self._lock:
            if -1 < self._mine < min(self._next, self._count) and self._mine not in self._done:
                self._again.append(self._mine)
            ended = len(self._done) == self._count
        if ended and self._error is not None:
            raise self._error
        return ended

    def linger(self) -> bool:
        """Wait a moment for parts that workers are at; return whether all are done, and well."""
        late = perf_counter_ns() + _LINGER_NS
        while len(self._done) < self._count and perf_counter_ns() < late:
            sleep(0)
        return len(self._done) == self._count and self._error is None


_QUEUED, _RUNNING, _ENDED = range(3)
_HELPED = NativeStep, PartsStep  # what can be interrupted and still be done once


class Launch:
    """The fence of queued steps, and the task that advances them."""

    __slots__ = (
        "_current",
        "_done",
        "_finish",
        "_helped",
        "_lock",
        "_next",
        "_priority",
        "_start",
        "_state",
        "_steps",
        "_stop",
        "_token",
        "_workers",
        "error",
        "timing",
    )

    def __init__(
        self,
        steps: Sequence[Callable[[], ReadyStep]],
        done: Callable[[Fence], None],
        workers: Workers,
        priority: int,
        *,
        helpable: bool = True,
    ) -> None:
        self.error: BaseException | None = None
        self._steps = list(steps)
        self._done: Callable[[Fence], None] | None = done
        self._workers = workers
        self._priority = priority
        self._next = 0, False  # the step to take up next; whether a helper had the last
        self._current: tuple[int, ReadyStep] | None = None  # the last step that was prepared
        self._state = _QUEUED
        self._token = True  # a worker will still come and run this
        self._helped = not helpable  # a thread that waits has helped, or none is to
        self._finish: Callable[[], bool] | None = None  # the way for a thread that helps
        self._lock = threading.Lock()
        self.timing = False
        self._start = self._stop = 0

    def __repr__(self) -> str:
        return f"Launch({('queued', 'running', 'done')[self._state]})"

    def done(self) -> bool:
        """Whether it ended."""
        return self._state == _ENDED

    def times(self) -> tuple[int, int] | None:
        """When it started and ended, where that was to be noted."""
        return (self._start, self._stop) if self._start else None

    def run(self) -> None:
        """Start, on a worker; or join in, where a thread that waits has started it."""
        with self._lock:
            self._token = False
            first, current = self._begin(), self._current
        if first:
            self.advance(0)
        elif current is not None and self._state == _RUNNING:
            self.share(*current)

    def help(self, finish: Callable[[], bool]) -> None:
        """Work on it, on a thread that would only wait for it, while a worker has nothing to do."""
        leave = self._workers.leaving()
        leave_to_worker = self._workers.offering(_Rest(self), priority=self._priority)
        try:
            if not self._workers.enter(self.done):
                return
            with self._lock:
                if self._helped:
                    return
                self._helped, self._finish = True, finish
                first, current = self._begin(), self._current
            if first:
                self.advance(0, helping=True)
            elif current is not None:
                self.share(*current, helping=True)
        except BaseException:  # Ctrl-C, wherever it was, and perhaps again
            leave_to_worker()
            raise
        finally:
            leave()

    def _begin(self) -> bool:
        """Take it upon this thread to start, if no other has; needs the lock."""
        if self._state != _QUEUED:
            return False
        self._state = _RUNNING
        if self.timing:
            self._start = perf_counter_ns()
        return True

    def advance(self, index: int, *, helping: bool = False) -> None:
        """Run steps from a place on, until another thread has to end one."""
        try:
            steps = self._steps
            while index < len(steps):
                if not self._step(index, steps[index], helping):
                    return
                index += 1
        except Exception as error:
            self.fail(error, index, helping=helping)
        else:
            self.end(None, helping=helping)

    def _step(self, index: int, prepare: Callable[[], ReadyStep], helping: bool) -> bool:
        """Prepare a step, share it and work on it; return whether this call ended it."""
        with self._lock:
            if self._next[0] > index:
                return False  # another thread has taken it up
            self._next = index + 1, helping
        step = prepare()
        mine = not helping or isinstance(step, _HELPED)
        with self._lock:
            self._current = index, step
            coming = step.parts - mine - self._token
        if coming > 0:
            part = _Part(self, index, step)
            self._workers.submit(part, priority=self._priority, times=coming)
        return self.work(index, step, helping=helping)

    def fail(self, error: Exception, index: int, *, helping: bool = False) -> None:
        """End with the error of a step."""
        error.step = index  # type: ignore[attr-defined]  # the runtime names the stage
        self.end(error, helping=helping)

    def share(self, index: int, step: ReadyStep, *, helping: bool = False) -> None:
        """Work on a step that a thread has prepared, and go on after it if this ends it."""
        try:
            ended = self.work(index, step, helping=helping)
        except Exception as error:
            self.fail(error, index, helping=helping)
            return
        if ended:
            self.advance(index + 1, helping=helping)

    def work(self, index: int, step: ReadyStep, *, helping: bool = False) -> bool:
        """Work on a step; return whether this call ended it."""
        if helping:
            if not isinstance(step, _HELPED):
                return False
            while (result := step.help()) == 2:
                pass
            return result == 1 or step.linger()
        while True:
            result = step.work()
            if result != 2:
                return result == 1
            if not self._workers.closing:
                part = _Part(self, index, step)
                self._workers.submit(part, priority=self._priority, front=True)
                return False

    def resume(self) -> None:
        """Go on, on a worker, where a thread that helped was interrupted."""
        with self._lock:
            self._begin()
            (taken, helped), current = self._next, self._current
            prepared = 0 if current is None else current[0] + 1
            if helped and prepared < taken:  # it had taken a step up, and not prepared it
                self._next = prepared, False
        if self._state == _ENDED:
            self._tell()
        elif taken == 0 or (helped and prepared < taken):
            self.advance(prepared)
        elif prepared == taken and current is not None:
            self._resume(*current)

    def _resume(self, index: int, step: ReadyStep) -> None:
        try:
            over = isinstance(step, _HELPED) and step.over()
        except Exception as error:
            self.fail(error, index)
            return
        if over:
            self.advance(index + 1)
        else:
            self.share(index, step)

    def end(self, error: BaseException | None, *, helping: bool = False) -> None:
        """Become done, once, and tell."""
        with self._lock:
            if self._state == _ENDED:
                return
            self.error = error
            if self._start:
                self._stop = perf_counter_ns()
            self._state = _ENDED
        self._steps, self._current = [], None
        if not helping:
            self._tell()
        elif self._finish is not None and self._finish():
            self._done = self._finish = None
        else:  # callers wait or commands follow: a worker tells them, uninterrupted
            self._workers.submit(_Rest(self), priority=self._priority)

    def _tell(self) -> None:
        done = self._done
        if done is not None:
            done(self)
            self._done = self._finish = None  # only now: if interrupted, it is done again

    def abandon(self) -> bool:
        """Fail if it has not started; return whether it did."""
        with self._lock:
            if self._state != _QUEUED:
                return False
            self._state = _RUNNING
        self.end(DeviceLost("device 'cpu' was closed before this work started"))
        return True


class _Part:
    """A share of one step of a launch."""

    __slots__ = ("_index", "_launch", "_step")

    def __init__(self, launch: Launch, index: int, step: ReadyStep) -> None:
        self._launch = launch
        self._index = index
        self._step = step

    def run(self) -> None:
        """Work until nothing is left to start."""
        self._launch.share(self._index, self._step)


class _Rest:
    """What a thread that was interrupted has left to do."""

    __slots__ = ("_launch",)

    def __init__(self, launch: Launch) -> None:
        self._launch = launch

    def run(self) -> None:
        """Do it."""
        self._launch.resume()
