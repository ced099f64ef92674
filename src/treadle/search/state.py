"""What an index holds at one moment, and how a search of it is asked.

In: queries, and what is asked of rows. Out: a Question that was checked, and its answer. A State
never changes: a writer makes another one, which shares with it what both have, so that readers take
no lock. The table may have more rows than a State: those are not alive in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
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

__all__ = [
    "Question",
    "Result",
    "State",
    "check_chosen",
    "check_k",
    "check_mask",
    "is_mask",
    "shown_ids",
]

_SHOWN = 5  # ids in a message
_NEW = 4  # lists are made anew when one row in so many is in none
_LARGEST = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result:
    """The nearest rows of each query, nearest first: distances, and ids of the same shape.

    `missing` says of each shard that was not searched why; see Sharded."""

    distances: Array
    ids: Array
    missing: Mapping[str, str] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Array]:
        """Give distances and ids, so that `distances, ids = index.search(...)` works."""
        return iter((self.distances, self.ids))

    def __repr__(self) -> str:
        *queries, count = self.ids.shape
        asked = f"{queries[0]} queries" if queries else "one query"
        each = " of each" if queries else ""
        left = len(self.missing)
        without = f", without {left} shard{'s' * (left > 1)}" if left else ""
        return f"<treadle.search.Result {asked}, {count} nearest{each}{without}>"


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
    def dim(self) -> int:
        """The number of dimensions."""
        return self.table.dim

    @property
    def dtype(self) -> str:
        """What a vector's numbers are kept as."""
        return self.table.dtype

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
            raise UnknownId(f"{what}: no row has {shown_ids(unknown)}")
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

    def search(self, queries: Any, k: int, where: Any = None) -> Result:
        """Check a search, and have it done."""
        return self.ask(queries, k, where).answer()

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
        if is_mask(where) and self.count == self.rows and self.directory.ascending:
            return packed(check_mask(where, self.count))  # the mask has the order of rows
        chosen = np.zeros(self.rows, np.bool_)
        chosen[self.rows_of(where)] = True
        return packed(chosen)

    def rows_of(self, where: Any) -> Array:
        """The rows that a mask or ids choose, all of which are alive."""
        if is_mask(where):
            found: Array = self.ordered[check_mask(where, self.count)]
            return found
        rows = self.directory.find(check_chosen(where), self.alive)
        return rows[rows >= 0]

    def ids_of(self, where: Any) -> Array:
        """The ids that a mask or ids choose."""
        found: Array = self.directory.array[self.rows_of(where)]
        return found


def shown_ids(ids: Array) -> str:
    """The first of some ids, and how many more there are, for a message."""
    few = ", ".join(map(str, ids[:_SHOWN].tolist()))
    return f"{few} and {len(ids) - _SHOWN:,} more" if len(ids) > _SHOWN else few


def check_k(k: Any, name: str = "k") -> int:
    """Return a k that makes sense, or raise SearchError."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise SearchError(f"{name}: expected a whole number from 1 on, got {k!r}")
    return int(k)


def is_mask(where: Any) -> bool:
    """Say whether a filter has a truth value for each row."""
    if np.ma.is_masked(where):
        raise SearchError("where: some values are masked; fill them in")
    if isinstance(where, list | tuple):
        return bool(where) and isinstance(where[0], bool | np.bool_)
    return getattr(where, "dtype", None) == np.bool_


def check_mask(where: Any, count: int) -> Array:
    """Return a mask of so many rows, or raise SearchError."""
    mask = np.asarray(where)
    if mask.dtype != np.bool_:  # a list that only begins like one
        raise SearchError("where: expected truth values alone, or ids alone; got both")
    if mask.shape != (count,):
        raise SearchError(
            f"where: a mask has a truth value for each of the {count:,} rows, in the order of ids; "
            f"got an array of shape {mask.shape}"
        )
    return mask


def check_chosen(where: Any) -> Array:
    """Return the ids that a filter names, or raise SearchError."""
    if not hasattr(where, "__iter__") or isinstance(where, str):
        raise SearchError(
            "where: expected a predicate, an array of truth values or ids, got "
            f"{type(where).__name__}"
        )
    return read_ids(where, "where", unique=False)


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

    def answer(self, within: Array | None = None) -> Result:
        """Scan, and wait for the result; rows that are further than `within`, of each query, may
        be left out of it, with an id of -1 and infinitely far in their place."""
        if not self.k or not len(self.queries):
            shape = (len(self.queries), self.k)
            return self.result(np.empty(shape), np.empty(shape, np.int64))
        ties = not self.directory.ascending
        asked = (self.view, self.queries, self.k)
        if self.lists is None:
            ids = self.directory.array if ties else None
            if self.view.metric == "hamming":
                within = None
            return self.result(*nearest(*asked, self.alive, ties=ties, ids=ids, within=within))
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
