"""Batched functions: what the function gets, and what its callers get."""

from __future__ import annotations

import asyncio
import threading
from collections import namedtuple

import numpy as np
import pytest

import treadle
from treadle.batching import Batched, BatchReport
from treadle.errors import CommandError, CommandTimeout, LaunchError, QueueFull

LIMIT = 30.0  # seconds for anything


def gathered(*calls):
    """Await calls that come at the same time; errors come as results."""

    async def main():
        return await asyncio.gather(*[call() for call in calls], return_exceptions=True)

    return asyncio.run(main())


def each(function, *items, **options):
    """Call a batched function once for every item, all at the same time."""
    return gathered(*[lambda item=item: function(item, **options) for item in items])


def noting(function, **options):
    """A batched function, and the list of what it was called with."""
    seen = []

    def noted(*batches, **named):
        seen.append((*batches, named) if named else batches)
        return function(*batches, **named)

    return treadle.batched(noted, **options), seen


def test_items_become_a_batch_and_results_items():
    double, seen = noting(lambda batch: batch * 2)
    with double:
        results = each(double, *[np.full((2, 3), n, np.float32) for n in range(5)])
    ((batch,),) = seen
    assert batch.shape == (5, 2, 3)
    assert batch.dtype == np.float32
    for n, result in enumerate(results):
        np.testing.assert_array_equal(result, np.full((2, 3), 2 * n, np.float32))


def test_no_batch_is_larger_than_max_size():
    double, seen = noting(lambda batch: batch * 2, max_size=4)
    with double:
        assert each(double, *range(10)) == [2 * n for n in range(10)]
    assert [len(batch) for (batch,) in seen] == [4, 4, 2]


@pytest.mark.parametrize(
    "items, dtype",
    [((1, 2, 3), np.int64), ((1.5, 2.0), np.float64), ((True, False), np.bool_)],
)
def test_numbers_are_stacked_as_numpy_reads_them(items, dtype):
    same, seen = noting(lambda batch: batch)
    with same:
        assert each(same, *items) == list(items)
    assert seen[0][0].dtype == dtype


def test_tuples_dicts_and_several_arguments_keep_their_structure():
    def add(pair, *, scale=1):
        return pair[0] + pair[1]["y"]

    def both(a, b):
        return {"sum": a + b, "parts": (a, b)}

    item = (np.ones(3), {"y": 2.0})
    with treadle.batched(add) as added, treadle.batched(both) as parts:
        for result in each(added, item, item):
            np.testing.assert_array_equal(result, [3.0, 3.0, 3.0])
        found = gathered(*[lambda n=n: parts(n, n * 10) for n in range(3)])
    assert found == [{"sum": 11 * n, "parts": (n, n * 10)} for n in range(3)]


def test_items_of_another_shape_or_dtype_go_into_another_batch():
    double, seen = noting(lambda batch: batch * 2)
    items = [np.ones(2), np.ones(3), np.ones(2, np.float32), np.ones(2), 1.0]
    with double:
        for item, result in zip(items, each(double, *items), strict=True):
            np.testing.assert_array_equal(result, item * 2)
            assert result.dtype == np.asarray(item).dtype
    assert sorted((batch.shape, str(batch.dtype)) for (batch,) in seen) == [
        ((1,), "float64"),
        ((1, 2), "float32"),
        ((1, 3), "float64"),
        ((2, 2), "float64"),
    ]


@pytest.mark.parametrize("answer", [list, tuple, np.array])
def test_without_stacking_a_function_gets_a_list_of_any_objects(answer):
    upper, seen = noting(lambda names: answer([name.upper() for name in names]), stack=False)
    with upper:
        assert each(upper, "a", "bc", "d") == ["A", "BC", "D"]
    assert seen == [(["a", "bc", "d"],)]


def test_rows_are_put_behind_each_other_and_split_again():
    sums, seen = noting(lambda rows: (rows * 2, rows.sum(1)), rows=True, max_size=6)
    items = [np.arange(3.0 * n).reshape(n, 3) for n in (2, 0, 1, 3, 9)]
    with sums:
        for item, (double, total) in zip(items, each(sums, *items), strict=True):
            np.testing.assert_array_equal(double, item * 2)
            np.testing.assert_array_equal(total, item.sum(1))
    assert [len(rows) for (rows,) in seen] == [6, 9]  # one that is larger than a batch goes alone


def test_a_key_keeps_items_apart_and_the_function_gets_it():
    largest, seen = noting(lambda rows, key: np.sort(rows)[:, ::-1][:, :key], rows=True)
    item = np.array([[1, 3, 2]])
    with largest:
        found = gathered(*[lambda k=k: largest(item, key=k) for k in (1, 2, 1)])
    assert [each.tolist() for each in found] == [[[3]], [[3, 2]], [[3]]]
    assert sorted((len(rows), named["key"]) for rows, named in seen) == [(1, 2), (2, 1)]


def test_results_may_be_named_tuples_lists_and_nothing():
    Pair = namedtuple("Pair", "low high")
    with (
        treadle.batched(lambda b: Pair(b - 1, b + 1)) as pair,
        treadle.batched(lambda b: [str(n) for n in b]) as text,
        treadle.batched(lambda b: None) as nothing,
    ):
        assert each(pair, 1, 5) == [Pair(0, 2), Pair(4, 6)]
        assert each(text, 1, 5) == ["1", "5"]
        assert each(nothing, 1, 5) == [None, None]


def test_a_function_may_return_commands_and_buffers():
    with treadle.use_device("cpu"):
        device = treadle.device()

    def negated(batch):
        return device.submit("neg", [device.from_numpy(batch)])

    def parts(batch):
        return {"neg": negated(batch), "same": device.buffer(batch)}

    with treadle.batched(negated) as neg, treadle.batched(parts) as both:
        for n, found in enumerate(each(neg, *np.arange(3, dtype=np.float32)[:, None])):
            np.testing.assert_array_equal(found, [-n])
        ((found),) = each(both, np.float32(4))
    assert found == {"neg": -4, "same": 4}


def test_a_coroutine_function_runs_on_its_callers_loop():
    loops = []

    @treadle.batched
    async def negated(batch):
        loops.append(asyncio.get_running_loop())
        return treadle.device("cpu").submit("neg", [treadle.device("cpu").buffer(batch)])

    async def main():
        found = await asyncio.gather(*[negated(np.float32(n)) for n in range(3)])
        assert loops == [asyncio.get_running_loop()]
        return found

    assert asyncio.run(main()) == [0, -1, -2]
    assert negated.run(np.float32(5)) == -5  # on a loop of its own
    assert loops[1] is not loops[0]
    negated.close()


def test_arrays_are_used_again_unless_the_function_keeps_them():
    addresses, kept = [], []

    def noted(batch):
        addresses.append(batch.__array_interface__["data"][0])
        return batch.sum(1)

    def keeping(batch):
        kept.append(batch)
        return batch  # its very memory

    with treadle.batched(noted) as sums, treadle.batched(keeping) as same:
        for _ in range(3):
            each(sums, np.ones(1000), np.ones(1000))
        results = [each(same, np.full(3, n), np.full(3, -n)) for n in range(4)]
    assert len(set(addresses)) == 1
    for n, (first, second) in enumerate(results):
        np.testing.assert_array_equal(first, np.full(3, n))
        np.testing.assert_array_equal(second, np.full(3, -n))
        np.testing.assert_array_equal(kept[n], [[n] * 3, [-n] * 3])


def test_one_bad_item_fails_alone_with_its_own_error():
    def roots(batch):
        if (batch < 0).any():
            raise ValueError(f"{batch.min()} has no root")
        return np.sqrt(batch)

    with treadle.batched(roots) as root:
        found = each(root, *[1.0, 4.0, -9.0, 16.0, 25.0])
        assert [type(each) is ValueError for each in found] == [False, False, True, False, False]
        assert [float(value) for k, value in enumerate(found) if k != 2] == [1, 2, 4, 5]
        assert str(found[2]) == "-9.0 has no root"
        assert found[2].__traceback__.tb_next is not None  # leads to the function
        assert root.report.failed == 1


def test_without_retry_a_function_runs_once():
    calls = []

    @treadle.batched(retry=False)
    def broken(batch):
        calls.append(len(batch))
        raise ValueError("no")

    with broken:
        found = each(broken, 1, 2, 3)
    assert calls == [3]
    assert len({id(error) for error in found}) == 3


@pytest.mark.parametrize(
    "give, said",
    [
        (lambda batch: batch[:-1], "got 2 of them"),
        (lambda batch: (batch, batch.sum()), "float64"),
        (lambda batch: "abc", "got str"),
        (lambda batch: 7, "got int"),
    ],
)
def test_another_number_of_results_is_one_clear_error(give, said):
    calls = []

    def wrong(batch):
        calls.append(1)
        return give(batch)

    with treadle.batched(wrong) as broken:
        found = each(broken, 1.0, 2.0, 3.0)
    assert all(isinstance(error, LaunchError) and said in str(error) for error in found)
    assert len(calls) == 1  # it is no item's fault


def test_a_plain_function_that_gives_a_coroutine_is_told():
    async def inner(batch):
        return batch

    with treadle.batched(lambda batch: inner(batch)) as wrong:
        (error,) = each(wrong, 1)
    assert isinstance(error, LaunchError)
    assert "async def" in str(error)


class Held:
    """A batched function that a test lets go on."""

    def __init__(self, **options):
        self.go = threading.Event()
        self.begun = threading.Event()
        self.calls = []
        self.batched = treadle.batched(self._double, **options)

    def _double(self, batch):
        self.calls.append(len(batch))
        self.begun.set()
        assert self.go.wait(60)
        return batch * 2

    async def first(self):
        """Have a batch of one under way."""
        task = asyncio.create_task(self.batched(0))
        while not self.begun.is_set():
            await asyncio.sleep(0)
        return task


def test_too_many_that_wait_are_refused_and_the_others_served():
    held = Held(max_waiting=2)

    async def main():
        first = await held.first()
        tasks = [asyncio.create_task(held.batched(n)) for n in (1, 2, 3)]
        while not tasks[2].done():
            await asyncio.sleep(0)
        assert held.batched.waiting == 2
        held.go.set()
        return await asyncio.gather(first, *tasks, return_exceptions=True)

    *good, refused = asyncio.run(main())
    assert good == [0, 2, 4]
    assert isinstance(refused, QueueFull)
    assert "max_waiting" in str(refused)
    assert held.batched.report.refused == 1
    held.batched.close()


def test_a_timeout_ends_one_callers_wait_only():
    held = Held()

    async def main():
        first = await held.first()
        late = asyncio.create_task(held.batched(1, timeout=1e-6))
        under_way = asyncio.create_task(asyncio.wait_for(asyncio.shield(first), 1e-6))
        with pytest.raises(CommandTimeout, match="no result after"):
            await late
        with pytest.raises(TimeoutError):
            await under_way
        good = asyncio.create_task(held.batched(2, timeout=60))
        await asyncio.sleep(0)
        held.go.set()
        return await asyncio.gather(first, good)

    assert asyncio.run(main()) == [0, 4]
    assert held.calls == [1, 1]
    assert held.batched.report.left == 1
    held.batched.close()


def test_a_timeout_of_a_thread_leaves_the_batch_under_way():
    held = Held(timeout=1e-6)
    with pytest.raises(CommandTimeout):
        held.batched.run(1)
    held.go.set()
    held.batched.close()


def test_cancelling_a_caller_hurts_no_other():
    held = Held()

    async def main():
        first = await held.first()
        tasks = [asyncio.create_task(held.batched(n)) for n in range(1, 5)]
        await asyncio.sleep(0)
        tasks[1].cancel()
        first.cancel()
        await asyncio.sleep(0)
        held.go.set()
        return await asyncio.gather(first, *tasks, return_exceptions=True)

    found = asyncio.run(main())
    assert [found[k] for k in (1, 3, 4)] == [2, 6, 8]
    assert all(isinstance(found[k], asyncio.CancelledError) for k in (0, 2))
    assert held.calls == [1, 3]
    held.batched.close()


def test_who_comes_after_callers_that_left_does_not_wait_for_them_as_long_as_it_may():
    """They are expected again as long as a batch takes, and not for max_delay."""
    begun, let = threading.Event(), threading.Event()

    def held(batch):
        begun.set()
        assert let.wait(LIMIT)
        return batch

    function = treadle.batched(held, max_size=8, max_delay=1e6)

    async def main():
        left = [asyncio.ensure_future(function(number)) for number in range(3)]
        while not begun.is_set():
            await asyncio.sleep(0)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        late = asyncio.ensure_future(function(7))
        await asyncio.sleep(0)
        await asyncio.sleep(0)  # the loop has looked, and will look again
        let.set()
        return await asyncio.wait_for(late, LIMIT)

    assert asyncio.run(main()) == 7
    function.close()


def test_cancelling_the_only_caller_cancels_a_coroutine():
    ends = []

    @treadle.batched
    async def endless(batch):
        try:
            await asyncio.Event().wait()
        finally:
            ends.append(len(batch))

    async def main():
        task = asyncio.create_task(endless(1))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for _ in range(5):
            await asyncio.sleep(0)
        return list(ends)

    assert asyncio.run(main()) == [1]


def test_a_function_that_is_cancelled_is_no_cancelled_caller():
    def cancelled(batch):
        raise asyncio.CancelledError

    with treadle.batched(cancelled) as broken:
        (error,) = each(broken, 1)
    assert isinstance(error, treadle.CommandCancelled)


def test_waiting_for_itself_is_refused():
    @treadle.batched
    def inner(batch):
        return [inner.run(n) for n in batch]

    with inner, pytest.raises(CommandError, match="cannot wait here"):
        inner.run(1)

    async def main():
        with pytest.raises(CommandError, match="await"):
            inner.run(1)

    asyncio.run(main())


def test_methods_are_batched_for_each_object():
    class Scaled:
        def __init__(self, factor):
            self.factor = factor

        @treadle.batched(max_size=4)
        def scaled(self, batch):
            return batch * self.factor

    one, other = Scaled(2), Scaled(3)
    assert gathered(lambda: one.scaled(5), lambda: other.scaled(5)) == [10, 15]
    assert one.scaled is one.scaled
    assert one.scaled.report.items == 1
    one.scaled.close()
    other.scaled.close()


def test_a_kernel_as_a_classs_attribute_is_no_method():
    class Service:
        negated = treadle.batched("neg", device="reference")

    assert Service().negated is Service.negated
    assert Service().negated.run(np.float32(2)) == -2
    Service.negated.close()


def test_it_says_what_it_is():
    @treadle.batched
    def doubled(batch):
        """Double it."""
        return batch * 2

    assert isinstance(doubled, Batched)
    assert (doubled.__name__, doubled.__doc__) == ("doubled", "Double it.")
    assert repr(doubled) == "<treadle.Batched doubled 0 waiting>"
    doubled.close()
    assert repr(doubled) == "<treadle.Batched doubled closed>"
    with pytest.raises(TypeError, match="pickled"):
        doubled.__reduce__()


def test_the_report_tells_sizes_delays_and_a_verdict():
    with treadle.batched(lambda batch: batch, max_size=4) as same:
        assert same.report.verdict == "empty"
        each(same, *range(8))
        report = same.report
        assert isinstance(report, BatchReport)
        assert (report.items, report.batches, report.sizes) == (8, 2, {4: 2})
        assert report.verdict == "full"
        assert "size      4.0 of 4 on average" in str(report)
        assert report.to_dict()["verdict"] == "full"
        assert '"batches": 2' in report.to_json()
        assert "<table>" in report._repr_html_()
        for n in range(30):
            each(same, n)
        assert same.report.verdict == "alone"
