"""Fixed point, value by value: sums are as far off as their formats say and no further; and what
has no fixed form is refused with the reason."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from treadle.dtypes import DType
from treadle.ir.interpret import interpret
from treadle.ir.nodes import Axis, Block, Const, Kernel, Load, Map, Op, Tensor
from treadle.ir.verify import verify
from treadle.passes.fixed.linear import Absolute, Extreme, Linear, Pick, Product, Read
from treadle.passes.fixed.sums import Format, Lower

COUNT = 4096
NAMES = ("a", "b", "c", "d")
AT = (Axis(0),)


def sampled(bits: int, size: int, seed: int) -> np.ndarray:
    """Values of a tensor with some bits of fraction, up to a size: the ends come often."""
    rng = np.random.default_rng(seed)
    most = size << bits
    values = rng.integers(-most, most + 1, COUNT)
    ends = rng.random(COUNT) < 0.3
    return np.where(ends, rng.choice([-most, 0, most], COUNT), values).astype(np.int16)


def lowered(linear: Linear, formats: dict[str, Format], arrays: dict[str, np.ndarray]):
    """What a sum is in fixed point, as real numbers, and how it is held."""
    value = Lower(formats, ()).sum(linear)
    inputs = tuple(Tensor(name, DType.FIXED, (COUNT,)) for name in NAMES)
    made = Kernel("sum", (COUNT,), inputs, (Tensor("y", DType.FIXED, (COUNT,)),), (), _map(value))
    verify(made)
    (out,) = interpret(made, [arrays[name] for name in NAMES], {}, {})
    return out.astype(np.float64) * 2.0**-value.form.bits, value.form


def _map(value) -> Map:
    return Map(Block((), (), (value.expr,)))


WEIGHTS = st.one_of(
    st.sampled_from([1.0, -1.0, 0.5, -0.25, 3.0, 0.75, 1 / 3, 100.0, 1e-4]), st.floats(-4, 4)
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    weights=st.lists(WEIGHTS, min_size=4, max_size=4),
    bits=st.lists(st.integers(0, 6), min_size=4, max_size=4),
    constant=st.floats(-300, 300),
    kind=st.integers(0, 4),
    seed=st.integers(0, 1000),
)
def test_a_sum_is_off_by_no_more_than_it_says(weights, bits, constant, kind, seed):
    reads = {name: Read(Load(name, AT, DType.FIXED)) for name in NAMES}
    formats = {n: Format(b, (-255.0, 255.0)) for n, b in zip(NAMES, bits, strict=True)}
    arrays = {
        n: sampled(b, 255, seed + k) for k, (n, b) in enumerate(zip(NAMES, bits, strict=True))
    }
    real = {n: arrays[n] * 2.0**-b for n, b in zip(NAMES, bits, strict=True)}
    terms = tuple((reads[n], w) for n, w in zip(NAMES, weights, strict=True))
    linear = Linear(terms, constant)
    exact = sum(w * real[n] for n, w in zip(NAMES, weights, strict=True)) + constant
    inner, half = Linear(terms[:2], constant), Linear(terms[2:])
    left = sum(w * real[n] for n, w in zip(NAMES[:2], weights, strict=False)) + constant
    right = sum(w * real[n] for n, w in zip(NAMES[2:], weights[2:], strict=True))
    if kind == 1:
        linear, exact = (
            Linear(((Extreme("minimum", inner, half), 1.5),)),
            1.5 * np.minimum(left, right),
        )
    elif kind == 2:
        linear, exact = Linear(((Absolute(inner), -1.0),), 3.0), 3.0 - np.abs(left)
    elif kind == 3:
        linear, exact = Linear(((Product(inner, half), 0.01),)), 0.01 * left * right
    elif kind == 4:
        test = Op("lt", (Axis(0), Const(COUNT // 2, DType.S32)), DType.BOOL)
        linear = Linear(((Pick(test, inner, half), 1.0),))
        exact = np.where(np.arange(COUNT) < COUNT // 2, left, right)
    got, form = lowered(linear, formats, arrays)
    slack = 1e-9 * (1 + np.abs(exact).max())
    low, high = form.error
    assert np.all(got - exact >= low - slack)
    assert np.all(got - exact <= high + slack)
    assert np.all(got >= form.span[0] - slack)
    assert np.all(got <= form.span[1] + slack)


def test_errors_of_what_is_read_count():
    """A read that is a quarter off makes a sum of three of them with weight 2 one and a half."""
    formats = {name: Format(4, (0.0, 255.0), (-0.25, 0.125)) for name in NAMES}
    reads = [Read(Load(name, AT, DType.FIXED)) for name in NAMES[:3]]
    sum_ = Lower(formats, ()).sum(Linear(tuple((read, 2.0) for read in reads), noise=0.5))
    assert sum_.form.error == (-2.0, 1.25)


def test_equal_weights_share_a_product():
    formats = {name: Format(5, (0.0, 255.0)) for name in NAMES}
    reads = [Read(Load(name, AT, DType.FIXED)) for name in NAMES]
    value = Lower(formats, ()).sum(Linear(tuple((read, 0.3) for read in reads)))
    text = repr(value.expr)
    assert text.count("'mul'") == 1
    assert text.count("Load(") == 4


# Refusals. All by the plan's own words.


@treadle.kernel(dtype="u8")
def curved(at, x):
    return exp(x[at] * 0.01)


@treadle.kernel(dtype="u8")
def faded(at, x):
    y, i = at
    return x[y, i] * (i / 40.0)


@treadle.kernel(dtype="u8")
def picked(at, x):
    return x[at] * 0.5 if x[at] > 100 else 0.0


@treadle.kernel(dtype="u8")
def scattered(at, x):
    y, i = at
    return x[y, x[y, i]] * 0.5


@treadle.pointwise(dtype="u8")
def over(x, y):
    return x / (y + 1.0)


@treadle.pointwise(dtype="u8")
def dimmed(x, *, by=0.3):
    return x * by


@treadle.reduction(init=0.0)
def added_up(acc, x):
    return acc + x


@treadle.pointwise(name="fixed_huge", dtype="u8")
def huge(x):
    return ((x * 1e20) * 1e20) * 1e-40


@treadle.pointwise(name="fixed_tiny", dtype="u8")
def tiny(x):
    return (((x * 1e-30) * 1e-30) * 1e30) * 1e30


@treadle.pointwise(name="fixed_almost_nothing", dtype="u8")
def almost_nothing(x):
    return (x / 1e-39) * 1e-39


@pytest.mark.parametrize("kernel", [huge, tiny, almost_nothing], ids=lambda k: k.name)
def test_what_f32_cannot_hold_has_no_bound(kernel):
    plan = planned(kernel, tolerance=255)
    assert plan.groups[0].arithmetic.startswith("f32: ")
    assert plan.steps == 0


def planned(*stages, tolerance=1, dtype="u8", out="u8", inputs=1, device="cpu"):
    p = treadle.pipeline(device, tolerance=tolerance)
    source = p.device.buffer(np.zeros((30, 40), dtype if dtype != "u8" else np.uint8))
    current = [source] * inputs
    for kernel in stages[:-1]:
        p.add(kernel, current)
        current = p.last
    p.add(stages[-1], current, p.device.empty((30, 40), out))
    return p.plan()


REFUSED = {
    "f32: exp has no fixed form": lambda: planned(curved),
    "f32: a value made of coordinates has no fixed form": lambda: planned(faded),
    "f32: a condition or an index that depends on pixels has no fixed form": lambda: planned(
        picked
    ),
    "f32: it reads or writes f32, not u8": lambda: planned(dimmed, dtype="f4"),
    "f32: a division by what is read has no fixed form": lambda: planned(over, inputs=2),
    "f32: a bound of 1 step is above the tolerance 0.5": lambda: planned(dimmed, tolerance=0.5),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_refused_with_the_reason(reason):
    plan = REFUSED[reason]()
    assert [group.arithmetic for group in plan.groups] == [reason]
    assert f"\n     {reason}\n" in plan.explain()
    assert plan.steps == 0


@treadle.kernel(dtype="u8")
def framed(at, x, *, border=3):
    y, i = at
    return x[y, i - border] * 0.4 if i < border else x[y, i] * 0.7


def test_conditions_and_indices_may_depend_on_parameters():
    source = np.random.default_rng(2).integers(0, 256, (30, 90), np.uint8)
    found = []
    for tolerance in (0, 1):
        p = treadle.pipeline("cpu", tolerance=tolerance)
        out = p.device.empty(source.shape, "u8")
        p.add(framed, p.device.buffer(source), out, border=5).run()
        found.append(out.to_numpy().astype(int))
    assert p.plan().groups[0].arithmetic == "fixed point: at most 1 step off"
    assert np.abs(found[0] - found[1]).max() <= 1


def test_an_index_that_depends_on_pixels():
    assert "index that depends on pixels" in planned(scattered).groups[0].arithmetic


def test_results_beyond_u8_stay_exact():
    assert planned(dimmed, out="f32").groups[0].arithmetic == "f32: it reads or writes f32, not u8"


def test_reductions_stay_exact():
    p = treadle.pipeline("cpu", tolerance=9)
    x = p.device.buffer(np.ones((30, 40), np.uint8))
    plan = p.add(added_up, x, p.device.empty((), "u8"), {"axis": None}).plan()
    assert plan.groups[0].arithmetic == "f32: a reduce has no fixed form"


def test_what_a_later_group_reads_stays_exact():
    p = treadle.pipeline("cpu", tolerance=9)
    x, y, z = (p.device.buffer(np.ones((30, 40), np.uint8)) for _ in range(3))
    p.add(dimmed, x, y).barrier().add(dimmed, y, z)
    first, second = p.plan().groups
    assert first.arithmetic == "f32: a later group reads what it writes"
    assert second.arithmetic == "fixed point: at most 1 step off"


def test_what_a_later_group_reads_under_another_name_stays_exact():
    p = treadle.pipeline("cpu", tolerance=9)
    x, y, z = (p.device.buffer(np.ones((30, 40), np.uint8)) for _ in range(3))
    p.add(dimmed, x[0:20], y[0:20]).barrier().add(dimmed, y[10:30], z[0:20])
    assert p.plan().groups[0].arithmetic == "f32: a later group reads what it writes"


def test_exact_in_fixed_point_is_good_enough_for_later_groups():
    p = treadle.pipeline("cpu", tolerance=9)
    source = np.random.default_rng(4).integers(0, 256, (30, 70), np.uint8)
    x, y, z = p.device.buffer(source), *(p.device.empty(source.shape, "u8") for _ in range(2))
    p.add("sharpen", x, y, amount=1.0).barrier().add(dimmed, y, z).run()
    first, second = p.plan().groups
    assert first.arithmetic == "fixed point: exact all the same"
    assert second.arithmetic == "fixed point: at most 1 step off"
    reference = treadle.device("reference")
    exact = reference.run_kernel("sharpen", [reference.buffer(source)], amount=1.0)
    np.testing.assert_array_equal(y.to_numpy(), exact.to_numpy())


def test_integers_are_exact_anyhow():
    p = treadle.pipeline("cpu", tolerance=9)
    x = p.device.buffer(np.arange(200, dtype=np.uint8).reshape(10, 20))
    assert p.add("flip", x, direction="horizontal").copy_buffer(p.last, x).plan().steps == 0


@pytest.mark.parametrize("wrong", [-1, 256, "1", True, None, float("nan")])
def test_a_tolerance_is_a_number_of_steps(wrong):
    with pytest.raises(treadle.LaunchError, match="tolerance: expected steps of a u8 output"):
        treadle.pipeline("cpu", tolerance=wrong)


def test_devices_without_fixed_point_are_exact():
    plan = planned(dimmed, device="reference")
    assert plan.steps == 0
    assert plan.groups[0].arithmetic == ""
