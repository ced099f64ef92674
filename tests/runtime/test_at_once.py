"""What a device does at once: only where nothing is in its way, and wholly or not at all."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import treadle
from kernel_text import define
from runtime.shared import plus, shifted, times, vector
from runtime.test_interrupt import Interrupt
from treadle.backends.cpu import CpuBackend
from treadle.runtime.device import Device
from treadle.testing import ManualBackend

PACKAGE = treadle.__path__[0]


class Prompt(ManualBackend):
    """A manual device that does at once what it is asked to, unless told not to."""

    def __init__(self, **options):
        super().__init__(**options)
        self.prompt = True
        self.done = 0
        self.meanwhile = None  # called in the middle of it

    def at_once(self, steps, briefly):
        def call():
            if self.meanwhile is not None:
                self.meanwhile()
            for index, step in enumerate(steps):
                self._perform(step, index)
            self.done += 1

        return call if self.prompt else None


@pytest.fixture
def prompt():
    backend = Prompt(lanes=2)
    with Device(backend, "prompt") as device:
        a = vector(device, 1)
        for kernel, count in ((plus, 2), (times, 1)):
            _launched(device, backend, kernel, [a] * count)
            backend.expect(1)
            backend.complete()
        yield device, backend


def _launched(device, backend, *arguments, **params):
    """Submit something that the device does not do at once."""
    backend.prompt = False
    command = device.submit(*arguments, **params)
    backend.prompt = True
    return command


def test_the_graph_never_knows_of_it(prompt):
    device, backend = prompt
    a, out = vector(device, 2), vector(device, 0)
    command = device.submit(times, [a], out, k=3.0)
    assert command.status == "completed"
    assert backend.done == 1
    assert not device.queue.open
    assert not a._storage.readers
    assert not out._storage.writers
    assert treadle.wait(command.id).output is out
    assert out.read_list() == [6.0]


@pytest.mark.parametrize("use", ["writes", "reads"])
def test_it_comes_after_what_uses_the_same_buffers(prompt, use):
    device, backend = prompt
    a, out = vector(device, 2), vector(device, 0)
    first = (times, [a], a) if use == "writes" else (plus, [out, out])
    earlier = _launched(device, backend, *first)
    command = device.submit(times, [a], out, k=3.0)
    assert command.status == "pending"
    assert not backend.done
    backend.complete_all()
    assert [earlier.wait().status, command.wait().status] == ["completed"] * 2


def test_two_that_read_the_same_do_not_wait_for_each_other(prompt):
    device, backend = prompt
    a = vector(device, 2)
    earlier = _launched(device, backend, times, [a])
    assert device.submit(times, [a]).status == "completed"
    backend.complete()
    earlier.wait()


def test_it_comes_after_a_barrier_and_behind_what_waits_for_a_lane(prompt):
    device, backend = prompt
    a, b = vector(device, 1), vector(device, 2)
    running = _launched(device, backend, times, [a], a)
    barrier = device.barrier()
    behind = device.submit(times, [b], b)
    assert behind.status == "pending"
    backend.complete_all()
    treadle.wait_all([running, barrier, behind])
    busy = [_launched(device, backend, times, [a]) for _ in range(3)]  # one more than lanes
    assert device.submit(times, [b], b).status == "pending"
    backend.complete_all()
    device.synchronize()
    assert all(command.done() for command in busy)
    assert backend.done == 0


def test_what_reads_a_failed_result_fails(prompt):
    device, backend = prompt
    a, out = vector(device, 1), vector(device, 0)
    _launched(device, backend, times, [a], a)
    backend.fail()
    with pytest.raises(treadle.CommandFailed):
        device.submit(times, [a], out).wait()
    assert not backend.done
    assert not a.ready


def test_a_named_submitter_and_a_trace_see_every_command(prompt):
    device, backend = prompt
    a = vector(device, 1)
    with treadle.submitter("one"):
        assert device.submit(times, [a]).status == "running"
    backend.complete()
    with treadle.trace():
        assert device.submit(times, [a]).status == "running"
        backend.complete()
    device.synchronize()
    assert not backend.done
    assert device.submit(times, [a]).status == "completed"  # and afterwards as before


def test_what_a_finalizer_submits_in_the_middle_comes_afterwards(prompt):
    device, backend = prompt
    a, out = vector(device, 1), vector(device, 0)
    submitted = []

    def finalize():
        backend.meanwhile = None
        submitted.append(device.submit(times, [out], a, k=5.0))
        assert submitted[0].status == "pending"

    backend.meanwhile = finalize
    assert device.submit(times, [a], out, k=2.0).status == "completed"
    backend.complete()  # it was launched when the other was done
    submitted[0].wait()
    assert (out.read_list(), a.read_list()) == ([2.0], [10.0])


def test_a_pipeline_keeps_its_claim_beside_kernels_that_are_done_at_once(prompt):
    device, backend = prompt
    a, out = vector(device, 1), vector(device, 0)
    pipeline = treadle.pipeline(device)
    pipeline.add(times, [a], out, k=3.0).add(times, [out], out, k=2.0)
    first = pipeline.submit()  # waits for its plan
    backend.expect(1)
    backend.complete()
    first.wait()
    earlier = _launched(device, backend, times, [a], a)
    running = pipeline.submit()
    assert earlier.status == "running"
    assert device.submit(times, [out], k=1.0).status == "pending"  # the run is at it
    backend.complete_all()
    device.synchronize()
    running.wait()
    a.write([1.0])
    for _ in range(2):
        assert pipeline.submit().status == "completed"
        assert device.submit(times, [out], a, k=0.5).status == "completed"
    assert a.read_list() == [9.0]


@pytest.fixture
def device():
    with Device(CpuBackend(workers=1), "prompt") as opened:
        yield opened


def _asked(device):
    """The launches that a device is asked for from now on."""
    asked = []
    launch = device.queue._launch_on

    def noting(steps, *given, **named):
        asked.append(steps)
        return launch(steps, *given, **named)

    device.queue._launch_on = noting
    return asked


def test_the_processor_does_small_work_at_once_and_tells_what_is_wrong_with_it(device):
    a = device.buffer(np.arange(4, dtype=np.int32))
    device.run_kernel("scalar_mul", [a], scalar=2)
    asked = _asked(device)
    assert device.submit("scalar_mul", [a], scalar=3).output.read_list() == [0, 3, 6, 9]
    assert not asked
    with pytest.raises(treadle.TreadleError, match="fit"):
        device.submit("scalar_mul", [a], scalar=1 << 80).wait()
    asked.clear()
    large = device.buffer(np.zeros(1 << 20, np.float32))
    device.run_kernel("relu", [large])
    assert asked


_COUNTED = """
def f(x, *, n: int = 1):
    y = x
    for i in range(n):
        y = y * 1.5
    return y
"""
_UNTIL = """
def f(x):
    y = x
    while y > 1.0:
        y = y * 0.5
    return y
"""


@pytest.mark.parametrize("text", [_COUNTED, _UNTIL])
def test_what_takes_as_long_as_data_says_is_launched(device, text):
    """Nobody can tell how long that is, and Python's lock is kept meanwhile."""
    kernel = define(text)
    a = device.buffer([3.0])
    device.run_kernel(kernel, [a])
    asked = _asked(device)
    device.run_kernel(kernel, [a])
    assert asked


def test_ctrl_c_leaves_a_pipelines_stages_all_done_or_none(device):
    """At every place of a run again where Python looks for signals."""
    a = device.buffer(np.ones(8, np.float32))
    first, second = device.buffer_zeros(8), device.buffer_zeros(8)
    pipeline = treadle.pipeline(device)
    pipeline.add(shifted, [a], first).add(shifted, [first], second)
    pipeline.run()
    pipeline.run()
    zeros, fired, done = np.zeros(8, np.float32), 0, set()
    gc.collect()
    for at in range(1, 300):
        first.write(zeros)
        second.write(zeros)
        interrupt = Interrupt(at, within=(PACKAGE,))
        try:
            with interrupt:
                pipeline.submit()
        except KeyboardInterrupt:
            fired += 1
        device.synchronize()
        found = first.read_list()[0], second.read_list()[0]
        assert found in ((0.0, 0.0), (1.0, 1.0))
        assert not device.queue.open
        done.add(found)
        if not interrupt.fired:
            break
    assert not interrupt.fired
    assert fired > 10
    assert len(done) == 2


_TOTAL = """
def f(at, x):
    y = 0.0
    for j in range(x.shape[0]):
        y += x[j]
    return y
"""


def test_a_long_loop_over_a_single_element_is_launched(device):
    """It has no neighbours to share registers with: each operation takes all of its time."""
    total = define(_TOTAL, treadle.kernel(shape=lambda x: (), dtype="f32"))
    for length, launched in ((100, False), (1_000_000, True)):
        a = device.buffer(np.ones(length, np.float32))
        device.run_kernel(total, [a])
        asked = _asked(device)
        assert device.run_kernel(total, [a]).item() == length
        assert bool(asked) == launched
