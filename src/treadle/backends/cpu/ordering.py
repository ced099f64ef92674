"""Rows of matrices in order, by NumPy: library routines that kernels.order names.

In: rows as arrays, and whether they are to descend. Out: the same in order, the first few of them,
and where these were; in parts of rows, or of halves of rows, that workers share. Stable where that
can be told, NaN last.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.backends.cpu.narrow import put, wide

__all__ = [
    "distinct",
    "distinct_cost",
    "half_parts",
    "inverse",
    "inverse_cost",
    "inverse_parts",
    "leading",
    "order_cost",
    "places",
    "portion",
    "row_parts",
    "sort",
    "sort_halves",
]

Array = np.ndarray[Any, Any]
Arrays = Sequence[Array]
Shapes = Sequence[tuple[int, ...]]

_LONG = 4096  # elements of a row from which it pays to look for a bound first
_AT_A_TIME = 1 << 15  # elements that are compared with those before them
_SOUGHT = 4096  # values that are looked for at a time
_GROUP = 32  # elements whose best one bounds the search for the best few


def portion(count: int, part: int, parts: int) -> slice:
    """What one of several parts has of so many."""
    return slice(count * part // parts, count * (part + 1) // parts)


def order_cost(outputs: Shapes, inputs: Shapes) -> float:
    """Nanoseconds, about."""
    rows, n = inputs[0]
    return 20_000.0 + 20.0 * rows * n


def row_parts(outputs: Shapes, inputs: Shapes) -> int:
    """How many workers can share the rows."""
    rows, n = inputs[0]
    return max(1, min(rows, 64, rows * n >> 12))


def half_parts(outputs: Shapes, inputs: Shapes) -> int:
    """Every half of a row is a part."""
    return 2 * inputs[0][0]


def sort(outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int) -> None:
    """Rows in order."""
    rows = portion(len(ins[0]), part, parts)
    _sort(outs[0][rows], ins[0][rows], bool(params[0]))


def sort_halves(
    outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int
) -> None:
    """The first elements of rows in order, and the others too."""
    row, run = part // 2, int(params[0])
    half = slice(run, None) if part % 2 else slice(run)
    _sort(outs[0][row, half], ins[0][row, half], bool(params[1]))


def _sort(out: Array, x: Array, descending: bool) -> None:
    if out.dtype.kind == "V":  # bf16
        put(out, np.sort(wide(x), axis=-1))
    else:
        out[...] = x
        out.sort(axis=-1)  # NaN last; not stable, which zeros of both signs alone can tell
    if descending:
        out[...] = out[..., ::-1]


def distinct(outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int) -> None:
    """Where each value of a sorted row begins; beyond the last value, the length of the row."""
    row, out = wide(ins[0]), outs[0]
    end, count, out[0] = len(row), 1, 0
    if row.dtype.kind == "f" and row[-1] != row[-1]:  # NaN, which come last, are one value
        end = int(np.searchsorted(row, np.nan)) + 1
    for low in range(1, end, _AT_A_TIME):  # what NumPy finds in all of it would be twice the row
        high = min(low + _AT_A_TIME, end)
        found = np.flatnonzero(row[low:high] != row[low - 1 : high - 1])
        np.add(found, low, out=out[count : count + len(found)], casting="unsafe")
        count += len(found)
    out[count:] = len(row)


def _begins(row: Array) -> Array:
    """Where another value than the one before is, in a sorted row."""
    found = np.empty(len(row), np.bool_)
    found[0] = True
    np.not_equal(row[1:], row[:-1], out=found[1:])
    if row.dtype.kind == "f" and row[-1] != row[-1]:  # NaN, which come last, are one value
        found[np.searchsorted(row, np.nan) + 1 :] = False
    return found


def inverse(outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int) -> None:
    """The first place of each element in a sorted row that has all of them.

    A part is sorted, so that a few of its values at a time are looked for in a stretch of the row
    that fits into a cache."""
    share = portion(ins[0].size, part, parts)
    mine, row = wide(ins[0].reshape(-1)[share]), wide(ins[1])
    order = _first(mine[None], len(mine), False)[0]
    ordered = mine[order]
    places = np.flatnonzero(_begins(ordered))
    values = ordered[places]
    found = np.empty(len(values), np.int32)
    for low in range(0, len(values), _SOUGHT):
        sought = values[low : low + _SOUGHT]
        start, stop = np.searchsorted(row, sought[[0, -1]])
        found[low : low + _SOUGHT] = start + np.searchsorted(row[start : stop + 1], sought)
    outs[0].reshape(-1)[share][order] = np.repeat(found, np.diff(places, append=len(mine)))


def inverse_cost(outputs: Shapes, inputs: Shapes) -> float:
    """Nanoseconds, about."""
    return 30_000.0 + 40.0 * math.prod(inputs[0])


def inverse_parts(outputs: Shapes, inputs: Shapes) -> int:
    """How many workers can share the elements."""
    return max(1, min(64, math.prod(inputs[0]) >> 18))


def distinct_cost(outputs: Shapes, inputs: Shapes) -> float:
    """Nanoseconds, about."""
    return 20_000.0 + 3.0 * inputs[0][0]


def leading(outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int) -> None:
    """The first few of rows in order, and where they were."""
    rows = portion(len(ins[0]), part, parts)
    x = ins[0][rows]
    found = _leading(wide(x), outs[0].shape[1], bool(params[0]))
    outs[0][rows] = np.take_along_axis(x, found, axis=-1)
    outs[1][rows] = found


def places(outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int) -> None:
    """Where the elements of rows in order were."""
    rows = portion(len(ins[0]), part, parts)
    x = ins[0][rows]
    outs[0][rows] = _leading(wide(x), x.shape[1], bool(params[0]))


def _leading(x: Array, limit: int, descending: bool) -> Array:
    """Positions of the first `limit` elements of each row in sorted order; stable."""
    n = x.shape[1]
    if n >= _LONG and limit * 2 * _GROUP <= n:
        return np.stack([_few(row, limit, descending) for row in x])
    return _first(x, limit, descending)


def _keys(x: Array, descending: bool) -> Array:
    """Unsigned integers in the order of x, NaN last and all NaN equal; descending, NaN first."""
    kind, wide = x.dtype.kind, x.dtype.itemsize == 8
    unsigned: Any = np.uint64 if wide else np.uint32
    sign = unsigned(1) << unsigned(63 if wide else 31)
    if kind == "u":
        keys: Array = x.astype(unsigned)
    elif kind == "i":
        keys = x.view(unsigned) ^ sign
    else:
        signed: Any = np.int64 if wide else np.int32
        keys = (x + x.dtype.type(0)).view(unsigned)  # -0 becomes 0, which it equals
        turned = keys.view(signed) >> signed(63 if wide else 31)
        turned |= signed(np.iinfo(signed).min)
        keys ^= turned.view(unsigned)
        lost = np.isnan(x)
        if lost.any():
            keys[lost] = ~unsigned(0)
    return np.invert(keys, out=keys) if descending else keys


def _first(x: Array, limit: int, descending: bool) -> Array:
    """Positions of the first `limit` elements of each row in sorted order; stable."""
    n = x.shape[1]
    keys = _keys(x, descending)
    if keys.dtype.itemsize == 8:
        return np.argsort(keys, axis=-1, kind="stable")[:, :limit]
    # Key and position in one integer: a plain sort is a stable argsort, and much quicker.
    packed = np.empty(x.shape, np.uint64)
    halves = packed.view(np.uint32).reshape(*x.shape, 2)
    low = int(sys.byteorder == "little")  # which half is the higher one
    halves[..., low] = keys
    halves[..., 1 - low] = np.arange(n, dtype=np.uint32)
    if limit < n:
        packed.partition(limit - 1, axis=-1)
        packed = packed[:, :limit]
    packed.sort(axis=-1)
    found: Array = packed.astype(np.uint32).view(np.int32)
    return found


def _few(row: Array, limit: int, descending: bool) -> Array:
    """As _first, for one long row of which few elements are wanted.

    The best of `limit` groups are at least as good as a bound, so nothing beyond it is needed."""
    groups = len(row) // _GROUP
    grouped = row[: groups * _GROUP].reshape(_GROUP, groups)
    bests = grouped.max(axis=0) if descending else np.fmin.reduce(grouped, axis=0)
    if descending:
        bound = np.partition(bests, groups - limit)[groups - limit]
        unordered = bests.dtype.kind == "f" and np.isnan(bests).any()
    else:
        bound = np.partition(bests, limit - 1)[limit - 1]
        unordered = bound != bound
    if unordered:
        near = np.arange(len(row))
    else:
        near = np.flatnonzero(row >= bound if descending else row <= bound)
    found: Array = near[_first(row[None, near], limit, descending)[0]]
    return found
