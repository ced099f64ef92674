"""LLVM text to native code in this process, by way of the disk cache.

In: module text. Out: `Code`, entry points that live as long as the object does. This is the only
module that imports llvmlite, and only when something is compiled. Traps it avoids: a pass
manager runs once (twice aborts the process), code is linked with ORC (which raises where MCJIT
aborts), and the resource tracker is kept (dropping it unmaps the code).
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import sys
import threading
from collections.abc import Sequence
from typing import Any

from treadle.backends.cache import DiskCache, digest
from treadle.codegen.llvm import ENTRIES, SEVERAL, WORK, render_shared
from treadle.data import dataclass
from treadle.errors import CompileError, DeviceUnavailable
from treadle.ir.loops import Products

__all__ = ["Code", "Jit"]

_VERSION = "1"  # of what is cached; raise it when the same text must be compiled differently

_PRODUCTS = (  # the best first, and the feature that it needs
    (Products.WIDE_FOURS, "+avx512vnni"),
    (Products.FOURS, "+avxvnni"),
    (Products.PAIRS, "+avx2"),
)

_REGISTERS = (  # the widest first: the feature that they need, their bytes, and how many there are
    ("+avx512f", 64, 32),
    ("+avx", 32, 16),
    ("+neon", 16, 32),
)


@dataclass(frozen=True, slots=True)
class Code:
    """Linked machine code: ctypes functions, and what keeps them mapped."""

    run: Any  # void (block, lo, hi)
    several: Any  # void (table), the same for all: what is brief, with Python's lock kept
    finish: Any  # void (block)
    work: Any  # i64 (block, control), the same for all
    entries: tuple[int, int]  # the addresses of `run` and `finish`, which `work` calls
    trackers: tuple[Any, Any]
    key: str  # its name in the cache


_RUN = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int64, ctypes.c_int64)
_SEVERAL = ctypes.PYFUNCTYPE(None, ctypes.c_char_p)
_FINISH = ctypes.CFUNCTYPE(None, ctypes.c_char_p)
_WORK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p)


class Jit:
    """A compiler and linker for the CPU that this process runs on; may be used by any thread."""

    def __init__(self, cache: DiskCache) -> None:
        self._cache = cache
        self._lock = threading.RLock()  # a finalizer may compile, inside it too
        self._names = itertools.count()
        self._llvm: Any = None
        self._linker: Any = None
        self._target: Any = None
        self._work: Any = None  # the tracker of what all kernels share
        self._salt = ""
        self._vbmi = False
        self._products = Products.PLAIN
        self._registers = 16, 16

    def held_here(self) -> bool:
        """Whether this thread is in the middle of compiling: then a finalizer runs."""
        return bool(self._lock._is_owned())  # type: ignore[attr-defined]

    def compile(self, text: str, external: Sequence[str]) -> Code:
        """Compile and link a module, or link it from the cache; raise CompileError."""
        work, key = self._shared(), digest(text, self._salt)
        return self._code(work, self._linked(key, text, external, ENTRIES), key)

    def recall(self, key: str, external: Sequence[str]) -> Code | None:
        """Link what was compiled before; None where that is gone, or cannot be linked."""
        work, image = self._shared(), self._cache.load(key)
        if image is None:
            return None
        try:
            with self._lock:
                return self._code(work, self._link(image, external, ENTRIES, ""), key)
        except CompileError:
            return None

    def _shared(self) -> Any:
        """Load LLVM and what all kernels share, unless they are there."""
        self._opened()
        if self._work is None:
            text = render_shared()
            key = digest(text, self._salt)
            self._work = self._linked(key, text, (), (WORK, SEVERAL))
        return self._work

    def _code(self, work: Any, linked: Any, key: str) -> Code:
        run, finish = (linked[entry] for entry in ENTRIES)
        return Code(
            _RUN(run),
            _SEVERAL(work[SEVERAL]),
            _FINISH(finish),
            _WORK(work[WORK]),
            (run, finish),
            (linked, work),
            key,
        )

    def _linked(self, key: str, text: str, external: Sequence[str], entries: Sequence[str]) -> Any:
        with self._lock:
            linked = self._kept(key, external, entries, text)
            if linked is None:
                with self._cache.making(key):  # another process may have made it meanwhile
                    linked = self._kept(key, external, entries, text)
                    if linked is None:
                        code = self._build(text)
                        linked = self._link(code, external, entries, text)
                        self._cache.store(key, code)
        return linked

    def _kept(self, key: str, external: Sequence[str], entries: Sequence[str], text: str) -> Any:
        """Link a module from the cache; None where it has to be built."""
        code = self._cache.load(key)
        if code is not None:
            with contextlib.suppress(CompileError):  # whatever was wrong with it: build it again
                return self._link(code, external, entries, text)
        return None

    @property
    def machine(self) -> str:
        """What compiled code follows from besides its text: processor, system and compiler."""
        self._opened()
        return self._salt

    @property
    def vbmi(self) -> bool:
        """Whether the processor has AVX-512 with instructions for the bytes of whole registers."""
        self._opened()
        return self._vbmi

    @property
    def products(self) -> Products:
        """What the processor has to multiply bytes."""
        self._opened()
        return self._products

    @property
    def registers(self) -> tuple[int, int]:
        """The bytes of a register of lanes, and how many there are."""
        self._opened()
        return self._registers

    def describe(self) -> str:
        """Name the toolchain, without loading it."""
        try:
            import llvmlite  # which does not load LLVM yet; to ask importlib.metadata takes 8 ms
        except ImportError:
            return "llvmlite is not installed"
        return f"llvmlite {llvmlite.__version__}"

    def _opened(self) -> None:
        """Load LLVM, unless it is there."""
        if self._llvm is None:
            with self._lock:
                if self._llvm is None:
                    self._open()

    def _open(self) -> None:
        try:
            import llvmlite

            old = tuple(int(part) for part in llvmlite.__version__.split(".")[:2]) < (0, 45)
            if old:
                llvmlite.opaque_pointers_enabled = True  # LLVM 15; later there is nothing else
            _load_library(os.path.dirname(llvmlite.__file__))
            import llvmlite.binding as llvm
        except ImportError as error:
            raise DeviceUnavailable(
                "device 'cpu': llvmlite is not installed; run `pip install llvmlite`"
            ) from error
        if old:
            llvm.initialize()  # later versions do it themselves and refuse to be told
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        triple = llvm.get_process_triple()
        target = llvm.Target.from_triple(triple)
        options: dict[str, Any] = {"cpu": cpu, "features": features, "opt": 3}
        machine = target.create_target_machine(**options, reloc="pic", codemodel="default")
        # LLVM's older linker places code and constants each where it finds room. Once gigabytes lie
        # between them, code cannot reach its constants, and LLVM aborts the process.
        linker = llvm.create_lljit_compiler(
            target.create_target_machine(**options, reloc="pic", codemodel="default"),
            use_jit_link=sys.platform != "win32",  # where it does not know everything yet
        )
        version = ".".join(map(str, llvm.llvm_version_info))
        salt = "|".join((_VERSION, triple, cpu, features, version))
        has = set(features.split(","))
        if self._llvm is None:  # else a finalizer was faster, and has linked something already
            self._vbmi = "+avx512vbmi" in has
            self._products = next((each for each, need in _PRODUCTS if need in has), Products.PLAIN)
            found = (each[1:] for each in _REGISTERS if each[0] in has)
            self._registers = next(found, self._registers)
            self._target, self._linker, self._salt, self._llvm = machine, linker, salt, llvm

    def _build(self, text: str) -> bytes:
        llvm = self._llvm
        try:
            module = llvm.parse_assembly(text)
            module.triple = self._target.triple
            module.data_layout = str(self._target.target_data)
            module.verify()
        except RuntimeError as error:
            raise CompileError(
                "LLVM refused the text generated for a kernel", source=text, log=str(error)
            ) from error
        with module:
            options = llvm.create_pipeline_tuning_options(speed_level=3)
            options.slp_vectorization = True
            options.loop_vectorization = True
            builder = llvm.create_pass_builder(self._target, options)
            passes = builder.getModulePassManager()
            try:
                passes.run(module, builder)
                image: bytes = self._target.emit_object(module)
            finally:
                # Since 0.45 llvmlite's pass manager inherits the empty one of two `_dispose`, so
                # that closing it frees nothing; the other one frees some 90 KB for each kernel.
                if type(passes)._dispose is llvm.ffi.ObjectRef._dispose:
                    llvm.newpassmanagers.NewPassManager._dispose(passes)
                passes.close()
                builder.close()
                options.close()
            return image

    def _link(
        self, image: bytes, external: Sequence[str], entries: Sequence[str], text: str
    ) -> Any:
        library = self._llvm.JITLibraryBuilder().add_object_img(image).add_current_process()
        for symbol in external:
            library.import_symbol(symbol, _address_of(symbol))
        if sys.platform == "win32":  # large stack frames are probed by a function of ntdll
            library.import_symbol("__chkstk", _address_of("__chkstk"))
        for entry in entries:
            library.export_symbol(entry)
        try:
            return library.link(self._linker, f"treadle{next(self._names)}")
        except RuntimeError as error:
            raise CompileError(
                "a compiled kernel could not be linked", source=text, log=str(error)
            ) from error


def _load_library(folder: str) -> None:
    """Load LLVM's library while other threads have the interpreter.

    That takes ten milliseconds, for which an import would keep the interpreter from an event loop;
    a C function that ctypes calls gives it away. Where there is no such function or no such file,
    importing llvmlite does it."""
    name = "libllvmlite.dylib" if sys.platform == "darwin" else "libllvmlite.so"
    try:
        load = ctypes.CDLL(None).dlopen
    except (AttributeError, OSError, TypeError):  # Windows has another one
        return
    load.argtypes, load.restype = (ctypes.c_char_p, ctypes.c_int), ctypes.c_void_p
    load(os.fsencode(os.path.join(folder, "binding", name)), os.RTLD_NOW)


def _address_of(symbol: str) -> int:
    """The address of a function of the C library."""
    for library in _libraries():
        try:
            return ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value or 0
        except AttributeError:
            continue
    raise CompileError(f"this system's C library has no function {symbol!r}")


def _libraries() -> list[ctypes.CDLL]:
    if sys.platform == "win32":
        return [ctypes.CDLL("ucrtbase"), ctypes.CDLL("ntdll")]
    named: str | None = "libm.so.6"
    if sys.platform == "darwin":
        from ctypes.util import find_library  # which loads what runs other programs

        named = find_library("m")
    found = [ctypes.CDLL(None)]
    try:
        return [*found, ctypes.CDLL(named)]
    except OSError:
        return found
