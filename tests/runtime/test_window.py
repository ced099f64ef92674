"""What a device is given at a time: some milliseconds of work, and the rest can be cancelled."""

from __future__ import annotations

import pytest

from runtime.shared import times, vector

LANES = 2


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(params=[True, False], ids=["signals", "polled"])
def busy(request, make_manual):
    device, backend = make_manual(lanes=LANES, ordered=True, signals=request.param)
    clock = device.queue.graph.pace.clock = Clock()
    a = vector(device, 1, 2)
    device.submit(times, [a])  # compiled
    backend.expect(1)
    backend.complete()
    device.synchronize()
    return device, backend, clock


def submit(device, count):
    inputs = [vector(device, 1, 2) for _ in range(count)]
    return [device.submit(times, [a]) for a in inputs]


def run(device, backend, clock, seconds, count):
    """Complete launches one after the other, each so long after the one before."""
    for _ in range(count):
        backend.expect(1)
        clock.now += seconds
        launch = backend.pending[0]
        backend.complete(launch)


def finish(device, backend):
    """Complete everything; where ends are polled for, what follows is launched a little later."""
    while device.in_flight:
        backend.complete_all()
        for oldest in device.queue.snapshot()[:1]:
            oldest._join(0.01)


def running(commands):
    return sum(command.status == "running" for command in commands)


def test_of_many_commands_most_can_be_cancelled(busy):
    device, backend, _ = busy
    commands = submit(device, 60)
    assert LANES <= running(commands) <= 2 * LANES + 10
    waiting = [command for command in commands if command.status == "pending"]
    assert all([command.cancel() for command in waiting])
    finish(device, backend)
    assert {str(command.status) for command in waiting} == {"cancelled"}
    assert device.in_flight == 0


def test_a_chain_can_be_cancelled_too(busy):
    device, backend, _ = busy
    a = vector(device, 1, 2)
    chain = [device.submit(times, [a], a) for _ in range(60)]
    assert chain[30].status == "pending"
    assert chain[30].cancel()
    finish(device, backend)
    assert [str(chain[k].status) for k in (0, 29, 30, 31)] == [
        "completed",
        "completed",
        "cancelled",
        "failed",
    ]


def test_short_commands_are_given_by_the_hundred(busy):
    device, backend, clock = busy
    commands = submit(device, 2000)
    run(device, backend, clock, 10e-6, 200)
    backend.expect(500)
    assert running(commands) >= 500
    finish(device, backend)
    assert all(command.status == "completed" for command in commands)


def test_long_commands_are_given_one_by_one(busy):
    device, backend, clock = busy
    commands = submit(device, 60)
    run(device, backend, clock, 20e-3, 40)
    device.queue.refill()
    assert running(commands) <= 2 * LANES
    finish(device, backend)
    assert all(command.status == "completed" for command in commands)


def test_what_is_urgent_overtakes_what_was_not_given_yet(busy):
    device, backend, _ = busy
    commands = submit(device, 60)
    ahead = running(commands)
    a = vector(device, 1, 2)
    urgent = device.submit(times, [a], priority="interactive")
    assert urgent.status == "pending"
    while not urgent.done():
        backend.expect(1)
        backend.complete(backend.pending[0])
    done = sum(command.done() for command in commands)
    assert done <= ahead + 1
    finish(device, backend)
