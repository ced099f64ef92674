"""Generated pipelines on every backend: fused equals stage by stage equals the reference device.

TREADLE_EXAMPLES=2000 looks further than a usual run does, at other examples each time."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import treadle
from parity.programs import (
    DTYPES,
    SHAPES,
    WIDE,
    Builder,
    Program,
    Step,
    Value,
    outcome,
    recorded,
    stepwise,
)
from parity.stages import KINDS, MOVERS, STENCILS, inc, smaller

EXAMPLES = int(os.environ.get("TREADLE_EXAMPLES", "0"))
MANY = settings(
    max_examples=EXAMPLES or 30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=not EXAMPLES,
    print_blob=True,
)
SMALL = st.integers(0, 7)
DTYPE = st.integers(0, len(DTYPES) - 1)
# Of few elements, and of as many as others: one can be seen as the other.
FEW = [(2, 3), (6,), (3, 4), (2, 2, 3), (12,), (4, 3), (8, 5), (70,)]
# A stage is six small numbers; what they mean depends on what there is, so every list is valid, and
# a shorter list of smaller numbers is a simpler pipeline.
STAGES = st.lists(
    st.tuples(st.integers(0, len(KINDS) + 7), SMALL, SMALL, SMALL, DTYPE, SMALL),
    min_size=1,
    max_size=9,
)
INPUTS = st.lists(st.tuples(st.integers(0, 13), DTYPE), min_size=1, max_size=3)


def build(device, inputs, stages, shapes=SHAPES) -> Program:
    builder = Builder(list(device.limits.dtypes), inputs, shapes)
    for stage in stages:
        builder.stage(*stage)
    return builder.program()


def compare(device, program: Program) -> str:
    """Run twice each way, since what is in place goes on from where it was; explain the plan."""
    p, made = recorded(device, program)
    again, expected = stepwise(device, program)
    exact, reference = stepwise(treadle.device("reference"), program)
    for turn in ("first", "second"):
        p.run()
        again()
        exact()
        where = f"{turn} run of {program!r}\n\n{p.plan().explain()}"
        for got, want, truth in zip(
            outcome(program, made),
            outcome(program, expected),
            outcome(program, reference),
            strict=True,
        ):
            np.testing.assert_array_equal(got, want, f"against stage by stage, {where}")
            np.testing.assert_array_equal(got, truth, f"against the reference, {where}")
    explained = p.plan().explain()
    p.free()
    return explained


@MANY
@given(inputs=INPUTS, stages=STAGES)
def test_generated_pipelines(device, inputs, stages):
    program = build(device, inputs, stages)
    note(repr(program))
    compare(device, program)


@MANY
@given(stages=STAGES, shape=st.integers(0, 13))
def test_generated_chains(device, stages, shape):
    """Every stage reads what the one before wrote, through scratch; the end is a buffer."""
    chain = [(kind, 0, b, 0, dtype, k) for kind, _, b, _, dtype, k in stages]
    program = build(device, [(shape, 0)], chain)
    last = max(program.steps and program.steps[-1].outputs, default=0)
    value = program.values[last]
    program.values.append(Value(value.shape, value.dtype))
    if program.steps and program.steps[-1].outputs:
        program.steps.append(Step("copy", None, (last,), (len(program.values) - 1,)))
    note(repr(program))
    compare(device, program)


@MANY
@given(
    inputs=st.lists(st.tuples(st.integers(0, 7), DTYPE), min_size=1, max_size=3),
    stages=st.lists(
        st.tuples(
            # Views and parts come as often as any two kernels.
            st.sampled_from([*MOVERS, *MOVERS, *(len(KINDS) + n for n in (1, 2, 2, 3, 3))]),
            SMALL,
            SMALL,
            st.sampled_from([0, 0, 0, 1, 2, 3, 4, 5]),
            DTYPE,
            SMALL,
        ),
        min_size=2,
        max_size=8,
    ),
)
def test_generated_views(device, inputs, stages):
    """One buffer under several shapes, in part and in several roles: transposed, gathered from and
    by, joined to itself, read and written. The newest value is copied to where it is seen."""
    program = build(device, inputs, [*stages, (len(KINDS) + 1, 0, 0, 1, 0, 0)], FEW)
    note(repr(program))
    compare(device, program)


def test_generated_stencils(device):
    """Most stages read around themselves, over rows that are long enough to be kept near."""
    plans = []

    @settings(MANY, max_examples=EXAMPLES or 20)
    @given(
        inputs=st.lists(st.tuples(st.integers(0, 7), DTYPE), min_size=1, max_size=2),
        stages=st.lists(
            st.tuples(
                st.sampled_from(STENCILS),
                st.sampled_from([0, 0, 0, 1]),
                SMALL,
                st.sampled_from([0, 0, 0, 0, 1, 2]),
                DTYPE,
                SMALL,
            ),
            min_size=2,
            max_size=6,
        ),
    )
    def check(inputs, stages):
        # What nobody reads is dropped: the newest value is copied to where it is seen.
        seen = [*stages, (len(KINDS) + 1, 0, 0, 1, 0, 0)]
        program = build(device, inputs, seen, WIDE)
        note(repr(program))
        plans.append(compare(device, program))

    check()
    if device.limits.near:
        assert sum("in a chain" in plan for plan in plans) > len(plans) // 4


@MANY
@given(inputs=INPUTS, stages=STAGES, values=st.lists(st.integers(-2, 2), min_size=9, max_size=9))
def test_scalars_set_later(device, inputs, stages, values):
    """Setting scalars after a run is the same as recording with them."""
    program = build(device, inputs, stages)
    changed = [
        Step(s.op, s.kernel, s.inputs, s.outputs, {**s.params, "k": float(k)})
        if "k" in s.params
        else s
        for s, k in zip(program.steps, values, strict=False)
    ]
    p, made = recorded(device, program)
    run, expected = stepwise(device, program)
    p.run()
    run()
    later = Program(program.values, changed)
    note(repr(later))
    for index, step in enumerate(changed):
        if "k" in step.params:
            p.set(index, k=step.params["k"])
    p.run()
    # The same buffers, with the other scalars.
    other, fresh = stepwise(device, later)
    for target, source in zip(fresh, expected, strict=True):
        target.write(source.to_numpy())
    other()
    for got, want in zip(outcome(program, made), outcome(program, fresh), strict=True):
        np.testing.assert_array_equal(got, want, f"{later!r}\n\n{p.plan().explain()}")


def test_a_write_that_is_overwritten_in_part_is_not_dropped(device):
    x = treadle.buffer(np.zeros((3, 2), np.float32))
    p = treadle.pipeline()
    p.add("scalar_add", x, x, scalar=1.0).add("scalar_add", x[0:2], x[0:2], scalar=1.0).run()
    assert x.read_list() == [[2.0, 2.0], [2.0, 2.0], [1.0, 1.0]]


def test_the_edge_of_what_is_computed_inside(device):
    """The size of the middle picture is no buffer's, and reads of it are clamped to its edge."""
    x = np.arange(70 * 33, dtype=np.float32).reshape(70, 33) % 7
    image, out = treadle.buffer(x), treadle.empty((18, 9))
    p = treadle.pipeline().add(inc, image, k=1.0)
    p.add(smaller, p.last).add(smaller, p.last, out)
    middle = treadle.run_kernel(smaller, treadle.run_kernel(inc, image, k=1.0))
    expected = treadle.run_kernel(smaller, middle).to_numpy()
    np.testing.assert_array_equal(p.run().to_numpy(), expected)


@pytest.mark.parametrize("dtype", ["u8", "f32"])
def test_the_picture_pipeline(device, dtype):
    """blur, sharpen, grayscale: fused within the tolerance of one stage after the other."""
    rng = np.random.default_rng(3)
    array = rng.integers(0, 256, (61, 83, 4)).astype(np.uint8)
    if dtype == "f32":
        array = (array / 255).astype(np.float32)
    image = treadle.buffer(array)
    soft = treadle.run_kernel("blur", image, radius=3, sigma=1.5)
    sharp = treadle.run_kernel("sharpen", soft, amount=0.5)
    expected = treadle.run_kernel("grayscale", sharp).to_numpy()
    out = treadle.empty(expected.shape, dtype)
    p = treadle.pipeline()
    p.add("blur", image, radius=3, sigma=1.5).add("sharpen", p.last, amount=0.5)
    got = p.add("grayscale", p.last, out).run().to_numpy()
    if device.limits.near:  # one kernel, which keeps what is between the stages
        assert "3 stages in 1 group" in p.plan().explain()
    if dtype == "u8":
        difference = np.abs(got.astype(int) - expected.astype(int))
        assert difference.max() <= 1
        assert np.count_nonzero(difference) <= 0.002 * difference.size
    else:
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_a_batch_of_another_size(device):
    frames = np.random.default_rng(4).integers(0, 256, (4, 9, 8, 3)).astype(np.uint8)
    p = treadle.pipeline()
    p.add("blur", p.buffer("frames", treadle.buffer(frames)), radius=2)
    p.add("grayscale", p.last, p.buffer("out", treadle.empty((4, 9, 8), "u8")))
    whole = p.run().to_numpy()
    p.bind(frames=treadle.buffer(frames[:2]), out=treadle.empty((2, 9, 8), "u8"))
    np.testing.assert_array_equal(p.run().to_numpy(), whole[:2])


def test_a_traced_function_equals_its_calls(device):
    @treadle.pipeline
    def enhance(image, *, amount=0.5):
        soft = treadle.run_kernel("blur", image, radius=2)
        return treadle.run_kernel("sharpen", soft, amount=amount)

    image = treadle.buffer(np.random.default_rng(5).random((20, 30, 3), np.float32))
    for amount in (0.5, 1.5):
        soft = treadle.run_kernel("blur", image, radius=2)
        expected = treadle.run_kernel("sharpen", soft, amount=amount).to_numpy()
        got = enhance(image, amount=amount).to_numpy()
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
