"""Submits that come again, and what is in their way: others at the buffers, Ctrl-C, threads."""

from __future__ import annotations

import gc
import threading

import pytest

import treadle
from runtime.shared import plus, times, vector
from runtime.test_alike import TIMES, again, kept, ones
from runtime.test_at_once import Prompt
from runtime.test_interrupt import Interrupt
from treadle.backends.cpu import CpuBackend
from treadle.runtime.device import Device


class Likened(Prompt):
    """A manual device that makes calls of a kind, and can be told to do nothing at once."""

    def calls_like(self, step, briefly):
        return lambda regions: self.at_once((step._replace(regions=tuple(regions)),), briefly)


@pytest.fixture
def device():
    with Device(CpuBackend(workers=1), "again") as opened:
        yield opened


@pytest.fixture
def manual():
    """With a submit that is kept: of `times` from one buffer to another."""
    backend = Likened(lanes=2)
    with Device(backend, "likened") as opened:
        a, b = vector(opened, 1), vector(opened, 0)
        for kernel, count in ((plus, 2), (times, 1)):
            backend.prompt = False
            opened.submit(kernel, [a] * count)
            backend.prompt = True
            backend.expect(1)
            backend.complete()
        for _ in range(TIMES):
            opened.run_kernel(times, [a], b, k=3.0)
        assert kept(opened) == 1
        yield opened, backend, a, b


def test_a_trace_and_a_named_submitter_see_it(device):
    a, b = ones(device), ones(device)
    again(device, "relu", [a], b)
    with treadle.trace() as trace:
        device.run_kernel("relu", [a], b)
    device.synchronize()
    assert [each.label for each in trace.records if each.kind == "command"] == ["relu"]
    with treadle.submitter("somebody"):
        device.run_kernel("relu", [a], b)
    device.max_running = 1
    device.run_kernel("relu", [a], b)
    device.max_bytes_in_flight = 1
    device.run_kernel("relu", [a], b)
    assert b.read_list() == [1.0] * 4


def test_it_comes_after_what_uses_its_buffers(manual):
    device, backend, a, b = manual
    for kernel, inputs, output in ((times, [b], None), (times, [a], a), (times, [a], b)):
        done, backend.prompt = backend.done, False
        earlier = device.submit(kernel, inputs, output, k=2.0)
        backend.prompt = True
        command = device.submit(times, [a], b, k=3.0)
        assert [earlier.status, command.status] == ["running", "pending"]
        assert backend.done == done
        backend.complete_all()
        assert [earlier.wait().status, command.wait().status] == ["completed"] * 2
    assert a.read_list() == [2.0]
    assert b.read_list() == [6.0]
    assert device.submit(times, [a], b, k=3.0).status == "completed"


@pytest.mark.parametrize("touched", ["what it reads", "what it writes"])
def test_it_comes_after_a_barrier_and_a_run_that_has_claimed_its_buffers(manual, touched):
    device, backend, a, b = manual
    other = vector(device, 1)
    source, target = (other, a) if touched == "what it reads" else (b, other)
    pipeline = treadle.pipeline(device).add(times, [source], target, k=2.0)
    backend.prompt = False
    for _ in range(2):  # the next one has a claim
        earlier = pipeline.submit()
        backend.expect(1)
        backend.complete()
        earlier.wait()
    running = pipeline.submit()
    backend.prompt = True
    assert kept(device) == 1
    assert a._storage.claim or b._storage.claim
    assert device.submit(times, [a], b, k=3.0).status == "pending"
    barrier = device.barrier()
    behind = device.submit(times, [a], b, k=3.0)
    assert [running.status, barrier.status, behind.status] == ["running", "pending", "pending"]
    backend.complete_all()
    device.synchronize()
    assert behind.status == "completed"


def test_what_reads_a_failed_result_fails_and_what_writes_over_it_mends_it(manual):
    device, backend, a, b = manual
    backend.prompt = False
    device.submit(times, [a], a, k=2.0)
    backend.fail()
    backend.prompt = True
    with pytest.raises(treadle.CommandFailed) as caught:
        device.submit(times, [a], b, k=3.0).wait()
    assert isinstance(caught.value.__cause__, treadle.CommandError)
    with pytest.raises(treadle.CommandFailed):
        device.run_kernel(times, [a], b, k=3.0)
    a.write([5.0])
    command = device.submit(times, [a], b, k=3.0)  # what it writes is marked still
    backend.complete()
    command.wait()
    assert b.read_list() == [15.0]
    assert device.submit(times, [a], b, k=3.0).status == "completed"


def test_what_a_finalizer_submits_in_the_middle_comes_afterwards(manual):
    device, backend, a, b = manual
    submitted = []

    def finalize():
        backend.meanwhile = None
        submitted.append(device.submit(times, [a], b, k=3.0))
        assert submitted[0].status == "pending"

    backend.meanwhile = finalize
    assert device.submit(times, [a], b, k=3.0).status == "completed"
    backend.complete()
    assert submitted[0].wait().output is b


def test_a_host_that_reads_holds_it_off(manual):
    device, backend, a, b = manual
    entered, go = threading.Event(), threading.Event()
    read = backend.read

    def slow(source, out):
        entered.set()
        assert go.wait(30)
        read(source, out)

    backend.read = slow
    reader = threading.Thread(target=b.to_numpy)
    reader.start()
    assert entered.wait(30)
    a.write([2.0])
    command = device.submit(times, [a], b, k=3.0)
    assert command.status == "pending"
    go.set()
    reader.join()
    backend.complete_all()
    command.wait()
    assert b.read_list() == [6.0]


def test_threads_that_submit_the_same_and_one_that_frees(device):
    a = ones(device, 1000)
    outs = [ones(device, 1000, 0.0) for _ in range(3)]
    wrong, stop = [], threading.Event()

    def work(out):
        try:
            for _ in range(300):
                if device.run_kernel("scale", [a], out, scalar=3.0) is not out:
                    wrong.append("another one's")
        except Exception as error:
            wrong.append(error)

    def free():
        while not stop.is_set():
            ones(device).free()

    threads = [threading.Thread(target=work, args=(out,)) for out in (*outs, outs[0])]
    freeing = threading.Thread(target=free)
    for thread in (*threads, freeing):
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    freeing.join()
    assert not wrong
    assert all(out.read_list() == [3.0] * 1000 for out in outs)
    assert not device.queue.open


def test_ctrl_c_leaves_it_done_or_not(device):
    """At every place of a submit that is found, and of one that is kept just then."""
    a, b = ones(device), ones(device)
    done = set()
    for clear in (False, True):
        for at in range(1, 200):
            again(device, "relu", [a], b)
            if clear:
                device.queue.kept.clear()
                device.run_kernel("relu", [a], b)
            b.write([0.0] * 4)
            interrupt = Interrupt(at)
            try:
                with interrupt:
                    device.submit("relu", [a], b)
            except KeyboardInterrupt:
                pass
            device.synchronize()
            found = tuple(b.read_list())
            assert found in ((0.0,) * 4, (1.0,) * 4)
            done.add(found)
            assert not device.queue.open
            assert not device.queue.inside
            if not interrupt.fired:
                break
        assert not interrupt.fired
    assert len(done) == 2
    before = device.memory_in_use
    del a
    gc.collect()
    assert device.memory_in_use < before
