"""Choosing a device: names, the environment, with-blocks, tasks and threads."""

from __future__ import annotations

import asyncio
import sys
import threading
from types import SimpleNamespace

import pytest

import treadle
from treadle.runtime import device as module
from treadle.runtime import present


@pytest.fixture
def undecided():
    """Forget the default while a test runs."""
    kept = module._named.pop(None, None)
    yield
    module._named.pop(None, None)
    if kept is not None:
        module._named[None] = kept


def test_names_give_one_device_each():
    cpu = treadle.device("cpu")
    assert treadle.device("cpu:0") is cpu is treadle.device("cpu") is treadle.device(cpu)
    assert treadle.device("reference") is not cpu
    assert repr(cpu).startswith("<treadle.Device cpu")
    assert {"cpu", "reference"} <= set(treadle.devices())
    assert treadle.device_count() == len(treadle.devices())


@pytest.mark.parametrize("name", ["cpy", "cpu:7", "cpu:x", "cpu:", "tpu:-1", ""])
def test_devices_that_do_not_exist(name):
    with pytest.raises(treadle.DeviceUnavailable, match=r"device: "):
        treadle.device(name)
    with pytest.raises(treadle.LaunchError, match="name"):
        treadle.device(3)


def test_the_nearest_name_is_suggested():
    with pytest.raises(treadle.DeviceUnavailable, match="did you mean 'reference'"):
        treadle.device("referense")


def test_the_default_is_the_best_present(undecided, monkeypatch):
    monkeypatch.delenv("TREADLE_DEVICE", raising=False)
    real = [name for name in treadle.devices() if treadle.device_info(name).gpu]
    assert treadle.device().name == (real[0] if real else "cpu")


def test_the_environment_decides_the_default(undecided, monkeypatch):
    monkeypatch.setenv("TREADLE_DEVICE", "reference")
    assert treadle.device().name == "reference"


def test_a_wrong_environment_is_an_error_not_a_fallback(undecided, monkeypatch):
    monkeypatch.setenv("TREADLE_DEVICE", "nothing")
    with pytest.raises(treadle.DeviceUnavailable, match="nothing"):
        treadle.device()


def test_a_missing_backend_is_passed_over_for_the_default_only(undecided, monkeypatch):
    class Absent:
        @staticmethod
        def count():
            raise treadle.DeviceUnavailable("install treadle[cuda]")

    monkeypatch.setitem(sys.modules, "nowhere", SimpleNamespace(Absent=Absent))
    monkeypatch.setitem(module.BACKENDS, "cuda", "nowhere:Absent")
    monkeypatch.setattr(module, "_named", {})  # it may be open here
    assert treadle.device().name in ("cpu", "webgpu")
    assert "cuda" not in treadle.devices()
    with pytest.raises(treadle.DeviceUnavailable, match="install"):
        treadle.device("cuda")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere drivers leave no trace")
def test_libraries_of_graphics_hardware_are_not_asked_where_there_is_none(monkeypatch, tmp_path):
    asked = []

    class Driven:
        @staticmethod
        def hardware():
            asked.append(True)
            return True

    monkeypatch.setitem(sys.modules, "nowhere", SimpleNamespace(Driven=Driven))
    monkeypatch.setitem(sys.modules, "wgpu", SimpleNamespace())
    monkeypatch.setitem(module.BACKENDS, "webgpu", "nowhere:Driven")
    assert not present.hardware("webgpu", tmp_path)
    assert not asked
    (tmp_path / "dri").mkdir()
    assert present.hardware("webgpu", tmp_path)
    assert asked
    monkeypatch.setitem(sys.modules, "wgpu", None)  # not installed
    monkeypatch.setattr(present, "find_spec", lambda name: None)
    assert not present.hardware("webgpu", tmp_path)
    assert present.hardware("cpu", tmp_path / "none")


def test_use_device_is_for_the_block():
    outside = treadle.device()
    with treadle.use_device("reference") as inside:
        assert treadle.device() is inside is treadle.device("reference")
        assert treadle.buffer([1.0]).device is inside
        with treadle.use_device("cpu"):
            assert treadle.device().name == "cpu"
        assert treadle.device() is inside
        assert treadle.device_info().backend == "reference"
    assert treadle.device() is outside
    chosen = treadle.use_device("reference")
    with chosen, chosen:
        assert treadle.device().name == "reference"
    assert treadle.device() is outside


def test_use_device_is_for_this_thread_and_task_only():
    outside = treadle.device()
    seen = {}

    def look():
        seen["thread"] = treadle.device()

    async def other(entered, checked):
        await entered.wait()
        seen["task"] = treadle.device()
        checked.set()

    async def main():
        entered, checked = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(other(entered, checked))
        with treadle.use_device("reference"):
            entered.set()
            await checked.wait()
            assert treadle.device().name == "reference"
        await task

    with treadle.use_device("reference"):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    asyncio.run(main())
    assert seen["task"] is outside
    assert seen["thread"].name == "cpu" or seen["thread"] is outside


def test_device_info(device):
    info = treadle.device_info()
    assert dict(info)["name"] == info.name == info["name"]
    assert info.version == treadle.__version__ == treadle.version()
    assert set(info.dtypes) == set(treadle.dtypes()) == set(device.limits.dtypes)
    assert treadle.device_info(device.name) == info
    assert isinstance(info.gpu, bool)
    assert treadle.gpu_available() == any(
        treadle.device_info(name).gpu for name in treadle.devices()
    )
    with pytest.raises(KeyError):
        info["nothing"]


def test_kernels_and_their_descriptions():
    assert {"relu", "matmul", "elementwise_add"} <= set(treadle.kernels())
    assert "slope" in str(treadle.kernel_info("relu"))
    with pytest.raises(treadle.LaunchError, match="did you mean 'relu'"):
        treadle.kernel_info("relo")


def test_a_closed_device_is_opened_anew():
    first = treadle.device("reference")
    first.close()
    second = treadle.device("reference")
    assert second is not first
    assert second.buffer([1.0]).read_list() == [1.0]


def test_the_five_helpers(device):
    a, b = treadle.buffer([[1.0, -2.0], [3.0, 4.0]]), treadle.buffer([[1.0, 1.0], [2.0, 2.0]])
    assert treadle.add(a, b).read_list() == [[2.0, -1.0], [5.0, 6.0]]
    assert treadle.multiply(a, b).read_list() == [[1.0, -2.0], [6.0, 8.0]]
    assert treadle.relu(a).read_list() == [[1.0, 0.0], [3.0, 4.0]]
    assert treadle.relu(a, slope=0.5).read_list() == [[1.0, -1.0], [3.0, 4.0]]
    assert treadle.scale(a, 2).read_list() == [[2.0, -4.0], [6.0, 8.0]]
    assert treadle.matmul(a, b).read_list() == [[-3.0, -3.0], [11.0, 11.0]]
    out = treadle.empty((2, 2))
    assert treadle.add(a, b, out) is out


def test_submit_poll_wait_on_every_device(device):
    a, b = treadle.buffer([1.0, -2.0]), treadle.empty(2)
    command = treadle.submit({"op": "run_kernel", "kernel": "relu", "inputs": [a], "output": b})
    assert treadle.poll(command.id) in list(treadle.Status)
    assert treadle.wait(command.id, timeout=60).status == "completed"
    assert b.read_list() == [1.0, 0.0]
    assert asyncio.run(treadle.run_kernel_async("relu", [a], b)) is b
    assert treadle.cancel(command) is False
