"""Running sums as CUDA text: how lines are cut, and what the text computes on the host. No GPU is
needed."""

from __future__ import annotations

import numpy as np
import pytest

import cuda_host
from scheduled import as_cuda
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.lang.registry import lookup
from treadle.passes import optimise

needs_host = pytest.mark.skipif(cuda_host.COMPILER is None, reason="g++ is not installed")


def stage(shape, dtype, axis=-1):
    """The kernel that a device with the routine gets, and its sizes."""
    cumsum = lookup("cumsum")
    first = cumsum.bind((Spec(shape, dtype),), None, *cumsum.arguments({"axis": axis})).stages[0]
    kernel = optimise(first.kernel)
    return kernel, dict(zip(kernel.symbols, first.dims, strict=True))


def test_a_long_line_is_cut_and_a_short_one_is_a_threads_own():
    kernel, sizes = stage((3, 10_000), DType.F32)
    measure = as_cuda(kernel).layout.measure
    geometry = measure(sizes)
    assert [(call.entry, call.grid) for call in geometry.calls] == [
        ("treadle_tiles", 9),
        ("treadle_carry", 3),
        ("treadle_run", 9),
    ]
    assert geometry.scratch == 3 * 3 * 4
    assert sorted(sizes.values()) == [3, 10_000]
    symbols = {size: symbol for symbol, size in sizes.items()}
    shorter = measure({symbols[3]: 1000, symbols[10_000]: 4096})
    assert [(call.entry, call.grid) for call in shorter.calls] == [("treadle_run", 1000)]
    shortest = measure({symbols[3]: 1000, symbols[10_000]: 20})
    assert [(call.entry, call.grid) for call in shortest.calls] == [("treadle_lines", 4)]
    assert shortest.scratch == 0


def test_another_axis_is_walked_along_by_threads_where_lines_are_short():
    kernel, sizes = stage((30, 40), DType.F32, axis=0)
    geometry = as_cuda(kernel).layout.measure(sizes)
    assert [call.entry for call in geometry.calls] == ["treadle_scan"]


CASES = [
    ((2, 9001), DType.F32),
    ((1, 4096), DType.F32),
    ((3, 5, 33), DType.F32),
    ((500, 3), DType.F32),
    ((2, 3001), DType.F64),
    ((2, 3001), DType.U8),
]


@needs_host
@pytest.mark.parametrize("shape, dtype", CASES, ids=str)
def test_the_text_adds_up(shape, dtype):
    kernel, sizes = stage(shape, dtype)
    rng = np.random.default_rng(5)
    x = rng.integers(0, 100, shape).astype(dtype.numpy)  # sums of whole numbers are exact
    (got,) = cuda_host.run(kernel, [x], sizes, {})
    wanted = np.cumsum(x, axis=-1, dtype=got.dtype)
    np.testing.assert_array_equal(got.reshape(shape), wanted)


@needs_host
def test_what_is_infinite_or_no_number_stays_so_from_there_on():
    kernel, sizes = stage((1, 6000), DType.F32)
    x = np.ones((1, 6000), np.float32)
    x[0, 100], x[0, 5000] = np.inf, np.nan
    (got,) = cuda_host.run(kernel, [x], sizes, {})
    np.testing.assert_array_equal(got.reshape(x.shape), np.cumsum(x, axis=-1))
