"""CUDA's large copies, and what Ctrl-C leaves of copies and launches, over a pretended driver."""

from __future__ import annotations

import sys
import threading

import numpy as np
import pytest

import treadle
from runtime.test_interrupt import Interrupt
from treadle.backends.base import Carry, Region
from treadle.backends.cuda import copies
from treadle.backends.cuda import lanes as lanes_module
from treadle.backends.cuda.copies import Copier
from treadle.backends.cuda.lanes import Lanes
from treadle.backends.cuda.memory import DeviceMemory
from unit import test_cuda_lanes

carrier, cuda = test_cuda_lanes.carrier, test_cuda_lanes.cuda


@pytest.mark.parametrize("hands", [1, 2, 5])
@pytest.mark.parametrize("nbytes", [1, 64, 65, 127, 128, 129, 640, 641, 1000, 4096])
def test_staged_copies_move_every_byte(cuda, monkeypatch, hands, nbytes):
    monkeypatch.setattr(copies, "_DIRECT", 0)
    monkeypatch.setattr(copies, "_CHUNK", 64)
    monkeypatch.setattr(copies, "_HANDS", hands)
    copier = Copier(cuda, 3)
    data = np.random.default_rng(nbytes).integers(0, 256, nbytes, dtype=np.uint8)
    device = np.zeros(nbytes + 2, np.uint8)
    for _ in range(2):  # the second time over the same staging
        copier.write(device.ctypes.data + 1, data)
        np.testing.assert_array_equal(device[1:-1], data)
        out = np.zeros(nbytes, np.uint8)
        copier.read(device.ctypes.data + 1, out)
        np.testing.assert_array_equal(out, data)
        data = data[::-1].copy()
    assert (device[0], device[-1]) == (0, 0)
    copier.close()
    assert set(cuda.runtime.devices) <= {3}
    assert cuda.runtime.destroyed == cuda.runtime.made


def test_copies_work_while_the_interpreter_ends(cuda, monkeypatch):
    monkeypatch.setattr(copies, "_DIRECT", 0)
    monkeypatch.setattr(copies, "_CHUNK", 64)
    monkeypatch.setattr(copies, "_HANDS", 3)
    copier = Copier(cuda, 0)
    monkeypatch.setattr(sys, "is_finalizing", lambda: True)
    device = np.zeros(1000, np.uint8)
    copier.write(device.ctypes.data, np.arange(1000).astype(np.uint8))
    np.testing.assert_array_equal(device, np.arange(1000).astype(np.uint8))
    copier.close()


def test_what_a_helper_meets_is_raised(cuda, monkeypatch):
    monkeypatch.setattr(copies, "_DIRECT", 0)
    monkeypatch.setattr(copies, "_CHUNK", 64)
    monkeypatch.setattr(copies, "_HANDS", 4)
    copier = Copier(cuda, 0)
    usual = cuda.runtime.memcpyAsync
    device = np.zeros(256, np.uint8)

    def fail(target, source, nbytes, kind, stream):
        if target == device.ctypes.data + 128:  # a helper's share
            raise RuntimeError("the bus is on fire")
        usual(target, source, nbytes, kind, stream)

    cuda.runtime.memcpyAsync = fail
    with pytest.raises(treadle.DeviceError, match="fire"):
        copier.write(device.ctypes.data, np.ones(256, np.uint8))
    cuda.runtime.memcpyAsync = usual
    copier.write(device.ctypes.data, np.full(256, 2, np.uint8))
    assert (device == 2).all()
    copier.close()


def test_a_copy_that_is_broken_off_leaves_nothing_on_its_way(cuda, monkeypatch):
    monkeypatch.setattr(copies, "_DIRECT", 0)
    monkeypatch.setattr(copies, "_CHUNK", 64)
    monkeypatch.setattr(copies, "_HANDS", 3)
    copier = Copier(cuda, 0)
    usual, travelling = cuda.runtime.memcpyAsync, []
    main, begun = threading.current_thread(), threading.Event()

    def interrupt(target, source, nbytes, kind, stream):
        if threading.current_thread() is main:
            assert begun.wait(30)
            raise KeyboardInterrupt
        travelling.append(1)
        begun.set()
        usual(target, source, nbytes, kind, stream)
        travelling.pop()

    device = np.zeros(64 * 300, np.uint8)
    for _ in range(20):
        cuda.runtime.memcpyAsync = interrupt
        begun.clear()
        with pytest.raises(KeyboardInterrupt):
            copier.write(device.ctypes.data, np.ones(device.nbytes, np.uint8))
        assert not travelling
        assert not copier._parts
        cuda.runtime.memcpyAsync = usual
        copier.write(device.ctypes.data, np.full(device.nbytes, 2, np.uint8))
        assert (device == 2).all()
    copier.close()
    assert cuda.runtime.destroyed == cuda.runtime.made


def test_a_launch_that_is_broken_off_ends_before_its_memory_goes(cuda):
    backend = carrier(cuda)
    waited = []
    cuda.runtime.streamSynchronize = waited.append
    memory = np.zeros(4, np.float32)
    region = Region(DeviceMemory(memory.ctypes.data, 16, None), 0)

    def interrupt(*_):
        raise KeyboardInterrupt

    backend._memcpy = interrupt
    with pytest.raises(KeyboardInterrupt):
        backend.launch((Carry(region, memory, True),), None)
    assert len(waited) == 1
    backend._memcpy, backend._lanes._record = cuda.runtime.memcpyAsync, interrupt
    with pytest.raises(KeyboardInterrupt):
        backend.launch((Carry(region, memory, True),), None)
    assert len(waited) == 2


def test_an_event_goes_back_once_wherever_settling_is_broken_off(cuda):
    lanes = Lanes(cuda)
    places = (lanes_module.__file__,)
    for at in range(1, 50):
        fence = lanes.fence(lanes.choose(0, 1, ()), None)
        interrupt = Interrupt(at, places)
        try:
            with interrupt:
                assert fence.done()
        except KeyboardInterrupt:
            assert fence.done()
        assert len(set(lanes._events)) == len(lanes._events)
        if not interrupt.fired:
            break
    assert at > 2
    assert not interrupt.fired
