"""Devices that cannot tell when they are done, and a poller that dies."""

from __future__ import annotations

import threading

import pytest

import treadle
from runtime.shared import times, vector
from treadle.runtime import poller as module


@pytest.fixture
def mute(make_manual):
    return make_manual(signals=False)


@pytest.fixture
def reported(monkeypatch):
    seen = []
    monkeypatch.setattr(threading, "excepthook", lambda args: seen.append(args.exc_value))
    return seen


def test_the_poller_notices(mute):
    device, backend = mute
    a = vector(device, 1, 2)
    commands = [device.submit(times, [a], a) for _ in range(3)]
    for command in commands:
        backend.expect(1)
        backend.complete()
        command.wait(30)
    assert a.read_list() == [8.0, 16.0]
    assert device.queue.poller.watched == 0


def test_failures_come_through_the_poller(mute):
    device, backend = mute
    command = device.submit(times, [vector(device, 1, 2)])
    backend.fail(1, ValueError("boom"))
    with pytest.raises(treadle.CommandFailed, match="boom"):
        command.wait(30)


def test_a_fence_that_raises_fails_its_command_only(mute):
    device, backend = mute
    bad, good = (device.submit(times, [vector(device, i, i)]) for i in range(2))
    broken = backend.pending[0]
    broken.done = lambda: 1 / 0
    with pytest.raises(treadle.CommandFailed, match="division"):
        bad.wait(30)
    backend.complete(backend.pending[1])
    assert good.wait(30).status == "completed"


def test_a_dying_poller_loses_no_command(mute, monkeypatch, reported):
    device, backend = mute
    poller = device.queue.poller
    sweep, deaths = poller._sweep, []

    def dies_twice():
        if len(deaths) < 2:
            deaths.append(threading.current_thread())
            raise RuntimeError("poller hit by a stone")
        return sweep()

    monkeypatch.setattr(poller, "_sweep", dies_twice)
    command = device.submit(times, [vector(device, 1, 2)])
    backend.complete()
    assert command.wait(30).output.read_list() == [2.0, 4.0]
    assert len(deaths) == 2
    assert [str(error) for error in reported] == ["poller hit by a stone"] * 2


def test_a_callback_that_exits_takes_no_other_with_it(mute, reported):
    device, backend = mute
    command = device.submit(times, [vector(device, 1, 2)])
    called = threading.Event()

    def leave(_):
        raise KeyboardInterrupt

    command.add_done_callback(leave)
    command.add_done_callback(lambda _: called.set())
    backend.complete()
    assert called.wait(30)
    assert [type(error) for error in reported] == [KeyboardInterrupt]


def test_a_poller_that_always_dies_fails_what_it_watched(mute, monkeypatch, reported):
    device, backend = mute
    sweep = device.queue.poller._sweep
    monkeypatch.setattr(device.queue.poller, "_sweep", lambda: 1 / 0)
    command = device.submit(times, [vector(device, 1, 2)])
    with pytest.raises(treadle.CommandFailed, match="poller"):
        command.wait(30)
    assert len(reported) == module._GIVE_UP
    monkeypatch.setattr(device.queue.poller, "_sweep", sweep)
    backend.complete()  # its fence has no taker any more
    second = device.submit(times, [vector(device, 1, 2)])
    backend.complete()
    assert second.wait(30).status == "completed"


def test_dying_while_reporting_ends_each_command_once(mute, monkeypatch, reported):
    device, backend = mute
    poller = device.queue.poller
    finish, failures = poller._finish, []

    def fails_after(ended):
        finish(ended)
        if not failures:
            failures.append(1)
            raise RuntimeError("after the news")

    monkeypatch.setattr(poller, "_finish", fails_after)
    calls, came = [], threading.Event()
    command = device.submit(times, [vector(device, 1, 2)])
    command.add_done_callback(lambda c: (calls.append(c), came.set()))
    backend.complete()
    assert came.wait(30)
    assert command.wait(30).status == "completed"
    device.close()
    assert calls == [command]


def test_waiting_in_a_callback_where_that_could_never_end_is_refused(mute):
    device, backend = mute
    first, second = (device.submit(times, [vector(device, i, i)]) for i in range(2))
    errors, came = [], threading.Event()

    def waits(_):
        try:
            second.wait()
        except treadle.CommandError as error:
            errors.append(str(error))
        came.set()

    first.add_done_callback(waits)
    backend.complete()
    assert came.wait(30)
    assert "callback" in errors[0]
    backend.complete()
    assert second.wait(30).status == "completed"


def test_the_thread_ends_when_idle_and_comes_back(make_manual, monkeypatch):
    monkeypatch.setattr(module, "_IDLE", 0.001)
    device, backend = make_manual(signals=False)
    for _ in range(3):
        command = device.submit(times, [vector(device, 1, 2)])
        backend.complete()
        command.wait(30)
        thread = device.queue.poller._thread
        if thread is not None:
            thread.join(30)
        assert device.queue.poller._thread is None


def test_what_a_copy_to_the_host_waits_for_is_looked_at_often(mute, monkeypatch):
    # Nobody waits for the kernel itself; without a hint its end is noticed 5 ms late.
    device, backend = mute
    hints = []
    monkeypatch.setattr(device.queue.poller, "hasten", lambda: hints.append(True))
    a = vector(device, 1, 2)
    first = device.submit(times, [a], a)
    assert not hints
    copy = device.download(a)
    assert hints
    backend.expect(1)
    backend.complete()
    assert copy.wait(30).output.tolist() == [2.0, 4.0]
    assert first.status == "completed"


def test_a_launch_whose_end_a_copy_waits_for_is_looked_at_often(mute, monkeypatch):
    device, backend = mute
    a = vector(device, 1, 2)
    commands = [device.submit(times, [a], a) for _ in range(2)]
    copy = device.download(a)
    hints = []
    monkeypatch.setattr(device.queue.poller, "hasten", lambda: hints.append(len(backend.pending)))
    backend.expect(1)
    backend.complete()
    backend.expect(1)  # the second kernel is launched when the end of the first is noticed
    assert copy.status == "pending"
    backend.complete()
    assert copy.wait(30).output.tolist() == [4.0, 8.0]
    assert hints
    assert [c.status for c in commands] == ["completed"] * 2
