"""Plans on disk: found by structure, checked like a stranger's, never in the way."""

from __future__ import annotations

import functools
import json
import threading

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
from treadle.ir.plain import read_kernel, write_kernel
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


def blurred():
    definition = registry.lookup("blur")
    key, values = definition.arguments({"radius": 2, "sigma": 1.0})
    return definition.bind((Spec((64, 640, 4), DType.U8),), None, key, values)


@pytest.fixture
def plans(tmp_path):
    return StoredPlans(DiskCache(tmp_path), "cpu", NEAR, 16)


def kept(plans, bound=None):
    """A bound, its key, and what was stored for it, as JSON values."""
    bound = bound or blurred()
    key = plans.key(bound, (), NOTHING)
    assert plans.store(key, bound, fuse(bound, near=NEAR))
    return bound, key, json.loads(plans._files.load(key))


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
    bound, key, _ = kept(plans)
    fused = fuse(bound, near=NEAR)
    assert any(isinstance(stage.kernel.form, Chain) for stage in fused.bound.stages)
    found = plans.load(key, bound)
    assert found == fused
    assert repr(found) == repr(fused)


def test_a_stage_that_was_left_alone_is_not_written_again(plans):
    definition = registry.lookup("reduce_sum")
    bound = definition.bind((Spec((64, 48), DType.F32),), None, *definition.arguments({}))
    bound, key, values = kept(plans, bound)
    assert values["kernels"] == []
    found = plans.load(key, bound)
    assert found.bound.stages[0].kernel is bound.stages[0].kernel


def test_the_key_is_the_structure(tmp_path, plans, monkeypatch):
    bound = blurred()
    key = plans.key(bound, (), NOTHING)
    assert key == plans.key(blurred(), (), NOTHING)
    others = [
        plans.key(bound, (1,), NOTHING),
        plans.key(bound, (), frozenset({(0, 1), (1, 0)})),
        StoredPlans(DiskCache(tmp_path), "cuda", NEAR, 16).key(bound, (), NOTHING),
        StoredPlans(DiskCache(tmp_path), "cpu", 2 * NEAR, 16).key(bound, (), NOTHING),
        plans.key(registry.lookup("sharpen").bind(
            (Spec((64, 640, 4), DType.U8),), None, *registry.lookup("sharpen").arguments({})
        ), (), NOTHING),
    ]  # fmt: skip
    monkeypatch.setattr(stored, "__version__", "0.0.0.other")
    others.append(plans.key(bound, (), NOTHING))
    monkeypatch.undo()
    monkeypatch.setattr(stored, "_stamp", lambda: "another state of the code")
    others.append(plans.key(bound, (), NOTHING))
    assert len({key, *others}) == 1 + len(others)


def test_tables_are_part_of_the_structure(plans):
    bounds = []
    for radius in (3, 4):
        definition = registry.lookup("box_blur")
        given = definition.arguments({"radius": radius})
        bounds.append(definition.bind((Spec((64, 640), DType.F32),), None, *given))
    assert plans.key(bounds[0], (), NOTHING) != plans.key(bounds[1], (), NOTHING)


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
    "a dtype that is none": lambda v: _node(v, "Tensor", 2, "f16"),
    "a dimension below zero": lambda v: _node(v, "Tensor", 3, [-4]),
    "a float for an integer": lambda v: _node(v, "Axis", 1, 0.5),
    "an axis that is not there": lambda v: _node(v, "Axis", 1, 7),
    "a field less": lambda v: _node(v, "Load", slice(-1, None), []),
    "a list for a number": lambda v: _node(v, "Const", 1, [1]),
}


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
    bound, key, values = kept(plans)
    damaged = damage(values)
    assert damaged != values
    assert plans._files.store(key, json.dumps(damaged).encode())
    assert plans.load(key, bound) is None


@pytest.mark.parametrize("payload", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_what_is_no_json_is_not_used(plans, payload):
    bound, key, _ = kept(plans)
    assert plans._files.store(key, payload)
    assert plans.load(key, bound) is None


PIECES = [b"[", b"]", b"9", b"-1", b"null", b"{", b'"', b"1e999", b"NaN", b"true", b'"Load"', b","]


@functools.cache
def fused_once():
    bound = blurred()
    return bound, fuse(bound, near=NEAR)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 9), st.sampled_from(PIECES)), max_size=4))
def test_any_change_gives_a_plan_or_none(plans, changes):
    bound, made = fused_once()
    key = plans.key(bound, (), NOTHING)
    plans.store(key, bound, made)
    payload = plans._files.load(key)
    for where, drop, put in changes:
        at = int(where * len(payload))
        payload = payload[:at] + put + payload[at + drop :]
    plans._files.store(key, payload)  # by who has the key: others' changes are no entries
    found = plans.load(key, bound)
    assert found is None or found.bound.outputs == bound.outputs


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
    bound, results = blurred(), []

    def work():
        plans = StoredPlans(DiskCache(tmp_path), "cpu", NEAR, 16)
        for _ in range(20):
            key = plans.key(bound, (), NOTHING)
            plans.store(key, bound, fuse(bound, near=NEAR))
            results.append(plans.load(key, bound))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [fuse(bound, near=NEAR)] * 60
    assert len(list(tmp_path.rglob("*.bin"))) == 1
