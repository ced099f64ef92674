"""Choosing a device: names, the environment, with-blocks, tasks and threads."""

from __future__ import annotations

import asyncio
import threading

import pytest

import weft
from weft.runtime import device as module


@pytest.fixture
def undecided():
    """Forget the default while a test runs."""
    kept = module._named.pop(None, None)
    yield
    module._named.pop(None, None)
    if kept is not None:
        module._named[None] = kept


def test_names_give_one_device_each():
    cpu = weft.device("cpu")
    assert weft.device("cpu:0") is cpu is weft.device("cpu") is weft.device(cpu)
    assert weft.device("reference") is not cpu
    assert repr(cpu).startswith("<weft.Device cpu")
    assert {"cpu", "reference"} <= set(weft.devices())
    assert weft.device_count() == len(weft.devices())


@pytest.mark.parametrize("name", ["cpy", "cpu:7", "cpu:x", "cpu:", "tpu:-1", ""])
def test_devices_that_do_not_exist(name):
    with pytest.raises(weft.DeviceUnavailable, match=r"device: "):
        weft.device(name)
    with pytest.raises(weft.LaunchError, match="name"):
        weft.device(3)


def test_the_nearest_name_is_suggested():
    with pytest.raises(weft.DeviceUnavailable, match="did you mean 'reference'"):
        weft.device("referense")


def test_the_default_is_the_best_present(undecided, monkeypatch):
    monkeypatch.delenv("WEFT_DEVICE", raising=False)
    real = [name for name in weft.devices() if weft.device_info(name).gpu]
    assert weft.device().name == (real[0] if real else "cpu")


def test_the_environment_decides_the_default(undecided, monkeypatch):
    monkeypatch.setenv("WEFT_DEVICE", "reference")
    assert weft.device().name == "reference"


def test_a_wrong_environment_is_an_error_not_a_fallback(undecided, monkeypatch):
    monkeypatch.setenv("WEFT_DEVICE", "nothing")
    with pytest.raises(weft.DeviceUnavailable, match="nothing"):
        weft.device()


def test_a_missing_backend_is_passed_over_for_the_default_only(undecided, monkeypatch):
    class Absent:
        @staticmethod
        def count():
            raise weft.DeviceUnavailable("install weft[cuda]")

    monkeypatch.setitem(module.BACKENDS, "cuda", "nowhere:Absent")
    real = module._backend
    monkeypatch.setattr(module, "_named", {})  # it may be open here
    monkeypatch.setattr(module, "_backend", lambda kind: Absent if kind == "cuda" else real(kind))
    assert weft.device().name in ("cpu", "webgpu")
    assert "cuda" not in weft.devices()
    with pytest.raises(weft.DeviceUnavailable, match="install"):
        weft.device("cuda")


def test_use_device_is_for_the_block():
    outside = weft.device()
    with weft.use_device("reference") as inside:
        assert weft.device() is inside is weft.device("reference")
        assert weft.buffer([1.0]).device is inside
        with weft.use_device("cpu"):
            assert weft.device().name == "cpu"
        assert weft.device() is inside
        assert weft.device_info().backend == "reference"
    assert weft.device() is outside
    chosen = weft.use_device("reference")
    with chosen, chosen:
        assert weft.device().name == "reference"
    assert weft.device() is outside


def test_use_device_is_for_this_thread_and_task_only():
    outside = weft.device()
    seen = {}

    def look():
        seen["thread"] = weft.device()

    async def other(entered, checked):
        await entered.wait()
        seen["task"] = weft.device()
        checked.set()

    async def main():
        entered, checked = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(other(entered, checked))
        with weft.use_device("reference"):
            entered.set()
            await checked.wait()
            assert weft.device().name == "reference"
        await task

    with weft.use_device("reference"):
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    asyncio.run(main())
    assert seen["task"] is outside
    assert seen["thread"].name == "cpu" or seen["thread"] is outside


def test_device_info(device):
    info = weft.device_info()
    assert dict(info)["name"] == info.name == info["name"]
    assert info.version == weft.__version__ == weft.version()
    assert set(info.dtypes) == set(weft.dtypes()) == set(device.limits.dtypes)
    assert weft.device_info(device.name) == info
    assert isinstance(info.gpu, bool)
    assert weft.gpu_available() == any(weft.device_info(name).gpu for name in weft.devices())
    with pytest.raises(KeyError):
        info["nothing"]


def test_kernels_and_their_descriptions():
    assert {"relu", "matmul", "elementwise_add"} <= set(weft.kernels())
    assert "slope" in str(weft.kernel_info("relu"))
    with pytest.raises(weft.LaunchError, match="did you mean 'relu'"):
        weft.kernel_info("relo")


def test_a_closed_device_is_opened_anew():
    first = weft.device("reference")
    first.close()
    second = weft.device("reference")
    assert second is not first
    assert second.buffer([1.0]).read_list() == [1.0]


def test_the_five_helpers(device):
    a, b = weft.buffer([[1.0, -2.0], [3.0, 4.0]]), weft.buffer([[1.0, 1.0], [2.0, 2.0]])
    assert weft.add(a, b).read_list() == [[2.0, -1.0], [5.0, 6.0]]
    assert weft.multiply(a, b).read_list() == [[1.0, -2.0], [6.0, 8.0]]
    assert weft.relu(a).read_list() == [[1.0, 0.0], [3.0, 4.0]]
    assert weft.relu(a, slope=0.5).read_list() == [[1.0, -1.0], [3.0, 4.0]]
    assert weft.scale(a, 2).read_list() == [[2.0, -4.0], [6.0, 8.0]]
    assert weft.matmul(a, b).read_list() == [[-3.0, -3.0], [11.0, 11.0]]
    out = weft.empty((2, 2))
    assert weft.add(a, b, out) is out


def test_submit_poll_wait_on_every_device(device):
    a, b = weft.buffer([1.0, -2.0]), weft.empty(2)
    command = weft.submit({"op": "run_kernel", "kernel": "relu", "inputs": [a], "output": b})
    assert weft.poll(command.id) in list(weft.Status)
    assert weft.wait(command.id, timeout=60).status == "completed"
    assert b.read_list() == [1.0, 0.0]
    assert asyncio.run(weft.run_kernel_async("relu", [a], b)) is b
    assert weft.cancel(command) is False
