"""CUDA text to functions that can be launched, by way of the disk cache.

In: rendered kernels. Out: programs that put their work on a stream. NVRTC compiles for this very
GPU, so that loading takes no further compilation. What follows from the sizes alone is computed
once for each set of sizes; a launch packs one argument block, under the backend's lock.
"""

from __future__ import annotations

import contextlib
import ctypes
import struct
import threading
from typing import Any, NamedTuple

import numpy as np

from weft.backends.base import Step
from weft.backends.cache import DiskCache, digest
from weft.backends.cuda.driver import Cuda, translate_errors
from weft.backends.cuda.lanes import Lane
from weft.backends.cuda.memory import Pool
from weft.codegen.cuda_c import render
from weft.codegen.cuda_c_abi import Layout
from weft.errors import CompileError
from weft.ir.interpret import convert
from weft.ir.nodes import Kernel

__all__ = ["Compiler", "NativeProgram", "Sized"]

_VERSION = "1"  # of what is cached; raise it when the same text must be compiled differently
# Sums and products round one by one, as the language defines them: no fused multiply-add.
_OPTIONS = ("--std=c++17", "--fmad=false")
_REMEMBERED = 256
_ALWAYS_SHARED = 48 << 10
_MOST_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


class Module:
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


class Compiler:
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
        self.arch = f"{'compute' if self._portable else 'sm'}_{target}"
        self.version = ".".join(map(str, cuda.nvrtc.getVersion()))

    def share(self, function: int, nbytes: int) -> None:
        """Let the blocks of an entry share more memory than all devices give unasked."""
        self._cuda.driver.funcSetAttribute(function, _MOST_SHARED, nbytes)

    def load(self, text: str) -> Module:
        """Compile a text, or fetch it from the cache; raise CompileError."""
        options = (*_OPTIONS, f"--gpu-architecture={self.arch}")
        key = digest(text, "cuda", _VERSION, self.version, *options)
        image = self._cache.load(key)
        if image is not None:
            with contextlib.suppress(Exception):  # whatever was wrong with it: build it again
                return Module(self._cuda, self._device, image)
        image = self._build(text, options)
        with translate_errors("cuda: loading a compiled kernel"):
            module = Module(self._cuda, self._device, image)
        self._cache.store(key, image)
        return module

    def _build(self, text: str, options: tuple[str, ...]) -> bytes:
        nvrtc = self._cuda.nvrtc
        program = nvrtc.createProgram(text, "weft.cu", (), ())
        try:
            nvrtc.compileProgram(program, options)
            image = nvrtc.getPTX(program) if self._portable else nvrtc.getCUBIN(program)
        except nvrtc.NVRTCError as error:
            raise CompileError(
                "NVRTC refused the text generated for a kernel",
                source=text,
                log=nvrtc.getProgramLog(program),
            ) from error
        finally:
            nvrtc.destroyProgram(program)
        return image if isinstance(image, bytes) else bytes(image)


class _Code:
    """A loaded text with its argument block, which is packed anew for each launch."""

    def __init__(self, compiler: Compiler, layout: Layout) -> None:
        self.layout = layout
        self._compiler = compiler
        self._modules: list[Module] = []
        self._functions: dict[str, int] = {}
        together = [name for name in layout.entries if name not in layout.apart]
        if together:
            module = compiler.load(layout.shared)
            self._modules.append(module)
            self._functions = {name: module.function(name) for name in together}
        packer = struct.Struct(layout.format)
        self.pack: Any = packer.pack_into
        self.block = ctypes.create_string_buffer(-(-packer.size // 8) * 8)  # as C rounds it
        self._pointers = (ctypes.c_void_p * 1)(ctypes.addressof(self.block))
        self.arguments = ctypes.addressof(self._pointers)

    def function(self, name: str, shared: int = 0) -> int:
        """The handle of an entry that is launched with so many shared bytes, compiled now if it is
        one of those that can wait."""
        found = self._functions.get(name)
        if found is None:
            module = self._compiler.load(self.layout.shared + self.layout.apart[name])
            self._modules.append(module)
            found = self._functions[name] = module.function(name)
        if shared > _ALWAYS_SHARED:
            self._compiler.share(found, shared)
        return found


class Sized(NamedTuple):
    """What follows from the sizes."""

    code: _Code
    numbers: tuple[int, ...]
    calls: tuple[tuple[int, int, int, int, int], ...]  # function, blocks, threads, shared bytes
    scratch: int


class NativeProgram:
    """A compiled kernel; wider indices are compiled when sizes first need them."""

    def __init__(self, cuda: Cuda, compiler: Compiler, kernel: Kernel, layout: Layout) -> None:
        self._kernel = kernel
        self._compiler = compiler
        self._launch: Any = cuda.driver.launchKernel
        self._codes = {False: _Code(compiler, layout)}
        self._symbols = kernel.symbols
        self._long = layout.long_params
        self._short = layout.short_params
        self._sized: dict[tuple[int, ...], Sized] = {}
        self._preparing = threading.Lock()

    def prepare(self, dims: tuple[int, ...]) -> Sized:
        """Return what `enqueue` needs for sizes; what this compiles delays no other launch."""
        found = self._sized.get(dims)
        if found is None:
            with self._preparing:
                found = self._sized.get(dims) or self._measure(dims)
        return found

    def _measure(self, dims: tuple[int, ...]) -> Sized:
        sizes = dict(zip(self._symbols, dims, strict=True))
        wide = self._codes[False].layout.needs_wide(sizes)
        if wide not in self._codes:
            self._codes[wide] = _Code(self._compiler, render(self._kernel, wide=True).layout)
        code = self._codes[wide]
        geometry = code.layout.measure(sizes)
        calls = tuple(
            (code.function(c.entry, c.shared), c.grid, *c.block, c.shared)
            for c in geometry.calls
            if c.grid
        )
        made = Sized(code, (*dims, *geometry.values), calls, geometry.scratch)
        if len(self._sized) >= _REMEMBERED:
            self._sized.clear()
        self._sized[dims] = made
        return made

    def enqueue(self, step: Step, sized: Sized, lane: Lane, pool: Pool, keep: list[Any]) -> None:
        """Put the work on a stream; what it needs besides the step is added to `keep`."""
        code = sized.code
        scratch = 0
        if sized.scratch:
            memory = pool.allocate(sized.scratch)
            keep.append(memory)
            scratch = memory.address
        self.pack(step, sized, scratch)
        launch, arguments, stream = self._launch, code.arguments, lane.stream
        for function, grid, x, y, shared in sized.calls:
            launch(function, grid, 1, 1, x, y, 1, shared, stream, arguments, 0)

    def pack(self, step: Step, sized: Sized, scratch: int) -> None:
        """Fill the argument block that `sized.code.arguments` leads to."""
        code = sized.code
        places = [memory.address + offset for memory, offset in step.regions]
        if step.params:
            self._pack(code, places, scratch, sized.numbers, step.params)
        else:
            code.pack(code.block, 0, *places, scratch, *sized.numbers)

    def _pack(
        self, code: _Code, places: list[int], scratch: int, numbers: tuple[int, ...], params: Any
    ) -> None:
        long, short = self._long, self._short
        for attempt in (0, 1):
            try:
                first = [params[i] for i in long]
                last = [params[i] for i in short]
                code.pack(code.block, 0, *places, scratch, *first, *numbers, *last)
                return
            except (struct.error, OverflowError, ValueError):
                if attempt:
                    raise
                # A value of another type, or beyond its own: converted as the language says.
                params = [
                    convert(np.asarray(value), param.dtype).item()
                    for value, param in zip(params, self._kernel.params, strict=True)
                ]
