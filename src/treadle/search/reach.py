"""The rows within reach of few queries: one scan, which keeps every bound.

In: part of a view, queries as bytes. Out: those rows whose lower bound is not above the best limit
that the scan itself gives, and which query each belongs to. Where many queries would write more
bounds than they read bytes, nearest.py scans twice and keeps bits instead. Knows no distances.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from treadle.runtime.command import Command
from treadle.search import kernels
from treadle.search.bounds import BLOCK, GROUP
from treadle.search.table import Array, CodedQueries, View

__all__ = ["spans", "within_reach"]

_BLOCKS = GROUP // BLOCK
_BOUNDS = 1 << 21  # that are kept at a time, about


def spans(groups: int, count: int, wanted: int) -> Iterator[tuple[int, int]]:
    """The groups to scan, from one to below another, for `count` queries."""
    each = max(_BOUNDS // (GROUP * count), 2 * wanted)
    each = -(-groups // -(-groups // each))  # about the same for all
    for first in range(0, groups, each):
        yield first, min(first + each, groups)


def within_reach(
    view: View,
    asked: CodedQueries,
    alive: Array | None,
    wanted: int,
    worst: Array,
    span: tuple[int, int],
) -> Generator[Command, None, tuple[Array, Array]]:
    """Scan some groups; give owners and rows, in order, that may be among the `wanted` nearest.
    `worst` is how far those are that were found before."""
    device, words = view.device, asked.coded.words
    assert view.codes is not None
    assert view.numbers is not None
    assert view.all_alive is not None
    count, (first, last) = len(words), span
    groups = last - first
    live = view.all_alive if alive is None else device.from_numpy(alive)
    rows = (view.codes, view.numbers, live)
    if groups < view.groups:
        blocks = slice(first * _BLOCKS, last * _BLOCKS)
        rows = (view.codes[blocks], view.numbers[blocks], live[first:last])
    given = device.from_numpy(words), device.from_numpy(asked.coded.numbers)
    kept = device.empty((count, groups * (GROUP + 2)), "f32")
    yield device.submit(kernels.byte_reach, (*rows, *given), kept)
    bounds = kept.to_numpy(copy=None)
    limit = np.full(count, np.inf, np.float32)
    if groups > wanted:
        best = np.partition(bounds[:, :groups], wanted - 1, axis=1)
        limit = asked.widened(best[:, wanted - 1])
    if np.isfinite(worst).any():
        limit = np.minimum(limit, asked.limit(worst))
    edge = limit[:, None]
    owners, near = np.nonzero(bounds[:, groups : 2 * groups] <= edge)
    lower = bounds[:, 2 * groups :].reshape(count, groups, GROUP)[owners, near]
    which, lane = np.nonzero(lower <= edge[owners])
    found = (near[which] + first) * GROUP + lane
    return owners[which].astype(np.int32), found.astype(np.int32)
