"""Searches that come at the same time, answered by one scan.

In: searches to await, from any event loops. Out: to each its own rows. Those with the same filter
and about the same k go together: the scan looks for the largest k, and each caller gets the first
of them. A batch sees the index as it is when it is scanned, so that callers who came at different
moments of a changing index still share it.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from treadle.batching import Batched, BatchReport
from treadle.errors import SearchError
from treadle.runtime.priority import Priority
from treadle.search.current import Current
from treadle.search.series import Array
from treadle.search.state import Result, State, check_k
from treadle.search.vectors import read_vectors
from treadle.search.where import parse

__all__ = ["Together"]

_MOST = 1024  # queries of one scan


@dataclass(frozen=True, slots=True)
class _Sort:
    """What searches of one batch have in common."""

    bits: int  # of k
    where: str | _Chosen | None


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """Ids that a search is limited to; no other search has the same."""

    ids: Array


class Together:
    """The searches of one index that tasks await."""

    def __init__(self, current: Current, max_delay: float) -> None:
        here = weakref.ref(current)

        def search(queries: Array, counts: Array, *, key: _Sort) -> tuple[Array, Array]:
            found = here()
            if found is None:
                raise SearchError("the index is gone")
            where = key.where.ids if isinstance(key.where, _Chosen) else key.where
            result = found.state().ask(queries, int(counts.max()), where).answer()
            return result.distances, result.ids

        # What fails one search of a batch fails all of it, so none is tried again alone.
        self._batched = Batched(
            search, rows=True, max_size=_MOST, max_delay=max_delay, retry=False, name="search"
        )

    @property
    def report(self) -> BatchReport:
        """What the batches were like."""
        return self._batched.report

    async def search(
        self,
        state: State,
        queries: Any,
        k: Any,
        where: Any,
        timeout: float | None,
        priority: Priority | str | None,
    ) -> Result:
        """Check a search, wait for its batch, and give the part of it that was asked for."""
        rows, single = read_vectors(queries, state.table.dim, state.table.dtype, "queries")
        count = check_k(k)
        if not len(rows):
            return state.ask(rows, count, where).answer()
        distances, ids = await self._batched(
            rows.copy(),  # the caller may fill its array again
            np.full(len(rows), count),
            key=_Sort(count.bit_length(), _shared(state, where)),
            timeout=timeout,
            priority=priority,
        )
        distances, ids = distances[:, :count].copy(), ids[:, :count].copy()
        return Result(distances[0], ids[0]) if single else Result(distances, ids)

    def close(self) -> None:
        """Answer those who wait, and take no more."""
        self._batched.close()

    async def aclose(self) -> None:
        """Do what close does, without holding up the event loop."""
        await self._batched.aclose()


def _shared(state: State, where: Any) -> str | _Chosen | None:
    """A filter in a form in which searches can be compared: a mask is one of the ids of now."""
    if where is None:
        return None
    if isinstance(where, str):
        parse(where)
        return where
    return _Chosen(state.directory.array[state.rows_of(where)])
