"""Products of matrices, and convolution as one."""

from __future__ import annotations

import numpy as np

from treadle.dtypes import as_dtype, promote
from treadle.errors import LaunchError
from treadle.kernels.pointwise import elementwise_add
from treadle.lang.composite import constant
from treadle.lang.decorators import composite, kernel
from treadle.lang.promotion import storage_type

__all__: list[str] = []

BLOCK = 32  # pixels that may be read at once, though the result has fewer
SAME = 1024  # elements: what is a multiple of it apart has the same place in a cache


def product_shape(a, b):
    """The shape of a @ b, as NumPy has it for two or more dimensions."""
    for name, spec in (("a", a), ("b", b)):
        if len(spec.shape) < 2:
            raise LaunchError(
                f"matmul: {name} must have 2 or more dimensions, got shape {spec.shape}; reshape a "
                "vector to a matrix with one row or one column"
            )
    if a.shape[-1] != b.shape[-2]:
        raise LaunchError(
            f"matmul: the columns of a must be the rows of b, got {a.shape} and {b.shape}: "
            f"{a.shape[-1]} is not {b.shape[-2]}"
        )
    rank = max(len(a.shape), len(b.shape)) - 2
    lead_a, lead_b = ((1,) * (rank - len(s.shape) + 2) + s.shape[:-2] for s in (a, b))
    if any(m != n and 1 not in (m, n) for m, n in zip(lead_a, lead_b, strict=True)):
        raise LaunchError(
            f"matmul: leading dimensions must be equal or 1, got {a.shape} and {b.shape}"
        )
    lead = tuple(n if m == 1 else m for m, n in zip(lead_a, lead_b, strict=True))
    return (*lead, a.shape[-2], b.shape[-1])


def product_dtype(a, b):
    """What a product of elements is: bytes make s32, since their sums are no bytes, and floats of
    16 bits stay such, though they add up in f32."""
    dtypes = as_dtype(a.dtype), as_dtype(b.dtype)
    return storage_type(promote(*dtypes), dtypes, elementwise=False)


@kernel(
    shape=product_shape,
    dtype=product_dtype,
    routine="matmul",
    gives="the leading axes of a and b broadcast, then the rows of a and the columns of b",
)
def matmul(at, a, b):
    """The matrix product a @ b, of two matrices or of stacks of them; leading axes broadcast.

    Products of u8 and s32 are s32, as NumPy has it for s32, and add up in what the output holds:
    pass one of s64 where sums may go beyond 2^31."""
    lead = at[:-2]
    # A leading axis of size 1 repeats by itself: an index out of range reads the edge.
    lead_a = lead[len(lead) - (a.ndim - 2) :]
    lead_b = lead[len(lead) - (b.ndim - 2) :]
    # Integers that go into a wider type widen first; a float in the product is wide by itself.
    whole_a = a.dtype[0] != "f" and a.dtype != "bf16"
    whole = whole_a and b.dtype[0] != "f" and b.dtype != "bf16"
    wide = whole and (at.dtype == "s64" or at.dtype == "f64")
    real = whole and at.dtype == "f32"
    acc = 0
    for k in range(a.shape[a.ndim - 1]):
        if wide:
            acc += s64(a[(*lead_a, at[-2], k)]) * b[(*lead_b, k, at[-1])]
        elif real:
            acc += float(a[(*lead_a, at[-2], k)]) * b[(*lead_b, k, at[-1])]
        else:
            acc += a[(*lead_a, at[-2], k)] * b[(*lead_b, k, at[-1])]
    return acc


@kernel(
    static=("columns",),
    shape=lambda a, columns: (a.shape[0], columns),
    routine="matmul_rows",
    name="_matmul_rows",
    results="arithmetic",
)
def products(at, a, b, *, columns, first=0):
    """Rows of a times rows of b from `first` on: a @ b[first : first + columns].T."""
    i, j = at
    acc = 0
    for k in range(a.shape[1]):
        acc += a[i, k] * b[first + j, k]
    return acc


def patch_shape(x, taps, window):
    """One value for each place in the window and each place of the result."""
    return (x.shape[0], x.shape[1], *taps, *window)


@kernel(
    static=("taps", "window", "strides", "pads", "dilations"),
    shape=patch_shape,
    dtype="x",
    name="_patches",
)
def patches(at, x, *, taps, window, strides, pads, dilations):
    """What each tap of a convolution reads, 0 outside the picture: N, C, KH, KW, OH, OW."""
    n, c, ky, kx, oy, ox = at
    y = oy * strides[0] + ky * dilations[0] - pads[0]
    x_ = ox * strides[1] + kx * dilations[1] - pads[1]
    inside = y >= 0 and y < x.shape[2] and x_ >= 0 and x_ < x.shape[3]
    return x[n, c, y, x_] if inside else 0.0


def convolved_shape(x, weight, window):
    """N, the number of filters, and the result's size."""
    return (x.shape[0], weight.shape[0], *window)


@kernel(
    static=("taps", "window", "strides", "pads", "dilations", "groups"),
    shape=convolved_shape,
    dtype="x",
    name="_conv2d",
)
def convolved(at, x, weight, bias=None, *, taps, window, strides, pads, dilations, groups):
    """A convolution as its sum, for filters that see few channels."""
    n, m, oy, ox = at
    first = m // (weight.shape[0] // groups) * weight.shape[1]
    acc = 0.0 if bias is None else bias[m]
    for c in range(weight.shape[1]):
        for ky in range(taps[0]):
            y = oy * strides[0] + ky * dilations[0] - pads[0]
            for kx in range(taps[1]):
                x_ = ox * strides[1] + kx * dilations[1] - pads[1]
                inside = y >= 0 and y < x.shape[2] and x_ >= 0 and x_ < x.shape[3]
                acc += weight[m, c, ky, kx] * (x[n, first + c, y, x_] if inside else 0.0)
    return acc


@kernel(
    static=("window",), shape=convolved_shape, dtype="x", routine="conv2d", name="_conv2d_at_once"
)
def convolved_at_once(
    at, x, weight, bias=None, *, window, down, across, top, left, below, beside, groups
):
    """A convolution as its sum: strides down and across, places added at the top and on the left,
    and how far the taps of a filter are from those below and beside them."""
    n, m, oy, ox = at
    first = m // (weight.shape[0] // groups) * weight.shape[1]
    acc = 0.0 if bias is None else bias[m]
    for c in range(weight.shape[1]):
        for ky in range(weight.shape[2]):
            y = oy * down + ky * below - top
            for kx in range(weight.shape[3]):
                x_ = ox * across + kx * beside - left
                inside = y >= 0 and y < x.shape[2] and x_ >= 0 and x_ < x.shape[3]
                acc += weight[m, c, ky, kx] * (x[n, first + c, y, x_] if inside else 0.0)
    return acc


@kernel(
    static=("grid",),
    shape=lambda x, grid: (x.shape[0], x.shape[1], *grid),
    dtype="x",
    routine="conv_planes",
    name="_conv_planes",
)
def planes(at, x, *, grid, down, along, top, left):
    """A picture with zeros around it, taken apart: every so many rows and columns are a plane."""
    n, c, py, px, i, j = at
    y = i * down + py - top
    x_ = j * along + px - left
    inside = y >= 0 and y < x.shape[2] and x_ >= 0 and x_ < x.shape[3]
    return x[n, c, y, x_] if inside else 0.0


@kernel(
    static=("window",),
    shape=lambda x, weight, places, window: (x.shape[0], weight.shape[0], *window),
    dtype="x",
    routine="conv_sums",
    name="_conv_sums",
)
def shifted(at, x, weight, places, bias=None, *, window, row):
    """A convolution as a sum of shifted planes: x is N x C x plane, weight M x C/groups x taps, and
    a tap reads so many places behind a pixel, which are `row` apart from those below them."""
    n, m, oy, ox = at
    first = m // (weight.shape[0] // (x.shape[1] // weight.shape[1])) * weight.shape[1]
    acc = 0.0 if bias is None else bias[m]
    for c in range(weight.shape[1]):
        for tap in range(weight.shape[2]):
            acc += weight[m, c, tap] * x[n, first + c, places[tap] + oy * row + ox]
    return acc


def as_planes(x, weight, bias, *, taps, window, strides, pads, dilations):
    """Record a convolution as a sum of shifted planes.

    A tap reads a plane where each pixel reads the neighbour of what the one before it reads. Each
    is as long as the last tap reaches and BLOCK pixels more, and a row longer where it would be a
    multiple of SAME: caches have few places for what is such a distance apart."""
    reach = [dilations[k] * (taps[k] - 1) for k in (0, 1)]
    phases = [min(strides[k], reach[k] + 1) for k in (0, 1)]
    high, wide = (window[k] + reach[k] // strides[k] for k in (0, 1))
    plain = phases == [1, 1] and (high, wide) == tuple(x.shape[2:]) and strides == (1, 1)
    if plain and window[0] * wide >= BLOCK and high * wide % SAME:
        read = x
    else:
        high = max(high, -(-BLOCK // wide) + reach[0] // strides[0])
        high += (phases[0] * phases[1] * high * wide) % SAME == 0
        grid = (*phases, high, wide)
        (down, along), (top, left) = strides, pads
        read = planes(x, grid=grid, down=down, along=along, top=top, left=left)
    places = [
        [
            ((y % strides[0] * phases[1] + x_ % strides[1]) * high + y // strides[0]) * wide
            + x_ // strides[1]
            for x_ in range(0, reach[1] + 1, dilations[1])
        ]
        for y in range(0, reach[0] + 1, dilations[0])
    ]
    count = phases[0] * phases[1] * high * wide
    return shifted(
        read.reshape((x.shape[0], x.shape[1], count)),
        weight.reshape((*weight.shape[:2], taps[0] * taps[1])),
        constant(np.array(places, np.int32).reshape(-1)),
        *(() if bias is None else (bias,)),
        window=window,
        row=wide,
    )


def numbers(value, name, counts, low):
    """Refuse what is not an int of at least `low` or a tuple of so many of them."""
    items = value if isinstance(value, tuple) else (value,)
    right = all(isinstance(v, int) and not isinstance(v, bool) and v >= low for v in items)
    if not right or (isinstance(value, tuple) and len(items) not in counts):
        several = " or ".join(map(str, counts))
        raise LaunchError(
            f"conv2d: {name} must be an integer of at least {low} or {several} of them, got "
            f"{value!r}"
        )
    return items if isinstance(value, tuple) else items * 2


def check_filters(x, weight, bias, groups):
    """Refuse tensors that do not fit each other."""
    if x.ndim != 4 or weight.ndim != 4:
        raise LaunchError(
            "conv2d: x must be N x C x H x W and weight M x C/groups x KH x KW, got shapes "
            f"{x.shape} and {weight.shape}"
        )
    for name, other in (("weight", weight), ("bias", bias)):
        if other is not None and other.dtype != x.dtype:
            raise LaunchError(f"conv2d: {name} must be {x.dtype} as x is, got {other.dtype}")
    filters, channels = weight.shape[:2]
    if x.shape[1] != channels * groups or filters % groups:
        raise LaunchError(
            f"conv2d: weight {weight.shape} with groups {groups} needs {channels * groups} "
            f"channels and filters in multiples of {groups}; x has {x.shape[1]} channels, weight "
            f"{filters} filters"
        )
    if bias is not None and bias.shape != (filters,):
        raise LaunchError(f"conv2d: bias must have shape {(filters,)}, got {bias.shape}")


@composite(
    ranges={
        "stride": "a whole number of at least 1, or (rows, columns)",
        "padding": "a whole number of at least 0, (rows, columns) or (top, left, bottom, right)",
        "dilation": "a whole number of at least 1, or (rows, columns)",
        "groups": (1, None),
    },
    takes=("f32", "f64", "f16", "bf16"),
    gives="N x M x OH x OW",
)
def conv2d(x, weight, bias=None, *, stride=1, padding=0, dilation=1, groups=1):
    """Two-dimensional convolution of neural networks (a correlation), as ONNX's Conv.

    x is N x C x H x W, weight M x C/groups x KH x KW, bias has M values. stride and
    dilation are one number or (rows, columns), padding with zeros one number, (rows, columns) or
    (top, left, bottom, right). The result is N x M x OH x OW with OH = (H + top + bottom -
    dilation * (KH - 1) - 1) // stride + 1."""
    groups = numbers(groups, "groups", (1,), 1)[0]
    strides, dilations = numbers(stride, "stride", (2,), 1), numbers(dilation, "dilation", (2,), 1)
    pads = numbers(padding, "padding", (2, 4), 0)
    pads = pads if len(pads) == 4 else pads * 2
    check_filters(x, weight, bias, groups)
    (n, _, *size), (filters, depth, *taps) = x.shape, weight.shape
    window = tuple(
        (size[k] + pads[k] + pads[k + 2] - dilations[k] * (taps[k] - 1) - 1) // strides[k] + 1
        for k in (0, 1)
    )
    if min(window) < 1 or min(taps) < 1:
        raise LaunchError(
            f"conv2d: a filter of {tuple(taps)} with dilation {dilations} does not fit into "
            f"{tuple(size)} with padding {pads}"
        )
    places = {
        "taps": tuple(taps),
        "window": window,
        "strides": strides,
        "pads": pads[:2],
        "dilations": dilations,
    }
    if filters // groups < 4 or depth * taps[0] * taps[1] < 8:
        more = () if bias is None else (bias,)
        return convolved(x, weight, *more, groups=groups, **places)
    plain = tuple(taps) == strides == (1, 1) and not any(pads)
    if x.dtype == "f32" and x.has_routine("conv2d") and not plain:
        names = ("down", "across", "top", "left", "below", "beside")
        given = dict(zip(names, (*strides, *pads[:2], *dilations), strict=True))
        more = () if bias is None else (bias,)
        return convolved_at_once(x, weight, *more, window=window, groups=groups, **given)
    if x.has_routine("conv_sums") and x.dtype in ("f32", "f64"):
        return as_planes(x, weight, bias, **places)
    count, area = depth * taps[0] * taps[1], window[0] * window[1]
    read = x if plain else patches(x, **places)
    rows = weight.reshape((groups, filters // groups, count))
    made = matmul(rows, read.reshape((n, groups, count, area))).reshape((n, filters, *window))
    return made if bias is None else elementwise_add(made, bias.reshape((filters, 1, 1)))
