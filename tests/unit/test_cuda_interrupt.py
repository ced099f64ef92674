"""Ctrl-C and finalizers in the middle of CUDA's launches and recordings, on a pretended GPU."""

from __future__ import annotations

import ctypes
import threading

import pytest

import pretend_cuda
import treadle
from runtime.test_interrupt import Interrupt

PATIENCE = 10.0
WITHIN = (treadle.__path__[0], pretend_cuda.__file__)


@pytest.fixture
def cuda(monkeypatch, tmp_path):
    device, runtime, library = pretend_cuda.pretended(monkeypatch, tmp_path)
    # What Ctrl-C kept the main thread from is done by the test itself, and not beside it.
    monkeypatch.setattr(device.queue._rescue, "call", lambda: None)
    monkeypatch.setattr(runtime, "streamSynchronize", lambda stream: runtime.pending.clear())
    yield device, runtime, library
    runtime.happen()
    device.close()


def _pipeline(device, a, out):
    pipeline = treadle.pipeline(device)
    pipeline.add("reduce_sum", [a], device.empty(()))
    return pipeline.add("reduce_max", [a], out)


def test_a_command_that_the_gpu_has_never_fails_before_it_has_ended(cuda):
    """At every place of a launch where Python looks for signals."""
    device, runtime, _ = cuda
    a, out, last = device.empty(1000), device.empty(1000), device.empty(())
    pipeline = _pipeline(device, a, last)
    # Brief work, which its submitter launches at once, and the same by way of the graph: of that
    # there are many places at which the GPU has it already.
    urgent = treadle.Priority.INTERACTIVE
    ways = {
        lambda: device.submit("relu", [a], out): 1,
        pipeline.submit: 1,
        lambda: device.submit("relu", [a], out, priority=urgent): 20,
        lambda: pipeline.submit(priority=urgent): 20,
    }
    for submit, least in ways.items():
        for _ in range(6):  # planned, claimed and recorded
            submit().wait(10)
        fired = running = 0
        for at in range(1, 600):
            runtime.held = True
            interrupt = Interrupt(at, within=WITHIN)
            noted: list[treadle.Command] = []
            try:
                with interrupt:
                    noted.append(submit())
            except KeyboardInterrupt:
                fired += 1
            noted += device.queue.snapshot()
            device.queue.advance()
            if runtime.pending:
                running += interrupt.fired
                assert [command.status for command in set(noted)] == ["running"]
            runtime.happen()
            device.synchronize(10)
            assert not device.queue.open
            if not interrupt.fired:
                break
        assert not interrupt.fired  # every place was tried
        assert fired > 30
        assert running >= least


def _at_every_node(device, call):
    """Do what the collector does: call something in the middle of a recording."""
    calls = device.backend._graphs._calls
    add = calls["cuGraphAddKernelNode"]

    def adding(*arguments):
        call(arguments[-1]._obj)
        return add(*arguments)

    calls["cuGraphAddKernelNode"] = adding


@pytest.mark.parametrize("way", ["kernel", "pipeline", "kernel of other sizes"])
def test_a_finalizer_may_use_the_device_while_a_graph_is_recorded(cuda, way):
    device, _, _ = cuda
    a, out, more = device.empty(1000), device.empty(1000), device.empty(2000)
    first = _pipeline(device, a, device.empty(()))
    second = _pipeline(device, out, device.empty(()))
    for kernel in ("relu", "reduce_sum", "reduce_max"):
        device.run_kernel(kernel, [a])
    acts = {
        "kernel": lambda: device.submit("reduce_sum", [out]),
        "pipeline": second.submit,
        "kernel of other sizes": lambda: device.submit("relu", [more]),
    }
    due, submitted = [acts[way]], []

    def finalize(_):
        if due:
            submitted.append(due.pop()())

    _at_every_node(device, finalize)
    thread = threading.Thread(target=lambda: submitted.append(first.run()), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert len(submitted) == 2, "it waits for itself"
    submitted[0].wait(PATIENCE)


def test_what_is_launched_meanwhile_leaves_the_arguments_of_a_recording_alone(cuda):
    """Between packing the arguments of a node and adding it, the same kernel may be launched."""
    device, _, _ = cuda
    a, b, sums = device.empty(1000), device.empty(1000), device.empty(())
    device.run_kernel("reduce_sum", [a])
    pipeline = _pipeline(device, a, device.empty(()))
    seen: list[set[int]] = []

    def note(node):
        device.submit("reduce_sum", [b], sums)
        pointers = ctypes.cast(node.arguments, ctypes.POINTER(ctypes.c_void_p))
        seen.append(set(ctypes.cast(pointers[0], ctypes.POINTER(ctypes.c_uint64))[:2]))

    _at_every_node(device, note)
    thread = threading.Thread(target=pipeline.run, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "it waits for itself"
    other = b._storage.region.memory.address
    assert len(seen) >= 2
    assert not any(other in places for places in seen)
