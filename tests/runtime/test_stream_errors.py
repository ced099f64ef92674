"""Streams that fail or are left early: errors by index, everything released."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import treadle
from runtime.played import (
    PATIENCE,
    Loop,
    assert_nothing_left,
    batch,
    of_batch,
    own_threads,
)
from runtime.shared import ready_device, times
from treadle.testing import ManualBackend

# Errors.


@pytest.mark.parametrize("phase", ["source", "prepare", "compute", "collect"])
def test_an_error_names_its_batch_and_its_phase(phase):
    def fail(where, value):
        if where == phase and float(np.ravel(value)[0]) == 3.0:
            raise KeyError("no")
        return value

    def source():
        for n in range(6):
            yield fail("source", batch(n))

    def compute(buffer):
        fail("compute", buffer.to_numpy())
        return treadle.submit("relu", [buffer])

    with treadle.use_device("cpu"):
        stream = treadle.stream(
            source(),
            prepare=lambda x: fail("prepare", x),
            compute=compute,
            collect=lambda r: fail("collect", r),
        )
        seen = []
        with pytest.raises(
            treadle.BatchError, match=f"batch 3 failed in {phase}: KeyError"
        ) as info:
            seen.extend(float(result[0]) for result in stream)
    assert seen == [0.0, 1.0, 2.0]
    assert (info.value.index, info.value.phase) == (3, phase)
    assert isinstance(info.value.__cause__, KeyError)
    assert own_threads() == []


def test_a_device_that_fails_names_the_batch(apart):
    device, backend = apart
    loop = Loop(treadle.stream([batch(n) for n in range(4)], compute=times, device=device))
    backend.complete(of_batch(backend, 0, 3))
    backend.fail(of_batch(backend, 1, 3), RuntimeError("overheated"))
    play(backend, loop)
    with pytest.raises(
        treadle.BatchError, match=r"batch 1 failed in \w+: CommandFailed.*overheated"
    ):
        loop.end()
    assert [r[0] for r in loop.results] == [0.0]
    assert_nothing_left(device, backend)


def test_errors_can_be_skipped_or_replaced():
    def prepare(n):
        if n % 3 == 1:
            raise ValueError(n)
        return batch(n)

    with treadle.use_device("cpu"):
        options = {"prepare": prepare, "compute": "relu", "collect": lambda r: int(r[0])}
        stream = treadle.stream(range(8), on_error="skip", **options)
        assert list(stream) == [0, 2, 3, 5, 6]
        assert stream.report.failed == 3
        replaced = treadle.stream(range(8), on_error=lambda error: -error.index, **options)
        assert list(replaced) == [0, -1, 2, 3, -4, 5, 6, -7]

        async def later(error):
            return f"lost {error.index}"

        async def consume():
            return [r async for r in treadle.stream(range(3), on_error=later, **options)]

        assert asyncio.run(consume()) == [0, "lost 1", 2]
        assert list(treadle.stream(range(3), on_error=later, **options)) == [0, "lost 1", 2]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"compute": 3}, "compute: expected a kernel"),
        ({"compute": "rleu"}, "did you mean 'relu'"),
        ({"compute": "relu", "prepare": 3}, "prepare: expected a function"),
        ({"compute": "relu", "max_in_flight": 0}, "max_in_flight: expected an integer"),
        ({"compute": "relu", "max_in_flight": "many"}, "or 'auto'"),
        ({"compute": "relu", "max_bytes": -1}, "max_bytes: expected"),
        ({"compute": "relu", "on_error": "ignore"}, "on_error: expected"),
        ({"compute": "relu", "deadline": 0}, "deadline: expected"),
        ({"compute": len, "params": {"k": 1}}, "params: expected none"),
    ],
)
def test_what_is_wrong_is_said_at_once(options, message):
    with pytest.raises(treadle.LaunchError, match=message):
        treadle.stream([], device="cpu", **options)
    with pytest.raises(treadle.LaunchError, match="batches: expected an iterable"):
        treadle.stream(3, compute="relu", device="cpu")


def test_a_stream_is_iterated_over_once():
    stream = treadle.stream([batch(1)], compute="relu", device="cpu")
    assert len(list(stream)) == 1
    with pytest.raises(treadle.LaunchError, match=r"closed|once"):
        list(stream)
    by_hand = treadle.stream([batch(1), batch(2)], compute="relu", device="cpu")
    assert next(by_hand)[0] == 1.0
    with pytest.raises(treadle.LaunchError, match="once"):
        iter(by_hand)
    by_hand.close()
    assert own_threads() == []


# Leaving early.


def endless(closed: list) -> Iterator[np.ndarray]:
    try:
        n = 0
        while True:
            yield batch(n)
            n += 1
    finally:
        closed.append(True)


def play(backend: ManualBackend, thread: threading.Thread) -> None:
    """Complete whatever is launched until a thread has ended."""
    while thread.is_alive():
        if backend.pending:
            backend.complete()
        thread.join(0.0005)


@pytest.mark.parametrize("how", ["break", "raise", "close", "with"])
def test_leaving_the_loop_releases_everything(apart, how):
    device, backend = apart
    closed: list = []

    def consume():
        stream = treadle.stream(
            endless(closed), prepare=lambda x: x + 1, compute=times, collect=np.sum, device=device
        )
        try:
            with stream if how == "with" else threading.Lock():
                for n, _ in enumerate(stream):
                    if n == 2:
                        if how == "break":
                            break
                        if how == "close":
                            stream.close()
                        else:
                            raise LookupError("enough")
        except LookupError:
            pass

    consumer = threading.Thread(target=consume)
    consumer.start()
    play(backend, consumer)
    assert closed == [True]
    assert_nothing_left(device, backend)


def test_closing_waits_for_what_runs_and_drops_what_does_not(make_manual):
    device, backend = make_manual(lanes=1)
    stream = treadle.stream([batch(n) for n in range(9)], compute=times, device=device)
    first = threading.Thread(target=lambda: next(stream, None))
    first.start()
    backend.expect(1)
    while device.in_flight < 3:
        first.join(0.0005)
    closer = threading.Thread(target=stream.close)
    closer.start()
    while device.in_flight > 1:  # two had not started: dropped at once
        closer.join(0.0005)
    assert closer.is_alive()
    assert len(backend.pending) == 1
    backend.complete()
    closer.join(PATIENCE)
    first.join(PATIENCE)
    assert not closer.is_alive()
    assert_nothing_left(device, backend)


def test_cancelling_the_task_that_consumes():
    device, backend = ready_device()
    closed: list = []

    async def consume():
        async for _ in treadle.stream(endless(closed), compute=times, device=device):
            pass

    async def main():
        task = asyncio.create_task(consume())
        while not backend.pending:
            await asyncio.sleep(0)
        task.cancel()
        while not task.done():
            if backend.pending:
                backend.complete()
            await asyncio.sleep(0)
        assert task.cancelled()
        assert [t for t in asyncio.all_tasks() if t is not asyncio.current_task()] == []

    asyncio.run(main())
    assert closed == [True]
    assert_nothing_left(device, backend)
    device.close()


def test_a_source_that_fails_when_it_is_closed_is_heard():
    def source():
        try:
            while True:
                yield batch(1.0)
        finally:
            raise LookupError("not now")

    stream = treadle.stream(source(), compute="relu", device="cpu")
    next(stream)
    with pytest.raises(LookupError, match="not now"):
        stream.close()
    assert own_threads() == []

    async def main():
        async with treadle.stream(source(), compute="relu", device="cpu") as stream:
            await anext(stream)

    with pytest.raises(LookupError, match="not now"):
        asyncio.run(main())
    assert own_threads() == []


def test_cancelling_again_waits_for_what_runs_all_the_same():
    device, backend = ready_device()

    async def consume():
        async for _ in treadle.stream(endless([]), compute=times, device=device):
            pass

    async def main():
        task = asyncio.create_task(consume())
        while not backend.pending:
            await asyncio.sleep(0)
        for _ in range(3):
            task.cancel()
            for _ in range(5):
                await asyncio.sleep(0)
        assert not task.done()
        while not task.done():
            if backend.pending:
                backend.complete()
            await asyncio.sleep(0)
        assert task.cancelled()
        assert own_threads() == []

    asyncio.run(main())
    assert_nothing_left(device, backend)
    device.close()


def first_of(stream, backend: ManualBackend) -> None:
    """Take a stream's first result, and leave others on the device."""
    taker = threading.Thread(target=lambda: next(stream))
    taker.start()
    backend.complete(of_batch(backend, 0, 3))
    taker.join(PATIENCE)
    assert not taker.is_alive()
    backend.expect(3)


@pytest.mark.parametrize("by_hand", [True, False], ids=["next", "for"])
def test_the_garbage_collector_does_not_wait_for_what_runs(manual, by_hand):
    """It may run where this thread holds a lock that whatever runs needs to end."""
    device, backend = manual
    stream = treadle.stream([batch(n) for n in range(9)], compute=times, device=device)
    results = stream if by_hand else iter(stream)
    first_of(results, backend)
    cycle = [results]
    cycle.append(cycle)
    del stream, results, cycle
    gc.collect()  # returns, although the device has not done with anything
    assert backend.pending
    for thread in threading.enumerate():
        if thread.name.startswith("treadle-stream"):
            play(backend, thread)
    assert_nothing_left(device, backend)


def test_a_stream_that_is_dropped_is_closed_before_the_program_goes_on(manual):
    device, backend = manual
    stream = treadle.stream([batch(n) for n in range(9)], compute=times, device=device)
    first_of(stream, backend)
    box = [stream]
    del stream
    dropper = threading.Thread(target=box.clear)
    dropper.start()
    play(backend, dropper)
    assert_nothing_left(device, backend)


def test_whoever_closes_waits_for_what_runs(manual):
    device, backend = manual
    stream = treadle.stream([batch(n) for n in range(9)], compute=times, device=device)
    first_of(stream, backend)
    closers = [threading.Thread(target=stream.close) for _ in range(3)]
    for closer in closers:
        closer.start()
    while not stream._engine._window.closing:
        closers[0].join(0.0005)
    assert all(closer.is_alive() for closer in closers)
    for closer in closers:
        play(backend, closer)
        assert device.in_flight == 0
    assert_nothing_left(device, backend)


def test_a_stream_gives_one_result_at_a_time(manual):
    device, backend = manual
    stream = treadle.stream([batch(1.0)], compute=times, device=device)
    loop = Loop(stream)
    backend.expect(1)
    with pytest.raises(treadle.LaunchError, match="one result at a time"):
        stream._next()
    backend.complete()
    assert [r[0] for r in loop.end()] == [2.0]
