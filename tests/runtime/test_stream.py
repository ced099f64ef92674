"""Streams: overlap by order of events, nothing lost, errors by index, everything released."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator

import numpy as np
import pytest

import weft
from runtime.shared import ready_device, times
from weft.testing import Launch, ManualBackend

PATIENCE = 30.0


class Diary:
    """Events in the order in which they happen; a test waits for them instead of sleeping."""

    def __init__(self) -> None:
        self.events: list[str] = []
        self._changed = threading.Condition()

    def note(self, event: str) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def expect(self, *events: str) -> None:
        with self._changed:
            found = self._changed.wait_for(
                lambda: all(event in self.events for event in events), PATIENCE
            )
            assert found, f"expected {events}, got {self.events}"


@pytest.fixture(params=[True, False], ids=["shared", "apart"])
def apart(request):
    """A manual device whose memory the host sees, and one to which data has to travel."""
    device, backend = ready_device(shared=request.param)
    yield device, backend
    device.close()


def batch(value: float, size: int = 3) -> np.ndarray:
    return np.full(size, value, np.float32)


def own_threads() -> list[str]:
    names = [thread.name for thread in threading.enumerate()]
    return [name for name in names if name.startswith("weft-stream")]


def assert_nothing_left(device, backend) -> None:
    gc.collect()
    assert own_threads() == []
    assert device.in_flight == 0
    assert device.memory_in_use == 0


class Loop(threading.Thread):
    """A consumer on a thread of its own, so that the test can play the device."""

    def __init__(self, stream) -> None:
        super().__init__(daemon=True)
        self.results: list[object] = []
        self.error: BaseException | None = None
        self._stream = stream
        self.start()

    def run(self) -> None:
        try:
            for result in self._stream:
                self.results.append(result)
        except BaseException as error:
            self.error = error

    def end(self) -> list[object]:
        self.join(PATIENCE)
        assert not self.is_alive()
        if self.error is not None:
            raise self.error
        return self.results


def complete(backend: ManualBackend, count: int = 1) -> None:
    for _ in range(count):
        backend.expect(1)
        backend.complete()


def of_batch(backend: ManualBackend, n: int, count: int = 1) -> Launch:
    """The launch that computes batch n; where data travels, a later one may be launched first."""
    for launch in backend.expect(count):
        region = launch.steps[0].regions[-1]
        first = region.memory.data[region.offset : region.offset + 4].view(np.float32)
        if first[0] == n:
            return launch
    raise AssertionError(f"batch {n} is not among {backend.pending}")


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

    stream = weft.stream(range(6), prepare=prepare, compute=times, collect=collect, device=device)
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

    stream = weft.stream(source(), compute=times, max_in_flight=depth, device=device)
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
    with pytest.raises(weft.CommandFailed, match="upload on manual"):
        up.wait()
    with pytest.raises(weft.CommandFailed, match="what it reads failed"):
        run.wait()
    device.close()


def test_wrong_transfers_are_refused(manual):
    device, _ = manual
    target = device.empty(3)
    with pytest.raises(weft.LaunchError, match="expected 3 elements"):
        device.upload(target, batch(1.0, 4))
    with pytest.raises(weft.LaunchError, match="out: expected"):
        device.download(target, np.empty(4, np.float32))
    with pytest.raises(weft.LaunchError, match="expected a Buffer"):
        device.upload(batch(1.0), batch(1.0))
    assert device.host_array((2, 3), "u8").shape == (2, 3)


# What goes in and comes out.


def run_all(stream) -> list:
    return list(stream)


def test_a_ragged_last_batch():
    sizes = [4, 4, 4, 2, 5]
    for device in ("cpu", ready_device(shared=False, inline=True)[0]):
        batches = [batch(n, size) for n, size in enumerate(sizes)]
        results = run_all(weft.stream(batches, compute="relu", device=device))
        assert [r.tolist() for r in results] == [b.tolist() for b in batches]


@pytest.mark.parametrize("shared", [True, False])
def test_structures_of_arrays(shared):
    device, _ = ready_device(shared=shared, inline=True)
    pairs = [(batch(n), batch(1.0)) for n in range(4)]
    sums = run_all(weft.stream(pairs, compute="elementwise_add", device=device))
    assert [r[0] for r in sums] == [1.0, 2.0, 3.0, 4.0]
    named = [{"b": batch(n), "a": batch(10.0)} for n in range(4)]
    differences = run_all(weft.stream(named, compute="elementwise_sub", device=device))
    assert [r[0] for r in differences] == [10.0, 9.0, 8.0, 7.0]

    def both(a, b, note):
        total = device.submit("elementwise_add", [a, b])
        return {"sum": total, "left": a, "note": note}

    mixed = [(batch(n), batch(1.0), f"batch {n}") for n in range(3)]
    for n, result in enumerate(weft.stream(mixed, compute=both, device=device)):
        assert result["note"] == f"batch {n}"
        assert result["sum"].tolist() == [n + 1.0] * 3
        assert result["left"].tolist() == [float(n)] * 3


def test_results_stay_what_they_are_when_buffers_rotate():
    fixed = weft.device("cpu").empty(1000)

    def into_the_same(buffer):
        return weft.submit("relu", [buffer], fixed)

    batches = [batch(n, 1000) for n in range(20)]
    for compute in ("relu", into_the_same):
        results = run_all(weft.stream(batches, compute=compute, device="cpu"))
        assert [set(r.tolist()) for r in results] == [{float(n)} for n in range(20)]


def test_an_array_that_prepare_keeps_using_is_copied():
    staging = np.empty(1000, np.float32)

    def prepare(n):
        staging[:] = n
        return staging

    results = run_all(weft.stream(range(20), prepare=prepare, compute="relu", device="cpu"))
    assert [set(r.tolist()) for r in results] == [{float(n)} for n in range(20)]


def test_something_with_bind_and_submit():
    class Recorded:
        def bind(self, *, frame, gain, result):
            bound = Recorded()
            bound.given = frame, gain, result
            return bound

        def submit(self):
            frame, gain, result = self.given
            return weft.submit("elementwise_mul", [frame, gain], result)

    with weft.use_device("cpu"):
        pairs = [(batch(n), batch(2.0)) for n in range(5)]
        outputs = {"result": ((3,), "f32")}
        stream = weft.stream(pairs, compute=Recorded(), inputs=("frame", "gain"), outputs=outputs)
        assert [r.tolist() for r in stream] == [[2.0 * n] * 3 for n in range(5)]
        with pytest.raises(weft.BatchError, match="names of 2 buffers"):
            run_all(weft.stream(pairs, compute=Recorded(), inputs="frame"))


def test_pipelined_hands_batches_to_encode_as_they_are():
    buffers = [weft.device("cpu").buffer([float(n)]) for n in range(6)]
    with weft.use_device("cpu"):
        outs = list(weft.pipelined(buffers, lambda b: weft.submit("neg", [b])))
        assert [o.read_list() for o in outs] == [[-float(n)] for n in range(6)]

        async def encode(buffer):
            return await weft.submit("neg", [buffer])

        outs = list(weft.pipelined(buffers, encode, 2))
        assert [o.read_list() for o in outs] == [[-float(n)] for n in range(6)]


def test_double_buffered_has_two_sets(apart):
    device, backend = apart
    stream = weft.double_buffered([batch(n) for n in range(4)], compute=times, device=device)
    assert stream.max_in_flight == 2
    loop = Loop(stream)
    assert len(backend.expect(2)) == 2
    complete(backend, 4)
    assert [r[0] for r in loop.end()] == [0.0, 2.0, 4.0, 6.0]


def test_unordered_results_come_as_they_end(manual):
    device, backend = manual
    stream = weft.stream([batch(n) for n in range(3)], compute=times, ordered=False, device=device)
    loop = Loop(stream)
    launches = backend.expect(3)
    for number, launch in enumerate(reversed(launches), 1):
        backend.complete(launch)
        while len(loop.results) < number and loop.is_alive():
            loop.join(0.001)
    assert [r[0] for r in loop.end()] == [4.0, 2.0, 0.0]


def test_bytes_are_bounded(apart):
    device, backend = apart
    stream = weft.stream(
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
    stream = weft.stream(
        [batch(n) for n in range(6)], compute=times, max_in_flight=6, device=device
    )
    loop = Loop(stream)
    complete(backend, 6)
    assert len(loop.end()) == 6


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
        return weft.submit("relu", [buffer])

    with weft.use_device("cpu"):
        stream = weft.stream(
            source(),
            prepare=lambda x: fail("prepare", x),
            compute=compute,
            collect=lambda r: fail("collect", r),
        )
        seen = []
        with pytest.raises(weft.BatchError, match=f"batch 3 failed in {phase}: KeyError") as info:
            seen.extend(float(result[0]) for result in stream)
    assert seen == [0.0, 1.0, 2.0]
    assert (info.value.index, info.value.phase) == (3, phase)
    assert isinstance(info.value.__cause__, KeyError)
    assert own_threads() == []


def test_a_device_that_fails_names_the_batch(apart):
    device, backend = apart
    loop = Loop(weft.stream([batch(n) for n in range(4)], compute=times, device=device))
    backend.complete(of_batch(backend, 0, 3))
    backend.fail(of_batch(backend, 1, 3), RuntimeError("overheated"))
    play(backend, loop)
    with pytest.raises(weft.BatchError, match=r"batch 1 failed in \w+: CommandFailed.*overheated"):
        loop.end()
    assert [r[0] for r in loop.results] == [0.0]
    assert_nothing_left(device, backend)


def test_errors_can_be_skipped_or_replaced():
    def prepare(n):
        if n % 3 == 1:
            raise ValueError(n)
        return batch(n)

    with weft.use_device("cpu"):
        options = {"prepare": prepare, "compute": "relu", "collect": lambda r: int(r[0])}
        stream = weft.stream(range(8), on_error="skip", **options)
        assert list(stream) == [0, 2, 3, 5, 6]
        assert stream.report.failed == 3
        replaced = weft.stream(range(8), on_error=lambda error: -error.index, **options)
        assert list(replaced) == [0, -1, 2, 3, -4, 5, 6, -7]

        async def later(error):
            return f"lost {error.index}"

        async def consume():
            return [r async for r in weft.stream(range(3), on_error=later, **options)]

        assert asyncio.run(consume()) == [0, "lost 1", 2]
        assert list(weft.stream(range(3), on_error=later, **options)) == [0, "lost 1", 2]


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
    with pytest.raises(weft.LaunchError, match=message):
        weft.stream([], device="cpu", **options)
    with pytest.raises(weft.LaunchError, match="batches: expected an iterable"):
        weft.stream(3, compute="relu", device="cpu")


def test_a_stream_is_iterated_over_once():
    stream = weft.stream([batch(1)], compute="relu", device="cpu")
    assert len(list(stream)) == 1
    with pytest.raises(weft.LaunchError, match=r"closed|once"):
        list(stream)
    by_hand = weft.stream([batch(1), batch(2)], compute="relu", device="cpu")
    assert next(by_hand)[0] == 1.0
    with pytest.raises(weft.LaunchError, match="once"):
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
        stream = weft.stream(
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
    stream = weft.stream([batch(n) for n in range(9)], compute=times, device=device)
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
        async for _ in weft.stream(endless(closed), compute=times, device=device):
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

    stream = weft.stream(source(), compute="relu", device="cpu")
    next(stream)
    with pytest.raises(LookupError, match="not now"):
        stream.close()
    assert own_threads() == []

    async def main():
        async with weft.stream(source(), compute="relu", device="cpu") as stream:
            await anext(stream)

    with pytest.raises(LookupError, match="not now"):
        asyncio.run(main())
    assert own_threads() == []


def test_cancelling_again_waits_for_what_runs_all_the_same():
    device, backend = ready_device()

    async def consume():
        async for _ in weft.stream(endless([]), compute=times, device=device):
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
        doubled = await weft.submit("scalar_mul", [buffer], scalar=2.0)
        return await weft.submit("scalar_add", [doubled], scalar=1.0)

    async def collect(result):
        await asyncio.sleep(0)
        return float(result[0])

    def make():
        return weft.stream(
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
        async with weft.stream(source(), compute="relu", device="cpu") as stream:
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
        async with weft.stream(source(), compute="relu", device="cpu") as stream:
            async for result in stream:
                return result[0]

    assert asyncio.run(main()) == 1.0
    assert own_threads() == []


def test_several_workers_keep_the_order():
    barrier = threading.Barrier(3, timeout=PATIENCE)

    def prepare(n):
        barrier.wait()  # passes only if three prepare at the same time
        return batch(n)

    results = weft.stream(
        range(9), prepare=prepare, compute="relu", workers=3, max_in_flight=6, device="cpu"
    )
    assert [r[0] for r in results] == [float(n) for n in range(9)]


# The end of it.


def test_the_report_adds_up():
    stream = weft.stream(
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
    stream = weft.stream(
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

    stream = weft.stream(camera(), compute=times, max_in_flight=1, latest=True, device=device)
    loop = Loop(stream)
    backend.expect(1)
    go.release()
    diary.expect("camera is done")
    complete(backend, 2)
    assert [r[0] for r in loop.end()] == [0.0, 18.0]  # the first and the newest
    assert stream.report.dropped == 8
    assert_nothing_left(device, backend)


class Clock:
    """Time that passes only when a test says so."""

    def __init__(self, monkeypatch) -> None:
        self.now = 1_000_000_000
        for module in ("engine", "handling", "source"):
            monkeypatch.setattr(f"weft.streaming.{module}.perf_counter_ns", lambda: self.now)

    def pass_ms(self, milliseconds: int) -> None:
        self.now += milliseconds * 1_000_000


def test_a_batch_past_its_deadline_is_an_error(monkeypatch):
    clock = Clock(monkeypatch)

    def prepare(n):
        clock.pass_ms(5 if n == 2 else 1)
        return batch(n)

    options = {"prepare": prepare, "compute": "relu", "device": "cpu", "deadline": 0.004}
    options["max_in_flight"] = 1
    stream = weft.stream(range(4), **options)
    assert [next(stream)[0], next(stream)[0]] == [0.0, 1.0]
    with pytest.raises(weft.BatchError, match=r"batch 2 .* past its deadline of 0\.004 s"):
        next(stream)
    stream.close()
    kept = weft.stream(range(4), on_error="skip", **options)
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

    stream = weft.stream(
        camera(), prepare=prepare, compute="relu", device="cpu", latest=True, deadline=0.004
    )
    assert [r[0] for r in stream] == [0.0, 2.0]
    assert (stream.report.batches, stream.report.dropped, stream.report.failed) == (2, 1, 0)


def test_the_depth_can_be_found_automatically():
    stream = weft.stream(
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

    stream = weft.stream([batch(1)], compute=compute, device=device)
    loop = Loop(stream)
    backend.expect(1)
    assert loop.is_alive()  # the error is known, but the batch has not landed
    assert device.in_flight == 1
    backend.complete()
    with pytest.raises(weft.BatchError, match="changed its mind"):
        loop.end()
    assert_nothing_left(device, backend)
