"""One launch on the CPU: steps in order, each shared among workers.

In: prepared steps. Out: a fence that ends exactly once. Whoever ends a step starts the next, so
nothing waits for anything; the workers of one step draw chunks from a counter that native code
advances.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Sequence
from time import perf_counter_ns
from typing import Any, Protocol

from weft.backends.base import Fence
from weft.backends.cpu.jit import Code
from weft.backends.cpu.workers import Workers
from weft.errors import DeviceLost

__all__ = ["CallStep", "Launch", "NativeStep", "PartsStep", "Prepared"]

_CHUNK_NS = 100_000.0
# How long a worker stays with one task before it looks for urgent ones, by the task's urgency.
# What runs in the background is to give way, and the times are estimates, often several times off.
_QUOTA_NS = (3_000_000.0, 3_000_000.0, 300_000.0)
_Control = ctypes.c_int64 * 5


class Prepared(Protocol):
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

    __slots__ = ("_block", "_code", "_control", "_keep", "parts")

    def __init__(
        self,
        code: Code,
        block: bytes,
        units: int,
        cost: float,
        workers: int,
        urgency: int,
        keep: Any,
    ) -> None:
        each = max(cost / max(units, 1), 1e-3)
        fair = -(-units // (workers * 4))
        grain = max(1, min(int(_CHUNK_NS / each), fair))
        self.parts = min(workers, -(-units // grain))
        quota = max(1, int(_QUOTA_NS[urgency] / (each * grain)))
        self._control = _Control(0, units, grain, 0, quota)
        # A worker may still be on its way out of the native call when another has ended the step:
        # the code stays mapped until the last of them has dropped this object.
        self._code = code
        self._block = block
        self._keep = keep  # memory, needed until the last chunk has ended

    def work(self) -> int:
        """Run chunks."""
        result: int = self._code.work(self._block, ctypes.addressof(self._control))
        if result == 1:
            self._keep = None
        return result


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
    """A Python callable that is called with each of some parts; workers share them."""

    __slots__ = ("_call", "_count", "_ended", "_error", "_lock", "_next", "parts")

    def __init__(self, call: Callable[[int], None], count: int, workers: int) -> None:
        self._call: Callable[[int], None] | None = call
        self._count = count
        self._next = self._ended = 0
        self._error: Exception | None = None
        self._lock = threading.Lock()
        self.parts = min(count, workers)

    def work(self) -> int:
        """Call it for parts that nobody has taken; who ends the last one raises what went wrong."""
        while True:
            with self._lock:
                part, call = self._next, self._call
                self._next += 1
            if call is None or part >= self._count:
                return 0
            try:
                call(part)
            except Exception as error:
                self._error = error
            with self._lock:
                self._ended += 1
                last = self._ended == self._count
            if last:
                self._call = None  # and with it the memory that it holds
                if self._error is not None:
                    raise self._error
                return 1


_QUEUED, _RUNNING, _ENDED = range(3)


class Launch:
    """The fence of queued steps, and the task that advances them."""

    __slots__ = (
        "_done",
        "_index",
        "_lock",
        "_priority",
        "_start",
        "_state",
        "_steps",
        "_stop",
        "_workers",
        "error",
        "timing",
    )

    def __init__(
        self,
        steps: Sequence[Callable[[], Prepared]],
        done: Callable[[Fence], None],
        workers: Workers,
        priority: int,
    ) -> None:
        self.error: BaseException | None = None
        self._steps = list(steps)
        self._done: Callable[[Fence], None] | None = done
        self._workers = workers
        self._priority = priority
        self._index = 0
        self._state = _QUEUED
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
        """Start, on a worker."""
        with self._lock:
            if self._state != _QUEUED:
                return
            self._state = _RUNNING
        if self.timing:
            self._start = perf_counter_ns()
        self.advance()

    def advance(self) -> None:
        """Run steps from the current one on, until another worker has to end one."""
        try:
            while self._index < len(self._steps):
                step = self._steps[self._index]()
                if step.parts > 1:
                    part = _Part(self, step)
                    self._workers.submit(part, priority=self._priority, times=step.parts - 1)
                if not self.work(step):
                    return
                self._index += 1
        except Exception as error:
            self.fail(error)
        else:
            self.end(None)

    def fail(self, error: Exception) -> None:
        """End with the error of the current step."""
        error.step = self._index  # type: ignore[attr-defined]  # the runtime names the stage
        self.end(error)

    def work(self, step: Prepared) -> bool:
        """Work on a step; return whether this call ended it."""
        while True:
            result = step.work()
            if result != 2:
                return result == 1
            if not self._workers.closing:
                part = _Part(self, step)
                self._workers.submit(part, priority=self._priority, front=True)
                return False

    def next(self) -> None:
        """Go on after a step that another worker ended."""
        self._index += 1
        self.advance()

    def end(self, error: BaseException | None) -> None:
        """Become done, once, and tell."""
        with self._lock:
            if self._state == _ENDED:
                return
            self.error = error
            if self._start:
                self._stop = perf_counter_ns()
            self._state = _ENDED
            done, self._done = self._done, None
        self._steps = []
        if done is not None:
            done(self)

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

    __slots__ = ("_launch", "_step")

    def __init__(self, launch: Launch, step: Prepared) -> None:
        self._launch = launch
        self._step = step

    def run(self) -> None:
        """Work until nothing is left to start."""
        try:
            ended = self._launch.work(self._step)
        except Exception as error:
            self._launch.fail(error)
            return
        if ended:
            self._launch.next()
