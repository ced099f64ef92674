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
from treadle.search.kept import Kept
from treadle.search.measure import norms
from treadle.search.table import Array, Metric, View

__all__ = ["by_bits", "by_products"]

Rows = Callable[[Array, Array], Generator[Command, None, None]]
_HELD = 1 << 21  # products that exist at a time


def by_products(
    view: View,
    queries: Array,
    alive: Array | None,
    wanted: int,
    kept: Kept,
    measure: Rows,
    start: int,
) -> Generator[Command, None, None]:
    """Find the nearest rows from row `start` on by products of matrices; `measure(owners, rows)`
    measures rows and keeps the nearest."""
    exact = queries.astype(np.float64)
    if view.metric == Metric.L2:
        exact = exact - view.mean
    lengths = norms(exact)
    least = 2.0**-45 * (view.dim + 16)  # of the product of two lengths: far more than f64 loses
    each = max(_HELD // len(queries), 4 * wanted, 256)
    for first in range(start, view.count, each):
        part = view.vectors[first : min(first + each, view.count)].astype(np.float64)
        if view.metric == Metric.L2:
            part -= view.mean
        own = norms(part)
        dead = None if alive is None else ~_bits(alive, first, len(part))
        with np.errstate(over="ignore", invalid="ignore"):
            compared = exact @ part.T
            if view.metric == Metric.L2:
                compared *= -2.0
                compared += own * own
                limit = kept.worst**2 - lengths**2
                reach = np.where(np.isinf(kept.worst), 0.0, kept.worst)
                slack = ((lengths + own.max(initial=0.0)) ** 2 + reach**2) * least
            elif view.metric == Metric.COSINE:
                both = lengths[:, None] * own
                np.divide(-compared, both, out=compared, where=both > 0)
                limit, slack = kept.worst - 1.0, np.full(len(queries), least)
            else:
                np.negative(compared, out=compared)
                limit, slack = kept.worst, lengths * own.max(initial=0.0) * least
            if dead is not None:
                compared[:, dead] = np.inf
            # What the measured distances may have lost is as little as what the products have.
            edge = np.where(np.isnan(limit), np.inf, limit)
            if compared.shape[1] > wanted:
                reached = np.partition(compared, wanted - 1, axis=1)[:, wanted - 1]
                edge = np.minimum(edge, reached + slack)
            near = ~(compared > (edge + slack)[:, None])
        if dead is not None:
            near[:, dead] = False
        owners, rows = (found.astype(np.int32) for found in np.nonzero(near))
        yield from measure(owners, rows + np.int32(first))


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
