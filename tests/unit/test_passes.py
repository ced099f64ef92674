"""Passes keep a kernel's meaning; bounds prove what can be proved and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from bound import evaluate
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.nodes import Load, expressions
from treadle.lang.registry import lookup
from treadle.passes import optimise
from treadle.passes.inplace import elementwise


@treadle.kernel
def flipped(at, x):
    y, i = at
    return x[y, x.shape[1] - 1 - i]


@treadle.kernel
def swapped(at, x):
    y, i = at
    return x[i, y]


@treadle.kernel
def shifted(at, x):
    y, i = at
    return x[y, i + 1] + x[y - 1, i] + x[y, i]


@treadle.kernel
def guarded(at, x):
    y, i = at
    return x[max(y - 1, 0), min(i + 1, x.shape[1] - 1)]


@treadle.kernel
def summed(at, x):
    y, i = at
    acc = 0.0
    for k in range(i, x.shape[1]):
        acc += x[y, k]
    for k in range(1, x.shape[1] + 1):
        acc += x[y, k]
    return acc


@treadle.kernel
def looked_up(at, x):
    y, i = at
    return x[y, int(x[y, i])]


@treadle.pointwise
def plain(x, y):
    return x + y


def kernel_of(definition, *shapes, dtypes=None):
    specs = tuple(
        Spec(s, d) for s, d in zip(shapes, dtypes or [DType.F32] * len(shapes), strict=True)
    )
    return optimise(definition.bind(specs, None, *definition.arguments({})).stages[0].kernel)


def proofs(kernel):
    loads = [n for b in kernel.blocks for n in expressions(b) if isinstance(n, Load)]
    return [load.inside for load in loads]


@pytest.mark.parametrize(
    "definition, shape, expected",
    [
        (flipped, (6, 7), [(True, True)]),
        (swapped, (6, 7), [(False, False)]),
        (swapped, (6, 6), [(True, True)]),
        (shifted, (6, 7), [(True, False), (False, True), (True, True)]),
        (guarded, (6, 7), [(True, True)]),
        (summed, (6, 7), [(True, True), (True, False)]),
        (looked_up, (6, 7), [(True, False), (True, True)]),
    ],
)
def test_bounds(definition, shape, expected):
    assert proofs(kernel_of(definition, shape)) == expected


@settings(max_examples=60, deadline=None)
@given(
    offset=st.integers(-4, 4),
    factor=st.integers(-2, 2),
    height=st.integers(1, 6),
    width=st.integers(1, 6),
)
def test_a_proved_index_is_in_range(offset, factor, height, width):
    @treadle.kernel(static=("offset", "factor"))
    def probe(at, x, *, offset, factor):
        y, i = at
        return x[y + offset, i * factor + offset]

    specs = (Spec((height, width), DType.F32),)
    key, values = probe.arguments({"offset": offset, "factor": factor})
    kernel = optimise(probe.bind(specs, None, key, values).stages[0].kernel)
    (inside,) = proofs(kernel)
    rows = [y + offset for y in range(height)]
    columns = [i * factor + offset for i in range(width)]
    assert not inside[0] or all(0 <= r < height for r in rows)
    assert not inside[1] or all(0 <= c < width for c in columns)


@pytest.mark.parametrize("definition", [flipped, shifted, guarded, summed, looked_up])
def test_passes_keep_the_meaning(definition):
    x = np.random.default_rng(3).integers(0, 9, (5, 8)).astype(np.float32)
    np.testing.assert_array_equal(evaluate(definition, x), evaluate(definition, x, optimised=False))


def test_only_elementwise_inputs_may_share_memory_with_the_output():
    assert elementwise(kernel_of(plain, (6, 7), (6, 7))) == (True, True)
    assert elementwise(kernel_of(plain, (6, 7), (1, 7))) == (True, False)
    assert elementwise(kernel_of(plain, (6, 7), (6, 7), dtypes=[DType.F64, DType.F32])) == (
        True,
        False,
    )
    assert elementwise(kernel_of(shifted, (6, 7))) == (False,)
    assert elementwise(kernel_of(lookup("softmax"), (6, 7))) == (False,)
