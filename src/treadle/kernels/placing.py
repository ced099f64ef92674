"""Elements at other places, which functions of arrays ask for: broadcasts, repeats, triangles,
entries along an axis; and folds that have no name of their own."""

from __future__ import annotations

import math

from treadle.errors import LaunchError
from treadle.kernels.check import AXIS
from treadle.kernels.shape import AXES, checked_axis, copied
from treadle.lang.decorators import composite, function, kernel, reduction, scan

__all__: list[str] = []


@kernel(static=("shape",), shape=lambda shape: shape, dtype="x", name="_spread")
def spread(at, x, *, shape, d0=1, d1=1, d2=1, d3=1, d4=1, d5=1):
    """The element at place / d along every axis, of which x is repeated as often as it fits."""
    every = (d0, d1, d2, d3, d4, d5)
    index = ()
    for k in range(x.ndim):
        index = (*index, at[k] // every[k] % x.shape[k])
    return x[index]


@composite(name="_repeated", gives="shape")
def repeated(x, *, shape, each=None):
    """x in a larger shape of as many axes: each element stands `each` times, then x begins again.

    Axes that stay as they are become one with their neighbours."""
    times = each or (1,) * x.ndim
    if math.prod(shape) == 0 or math.prod(x.shape) == 0:
        return copied(x.reshape((math.prod(x.shape),))[:0].reshape(shape))
    sizes, wanted, every = [], [], []
    joined = False
    for n, m, t in zip(x.shape, shape, times, strict=True):
        whole = n == m
        if whole and joined:
            sizes[-1], wanted[-1] = sizes[-1] * n, wanted[-1] * n
            continue
        sizes.append(n)
        wanted.append(m)
        every.append(t)
        joined = whole
    if len(sizes) > AXES:
        raise LaunchError(f"at most {AXES} axes can be repeated at once, got {len(sizes)}")
    if sizes == wanted:
        return copied(x.reshape(shape))
    places = {f"d{k}": t for k, t in enumerate(every)}
    return spread(x.reshape(tuple(sizes)), shape=tuple(wanted), **places).reshape(shape)


@kernel(static=("upper",), shape=lambda x: x.shape, dtype="x", name="_triangle")
def triangle(at, x, *, k=0, upper=False):
    """The matrices' elements above (or below) diagonal k, that one among them; 0 elsewhere."""
    row, column = at[-2], at[-1]
    kept = column - row >= k if upper else column - row <= k
    if x.dtype == "bool":
        result = x[at] and kept
    else:
        result = x[at] if kept else 0
    return result


def picked_shape(x, indices):
    """The shape of the indices, along the middle axis."""
    return (x.shape[0], indices.shape[1], x.shape[2])


@kernel(shape=picked_shape, dtype="x", name="_picked")
def picked(at, x, indices):
    """For each place the entry along the middle axis that indices name there."""
    lead, place, tail = at
    n = x.shape[1]
    i = clamp(indices[lead, place, tail], -n, n - 1)
    return x[lead, s32(i + n if i < 0 else i), tail]


@composite(
    name="_along",
    ranges={"axis": AXIS},
    gives="that of indices",
)
def along(x, indices, *, axis):
    """Entries along an axis, chosen for each place of the others."""
    axis = checked_axis(x, axis, "take_along_axis")
    lead, tail = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    flat = x.reshape((lead, x.shape[axis], tail))
    places = indices.reshape((lead, indices.shape[axis], tail))
    return picked(flat, places).reshape(indices.shape)


@reduction(init=1, results="sum", name="_product")
def product(acc, x):
    """The product; of nothing, 1."""
    return acc * x


@scan(init=1, name="_running_product", results="sum")
def running_product(total, x):
    """The running product."""
    total = total * x
    return total, total


@function
def holds(at, x):
    """1 for what is other than 0."""
    return 1 if x != 0 else 0


@reduction(init=1, lift=holds, name="_all", results="s32")
def every_one(a, b):
    """1 where all are other than 0."""
    return minimum(a, b)


@reduction(init=0, lift=holds, name="_any", results="s32")
def any_one(a, b):
    """1 where one is other than 0."""
    return maximum(a, b)
