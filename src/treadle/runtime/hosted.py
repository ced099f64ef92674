"""Launches in which the host has a part: steps for the device, and calls of functions between them.

In: the steps of a command, some of which are calls. Out: the command's end. A thread of the host's
goes through them in order: it launches what lies between two calls, waits for it where a call needs
it in the host's memory, and calls. It is one of a few that come when there is such a command, so
neither the queue nor an event loop nor a lane of the device is held meanwhile. They give way to
event loops; what a caller blocks for is done by threads as urgent as the caller. Which functions
are called, and what for, is not known here.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Sequence
from itertools import groupby
from operator import call
from threading import get_ident
from time import perf_counter_ns
from typing import Any

import numpy as np

from treadle.attendant import Attendant, call_one, giving_way
from treadle.backends.base import Backend, Copy, Fence, OutsideLane, Placed, Step
from treadle.courtesy import compute_behind_here
from treadle.errors import DeviceError, DeviceLost
from treadle.ir.host_call import HostCall
from treadle.runtime.command import Command
from treadle.runtime.priority import NORMAL_RANK

__all__ = ["HostThreads", "HostedRun", "HostedSteps"]

Array = np.ndarray[Any, Any]

_THREADS = 8  # commands of a device that may be in the host's hands at the same time
_IDLE = 2.0  # seconds without work after which a thread ends
_NICE = 10  # as the workers of the CPU: an event loop that wakes up runs first
_PAUSE, _LONGEST = 2e-5, 1e-3  # seconds between looks at a fence that does not tell


class HostedSteps:
    """The steps of a launch, apart by who does them. It keeps the functions that are called."""

    __slots__ = ("count", "functions", "on_lane", "parts")

    def __init__(self, steps: Sequence[Step | Copy]) -> None:
        self.count = len(steps)
        grouped = groupby(steps, key=_called)
        self.parts = tuple([(called, tuple(part)) for called, part in grouped])
        forms = [step.program.kernel.form for step in steps if isinstance(step, Step)]
        calls = [form for form in forms if isinstance(form, HostCall)]
        self.functions = {form: form.found() for form in calls}
        self.on_lane = any([form.on_lane for form in calls])

    def __len__(self) -> int:
        return self.count


def _called(step: Step | Copy) -> bool:
    return isinstance(step, Step) and isinstance(step.program.kernel.form, HostCall)


def _lane(backend: Any) -> OutsideLane:
    found: OutsideLane = backend.outside_lane()
    return found


def _shapes(step: Step) -> list[tuple[tuple[int, ...], Any]]:
    """Shape and dtype of outputs and inputs: a call has a symbol for every axis (lang.host)."""
    kernel = step.program.kernel
    sizes = dict(zip(kernel.symbols, step.dims, strict=True))
    tensors = (*kernel.outputs, *kernel.inputs)
    return [(tuple([sizes[str(dim)] for dim in t.dims]), t.dtype) for t in tensors]


class HostedRun:
    """One such launch, and its fence."""

    __slots__ = ("_after", "_at", "_command", "_ended", "_steps", "_times", "error")

    def __init__(self, command: Command, steps: HostedSteps, after: Sequence[Fence]) -> None:
        self.error: BaseException | None = None
        self._command: Command | None = command
        self._steps: HostedSteps | None = steps
        self._after = tuple(after)
        self._ended = False
        self._at = 0  # the first of the steps that are under way
        self._times: tuple[int, int] | None = None

    @property
    def urgency(self) -> int:
        """The rank of its command."""
        return 0 if self._command is None else self._command._rank

    def done(self) -> bool:
        """Whether it ended."""
        return self._ended

    def times(self) -> tuple[int, int] | None:
        """Start and end, once it ended."""
        return self._times

    def run(self, backend: Backend) -> None:
        """Go through all parts, and end the command whatever happens."""
        command, steps = self._command, self._steps
        if command is None or steps is None:
            return
        start = perf_counter_ns()
        command._owner.hands[command] = get_ident()  # until it ends, a finalizer must not wait here
        try:
            self._go(steps, backend, command._rank)
        except BaseException as error:
            with contextlib.suppress(AttributeError):  # the runtime names the stage
                error.step = self._at + getattr(error, "step", 0)  # type: ignore[attr-defined]
            self.error = error
        self._times = start, perf_counter_ns()
        # Before the command is told: what the steps called goes then, if nothing else holds it.
        self._command = self._steps = steps = None
        self._after = ()
        self._ended = True
        command._signal(self)

    def _go(self, steps: HostedSteps, backend: Backend, rank: int) -> None:
        fences: list[Fence] = []
        first = 0
        # Where a call puts its work on a lane, all is put there, one after the other.
        if steps.on_lane:
            self._wait(fences, backend)
            rank = NORMAL_RANK
        for called, part in steps.parts:
            if not called:
                self._at = first
                after = () if steps.on_lane else (*self._after, *fences)
                self._after = ()
                fences = [_Told(backend, part, rank, after)]
            for number, step in enumerate(part if called else ()):
                assert isinstance(step, Step)
                form = step.program.kernel.form
                assert isinstance(form, HostCall)
                if not form.on_lane:
                    self._wait(fences, backend)
                self._at = first + number
                self._call(steps.functions[form], step, backend, form.on_lane)
                if form.on_lane:
                    fences = [_lane(backend).fence(part)]
            first += len(part)
        self._wait(fences, backend)

    def _wait(self, fences: list[Fence], backend: Backend) -> None:
        """Wait until what was started has ended; raise what went wrong."""
        for fence in (*self._after, *fences):
            pause = _PAUSE
            while not fence.done():
                if isinstance(fence, _Told):
                    fence.wait(None if backend.limits.signals else pause)
                else:
                    threading.Event().wait(pause)
                pause = min(pause * 2, _LONGEST)
            if fence.error is not None and fence in fences:
                raise fence.error
        self._after = ()
        fences.clear()

    def _call(
        self, function: Callable[..., Any], step: Step, backend: Backend, on_lane: bool
    ) -> None:
        count = len(step.program.kernel.outputs)
        if on_lane:
            placed = [
                Placed(region.memory.address + region.offset, shape, dtype)
                for region, (shape, dtype) in zip(step.regions, _shapes(step), strict=True)
            ]
            function(_one(placed[:count]), *placed[count:])
            return
        arrays, copied = [], []
        for position, (region, (shape, dtype)) in enumerate(
            zip(step.regions, _shapes(step), strict=True)
        ):
            nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.size
            raw = backend.view(region, nbytes)
            if raw is None:
                raw = np.empty(nbytes, np.uint8)
                if position >= count:
                    backend.read(region, raw)
                else:
                    copied.append((region, raw))
            array: Array = raw.view(dtype.numpy).reshape(shape)
            if position >= count:
                array.flags.writeable = False
            arrays.append(array)
        with giving_way:
            function(_one(arrays[:count]), *arrays[count:])
        for region, raw in copied:
            backend.write(region, raw)


def _one(items: Sequence[Any]) -> Any:
    return items[0] if len(items) == 1 else tuple(items)


class _Told:
    """Steps on the device, and a bell for the thread that waits for them."""

    __slots__ = ("_bell", "_fence")

    def __init__(
        self, backend: Backend, steps: Sequence[Step | Copy], rank: int, after: Sequence[Fence]
    ) -> None:
        self._bell = threading.Event()
        inner = tuple([each._fence if isinstance(each, _Told) else each for each in after])
        inner = inner if backend.limits.ordered else ()
        fence: Any = backend.launch(steps, self._tell, priority=rank, after=inner)
        self._fence: Any = fence
        if backend.limits.helps and not fence.done():
            fence.help(self._helped)

    def _tell(self, _: Fence) -> None:
        self._bell.set()

    def _helped(self) -> bool:
        self._bell.set()
        return True

    def done(self) -> bool:
        """Whether they ended."""
        return bool(self._fence.done())

    @property
    def error(self) -> BaseException | None:
        """Why they failed, once they have ended."""
        found: BaseException | None = self._fence.error
        return found

    def wait(self, seconds: float | None) -> None:
        """Sleep until the device tells, but no longer than this."""
        self._bell.wait(seconds)


class HostThreads:
    """The threads that have such launches of one device in hand."""

    def __init__(self, name: str, backend: Backend) -> None:
        self._name = name
        self._backend = backend
        self._waiting: deque[HostedRun] = deque()
        self._hurried: deque[HostedRun] = deque()  # those that a caller blocks for
        self._closed = False
        self._attendants = [
            Attendant(f"treadle-{name}-host-{number}", self._work, idle=_IDLE)
            for number in range(_THREADS)
        ]
        self._urgent = [
            Attendant(f"treadle-{name}-host-urgent-{number}", self._work_urgently, idle=_IDLE)
            for number in range(_THREADS)
        ]

    def start(self, command: Command, steps: HostedSteps, after: Sequence[Fence]) -> HostedRun:
        """Have a command's steps gone through; the command is told when they are done."""
        if self._closed:
            raise DeviceLost(f"{self._name}: the device was closed")
        run = HostedRun(command, steps, after)
        taken = command._taken
        assert taken is not None
        waiting = self._hurried if command._blocks else self._waiting
        # In one step, inside which Python does not look for signals: it is both in hand and known
        # to be, so that a launch that Ctrl-C broke off is not made twice.
        list(map(call, (waiting.append, taken.append), (run, run)))
        try:
            self.call()
        except Exception:  # there is no thread
            with contextlib.suppress(ValueError):  # but there was one
                waiting.remove(run)
            raise
        return run

    def call(self) -> None:
        """See to it that a thread comes for what waits."""
        if self._waiting:
            call_one(self._attendants)
        if self._hurried:
            call_one(self._urgent)

    def _work(self) -> bool:
        compute_behind_here(_NICE)
        return self._take(self._waiting)

    def _work_urgently(self) -> bool:
        return self._take(self._hurried)

    def _take(self, waiting: deque[HostedRun]) -> bool:
        """Go through the most urgent run of those that wait; false if there is none."""
        try:
            run = min(list(waiting), key=_urgency)
            waiting.remove(run)
        except ValueError:  # there is none, or another thread was faster
            return bool(waiting)
        # What came since this thread was called may have found it asleep, and called no other.
        with contextlib.suppress(DeviceError):  # there is no other: this one comes back for it
            self.call()
        run.run(self._backend)
        return True

    def close(self) -> None:
        """Finish what was begun and end the threads."""
        self._closed = True
        for each in (*self._attendants, *self._urgent):
            each.dismiss()

    def reset_after_fork(self) -> None:
        """Forget threads that do not exist in this process."""
        self._waiting.clear()
        self._hurried.clear()
        for each in (*self._attendants, *self._urgent):
            each.reset_after_fork()


def _urgency(run: HostedRun) -> int:
    return run.urgency
