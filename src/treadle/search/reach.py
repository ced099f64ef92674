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
from treadle.search.bounds import BLOCK, GROUP, Coded
from treadle.search.runs import Runs
from treadle.search.table import Array, CodedQueries, View

__all__ = ["Rows", "ScanRoom", "some_groups", "spans", "within_reach", "within_view"]

Rows = tuple[Buffer, Buffer, Buffer]

_BLOCKS = GROUP // BLOCK
_BOUNDS = 1 << 21  # that are kept at a time, about
_SIZES = 64  # numbers of groups that a room has memory for


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


class ScanRoom:
    """Memory for scans of one query on a device that shares it, to be used again: for few rows it
    takes longer to have memory than to scan. One search at a time has it."""

    def __init__(self, device: Device, asked: Coded) -> None:
        self._device = device
        self._given = [device.buffer(each) for each in asked]
        self._asked = [each.to_numpy(copy=False) for each in self._given]
        self._bounds: dict[int, tuple[Buffer, Array]] = {}

    def scan(self, rows: Rows, asked: Coded) -> Generator[Command, None, Array]:
        """Scan groups, and give the bounds; they are good until the next scan."""
        for held, given in zip(self._asked, asked, strict=True):
            held[...] = given
        groups = int(rows[2].shape[0])
        if groups not in self._bounds:
            if len(self._bounds) >= _SIZES:
                self._bounds.clear()
            made = self._device.empty((1, groups * (GROUP + 2)), "f32")
            self._bounds[groups] = made, made.to_numpy(copy=False)
        kept, bounds = self._bounds[groups]
        yield self._device.submit(kernels.byte_reach, (*rows, *self._given), kept)
        return bounds


def within_reach(
    device: Device,
    rows: Rows,
    asked: CodedQueries,
    wanted: int,
    worst: Array,
    rooms: Runs[ScanRoom] | None = None,
) -> Generator[Command, None, tuple[Array, Array]]:
    """Scan groups; give owners and rows, in order, that may be among the `wanted` nearest; rows
    count from the first group. `worst` is how far those are that were found before. `rooms` has
    memory of earlier scans of one query."""
    count, groups = len(asked.coded.words), int(rows[2].shape[0])
    again, room = (False, None) if rooms is None or count > 1 else rooms.take(None)
    if rooms is not None and again:
        room = room or ScanRoom(device, asked.coded)
        bounds = yield from room.scan(rows, asked.coded)
        found = _chosen(bounds, groups, asked, wanted, worst)
        rooms.give(None, room)
        return found
    given = [device.from_numpy(each) for each in asked.coded]
    kept = device.empty((count, groups * (GROUP + 2)), "f32")
    yield device.submit(kernels.byte_reach, (*rows, *given), kept)
    return _chosen(kept.to_numpy(copy=None), groups, asked, wanted, worst)


def within_view(
    view: View,
    span: tuple[int, int],
    asked: CodedQueries,
    alive: Array | None,
    wanted: int,
    worst: Array,
) -> Generator[Command, None, tuple[Array, Array]]:
    """Scan some groups of a view, as within_reach does."""
    rows = _rows(view, alive)
    if span != (0, view.groups):
        return (yield from within_reach(view.device, some_groups(rows, span), asked, wanted, worst))
    rooms: Runs[ScanRoom] | None = view.memo.get(__name__)
    if rooms is None:
        rooms = view.memo.setdefault(__name__, Runs())
    return (yield from within_reach(view.device, rows, asked, wanted, worst, rooms))


def _rows(view: View, alive: Array | None) -> Rows:
    assert view.codes is not None
    assert view.numbers is not None
    assert view.all_alive is not None
    live = view.all_alive if alive is None else view.device.from_numpy(alive)
    return view.codes, view.numbers, live


def _chosen(
    bounds: Array, groups: int, asked: CodedQueries, wanted: int, worst: Array
) -> tuple[Array, Array]:
    """Owners and rows whose lower bounds are within the limit that the upper ones give."""
    count = len(bounds)
    limit = np.full(count, np.inf, np.float32)
    if groups > wanted:
        best = np.partition(bounds[:, :groups], wanted - 1, axis=1)
        limit = asked.widened(best[:, wanted - 1])
    if np.isfinite(worst).any():
        limit = np.minimum(limit, asked.limit(worst))
    if count == 1:
        near = np.flatnonzero(bounds[0, groups : 2 * groups] <= limit[0])
        lower = bounds[0, 2 * groups :].reshape(groups, GROUP)[near]
        at = np.flatnonzero(lower <= limit[0]).astype(np.int32)
        found = near.astype(np.int32)[at // GROUP] * np.int32(GROUP) + at % GROUP
        return np.zeros(len(at), np.int32), found
    edge = limit[:, None]
    owners, near = np.nonzero(bounds[:, groups : 2 * groups] <= edge)
    lower = bounds[:, 2 * groups :].reshape(count, groups, GROUP)[owners, near]
    which, lane = np.nonzero(lower <= edge[owners])
    found = near[which] * GROUP + lane
    return owners[which].astype(np.int32), found.astype(np.int32)
