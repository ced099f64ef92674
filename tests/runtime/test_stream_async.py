"""Streams of coroutines, in real time, and what is left of a stream at its end."""

from __future__ import annotations

import asyncio
import gc
import threading

import numpy as np
import pytest

import treadle
from runtime.played import (
    PATIENCE,
    Diary,
    Loop,
    assert_nothing_left,
    batch,
    complete,
    own_threads,
)
from runtime.shared import times
from treadle.streaming.coroutines import Bridge

# Coroutines.


def test_everything_may_be_asynchronous():
    async def source():
        for n in range(7):
            await asyncio.sleep(0)
            yield n

    async def prepare(n):
        await asyncio.sleep(0)
        return batch(n)

    async def compute(buffer):
        doubled = await treadle.submit("scalar_mul", [buffer], scalar=2.0)
        return await treadle.submit("scalar_add", [doubled], scalar=1.0)

    async def collect(result):
        await asyncio.sleep(0)
        return float(result[0])

    def make():
        return treadle.stream(
            source(), prepare=prepare, compute=compute, collect=collect, device="cpu"
        )

    async def main():
        return [r async for r in make()]

    expected = [2.0 * n + 1.0 for n in range(7)]
    assert asyncio.run(main()) == expected
    assert list(make()) == expected  # and without a loop of the caller's
    assert own_threads() == []


def test_breaking_out_of_async_for_closes_an_async_source():
    closed = []

    async def source():
        try:
            while True:
                await asyncio.sleep(0)
                yield batch(1.0)
        finally:
            closed.append(True)

    async def main():
        async with treadle.stream(source(), compute="relu", device="cpu") as stream:
            async for _ in stream:
                break
        assert closed == [True]
        assert own_threads() == []

    asyncio.run(main())


def test_a_source_that_never_comes_is_cancelled_with_its_stream():
    async def source():
        yield batch(1.0)
        await asyncio.Event().wait()

    async def main():
        async with treadle.stream(source(), compute="relu", device="cpu") as stream:
            async for result in stream:
                return result[0]

    assert asyncio.run(main()) == 1.0
    assert own_threads() == []


def test_several_workers_keep_the_order():
    barrier = threading.Barrier(3, timeout=PATIENCE)

    def prepare(n):
        barrier.wait()  # passes only if three prepare at the same time
        return batch(n)

    results = treadle.stream(
        range(9), prepare=prepare, compute="relu", workers=3, max_in_flight=6, device="cpu"
    )
    assert [r[0] for r in results] == [float(n) for n in range(9)]


# The end of it.


def test_the_report_adds_up():
    stream = treadle.stream(
        [batch(n, 1000) for n in range(50)],
        prepare=np.copy,
        compute="relu",
        collect=np.sum,
        device="cpu",
    )
    list(stream)
    report = stream.report
    assert report.batches == 50
    assert report.bytes_in == report.bytes_out == 50 * 4000
    assert 0 < report.efficiency <= 1
    assert 0 < report.latency_p50 <= report.latency_p95 <= report.latency_p99
    assert {lane.name for lane in report.lanes} >= {"prepare", "device", "collect"}
    assert report.to_dict()["verdict"] == report.verdict
    assert "50 batches" in str(report)
    assert report.advice in report.__rich__()


def test_progress_is_told():
    seen = []
    stream = treadle.stream(
        [batch(1.0)] * 5, compute="relu", device="cpu", progress=lambda r: seen.append(r.batches)
    )
    list(stream)
    assert seen[-1] == 5


def test_the_newest_batch_wins_in_realtime(apart):
    device, backend = apart
    diary = Diary()
    go = threading.Semaphore(0)

    def camera():
        for n in range(10):
            yield batch(n)
            if n == 0:
                go.acquire()  # the first frame is being computed before the others come
        diary.note("camera is done")

    stream = treadle.stream(camera(), compute=times, max_in_flight=1, latest=True, device=device)
    loop = Loop(stream)
    backend.expect(1)
    go.release()
    diary.expect("camera is done")
    complete(backend, 2)
    assert [r[0] for r in loop.end()] == [0.0, 18.0]  # the first and the newest
    assert stream.report.dropped == 8
    assert_nothing_left(device, backend)


def test_the_depth_can_be_found_automatically():
    stream = treadle.stream(
        [batch(n) for n in range(200)], compute="relu", max_in_flight="auto", device="cpu"
    )
    assert stream.max_in_flight == 2
    assert [r[0] for r in stream] == [float(n) for n in range(200)]
    assert 1 <= stream.max_in_flight <= 16


def test_what_a_function_submits_and_does_not_return_is_drained_too(manual):
    device, backend = manual

    def compute(buffer):
        device.submit(times, [buffer])  # forgotten
        raise ValueError("changed its mind")

    stream = treadle.stream([batch(1)], compute=compute, device=device)
    loop = Loop(stream)
    backend.expect(1)
    assert loop.is_alive()  # the error is known, but the batch has not landed
    assert device.in_flight == 1
    backend.complete()
    with pytest.raises(treadle.BatchError, match="changed its mind"):
        loop.end()
    assert_nothing_left(device, backend)


def test_page_locked_arrays_are_bounded_and_given_back(manual, monkeypatch):
    device, backend = manual
    made = []

    def host_memory(nbytes):
        made.append(nbytes)
        return np.frombuffer(bytearray(nbytes), np.uint8)

    monkeypatch.setattr(backend, "host_memory", host_memory, raising=False)
    monkeypatch.setattr("treadle.runtime.transfer._PINNED", 100)
    first = device.host_array(20)
    assert made == [80]
    device.host_array(20)  # no more room: an ordinary one
    assert made == [80]
    view = first[5:]
    del first
    device.host_array(20)  # a view still uses it
    assert made == [80]
    del view
    gc.collect()
    assert device.host_array((4, 5)).shape == (4, 5)
    assert made == [80, 80]


def test_what_a_coroutine_submits_while_it_is_cancelled_is_dropped_too(manual):
    device, _ = manual
    place = device.empty(3)
    first = device.submit(times, [device.buffer(batch(1.0))], place)
    diary, late = Diary(), []

    async def compute(buffer):
        try:
            diary.note("waits")
            await asyncio.Event().wait()
        finally:
            diary.note("cancelled")
            late.append(device.submit(times, [buffer], place))  # behind the first one

    stream = treadle.stream([batch(2.0)], compute=compute, device=device)
    loop = Loop(stream)
    diary.expect("waits")
    stream.close()
    assert [str(treadle.poll(command)) for command in late] == ["cancelled"]
    assert device.in_flight == 1
    first.cancel()
    loop.end()


@pytest.mark.parametrize("phase", ["source", "prepare", "collect"])
def test_a_plain_with_in_async_code_does_not_wait_for_its_own_loop(phase):
    """close() on the loop's thread: what runs on that loop cannot end before it returns."""
    begun = threading.Event()
    ended = []

    async def forever(given):
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(given)

    async def source():
        yield batch(1.0)
        if phase == "source":
            await forever("source")

    async def main():
        with treadle.stream(
            source(),
            prepare=forever if phase == "prepare" else None,
            compute="relu",
            collect=forever if phase == "collect" else None,
            device="cpu",
        ) as stream:
            first = asyncio.ensure_future(anext(stream))
            while not begun.is_set():
                await asyncio.sleep(0)
        first.cancel()
        while not ended:
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(main(), PATIENCE))
    for thread in threading.enumerate():
        if thread.name.startswith("treadle-stream"):
            thread.join(PATIENCE)
    assert own_threads() == []


def test_a_loop_that_is_closed_under_a_stream_frees_its_threads():
    begun = threading.Event()

    async def prepare(given):
        begun.set()
        await asyncio.Event().wait()

    stream = treadle.stream([batch(1.0)], prepare=prepare, compute="relu", device="cpu")

    async def main():
        task = asyncio.ensure_future(anext(stream))
        while not begun.is_set():
            await asyncio.sleep(0)
        return task

    loop = asyncio.new_event_loop()
    task = loop.run_until_complete(main())
    loop.close()  # with the task suspended
    stream.close()
    for thread in threading.enumerate():
        if thread.name.startswith("treadle-stream"):
            thread.join(PATIENCE)
    assert own_threads() == []
    task._log_destroy_pending = False
    del task
    gc.collect()


def test_a_generator_whose_loop_ends_first_is_not_asked_to_end():
    """Python 3.13 warns of an end that was asked for and never awaited."""
    asked = []

    async def main():
        bridge = Bridge(asyncio.get_running_loop(), "ended")
        bridge.start(asyncio.Event().wait(), lambda future: None)
        await asyncio.sleep(0)  # that waits, and what is finished waits for it
        bridge.finish(lambda: asked.append(True))

    asyncio.run(main())
    assert asked == []
