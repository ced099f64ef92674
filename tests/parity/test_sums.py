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
    x = x[:, : 2_000 if device.info.backend == "reference" else 40_000]  # it walks in Python
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
    advice = r"needs dtype s64.*output of s32 or u32"
    for kernel in ("reduce_sum", "cumsum"):
        with pytest.raises(treadle.LaunchError, match=advice):
            device.submit(kernel, [x])
    with pytest.raises(treadle.LaunchError, match=advice):  # its output is f32: planning finds it
        device.run_kernel("reduce_mean", [x])
    device.submit("reduce_sum", [x], device.empty((), "s32"))
    device.submit("cumsum", [x], device.empty((4,), "s32"))


TENTH = np.full(1_000_000, 0.1, np.float32)
NOISE = np.random.default_rng(9).random(1_000_000, dtype=np.float32)
SHAPES = [
    ((1_000_000,), None),
    ((1_000_000, 1), 0),
    ((250_000, 4), 0),
    ((250_000, 4), 1),
    ((1000, 1000), 0),
    ((1000, 1000), 1),
    ((2, 500_000), 1),
    ((32_000, 31), None),
    ((100, 100, 100), (0, 2)),
]


@pytest.mark.parametrize("shape, axis", SHAPES)
@pytest.mark.parametrize("x", [TENTH, NOISE], ids=["tenth", "noise"])
def test_sums_of_floats_keep_to_the_tolerance(device, x, shape, axis):
    x = x[: math.prod(shape)].reshape(shape)
    if axis is None:
        exact = math.fsum(x.ravel().tolist())
    else:
        exact = x.astype(np.float64).sum(axis)
    tolerance = device.limits.tolerance["f32"]
    tolerance = tolerance or 2**-22  # the definition itself rounds, though in pairs
    buffer = treadle.buffer(x)
    total = treadle.run_kernel("reduce_sum", [buffer], axis=axis).to_numpy()
    np.testing.assert_allclose(total, exact, rtol=tolerance)
    count = x.size // max(np.size(exact), 1)
    mean = treadle.run_kernel("reduce_mean", [buffer], axis=axis).to_numpy()
    np.testing.assert_allclose(mean, exact / count, rtol=tolerance)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(1, 1_000_000), (250_000, 4), (1000, 1000)])
def test_rows_keep_to_the_tolerance(device, shape, axis):
    if shape[axis] < 1000:
        return
    x = TENTH.reshape(shape)
    buffer = treadle.buffer(x)
    tolerance = 4 * (device.limits.tolerance["f32"] or 2**-22)
    wide = x.astype(np.float64)
    shares = treadle.run_kernel("softmax", [buffer], axis=axis).to_numpy()
    np.testing.assert_allclose(shares, 1 / shape[axis], rtol=tolerance)
    unit = treadle.run_kernel("normalize", [buffer], axis=axis).to_numpy()
    length = np.sqrt((wide * wide).sum(axis, keepdims=True))
    np.testing.assert_allclose(unit, wide / length, rtol=tolerance)
    noise = NOISE.reshape(shape).astype(np.float64) + 100
    norm = treadle.run_kernel("layer_norm", [treadle.buffer(noise.astype(np.float32))], axis=axis)
    centred = noise - noise.mean(axis, keepdims=True)
    expected = centred / np.sqrt((centred * centred).mean(axis, keepdims=True) + 1e-5)
    np.testing.assert_allclose(norm.to_numpy(), expected, atol=2e-4)


def test_running_sums_of_floats_do_not_drift(device):
    for x in (TENTH[:10_000], NOISE[:10_000].reshape(2_500, 4)):
        got = treadle.run_kernel("cumsum", [treadle.buffer(x)], axis=0).to_numpy()
        exact = x.astype(np.float64).cumsum(0)
        np.testing.assert_allclose(got, exact, rtol=device.limits.tolerance["f32"] or 2**-22)
    odd = np.array([1, 2, np.inf, 3, -np.inf, 4, np.nan, 5], np.float32)
    got = treadle.run_kernel("cumsum", [treadle.buffer(odd)]).to_numpy()
    np.testing.assert_array_equal(got, [1, 3, np.inf, np.inf, np.nan, np.nan, np.nan, np.nan])
    steep = np.array([1, 1e8, 1, -1e8, 1e30, -1e30], np.float32)
    got = treadle.run_kernel("cumsum", [treadle.buffer(steep)]).to_numpy()
    scale = np.abs(steep).cumsum()
    assert np.all(np.abs(got - steep.astype(np.float64).cumsum()) <= 4e-7 * scale)
