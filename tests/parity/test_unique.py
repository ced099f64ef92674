"""`unique` beside np.unique, on the CPU's way over parts of the elements and on every device's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import treadle
from treadle.backends.cpu import ordering
from treadle.backends.cpu.routines import ROUTINES

DTYPES = st.sampled_from([np.float32, np.float64, np.int32, np.int64, np.uint8, np.bool_])
ELEMENTS = arrays.arrays(
    DTYPES, arrays.array_shapes(max_dims=2, max_side=40), elements={"min_value": 0, "max_value": 9}
)


@settings(max_examples=60, deadline=None)
@given(ELEMENTS, st.data())
def test_any_elements(x, data):
    if x.dtype.kind == "f":
        lost = data.draw(arrays.arrays(np.int8, x.shape, elements=st.integers(-4, 4)))
        x[lost == 0] = np.nan
        x[lost < 0] *= -1
    with treadle.use_device("cpu"):
        made = treadle.run_kernel("unique", [treadle.buffer(x)], counts=True, inverse=True)
    values, number, counts, inverse = (each.to_numpy() for each in made)
    want, places, often = np.unique(x, return_inverse=True, return_counts=True)
    np.testing.assert_array_equal(values[:number], want)
    np.testing.assert_array_equal(counts[:number], often)
    assert not counts[number:].any()
    np.testing.assert_array_equal(inverse, places)


@pytest.mark.parametrize("parts", [1, 3, 7])
@pytest.mark.parametrize("different", [1, 5, 400])
def test_parts_of_the_elements_are_looked_up_a_few_at_a_time(monkeypatch, parts, different):
    monkeypatch.setattr(ordering, "_SOUGHT", 16)
    monkeypatch.setattr(ordering, "_AT_A_TIME", 9)
    rng = np.random.default_rng(different)
    x = rng.integers(0, different, (20, 50)).astype(np.float32)
    x[rng.random(x.shape) < 0.1] = np.nan
    values, inverse = np.unique(x, return_inverse=True)
    row = np.pad(values, (0, x.size - len(values)), mode="edge")
    out = np.full(x.shape, -1, np.int32)
    for part in range(parts):
        ROUTINES["inverse"].run([out], [x, row], (), part, parts)
    np.testing.assert_array_equal(out, inverse)
    places = np.full(x.size, -1, np.int32)
    ordered = np.sort(x, axis=None)
    ROUTINES["distinct"].run([places], [ordered], (), 0, 1)
    np.testing.assert_array_equal(ordered[places[: len(values)]], values)
    assert (places[len(values) :] == x.size).all()
