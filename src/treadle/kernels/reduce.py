"""Reductions, arg-reductions, running sums, and order along an axis.

axis is an int, a tuple of them or None (everything), negative ones count from the end; keepdims
keeps reduced axes as size 1. Sums of integers are s64, and wrap there; an s32 or u32 output that is
passed holds their lowest 32 bits. Sums of floats are made in pairs of pairs, so that rounding grows
with the logarithm of their number; running sums of floats keep what rounding takes from them."""

from __future__ import annotations

import math

from treadle.dtypes import as_dtype
from treadle.errors import LaunchError
from treadle.kernels.check import AXIS, FLAG
from treadle.kernels.order import at_places, first_of_rows, order_of_rows, sorted_rows
from treadle.kernels.pointwise import converted
from treadle.kernels.shape import checked_axis, copied, transpose
from treadle.lang.decorators import composite, function, kernel, reduction, scan

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
def added(total, lost, x):
    """total + x, and what all such sums lost by rounding; nothing is lost that is not finite."""
    larger = total + x
    part = larger - total
    missing = (total - (larger - part)) + (x - part)
    return larger, lost + (missing if missing == missing else 0.0)


@function
def joined(before, after):
    """The sums of elements and of those behind them."""
    return added(before[0], before[1] + after[1], after[0])


@scan(init=(0.0, 0.0), combine=joined, name="_running_floats", results="float")
def running_floats(state, x):
    """The running sum of floats: nothing small is lost beside a sum of very many."""
    total, lost = added(state[0], state[1], x)
    return (total, lost), total + lost


@scan(
    init=(0.0, 0.0),
    combine=joined,
    name="_running_lines_of_floats",
    results="float",
    routine="running",
)
def running_lines_of_floats(state, x):
    """The same along the last axis, where a device adds inside of lines."""
    total, lost = added(state[0], state[1], x)
    return (total, lost), total + lost


@composite(ranges={"axis": AXIS}, gives="that of x; s64 for integers, or what the output holds")
def cumsum(x, *, axis=-1):
    """The running sum along axis (default: the last)."""
    axis = checked_axis(x, axis, "cumsum")
    whole = not as_dtype(x.dtype).is_float
    if axis == x.ndim - 1 and x.has_routine("running"):
        return running_lines(x) if whole else running_lines_of_floats(x)
    return running(x, axis=axis) if whole else running_floats(x, axis=axis)


def lined(x, axis):
    """x as rows along an axis, and what makes arrays with such rows of what is made of them."""
    order = (*(a for a in range(x.ndim) if a != axis), axis)
    last = order == tuple(range(x.ndim))
    turned = x if last else transpose(x, axes=order)
    rows = turned.reshape((math.prod(turned.shape[:-1]), turned.shape[-1]))
    back = tuple(order.index(a) for a in range(x.ndim))

    def restored(made):
        found = made.reshape((*turned.shape[:-1], made.shape[-1]))
        return found if last else transpose(found, axes=back)

    return rows, restored


@composite(dtype="x", ranges={"axis": AXIS, "descending": FLAG}, gives="that of x")
def sort(x, *, axis=-1, descending=False):
    """Sorted along axis (default: the last); NaN counts as largest, and zeros of either sign are
    equal."""
    axis = checked_axis(x, axis, "sort")
    if x.shape[axis] == 0:
        return copied(x)
    rows, restored = lined(x, axis)
    return restored(sorted_rows(rows, bool(descending)))


@composite(ranges={"axis": AXIS, "descending": FLAG}, gives="that of x; s32")
def argsort(x, *, axis=-1, descending=False):
    """The positions (s32) of the elements along axis (default: the last) in sorted order.

    Ties keep their order; NaN counts as largest, and zeros of either sign are equal."""
    axis = checked_axis(x, axis, "argsort")
    rows, restored = lined(x, axis)
    return restored(order_of_rows(rows, bool(descending)))


@kernel(shape=lambda x, values: values.shape, static=("right",), dtype="s32", name="_searchsorted")
def searched(at, x, values, *, right):
    """How many elements of a sorted row come before each value, or are not behind it."""
    value = values[at]
    low = 0
    high = x.shape[0]
    while low < high:
        middle = low + (high - low) // 2
        other = x[middle]
        before = other < value or (value != value and other == other)
        equal = other == value or (other != other and value != value)
        if before or (right and equal):
            low = middle + 1
        else:
            high = middle
    return low


@kernel(dtype="s32", name="_none_before")
def none_before(at, values):
    """Zero for each value."""
    return 0


@composite(ranges={"right": FLAG}, gives="that of values; s32")
def searchsorted(x, values, *, right=False):
    """Where each of some values belongs in a sorted row x: how many elements come before it (s32),
    or with right, how many are not behind it. NaN counts as largest."""
    if x.ndim != 1:
        raise LaunchError(f"searchsorted: x must be one sorted row, got shape {x.shape}")
    return searched(x, values, right=bool(right)) if x.shape[0] else none_before(values)


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
    rows, restored = lined(x, axis)
    # One pass over the rows, where a device has nothing better for few: the smallest of floats is
    # another thing for argmin, which takes NaN.
    if k == 1 and rows.has_routine("leading") and (largest or not as_dtype(x.dtype).is_float):
        places = (argmax if largest else argmin)(rows, axis=1).reshape((rows.shape[0], 1))
        values = at_places(rows, places)
    else:
        values, places = first_of_rows(rows, k, bool(largest))
    values = values if values.dtype == x.dtype else converted(values, dtype=x.dtype)
    return restored(values), restored(places)
