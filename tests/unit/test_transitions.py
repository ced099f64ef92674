"""A scan's elements: summed up where they can be, and summed up rightly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import scans
import treadle
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.interpret import interpret
from treadle.ir.nodes import Block, Kernel, Local, Map, Param, Scan, Tensor
from treadle.ir.rewrite import rewrite_block
from treadle.ir.verify import verify
from treadle.passes import optimise
from treadle.passes.transitions import transition_of
from treadle.runtime.informed import describe

KINDS = {
    scans.total: "sums",
    scans.product: "products",
    scans.largest: "largest ones",
    scans.smallest: "smallest ones",
    scans.count_and_largest: "sums and largest ones",
    scans.leaky: "a linear recurrence",
    scans.leaky_from: "a linear recurrence",
    scans.section: "a linear recurrence",
    scans.third_order: "a linear recurrence",
    scans.last_seen: "as declared",
}


def lowered(definition, *dtypes: str) -> Kernel:
    key, values = definition.arguments({})
    given = dtypes or ("f32",) * len(definition.inputs)
    specs = tuple(Spec((9,), DType(dtype)) for dtype in given)
    (stage,) = definition.bind(specs, None, key, values).stages
    return optimise(stage.kernel)


def form_of(kernel: Kernel) -> Scan:
    assert isinstance(kernel.form, Scan)
    return kernel.form


@pytest.mark.parametrize("definition", KINDS, ids=lambda d: d.name)
def test_it_is_found(definition):
    found = transition_of(form_of(lowered(definition)))
    assert found is not None
    assert found.kind == KINDS[definition]


def test_bits_are_found():
    found = transition_of(form_of(lowered(scans.parity, "s32")))
    assert found is not None
    assert (found.kind, found.rounds) == ("bits", False)


def test_a_factor_of_each_element_is_found():
    found = transition_of(form_of(lowered(scans.weighted)))
    assert found is not None
    assert found.kind == "a linear recurrence"


@treadle.scan(init=0.0)
def rounded(state, x):
    """A sum of whole numbers: adding a large number and taking it away rounds."""
    return (state + x + 12582912.0) - 12582912.0, state


@treadle.scan(init=0.0)
def squared(state, x):
    return state * state + x, state


@treadle.scan(init=0.0)
def divided(state, x):
    return x / (state + 1.0), state


@treadle.scan(init=0.0)
def until(state, x):
    while state > 1.0:
        state = state / 2.0
    return state + x, state


@treadle.scan(init=(0.0, 0.0, 0.0, 0.0))
def fourth_order(state, x):
    a, b, c, d = state
    return (x + d, a, b, c), a


@pytest.mark.parametrize(
    "definition",
    [scans.follower, scans.kept_loss, rounded, squared, divided, until, fourth_order],
    ids=lambda d: d.name,
)
def test_what_cannot_be_summed_up_is_not(definition):
    assert transition_of(form_of(lowered(definition))) is None


def pure(block: Block, *args: float) -> list[float]:
    """The results of a block that reads nothing, for numbers in f32."""
    params = tuple(Param(arg.name, arg.dtype) for arg in block.args)
    names = {p.name: p for p in params}
    body = rewrite_block(
        block, lambda e: names.get(e.name, e) if isinstance(e, Local) and e.name in names else e
    )
    found = []
    for result in body.results:
        kernel = Kernel(
            "pure", (), (), (Tensor("out", result.dtype, ()),), params,
            Map(Block((), body.body, (result,))),
        )  # fmt: skip
        given = dict(zip(names, args, strict=True))
        found.append(float(interpret(kernel, [], {}, given)[0].item()))
    return found


def walked(kernel: Kernel, init, block: Block, arrays, params) -> list[float]:
    """The last results of a block that carries all of them from element to element."""
    results = block.results[: len(init)]
    outputs = tuple(Tensor(f"out{k}", r.dtype, kernel.space) for k, r in enumerate(results))
    step = Block(block.args, block.body, (*results, *results))
    form = Scan(form_of(kernel).axis, init, step)
    made = replace(kernel, outputs=outputs, form=form)
    verify(made)
    sizes = dict.fromkeys(kernel.symbols, len(arrays[0]))
    return [float(out.item(-1)) for out in interpret(made, arrays, sizes, params)]


@pytest.mark.parametrize("definition", [*KINDS, scans.weighted], ids=lambda d: d.name)
def test_summaries_lead_where_the_elements_do(definition):
    kernel = lowered(definition)
    form = form_of(kernel)
    found = transition_of(form)
    assert found is not None
    rng = np.random.default_rng(5)
    arrays = [rng.uniform(-1, 1, 40).astype(np.float32) for _ in kernel.inputs]
    _, values = definition.arguments({})
    params = dict(zip((p.name for p in kernel.params), values, strict=True))
    first, second, whole = (
        walked(kernel, found.init, found.follow, [a[part] for a in arrays], params)
        for part in (slice(17), slice(17, 40), slice(40))
    )
    both = pure(found.combine, *first, *second)
    np.testing.assert_allclose(both, whole, rtol=1e-5, atol=1e-6)
    start, none = ([float(c.value) for c in init] for init in (form.init, found.init))
    want = walked(kernel, form.init, form.step, arrays, params)
    np.testing.assert_allclose(pure(found.apply, *start, *both), want, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(pure(found.combine, *none, *both), both)


def test_kernel_info_says_which_it_is():
    def lines(definition) -> str:
        return describe(definition).lines

    assert lines(scans.section) == "long ones in pieces that are summed up: a linear recurrence"
    assert lines(scans.parity) == "long ones in pieces that are summed up: bits"
    assert lines(scans.follower) == "each from its first element to its last"
    assert "\n  lines: long ones in pieces" in str(describe(scans.total))
    assert treadle.kernel_info("relu").lines == treadle.kernel_info("resize").lines == ""
    named = {name: treadle.kernel_info(name).lines for name in ("cumprod", "dynamics_compress")}
    assert named["cumprod"] == "long ones in pieces that are summed up: products"
    assert named["dynamics_compress"] == "each from its first element to its last"
