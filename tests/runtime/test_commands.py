"""A command's life: status, waiting, ids, callbacks, cancelling."""

from __future__ import annotations

import asyncio
import math
import threading
import weakref

import numpy as np
import pytest

import treadle
from runtime.shared import both, few_records, plus, shifted, times, vector
from treadle.runtime import observe, registry
from visits import everywhere


def test_submit_returns_before_the_work_is_done(manual):
    device, backend = manual
    a, b = vector(device, 1, 2), vector(device, 3, 4)
    command = device.submit(plus, [a, b])
    assert command.status == command.poll() == "running"
    assert not command.done()
    assert [launch.kernels for launch in backend.pending] == [["plus"]]
    backend.complete()
    assert command.status is treadle.Status.COMPLETED
    assert command.wait() is command
    assert command.output.read_list() == [4.0, 6.0]
    assert command.outputs == (command.output,)
    assert command.error is None
    assert command.exception() is None


def test_blocked_commands_are_pending(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    first = device.submit(times, [a], a)
    second = device.submit(times, [a], a)
    assert (first.status, second.status) == ("running", "pending")
    backend.complete()
    assert (first.status, second.status) == ("completed", "running")
    backend.complete()
    assert a.read_list() == [4.0, 8.0]


def test_ids_are_increasing_integers_and_stand_for_commands(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    first, second = device.submit(times, [a]), device.submit(times, [a])
    assert isinstance(first.id, int)
    assert first.id < second.id
    assert treadle.poll(first.id) == "running"
    assert treadle.wait_all([], timeout=0) == []
    for wrong in (treadle.wait_all, treadle.as_completed):
        with pytest.raises(treadle.LaunchError, match=r"commands: expected several.*write a list"):
            wrong(first)
    with pytest.raises(treadle.LaunchError, match="wait_all takes several"):
        treadle.wait([first, second])
    backend.complete_all()
    assert treadle.poll(first.id) == treadle.poll(first) == "completed"
    assert treadle.wait(second.id).id == second.id


def test_an_id_outlives_its_command_but_holds_no_buffers(manual):
    device, backend = manual
    command = device.submit(times, [vector(device, 1, 2)])
    backend.complete()
    number, output = command.id, weakref.ref(command.output)
    del command
    assert output() is None
    rebuilt = treadle.wait(number)
    assert rebuilt.id == number
    assert rebuilt.kernel == "times"
    assert rebuilt.cancel() is False
    for ask in (
        lambda: rebuilt.output,
        lambda: rebuilt.outputs,
        lambda: asyncio.run(result(number)),
    ):
        with pytest.raises(
            treadle.BufferFreed, match=r"nothing but the command's id was kept"
        ) as e:
            ask()
        assert f"command {number}, submitted at {__file__}" in str(e.value)


async def result(number):
    return await treadle.wait(number)


def test_an_id_gives_the_outputs_that_are_kept(manual):
    device, backend = manual
    a, b = vector(device, 1, 2), device.empty(2)
    number = device.submit(times, [a], b).id
    two = device.submit(both, [a, a])
    several, kept = two.id, two.outputs
    nothing = device.submit({"op": "barrier"}).id
    del two
    one = device.buffer(3.0)  # shape (): it has no length, and is no less an output
    shapeless = device.submit(times, [one], one).id
    while device.in_flight:
        backend.expect(1)
        backend.complete_all()
    assert treadle.wait(number).output is b
    assert treadle.wait_all([number])[0].outputs == (b,)
    assert [found.output for found in treadle.as_completed([number])] == [b]
    assert asyncio.run(result(number)) is b
    assert treadle.wait(several).output == kept
    assert treadle.wait(nothing).output is None
    assert treadle.wait(shapeless).output is one
    del kept
    with pytest.raises(treadle.BufferFreed):
        treadle.wait(several).output  # noqa: B018
    b.free()
    assert not treadle.wait(number).output.valid


def test_a_failed_id_still_raises(manual):
    device, backend = manual
    command = device.submit(times, [vector(device, 1, 2)])
    backend.fail(1, ValueError("boom"))
    with pytest.raises(treadle.CommandFailed, match="boom") as caught:
        treadle.wait(command.id)
    assert command.submitted_at in str(caught.value)


@pytest.mark.parametrize("bad", [0, -1, 10**12])
def test_unknown_ids(bad):
    with pytest.raises(treadle.UnknownCommand, match=str(bad)):
        treadle.poll(bad)
    with pytest.raises(LookupError):
        treadle.wait(bad)


@pytest.mark.parametrize("bad", ["1", 1.5, None, True])
def test_what_is_no_id(bad):
    with pytest.raises(treadle.LaunchError, match="Command"):
        treadle.poll(bad)


def test_finished_commands_are_remembered_up_to_a_bound(make_manual, monkeypatch):
    assert len(registry.ring) == registry.REMEMBERED
    few_records(monkeypatch)
    device, _ = make_manual(inline=True)
    a = vector(device, 1, 2)
    first = device.submit(times, [a], a)
    assert treadle.poll(first.id) == "completed"
    for _ in range(registry.REMEMBERED):
        last = device.submit(times, [a], a, k=1.0)
    assert treadle.poll(last.id) == "completed"
    assert len(registry.ring) == registry.REMEMBERED
    with pytest.raises(treadle.UnknownCommand, match=str(first.id)):
        treadle.poll(first.id)
    assert first.wait() is first


def test_timeout_leaves_the_command_running(manual):
    device, backend = manual
    command = device.submit(times, [vector(device, 1, 2)])
    for timeout in (0, -1, 1e-6, np.float32(1e-6), np.int64(0)):
        with pytest.raises(treadle.CommandTimeout, match="times") as caught:
            command.wait(timeout)
        assert isinstance(caught.value, TimeoutError)
    with pytest.raises(treadle.CommandTimeout):
        treadle.wait(command, timeout=0)
    with pytest.raises(treadle.CommandTimeout, match="1 of 1"):
        treadle.wait_all([command], timeout=0)
    with pytest.raises(treadle.CommandTimeout):
        device.synchronize(timeout=0)
    assert command.status == "running"
    assert command._waiters == []  # a wait that gave up leaves nothing behind
    backend.complete()
    assert command.wait(0).output.read_list() == [2.0, 4.0]


@pytest.mark.parametrize("timeout", [math.nan, "1", True, False, 1j, [1], np.timedelta64(1, "s")])
def test_a_timeout_that_is_no_number_of_seconds(manual, timeout):
    device, backend = manual
    command = device.submit(times, [vector(device, 1, 2)])
    for wait in (
        command.wait,
        device.synchronize,
        lambda timeout: treadle.wait_all([command], timeout=timeout),
        lambda timeout: treadle.as_completed([command], timeout=timeout),
    ):
        with pytest.raises(treadle.LaunchError, match="timeout: expected seconds or None"):
            wait(timeout)
    backend.complete()
    with pytest.raises(treadle.LaunchError, match="timeout"):  # not only where it has to wait
        command.wait(timeout)
    for timeout in (math.inf, 10**400):
        assert command.wait(timeout) is treadle.wait_all([command], timeout=timeout)[0]


def test_threads_wait(manual):
    device, backend = manual
    command = device.submit(times, [vector(device, 1, 2)])
    seen = []
    threads = [
        threading.Thread(target=lambda: seen.append(command.wait().status)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    backend.complete()
    for thread in threads:
        thread.join()
    assert seen == ["completed"] * 4


def test_the_line_that_submitted_is_known(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    command = device.submit(times, [a])  # this line
    where = f"{__file__}:{test_the_line_that_submitted_is_known.__code__.co_firstlineno + 3}"
    assert command.submitted_at == where
    with treadle.use_device(device):
        through_api = treadle.submit(times, [a])  # and this one
    assert through_api.submitted_at.endswith(f":{int(where.rpartition(':')[2]) + 4}")
    assert through_api.submitted_at.startswith(__file__)
    backend.complete_all()


def test_repr_is_one_line(manual):
    device, backend = manual
    command = device.submit(times, [vector(device, 1, 2)])
    assert repr(command) == f"<treadle.Command {command.id} times running on manual>"
    backend.complete()
    assert "completed" in repr(command)


def test_several_outputs(manual):
    device, backend = manual
    a, b = vector(device, 5, 7), vector(device, 1, 2)
    command = device.submit("both", [a, b])
    backend.complete()
    total, difference = command.wait().output
    assert (total.read_list(), difference.read_list()) == ([6.0, 9.0], [4.0, 5.0])
    outputs = [device.empty(2), device.empty(2)]
    command = device.submit("both", [a, b], outputs)
    backend.complete()
    assert command.outputs == tuple(outputs)


def test_callbacks_run_once_on_the_devices_thread(manual):
    device, backend = manual
    command = device.submit(times, [vector(device, 1, 2)])
    called, came = [], threading.Event()

    def note(ended):
        called.append((ended, ended.status, threading.current_thread()))
        came.set()

    command.add_done_callback(note)
    assert called == []
    backend.complete()
    assert came.wait(30)
    came.clear()
    command.add_done_callback(note)  # already done: at once
    assert came.wait(30)
    assert [(ended, status) for ended, status, _ in called] == [(command, "completed")] * 2
    assert all(thread is not threading.current_thread() for _, _, thread in called)


def test_a_failing_callback_is_reported_and_harms_nothing(manual, monkeypatch):
    device, backend = manual
    reported, came = [], threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda args: reported.append(args.exc_value))
    command = device.submit(times, [vector(device, 1, 2)])
    command.add_done_callback(lambda _: 1 / 0)
    command.add_done_callback(lambda _: came.set())
    backend.complete()
    assert came.wait(30)
    assert [type(error) for error in reported] == [ZeroDivisionError]
    assert command.wait().status == "completed"


def test_cancel_drops_what_has_not_started(manual):
    device, backend = manual
    a, out = vector(device, 1, 2), vector(device, 7, 7)
    running = device.submit(times, [a], a)
    waiting = device.submit(times, [a], out)
    assert running.cancel() is False
    assert waiting.cancel() is True
    assert waiting.cancel() is False
    assert (running.status, waiting.status) == ("running", "cancelled")
    backend.complete()
    assert backend.pending == []
    assert running.wait().status == "completed"
    assert running.cancel() is False
    with pytest.raises(treadle.CommandCancelled, match="times"):
        waiting.wait()
    assert out.read_list() == [7.0, 7.0]
    assert device.in_flight == 0


def test_as_completed_gives_commands_in_order_of_completion(manual):
    device, backend = manual
    commands = [device.submit(times, [vector(device, i, i)]) for i in range(4)]
    for launch in [backend.pending[i] for i in (2, 0)]:
        backend.complete(launch)
    stream = treadle.as_completed([*commands, commands[0].id])
    assert {next(stream), next(stream)} == {commands[2], commands[0]}
    backend.fail(1, ValueError("boom"))
    assert next(stream) is commands[1]
    backend.complete()
    assert list(stream) == [commands[3]]
    assert list(treadle.as_completed([])) == []


def test_as_completed_times_out(manual):
    device, backend = manual
    command = device.submit(times, [vector(device, 1, 2)])
    with pytest.raises(treadle.CommandTimeout, match="1 commands"):
        list(treadle.as_completed([command], timeout=0))
    backend.complete()


def test_wait_all_raises_the_first_failure_after_all_ended(manual):
    device, backend = manual
    commands = [device.submit(times, [vector(device, 1, 2)]) for _ in range(3)]
    backend.complete(backend.pending[2])
    backend.fail(backend.pending[1], ValueError("second"))
    backend.complete()
    with pytest.raises(treadle.CommandFailed, match="second"):
        treadle.wait_all(commands)
    assert treadle.wait_all([commands[0], commands[2].id])[0] is commands[0]


def test_a_finished_command_keeps_nothing_but_its_outputs(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    first = device.submit(shifted, [a], a)
    second = device.submit(times, [a])
    backend.complete_all()
    for command in (first, second):
        assert command._steps is None
        assert not command._reads
        assert not command._writes
        assert command._successors is None
        assert command._after is None
        assert command._scratch == ()


@pytest.mark.parametrize("ask", ["kernel", "empty", "barrier"])
@pytest.mark.parametrize("options", [{}, {"inline": True}], ids=["manual", "inline"])
def test_a_command_that_is_cancelled_while_it_is_handed_over_is_not_in_flight(
    make_manual, ask, options
):
    """A stream knows a command a moment before the queue does, and another thread may close the
    stream in that moment."""
    device, backend = make_manual(**options)
    a = device.buffer_zeros((0,) if ask == "empty" else (3,))
    out = device.buffer_zeros(a.shape)
    if ask == "empty":
        device.submit(times, [a], out).wait()  # compiled, as the others are
    noted: list[weakref.ref[treadle.Command]] = []
    device.max_bytes_in_flight = 1 << 20
    dropped = []

    def cancel() -> None:
        dropped.extend([each().cancel() for each in noted])

    def submit() -> None:
        noted.clear()
        with observe.noting(noted):
            command = device.barrier() if ask == "barrier" else device.submit(times, [a], out)
        number = command.id
        backend.complete_all()
        assert command.done()
        assert device.in_flight == device.queue.graph.nbytes == 0
        assert treadle.poll(number) == command.status
        assert not a._storage.busy
        assert not out._storage.busy

    observe.attend(device, True)
    try:
        visited = everywhere(submit, cancel, "submitted", "Queue._take", "CommandGraph.place")
    finally:
        observe.attend(device, False)
    assert visited > 5
    assert any(dropped)
    backend.complete_all()
    assert device.in_flight == 0
