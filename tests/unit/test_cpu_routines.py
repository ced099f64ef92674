"""Library routines of the CPU on plain arrays: order with ties and NaN, convolution in pieces."""

from __future__ import annotations

import numpy as np
import pytest

from treadle.backends.cpu import routines
from treadle.backends.cpu.routines import ROUTINES

RNG = np.random.default_rng(8)


def expected(x, descending):
    """Stable positions in order; NaN counts as largest."""
    key = x.astype(np.float64)
    key = np.where(np.isnan(key), 1e300, key)
    return np.argsort(-key if descending else key, axis=-1, kind="stable")


def rows(dtype):
    x = RNG.integers(-30, 30, (6, 5000)).astype(np.float64)
    if dtype.startswith("f"):
        x[0, 7] = x[1, :4990] = x[2, :] = np.nan
        x[3, ::7], x[4, 5], x[4, 6] = -0.0, np.inf, -np.inf
    return (x if dtype.startswith("f") else x + 30).astype(dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "u4", "u1"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("limit", [1, 20, 4999, 5000])
def test_the_first_of_rows_and_where_they_were(dtype, descending, limit):
    x = rows(dtype)
    order = expected(x, descending)
    k = min(limit, 5000)
    values, places = np.empty((6, k), x.dtype), np.empty((6, k), np.int32)
    for part in range(3):
        ROUTINES["leading"].run([values, places], [x], (descending,), part, 3)
    np.testing.assert_array_equal(places, order[:, :k])
    np.testing.assert_array_equal(values, np.take_along_axis(x, order[:, :k], -1))
    if k == 5000:
        ROUTINES["places"].run([places], [x], (descending,), 0, 1)
        np.testing.assert_array_equal(places, order)


@pytest.mark.parametrize("frames, taps", [(1, 1), (5, 9), (3000, 700), (50, 20000), (30000, 40000)])
@pytest.mark.parametrize("parts", [2, 6])
@pytest.mark.parametrize("largest", [13, 17])
def test_convolution_in_blocks_and_pieces(monkeypatch, frames, taps, parts, largest):
    monkeypatch.setattr(routines, "_FFT_LARGEST", largest)
    x, impulse = RNG.normal(size=(frames, 2)), RNG.normal(size=(taps, 1))
    out = np.empty((frames + taps - 1, 2))
    for part in range(parts):
        ROUTINES["fft_convolve"].run([out], [x, impulse], (0.75,), part, parts)
    size = 1 << (frames + taps).bit_length()
    spectra = [np.fft.rfft(a, size, axis=0) for a in (x, impulse)]
    wanted = 0.75 * np.fft.irfft(spectra[0] * spectra[1], size, axis=0)[: len(out)]
    wanted[:frames] += 0.25 * x
    np.testing.assert_allclose(out, wanted, atol=1e-10 * taps)


@pytest.mark.parametrize("how", range(5))
@pytest.mark.parametrize("shared", [False, True])
def test_updates_in_their_order_and_none_outside(how, shared):
    """As a loop has it: the last of several wins, and places outside are left out."""
    x, updates = (RNG.normal(size=(4, 7, 3)).astype(np.float32) for _ in range(2))
    indices = RNG.integers(-9, 9, (4, 7, 1 if shared else 3)).astype(np.int64)
    want = x.copy()
    joins = (lambda a, b: b, np.add, np.multiply, np.maximum, np.minimum)
    for line, j, tail in np.ndindex(updates.shape):
        i = indices[line, j, 0 if shared else tail]
        if -7 <= i < 7:
            want[line, i, tail] = joins[how](want[line, i, tail], updates[line, j, tail])
    out = np.empty_like(x)
    for part in range(3):
        ROUTINES["scatter"].run([out], [x, indices, updates], (how,), part, 3)
    np.testing.assert_array_equal(out, want)
    rows = [each[:1] for each in (x, indices, updates)]
    one = np.empty_like(rows[0])
    ROUTINES["scatter"].run([one], rows, (how,), 0, 1)
    np.testing.assert_array_equal(one, want[:1])
