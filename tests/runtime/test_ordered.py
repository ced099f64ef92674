"""Devices that keep order themselves: launched early, with the fences they come after."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import treadle
from runtime.shared import both, plus, times, vector
from treadle.runtime.turns import HostTurn


@pytest.fixture
def ordered(make_manual):
    return make_manual(ordered=True, lanes=2)


def test_dependants_are_launched_at_once_after_their_fences(ordered):
    device, backend = ordered
    a, b = vector(device, 1, 2), device.empty(2)
    first = device.submit(times, [a], b)
    second = device.submit(times, [b], b)
    assert (first.status, second.status) == ("running", "running")
    launch, follower = backend.pending
    assert launch.after == ()
    assert follower.after == (launch,)
    assert not follower.startable
    with pytest.raises(AssertionError, match="comes after"):
        backend.complete(follower)
    backend.complete_all()
    assert b.read_list() == [4.0, 8.0]


def test_what_shares_nothing_has_no_fences_and_other_lanes(ordered):
    device, backend = ordered
    for _ in range(4):
        device.submit(times, [vector(device, 1, 2)])
    assert [launch.after for launch in backend.pending] == [()] * 4
    assert {launch.lane for launch in backend.pending} == {0, 1}


def test_what_has_ended_is_not_waited_for(ordered):
    device, backend = ordered
    a = vector(device, 1, 2)
    device.submit(times, [a], a)
    backend.complete()
    device.submit(times, [a], a)
    assert backend.pending[0].after == ()


def test_a_failure_dooms_what_was_launched_after_it(ordered):
    device, backend = ordered
    a, b = vector(device, 1, 2), vector(device, 5, 6)
    first = device.submit(times, [a], a)
    reader = device.submit(plus, [a, b])
    overwriter = device.submit(times, [b], a)
    launches = list(backend.pending)
    backend.fail(launches[0], ValueError("boom"))
    assert (first.status, reader.status, overwriter.status) == ("failed", "running", "running")
    backend.complete_all()
    with pytest.raises(treadle.CommandFailed, match="boom") as caught:
        reader.wait(0)
    assert isinstance(caught.value.__cause__, treadle.CommandFailed)
    with pytest.raises(treadle.CommandFailed, match="boom"):
        reader.output.read()
    assert overwriter.wait(0).output.read_list() == [10.0, 12.0]


def test_a_follower_reported_first_still_learns_of_the_failure(ordered):
    device, backend = ordered
    a = vector(device, 1, 2)
    chain = [device.submit(times, [a], a) for _ in range(3)]
    launches = list(backend.pending)
    for launch in launches:  # the device is done with all of them, but has told nothing yet
        launch._done = True
    launches[0].error = ValueError("boom")
    backend.pending.clear()
    device.queue.signal(chain[2], None)
    assert [str(command.status) for command in chain] == ["failed"] * 3
    assert "boom" in str(chain[2].error)
    device.queue.signal(chain[0], launches[0].error)  # late news change nothing
    assert device.in_flight == 0


def test_work_without_steps_still_waits_for_what_it_reads(ordered):
    device, backend = ordered
    a = vector(device, 1, 2)
    device.submit(times, [a], a)
    nothing = device.submit({"op": "copy_buffer", "input": a, "output": a})
    after = device.submit(times, [a], a)
    assert (nothing.status, after.status) == ("pending", "pending")
    backend.fail(1, ValueError("boom"))
    assert (nothing.status, after.status) == ("failed", "failed")
    device.submit(times, [vector(device, 1, 2)], a)
    nothing = device.submit({"op": "copy_buffer", "input": a, "output": a})
    after = device.submit(times, [a], a)
    backend.complete()
    assert (nothing.status, after.status) == ("completed", "running")


def test_long_chains_do_not_recurse(ordered):
    device, backend = ordered
    a = vector(device, 1, 2)
    blocker = device.buffer_zeros(2)
    gate = HostTurn(device.queue, blocker._storage, 0, 8, write=True)  # the host holds this one
    gate.enter()
    first = device.submit(plus, [a, blocker], a)
    chain = [device.submit(times, [a], a, k=1.0) for _ in range(2000)]
    assert first.status == chain[-1].status == "pending"
    gate.over()
    gate.leave()
    assert first.status == "running"
    while backend.pending:  # some are launched at a time, and the last of these is reported
        launches = list(backend.pending)
        for launch in launches:
            launch._done = True
        backend.pending.clear()
        launches[-1]._signal(launches[-1])
    assert chain[-1].status == first.status == "completed"


def test_long_chains_are_cancelled_without_recursion(ordered):
    device, _ = ordered
    a = vector(device, 1, 2)
    gate = HostTurn(device.queue, a._storage, 0, 8, write=True)
    gate.enter()
    chain = [device.submit(times, [a], a, k=1.0) for _ in range(2000)]
    assert chain[0].cancel()
    assert {command.status for command in chain[1:]} == {"failed"}  # they were to read its result
    gate.over()
    gate.leave()
    assert not a._storage.writers
    assert not a._storage.readers


def test_the_host_waits_for_the_end_not_for_the_launch(ordered):
    device, backend = ordered
    a = vector(device, 1, 2)
    device.submit(times, [a], a)
    barrier = device.barrier()
    seen = []
    thread = threading.Thread(target=lambda: seen.append(a.read_list()))
    thread.start()
    while not a._storage.readers:
        pass
    later = device.submit(times, [a], a)
    assert (barrier.status, later.status) == ("pending", "pending")
    backend.complete()
    thread.join()
    assert seen == [[2.0, 4.0]]
    assert (barrier.status, later.status) == ("completed", "running")
    backend.complete()
    assert a.read_list() == [4.0, 8.0]


def test_a_cancelled_link_passes_its_fences_on(ordered):
    device, backend = ordered
    a, b, held = vector(device, 1, 2), vector(device, 3, 4), device.buffer_zeros(2)
    reader = device.submit(times, [a])
    gate = HostTurn(device.queue, held._storage, 0, 8, write=True)
    gate.enter()
    link = device.submit(plus, [b, held], a)  # after the reader, and blocked by the host
    last = device.submit(times, [b], a)
    assert (link.status, last.status) == ("pending", "pending")
    assert link.cancel()
    gate.over()
    gate.leave()
    assert last.status == "running"
    assert backend.pending[1].after == (backend.pending[0],)  # not before the reader is done
    backend.complete_all()
    assert reader.output.read_list() == [2.0, 4.0]
    assert a.read_list() == [6.0, 8.0]


def test_a_cancelled_link_does_not_make_others_forget_what_they_read(ordered):
    device, backend = ordered
    a, b, held = vector(device, 1, 2), device.empty(2), device.buffer_zeros(2)
    writer = device.submit(times, [a], b)
    gate = HostTurn(device.queue, held._storage, 0, 8, write=True)
    gate.enter()
    link = device.submit(plus, [held, held], a)  # after the writer, which reads a
    last = device.submit(times, [b], a)  # reads what the writer writes, and comes after the link
    assert link.cancel()
    gate.over()
    gate.leave()
    backend.fail(backend.pending[0], ValueError("boom"))
    backend.complete_all()
    assert (writer.status, last.status) == ("failed", "failed")
    assert "did not run" in str(last.error) or "what it reads" in str(last.error)


def test_without_signals_the_poller_finds_out(make_manual):
    device, backend = make_manual(ordered=True, signals=False, lanes=2)
    a = vector(device, 1, 2)
    commands = [device.submit(times, [a], a) for _ in range(5)]
    backend.complete_all()
    treadle.wait_all(commands, timeout=30)
    assert a.read_list() == [32.0, 64.0]


def test_the_host_does_not_overtake_what_a_cancelled_command_came_after(ordered):
    device, backend = ordered
    x, y, z, w = (vector(device, value, value) for value in (1, 2, 3, 4))
    reader = device.submit(times, [x], y)  # launched
    device.submit(times, [w], z)  # launched, too
    down = device.download(z)  # the host's, which waits for its end
    link = device.submit(both, [w, w], [x, z])  # behind the reader on the device, and the download
    assert link.cancel()
    up = device.upload(x, np.full(2, 9.0, np.float32))
    backend.complete(backend.pending[1])
    down.wait(30)
    assert (reader.status, up.status) == ("running", "pending")
    backend.complete()
    assert up.wait(30).output.read_list() == [9.0, 9.0]
