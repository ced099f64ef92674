"""Tensors in other sizes along any of their axes, with ONNX's ways to map places.

In: a tensor, and sizes or scales for some axes. Out: a tensor of these sizes. For each axis a table
of places and weights is made here in f64, and applied to all lines along it; images have `resize`,
which knows channels and alpha."""

from __future__ import annotations

import math

import numpy as np

from treadle.errors import LaunchError
from treadle.kernels.check import FLAG, NUMBER, REAL, choice
from treadle.kernels.shape import copied, gathered
from treadle.lang.composite import constant
from treadle.lang.decorators import composite, kernel

__all__: list[str] = []

METHODS = ("nearest", "linear", "cubic")
MAPPINGS = (
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "crop_and_resize",
)
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def mapped(size, count, scale, mapping, region):
    """Where each of so many new elements lies among the old ones."""
    at = np.arange(count, dtype=np.float64)
    length = scale * size
    if mapping == "asymmetric":
        return at / scale
    if mapping == "align_corners":
        return at * 0.0 if length == 1 else at * (size - 1) / (length - 1)
    if mapping == "crop_and_resize":
        first, last = region
        if length == 1:
            return at * 0.0 + (first + last) * (size - 1) / 2
        return first * (size - 1) + at * (last - first) * (size - 1) / (length - 1)
    if mapping == "pytorch_half_pixel" and length == 1:
        return at * 0.0 - 0.5
    moved = size / 2 * (1 - count / length) if mapping == "half_pixel_symmetric" else 0.0
    return moved + (at + 0.5) / scale - 0.5


def nearest_to(at, rule):
    """The whole places that a rule chooses."""
    if rule == "round_prefer_floor":
        return np.ceil(at - 0.5)
    if rule == "round_prefer_ceil":
        return np.floor(at + 0.5)
    return np.floor(at) if rule == "floor" else np.ceil(at)


def curve(distance, method, a):
    """How much an element counts that lies so far away."""
    apart = np.abs(distance)
    if method == "linear":
        return np.maximum(1.0 - apart, 0.0)
    near = ((a + 2.0) * apart - (a + 3.0)) * apart * apart + 1.0
    far = ((apart - 5.0) * apart + 8.0) * apart * a - 4.0 * a
    return np.where(apart <= 1.0, near, np.where(apart < 2.0, far, 0.0))


def weighed(at, size, scale, method, a, antialias, exclude):
    """The first place and the weights for each new element; places outside mean the edge."""
    shrink = min(scale, 1.0) if antialias else 1.0
    reach = (2.0 if method == "cubic" else 1.0) / shrink
    first = np.floor(at - reach).astype(np.int64) + 1
    places = first[:, None] + np.arange(2 * math.ceil(reach) + (1 if shrink < 1 else 0))
    weights = curve((places - at[:, None]) * shrink, method, a)
    if exclude:
        weights = np.where((places < 0) | (places >= size), 0.0, weights)
    if exclude or antialias:
        total = weights.sum(1, keepdims=True)
        weights = weights / np.where(total == 0, 1.0, total)
    return np.clip(places, 0, size - 1).astype(np.int32), weights


@kernel(
    shape=lambda x, places: (x.shape[0], places.shape[0], x.shape[2]),
    dtype="x",
    name="_interpolate",
)
def weighed_lines(at, x, places, weights):
    """Sums of elements along the middle axis, weighed; a weight of 0 leaves nothing behind."""
    line, new, tail = at
    total = 0.0
    for k in range(places.shape[1]):
        share = weights[new, k]
        total += x[line, places[new, k], tail] * share if share != 0 else 0.0
    return total


@kernel(shape=lambda x: x.shape, dtype="x", name="_outside")
def replaced(at, x, outside, *, value):
    """x, with a value for what lies outside along the middle axis."""
    return value if outside[at[1]] != 0 else x[at]


def one_each(values, name, count, low):
    """Numbers above a bound, one for each axis."""
    items = values if isinstance(values, tuple) else (values,)
    fine = all(
        isinstance(v, int | float) and not isinstance(v, bool) and math.isfinite(v) and v > low
        for v in items
    )
    if not fine or len(items) not in (1, count):
        raise LaunchError(
            f"interpolate: {name} must be {count} numbers above {low}, got {values!r}"
        )
    return items if len(items) == count else items * count


def chosen_axes(x, axes):
    """Different axes, counted from 0."""
    if axes is None:
        return tuple(range(x.ndim))
    items = axes if isinstance(axes, tuple) else (axes,)
    right = all(isinstance(a, int) and not isinstance(a, bool) for a in items)
    right = right and all(-x.ndim <= a < x.ndim for a in items)
    found = tuple(a % x.ndim for a in items) if right else ()
    if not right or len(set(found)) != len(found):
        raise LaunchError(
            f"interpolate: axes must be different ones from -{x.ndim} to {x.ndim - 1}, got {axes!r}"
        )
    return found


@composite(
    ranges={
        "sizes": "whole numbers of at least 1, one for each of axes, or None for those of scales",
        "scales": "numbers above 0, one for each of axes, or None: new sizes over old ones",
        "axes": "axes of x, or None for all",
        "method": METHODS,
        "mapping": MAPPINGS,
        "nearest": NEAREST,
        "cubic": NUMBER,
        "antialias": FLAG,
        "exclude": FLAG,
        "region": "firsts and lasts of axes as shares of their sizes, or None",
        "value": NUMBER,
    },
    gives="that of x with new sizes along axes",
    takes=(*REAL, "u8", "s32"),
    dtype="x",
)
def interpolate(
    x, *, sizes=None, scales=None, axes=None, method="linear", mapping="half_pixel",
    nearest="round_prefer_floor", cubic=-0.75, antialias=False, exclude=False, region=None,
    value=0.0,
):  # fmt: skip
    """x in other sizes along axes, as ONNX's Resize.

    With both sizes and scales, scales say how far places lie apart, and sizes how many there are.
    `mapping` says where new elements lie among the old ones, `nearest` which element a method of
    that name takes; `cubic` is the parameter of Keys' curve; with `exclude` what lies outside does
    not count, else the edge repeats. With the mapping crop_and_resize, `region` is what is seen,
    and `value` is for places outside of x."""
    for name, word, known in (
        ("method", method, METHODS), ("mapping", mapping, MAPPINGS), ("nearest", nearest, NEAREST)
    ):  # fmt: skip
        choice("interpolate", name, word, known)
    chosen = chosen_axes(x, axes)
    if sizes is None and scales is None:
        raise LaunchError("interpolate: sizes or scales must be given, got neither")
    if scales is not None:
        scales = one_each(scales, "scales", len(chosen), 0)
    if sizes is None:
        counts = tuple(int(s * int(x.shape[k])) for k, s in zip(chosen, scales, strict=True))
    else:
        counts = one_each(sizes, "sizes", len(chosen), 0)
        if any(n != int(n) for n in counts):
            raise LaunchError(f"interpolate: sizes must be whole numbers, got {sizes!r}")
    if region is None:
        region = (0.0,) * len(chosen) + (1.0,) * len(chosen)
    region = one_each(region, "region", 2 * len(chosen), -math.inf)
    result = x
    for k, axis in enumerate(chosen):
        size, count = int(x.shape[axis]), int(counts[k])
        if size < 1 or count < 1:
            raise LaunchError(f"interpolate: axis {axis} goes from {size} to {count} elements")
        scale = count / size if scales is None else float(scales[k])
        part = (region[k], region[k + len(chosen)]) if mapping == "crop_and_resize" else (0.0, 1.0)
        if scale == 1.0 and size == count and part == (0.0, 1.0):
            continue
        at = mapped(size, count, scale, mapping, part)
        shape = result.shape
        lines = result.reshape((math.prod(shape[:axis]), size, math.prod(shape[axis + 1 :])))
        if method == "nearest":
            places = np.clip(nearest_to(at, nearest), 0, size - 1).astype(np.int32)
            made = gathered(lines, constant(places))
        else:
            places, weights = weighed(at, size, scale, method, cubic, antialias, exclude)
            kind = "f64" if x.dtype == "f64" else "f32"
            made = weighed_lines(lines, constant(places), constant(weights, kind))
        beyond = (at < 0) | (at > size - 1)
        if mapping == "crop_and_resize" and beyond.any():
            made = replaced(made, constant(beyond.astype(np.uint8)), value=value)
        result = made.reshape((*shape[:axis], count, *shape[axis + 1 :]))
    return copied(x) if result is x else result
