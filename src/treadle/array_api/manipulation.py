"""Manipulation functions of the standard: the same elements in other shapes and at other places.

In: arrays and shapes. Out: arrays; a view of the same memory where the elements stay where they
are (reshape, squeeze, expand_dims), else what a kernel copies.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treadle.array_api.given import Array, array, axes_of, axis_of, call, cast, fresh, kind
from treadle.array_api.types import result_type
from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.runtime.buffer import Buffer

__all__ = [
    "broadcast_arrays", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis",
    "permute_dims", "repeat", "reshape", "roll", "squeeze", "stack", "tile", "unstack",
]  # fmt: skip


def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    """Copy an array into a shape that it broadcasts to."""
    wanted = tuple(shape)
    own = array(x).shape
    lead = len(wanted) - len(own)
    if lead < 0 or any(n not in (1, m) for n, m in zip(own, wanted[max(lead, 0) :], strict=True)):
        raise ValueError(f"shape: {own} does not broadcast to {wanted}")
    return call("expand", x.reshape((1,) * lead + own), shape=wanted)  # type: ignore[no-any-return]


def broadcast_arrays(*arrays: Array) -> list[Array]:
    """Copy arrays into the shape that they broadcast to together."""
    try:
        shape = np.broadcast_shapes(*[array(x).shape for x in arrays])
    except ValueError as error:
        raise ValueError(f"arrays: {error}") from None
    return [x if x.shape == shape else broadcast_to(x, shape) for x in arrays]


def concat(arrays: tuple[Array, ...] | list[Array], /, *, axis: int | None = 0) -> Array:
    """Join arrays along an axis that they have; axis=None flattens them first."""
    if not arrays:
        raise ValueError("arrays: expected at least one")
    found: list[Any] = list(arrays)
    if axis is None:
        found, axis = [x.reshape((-1,)) if x.shape else x.reshape((1,)) for x in found], 0
    ndim = array(found[0]).ndim
    place = axis_of(axis, ndim)
    rest = {(*x.shape[:place], *x.shape[place + 1 :]) for x in found}
    if len(rest) > 1 or any(x.ndim != ndim for x in found):
        raise ValueError(f"arrays: shapes {[x.shape for x in found]} differ beside axis {axis}")
    wanted = result_type(*found)
    parts = [cast(x, wanted) for x in found]
    parts = [x for x in parts if x.shape[place]] or parts[:1]
    if len(parts) == 1 or not math.prod(parts[0].shape):
        total = sum(x.shape[place] for x in parts)
        if total == parts[0].shape[place]:
            return call("_copy", parts[0])  # type: ignore[no-any-return]
        shape = (*parts[0].shape[:place], total, *parts[0].shape[place + 1 :])
        return fresh(np.zeros(shape), wanted, *parts)  # type: ignore[no-any-return]
    return call("concat", *parts, axis=place)  # type: ignore[no-any-return]


def stack(arrays: tuple[Array, ...] | list[Array], /, *, axis: int = 0) -> Array:
    """Join arrays of one shape along a new axis."""
    if not arrays:
        raise ValueError("arrays: expected at least one")
    place = axis_of(axis, array(arrays[0]).ndim + 1)
    return concat([expand_dims(x, axis=place) for x in arrays], axis=place)


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """Split an array along an axis into arrays without that axis."""
    moved = moveaxis(x, axis, 0)
    return tuple(moved[k] for k in range(moved.shape[0]))


def expand_dims(x: Array, /, axis: int = 0) -> Array:
    """View an array with a new axis of size 1."""
    ndim = array(x).ndim + 1
    if not -ndim <= axis < ndim:
        raise IndexError(f"axis: expected one of {ndim}, got {axis}")
    place = axis % ndim
    return x.reshape((*x.shape[:place], 1, *x.shape[place:]))


def squeeze(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """View an array without some of its axes of size 1."""
    gone = axes_of(axis, array(x).ndim)
    if any(x.shape[place] != 1 for place in gone):
        raise ValueError(f"axis: {axis!r} of shape {x.shape} is not of size 1")
    return x.reshape(tuple(n for place, n in enumerate(x.shape) if place not in gone))


def reshape(x: Array, /, shape: int | tuple[int, ...], *, copy: bool | None = None) -> Array:
    """View an array in another shape of as many elements, of which one size may be -1.

    With copy=True the elements are copied."""
    found: Any = array(x)
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    if isinstance(found, Buffer) and copy:
        found = found.copy()
    return found.reshape(sizes)  # type: ignore[no-any-return]


def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """Copy an array with its axes in another order."""
    order = tuple(axis_of(axis, array(x).ndim) for axis in axes)
    if sorted(order) != list(range(x.ndim)):
        raise ValueError(f"axes: expected each of {x.ndim} axes once, got {axes!r}")
    if order == tuple(range(x.ndim)):
        return call("_copy", x)  # type: ignore[no-any-return]
    return call("transpose", x, axes=order)  # type: ignore[no-any-return]


def moveaxis(
    x: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...], /
) -> Array:
    """Copy an array with some of its axes at other places, the others in their order."""
    sources, places = axes_of(source, array(x).ndim), axes_of(destination, x.ndim)
    if len(sources) != len(places):
        raise ValueError(
            f"expected as many destinations as sources, got {source} and {destination}"
        )
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return permute_dims(x, tuple(order))


def flip(x: Array, /, *, axis: int | tuple[int, ...] | None = None) -> Array:
    """Copy an array with the order of its elements reversed along axes."""
    turned = axes_of(axis, array(x).ndim)
    if not turned:
        return call("_copy", x)  # type: ignore[no-any-return]
    if math.prod(x.shape) == 0:
        return x
    found: Any = x
    for group in (turned[:4], turned[4:]):
        if group:
            found = found[
                tuple(slice(None, None, -1 if d in group else None) for d in range(x.ndim))
            ]
    return found  # type: ignore[no-any-return]


def roll(
    x: Array,
    /,
    shift: int | tuple[int, ...],
    *,
    axis: int | tuple[int, ...] | None = None,
) -> Array:
    """Copy an array with its elements moved along axes; what leaves at one end comes in at the
    other. Without axes all elements move in their order."""
    if axis is None:
        flat = array(x).reshape((x.num_elements if isinstance(x, Buffer) else math.prod(x.shape),))
        total = sum(shift) if isinstance(shift, tuple) else shift
        return roll(flat, total, axis=0).reshape(x.shape)
    axes = axis if isinstance(axis, tuple) else (axis,)
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(axes)
    if len(axes) == 1 and len(shifts) > 1:
        axes *= len(shifts)
    if len(shifts) != len(axes):
        raise ValueError(f"shift: expected {len(axes)} numbers, got {shift!r}")
    found: Any = x
    for count, place in zip(shifts, (axis_of(each, array(x).ndim) for each in axes), strict=True):
        size = x.shape[place]
        cut = -count % size if size else 0
        if cut:
            before = (slice(None),) * place
            found = concat(
                [found[(*before, slice(cut, None))], found[(*before, slice(None, cut))]],
                axis=place,
            )
    return call("_copy", x) if found is x else found  # type: ignore[no-any-return]


def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    """Copy an array several times side by side along its axes."""
    return call("tile", array(x), repeats=tuple(repetitions))  # type: ignore[no-any-return]


def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Copy an array with each element repeated; axis=None flattens it first.

    Where `repeats` is an array, the shape depends on what it holds, and this waits for it."""
    found: Any = array(x)
    if axis is None:
        found, axis = found.reshape((math.prod(found.shape),)), 0
    place = axis_of(axis, found.ndim)
    size = found.shape[place]
    if isinstance(repeats, Buffer) and repeats.num_elements == 1:
        repeats = int(repeats.item())
    if isinstance(repeats, int):
        before, after = found.shape[: place + 1], found.shape[place + 1 :]
        several = call(
            "expand", found.reshape((*before, 1, *after)), shape=(*before, repeats, *after)
        )
        return several.reshape((*before[:-1], size * repeats, *after))  # type: ignore[no-any-return]
    counts = _counts(repeats, size)
    places = np.repeat(np.arange(size), counts)
    return call("gather", found, fresh(places, DType.S32, found), axis=place)  # type: ignore[no-any-return]


def _counts(repeats: Any, size: int) -> Any:
    if not kind(repeats).is_integer:
        raise TypeError(f"repeats: expected integers, got {repeats.dtype}")
    if not isinstance(repeats, Buffer):
        raise LaunchError(
            "repeats: how often elements are repeated is a shape, which is not known while a "
            "function is traced; expected an int"
        )
    if repeats.shape != (size,):
        raise ValueError(f"repeats: expected {size} numbers, got shape {repeats.shape}")
    return repeats.to_numpy()
