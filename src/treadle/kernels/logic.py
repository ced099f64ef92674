"""Comparisons, logic and bits, element by element, with NumPy broadcasting.

A condition is 0 or 1; where one goes in, every number but 0 holds."""

from __future__ import annotations

from treadle.dtypes import as_dtype
from treadle.kernels.check import WHOLE
from treadle.lang.decorators import composite, pointwise

__all__: list[str] = []

CONDITION = "bool"  # what conditions are stored as


@pointwise(results=CONDITION)
def equal(a, b):
    """Whether a == b; NaN equals nothing."""
    return a == b


@pointwise(results=CONDITION)
def not_equal(a, b):
    """Whether a != b; NaN differs from everything."""
    return a != b


@pointwise(results=CONDITION)
def less(a, b):
    """Whether a < b."""
    return a < b


@pointwise(results=CONDITION)
def less_equal(a, b):
    """Whether a <= b."""
    return a <= b


@pointwise(results=CONDITION)
def greater(a, b):
    """Whether a > b."""
    return a > b


@pointwise(results=CONDITION)
def greater_equal(a, b):
    """Whether a >= b."""
    return a >= b


@pointwise(name="isnan", results=CONDITION)
def is_no_number(x):
    """Whether x is NaN; an integer never is."""
    return x != x


@pointwise(name="isinf", results=CONDITION)
def is_infinite(x):
    """Whether x is inf or -inf; an integer never is."""
    result = x != x
    if x.dtype[0] == "f":
        result = isinf(x)
    return result


@pointwise(results=CONDITION)
def isfinite(x):
    """Whether x is neither infinite nor NaN; an integer always is."""
    result = x == x
    if x.dtype[0] == "f":
        result = not (isnan(x) or isinf(x))
    return result


@pointwise(results=CONDITION)
def logical_and(a, b):
    """Whether both are other than 0."""
    return a != 0 and b != 0


@pointwise(results=CONDITION)
def logical_or(a, b):
    """Whether either is other than 0."""
    return a != 0 or b != 0


@pointwise(results=CONDITION)
def logical_xor(a, b):
    """Whether one of the two is other than 0, and the other is 0."""
    return (a != 0 and b == 0) or (a == 0 and b != 0)


@pointwise(results=CONDITION)
def logical_not(x):
    """Whether x is 0."""
    return x == 0


@pointwise(takes=WHOLE, results="arithmetic")
def bitwise_and(a, b):
    """a & b, bit by bit."""
    return a & b


@pointwise(takes=WHOLE, results="arithmetic")
def bitwise_or(a, b):
    """a | b, bit by bit."""
    return a | b


@pointwise(takes=WHOLE, results="arithmetic")
def bitwise_xor(a, b):
    """a ^ b, bit by bit."""
    return a ^ b


@pointwise(name="_invert", static=("flips",), results="arithmetic")
def inverted(x, *, flips):
    """The bits of an integer turned round; of a narrow one without a sign, those in flips."""
    result = x ^ flips
    if flips == 0:
        result = ~x
    return result


@composite(takes=WHOLE, gives="that of x")
def bitwise_invert(x):
    """~x: every bit turned round."""
    kind = as_dtype(x.dtype).numpy
    narrow = kind.kind == "u" and kind.itemsize < 4
    return inverted(x, flips=(1 << 8 * kind.itemsize) - 1 if narrow else 0)


@pointwise(name="_shift", static=("bits", "left", "signed"), results="arithmetic")
def shifted(a, b, *, bits, left, signed):
    """Bits moved to the left or right; what there is no room for is dropped."""
    amount = b & (bits - 1)
    gone = a * 0  # what is there once every bit has left; to the right that is the sign
    if not left and a.dtype != "u32":
        gone = a >> (63 if bits == 64 else 31)
    result = a << amount if left else a >> amount
    if left and bits < 32:
        result = result & ((1 << bits) - 1)
        if signed:
            result = (result ^ (1 << (bits - 1))) - (1 << (bits - 1))
    return result if b >= 0 and b < bits else gone


def moved(a, b, left):
    """Record a shift; the type that both have together says how many bits there are."""
    bits = 8 * as_dtype(a.dtype).size if a.dtype == b.dtype else 32
    if "s64" in (a.dtype, b.dtype) or {a.dtype, b.dtype} == {"s32", "u32"}:
        bits = 64
    return shifted(a, b, bits=bits, left=left, signed=as_dtype(a.dtype).is_signed)


@composite(takes=WHOLE, gives="the shapes of a and b, broadcast")
def bitwise_left_shift(a, b):
    """a << b; bits beyond the width are dropped, all of them for an amount that is negative or not
    below the width, as in NumPy."""
    return moved(a, b, True)


@composite(takes=WHOLE, gives="the shapes of a and b, broadcast")
def bitwise_right_shift(a, b):
    """a >> b; the sign fills what becomes free, and everything for an amount that is negative or
    not below the width, as in NumPy."""
    return moved(a, b, False)
