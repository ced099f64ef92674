"""Searching, sorting, set and indexing functions of the standard.

In: arrays. Out: arrays, at once; but how many elements nonzero and the unique functions find is a
shape, so those wait for their input, and NumPy computes them on the host. Positions are int32.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from treadle.array_api.given import (
    Array,
    Axes,
    Number,
    array,
    axis_of,
    beside,
    call,
    cast,
    fresh,
    kind,
    pair,
)  # fmt: skip
from treadle.array_api.manipulation import broadcast_to
from treadle.array_api.statistics import sum
from treadle.array_api.types import result_type
from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.lang.promotion import is_number, with_number
from treadle.runtime.buffer import Buffer

__all__ = [
    "UniqueAll", "UniqueCounts", "UniqueInverse", "argmax", "argmin", "argsort", "count_nonzero",
    "nonzero", "searchsorted", "sort", "take", "take_along_axis", "unique_all", "unique_counts",
    "unique_inverse", "unique_values", "where",
]  # fmt: skip

POSITION = DType.S32


class UniqueAll(NamedTuple):
    """What `unique_all` gives."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """What `unique_counts` gives."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """What `unique_inverse` gives."""

    values: Array
    inverse_indices: Array


# Searching.


def _ordered(x: Any, what: str) -> None:
    if kind(x) is DType.BOOL or not (kind(x).is_integer or kind(x).is_float):
        raise TypeError(f"{what}: expected real numbers, got {kind(x)}")


def argmax(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Find the position of the first largest element along an axis, or among all."""
    _ordered(x, "argmax")
    return call("argmax", x, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]


def argmin(x: Array, /, *, axis: int | None = None, keepdims: bool = False) -> Array:
    """Find the position of the first smallest element along an axis, or among all."""
    _ordered(x, "argmin")
    return call("argmin", x, axis=axis, keepdims=keepdims)  # type: ignore[no-any-return]


def count_nonzero(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Count the elements other than 0 along axes, or all of them."""
    found: Any = array(x) if kind(x) is DType.BOOL else array(x) != 0
    return sum(cast(found, DType.S32), axis=axis, keepdims=keepdims)


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """Find the positions of all elements other than 0: an array for each axis. It waits for x."""
    if not array(x).shape:
        raise ValueError("x: expected at least one axis; an array of none has no positions")
    return tuple(fresh(places, POSITION, x) for places in np.nonzero(_held(x)))


def _held(x: Any) -> Any:
    """What an array holds, which waits for it."""
    if not isinstance(array(x), Buffer):
        raise LaunchError(
            "x: how much is found is a shape, which is not known while a function is traced"
        )
    return x.to_numpy()


def searchsorted(
    x1: Array,
    x2: Array | Number,
    /,
    *,
    side: str = "left",
    sorter: Array | None = None,
) -> Array:
    """Find where in the sorted vector x1, or in one that `sorter` sorts, the elements of x2 go."""
    if side not in ("left", "right"):
        raise ValueError(f"side: expected 'left' or 'right', got {side!r}")
    a, b = pair(x1, x2, same=True)
    if sorter is not None:
        a = take(a, sorter, axis=0)
    return call("searchsorted", a, b, right=side == "right")  # type: ignore[no-any-return]


def where(condition: Array, x1: Array | Number, x2: Array | Number, /) -> Array:
    """Choose elements of x1 where a condition holds, and of x2 elsewhere."""
    if kind(condition) is not DType.BOOL:
        raise TypeError(f"condition: expected bool, got {kind(condition)}; write `!= 0`")
    if is_number(x1) and is_number(x2):
        raise TypeError(f"where: expected an array, got {x1!r} and {x2!r}")
    first: Any = x2 if is_number(x1) else x1
    numbers = [x for x in (x1, x2) if is_number(x)]
    wanted = with_number(kind(first), numbers[0]) if numbers else result_type(x1, x2)
    a, b = (cast(beside(x, first), wanted) for x in (x1, x2))
    return call("where", condition, a, b)  # type: ignore[no-any-return]


# Sorting.


def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Find the positions along an axis that sort an array; equal elements keep their order."""
    _ordered(x, "argsort")
    place = axis_of(axis, x.ndim)
    if not x.shape[place] or 0 in x.shape:
        return fresh(np.zeros(x.shape), POSITION, x)  # type: ignore[no-any-return]
    return call("argsort", x, axis=place, descending=descending)  # type: ignore[no-any-return]


def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Sort an array along an axis; NaN counts as largest."""
    _ordered(x, "sort")
    return call("sort", x, axis=axis_of(axis, x.ndim), descending=descending)  # type: ignore[no-any-return]


# Sets. The shapes of what they find are not known before.


def unique_all(x: Array, /) -> UniqueAll:
    """Find the different elements, where each is first, which one every element is, and how often
    each is there. It waits for x."""
    values, first, inverse, counts = np.unique(
        _held(x), return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    inverse = inverse.reshape(x.shape)
    places = (fresh(each, POSITION, x) for each in (first, inverse, counts))
    return UniqueAll(fresh(values, kind(x), x), *places)


def unique_counts(x: Array, /) -> UniqueCounts:
    """Find the different elements and how often each is there. It waits for x."""
    values, counts = np.unique(_held(x), return_counts=True, equal_nan=False)
    return UniqueCounts(fresh(values, kind(x), x), fresh(counts, POSITION, x))


def unique_inverse(x: Array, /) -> UniqueInverse:
    """Find the different elements, and which one every element is. It waits for x."""
    values, inverse = np.unique(_held(x), return_inverse=True, equal_nan=False)
    return UniqueInverse(fresh(values, kind(x), x), fresh(inverse.reshape(x.shape), POSITION, x))


def unique_values(x: Array, /) -> Array:
    """Find the different elements, in order. It waits for x."""
    return fresh(np.unique(_held(x), equal_nan=False), kind(x), x)  # type: ignore[no-any-return]


# Indexing.


def _positions(indices: Any) -> Any:
    if not kind(indices).is_integer:
        raise TypeError(f"indices: expected integers, got {kind(indices)}")
    known = (DType.S32, DType.S64, DType.U32)
    return indices if kind(indices) in known else cast(indices, POSITION)


def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Array:
    """Copy the entries of an array along an axis that indices name; outside is the edge."""
    if axis is None and array(x).ndim != 1:
        raise ValueError(f"axis: expected one of {x.ndim}, got None")
    place = axis_of(0 if axis is None else axis, x.ndim)
    found = _positions(indices)
    if not x.shape[place] and indices.shape != (0,):
        raise IndexError("x: there is nothing along the axis to take from")
    if 0 in (*x.shape, *indices.shape):
        shape = (*x.shape[:place], *indices.shape, *x.shape[place + 1 :])
        return fresh(np.zeros(shape), kind(x), x)  # type: ignore[no-any-return]
    return call("gather", x, found, axis=place)  # type: ignore[no-any-return]


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Array:
    """Copy entries along an axis that indices name for each place of the other axes."""
    if array(x).ndim != array(indices).ndim:
        raise ValueError(f"indices: expected {x.ndim} axes, got {indices.ndim}")
    place = axis_of(axis, x.ndim)
    rest = [(*s[:place], 1, *s[place + 1 :]) for s in (x.shape, indices.shape)]
    shape = np.broadcast_shapes(*rest)
    sides = []
    for each in (x, _positions(indices)):
        wanted = (*shape[:place], each.shape[place], *shape[place + 1 :])
        sides.append(each if each.shape == wanted else broadcast_to(each, wanted))
    if 0 in (*sides[0].shape, *sides[1].shape):
        return fresh(np.zeros(sides[1].shape), kind(x), x)  # type: ignore[no-any-return]
    return call("gather_elements", *sides, axis=place)  # type: ignore[no-any-return]
