"""Pieces of a line, in whatever order they are summed up: every piece is walked once."""

from __future__ import annotations

import random
import struct
import threading

import numpy as np
import pytest

import scans
from scheduled import as_llvm
from treadle.backends.cache import DiskCache
from treadle.backends.cpu.jit import Jit
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.passes import optimise

LENGTH = 60_000


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    """The code of a running sum of integers, its geometry, and its kernel."""
    definition = scans.total
    key, values = definition.arguments({})
    bound = definition.bind(
        (Spec((LENGTH,), DType.S32),), (Spec((LENGTH,), DType.S32),), key, values
    )
    (stage,) = bound.stages
    source = as_llvm(optimise(stage.kernel))
    sizes = dict(zip(stage.kernel.symbols, stage.dims, strict=True))
    jit = Jit(DiskCache(tmp_path_factory.mktemp("code")))
    assert source.layout.streamed is not None
    variant = source.layout.streamed()
    made = jit.compile(variant.text, variant.layout.external)
    return made, source.layout.measure(sizes), list(sizes.values())


def block_of(geometry, dims, out, x, scratch) -> bytes:
    numbers = [scratch.ctypes.data, out.ctypes.data, x.ctypes.data, *dims, *geometry.values]
    return struct.pack(f"={len(numbers)}q", *numbers)


@pytest.mark.parametrize("seed", range(4))
def test_units_may_come_in_any_order(code, seed):
    made, geometry, dims = code
    assert geometry.units > 4
    x = np.random.default_rng(seed).integers(-100, 100, LENGTH, dtype=np.int32)
    out, scratch = np.zeros_like(x), np.zeros(geometry.scratch, np.uint8)
    units = list(range(geometry.units))
    if seed:
        random.Random(seed).shuffle(units)
    else:
        units.reverse()
    block = block_of(geometry, dims, out, x, scratch)
    for unit in units:
        made.run(block, unit, unit + 1)
    np.testing.assert_array_equal(out, np.cumsum(x, dtype=np.int32))


def test_units_of_several_threads(code):
    made, geometry, dims = code
    x = np.random.default_rng(9).integers(-100, 100, LENGTH, dtype=np.int32)
    for _ in range(20):
        out, scratch = np.zeros_like(x), np.zeros(geometry.scratch, np.uint8)
        block = block_of(geometry, dims, out, x, scratch)

        def work(first: int, block: bytes = block) -> None:
            for unit in range(first, geometry.units, 3):
                made.run(block, unit, unit + 1)

        threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_array_equal(out, np.cumsum(x, dtype=np.int32))
