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


@pointwise(name="_shift", static=("bits", "left"), results="arithmetic")
def shifted(a, b, *, bits, left):
    """Bits moved to the left or right; what a narrow type has no room for is dropped."""
    amount = b & (bits - 1)
    result = a << amount if left else a >> amount
    if left and bits < 32:
        result = result & ((1 << bits) - 1)
    return result


def moved(a, b, left):
    """Record a shift; the amount counts modulo the width of what is shifted."""
    alone = a.dtype == b.dtype
    bits = 8 * as_dtype(a.dtype).size if alone else 32
    if "s64" in (a.dtype, b.dtype) or {a.dtype, b.dtype} == {"s32", "u32"}:
        bits = 64
    return shifted(a, b, bits=bits, left=left)


@composite(takes=WHOLE, gives="the shapes of a and b, broadcast")
def bitwise_left_shift(a, b):
    """a << b, the amount modulo the width; bits beyond it are dropped."""
    return moved(a, b, True)


@composite(takes=WHOLE, gives="the shapes of a and b, broadcast")
def bitwise_right_shift(a, b):
    """a >> b, the amount modulo the width; the sign fills what becomes free."""
    return moved(a, b, False)
