"""Which row has which id.

In: ids of rows, as they are added. Out: rows of ids. Ids that ascend with their rows, as numbered
ones do, are looked up where they are; others are kept sorted in runs, the lengths of which about
double, so that an add sorts little. Nothing here changes: a snapshot keeps its Directory. A row
that was removed or replaced may still be found, so lookups ask which rows are alive.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from treadle.data import dataclass
from treadle.errors import SearchError
from treadle.search.series import Array, Series, tested, unpacked

__all__ = ["Directory", "read_ids"]

_LARGEST = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class SortedRun:
    """Ids in order, and the row of each."""

    ids: Array
    rows: Array


@dataclass(frozen=True, slots=True)
class Directory:
    """The ids of all rows, with what is needed to find one."""

    series: Series
    ordered: int = 0  # so many rows from the first have ascending ids
    runs: tuple[SortedRun, ...] = ()  # of the other rows

    @property
    def array(self) -> Array:
        """The id of each row."""
        return self.series.array

    @property
    def ascending(self) -> bool:
        """Whether rows and ids have the same order."""
        return self.ordered == self.series.count

    @classmethod
    def over(cls, series: Series, alive: Array) -> Directory:
        """The directory of rows that are there already; raise SearchError for an id that two rows
        have which are alive."""
        ids = series.array
        breaks = np.flatnonzero(ids[1:] <= ids[:-1])
        ordered = int(breaks[0]) + 1 if len(breaks) else series.count
        made = cls(series, ordered)
        later = ordered + np.flatnonzero(unpacked(alive, series.count)[ordered:])
        if not len(later):
            return cls(series, ordered, () if made.ascending else (SortedRun(ids[:0], later),))
        rows = later[np.argsort(ids[later], kind="stable")]
        run = SortedRun(ids[rows], rows)
        if (run.ids[1:] == run.ids[:-1]).any() or (made.find(run.ids, alive) >= 0).any():
            raise SearchError("ids: two rows have the same")
        return cls(series, ordered, (run,))

    def find(self, ids: Array, alive: Array) -> Array:
        """The row of each id that is alive; -1 where there is none."""
        found = np.full(len(ids), -1, np.int64)
        _look(found, ids, self.array[: self.ordered], None, alive)
        for run in self.runs:
            _look(found, ids, run.ids, run.rows, alive)
        return found

    def extended(self, ids: Array, alive: Array, skipped: int = 0) -> Directory:
        """This with more rows, whose ids ascend among themselves, after `skipped` rows without.

        `alive` has bits for all of them."""
        before = self.series.count
        series = self.series
        if skipped:
            series = series.extended(np.zeros(skipped, np.int64))
        series = series.extended(ids)
        follows = not before or not len(ids) or ids[0] > self.array[-1]
        if self.ordered == before and not skipped and follows:
            return Directory(series, series.count, self.runs)
        start = before + skipped
        last = SortedRun(ids, np.arange(start, start + len(ids)))
        runs = list(self.runs)
        while runs and len(runs[-1].ids) <= 2 * len(last.ids):
            last = _merged(runs.pop(), last, alive)
        return Directory(series, self.ordered, (*runs, last))

    def order(self, rows: Array) -> Array:
        """These rows by ascending id."""
        return rows if self.ascending else rows[np.argsort(self.array[rows])]


def _look(found: Array, ids: Array, among: Array, rows: Array | None, alive: Array) -> None:
    if not len(among):
        return
    places = np.minimum(np.searchsorted(among, ids), len(among) - 1)
    hits = np.flatnonzero(among[places] == ids)
    places = places[hits]
    there = places if rows is None else rows[places]
    living = tested(alive, there)
    found[hits[living]] = there[living]


def _merged(one: SortedRun, other: SortedRun, alive: Array) -> SortedRun:
    """Two runs as one, without the rows that are not alive: no id is then there twice."""
    ids = np.concatenate([one.ids, other.ids])
    rows = np.concatenate([one.rows, other.rows])
    living = tested(alive, rows)
    ids, rows = ids[living], rows[living]
    order = np.argsort(ids, kind="stable")  # which merges what is sorted already
    return SortedRun(ids[order], rows[order])


def read_ids(ids: Any, what: str = "ids", *, unique: bool = True) -> Array:
    """Check ids: whole numbers of 64 bits, none twice; one id is an array of one."""
    if isinstance(ids, bytes | bytearray):
        raise SearchError(f"{what}: expected whole numbers, got {type(ids).__name__}")
    if np.ma.is_masked(ids):
        raise SearchError(f"{what}: some are masked; leave those rows out")
    if isinstance(ids, Iterable) and not hasattr(ids, "__array__"):
        ids = list(ids)
    try:
        given = np.atleast_1d(np.asarray(ids))
    except (ValueError, OverflowError) as error:
        raise SearchError(f"{what}: expected whole numbers, got {type(ids).__name__}") from error
    if not given.size:
        given = given.astype(np.int64)
    if given.ndim != 1:
        raise SearchError(f"{what}: expected one dimension, got an array of shape {given.shape}")
    if given.dtype.kind == "u" and int(given.max()) > _LARGEST:
        raise SearchError(f"{what}: {given.max()} is above 2**63 - 1")
    if given.dtype.kind not in "iu":
        sample = repr(given[0].item()) if given.dtype.kind in "fbU" else str(given.dtype)
        raise SearchError(f"{what}: expected whole numbers of 64 bits, got {sample}")
    found = given.astype(np.int64)
    if unique and len(found) > 1 and not (found[1:] > found[:-1]).all():
        ordered = np.sort(found)
        twice = ordered[1:][ordered[1:] == ordered[:-1]]
        if len(twice):
            raise SearchError(f"{what}: {twice[0]} is there more than once")
    return found
