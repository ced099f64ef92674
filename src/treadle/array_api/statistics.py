"""Statistical and utility functions of the standard.

In: arrays and axes. Out: arrays, at once. Sums of integers are int64 (int32 on a device without);
those of floats keep their dtype.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treadle.array_api.given import Array, Axes, array, axes_of, axis_of, call, cast, fresh, kind
from treadle.array_api.given import where_is as _where_is
from treadle.array_api.manipulation import broadcast_to, concat
from treadle.array_api.types import astype, default_integer
from treadle.dtypes import DType, as_dtype

__all__ = [
    "all", "any", "cumulative_prod", "cumulative_sum", "diff", "max", "mean", "min", "prod", "std",
    "sum", "var",
]  # fmt: skip


def _total_dtype(x: Any, dtype: Any) -> DType:
    """The dtype of a sum: integers are added up in the default integer type at least."""
    if dtype is not None:
        return as_dtype(dtype)
    own = kind(x)
    if own.is_integer or own is DType.BOOL:
        whole = default_integer(_where_is(x))
        return own if own.size > whole.size else whole
    return own


def _numbers(x: Any, what: str, *, floats: bool = False) -> DType:
    own = kind(x)
    if own is DType.BOOL or (floats and own.is_integer):
        raise TypeError(f"{what}: expected {'floats' if floats else 'numbers'}, got {own}")
    return own


def _folded(kernel: str, x: Any, axis: Axes, keepdims: bool) -> Any:
    """What a reduction gives along axes; along none at all, its input."""
    if axis == ():
        return call("_copy", x)
    return call(kernel, x, axis=None if axis is None else axes_of(axis, x.ndim), keepdims=keepdims)


def sum(x: Array, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Add elements up along axes, or all of them."""
    wanted = _total_dtype(x, dtype)
    source = x if dtype is None and kind(x) is not DType.BOOL else astype(x, wanted, copy=False)
    return cast(_folded("reduce_sum", source, axis, keepdims), wanted)  # type: ignore[no-any-return]


def prod(x: Array, /, *, axis: Axes = None, dtype: Any = None, keepdims: bool = False) -> Array:
    """Multiply elements along axes, or all of them."""
    wanted = _total_dtype(x, dtype)
    source = astype(x, wanted, copy=False)
    return cast(_folded("reduce_prod", source, axis, keepdims), wanted)  # type: ignore[no-any-return]


def max(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Find the largest element along axes, or of all; NaN if one is NaN."""
    _numbers(x, "max")
    _refuse_nothing("max", x, axis)
    return _folded("reduce_max", x, axis, keepdims)  # type: ignore[no-any-return]


def min(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Find the smallest element along axes, or of all; NaN if one is NaN."""
    _numbers(x, "min")
    _refuse_nothing("min", x, axis)
    return _folded("reduce_min", x, axis, keepdims)  # type: ignore[no-any-return]


def _refuse_nothing(what: str, x: Any, axis: Axes) -> None:
    if not math.prod(x.shape[d] for d in axes_of(axis, x.ndim)):
        raise ValueError(f"{what}: there is none of nothing; shape {x.shape}, axis {axis}")


def mean(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Average elements along axes, or all of them."""
    own = _numbers(x, "mean", floats=True)
    return cast(_folded("reduce_mean", x, axis, keepdims), own)  # type: ignore[no-any-return]


def var(
    x: Array, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    """Compute the variance along axes, or of all; the divisor is the count less `correction`."""
    own = _numbers(x, "var", floats=True)
    count = math.prod(x.shape[d] for d in axes_of(axis, x.ndim))
    apart: Any = x - mean(x, axis=axis, keepdims=True)
    total = _folded("reduce_sum", apart * apart, axis, keepdims)
    divisor = count - correction
    if divisor <= 0:  # NumPy divides by 0
        return cast(total / 0.0, own)  # type: ignore[no-any-return]
    return cast(total / float(divisor), own)  # type: ignore[no-any-return]


def std(
    x: Array, /, *, axis: Axes = None, correction: float = 0.0, keepdims: bool = False
) -> Array:
    """Compute the standard deviation along axes, or of all; see `var`."""
    found = var(x, axis=axis, correction=correction, keepdims=keepdims)
    return call("sqrt", found)  # type: ignore[no-any-return]


def _running(
    kernel: str, first: int, x: Any, axis: int | None, dtype: Any, include_initial: bool
) -> Any:
    if axis is None and array(x).ndim != 1:
        raise ValueError(f"axis: expected one of {x.ndim}, got None")
    wanted = _total_dtype(x, dtype)
    place = axis_of(0 if axis is None else axis, x.ndim)
    source = astype(x, wanted, copy=False)
    empty = 0 in x.shape
    made = source if empty else cast(call(kernel, source, axis=place), wanted)
    if not include_initial:
        return made
    shape = (*x.shape[:place], 1, *x.shape[place + 1 :])
    return concat([fresh(np.full(shape, first), wanted, x), made], axis=place)


def cumulative_sum(
    x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    """Add elements up along an axis, step by step; with `include_initial`, from 0 on."""
    return _running("cumsum", 0, x, axis, dtype, include_initial)  # type: ignore[no-any-return]


def cumulative_prod(
    x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> Array:
    """Multiply elements along an axis, step by step; with `include_initial`, from 1 on."""
    return _running("cumprod", 1, x, axis, dtype, include_initial)  # type: ignore[no-any-return]


# Utility.


def all(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Say whether all elements along axes, or all there are, are other than 0."""
    return _folded("_all", x, axis, keepdims) != 0  # type: ignore[no-any-return]


def any(x: Array, /, *, axis: Axes = None, keepdims: bool = False) -> Array:
    """Say whether one of the elements along axes, or of all, is other than 0."""
    return _folded("_any", x, axis, keepdims) != 0  # type: ignore[no-any-return]


def diff(
    x: Array,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Array | None = None,
    append: Array | None = None,
) -> Array:
    """Compute the differences of neighbours along an axis, n times over."""
    place = axis_of(axis, array(x).ndim)
    parts = [part for part in (prepend, x, append) if part is not None]
    sized = [_beside_axis(part, x, place) for part in parts]
    found: Any = concat(sized, axis=place) if len(sized) > 1 else x
    before = (slice(None),) * place
    for _ in range(n):
        later, earlier = found[(*before, slice(1, None))], found[(*before, slice(None, -1))]
        found = later ^ earlier if kind(found) is DType.BOOL else later - earlier
    return found  # type: ignore[no-any-return]


def _beside_axis(part: Any, x: Any, place: int) -> Any:
    """What is put before or after, in the shape that it needs beside an axis."""
    if part.ndim:
        return part
    return broadcast_to(part, (*x.shape[:place], 1, *x.shape[place + 1 :]))
