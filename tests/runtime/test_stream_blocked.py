"""Sources that block: a stream that ends does not wait for them, and leaves nothing of its own."""

from __future__ import annotations

import asyncio
import queue
import threading

import numpy as np
import pytest

import treadle
from runtime.played import PATIENCE, Diary, Loop, assert_nothing_left, batch, own_threads
from runtime.shared import ready_device, times
from treadle.streaming import source as sources


class Feed:
    """A generator over a queue, which blocks while there is nothing in it."""

    def __init__(self) -> None:
        self.items: queue.Queue = queue.Queue()
        self.diary = Diary()

    def __iter__(self):
        try:
            while True:
                self.diary.note("asks")
                yield self.items.get(timeout=PATIENCE)
        finally:
            self.diary.note("closed")


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(sources, "_STEPS", 1)
    monkeypatch.setattr(sources, "_STEP", 0.001)


def ended(feed: Feed) -> None:
    """Let the source give at last: the thread that waited drops that, closes it and ends."""
    feed.items.put(batch(9.0))
    feed.diary.expect("closed")
    for thread in threading.enumerate():
        if thread.name.startswith("treadle-stream"):
            thread.join(PATIENCE)
    assert own_threads() == []


@pytest.mark.parametrize("latest", [False, True])
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("how", ["break", "close", "with", "async"])
def test_leaving_does_not_wait_for_a_source_that_blocks(impatient, how, workers, latest):
    device, backend = ready_device(shared=False, inline=True)
    feed = Feed()
    feed.items.put(batch(1.0))
    stream = treadle.stream(
        iter(feed), compute=times, collect=np.sum, device=device, workers=workers, latest=latest
    )

    async def main():
        async with stream:
            async for _ in stream:
                break

    if how == "async":
        asyncio.run(main())
    elif how == "with":
        with stream:
            assert next(stream) == 6.0
    else:
        for result in stream:
            assert result == 6.0
            if how == "break":
                break
            stream.close()
    stream.close()  # and again
    left = own_threads()
    assert len(left) == 1  # the one that waits: it holds neither buffers nor work
    assert device.in_flight == 0
    assert device.memory_in_use == 0
    assert "closed" not in feed.diary.events
    ended(feed)
    assert_nothing_left(device, backend)
    device.close()


def test_a_consumer_that_waits_is_let_go_by_another_threads_close(impatient):
    device, _ = ready_device(inline=True)
    feed = Feed()
    stream = treadle.stream(iter(feed), compute=times, device=device)
    loop = Loop(stream)
    feed.diary.expect("asks")
    stream.close()
    assert loop.end() == []
    ended(feed)
    device.close()


def test_a_source_that_only_takes_its_time_is_waited_for(monkeypatch):
    monkeypatch.setattr(sources, "_STEPS", 10**6)
    device, backend = ready_device(inline=True)
    feed = Feed()
    feed.items.put(batch(1.0))
    stream = treadle.stream(iter(feed), compute=times, device=device)
    next(stream)
    closer = threading.Thread(target=stream.close)
    closer.start()
    while not stream._engine._window.closing:
        closer.join(0.0005)
    feed.items.put(batch(2.0))
    closer.join(PATIENCE)
    assert not closer.is_alive()
    feed.diary.expect("closed")
    assert_nothing_left(device, backend)
    device.close()


def test_what_goes_wrong_in_a_source_that_was_left_is_reported(impatient, monkeypatch):
    device, _ = ready_device(inline=True)
    diary, told = Diary(), []
    go = threading.Event()

    def source():
        try:
            diary.note("asks")
            assert go.wait(PATIENCE)
            yield batch(1.0)
        finally:
            raise LookupError("not now")

    monkeypatch.setattr(threading, "excepthook", lambda given: told.append(given.exc_value))
    stream = treadle.stream(source(), compute=times, device=device)
    loop = Loop(stream)
    diary.expect("asks")
    stream.close()
    assert loop.end() == []
    go.set()
    for thread in threading.enumerate():
        if thread.name.startswith("treadle-stream"):
            thread.join(PATIENCE)
    assert [str(error) for error in told] == ["not now"]
    device.close()
