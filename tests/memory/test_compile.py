"""Compiling leaves nothing behind but the code, and dropping the code not even that."""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path

import pytest

from scheduled import as_llvm
from treadle.backends.cache import DiskCache
from treadle.backends.cpu.jit import Jit
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.lang.registry import lookup
from treadle.passes import optimise


class _Mallinfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks k".split()
    ]


def _in_use() -> int:
    """Bytes that the C library has given out; what Python keeps in its own pools is not in it."""
    ask = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if ask is None:
        pytest.skip("this C library does not say what it has given out")
    ask.restype = _Mallinfo
    gc.collect()
    found: int = ask().uordblks
    return found


def test_a_compiler_gives_back_what_it_used(tmp_path: Path):
    kernel = lookup("sigmoid")
    bound = kernel.bind((Spec((70, 90), DType.F32),), None, *kernel.arguments({}))
    made = as_llvm(optimise(bound.stages[0].kernel))
    jit = Jit(DiskCache(tmp_path))

    def compile_some(names: range) -> None:
        for name in names:  # another text each time, which the cache does not know
            jit.compile(f"; {name}\n{made.text}", made.layout.external)

    compile_some(range(5))
    before = _in_use()
    compile_some(range(5, 25))
    assert (_in_use() - before) / 20 < 40_000
