"""Plans on disk: found by structure, checked like a stranger's, never in the way."""

from __future__ import annotations

import functools
import json
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import treadle
import treadle.passes.fuse as fusing
from treadle.backends.cache import DiskCache
from treadle.backends.cpu import CpuBackend
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.ir.nodes import Chain, Const
from treadle.ir.pattern import fill_fused, structure, with_sizes
from treadle.ir.plain import read_kernel, write_kernel
from treadle.ir.sizes import Tape
from treadle.lang import registry
from treadle.passes.fuse import fuse
from treadle.runtime import stored
from treadle.runtime.device import Device
from treadle.runtime.stored import StoredPlans

NEAR = 512 << 10
NOTHING = frozenset()
SHAPES = ((64, 48, 4), (64, 48), (1000,))


def library():
    """Every kernel of the library that binds to simple inputs without parameters."""
    for name in registry.names():
        definition = registry.lookup(name)
        if not definition.builtin:  # other tests register theirs
            continue
        for shape in SHAPES:
            for dtype in (DType.F32, DType.U8):
                try:
                    key, values = definition.arguments({})
                    inputs = tuple(Spec(shape, dtype) for _ in definition.inputs)
                    yield name, definition.bind(inputs, None, key, values)
                except (treadle.LaunchError, treadle.KernelError):
                    continue


def blurred(shape=(64, 640, 4)):
    definition = registry.lookup("blur")
    key, values = definition.arguments({"radius": 2, "sigma": 1.0})
    return definition.bind((Spec(shape, DType.U8),), None, key, values)


@pytest.fixture
def plans(tmp_path):
    return StoredPlans(DiskCache(tmp_path), "cpu", NEAR, 16)


def planned(bound):
    """A bound's structure, and what fusing it gives over Sizes: the tape, and the rest."""
    key, numbers = structure(bound, (), NOTHING)
    tape = Tape(numbers)
    made = fuse(with_sizes(key, tape.sizes()), near=NEAR)
    tape.end()
    return key, tape, made


def kept(plans, bound=None):
    """A bound, its structure, and what was stored for it, as JSON values."""
    bound = bound or blurred()
    key, tape, made = planned(bound)
    assert plans.store(key, tape, made)
    (values,) = json.loads(plans._files.load(plans.key(key)))
    return bound, key, values


def found(plans, bound):
    """What is stored for a bound of these sizes, filled with them; None if nothing is."""
    key, numbers = structure(bound, (), NOTHING)
    for tape, template in plans.load(key):
        values = tape.play(numbers)
        if values is not None:
            made = fill_fused(template, values)
            return replace(made, bound=replace(made.bound, constants=bound.constants))
    return None


def same(a, b):
    """Whether two kernels are equal to the last sign of a zero."""
    return a == b and repr(a) == repr(b)


def test_every_kernel_of_the_library_comes_back():
    seen = 0
    for name, bound in library():
        for made in (bound, fuse(bound, near=NEAR).bound):
            for stage in made.stages:
                values = json.loads(json.dumps(write_kernel(stage.kernel)))
                assert same(read_kernel(values), stage.kernel), name
                seen += 1
    assert seen > 200


@pytest.mark.parametrize("value", [0.0, -0.0, float("inf"), float("-inf"), 1, True, 0.1, 1e-45])
def test_constants_keep_type_and_sign(value):
    kernel = blurred().stages[0].kernel
    written = write_kernel(kernel)
    first = _first(written, "Const")
    first[1] = value
    read = read_kernel(json.loads(json.dumps(written)))
    assert any(
        repr(node.value) == repr(value) for node in _nodes(read.form) if isinstance(node, Const)
    )


def _first(value, tag):
    if isinstance(value, list):
        if value and value[0] == tag:
            return value
        return next((found for item in value if (found := _first(item, tag))), None)
    return None


def _nodes(value):
    if isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)
    elif hasattr(value, "__dataclass_fields__"):
        yield value
        for name in value.__dataclass_fields__:
            yield from _nodes(getattr(value, name))


def test_what_was_fused_comes_back(plans):
    bound, _, _ = kept(plans)
    fused = fuse(bound, near=NEAR)
    assert any(isinstance(stage.kernel.form, Chain) for stage in fused.bound.stages)
    again = found(plans, bound)
    assert again == fused
    assert repr(again) == repr(fused)


def test_it_serves_other_sizes(plans):
    kept(plans)
    for shape in ((65, 641, 4), (1000, 100, 4), (64, 2000, 4)):
        other = blurred(shape)
        assert found(plans, other) == fuse(other, near=NEAR)
    assert found(plans, blurred((64, 10, 4))) is None  # rows too short for a chain
    assert found(plans, blurred((64, 64, 4))) is None  # another structure


def test_what_holds_for_other_sizes_is_kept_beside(plans):
    shapes = ((64, 640, 4), (64, 10, 4), (65, 641, 4))
    for shape in shapes[:2]:
        assert plans.store(*planned(blurred(shape)))
    assert [found(plans, blurred(s)) for s in shapes] == [
        fuse(blurred(s), near=NEAR) for s in shapes
    ]
    assert len(list(plans.load(planned(blurred())[0]))) == 2
    assert plans.store(*planned(blurred()))  # once more: it is there already
    assert len(list(plans.load(planned(blurred())[0]))) == 2


def test_a_stage_that_was_left_alone_is_not_written_again(plans):
    definition = registry.lookup("reduce_sum")
    bound = definition.bind((Spec((64, 48), DType.F32),), None, *definition.arguments({}))
    bound, _, values = kept(plans, bound)
    assert values["kernels"] == []
    assert found(plans, bound).bound.stages[0].kernel is bound.stages[0].kernel


def test_the_key_is_the_structure(tmp_path, plans, monkeypatch):
    def of(bound, cuts=(), shared=NOTHING, plans=plans):
        return plans.key(structure(bound, cuts, shared)[0])

    bound = blurred()
    key = of(bound)
    assert key == of(blurred()) == of(blurred((500, 300, 4)))
    sharpen = registry.lookup("sharpen")
    others = [
        of(bound, (1,)),
        of(bound, shared=frozenset({(0, 1), (1, 0)})),
        of(bound, plans=StoredPlans(DiskCache(tmp_path), "cuda", NEAR, 16)),
        of(bound, plans=StoredPlans(DiskCache(tmp_path), "cpu", 2 * NEAR, 16)),
        of(sharpen.bind((Spec((64, 640, 4), DType.U8),), None, *sharpen.arguments({}))),
        of(blurred((64, 64, 4))),  # equal sizes
        of(blurred((64, 640, 3))),  # another number of channels
    ]
    monkeypatch.setattr(stored, "__version__", "0.0.0.other")
    others.append(of(bound))
    monkeypatch.undo()
    monkeypatch.setattr(stored, "sources_stamp", lambda: "another state of the code")
    others.append(of(bound))
    assert len({key, *others}) == 1 + len(others)


def test_every_file_that_plans_is_part_of_the_key():
    stamp = stored.sources_stamp()
    root = Path(stored.__file__).parents[1]
    for folder in ("ir", "passes", "codegen"):
        for path in (root / folder).rglob("*.py"):
            assert str(path)[len(str(root)) :] in stamp


def test_static_parameters_are_part_of_the_structure(plans):
    keys = []
    for radius in (3, 4):
        definition = registry.lookup("box_blur")
        given = definition.arguments({"radius": radius})
        bound = definition.bind((Spec((64, 640), DType.F32),), None, *given)
        keys.append(plans.key(structure(bound, (), NOTHING)[0]))
    assert keys[0] != keys[1]


DAMAGE = {
    "no plan at all": lambda v: [],
    "nothing": lambda v: {},
    "a number": lambda v: 3,
    "a stage less": lambda v: {**v, "stages": v["stages"][1:]},
    "a group less": lambda v: {**v, "groups": v["groups"][1:]},
    "a group of a stage that is not there": lambda v: {**v, "groups": [[99]] * len(v["groups"])},
    "a note less": lambda v: {**v, "notes": v["notes"][1:]},
    "a note that is none": lambda v: {**v, "notes": [1] * len(v["notes"])},
    "a kernel that is not there": lambda v: _stage(v, 0, 99),
    "a kernel before the first": lambda v: _stage(v, 0, -1),
    "a slot that is not there": lambda v: _stage(v, 1, [99]),
    "a slot before the first": lambda v: _stage(v, 1, [-1]),
    "too many slots": lambda v: _stage(v, 1, [0, 0]),
    "an input that is written": lambda v: _stage(v, 2, [0]),
    "larger than its slots": lambda v: _stage(v, 3, [10**6] * len(v["stages"][0][3])),
    "sizes below zero": lambda v: _stage(v, 3, [-1] * len(v["stages"][0][3])),
    "a size less": lambda v: _stage(v, 3, v["stages"][0][3][1:]),
    "parameters that are not there": lambda v: _stage(v, 4, [7]),
    "a stage of five": lambda v: {**v, "stages": [v["stages"][0][:5]]},
    "a kernel of another class": lambda v: {**v, "kernels": [["Axis", 0, "s32"]]},
    "a class that is none": lambda v: _node(v, "Op", 0, "__import__"),
    "an operation that is none": lambda v: _node(v, "Op", 1, "launch_missiles"),
    "text in a name": lambda v: _node(v, "Tensor", 1, "x\n} ret void"),
    "a dtype that is none": lambda v: _node(v, "Tensor", 2, "f17"),
    "a dimension below zero": lambda v: _node(v, "Tensor", 3, [-4]),
    "a float for an integer": lambda v: _node(v, "Axis", 1, 0.5),
    "an axis that is not there": lambda v: _node(v, "Axis", 1, 7),
    "a field less": lambda v: _node(v, "Load", slice(-1, None), []),
    "a list for a number": lambda v: _node(v, "Const", 1, [1]),
    "a size that is not there": lambda v: _stage(v, 3, [{"size": 999}] * len(v["stages"][0][3])),
    "a size that is none": lambda v: _stage(v, 3, [{"sized": 0}] * len(v["stages"][0][3])),
    "no tape": lambda v: {**v, "tape": []},
    "sizes less": lambda v: _tape(v, 0, v["tape"][0][1:]),
    "other sizes": lambda v: _tape(v, 0, [10**6] * len(v["tape"][0])),
    "an operation on what comes later": lambda v: _tape(v, 1, [*v["tape"][1], ["add", 999, 0]]),
    "a function to call": lambda v: _tape(v, 1, [*v["tape"][1], ["call", 0, 0]]),
    "a node that is there twice": lambda v: _tape(v, 1, [*v["tape"][1], v["tape"][1][-1]]),
    "a constant that is none": lambda v: _tape(v, 1, [*v["tape"][1], ["constant", {}, None]]),
    "a question that is none": lambda v: _tape(v, 2, [["add", 0, 0, True]]),
    "a guard that does not hold": lambda v: _tape(v, 2, [["eq", 0, 0, False]]),
    "a note of a size that is not there": lambda v: {**v, "notes": ["\0999:\0"] * len(v["notes"])},
}


def _tape(values, part, value):
    tape = list(values["tape"])
    tape[part] = value
    return {**values, "tape": tape}


def _stage(values, field, value):
    stage = list(values["stages"][0])
    stage[field] = value
    return {**values, "stages": [stage, *values["stages"][1:]]}


def _node(values, tag, field, value):
    values = json.loads(json.dumps(values))
    found = _first(values["kernels"], tag)
    assert found is not None
    found[field] = value
    return values


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_what_is_not_sound_is_not_used(plans, damage):
    _bound, key, values = kept(plans)
    damaged = damage(values)
    assert damaged != values
    assert plans._files.store(plans.key(key), json.dumps([damaged]).encode())
    assert list(plans.load(key)) == []


def test_what_is_sound_for_some_sizes_is_not_used_where_it_is_not():
    # Scratch that is as large as it was for the first size, whatever the size.
    bound = blurred((64, 640, 4))
    _, tape, template = planned(bound)
    small = replace(template.bound.stages[0], dims=(64, 640))
    wrong = replace(template, bound=replace(template.bound, stages=(small,)))
    for shape, fine in (((64, 640, 4), True), ((500, 600, 4), True), ((20, 600, 4), False)):
        other = blurred(shape)
        values = tape.play(structure(other, (), NOTHING)[1])
        assert stored.sound(fill_fused(template, values), other)
        assert stored.sound(fill_fused(wrong, values), other) == fine


@pytest.mark.parametrize("payload", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_what_is_no_json_is_not_used(plans, payload):
    _, key, _ = kept(plans)
    assert plans._files.store(plans.key(key), payload)
    assert list(plans.load(key)) == []


PIECES = [b"[", b"]", b"9", b"-1", b"null", b"{", b'"', b"1e999", b"NaN", b"true", b'"Load"', b","]


@functools.cache
def fused_once():
    return planned(blurred())


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9), st.sampled_from(PIECES)), max_size=4))
def test_any_change_gives_a_plan_or_none(plans, changes):
    key, tape, made = fused_once()
    plans.store(key, tape, made)
    name = plans.key(key)
    payload = plans._files.load(name)
    for where, drop, put in changes:
        at = int(where * len(payload))
        payload = payload[:at] + put + payload[at + drop :]
    plans._files.store(name, payload)  # by who has the key: others' changes are no entries
    bound = blurred()
    again = found(plans, bound)
    assert again is None or again.bound.outputs == bound.outputs


# On a device


def picture(device):
    values = np.arange(64 * 640, dtype=np.float32).reshape(64, 640) / 100
    image, out = device.buffer(values), device.empty((64, 640))
    p = treadle.pipeline(device)
    p.add("scalar_mul", image, scalar=2.0).add("box_blur", p.last, radius=1)
    return p.add("scalar_add", p.last, out, scalar=1.0)


def opened(folder):
    return Device(CpuBackend(workers=1, cache=DiskCache(folder)), "cpu")


def closed(device):
    device.close()
    return sorted(device.backend.files.directory.glob("*.bin"))


def ran(folder):
    device = opened(folder)
    p = picture(device)
    explained, found = p.plan().explain(), p.run().to_numpy()
    closed(device)
    return explained, found


@pytest.fixture
def fused(monkeypatch):
    """What was fused, by name, rather than found."""
    names = []

    def noting(bound, **options):
        names.append(bound)
        return fuse(bound, **options)

    monkeypatch.setattr(fusing, "fuse", noting)
    return names


def test_another_process_fuses_nothing(tmp_path, fused):
    first = ran(tmp_path)
    assert len(fused) == 1
    second = ran(tmp_path)
    assert len(fused) == 1
    assert first[0] == second[0]
    assert np.array_equal(first[1], second[1])


def test_a_plan_that_is_unsound_is_written_again(tmp_path, fused):
    device = opened(tmp_path)
    before = set(tmp_path.rglob("*.bin"))
    expected = picture(device).run().to_numpy()
    for path in set(closed(device)) - before:  # plans and code: both are damaged
        DiskCache(tmp_path).store(path.stem, b'{"temps": []}')
    for count in (2, 2):  # fused once more, then found again
        _, found = ran(tmp_path)
        assert np.array_equal(found, expected)
        assert len(fused) == count


def test_without_a_disk_it_fuses_every_time(tmp_path, fused):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert np.array_equal(ran(blocked / "cache")[1], ran(blocked / "cache")[1])
    assert len(fused) == 2


def test_processes_may_write_at_once(tmp_path):
    (key, tape, made), results = planned(blurred()), []

    def work():
        plans = StoredPlans(DiskCache(tmp_path), "cpu", NEAR, 16)
        for _ in range(20):
            plans.store(key, tape, made)
            results.append(found(plans, blurred()))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [fuse(blurred(), near=NEAR)] * 60
    assert len(list(tmp_path.rglob("*.bin"))) == 1
