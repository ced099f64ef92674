"""Pools: what is freed goes back to the system, but for a small part; `trim` takes that."""

from __future__ import annotations

import subprocess
import sys
from time import monotonic
from types import SimpleNamespace

import pytest

import treadle
from pages import ROOT
from runtime.shared import PATIENCE, at_rest
from treadle.attendant import Attendant
from treadle.backends.base import POOL_LIMIT
from treadle.backends.cuda import memory as cuda_memory
from treadle.runtime.device import Device
from treadle.testing import ManualBackend, manual_device

MIB = 1 << 20


@pytest.fixture
def emptied(device):
    """A device of its own kind that nobody has used, with nothing in its pool."""
    own = Device(type(device.backend)(), device.name)
    own.buffer([1.0]).read()  # what a device does when it is opened has been done
    rest(own)
    own.trim()
    yield own
    own.close()


def rest(device):
    """Wait until threads of the backend's that told of an end have let go of what they had."""
    workers = getattr(getattr(device.backend, "_workers", None), "__dict__", {})
    threads = [each for each in workers.values() if isinstance(each, Attendant)]
    late = monotonic() + PATIENCE
    while any(each.alive and not each.asleep for each in threads):
        assert monotonic() < late, "a thread of the backend's does not come to rest"


def test_memory_says_what_is_held_used_and_pooled(emptied):
    device, start = emptied, emptied.memory
    assert start.pooled == 0
    assert start.used == device.memory_in_use
    assert start.limit == device.memory_limit
    assert start.pool_limit == device.pool_limit
    assert start.held >= start.used
    a = device.empty((3 * MIB,), "u8")
    b = device.empty((5 * MIB,), "u8")
    full = device.memory
    assert full.used == start.used + 8 * MIB
    assert full.held >= start.held + 8 * MIB
    a.free()
    half = device.memory
    assert half.used == start.used + 5 * MIB
    del b
    last = device.memory
    assert last.used == start.used
    assert last.pooled <= last.pool_limit
    assert last.held - last.pooled <= start.held
    given = device.trim()
    assert given == last.pooled
    assert device.memory == start
    assert device.trim() == 0


def test_what_is_freed_is_used_again(emptied):
    device = emptied
    if not device.pool_limit:
        pytest.skip(f"{device.name} keeps no memory for reuse")
    device.empty((3 * MIB,), "u8").free()
    held, pooled = device.memory.held, device.memory.pooled
    assert pooled >= 3 * MIB
    again = device.empty((3 * MIB,), "u8")
    assert device.memory.pooled == pooled - 3 * MIB
    assert device.memory.held == held
    again.free()
    assert device.memory.held == held


def test_no_more_is_pooled_than_may_be(emptied):
    device = emptied
    device.pool_limit = 2 * MIB
    start = device.memory
    assert start.pool_limit == 2 * MIB
    buffers = [device.empty((MIB,), "u8") for _ in range(16)]
    for buffer in buffers[:8]:
        buffer.free()
    del buffer, buffers
    large = device.empty((8 * MIB,), "u8")
    large.free()
    if device.name == "cuda":  # a thread gives it back, soon
        device.trim()
    assert device.memory.pooled <= 2 * MIB
    assert device.memory.held - start.held <= 2 * MIB


def test_a_lower_limit_empties_the_pool(emptied):
    device = emptied
    device.empty((3 * MIB,), "u8").free()
    device.pool_limit = 0
    assert device.memory.pooled == 0
    assert device.memory.pool_limit == 0


@pytest.mark.parametrize("bad", [-1, 1.5, True, None, "1 GiB"])
def test_a_limit_is_a_number_of_bytes(emptied, bad):
    with pytest.raises(treadle.LaunchError, match="pool_limit: expected an integer of 0 or more"):
        emptied.pool_limit = bad


RESIDENT = """
import sys
from pathlib import Path

import numpy as np
import treadle
from treadle.backends.base import POOL_LIMIT

MIB = 1 << 20

def resident():
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096

device = treadle.device(sys.argv[1])
values = np.ones(64 * MIB, np.uint8)
start = resident()
buffers = [device.buffer(values) for _ in range(6)]
assert [buffer[:1].read() for buffer in buffers] == [b"\\1"] * 6  # what is written has arrived
assert resident() - start >= 350 * MIB
treadle.free_many(buffers)
if device.limits.shared:  # else a driver may put several buffers into one piece of memory
    assert resident() - start <= POOL_LIMIT + 64 * MIB
device.trim()
assert resident() - start <= 64 * MIB, resident() - start
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the size of a process")
def test_the_system_gets_back_what_is_freed(device):
    """By default, too: what stays is small beside what was used. In a process of its own, because
    others may have told the C library to keep what it has."""
    if device.info.gpu:
        pytest.skip("its memory is not the process's")
    program = [sys.executable, "-c", RESIDENT, device.name]
    done = subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_the_default_limit_is_small_and_in_the_guide():
    page = (ROOT / "docs" / "devices.md").read_text(encoding="utf-8")
    assert f"{POOL_LIMIT // MIB} MiB" in page
    assert POOL_LIMIT <= 256 * MIB
    assert treadle.device("cpu").pool_limit == POOL_LIMIT


def test_memory_in_flight_is_used_until_the_work_ends():
    device, backend = manual_device()
    assert isinstance(backend, ManualBackend)
    a = device.buffer([1.0, 2.0])
    start = device.memory
    command = device.submit("relu", [a], device.empty(2))
    backend.expect(1)
    at_rest(device)  # else the thread that planned it may have its memory
    a.free()
    assert device.memory.used == device.memory.held == start.used + 8
    backend.complete()
    assert device.memory.used == device.memory.held == 8
    del command
    assert device.memory.used == device.memory.held == 0
    device.close()


class Blocks:
    """As CuPy's MemoryPool: keeps everything until it is told."""

    def __init__(self):
        self.total = self.free = self.emptied = 0

    def malloc(self, nbytes):
        pool = self
        taken = min(self.free, nbytes)
        self.free -= taken
        self.total += nbytes - taken

        class Block:
            ptr = 4096

            def __del__(self):
                pool.free += nbytes

        return Block()

    def total_bytes(self):
        return self.total

    def free_bytes(self):
        return self.free

    def free_all_blocks(self):
        self.total, self.free, self.emptied = self.total - self.free, 0, self.emptied + 1


class Told:
    """A queue that tells the thread to look once, and then to end."""

    def __init__(self):
        self.items = [False, True]

    def get(self):
        return self.items.pop()

    def put(self, item):
        self.items.insert(0, item)

    def empty(self):
        return True


def test_cuda_gives_back_what_is_more_than_its_pool_may_keep(monkeypatch):
    monkeypatch.setattr(cuda_memory, "_PAUSE", 0.0)
    monkeypatch.setattr(cuda_memory.Pool, "_start", lambda self: started.append(self))
    started, chosen = [], []
    cuda = SimpleNamespace(
        cupy=SimpleNamespace(cuda=SimpleNamespace(MemoryPool=Blocks, PinnedMemoryPool=Blocks)),
        runtime=SimpleNamespace(setDevice=chosen.append),
    )
    pool = cuda_memory.Pool(cuda, 3)
    pool.limit = 8 * MIB
    held = [pool.allocate(MIB) for _ in range(8)]
    assert not started  # all of it may be kept
    held.append(pool.allocate(MIB))
    assert started
    assert pool.sizes() == (9 * MIB, 0)
    del held[:3]
    assert pool._told.get_nowait()  # the thread is told of every quarter of the limit
    assert pool._told.empty()
    pool._told = Told()
    pool._tend()
    assert chosen == [3]
    assert pool.sizes() == (9 * MIB, 3 * MIB)  # it may be kept
    held.clear()
    assert pool.sizes() == (9 * MIB, 9 * MIB)
    pool._told = Told()
    pool._tend()
    assert pool.sizes() == (0, 0)
    locked = pool.allocate_host(MIB)
    del locked
    assert pool._locked.total == MIB
    pool.close()
    assert pool._locked.total == 0
