"""Infinities, NaN and overflow are results: nothing warns about them, whichever library computes,
and the numbers are NumPy's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import treadle

INF, NAN = np.inf, np.nan
ODD = np.array([[INF, 1, 2], [-INF, NAN, 0], [3e38, 0, 1], [0, -0.0, 1e-30]], np.float32)
NORMAL = np.random.default_rng(6).normal(size=(4, 3)).astype(np.float32)


@pytest.fixture(autouse=True)
def strict():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("other", [ODD, NORMAL], ids=["odd", "normal"])
@pytest.mark.parametrize("name", ["matmul", "dot"])
def test_products(device, name, other):
    right = np.ascontiguousarray(other.T) if name == "matmul" else other
    got = treadle.run_kernel(name, [treadle.buffer(ODD[:3]), treadle.buffer(right)]).to_numpy()
    with np.errstate(all="ignore"):
        expected = ODD[:3] @ other.T
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize(
    "name, params",
    [
        ("sort", {}),
        ("top_k", {"k": 2}),
        ("softmax", {}),
        ("layer_norm", {}),
        ("normalize", {}),
        ("cumsum", {}),
        ("reduce_sum", {}),
        ("reduce_mean", {"axis": 1}),
        ("log", {}),
        ("exp", {}),
        ("pow", {"exponent": 2.5}),
        ("scalar_mul", {"scalar": 1e30}),
        ("cast", {"dtype": "s32"}),
        ("cast", {"dtype": "u8"}),
        ("resample", {"from_rate": 2, "to_rate": 3}),
        ("quantize_int8", {}),
    ],
)
def test_other_kernels(device, name, params):
    treadle.run_kernel(name, [treadle.buffer(ODD)], **params)


def test_convolution(device):
    taps = np.array([INF, 1, NAN], np.float32)
    for impulse in (taps, np.ones(300, np.float32)):
        treadle.run_kernel("fft_convolve", [treadle.buffer(ODD), treadle.buffer(impulse)])


def test_a_table_that_does_not_fit_is_refused():
    assert treadle.constant([NAN, INF]).dtype == "f32"
    for values, dtype in (([1e40], None), ([NAN], "s32"), ([0.5], "s32"), ([300], "u8")):
        with pytest.raises(treadle.LaunchError, match="must fit"):
            treadle.constant(values, dtype)
