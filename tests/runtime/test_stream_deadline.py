"""Deadlines of batches: what is late is not computed, and what is due comes first."""

from __future__ import annotations

import threading

import pytest

import treadle
from runtime.played import Loop, assert_nothing_left, batch
from runtime.shared import times
from treadle.runtime import shares


class Clock:
    """Time that passes only when a test says so."""

    def __init__(self, monkeypatch) -> None:
        self.now = 1_000_000_000
        for module in ("engine", "batch", "source"):
            monkeypatch.setattr(f"treadle.streaming.{module}.perf_counter_ns", lambda: self.now)
        monkeypatch.setattr("treadle.runtime.shares.perf_counter", lambda: self.now / 1e9)

    def pass_ms(self, milliseconds: int) -> None:
        self.now += milliseconds * 1_000_000


def test_a_batch_past_its_deadline_is_an_error(monkeypatch):
    clock = Clock(monkeypatch)

    def prepare(n):
        clock.pass_ms(5 if n == 2 else 1)
        return batch(n)

    options = {"prepare": prepare, "compute": "relu", "device": "cpu", "deadline": 0.004}
    options["max_in_flight"] = 1
    stream = treadle.stream(range(4), **options)
    assert [next(stream)[0], next(stream)[0]] == [0.0, 1.0]
    with pytest.raises(treadle.BatchError, match=r"batch 2 .* past its deadline of 0\.004 s"):
        next(stream)
    stream.close()
    kept = treadle.stream(range(4), on_error="skip", **options)
    assert [r[0] for r in kept] == [0.0, 1.0, 3.0]
    assert kept.report.failed == 1


def test_a_frame_past_its_deadline_is_dropped_in_realtime(monkeypatch):
    clock = Clock(monkeypatch)
    shown = threading.Semaphore(0)

    def camera():
        for n in range(3):
            yield batch(n)
            shown.acquire()  # the next frame comes when this one is through

    def prepare(frame):
        clock.pass_ms(5 if frame[0] == 1.0 else 1)
        shown.release()
        return frame

    stream = treadle.stream(
        camera(), prepare=prepare, compute="relu", device="cpu", latest=True, deadline=0.004
    )
    assert [r[0] for r in stream] == [0.0, 2.0]
    assert (stream.report.batches, stream.report.dropped, stream.report.failed) == (2, 1, 0)


# Deadlines of commands: the scheduler knows them.


def busy(make_manual, count):
    """A device with one lane, which is taken, and so many more commands in flight."""
    device, backend = make_manual(lanes=1)
    first = device.submit(times, [device.buffer(batch(100.0))])
    backend.expect(1)

    def queued(*loops):
        while device.in_flight < count + 1:
            for loop in loops:
                assert loop.is_alive()
                loop.join(0.0005)

    return device, backend, first, queued


def test_batches_that_are_due_are_computed_first(make_manual):
    device, backend, first, queued = busy(make_manual, 6)
    options = {"compute": times, "max_in_flight": 2, "device": device}
    loops = []
    for start, deadline in ((0, None), (10, 900.0), (20, 600.0)):
        given = [batch(start + n) for n in range(2)]
        loops.append(Loop(treadle.stream(given, deadline=deadline, **options)))
        while device.in_flight < 1 + 2 * len(loops):
            loops[-1].join(0.0005)
    queued(*loops)
    order = []
    for _ in range(7):
        (launch,) = backend.expect(1)
        region = launch.steps[0].regions[-1]
        order.append(int(region.memory.data[region.offset :][:4].view("f4")[0]))
        backend.complete()
    assert order == [100, 20, 21, 10, 11, 0, 1]
    assert [[int(r[0]) for r in loop.end()] for loop in loops] == [[0, 2], [20, 22], [40, 42]]
    assert first.done()


@pytest.mark.parametrize("latest", [False, True])
def test_a_batch_that_waited_for_the_device_too_long_never_starts(make_manual, monkeypatch, latest):
    clock = Clock(monkeypatch)
    device, backend, first, queued = busy(make_manual, 1)
    stream = treadle.stream(
        [batch(1.0)], compute=times, deadline=0.004, latest=latest, on_error="skip", device=device
    )
    loop = Loop(stream)
    queued(loop)
    clock.pass_ms(5)
    backend.complete()
    assert loop.end() == []
    assert backend.pending == []
    assert stream.report.failed == (0 if latest else 1)
    assert stream.report.dropped == (1 if latest else 0)
    assert first.done()


def test_its_error_says_so(make_manual, monkeypatch):
    clock = Clock(monkeypatch)
    device, backend, first, queued = busy(make_manual, 2)

    def compute(buffer):
        return device.submit(times, [device.submit(times, [buffer]).output])

    loop = Loop(treadle.stream([batch(1.0)], compute=compute, deadline=0.004, device=device))
    queued(loop)
    clock.pass_ms(5)
    backend.complete()
    with pytest.raises(treadle.BatchError, match="deadline passed before it could start") as info:
        loop.end()
    assert (info.value.index, info.value.phase) == (0, "waiting")
    del info, loop, first
    assert_nothing_left(device, backend)


def test_a_coroutines_commands_have_the_deadline_too(make_manual, monkeypatch):
    clock = Clock(monkeypatch)
    device, backend, _, queued = busy(make_manual, 1)

    async def compute(buffer):
        return await device.submit(times, [buffer])

    loop = Loop(treadle.stream([batch(1.0)], compute=compute, deadline=0.004, device=device))
    queued(loop)
    clock.pass_ms(5)
    backend.complete()
    with pytest.raises(treadle.BatchError, match="deadline passed before it could start") as info:
        loop.end()
    assert info.value.phase == "waiting"


def test_the_submitter_stays_who_it_is():
    with treadle.submitter("thumbnails", weight=0.5, deadline=2.0), shares.due_by(7.0):
        with shares.due_by(9.0):
            share = shares.current.get()
            assert (share.name, share.weight, share.deadline, share.due) == (
                "thumbnails",
                0.5,
                2.0,
                7.0,
            )
        assert shares.current.get().due == 7.0
