"""Threads that cannot start, or whose start Ctrl-C breaks off: an error, and nothing is left."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

import treadle
from runtime.played import PATIENCE, batch, own_threads
from runtime.shared import ready_device, times
from treadle.backends.cpu.workers import Workers
from treadle.runtime import observe

BATCHES = 4


@pytest.fixture
def device():
    opened, _ = ready_device(inline=True)
    yield opened
    opened.close()


async def doubled(frame):
    return frame * 2


def called(device):
    """A function for `compute` that may take its time, so that a thread of its own calls it."""
    return lambda frame: device.submit(times, [frame])


def made(device, closed, **options):
    def source():
        try:
            for n in range(BATCHES):
                yield batch(n)
        finally:
            closed.append(True)

    return treadle.stream(source(), device=device, **({"compute": times} | options))


# The thread that is refused, and a stream that needs it.
THREADS = {
    "prepare-1": lambda device: {"prepare": np.copy, "workers": 2},
    "compute": lambda device: {"prepare": np.copy, "compute": called(device)},
    "collect": lambda device: {"collect": np.sum},
    "source": lambda device: {"latest": True},
    "loop": lambda device: {"prepare": doubled},
}


def on_start(monkeypatch, name, act):
    """Call something in place of the start of threads with that name."""
    real = threading.Thread.start

    def start(thread):
        if name in thread.name and thread.name.startswith("treadle"):
            act(lambda: real(thread))
        else:
            real(thread)

    monkeypatch.setattr(threading.Thread, "start", start)


def refuse(_):
    raise RuntimeError("can't start new thread")


def assert_nothing_left(device, closed):
    for thread in threading.enumerate():
        if thread.name.startswith("treadle-stream"):
            thread.join(PATIENCE)  # one that has nothing to do ends by itself
    assert own_threads() == []
    assert not observe.alert
    assert device.in_flight == 0
    assert device.memory_in_use == 0
    assert closed in ([True], [])  # it ends with the stream, if it was begun


@pytest.mark.parametrize("name", THREADS)
def test_a_thread_that_cannot_start_is_one_error_and_the_next_stream_works(
    device, monkeypatch, name
):
    closed: list[bool] = []
    with monkeypatch.context() as patched:
        on_start(patched, name, refuse)
        stream = made(device, closed, **THREADS[name](device))
        with pytest.raises(treadle.TreadleError, match=f"{name}.*no thread could be star") as told:
            list(stream)
    wrapped = isinstance(told.value, treadle.BatchError)  # one that a batch needed
    assert isinstance(told.value.__cause__ if wrapped else told.value, treadle.DeviceError)
    assert wrapped is (name == "loop")
    assert_nothing_left(device, closed)
    assert list(made(device, closed, **THREADS[name](device)))
    del stream, told
    closed.clear()
    assert_nothing_left(device, closed)


@pytest.mark.parametrize("begun", [True, False], ids=["after", "before"])
@pytest.mark.parametrize("name", THREADS)
def test_ctrl_c_beside_the_start_of_a_thread_leaves_none(device, monkeypatch, name, begun):
    def interrupted(start):
        if begun:
            start()
        raise KeyboardInterrupt

    closed: list[bool] = []
    options = THREADS[name](device)
    if name == "loop":  # on the consumer's own thread, as the others are
        options = {"compute": lambda frame: 1 / 0, "on_error": lambda error: doubled(batch(1))}
    with monkeypatch.context() as patched:
        on_start(patched, name, interrupted)
        stream = made(device, closed, **options)
        with pytest.raises(KeyboardInterrupt):
            list(stream)
    del stream
    assert_nothing_left(device, closed)


def test_a_task_closes_its_stream_where_no_thread_can_be_had_for_that(device, monkeypatch):
    closed: list[bool] = []

    async def consume():
        stream = made(device, closed, prepare=np.copy)
        async for _ in stream:
            break
        on_start(monkeypatch, "close", refuse)
        await asyncio.gather(stream.aclose(), stream.aclose())

    asyncio.run(consume())
    assert_nothing_left(device, closed)


def test_a_loop_that_cannot_be_made_is_an_error_and_no_wait(device, monkeypatch):
    def refused():
        raise OSError("Too many open files")

    closed: list[bool] = []
    stream = made(device, closed, prepare=doubled)
    monkeypatch.setattr(asyncio, "new_event_loop", refused)
    with pytest.raises(treadle.BatchError, match="Too many open files"):
        list(stream)
    del stream
    assert_nothing_left(device, closed)


class Note:
    def __init__(self):
        self.done = threading.Event()

    def run(self):
        self.done.set()


def test_a_worker_that_cannot_start_is_an_error_only_where_there_is_no_other(monkeypatch):
    left = [True]

    def once(start):
        if left:
            left.pop()
            refuse(start)
        start()

    on_start(monkeypatch, "cpu-0", refuse)
    workers = Workers(2)
    with pytest.raises(treadle.DeviceError, match="no thread could be started"):
        workers.submit(Note(), priority=0)
    monkeypatch.undo()
    on_start(monkeypatch, "cpu-1", once)
    note = Note()
    workers.submit(note, priority=0)
    assert note.done.wait(PATIENCE)
    workers.close()
