"""How long a thread that waits asks a fence itself, by a clock that the test turns."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from treadle.runtime import waits
from treadle.runtime.command import COMPLETED, RUNNING

STEP = 10e-6  # seconds that each look takes


class Turned:
    """A device whose fences end after so many looks, and the clock beside it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, asks: float) -> None:
        self.now, self.looks, self.yields = 0.0, 0, 0
        monkeypatch.setattr(waits, "perf_counter", lambda: self.now)
        monkeypatch.setattr(waits, "monotonic", lambda: self.now)
        monkeypatch.setattr(waits, "sleep", self._yield)
        limits = SimpleNamespace(signals=False, asks=asks)
        poller = SimpleNamespace(forget=lambda command: None, hasten=lambda: None)
        queue = SimpleNamespace(poller=poller, signal=self._end, advance=lambda: None, quick=None)
        self.waits = waits.Waits(queue, SimpleNamespace(limits=limits))  # type: ignore[arg-type]

    def _yield(self, seconds: float) -> None:
        assert seconds == 0
        self.yields += 1

    @staticmethod
    def _end(command: Any, error: BaseException | None) -> None:
        command._status = COMPLETED

    def command(self, seconds: float) -> Any:
        """A command that ends so long from now."""
        until = self.now + seconds - STEP / 2

        def done() -> bool:
            self.now += STEP
            self.looks += 1
            return self.now >= until

        fence = SimpleNamespace(done=done, error=None)
        return SimpleNamespace(_fence=fence, _status=RUNNING)

    def spin(self, seconds: float, *, blocks: bool) -> bool:
        self.looks = self.yields = 0
        return self.waits.spin(self.command(seconds), blocks=blocks)


def test_a_thread_that_blocks_asks_for_as_long_as_the_device_allows(monkeypatch):
    device = Turned(monkeypatch, asks=1e-3)
    assert device.spin(250e-6, blocks=True)
    assert device.looks == 25
    assert device.yields == 3  # others have Python's lock, after each moment


def test_an_event_loop_is_held_for_a_moment_only(monkeypatch):
    device = Turned(monkeypatch, asks=1e-3)
    assert not device.spin(250e-6, blocks=False)
    assert device.looks <= 8
    assert device.yields == 0
    assert device.spin(250e-6, blocks=True)  # and what it gave up on did not make others impatient


def test_asking_in_vain_becomes_rare_and_comes_back(monkeypatch):
    device = Turned(monkeypatch, asks=1e-3)
    for _ in range(12):
        assert not device.spin(50e-3, blocks=True)
    assert device.looks <= 2
    assert not device.spin(250e-6, blocks=True)

    def pass_through(seconds: float) -> bool:
        device.now += 200e-6  # the poller noticed it soon
        return True

    assert device.waits.at(SimpleNamespace(pass_through=pass_through))  # type: ignore[arg-type]
    assert device.spin(250e-6, blocks=True)


def test_a_long_wait_at_the_gate_is_no_reason_to_ask(monkeypatch):
    device = Turned(monkeypatch, asks=1e-3)
    for _ in range(12):
        device.spin(50e-3, blocks=True)

    def pass_through(seconds: float) -> bool:
        device.now += 5e-3
        return True

    assert device.waits.at(SimpleNamespace(pass_through=pass_through))  # type: ignore[arg-type]
    device.spin(50e-3, blocks=True)
    assert device.looks <= 2
