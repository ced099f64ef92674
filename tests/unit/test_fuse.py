"""Fused equals unfused: bounds of random stages, executed by the interpreter before and after."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from treadle.dtypes import DType
from treadle.ir.bound import Bound, Fused, Spec, Stage
from treadle.ir.interpret import interpret
from treadle.ir.nodes import Chain, Map
from treadle.ir.pattern import fill_fused, structure, with_sizes
from treadle.ir.structures import Structures
from treadle.ir.verify import verify
from treadle.lang.registry import lookup
from treadle.passes import optimise
from treadle.passes.fuse import fuse

Array = np.ndarray[Any, Any]

NEAR = 1 << 20
F32, U8 = DType.F32, DType.U8


@treadle.pointwise(name="fuse_scale")
def scale(x, *, by=2.0, plus=0.25):
    return x * by + plus


@treadle.pointwise(name="fuse_mix")
def mix(a, b, *, ratio=0.3):
    return a + (b - a) * ratio


@treadle.pointwise(name="fuse_steps")
def steps(x):
    count = 0.0
    for k in range(3):
        if x > k * 10:
            count += x
    return count


@treadle.kernel(name="fuse_column", dtype="image", static=("radius",))
def column(at, image, *, radius=1):
    y, x = at[0], at[1]
    total = 0.0
    for k in range(-radius, radius + 1):
        total += (k + 2) * image[(y + k, x, *at[2:])]
    return total / 4.0


@treadle.kernel(name="fuse_row", dtype="image")
def row(at, image):
    y, x = at[0], at[1]
    return 0.5 * image[(y, x - 1, *at[2:])] + 0.25 * (image[at] + image[(y, x + 2, *at[2:])])


@treadle.kernel(name="fuse_heavy", dtype="image")
def heavy(at, image):
    total = 0.0
    for dy in range(-1, 2):
        for dx in range(-1, 2):
            near = image[(at[0] + dy, at[1] + dx, *at[2:])]
            total += exp(-0.01 * abs(near - image[at])) * near
    return total / 9.0


@treadle.kernel(name="fuse_first_three", dtype="image", shape=lambda image: (*image.shape[:-1], 3))
def first_three(at, image):
    return image[at]


@treadle.kernel(name="fuse_below", dtype="image")
def below(at, image):
    return image[(at[0] + 3, *at[1:])] - image[at] * 0.5


@treadle.kernel(name="fuse_mirror", dtype="image")
def mirror(at, image):
    return image[(image.shape[0] - 1 - at[0], *at[1:])]


@treadle.kernel(name="fuse_across", dtype="image")
def across(at, image):
    return image[(at[0], image.shape[1] - 1 - at[1], *at[2:])]


@treadle.kernel(name="fuse_lift", dtype="image")
def lift(at, image):
    """Reads somewhere that depends on a value."""
    return image[(at[0] + int(image[at]) % 3, *at[1:])]


@treadle.rowwise(name="fuse_centre")
def centre(row):
    return row - max(row)


KERNELS: dict[str, tuple[Any, int, dict[str, Any]]] = {
    "scale": (scale, 1, {"by": 1.5}),
    "mix": (mix, 2, {}),
    "steps": (steps, 1, {}),
    "column": (column, 1, {}),
    "wide": (column, 1, {"radius": 3}),
    "row": (row, 1, {}),
    "heavy": (heavy, 1, {}),
    "across": (across, 1, {}),
    "below": (below, 1, {}),
    "mirror": (mirror, 1, {}),
    "lift": (lift, 1, {}),
    "centre": (centre, 1, {"axis": 1}),
    "cumsum": (lookup("cumsum"), 1, {"axis": 0}),
    "blur": (lookup("gaussian_blur"), 1, {"radius": 1, "sigma": 0.8}),
}


def joined(
    calls: list[tuple[str, tuple[int, ...], int]], specs: list[Spec], outputs: int
) -> tuple[Bound, tuple[float, ...]]:
    """A bound of stages over slots: the first `outputs` are the user's, the rest scratch."""
    stages: list[Stage] = []
    values: list[float] = []
    tables: list[Array] = []
    temps = list(specs[outputs:])
    for name, reads, target in calls:
        definition, _, params = {**KERNELS, "first_three": (first_three, 1, {})}[name]
        key, given = definition.arguments(params)
        inputs = tuple(specs[k] for k in reads)
        bound = definition.bind(inputs, (specs[target],), key, given)
        slots = [*reads, target]
        for spec in bound.temps:
            slots.append(outputs + len(temps))
            temps.append(spec)
        assert not bound.constants
        for stage in bound.stages:
            picked = stage.fixed if stage.fixed is not None else [given[k] for k in stage.picks]
            picks = tuple(range(len(values), len(values) + len(picked)))
            values += picked
            stages.append(
                Stage(
                    stage.kernel,
                    tuple(slots[k] for k in stage.reads),
                    tuple(slots[k] for k in stage.writes),
                    stage.dims,
                    picks,
                )
            )
    bound = Bound((), tuple(specs[:outputs]), tuple(temps), tuple(stages), tuple(tables))
    return bound, tuple(values)


def execute(bound: Bound, values: tuple[float, ...], start: list[Array]) -> list[Array]:
    slots: dict[int, Array] = {k: a.copy() for k, a in enumerate(start)}
    specs = (*bound.inputs, *bound.outputs, *bound.temps)
    for stage in bound.stages:
        kernel = optimise(stage.kernel)
        verify(kernel)
        picked = stage.fixed if stage.fixed is not None else [values[k] for k in stage.picks]
        arrays = [slots[k] for k in stage.reads]  # no scratch is read before it is written
        found = interpret(
            kernel,
            arrays,
            dict(zip(kernel.symbols, stage.dims, strict=True)),
            dict(zip((p.name for p in kernel.params), picked, strict=True)),
        )
        for slot, result in zip(stage.writes, found, strict=True):
            assert result.nbytes <= specs[slot].nbytes
            slots[slot] = result
    assert all(slots[k].nbytes == specs[k].nbytes for k in range(len(start)))
    return [slots[k].reshape(specs[k].shape) for k in range(len(start))]


def fresh(specs: list[Spec]) -> list[Array]:
    rng = np.random.default_rng(5)
    return [
        (rng.random(spec.shape) * 200).astype(spec.dtype.numpy)
        if spec.elements
        else np.zeros(spec.shape, spec.dtype.numpy)
        for spec in specs
    ]


def check(calls, specs, outputs, near=NEAR, **options) -> Fused:
    bound, values = joined(calls, specs, outputs)
    fused = fuse(bound, near=near, **options)
    start = fresh(specs[:outputs])
    for expected, got in zip(
        execute(bound, values, start), execute(fused.bound, values, start), strict=True
    ):
        np.testing.assert_array_equal(expected, got)
    assert len(fused.groups) == len(fused.bound.stages)
    assert len(fused.notes) == len(bound.stages)
    return fused


IMAGE = Spec((9, 30, 3), F32)


def test_pointwise_stages_become_one():
    calls = [("scale", (0,), 2), ("steps", (2,), 3), ("mix", (3, 0), 1)]
    fused = check(calls, [IMAGE] * 4, 2)
    (stage,) = fused.bound.stages
    assert isinstance(stage.kernel.form, Map)
    assert stage.kernel.space == ("n0",), "the axes are merged"
    assert not fused.bound.temps
    assert fused.groups == ((0, 1, 2),)


def test_rounding_between_stages_is_kept():
    specs = [Spec((9, 30, 3), U8), Spec((9, 30, 3), F32), Spec((9, 30, 3), U8)]
    fused = check([("scale", (0,), 2), ("scale", (2,), 1)], specs, 2)
    assert len(fused.bound.stages) == 1


def test_stencils_become_a_chain():
    calls = [("wide", (0,), 2), ("row", (2,), 3), ("column", (3,), 1)]
    fused = check(calls, [IMAGE] * 4, 2)
    (stage,) = fused.bound.stages
    form = stage.kernel.form
    assert isinstance(form, Chain)
    assert form.axis == 0
    assert len(form.stages) == 3
    assert not fused.bound.temps


@pytest.mark.parametrize("kernel, inside", [("heavy", False), ("row", True)])
def test_a_heavy_stencil_keeps_its_registers_to_itself(kernel, inside):
    """A row's way through the cache costs less than what two long bodies do to each other."""
    fused = check([(kernel, (0,), 2), ("scale", (2,), 1)], [IMAGE] * 3, 2)
    (stage,) = fused.bound.stages
    assert isinstance(stage.kernel.form, Map if inside else Chain)
    fused = check([(kernel, (0,), 2), ("scale", (2,), 1)], [IMAGE] * 3, 2, near=0)
    assert len(fused.bound.stages) == 1, "without chains the alternative is memory"


@pytest.mark.parametrize(
    "reader, swapped", [("heavy", True), ("row", False)], ids=["heavy", "light"]
)
def test_what_is_copied_for_a_heavy_stencil_is_laid_out_for_it(reader, swapped):
    specs = [Spec((9, 80, 4), F32), Spec((9, 80, 3), F32), Spec((9, 80, 3), F32)]
    fused = check([("first_three", (0,), 2), (reader, (2,), 1)], specs, 2)
    form = fused.bound.stages[-1].kernel.form
    assert isinstance(form, Chain)
    (between,) = form.stages[0].outputs
    assert between.dims == (("n0", 3, "n1") if swapped else ("n0", "n1", 3))


def test_what_others_see_keeps_its_layout():
    specs = [Spec((9, 80, 4), F32), Spec((9, 80, 3), F32), Spec((9, 80, 3), F32)]
    check([("first_three", (0,), 2), ("heavy", (2,), 1)], specs, 3)


def test_without_fast_memory_there_are_no_chains():
    calls = [("wide", (0,), 2), ("row", (2,), 1)]
    fused = check(calls, [IMAGE] * 3, 2, near=0)
    assert all(isinstance(stage.kernel.form, Map) for stage in fused.bound.stages)


def test_a_batch_is_chained_image_by_image():
    spec = Spec((3, 9, 30, 4), F32)
    definition = lookup("gaussian_blur")
    bound = definition.bind((spec,), None, *definition.arguments({"radius": 2}))
    (stage,) = fuse(bound, near=NEAR).bound.stages
    assert isinstance(stage.kernel.form, Chain)
    assert stage.kernel.form.axis == 1


def test_what_is_seen_elsewhere_stays_an_output():
    calls = [("scale", (0,), 2), ("scale", (2,), 1)]
    fused = check(calls, [IMAGE] * 3, 3)
    (stage,) = fused.bound.stages
    assert len(stage.kernel.outputs) == 2
    chained = check([("wide", (0,), 2), ("row", (2,), 1)], [IMAGE] * 3, 3)
    (stage,) = chained.bound.stages
    assert isinstance(stage.kernel.form, Chain)
    assert len(stage.kernel.outputs) == 2


def test_a_stage_that_nobody_reads_is_dropped():
    fused = check([("scale", (0,), 2), ("steps", (0,), 1)], [IMAGE] * 3, 2)
    assert fused.groups == ((1,),)
    assert "dropped" in fused.notes[0]


def test_an_overwritten_input_is_not_read_later():
    calls = [("column", (0,), 2), ("scale", (1,), 0), ("mix", (2, 0), 1)]
    check(calls, [IMAGE] * 3, 2)
    check([("scale", (0,), 2), ("scale", (1,), 0), ("mix", (2, 0), 1)], [IMAGE] * 3, 2)


def test_in_place_stencils_write_to_the_side_first():
    fused = check([("column", (0,), 0), ("row", (0,), 0)], [IMAGE], 1)
    for stage in fused.bound.stages:
        assert not set(stage.reads) & set(stage.writes) or stage.kernel.space


def test_scratch_is_shared():
    calls = [("centre", (0,), 2), ("centre", (2,), 3), ("centre", (3,), 4), ("centre", (4,), 1)]
    fused = check(calls, [IMAGE] * 5, 2, near=0)
    assert len(fused.bound.temps) == 2


def test_parameters_find_their_stages():
    fused = check([("scale", (0,), 2), ("mix", (2, 0), 3), ("scale", (3,), 1)], [IMAGE] * 4, 2)
    (stage,) = fused.bound.stages
    assert sorted(stage.picks) == list(range(5))


@pytest.mark.parametrize("parts", [("scale", "mix", "steps"), ("column", "row", "scale", "column")])
def test_equal_stages_are_one_kernel_wherever_they_come(parts):
    """Names of locals, parameters and what lives inside carry no number of the pipeline."""
    image = Spec((40, 30, 3), F32)
    kernels = []
    for before in (0, 1, 3):
        calls = [("cumsum", (0,), 2) for _ in range(before)]  # which nothing is fused with
        calls += [("cumsum", (0,), 2)]
        for k, name in enumerate(parts):
            target = 1 if k + 1 == len(parts) else 3 + k
            reads = (2 + k,) * KERNELS[name][1]
            calls.append((name, reads, target))
        specs = [image] * (3 + len(parts))
        kernels.append(check(calls, specs, 2).bound.stages[-1].kernel)
    assert len(kernels[0].name.split("+")) > 1 or isinstance(kernels[0].form, Chain)
    assert kernels[0] is kernels[1] is kernels[2]


def test_overlapping_slots_are_left_alone():
    calls = [("scale", (0,), 1), ("scale", (1,), 2)]
    bound, _ = joined(calls, [IMAGE] * 3, 3)
    assert len(fuse(bound, near=NEAR, shared=frozenset({(0, 2)})).bound.stages) == 2


@pytest.mark.parametrize("near", [0, NEAR])
@pytest.mark.parametrize("first, second", list(itertools.product(KERNELS, KERNELS)))
def test_pairs(first, second, near):
    one = (0, 0)[: KERNELS[first][1]]
    two = (2, 0)[: KERNELS[second][1]]
    check([(first, one, 2), (second, two, 1)], [IMAGE] * 3, 2, near)


@st.composite
def programs(draw):
    shape = draw(st.sampled_from([(7, 24, 3), (5, 70), (2, 11, 9), (1, 64, 1), (6, 4, 20)]))
    dtypes = draw(st.lists(st.sampled_from([F32, F32, U8]), min_size=5, max_size=5))
    outputs = draw(st.integers(1, 4))
    known = set(range(outputs))
    calls = []
    for _ in range(draw(st.integers(2, 7))):
        name = draw(st.sampled_from(list(KERNELS)))
        reads = tuple(draw(st.sampled_from(sorted(known))) for _ in range(KERNELS[name][1]))
        target = draw(st.integers(0, 4))
        known.add(target)
        calls.append((name, reads, target))
    return calls, [Spec(shape, dtype) for dtype in dtypes], outputs


@settings(max_examples=75, deadline=None)
@given(programs(), st.sampled_from([0, 2000, NEAR]), st.sampled_from([3, 16]))
def test_random_programs(program, near, tensors):
    calls, specs, outputs = program
    check(calls, specs, outputs, near, tensors=tensors)


@settings(max_examples=50, deadline=None)
@given(programs(), st.sampled_from([0, 2000, NEAR]), st.data())
def test_random_programs_at_other_sizes(program, near, data):
    """What was fused for some sizes, filled with others, against fusing for those alone."""
    calls, specs, outputs = program
    known = Structures(fill_fused)
    sizes = sorted({size for spec in specs for size in spec.shape})
    for turn in range(4):
        drawn = {n: data.draw(st.integers(1, 80), f"{n}") if turn else n for n in sizes}
        given = [Spec(tuple(drawn[n] for n in spec.shape), spec.dtype) for spec in specs]
        if math.prod(given[0].shape) > 20_000:
            continue
        bound, values = joined(calls, given, outputs)
        key, numbers = structure(bound, (), frozenset())
        made = known.get(key, numbers, lambda s, key=key: fuse(with_sizes(key, s), near=near))
        assert made == fuse(bound, near=near)
        start = fresh(given[:outputs])
        pair = (execute(one, values, start) for one in (bound, made.bound))
        for expected, got in zip(*pair, strict=True):
            np.testing.assert_array_equal(expected, got)
