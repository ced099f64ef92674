"""What an index holds at one moment, and how a search of it is asked.

In: queries, and what is asked of rows. Out: a Question that was checked, and its answer. A State
never changes: a writer makes another one, which shares with it what both have, so that readers take
no lock. The table may have more rows than a State: those are not alive in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from treadle.data import dataclass
from treadle.errors import SearchError, UnknownId
from treadle.search.columns import Columns
from treadle.search.filter import choose
from treadle.search.ids import Directory, read_ids
from treadle.search.lists import FiledLists, Lists
from treadle.search.nearest import nearest
from treadle.search.series import Array, packed, unpacked
from treadle.search.table import Table, View
from treadle.search.vectors import read_vectors

__all__ = ["Question", "Result", "State", "check_k"]

_SHOWN = 5  # ids in a message
_NEW = 4  # lists are made anew when one row in so many is in none
_LARGEST = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result:
    """The nearest rows of each query, nearest first: distances, and ids of the same shape."""

    distances: Array
    ids: Array

    def __iter__(self) -> Iterator[Array]:
        """Give distances and ids, so that `distances, ids = index.search(...)` works."""
        return iter((self.distances, self.ids))

    def __repr__(self) -> str:
        *queries, count = self.ids.shape
        if queries:
            return f"<treadle.search.Result {queries[0]} queries, {count} nearest of each>"
        return f"<treadle.search.Result one query, {count} nearest>"


class State:
    """Rows, which of them are alive, their ids and columns."""

    __slots__ = (
        "_ordered", "_view", "alive", "columns", "count", "directory", "next_id", "table"
    )  # fmt: skip

    def __init__(
        self,
        table: Table,
        directory: Directory,
        columns: Columns,
        alive: Array,
        next_id: int,
    ) -> None:
        self.table = table  # may have more rows than there are here
        self.directory = directory
        self.columns = columns
        self.alive = alive
        self.count = int(np.bitwise_count(alive).sum())
        self.next_id = next_id
        self._view: View | None = None
        self._ordered: Array | None = None

    @property
    def rows(self) -> int:
        """How many rows there are, with those that are not alive."""
        return self.directory.series.count

    @property
    def ordered(self) -> Array:
        """The rows that are alive, by ascending id."""
        if self._ordered is None:
            self._ordered = self.directory.order(np.flatnonzero(unpacked(self.alive, self.rows)))
        return self._ordered

    def find(self, ids: Array, what: str = "ids") -> Array:
        """The rows of ids; raise UnknownId where one is not there."""
        rows = self.directory.find(ids, self.alive)
        unknown = ids[rows < 0]
        if len(unknown):
            few = ", ".join(map(str, unknown[:_SHOWN].tolist()))
            more = f" and {len(unknown) - _SHOWN:,} more" if len(unknown) > _SHOWN else ""
            raise UnknownId(f"{what}: no row has {few}{more}")
        return rows

    def ask(self, queries: Any, k: int, where: Any = None, probes: Any = None) -> Question:
        """Check a search, and return what is to be scanned."""
        table = self.table
        rows, single = read_vectors(queries, table.dim, table.dtype, "queries")
        k = check_k(k)
        if probes is not None:
            probes = check_k(probes, "probes")
        if not self.count:
            raise SearchError("the index is empty; add vectors to it first")
        alive = self.alive if where is None else self.chosen(where)
        view = self.view()
        words = np.zeros(-(-view.count // 32), np.uint32)
        words[: len(alive)] = alive
        count = self.count if where is None else int(np.bitwise_count(alive).sum())
        all_alive = count == view.count
        lists = None if probes is None else self.lists()
        chosen = None if all_alive else words
        return Question(
            self.directory, view, rows, single, min(k, count), chosen, lists, probes or 0
        )

    def lists(self, count: int | None = None, *, anew: bool = False) -> Lists:
        """The lists of the table's rows: those that are there, made anew where many rows came
        since, or where that is asked for."""
        if not self.count:
            raise SearchError("the index is empty; add vectors to it first")
        view = self.view()
        found: Lists | None = self.table.lists
        filed: FiledLists | None = self.table.filed_lists
        if found is None and filed is not None and not anew:
            self.table.lists = found = Lists.over(view, filed)
        if found is None or anew or view.count - found.rows > found.rows // _NEW:
            self.table.lists = found = Lists(view, count)
        return found

    def filed_lists(self) -> FiledLists | None:
        """The lists of all rows as a file keeps them, if there are lists; those that came after
        the lists were made are put into the nearest."""
        table = self.table
        made: Lists | None = table.lists
        filed: FiledLists | None = table.filed_lists if made is None else made.filed
        return None if filed is None else filed.extended(table.vectors, self.rows, table.metric)

    def view(self) -> View:
        """The table's rows on its device: those of this snapshot, and maybe later ones."""
        if self._view is None:
            self._view = self.table.view()
        return self._view

    def chosen(self, where: Any) -> Array:
        """The bits of the rows that are alive and that a filter lets through."""
        if isinstance(where, str):
            return packed(choose(where, self.columns)) & self.alive
        if _is_mask(where) and self.count == self.rows and self.directory.ascending:
            return packed(self._checked(np.asarray(where)))  # the mask has the order of rows
        chosen = np.zeros(self.rows, np.bool_)
        chosen[self.rows_of(where)] = True
        return packed(chosen)

    def rows_of(self, where: Any) -> Array:
        """The rows that a mask or ids choose, all of which are alive."""
        if _is_mask(where):
            found: Array = self.ordered[self._checked(np.asarray(where))]
            return found
        if not hasattr(where, "__iter__") or isinstance(where, str):
            raise SearchError(
                "where: expected a predicate, an array of truth values or ids, got "
                f"{type(where).__name__}"
            )
        rows = self.directory.find(read_ids(where, "where", unique=False), self.alive)
        return rows[rows >= 0]

    def _checked(self, mask: Array) -> Array:
        if mask.dtype != np.bool_:  # a list that only begins like one
            raise SearchError("where: expected truth values alone, or ids alone; got both")
        if mask.shape != (self.count,):
            raise SearchError(
                f"where: a mask has a truth value for each of the {self.count:,} rows, in the "
                f"order of ids; got an array of shape {mask.shape}"
            )
        return mask


def check_k(k: Any, name: str = "k") -> int:
    """Return a k that makes sense, or raise SearchError."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise SearchError(f"{name}: expected a whole number from 1 on, got {k!r}")
    return int(k)


def _is_mask(where: Any) -> bool:
    if np.ma.is_masked(where):
        raise SearchError("where: some values are masked; fill them in")
    if isinstance(where, list | tuple):
        return bool(where) and isinstance(where[0], bool | np.bool_)
    return getattr(where, "dtype", None) == np.bool_


@dataclass(frozen=True, slots=True)
class Question:
    """A search that was checked: what to scan, and for what."""

    directory: Directory
    view: View
    queries: Array
    single: bool
    k: int  # not more than there are rows that count
    alive: Array | None
    lists: Lists | None = None  # where some of them are enough
    probes: int = 0

    def answer(self) -> Result:
        """Scan, and wait for the result."""
        if not self.k or not len(self.queries):
            shape = (len(self.queries), self.k)
            return self.result(np.empty(shape), np.empty(shape, np.int64))
        ties = not self.directory.ascending
        asked = (self.view, self.queries, self.k)
        if self.lists is None:
            ids = self.directory.array if ties else None
            return self.result(*nearest(*asked, self.alive, ties=ties, ids=ids))
        found = self.lists.search(*asked, self.probes, self.alive, ties=ties)
        return self.result(*found.wait())

    def result(self, keys: Array, rows: Array) -> Result:
        """What was found, with ids for rows; of equal ones the lowest ids come first.

        Of keys the smaller is the nearer: inner products have their sign turned. Rows below 0 fill
        up queries that have fewer ties than others, or found fewer in their lists: their id is -1,
        and they are infinitely far."""
        ids = np.where(rows < 0, -1, self.directory.array[rows]) if rows.size else rows
        if rows.size and not self.directory.ascending:
            order = np.lexsort((ids, keys, rows < 0), axis=-1)[:, : self.k]
            keys = np.take_along_axis(keys, order, axis=1)
            ids = np.take_along_axis(ids, order, axis=1)
        distances = -keys if self.view.metric == "dot" else keys
        if self.view.metric == "hamming":
            distances = distances.astype(np.int64)
        if self.single:
            distances, ids = distances[0], ids[0]
        return Result(distances, ids)
