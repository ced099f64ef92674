"""Streams whose parts share something: a source its array, several workers one pipeline."""

from __future__ import annotations

import contextlib
import threading

import numpy as np
import pytest

import treadle
from runtime.played import PATIENCE, Loop, assert_nothing_left, batch
from runtime.shared import ready_device, times
from treadle.streaming.coroutines import Bridge
from treadle.streaming.source import BatchSource, Latest

MEETING = 0.05  # seconds in which two workers meet where nothing keeps them apart


class Meeting:
    """A pipeline whose users meet, where they can, when they have submitted it."""

    def __init__(self, pipeline):
        self._pipeline = pipeline
        self._barrier = threading.Barrier(2)

    def submit(self, *, bind):
        command = self._pipeline.submit(bind=bind)
        with contextlib.suppress(threading.BrokenBarrierError):
            self._barrier.wait(MEETING)
        self._barrier.reset()
        return command


@pytest.mark.parametrize("own", [True, False], ids=["own results", "one result"])
def test_workers_that_share_a_pipeline_do_not_mix_batches(own):
    device = treadle.device("cpu")
    p = treadle.pipeline(device)
    frame = p.buffer("frame", device.buffer_zeros(8))
    result = p.buffer("result", device.buffer_zeros(8))
    p.add("scalar_mul", [frame], result, scalar=2.0)
    outputs = {"result": ((8,), "f32")} if own else None
    run = treadle.stream(
        (batch(n, 8) for n in range(6)),
        compute=Meeting(p),
        inputs="frame",
        outputs=outputs,
        workers=2,
        device=device,
    )
    assert [set(r.tolist()) for r in run] == [{2.0 * n} for n in range(6)]


def reusing(count, asked=None):
    """One array, filled anew for each batch."""
    frame = np.zeros(64, np.float32)
    for n in range(count):
        frame[:] = n
        if asked is not None:
            asked[n].set()
        yield frame


@pytest.mark.parametrize("shape", ["array", "tuple", "dict"])
def test_several_workers_keep_what_a_source_overwrites(shape):
    asked = [threading.Event() for _ in range(5)]
    wrapped = {"array": lambda x: x, "tuple": lambda x: (x,), "dict": lambda x: {"x": x}}[shape]

    def prepare(given):
        frame = given if shape == "array" else given[0 if shape == "tuple" else "x"]
        number = int(frame[0])
        if number < 4:
            asked[number + 1].wait(MEETING)  # by then the source has filled its array again
        return frame.copy()

    source = (wrapped(frame) for frame in reusing(5, asked))
    run = treadle.stream(source, prepare=prepare, compute="relu", workers=2, device="cpu")
    assert [set(r.tolist()) for r in run] == [{float(n)} for n in range(5)]


def test_the_newest_batch_is_kept_while_the_source_goes_on():
    filled, go = threading.Event(), threading.Event()

    def camera():
        frame = np.zeros(4, np.float32)
        yield frame
        frame[:] = 1.0
        filled.set()
        assert go.wait(PATIENCE)

    latest = Latest(BatchSource(camera(), keep=True), "test")
    bridge = Bridge(None, "test")
    taker = threading.Thread(target=lambda: found.append(latest.next(bridge)))
    found: list = []
    try:
        latest.begin(bridge)
        taker.start()
        assert filled.wait(PATIENCE)
        taker.join(PATIENCE)
        assert found[0][2].tolist() == [0.0] * 4
    finally:
        go.set()
        latest.close(bridge)
        bridge.close()


@pytest.mark.parametrize("carries", [True, False], ids=["carried", "copied by a thread"])
def test_an_array_that_travels_is_not_overwritten(carries):
    device, backend = ready_device(shared=False, ordered=True, carries=carries)
    write, pulled = backend.write, threading.Event()

    def slow(region, array):  # as a transfer is that starts late
        pulled.wait(MEETING)
        write(region, array)

    backend.write = slow

    def source():
        frame = np.zeros(3, np.float32)
        for n in range(3):
            frame[:] = n
            if n:
                pulled.set()
            yield frame

    loop = Loop(treadle.stream(source(), compute=times, device=device))
    done = threading.Event()

    def complete():
        while not done.is_set():
            if backend.pending:
                pulled.wait(MEETING)
                backend.complete_all()
            done.wait(0.001)

    helper = threading.Thread(target=complete)
    helper.start()
    try:
        assert [r.tolist() for r in loop.end()] == [[2.0 * n] * 3 for n in range(3)]
    finally:
        done.set()
        helper.join()
    assert_nothing_left(device, backend)
    device.close()


def test_arrays_of_a_list_are_not_copied():
    """A list's arrays stay as they are, so that taking them costs nothing."""
    frames = [batch(n, 4) for n in range(3)]
    seen = []

    def prepare(frame):
        seen.append(frame)
        return frame

    list(treadle.stream(frames, prepare=prepare, compute="relu", workers=2, device="cpu"))
    assert sorted(map(id, seen)) == sorted(map(id, frames))


def test_nothing_starts_before_the_first_result_is_asked_for():
    closed = []

    def source():
        try:
            while True:
                yield batch(1.0)
        finally:
            closed.append(True)

    before = set(threading.enumerate())
    run = treadle.stream(source(), compute="relu", prepare=np.copy, collect=np.sum, device="cpu")
    assert list(zip([], run, strict=False)) == []
    assert set(threading.enumerate()) <= before
    assert repr(run).startswith("<treadle.Stream not started")
    del run
    assert not closed  # never begun, so that there was nothing to close
