"""The CPU's memory: aligned, recycled, and alive as long as anyone looks at it."""

from __future__ import annotations

import gc
import sys
import threading

import numpy as np
import pytest

from treadle.backends.base import Region
from treadle.backends.cache import DiskCache
from treadle.backends.cpu import CpuBackend
from treadle.backends.cpu import memory as memory_module
from treadle.backends.cpu.memory import Memory, Pool, physical_memory, size_class
from treadle.errors import OutOfMemory
from treadle.runtime.device import Device


@pytest.fixture
def pool():
    return Pool()


@pytest.fixture
def backend():
    made = CpuBackend(cache=DiskCache(None))
    yield made
    made.close()


@pytest.mark.parametrize("nbytes", [0, 1, 63, 64, 4000, 262_143, 262_144, 5_000_000])
def test_memory_is_aligned_and_large_enough(pool, nbytes):
    memory = pool.allocate(nbytes)
    assert memory.capacity >= nbytes
    assert memory.address % 64 == 0
    assert memory.ctypes.data == memory.address
    memory[:] = 7
    assert (memory == 7).all()


def test_storage_is_used_again(pool):
    for nbytes in (1000, 1_000_000):
        first = pool.allocate(nbytes)
        address = first.address
        other = pool.allocate(nbytes)
        assert other.address != address
        del first
        assert pool.allocate(nbytes).address == address


def test_large_arrays_of_the_host_are_recycled_too():
    """Their pages were touched before, which is most of what decoding into them costs."""
    backend = CpuBackend(cache=DiskCache(None))
    device = Device(backend)
    try:
        array = device.host_array((700, 1000), "u8")
        assert type(array) is np.ndarray
        assert array.shape == (700, 1000)
        address, (taken, idle) = array.ctypes.data, backend.memory()
        assert taken - idle >= array.nbytes
        view = array[5:]
        del array
        gc.collect()
        assert backend.memory() == (taken, idle)  # a view still uses it
        del view
        gc.collect()
        assert backend.memory() == (taken, taken)
        assert device.host_array((690, 1000), "u8").ctypes.data == address
        few = device.host_array(100)  # as quick to make anew
        assert few.shape == (100,)
        assert backend.memory()[0] == taken
    finally:
        device.close()


def test_views_keep_the_memory_from_being_used_again(backend):
    memory = backend.allocate(4096)
    address = memory.address
    memory[:] = 3
    view = backend.view(Region(memory, 16), 64)
    assert type(view) is np.ndarray
    reshaped = view.view(np.float32).reshape(4, 4)[1:]
    del memory, view
    gc.collect()
    assert backend.allocate(4096).address != address
    assert (reshaped.view(np.uint8) == 3).all()
    del reshaped
    assert backend.allocate(4096).address == address


def test_slices_of_memory_return_nothing_twice(pool):
    memory = pool.allocate(1000)
    part = memory[10:20]
    assert isinstance(part, Memory)
    del part
    assert pool.idle == 0
    del memory
    assert pool.idle == size_class(1000)
    assert pool.idle == size_class(1000)


def test_trim_gives_idle_memory_back(pool):
    del_me = [pool.allocate(10_000) for _ in range(3)]
    del del_me
    assert pool.trim() == 3 * size_class(10_000)
    assert pool.trim() == 0


def test_idle_memory_is_bounded():
    pool = Pool(keep=10_000)
    held = [pool.allocate(4096) for _ in range(10)]
    held.clear()
    assert pool.idle <= 10_000
    big = pool.allocate(1_000_000)
    del big
    assert pool.idle <= 10_000


def test_failure_trims_and_tries_once_more(pool, monkeypatch):
    del_me = pool.allocate(1_000_000)
    del del_me
    reserve, calls = memory_module._reserve, []

    def fail_once(size):
        calls.append(pool.idle)
        if len(calls) == 1:
            raise MemoryError
        return reserve(size)

    monkeypatch.setattr(memory_module, "_reserve", fail_once)
    assert pool.allocate(2_000_000).capacity >= 2_000_000
    assert calls[0] > 0
    assert calls[1] == 0


def test_out_of_memory_is_one_clear_error(pool):
    with pytest.raises(OutOfMemory, match="no room for a buffer of"):
        pool.allocate(1 << 60)
    assert pool.allocate(100).capacity >= 100


@pytest.mark.parametrize("nbytes", [1, 256, 257, 1000, 4096, 4097, 10**6, 10**9])
def test_size_classes_waste_at_most_a_quarter(nbytes):
    size = size_class(nbytes)
    assert nbytes <= size <= max(256, nbytes * 1.25)
    assert size_class(size) == size
    assert size % 64 == 0


def test_threads_share_the_pool(pool):
    errors = []

    def churn(seed):
        rng = np.random.default_rng(seed)
        held = []
        for _ in range(500):
            memory = pool.allocate(int(rng.integers(1, 20_000)))
            memory[0] = memory[-1] = seed
            held.append(memory)
            if len(held) > 8:
                gone = held.pop(int(rng.integers(0, 8)))
                if gone[0] != seed or gone[-1] != seed:
                    errors.append(seed)

    threads = [threading.Thread(target=churn, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_write_and_read(backend):
    memory = backend.allocate(100)
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    backend.write(Region(memory, 8), data)
    out = np.zeros((3, 2), np.float32)
    backend.read(Region(memory, 8), out)
    assert out.ravel().tolist() == [0, 1, 2, 3, 4, 5]
    backend.write(Region(memory, 0), np.zeros((0, 3), np.float32))
    backend.write(Region(memory, 0), np.array(2.5))
    scalar = np.array(0.0)
    backend.read(Region(memory, 0), scalar)
    assert scalar == 2.5


def test_adopted_arrays_are_the_same_bytes_and_stay_alive(backend):
    array = np.arange(10, dtype=np.int64)
    memory = backend.adopt(array)
    assert memory is not None
    assert memory.address == array.ctypes.data
    assert memory.capacity == 80
    array[3] = -1
    del array
    gc.collect()
    assert backend.view(Region(memory, 24), 8).view(np.int64)[0] == -1


def test_what_cannot_be_adopted_is_not(backend):
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    assert backend.adopt(array.T) is None
    assert backend.adopt(array[:, :2]) is None
    readonly = array.copy()
    readonly.flags.writeable = False
    assert backend.adopt(readonly) is None
    unaligned = np.zeros(9, np.uint8)[1:].view(np.float32)
    assert backend.adopt(unaligned) is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc/self/maps")
def test_large_memory_is_private_so_that_it_may_have_huge_pages(backend):
    memory = backend.allocate(8 << 20)
    with open("/proc/self/maps", encoding="ascii", errors="replace") as file:
        for line in file:
            places, flags = line.split()[:2]
            low, high = (int(end, 16) for end in places.split("-"))
            if low <= memory.address < high:
                assert flags == "rw-p"
                return
    raise AssertionError("the memory is mapped nowhere")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells in /proc/meminfo")
def test_physical_memory_is_what_the_system_says():
    """A guess takes its place where the system cannot be asked: a plausible size proves nothing."""
    with open("/proc/meminfo", encoding="ascii") as file:
        facts = dict(line.split(":") for line in file)
    assert physical_memory() == int(facts["MemTotal"].split()[0]) << 10


def test_large_memory_is_used_again_for_what_is_a_little_smaller(pool):
    """Photos are of ever other sizes, and pages that were never touched cost most."""
    large = pool.allocate(12 << 20)
    address, capacity = large.address, large.capacity
    del large
    smaller = pool.allocate(7 << 20)
    assert (smaller.address, smaller.capacity) == (address, capacity)
    assert pool.sizes() == (capacity, 0)
    del smaller
    assert pool.allocate(5 << 20).address != address  # most of it would lie idle
    assert pool.sizes() == (capacity + size_class(5 << 20), capacity + size_class(5 << 20))
    assert pool.allocate(12 << 20).address == address
