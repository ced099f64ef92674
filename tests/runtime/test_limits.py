"""Bounds: work in flight, bytes, memory, lanes and priorities."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

import treadle
from runtime.shared import shifted, times, vector
from treadle.testing import manual_device


def test_too_many_commands_in_flight_is_queue_full(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    device.max_in_flight = 2
    for _ in range(2):
        device.submit(times, [a])
    held = device.memory_in_use
    with pytest.raises(treadle.QueueFull, match="max_in_flight"):
        device.submit(times, [a])
    with pytest.raises(treadle.QueueFull):
        device.barrier()
    assert device.memory_in_use == held  # what was allocated for it is gone
    assert device.in_flight == 2
    backend.complete()
    device.submit(times, [a])
    backend.complete_all()
    assert device.in_flight == 0


def test_scratch_of_a_refused_submit_is_given_back(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    device.max_in_flight = 1
    device.submit(times, [a], a)
    held = device.memory_in_use
    with pytest.raises(treadle.QueueFull):
        device.submit(shifted, [a], a)
    assert device.memory_in_use == held
    backend.complete()


def test_too_many_bytes_in_flight_is_queue_full(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    device.max_bytes_in_flight = 3 * a.size  # a submit of times uses two
    device.submit(times, [a])
    with pytest.raises(treadle.QueueFull, match="max_bytes_in_flight"):
        device.submit(times, [a])
    backend.complete()
    big = device.buffer_zeros(5)
    device.submit(times, [big])  # larger than the limit, but alone
    backend.complete()
    device.max_bytes_in_flight = None
    commands = [device.submit(times, [a]) for _ in range(5)]
    backend.complete_all()
    treadle.wait_all(commands)


def test_run_kernel_waits_for_room(manual):
    device, backend = manual
    device.max_in_flight = 1
    first = device.submit(times, [vector(device, 1, 2)])
    second = vector(device, 3, 4)
    results = []
    thread = threading.Thread(
        target=lambda: results.append(device.run_kernel(times, [second]).read_list())
    )
    thread.start()
    while not first._waiters:  # it found the queue full and waits
        pass
    backend.complete()
    backend.expect(1)
    backend.complete()
    thread.join()
    assert results == [[6.0, 8.0]]


def test_run_kernel_async_waits_for_room(manual):
    device, backend = manual
    device.max_in_flight = 1

    async def main():
        device.submit(times, [vector(device, 1, 2)])
        task = asyncio.create_task(device.run_kernel_async(times, [vector(device, 3, 4)]))
        await asyncio.sleep(0)
        assert len(backend.pending) == 1
        backend.fail()  # how the one before ends does not matter
        while not backend.pending:
            await asyncio.sleep(0)
        backend.complete()
        return (await task).read_list()

    assert asyncio.run(main()) == [6.0, 8.0]


@pytest.mark.parametrize("name", ["max_in_flight", "max_bytes_in_flight", "memory_limit"])
@pytest.mark.parametrize("bad", [0, -1, 1.5, True, float("nan"), "many"])
def test_limits_are_positive_integers(manual, name, bad):
    device, _ = manual
    with pytest.raises(treadle.LaunchError, match=name):
        setattr(device, name, bad)


def test_out_of_memory_has_figures_and_loses_nothing(manual):
    device, backend = manual
    device.memory_limit = device.memory_in_use + 100
    a = device.buffer_zeros(20)
    with pytest.raises(treadle.OutOfMemory, match=r"100 bytes do not fit.*memory_limit") as caught:
        device.buffer_zeros(25)
    assert isinstance(caught.value, MemoryError)
    assert backend.trimmed == 1
    with pytest.raises(treadle.OutOfMemory):
        device.submit(times, [a])  # its output does not fit
    assert device.in_flight == 0
    assert a.read() == bytes(80)
    a.free()
    assert device.buffer_zeros(25).size == 100


def test_scratch_counts_against_the_budget(manual):
    device, _ = manual
    a = vector(device, 1, 2, 3)
    held = device.memory_in_use
    device.memory_limit = held + a.size - 1
    with pytest.raises(treadle.OutOfMemory):
        device.submit(shifted, [a], a)
    assert device.memory_in_use == held
    assert device.in_flight == 0


def test_memory_held_by_work_in_flight_is_counted_until_it_ends(manual):
    device, backend = manual
    base = device.memory_in_use
    a, b = vector(device, 1, 2), device.empty(2)
    command = device.submit(times, [a], b)
    a.free()
    assert device.memory_in_use == base + 16
    backend.complete()
    assert device.memory_in_use == base + 8
    b.free()
    del command
    assert device.memory_in_use == base
    assert backend.live_memory == base


def test_a_forgotten_view_does_not_hold_the_budget(manual):
    device, backend = manual
    base = device.memory_in_use
    source, target = vector(device, 1, 2), vector(device, 3, 4)
    views = [source[:1], target[:1]]
    device.submit(times, [source], target)
    treadle.free_many([source, target])
    assert device.memory_in_use == base + 16
    backend.complete()
    assert device.memory_in_use == base
    assert backend.live_memory == base
    assert [view.valid for view in views] == [False, False]


def test_the_backend_is_asked_twice(monkeypatch):
    device, backend = manual_device(memory=1000)
    device.memory_limit = 5000
    kept = device.empty(200)
    with pytest.raises(treadle.OutOfMemory, match="do not fit"):
        device.empty(100)
    assert backend.trimmed == 1
    held = device.memory_in_use

    def trim():
        kept.free()
        return 0

    monkeypatch.setattr(backend, "trim", trim)
    fresh = device.empty(100)
    assert fresh.size == 400
    assert device.memory_in_use == held - kept.size + fresh.size
    device.close()


def test_lanes_bound_the_launches_and_priority_orders_the_rest(make_manual):
    device, backend = make_manual(lanes=2)
    first = [device.submit(times, [vector(device, i, i)]) for i in range(2)]
    later = {
        name: device.submit(times, [vector(device, 1, 2)], priority=name)
        for name in ("background", "normal", "interactive")
    }
    urgent = device.submit(times, [vector(device, 1, 2)], priority=treadle.Priority.INTERACTIVE)
    assert len(backend.pending) == 2
    assert {str(command.status) for command in later.values()} == {"pending"}
    backend.complete()
    assert first[0].status == "completed"
    assert later["interactive"].status == "running"
    assert later["normal"].status == later["background"].status == urgent.status == "pending"
    backend.complete()
    assert urgent.status == "running"  # of one priority in order of submission
    later["normal"].cancel()
    backend.complete()
    assert later["background"].status == "running"
    assert [launch.priority for launch in backend.pending] == [0, 2]
    backend.complete_all()
    assert device.in_flight == 0


def test_a_failed_launch_frees_its_lane(make_manual):
    device, backend = make_manual(lanes=1)
    device.submit(times, [vector(device, 1, 2)])
    second = device.submit(times, [vector(device, 1, 2)])
    backend.fail()
    assert second.status == "running"
    backend.complete()
    assert second.wait(0).status == "completed"


def test_work_done_at_once_frees_its_lane(make_manual):
    device, _ = make_manual(lanes=1, inline=True)
    for i in range(5):
        assert device.submit(times, [vector(device, i, i)]).wait(0).status == "completed"


def test_priorities_reach_a_backend_that_queues_itself(manual):
    device, backend = manual
    for name in ("background", "interactive", None):
        device.submit(times, [vector(device, 1, 2)], priority=name)
    assert [launch.priority for launch in backend.pending] == [2, 0, 1]
    with pytest.raises(treadle.LaunchError, match=r"priority.*did you mean 'normal'"):
        device.submit(times, [vector(device, 1, 2)], priority="norml")


def test_sizes_that_cannot_be_are_refused():
    device, _ = manual_device(max_buffer=1 << 20)
    nan = float("nan")
    for bad in (-1, (2, -3), 2.0, (nan,), float("inf"), "3", None, True, (1, None)):
        with pytest.raises(treadle.LaunchError, match="shape"):
            device.empty(bad)
    for big in (1 << 19, (1 << 40, 1 << 40)):
        with pytest.raises(treadle.LaunchError, match="at most"):
            device.empty(big)
    assert device.empty((np.int64(2), 3)).shape == (2, 3)
    device.close()
