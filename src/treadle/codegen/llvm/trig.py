"""Trigonometric functions of f32 and their inverses as straight-line LLVM IR.

In: f32 values, scalar or vector. Out: values within a few units in the last place, for any
angle: up to 2**20 they are reduced in f64, beyond that with integers against the bits of 2/pi; a
vector without such an angle leaves that out. No calls, as in math.
"""

from __future__ import annotations

import math
from functools import cache

from treadle.codegen.llvm.polynomial import (
    absolute,
    as_float,
    bits_of,
    fma,
    fma_exactly,
    poly,
    sqrt,
    with_sign,
)
from treadle.codegen.llvm.text import Value, const

_SIGN = -0x80000000
_PI_2_HIGH, _PI_2_LOW = 1.5707963267948966, 6.123233995736766e-17
_LARGE = 2.0**20
_FIRST_EXPONENT = 147  # the exponent field of 2**20


@cache
def _two_over_pi() -> tuple[int, ...]:
    """256 bits of 2/pi as signed words, from where a product with 2**-3 modulo 4 starts."""
    bits = 320
    one = 1 << bits

    def arctan_inverse(k: int) -> int:
        total = term = one // k
        n = 1
        while term:
            term //= -k * k
            n += 2
            total += term // n
        return total

    pi = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))
    window = (2 * one * one // pi) >> (bits - 254 + 3)
    words = [(window >> shift) & (1 << 64) - 1 for shift in (192, 128, 64, 0)]
    return tuple(word - (word >> 63 << 64) for word in words)


def _reduce_large(x: Value) -> tuple[Value, Value]:
    """Reduce a number of at least 2**20: exact integer arithmetic on 96 bits of 2/pi."""
    f = x.function
    words = [const(f, word, "i64") for word in _two_over_pi()]
    bits = bits_of(x)
    skip = ((bits.lshr(23) & 0xFF) - _FIRST_EXPONENT).convert("zext", "i64")
    second = (skip & 64).compare("ne", 0)
    a, b, c = (f.select(second, words[k + 1], words[k]) for k in range(3))
    left = skip & 63
    right = left ^ 63  # after a shift by one: a shift by 64 would be poison
    high = f.binary("shl", a, left) | f.binary("lshr", b.lshr(1), right)
    low = (f.binary("shl", b, left) | f.binary("lshr", c.lshr(1), right)).lshr(32)
    m = ((bits & 0x7FFFFF) | 0x800000).convert("zext", "i64")
    product = m * high + (m * low).lshr(32)
    quadrant = (product + (1 << 61)).lshr(62)
    r = (product - quadrant.shl(62)).convert("sitofp", "double") * (_PI_2_HIGH * 2.0**-62)
    negative = bits.compare("slt", 0)
    return f.select(negative, -r, r), f.select(negative, -quadrant, quadrant)


def _reduce(x: Value) -> tuple[Value, Value]:
    """Return x modulo pi/2 in [-pi/4, pi/4] as f32, and the quadrant in the low two bits."""
    f = x.function
    wide = x.convert("fpext", "double")
    magic = 1.5 * 2.0**52
    rounded = fma(wide, 2 / math.pi, magic)
    n = -(rounded - magic)
    r = fma_exactly(n, _PI_2_LOW, fma_exactly(n, _PI_2_HIGH, wide))
    large = absolute(x).compare("oge", _LARGE)
    near = r.convert("fptrunc", "float"), rounded.convert("bitcast", "i64").convert("trunc", "i32")

    def reduced() -> list[Value]:
        far, quadrant = _reduce_large(x)
        # x - x is NaN for an infinite x.
        there = far.convert("fptrunc", "float") + (x - x), quadrant.convert("trunc", "i32")
        return [f.select(large, a, b) for a, b in zip(there, near, strict=True)]

    # Angles so large are rare and take longer than all the rest. Of one element there is no branch:
    # LLVM may make vectors of the loop around it.
    found = f.either(f.any(large), reduced, near) if x.lanes > 1 else reduced()
    return found[0], found[1]


def _sine_cosine(r: Value) -> tuple[Value, Value]:
    z = r * r
    s = fma(poly(z, -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1) * z, r, r)
    p = poly(z, 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
    return with_sign(s, r), fma(p, z * z, fma(z, -0.5, 1.0))  # of -0, too


def _negate_where(x: Value, bit_one: Value) -> Value:
    """Flip the sign where bit 1 is set."""
    return as_float(bits_of(x) ^ bit_one.shl(30) & _SIGN)


def _trigonometric(x: Value, turn: int) -> Value:
    r, quadrant = _reduce(x)
    s, c = _sine_cosine(r)
    quadrant = quadrant + turn
    odd = (quadrant & 1).compare("ne", 0)
    return _negate_where(x.function.select(odd, c, s), quadrant)


def sin(x: Value) -> Value:
    """Sine."""
    return _trigonometric(x, 0)


def cos(x: Value) -> Value:
    """Cosine."""
    return _trigonometric(x, 1)


def tan(x: Value) -> Value:
    """Tangent."""
    f = x.function
    r, quadrant = _reduce(x)
    s, c = _sine_cosine(r)
    odd = (quadrant & 1).compare("ne", 0)
    return f.select(odd, -c, s) / f.select(odd, s, c)


def _asin_small(x: Value) -> Value:
    """asin(x) for |x| <= 1/2."""
    z = x * x
    coefficients = (4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2)
    return fma(poly(z, *coefficients, 1.6666752422e-1) * z, x, x)


def asin(x: Value) -> Value:
    """Arc sine."""
    f = x.function
    a = absolute(x)
    big = a.compare("ogt", 0.5)
    root = sqrt((const(f, 1.0, "float") - a) * 0.5)
    small = _asin_small(f.select(big, root, a))
    return with_sign(f.select(big, fma(small, -2.0, math.pi / 2), small), x)


def acos(x: Value) -> Value:
    """Arc cosine."""
    f = x.function
    a = absolute(x)
    big = a.compare("ogt", 0.5)
    root = sqrt((const(f, 1.0, "float") - a) * 0.5)
    part = _asin_small(f.select(big, root, x))
    outer = part * 2.0
    outer = f.select(x.compare("olt", 0.0), const(f, math.pi, "float") - outer, outer)
    return f.select(big, outer, const(f, math.pi / 2, "float") - part)


def _atan_unit(q: Value) -> Value:
    """atan(q) for 0 <= q <= 1."""
    f = q.function
    big = q.compare("ogt", math.tan(math.pi / 8))
    y = f.select(big, (q - 1.0) / (q + 1.0), q)
    z = y * y
    p = poly(z, 8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1)
    base = f.select(big, math.pi / 4, const(f, 0.0, "float"))
    return fma(p * z, y, y) + base


def atan(x: Value) -> Value:
    """Arc tangent."""
    f = x.function
    a = absolute(x)
    big = a.compare("ogt", 1.0)
    inner = _atan_unit(f.select(big, const(f, 1.0, "float") / a, a))
    return with_sign(f.select(big, const(f, math.pi / 2, "float") - inner, inner), x)


def atan2(y: Value, x: Value) -> Value:
    """Angle of the point (x, y)."""
    f = y.function
    ay, ax = absolute(y), absolute(x)
    steep = ay.compare("ogt", ax)
    small, large = f.select(steep, ax, ay), f.select(steep, ay, ax)
    ratio = f.select(small.compare("oeq", large), 1.0, small / large)
    ratio = f.select(large.compare("oeq", 0.0), 0.0, ratio)
    angle = _atan_unit(ratio)
    angle = f.select(steep, const(f, math.pi / 2, "float") - angle, angle)
    angle = f.select(bits_of(x).compare("slt", 0), const(f, math.pi, "float") - angle, angle)
    angle = with_sign(angle, y)
    return f.select(y.compare("uno", x), x + y, angle)
