"""A stream over workers that are threads here: what it shares with every stream, and what not."""

from __future__ import annotations

import asyncio
import pickle
import threading
from functools import partial

import numpy as np
import pytest

import treadle
from hands import ThreadCrew
from treadle.cluster import open_stream
from treadle.cluster.stream import stream_over
from treadle.cluster.worker import StreamHandler, Tally
from treadle.errors import BatchError, ClusterError, LaunchError


class Calling:
    """A handler that calls a function."""

    def __init__(self, function):
        self.function = function

    def handle(self, batch, wanted):
        return self.function(batch)

    def tally(self):
        return Tally()

    def close(self):
        pass


def over(batches, function, *, count=2, depth=2, **options):
    """A stream whose workers call a function of this process, without pickling it."""
    crew = ThreadCrew(count)
    made = stream_over(batches, partial(Calling, Here(function)), crew, pickle.dumps,
                       depth=depth, **options)  # fmt: skip
    made.crew = crew
    return made


FUNCTIONS = {}


class Here:
    """A function of this process, pickled by name."""

    def __init__(self, function):
        self.name = str(id(function))
        FUNCTIONS[self.name] = function

    def __call__(self, batch):
        return FUNCTIONS[self.name](batch)


def frames(count):
    return [np.full((2, 2), n, np.float32) for n in range(count)]


def plus_one(frame):
    return frame + 1


def summed(result):
    return float(result.sum())


def refuse_two(frame):
    if frame[0, 0] == 2:
        raise ValueError("not this one")
    return frame


def streamed(batches, **options):
    """A stream whose workers run ordinary ones."""
    inner = {"compute": "relu", "collect": summed, "device": "cpu"}
    inner |= {name: options.pop(name) for name in ("prepare", "collect") if name in options}
    return stream_over(
        batches, partial(StreamHandler, inner), ThreadCrew(), pickle.dumps, **options
    )


def test_results_come_in_order_each_once():
    run = streamed(frames(20), prepare=plus_one)
    assert list(run) == [4.0 * (n + 1) for n in range(20)]
    report = run.report
    assert report.batches == 20
    assert report.bytes_in > 20 * 16
    assert sum(worker.batches for worker in run.workers) == 20


def test_results_come_as_they_end():
    late = threading.Event()

    def function(n):
        if n == 0:
            assert late.wait(30)
        return n

    came = []
    with over(range(6), function, ordered=False, straggler=None) as run:
        for result in run:
            came.append(result)
            if len(came) == 5:
                late.set()
    assert came[-1] == 0
    assert sorted(came) == list(range(6))


def test_a_slow_consumer_stops_the_feeding():
    taken = []

    def source():
        for n in range(50):
            taken.append(n)
            yield n

    most = 0
    for result in over(source(), lambda n: n, max_in_flight=3):
        most = max(most, len(taken) - result)
    assert len(taken) == 50
    assert most <= 4  # three, and the one that the consumer has


def test_bytes_under_way_are_bounded():
    under_way, most, lock = 0, 0, threading.Lock()

    def source():
        nonlocal under_way, most
        for _ in range(12):
            with lock:
                under_way += 1
                most = max(most, under_way)
            yield np.zeros(1000, np.uint8)

    for _ in over(source(), lambda frame: 1, max_in_flight=8, max_bytes=3500):
        with lock:
            under_way -= 1
    assert most <= 5  # three, one that has been packed and waits for room, one at the consumer


def test_without_a_bound_each_worker_has_enough():
    run = over(range(40), lambda n: n, count=3, depth=2)
    assert list(run) == list(range(40))
    assert run.report.depth == 9


def test_async_iteration():
    async def collect():
        return [result async for result in streamed(frames(6))]

    assert asyncio.run(collect()) == [4.0 * n for n in range(6)]


def test_an_async_source():
    async def source():
        for frame in frames(5):
            yield frame

    assert list(streamed(source())) == [4.0 * n for n in range(5)]


def test_an_error_has_the_index_the_phase_and_the_cause():
    run = streamed(frames(5), prepare=refuse_two, attempts=1)
    came = []
    with pytest.raises(BatchError, match=r"batch 2 failed in prepare: ValueError: not") as failed:
        came.extend(run)
    assert (failed.value.index, failed.value.phase) == (2, "prepare")
    assert isinstance(failed.value.__cause__, ValueError)
    assert "refuse_two" in failed.value.__cause__.__notes__[0]  # where on the worker
    assert came == [0.0, 4.0]


@pytest.mark.parametrize("on_error, there", [("skip", []), (lambda error: error.index, [2])])
def test_errors_can_be_skipped_or_replaced(on_error, there):
    run = streamed(frames(5), prepare=refuse_two, on_error=on_error)
    assert list(run) == [0.0, 4.0, *there, 12.0, 16.0]
    assert run.report.failed == 1


def test_a_batch_that_cannot_be_sent_costs_itself_only():
    batches = [1, threading.Lock(), 3]
    with pytest.raises(BatchError, match=r"batch 1 failed in send: .*batch 1 cannot be sent"):
        list(over(batches, lambda n: n))
    assert list(over(batches, lambda n: n, on_error="skip")) == [1, 3]


def test_a_result_that_cannot_be_sent_is_named():
    with pytest.raises(BatchError, match=r"batch 0 failed in return: .*the result cannot be sent"):
        list(over([1], lambda n: threading.Lock()))


class OnlyThere(Exception):
    def __init__(self, code, what):
        super().__init__(f"{code}: {what}")


def test_an_error_that_cannot_be_sent_says_what_it_was():
    def function(n):
        raise OnlyThere(7, "broken")

    with pytest.raises(BatchError, match=r"OnlyThere: 7: broken"):
        list(over([1], function))


def test_sys_exit_in_a_function_is_that_batchs_error():
    def function(n):
        raise SystemExit(3)

    with pytest.raises(BatchError, match="SystemExit: 3"):
        list(over([1], function))


def leave_at_two(frame):
    if frame[0, 0] == 2:
        raise SystemExit(3)
    return frame


def test_sys_exit_in_a_workers_stream_costs_one_batch():
    run = streamed(frames(8), prepare=leave_at_two, on_error=lambda error: error)
    came = list(run)
    assert "SystemExit: 3" in str(came.pop(2))
    assert came == [4.0 * n for n in range(8) if n != 2]


def test_a_worker_that_dies_costs_nothing():
    run = over(range(30), lambda n: n)
    came = []
    for result in run:
        came.append(result)
        if result in (5, 15, 25):
            run.crew.kill(next(w.name for w in run.workers if w.state in ("idle", "working")))
    assert came == list(range(30))
    assert run.restarts == 3


def test_leaving_the_loop_ends_everything():
    before = threading.active_count()
    closed = []

    def source():
        try:
            yield from range(100)
        finally:
            closed.append(True)

    for result in over(source(), lambda n: n):
        if result == 3:
            break
    assert closed == [True]
    assert threading.active_count() == before


def test_nothing_starts_without_batches():
    run = over([], lambda n: n)
    assert list(run) == []
    assert run.workers == ()


def test_a_problem_of_all_is_raised_as_it_is():
    class Nowhere(ThreadCrew):
        def open(self, post):
            raise ClusterError("no cluster answers")

    run = stream_over(range(3), dict, Nowhere(), pickle.dumps, on_error="skip")
    with pytest.raises(ClusterError, match="no cluster answers"):
        list(run)


def test_a_handler_that_cannot_be_made_is_raised_as_it_is():
    with pytest.raises(LaunchError, match="rellu"):
        list(stream_over(range(3), partial(StreamHandler, {"compute": "rellu"}), ThreadCrew(),
                         pickle.dumps))  # fmt: skip


def test_results_are_the_callers_own_unless_asked_otherwise():
    (own,) = over([np.zeros(3)], lambda frame: frame + 1)
    own += 1  # writable
    (looked,) = over([np.zeros(3)], lambda frame: frame + 1, copy=False)
    np.testing.assert_array_equal(looked, 1.0)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"on_error": "ignore"}, "on_error: expected"),
        ({"max_in_flight": 0}, "max_in_flight: expected"),
        ({"max_bytes": -1}, "max_bytes: expected"),
        ({"attempts": 0}, "attempts: expected an integer of 1 or more, got 0"),
        ({"straggler": 0.5}, "straggler: expected a number above 1, or None, got 0.5"),
        ({"depth": 0}, "depth: expected"),
    ],
)
def test_options_that_make_no_sense(options, said):
    with pytest.raises(LaunchError, match=said):
        over([1], lambda n: n, **options)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"workers": 0}, "workers: expected"),
        ({"cores": 0}, "cores: expected"),
        ({"gpus": -1}, "gpus: expected"),
    ],
)
def test_workers_that_make_no_sense(options, said):
    with pytest.raises(LaunchError, match=said):
        open_stream([1], dict, **options)


def test_the_same_as_an_ordinary_stream():
    here = treadle.stream(frames(9), prepare=plus_one, compute="relu", device="cpu")
    there = streamed(frames(9), prepare=plus_one, collect=None)
    for one, other in zip(here, there, strict=True):
        np.testing.assert_array_equal(one, other)
