"""What a backend is: the contract between the runtime and a kind of device.

In: kernels to render and compile, memory to allocate, work to launch. Out: programs and fences. A
backend knows ir and codegen and its driver; it knows nothing about buffers, commands, hazards or
event loops, which are the runtime's.

The rules a backend keeps:
- `launch` returns at once. It runs its steps one after another and never touches a memory region
  that is not in them. It may run very small work before it returns; the fence is then done.
- Every launch ends exactly once: its fence becomes done, with or without an error.
- A backend that can tell about completion calls `done(fence)` from a thread of its own that may run
  Python (`limits.signals`); for others the runtime's poller asks `fence.done()`. A fence that is
  done when `launch` returns is not signalled.
- A backend whose launches the host can work on (`limits.helps`) returns fences with a method
  `help()`: a thread that has nothing to do but wait calls it, and it returns once there is nothing
  left for that thread to do. `done(fence)` may then come from inside it.
- Ctrl-C may break `launch` off. A backend with `limits.takes` is given a list, `taken`: while that
  is empty, the runtime launches again. In the same C call that starts the work it appends the
  fence, in the same that does the work itself it appends None; DONE comes before work that can be
  broken off.
- No foreign exception escapes: drivers' errors become treadle.errors, in one place a backend.
- While the runtime has set `timing`, the fences of launches have `times()`: start and end of the
  work in nanoseconds of time.perf_counter_ns(), once it is done; None where that is not known. A
  fence that knows the same of every step of a Replay has `parts()`, a list of such pairs.
- Memory is released when the last reference to its handle goes; a handle in flight is kept by its
  steps. Up to `pool_limit` bytes of it wait for reuse; what is more goes back to the system.
- A backend that gains from knowing a sequence of steps before it runs has a method
  `record(steps: Sequence[Step | Copy]) -> object | None`; what it returns comes back in a Replay,
  None means that it is as well to launch the steps themselves.
- A backend that can do small work sooner than others could be told of it has a method
  `at_once(steps: Sequence[Step | Copy], briefly: bool) -> Callable[[], object] | None`; with
  `briefly` only for work of which a hundred pieces may be done in one go. If the steps take some
  microseconds, it returns a call that does them, as often as it is made, on the thread that makes
  it; else, or where something is wrong with them, None. In the call Ctrl-C must not come between
  the first step and the last, nor another thread's Python code: the queue is held meanwhile. With
  `calls_like(step: Step, briefly: bool) -> Callable[[Sequence[Region]], Callable[[], object]] |
  None` it does the same for steps that differ from one in their regions alone: what it returns
  makes such a call of regions, whose memory and program the caller keeps.
- A backend whose own threads run Python, and so finalizers, has a method `works_here() -> bool`,
  which says whether the caller runs on one of them, or holds a lock that they need: a finalizer
  must not wait for its work there. Threads of an Attendant are known already.
- A backend that keeps things on disk has `files`, a DiskCache; the runtime keeps plans there, too.
- A backend that can make a program again without a schedule and a text has `plain(program)`, which
  gives values for json.dumps with `write_size` (ir.plain), or None, and `recalled(kernel, values,
  schedule)`, which gives the program, or None where it cannot. `schedule()` makes the schedule, for
  what those values do not tell. The runtime keeps them, and finds them by kernel and target, and by
  `machine`, a text that names the instructions its code may use, and the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from treadle.data import dataclass
from treadle.dtypes import DType

if TYPE_CHECKING:
    from treadle.ir.nodes import Kernel
    from treadle.ir.schedule import Schedule, Target

__all__ = [
    "DONE",
    "POOL_LIMIT",
    "Backend",
    "Carry",
    "Copy",
    "DeviceInfo",
    "Done",
    "Draw",
    "Fence",
    "Framing",
    "HelpedFence",
    "Limits",
    "Memory",
    "MemoryInfo",
    "OutsideLane",
    "Placed",
    "Program",
    "QuickLane",
    "Region",
    "Replay",
    "Source",
    "Step",
    "TimedFence",
]


POOL_LIMIT = 256 << 20  # bytes of released memory that a device keeps for reuse, unless it is told


@dataclass(frozen=True, slots=True)
class Limits:
    """What a device can do, as data; the runtime checks work against it at submit."""

    dtypes: frozenset[DType]
    max_buffer: int  # bytes of one buffer
    lanes: int  # launches that may make progress at the same time
    signals: bool  # calls done(fence) itself
    ordered: bool  # keeps order inside a lane and honours `after` across lanes
    # Relative, against interpret(); of sums, relative to the sum of magnitudes, however many.
    tolerance: Mapping[DType, float]
    unsupported: frozenset[tuple[str, DType]] = frozenset()  # operations it lacks, by type
    queues: bool = True  # takes more launches than lanes and orders them by priority itself
    near: int = 0  # bytes of fast memory for what a Chain keeps between its stages; 0: no chains
    tiles: bool = False  # it keeps tiles there, as the target's `room` says, and not whole rows
    tensors: int = 16  # that a fused kernel may have; 0: stages stay as they are
    shared: bool = False  # the host sees its memory: view and adopt work, nothing has to travel
    helps: bool = False  # a thread that waits can do part of the work: fences have help()
    takes: bool = False  # `launch` tells what it has taken (`taken`), should it be interrupted
    rounds: int = 0  # of all loops of one invocation, after which it ends them; 0: as many as any
    fixed: bool = False  # computes in 16-bit integers, where a tolerance makes room for it
    fuses: bool = False  # rounds a product with the sum it is added to, where there is such room
    asks: float = 60e-6  # seconds that a thread which blocks asks a fence itself, at most
    exact: bool = True  # rounds + - * / and sqrt of floats as IEEE says, each on its own
    searches: bool = False  # has texts of its own for every step of treadle.search
    draws: bool = False  # shows memory on canvases: has canvas() and takes Draw


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """What a device is. `gpu` is true only for real graphics hardware."""

    name: str
    backend: str
    gpu: bool
    memory: int  # bytes
    compute_units: int
    dtypes: tuple[DType, ...]
    version: str  # of Treadle
    driver: str = ""

    def __getitem__(self, key: str) -> Any:
        if key not in self.__dataclass_fields__:
            raise KeyError(key)
        return getattr(self, key)

    def keys(self) -> list[str]:
        """Field names, so that `dict(info)` works."""
        return list(self.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class MemoryInfo:
    """What a device's memory is used for, in bytes."""

    held: int  # taken from the system or the driver: used, rounded up, and pooled
    used: int  # by live buffers and by scratch of commands in flight
    limit: int  # of what may be used: device.memory_limit
    pooled: int  # released, and kept for reuse; device.trim() gives it back
    pool_limit: int  # of what may be kept: device.pool_limit


class Memory(Protocol):
    """A piece of device memory. Dropping the last reference gives it back."""

    @property
    def capacity(self) -> int:
        """Usable bytes; at least what was asked for."""
        ...


class Region(NamedTuple):
    """A byte range of some memory, as a launch sees it: where it starts."""

    memory: Any  # Memory
    offset: int


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A kernel as text in a device's language, with what the host needs to launch it."""

    kernel: Kernel
    language: str
    entry: str
    text: str
    layout: Any = None  # codegen's own launch facts; only the matching backend reads them


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A compiled kernel. `handle` belongs to the backend."""

    kernel: Kernel
    handle: Any = field(repr=False)


class Step(NamedTuple):
    """Run a program. Regions are outputs first, then inputs; dims are the values of
    `kernel.symbols`, params those of `kernel.params`."""

    program: Program
    regions: tuple[Region, ...]
    dims: tuple[int, ...]
    params: tuple[float, ...]


class Copy(NamedTuple):
    """Copy bytes between two regions of one device, which do not overlap."""

    target: Region
    source: Region
    nbytes: int


class Carry(NamedTuple):
    """Copy bytes between a region and a host array for which `Backend.carries` is true, without
    a thread of the host's waiting for it. It is launched alone, and its fence tells times()."""

    region: Region
    array: np.ndarray[Any, Any]  # contiguous; left alone until the fence is done
    inward: bool  # to the device


@dataclass(frozen=True, slots=True)
class Framing:
    """Which pixels of a picture a canvas shows: the pixel at (x, y) of the canvas shows what lies
    at ((x + 0.5) * scale + offset) in the picture, and outside of the picture nothing, black."""

    size: tuple[int, int]  # of the canvas: width and height
    picture: tuple[int, int, int]  # rows, columns, channels: 1 grey, 3 RGB, 4 RGBA
    dtype: DType  # u8, or f32 from 0 to 1; both are sRGB's values and are shown as they are
    scale: tuple[float, float] = (1.0, 1.0)
    offset: tuple[float, float] = (0.0, 0.0)
    smooth: bool = False  # blends four neighbours; else the one pixel that lies there


class Draw(NamedTuple):
    """Show memory on a canvas of the device, which `Backend.canvas` made, by a render pass that
    reads it where it is. It is launched alone. Without a source nothing new is shown. With a target
    the canvas's pixels are copied there: RGBA, in rows of a multiple of 256 bytes. Without either
    the canvas is let go."""

    canvas: Any
    view: Framing | None
    source: Region | None
    target: Region | None = None


class Replay(NamedTuple):
    """Run a recorded sequence. `steps` is what it does this time: the same programs and sizes as
    were recorded, with other regions and parameters; the same tuple object as last time means that
    nothing changed. It is launched alone, and only by the backend that made the recording; the
    `step` of an error counts these steps."""

    recording: Any
    steps: tuple[Step | Copy, ...]


class OutsideLane(NamedTuple):
    """A lane that another library may put work on: launches with lane 0 and the normal priority
    that come after nothing in particular run there, in the order in which they are made."""

    kind: str  # of driver: "cuda"
    number: int  # which of its devices
    stream: int  # the driver's own name of the lane
    fence: Callable[[Any], Fence]  # makes the fence of all that is on it; keeps what it is given


class Placed(NamedTuple):
    """An array in a device's memory, as a function of the host's that works on a lane is given it
    (ir.host_call)."""

    address: int
    shape: tuple[int, ...]
    dtype: DType


class Fence(Protocol):
    """A launch's completion."""

    def done(self) -> bool:
        """Whether it ended; never blocks."""
        ...

    @property
    def error(self) -> BaseException | None:
        """Why it failed, once done."""
        ...


class HelpedFence(Fence, Protocol):
    """A fence of a backend with `Limits.helps`."""

    def help(self, finish: Callable[[], bool]) -> None:
        """Do part of the work on this thread, which would only wait; return when none is left.

        It may be interrupted by Ctrl-C. If this ends the work, `finish()` is called here in place
        of `done`; where it returns false or is interrupted, `done` is called on another thread."""
        ...


class TimedFence(Fence, Protocol):
    """A fence of a launch that was made while `Backend.timing` was set."""

    def times(self) -> tuple[int, int] | None:
        """Start and end in nanoseconds of time.perf_counter_ns(), once done; None: not known."""
        ...


class Done:
    """The fence of work that ended before launch returned."""

    __slots__ = ("_times", "error")

    def __init__(
        self, error: BaseException | None = None, times: tuple[int, int] | None = None
    ) -> None:
        self.error = error
        self._times = times

    def done(self) -> bool:
        """Always true."""
        return True

    def times(self) -> tuple[int, int] | None:
        """Start and end, where they were asked for."""
        return self._times


DONE = Done()


class QuickLane(Protocol):
    """A lane on which launches run in the order in which they are put there, whatever they touch.

    The caller keeps `put`, `reached` and `fence` from being called at the same time."""

    newest: int  # the number of the last launch that is there as a whole
    ahead: float  # seconds of work that are there, roughly,
    most: float  # and of how much no more should be put there
    error: BaseException | None  # why what is there will not be done

    @property
    def full(self) -> bool:
        """Whether no more should be put there."""
        ...

    def seconds(self, steps: Sequence[Any]) -> float:
        """How long steps take, roughly; infinity for what does not belong there."""
        ...

    def put(self, number: int, steps: Sequence[Any], seconds: float) -> bool:
        """Put steps there, numbered; false where this thread cannot. If it is interrupted, all of
        it is there, and `newest` says so, or nothing is left running."""
        ...

    def pending(self, number: int) -> bool:
        """Whether the newest launch has this number and has not ended; any thread may ask."""
        ...

    def reached(self) -> int:
        """The highest number up to which all is done; never blocks."""
        ...

    def fence(self) -> Fence:
        """Return the fence of all that is there; `reached` tells no more of that."""
        ...


class Backend(Protocol):
    """One kind of device, opened.

    What only some can do, the runtime looks for by name: `host_memory(nbytes)` gives recycled bytes
    for the host, page-locked where that matters, or None where ordinary ones are as good,
    `carries(array)` says whether a Carry of an array can be launched, `record(steps)` makes a
    recording for Replay, `borrow` and `export` share memory with other libraries,
    `at_once(steps, briefly)` makes a call that does small work, `calls_like(step, briefly)` what
    makes them of regions, `quick` is a QuickLane on which the runtime puts brief launches,
    `outside_lane()` lends a lane to another library (OutsideLane), `canvas(window)` makes a canvas
    for Draw, of a window (a mapping that names it) or of none (None)."""

    name: str  # as in treadle.device(name)
    limits: Limits
    routines: frozenset[str]  # library routines (Kernel.routine) that replace kernels here
    timing: bool  # set by the runtime while fences have to tell times()
    pool_limit: int  # bytes of released memory that may wait for reuse; can be set

    def info(self) -> DeviceInfo:
        """Describe the device."""
        ...

    def allocate(self, nbytes: int) -> Memory:
        """Return uninitialised memory; raise OutOfMemory when there is none."""
        ...

    def trim(self) -> int:
        """Give recycled memory back to the system; return the bytes given back."""
        ...

    def memory(self) -> tuple[int, int]:
        """Return the bytes that it took from the system, and those of them that wait for reuse."""
        ...

    def write(self, target: Region, data: np.ndarray[Any, Any]) -> None:
        """Copy a contiguous array's bytes to the device; returns when `data` may be reused."""
        ...

    def read(self, source: Region, out: np.ndarray[Any, Any]) -> None:
        """Copy bytes from the device into a contiguous array; returns when `out` is complete."""
        ...

    def view(self, source: Region, nbytes: int) -> np.ndarray[Any, Any] | None:
        """Return the bytes in place as a u8 array that keeps the memory alive, if the host can see
        them; else None."""
        ...

    def adopt(self, array: np.ndarray[Any, Any]) -> Memory | None:
        """Take a contiguous host array as memory without copying, if that is possible."""
        ...

    @property
    def target(self) -> Target:
        """What passes.schedule is to make schedules for."""
        ...

    def replaces(self, kernel: Kernel) -> bool:
        """Say whether a library routine computes a kernel here (Kernel.routine)."""
        ...

    def render(self, schedule: Schedule) -> Source:
        """Turn a scheduled kernel into text, or name the library routine that replaces it; raise
        LaunchError for what the device cannot express."""
        ...

    def compile(self, source: Source) -> Program:
        """Compile a source, or fetch it from the cache; raise CompileError."""
        ...

    def launch(
        self,
        steps: Sequence[Step | Copy | Carry],
        done: Callable[[Fence], None],
        *,
        lane: int = 0,
        priority: int = 1,
        after: Sequence[Fence] = (),
        taken: list[Fence | None] | None = None,
    ) -> Fence:
        """Start the steps. `priority` is 0 interactive, 1 normal, 2 background; `after` is empty
        unless limits.ordered. With limits.takes, `taken` is empty until something was begun; its
        first item is the fence from the very step on with which the device has all of it, None
        from when all of it is done, and DONE while neither is so."""
        ...

    def close(self) -> None:
        """Finish what runs, drop what has not started (its fences fail), release everything."""
        ...
