"""Sums: integers exactly, in s64 or in what the output holds; floats within the declared
tolerance, however many there are and along whichever axis."""

from __future__ import annotations

import math

import numpy as np
import pytest

import treadle
from treadle.testing import ManualBackend

BYTES = np.full((101, 90_000), 255, np.uint8)  # more than an s32 can hold of them, at 255 each
LARGE = np.full((5, 1000), 2**31 - 1, np.int32)


def needs(device, *dtypes):
    """Skip where the device declares that it lacks a type."""
    lacks = [d for d in dtypes if d not in device.limits.dtypes]
    if lacks:
        pytest.skip(f"{device} declares that it has no {', '.join(lacks)}")


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("x", [BYTES, LARGE, LARGE.astype(np.uint32), LARGE.astype(np.int64)])
def test_integers_add_up_in_s64(device, x, axis):
    needs(device, "s64")
    got = treadle.run_kernel("reduce_sum", [treadle.buffer(x)], axis=axis)
    assert got.dtype == "s64"
    np.testing.assert_array_equal(got.to_numpy(), x.sum(axis, dtype=np.int64))


@pytest.mark.parametrize("dtype", ["s32", "u32", "u8", "f32"])
def test_sums_in_other_outputs(device, dtype):
    needs(device, *(("s64",) if dtype in ("u8", "f32") else ()))
    out = treadle.empty((5,), dtype)
    treadle.run_kernel("reduce_sum", [treadle.buffer(LARGE)], out, axis=1)
    exact = LARGE.sum(1, dtype=np.int64)
    expected = np.clip(exact, 0, 255) if dtype == "u8" else exact
    np.testing.assert_array_equal(out.to_numpy(), expected.astype(out.dtype.numpy))


@pytest.mark.parametrize("x", [BYTES[:2], LARGE[:2]])
def test_running_sums_of_integers(device, x):
    needs(device, "s64")
    x = x[:, :40_000]
    got = treadle.run_kernel("cumsum", [treadle.buffer(x)])
    assert got.dtype == "s64"
    np.testing.assert_array_equal(got.to_numpy(), x.cumsum(1, dtype=np.int64))
    narrow = treadle.empty(x.shape, "s32")
    treadle.run_kernel("cumsum", [treadle.buffer(x)], narrow)
    np.testing.assert_array_equal(narrow.to_numpy(), x.cumsum(1, dtype=np.int64).astype(np.int32))


def test_users_sums_and_products_are_wide_too(device):
    needs(device, "s64")

    @treadle.reduction(init=0)
    def total(a, b):
        both = a + b
        return both

    @treadle.reduction(init=1)
    def product(a, b):
        return a * b

    @treadle.reduction(init=0)
    def largest(a, b):
        return max(a, b)

    @treadle.rowwise
    def row_total(row):
        return sum(row)

    @treadle.scan(init=0)
    def counted(count, x):
        count = count + (x if x > 0 else 0)
        return count, count

    x = treadle.buffer(LARGE[:, :4])
    exact = LARGE[:, :4].astype(np.int64)
    for kernel, expected in ((total, exact.sum(1)), (row_total, exact.sum(1))):
        got = treadle.run_kernel(kernel, [x], axis=1)
        assert got.dtype == "s64"
        np.testing.assert_array_equal(got.to_numpy(), expected)
    np.testing.assert_array_equal(
        treadle.run_kernel(product, [treadle.buffer([2**20, 2**20, 3])]).to_numpy(), 3 * 2**40
    )
    np.testing.assert_array_equal(treadle.run_kernel(counted, [x]).to_numpy(), exact.cumsum(1))
    assert treadle.run_kernel(largest, [x]).dtype == "s32"


@pytest.mark.parametrize("value", [1, 77, 255])
@pytest.mark.parametrize("shape", [(3,), (1001, 999), (4111, 4099)])
def test_the_mean_of_equal_bytes_is_that_byte(device, value, shape):
    needs(device, "s64")
    if device.name == "reference" and math.prod(shape) > 10**7:
        pytest.skip("the reference device is slow, and the same at a tenth of this")
    x = treadle.buffer(np.full(shape, value, np.uint8))
    for axis in (None, 0, -1):
        mean = treadle.run_kernel("reduce_mean", [x], axis=axis)
        assert mean.dtype == "f32"
        assert np.all(mean.to_numpy() == value)


def test_means_of_integers(device):
    needs(device, "s64")
    rng = np.random.default_rng(2)
    for x in (rng.integers(-(2**31), 2**31 - 1, (300, 700), dtype=np.int32), BYTES):
        got = treadle.run_kernel("reduce_mean", [treadle.buffer(x)], axis=1).to_numpy()
        np.testing.assert_allclose(got, x.mean(1), rtol=1e-7)
    whole = treadle.empty((), "s32")
    treadle.run_kernel("reduce_mean", [treadle.buffer(LARGE)], whole)
    assert whole.to_numpy() == 2**31 - 1

    @treadle.rowwise
    def centred(row):
        return row - mean(row)

    got = treadle.run_kernel(centred, [treadle.buffer(BYTES)])
    assert got.dtype == "f32"
    assert not got.to_numpy().any()


def test_products_of_matrices_of_integers(device):
    needs(device, "s64")
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 256, (3, 500), dtype=np.uint8), rng.integers(0, 256, (500, 4), np.uint8)
    exact = a.astype(np.int64) @ b.astype(np.int64)
    got = treadle.run_kernel("matmul", [treadle.buffer(a), treadle.buffer(b)])
    assert got.dtype == "s32"
    np.testing.assert_array_equal(got.to_numpy(), exact)
    wide = [x.astype(np.int32) * 100_003 for x in (a, b)]
    out = treadle.empty((3, 4), "s64")
    treadle.run_kernel("matmul", [treadle.buffer(x) for x in wide], out)
    np.testing.assert_array_equal(out.to_numpy(), exact * 100_003**2)
    out = treadle.empty((3, 4), "f32")
    treadle.run_kernel("matmul", [treadle.buffer(x) for x in wide], out)
    np.testing.assert_allclose(out.to_numpy(), exact * 100_003.0**2, rtol=1e-5)


def test_a_device_without_s64_says_what_to_do():
    device = treadle.Device(ManualBackend(dtypes=("f32", "s32", "u32", "u8")))
    x = device.empty((4,), "u8")
    for kernel in ("reduce_sum", "cumsum", "reduce_mean"):
        with pytest.raises(treadle.LaunchError, match=r"needs dtype s64.*output of s32 or u32"):
            device.submit(kernel, [x])
    device.submit("reduce_sum", [x], device.empty((), "s32"))
    device.submit("cumsum", [x], device.empty((4,), "s32"))
