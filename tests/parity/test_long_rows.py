"""Rows that are longer than what a block of threads holds: sorted, and added up along them."""

from __future__ import annotations

import numpy as np
import pytest

import treadle

# Others merge and walk, as tests/parity/test_without_routines.py and test_kernels.py do there.
DEVICES = pytest.mark.parametrize("device", ["cpu", "cuda"], indirect=True)
SHAPES = [(1, 20_001), (3, 4097), (2, 5, 4096), (4, 700), (30, 100)]
DTYPES = ["f32", "f64", "s32", "s64", "u32", "u8"]


def numbers(shape, dtype):
    """Every kind of number that a type has, with ties."""
    rng = np.random.default_rng(3)
    kind = treadle.DType(dtype).numpy
    if not dtype.startswith("f"):
        info = np.iinfo(kind)
        made = rng.integers(info.min, info.max, shape, kind, endpoint=True)
        return np.where(rng.random(shape) < 0.3, kind.type(7), made)
    made = (rng.standard_normal(shape) * 10.0 ** rng.integers(-30, 30, shape)).astype(kind)
    for chance, value in ((0.02, np.nan), (0.02, np.inf), (0.02, -np.inf), (0.1, 0), (0.1, -0.0)):
        made[rng.random(shape) < chance] = value
    return made


@DEVICES
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sort(device, dtype, descending):
    if treadle.DType(dtype) not in device.limits.dtypes:
        pytest.skip(f"no {dtype} here")
    for shape in SHAPES if dtype == "f32" else SHAPES[:1]:
        x = numbers(shape, dtype)
        given = device.buffer(x)
        out = device.run_kernel("sort", [given], descending=descending).to_numpy()
        wanted = np.sort(x, axis=-1)
        np.testing.assert_array_equal(out, wanted[..., ::-1] if descending else wanted)
        np.testing.assert_array_equal(given.to_numpy(), x)
    device.run_kernel("sort", [given], given, descending=descending)  # in place
    np.testing.assert_array_equal(given.to_numpy(), out)


@DEVICES
@pytest.mark.parametrize("dtype", ["bool", "s8", "s16", "u16", "f16", "bf16"])
def test_order_of_what_is_stored_in_few_bits(device, dtype):
    x = np.random.default_rng(4).integers(0, 2 if dtype == "bool" else 100, (2, 6000))
    given = device.buffer(x.astype(treadle.DType(dtype).numpy), dtype=dtype)
    got = device.run_kernel("sort", [given])
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.to_numpy().astype(int), np.sort(x, -1))
    wanted = np.argsort(-x, -1, kind="stable")
    places = device.run_kernel("argsort", [given], descending=True)
    np.testing.assert_array_equal(places.to_numpy(), wanted)
    values, places = device.run_kernel("top_k", [given], k=9)
    assert values.dtype == dtype
    np.testing.assert_array_equal(places.to_numpy(), wanted[:, :9])


@DEVICES
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_argsort(device, dtype, descending):
    if treadle.DType(dtype) not in device.limits.dtypes:
        pytest.skip(f"no {dtype} here")
    for shape in SHAPES if dtype == "f32" else SHAPES[:1]:
        x = numbers(shape, dtype)
        got = device.run_kernel("argsort", [device.buffer(x)], descending=descending).to_numpy()
        whole = np.unique(x, return_inverse=True)[1].reshape(shape).astype(np.int64)
        wanted = np.argsort(-whole if descending else whole, axis=-1, kind="stable")
        np.testing.assert_array_equal(got, wanted)


@DEVICES
@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_top_k(device, dtype, largest):
    for shape, k in (((3, 4097), 10), ((2, 5000), 1000), ((1, 70_000), 3), ((4, 700), 700)):
        x = numbers(shape, dtype)
        values, places = device.run_kernel("top_k", [device.buffer(x)], k=k, largest=largest)
        # Stable, NaN as the largest, and zeros of either sign equal: as whole numbers in order.
        order = np.unique(x, return_inverse=True)[1].reshape(shape).astype(np.int64)
        wanted = np.argsort(-order if largest else order, axis=-1, kind="stable")[:, :k]
        np.testing.assert_array_equal(places.to_numpy(), wanted)
        taken = np.take_along_axis(x, wanted, -1)
        np.testing.assert_array_equal(values.to_numpy(), taken)
        if dtype.startswith("f"):
            np.testing.assert_array_equal(np.signbit(values.to_numpy()), np.signbit(taken))


@DEVICES
@pytest.mark.parametrize("dtype", DTYPES)
def test_cumsum(device, dtype):
    kinds = device.limits.dtypes
    sums = dtype if dtype.startswith("f") else "s64"
    if not {treadle.DType(dtype), treadle.DType(sums)} <= kinds:
        pytest.skip(f"no {dtype} or {sums} here")
    rng = np.random.default_rng(4)
    for shape in SHAPES:
        x = rng.integers(0, 50, shape).astype(treadle.DType(dtype).numpy)
        out = device.run_kernel("cumsum", [device.buffer(x)]).to_numpy()
        np.testing.assert_array_equal(out, np.cumsum(x, axis=-1, dtype=out.dtype))  # all exact


@DEVICES
def test_sums_of_floats_stay_near_the_true_ones(device):
    x = np.random.default_rng(5).standard_normal((1, 100_003)).astype(np.float32)
    out = device.run_kernel("cumsum", [device.buffer(x)]).to_numpy().astype(np.float64)
    exact = np.cumsum(x, dtype=np.float64)
    magnitudes = np.cumsum(np.abs(x), dtype=np.float64)
    assert (np.abs(out[0] - exact) <= 1e-6 * magnitudes).all()
