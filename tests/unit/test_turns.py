"""Loops over constants: which are written out when a kernel is lowered, and which stay loops."""

from __future__ import annotations

import numpy as np

import treadle
from bound import evaluate
from kernel_text import define
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.nodes import For, statements
from treadle.lang import registry
from treadle.lang.evaluate import Statements


@treadle.kernel(static=("r",))
def _weighted(at, image, *, r):
    y, x = at
    total = 0.0
    for dy in range(-r, r + 1):
        for dx in range(-r, r + 1):
            total += image[y + dy, x + dx] * (dy * dy + dx)
    return total


@treadle.kernel(static=("r", "weights"))
def _looked_up(at, image, *, r, weights):
    y, x = at
    total = 0.0
    for dy in range(-r, r + 1):
        for dx in range(-r, r + 1):
            total += image[y + dy, x + dx] * weights[dy + r]
    return total


def _loops(kernel, **params):
    bound = kernel.bind((Spec((40, 50), DType.F32),), None, *kernel.arguments(params))
    return [s for s in statements(bound.stages[0].kernel.form.block.body) if isinstance(s, For)]


def test_loops_that_are_long_together_stay_loops():
    assert not _loops(_weighted, r=3)
    (outer,) = _loops(_weighted, r=8)  # the inner one is short enough by itself
    assert (outer.start.value, outer.stop.value) == (-8, 9)
    image = np.random.default_rng(1).normal(size=(5, 6)).astype(np.float32)
    pads = np.pad(image, 8, "edge").astype(float)
    want = sum(
        pads[8 + dy : 13 + dy, 8 + dx : 14 + dx] * (dy * dy + dx)
        for dy in range(-8, 9)
        for dx in range(-8, 9)
    )
    np.testing.assert_allclose(evaluate(_weighted, image, r=8), want, rtol=1e-4, atol=1e-3)


def test_a_nest_with_a_long_body_stays_one_sooner():
    for radius, kept in ((4, 0), (5, 1)):
        denoise = registry.lookup("denoise")
        bound = denoise.bind(
            (Spec((40, 50, 3), DType.U8),), None, *denoise.arguments({"radius": radius})
        )
        body = bound.stages[0].kernel.form.block.body
        assert sum(isinstance(s, For) for s in statements(body)) == kept


def test_loops_over_what_only_constants_can_index_are_written_out():
    assert not _loops(_looked_up, r=8, weights=tuple(float(k) for k in range(17)))


def test_the_body_of_a_nest_is_evaluated_twice_for_each_of_its_loops(monkeypatch):
    """Once for types and once with them. A third time would be 27 for three loops."""
    evaluated, iteration = [], Statements.iteration

    def counted(self, stmt, *others):
        evaluated.append(stmt.target.id)
        return iteration(self, stmt, *others)

    monkeypatch.setattr(Statements, "iteration", counted)
    kernel = define(
        "def f(at, x):\n"
        "    n = 0\n"
        "    for i in range(x.shape[0]):\n"
        "        for j in range(x.shape[0]):\n"
        "            for k in range(x.shape[0]):\n"
        "                n += i * j + k\n"
        "    return n\n",
        treadle.kernel(shape=lambda x: (2,), dtype="s32"),
    )
    with treadle.use_device("reference"):
        found = treadle.run_kernel(kernel, [treadle.buffer_zeros(7)]).read_list()
    assert found == [sum(i * j + k for i in range(7) for j in range(7) for k in range(7))] * 2
    assert {name: evaluated.count(name) for name in "ijk"} == {"i": 2, "j": 4, "k": 8}
