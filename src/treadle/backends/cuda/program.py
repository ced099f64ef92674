"""CUDA text to functions that can be launched, by way of the disk cache.

In: rendered kernels. Out: programs that put their work on a stream. NVRTC compiles for this very
GPU, so that loading takes no further compilation. What follows from the sizes alone is computed
once for each set of sizes, with an argument block of its own; a launch packs what is left into it,
under the backend's lock.
"""

from __future__ import annotations

import contextlib
import ctypes
import struct
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.backends.base import Step
from treadle.backends.cache import DiskCache, digest
from treadle.backends.cuda.driver import Config, Cuda, DriverError, translate_errors
from treadle.backends.cuda.known import KnownLaunches
from treadle.backends.cuda.lanes import Lane
from treadle.backends.cuda.routines import routine_for
from treadle.codegen.cuda import render
from treadle.codegen.cuda.abi import Call, Layout
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.errors import CompileError
from treadle.ir.casts import convert
from treadle.ir.cost import operations

__all__ = ["BYTE", "STARTS", "Arguments", "NativeProgram", "Nvrtc"]

_VERSION = "1"  # of what is cached; raise it when the same text must be compiled differently
# Sums and products round one by one, as the language defines them: no fused multiply-add.
_OPTIONS = ("--std=c++17", "--fmad=false")
_REMEMBERED = 256
_ALWAYS_SHARED = 48 << 10
_MOST_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_WARP = 32
_HOPPER = 90
# Seconds: of a launch, of an operation of one thread, of one among many threads', of a byte.
STARTS, _OPERATION, _SHARED, BYTE = 3e-6, 5e-9, 0.5e-12, 1e-12


class LoadedModule:
    """Loaded machine code; unloaded with the object, while nothing that uses it can run."""

    __slots__ = ("_cuda", "_device", "_handle")

    def __init__(self, cuda: Cuda, device: int, image: bytes) -> None:
        self._cuda = cuda
        self._device = device
        self._handle: int = cuda.driver.moduleLoadData(image)

    def function(self, name: str) -> int:
        """The handle of an entry point."""
        found: int = self._cuda.driver.moduleGetFunction(self._handle, name)
        return found

    def __del__(self) -> None:
        # The collector may be on a thread where another device, or none, is current.
        with contextlib.suppress(Exception), self._cuda.cupy.cuda.Device(self._device):
            self._cuda.driver.moduleUnload(self._handle)


class Nvrtc:
    """NVRTC for one device."""

    def __init__(self, cuda: Cuda, device: int, cache: DiskCache) -> None:
        self._cuda = cuda
        self._device = device
        self._cache = cache
        capability = int(cuda.cupy.cuda.Device(device).compute_capability)
        known = [int(arch) for arch in cuda.nvrtc.getSupportedArchs()]
        # A GPU newer than NVRTC gets portable code, which the driver compiles when it is loaded.
        self._portable = capability not in known
        target = max((arch for arch in known if arch <= capability), default=capability)
        # Hopper has instructions that only this very name gives, and that no other GPU has.
        own = "a" if target == capability == _HOPPER else ""
        self.capability = target if own or target != _HOPPER else target - 1  # that texts may use
        self.arch = f"{'compute' if self._portable else 'sm'}_{target}{own}"
        self.version = ".".join(map(str, cuda.nvrtc.getVersion()))
        properties = cuda.runtime.getDeviceProperties(device)
        self._multiprocessors = int(properties["multiProcessorCount"])

    def load(self, text: str) -> LoadedModule:
        """Compile a text, or fetch it from the cache; raise CompileError."""
        options = (*_OPTIONS, f"--gpu-architecture={self.arch}")
        key = digest(text, "cuda", _VERSION, self.version, *options)
        module = self._kept(key)
        if module is None:
            with self._cache.making(key):  # another process may have made it meanwhile
                module = self._kept(key)
                if module is None:
                    image = self._build(text, options)
                    with translate_errors("cuda: loading a compiled kernel"):
                        module = LoadedModule(self._cuda, self._device, image)
                    self._cache.store(key, image)
        return module

    def _kept(self, key: str) -> LoadedModule | None:
        """Load a module from the cache; None where it has to be built."""
        image = self._cache.load(key)
        if image is not None:
            with contextlib.suppress(Exception):  # whatever was wrong with it: build it again
                return LoadedModule(self._cuda, self._device, image)
        return None

    def resident(self, function: int, threads: int, shared: int) -> int:
        """How many blocks that share so many bytes the device runs at once."""
        driver = self._cuda.driver
        if shared > _ALWAYS_SHARED:
            driver.funcSetAttribute(function, _MOST_SHARED, shared)
        each = driver.occupancyMaxActiveBlocksPerMultiprocessor(function, threads, shared)
        return max(1, int(each)) * self._multiprocessors

    def block(self, function: int, most: int) -> int:
        """Threads of a block with which most of them are resident, for a free launch size.

        Of sizes that keep equally many resident the largest wins, since the form's own size is
        the upper bound; only functions with many registers get a smaller one. Little work is not
        spread over more multiprocessors in smaller blocks: that was up to 5% slower."""
        occupancy = self._cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
        sizes = range(most, 0, -_WARP)
        return max(sizes, key=lambda size: size * occupancy(function, size, 0))

    def _build(self, text: str, options: tuple[str, ...]) -> bytes:
        nvrtc = self._cuda.nvrtc
        program = nvrtc.createProgram(text, "treadle.cu", (), ())
        try:
            nvrtc.compileProgram(program, options)
            image = nvrtc.getPTX(program) if self._portable else nvrtc.getCUBIN(program)
        except nvrtc.NVRTCError as error:
            log = nvrtc.getProgramLog(program)
            message = f"NVRTC refused the text generated for a kernel: {log.partition(chr(10))[0]}"
            raise CompileError(message, source=text, log=log) from error
        finally:
            nvrtc.destroyProgram(program)
        return image if isinstance(image, bytes) else bytes(image)


class _Code:
    """A loaded text: its entry points, and how their arguments are packed."""

    def __init__(self, compiler: Nvrtc, layout: Layout) -> None:
        self.layout = layout
        self._compiler = compiler
        self._modules: list[LoadedModule] = []
        self._functions: dict[str, int] = {}
        self._blocks: dict[str, int] = {}
        together = [name for name in layout.entries if name not in layout.apart]
        if together:
            module = compiler.load(layout.shared)
            self._modules.append(module)
            self._functions = {name: module.function(name) for name in together}
        self.packer = struct.Struct(layout.format)
        self.operations = operations(layout.kernel)  # for an element, roughly
        kernel = layout.kernel
        self.places = struct.Struct(f"={len(kernel.outputs) + len(kernel.inputs)}Q")

    def function(self, name: str) -> int:
        """The handle of an entry, compiled now if it is one of those that can wait."""
        found = self._functions.get(name)
        if found is None:
            module = self._compiler.load(self.layout.shared + self.layout.apart[name])
            self._modules.append(module)
            found = self._functions[name] = module.function(name)
        return found

    def shape(self, call: Call) -> tuple[int, int, int]:
        """Blocks and threads of a block, x and y, for a call."""
        if call.shared:
            x, y = call.block
            most = self._compiler.resident(self.function(call.entry), x * y, call.shared)
            return min(call.grid, most), x, y
        if not call.threads:
            return call.grid, *call.block
        block = self._blocks.get(call.entry)
        if block is None:
            block = self._compiler.block(self.function(call.entry), call.block[0])
            self._blocks[call.entry] = block
        return ceil_div(call.threads, block), block, 1


class Arguments:
    """A block of arguments, as a launch or a node of a graph takes it."""

    __slots__ = ("_pointers", "address", "block", "place")

    def __init__(self, nbytes: int) -> None:
        self.block = ctypes.create_string_buffer(-(-nbytes // 8) * 8)  # as C rounds it
        self._pointers = (ctypes.c_void_p * 1)(ctypes.addressof(self.block))
        self.address = ctypes.addressof(self._pointers)
        self.place = ctypes.c_void_p(self.address)  # as ctypes passes it on soonest


class Sized:
    """What follows from the sizes, ready to be launched."""

    __slots__ = ("_arguments", "_configs", "_fire", "_kernel", "_launch", "_long", "_numbers",
                 "_pack", "_pack_places", "_short", "_size", "calls", "known", "scratch",
                 "seconds")  # fmt: skip

    def __init__(self, cuda: Cuda, code: _Code, dims: tuple[int, ...]) -> None:
        layout = code.layout
        self._kernel = layout.kernel
        geometry = layout.measure(dict(zip(self._kernel.symbols, dims, strict=True)))
        self._numbers = (*dims, *geometry.values)
        self._long, self._short = layout.long_params, layout.short_params
        # Function, blocks, threads x and y, shared bytes.
        self.calls: tuple[tuple[int, int, int, int, int], ...] = tuple(
            (code.function(c.entry), *code.shape(c), c.shared) for c in geometry.calls if c.grid
        )
        self.scratch = geometry.scratch
        self.seconds = _seconds(code, dims, self.calls)
        self.known = KnownLaunches()
        self._size = code.packer.size
        self._launch: Any = cuda.driver.launchKernel
        self._pack: Any = code.packer.pack_into
        self._pack_places: Any = code.places.pack_into
        self._arguments = self.arguments()
        self._fire: Any = getattr(cuda, "launch", None)
        self._configs = tuple([_config(*call) for call in self.calls])

    def arguments(self) -> Arguments:
        """Return a block of its own for a recording, which packs it apart from launches."""
        made = Arguments(self._size)
        if not self._kernel.params:
            nowhere = (0,) * (len(self._kernel.outputs) + len(self._kernel.inputs) + 1)
            self._pack(made.block, 0, *nowhere, *self._numbers)
        return made

    def enqueue(self, step: Step, lane: Lane, scratch: int) -> None:
        """Put the work on a stream; `scratch` is the address of as much memory as it says."""
        self.pack(step, scratch, self._arguments)
        launch, arguments, stream = self._launch, self._arguments.address, lane.stream
        for function, grid, x, y, shared in self.calls:
            launch(function, grid, 1, 1, x, y, 1, shared, stream, arguments, 0)

    def fire(self, step: Step, lane: Lane, scratch: int) -> None:
        """Do as `enqueue`, with Python's lock kept: where few launches are before it on the stream,
        so that the driver has room for it."""
        launch, stream = self._fire, lane.stream
        if launch is None:
            self.enqueue(step, lane, scratch)
            return
        self.pack(step, scratch, self._arguments)
        arguments = self._arguments.place
        for config, place, function in self._configs:
            config.stream = stream
            status = launch(place, function, arguments, None)
            if status:
                raise DriverError("cuLaunchKernelEx", status)

    def pack(self, step: Step, scratch: int, into: Arguments) -> None:
        """Fill an argument block that this has made."""
        places = [memory.address + offset for memory, offset in step.regions]
        if scratch or step.params:
            self._pack_all(into, [*places, scratch], step.params)
        else:
            self._pack_places(into.block, 0, *places)  # the rest never changes

    def _pack_all(self, into: Arguments, places: list[int], params: Sequence[float]) -> None:
        for attempt in (0, 1):
            try:
                first = [params[i] for i in self._long]
                last = [params[i] for i in self._short]
                self._pack(into.block, 0, *places, *first, *self._numbers, *last)
                return
            except (struct.error, OverflowError, ValueError):
                if attempt:
                    raise
                # A value of another type, or beyond its own: converted as the language says.
                params = [
                    convert(np.asarray(value), param.dtype).item()
                    for value, param in zip(params, self._kernel.params, strict=True)
                ]


def _config(
    function: int, grid: int, x: int, y: int, shared: int
) -> tuple[Config, ctypes.c_void_p, ctypes.c_void_p]:
    """A launch as the driver takes it: how, where that is said, and what."""
    made = Config(shared=shared)
    made.grid[:] = grid, 1, 1
    made.block[:] = x, y, 1
    return made, ctypes.c_void_p(ctypes.addressof(made)), ctypes.c_void_p(function)


def _seconds(code: _Code, dims: tuple[int, ...], calls: Sequence[tuple[int, ...]]) -> float:
    """How long a kernel takes, roughly, and on most devices less: as long as a thread needs for its
    elements, all of them for the operations, or memory for the bytes."""
    kernel = code.layout.kernel
    sizes = dict(zip(kernel.symbols, dims, strict=True))
    tensors = (*kernel.inputs, *kernel.outputs)
    counts = [elements(tensor.dims, sizes) for tensor in tensors]
    most = max(*counts, elements(kernel.space, sizes))
    nbytes = sum([n * t.dtype.size for n, t in zip(counts, tensors, strict=True)])
    each = most * code.operations
    threads = max([grid * x * y for _, grid, x, y, _ in calls], default=1)
    return len(calls) * STARTS + each / threads * _OPERATION + each * _SHARED + nbytes * BYTE


class NativeProgram:
    """A compiled kernel; wider indices are compiled when sizes first need them."""

    def __init__(self, cuda: Cuda, compiler: Nvrtc, layout: Layout) -> None:
        self._cuda = cuda
        self._kernel = layout.kernel
        self._compiler = compiler
        self._codes = {False: _Code(compiler, layout)}
        self._sized: dict[tuple[int, ...], Sized] = {}
        self._preparing = threading.RLock()  # a finalizer may launch, inside it too

    def prepare(self, dims: tuple[int, ...]) -> Sized:
        """Return what is launched for sizes; what this compiles delays no other launch."""
        found = self._sized.get(dims)
        if found is None:
            with self._preparing:
                found = self._sized.get(dims) or self._measure(dims)
        return found

    def _measure(self, dims: tuple[int, ...]) -> Sized:
        wide = self._codes[False].layout.needs_wide(
            dict(zip(self._kernel.symbols, dims, strict=True))
        )
        if wide not in self._codes:
            routine = routine_for(self._kernel, self._compiler.capability)
            schedule = self._codes[False].layout.schedule
            layout = render(schedule, wide=True, routine=routine).layout
            self._codes[wide] = _Code(self._compiler, layout)
        made = Sized(self._cuda, self._codes[wide], dims)
        if len(self._sized) >= _REMEMBERED:
            self._sized.clear()
        self._sized[dims] = made
        return made
