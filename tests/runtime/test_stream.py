"""Streams: overlap by order of events, what goes in and what comes out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import treadle
from runtime.played import (
    Diary,
    Loop,
    assert_nothing_left,
    batch,
    complete,
    of_batch,
)
from runtime.shared import ready_device, times

# Overlap.


def test_the_device_computes_while_the_host_prepares_and_collects(apart):
    device, backend = apart
    diary = Diary()

    def prepare(n):
        diary.note(f"prepare {n}")
        return batch(n)

    def collect(result):
        n = int(result[0]) // 2
        diary.note(f"collect {n}")
        return n

    stream = treadle.stream(
        range(6), prepare=prepare, compute=times, collect=collect, device=device
    )
    loop = Loop(stream)
    # Three are under way before the device has finished anything: prepare runs ahead of compute.
    backend.expect(3)
    diary.expect("prepare 0", "prepare 1", "prepare 2")
    assert not any(event.startswith("collect") for event in diary.events)
    assert "prepare 3" not in diary.events  # and no further than max_in_flight
    for n in range(3):
        backend.complete(of_batch(backend, n))
        # While the device is busy with the next two, this one is collected and another prepared.
        diary.expect(f"collect {n}", f"prepare {n + 3}")
        assert len(backend.expect(3)) == 3
        assert not any(launch.done() for launch in backend.pending)
    complete(backend, 3)
    assert loop.end() == list(range(6))
    assert_nothing_left(device, backend)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_no_more_than_max_in_flight_are_taken_from_the_source(apart, depth):
    device, backend = apart
    taken = []

    def source() -> Iterator[np.ndarray]:
        for n in range(8):
            taken.append(n)
            yield batch(n)

    stream = treadle.stream(source(), compute=times, max_in_flight=depth, device=device)
    loop = Loop(stream)
    for done in range(8):
        of_batch(backend, done, min(depth, 8 - done))
        assert len(taken) <= done + depth
        backend.complete(of_batch(backend, done))
    assert [int(r[0]) for r in loop.end()] == [2 * n for n in range(8)]
    assert_nothing_left(device, backend)


def test_uploads_and_downloads_are_commands_between_the_kernels():
    device, backend = ready_device(shared=False)
    target = device.empty(3)
    up = device.upload(target, batch(1.0))
    run = device.submit(times, [target], k=3.0)
    down = device.download(run.output)
    backend.expect(1)
    assert up.wait().output is target
    assert down.poll() in ("pending", "running")
    backend.complete()
    assert down.wait().output.tolist() == [3.0, 3.0, 3.0]
    assert up.times is not None
    assert up.times[0] <= up.times[1] <= down.times[0]
    assert run.times is None  # nobody traced it
    device.close()


def test_a_transfer_that_fails_fails_what_reads_it(monkeypatch):
    device, backend = ready_device(shared=False)
    monkeypatch.setattr(backend, "write", lambda *_: 1 / 0)
    target = device.empty(3)
    up = device.upload(target, batch(1.0))
    run = device.submit(times, [target])
    with pytest.raises(treadle.CommandFailed, match="upload on manual"):
        up.wait()
    with pytest.raises(treadle.CommandFailed, match="what it reads failed"):
        run.wait()
    device.close()


def test_wrong_transfers_are_refused(manual):
    device, _ = manual
    target = device.empty(3)
    with pytest.raises(treadle.LaunchError, match="expected 3 elements"):
        device.upload(target, batch(1.0, 4))
    with pytest.raises(treadle.LaunchError, match="out: expected"):
        device.download(target, np.empty(4, np.float32))
    with pytest.raises(treadle.LaunchError, match="expected a Buffer"):
        device.upload(batch(1.0), batch(1.0))
    assert device.host_array((2, 3), "u8").shape == (2, 3)


# What goes in and comes out.


def run_all(stream) -> list:
    return list(stream)


def test_a_ragged_last_batch():
    sizes = [4, 4, 4, 2, 5]
    for device in ("cpu", ready_device(shared=False, inline=True)[0]):
        batches = [batch(n, size) for n, size in enumerate(sizes)]
        results = run_all(treadle.stream(batches, compute="relu", device=device))
        assert [r.tolist() for r in results] == [b.tolist() for b in batches]


@pytest.mark.parametrize("shared", [True, False])
def test_structures_of_arrays(shared):
    device, _ = ready_device(shared=shared, inline=True)
    pairs = [(batch(n), batch(1.0)) for n in range(4)]
    sums = run_all(treadle.stream(pairs, compute="elementwise_add", device=device))
    assert [r[0] for r in sums] == [1.0, 2.0, 3.0, 4.0]
    named = [{"b": batch(n), "a": batch(10.0)} for n in range(4)]
    differences = run_all(treadle.stream(named, compute="elementwise_sub", device=device))
    assert [r[0] for r in differences] == [10.0, 9.0, 8.0, 7.0]

    def both(a, b, note):
        total = device.submit("elementwise_add", [a, b])
        return {"sum": total, "left": a, "note": note}

    mixed = [(batch(n), batch(1.0), f"batch {n}") for n in range(3)]
    for n, result in enumerate(treadle.stream(mixed, compute=both, device=device)):
        assert result["note"] == f"batch {n}"
        assert result["sum"].tolist() == [n + 1.0] * 3
        assert result["left"].tolist() == [float(n)] * 3


def test_results_stay_what_they_are_when_buffers_rotate():
    fixed = treadle.device("cpu").empty(1000)

    def into_the_same(buffer):
        return treadle.submit("relu", [buffer], fixed)

    batches = [batch(n, 1000) for n in range(20)]
    for compute in ("relu", into_the_same):
        results = run_all(treadle.stream(batches, compute=compute, device="cpu"))
        assert [set(r.tolist()) for r in results] == [{float(n)} for n in range(20)]


def test_an_array_that_prepare_keeps_using_is_copied():
    staging = np.empty(1000, np.float32)

    def prepare(n):
        staging[:] = n
        return staging

    results = run_all(treadle.stream(range(20), prepare=prepare, compute="relu", device="cpu"))
    assert [set(r.tolist()) for r in results] == [{float(n)} for n in range(20)]


def test_something_that_is_submitted_with_its_bindings():
    class Recorded:
        def submit(self, *, bind):
            frame, gain, result = bind["frame"], bind["gain"], bind["result"]
            return treadle.submit("elementwise_mul", [frame, gain], result)

    with treadle.use_device("cpu"):
        pairs = [(batch(n), batch(2.0)) for n in range(5)]
        outputs = {"result": ((3,), "f32")}
        stream = treadle.stream(
            pairs, compute=Recorded(), inputs=("frame", "gain"), outputs=outputs
        )
        assert [r.tolist() for r in stream] == [[2.0 * n] * 3 for n in range(5)]
        with pytest.raises(treadle.BatchError, match="names of 2 buffers"):
            run_all(treadle.stream(pairs, compute=Recorded(), inputs="frame"))


def test_pipelined_hands_batches_to_encode_as_they_are():
    buffers = [treadle.device("cpu").buffer([float(n)]) for n in range(6)]
    with treadle.use_device("cpu"):
        outs = list(treadle.pipelined(buffers, lambda b: treadle.submit("neg", [b])))
        assert [o.read_list() for o in outs] == [[-float(n)] for n in range(6)]

        async def encode(buffer):
            return await treadle.submit("neg", [buffer])

        outs = list(treadle.pipelined(buffers, encode, 2))
        assert [o.read_list() for o in outs] == [[-float(n)] for n in range(6)]


def test_double_buffered_has_two_sets(apart):
    device, backend = apart
    stream = treadle.double_buffered([batch(n) for n in range(4)], compute=times, device=device)
    assert stream.max_in_flight == 2
    loop = Loop(stream)
    assert len(backend.expect(2)) == 2
    complete(backend, 4)
    assert [r[0] for r in loop.end()] == [0.0, 2.0, 4.0, 6.0]


def test_unordered_results_come_as_they_end(manual):
    device, backend = manual
    stream = treadle.stream(
        [batch(n) for n in range(3)], compute=times, ordered=False, device=device
    )
    loop = Loop(stream)
    launches = backend.expect(3)
    for number, launch in enumerate(reversed(launches), 1):
        backend.complete(launch)
        while len(loop.results) < number and loop.is_alive():
            loop.join(0.001)
    assert [r[0] for r in loop.end()] == [4.0, 2.0, 0.0]


def test_bytes_are_bounded(apart):
    device, backend = apart
    stream = treadle.stream(
        [batch(n) for n in range(5)], compute=times, max_in_flight=5, max_bytes=40, device=device
    )
    loop = Loop(stream)
    for _ in range(5):
        backend.expect(1)
        assert len(backend.pending) <= 2  # the first one's results were not known yet
        backend.complete()
    assert [r[0] for r in loop.end()] == [0.0, 2.0, 4.0, 6.0, 8.0]


def test_a_full_queue_is_waited_for(apart):
    device, backend = apart
    device.max_in_flight = 3
    stream = treadle.stream(
        [batch(n) for n in range(6)], compute=times, max_in_flight=6, device=device
    )
    loop = Loop(stream)
    complete(backend, 6)
    assert len(loop.end()) == 6


def test_how_many_may_be_under_way_can_be_set_before_and_while_it_runs():
    taken = []

    def source():
        for n in range(12):
            taken.append(n)
            yield batch(n)

    stream = treadle.stream(source(), compute="relu", max_in_flight=1, device="cpu")
    stream.max_in_flight = 2
    results = iter(stream)
    next(results)
    assert len(taken) <= 3
    stream.max_in_flight = 5
    assert stream.max_in_flight == 5
    assert len(list(results)) == 11
    assert stream.report.depth == 5
    with pytest.raises(treadle.LaunchError, match="max_in_flight: expected"):
        stream.max_in_flight = 0


def test_whatever_says_how_many_bytes_it_has_counts():
    class Weighty:
        nbytes = 1000

    stream = treadle.stream([Weighty()] * 3, compute=lambda it: it, copy=False, device="cpu")
    assert len(list(stream)) == 3
    assert stream.report.bytes_in == 3000
