"""Pooling of neural networks: the largest or the mean of what windows see.

x is N x C and one to three spatial axes, as for ONNX's MaxPool and AveragePool; the windows move
along the spatial ones."""

from __future__ import annotations

import math
from math import inf

from treadle.errors import LaunchError
from treadle.kernels.check import FLAG, REAL
from treadle.kernels.reduce import reduce_max, reduce_mean
from treadle.lang.decorators import composite, kernel

__all__ = ["PADDING", "SPREAD", "STEPS", "deep", "spatial", "windows"]

SPATIAL = 3  # axes at most, after N and C
SHAPE = "N x C and the number of windows along each spatial axis"
STEPS = "a whole number of at least 1, or one for each spatial axis"
PADDING = (
    "a whole number of at least 0, one for each spatial axis, or first those before, then after"
)
SPREAD = "whole numbers of at least 1, as for stride"


def spatial(x, what):
    """The spatial sizes of x, which must have one to three of them."""
    if not 3 <= x.ndim <= 2 + SPATIAL:
        raise LaunchError(
            f"{what}: x must be N x C and 1 to {SPATIAL} spatial axes, got shape {x.shape}"
        )
    return tuple(x.shape[2:])


def windows(value, name, rank, low, what, sides=1):
    """Whole numbers for each spatial axis (with two sides: before all, then after all)."""
    items = value if isinstance(value, tuple) else (value,) * rank
    right = all(isinstance(v, int) and not isinstance(v, bool) and v >= low for v in items)
    if not right or len(items) not in (rank, rank * sides):
        several = " or ".join(map(str, sorted({rank, rank * sides})))
        raise LaunchError(
            f"{what}: {name} must be an integer of at least {low} or {several} of them, got "
            f"{value!r}"
        )
    return items if len(items) == rank * sides else items * sides


def deep(values, rank, fill):
    """The same for three axes, the first of which may be missing."""
    return (fill,) * (SPATIAL - rank) + tuple(values)


@kernel(
    static=("taps", "counts", "strides", "pads", "dilations"),
    shape=lambda x, counts: (x.shape[0], *counts),
    dtype="x",
    name="_max_pool",
)
def largest_seen(at, x, *, taps, counts, strides, pads, dilations):
    """The largest of what a window sees inside."""
    lowest = -inf
    if x.dtype == "s32":
        lowest = -(2**31)
    if x.dtype == "s64":
        lowest = s64(-(2**63))
    if x.dtype == "u32":
        lowest = u32(0)
    best = lowest
    for a in range(taps[0]):
        i = at[1] * strides[0] + a * dilations[0] - pads[0]
        for b in range(taps[1]):
            j = at[2] * strides[1] + b * dilations[1] - pads[1]
            for c in range(taps[2]):
                k = at[3] * strides[2] + c * dilations[2] - pads[2]
                inside = i >= 0 and i < x.shape[1] and j >= 0 and j < x.shape[2]
                inside = inside and k >= 0 and k < x.shape[3]
                best = maximum(best, x[at[0], i, j, k] if inside else lowest)
    return best


@kernel(
    static=("taps", "counts", "strides", "pads", "after", "dilations", "padded"),
    shape=lambda x, counts: (x.shape[0], *counts),
    name="_average_pool",
    results="float",
)
def mean_seen(at, x, *, taps, counts, strides, pads, after, dilations, padded):
    """The mean of what a window sees inside, or with the zeros of the padding."""
    total, count = 0.0, 0.0
    for a in range(taps[0]):
        i = at[1] * strides[0] + a * dilations[0] - pads[0]
        for b in range(taps[1]):
            j = at[2] * strides[1] + b * dilations[1] - pads[1]
            for c in range(taps[2]):
                k = at[3] * strides[2] + c * dilations[2] - pads[2]
                inside = i >= 0 and i < x.shape[1] and j >= 0 and j < x.shape[2]
                inside = inside and k >= 0 and k < x.shape[3]
                total += x[at[0], i, j, k] if inside else 0.0
                within = inside
                if padded:
                    within = i < x.shape[1] + after[0] and j < x.shape[2] + after[1]
                    within = within and k < x.shape[3] + after[2]
                count += 1.0 if within else 0.0
    return total / count


def places(x, window, stride, padding, dilation, ceil, what):
    """What the kernels above take: sizes for three axes, and the shape of the result."""
    sizes = spatial(x, what)
    rank = len(sizes)
    taps = windows(window, "window", rank, 1, what)
    strides = windows(window if stride is None else stride, "stride", rank, 1, what)
    dilations = windows(dilation, "dilation", rank, 1, what)
    pads = windows(padding, "padding", rank, 0, what, 2)
    counts = []
    for k, n in enumerate(sizes):
        free = n + pads[k] + pads[k + rank] - dilations[k] * (taps[k] - 1) - 1
        count = (-(-free // strides[k]) if ceil else free // strides[k]) + 1
        # A window that begins behind the end sees nothing, and is none.
        late = ceil and (count - 1) * strides[k] >= n + pads[k]
        counts.append(count - 1 if late else count)
    if min(counts) < 1:
        raise LaunchError(
            f"{what}: a window of {taps} with dilation {dilations} does not fit into {sizes} with "
            f"padding {pads}"
        )
    found = {
        "taps": deep(taps, rank, 1),
        "counts": deep(counts, rank, 1),
        "strides": deep(strides, rank, 1),
        "pads": deep(pads[:rank], rank, 0),
        "dilations": deep(dilations, rank, 1),
    }
    flat = x.reshape((x.shape[0] * x.shape[1], *deep(sizes, rank, 1)))
    return flat, (x.shape[0], x.shape[1], *counts), found, deep(pads[rank:], rank, 0)


POOLED = {
    "window": "whole numbers of at least 1: one, or one for each spatial axis",
    "stride": f"{STEPS}; None for window",
    "padding": PADDING,
    "dilation": SPREAD,
    "ceil": FLAG,
}


@composite(ranges=POOLED, gives=SHAPE, dtype="x")
def max_pool(x, *, window, stride=None, padding=0, dilation=1, ceil=False):
    """The largest of what each window sees, as ONNX's MaxPool; NaN if it sees one.

    What lies outside of x does not count. Windows move by stride (default: their own size); with
    ceil the last one may reach beyond the padding."""
    flat, shape, found, _ = places(x, window, stride, padding, dilation, ceil, "max_pool")
    return largest_seen(flat, **found).reshape(shape)


@composite(ranges=POOLED | {"padded": FLAG}, gives=SHAPE, takes=REAL, dtype="x")
def average_pool(x, *, window, stride=None, padding=0, dilation=1, ceil=False, padded=False):
    """The mean of what each window sees, as ONNX's AveragePool.

    What lies outside of x does not count; with padded it does, as zeros, as far as the padding
    goes. The rest is as in max_pool."""
    flat, shape, found, after = places(x, window, stride, padding, dilation, ceil, "average_pool")
    return mean_seen(flat, after=after, padded=bool(padded), **found).reshape(shape)


def seen_whole(x, what):
    """x with its spatial axes as one."""
    sizes = spatial(x, what)
    return x.reshape((*x.shape[:2], math.prod(sizes))), (*x.shape[:2], *(1 for _ in sizes))


@composite(gives="that of x with spatial axes of size 1", dtype="x")
def global_max_pool(x):
    """The largest element of every channel, NaN if it has one."""
    flat, shape = seen_whole(x, "global_max_pool")
    return reduce_max(flat, axis=2).reshape(shape)


@composite(gives="that of x with spatial axes of size 1", takes=REAL, dtype="x")
def global_average_pool(x):
    """The mean of every channel."""
    flat, shape = seen_whole(x, "global_average_pool")
    return reduce_mean(flat, axis=2).reshape(shape)
