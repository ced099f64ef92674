"""Planning: not by those who submit, in order, shared, dropped, failing as commands fail.

Lowering is held by an event inside a composite's own function, which lowering runs."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time

import pytest

import treadle
from runtime.shared import plus, ready_device, shifted, times, vector
from treadle import attendant
from treadle.runtime import observe
from treadle.testing import manual_device

PATIENCE = 30


class Held:
    """A composite whose function waits until it is let go, and counts how often it ran."""

    def __init__(self, name="held", error=None):
        self.go = threading.Event()
        self.began = threading.Event()
        self.threads = []

        def function(x):
            self.threads.append(threading.current_thread())
            self.began.set()
            assert self.go.wait(PATIENCE)
            if error is not None:
                raise error
            return times(shifted(x), k=3.0)

        function.__name__ = name
        self.kernel = treadle.composite(function)


@pytest.fixture
def held():
    made = []

    def make(**options):
        made.append(Held(**options))
        return made[-1]

    yield make
    for each in made:
        each.go.set()


@pytest.fixture
def fresh():
    device, backend = manual_device()
    yield device, backend
    device.close()


def test_submit_returns_before_anything_is_lowered(fresh, held):
    device, backend = fresh
    a, out = vector(device, 1, 2, 3), device.empty(3)
    slow = held()
    command = device.submit(slow.kernel, [a], out)
    assert slow.began.wait(PATIENCE)
    assert command.status == "pending"
    assert command.output is out
    assert threading.current_thread() not in slow.threads
    slow.go.set()
    backend.expect(1)
    backend.complete()
    assert command.wait(PATIENCE).output.read_list() == [6.0, 9.0, 9.0]


def test_its_place_in_the_order_is_that_of_its_submit(fresh, held):
    device, backend = fresh
    a, b = vector(device, 1, 2, 3), vector(device, 0, 0, 0)
    ready = vector(device, 5, 6, 7)
    slow = held()
    first = device.submit(slow.kernel, [a], b)
    after = device.submit(plus, [b, b], a)  # reads what it writes, and writes what it reads
    beside = device.submit(times, [ready], ready)
    assert slow.began.wait(PATIENCE)
    assert [first.status, after.status, beside.status] == ["pending"] * 3
    slow.go.set()
    backend.expect(2)
    # What has nothing to do with it may be first, where its plan was known.
    launched = sorted(launch.kernels for launch in backend.pending)
    assert launched == [["shifted", "times"], ["times"]]
    while not after.done():
        backend.complete_all()
    after.wait(PATIENCE)
    assert a.read_list() == [12.0, 18.0, 18.0]


def test_outputs_that_only_the_plan_tells_are_waited_for(fresh, held):
    device, backend = fresh
    slow = held()
    command = device.submit(slow.kernel, [vector(device, 1, 2, 3)])
    assert slow.began.wait(PATIENCE)
    threading.Timer(0.0, slow.go.set).start()
    assert command.output.shape == (3,)
    follower = device.submit(times, [command.output])
    backend.expect(1)
    backend.complete()
    backend.expect(1)
    backend.complete()
    assert follower.wait(PATIENCE).output.read_list() == [12.0, 18.0, 18.0]
    assert command.outputs == (command.output,)


def test_what_a_shipped_kernel_gives_is_known_at_once(fresh, monkeypatch):
    device, _ = fresh
    monkeypatch.setattr(type(device._compiler), "make", lambda *_: pytest.fail("planned here"))
    command = device.submit("gaussian_blur", [device.buffer_zeros((9, 7, 3), "u8")], radius=2)
    assert (command.output.shape, command.output.dtype) == ((9, 7, 3), "u8")
    with pytest.raises(treadle.LaunchError, match="do not broadcast"):
        device.submit("elementwise_add", [device.buffer_zeros(3), device.buffer_zeros(4)])


def test_what_a_short_kernel_of_a_user_gives_is_known_at_once(fresh, held):
    device, backend = fresh
    slow = held()
    device.submit(slow.kernel, [vector(device, 1, 2, 3)])
    assert slow.began.wait(PATIENCE)

    @treadle.pointwise
    def larger(a):
        return a > 2, a * 3.0

    command = device.submit(larger, [vector(device, 1, 2, 3)])
    assert [each.dtype for each in command.output] == ["bool", "f32"]  # with the planner held
    slow.go.set()
    backend.expect(2)
    backend.complete_all()
    assert command.wait(PATIENCE).output[1].read_list() == [3.0, 6.0, 9.0]


def test_the_same_new_thing_is_planned_once(fresh, held):
    device, backend = fresh
    slow = held()
    commands = [device.submit(slow.kernel, [vector(device, 1, 2, 3)]) for _ in range(3)]
    others = []

    def submit():
        others.append(device.submit(slow.kernel, [vector(device, 1, 2, 3)]))

    thread = threading.Thread(target=submit)
    thread.start()
    thread.join(PATIENCE)
    slow.go.set()
    backend.expect(4)
    backend.complete_all()
    for command in commands + others:
        assert command.wait(PATIENCE).output.read_list() == [6.0, 9.0, 9.0]
    # Twice: a function that cannot be run with symbols for sizes is run with numbers again.
    assert len(slow.threads) <= 2


def test_new_things_are_planned_in_order(fresh, held):
    device, backend = fresh
    a = vector(device, 1, 2, 3)
    first, second = held(name="held_first"), held(name="held_second")
    commands = [device.submit(each.kernel, [a], device.empty(3)) for each in (first, second)]
    assert first.began.wait(PATIENCE)
    assert not second.began.is_set()
    second.go.set()
    first.go.set()
    backend.expect(2)
    backend.complete_all()
    treadle.wait_all(commands, PATIENCE)


def test_a_cancelled_command_is_not_planned_for(fresh, held):
    device, backend = fresh
    a = vector(device, 1, 2, 3)
    slow, never = held(name="held_slow"), held(name="held_never")
    first = device.submit(slow.kernel, [a], device.empty(3))
    dropped = device.submit(never.kernel, [a])
    assert slow.began.wait(PATIENCE)
    assert dropped.cancel()
    assert dropped.status == "cancelled"
    with pytest.raises(treadle.CommandCancelled):
        _ = dropped.output
    last = device.submit(times, [a])
    slow.go.set()
    backend.expect(2)
    backend.complete_all()
    treadle.wait_all([first, last], PATIENCE)
    assert not never.threads


def test_a_cancelled_command_is_planned_for_where_another_waits(fresh, held):
    device, backend = fresh
    a = vector(device, 1, 2, 3)
    slow = held()
    first, second = (device.submit(slow.kernel, [a], device.empty(3)) for _ in range(2))
    assert first.cancel()
    slow.go.set()
    backend.expect(1)
    backend.complete()
    assert second.wait(PATIENCE).status == "completed"


def test_what_planning_finds_fails_the_command(fresh, held):
    device, _ = fresh
    a = vector(device, 1, 2, 3)
    wrong = held(name="held_wrong", error=treadle.LaunchError("x must be larger"))
    wrong.go.set()
    command, out = device.submit(wrong.kernel, [a]), device.empty(3)
    second = device.submit(wrong.kernel, [a], out)
    dependent = device.submit(times, [out])
    with pytest.raises(treadle.CommandFailed, match=r"held_wrong.*x must be larger") as caught:
        command.wait(PATIENCE)
    assert isinstance(caught.value.__cause__, treadle.LaunchError)
    with pytest.raises(treadle.CommandFailed, match="x must be larger"):
        _ = command.output
    for each in (second, dependent):
        with pytest.raises(treadle.CommandFailed, match="x must be larger"):
            each.wait(PATIENCE)
    with pytest.raises(treadle.LaunchError, match="x must be larger"):
        device.run_kernel(wrong.kernel, [a])  # who waits plans by himself, and is told at once


def test_an_error_in_a_kernels_text_travels_with_its_caret(fresh):
    device, _ = fresh

    @treadle.kernel
    def crooked(at, x):
        return x[at[0], 0.5]

    command = device.submit(crooked, [device.buffer_zeros((2, 3))])
    with pytest.raises(treadle.CommandFailed, match=r"an index is an integer") as caught:
        command.wait(PATIENCE)
    cause = caught.value.__cause__
    assert isinstance(cause, treadle.KernelTypeError)
    assert "^" in str(cause)
    assert cause.lineno > 0


def test_awaiting_raises_what_planning_found(fresh, held):
    device, _ = fresh
    wrong = held(name="held_awaited", error=ValueError("odd"))
    wrong.go.set()

    async def main():
        with pytest.raises(treadle.CommandFailed, match="odd"):
            await device.submit(wrong.kernel, [vector(device, 1, 2)])

    asyncio.run(main())


def test_a_kernel_that_does_not_give_what_it_says_fails(fresh):
    device, _ = fresh

    @treadle.pointwise(results="s32")
    def boastful(x):
        return x * 0.5

    @treadle.pointwise(results="float")
    def honest(x):
        return x * 0.5

    a = vector(device, 1, 2)
    assert device.submit(honest, [a]).output.dtype == "f32"
    command = device.submit(boastful, [a])
    assert command.output.dtype == "s32"
    with pytest.raises(treadle.CommandFailed, match=r"says that it gives s32\[2\].*f32\[2\]"):
        command.wait(PATIENCE)


def test_a_pipeline_is_planned_in_the_background(fresh, held):
    device, backend = fresh
    a, out = vector(device, 1, 2, 3), device.empty(3)
    p = treadle.pipeline(device, name="slow").add(shifted, a)
    p.add(times, p.last, out)
    slow = held()
    blocking = device.submit(slow.kernel, [a], device.empty(3))
    first, second = p.submit(), p.submit()
    assert [first.status, second.status] == ["pending", "pending"]
    assert first.output is out
    p.set(1, k=5.0)  # what was submitted goes on with what it had
    slow.go.set()
    backend.expect(2)
    while not second.done():
        backend.complete_all()
    treadle.wait_all([blocking, first, second], PATIENCE)
    assert out.read_list() == [4.0, 6.0, 6.0]


def test_a_traced_function_runs_on_the_planners_thread(fresh):
    device, backend = fresh
    threads = []

    @treadle.pipeline
    def doubled(x):
        threads.append(threading.current_thread())
        return times(shifted(x))

    command = doubled.submit(vector(device, 1, 2, 3))
    backend.expect(1)
    backend.complete()
    assert command.wait(PATIENCE).output.read_list() == [4.0, 6.0, 6.0]
    assert threading.current_thread() not in threads


def test_freeing_what_a_pipeline_waits_for_is_safe(fresh, held):
    device, backend = fresh
    a, out = vector(device, 1, 2, 3), device.empty(3)
    slow = held()
    device.submit(slow.kernel, [a], device.empty(3))
    p = treadle.pipeline(device).add(times, a, out)
    run = p.submit()
    p.free()
    a.free()
    slow.go.set()
    while not run.done():
        backend.expect(1)
        backend.complete_all()
    assert run.wait(PATIENCE).output.read_list() == [2.0, 4.0, 6.0]


def test_a_composite_may_run_kernels_of_its_own():
    inline, _ = manual_device(inline=True)

    @treadle.composite
    def weighed(x):
        table = inline.run_kernel(plus, [vector(inline, 1, 2)] * 2).read_list()
        return times(x, k=table[0])

    command = inline.submit(weighed, [vector(inline, 1, 2, 3)])
    assert command.wait(PATIENCE).output.read_list() == [2.0, 4.0, 6.0]
    inline.close()


def test_closing_a_device_while_it_plans(held):
    device, _ = manual_device()
    slow = held()
    a = vector(device, 1, 2, 3)
    commands = [device.submit(slow.kernel, [a]), device.submit(times, [a])]
    assert slow.began.wait(PATIENCE)
    closing = threading.Thread(target=device.close)
    closing.start()
    for command in commands:
        with pytest.raises(treadle.CommandError):
            command.wait(PATIENCE)
    slow.go.set()
    closing.join(PATIENCE)
    assert not closing.is_alive()


def test_where_no_thread_can_be_had_submit_says_so(monkeypatch):
    device, _ = manual_device(inline=True)

    def refuse(self):
        raise RuntimeError("can't start new thread")

    a = vector(device, 1, 2, 3)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(treadle.DeviceError, match="no thread could be started"):
            device.submit("gaussian_blur", [device.buffer_zeros((9, 7))], radius=2)
    assert device.in_flight == 0
    assert device.submit(times, [a]).wait(PATIENCE).output.read_list() == [2.0, 4.0, 6.0]
    blurred = device.submit("gaussian_blur", [device.buffer_zeros((9, 7))], radius=2)
    assert blurred.wait(PATIENCE).status == "completed"
    device.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_while_something_is_planned(fresh, held):
    device, _ = fresh
    slow = held()
    before = sys.getswitchinterval()
    command = device.submit(slow.kernel, [vector(device, 1, 2, 3)])
    assert slow.began.wait(PATIENCE)
    pid = os.fork()
    if not pid:
        code = 1
        try:
            command.output  # noqa: B018
        except treadle.CommandFailed:
            code = 0 if sys.getswitchinterval() == before else 2
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself SIGINT there")
def test_ctrl_c_while_an_output_is_waited_for(fresh, held):
    device, backend = fresh
    slow = held()
    command = device.submit(slow.kernel, [vector(device, 1, 2, 3)])
    assert slow.began.wait(PATIENCE)
    main, over = threading.main_thread().ident, threading.Event()

    def press():  # again, should the first one come where Python drops it, as in a finalizer
        while not over.wait(0.1):
            signal.pthread_kill(main, signal.SIGINT)

    def pressed(*_):
        if not over.is_set():
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, pressed)
    thread = threading.Thread(target=press)
    try:
        thread.start()
        try:
            pytest.fail(f"not interrupted: {command.output}")
        except KeyboardInterrupt:
            over.set()
    finally:
        over.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
    slow.go.set()
    assert command.output.shape == (3,)
    backend.expect(1)
    backend.complete()
    assert command.wait(PATIENCE).status == "completed"


def test_what_is_planned_and_compiled_is_in_the_trace(fresh):
    device, backend = fresh
    with treadle.trace() as trace:
        command = device.submit(shifted, [vector(device, *range(9))])
        backend.expect(1)
        backend.complete()
        command.wait(PATIENCE)
    found = [record for record in trace.records if record.kind == "compile"]
    assert {record.label for record in found} == {"shifted"}
    assert all(record.start <= record.stop for record in found)
    events = trace.to_dict()["traceEvents"]
    assert [e["args"]["name"] for e in events if e["name"] == "thread_name"].count("compile") == 1
    assert observe.active is None


def test_the_switch_interval_is_short_only_while_something_is_planned(fresh, held):
    device, backend = fresh
    before = 0.005
    # A test that puts back what it found may have found the short one, while something was planned.
    sys.setswitchinterval(before)
    slow = held()
    command = device.submit(slow.kernel, [vector(device, 1, 2, 3)])
    assert slow.began.wait(PATIENCE)
    assert sys.getswitchinterval() == pytest.approx(attendant.GivingWay.interval)
    slow.go.set()
    backend.expect(1)
    backend.complete()
    command.wait(PATIENCE)
    late = time.monotonic() + PATIENCE
    while sys.getswitchinterval() != before:  # it is put back after the command was let go
        assert time.monotonic() < late


def test_what_was_planned_before_is_planned_at_once_for_other_sizes():
    device, backend = ready_device()
    for size in (6, 7):
        command = device.submit(times, [device.buffer_zeros(size)])
        assert command.status == "running"
    backend.complete_all()
    device.close()
