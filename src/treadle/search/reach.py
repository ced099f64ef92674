"""The rows within reach of few queries: one scan, which keeps every bound.

In: rows and queries as bytes. Out: those rows whose lower bound is not above the best limit
that the scan itself gives, and which query each belongs to. Where many queries would write more
bounds than they read bytes, nearest.py scans twice and keeps bits instead. Knows no distances.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

import numpy as np

from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.device import Device
from treadle.search import kernels
from treadle.search.bounds import BLOCK, GROUP
from treadle.search.table import Array, CodedQueries

__all__ = ["Rows", "some_groups", "spans", "within_reach"]

Rows = tuple[Buffer, Buffer, Buffer]

_BLOCKS = GROUP // BLOCK
_BOUNDS = 1 << 21  # that are kept at a time, about


def spans(groups: int, count: int, wanted: int) -> Iterator[tuple[int, int]]:
    """The groups to scan, from one to below another, for `count` queries."""
    each = max(_BOUNDS // (GROUP * count), 2 * wanted)
    each = -(-groups // -(-groups // each))  # about the same for all
    for first in range(0, groups, each):
        yield first, min(first + each, groups)


def some_groups(rows: Rows, span: tuple[int, int]) -> Rows:
    """Codes, numbers and bits of the living of some groups, from one to below another."""
    codes, numbers, alive = rows
    first, last = span
    blocks = slice(first * _BLOCKS, last * _BLOCKS)
    return codes[blocks], numbers[blocks], alive[first:last]


def within_reach(
    device: Device, rows: Rows, asked: CodedQueries, wanted: int, worst: Array
) -> Generator[Command, None, tuple[Array, Array]]:
    """Scan groups; give owners and rows, in order, that may be among the `wanted` nearest; rows
    count from the first group. `worst` is how far those are that were found before."""
    count, groups = len(asked.coded.words), int(rows[2].shape[0])
    given = [device.from_numpy(each) for each in asked.coded]
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
    found = near[which] * GROUP + lane
    return owners[which].astype(np.int32), found.astype(np.int32)
