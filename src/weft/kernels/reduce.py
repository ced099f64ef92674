"""Reductions, arg-reductions, running sums, and order along an axis.

axis is an int, a tuple of them or None (everything), negative ones count from the end; keepdims
keeps reduced axes as size 1. Sums of integers stay in their type (u8 sums as s32) and wrap."""

from __future__ import annotations

from weft.errors import LaunchError
from weft.lang.decorators import composite, function, kernel, reduction, scan

__all__: list[str] = []


@reduction(init=0)
def reduce_sum(acc, x):
    """The sum; of nothing, 0."""
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


@reduction(init=0.0, finish=divide)
def reduce_mean(acc, x):
    """The mean as a float; of nothing, NaN."""
    return acc + x


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


@reduction(init=("lowest", 2**31 - 1), lift=with_position, finish=position)
def argmax(a, b):
    """The position of the largest, the first one if there are several; a NaN counts as largest."""
    return first_if(
        a[0] > b[0] or (a[0] != a[0] and b[0] == b[0]),
        a[0] == b[0] or (a[0] != a[0] and b[0] != b[0]),
        a,
        b,
    )


@reduction(init=("highest", 2**31 - 1), lift=with_position, finish=position)
def argmin(a, b):
    """The position of the smallest, the first one if there are several; a NaN counts as
    smallest."""
    return first_if(
        a[0] < b[0] or (a[0] != a[0] and b[0] == b[0]),
        a[0] == b[0] or (a[0] != a[0] and b[0] != b[0]),
        a,
        b,
    )


@scan(init=0)
def cumsum(total, x):
    """The running sum along axis (default: the last)."""
    total = total + x
    return total, total


@kernel(static=("axis", "descending"), name="_rank")
def rank_of(at, x, *, axis=-1, descending=False):
    """How many elements along the axis come before this one in sorted order."""
    k = axis % len(at)
    value = x[at]
    rank = 0
    for j in range(x.shape[k]):
        other = x[(*at[:k], j, *at[k + 1 :])]
        if descending:
            before = other > value or (other != other and value == value)
        else:
            before = other < value or (value != value and other == other)
        same = other == value or (other != other and value != value)
        rank += int(before or (same and j < at[k]))
    return rank


def picked_shape(x, k, axis):
    """The shape of x with `k` elements along the axis."""
    n = axis % len(x.shape)
    return (*x.shape[:n], k, *x.shape[n + 1 :])


@kernel(static=("k", "axis"), shape=picked_shape, name="_pick")
def pick_ranked(at, x, ranks, *, k, axis=-1):
    """The elements with ranks 0 to k - 1 along the axis, and their positions."""
    n = axis % len(at)
    value = x[at]
    where_found = 0
    for j in range(x.shape[n]):
        index = (*at[:n], j, *at[n + 1 :])
        hit = ranks[index] == at[n]
        value = x[index] if hit else value
        where_found = j if hit else where_found
    return value, where_found


def checked_axis(x, axis, what):
    """Refuse an axis that x does not have."""
    if not isinstance(axis, int) or not -x.ndim <= axis < x.ndim:
        raise LaunchError(f"{what}: axis must be -{x.ndim} to {x.ndim - 1}, got {axis!r}")
    return axis


@composite
def sort(x, *, axis=-1, descending=False):
    """Sorted along axis (default: the last); stable; NaN counts as largest."""
    axis = checked_axis(x, axis, "sort")
    values, _ = pick_ranked(
        x, rank_of(x, axis=axis, descending=bool(descending)), k=x.shape[axis], axis=axis
    )
    return values


@composite
def top_k(x, *, k, axis=-1, largest=True):
    """The k largest (or smallest) along axis, best first, and their positions (s32).

    Ties keep their order; NaN counts as largest."""
    axis = checked_axis(x, axis, "top_k")
    if not isinstance(k, int) or not 0 < k <= x.shape[axis]:
        raise LaunchError(
            f"top_k: k must be 1 to {x.shape[axis]}, the size of axis {axis}, got {k!r}"
        )
    return pick_ranked(x, rank_of(x, axis=axis, descending=bool(largest)), k=k, axis=axis)
