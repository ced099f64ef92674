"""The bound itself: the true value is inside, also where it is as far out as it can be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from search import oracle
from treadle.search.bounds import code_queries, code_rows, words_of
from treadle.search.rounding import code_there


def bounds(rows, queries):
    """Bounds of what is compared, and what it truly is, in more than f64."""
    coded, asked = code_rows(rows), code_queries(queries)
    blocks = -(-len(rows) // 16)
    codes = np.full((blocks * 16, words_of(rows.shape[1])), 0x80808080, np.uint32)
    numbers = np.zeros((blocks * 16, 4), np.float32)
    codes[: len(rows)], numbers[: len(rows)] = coded
    codes, numbers = (
        np.ascontiguousarray(a.reshape(blocks, 16, -1).transpose(0, 2, 1)) for a in (codes, numbers)
    )
    low, high = oracle.bounds(codes, numbers, asked.words, asked.numbers)
    wide = rows.astype(np.longdouble)
    square = (wide * wide).sum(axis=1)
    true = square - 2 * queries.astype(np.longdouble) @ wide.T
    return low[:, : len(rows)], true, high[:, : len(rows)]


@pytest.mark.parametrize("dim", [1, 16, 128, 1000])
@pytest.mark.parametrize("side", [0.49, -0.49])
def test_rounding_that_all_goes_one_way(dim, side):
    """What rounding took away lies along the query, so that Cauchy and Schwarz give equality: a
    bound that is a thousandth too narrow loses the row."""
    rows = np.full((1, dim), 3.0 + side) / 127.0
    rows[0, 0] = 1.0
    ones = np.ones((1, dim))
    low, true, high = bounds(rows, ones)
    assert low <= true <= high
    turned = bounds(ones, rows)  # and what rounding took from the query
    assert turned[0] <= turned[1] <= turned[2]
    if dim > 100:
        width = float(high[0, 0] - low[0, 0])
        near = min(float(true[0, 0] - low[0, 0]), float(high[0, 0] - true[0, 0]))
        assert near < 0.02 * width  # so that the test would notice


@settings(max_examples=150, deadline=None)
@given(
    dim=st.integers(1, 70),
    seed=st.integers(0, 999),
    rows=st.floats(-90, 60),
    queries=st.floats(-90, 60),
    spread=st.sampled_from([0.0, 3.0, 40.0]),
)
def test_the_true_value_is_inside(dim, seed, rows, queries, spread):
    """Vectors of every length that f32 has in units of a table, and beyond: NaN and infinite bounds
    rule nothing out."""
    rng = np.random.default_rng(seed)

    def made(exponent, count):
        wide = rng.uniform(-spread, spread, (count, dim)) + exponent
        return rng.choice([-1.0, 0.0, 1.0, 0.3], (count, dim)) * np.exp2(wide)

    low, true, high = bounds(made(rows, 9), made(queries, 3))
    assert not (low > true).any()
    assert not (high < true).any()


def test_nothing_is_known_of_what_is_too_large():
    huge = np.full((1, 4), 1e30)
    low, _, high = bounds(huge, np.ones((1, 4)))
    assert not low > -np.inf
    assert not high < np.inf
    low, _, high = bounds(np.ones((1, 4)), huge)
    assert not low > -np.inf
    assert not high < np.inf


@pytest.mark.parametrize("dim", [1, 7, 32, 130])
def test_rows_that_a_device_rounds_lose_no_more_than_is_said(dim):
    rng = np.random.default_rng(dim)
    rows = rng.standard_normal((90, dim)) * np.exp(rng.uniform(-20, 20, (90, 1)))
    rows[3], rows[4], rows[5], rows[6] = 0.0, 1e-30, 3e38, rows[7]
    vectors = rows.astype(np.float32)
    mean, unit = rng.standard_normal(dim), 0.25
    found = code_there(treadle.device("cpu"), vectors, mean, unit)
    exact = (vectors.astype(np.float64) - mean) / unit
    here = code_rows(exact)
    fits = np.isfinite(here.numbers[:, 2])
    assert not fits.all()
    np.testing.assert_array_equal(found.numbers[~fits], here.numbers[~fits])
    np.testing.assert_allclose(found.numbers[fits], here.numbers[fits], rtol=1e-6)
    whole = found.words.view(np.uint8).astype(np.int64) - 128
    assert not whole[:, dim:].any()
    apart = exact - whole[:, :dim] * found.numbers[:, :1].astype(np.float64)
    wide = apart[fits].astype(np.longdouble)
    assert (np.sqrt((wide * wide).sum(axis=1)) <= found.numbers[fits, 2]).all()
    assert (np.sqrt((exact[fits] ** 2).sum(axis=1)) <= found.numbers[fits, 3]).all()
    assert (np.abs(whole).max(axis=1)[fits & (np.abs(exact).max(axis=1) > 2.0**-40)] == 127).all()
