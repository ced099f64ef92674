"""WebGPU: kernels as WGSL on whatever Vulkan, Metal, DirectX 12 or OpenGL reaches.

In: kernels, memory and launches, as backends.base defines them. Out: programs and fences. One queue
keeps the order of launches, so nothing waits for anything on the host. Talking to the library is
driver's, memory is memory's, pipelines are program's, checking and encoding are encode's, what is
to be done is job's, threads are worker's.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from treadle._version import __version__
from treadle.attendant import Bell
from treadle.backends.base import (
    Copy,
    DeviceInfo,
    Draw,
    Fence,
    Limits,
    Program,
    Region,
    Replay,
    Source,
    Step,
)
from treadle.backends.cache import DiskCache, cache_directory
from treadle.backends.webgpu.canvas import Canvas
from treadle.backends.webgpu.clock import Clock
from treadle.backends.webgpu.driver import Gpu, adapters, is_software
from treadle.backends.webgpu.encode import Encoder, Recording
from treadle.backends.webgpu.job import ByteRoom, Fetch, Fill, Job
from treadle.backends.webgpu.memory import GpuMemory, Pool
from treadle.backends.webgpu.program import BESIDE, BindGroups, GpuProgram, Layouts
from treadle.backends.webgpu.routines import routine_for
from treadle.backends.webgpu.worker import Workers
from treadle.codegen.wgsl import render, target
from treadle.codegen.wgsl.wide import WIDE_FUNCTIONS
from treadle.dtypes import STORED, DType
from treadle.errors import CommandError, DeviceLost, DeviceUnavailable
from treadle.ir.nodes import Axis, Block, Kernel, Load, Map, Tensor
from treadle.ir.ops import OPS, Rule
from treadle.ir.schedule import Schedule, Target

__all__ = ["WebGpuBackend"]

_LARGEST = (1 << 31) - 4  # elements are counted in i32
_UNWRITTEN = 256 << 20  # bytes of writes that may wait for the driver
_LOOK = 0.05  # seconds after which a caller that waits for a read looks whether it has run
_EXACT_WIDE = frozenset("div sqrt rsqrt floor ceil round trunc f16 bf16".split())
_BYTES = Kernel(
    "copy_bytes",
    ("n",),
    (Tensor("source", DType.U8, ("n",)),),
    (Tensor("target", DType.U8, ("n",)),),
    (),
    Map(Block((), (), (Load("source", (Axis(0),), DType.S32, (True,)),))),
)


class WebGpuBackend:
    """One adapter, opened."""

    name = "webgpu"
    routines = frozenset({"digits"})

    @staticmethod
    def count() -> int:
        """Return how many adapters are present; raise DeviceUnavailable where none can be."""
        return len(adapters())

    @staticmethod
    def hardware() -> bool:
        """Say whether the best adapter is real graphics hardware, without opening it."""
        return not is_software(adapters()[0].info)

    def __init__(
        self, index: int = 0, *, warm: bool = True, cache: DiskCache | None = None
    ) -> None:
        self._gpu = gpu = Gpu(index)
        self.files = DiskCache(cache_directory()) if cache is None else cache
        largest = min(
            gpu.limits["max-buffer-size"], gpu.limits["max-storage-buffer-binding-size"], _LARGEST
        )
        dtypes = {d for d in STORED if gpu.wide or d not in (DType.F64, DType.S64)}
        self.limits = Limits(
            dtypes=frozenset(dtypes),
            max_buffer=largest // 256 * 256,
            lanes=1,
            signals=True,
            ordered=True,
            tolerance=dict.fromkeys(DType, 0.0) | {DType.F32: 2e-6, DType.F64: 1e-14},
            unsupported=_unsupported(),
            near=gpu.limits["max-compute-workgroup-storage-size"],
            tiles=True,
            tensors=gpu.limits["max-storage-buffers-per-shader-stage"] - BESIDE,
            rounds=gpu.rounds,
            takes=True,
            draws=True,
            exact=False,  # drivers may join a product and a sum, and WGSL's quotients are rough
        )
        self._groups = BindGroups(gpu)
        self._layouts = Layouts(gpu)
        self._pool = Pool(gpu, _budget(gpu), self._groups.forget)
        self._copy_program: GpuProgram | None = None
        self._encoder = Encoder(gpu, self._pool, self._layouts, self._groups, self._copier)
        self._room = ByteRoom(_UNWRITTEN)
        self._workers = Workers(gpu, self._encoder, Clock(gpu), self._room)
        self._staging: dict[int, deque[Any]] = {}  # that wait for reuse, by their size
        self.timing = False  # fences of launches made while it is set tell when the work ran
        if warm:
            self._warm_up()

    def _warm_up(self) -> None:
        """Run a small kernel: the first one of a process takes hundreds of milliseconds, which
        pass on the submit thread while the caller prepares what it is going to compute."""
        memory = self.allocate(8)
        copy = Copy(Region(memory, 4), Region(memory, 0), 1)  # of a byte, which takes a kernel
        self._workers.put(Job([copy], lambda _: None, inner=True))

    def __repr__(self) -> str:
        return f"WebGpuBackend({self._gpu.info['device']})"

    def info(self) -> DeviceInfo:
        """Describe the adapter; software ones are no GPU."""
        about = self._gpu.info
        return DeviceInfo(
            name=str(about["device"]),
            backend=self.name,
            gpu=not self._gpu.software,
            memory=self._pool.limit if self._gpu.software else 0,
            compute_units=(os.cpu_count() or 1) if self._gpu.software else 0,
            dtypes=tuple(d for d in STORED if d in self.limits.dtypes),
            version=__version__,
            driver=f"{about['backend_type']}: {about['description']}",
        )

    # Memory

    def allocate(self, nbytes: int) -> GpuMemory:
        """Return uninitialised memory; raise OutOfMemory."""
        return self._pool.allocate(nbytes)

    def trim(self) -> int:
        """Give recycled memory back to the system; return the bytes given back."""
        dropped, self._staging = self._staging, {}
        return _size(dropped) + self._pool.trim()

    @property
    def pool_limit(self) -> int:
        """Bytes of released memory that may wait for reuse."""
        return self._pool.keep

    @pool_limit.setter
    def pool_limit(self, nbytes: int) -> None:
        self._pool.keep = nbytes

    def memory(self) -> tuple[int, int]:
        """Return the bytes taken from the system, and those of them that wait for reuse."""
        held, idle = self._pool.sizes()
        staging = _size(self._staging)
        return held + staging, idle + staging

    def write(self, target: Region, data: np.ndarray[Any, Any]) -> None:
        """Copy an array's bytes; they reach the device before anything that is launched later.

        The driver's own write can block for as long as a kernel runs, so it is not called here."""
        raw = data.reshape(-1).view(np.uint8)
        memory, offset = target
        whole = -(-raw.nbytes // 4) * 4
        if not whole:
            return
        # Elsewhere the other bytes of a word are another buffer's: a kernel leaves them alone.
        plain = not offset % 4 and (raw.nbytes == whole or offset + raw.nbytes == memory.nbytes)
        place = target if plain else Region(self._pool.allocate(raw.nbytes), 0)
        copied = bytearray(whole)
        np.frombuffer(copied, np.uint8)[: raw.nbytes] = raw
        steps = () if plain else (Copy(target, place, raw.nbytes),)

        def written(fence: Fence) -> None:
            if fence.error is not None:
                memory.error = fence.error  # no command is there to tell; the next to use it will

        job = Job(steps, written, inner=True, fill=Fill(place.memory, place.offset, copied))
        try:
            # A finalizer on the thread that would make room does not wait for it.
            self._room.acquire(job, wait=not self.works_here())
            self._workers.put(job)
        except BaseException:
            job.fill = None  # an exception that the caller keeps keeps this job
            raise

    def read(self, source: Region, out: np.ndarray[Any, Any]) -> None:
        """Copy bytes from the device into an array."""
        memory, offset = source
        start = offset // 4 * 4
        nbytes = -(-(offset + out.nbytes) // 4) * 4 - start
        if not out.nbytes:
            return
        if self.works_here():
            raise CommandError(
                "a finalizer cannot read a buffer here: it interrupts the very thread that would "
                "fetch it; submit a copy, or read it elsewhere"
            )
        memory.usable()
        size = max(1 << (nbytes - 1).bit_length(), 4096)
        staging = self._take_staging(size)
        self._run([], Fetch(memory, start, staging, nbytes))
        try:
            raw = np.frombuffer(self._gpu.mapped_bytes(staging, nbytes), np.uint8)
            first = offset - start
            out.reshape(-1).view(np.uint8)[:] = raw[first : first + out.nbytes]
        finally:
            self._gpu.unmap(staging)
        self._give_staging(size, staging)

    def _take_staging(self, size: int) -> Any:
        try:
            return self._staging[size].pop()
        except (KeyError, IndexError):
            return self._gpu.buffer(size, "MAP_READ", "COPY_DST")

    def _give_staging(self, size: int, staging: Any) -> None:
        if size <= 1 << 24:
            waiting = self._staging.setdefault(size, deque())
            if len(waiting) < 4:
                waiting.append(staging)

    def _run(self, steps: Sequence[Step | Copy], fetch: Fetch | None = None) -> None:
        """Do something in the queue's order and wait for it."""
        ended = Bell()  # no Event: Ctrl-C in the middle of waiting would stop its setter
        job = Job(steps, lambda _: ended.ring(), fetch=fetch, inner=True)
        self._workers.put(job)
        while not ended.sleep(_LOOK) and not job.done():
            self._workers.notice(job)
        if job.error is not None:
            raise job.error

    def view(self, source: Region, nbytes: int) -> None:
        """Return None: the host cannot see the device's memory."""
        return None

    def adopt(self, array: np.ndarray[Any, Any]) -> None:
        """Return None: the device cannot use the host's memory."""
        return None

    # Programs

    @property
    def target(self) -> Target:
        """A GPU: a thread for each element, and groups that take tiles."""
        return target(self.limits.near, self.limits.rounds)

    def replaces(self, kernel: Kernel) -> bool:
        """Say whether a library routine computes a kernel: there are none."""
        return False

    def render(self, schedule: Schedule) -> Source:
        """Spell a schedule as WGSL."""
        kernel = schedule.kernel
        rendered = render(schedule, rounds=self.limits.rounds, routine=routine_for(kernel))
        return Source(kernel, "wgsl", "main", rendered.text, rendered)

    def compile(self, source: Source) -> Program:
        """Compile a source; raise CompileError."""
        return Program(source.kernel, GpuProgram(self._gpu, self._layouts, source.layout))

    def _copier(self) -> GpuProgram:
        if self._copy_program is None:
            self._copy_program = GpuProgram(self._gpu, self._layouts, render(Schedule(_BYTES)))
        return self._copy_program

    # Pictures

    def canvas(self, window: Mapping[str, Any] | None = None) -> Canvas:
        """Make a canvas for Draw: a window's, or a texture that no window shows."""
        if window is not None and self._gpu.opengl:
            raise DeviceUnavailable(
                "webgpu runs over OpenGL here, which cannot draw on windows; a surface of kind "
                "'offscreen' works"
            )
        return Canvas(window)

    # Work

    def record(self, steps: Sequence[Step | Copy]) -> Recording:
        """Remember what is planned for steps, for Replay; encoding them is left."""
        return Recording()

    def launch(
        self,
        steps: Sequence[Step | Copy | Replay | Draw],
        done: Callable[[Fence], None],
        *,
        lane: int = 0,
        priority: int = 1,
        after: Sequence[Fence] = (),
        taken: list[Fence | None] | None = None,
    ) -> Fence:
        """Queue the steps; more urgent launches overtake others unless they come after them."""
        job = Job(steps, done, after=after, timed=self.timing)
        self._workers.put(job, priority, taken)
        return job

    def works_here(self) -> bool:
        """Whether the caller runs on a thread of this device's, which must not wait for it, or
        keeps memory from them."""
        return self._workers.are_here or self._pool.held_here()

    def close(self) -> None:
        """Finish what runs, fail what has not started, and end the threads."""
        self._workers.close(DeviceLost("device 'webgpu' was closed"))
        self.trim()


def _size(staging: dict[int, deque[Any]]) -> int:
    return sum([size * len(waiting) for size, waiting in list(staging.items())])


def _unsupported() -> frozenset[tuple[str, DType]]:
    """Float functions that drivers return garbage for on f64 and that are not written out."""
    floats = {name for name, row in OPS.items() if row.rule is Rule.FLOAT}
    return frozenset((name, DType.F64) for name in floats - _EXACT_WIDE - WIDE_FUNCTIONS)


def _budget(gpu: Gpu) -> int:
    """Bytes to hold at most: for software adapters half of the machine's memory."""
    if gpu.software:
        try:
            return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2)
        except (AttributeError, ValueError, OSError):
            return 4 << 30
    return 1 << 62  # WebGPU does not say; the driver refuses what does not fit
