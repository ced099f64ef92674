"""The nearest rows of a view: a sample for a limit, bits of those within it, and their distances.

In: a view, queries, and how many rows are wanted. Out: distances as f64 brute force gives them, and
rows; of equal distances the lowest row. The drive is a generator that yields commands to wait for,
so that the same steps serve those who block and those who await. Knows no ids.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from itertools import pairwise
from typing import Any

import numpy as np

from treadle.runtime.command import Command
from treadle.search import kernels
from treadle.search.alike import first_of_alike
from treadle.search.bounds import BLOCK, GROUP
from treadle.search.kept import Kept, places
from treadle.search.measure import combined, distances_of, measured_here
from treadle.search.plain import by_bits, by_distance, by_products
from treadle.search.reach import spans, within_view
from treadle.search.resident import resides, search_there
from treadle.search.table import Array, Metric, View, alive_words

__all__ = [
    "SOON_MEASURED",
    "Answer",
    "Drive",
    "Sought",
    "gather",
    "measure",
    "nearest",
    "nearest_async",
    "scan",
    "search",
]

_FEW = 1024  # rows of a table that are all measured
_DENSE = 4  # queries for which all rows are measured, rather than multiplied and some measured
_MANY = 16  # queries from which on a table is scanned in parts
_SAMPLE = 512  # groups that a limit is taken from, at least
_EACH = 16  # groups of the sample for each row that is wanted
_BLOCKS = GROUP // BLOCK
_ROWS = 1 << 22  # that are measured at a time
_GATHERED = 1 << 25  # elements that a device gets of a file at a time
SOON_MEASURED = 1 << 15  # elements: sooner done on the host than asked of a device
_AT_ONCE = 1024  # queries
_POOR = 1 / 6  # of the rows: if more remain, many queries are better off with products,
_MOST = 1 / 4  # and few are if so many remain: they would be measured one here, one there

_SUMS = {Metric.L2: kernels.sum_squares, Metric.L1: kernels.sum_apart}

Answer = tuple[Array, Array]
Drive = Generator[Command, None, Any]


class Sought:
    """A search under way: wait for it, or await it, and get distances and rows."""

    def __init__(self, drive: Generator[Command, None, Answer]) -> None:
        self._drive = drive
        self._answer: Answer | None = None
        self._next: Command | None = None
        self._advance()

    def __repr__(self) -> str:
        state = "under way" if self._answer is None else "found"
        return f"<treadle.search.Sought {state}>"

    def _advance(self) -> None:
        """Submit what comes next."""
        try:
            self._next = next(self._drive)
        except StopIteration as ended:
            self._answer = ended.value

    def wait(self) -> Answer:
        """Block until the answer is there."""
        while self._answer is None:
            assert self._next is not None
            self._next.wait()
            self._advance()
        return self._answer

    def __await__(self) -> Generator[Any, None, Answer]:
        while self._answer is None:
            assert self._next is not None
            yield from self._next.__await__()
            self._advance()
        return self._answer


def scan(
    view: View,
    queries: Array,
    k: int,
    alive: Array | None = None,
    *,
    ties: bool = False,
    ids: Array | None = None,
    within: Array | None = None,
) -> Sought:
    """Submit a search for the k nearest rows of each query, and return at once.

    `alive` has one bit a row (u32 words), None: all. With `ties` every row comes that is as far as
    the k-th; rows of the answer are then padded with -1 and infinity. With `ids` those of rows that
    are the same may stay away whose ids are too high. With `within`, of each query, rows that are
    further may stay away, which leaves a query with fewer."""
    return Sought(search(view, queries, k, alive, ties, ids, within))


def nearest(
    view: View,
    queries: Array,
    k: int,
    alive: Array | None = None,
    *,
    ties: bool = False,
    ids: Array | None = None,
    within: Array | None = None,
) -> Answer:
    """Find the k nearest rows of each query: distances (f64) and rows (s64), nearest first."""
    return scan(view, queries, k, alive, ties=ties, ids=ids, within=within).wait()


async def nearest_async(
    view: View, queries: Array, k: int, alive: Array | None = None, *, ties: bool = False
) -> Answer:
    """Find the k nearest rows of each query without blocking the event loop: what the host does
    for many queries takes milliseconds, and is done on another thread."""
    if len(queries) < _MANY:
        return await scan(view, queries, k, alive, ties=ties)
    return await asyncio.to_thread(nearest, view, queries, k, alive, ties=ties)


def search(
    view: View,
    queries: Array,
    k: int,
    alive: Array | None,
    ties: bool,
    ids: Array | None = None,
    within: Array | None = None,
) -> Drive:
    """Find the nearest rows of each query."""
    queries = np.ascontiguousarray(queries, np.uint32 if view.dtype == "bits" else np.float32)
    live = view.count
    if alive is not None:  # a picture may be older than the bits, which then have more rows
        alive = alive[: view.groups] & alive_words(view.count)
        live = int(np.bitwise_count(alive).sum())
    wanted = min(k, live)
    if wanted == 0 or not len(queries):
        return np.empty((len(queries), 0)), np.empty((len(queries), 0), np.int64)
    view.pruning.begin()
    if view.pruning.worthwhile(_POOR) and resides(view, queries, wanted):
        answer = yield from search_there(view, queries, wanted, alive, ties and wanted < live)
        if answer is not None:
            return answer
    kept = Kept(len(queries), wanted, ties=ties)
    for first in range(0, len(queries), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        limit = None if within is None else within[some]
        part = Kept(len(queries[some]), wanted, ties=ties, ids=ids, within=limit)
        yield from gather(view, queries[some], alive, wanted, part, live)
        kept.join(first, part)
    return kept.answer()


def gather(
    view: View, queries: Array, alive: Array | None, wanted: int, kept: Kept, live: int
) -> Drive:
    """Find the nearest rows in the way that suits the table; of `live` rows a few are all
    measured."""
    few = live <= _FEW
    if view.dtype == "bits":
        yield from by_bits(view, queries, alive, wanted, kept)
        return
    known = bool(np.isfinite(kept.worst).all())
    ranges = [] if few else _ranges(view, len(queries), wanted, known)
    start = 0
    poor = _MOST if len(queries) <= _DENSE else _POOR
    if ranges and view.pruning.worthwhile(poor):
        if len(queries) < _MANY and view.device.limits.shared:
            start = yield from _reached(view, queries, alive, wanted, kept, poor)
        else:
            start = yield from _scanned(view, queries, alive, wanted, kept, ranges)
        if start == view.count:
            return

    def measured(first: int, last: int, owners: Array, rows: Array) -> Drive:
        return _keep(view, queries, first, last, owners, rows, kept)

    rows = _live_rows(view, alive, start)
    if not few and (kept.ids is not None or not kept.ties):
        rows = first_of_alike(view, rows, wanted, kept.ids)
    if len(queries) > _DENSE and view.codes is not None and not few:
        yield from by_products(view, queries, rows, wanted, kept, measured)
    else:
        yield from by_distance(view, queries, rows, measured)


def _live_rows(view: View, alive: Array | None, start: int) -> Array:
    """The rows that are alive, from one on."""
    if alive is None:
        return np.arange(start, view.count, dtype=np.int32)
    bits = np.unpackbits(alive.astype("<u4").view(np.uint8), bitorder="little")
    found: Array = np.flatnonzero(bits[start : view.count]).astype(np.int32)
    return found + np.int32(start)


def _ranges(view: View, count: int, wanted: int, known: bool) -> list[tuple[int, int]]:
    """The groups to scan, from one to below another: a few first, whose distances are the limit of
    more, where many queries make it worth while and no limit is `known`. None: to measure all is
    as quick."""
    groups = view.groups
    if view.codes is None or wanted * _EACH // 8 > groups:
        return []
    cuts = [0]
    if count >= _MANY and view.device.limits.shared and not known:
        first = max(groups // 16, _EACH * wanted, _SAMPLE // 4)
        cuts += [cut // 16 * 16 for cut in (first, 4 * first) if 2 * cut <= groups]
    return list(pairwise([*cuts, groups]))


def _reached(
    view: View, queries: Array, alive: Array | None, wanted: int, kept: Kept, poor: float
) -> Drive:
    """Scan bytes once for few queries, and measure what is within reach. Gives the row from which
    on others have to look, where too many remain."""
    asked, tally = view.code(queries), _Tally(view, len(queries), poor)
    for span in spans(view.groups, len(queries), wanted):
        owners, rows = yield from within_view(view, span, asked, alive, wanted, kept.worst)
        rows += np.int32(span[0] * GROUP)
        if tally.add(len(rows), span[1]) > poor:
            return span[0] * GROUP
        yield from _keep(view, queries, 0, len(queries), owners, rows, kept)
    tally.end()
    return view.count


class _Tally:
    """Which share of all rows was to be measured. A few bad rows in front of many good ones are
    no reason to give up."""

    def __init__(self, view: View, count: int, poor: float) -> None:
        self._view, self._count, self._poor = view, count, poor
        self._found = 0

    def add(self, found: int, groups: int) -> float:
        """Add what was found in the first groups, and return the share so far."""
        self._found += found
        share = self._found / (self._count * self._view.groups * GROUP)
        if share > self._poor:  # the share of those that were looked at
            self._view.pruning.note(self._found / (self._count * groups * GROUP))
        return share

    def end(self) -> None:
        """Have the table remember how it went."""
        self._view.pruning.note(self._found / (self._count * self._view.groups * GROUP))


def _keep(
    view: View, queries: Array, first: int, last: int, owners: Array, rows: Array, kept: Kept
) -> Drive:
    """Measure rows for queries `first` to `last`, and keep the nearest."""
    for start in range(0, len(rows), _ROWS):
        some = slice(start, start + _ROWS)
        found = yield from measure(view, queries[first:last], owners[some], rows[some])
        kept.add(first, last, owners[some], rows[some], found)


def _scanned(
    view: View,
    queries: Array,
    alive: Array | None,
    wanted: int,
    kept: Kept,
    ranges: list[tuple[int, int]],
) -> Drive:
    """Scan bytes: a limit from a sample, then rows within it, whose distances are a new limit.
    Gives the row from which on others have to look, where too many remain."""
    device = view.device
    assert view.codes is not None
    assert view.numbers is not None
    assert view.all_alive is not None
    live = view.all_alive if alive is None else device.buffer(alive)
    asked, tally = view.code(queries), _Tally(view, len(queries), _POOR)
    given = device.from_numpy(asked.coded.words), device.from_numpy(asked.coded.numbers)
    most = ranges[0][1]
    least = _SAMPLE if np.isinf(kept.worst).any() else _SAMPLE // 4
    samples = min(most, max(least, _EACH * wanted))
    best = device.empty((len(queries), samples), "f32")
    rows = (view.codes, view.numbers, live)
    yield device.submit(kernels.byte_best, (*rows, *given), best, step=view.groups // samples)
    bounds = best.to_numpy(copy=None)
    limit = np.full(len(queries), np.inf, np.float32)
    if samples > wanted:
        limit = asked.widened(np.partition(bounds, wanted - 1, axis=1)[:, wanted - 1])
    limit = np.minimum(limit, asked.limit(kept.worst))  # where some are there already
    for first, last in ranges:
        bits = device.empty((len(queries), last - first), "u32")
        blocks = slice(first * _BLOCKS, last * _BLOCKS)
        if len(ranges) > 1:
            rows = (view.codes[blocks], view.numbers[blocks], live[first:last])
        yield device.submit(kernels.byte_near, (*rows, *given, device.from_numpy(limit)), bits)
        remaining = bits.to_numpy(copy=None)
        counts = np.bitwise_count(remaining).sum(axis=1, dtype=np.int64)
        share = tally.add(int(counts.sum()), last)
        if share > _POOR and len(queries) >= _MANY:
            return first * GROUP
        yield from _take(view, queries, remaining, counts, first * GROUP, kept)
        if last < view.groups:
            limit = np.minimum(limit, asked.limit(kept.worst))
    tally.end()
    return view.count


def _take(view: View, queries: Array, bits: Array, counts: Array, start: int, kept: Kept) -> Drive:
    """Measure the rows of bits, which count from row `start`, and keep the nearest."""
    for first, last in _portions(counts):
        owners, rows = places(bits[first:last])
        rows += np.int32(start)
        found = yield from measure(view, queries[first:last], owners, rows)
        kept.add(first, last, owners, rows, found)


def _portions(counts: Array) -> Generator[tuple[int, int], None, None]:
    """Queries that are measured together: not too many rows at a time."""
    first, total = 0, 0
    for i, count in enumerate(counts.tolist()):
        if total and total + count > _ROWS:
            yield first, i
            first, total = i, 0
        total += count
    yield first, len(counts)


def measure(view: View, queries: Array, owners: Array, rows: Array) -> Drive:
    """The distances of rows to their queries."""
    device, vectors, shown = view.device, view.vectors, view.shown
    if not len(rows):
        return np.empty(0)
    many = shown is None and rows.size * view.dim > _GATHERED
    few = rows.size * view.dim <= SOON_MEASURED and device.limits.shared
    if many or few or "f64" not in device.limits.dtypes:
        return measured_here(vectors, queries, owners, rows, view.metric)
    if shown is None:  # the device gets the rows that are measured, and no others
        vectors, rows = vectors[rows], np.arange(len(rows), dtype=np.int32)
        shown = device.buffer(vectors)
    assert view.cuts is not None
    sums = device.empty((len(rows), view.cuts.shape[0] - 1), "f64")
    kernel = _SUMS.get(view.metric, kernels.sum_products)
    inputs = [device.from_numpy(a) for a in (rows, owners, queries)]
    yield device.submit(kernel, (*inputs, shown, view.cuts), sums)
    total = combined(sums.to_numpy(copy=None), view.dim)
    return distances_of(total, vectors, queries, owners, rows, view.metric)
