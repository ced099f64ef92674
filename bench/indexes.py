"""What an index costs beside its scan: adding rows, filters, and searches that tasks await.

In: an effort. Out: rows. 200 tasks await one search after the other; beside them the same number of
queries is searched by plain calls of 200 each, once with nothing else going on and once while a
thread adds 10,000 rows a second. Rows are added beside faiss, where it is installed. The same rows
in 16 files are searched as one index, beside one index and beside each file alone.
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from time import perf_counter, sleep
from typing import Any

import numpy as np

from bench import peers
from bench.table import Bar, Figure, Row
from bench.timing import Effort, medians, quantile
from treadle.search import Index, Sharded

__all__ = ["LINES"]

ROWS, DIM, NEAREST = 200_000, 128, 10
CALLERS, EACH = 200, 5
FILES = 16
RATE, AT_ONCE = 10_000, 100  # rows a second, and of one add
Array = np.ndarray[Any, Any]


def indexes(effort: Effort) -> list[Row]:
    """Everything about an index but the scan itself."""
    dice = np.random.default_rng(0)
    vectors = dice.standard_normal((ROWS, DIM), np.float32)
    queries = dice.standard_normal((CALLERS * EACH, DIM), np.float32)
    index = Index(DIM)
    index.add(
        vectors,
        columns={"price": dice.integers(0, 100, ROWS), "lang": [*("en", "de") * (ROWS // 2)]},
    )
    repeats = max(effort.repeats // 6, 2)
    return [
        *_awaited(index, queries, repeats),
        *_filtered(index, queries, repeats),
        *_added(vectors, repeats),
        *_sharded(index, queries, repeats),
    ]


def _awaited(index: Index, queries: Array, repeats: int) -> list[Row]:
    rows = []
    asyncio.run(_callers(index, queries, []))  # what is compiled first is nobody's latency
    for name, meanwhile in (("", nullcontext), (f", {RATE:,} rows a second added", _adding)):
        late: list[float] = []
        single: list[float] = []
        with meanwhile(index):
            found = medians(
                {
                    "awaited": lambda late=late: asyncio.run(_callers(index, queries, late)),
                    "batches": lambda single=single: _batches(index, queries, single),
                },
                repeats,
                warmup=0,
            )
        speed = {kind: len(queries) / seconds for kind, seconds in found.items()}
        rows += [
            Row(
                f"{CALLERS} tasks that search{name}",
                Figure(speed["awaited"], "/s"),
                (("batches", Figure(speed["batches"], "/s")),),
                ratio=speed["awaited"] / speed["batches"],
                bar=Bar(0.9, least=True, ratio=True),
            ),
            Row(
                f"  p99 of one search{name}",
                Figure(quantile(late, 0.99) * 1e3, "ms"),
                (("a batch, median", Figure(quantile(single, 0.5) * 1e3, "ms")),),
                ratio=quantile(single, 0.5) / quantile(late, 0.99),
                bar=Bar(0.2, least=True, ratio=True),
            ),
        ]
    return rows


async def _callers(index: Index, queries: Array, late: list[float]) -> None:
    async def caller(mine: Array) -> None:
        for query in mine:
            began = perf_counter()
            await index.search_async(query, NEAREST)
            late.append(perf_counter() - began)

    await asyncio.gather(*(caller(queries[n::CALLERS]) for n in range(CALLERS)))


def _batches(index: Index, queries: Array, single: list[float]) -> None:
    for first in range(0, len(queries), CALLERS):
        began = perf_counter()
        index.search(queries[first : first + CALLERS], NEAREST)
        single.append(perf_counter() - began)


@contextmanager
def _adding(index: Index) -> Iterator[None]:
    """Have a thread add rows meanwhile, and remove them in the end."""
    done = threading.Event()
    rows = np.random.default_rng(1).standard_normal((AT_ONCE, DIM), np.float32)
    before = index.ids[-1]

    def add() -> None:
        began, added = perf_counter(), 0
        while not done.is_set():
            index.add(rows)
            added += AT_ONCE
            sleep(max(added / RATE - (perf_counter() - began), 0))

    thread = threading.Thread(target=add)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        index.remove(index.ids[index.ids > before])
        index.compact()


def _filtered(index: Index, queries: Array, repeats: int) -> list[Row]:
    half = np.arange(ROWS) % 2 == 0
    query = queries[0]
    found = medians(
        {
            "predicate": lambda: index.search(query, NEAREST, where="price < 20 and lang == 'en'"),
            "mask": lambda: index.search(query, NEAREST, where=half),
            "all rows": lambda: index.search(query, NEAREST),
        },
        repeats * 4,
    )
    figures = {name: Figure(seconds * 1e3, "ms") for name, seconds in found.items()}
    return [
        Row(
            f"search where price < 20 and lang == 'en', {ROWS:,} rows",
            figures["predicate"],
            (("all rows", figures["all rows"]), ("a mask", figures["mask"])),
            ratio=found["all rows"] / found["predicate"],
        )
    ]


def _added(vectors: Array, repeats: int) -> list[Row]:
    faiss = peers.faiss()

    def treadle_adds() -> None:
        Index(DIM).add(vectors)

    contestants = {"treadle": treadle_adds}
    if faiss is not None:
        contestants["faiss"] = lambda: faiss.IndexFlatL2(DIM).add(vectors)
    found = medians(contestants, max(repeats // 2, 2), warmup=1)
    speed = {name: ROWS / seconds / 1e6 for name, seconds in found.items()}
    shown = tuple((name, Figure(each, "M/s")) for name, each in speed.items() if name != "treadle")
    index = Index(DIM)
    index.add(vectors)
    one = medians({"one": lambda: index.add(vectors[:1])}, repeats, inner=20)["one"]
    return [
        Row(
            f"add {ROWS:,} x {DIM}",
            Figure(speed["treadle"], "M/s"),
            shown,
            ratio=speed["treadle"] / speed["faiss"] if shown else None,
        ),
        Row("add one row", Figure(one * 1e6, "us")),
    ]


def _sharded(index: Index, queries: Array, repeats: int) -> list[Row]:
    """The same rows in several files, as one index; and one file after the other, none of which
    knows what those before it found."""
    ids = index.ids
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/{n}.index" for n in range(FILES)]
        for path, own in zip(paths, np.array_split(ids, FILES), strict=True):
            with Index(DIM) as one:
                one.add(index.get(own), own)
                one.save(path)
        rows = []
        with ExitStack() as opened:
            shards = opened.enter_context(Sharded(paths))
            apart = [opened.enter_context(Index.open(path)) for path in paths]
            for count in (1, 64, 512):
                asked = queries[:count]
                assert (shards.search(asked, NEAREST).ids == index.search(asked, NEAREST).ids).all()
                found = medians(
                    {
                        "shards": lambda asked=asked: shards.search(asked, NEAREST),
                        "one index": lambda asked=asked: index.search(asked, NEAREST),
                        "each alone": lambda asked=asked: [a.search(asked, NEAREST) for a in apart],
                    },
                    repeats * (20 if count == 1 else 1),
                    warmup=1,
                )
                figures = {name: Figure(each * 1e3, "ms") for name, each in found.items()}
                own = figures.pop("shards")
                what = f"{count} quer{'y' if count == 1 else 'ies'}, {ROWS:,} rows in {FILES} files"
                ratio = found["one index"] / found["shards"]
                rows.append(Row(what, own, tuple(figures.items()), ratio=ratio))
    return rows


LINES = {"indexes": indexes}
