"""What operators on arrays run that has no name of its own: the rest of arithmetic, comparisons,
and assignment to a part."""

from __future__ import annotations

import numpy as np

from treadle.lang.decorators import function, kernel, pointwise

__all__: list[str] = []

OPERATIONS = (
    "sub", "div", "floordiv", "mod", "pow", "and", "or", "xor", "shl", "shr", "lt", "le", "gt",
    "ge", "eq", "ne", "not",
)  # fmt: skip


@function
def whole_power(base, exponent):
    """base to the power of exponent, in integers, which wrap; 0 for negative exponents, as of a
    fraction."""
    result = base * 0 + 1
    factor = base
    left = exponent
    while left > 0:
        result = result * factor if left & 1 == 1 else result
        factor = factor * factor
        left = left >> 1
    return result if exponent >= 0 else base * 0


def binary_dtype(a, b, op):
    """What an operator gives: comparisons conditions, and so do those of conditions."""
    logical = op in ("and", "or", "xor") and a.dtype == "bool" and b is not None
    if op in ("lt", "le", "gt", "ge", "eq", "ne", "not") or (logical and b.dtype == "bool"):
        return "bool"
    return "float" if op == "div" else "arithmetic"


@pointwise(name="_binary", static=("op", "swap"), ranges={"op": OPERATIONS}, results=binary_dtype)
def binary(a, b=None, *, op, scalar=0, swap=False):
    """An operator on two arrays, or on an array and a number, which comes first with swap."""
    other = scalar if b is None else b
    left, right = (other, a) if swap else (a, other)
    result = left
    if op == "sub":
        result = left - right
    if op == "div":
        result = left / right
    if op == "floordiv":
        result = left // right
    if op == "mod":
        result = left % right
    if op == "pow":
        if a.dtype == "f32" or a.dtype == "f64":
            result = left**right
        else:
            result = whole_power(left + a * 0, right)  # a number first is of the array's type
    if op == "and":
        result = left & right
    if op == "or":
        result = left | right
    if op == "xor":
        result = left ^ right
    if op == "shl":
        result = left << right
    if op == "shr":
        result = left >> right
    if op == "lt":
        result = left < right
    if op == "le":
        result = left <= right
    if op == "gt":
        result = left > right
    if op == "ge":
        result = left >= right
    if op == "eq":
        result = left == right
    if op == "ne":
        result = left != right
    if op == "not":
        result = not a
    return result


@kernel(shape=lambda x: (*x.shape, 2), dtype="f32", name="_pairs_of")
def paired(at, x):
    """Real numbers as complex ones: pairs of each and 0."""
    return float(x[at[:-1]]) if at[-1] == 0 else 0.0


@kernel(shape=lambda x: x.shape, dtype="x", name="_conjugate")
def conjugated(at, x):
    """Pairs with the sign of the second turned."""
    return x[at] if at[-1] == 0 else -x[at]


def pairs_shape(a, b):
    """What pairs broadcast to."""
    return np.broadcast_shapes(a.shape, b.shape)


@kernel(
    static=("op",),
    shape=pairs_shape,
    dtype="f32",
    name="_pairs_product",
    ranges={"op": ("mul", "div")},
)
def pairs_product(at, a, b, *, op):
    """The product or quotient of complex numbers, which are pairs; the quotient as Smith has it, so
    that squares do not overflow."""
    # An axis of size 1 repeats by itself: an index out of range reads the edge.
    place_a = at[len(at) - a.ndim : -1]
    place_b = at[len(at) - b.ndim : -1]
    ar, ai = a[(*place_a, 0)], a[(*place_a, 1)]
    br, bi = b[(*place_b, 0)], b[(*place_b, 1)]
    if op == "mul":
        real, imaginary = ar * br - ai * bi, ar * bi + ai * br
    else:
        steep = abs(br) < abs(bi)
        ratio = br / bi if steep else bi / br
        by = br * ratio + bi if steep else br + bi * ratio
        real = (ar * ratio + ai) / by if steep else (ar + ai * ratio) / by
        imaginary = (ai * ratio - ar) / by if steep else (ai - ar * ratio) / by
    return real if at[-1] == 0 else imaginary


@kernel(shape=lambda x: x.shape, dtype="x", name="_assign")
def assigned(
    at, x, value, *, b0=0, b1=0, b2=0, b3=0, b4=0, b5=0, s0=1, s1=1, s2=1, s3=1, s4=1, s5=1
):  # fmt: skip
    """x, with value at begin + k * step along every axis, for each of its places k."""
    begins = (b0, b1, b2, b3, b4, b5)
    steps = (s0, s1, s2, s3, s4, s5)
    place = ()
    inside = True
    for d in range(x.ndim):
        k = (at[d] - begins[d]) // steps[d]
        hit = k * steps[d] == at[d] - begins[d] and k >= 0 and k < value.shape[d]
        inside = inside and hit
        place = (*place, k)
    return value[place] if inside else x[at]


@kernel(shape=lambda x: x.shape, dtype="x", name="_assign_rows")
def assigned_rows(at, x, value, sources):
    """x, with the row of value that sources name, where that is none below 0."""
    row, place = at
    source = sources[row]
    return value[source, place] if source >= 0 else x[at]
