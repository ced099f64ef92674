"""Ctrl-C and finalizers in the middle of CUDA's launches and recordings, on a pretended GPU."""

from __future__ import annotations

import pytest

import pretend_cuda
import treadle
from runtime.test_interrupt import Interrupt

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
    ways = [lambda: device.submit("relu", [a], out), pipeline.submit]
    for submit in ways:
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
        assert fired > 50
        assert running > 20
