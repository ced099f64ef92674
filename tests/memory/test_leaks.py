"""Create and release: every count returns to where it was."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref

import pytest
from runtime.shared import plus, ready_device, shifted, times, vector

import weft
from weft.runtime import registry
from weft.runtime.command import Command
from weft.runtime.memory import Storage


def census():
    gc.collect()
    kinds = (Command, weft.Buffer, Storage, weft.Device)
    counts = dict.fromkeys(kinds, 0)
    for thing in gc.get_objects():
        if type(thing) in counts:
            counts[type(thing)] += 1
    return {kind.__name__: count for kind, count in counts.items()}


@pytest.fixture
def pair():
    device, backend = ready_device()
    yield device, backend
    device.close()


def test_completed_failed_and_cancelled_commands_leave_nothing(pair):
    device, backend = pair
    memory = backend.live_memory
    before = census()
    for _ in range(20):
        a, b = vector(device, 1, 2), vector(device, 3, 4)
        first = device.submit(shifted, [a], a)
        device.submit(plus, [a, b], b)
        device.submit(times, [b]).cancel()
        device.barrier()
        device.submit(times, [a[:1]], b[1:])
        backend.fail() if first.id % 2 else backend.complete()
        device.synchronize(0) if not device.in_flight else None
        while device.in_flight:
            backend.expect(1)
            backend.complete_all()
    del a, b, first
    assert census() == before
    assert backend.live_memory == memory
    assert device.memory_in_use == memory


def test_buffers_go_without_the_collector(pair):
    device, backend = pair
    memory = backend.live_memory
    gc.collect()
    gc.disable()
    try:
        for _ in range(10):
            a = vector(device, 1, 2)
            command = device.submit(times, [a], a)
            device.submit(shifted, [a], a)
            backend.complete_all()
            a.read()
            a.write([1, 2])
        del a, command
        assert backend.live_memory == memory
        assert device.memory_in_use == memory
    finally:
        gc.enable()


def test_awaiting_leaves_nothing(pair):
    device, backend = pair
    before = census()

    async def main():
        for _ in range(20):
            command = device.submit(times, [vector(device, 1, 2)])
            task = asyncio.ensure_future(command)
            await asyncio.sleep(0)
            backend.complete()
            await task

    asyncio.run(main())
    assert census() == before


def test_an_event_loop_is_not_kept(pair):
    device, backend = pair
    seen = []

    async def main():
        seen.append(weakref.ref(asyncio.get_running_loop()))
        command = device.submit(times, [vector(device, 1, 2)])
        task = asyncio.ensure_future(command)
        await asyncio.sleep(0)
        backend.complete()
        await task

    asyncio.run(main())
    gc.collect()
    assert seen[0]() is None


def test_devices_go_when_closed():
    before = census()
    for _ in range(3):
        device, backend = ready_device(signals=False)
        a = vector(device, 1, 2)
        command = device.submit(times, [a], a)
        backend.complete()
        command.wait(30)
        device.submit(times, [a], a)
        device.close()
    threads = [t for t in threading.enumerate() if t.name.startswith("weft-manual")]
    for thread in threads:
        thread.join(30)
    del device, backend, a, command, threads
    assert census() == before


def test_many_commands_keep_a_bounded_number_of_records():
    device, _ = ready_device(inline=True)
    a = vector(device, 1, 2)
    before = census()
    for _ in range(2 * registry.REMEMBERED):
        device.submit(times, [a], k=1.0)
    assert census() == before
    assert device.memory_in_use == a.size
    device.close()
