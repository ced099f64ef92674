"""Reductions, arg-reductions, running sums, and order along an axis.

axis is an int, a tuple of them or None (everything), negative ones count from the end; keepdims
keeps reduced axes as size 1. Sums of integers are s64, and wrap there; an s32 or u32 output that is
passed holds their lowest 32 bits. Sums of floats are made in pairs of pairs, so that rounding grows
with the logarithm of their number."""

from __future__ import annotations

import math

from treadle.dtypes import as_dtype
from treadle.errors import LaunchError
from treadle.kernels.check import AXIS, FLAG
from treadle.kernels.order import first_of_rows, sorted_rows
from treadle.kernels.pointwise import converted
from treadle.kernels.shape import checked_axis, copied, transpose
from treadle.lang.decorators import composite, function, reduction, scan

__all__: list[str] = []

REDUCED = "that of x without axis, or with size 1 there for keepdims"
PLACES = f"{REDUCED}; s32"
AXES = "an axis of x, a tuple of them, or None for all; negative ones count from the end"


@reduction(init=0, results="sum")
def reduce_sum(acc, x):
    """The sum; of nothing, 0. Of integers it is s64, or what the output holds."""
    return acc + x


@reduction(init="lowest", dtype="x")
def reduce_max(acc, x):
    """The largest; NaN if any is NaN; of nothing, the type's lowest."""
    return maximum(acc, x)


@reduction(init="highest", dtype="x")
def reduce_min(acc, x):
    """The smallest; NaN if any is NaN; of nothing, the type's highest."""
    return minimum(acc, x)


@function
def divide(acc, count):
    return acc / count


@reduction(init=0.0, finish=divide, name="_mean", results="float")
def mean_of_floats(acc, x):
    """The mean of floats."""
    return acc + x


@function
def quotient(acc, count, *, wide):
    """What is whole and the rest, apart: equal values give exactly that value."""
    whole = acc // count
    rest = acc - whole * count
    if wide:
        return f64(whole) + f64(rest) / f64(count)
    return f32(whole) + f32(rest) / f32(count)


@reduction(init=0, finish=quotient, static=("wide",), name="_mean_of_integers", results="float")
def mean_of_integers(acc, x, *, wide):
    """The mean of integers, which add up without rounding; as f64 if wide, else f32."""
    return acc + x


@composite(ranges={"axis": AXES, "keepdims": FLAG}, gives=REDUCED)
def reduce_mean(x, *, axis=None, keepdims=False):
    """The mean as a float (of floats as they are, f64 of s64, else f32); of nothing, NaN."""
    where = {"axis": axis, "keepdims": keepdims}
    if as_dtype(x.dtype).is_float:
        return mean_of_floats(x, **where)
    return mean_of_integers(x, wide=x.dtype == "s64", **where)


@function
def with_position(at, x):
    return x, at


@function
def position(acc):
    return acc[1]


@function
def first_if(better, same, a, b):
    """a if it is better, or as good and earlier; else b."""
    keep = better or (same and a[1] < b[1])
    return (a[0] if keep else b[0], a[1] if keep else b[1])


@reduction(
    init=("lowest", 2**31 - 1),
    lift=with_position,
    finish=position,
    nonempty=True,
    gives=PLACES,
    results="s32",
)
def argmax(a, b):
    """The position of the largest, the first one if there are several; a NaN counts as largest.

    Of nothing there is none, which is refused."""
    return first_if(
        a[0] > b[0] or (a[0] != a[0] and b[0] == b[0]),
        a[0] == b[0] or (a[0] != a[0] and b[0] != b[0]),
        a,
        b,
    )


@reduction(
    init=("highest", 2**31 - 1),
    lift=with_position,
    finish=position,
    nonempty=True,
    gives=PLACES,
    results="s32",
)
def argmin(a, b):
    """The position of the smallest, the first one if there are several; a NaN counts as
    smallest.

    Of nothing there is none, which is refused."""
    return first_if(
        a[0] < b[0] or (a[0] != a[0] and b[0] == b[0]),
        a[0] == b[0] or (a[0] != a[0] and b[0] != b[0]),
        a,
        b,
    )


@scan(init=0, name="_running", results="sum")
def running(total, x):
    """The running sum of integers."""
    total = total + x
    return total, total


@scan(init=0, name="_running_lines", results="sum", routine="running")
def running_lines(total, x):
    """The same along the last axis, where a device adds inside of lines."""
    total = total + x
    return total, total


@function
def by_sixteens(state, x):
    """Sums with one more: sixteen become one, sixteen of those one again, and so on, so that
    nothing small is added to a sum of very many."""
    a, b, c, d, e, before = state
    taken = (int(before) + 1) & 0xFFFF
    a = a + x
    total = e + (d + (c + (b + a)))
    b = b + a if taken & 0xF == 0 else b
    a = 0.0 if taken & 0xF == 0 else a
    c = c + b if taken & 0xFF == 0 else c
    b = 0.0 if taken & 0xFF == 0 else b
    d = d + c if taken & 0xFFF == 0 else d
    c = 0.0 if taken & 0xFFF == 0 else c
    e = e + d if taken == 0 else e
    d = 0.0 if taken == 0 else d
    return (a, b, c, d, e, taken), total


@scan(init=(0.0, 0.0, 0.0, 0.0, 0.0, 0), name="_running_by_sixteens", results="float")
def running_by_sixteens(state, x):
    """The running sum of floats."""
    return by_sixteens(state, x)


@scan(
    init=(0.0, 0.0, 0.0, 0.0, 0.0, 0),
    name="_running_lines_by_sixteens",
    results="float",
    routine="running",
)
def running_lines_by_sixteens(state, x):
    """The same along the last axis, where a device adds inside of lines."""
    return by_sixteens(state, x)


@composite(ranges={"axis": AXIS}, gives="that of x; s64 for integers, or what the output holds")
def cumsum(x, *, axis=-1):
    """The running sum along axis (default: the last)."""
    axis = checked_axis(x, axis, "cumsum")
    whole = not as_dtype(x.dtype).is_float
    if axis == x.ndim - 1 and x.has_routine("running"):
        return running_lines(x) if whole else running_lines_by_sixteens(x)
    return running(x, axis=axis) if whole else running_by_sixteens(x, axis=axis)


def ordered(x, k, axis, descending):
    """The first k along the axis in order, and their positions; only all of them, for k None."""
    order = (*(a for a in range(x.ndim) if a != axis), axis)
    last = order == tuple(range(x.ndim))
    lined = x if last else transpose(x, axes=order)
    rows = lined.reshape((math.prod(lined.shape[:-1]), lined.shape[-1]))
    back = tuple(order.index(a) for a in range(x.ndim))
    if k is None:
        values = sorted_rows(rows, descending).reshape(lined.shape)
        return values if last else transpose(values, axes=back)
    values, places = first_of_rows(rows, k, descending)
    values = values if values.dtype == x.dtype else converted(values, dtype=x.dtype)
    found = [part.reshape((*lined.shape[:-1], k)) for part in (values, places)]
    return found if last else [transpose(part, axes=back) for part in found]


@composite(dtype="x", ranges={"axis": AXIS, "descending": FLAG}, gives="that of x")
def sort(x, *, axis=-1, descending=False):
    """Sorted along axis (default: the last); NaN counts as largest, and zeros of either sign are
    equal."""
    axis = checked_axis(x, axis, "sort")
    if x.shape[axis] == 0:
        return copied(x)
    return ordered(x, None, axis, bool(descending))


@composite(
    ranges={
        "k": "a whole number from 1 to the size of axis",
        "axis": AXIS,
        "largest": FLAG,
    },
    gives="that of x with k along axis, for values and for positions (s32)",
)
def top_k(x, *, k, axis=-1, largest=True):
    """The k largest (or smallest) along axis, best first, and their positions (s32).

    Ties keep their order; NaN counts as largest."""
    axis = checked_axis(x, axis, "top_k")
    if not isinstance(k, int) or isinstance(k, bool) or not 0 < k <= x.shape[axis]:
        raise LaunchError(
            f"top_k: k must be 1 to {x.shape[axis]}, the size of axis {axis}, got {k!r}"
        )
    return tuple(ordered(x, k, axis, bool(largest)))
