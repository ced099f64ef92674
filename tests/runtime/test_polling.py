"""A caller that polls: it never blocks, and lets the threads at work go on."""

from __future__ import annotations

import pytest

from runtime.shared import times, vector
from treadle.runtime import waits
from treadle.runtime.device import Device
from treadle.testing import ManualBackend


@pytest.fixture
def slept(monkeypatch):
    """How long each poll slept, on a clock that goes on by a microsecond at every look."""
    now, naps = [0.0], []

    def clock():
        now[0] += 1e-6
        return now[0]

    def sleep(seconds):
        naps.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(waits, "perf_counter", clock)
    monkeypatch.setattr(waits, "sleep", sleep)
    return naps, now


@pytest.fixture
def command():
    backend = ManualBackend()
    with Device(backend, "manual") as device:
        yield device.submit(times, [vector(device, 1)])
        backend.complete_all()


def test_a_tight_loop_leaves_its_core_to_the_workers_after_a_while(slept, command):
    naps, _ = slept
    for _ in range(300):
        command.poll()
    assert naps[0] == 0
    assert naps[-1] > 0
    assert naps == sorted(naps)  # never, and from then on always


def test_one_that_does_other_things_in_between_is_never_held_up(slept, command):
    naps, now = slept
    for _ in range(300):
        command.poll()
        now[0] += 50e-6
    assert not any(naps)


def test_what_has_ended_gives_nothing_away(slept):
    """A poll of unfinished work gives Python's lock away once, so that who does it can go on."""
    naps, _ = slept
    backend = ManualBackend()
    with Device(backend, "manual") as device:
        command = device.submit(times, [vector(device, 1)])
        backend.expect(1)
        naps.clear()
        assert [command.poll(), command.done(), naps] == ["running", False, [0, 0]]
        backend.complete()
        assert [command.poll(), naps] == ["completed", [0, 0]]
