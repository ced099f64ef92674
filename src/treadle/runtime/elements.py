"""Parts of buffers: a[...] and a[...] = value.

In: a buffer, an index and, for assignment, a value. Out: views where what is named lies together,
else what kernels gather; assignment is a kernel over the rows that it touches, in place. All of it
takes its place in the order of commands. Only conditions, whose number of hits is a shape, and
positions that are assigned to, are read by the host, which waits for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.lang.indexing import Basic, basic, cuts, expanded, is_array, is_condition
from treadle.lang.operators import Operators
from treadle.lang.promotion import is_number
from treadle.runtime.eager import run_now
from treadle.runtime.pairs import as_complex, as_pairs, joined

__all__ = ["assign", "take"]

AXES = 6  # that kernels of parts have numbers for


def take(buffer: Any, index: Any, view: Callable[[int, tuple[int, ...]], Any]) -> Any:
    """Return what an index names; `view` makes a view of so many elements on, in a shape."""
    items = expanded(index, buffer.shape, buffer)
    if buffer.dtype is DType.C64:
        return joined(as_pairs(buffer)[(*items, slice(None))])
    if any(is_array(item) for item in items):
        alone = _single_condition(items)
        if alone is not None:
            return buffer.reshape((1, *buffer.shape))[: int(alone)]
        return _gathered(buffer, items)
    found = basic(items, buffer.shape, buffer)
    place = found.rows(buffer.shape)
    if place is not None:
        return view(place[0], found.shape)
    return run_now(buffer.device, "slice", (buffer,), cuts(found.ranges)).reshape(found.shape)


def _single_condition(items: Sequence[Any]) -> bool | None:
    """What an index says that is one condition of no axes: all of the array, or none of it."""
    first = items[0]
    if not is_array(first) or not is_condition(first) or np.ndim(first):
        return None
    if any(item != slice(None) for item in items[1:]):
        raise LaunchError("index: expected nothing beside a condition of no axes")
    return bool(first)


def _positions(item: Any) -> Any:
    """Positions in an index: a buffer stays one, and what the host has an array."""
    kind = item.dtype if _held(item) else None
    if kind is None:
        array = np.asarray(item)
        array = array if array.size else array.astype(np.int64)
        if array.dtype.kind in "iu":
            return array
        kind = array.dtype
    elif not kind.is_float and kind != "u8":
        return item
    if kind == "u8":
        raise LaunchError(
            "index: a u8 buffer may be meant as a condition or as positions; write `mask != 0` for "
            "a condition, `.astype('s32')` for positions"
        )
    raise LaunchError(f"index: expected whole numbers or a condition, got {kind}")


def _held(item: Any) -> bool:
    """Whether a part of an index is a buffer."""
    return isinstance(item, Operators)


def _as_positions(items: Sequence[Any], buffer: Any) -> list[Any]:
    """An index in which conditions are replaced by the positions of their hits."""
    found: list[Any] = []
    axis = 0
    for item in items:
        if not is_array(item):
            found.append(item)
            axis += item is not None
            continue
        if not is_condition(item):
            found.append(_positions(item))
            axis += 1
            continue
        condition = np.asarray(item)
        size = buffer.shape[axis : axis + condition.ndim]
        if condition.shape != size:
            raise IndexError(
                f"index: a condition of shape {condition.shape} does not fit axes of sizes {size}"
            )
        found += [np.asarray(places) for places in np.nonzero(condition)]
        axis += condition.ndim
    return found


def _gathered(buffer: Any, items: list[Any]) -> Any:
    """What arrays of positions name, after what is basic has been cut out."""
    items = _as_positions(items, buffer)
    items = [np.asarray(item) if _is_whole(item) else item for item in items]
    if None in [item for item in items if not is_array(item)]:
        raise LaunchError("index: new axes and arrays of positions cannot be mixed; see reshape")
    arrays = [place for place, item in enumerate(items) if is_array(item)]
    first, last = arrays[0], arrays[-1]
    if last - first + 1 != len(arrays) or any(
        not is_array(item) and not isinstance(item, slice) for item in items
    ):
        raise LaunchError(
            "index: arrays of positions must stand next to each other, with slices beside them; "
            "index in two steps"
        )
    kept = [slice(None) if is_array(item) else item for item in items]
    source = buffer[tuple(kept)]
    sizes = source.shape[first : last + 1]
    flat = _linear([items[place] for place in arrays], sizes, buffer)
    merged = source.reshape((*source.shape[:first], math.prod(sizes), *source.shape[last + 1 :]))
    return run_now(buffer.device, "gather", (merged, flat), {"axis": first})


def _is_whole(item: Any) -> bool:
    """Whether a part of an index is a number, which beside arrays is an array of one place."""
    return isinstance(item, int | np.integer) and not isinstance(item, bool)


def _linear(arrays: Sequence[Any], sizes: Sequence[int], buffer: Any) -> Any:
    """Positions along several axes as positions along one that holds them all."""
    kind = DType.S32 if math.prod(sizes) < 1 << 31 else DType.S64  # which not every device has
    if all(isinstance(item, np.ndarray) for item in arrays):  # on the host, where they are
        checked = [_wrapped(item, size) for item, size in zip(arrays, sizes, strict=True)]
        linear = np.asarray(np.ravel_multi_index(np.broadcast_arrays(*checked), tuple(sizes)))
        return buffer.device.buffer(linear.astype(kind.numpy))
    total = None
    for item, size in zip(arrays, sizes, strict=True):
        places = item if _held(item) else buffer.device.buffer(_wrapped(item, size))
        if len(arrays) > 1:
            wrapped = run_now(buffer.device, "where", (places < 0, places + size, places))
            places = wrapped.astype(kind)
        total = places if total is None else total * size + places
    return total


def _wrapped(places: Any, size: int) -> Any:
    places = np.asarray(places)
    if places.size and (places.min() < -size or places.max() >= size):
        raise IndexError(f"index: positions from {places.min()} to {places.max()}, of {size}")
    return np.where(places < 0, places + size, places)


# Assignment.


def assign(buffer: Any, index: Any, value: Any) -> None:
    """Write a value to what an index names, in place."""
    items = expanded(index, buffer.shape, buffer)
    if buffer.dtype is DType.C64:
        beside = value if is_number(value) or isinstance(value, complex) else buffer._beside(value)
        as_pairs(buffer)[(*items, slice(None))] = as_pairs(as_complex(beside, buffer.device))
        return
    if any(is_array(item) for item in items):
        _assign_positions(buffer, items, value)
        return
    found = basic(items, buffer.shape, buffer)
    if not math.prod(found.shape):
        return
    place = found.rows(buffer.shape)
    if place is not None:
        _store(buffer[index], value)
        return
    ranges = found.ranges
    target, ranges = _rows(buffer, ranges)
    if len(ranges) > AXES:
        raise LaunchError(f"index: expected at most {AXES} axes to assign to a part of")
    part = _spread(buffer, value, found)
    params = {f"b{d}": r.start for d, r in enumerate(ranges)}
    params |= {f"s{d}": r.step for d, r in enumerate(ranges)}
    shaped = part.reshape(tuple(map(len, ranges)))
    run_now(buffer.device, "_assign", (target, shaped), params, target)


def _rows(buffer: Any, ranges: list[range]) -> tuple[Any, list[range]]:
    """The rows from the first to the last that are touched, and the ranges within them."""
    low, high = min(ranges[0]), max(ranges[0])
    first = range(ranges[0].start - low, ranges[0].stop - low, ranges[0].step)
    return buffer[low : high + 1], [first, *ranges[1:]]


def _store(target: Any, value: Any) -> None:
    """Write a value to the whole of a buffer or view; it is spread as NumPy does."""
    source = _operand(target, value)
    shape = source.shape
    while len(shape) > len(target.shape) and shape[0] == 1:
        shape = shape[1:]
    run_now(target.device, "cast", (source.reshape(shape),), {}, target)


def _operand(buffer: Any, value: Any) -> Any:
    """A value to assign as a buffer; a number takes the dtype of what it is assigned to."""
    if is_number(value):
        whole = not buffer.dtype.is_float
        if whole and (value != value or value != int(value)):
            raise LaunchError(f"value: expected a whole number for {buffer.dtype}, got {value!r}")
        return buffer.device.buffer([int(value) if whole else value], (), buffer.dtype)
    beside = buffer._beside(value)
    if beside is NotImplemented:
        raise LaunchError(f"value: expected numbers or an array, got {type(value).__name__}")
    if beside.dtype.is_float and not buffer.dtype.is_float:
        raise LaunchError(
            f"value: {beside.dtype} does not go into {buffer.dtype} by itself; see astype"
        )
    return beside


def _spread(buffer: Any, value: Any, found: Basic) -> Any:
    """A value as a new buffer of the shape that is assigned to."""
    part = buffer.device.empty(found.shape, buffer.dtype)
    _store(part, value)
    return part


def _assign_positions(buffer: Any, items: list[Any], value: Any) -> None:
    """Write to positions of the first axes: each row learns on the host which entry it gets."""
    device = buffer.device
    if len(items) and _held(items[0]) and is_condition(items[0]):
        condition = items[0]
        if is_number(value) and all(item == slice(None) for item in items[1:]):
            _check_condition(buffer, condition)
            rest = (1,) * (len(buffer.shape) - len(condition.shape))
            mask = condition.reshape((*condition.shape, *rest))
            run_now(device, "where", (mask, _operand(buffer, value), buffer), {}, buffer)
            return
    alone = _single_condition(items)
    if alone is not None:
        if alone:
            _store(buffer, value)
        return
    items = _as_positions(items, buffer)
    count = sum(is_array(item) for item in items)
    if not all(is_array(item) for item in items[:count]) or any(
        item != slice(None) for item in items[count:]
    ):
        raise LaunchError("index: positions to assign to come first, and whole axes after them")
    places = [item.to_numpy() if _held(item) else np.asarray(item) for item in items[:count]]
    sizes, rest = buffer.shape[:count], buffer.shape[count:]
    wrapped = [_wrapped(item, size) for item, size in zip(places, sizes, strict=True)]
    linear = np.asarray(np.ravel_multi_index(np.broadcast_arrays(*wrapped), tuple(sizes)))
    if not linear.size or not math.prod(rest):
        return
    part = device.empty((*linear.shape, *rest), buffer.dtype)
    _store(part, value)
    sources = np.full(math.prod(sizes), -1, np.int32)
    sources[linear.reshape(-1)] = np.arange(linear.size)  # of several, the last
    rows = buffer.reshape((math.prod(sizes), math.prod(rest)))
    entries = part.reshape((linear.size, math.prod(rest)))
    run_now(device, "_assign_rows", (rows, entries, device.buffer(sources)), {}, rows)


def _check_condition(buffer: Any, condition: Any) -> None:
    size = buffer.shape[: len(condition.shape)]
    if condition.shape != size:
        raise IndexError(
            f"index: a condition of shape {condition.shape} does not fit axes of sizes {size}"
        )
