"""Create and release: every count returns to where it was."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref

import pytest

import treadle
from runtime.shared import (
    PATIENCE,
    at_rest,
    few_records,
    plus,
    ready_device,
    shifted,
    times,
    vector,
)
from treadle.runtime import registry
from treadle.runtime.command import Command
from treadle.runtime.memory import Storage


def census(device):
    """How many commands, buffers and storages of a device exist."""
    at_rest(device)
    counts = {"commands": 0, "buffers": 0, "storages": 0}
    for thing in gc.get_objects():
        if type(thing) is Command:
            counts["commands"] += thing._owner is device.queue
        elif type(thing) is treadle.Buffer:
            counts["buffers"] += thing._device is device
        elif type(thing) is Storage:
            counts["storages"] += thing.ledger is device._ledger
    return counts


@pytest.fixture
def pair():
    device, backend = ready_device()
    yield device, backend
    device.close()


def test_completed_failed_and_cancelled_commands_leave_nothing(pair):
    device, backend = pair
    before = census(device)
    memory = backend.live_memory
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
    assert census(device) == before
    assert backend.live_memory == memory
    assert device.memory_in_use == memory


def test_buffers_go_without_the_collector(pair):
    device, backend = pair
    at_rest(device)
    memory = backend.live_memory
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
    before = census(device)

    async def main():
        for _ in range(20):
            command = device.submit(times, [vector(device, 1, 2)])
            task = asyncio.ensure_future(command)
            await asyncio.sleep(0)
            backend.complete()
            await task

    asyncio.run(main())
    assert census(device) == before


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


@pytest.mark.parametrize("signals", [True, False])
def test_devices_go_when_closed(signals):
    others = set(threading.enumerate())
    device, backend = ready_device(signals=signals)
    a = vector(device, 1, 2)
    command = device.submit(times, [a], a)
    backend.complete()
    command.wait(PATIENCE)
    device.submit(times, [a], a)
    device.close()
    seen = [weakref.ref(device), weakref.ref(backend), weakref.ref(device.queue)]
    for thread in set(threading.enumerate()) - others:  # they end, and may be on their way out
        thread.join(PATIENCE)
        assert not thread.is_alive()
    del device, backend, a, command
    gc.collect()
    assert [reference() for reference in seen] == [None] * 3


def test_many_commands_keep_a_bounded_number_of_records(monkeypatch):
    few_records(monkeypatch)
    device, _ = ready_device(inline=True)
    a = vector(device, 1, 2)
    before = census(device)
    for _ in range(2 * registry.REMEMBERED):
        device.submit(times, [a], k=1.0)
    assert census(device) == before
    assert device.memory_in_use == a.size
    device.close()


def test_pipelines_leave_nothing(pair):
    device, backend = pair

    def once(end):
        a, b, out = vector(device, 1, 2, 3), vector(device, 4, 5, 6), device.empty(3)
        p = treadle.pipeline(device)
        p.add(shifted, p.buffer("a", a)).barrier().add(shifted, p.last, out)
        runs = [p.submit(), p.bind(a=b).submit()]
        while device.in_flight:
            backend.expect(1)
            backend.fail(1, ValueError("boom"), step=1) if end == "fail" else backend.complete()
        if end == "free":
            p.free()
        return [run.status for run in runs]

    at_rest(device)
    memory = backend.live_memory
    once("complete")
    before = census(device)
    for end in ("complete", "fail", "free") * 5:
        assert set(once(end)) == {"failed" if end == "fail" else "completed"}
    assert census(device) == before
    assert backend.live_memory == memory
    assert device.memory_in_use == memory


class Held:
    """What a function holds."""


def host_function(device):
    held, x = Held(), vector(device, 1, 2)

    def fill(out, given):
        out[...] = given if held else 0

    device.run_kernel(treadle.host(fill), [x])
    treadle.pipeline(lambda x: treadle.host(fill)(x))(x)
    return weakref.ref(held)


def kernel(device):
    def body(x, *, k):
        return x * k

    body.held = held = Held()
    definition = treadle.pointwise(body)
    device.run_kernel(definition, [vector(device, 1, 2)], k=3.0)
    device.submit(definition, [vector(device, 1, 2)], k=2.0).wait(PATIENCE)
    return weakref.ref(held)


def pipeline(device):
    held = Held()

    def body(x):
        return treadle.run_kernel("scalar_mul", [x], scalar=2.0 if held else 1.0)

    traced = treadle.pipeline(body)
    traced(vector(device, 1, 2))
    treadle.pipeline(device).add(traced, [vector(device, 1, 2)], vector(device, 0, 0)).run()
    return weakref.ref(held)


@pytest.mark.parametrize("make", [host_function, kernel, pipeline])
def test_definitions_that_are_dropped_go(make):
    with treadle.use_device("cpu") as device:
        seen = [make(device) for _ in range(20)]
        device.synchronize()
        at_rest(device)
        # The last one of a name can still be asked for by it.
        assert sum(reference() is not None for reference in seen) <= 1
