"""Searches that are awaited: one scan for those that come together, and each gets its own."""

from __future__ import annotations

import asyncio
import threading

import numpy as np
import pytest

import treadle
from search import remembered
from treadle.search import Index
from treadle.search.state import Question

RNG = np.random.default_rng(3)
VECTORS = RNG.normal(size=(200, 6)).astype(np.float32)
KEPT = dict(enumerate(VECTORS))


@pytest.fixture
def index():
    with Index(6, device="cpu") as made:
        made.add(VECTORS, columns={"n": np.arange(200)})
        yield made


@pytest.fixture
def scans(monkeypatch):
    """The sizes of the scans: how many queries, and for how many rows."""
    found, real = [], Question.answer

    def answer(question):
        found.append((len(question.queries), question.k))
        return real(question)

    monkeypatch.setattr(Question, "answer", answer)
    return found


def test_searches_that_come_together_share_a_scan_and_get_their_own(index, scans):
    async def main():
        many = [index.search_async(VECTORS[n], 8 + n % 8) for n in range(60)]
        many.append(index.search_async(VECTORS[60:63], 9))
        return await asyncio.gather(*many)

    results = asyncio.run(main())
    assert len(scans) <= 3
    assert sum(queries for queries, _ in scans) == 63
    for n, result in enumerate(results[:60]):
        assert result.ids.tolist() == remembered.nearest(VECTORS[n], KEPT, 8 + n % 8)[1].tolist()
        assert result.distances.shape == result.ids.shape == (8 + n % 8,)
        assert result.ids.base is None  # it keeps no other caller's in memory
    assert results[60].ids.shape == (3, 9)
    assert results[60].ids[:, 0].tolist() == [60, 61, 62]
    assert index.report.items == 61


def test_filters_and_numbers_that_differ_do_not_share(index, scans):
    mask = index.ids < 5

    async def main():
        return await asyncio.gather(
            index.search_async(VECTORS[0], 2),
            index.search_async(VECTORS[0], 150),
            index.search_async(VECTORS[0], 2, where="n >= 100"),
            index.search_async(VECTORS[1], 2, where="n >= 100"),
            index.search_async(VECTORS[0], 9, where=mask),
            index.search_async(VECTORS[0], 9, where={7, 8, 900}),
            index.search_async(VECTORS[0], 9, where="n > 1000"),
            index.search_async(VECTORS[:0], 9),
        )

    results = asyncio.run(main())
    assert [len(result.ids) for result in results] == [2, 150, 2, 2, 5, 2, 0, 0]
    assert results[2].ids.min() >= 100
    assert set(results[4].ids.tolist()) == {0, 1, 2, 3, 4}
    assert set(results[5].ids.tolist()) == {7, 8}
    assert sorted(scans) == [(0, 9), (1, 0), (1, 2), (1, 2), (1, 5), (1, 150), (2, 2)]


def test_a_search_sees_what_was_added_before_it(index):
    async def main():
        index.add([VECTORS[0] + 100], ids=[1000])
        one = asyncio.ensure_future(index.search_async(VECTORS[0] + 100, 1))
        two = await index.search_async(VECTORS[5], 1)
        return (await one).ids.tolist() + two.ids.tolist()

    assert asyncio.run(main()) == [1000, 5]


def test_a_caller_may_fill_its_array_again(index):
    async def main():
        query = VECTORS[3].copy()
        search = asyncio.ensure_future(index.search_async(query, 1))
        await asyncio.sleep(0)
        query[:] = VECTORS[4]
        return (await search).ids.tolist()

    assert asyncio.run(main()) == [3]


def test_cancelling_one_does_not_hurt_the_others(index):
    async def main():
        tasks = [asyncio.ensure_future(index.search_async(v, 1)) for v in VECTORS[:20]]
        await asyncio.sleep(0)
        for task in tasks[::3]:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    for n, result in enumerate(asyncio.run(main())):
        if n % 3:
            assert result.ids.tolist() == [n]
        else:
            assert isinstance(result, asyncio.CancelledError)


@pytest.mark.parametrize(
    "arguments, reason",
    [
        ((np.zeros(5), 1), "6 dimensions"),
        ((np.full(6, np.nan), 1), "finite"),
        ((VECTORS[0], 0), "from 1 on"),
        ((VECTORS[0], 1, "n <"), "the text ends"),
        ((VECTORS[0], 1, "m < 3"), "no column 'm'"),
        ((VECTORS[0], 1, np.ones(3, bool)), "each of the 200 rows"),
        ((VECTORS[0], 1, 3.5), "got float"),
    ],
)
def test_bad_input_is_the_error_of_its_caller_alone(index, arguments, reason):
    async def main():
        return await asyncio.gather(
            index.search_async(VECTORS[0], 1),
            index.search_async(*arguments),
            index.search_async(VECTORS[1], 1),
            return_exceptions=True,
        )

    first, error, last = asyncio.run(main())
    assert isinstance(error, treadle.SearchError)
    assert reason in str(error)
    assert [first.ids.tolist(), last.ids.tolist()] == [[0], [1]]


def test_an_empty_index_and_a_closed_one_refuse():
    async def main():
        async with Index(6, device="cpu") as index:
            with pytest.raises(treadle.SearchError, match="empty"):
                await index.search_async(VECTORS[0], 1)
        with pytest.raises(treadle.SearchError, match="closed"):
            await index.search_async(VECTORS[0], 1)

    asyncio.run(main())


def test_closing_answers_those_who_wait():
    async def main():
        index = Index(6, device="cpu")
        index.add(VECTORS)
        tasks = [asyncio.ensure_future(index.search_async(v, 1)) for v in VECTORS[:9]]
        await asyncio.sleep(0)
        await index.aclose()
        return [(await task).ids[0] for task in tasks]

    assert asyncio.run(main()) == list(range(9))


def test_several_loops_search_while_rows_are_added(index):
    wrong = []

    async def look(first):
        for turn in range(10):
            found = await asyncio.gather(
                *(index.search_async(VECTORS[n], 3) for n in range(first, first + 10))
            )
            if [each.ids[0] for each in found] != list(range(first, first + 10)):
                wrong.append(turn)

    loops = [threading.Thread(target=lambda n=n: asyncio.run(look(n))) for n in (0, 50, 100)]
    for loop in loops:
        loop.start()
    for _ in range(30):
        index.add(RNG.normal(size=(20, 6)) + 50)
    for loop in loops:
        loop.join()
    assert not wrong


def test_awaited_searches_do_not_keep_an_index():
    import gc
    import weakref

    index = Index(6, device="cpu")
    index.add(VECTORS)
    asyncio.run(index.search_async(VECTORS[0], 1))
    here = weakref.ref(index._current)
    del index
    gc.collect()
    assert here() is None


def test_tasks_that_were_answered_together_share_the_next_scan(scans):
    """More tasks than an event loop wakes in one round: they stay one wave."""

    async def caller(index, n):
        for _ in range(3):
            assert (await index.search_async(VECTORS[n], 1)).ids.tolist() == [n]

    async def main(index):
        await asyncio.gather(*[caller(index, n) for n in range(60)])

    with Index(6, device="cpu", max_delay=10) as index:
        index.add(VECTORS)
        asyncio.run(main(index))
    assert scans == [(60, 1)] * 3
