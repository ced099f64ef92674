"""Finalizers between any two steps of a thread, as Python 3.12 runs them: also where a lock is held
and nothing is allocated, and on a thread that has hardly begun."""

from __future__ import annotations

import builtins
import threading

import numpy as np
import pytest

import treadle
from kernel_text import define
from runtime.shared import plus, ready_device, shifted, times, vector
from treadle import attendant
from treadle.backends.cpu import CpuBackend
from treadle.backends.cpu.jit import Jit
from treadle.runtime import compile as compiling
from treadle.runtime import device as device_module
from treadle.runtime import memory as ledgers
from treadle.runtime import pace, programs
from treadle.runtime.device import Device
from treadle.runtime.planning import Deferred
from treadle.runtime.prepared import Prepared
from treadle.runtime.waiters import Gate
from visits import PATIENCE, everywhere


@pytest.fixture
def device():
    with Device(CpuBackend(workers=2), "visited") as opened:
        yield opened


@pytest.fixture
def manual():
    device, backend = ready_device()
    yield device, backend
    backend.complete_all()
    device.close()


def apart(call):
    """Call something on another thread; what it returned, if it returns."""
    found = []
    thread = threading.Thread(target=lambda: found.append(call()), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert found, "it waits"
    return found[0]


# Streams.


@pytest.mark.parametrize("collect", [None, lambda result: result], ids=["plain", "collected"])
def test_a_finalizer_inside_a_stream_may_work_and_wait(device, collect):
    """The device tells a stream of every end: it must not wait for a thread that is at the stream,
    because a finalizer there may wait for the device, or go on with the device's work itself."""
    ones = device.buffer([1.0, 2.0])
    large = device.buffer_zeros(200_000)

    def run():
        batches = [np.ones(4, np.float32)] * 3
        stream = treadle.stream(
            batches, compute=times, device=device, collect=collect, prepare=lambda batch: batch
        )
        assert [result.tolist() for result in stream] == [[2.0] * 4] * 3

    def act():
        device.submit(times, [large])
        device.submit(times, [ones], ones)
        device.synchronize(PATIENCE)

    assert everywhere(run, act, "Batch._ended", "Window.land", "Window._take") > 10
    if collect is not None:
        assert everywhere(run, act, "Window.arrived", "Window._pick") > 5


def test_a_finalizer_that_closes_a_stream_inside_it_does_not_wait_there(device):
    """Closing waits for the stream's threads, which may need what this one holds."""
    left = []

    def run():
        stream = treadle.stream(
            [np.ones(4, np.float32)] * 2, compute=times, device=device, prepare=lambda batch: batch
        )
        left.append(stream)
        list(stream)

    def act():
        left[-1].close()

    assert everywhere(run, act, "BatchSource.next", "Window.enter", "Window.admit") > 10
    for stream in left:
        stream.close()


# Locks that other threads need.


def test_a_finalizer_where_a_thread_becomes_a_guest_of_the_workers(device):
    large = device.buffer_zeros(4_000_000)
    others = []

    def run():
        others.append(device.submit(times, [large]))
        device.submit(times, [large]).wait()

    run()
    assert everywhere(run, lambda: others[-1].wait(), "Workers.enter") > 1


@pytest.mark.parametrize("module, name", [(programs.Planning, "__init__"), (compiling, "Plan")])
def test_a_finalizer_inside_the_compilers_locks_does_not_wait(device, monkeypatch, module, name):
    """The thread that plans and compiles needs them."""
    refused, real = [], getattr(module, name)

    def interrupted(*given):
        refused.append((attendant.attends_here(), device.queue.waits.refused))
        return real(*given)

    monkeypatch.setattr(module, name, interrupted)
    a = device.buffer([1.0, 2.0])
    kernel = define("def f(x):\n    return x + 3\n")
    if module is compiling:
        device.run_kernel(kernel, [a])  # which plans here
    else:
        device.submit(kernel, [a]).wait(PATIENCE)
    assert (False, True) in refused  # not for the thread's sake, but for what it holds
    assert (False, False) not in refused
    assert not device.queue.waits.refused


def test_runs_of_a_pipeline_do_not_wait_for_one_that_a_finalizer_interrupts(manual, monkeypatch):
    device, backend = manual
    a, out = vector(device, 1, 2, 3), device.empty(3)
    p = treadle.pipeline(device).add(shifted, a)
    p.add(plus, [p.last, a], out)
    early = p.submit()  # before it is planned
    backend.expect(1)
    backend.complete_all()
    early.wait(PATIENCE)
    placed, commands = Prepared._placed, []

    def interrupted(prepared):
        monkeypatch.undo()
        commands.append(p.submit())  # a finalizer's
        commands.append(apart(p.submit))  # and one of a thread that a finalizer waits for
        return placed(prepared)

    monkeypatch.setattr(Prepared, "_placed", interrupted)
    commands.append(p.submit())
    commands.append(p.submit())
    backend.complete_all()
    for command in commands:
        command.wait(PATIENCE)
    assert len(commands) == 4
    assert out.read_list() == [3.0, 5.0, 6.0]


def test_a_finalizer_on_the_thread_that_compiles_may_have_something_compiled(device, monkeypatch):
    a = device.buffer([1.0, 2.0])
    inner, link = [], Jit._link

    def interrupted(jit, *given):
        monkeypatch.undo()
        inner.append(device.submit(define("def f(x):\n    return x + 11\n"), [a]))
        return link(jit, *given)

    monkeypatch.setattr(Jit, "_link", interrupted)
    outer = device.submit(define("def f(x):\n    return x + 10\n"), [a])
    assert outer.wait(PATIENCE).output.read_list() == [11.0, 12.0]
    assert inner[0].wait(PATIENCE).output.read_list() == [12.0, 13.0]


def test_a_finalizer_inside_the_books_of_memory_does_not_spoil_them(device, monkeypatch):
    before = device.memory_in_use
    kept = [device.empty(1000), device.empty(10)]
    asked = []

    def interrupted(what, kind):
        found = builtins.isinstance(what, kind)
        monkeypatch.undo()
        asked.append(device.memory_in_use)  # a finalizer's, which settles everything
        return found

    for buffer in kept:
        buffer.free()
    monkeypatch.setattr(ledgers, "isinstance", interrupted, raising=False)
    assert device.memory_in_use == before
    assert asked == [before]


def test_a_finalizer_may_ask_for_the_device_that_is_being_opened(monkeypatch):
    made, asked = device_module.count, []

    def interrupted(kind):
        monkeypatch.undo()
        asked.append(treadle.device("reference"))
        return made(kind)

    with pytest.MonkeyPatch.context() as none_open:
        none_open.setattr(device_module, "_named", {})
        monkeypatch.setattr(device_module, "count", interrupted)
        assert apart(lambda: treadle.device("reference")) is asked[0]
        assert treadle.device("reference") is asked[0]
    asked[0].close()


# Threads that have hardly begun.


def test_a_finalizer_on_a_thread_that_is_about_to_begin_does_not_wait(monkeypatch):
    """Whoever starts it waits until it runs, perhaps with the queue in hand."""
    begin, told = threading.Thread._bootstrap_inner, {}

    def interrupted(thread):
        if thread.name.startswith("treadle"):
            told[thread.name] = device.queue.waits.refused
        begin(thread)

    monkeypatch.setattr(threading.Thread, "_bootstrap_inner", interrupted)
    with Device(CpuBackend(workers=1), "begun") as device:
        a = device.buffer(np.ones(4_000_000, np.float32))
        called = threading.Event()
        command = device.submit(define("def f(x):\n    return x + 12\n"), [a])
        command.add_done_callback(lambda _: called.set())
        device.upload(a, np.zeros(4_000_000, np.float32)).wait(PATIENCE)
        assert called.wait(PATIENCE)
    names = {"treadle-begun", "treadle-begun-upload-0", "treadle-compile-cpu", "treadle-cpu-0"}
    assert names <= told.keys()
    assert all(told.values()), told


def test_a_finalizer_on_the_thread_that_ends_a_pause_does_not_wait():
    refused, called = [], threading.Event()

    def resume():
        refused.append(attendant.attends_here())
        called.set()

    pace._later(0.0, resume)
    assert called.wait(PATIENCE)
    assert refused == [True]


def test_a_callback_may_wait_where_the_device_tells_of_ends(device):
    a = device.buffer(np.ones(200_000, np.float32))
    found = []
    called = threading.Event()

    def wait(_):
        found.append(device.submit(times, [a]).wait(PATIENCE).status)
        called.set()

    device.submit(times, [a]).add_done_callback(wait)
    assert called.wait(PATIENCE)
    assert found == ["completed"]


# A write that was given up.


def given_up(device, a, between):
    """Have a finalizer give a write up after it got its place, and something done in between."""
    check = device.queue.waits.check
    found = []

    def refuse(turn=None):
        del device.queue.waits.check
        found.append(between())
        device.queue.waits.busy.append(lambda: True)
        try:
            check(turn)
        finally:
            device.queue.waits.busy.pop()

    device.queue.waits.check = refuse
    with pytest.raises(treadle.CommandError, match="finalizer"):
        a.write([7.0, 8.0])
    return found[0]


def test_readers_behind_a_write_that_was_given_up_read_what_was_there(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    device.submit(times, [a], a)

    def between():
        reader = device.submit(times, [a], k=10.0)
        device.submit(times, [a], a)  # a later writer, which waits for the reader
        return reader

    reader = given_up(device, a, between)
    backend.complete_all()
    assert reader.wait(PATIENCE).output.read_list() == [20.0, 40.0]
    assert a.read_list() == [4.0, 8.0]
    assert device.in_flight == 0


def test_readers_behind_a_write_that_was_given_up_fail_with_what_was_there(manual):
    device, backend = manual
    a = vector(device, 1, 2)
    device.submit(times, [a], a)
    reader = given_up(device, a, lambda: device.submit(times, [a]))
    backend.fail(1, ValueError("no"))
    backend.complete_all()
    with pytest.raises(treadle.CommandFailed, match="no"):
        reader.wait(PATIENCE)
    assert device.in_flight == 0


# Errors on the thread that plans.


class Exotic(BaseException):
    """Neither an Exception nor one of Python's own."""


@pytest.mark.parametrize("kind", [RuntimeError, Exotic])
def test_what_goes_wrong_after_planning_is_the_commands_error(kind, monkeypatch):
    def give(follower, made):
        raise kind("no outputs")

    device, backend = ready_device()
    monkeypatch.setattr(Deferred, "give", give)
    command = device.submit(define("def f(x):\n    return x + 5\n"), [vector(device, 1, 2)])
    with pytest.raises(treadle.CommandFailed, match="no outputs"):
        command.wait(PATIENCE)
    monkeypatch.undo()
    again = device.submit(define("def f(x):\n    return x + 5\n"), [vector(device, 1, 2)])
    backend.expect(1)
    backend.complete()
    assert again.wait(PATIENCE).output.read_list() == [6.0, 7.0]
    device.close()


@pytest.mark.parametrize("kind", [RuntimeError, Exotic])
def test_what_a_compiler_raises_is_the_commands_error(kind, manual, monkeypatch):
    device, backend = manual

    def compile(source):
        raise kind("no compiler")

    monkeypatch.setattr(backend, "compile", compile)
    kernel = define("def f(x):\n    return x + 6\n")
    command = device.submit(kernel, [vector(device, 1, 2)])
    with pytest.raises(treadle.CommandFailed, match="no compiler"):
        command.wait(PATIENCE)
    monkeypatch.undo()
    again = device.submit(kernel, [vector(device, 1, 2)])
    backend.expect(1)
    backend.complete()
    assert again.wait(PATIENCE).output.read_list() == [7.0, 8.0]


def test_what_a_finalizer_cancels_while_its_thread_launches_is_told_at_once(manual):
    """The thread that launches has woken those who waited by then, and looks once more."""
    device, backend = manual
    a, b = vector(device, 1, 2, 3), vector(device, 1, 2, 3)
    pending = []

    def run():
        pending.clear()
        device.submit(times, [a], a)
        second, gate = device.submit(times, [a], a), Gate()
        assert second._watch(gate)
        pending.append(second)
        device.submit(times, [b], b)
        assert gate.pass_through(0) == second.cancelled()
        assert not device.queue.graph.wakes
        assert not device.queue.graph.ready
        backend.complete_all()
        assert device.in_flight == 0

    def act():
        for command in pending:
            command.cancel()

    assert everywhere(run, act, "Queue._hold", "Queue._launch", "Queue._begin") > 10
