"""Ctrl-C at every place of a stream's consumer where it can come: no thread, no source is left."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import treadle
from runtime.played import PATIENCE, batch, own_threads
from runtime.shared import ready_device, times
from runtime.test_interrupt import Interrupt
from treadle.runtime import observe
from treadle.streaming import stream as module

STREAMING = (str(Path(module.__file__).parent),)
BATCHES = 2


@pytest.fixture
def device():
    opened, _ = ready_device(inline=True)
    yield opened
    opened.close()


def recorded(device):
    p = treadle.pipeline(device)
    frame = p.buffer("frame", device.buffer_zeros(3))
    return p.add(times, frame, p.buffer("result", device.buffer_zeros(3)))


FORMS = {
    "kernel": lambda device: {"compute": times},
    "pipeline": lambda device: {"compute": recorded(device), "inputs": "frame"},
    "function": lambda device: {"compute": lambda x: device.submit(times, [x])},
}


def source(closed):
    try:
        for n in range(BATCHES):
            yield batch(n)
    finally:
        closed.append(True)


def make(device, form, way, closed):
    options = FORMS[form](device)
    if way == "threads":
        options |= {"prepare": np.copy, "collect": np.sum, "workers": 2}
    if way == "latest":
        options["latest"] = True
    batches = [batch(n) for n in range(BATCHES)] if way == "at hand" else source(closed)
    return treadle.stream(batches, device=device, **options)


def consume(stream, interrupt) -> bool:
    """Whether it was interrupted; what the exception knows is let go, as after its handling."""
    try:
        with interrupt:
            for _ in stream:
                pass
    except KeyboardInterrupt as error:
        error.__traceback__ = error.__context__ = None
        return True
    return False


def assert_ended(device, closed, way) -> None:
    for thread in threading.enumerate():
        if thread.name.startswith("treadle-stream"):
            thread.join(PATIENCE)
    assert own_threads() == []
    assert not observe.alert
    assert device.in_flight == 0
    assert closed == [True] or way == "at hand" or not closed


@pytest.mark.parametrize("end", ["closed", "dropped"])
@pytest.mark.parametrize("way", ["at hand", "generator", "threads", "latest"])
@pytest.mark.parametrize("form", FORMS)
def test_an_interrupted_consumer_leaves_no_thread_and_no_source(device, form, way, end):
    fired = 0
    for at in range(1 + (end == "closed"), 5000, 2):  # each place is met by one of the two ends
        closed: list[bool] = []
        stream = make(device, form, way, closed)
        interrupt = Interrupt(at, STREAMING)
        begun = consume(stream, interrupt)
        if end == "closed":
            stream.close()
        left = weakref.ref(stream)
        del stream
        if left() is not None:  # what interrupted it may hold it in a cycle
            gc.collect()
        assert_ended(device, closed, way)
        fired += begun
        if not interrupt.fired:
            break
    assert not interrupt.fired  # every place was tried
    assert fired > 10


@pytest.mark.parametrize("form", FORMS)
def test_a_close_that_is_interrupted_is_completed_by_the_next(device, form):
    for at in range(1, 1000):
        closed: list[bool] = []
        stream = make(device, form, "threads", closed)
        next(stream)
        interrupt = Interrupt(at, STREAMING)
        try:
            with interrupt:
                stream.close()
        except KeyboardInterrupt as error:
            error.__traceback__ = error.__context__ = None
        stream.close()
        assert own_threads() == []
        assert closed == [True]
        if not interrupt.fired:
            break
    assert not interrupt.fired
