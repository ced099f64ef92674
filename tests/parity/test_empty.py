"""Sizes of 0, on every backend: sums over nothing are zeros, and what nothing has is refused."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from kernel_text import define


def zeros(*shape, dtype="f32"):
    return treadle.buffer(np.zeros(shape, treadle.DType(dtype).numpy))


@pytest.mark.parametrize(
    "a, b", [((2, 0), (0, 3)), ((4, 2, 0), (4, 0, 3)), ((1, 0), (0, 1)), ((0, 2), (2, 3))]
)
@pytest.mark.parametrize("dtype", ["f32", "f64", "s32"])
def test_matmul(device, a, b, dtype):
    if dtype not in device.limits.dtypes:
        pytest.skip(f"{device.name} lacks {dtype}")
    pair = [zeros(*a, dtype=dtype), zeros(*b, dtype=dtype)]
    expected = np.zeros(a) @ np.zeros(b)
    fresh = treadle.run_kernel("matmul", pair)
    assert fresh.dtype == dtype
    np.testing.assert_array_equal(fresh.to_numpy(), expected)
    used = treadle.buffer(np.full(expected.shape, 7, treadle.DType(dtype).numpy))
    np.testing.assert_array_equal(treadle.run_kernel("matmul", pair, used).to_numpy(), expected)


@pytest.mark.parametrize("length", [4, 40])
def test_a_transposed_convolution_without_channels(device, length):
    """Its product of matrices reads nothing, and is fused with what adds up all the same."""
    got = treadle.run_kernel("conv_transpose", [zeros(1, 0, length), zeros(0, 2, 3)])
    np.testing.assert_array_equal(got.to_numpy(), np.zeros((1, 2, length + 2)))
    got = treadle.run_kernel("conv_transpose", [zeros(1, 4, length), zeros(4, 0, 3)])
    assert got.shape == (1, 0, length + 2)


@pytest.mark.parametrize("kernel", ["dot", "l2_distance", "l1", "linf", "hamming"])
def test_vectors_without_elements(device, kernel):
    dtype = "u8" if kernel == "hamming" else "f32"
    got = treadle.run_kernel(kernel, [zeros(2, 0, dtype=dtype), zeros(3, 0, dtype=dtype)])
    np.testing.assert_array_equal(got.to_numpy(), np.zeros((2, 3)))


def test_places_in_nothing(device):
    got = treadle.run_kernel("searchsorted", [zeros(0), zeros(2, 3)])
    np.testing.assert_array_equal(got.to_numpy(), np.zeros((2, 3)))


def test_a_histogram_of_nothing(device):
    assert not treadle.run_kernel("histogram", zeros(0, 0, dtype="u8")).to_numpy().any()


@pytest.mark.parametrize("kernel", ["argmax", "argmin"])
@pytest.mark.parametrize("shape, axis", [((0,), None), ((2, 0), 1), ((0, 3), 0), ((0, 3), (0, 1))])
def test_places_of_nothing_are_refused(device, kernel, shape, axis):
    with pytest.raises(treadle.LaunchError, match=f"{kernel}.* no elements along axis"):
        treadle.run_kernel(kernel, zeros(*shape), axis=axis)


@pytest.mark.parametrize("kernel", ["argmax", "argmin", "reduce_max", "reduce_mean", "reduce_sum"])
def test_no_results_of_something(device, kernel):
    got = treadle.run_kernel(kernel, zeros(2, 0), axis=0)
    assert got.shape == (0,)


@pytest.mark.parametrize(
    "kernel, expected",
    [("reduce_sum", 0), ("reduce_max", -np.inf), ("reduce_min", np.inf), ("reduce_mean", np.nan)],
)
def test_folds_of_nothing(device, kernel, expected):
    got = treadle.run_kernel(kernel, zeros(2, 0), axis=1).to_numpy()
    np.testing.assert_array_equal(got, np.full(2, expected, np.float32))


def test_what_is_read_must_be_there(device):
    with pytest.raises(treadle.LaunchError, match="nothing to read"):
        treadle.run_kernel("gather", [zeros(0), zeros(2, dtype="s32")])


def test_a_loop_that_never_runs_gives_types_all_the_same(device):
    text = (
        "def f(at, x, y):\n    i, = at\n    total = 0\n    for k in range(y.shape[0]):\n"
        "        total = total + y[k] * x[i]\n    return total\n"
    )
    kernel = define(text, treadle.kernel)
    got = treadle.run_kernel(kernel, [zeros(3), zeros(0)])
    assert (got.dtype, got.read_list()) == ("f32", [0.0, 0.0, 0.0])


def test_in_a_pipeline(device):
    out = treadle.buffer(np.full((2, 3), 9, np.float32))
    p = treadle.pipeline().add("matmul", [zeros(2, 0), zeros(0, 3)])
    p.add("scalar_add", p.last, out, scalar=1.0).run()
    np.testing.assert_array_equal(out.to_numpy(), np.ones((2, 3)))
