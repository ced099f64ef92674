"""Brief launches that do not come about, are broken off or meet the end of their device, on a
pretended GPU."""

from __future__ import annotations

import gc
import threading
import weakref
from contextlib import suppress

import pytest

import treadle
from briefly import CUDARuntimeError, relu, runs
from runtime.test_interrupt import Interrupt
from treadle.backends.cuda import quick as stream_module
from treadle.runtime import quick as quick_module

PATIENCE = 10.0
URGENT = treadle.Priority.INTERACTIVE  # which is not for the quick stream


def test_a_launch_that_does_not_come_about_leaves_no_buffer_in_use(ready, monkeypatch):
    device, runtime, (a, b, c), prepared = ready
    runtime.held = False
    monkeypatch.setattr(device.backend.quick, "_here", lambda: False)  # another GPU is current
    for submit in (lambda: device.submit("relu", [a], b), prepared.submit):
        submit().wait(PATIENCE)
        assert not runs(device)
        assert a.ready
        assert b.ready
    b.free()
    assert device.memory_in_use == 8000
    kept = device.submit_many([("relu", [a], c)] * 2)
    device.synchronize(PATIENCE)
    a.free()
    assert c.ready
    assert device.memory_in_use == 4000
    assert [each.status for each in kept] == ["completed"] * 2


def test_what_several_used_goes_where_the_driver_refused_them(ready):
    device, runtime, (a, *_), _ = ready
    sized = relu(device.submit("relu", [a], device.empty(1000)))
    runtime.happen()
    device.synchronize(PATIENCE)
    gc.collect()
    before = device.memory_in_use

    def refuses(*_):
        raise ValueError("refused")

    sized._launch = refuses
    (command,) = device.submit_many([("relu", [device.empty(1000)], device.empty(1000))])
    with pytest.raises(treadle.CommandFailed, match="refused"):
        command.wait(PATIENCE)
    gc.collect()
    assert device.memory_in_use == before + 4000  # the command's output


def test_sizes_are_measured_where_the_device_is_current(ready, monkeypatch):
    device, runtime, (a, b, _), _ = ready
    runtime.held = False
    ((program, *_),) = device.submit("relu", [a], b)._steps
    device.synchronize(PATIENCE)
    measure, seen = program.handle._measure, []

    def measured(dims):
        seen.append(device.backend._here())
        return measure(dims)

    monkeypatch.setattr(program.handle, "_measure", measured)
    submits = (
        lambda: device.submit("relu", [a], b),
        lambda: device.submit_many([("relu", [a], b)]),
    )
    for submit in submits:
        program.handle._sized.clear()  # as where too many other sizes came
        thread = threading.Thread(target=submit)  # which has not used the GPU
        thread.start()
        thread.join(PATIENCE)
    assert seen == [True, True]


def test_what_measuring_refuses_fails_the_command(ready, monkeypatch):
    device, _, (a, b, _), _ = ready
    ((program, *_),) = device.submit("relu", [a], b)._steps

    def refuses(dims):
        raise ValueError("refused")

    monkeypatch.setattr(program.handle, "_measure", refuses)
    program.handle._sized.clear()
    command = device.submit("relu", [a], b)
    with pytest.raises(treadle.CommandFailed, match="refused"):
        command.wait(PATIENCE)


def test_buffers_of_a_claim_that_was_given_up_stay_in_use(ready):
    device, runtime, (a, b, c), prepared = ready
    runtime.held = False
    pipeline = treadle.pipeline(device)
    other = device.empty(1000), device.empty(1000)
    pipeline.add("add", [a, c], other[0])
    pipeline.add("add", [other[0], c], other[1])
    pipeline.add("relu", [other[1]], device.empty(1000))
    for _ in range(3):
        pipeline.run()
    prepared.submit(priority=URGENT).wait(PATIENCE)  # whose claim is in force from then on
    runtime.held = True
    first, second = prepared.submit(), pipeline.submit()
    assert runs(device) == [first, second]
    before = device.memory_in_use
    assert not b.ready
    b.free()
    assert device.memory_in_use == before
    runtime.happen()
    device.synchronize(PATIENCE)
    assert device.memory_in_use == before - 4000


def _closing(device):
    """Close a device on a thread of its own, and return when it has or waits for the queue."""
    thread = threading.Thread(target=device.close, daemon=True)
    thread.start()
    while thread.is_alive() and not (device.queue.gone and device.queue.inbox):
        thread.join(1e-3)
    return thread


def test_a_device_is_not_closed_in_the_middle_of_a_launch(ready, monkeypatch):
    device, runtime, (a, b, _), _ = ready
    runtime.held = False
    quick, threads = device.queue.quick, []
    uses = quick._uses

    def closing(*arguments):
        threads.append(_closing(device))
        assert not device.backend._closed
        return uses(*arguments)

    monkeypatch.setattr(quick, "_uses", closing)
    command = device.submit("relu", [a], b)
    threads[0].join(PATIENCE)
    assert command.wait(PATIENCE).output is b


def test_nothing_is_launched_on_a_device_that_was_closed_meanwhile(ready):
    device, runtime, (a, b, _), _ = ready
    runtime.held = False
    lock = device.queue._lock

    class Late:
        """A lock that is reached when another thread has closed the device."""

        def __enter__(self):
            device.queue._lock = lock
            _closing(device).join(PATIENCE)
            return lock.__enter__()

        def __exit__(self, *error):
            return lock.__exit__(*error)

    device.queue._lock = Late()
    with pytest.raises(treadle.DeviceLost):
        device.submit("relu", [a], b)


def test_a_device_whose_streams_cannot_be_drained_fails_what_is_there(ready, monkeypatch):
    device, runtime, (a, b, _), _ = ready
    command = device.submit("relu", [a], b)

    def refuses(stream):
        raise CUDARuntimeError("refused")

    monkeypatch.setattr(runtime, "streamSynchronize", refuses)
    device.close()
    assert command.status == "failed"


def test_a_launch_that_is_refused_in_the_middle_is_over_before_it_is_made_again(ready):
    device, runtime, (a, b, _), _ = ready
    sized = relu(device.submit("relu", [a], b))
    runtime.happen()
    device.synchronize(PATIENCE)
    launch, done = sized._launch, []

    def refuses(*arguments):
        done.append("launched" if not done else "refused")
        if done[-1] == "refused":
            sized._launch = launch
            raise ValueError("refused")

    sized.calls *= 2
    sized._launch = refuses
    runtime.streamSynchronize = lambda stream: done.append("over")
    runtime.held = False
    device.submit("relu", [a], device.empty(1000)).wait(PATIENCE)
    assert done == ["launched", "refused", "over"]


def test_scratch_stays_while_it_is_used_wherever_ctrl_c_comes(ready, monkeypatch):
    device, runtime, (a, b, c), _ = ready
    sized = relu(device.submit("relu", [a], b))
    runtime.happen()
    device.synchronize(PATIENCE)
    sized.scratch = 64
    monkeypatch.setattr(device.queue._rescue, "call", lambda: None)
    for at in range(1, 2000):
        runtime.held = True
        for out in (b, c):
            device.submit("relu", [a], out)
        marks = device.backend.quick._marks
        scratch = [weakref.ref(mark[3]) for mark in marks]
        assert len(scratch) == 2
        del marks
        interrupt = Interrupt(at, within=(quick_module.__file__, stream_module.__file__))
        with suppress(KeyboardInterrupt), interrupt:
            device.barrier()
        device.queue.advance()
        assert all(each() is not None for each in scratch)
        runtime.happen()
        device.synchronize(PATIENCE)
        if not interrupt.fired:
            break
    assert not interrupt.fired
    assert at > 20
