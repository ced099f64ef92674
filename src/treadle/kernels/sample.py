"""Reading tensors between their elements, at places that another tensor names."""

from __future__ import annotations

import math

from treadle.errors import LaunchError
from treadle.kernels.check import FLAG, REAL, choice
from treadle.lang.decorators import composite, function, kernel

__all__: list[str] = []

METHODS = ("linear", "nearest", "cubic")
OUTSIDE = ("zeros", "border", "reflection")


@function
def element(size, place, corners):
    """Where -1 to 1 lies among so many elements: from centre to centre, or from edge to edge."""
    inner = (place + 1.0) * 0.5 * (size - 1)
    outer = ((place + 1.0) * size - 1.0) * 0.5
    return inner if corners else outer


@function
def held(i, size, outside, corners):
    """The element that stands for one that may lie outside."""
    result = i
    if outside == "reflection":
        period = maximum(2 * (size - 1), 1) if corners else 2 * size
        turn = i % period
        back = period - turn if corners else period - 1 - turn
        result = back if turn >= size else turn
    return result


@function
def weight_of(distance, method):
    """How much an element counts that lies so far away."""
    apart = abs(distance)
    near = maximum(1.0 - apart, 0.0)
    if method == "cubic":
        inner = (1.25 * apart - 2.25) * apart * apart + 1.0
        outer = ((apart - 5.0) * apart + 8.0) * apart * -0.75 + 3.0
        near = inner if apart <= 1 else (outer if apart < 2 else 0.0)
    return near


@kernel(
    static=("rank", "method", "outside", "corners"),
    shape=lambda x, grid: (x.shape[0], x.shape[1], grid.shape[1]),
    dtype="x",
    name="_grid_sample",
)
def sampled(at, x, grid, *, rank, method, outside, corners):
    """x, which is N x C x D x H x W, read at the places of a grid that is N x places x rank."""
    n, c, p = at
    v = element(x.shape[4], grid[n, p, 0], corners)
    u = element(x.shape[3], grid[n, p, 1], corners)
    t = element(x.shape[2], grid[n, p, 2], corners) if rank == 3 else 0.0
    if method == "nearest":
        v, u, t = round(v), round(u), round(t)
    a, b, d = floor(v), floor(u), floor(t)
    reach = 1 if method == "nearest" else (2 if method == "linear" else 4)
    deep = reach if rank == 3 else 1
    first = 1 if method == "cubic" else 0
    before = first if rank == 3 else 0
    total = 0.0
    for k in range(deep):
        for j in range(reach):
            for i in range(reach):
                z, y, w = s32(d) + k - before, s32(b) + j - first, s32(a) + i - first
                share = weight_of(v - (a + i - first), method) * weight_of(
                    u - (b + j - first), method
                )
                share = share * (weight_of(t - (d + k - before), method) if rank == 3 else 1.0)
                inside = z >= 0 and z < x.shape[2] and y >= 0 and y < x.shape[3]
                inside = inside and w >= 0 and w < x.shape[4]
                z = held(z, x.shape[2], outside, corners)
                y = held(y, x.shape[3], outside, corners)
                w = held(w, x.shape[4], outside, corners)
                value = x[n, c, z, y, w]
                if outside == "zeros":
                    value = value if inside else 0.0
                total += value if method == "nearest" else (value * share if share != 0 else 0.0)
    return total


@composite(
    ranges={"method": METHODS, "outside": OUTSIDE, "corners": FLAG},
    takes=REAL,
    dtype="x",
    gives="N x C and the axes of grid between its first and its last",
)
def grid_sample(x, grid, *, method="linear", outside="zeros", corners=False):
    """x read at the places of grid, as ONNX's GridSample and torch's grid_sample.

    x is N x C x H x W or N x C x D x H x W; the last axis of grid holds a place as (x, y) or
    (x, y, z), from -1 to 1: from edge to edge or, with corners, from the centre of the first
    element to that of the last. Beyond them lie zeros, the border, or a reflection."""
    choice("grid_sample", "method", method, METHODS)
    choice("grid_sample", "outside", outside, OUTSIDE)
    rank = x.ndim - 2
    fits = grid.ndim == x.ndim and grid.shape[0] == x.shape[0] and grid.shape[-1] == rank
    if rank not in (2, 3) or not fits or grid.dtype != x.dtype:
        raise LaunchError(
            "grid_sample: x must be N x C x H x W or N x C x D x H x W, and grid of the same dtype "
            f"and number of axes, N first and 2 or 3 at the end, got {x.dtype} {x.shape} and "
            f"{grid.dtype} {grid.shape}"
        )
    if method == "cubic" and rank == 3:
        raise LaunchError("grid_sample: method must be linear or nearest for three axes, got cubic")
    places = tuple(grid.shape[1:-1])
    flat = x.reshape((x.shape[0], x.shape[1], *(1,) * (3 - rank), *x.shape[2:]))
    listed = grid.reshape((grid.shape[0], math.prod(places), rank))
    made = sampled(flat, listed, rank=rank, method=method, outside=outside, corners=bool(corners))
    return made.reshape((x.shape[0], x.shape[1], *places))
