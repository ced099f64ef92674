"""Lists of rows that are near each other, for searches that may miss some.

In: a view, and how many lists. Out: for queries the nearest rows of the few lists whose centres are
nearest, found in the same way as those of all rows: bounds from bytes, and distances in f64. What
is found is measured exactly; what is missed lies in other lists. Rows that came after the lists
were made are looked at all. Knows no ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, NamedTuple

import numpy as np

from treadle.data import dataclass
from treadle.errors import SearchError
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.search import kernels
from treadle.search.bounds import BLOCK, EMPTY_WORD, GROUP
from treadle.search.centres import Centres
from treadle.search.filed_rows import Rows
from treadle.search.kept import Kept, some
from treadle.search.nearest import SOON_MEASURED, Drive, Sought, gather, measure
from treadle.search.reach import Rows as PartRows
from treadle.search.reach import ScanRoom, some_groups, within_reach
from treadle.search.runs import Runs
from treadle.search.series import tested
from treadle.search.table import CodedQueries, Metric, View, alive_words

__all__ = ["FiledLists", "Lists"]

Array = np.ndarray[Any, Any]

_AT_ONCE = 1 << 23  # products of queries and centres that are held at a time
_BOUNDS = 1 << 14  # groups whose bounds are held at a time, about: they stay in cache
_SPARE = 1 << 11  # groups that may be passed over, to ask for more queries at a time
_APART = 2  # lists of one query that are looked at one after the other
_METRICS = (Metric.L2, Metric.COSINE, Metric.DOT)


class FiledLists(NamedTuple):
    """Lists as a file keeps them: their centres, and which list each of the first rows is in."""

    centres: Array  # f32 [lists, dim]
    owners: Array  # s32 [rows]

    def taken(self, rows: Array) -> FiledLists:
        """The same for some of the rows, in their order."""
        return FiledLists(self.centres, self.owners[rows])

    def extended(self, vectors: Rows, rows: int, metric: Metric) -> FiledLists:
        """The same for so many rows: those that are in no list go to the nearest."""
        known = self.owners[:rows]
        if len(known) < rows:
            more = Centres(self.centres, metric).owners(vectors, len(known), rows)
            known = np.concatenate([known, more])
        return FiledLists(self.centres, known)


@dataclass(frozen=True, slots=True)
class _Living:
    """Which slots are alive, for a filter: bits, and the buffers of each list that one query has
    looked at, since to cut them out takes longer than to scan them."""

    alive: Array | None  # one bit a row; None: all of them
    bits: Buffer
    parts: dict[int, PartRows] = field(default_factory=dict)


class _Probed(NamedTuple):
    """A scan under way, of the lists of some queries."""

    queries: Array
    first: int  # their place
    table: Array  # the groups that each looks at
    asked: CodedQueries
    command: Command
    high: Buffer
    low: Buffer


class Lists:
    """The rows of a view in lists."""

    def __init__(self, view: View, count: int | None = None, *, seed: int = 0) -> None:
        if view.codes is None or view.numbers is None or view.metric not in _METRICS:
            raise SearchError(
                f"probes: rows of {view.dtype} by {view.metric} are in no lists; search them all"
            )
        wanted = round(2 * view.count**0.5) if count is None else count
        count = max(1, min(wanted, view.count))
        centres = Centres.of(view.vectors, view.count, count, view.metric, seed)
        self._begin(view, centres, centres.owners(view.vectors, 0, view.count))

    @classmethod
    def over(cls, view: View, filed: FiledLists) -> Lists:
        """Lists that are known already, of the first rows of a view."""
        made = cls.__new__(cls)
        made._begin(view, Centres(filed.centres, view.metric), filed.owners)
        return made

    def _begin(self, view: View, centres: Centres, owners: Array) -> None:
        self.rows = len(owners)  # those after them are in no list
        self._view = view
        self._centres = centres
        self._lay_out(owners)

    @property
    def filed(self) -> FiledLists:
        """What is enough to have the same lists again."""
        owners = np.empty(self.rows, np.int32)
        slots = np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self._starts) * GROUP)
        there = self._rows[: len(slots)] >= 0
        owners[self._rows[: len(slots)][there]] = slots[there]
        return FiledLists(self._centres.filed, owners)

    def __len__(self) -> int:
        return len(self._centres)

    def __repr__(self) -> str:
        return f"<treadle.search.Lists {len(self)} of {self.rows} rows>"

    def _lay_out(self, owners: Array) -> None:
        """Copy bytes and numbers so that the rows of a list lie together, in whole groups."""
        view = self._view
        assert view.codes is not None
        assert view.numbers is not None
        order = np.argsort(owners, kind="stable")
        counts = np.bincount(owners, minlength=len(self))
        groups = -(-counts // GROUP)
        self._starts = np.concatenate(([0], np.cumsum(groups))).astype(np.int32)
        self._void = np.flatnonzero(counts == 0)  # lists without rows, which no query looks at
        first = np.cumsum(counts) - counts
        lists = owners[order]
        slots = self._starts[lists] * GROUP + np.arange(len(order)) - first[lists]
        self._rows = np.full(max(int(self._starts[-1]), 1) * GROUP, -1, np.int32)
        self._rows[slots] = order
        self._codes = self._copied(view.codes, EMPTY_WORD)
        self._numbers = self._copied(view.numbers, 0)
        self._living = _Living(None, self._bits(None))
        self._rooms: Runs[ScanRoom] = Runs()

    def _copied(self, source: Buffer, empty: int) -> Buffer:
        """Words or numbers of the rows, slot by slot."""
        old = source.to_numpy(copy=None)
        made = np.empty((len(self._rows) // BLOCK, old.shape[1], BLOCK), old.dtype)
        step = max(BLOCK, (_AT_ONCE // old.shape[1]) // BLOCK * BLOCK)
        for start in range(0, len(self._rows), step):
            rows = self._rows[start : start + step]
            found = old[rows // BLOCK, :, rows % BLOCK]  # -1 reads the last, and is emptied
            found[rows < 0] = empty
            blocks = found.reshape(-1, BLOCK, old.shape[1]).transpose(0, 2, 1)
            made[start // BLOCK : (start + len(rows)) // BLOCK] = blocks
        return self._view.device.buffer(made)

    def _bits(self, alive: Array | None) -> Buffer:
        """One bit a slot, from one bit a row."""
        here = self._rows >= 0
        if alive is not None:
            lanes = np.unpackbits(alive.astype("<u4").view(np.uint8), bitorder="little")
            here &= lanes[self._rows].astype(bool)
        words = np.packbits(here, bitorder="little").view("<u4")
        return self._view.device.buffer(words.astype(np.uint32))

    def search(
        self,
        view: View,
        queries: Array,
        k: int,
        probes: int,
        alive: Array | None = None,
        *,
        ties: bool = False,
    ) -> Sought:
        """Submit a search of the `probes` nearest lists of each query, and return at once. `view`
        has the rows of the lists first, and maybe others behind them."""
        return Sought(self._search(view, queries, k, probes, alive, ties))

    def _search(
        self, view: View, queries: Array, k: int, probes: int, alive: Array | None, ties: bool
    ) -> Drive:
        if not len(queries):
            return np.empty((0, 0)), np.empty((0, 0), np.int64)
        kept = Kept(len(queries), k, ties=ties)
        living = self._living
        if alive is not living.alive:
            self._living = living = _Living(alive, self._bits(alive))
        if len(queries) == 1 and probes <= _APART and self._view.device.limits.shared:
            order = None
            yield from self._probe_one(view, queries, probes, living, kept, k)
        else:
            order = yield from self._probe_all(view, queries, probes, living, kept, k)
            queries = queries[order]
        if view.count > self.rows:
            later = alive_words(view.count) if alive is None else alive.copy()
            whole, rest = divmod(self.rows, GROUP)
            later[:whole] = 0
            later[whole] &= np.uint32(0xFFFFFFFF << rest & 0xFFFFFFFF)
            yield from gather(view, queries, later, k, kept, view.count - self.rows)
        far, rows = kept.answer()
        if order is not None:
            back = np.argsort(order)
            far, rows = far[back], rows[back]
        if rows.shape[1] < k:  # no query has found as many
            wide = (0, 0), (0, k - rows.shape[1])
            far = np.pad(far, wide, constant_values=np.inf)
            rows = np.pad(rows, wide, constant_values=-1)
        return far, rows

    def _probe_all(
        self, view: View, queries: Array, probes: int, living: _Living, kept: Kept, k: int
    ) -> Drive:
        """Look at the lists of all queries, and give the order in which these were kept: those
        whose lists have about as many rows are looked at together, and what the host does about
        them is done while the device looks at the next."""
        order = np.arange(len(queries))
        each = max(1, _AT_ONCE // len(self))
        before: _Probed | None = None
        for first in range(0, len(queries), each):
            portion = slice(first, first + each)
            chosen = self._chosen(queries[portion], probes)
            widths = np.diff(self._starts)[chosen].sum(axis=1)
            by_width = np.argsort(widths, kind="stable")
            order[portion] = order[portion][by_width]
            chosen, widths = chosen[by_width], widths[by_width]
            for start, stop in _as_wide(widths):
                some = queries[order[first + start : first + stop]]
                now = self._probe(some, first + start, chosen[start:stop], living)
                if before is not None:
                    yield from self._measured(view, before, kept, k)
                before = now
        if before is not None:
            yield from self._measured(view, before, kept, k)
        return order

    def _probe(self, queries: Array, first: int, chosen: Array, living: _Living) -> _Probed:
        """Submit a scan of the lists that were chosen for each query."""
        device = self._view.device
        table = self._table(chosen)
        asked = self._view.code(queries)
        given = [device.from_numpy(each) for each in (*asked.coded, table)]
        shape = (len(queries), table.shape[1] * GROUP)
        high, low = device.empty(shape, "f32"), device.empty(shape, "f32")
        inputs = (self._codes, self._numbers, living.bits, *given)
        command = device.submit(kernels.byte_bounds, inputs, (high, low))
        return _Probed(queries, first, table, asked, command, high, low)

    def _measured(self, view: View, probed: _Probed, kept: Kept, k: int) -> Drive:
        """Measure what a scan has left, and keep the nearest rows."""
        queries, first, table, asked, command, high, low = probed
        yield command
        lowest = low.to_numpy(copy=None)
        limit = np.full(len(queries), np.inf, np.float32)
        if k < lowest.shape[1]:
            bounds = high.to_numpy(copy=None)  # read here alone
            bounds.partition(k - 1, axis=1)
            limit = asked.widened(bounds[:, k - 1])
        near = lowest > limit[:, None]
        np.logical_not(near, out=near)  # a bound that is NaN rules nothing out
        if np.isinf(limit).any():
            near &= lowest != np.inf
        owners, at = np.divmod(some(near.reshape(-1)), lowest.shape[1])
        slots = table[owners, at // GROUP].astype(np.int64) * GROUP + at % GROUP
        both = owners << 32 | self._rows[slots]
        both.sort()  # the lowest of equals is to be in front
        owners, rows = (both >> 32).astype(np.int32), both.astype(np.int32)
        found = yield from measure(view, queries, owners, rows)
        kept.add(first, first + len(queries), owners, rows, found)

    def _probe_one(
        self,
        view: View,
        query: Array,
        probes: int,
        living: _Living,
        kept: Kept,
        k: int,
    ) -> Drive:
        """Look at the lists of one query, one after the other: each lies in one piece."""
        asked, found = None, []
        worst = kept.worst
        for which in self._chosen(query, probes)[0].tolist():
            start, stop = int(self._starts[which]), int(self._starts[which + 1])
            short = (stop - start) * GROUP * view.dim <= SOON_MEASURED
            few = stop - start <= k and np.isinf(worst).all()  # groups: they give no limit
            if short or few:
                rows = self._rows[start * GROUP : stop * GROUP]
                rows = rows[rows >= 0]
                found.append(rows if living.alive is None else rows[tested(living.alive, rows)])
            elif start < stop:
                asked = asked or self._view.code(query)
                part = living.parts.get(which)
                if part is None:
                    every = self._codes, self._numbers, living.bits
                    part = living.parts[which] = some_groups(every, (start, stop))
                device = self._view.device
                _, slots = yield from within_reach(device, part, asked, k, worst, self._rooms)
                slots += np.int32(start * GROUP)
                found.append(self._rows[slots])
        if found:
            # The lowest of equals is to be in front.
            rows = np.sort(np.concatenate(found) if len(found) > 1 else found[0])
            owners = np.zeros(len(rows), np.int32)
            distances = yield from measure(view, query, owners, rows)
            kept.add(0, 1, owners, rows, distances)

    def _chosen(self, queries: Array, probes: int) -> Array:
        """The nearest lists of each query, [queries, lists]."""
        near = self._centres.scores(queries)
        if len(self._void):
            near[:, self._void] = np.inf
        count = min(probes, len(self))
        if count == 1:
            found: Array = near.argmin(axis=1)[:, None]
        else:
            found = np.argpartition(near, count - 1, axis=1)[:, :count]
        return found

    def _table(self, chosen: Array) -> Array:
        """The groups that each query looks at, s32 [Q, most]; -1 behind."""
        sizes = np.diff(self._starts)[chosen]
        widths = sizes.sum(axis=1)
        table = np.full((len(chosen), max(int(widths.max()), 1)), -1, np.int32)
        flat = sizes.reshape(-1)
        ends = np.cumsum(flat)
        inside = np.arange(int(flat.sum())) - np.repeat(ends - flat, flat)
        values = np.repeat(self._starts[:-1][chosen].reshape(-1), flat) + inside
        owner = np.repeat(np.arange(len(chosen)), widths)
        column = np.arange(len(owner)) - np.repeat(np.cumsum(widths) - widths, widths)
        table[owner, column] = values
        return table


def _as_wide(widths: Array) -> Iterator[tuple[int, int]]:
    """Queries that are looked at together, from one to below another: each takes as much memory as
    the widest, which is the last, and most of it should be of use."""
    first, used = 0, 0
    for last, width in enumerate(widths.tolist()):
        whole = (last + 1 - first) * width
        used += width
        if whole > _BOUNDS or whole > used + used // 4 + _SPARE:
            if last > first:
                yield first, last
            first, used = last, width
    yield first, len(widths)
