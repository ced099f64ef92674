"""Batches of queries through an index: one is searched while the next is read and checked.

In: an index or a snapshot, and batches of queries. Out: a treadle.stream of Results, with its
report. How batches overlap, and in what order they come, is the stream's business.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle.search.index import Index
from treadle.search.sharded import Sharded
from treadle.search.shards import ShardedQuestion
from treadle.search.snapshot import Snapshot
from treadle.search.state import Question, Result, check_k
from treadle.streaming.stream import Stream

__all__ = ["stream"]


def stream(
    index: Index | Snapshot | Sharded,
    query_batches: Any,
    k: int,
    where: Any = None,
    *,
    prepare: Callable[[Any], Any] | None = None,
    **options: Any,
) -> Stream:
    """Search batches of queries one after the other, and yield a Result for each, in order.

    While one is searched, threads prepare the next and collect the one before. `prepare` makes
    queries of what `query_batches` gives. Each batch sees the index as it is when it is prepared; a
    snapshot is the same for all. Other options are those of treadle.stream."""
    check_k(k)

    def ask(queries: Any) -> Question | ShardedQuestion:
        given = np.array(queries)  # the source may fill its array again
        return (index.snapshot() if isinstance(index, Index) else index).ask(given, k, where)

    async def prepare_and_ask(batch: Any) -> Question | ShardedQuestion:
        assert prepare is not None
        return ask(await prepare(batch))

    if prepare is None:
        ready: Callable[[Any], Any] = ask
    elif inspect.iscoroutinefunction(prepare):
        ready = prepare_and_ask
    else:
        made = prepare
        ready = lambda batch: ask(made(batch))  # noqa: E731
    return Stream(
        query_batches,
        prepare=ready,
        compute=_answer,
        **{"device": index.device, **options},
    )


def _answer(question: Question | ShardedQuestion) -> Result:
    return question.answer()
