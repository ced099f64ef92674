"""NVIDIA GPUs: kernels compiled by NVRTC, on several streams of one device.

In: kernels, memory and launches, as backends.base defines them. Out: programs and fences. The
driver's words are driver's, memory and copies are memory's, compilation is program's, streams and
events are lanes'. Completion is asked for by the runtime; nothing here runs on a driver's thread.

    TREADLE_TF32=1   products of f32 matrices on tensor cores, with 10 bits of mantissa
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from treadle._version import __version__
from treadle.backends.base import (
    DONE,
    Carry,
    Copy,
    DeviceInfo,
    Fence,
    Limits,
    OutsideLane,
    Program,
    Region,
    Replay,
    Source,
    Step,
)
from treadle.backends.cache import DiskCache, cache_directory
from treadle.backends.cuda.blas import Blas, MatmulProgram, is_matmul
from treadle.backends.cuda.bytes import MULTIPLIES_BYTES
from treadle.backends.cuda.clock import Mark
from treadle.backends.cuda.copies import ANY_WAY, Copier
from treadle.backends.cuda.driver import load, translate, translate_errors
from treadle.backends.cuda.foreign import Exported, borrow
from treadle.backends.cuda.graph import Graphs, Recording
from treadle.backends.cuda.lanes import DOWNLOADS, LANES, NORMAL, UPLOADS, Lanes
from treadle.backends.cuda.memory import DeviceMemory, Pool
from treadle.backends.cuda.program import NativeProgram, Nvrtc
from treadle.backends.cuda.quick import QuickStream
from treadle.backends.cuda.routines import routine_for
from treadle.codegen.cuda import render, target
from treadle.dtypes import STORED, DType
from treadle.errors import DeviceLost
from treadle.ir.nodes import Kernel
from treadle.ir.schedule import Schedule, Target

__all__ = ["CudaBackend"]

_ROUTINES = frozenset(
    {
        "first",
        "matmul",
        "matmul_rows",
        "running",
        "scatter_joined",
        "scatter_last",
        "sort",
        "word_places",
    }
)
# Against interpret(). CUDA documents up to 4 units in the last place for f32 functions and 2 for
# f64; what a kernel adds by composing them, and the order of a fold, is in here too.
_TOLERANCE = {DType.F32: 4e-6, DType.F64: 1e-14}
# The end of what takes 4 ms would otherwise be noticed up to 1 ms late.
_ASKS = 20e-3


class CudaBackend:
    """One NVIDIA GPU."""

    name = "cuda"

    def __init__(
        self, index: int = 0, *, cache: DiskCache | None = None, tf32: bool | None = None
    ) -> None:
        self._cuda = load()
        self._index = index
        self._many = self._cuda.runtime.getDeviceCount() > 1
        self._local = threading.local()
        # Of launches; a thread that launches holds the queue, so that its finalizers only append.
        self._lock = threading.Lock()
        self._closed = False
        self._recorded = 0
        self.timing = False  # fences of launches made while it is set tell when the work ran
        chosen = os.environ.get("TREADLE_TF32", "0") not in ("", "0") if tf32 is None else tf32
        with translate_errors("device 'cuda'"), self._current():
            runtime = self._cuda.runtime
            properties = runtime.getDeviceProperties(index)
            self._properties: dict[str, Any] = properties
            self._driver = runtime.driverGetVersion()
            self._pool = Pool(self._cuda, index)
            self._copier = Copier(self._cuda, index)
            self._lanes = Lanes(self._cuda)
            self._blas = Blas(self._cuda, tf32=chosen)
            # On tensor cores a convolution is quicker as a product of matrices.
            self.routines = _ROUTINES if chosen else _ROUTINES | {"conv2d"}
            self.files = DiskCache(cache_directory()) if cache is None else cache
            self._compiler = Nvrtc(self._cuda, index, self.files)
            self._graphs = Graphs.load(self._cuda.cupy.cuda.Device(index))
        self._memcpy: Any = runtime.memcpyAsync
        self.quick = QuickStream(
            self._cuda, self._lanes, self._pool, self._lock, self._here, self._graphs
        )
        self.limits = Limits(
            dtypes=frozenset(STORED),
            max_buffer=int(properties["totalGlobalMem"]),
            lanes=LANES,
            signals=False,
            ordered=True,
            tolerance=dict.fromkeys(DType, 0.0) | _TOLERANCE,
            near=int(properties["sharedMemPerBlockOptin"]),
            takes=True,
            asks=_ASKS,
            tiles=True,
            fuses=True,
            searches=self._compiler.capability >= MULTIPLIES_BYTES,
        )

    def __repr__(self) -> str:
        return f"CudaBackend({self._index})"

    @staticmethod
    def count() -> int:
        """How many GPUs are present; raise DeviceUnavailable where CUDA cannot be used."""
        return int(load().runtime.getDeviceCount())

    def info(self) -> DeviceInfo:
        """Describe the GPU."""
        facts = self._properties
        major, minor = divmod(self._driver, 1000)
        return DeviceInfo(
            name=facts["name"].decode(errors="replace"),
            backend=self.name,
            gpu=True,
            memory=int(facts["totalGlobalMem"]),
            compute_units=int(facts["multiProcessorCount"]),
            dtypes=STORED,
            version=__version__,
            driver=f"CUDA {major}.{minor // 10}, NVRTC {self._compiler.version}, "
            f"CuPy {self._cuda.cupy.__version__}",
        )

    # Which device is current is a property of the thread, and users of CuPy have theirs.

    @contextlib.contextmanager
    def _current(self) -> Iterator[None]:
        before = self._enter()
        try:
            yield
        finally:
            if before is not None:
                self._cuda.runtime.setDevice(before)

    def _enter(self) -> int | None:
        """Make this device current; return the one to restore, if it is another."""
        runtime = self._cuda.runtime
        if not self._many:
            try:
                self._local.ready  # noqa: B018
            except AttributeError:  # a new thread has no context yet
                runtime.setDevice(self._index)
                self._local.ready = True
            return None
        before: int = runtime.getDevice()
        runtime.setDevice(self._index)
        return before if before != self._index else None

    def _here(self) -> bool:
        """Whether this device is known to be this thread's current one."""
        if self._many:
            return bool(self._cuda.runtime.getDevice() == self._index)
        return hasattr(self._local, "ready")

    # Memory

    def allocate(self, nbytes: int) -> DeviceMemory:
        """Return uninitialised memory; raise OutOfMemory."""
        with self._current():
            return self._pool.allocate(nbytes)

    def trim(self) -> int:
        """Give recycled memory back to the driver; return the bytes given back."""
        with self._current():
            return self._pool.trim()

    @property
    def pool_limit(self) -> int:
        """Bytes of released memory that may wait for reuse."""
        return self._pool.limit

    @pool_limit.setter
    def pool_limit(self, nbytes: int) -> None:
        self._pool.limit = nbytes

    def memory(self) -> tuple[int, int]:
        """Return the bytes taken from the system, and those of them that wait for reuse."""
        with self._current():
            return self._pool.sizes()

    def write(self, target: Region, data: np.ndarray[Any, Any]) -> None:
        """Copy an array's bytes to the GPU; straight from it where it is pinned."""
        own = self.view(target, data.nbytes)
        if own is not None:
            own[:] = data.reshape(-1).view(np.uint8)
            return
        with self._current():
            self._copier.write(target.memory.address + target.offset, data)

    def read(self, source: Region, out: np.ndarray[Any, Any]) -> None:
        """Copy bytes from the GPU into an array."""
        own = self.view(source, out.nbytes)
        if own is not None:
            out.reshape(-1).view(np.uint8)[:] = own
            return
        with self._current():
            self._copier.read(source.memory.address + source.offset, out)

    def host_memory(self, nbytes: int) -> np.ndarray[Any, Any]:
        """Return page-locked bytes, recycled when the last view of them goes."""
        with self._current(), translate_errors("cuda"):
            pinned = self._pool.allocate_host(nbytes)
        return np.frombuffer(pinned, np.uint8, nbytes)

    def carries(self, array: np.ndarray[Any, Any]) -> bool:
        """Whether the GPU copies an array by itself, behind other work: if it is page-locked."""
        with self._current(), translate_errors("cuda"):
            return self._copier.pinned(array)

    def view(self, source: Region, nbytes: int) -> np.ndarray[Any, Any] | None:
        """Return what the host sees of memory: all of its own, and none of the GPU's."""
        host: np.ndarray[Any, Any] | None = source.memory.host
        return None if host is None else host[source.offset : source.offset + nbytes]

    def adopt(self, array: np.ndarray[Any, Any]) -> DeviceMemory | None:
        """Take a page-locked array as memory, which the GPU reaches over the bus."""
        with self._current(), translate_errors("cuda"):
            address = self._copier.reached(array)
        flat = array.reshape(-1).view(np.uint8)
        return None if not address else DeviceMemory(address, flat.nbytes, array, host=flat)

    def borrow(self, data: Any) -> tuple[DeviceMemory, tuple[int, ...], DType] | None:
        """Take another library's array on this GPU as memory without copying, if it is one."""
        with self._current(), translate_errors("cuda"):
            return borrow(self._cuda, self._index, data)

    def export(self, source: Region, shape: tuple[int, ...], dtype: DType) -> Exported:
        """Return an object through which other libraries see memory in place."""
        with self._current():
            return Exported(self._cuda, self._index, source, shape, dtype)

    # Programs

    @property
    def target(self) -> Target:
        """A GPU: threads that take neighbours, and blocks that take tiles."""
        return target(self.limits.near)

    def replaces(self, kernel: Kernel) -> bool:
        """Say whether cuBLAS computes a kernel."""
        return is_matmul(kernel)

    def render(self, schedule: Schedule) -> Source:
        """Spell a schedule as CUDA C++; a library's routine has no text."""
        kernel = schedule.kernel
        if self.replaces(kernel):
            return Source(kernel, "cublas", "matmul", "")
        rendered = render(schedule, routine=routine_for(kernel, self._compiler.capability))
        return Source(kernel, "cuda", rendered.layout.entries[0], rendered.text, rendered.layout)

    def compile(self, source: Source) -> Program:
        """Compile a source, or fetch it from the cache; raise CompileError."""
        kernel = source.kernel
        with self._current(), translate_errors(f"cuda: {kernel.name}"):
            if source.language == "cublas":
                return Program(kernel, MatmulProgram(self._cuda, self._blas, kernel))
            program = NativeProgram(self._cuda, self._compiler, source.layout)
            return Program(kernel, program)

    # Work

    def record(self, steps: Sequence[Step | Copy]) -> Recording | None:
        """Make a graph of steps, for Replay; None where one of them is a library's routine.

        A single step is worth one, too: its arguments are packed once, and the driver takes half of
        the time that it takes for a kernel."""
        if self._graphs is None:
            return None
        with self._current(), translate_errors("cuda: recording a graph"):
            for step in steps:
                if isinstance(step, Step):  # compiling, where sizes need it, delays no launch
                    step.program.handle.prepare(step.dims)
            self._recorded += 1
            return Recording.of(self._graphs, self._pool, tuple(steps), self._recorded)

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
        """Put the steps on a stream, behind `after`."""
        taken = [] if taken is None else taken
        lanes = self._lanes
        if self._closed or lanes.lost is not None:
            raise lanes.lost or DeviceLost(f"device {self!r} was closed")
        before: int | None = None
        try:
            self._local.ready  # noqa: B018
        except AttributeError:  # a thread without a context, or several devices
            before = self._enter()
        try:
            recording: Recording | None = None
            timed = self.timing
            first = steps[0]
            if type(first) is Replay:
                recording, ready = first.recording, []
                lane = recording.lane
            else:
                # Compiling, where sizes need it, delays no other launch.
                ready = [
                    (s, s.program.handle.prepare(s.dims) if type(s) is Step else None)
                    for s in steps
                ]
                if type(first) is Carry:
                    timed, priority = True, UPLOADS if first.inward else DOWNLOADS
            with self._lock:
                chosen = lanes.choose(lane, priority, after)
                mark = lanes.clock.mark(chosen.stream) if timed else None
                keep: Any = steps
                failure: BaseException | None = None
                taken.append(DONE)  # from here on the stream may have a part of it
                try:
                    if recording is not None:
                        if mark is not None:
                            recording = self._timed(recording, mark)
                        recording.launch(first.steps, chosen.stream)  # type: ignore[union-attr]
                    for step, sized in ready:
                        if sized is None:
                            self._copy(step, chosen.stream)
                        elif not sized.scratch:
                            sized.enqueue(step, chosen, 0)
                        else:
                            memory = self._pool.allocate(sized.scratch)
                            keep = (keep, memory)
                            sized.enqueue(step, chosen, memory.address)
                except Exception as error:
                    # What is on the stream already runs to its end, and the launch fails there.
                    failure = translate(error, "cuda")
                    if mark is not None:
                        mark.forget()
                except BaseException:
                    # Ctrl-C: no command will know of what is on the stream, so it ends here,
                    # before another buffer is given the memory.
                    self._cuda.runtime.streamSynchronize(chosen.stream)
                    raise
                taken[0] = fence = lanes.fence(chosen, keep, failure, mark)
                return fence
        except Exception as error:
            raise translate(error, "cuda") from error
        finally:
            if before is not None:
                self._cuda.runtime.setDevice(before)

    def outside_lane(self) -> OutsideLane:
        """Lend the stream of the first lane to another library."""
        with self._current(), self._lock:
            stream = self._lanes.choose(0, NORMAL, ()).stream
        return OutsideLane("cuda", self._index, stream, self._outside_fence)

    def _outside_fence(self, keep: Any) -> Fence:
        with translate_errors("device 'cuda'"), self._current(), self._lock:
            return self._lanes.fence(self._lanes.choose(0, NORMAL, ()), keep)

    def works_here(self) -> bool:
        """Whether the caller keeps others from noting what has ended."""
        return self._lanes.held_here()

    def _timed(self, recording: Recording, mark: Mark) -> Recording:
        """The graph that also times each step, unless an earlier run of it is still in flight."""
        twin = recording.timed(self._lanes.clock)
        if twin is None:
            return recording
        twin.unread, mark.inner = True, twin
        return twin

    def _copy(self, step: Any, stream: int) -> None:
        if type(step) is Carry:
            (memory, at), array, inward = step
            address, host = memory.address + at, array.ctypes.data
            if inward:
                self._memcpy(address, host, array.nbytes, ANY_WAY, stream)
            else:
                self._memcpy(host, address, array.nbytes, ANY_WAY, stream)
            return
        (target, at), (source, start), nbytes = step
        self._memcpy(target.address + at, source.address + start, nbytes, ANY_WAY, stream)

    def close(self) -> None:
        """Finish what runs and release streams, events and idle memory."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            # After a sticky error every call fails; there is nothing left to release then.
            with contextlib.suppress(Exception), self._current():
                self._lanes.drain()
                self._lanes.close()
                self._blas.close()
                self._copier.close()
                self._pool.close()
