"""Brief launches that their submitter puts on one stream, on a pretended GPU."""

from __future__ import annotations

import asyncio
import gc
import threading
from contextlib import suppress

import numpy as np
import pytest

import pretend_cuda
import treadle
from briefly import CUDARuntimeError, relu, runs
from runtime.test_interrupt import Interrupt
from treadle.backends.cuda import quick as quick_module

PATIENCE = 10.0
WITHIN = (treadle.__path__[0], pretend_cuda.__file__)
URGENT = treadle.Priority.INTERACTIVE  # which is not for the quick stream


def test_launches_in_a_row_share_a_stream_and_wait_for_nothing(ready):
    device, runtime, (a, b, c), prepared = ready
    first = device.submit("relu", [a], b)
    second = device.submit("add", [a, b], c)
    third = prepared.submit()
    fourth = device.submit("relu", [c], c)
    assert runs(device) == [first, second, third, fourth]
    assert {call[0] for call in runtime.calls} == {"record"}
    assert len({call[2] for call in runtime.calls}) == 1
    assert [each.status for each in (first, second, third, fourth)] == ["running"] * 4
    assert device.in_flight == 4
    assert treadle.poll(second.id) == "running"
    assert b.command.id == third.id
    assert not first.cancel()
    runtime.happen()
    assert second.wait(PATIENCE).output is c
    assert first.status == "completed"  # what comes before it has ended as well
    device.synchronize(PATIENCE)
    assert not device.queue.open
    assert not runs(device)
    assert treadle.poll(fourth.id) == "completed"


def test_others_are_told_of_what_is_in_flight_when_they_come(ready):
    device, runtime, (a, b, c), _ = ready
    first = device.submit("relu", [a], b)
    apart = device.submit("relu", [c], c)
    follower = device.submit("relu", [b], c, priority=URGENT)
    waits = [call for call in runtime.calls if call[0] == "wait"]
    (_, stream, behind) = waits[0]
    recorded = [call for call in runtime.calls if call[0] == "record" and call[1] == behind]
    assert recorded[0][2] != stream  # the quick one's, behind both
    assert not runs(device)
    assert follower.status == "running"
    runtime.happen()
    follower.wait(PATIENCE)
    assert first.done()
    assert apart.done()


def test_the_host_waits_for_them(ready):
    device, runtime, (a, b, _), prepared = ready
    for submit in (lambda: device.submit("relu", [a], b), prepared.submit):
        runtime.held = True
        command = submit()
        assert not b.ready
        woken: list[treadle.Command] = []
        command.add_done_callback(woken.append)
        with pytest.raises(treadle.CommandTimeout):
            command.wait(0.01)

        async def write(runtime=runtime):
            waiting = asyncio.ensure_future(b._written())
            await asyncio.sleep(0)
            assert not waiting.done()
            runtime.happen()
            await waiting

        asyncio.run(write())
        assert command.status == "completed"
        assert b.ready
        assert b.to_numpy().shape == (1000,)


def test_a_barrier_comes_after_them(ready):
    device, runtime, (a, b, _), _ = ready
    command = device.submit("relu", [a], b)
    barrier = device.barrier()
    assert barrier.status == "pending"
    runtime.happen()
    barrier.wait(PATIENCE)
    assert command.done()


def test_a_claim_is_given_up_where_its_runs_become_commands_of_the_graphs(ready):
    device, runtime, (_, b, c), prepared = ready
    first = prepared.submit()
    reader = device.submit("relu", [b], c, priority=URGENT)
    again = prepared.submit()  # writes what the reader reads
    assert runs(device) == []
    assert again._after == {first: True, reader: True} or reader in (again._after or {})
    runtime.happen()
    for command in (first, reader, again):
        command.wait(PATIENCE)
    runtime.held = True
    assert runs(device) == []
    last = prepared.submit()
    assert runs(device) == [last]


def test_prepared_ones_that_share_buffers_take_no_claim_from_each_other(ready):
    device, runtime, (a, b, c), prepared = ready
    other = treadle.prepare("relu", [a], c)
    runtime.held = False
    for _ in range(3):
        other.run()
    runtime.held = True
    (claim,) = {s._storage.claim for s in (a, c)}
    commands = [each.submit() for each in (prepared, other) * 3]
    assert runs(device) == commands
    assert {s._storage.claim for s in (a, c)} == {claim}
    c.free()
    with pytest.raises(treadle.BufferFreed):
        other.submit()
    assert prepared.submit() in runs(device)
    runtime.happen()
    device.synchronize(PATIENCE)
    b.free()
    with pytest.raises(treadle.BufferFreed):
        prepared.submit()


def test_memory_stays_while_it_is_used(ready):
    device, runtime, (a, *_), _ = ready
    device.synchronize(PATIENCE)
    before = device.memory_in_use
    out = device.empty(1000)
    command = device.submit("relu", [a], out)
    out.free()
    assert device.memory_in_use == before + 4000
    runtime.happen()
    command.wait(PATIENCE)
    assert device.memory_in_use == before
    runtime.held = True
    number = device.submit("relu", [a]).id  # nobody keeps the output
    gc.collect()
    assert device.memory_in_use == before + 4000
    runtime.happen()
    treadle.wait(number)
    gc.collect()
    assert device.memory_in_use == before


def test_a_device_that_is_lost_fails_what_is_there_and_what_follows(ready):
    device, runtime, (a, b, c), _ = ready
    commands = [device.submit("relu", [a], b), device.submit("relu", [b], c)]

    def lost(status):
        error = CUDARuntimeError("an illegal memory access was encountered")
        error.status = status
        raise error

    runtime.check_status = lost
    device.backend._lanes.query = lambda event: 700
    for command in commands:
        with pytest.raises(treadle.CommandFailed, match="illegal memory access") as caught:
            command.wait(PATIENCE)
        assert __file__ in str(caught.value)  # where it was submitted
    with pytest.raises(treadle.CommandFailed):
        c.to_numpy()
    with pytest.raises(treadle.TreadleError):
        device.submit("relu", [a], b).wait(PATIENCE)


def test_a_launch_that_the_driver_refuses_fails_as_any_other(ready):
    device, runtime, (a, b, c), _ = ready
    sized = relu(device.submit("relu", [a], b))
    runtime.happen()
    device.synchronize(PATIENCE)

    def refuses(*_):
        raise ValueError("refused")

    sized._launch = refuses
    runtime.held = False
    command = device.submit("relu", [a], c)
    with pytest.raises(treadle.CommandFailed, match="refused"):
        command.wait(PATIENCE)
    assert not runs(device)


def test_no_more_is_launched_ahead_than_keeps_the_device_busy(ready, monkeypatch):
    device, runtime, (a, b, _), _ = ready
    monkeypatch.setattr(quick_module, "_COUNT", 32)
    kept = [device.submit("relu", [a], b) for _ in range(60)]
    assert len(runs(device)) <= 32
    assert {each.status for each in kept} == {"running", "pending"}
    runtime.happen()
    for each in kept:
        each.wait(PATIENCE)
    assert not device.queue.open
    assert device.backend.quick.ahead == 0.0


def test_long_work_is_left_to_the_graph(ready):
    device, _, (a, b, _), _ = ready
    sized = relu(device.submit("relu", [a], b))
    assert 1e-6 < sized.seconds < 1e-5
    sized.seconds = 2e-3
    assert device.submit("relu", [a], b) not in runs(device)


def test_nothing_is_put_there_while_a_trace_is_on_or_limits_are_set(ready):
    device, runtime, (a, b, _), _ = ready
    with treadle.trace():
        device.submit("relu", [a], b)
        assert not runs(device)
    device.max_running = 1
    device.submit("relu", [a], b)
    assert not runs(device)
    device.max_running = None
    runtime.happen()
    device.synchronize(PATIENCE)
    device.submit("relu", [a], b)
    assert len(runs(device)) == 1


def test_a_poller_ends_what_nobody_asks_about(ready):
    device, runtime, (a, b, _), _ = ready
    ended: list[treadle.Command] = []
    commands = [device.submit("relu", [a], b) for _ in range(3)]
    gate = threading.Event()
    commands[-1].add_done_callback(lambda command: (ended.append(command), gate.set()))
    runtime.happen()
    assert gate.wait(PATIENCE)
    assert ended == commands[-1:]
    assert np.all([command._status == "completed" for command in commands])


def test_several_at_once_are_put_there_one_after_the_other(ready):
    device, runtime, (a, b, c), prepared = ready
    specs = [("relu", [a], b), prepared, ("add", [a, b], c)]
    first, second, third = device.submit_many(specs)
    assert runs(device) == [first, second, third]
    with pytest.raises(treadle.LaunchError):
        device.submit_many([("relu", [a], b), ("relu", [a], b, {"slop": 1.0})])
    fourth, barrier, fifth = device.submit_many([specs[0], {"op": "barrier"}, specs[0]])
    assert [each.status for each in (fourth, barrier, fifth)] == ["running", "pending", "pending"]
    assert not runs(device)
    runtime.happen()
    for command in (first, second, third, fourth, barrier, fifth):
        command.wait(PATIENCE)
    assert not device.queue.open


def test_several_at_once_survive_ctrl_c_at_any_place(ready):
    device, runtime, (a, b, c), _ = ready
    specs = [("relu", [a], b), ("add", [a, b], c)]
    for at in range(1, 2000):
        runtime.held = True
        interrupt = Interrupt(at, within=WITHIN)
        with suppress(KeyboardInterrupt), interrupt:
            device.submit_many(specs)
        device.queue.advance()
        flying = device.queue.snapshot()
        assert len(flying) in (0, 2)  # all of them or none
        assert {each.status for each in flying} <= {"running"}
        runtime.happen()
        device.synchronize(PATIENCE)
        assert not device.queue.open
        if not interrupt.fired:
            break
    assert not interrupt.fired
    assert at > 50


def test_what_comes_again_is_launched_as_a_graph(cuda):
    device, _, library = cuda
    a, b, c = (device.empty(1000) for _ in range(3))
    for _ in range(5):
        device.run_kernel("relu", [a], b)
    before = len(library.launches)
    assert before > 0
    device.run_kernel("relu", [a], b)
    assert len(library.launches) == before + 1
    device.run_kernel("relu", [a], c)  # another place
    device.run_kernel("relu", [a], b, slope=0.5)  # another value
    assert len(library.launches) == before + 1
    for _ in range(5):
        device.run_kernel("relu", [a], b, slope=0.5)
    several = {instance for instance, _ in library.launches}
    assert len(several) == 2
    for _ in range(5):
        device.run_kernel("relu", [a], b, slope=-0.0)  # equal to 0.0, and another number
    assert len({instance for instance, _ in library.launches}) == 3


def test_graphs_of_launches_keep_no_memory_and_are_bounded(cuda):
    device, _, _ = cuda
    a, b = device.empty(1000), device.empty(1000)
    held = [device.empty(1000) for _ in range(200)]
    for out in held:
        for _ in range(4):
            device.run_kernel("relu", [a], out)
    sized = relu_of(device, a, b)
    assert len(sized.known._made) <= 64
    before = device.memory_in_use
    for out in held:
        out.free()
    assert device.memory_in_use == before - 200 * 4000
    for _ in range(600):  # what is current comes in when there were too many of others
        for out in (a, b):
            device.run_kernel("relu", [a], out)
    assert 1 <= len(sized.known._made) <= 2


def relu_of(device, a, b):
    """What the driver is given for relu, which has run."""
    command = device.submit("relu", [a], b)
    made = relu(command)
    command.wait(PATIENCE)
    return made


def test_submits_that_are_alike_keep_no_memory_and_meet_no_other_buffer(cuda):
    device, _, _ = cuda
    a, b = device.empty(1000), device.empty(1000)
    start = device.memory_in_use
    for _ in range(5):
        device.run_kernel("relu", [a], b)
    kept = device.queue.kept
    assert len(kept) == 2  # one, and what came once
    out = device.empty(1000)
    for _ in range(5):
        device.run_kernel("relu", [a], out)
    assert len(kept) == 3
    del out
    gc.collect()
    assert len(kept) == 2
    assert device.memory_in_use == start
    for shape in ((10, 100), (1000,), (100, 10)):  # views may have the same id() one after another
        view = b.reshape(shape)
        for _ in range(5):
            if shape == (1000,):
                device.run_kernel("relu", [a], view)
            else:
                with pytest.raises(treadle.LaunchError, match="shape"):
                    device.run_kernel("relu", [a], view)
        del view
    b.free()
    assert not kept
    assert device.memory_in_use == start - 4000
    with pytest.raises(treadle.BufferFreed):
        device.submit("relu", [a], b)


def test_submits_that_are_alike_are_told_of_what_is_in_their_way(ready):
    device, runtime, (a, b, c), _ = ready
    runtime.held = False
    for _ in range(5):
        device.run_kernel("relu", [a], b)
    runtime.held = True
    reader = device.submit("relu", [b], c, priority=URGENT)
    command = device.submit("relu", [a], b)
    assert command not in runs(device)
    assert reader in command._after
    runtime.happen()
    device.synchronize(PATIENCE)
    assert device.submit("relu", [a], b).wait(PATIENCE).output is b
    with pytest.raises(treadle.LaunchError):
        device.submit("relu", [a], b, slop=1.0)
    assert device.submit("relu", (a,), [b]).wait(PATIENCE).output is b
