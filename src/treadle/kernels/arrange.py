"""Arrays made larger, cut into parts, or kept in part: pad, tile, expand, split, tril, triu.

Any dtype. Axes that are left alone move as one with their neighbours, so that few are looked at."""

from __future__ import annotations

import math

from treadle.dtypes import as_dtype
from treadle.errors import LaunchError
from treadle.kernels.check import AXIS, NUMBER, choice
from treadle.kernels.shape import AXES, checked_axis, copied, cut, whole_numbers
from treadle.lang.composite import constant
from treadle.lang.decorators import composite, kernel

__all__: list[str] = []

NEAR = 8  # places before an axis, of which there are a few kinds in any program
MODES = ("constant", "edge", "reflect", "wrap")


def few(groups, what):
    """Refuse what a kernel has no parameters for."""
    if len(groups) > AXES:
        raise LaunchError(f"{what}: at most {AXES} axes can change at once, got {len(groups)}")


@kernel(static=("shape", "mode", "far", "near"), shape=lambda shape: shape, dtype="x", name="_pad")
def padded(at, x, *, shape, mode, far, near, value=0, b0=0, b1=0, b2=0, b3=0, b4=0, b5=0):
    """x from so many places on along each axis, which are known if they are `near`, and around it
    what the mode says, which is farther away than x is long if `far`: only then is there something
    to divide."""
    begins = (b0, b1, b2, b3, b4, b5) if near is None else near
    place = ()
    inside = True
    for k in range(x.ndim):
        i, n = at[k] - begins[k], x.shape[k]
        if mode == "constant":
            inside = inside and i >= 0 and i < n
        if mode == "reflect":
            period = maximum(2 * (n - 1), 1)
            turned = i % period if far else abs(i)
            turned = period - turned if turned >= n else turned
            i = i if i >= 0 and i < n else turned
        if mode == "wrap":
            turned = i % n if far else (i + n if i < 0 else i - n)
            i = i if i >= 0 and i < n else turned
        place = (*place, i)
    result = x[place]
    if mode == "constant":
        result = x[place] if inside else value
    return result


def pairs_of(x, amounts):
    """How much goes before and after every axis, from NumPy's ways to say so."""
    right = isinstance(amounts, int | tuple) and not isinstance(amounts, bool)
    each = amounts if isinstance(amounts, tuple) else (amounts,)
    if right and all(isinstance(n, int) and not isinstance(n, bool) for n in each):
        if len(each) == 1:
            return ((each[0], each[0]),) * x.ndim
        if len(each) == 2:
            return (each,) * x.ndim
    pairs = all(isinstance(p, tuple) and len(p) == 2 for p in each)
    if right and pairs and len(each) == x.ndim:
        return tuple(whole_numbers(p, "amounts", "pad") for p in each)
    raise LaunchError(
        "pad: amounts must be a whole number, (before, after), or such a pair for each of the "
        f"{x.ndim} axes, got {amounts!r}"
    )


@composite(
    ranges={
        "amounts": "a whole number, (before, after), or such a pair for every axis; below 0 cuts",
        "mode": MODES,
        "value": NUMBER,
    },
    gives="that of x with the amounts added",
)
def pad(x, *, amounts, mode="constant", value=0):
    """x with more around it along its axes, as np.pad and ONNX's Pad.

    What is added is value, or with mode edge the last element, with reflect what lies behind the
    edge without the edge itself, with wrap what lies at the other end."""
    pairs = pairs_of(x, amounts)
    choice("pad", "mode", mode, MODES)
    shape = tuple(n + before + after for n, (before, after) in zip(x.shape, pairs, strict=True))
    if min(shape, default=0) < 0:
        raise LaunchError(f"pad: amounts {amounts!r} cut more than there is of {x.shape}")
    if not as_dtype(x.dtype).is_float:
        if not math.isfinite(value) or value != int(value):
            raise LaunchError(f"pad: value must be a whole number for {x.dtype}, got {value!r}")
        value = int(value)
    if 0 in x.shape and 0 not in shape:
        if mode != "constant":
            raise LaunchError(f"pad: there is nothing to repeat in shape {x.shape}")
        return expand(constant([value], x.dtype), shape=shape)
    begins, sizes, counts = [], [], []
    alone = False  # whether the last group is of axes that nothing is added to
    for n, m, pair in zip(x.shape, shape, pairs, strict=True):
        if alone and pair == (0, 0):
            sizes[-1], counts[-1] = sizes[-1] * n, counts[-1] * n
        else:
            begins.append(pair[0])
            sizes.append(n)
            counts.append(m)
        alone = pair == (0, 0)
    few(begins, "pad")
    # What is known costs nothing inside; what is not needs no other code for other amounts.
    near = tuple(begins) if max(map(abs, begins), default=0) <= NEAR else None
    places = {} if near is not None else {f"b{k}": begin for k, begin in enumerate(begins)}
    if mode == "constant":
        places["value"] = value
    each = zip(x.shape, pairs, strict=True)
    far = mode in ("reflect", "wrap") and any(max(pair) >= n for n, pair in each)
    made = padded(
        x.reshape(tuple(sizes)), shape=tuple(counts), mode=mode, far=far, near=near, **places
    )
    return made.reshape(shape)


@composite(
    ranges={"repeats": "whole numbers of at least 0, one for each axis or one number for the last"},
    gives="that of x times repeats",
)
def tile(x, *, repeats):
    """x repeated along its axes, as np.tile: of fewer repeats than axes the first ones are 1, and
    more of them make axes in front."""
    wanted = whole_numbers(repeats, "repeats", "tile")
    if any(n < 0 for n in wanted):
        raise LaunchError(f"tile: repeats must be whole numbers of at least 0, got {repeats!r}")
    rank = max(x.ndim, len(wanted))
    given = (1,) * (rank - x.ndim) + tuple(x.shape)
    wanted = (1,) * (rank - len(wanted)) + wanted
    shape = tuple(n * m for n, m in zip(given, wanted, strict=True))
    if math.prod(shape) == 0:
        return copied(cut(x.reshape((math.prod(x.shape),)), stops=0).reshape(shape))
    # Each axis that is repeated has one of size 1 before it, which is what really repeats.
    sizes, counts = [], []
    for n, m in zip(given, wanted, strict=True):
        sizes += (1, n)
        counts += (m, n)
    return expand(x.reshape(tuple(sizes)), shape=tuple(counts)).reshape(shape)


@kernel(static=("shape", "kept"), shape=lambda shape: shape, dtype="x", name="_expand")
def expanded(at, x, *, shape, kept):
    """x, whose axes repeat their only element unless they are kept."""
    place = ()
    for k in range(x.ndim):
        along = 0
        if kept[k]:
            along = at[k]
        place = (*place, along)
    return x[place]


@composite(
    ranges={"shape": "whole numbers that broadcast with the shape of x"},
    gives="the shape of x and shape, broadcast",
)
def expand(x, *, shape):
    """x broadcast with a shape, as ONNX's Expand: axes of one element repeat, and sizes of 1 in
    shape leave an axis of x as it is."""
    wanted = whole_numbers(shape, "shape", "expand")
    rank = max(x.ndim, len(wanted))
    given = (1,) * (rank - x.ndim) + tuple(x.shape)
    wanted = (1,) * (rank - len(wanted)) + wanted
    if any(m < 0 or (n != m and 1 not in (n, m)) for n, m in zip(given, wanted, strict=True)):
        raise LaunchError(f"expand: shape {shape!r} does not broadcast with {x.shape}")
    full = tuple(m if n == 1 else n for n, m in zip(given, wanted, strict=True))
    if full == given:
        return copied(x.reshape(full))
    sizes, counts, kept = [], [], []
    for n, m in zip(given, full, strict=True):
        if kept and kept[-1] == (n == m):
            sizes[-1], counts[-1] = sizes[-1] * n, counts[-1] * m
        else:
            sizes.append(n)
            counts.append(m)
            kept.append(bool(n == m))
    made = expanded(x.reshape(tuple(sizes)), shape=tuple(counts), kept=tuple(kept))
    return made.reshape(full)


@composite(
    ranges={
        "parts": "a whole number of parts, or their sizes along axis",
        "axis": AXIS,
    },
    gives="those of the parts of x along axis",
)
def split(x, *, parts, axis=0):
    """x cut into parts along axis, in their order.

    parts is how many, all as large as the first (the last one may be smaller), or a tuple of sizes
    that add up to the size of axis."""
    axis = checked_axis(x, axis, "split")
    size = x.shape[axis]
    sizes = whole_numbers(parts, "parts", "split")
    if not isinstance(parts, tuple):
        if parts < 1:
            raise LaunchError(f"split: parts must be at least 1, got {parts!r}")
        each = -(-size // parts)
        sizes = tuple(max(0, min(each, size - k * each)) for k in range(parts))
    if min(sizes, default=-1) < 0 or sum(sizes) != size:
        raise LaunchError(
            f"split: parts must be sizes that add up to {size}, the size of axis {axis}, got "
            f"{parts!r}"
        )
    made, start = [], 0
    for n in sizes:
        made.append(cut(x, starts=start, stops=start + n, axes=axis))
        start += n
    return tuple(made)


def matrices(x, what):
    """The shape of one or more matrices."""
    if len(x.shape) < 2:
        raise LaunchError(f"{what}: x must have 2 or more dimensions, got shape {x.shape}")
    return x.shape


@kernel(
    shape=lambda x: matrices(x, "tril"), dtype="x", ranges={"diagonal": NUMBER}, gives="that of x"
)
def tril(at, x, *, diagonal=0):
    """The lower triangle of matrices, up to a diagonal that counts from the main one, above it
    those of more than 0; 0 elsewhere."""
    return x[at] if at[-1] - at[-2] <= diagonal else 0


@kernel(
    shape=lambda x: matrices(x, "triu"), dtype="x", ranges={"diagonal": NUMBER}, gives="that of x"
)
def triu(at, x, *, diagonal=0):
    """The upper triangle of matrices, from a diagonal that counts from the main one, above it
    those of more than 0; 0 elsewhere."""
    return x[at] if at[-1] - at[-2] >= diagonal else 0
