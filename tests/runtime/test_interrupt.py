"""Ctrl-C at every place of a submit and of a read where it can come: the device goes on."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import treadle
from runtime.shared import times, vector
from treadle.backends.cpu import CpuBackend
from treadle.runtime import queue as module
from treadle.runtime.device import Device
from treadle.runtime.turns import HostTurn

RUNTIME = str(Path(module.__file__).parent)


def _finalizes(frame: object) -> bool:
    """Whether a finalizer runs: what is raised in there, Ctrl-C too, Python only reports."""
    while frame is not None:
        if frame.f_code.co_name == "__del__":  # type: ignore[attr-defined]
            return True
        frame = frame.f_back  # type: ignore[attr-defined]
    return False


class Interrupt:
    """Raises KeyboardInterrupt where the n-th function of the runtime begins, or where the n-th C
    function that it calls returns: the places where Python itself looks for signals. `within` are
    the files that count."""

    def __init__(self, at: int, within: tuple[str, ...] = (RUNTIME,)) -> None:
        self.left = at
        self.fired = False
        self._within = within

    def __enter__(self) -> Interrupt:
        sys.setprofile(self._look)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _look(self, frame: object, event: str, _: object) -> None:
        if (
            event not in ("call", "c_return")
            or not frame.f_code.co_filename.startswith(self._within)
            or _finalizes(frame)
        ):  # type: ignore[attr-defined]
            return
        self.left -= 1
        if self.left == 0:
            self.fired = True
            sys.setprofile(None)
            raise KeyboardInterrupt


@pytest.fixture
def device():
    with Device(CpuBackend(workers=1), "interrupted") as opened:
        yield opened


def test_a_submit_or_read_that_is_interrupted_leaves_the_device_usable(device):
    a, b = device.buffer(np.ones(8, np.float32)), device.buffer(np.zeros(8, np.float32))
    device.run_kernel("add", [a, a], b)  # compiled
    fired = 0
    for at in range(1, 400):
        interrupt = Interrupt(at)
        try:
            with interrupt:
                device.submit("add", [a, a], b)
                b.read()
        except KeyboardInterrupt:
            fired += 1
        except treadle.CommandFailed:
            pass  # the launch itself was interrupted, so what it was to write is not trusted
        if not interrupt.fired:
            break
        command = device.submit("add", [a, a], b)
        command.wait(timeout=10)
        assert b.read_list() == [2.0] * 8
        assert not device.queue.open
        assert not a._storage.writers
        assert not b._storage.readers
    assert fired > 10
    assert not interrupt.fired  # every place was tried
    assert device.memory_in_use == a.size + b.size


def test_the_end_of_a_write_that_is_interrupted_fails_nothing_that_reads_it(make_manual):
    """What is made again must not take a write that is over for one that was given up."""
    device, backend = make_manual()
    device.queue._rescue.call = lambda: None  # it is done below
    a, out = vector(device, 2), vector(device, 0)
    for at in range(1, 300):
        turn = HostTurn(device.queue, a._storage, a._low, a._high, write=True)
        turn.enter()
        reader = device.submit(times, [a], out)
        interrupt = Interrupt(at)
        try:
            with interrupt:
                turn.over()
                turn.leave()
        except KeyboardInterrupt:
            pass
        device.queue.advance()
        backend.complete_all()
        if reader.error is None:
            assert reader.wait(10).status == "completed"
        else:  # its own launch was interrupted
            assert "Ctrl-C came while it was being launched" in str(reader.error)
        assert not device.queue.graph.pace.running
        if not interrupt.fired:
            break
    assert not interrupt.fired
    assert at > 10


@pytest.mark.parametrize("kind", [{}, {"signals": False}, {"ordered": True, "lanes": 2}])
def test_what_the_device_has_is_not_failed_behind_its_back(make_manual, monkeypatch, kind):
    """Ctrl-C after a launch has returned, and before anyone has taken note of its fence."""
    device, backend = make_manual(**kind)
    monkeypatch.setattr(device.queue._rescue, "call", lambda: None)  # it is done below
    a, out = vector(device, 2), vector(device, 0)
    planned = device.submit(times, [a], out)
    backend.complete_all()
    planned.wait(10)
    launched = 0
    for at in range(1, 400):
        interrupt = Interrupt(at)
        noted: list[treadle.Command] = []
        try:
            with interrupt:
                noted.append(device.submit(times, [a], out))
        except KeyboardInterrupt:
            launched += bool(backend.pending)
        noted += device.queue.snapshot()
        device.queue.advance()
        assert len(backend.pending) == len(device.queue.open) <= 1  # once, and not given up
        assert all(command.status == "running" for command in noted)
        backend.complete_all()
        for command in noted:
            assert command.wait(10).status == "completed"
        if not interrupt.fired:
            break
    assert not interrupt.fired
    assert launched >= 3
    assert out.read_list() == [4.0]
