"""Searches that come at the same time, answered by one scan.

In: searches to await, from any event loops. Out: to each its own rows. Those with the same filter
and about the same k go together: the scan looks for the largest k, and each caller gets the first
of them. A batch sees the index as it is when it is scanned, so that callers who came at different
moments of a changing index still share it.
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple, Protocol

import numpy as np

from treadle.batching import Batched, BatchReport
from treadle.data import dataclass
from treadle.errors import SearchError
from treadle.runtime.priority import Priority
from treadle.search.series import Array
from treadle.search.state import Result, check_k
from treadle.search.vectors import read_vectors
from treadle.search.where import parse

__all__ = ["Searchable", "Searched", "Together"]

_MOST = 1024  # searches of one scan
_FEW = 64  # queries of one search: one with more has a scan of its own

_Asked = tuple[Array, int, bool]  # queries, k, and whether it is one vector


class Searched(Protocol):
    """What is searched: an index at one moment, or several as one."""

    @property
    def dim(self) -> int:
        """The number of dimensions."""

    @property
    def dtype(self) -> str:
        """What a vector's numbers are kept as."""

    def search(self, queries: Array, k: int, where: Any = None) -> Result:
        """Find the nearest rows, and wait for them."""

    def ids_of(self, where: Any) -> Array:
        """The ids that a mask or ids choose."""


class Searchable(Protocol):
    """What has something to search."""

    def state(self) -> Searched:
        """Return what counts now."""


class _Sort(NamedTuple):
    """What searches of one batch have in common."""

    bits: int  # of k
    where: str | _Chosen | None
    alone: object | None  # of a search that shares no scan


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """Ids that a search is limited to; no other search has the same."""

    ids: Array


# Those of searches with no filter, by the bits of k: made once, they are looked up more quickly.
_PLAIN = [_Sort(bits, None, None) for bits in range(64)]


class Together:
    """The searches of one index that tasks await."""

    def __init__(self, current: Searchable, max_delay: float) -> None:
        here = weakref.ref(current)

        def search(asked: list[_Asked], *, key: _Sort) -> list[Result]:
            found = here()
            if found is None:
                raise SearchError("the index is gone")
            where = key.where.ids if isinstance(key.where, _Chosen) else key.where
            queries = np.concatenate([each[0] for each in asked])
            most = max([each[1] for each in asked])
            return _parted(asked, found.state().search(queries, most, where))

        # What fails one search of a batch fails all of it, so none is tried again alone. Lists of
        # what is asked, because an event loop has little time for each of hundreds of callers.
        self._batched = Batched(
            search, stack=False, max_size=_MOST, max_delay=max_delay, retry=False, name="search"
        )

    @property
    def report(self) -> BatchReport:
        """What the batches were like."""
        return self._batched.report

    async def search(
        self,
        state: Searched,
        queries: Any,
        k: Any,
        where: Any,
        timeout: float | None,
        priority: Priority | str | None,
    ) -> Result:
        """Check a search, wait for its batch, and give the part of it that was asked for."""
        rows, single = read_vectors(queries, state.dim, state.dtype, "queries")
        count = check_k(k)
        if not len(rows):
            return state.search(rows, count, where)
        bits = count.bit_length()
        if where is None and bits < len(_PLAIN) and len(rows) <= _FEW:
            key = _PLAIN[bits]
        else:
            chosen = None if where is None else _shared(state, where)
            key = _Sort(bits, chosen, object() if len(rows) > _FEW else None)
        found: Result = await self._batched(
            (rows.copy(), count, single),  # the caller may fill its array again
            key=key,
            timeout=timeout,
            priority=priority,
        )
        return found

    def close(self) -> None:
        """Answer those who wait, and take no more."""
        self._batched.close()

    async def aclose(self) -> None:
        """Do what close does, without holding up the event loop."""
        await self._batched.aclose()


def _parted(asked: list[_Asked], result: Result) -> list[Result]:
    """To each search its own rows."""
    parts = []
    distances, ids, missing = result.distances, result.ids, result.missing
    most = ids.shape[1]
    at = 0
    for rows, count, single in asked:
        part: Any = at if single else slice(at, at + len(rows))
        at += len(rows)
        if count < most:
            part = part, slice(count)  # what is cut off when nothing needs to be takes as long
        # Copies: a caller that keeps its rows does not keep those of all others.
        parts.append(Result(distances[part].copy(), ids[part].copy(), missing))
    return parts


def _shared(state: Searched, where: Any) -> str | _Chosen:
    """A filter in a form in which searches can be compared: a mask is one of the ids of now."""
    if isinstance(where, str):
        parse(where)
        return where
    return _Chosen(state.ids_of(where))
