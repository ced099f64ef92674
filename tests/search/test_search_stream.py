"""Streams of queries, and the example that shows them."""

from __future__ import annotations

import asyncio
import runpy

import numpy as np
import pytest

import treadle
from pages import ROOT
from search import remembered
from treadle.search import Index, stream

RNG = np.random.default_rng(5)
VECTORS = RNG.normal(size=(120, 5)).astype(np.float32)
KEPT = dict(enumerate(VECTORS))
BATCHES = [VECTORS[n : n + 7] for n in range(0, 70, 7)]


@pytest.fixture
def index():
    made = Index(5, device="cpu")
    made.add(VECTORS, columns={"n": np.arange(120)})
    return made


def test_every_batch_comes_out_once_in_order_with_a_report(index):
    running = stream(index, BATCHES, 4)
    results = list(running)
    assert len(results) == 10
    for batch, result in zip(BATCHES, results, strict=True):
        assert result.ids.shape == result.distances.shape == (7, 4)
        for query, ids in zip(batch, result.ids, strict=True):
            assert ids.tolist() == remembered.nearest(query, KEPT, 4)[1].tolist()
    assert running.report.batches == 10
    assert "bound" in str(running.report)


def test_a_stream_is_awaited_filtered_prepared_and_collected(index):
    async def prepare(number):
        await asyncio.sleep(0)
        return VECTORS[number]

    async def main():
        running = stream(
            index, [3, 50, 90], 1, where="n < 60", prepare=prepare, collect=lambda r: r.ids.tolist()
        )
        return [ids async for ids in running]

    three, fifty, other = asyncio.run(main())
    assert (three, fifty) == ([3], [50])
    assert other == remembered.nearest(VECTORS[90], dict(list(KEPT.items())[:60]), 1)[1].tolist()
    plain = stream(index, [3, 50], 1, prepare=lambda n: VECTORS[n])
    assert [result.ids.tolist() for result in plain] == [[3], [50]]


def test_a_source_may_fill_one_array_again(index):
    room = np.empty((7, 5), np.float32)

    def source():
        for batch in BATCHES:
            room[:] = batch
            yield room

    found = [result.ids[:, 0].tolist() for result in stream(index, source(), 1)]
    assert found == [list(range(n, n + 7)) for n in range(0, 70, 7)]


def test_a_snapshot_stays_the_same_for_all_batches(index):
    def source(shown):
        for turn, batch in enumerate(BATCHES):
            yield batch
            if turn == 0:
                index.remove(index.ids[:100])
        shown.append(len(index))

    shown: list[int] = []
    results = list(stream(index.snapshot(), source(shown), 1))
    assert shown == [20]
    assert [result.ids.ravel().tolist() for result in results] == [
        list(range(n, n + 7)) for n in range(0, 70, 7)
    ]


def test_what_is_wrong_with_a_batch_is_told_with_its_number(index):
    with pytest.raises(treadle.SearchError, match="from 1 on"):
        stream(index, BATCHES, 0)
    running = stream(index, [BATCHES[0], np.zeros((2, 3)), BATCHES[1]], 2)
    assert next(running).ids.shape == (7, 2)
    with pytest.raises(treadle.BatchError, match="5 dimensions") as caught:
        next(running)
    assert (caught.value.index, caught.value.phase) == (1, "prepare")
    assert isinstance(caught.value.__cause__, treadle.SearchError)
    skipped = stream(index, [BATCHES[0], [[1.0]], BATCHES[1]], 2, on_error="skip")
    assert [len(result.ids) for result in skipped] == [7, 7]


def test_the_example_runs(capsys):
    with treadle.use_device("cpu"):
        example = runpy.run_path(str(ROOT / "examples" / "search.py"))
        asyncio.run(example["main"]())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "<treadle.search.Index 5,000 x 128 f32, cosine, on cpu>"
    assert lines[1].startswith("  0.")
    assert "66 searches in " in lines[5]
    assert lines[6] == "5000 documents before, 4997 now"
    assert lines[7] == "66 more queries, in 3 batches"
