"""Scans as CUDA text: how lines are cut, and what it computes on the host. No GPU is needed."""

from __future__ import annotations

import numpy as np
import pytest

import cuda_host
import scans
from scheduled import as_cuda
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.passes import optimise

needs_host = pytest.mark.skipif(cuda_host.COMPILER is None, reason="g++ is not installed")


def stage(definition, shape, dtype=DType.F32, **params):
    """A scan's kernel, its sizes and its parameters."""
    key, values = definition.arguments(params)
    specs = (Spec(shape, dtype),) * len(definition.inputs)
    (first,) = definition.bind(specs, None, key, values).stages
    kernel = optimise(first.kernel)
    sizes = dict(zip(kernel.symbols, first.dims, strict=True))
    return kernel, sizes, dict(zip((p.name for p in kernel.params), values, strict=True))


def test_few_long_lines_are_cut_into_tiles():
    kernel, sizes, _ = stage(scans.section, (10_000, 2), axis=0)
    measure = as_cuda(kernel).layout.measure
    calls = measure(sizes).calls
    assert [(call.entry, call.grid) for call in calls] == [
        ("treadle_tiles", 10),
        ("treadle_carry", 2),
        ("treadle_run", 10),
    ]
    kernel, sizes, _ = stage(scans.section, (2000, 3), axis=0)
    calls = as_cuda(kernel).layout.measure(sizes).calls
    assert [(call.entry, call.grid) for call in calls] == [("treadle_run", 3)]
    kernel, sizes, _ = stage(scans.section, (2000, 20_000), axis=0)
    calls = as_cuda(kernel).layout.measure(sizes).calls
    assert [call.entry for call in calls] == ["treadle_scan"]


def test_what_cannot_be_summed_up_is_walked_by_a_thread():
    kernel, _, _ = stage(scans.follower, (10_000,))
    assert as_cuda(kernel).layout.entries == ("treadle_scan",)


@needs_host
@pytest.mark.parametrize("n", [100, 5001])
def test_the_text_of_integers(n):
    kernel, sizes, params = stage(scans.largest, (n,), DType.S32)
    x = np.random.default_rng(5).integers(-(2**31), 2**31, n, dtype=np.int32)
    (got,) = cuda_host.run(kernel, [x], sizes, params)
    np.testing.assert_array_equal(got, np.maximum.accumulate(x))


@needs_host
def test_the_text_of_a_biquad():
    kernel, sizes, params = stage(scans.section, (5001, 2), axis=0)
    x = np.random.default_rng(6).normal(size=(5001, 2)).astype(np.float32)
    x[4500, 1] = np.inf
    (got,) = cuda_host.run(kernel, [x], sizes, params)
    a1, a2, b0, b1, b2 = (float(np.float32(v)) for v in (-1.8, 0.9, 1.0, 0.5, 0.25))
    matrix, entry = np.array([[-a1, 1], [-a2, 0]]), np.array([b1 - a1 * b0, b2 - a2 * b0])
    for lane, many in ((0, 5001), (1, 4500)):
        states = scans.walked(matrix, entry, x[:many, lane])
        bound = scans.rounding(matrix, states, x[:many, lane], float(np.finfo(np.float32).eps))
        want = b0 * x[:many, lane] + states[:-1, 0]
        np.testing.assert_allclose(got.reshape(5001, 2)[:many, lane], want, rtol=0, atol=bound)
    assert got.reshape(5001, 2)[4500, 1] == np.inf
    assert not np.isfinite(got.reshape(5001, 2)[4500:, 1]).any()


@needs_host
@pytest.mark.parametrize("what", [np.inf, np.nan])
def test_the_text_of_what_is_not_finite(what):
    kernel, sizes, params = stage(scans.leaky, (6000,), decay=0.5)
    x = np.ones(6000, np.float32)
    x[3000] = what
    (got,) = cuda_host.run(kernel, [x], sizes, params)
    np.testing.assert_array_equal(got[3000:], np.full(3000, what, np.float32))
    np.testing.assert_allclose(got[100:3000], 2.0)


@needs_host
@pytest.mark.parametrize("dtype", [DType.F64, DType.S64, DType.S16, DType.U8])
def test_elements_of_every_size_go_through_a_tile(dtype):
    kernel, sizes, params = stage(scans.count_and_largest, (2, 5001), dtype)
    x = np.random.default_rng(9).integers(0, 100, (2, 5001)).astype(dtype.numpy)
    x[:, ::3] = 0
    count, largest = cuda_host.run(kernel, [x], sizes, params)
    np.testing.assert_array_equal(count[:, 1:], np.cumsum(x > 0, 1)[:, :-1])
    np.testing.assert_array_equal(largest[:, 1:], np.maximum.accumulate(x, 1)[:, :-1])
