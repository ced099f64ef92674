"""Exponentials and logarithms of f64 as straight-line LLVM IR.

In: f64 values, scalar or vector. Out: values within a few units in the last place, right at zeros,
infinities, NaN and where results overflow or become subnormal. As those of f32 (math.py) they have
no branches and no calls, so that loops around them vectorise; what is not here is called from the
C library, element by element.
"""

from __future__ import annotations

import math

from treadle.codegen.llvm.polynomial import absolute, at_least, at_most, fma, poly, with_sign
from treadle.codegen.llvm.text import Value, const

_INF = math.inf
_MAGIC = 1.5 * 2.0**52  # adding it leaves the nearest integer in the low bits
_MAGIC_BITS = 0x4338000000000000
# The logarithm of 2 in two parts, the first so short that its product with an exponent is exact.
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_ROOT_BITS = 0x3FE6A09E667F3BCD  # of sqrt(1/2)
_TINY = 2.0**-1022
_FACTORIALS = [1 / math.factorial(k) for k in range(13, 1, -1)]
_ODD_FACTORIALS = [1 / math.factorial(k) for k in range(17, 2, -2)]
# log(1 + f) = f - f*f/2 + s*(f*f/2 + R(s*s)) with s = f / (2 + f); these are R's (fdlibm's e_log).
_LOG = (
    1.479819860511658591e-01,
    1.531383769920937332e-01,
    1.818357216161805012e-01,
    2.222219843214978396e-01,
    2.857142874366239149e-01,
    3.999999999940941908e-01,
    6.666666666666735130e-01,
)


def _power_of_two(n: Value) -> Value:
    """2**n for n in [-1022, 1023]; anything else gives some number."""
    return (n + 1023).shl(52).convert("bitcast", "double")


def _split_exponent(x: Value, log2_e: float) -> tuple[Value, Value]:
    """Return round(x * log2_e) as a float and as an integer."""
    rounded = fma(x, log2_e, _MAGIC)
    return rounded - _MAGIC, rounded.convert("bitcast", "i64") - _MAGIC_BITS


def _expm1_of_rest(r: Value) -> Value:
    """exp(r) - 1 for |r| <= ln(2)/2."""
    return fma(poly(r, *_FACTORIALS), r * r, r)


def _reduced(x: Value) -> tuple[Value, Value]:
    """exp(r) - 1 and n, x being r + n * ln(2)."""
    whole, n = _split_exponent(x, math.log2(math.e))
    return _expm1_of_rest(fma(whole, -_LN2_LOW, fma(whole, -_LN2_HIGH, x))), n


def _scaled(p: Value, n: Value) -> Value:
    """p * 2**n in two steps, so that subnormal results and overflow come out right."""
    half = n.ashr(1)
    return p * _power_of_two(half) * _power_of_two(n - half)


def _exp_times(x: Value, doublings: int) -> Value:
    """exp(x) * 2**doublings, without overflowing on the way."""
    p, n = _reduced(at_most(at_least(x, -746.0), 711.0))
    return _scaled(p + 1.0, n + doublings)


def exp(x: Value) -> Value:
    """e to the power of x."""
    return _exp_times(x, 0)


def exp2(x: Value) -> Value:
    """2 to the power of x."""
    x = at_most(at_least(x, -1076.0), 1025.0)
    whole, n = _split_exponent(x, 1.0)
    return _scaled(_expm1_of_rest((x - whole) * math.log(2)) + 1.0, n)


def expm1(x: Value) -> Value:
    """exp(x) - 1, exact near 0."""
    f = x.function
    p, n = _reduced(at_most(at_least(x, -60.0), 711.0))
    # Half the power of two, doubled at the end: 2**1024 would already be infinite.
    half = _power_of_two(f.intrinsic("smin", n - 1, 1023))
    result = fma(half, p, half - 0.5) * 2.0
    result = f.select(x.compare("ogt", 709.782712893384), _INF, result)
    return f.select(x.compare("oeq", 0.0), x, result)


def _mantissa_log(x: Value) -> tuple[Value, Value, Value]:
    """Split a positive number x = (1 + m) * 2**e, with 1 + m in [sqrt(1/2), sqrt(2)): return m,
    what log(1 + m) is less than m, and e as a float."""
    f = x.function
    small = x.compare("olt", _TINY)
    shifted = f.select(small, x * 2.0**54, x).convert("bitcast", "i64") - _ROOT_BITS
    m = ((shifted & ((1 << 52) - 1)) + _ROOT_BITS).convert("bitcast", "double") - 1.0
    e = shifted.ashr(52).convert("sitofp", "double")
    e = e - f.select(small, 54.0, const(f, 0.0, "double"))
    s = m / (m + 2.0)
    z, half = s * s, m * m * 0.5
    return m, half - s * (half + z * poly(z, *_LOG)), e


def _log_edges(x: Value, result: Value) -> Value:
    f = x.function
    result = f.select(x.compare("oeq", 0.0), -_INF, result)
    result = f.select(x.compare("olt", 0.0), math.nan, result)
    keep = x.compare("uno", 0.0) | x.compare("oeq", _INF)
    return f.select(keep, x, result)


def log(x: Value) -> Value:
    """Natural logarithm."""
    m, less, e = _mantissa_log(x)
    return _log_edges(x, e * _LN2_HIGH - ((less - e * _LN2_LOW) - m))


def log2(x: Value) -> Value:
    """Logarithm to base 2."""
    m, less, e = _mantissa_log(x)
    m = m - less
    # log2(e) = 1.4375 + 0.00519504...; the first factor is short, so its product is nearly exact.
    return _log_edges(x, e + fma(m, 1.4375, m * (math.log2(math.e) - 1.4375)))


def log10(x: Value) -> Value:
    """Logarithm to base 10."""
    m, less, e = _mantissa_log(x)
    high = 0.30078125  # log10(2) in nine bits
    tail = fma(e, math.log10(2) - high, (m - less) * math.log10(math.e))
    return _log_edges(x, fma(e, high, tail))


def log1p(x: Value) -> Value:
    """log(1 + x), exact near 0."""
    f = x.function
    u = x + 1.0
    # Scaling by x / (u - 1) undoes what rounding 1 + x lost.
    result = log(u) * (x / (u - 1.0))
    result = f.select(u.compare("oeq", 1.0), x, result)
    return f.select(u.compare("oeq", _INF), u, result)


def sinh(x: Value) -> Value:
    """Hyperbolic sine."""
    a, z = absolute(x), x * x
    near = fma(poly(z, *_ODD_FACTORIALS) * z, x, x)
    far = with_sign(_exp_times(a, -1) - _exp_times(-a, -1), x)
    return x.function.select(a.compare("olt", 1.0), near, far)


def cosh(x: Value) -> Value:
    """Hyperbolic cosine."""
    a = absolute(x)
    return _exp_times(a, -1) + _exp_times(-a, -1)


def tanh(x: Value) -> Value:
    """Hyperbolic tangent."""
    # tanh(a) = -t / (t + 2) with t = exp(-2a) - 1, which stays exact near 0.
    p, n = _reduced(at_most(absolute(x), 22.0) * -2.0)
    scale = _power_of_two(n)
    t = fma(scale, p, scale - 1.0)
    return with_sign(t / (t + 2.0), x)
