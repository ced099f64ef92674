"""A device for tests: its work ends, well or badly, only when the test says so.

In: launches from the runtime, and orders from a test. Out: launches to look at, and results that
the language's definition computes when a launch is completed. It has no clock and no threads, so
what a test shows it shows every time. Memory starts as garbage, and work that a real device could
get wrong (a kernel whose output overlaps its input) is refused.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Any

import numpy as np

from treadle._version import __version__
from treadle.attendant import Bell
from treadle.backends.base import (
    DONE,
    Carry,
    Copy,
    DeviceInfo,
    Done,
    Fence,
    Limits,
    Program,
    Region,
    Replay,
    Source,
    Step,
)
from treadle.dtypes import STORED, DType
from treadle.errors import CompileError, DeviceLost, LaunchError, OutOfMemory
from treadle.ir.interpret import interpret
from treadle.ir.nodes import Kernel, Tensor
from treadle.ir.schedule import Schedule, Target
from treadle.passes.inplace import elementwise
from treadle.runtime.device import Device

__all__ = ["Launch", "ManualBackend", "manual_device"]

Array = np.ndarray[Any, Any]

_GARBAGE = 0xA5
_LOOK = 0.02  # seconds between its looks, where another test thread was woken in its place
_PATIENCE = 30.0  # seconds that `expect` waits for threads of the runtime before it gives up


class Launch:
    """A launch that a test can complete or fail; it is also its own fence."""

    def __init__(
        self,
        steps: Sequence[Step | Copy | Carry],
        signal: Callable[[Fence], None],
        lane: int,
        priority: int,
        after: Sequence[Fence],
    ) -> None:
        self.steps = tuple(steps)
        self.replays: list[Replay] = []  # as launched; `steps` are what they do
        self.lane = lane
        self.priority = priority
        self.after = tuple(after)
        self.error: BaseException | None = None
        self._signal = signal
        self._done = False
        self._times: tuple[int, int] | None = None

    @property
    def kernels(self) -> list[str]:
        """The names of its kernels, in order; copies are "copy", "upload" and "download"."""
        return [_name(step) for step in self.steps]

    @property
    def startable(self) -> bool:
        """Whether everything that it comes after is done."""
        return all(fence.done() for fence in self.after)

    def done(self) -> bool:
        """Whether it was completed or failed."""
        return self._done

    def times(self) -> tuple[int, int] | None:
        """When it ran on the backend's clock, if timing was on when it ended."""
        return self._times

    def __repr__(self) -> str:
        return f"<treadle.testing.Launch {' '.join(self.kernels)}>"


class Recording:
    """Steps that were recorded; a replay of others than these programs and sizes is refused."""

    def __init__(self, steps: tuple[Step | Copy, ...]) -> None:
        self._shape = [_shape_of(step) for step in steps]
        self.changes = -1  # how often a replay came with another tuple of steps than the last
        self._last: object = None

    def play(self, steps: tuple[Step | Copy, ...]) -> tuple[Step | Copy, ...]:
        """Return what a replay does."""
        if [_shape_of(step) for step in steps] != self._shape:
            raise LaunchError("a replay's programs or sizes are not those that were recorded")
        if steps is not self._last:
            self._last, self.changes = steps, self.changes + 1
        return steps


def _name(step: Step | Copy | Carry) -> str:
    if isinstance(step, Step):
        return step.program.kernel.name
    if isinstance(step, Copy):
        return "copy"
    return "upload" if step.inward else "download"


def _shape_of(step: Step | Copy) -> Any:
    return step.nbytes if isinstance(step, Copy) else (step.program, step.dims)


def _played(steps: Sequence[Step | Copy | Carry | Replay]) -> tuple[Step | Copy | Carry, ...]:
    """The steps of a launch, those of replays in their place."""
    found: list[Step | Copy | Carry] = []
    for step in steps:
        if isinstance(step, Replay):
            if len(steps) > 1:
                raise LaunchError("a replay is launched alone")
            found += step.recording.play(step.steps)
        else:
            found.append(step)
    return tuple(found)


class ManualMemory:
    """Host memory that is counted while it lives."""

    __slots__ = ("__weakref__", "_backend", "data")

    def __init__(self, backend: ManualBackend, data: Array) -> None:
        self.data = data
        self._backend = backend
        backend._live.append(data.nbytes)

    @property
    def capacity(self) -> int:
        """Its size in bytes."""
        return int(self.data.nbytes)

    def __del__(self) -> None:
        self._backend._live.remove(self.data.nbytes)


class ManualBackend:
    """A backend whose launches end when `complete` or `fail` says so.

    `lanes` bounds the launches that the runtime keeps in flight; `ordered` accepts launches before
    those they come after are done; `signals=False` leaves completion to the runtime's poller; with
    `inline` launches end before launch returns; with `hold_compiles` each compilation waits for
    `release_compiles`; with `records` it takes recordings of several steps, and counts them; with
    `shared=False` the host sees no memory, so that data has to travel, and with `carries` every
    array travels as a launch."""

    name = "manual"
    routines: frozenset[str] = frozenset()
    target = Target()

    def __init__(
        self,
        *,
        lanes: int | None = None,
        ordered: bool = False,
        signals: bool = True,
        inline: bool = False,
        hold_compiles: bool = False,
        records: bool = False,
        memory: int = 1 << 30,
        max_buffer: int = 1 << 40,
        dtypes: Iterable[DType] = STORED,
        unsupported: Iterable[tuple[str, DType]] = (),
        shared: bool = True,
        carries: bool = False,
    ) -> None:
        self.limits = Limits(
            dtypes=frozenset(dtypes),
            max_buffer=max_buffer,
            lanes=lanes or 1,
            signals=signals,
            ordered=ordered,
            tolerance=dict.fromkeys(DType, 0.0),
            unsupported=frozenset(unsupported),
            queues=lanes is None,
            tensors=0,  # a step for each stage, so that tests can see their order
            shared=shared,
        )
        self.timing = False
        self.pool_limit = 0
        self.clock = 0  # nanoseconds; a launch made while timing is on takes 1000 of them
        self.pending: list[Launch] = []  # in order of launch
        self.compiled: list[str] = []  # names of kernels, in order
        self.trimmed = 0  # calls of trim
        self.refused: dict[str, BaseException] = {}  # kernel name: what compile raises
        self._memory = memory
        self._inline = inline
        self._live: list[int] = []
        self._lock = threading.RLock()  # a finalizer may launch, inside it too
        self._came = Bell()  # and not a Condition, which Ctrl-C can leave taken
        self._held = threading.Semaphore(0) if hold_compiles else None
        self._closed = False
        self.recordings: list[Recording] = []
        if records:
            self.record = self._record
        self._carries = carries

    # What a test does.

    def complete(self, which: int | Launch = 1) -> list[Launch]:
        """Do the work of the next `which` startable launches, or of one launch, and end them."""
        ended = []
        for launch in self._take(which):
            try:
                for index, step in enumerate(launch.steps):
                    self._perform(step, index)
            except Exception as error:
                launch.error = error
            self._end(launch)
            ended.append(launch)
        return ended

    def complete_all(self) -> int:
        """Complete until nothing is pending, what follows from it included; return how many."""
        count = 0
        while self.pending:
            count += len(self.complete(1))
        return count

    def fail(
        self,
        which: int | Launch = 1,
        error: BaseException | None = None,
        *,
        step: int | None = None,
    ) -> None:
        """End launches with an error and without their work; `step` is the stage to blame."""
        for launch in self._take(which):
            launch.error = error or RuntimeError("failed by the test")
            if step is not None:
                launch.error.step = step  # type: ignore[attr-defined]
            self._end(launch)

    def expect(self, count: int) -> list[Launch]:
        """Wait until at least `count` launches are pending, and return them all.

        For launches that follow from a compilation, which has a thread of its own."""
        late = monotonic() + _PATIENCE
        while len(self.pending) < count:
            if monotonic() > late:
                raise AssertionError(f"expected {count} launches, got {self.pending}")
            self._came.sleep(_LOOK)
        return list(self.pending)

    def release_compiles(self, count: int = 1) -> None:
        """Let held compilations go on."""
        if self._held is not None:
            self._held.release(count)

    @property
    def live_memory(self) -> int:
        """Bytes of memory that something still refers to."""
        return sum(self._live)

    def _take(self, which: int | Launch) -> list[Launch]:
        with self._lock:
            if isinstance(which, Launch):
                chosen = [which]
            else:
                chosen = [launch for launch in self.pending if launch.startable][:which]
                if len(chosen) < which:
                    raise AssertionError(f"expected {which} startable launches, got {self.pending}")
            for launch in chosen:
                if launch not in self.pending or not launch.startable:
                    raise AssertionError(f"{launch} is not pending, or comes after one that is")
                self.pending.remove(launch)
        return chosen

    def _end(self, launch: Launch) -> None:
        if self.timing or any(isinstance(step, Carry) for step in launch.steps):
            start, self.clock = self.clock, self.clock + 1000
            launch._times = start, self.clock
        launch._done = True
        launch.steps = ()
        if self.limits.signals:
            launch._signal(launch)

    def _perform(self, step: Step | Copy | Carry, index: int) -> None:
        try:
            if isinstance(step, Carry):
                (self.write if step.inward else self.read)(step.region, step.array)
            elif isinstance(step, Copy):
                _bytes(step.target, step.nbytes)[:] = _bytes(step.source, step.nbytes)
            else:
                _execute(step)
        except Exception as error:
            error.step = index  # type: ignore[attr-defined]
            raise

    # What the runtime does.

    def info(self) -> DeviceInfo:
        """Describe the device."""
        dtypes = tuple(sorted(self.limits.dtypes))
        return DeviceInfo(
            "manual", "manual", False, self._memory, self.limits.lanes, dtypes, __version__
        )

    def allocate(self, nbytes: int) -> ManualMemory:
        """Return memory full of garbage; raise OutOfMemory beyond `memory`."""
        if self.live_memory + nbytes > self._memory:
            raise OutOfMemory(
                f"{nbytes} bytes do not fit: {self.live_memory} of {self._memory} in use"
            )
        return ManualMemory(self, np.full(nbytes, _GARBAGE, np.uint8))

    def trim(self) -> int:
        """Count the call; there is nothing to give back."""
        self.trimmed += 1
        return 0

    def memory(self) -> tuple[int, int]:
        """Return the bytes that something refers to; nothing waits for reuse."""
        return self.live_memory, 0

    def write(self, target: Region, data: Array) -> None:
        """Copy from the host."""
        _bytes(target, data.nbytes)[:] = data.reshape(-1).view(np.uint8)

    def read(self, source: Region, out: Array) -> None:
        """Copy to the host."""
        out.reshape(-1).view(np.uint8)[:] = _bytes(source, out.nbytes)

    def view(self, source: Region, nbytes: int) -> Array | None:
        """Return the bytes in place, if the host is to see them."""
        return _bytes(source, nbytes) if self.limits.shared else None

    def adopt(self, array: Array) -> ManualMemory | None:
        """Take an array in place, if the host is to share memory."""
        if not self.limits.shared:
            return None
        return ManualMemory(self, array.reshape(-1).view(np.uint8))

    def carries(self, array: Array) -> bool:
        """Whether an array travels as a launch."""
        return self._carries

    def replaces(self, kernel: Kernel) -> bool:
        """Say whether a library routine computes a kernel: there are none."""
        return False

    def render(self, schedule: Schedule) -> Source:
        """Name the kernel; there is no text."""
        kernel = schedule.kernel
        return Source(kernel, "manual", kernel.name, "")

    def compile(self, source: Source) -> Program:
        """Note the kernel; wait if compilations are held, raise if this one is refused."""
        if self._held is not None:
            self._held.acquire()
        if self._closed:
            raise CompileError("the device was closed")
        self.compiled.append(source.kernel.name)
        if source.kernel.name in self.refused:
            raise self.refused[source.kernel.name]
        return Program(source.kernel, None)

    def launch(
        self,
        steps: Sequence[Step | Copy | Carry | Replay],
        done: Callable[[Fence], None],
        *,
        lane: int = 0,
        priority: int = 1,
        after: Sequence[Fence] = (),
        taken: list[Fence | None] | None = None,
    ) -> Fence:
        """Keep the launch until the test ends it."""
        played = _played(steps)
        for step in played:
            _check(step)
        if self._inline:
            try:
                for index, step in enumerate(played):
                    self._perform(step, index)
            except Exception as error:
                return Done(error)
            return DONE
        launch = Launch(played, done, lane, priority, after)
        launch.replays = [step for step in steps if isinstance(step, Replay)]
        with self._lock:
            if self._closed:
                raise DeviceLost("the device was closed")
            self.pending.append(launch)
        self._came.ring()
        return launch

    def _record(self, steps: Sequence[Step | Copy]) -> Recording | None:
        if len(steps) < 2:
            return None
        made = Recording(tuple(steps))
        self.recordings.append(made)
        return made

    def close(self) -> None:
        """Fail what is pending."""
        with self._lock:
            self._closed = True
            dropped, self.pending = self.pending, []
        if self._held is not None:
            self._held.release(1 << 20)
        for launch in dropped:
            launch.error = DeviceLost("the device was closed")
            self._end(launch)


def manual_device(**options: Any) -> tuple[Device, ManualBackend]:
    """Return a new device and the ManualBackend behind it, made with `options`."""
    backend = ManualBackend(**options)
    return Device(backend), backend


def _bytes(region: Region, nbytes: int) -> Array:
    data: Array = region.memory.data[region.offset : region.offset + nbytes]
    return data


def _shape(tensor: Tensor, sizes: dict[str, int]) -> tuple[int, ...]:
    return tuple(dim if isinstance(dim, int) else sizes[dim] for dim in tensor.dims)


def _array(tensor: Tensor, region: Region, sizes: dict[str, int]) -> Array:
    shape = _shape(tensor, sizes)
    nbytes = int(np.prod(shape, dtype=np.int64)) * tensor.dtype.size
    return _bytes(region, nbytes).view(tensor.dtype.numpy).reshape(shape)


def _tensors(step: Step) -> tuple[list[Array], list[Array]]:
    """A step's outputs and inputs as arrays in place."""
    kernel = step.program.kernel
    sizes = dict(zip(kernel.symbols, step.dims, strict=True))
    tensors = (*kernel.outputs, *kernel.inputs)
    arrays = [_array(t, r, sizes) for t, r in zip(tensors, step.regions, strict=True)]
    return arrays[: len(kernel.outputs)], arrays[len(kernel.outputs) :]


def _execute(step: Step) -> None:
    kernel = step.program.kernel
    outputs, inputs = _tensors(step)
    sizes = dict(zip(kernel.symbols, step.dims, strict=True))
    params = dict(zip((p.name for p in kernel.params), step.params, strict=True))
    for target, value in zip(outputs, interpret(kernel, inputs, sizes, params), strict=True):
        target[...] = value


def _check(step: Step | Copy | Carry) -> None:
    """Refuse what a real device could compute wrongly."""
    if isinstance(step, Carry):
        return
    if isinstance(step, Copy):
        if np.may_share_memory(_bytes(step.target, step.nbytes), _bytes(step.source, step.nbytes)):
            raise LaunchError("a copy's regions overlap")
        return
    outputs, inputs = _tensors(step)
    safe = elementwise(step.program.kernel)
    for out in outputs:
        for index, given in enumerate(inputs):
            same = out.ctypes.data == given.ctypes.data and out.nbytes == given.nbytes
            if np.may_share_memory(out, given) and not (same and safe[index]):
                raise LaunchError(f"{step.program.kernel.name}: an output overlaps input {index}")
