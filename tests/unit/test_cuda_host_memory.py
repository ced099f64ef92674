"""The host's own memory as a GPU's, reached over the bus: who gets it, and who does not. A GPU
that is only pretended."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import treadle
from pretend_cuda import pretended
from treadle.backends.cuda.program import Nvrtc
from treadle.search.nearest import nearest
from treadle.search.table import Table


@pytest.fixture
def cuda(monkeypatch, tmp_path):
    device, runtime, library = pretended(monkeypatch, tmp_path)
    yield device, runtime, library
    device.close()


def locked(device, runtime, shape):
    """An array that the driver takes for page-locked."""
    array = device.host_array(shape)
    runtime.pinned.add(array.ctypes.data)
    return array


def test_a_page_locked_array_is_taken_in_place_where_that_is_asked_for(cuda):
    device, runtime, _ = cuda
    array = locked(device, runtime, (4,))
    array[...] = 1, 2, 3, 4
    buffer = device.from_numpy(array, copy=False)
    assert buffer.read_list() == [1, 2, 3, 4]
    buffer.write(np.float32([5, 6, 7, 8]))
    assert array.tolist() == [5, 6, 7, 8]
    part = buffer[1:3]
    assert part.to_numpy(copy=False).tolist() == [6, 7]
    assert np.shares_memory(buffer.to_numpy(copy=False), array)


def test_unasked_a_page_locked_array_is_copied(cuda):
    device, runtime, _ = cuda
    array = locked(device, runtime, (4,))
    array[...] = 1, 2, 3, 4
    buffer = device.from_numpy(array)  # a kernel that reads it often would do so over the bus
    array[...] = 0
    assert buffer.read_list() == [1, 2, 3, 4]


def test_memory_that_is_not_page_locked_stays_the_hosts(cuda):
    device, _, _ = cuda
    with pytest.raises(treadle.LaunchError, match="cannot use this array without a copy"):
        device.from_numpy(np.zeros(4, np.float32), copy=False)


def test_a_recorded_search_is_one_launch_and_no_copy(cuda, monkeypatch):
    device, runtime, library = cuda
    found = type(runtime).pointerGetAttributes
    monkeypatch.setattr(
        type(runtime),
        "pointerGetAttributes",
        lambda self, address: self.pinned.add(address) or found(self, address),
    )
    table = Table(32, "l2", "f32", device)
    table.append(np.eye(2048, 32, dtype=np.float32))
    view, query = table.view(), np.ones((1, 32), np.float32)
    for _ in range(3):  # the second is recorded
        nearest(view, query, 10)
    copies, launches = [], len(library.launches)
    monkeypatch.setattr(device.backend, "_memcpy", lambda *given: copies.append(given))
    monkeypatch.setattr(runtime, "memcpyAsync", lambda *given: copies.append(given))
    runtime.calls.clear()
    nearest(view, query, 10)
    assert len(library.launches) == launches + 1
    assert [what for what, *_ in runtime.calls] == ["record"]
    assert copies == []


def test_searches_find_compiled_what_was_prepared_while_rows_were_added(cuda, monkeypatch):
    device, runtime, _ = cuda
    monkeypatch.setattr(
        type(runtime),
        "pointerGetAttributes",
        lambda self, address: SimpleNamespace(type=1, devicePointer=address),
    )
    table = Table(8, "l2", "f32", device)
    table.append(np.zeros((1 << 16, 8), np.float32))
    view = table.view()
    device.synchronize()
    compiled, build = [], Nvrtc._build
    monkeypatch.setattr(
        Nvrtc, "_build", lambda self, *given: compiled.append(given) or build(self, *given)
    )
    for count in (1, 100, 1000):
        for _ in range(2):  # the second is recorded
            nearest(view, np.zeros((count, 8), np.float32), 10)
    assert compiled == []
