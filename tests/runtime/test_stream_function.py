"""A function as compute: it may block, and prepare and collect go on beside it."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

import treadle
from runtime.played import PATIENCE, Diary, Loop, assert_nothing_left, batch, own_threads
from runtime.shared import ready_device, times

COUNT = 8


class Beside:
    """Lets prepare, compute and collect go on only where all three are busy with batches that
    follow each other."""

    def __init__(self) -> None:
        self._barrier = threading.Barrier(3, timeout=PATIENCE)

    def prepare(self, n: int) -> np.ndarray:
        if n >= 2:
            self._barrier.wait()
        return batch(n)

    def compute(self, buffer: treadle.Buffer) -> treadle.Buffer:
        if 1 <= buffer.to_numpy()[0] <= COUNT - 2:
            self._barrier.wait()
        return buffer

    def collect(self, result: np.ndarray) -> float:
        if result[0] <= COUNT - 3:
            self._barrier.wait()
        return float(result[0])

    async def computes(self, buffer: treadle.Buffer) -> treadle.Buffer:
        return await asyncio.to_thread(self.compute, buffer)


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "apart"])
@pytest.mark.parametrize("way", ["compute", "computes"], ids=["function", "coroutine"])
def test_a_function_that_blocks_runs_beside_prepare_and_collect(shared, way):
    device, backend = ready_device(shared=shared, inline=True)
    beside = Beside()
    stream = treadle.stream(
        range(COUNT),
        prepare=beside.prepare,
        compute=getattr(beside, way),
        collect=beside.collect,
        device=device,
    )
    assert list(stream) == [float(n) for n in range(COUNT)]
    del stream
    assert_nothing_left(device, backend)
    device.close()


def test_a_generator_is_read_on_while_a_function_blocks(inline):
    barrier = threading.Barrier(2, timeout=PATIENCE)

    def source():
        for n in range(4):
            if n:
                barrier.wait()  # while the batch before is computed
            yield batch(n)

    def compute(buffer):
        if buffer.to_numpy()[0] < 3:
            barrier.wait()
        return buffer

    run = treadle.stream(source(), compute=compute, device=inline)
    assert [r[0] for r in run] == [0.0, 1.0, 2.0, 3.0]


def test_a_function_is_called_in_order_on_one_thread(inline):
    seen, threads = [], set()

    def compute(buffer):
        seen.append(int(buffer.to_numpy()[0]))
        threads.add(threading.current_thread())
        return buffer

    list(treadle.stream(range(20), prepare=batch, compute=compute, device=inline))
    assert seen == list(range(20))
    assert len(threads) == 1


@pytest.mark.parametrize("given", ["buffer", "array", "tuple", "dict", "view"])
def test_what_prepare_fills_again_is_computed_before_it_is(inline, given):
    """A buffer is not copied, and with copy=False nothing is: no batch may get the next one's."""
    staging = np.zeros(4, np.float32)
    buffer = inline.buffer(staging)
    beside = threading.Event()

    def prepare(n):
        if n:
            beside.set()
        if given == "buffer":
            return buffer.write(batch(n, 4))
        staging[:] = n
        forms = {"array": staging, "tuple": (staging,), "dict": {"x": staging}}
        return forms.get(given, staging[1:])

    def compute(x):
        beside.wait(0.05)  # the time in which the next batch would be prepared
        beside.clear()
        return float(x.to_numpy()[0] if given == "buffer" else x[0])

    run = treadle.stream(
        range(5), prepare=prepare, compute=compute, device=inline, copy=given == "buffer"
    )
    assert list(run) == [0.0, 1.0, 2.0, 3.0, 4.0]


@pytest.mark.parametrize("form", ["array", "tuple", "dict"])
def test_arrays_that_nobody_else_holds_are_handed_over_as_they_are(inline, form):
    barrier = threading.Barrier(2, timeout=PATIENCE)

    def prepare(n):
        if n:
            barrier.wait()
        return {"array": lambda x: x, "tuple": lambda x: (x,), "dict": lambda x: {"x": x}}[form](
            batch(n)
        )

    def compute(x):
        if x[0] < 3:
            barrier.wait()  # passes only if the next batch is prepared meanwhile
        return float(x[0])

    run = treadle.stream(range(4), prepare=prepare, compute=compute, device=inline, copy=False)
    assert list(run) == [0.0, 1.0, 2.0, 3.0]


def test_a_batch_that_waits_too_long_for_a_function_is_not_computed(inline, monkeypatch):
    diary, go, seen = Diary(), threading.Event(), []
    now = [1]
    monkeypatch.setattr("treadle.streaming.batch.perf_counter_ns", lambda: now[0])
    monkeypatch.setattr("treadle.streaming.engine.perf_counter_ns", lambda: now[0])

    def prepare(n):
        diary.note(f"prepare {n}")
        return batch(n)

    def compute(buffer):
        seen.append(int(buffer.to_numpy()[0]))
        diary.note("computes")
        assert go.wait(PATIENCE)
        return buffer

    stream = treadle.stream(
        range(3),
        prepare=prepare,
        compute=compute,
        device=inline,
        deadline=1.0,
        on_error=lambda error: error.phase,
    )
    loop = Loop(stream)
    diary.expect("computes", "prepare 2")
    now[0] = 2 * 10**9
    go.set()
    first, *others = loop.end()
    assert first[0] == 0.0
    assert others == ["waiting", "waiting"]
    assert seen == [0]


def test_a_function_gets_the_newest_batch_when_it_is_free(inline):
    diary, ready, ahead = Diary(), threading.Event(), threading.Event()

    def camera():
        yield batch(0)
        assert ready.wait(PATIENCE)  # until the function has the first
        for n in range(1, 10):
            yield batch(n)
            if n == 1:
                ahead.wait(0.05)  # the time in which it would be prepared, to grow old
        diary.note("camera is done")

    def prepare(frame):
        if frame[0] == 1.0:
            ahead.set()
        return frame

    def compute(buffer):
        ready.set()
        diary.expect("camera is done")
        return buffer

    run = treadle.stream(camera(), prepare=prepare, compute=compute, latest=True, device=inline)
    assert [r[0] for r in run] == [0.0, 9.0]
    assert run.report.dropped == 8


def test_closing_waits_for_a_function_and_drops_what_waits_for_it():
    device, backend = ready_device()
    diary, go, seen = Diary(), threading.Event(), []

    def prepare(n):
        diary.note(f"prepare {n}")
        return batch(n)

    def compute(buffer):
        seen.append(int(buffer.to_numpy()[0]))
        diary.note("computes")
        assert go.wait(PATIENCE)
        return device.submit(times, [buffer])

    stream = treadle.stream(range(9), prepare=prepare, compute=compute, device=device)
    loop = Loop(stream)
    diary.expect("computes", "prepare 2")
    closer = threading.Thread(target=stream.close)
    closer.start()
    while not stream._engine._window.closing:
        closer.join(0.0005)
    assert closer.is_alive()
    go.set()
    while closer.is_alive() or loop.is_alive():
        if backend.pending:
            backend.complete()
        closer.join(0.0005)
    assert seen == [0]
    assert loop.end() == []
    del stream
    assert_nothing_left(device, backend)
    device.close()


def test_nothing_is_handed_over_where_there_is_nothing_to_do_meanwhile(inline):
    names = []

    def compute(buffer):
        names.extend(own_threads())
        return buffer

    list(treadle.stream([batch(1.0)], compute=compute, device=inline))
    assert not [name for name in names if "compute" in name]
