"""Loops of composites: recorded once, planned once, kept by structure; what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import treadle
from bound import evaluate, spec_of
from repeats import PAIRS, doubled, drifted, scrambled, spread, written_out
from treadle.backends.cache import DiskCache
from treadle.dtypes import DType
from treadle.errors import KernelTypeError, LaunchError
from treadle.ir.bound import Spec
from treadle.ir.interpret import interpret
from treadle.ir.pattern import fill_fused, structure, with_sizes
from treadle.ir.repeat import Loop, unrolled
from treadle.ir.sizes import Tape
from treadle.kernels import vector
from treadle.lang import registry
from treadle.lang.definition import Definition, Form
from treadle.lang.lower import lower
from treadle.passes.fuse import fuse
from treadle.runtime.stored import StoredPlans, sound

NEAR = 512 << 10
NOTHING: frozenset[tuple[int, int]] = frozenset()
X, Y = (np.random.default_rng(seed).normal(size=12).astype(np.float32) for seed in (1, 2))
LOOPED, WRITTEN_OUT = PAIRS["one"]


def bound_of(kernel, *inputs, **params):
    return kernel.bind(tuple(map(spec_of, inputs)), None, *kernel.arguments(params))


def interpreted(bound):
    """What a bound of two inputs gives for X and Y."""
    slots = [X, Y, *[None] * (len(bound.outputs) + len(bound.temps)), *bound.constants]
    for stage in unrolled(bound).stages:
        kernel = stage.kernel
        made = interpret(
            kernel,
            [slots[k] for k in stage.reads],
            dict(zip(kernel.symbols, stage.dims, strict=True)),
            dict(zip([p.name for p in kernel.params], stage.fixed, strict=True)),
        )
        for slot, array in zip(stage.writes, made, strict=True):
            slots[slot] = array
    return slots[2 : 2 + len(bound.outputs)]


def test_a_body_is_recorded_once():
    turns = []

    @treadle.composite
    def counted(x, *, count):
        def body(turn, x):
            turns.append(turn)
            return drifted(x, x, by=turn * 7 - 3)

        return doubled(treadle.repeat(body, count, x))

    bound = bound_of(counted, X, count=1000)
    assert len(turns) == 1
    assert [stage.kernel.name for stage in bound.stages] == ["drifted", "doubled"]
    (loop,) = bound.loops
    assert (loop.first, loop.last, loop.count) == (0, 1, 1000)
    assert (bound.stages[0].fixed, bound.stages[0].grows) == ((-3,), (7,))


def test_written_out_a_loop_is_the_stages_of_its_turns():
    plain = unrolled(bound_of(LOOPED, X, Y, count=4))
    want = bound_of(WRITTEN_OUT, X, Y, count=4)
    assert not plain.loops
    assert [(s.kernel, s.fixed) for s in plain.stages] == [(s.kernel, s.fixed) for s in want.stages]


def test_two_pieces_of_memory_change_places():
    loop = Loop(0, 1, 4, ((0, 5, 6),))
    turns = [loop.places(turn) for turn in range(4)]
    reads, writes = ([turn[slot] for turn in turns] for slot in (5, 6))
    assert reads == [0, *writes[:-1]]  # what the turn before wrote
    assert writes == [5, 6, 5, 6]  # the last one where others look


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("count", [1, 4, 5])
def test_fused_a_loop_computes_the_same(name, count):
    looped, written_out = PAIRS[name]
    want = evaluate(written_out, X, Y, count=count)
    np.testing.assert_array_equal(evaluate(looped, X, Y, count=count), want)
    fused = fuse(bound_of(looped, X, Y, count=count), near=NEAR).bound
    assert len(fused.loops) == len(bound_of(looped, X, Y, count=count).loops)
    found = interpreted(fused)
    np.testing.assert_array_equal(found[0] if len(found) == 1 else found, want)


@pytest.mark.parametrize("seed", range(12))
def test_loops_at_random(seed):
    bounds = []
    for repeat in (treadle.repeat, written_out):
        composite = Definition(scrambled(seed, repeat), Form.COMPOSITE, listed=False, name="any")
        bounds.append(bound_of(composite, X, Y))
    looped, plain = bounds
    want = interpreted(plain)
    for limits in ({"near": NEAR}, {"near": 0}, {"tensors": 0}):
        np.testing.assert_allclose(interpreted(fuse(looped, **limits).bound), want, rtol=1e-5)


def test_scratch_does_not_grow_with_the_turns_and_stays_apart():
    few, many = (fuse(bound_of(LOOPED, X, Y, count=n), near=NEAR).bound for n in (2, 999))
    assert few.temps == many.temps
    for bound in (few, many):
        for loop in bound.loops:
            slots = [slot for trio in loop.carried for slot in trio]
            inside = bound.stages[loop.first : loop.last]
            used = [slot for stage in inside for slot in (*stage.reads, *stage.writes)]
            assert len({*slots}) == len(slots)
            assert not any(start in used for start, _, _ in loop.carried)


def test_nothing_is_fused_across_the_edges_of_a_loop():
    fused = fuse(bound_of(LOOPED, X, Y, count=3), near=NEAR)
    assert [stage.kernel.name for stage in fused.bound.stages] == [
        "doubled",
        "drifted+spread",
        "doubled",
    ]
    assert fused.groups == ((0,), (1, 2), (3,))
    assert fused.notes[0] == "on its own: a loop begins with what it computes"
    assert "the edge of a loop" in fused.notes[2]


def test_other_sizes_and_other_counts_plan_nothing():
    definition = registry.lookup("l2_top_k")
    kept = []

    def planned(rows):
        specs = Spec((100, 768), DType.F32), Spec((rows, 768), DType.F32)
        bound = definition.bind(specs, None, *definition.arguments({"k": 10}))
        assert bound == lower(definition, specs, None, definition.arguments({"k": 10})[0])
        key, numbers = structure(bound, (), NOTHING)
        if not kept:
            tape = Tape(numbers)
            template = fuse(with_sizes(key, tape.sizes()), near=NEAR)
            tape.end()
            kept.append((key, tape, template))
        known, tape, template = kept[0]
        assert key == known
        values = tape.play(numbers)
        assert values is not None
        return fill_fused(template, values).bound, fuse(bound, near=NEAR).bound

    for rows in (1_000_000, 400_001, 1_234_567):
        filled, afresh = planned(rows)
        assert filled.loops == afresh.loops
        assert filled.loops[0].count == rows // vector.block_of(rows, 41943) - 1
        assert [s.grows for s in filled.stages] == [s.grows for s in afresh.stages]
        assert [s.fixed for s in filled.stages] == [s.fixed for s in afresh.stages]


def test_a_million_rows_are_a_handful_of_stages():
    definition = registry.lookup("l2_top_k")
    for routines in (None, frozenset[str]()):
        specs = Spec((1000, 768), DType.F32), Spec((1_000_000, 768), DType.F32)
        bound = definition.bind(specs, None, *definition.arguments({"k": 10}), routines)
        assert len(bound.stages) < 100
        assert bound.loops[0].count == 1_000_000 // 4352 - 1


@pytest.fixture
def plans(tmp_path):
    return StoredPlans(DiskCache(tmp_path), "cpu", NEAR, 16)


def test_a_loop_comes_back_from_the_disk(plans):
    bound = bound_of(PAIRS["two"][0], X, Y, count=60)
    key, numbers = structure(bound, (), NOTHING)
    tape = Tape(numbers)
    made = fuse(with_sizes(key, tape.sizes()), near=NEAR)
    tape.end()
    assert plans.store(key, tape, made)
    other = bound_of(PAIRS["two"][0], np.tile(X, 3), np.tile(Y, 3), count=77)
    again, numbers = structure(other, (), NOTHING)
    assert again == key
    ((read, template),) = plans.load(again)
    values = read.play(numbers)
    assert values is not None
    found = fill_fused(template, values)
    assert found.bound == fuse(other, near=NEAR).bound
    assert found.bound.loops[0].count == 77
    assert sound(found, other)


BAD_LOOPS = {
    "no loop": [],
    "before the stages": [[-1, 2, 60, []]],
    "behind the stages": [[0, 99, 60, []]],
    "no stage": [[1, 1, 60, []]],
    "another count": [[0, 2, 61, "same"]],
    "no state": [[0, 2, 60, []]],
    "an input as scratch": [[0, 2, 60, [[0, 0, 4], [1, 5, 6]]]],
    "one place for two": [[0, 2, 60, [[0, 4, 5], [1, 4, 5]]]],
    "no such slot": [[0, 2, 60, [[0, 4, 5], [1, 6, 99]]]],
    "two slots": [[0, 2, 60, [[0, 4], [1, 6]]]],
    "no numbers": [["a", None, 60, []]],
}


@pytest.mark.parametrize("damage", BAD_LOOPS)
def test_a_loop_that_is_not_sound_is_not_used(tmp_path, plans, damage):
    bound = bound_of(PAIRS["two"][0], X, Y, count=60)
    key, numbers = structure(bound, (), NOTHING)
    tape = Tape(numbers)
    made = fuse(with_sizes(key, tape.sizes()), near=NEAR)
    tape.end()
    plans.store(key, tape, made)
    assert len(list(plans.load(key))) == 1
    name = plans.key(key)
    files = DiskCache(tmp_path)
    (entry,) = json.loads(files.load(name))
    (loop,) = entry["loops"]
    loops = json.loads(json.dumps(BAD_LOOPS[damage]).replace('"same"', json.dumps(loop[3])))
    files.store(name, json.dumps([entry | {"loops": loops}]).encode())
    assert not list(plans.load(key))


@treadle.kernel
def offset(at, x, *, by):
    return x[at] + by


def test_kinds_hold_every_turn():
    """A parameter that begins below zero and ends above it, or leaves 32 bits."""
    kinds = {}
    for first, by in ((0, 5), (-10, 5), (-10, -5), (2**31 - 10, 5), (-10, 2**31)):

        @treadle.composite
        def growing(x, *, first=first, by=by):
            return doubled(treadle.repeat(lambda t, x: offset(x, by=first + by * t), 6, x))

        (stage, _) = bound_of(growing, X).stages
        kinds[first, by] = stage.kernel.params[0].dtype
    assert list(kinds.values()) == [DType.S32] * 3 + [DType.S64] * 2


def body_of(case):
    """Bodies that cannot be a loop, and what they are told."""
    return {
        "shape": lambda t, x: drifted(x, x, by=t).reshape((3, 4)),
        "number": lambda t, x: (spread(x), spread(x)),
        "nothing": lambda t, x: None,
        "if": lambda t, x: spread(x) if t else x,
        "compare": lambda t, x: spread(x) if t > 3 else x,
        "range": lambda t, x: [spread(x) for _ in range(t)][-1],
        "float": lambda t, x: drifted(x, x, by=t * 0.5),
        "square": lambda t, x: drifted(x, x, by=t * t),
        "divide": lambda t, x: drifted(x, x, by=t // 2),
    }[case]


REFUSED = {
    "shape": (LaunchError, r"state 0 is f32\[12\], got f32\[3, 4\]"),
    "number": (LaunchError, "the next state, 1 buffer, got Handle, Handle"),
    "nothing": (LaunchError, "the next state, 1 buffer, got NoneType"),
    "if": (KernelTypeError, "a turn was asked for its value"),
    "compare": (KernelTypeError, "a turn was asked for its value"),
    "range": (KernelTypeError, "a turn was asked for its value"),
    "float": (KernelTypeError, "a turn times float 0.5"),
    "square": (KernelTypeError, "a turn times a turn"),
    "divide": (KernelTypeError, "a turn was asked for its value"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_a_loop_is_refused(case):
    kind, message = REFUSED[case]

    @treadle.composite
    def wrong(x):
        return doubled(treadle.repeat(body_of(case), 9, x))

    with pytest.raises(kind, match=message):
        bound_of(wrong, X)


@treadle.kernel(static=("reach",))
def reaching(at, x, *, reach):
    return x[at[0] + reach]


def test_a_static_parameter_cannot_depend_on_the_turn():
    for kernel, params in ((reaching, "reach"), (LOOPED, "count")):

        @treadle.composite
        def wrong(x, *, kernel=kernel, name=params):
            inputs = (x, x) if kernel is LOOPED else (x,)
            return doubled(treadle.repeat(lambda t, _: kernel(*inputs, **{name: t}), 3, x))

        with pytest.raises(LaunchError, match=f"{params!r} is part of the code"):
            wrong.lower((spec_of(X),), None, wrong.arguments({})[0])


def test_what_is_inside_stays_inside():
    @treadle.composite
    def leaking(x, *, what):
        seen = []

        def body(turn, state):
            seen[:] = [turn, state, spread(state)]
            return doubled(seen[2])

        made = treadle.repeat(body, 3, x)
        turn, state, inner = seen
        if what == "turn":
            return drifted(made, x, by=turn)
        return {"state": state, "inner": doubled(inner), "result": inner}[what]

    for what in ("inner", "result"):
        with pytest.raises(LaunchError, match="make it part of the state"):
            bound_of(leaking, X, what=what)
    with pytest.raises(LaunchError, match="used outside its body"):
        bound_of(leaking, X, what="turn")


@pytest.mark.parametrize("times", [-1, 1.5, True, None, "3"])
def test_times_is_a_whole_number(times):
    @treadle.composite
    def wrong(x):
        return treadle.repeat(lambda turn, x: doubled(x), times, x)

    with pytest.raises(LaunchError, match="times must be a whole number, 0 or more"):
        bound_of(wrong, X)


def test_a_state_is_made_of_buffers_of_a_composite():
    with pytest.raises(LaunchError, match="expected buffers of a composite"):
        treadle.repeat(lambda turn, x: x, 3, X)

    @treadle.composite
    def wrong(x):
        return doubled(treadle.repeat(lambda turn: (), 3))

    with pytest.raises(LaunchError, match="at least one"):
        bound_of(wrong, X)


def test_a_loop_in_a_loop_is_written_out():
    @treadle.composite
    def nested(x, y):
        def body(turn, x):
            inner = treadle.repeat(lambda t, x: drifted(x, y, by=3 * turn + t), 3, x)
            return LOOPED(inner, y, count=2)

        return doubled(treadle.repeat(body, 4, x))

    @treadle.composite
    def plain(x, y):
        for turn in range(4):
            for t in range(3):
                x = drifted(x, y, by=3 * turn + t)
            x = WRITTEN_OUT(x, y, count=2)
        return doubled(x)

    bound = bound_of(nested, X, Y)
    assert [loop.count for loop in bound.loops] == [4]
    np.testing.assert_array_equal(evaluate(nested, X, Y), evaluate(plain, X, Y))


def test_a_body_that_changes_nothing_is_no_loop():
    @treadle.composite
    def idle(x):
        return doubled(treadle.repeat(lambda turn, x: x, 5, x))

    bound = bound_of(idle, X)
    assert not bound.loops
    assert len(bound.stages) == 1
