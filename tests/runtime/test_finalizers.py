"""Finalizers that use a device: the garbage collector may run them in the middle of a change.

`within` does what the collector does: it calls something on a thread that holds the queue's lock.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import numpy as np
import pytest

import treadle
from kernel_text import define
from runtime.shared import ready_device, times, vector
from treadle.backends.cpu import CpuBackend
from treadle.backends.cpu import memory as pools
from treadle.runtime import memory as ledgers
from treadle.runtime.device import Device
from treadle.runtime.transfer import Transfer

PATIENCE = 30.0


@pytest.fixture
def device():
    with Device(CpuBackend(workers=1), "finalized") as opened:
        yield opened


def within(device, call):
    """Call something in the middle of a change; what it returned or raised."""
    found = []

    def change(*_):
        try:
            found.append(call())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=device.queue.tell, args=(change, None), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert found, "it waits for itself"
    return found[0]


def test_a_submit_is_done_afterwards(device):
    a = device.buffer([1.0, -2.0])
    command = within(device, lambda: device.submit("relu", [a]))
    assert command.id > 0
    assert command.wait(PATIENCE).output.read_list() == [1.0, 0.0]


def test_submits_keep_their_order(device):
    a = device.buffer([1.0])

    def several():
        for _ in range(5):
            device.submit("scalar_mul", [a], a, scalar=2.0)
        return device.submit("scalar_add", [a], a, scalar=1.0)

    within(device, several).wait(PATIENCE)
    assert a.read_list() == [33.0]


def test_an_upload_a_pipeline_and_a_barrier_are_done_afterwards(device):
    a, out = device.buffer([1.0]), device.empty(1)
    p = treadle.pipeline(device)
    p.add("scalar_mul", [a], out, scalar=2.0)

    def act():
        return [device.upload(a, np.array([5.0], np.float32)), p.submit(), device.barrier()]

    for command in within(device, act):
        command.wait(PATIENCE)
    assert out.read_list() == [10.0]
    for command in within(device, act):  # a run again, which has a shorter way
        command.wait(PATIENCE)


def test_what_is_refused_is_refused_at_once():
    device, backend = ready_device()
    first = device.submit(times, [vector(device, 1, 2)])
    device.max_in_flight = 1
    error = within(device, lambda: device.submit(times, [vector(device, 3, 4)]))
    assert isinstance(error, treadle.QueueFull)
    backend.complete()
    first.wait(PATIENCE)
    device.close()


def test_a_cancel_is_done_afterwards():
    device, backend = ready_device()
    a = vector(device, 1, 2)
    first = device.submit(times, [a], a)
    second = device.submit(times, [a], a)
    assert within(device, second.cancel) is False  # nobody can tell yet
    with pytest.raises(treadle.CommandCancelled):
        second.wait(PATIENCE)
    backend.complete()
    first.wait(PATIENCE)
    device.close()


def test_a_submit_may_be_cancelled_before_it_is_done(device):
    a = device.buffer([1.0])

    def act():
        command = device.submit("scalar_mul", [a], a, scalar=2.0)
        command.cancel()
        return command

    command = within(device, act)
    device.submit("relu", [a]).wait(PATIENCE)
    try:
        command.wait(PATIENCE)
    except treadle.CommandCancelled:
        assert a.read_list() == [1.0]
    else:
        assert a.read_list() == [2.0]  # it was faster
    assert device.in_flight == 0


def test_buffers_that_nobody_uses_are_read_and_written_at_once(device):
    a = device.buffer([1.0, 2.0])
    assert within(device, a.read_list) == [1.0, 2.0]
    within(device, lambda: a.write([3.0, 4.0]))
    assert a.read_list() == [3.0, 4.0]
    assert within(device, lambda: device.buffer([7.0]).read_list()) == [7.0]
    within(device, lambda: device.run_kernel("relu", [a]).free)


def test_what_would_wait_for_itself_is_an_error():
    device, backend = ready_device()
    a = vector(device, 1, 2)
    command = device.submit(times, [a], a)
    for call in (command.wait, a.read, lambda: a.write([1.0, 2.0]), device.synchronize):
        error = within(device, call)
        assert isinstance(error, treadle.CommandError)
        assert "finalizer" in str(error)
    assert within(device, command.poll) == "running"
    assert within(device, lambda: command.wait(timeout=0)).args  # CommandTimeout, at once
    backend.complete()
    assert command.wait(PATIENCE).output.read_list() == [2.0, 4.0]
    assert device.in_flight == 0
    device.close()


def test_a_finalizer_in_the_middle_of_a_launch_does_not_wait_for_it():
    device, backend = ready_device()
    a = vector(device, 1, 2)
    launch, found = device.queue._launch_on, []

    def interrupted(*args, **named):
        if not found:
            found.append(None)
            try:
                a.read()  # waits for what this very thread launches
            except treadle.CommandError as error:
                found.append(error)
        return launch(*args, **named)

    device.queue._launch_on = interrupted
    command = device.submit(times, [a], a)
    assert "finalizer" in str(found[1])
    backend.complete()
    assert command.wait(PATIENCE).output.read_list() == [2.0, 4.0]
    device.close()


def _refused(call, told):
    """Do what a finalizer would that waits; it must not, where it is called."""
    try:
        call()
    except BaseException as error:
        told.append(error)


def test_a_finalizer_on_a_thread_that_copies_does_not_wait_for_the_copy(monkeypatch):
    """It may come when the thread has taken the copy up and not begun it yet."""
    device, _ = ready_device(shared=False)
    a = vector(device, 1, 2)
    told = []
    run = Transfer.run

    def interrupted(transfer, backend):
        _refused(a.read, told)
        run(transfer, backend)

    monkeypatch.setattr(Transfer, "run", interrupted)
    device.upload(a, np.array([3.0, 4.0], np.float32)).wait(PATIENCE)
    assert "finalizer" in str(told[0])
    monkeypatch.undo()
    assert a.read_list() == [3.0, 4.0]
    device.close()


def test_a_finalizer_on_the_thread_that_compiles_does_not_wait_for_the_program(monkeypatch):
    device, backend = ready_device()
    a = vector(device, 1, 2)
    told = []
    compile = backend.compile
    submitted = threading.Event()

    def interrupted(source):
        assert submitted.wait(PATIENCE)
        _refused(a.read, told)
        return compile(source)

    monkeypatch.setattr(backend, "compile", interrupted)
    command = device.submit(define("def f(x):\n    return x + 7\n"), [a], a)
    submitted.set()
    backend.expect(1)
    backend.complete()
    command.wait(PATIENCE)
    assert "finalizer" in str(told[0])
    device.close()


@pytest.mark.parametrize("module", [ledgers, pools], ids=["ledger", "pool"])
def test_a_finalizer_in_the_middle_of_an_allocation_does_not_wait(device, monkeypatch, module):
    """Those who would end the work may need memory first: a worker, or a callback."""
    device.empty(1000).free()  # so that there is something to use again, with the lock held
    waits, refused = device.queue.waits, []
    lend = module.lend

    def interrupted(*given):
        refused.append(waits.refused)
        return lend(*given)

    monkeypatch.setattr(module, "lend", interrupted)
    assert not waits.refused
    device.empty(1000)
    assert refused == [True]
    assert not waits.refused


def test_a_finalizer_does_not_wait_behind_the_read_that_it_interrupts(monkeypatch):
    """The read has its place in the order already: what comes later waits for the read."""
    device, backend = ready_device()
    a = vector(device, 1, 2)
    first = device.submit(times, [a], a)
    check, told, asked = device.queue.waits.check, [], threading.Event()

    def interrupted(*turn):
        monkeypatch.undo()
        _refused(device.submit(times, [a], a).wait, told)
        asked.set()
        check(*turn)

    monkeypatch.setattr(device.queue.waits, "check", interrupted)
    found = []
    thread = threading.Thread(target=lambda: found.append(a.read_list()), daemon=True)
    thread.start()
    assert asked.wait(PATIENCE), "it waits for itself"
    assert "finalizer" in str(told[0])
    backend.complete()
    first.wait(PATIENCE)
    thread.join(PATIENCE)
    assert found == [[2.0, 4.0]]
    backend.complete_all()
    device.close()


def test_a_callback_is_called_afterwards():
    device, backend = ready_device()
    command = device.submit(times, [vector(device, 1, 2)])
    called = threading.Event()
    within(device, lambda: command.add_done_callback(lambda _: called.set()))
    backend.complete()
    assert called.wait(PATIENCE)
    device.close()


def test_a_task_that_is_collected_while_it_reads_lets_go_of_the_buffer():
    device, backend = ready_device()
    a = vector(device, 1, 2)
    command = device.submit(times, [a], a)

    async def main():
        reading = a.read_async()
        reading.send(None)  # it waits for the command
        return reading

    reading = asyncio.run(main())
    within(device, reading.close)
    backend.complete()
    command.wait(PATIENCE)
    a.write([5.0, 6.0])  # would wait for the reader
    assert a.read_list() == [5.0, 6.0]
    device.close()


def test_a_device_is_closed_afterwards():
    device = Device(CpuBackend(workers=1), "finalized")
    within(device, device.close)
    for _ in range(1000):
        if device.queue.gone is not None:
            break
        threading.Event().wait(0.01)
    with pytest.raises(treadle.DeviceLost):
        device.buffer([1.0])


REAL = """
import faulthandler, gc
import numpy as np
import treadle

faulthandler.dump_traceback_later(60, exit=True)
device = treadle.device("cpu")
a, big = device.buffer(np.ones(64, "f4")), device.buffer(np.ones(200_000, "f4"))
last = [device.submit("relu", [big])]

class Cycle:
    def __init__(self, n):
        self.n, self.itself = n, self

    def __del__(self):
        try:
            [
                lambda: device.submit("relu", [a]),
                lambda: last[0].add_done_callback(lambda _: None),
                lambda: device.empty(1000).free(),
                lambda: last[0].cancel(),
                lambda: device.upload(a, np.ones(64, "f4")),
                lambda: a.read(),
            ][self.n % 6]()
        except treadle.CommandError as error:
            assert "finalizer" in str(error), error

gc.set_threshold(7, 2, 2)
for n in range(600):
    Cycle(n)
    last[0] = device.submit("relu", [big])
    device.submit("elementwise_add", [a, a])
    if n % 20 == 0:
        device.synchronize()
gc.set_threshold(700, 10, 10)
gc.collect()
device.synchronize()
print("in flight", device.in_flight)
"""


def test_the_collector_itself():
    done = subprocess.run(
        [sys.executable, "-c", REAL], capture_output=True, text=True, timeout=90, check=False
    )
    assert (done.returncode, done.stdout) == (0, "in flight 0\n"), done.stderr
