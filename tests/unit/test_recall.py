"""Programs of earlier processes: found by kernel, made again without a look at it."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest

import treadle
from treadle import attendant
from treadle.backends.cache import DiskCache
from treadle.backends.cpu import CpuBackend
from treadle.runtime import programs, recall
from treadle.runtime.device import Device

# Each form that the CPU has code for, a kernel that the host computes values for, and a chain.
WORK = (
    ("elementwise_add", {}, ((37, 61), (37, 61))),
    ("reduce_sum", {"axis": 1}, ((37, 61),)),
    ("softmax", {}, ((37, 61),)),
    ("cumsum", {"axis": 0}, ((37, 61),)),
    ("gaussian_blur", {"radius": 2}, ((40, 50, 3),)),
    ("sharpen", {"amount": 0.3}, ((40, 50, 3),)),
    ("gelu", {}, ((1000,),)),
)


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """Open devices over one cache; what they would do in a lull is done when they close."""
    monkeypatch.setattr(attendant, "_LULL", 3600.0)
    devices = []

    def make():
        device = Device(CpuBackend(workers=1, cache=DiskCache(tmp_path / "cache")), "cpu")
        devices.append(device)
        return device

    yield make
    for device in devices:
        device.close()


def results(device, scale=1):
    found = []
    for name, params, shapes in WORK:
        rng = np.random.default_rng(len(found))
        data = [rng.standard_normal([s * scale if s > 4 else s for s in at]) for at in shapes]
        given = [device.buffer(each.astype(np.float32)) for each in data]
        found.append(device.run_kernel(name, given, params=params).to_numpy())
    return found


@pytest.fixture
def looked(monkeypatch):
    """The kernels that were scheduled, and what is called for each."""

    class Names(list):
        noted = staticmethod(lambda: None)

    names = Names()
    for module in (programs, recall):

        def noted(best, backend, scheduled=module.scheduled):
            names.append(best.name)
            names.noted()
            return scheduled(best, backend)

        monkeypatch.setattr(module, "scheduled", noted)
    return names


def test_a_second_process_schedules_nothing_and_computes_the_same(opened, looked):
    first = opened()
    wanted, larger = results(first), results(first, scale=3)
    first.close()
    assert len(looked) >= len(WORK)
    looked.clear()
    second = opened()
    for ours, theirs in zip(results(second), wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(results(second, scale=3), larger, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert looked == []


def test_what_was_not_measured_is_scheduled_again_and_then_kept(opened, looked):
    first = opened()
    wanted = first.run_kernel("relu", [first.buffer(np.ones((30, 40), np.float32))]).to_numpy()
    first.close()
    looked.clear()
    for times in (1, 0):  # a square has a structure of its own; for the second device it is known
        device = opened()
        square = device.buffer(np.full((64, 64), -2, np.float32))
        assert device.run_kernel("abs", [square]).to_numpy().min() == 2
        assert not device.run_kernel("relu", [square]).to_numpy().any()
        again = device.run_kernel("relu", [device.buffer(np.ones((30, 40), np.float32))])
        np.testing.assert_array_equal(again.to_numpy(), wanted)
        device.close()
        assert len([name for name in looked if name == "relu"]) <= times
        looked.clear()


def test_a_schedule_is_made_in_a_lull_before_a_caller_needs_it(opened, looked, monkeypatch):
    shape = (30, 40)
    for lull in (3600.0, 0.0):
        monkeypatch.setattr(attendant, "_LULL", lull)
        device = opened()
        made = threading.Event()
        monkeypatch.setattr(looked, "noted", made.set)
        device.run_kernel("relu", [device.buffer(np.ones(shape, np.float32))])
        assert made.wait(30)
        device.close()
    assert looked == ["relu", "relu"]


def test_large_arrays_have_their_variant(opened, looked):
    size = 1 << 22
    for _ in range(2):
        device = opened()
        x = device.buffer(np.arange(size, dtype=np.float32))
        made = device.run_kernel("elementwise_add", [x, x]).to_numpy()
        np.testing.assert_array_equal(made, 2 * np.arange(size, dtype=np.float32))
        device.close()


def entries(place):
    """The entries of programs: where they are, and what they say."""
    cache = DiskCache(place)
    for path in sorted(place.rglob("*.bin")):
        payload = cache.load(path.stem)
        if payload and payload.startswith(b'{"code"'):
            yield path.stem, json.loads(payload)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda value: {},
        lambda value: value | {"external": ["no; name"]},
        lambda value: value | {"external": 3},
        lambda value: value | {"code": "0" * 64},
        lambda value: value | {"streams": 1},
        lambda value: value | {"measured": [[1, 2, 3, 4]]},
        lambda value: value | {"measured": [[*value["measured"][0][:2], ["1"] * 5, [True] * 3]]},
        lambda value: [value],
        lambda value: "text",
    ],
)
def test_an_entry_that_is_not_sound_is_as_good_as_none(opened, looked, tmp_path, spoil):
    first = opened()
    x = np.linspace(-3, 3, 900, dtype=np.float32).reshape(30, 30)
    wanted = first.run_kernel("tanh", [first.buffer(x)]).to_numpy()
    first.close()
    ((key, value),) = entries(tmp_path / "cache")
    assert DiskCache(tmp_path / "cache").store(key, json.dumps(spoil(value)).encode())
    looked.clear()
    second = opened()
    np.testing.assert_array_equal(second.run_kernel("tanh", [second.buffer(x)]).to_numpy(), wanted)
    assert looked == ["tanh"]


def test_another_state_of_the_code_finds_nothing(opened, looked, monkeypatch):
    for stamp in ("one", "another"):
        monkeypatch.setattr(recall, "sources_stamp", lambda stamp=stamp: stamp)
        device = opened()
        device.run_kernel("cos", [device.buffer(np.ones(50, np.float32))])
        device.close()
    assert looked == ["cos", "cos"]


def test_kernels_of_users_are_known_by_what_they_compute(opened, looked):
    def made(number):
        @treadle.pointwise(name=f"recall_{number}")
        def scaled(x, *, by=2.0):
            return x * by + number

        return scaled

    data = np.arange(8, dtype=np.float32)
    for number in (1, 1, 2):
        device = opened()
        result = device.run_kernel(made(number), [device.buffer(data)], params={"by": 3.0})
        np.testing.assert_array_equal(result.to_numpy(), data * 3 + number)
        device.close()
    assert looked == ["recall_1", "recall_2"]


def test_code_of_another_processor_is_never_recalled(opened, looked, monkeypatch):
    """Machines may share a home folder, and not all have the instructions of the others."""
    import llvmlite.binding as llvm

    def run():
        device = opened()
        device.run_kernel("sin", [device.buffer(np.ones(50, np.float32))])
        device.close()

    run()
    features = llvm.get_host_cpu_features()
    features.pop(next(iter(features)))
    monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: features)
    run()
    run()
    assert looked == ["sin", "sin"]
