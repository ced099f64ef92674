"""Transposed convolution, and the sum of overlapping blocks that it is made of."""

from __future__ import annotations

import math

from treadle.errors import LaunchError
from treadle.kernels.check import REAL
from treadle.kernels.linalg import BLOCK, matmul, shifted
from treadle.kernels.pointwise import elementwise_add
from treadle.kernels.pooling import PADDING, SPREAD, STEPS, deep, spatial, windows
from treadle.kernels.shape import transpose
from treadle.lang.composite import constant
from treadle.lang.decorators import composite, kernel

__all__: list[str] = []


@kernel(
    static=("taps", "shape", "strides", "pads", "dilations"),
    shape=lambda x, shape: (x.shape[0], *shape),
    dtype="x",
    name="_fold",
)
def folded(at, x, *, taps, shape, strides, pads, dilations):
    """The sum of what blocks have for this place: x is planes x taps x blocks along three axes."""
    total = 0.0
    for a in range(taps[0]):
        i = at[1] + pads[0] - a * dilations[0]
        for b in range(taps[1]):
            j = at[2] + pads[1] - b * dilations[1]
            for c in range(taps[2]):
                k = at[3] + pads[2] - c * dilations[2]
                y, z, w = i // strides[0], j // strides[1], k // strides[2]
                hit = y * strides[0] == i and z * strides[1] == j and w * strides[2] == k
                hit = hit and i >= 0 and y < x.shape[2] and j >= 0 and z < x.shape[3]
                hit = hit and k >= 0 and w < x.shape[4]
                tap = (a * taps[1] + b) * taps[2] + c
                total += x[at[0], tap, y, z, w] if hit else 0.0
    return total


def fold_planes(x, planes, taps, counts, shape, strides, pads, dilations):
    """Record the sum of blocks: x has planes, taps and counts, in this order."""
    rank = len(taps)
    found = {
        "taps": deep(taps, rank, 1),
        "shape": deep(shape, rank, 1),
        "strides": deep(strides, rank, 1),
        "pads": deep(pads, rank, 0),
        "dilations": deep(dilations, rank, 1),
    }
    return folded(x.reshape((planes, math.prod(taps), *deep(counts, rank, 1))), **found)


@composite(
    ranges={
        "shape": "the spatial sizes of the result",
        "window": "whole numbers of at least 1, one for each spatial axis",
        "stride": STEPS,
        "padding": PADDING,
        "dilation": SPREAD,
    },
    takes=REAL,
    dtype="x",
    gives="N x C and shape",
)
def fold(x, *, shape, window, stride=1, padding=0, dilation=1):
    """Blocks added up where they overlap, as ONNX's Col2Im.

    x is N x (C times the elements of a window) x the number of windows, in the order in which a
    convolution reads them; padding is cut off."""
    rank = len(shape) if isinstance(shape, tuple) else 0
    if not 1 <= rank <= 3:
        raise LaunchError(f"fold: shape must be 1 to 3 sizes, got {shape!r}")
    sizes = windows(shape, "shape", rank, 1, "fold")
    taps = windows(window, "window", rank, 1, "fold")
    strides = windows(stride, "stride", rank, 1, "fold")
    dilations = windows(dilation, "dilation", rank, 1, "fold")
    pads = windows(padding, "padding", rank, 0, "fold", 2)
    counts = tuple(
        (sizes[k] + pads[k] + pads[k + rank] - dilations[k] * (taps[k] - 1) - 1) // strides[k] + 1
        for k in range(rank)
    )
    block = math.prod(taps)
    if x.ndim != 3 or x.shape[1] % block or x.shape[2] != math.prod(counts):
        raise LaunchError(
            f"fold: x must be N x a multiple of {block} x {math.prod(counts)} for a window of "
            f"{taps} in {sizes}, got shape {x.shape}"
        )
    depth = x.shape[1] // block
    made = fold_planes(x, x.shape[0] * depth, taps, counts, sizes, strides, pads[:rank], dilations)
    return made.reshape((x.shape[0], depth, *sizes))


@composite(
    ranges={
        "stride": STEPS,
        "padding": PADDING,
        "more": "whole numbers of at least 0: one, or one for each spatial axis",
        "dilation": SPREAD,
        "groups": (1, None),
    },
    takes=REAL,
    dtype="x",
    gives="N x M and the sizes of the result",
)
def conv_transpose(x, weight, bias=None, *, stride=1, padding=0, more=0, dilation=1, groups=1):
    """Transposed convolution, as ONNX's ConvTranspose, along one to three spatial axes.

    x is N x C and its sizes, weight C x M/groups and the filter's; the result is N x M with sizes
    stride * (size - 1) + dilation * (filter - 1) + 1 + more, less the padding."""
    sizes = spatial(x, "conv_transpose")
    rank = len(sizes)
    if weight.ndim != x.ndim or weight.shape[0] != x.shape[1] or x.shape[1] % groups:
        raise LaunchError(
            "conv_transpose: weight must be C x M/groups and the filter's sizes, with C "
            f"{x.shape[1]} in multiples of {groups}, got shape {weight.shape} for {x.shape}"
        )
    filters = weight.shape[1] * groups
    for name, other, shape in (("weight", weight, weight.shape), ("bias", bias, (filters,))):
        if other is not None and (other.dtype != x.dtype or other.shape != shape):
            raise LaunchError(
                f"conv_transpose: {name} must be {x.dtype} {tuple(shape)}, got {other.dtype} "
                f"{other.shape}"
            )
    taps = tuple(weight.shape[2:])
    strides = windows(stride, "stride", rank, 1, "conv_transpose")
    dilations = windows(dilation, "dilation", rank, 1, "conv_transpose")
    pads = windows(padding, "padding", rank, 0, "conv_transpose", 2)
    extra = windows(more, "more", rank, 0, "conv_transpose")
    shape = tuple(
        strides[k] * (sizes[k] - 1) + dilations[k] * (taps[k] - 1) + 1 + extra[k]
        - pads[k] - pads[k + rank]
        for k in range(rank)
    )  # fmt: skip
    if min(shape) < 1:
        raise LaunchError(f"conv_transpose: padding {pads} leaves nothing: {shape}")
    n, depth, area = x.shape[0], x.shape[1] // groups, math.prod(sizes)
    rows = weight.shape[1] * math.prod(taps)
    lined = transpose(weight.reshape((groups, depth, rows)), axes=(0, 2, 1))
    summed = x.has_routine("conv_sums") and x.dtype in ("f32", "f64") and area >= BLOCK
    if summed and rows and depth:
        flat = lined.reshape((groups * rows, depth, 1))
        read, here = x.reshape((n, groups * depth, area)), constant([0])
        blocks = shifted(read, flat, here, window=(1, area), row=area)
    else:
        blocks = matmul(lined, x.reshape((n, groups, depth, area)))
    made = fold_planes(blocks, n * filters, taps, sizes, shape, strides, pads[:rank], dilations)
    made = made.reshape((n, filters, *shape))
    ones = (1,) * rank
    return made if bias is None else elementwise_add(made, bias.reshape((filters, *ones)))
