"""Brute force for what bytes do not bound: products of matrices in f64, and counts of bits.

In: a view, queries and those rows that are alive. Out: what the nearest rows are chosen from, given
to `Kept`. A product bounds a distance as bytes do, with a far smaller error, so that only rows
close to the limit are measured again; bits are counted, and need no bound. Both go block by block,
and each block's distances are the limit of the next. Knows no bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np

from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.search.kept import Kept, some
from treadle.search.measure import norms
from treadle.search.table import Array, Metric, View

__all__ = ["by_bits", "by_distance", "by_products"]

Measure = Callable[[int, int, Array, Array], Generator[Command, None, None]]
_HELD = 1 << 21  # products that exist at a time
_BEGIN = 1 << 12  # rows whose distances are the first limit
_MOST = 1 << 15  # rows between two limits
_DENSE = 1 << 18  # rows and queries that are measured at a time


def by_products(
    view: View, queries: Array, rows: Array, wanted: int, kept: Kept, measure: Measure
) -> Generator[Command, None, None]:
    """Find the nearest of some rows, which ascend, by products of matrices;
    `measure(first, last, owners, rows)` measures rows and keeps the nearest.

    A few rows come first, whose distances are the limit of twice as many, and so on."""
    asked = _Products(view, queries)
    start, size = 0, max(4 * wanted, _BEGIN)
    each = max(_HELD // max(len(queries), view.dim), 2 * wanted)  # few products: threads meet
    while start < len(rows):
        block = rows[start : start + size]
        found = [
            asked.near(block[at : at + each], wanted, kept.worst)
            for at in range(0, len(block), each)
        ]
        owners, near = (np.concatenate(parts) for parts in zip(*found, strict=True))
        if len(found) > 1:
            order = np.argsort(owners, kind="stable")
            owners, near = owners[order], near[order]
        yield from measure(0, len(queries), owners, near)
        start, size = start + len(block), min(max(start + len(block), _BEGIN), _MOST)


class _Products:
    """Queries that are compared with rows by products in f64."""

    def __init__(self, view: View, queries: Array) -> None:
        self._view = view
        exact = queries.astype(np.float64)
        self._exact = exact - view.mean if view.metric == Metric.L2 else exact
        self._lengths = norms(self._exact)
        # Of the product of two lengths: far more than f64 loses.
        self._least = 2.0**-45 * (view.dim + 16)

    def near(self, rows: Array, wanted: int, worst: Array) -> tuple[Array, Array]:
        """Those of some rows that may be nearer than others and than `worst`, query by query."""
        view, lengths, least = self._view, self._lengths, self._least
        whole = int(rows[-1]) - int(rows[0]) + 1 == len(rows)  # they are neighbours
        taken = slice(int(rows[0]), int(rows[-1]) + 1) if whole else rows
        part = view.vectors[taken].astype(np.float64)
        if view.metric == Metric.L2:
            part -= view.mean
        squares = np.einsum("ij,ij->i", part, part)
        own = np.sqrt(squares)
        longest = own.max(initial=0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            if view.metric == Metric.L2:
                compared = (-2.0 * self._exact) @ part.T
                compared += squares
                limit = worst**2 - lengths**2
                reach = np.where(np.isinf(worst), 0.0, worst)
                slack = ((lengths + longest) ** 2 + reach**2) * least
            elif view.metric == Metric.COSINE:
                compared = self._exact @ part.T
                both = lengths[:, None] * own
                np.divide(-compared, both, out=compared, where=both > 0)
                limit, slack = worst - 1.0, np.full(len(lengths), least)
            else:
                compared = -self._exact @ part.T
                limit, slack = worst, lengths * longest * least
            # What the measured distances may have lost is as little as what the products have.
            edge = np.where(np.isnan(limit), np.inf, limit)
            if len(rows) > wanted and np.isinf(worst).any():
                reached = np.partition(compared, wanted - 1, axis=1)[:, wanted - 1]
                edge = np.minimum(edge, reached + slack)
            passed = compared > (edge + slack)[:, None]
        owners, at = np.divmod(some(~passed.reshape(-1)), len(rows))
        return owners.astype(np.int32), rows[at].astype(np.int32)


def by_distance(
    view: View, queries: Array, rows: Array, measure: Measure
) -> Generator[Command, None, None]:
    """Measure all of some rows for every query: few queries, or few rows."""
    count = max(1, _DENSE // max(len(rows), 1))
    for first in range(0, len(queries), count):
        last = min(first + count, len(queries))
        for start in range(0, len(rows), _DENSE):
            part = rows[start : start + _DENSE]
            owners = np.repeat(np.arange(last - first, dtype=np.int32), len(part))
            every = part if last - first == 1 else np.tile(part, last - first)
            yield from measure(first, last, owners, every)


def by_bits(
    view: View, queries: Array, alive: Array | None, wanted: int, kept: Kept
) -> Generator[Command, None, None]:
    """Find the rows that differ in the fewest bits."""
    device = view.device
    each = max(_HELD // view.count, 1)
    for start, stop, rows in _portions(view):
        dead = None if alive is None else ~_bits(alive, start, stop - start)
        for first in range(0, len(queries), each):
            part = np.ascontiguousarray(queries[first : first + each])
            command = device.submit("hamming", (device.buffer(part), rows))
            yield command
            found = command.output.to_numpy()
            if dead is not None:
                found[:, dead] = np.iinfo(np.int32).max
            near = np.ones(found.shape, bool)
            if stop - start > wanted:
                reached = np.partition(found, wanted - 1, axis=1)[:, wanted - 1 : wanted]
                near = found <= reached
            if dead is not None:
                near[:, dead] = False
            owners, at = np.nonzero(near)
            differ = found[owners, at].astype(np.float64)
            kept.add(first, first + len(part), owners, at + start, differ)


def _portions(view: View) -> Generator[tuple[int, int, Buffer], None, None]:
    """The rows on the device: all of them, or some of a file at a time."""
    if view.shown is not None:
        yield 0, view.count, view.shown[: view.count]
        return
    each = max(_HELD // max(view.dim // 32, 1), 1)
    for start in range(0, view.count, each):
        stop = min(start + each, view.count)
        yield start, stop, view.device.buffer(np.ascontiguousarray(view.vectors[start:stop]))


def _bits(words: Array, first: int, count: int) -> Array:
    """Which of some rows are alive."""
    start = first // 32
    stop = -(-(first + count) // 32)
    every = np.unpackbits(words[start:stop].astype("<u4").view(np.uint8), bitorder="little")
    return every[first - 32 * start :][:count].astype(bool)
