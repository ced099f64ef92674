"""The nearest rows so far, on the host: which rows bits stand for, and which of them stay.

In: bits of rows that remain, then their distances, in portions whose rows come in ascending order.
Out: for each query how far its k-th nearest is, and at the end distances and rows in order. Equal
distances keep the lowest rows, or all of them where ties are asked for. Knows no devices.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from treadle.search.bounds import GROUP

__all__ = ["Kept", "places", "some"]

Array = np.ndarray[Any, Any]
_SOON = 1 << 12  # rows of a query: more of them are parted alone, before they are put in order
_EIGHT = 8  # conditions that are looked at together, as one word


def some(full: Array) -> Array:
    """Where truth values are true: few are, and eight at a time are passed over."""
    spare = -len(full) % _EIGHT
    if spare:
        full = np.concatenate([full, np.zeros(spare, bool)])
    eights = np.flatnonzero(full.view(np.uint64))
    inside = np.flatnonzero(full.reshape(-1, _EIGHT)[eights])
    found: Array = eights[inside // _EIGHT] * _EIGHT + inside % _EIGHT
    return found


def places(bits: Array) -> tuple[Array, Array]:
    """Which query and which row each bit of u32 [queries, groups] stands for, in order."""
    flat = np.ascontiguousarray(bits).reshape(-1)
    at = some(flat != 0)
    left = flat[at]
    counts = np.bitwise_count(left).astype(np.int64)
    owner, group = np.divmod(at, bits.shape[1])
    first = group * GROUP
    owners = np.repeat(owner, counts).astype(np.int32)
    rows = np.empty(len(owners), np.int32)
    slot = np.cumsum(counts) - counts
    while len(left):  # the lowest bit of each word, then the next: most words have one
        lowest = left & (~left + np.uint32(1))
        rows[slot] = first + np.bitwise_count(lowest - np.uint32(1))
        left = left ^ lowest
        more = left != 0
        left, first, slot = left[more], first[more], slot[more] + 1
    return owners, rows


def _matrix(owners: Array, rows: Array, found: Array, count: int) -> tuple[Array, Array]:
    """Distances and rows with one line for each query, padded with infinity and -1."""
    if count == 1:
        return found.reshape(1, -1), rows.astype(np.int64).reshape(1, -1)
    counts = np.bincount(owners, minlength=count)
    width = int(counts.max(initial=0))
    far = np.full((count, width), np.inf)
    names = np.full((count, width), -1, np.int64)
    column = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    far[owners, column] = found
    names[owners, column] = rows
    return far, names


class Kept:
    """The nearest rows so far of some queries; none that is further than `within`, of each query,
    where as many were found elsewhere."""

    def __init__(
        self,
        count: int,
        wanted: int,
        *,
        ties: bool,
        ids: Array | None = None,
        within: Array | None = None,
    ) -> None:
        self._wanted, self.ties = wanted, ties
        self._within = within
        self.ids = ids  # which decide between rows that tie, where rows do not
        self._in_order = False  # what is kept, already
        self._far = np.empty((count, 0))
        self._rows = np.empty((count, 0), np.int64)
        self._last: Array = np.full(count, np.inf)  # how far the last one wanted is

    @property
    def worst(self) -> Array:
        """How far a row of each query may be, to be among those that are wanted."""
        return self._last if self._within is None else np.minimum(self._last, self._within)

    def add(self, first: int, last: int, owners: Array, rows: Array, found: Array) -> None:
        """Take rows of queries `first` to `last`, which owners count from 0."""
        if self._within is not None:  # rows as far as that may have lower ids
            near = found <= self._within[first:last][owners]
            owners, rows, found = owners[near], rows[near], found[near]
        if self._far.shape[1]:
            worst = self._last[first:last][owners]
            # Of those that are as far as the last one wanted, the lowest rows are there already.
            near = found <= worst if self.ties else (found < worst) | np.isinf(worst)
            owners, rows, found = owners[near], rows[near], found[near]
        if len(found) > _SOON * (last - first):
            owners, rows, found = self._thinned(owners, rows, found, last - first)
        if len(self._far) == 1 and not self._far.shape[1] and len(found) <= _SOON:
            self._take_first(rows, found)
            return
        self._in_order = False
        far, names = _matrix(owners, rows, found, last - first)
        if self._far.shape[1]:
            far = np.concatenate([self._far[first:last], far], axis=1)
            names = np.concatenate([self._rows[first:last], names], axis=1)
        if far.shape[1] > self._wanted:
            limit = np.partition(far, self._wanted - 1, axis=1)[:, self._wanted - 1]
            far, names = self._cut(far, names, limit)
            self._last[first:last] = limit
        elif far.shape[1] == self._wanted:
            self._last[first:last] = far.max(axis=1)
        self._put(first, last, far, names)

    def _thinned(
        self, owners: Array, rows: Array, found: Array, count: int
    ) -> tuple[Array, Array, Array]:
        """Of many rows of each query those that may stay, in the order in which they came."""
        ends = np.searchsorted(owners, np.arange(count + 1)).tolist()
        stay = []
        for start, stop in pairwise(ends):
            mine = found[start:stop]
            if len(mine) <= self._wanted:
                stay.append(np.arange(start, stop))
                continue
            limit = np.partition(mine, self._wanted - 1)[self._wanted - 1]
            near = some(mine < limit)
            same = some(mine == limit)
            if not self.ties:
                same = same[: self._wanted - len(near)]
            stay.append(np.sort(np.concatenate([near, same])) + start)
        kept = np.concatenate(stay)
        return owners[kept], rows[kept], found[kept]

    def _take_first(self, rows: Array, found: Array) -> None:
        """Take the first rows of the only query, a few of them: they are put in order at once."""
        order = np.argsort(found, kind="stable")
        if len(order) >= self._wanted:
            limit = found[order[self._wanted - 1]]
            self._last[0] = limit
            end = self._wanted
            if self.ties:
                end = int(np.searchsorted(found[order], limit, "right"))
            order = order[:end]
        self._far, self._rows = found[order][None], rows[order].astype(np.int64)[None]
        self._in_order = True

    def join(self, first: int, other: Kept) -> None:
        """Take what was kept of some of the queries, from the first one on."""
        last = first + len(other._far)
        self._in_order = other._in_order and len(self._far) == len(other._far)
        self._put(first, last, other._far, other._rows)
        self._last[first:last] = other._last

    def _cut(self, far: Array, names: Array, limit: Array) -> tuple[Array, Array]:
        """Drop what is further than the limit, and of those that are as far the highest rows."""
        stay = some((far <= limit[:, None]).reshape(-1))
        rows, found = names.reshape(-1)[stay], far.reshape(-1)[stay]
        owners = stay // far.shape[1]
        stays = rows >= 0
        if not self.ties:
            same = np.flatnonzero(stays & (found == limit[owners]))
            whose = owners[same]
            count = np.bincount(whose, minlength=len(far))
            room = self._wanted - (np.bincount(owners[stays], minlength=len(far)) - count)
            first = np.cumsum(count) - count  # of each query's ties, the lowest of which stay
            stays[same] = np.arange(len(same)) < (first + room)[whose]
        return _matrix(owners[stays], rows[stays], found[stays], len(far))

    def _put(self, first: int, last: int, far: Array, names: Array) -> None:
        if last - first == len(self._far):
            self._far, self._rows = far, names
            return
        more = far.shape[1] - self._far.shape[1]
        if more > 0:
            self._far = np.pad(self._far, ((0, 0), (0, more)), constant_values=np.inf)
            self._rows = np.pad(self._rows, ((0, 0), (0, more)), constant_values=-1)
        width = far.shape[1]
        self._far[first:last, :width], self._far[first:last, width:] = far, np.inf
        self._rows[first:last, :width], self._rows[first:last, width:] = names, -1

    def answer(self) -> tuple[Array, Array]:
        """Distances and rows, nearest first."""
        if self._in_order:
            return self._far, self._rows
        order = np.argsort(self._far, axis=1, kind="stable")
        if not self.ties:
            order = order[:, : self._wanted]
        far = np.take_along_axis(self._far, order, 1)
        rows = np.take_along_axis(self._rows, order, 1)
        width = int((rows >= 0).sum(axis=1).max(initial=0))
        return far[:, :width], rows[:, :width]
