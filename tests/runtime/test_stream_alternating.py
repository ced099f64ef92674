"""Turns of the host's functions: one at a time while the device takes longest."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import treadle
from treadle.streaming import batch, tuning
from treadle.streaming.stats import Stats
from treadle.streaming.tuning import Alternating


def busy(device: int, host: int, count: int = 4) -> Stats:
    stats = Stats()
    for n in range(count):
        stats.span("device", n * 1000, n * 1000 + device)
        stats.span("prepare", n * 1000, n * 1000 + host)
    return stats


def blocked(taken: Alternating, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether another thread has to wait while this one has its turn."""
    monkeypatch.setattr(tuning, "_PATIENCE", 0.0)
    wanted = taken._wanted

    def other() -> None:
        with taken:
            pass

    with taken:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()  # nobody waits for ever
    return wanted and not taken._wanted


def test_the_host_takes_turns_while_the_device_takes_longest(monkeypatch):
    assert blocked(Alternating(busy(500, 300), wanted=True), monkeypatch)


@pytest.mark.parametrize(
    "stats, wanted",
    [(busy(300, 500), True), (busy(500, 300), False), (busy(500, 300, 3), True), (Stats(), True)],
    ids=["host-bound", "own-cores", "too-early", "nothing-known"],
)
def test_otherwise_they_run_side_by_side(stats, wanted, monkeypatch):
    assert not blocked(Alternating(stats, wanted=wanted), monkeypatch)


def test_who_waited_in_vain_gets_no_turns_any_more(monkeypatch):
    taken = Alternating(busy(500, 300), wanted=True)
    assert blocked(taken, monkeypatch)
    assert not taken._wanted
    with taken:  # and what was taken has been given back
        assert taken._lock.acquire(blocking=False)


def test_turns_are_for_streams_with_one_thread_for_each_step(monkeypatch):
    """Who asks for two threads that prepare wants two to prepare at the same time."""
    wanted = []

    def noted(stats, **options):
        wanted.append(options["wanted"])
        return Alternating(stats, **options)

    monkeypatch.setattr(batch, "Alternating", noted)
    for workers in (1, 2):
        with treadle.stream([np.ones(4, "f4")], compute="relu", device="cpu", workers=workers) as s:
            assert len(list(s)) == 1
    assert wanted == [True, False]
