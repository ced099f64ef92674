"""Exponentials, logarithms and powers of f32 as straight-line LLVM IR.

In: f32 values, scalar or vector. Out: values within a few units in the last place, right at zeros,
infinities, NaN and where results overflow or become subnormal. There are no branches and no calls,
only selects and polynomials, so that loops around them vectorise. Rounding uses the addition of a
large constant instead of a conversion, because converting NaN to an integer would be poison.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from treadle.codegen.llvm.polynomial import (
    absolute,
    as_float,
    at_least,
    at_most,
    bits_of,
    fma,
    fma_exactly,
    poly,
    with_sign,
)
from treadle.codegen.llvm.text import Value, const

_INF = math.inf
_MAGIC = 1.5 * 2.0**23  # adding it leaves the nearest integer in the low bits
_MAGIC_BITS = 0x4B400000
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4
_TWO_OVER_LN2, _TWO_OVER_LN2_LOW = 2.885390043258667, 3.851926e-08
_TINY = 2.0**-126
_LEAST_NORMAL, _MOST_NORMAL = -86.0, 87.0  # exp of these and of all between is a normal number


def _power_of_two(n: Value) -> Value:
    """2**n for n in [-126, 127]; anything else gives some number."""
    return as_float((n + 127).shl(23))


def _split_exponent(x: Value, log2_e: float) -> tuple[Value, Value]:
    """Return round(x * log2_e) as a float and as an integer."""
    rounded = fma(x, log2_e, _MAGIC)
    return rounded - _MAGIC, bits_of(rounded) - _MAGIC_BITS


def _expm1_of_rest(r: Value) -> Value:
    """exp(r) - 1 for |r| <= ln(2)/2."""
    p = poly(r, 1.9899285e-4, 1.3933650e-3, 8.3332985e-3, 4.1666465e-2, 0.16666667, 0.5)
    return fma(p, r * r, r)


def _scaled(p: Value, n: Value) -> Value:
    """p * 2**n in two steps, so that subnormal results and overflow come out right."""
    half = n.ashr(1)
    return p * _power_of_two(half) * _power_of_two(n - half)


def _exp_times(x: Value, doublings: int) -> Value:
    """exp(x) * 2**doublings, without overflowing on the way."""
    low, high = x.bounds
    x = at_most(at_least(x, -105.0), 91.0)
    whole, n = _split_exponent(x, math.log2(math.e))
    r = fma(whole, -_LN2_LOW, fma(whole, -_LN2_HIGH, x))
    p = _expm1_of_rest(r) + 1.0
    if doublings == 0 and low >= _LEAST_NORMAL and high <= _MOST_NORMAL:
        return p * _power_of_two(n)
    return _scaled(p, n + doublings)


def exp(x: Value) -> Value:
    """e to the power of x."""
    return _exp_times(x, 0)


def _exp2_of_rest(r: Value) -> Value:
    """2**r for |r| <= 1/2: the best of its degree with 1 as its last coefficient, off by 2e-9."""
    return poly(
        r,
        1.5353361959569156e-4,
        1.3398873852565885e-3,
        9.61843691766262e-3,
        5.5503323674201965e-2,
        0.24022647738456726,
        0.6931471824645996,
        1.0,
    )


def exp2(x: Value) -> Value:
    """2 to the power of x."""
    low, high = x.bounds
    x = at_most(at_least(x, -152.0), 130.0)
    whole, n = _split_exponent(x, 1.0)
    p = _exp2_of_rest(x - whole)
    if low >= -126.0 and high <= 127.0:
        return p * _power_of_two(n)
    return _scaled(p, n)


def expm1(x: Value) -> Value:
    """exp(x) - 1, exact near 0."""
    f = x.function
    y = at_most(at_least(x, -30.0), 91.0)
    whole, n = _split_exponent(y, math.log2(math.e))
    r = fma(whole, -_LN2_LOW, fma(whole, -_LN2_HIGH, y))
    # Half the power of two, doubled at the end: 2**128 would already be infinite.
    half = _power_of_two(f.intrinsic("smin", n - 1, 127))
    result = fma(half, _expm1_of_rest(r), half - 0.5) * 2.0
    result = f.select(x.compare("ogt", 88.7229), _INF, result)
    return f.select(x.compare("oeq", 0.0), x, result)


def _usually(usual: Value, near: Callable[[], Value], build: Callable[[], Value]) -> Value:
    """What `build` makes, or `near` where all lanes are usual. As with large angles (trig), vectors
    have a branch around what is rare and takes longer; the bits are the same on either way."""
    f = usual.function
    if usual.lanes == 1:
        return build()
    return f.either(f.any(usual ^ 1), lambda: [build()], [near()])[0]


def _is_normal(x: Value) -> Value:
    """Whether a number is positive, finite, and not so small that it has fewer digits."""
    return x.compare("oge", _TINY) & x.compare("olt", _INF)


def _split(x: Value) -> tuple[Value, Value]:
    """Split a normal number: return m - 1 and the exponent e, x = m * 2**e, with m in
    [sqrt(1/2), sqrt(2))."""
    # Subtracting the bits of sqrt(1/2) makes the exponent field change exactly there.
    shifted = bits_of(x) - 0x3F3504F3
    return as_float((shifted & 0x7FFFFF) + 0x3F3504F3) - 1.0, shifted.ashr(23)


def _log_of_rest(m: Value) -> Value:
    """log(1 + m) for 1 + m in [sqrt(1/2), sqrt(2))."""
    z = m * m
    p = poly(
        m,
        7.0376836292e-2,
        -1.1514610310e-1,
        1.1676998740e-1,
        -1.2420140846e-1,
        1.4249322787e-1,
        -1.6668057665e-1,
        2.0000714765e-1,
        -2.4999993993e-1,
        3.3333331174e-1,
    )
    return m + fma(z * m, p, z * -0.5)


def _logarithm(x: Value, joined: Callable[[Value, Value], Value]) -> Value:
    """What `joined` makes of log(m) and of the exponent e as a float, x = m * 2**e, with m in
    [sqrt(1/2), sqrt(2))."""
    f = x.function

    def near() -> Value:
        m, exponent = _split(x)
        return joined(_log_of_rest(m), exponent.convert("sitofp", "float"))

    def of_any() -> Value:
        small = x.compare("olt", _TINY)
        m, exponent = _split(f.select(small, x * 2.0**25, x))
        e = exponent.convert("sitofp", "float") - f.select(small, 25.0, const(f, 0.0, "float"))
        return _log_edges(x, joined(_log_of_rest(m), e))

    return _usually(_is_normal(x), near, of_any)


def _log_edges(x: Value, result: Value) -> Value:
    f = x.function
    result = f.select(x.compare("oeq", 0.0), -_INF, result)
    result = f.select(x.compare("olt", 0.0), math.nan, result)
    keep = x.compare("uno", 0.0) | x.compare("oeq", _INF)
    return f.select(keep, x, result)


def log(x: Value) -> Value:
    """Natural logarithm."""
    return _logarithm(x, lambda m, e: fma(e, _LN2_HIGH, fma(e, _LN2_LOW, m)))


def log2(x: Value) -> Value:
    """Logarithm to base 2."""
    # log2(e) = 1.4375 + 0.00519504...; the first factor is short, so its product is nearly exact.
    less = math.log2(math.e) - 1.4375
    return _logarithm(x, lambda m, e: e + fma(m, 1.4375, m * less))


def log10(x: Value) -> Value:
    """Logarithm to base 10."""
    high = 0.30078125  # log10(2) in nine bits
    less = math.log10(2) - high
    return _logarithm(x, lambda m, e: fma(e, high, fma(e, less, m * math.log10(math.e))))


def log1p(x: Value) -> Value:
    """log(1 + x), exact near 0."""
    f = x.function
    u = x + 1.0
    m, exponent = _split(u)
    # (1 + x) / 2**e - 1 rounds once, and undoes what rounding 1 + x lost. Where 1 is lost anyway,
    # the power of two may be no normal number.
    scale = as_float((const(f, 127, "i32") - exponent).shl(23))
    e = exponent.convert("sitofp", "float")

    def of(m: Value) -> Value:
        return fma(e, _LN2_HIGH, fma(e, _LN2_LOW, _log_of_rest(m)))

    def near() -> Value:
        return of(fma(x, scale, scale - 1.0))

    def of_any() -> Value:
        return _log_edges(
            u, of(f.select(exponent.compare("sgt", 64), m, fma(x, scale, scale - 1.0)))
        )

    usual = x.compare("ogt", -1.0) & x.compare("olt", 2.0**60)
    result = _usually(usual, near, of_any)
    return f.select(u.compare("oeq", 1.0), x, result)


def sinh(x: Value) -> Value:
    """Hyperbolic sine."""
    f = x.function
    a = absolute(x)
    z = x * x
    near = fma(poly(z, 2.03721912945e-4, 8.33028376239e-3, 1.66667160211e-1) * z, x, x)
    far = with_sign(_exp_times(a, -1) - _exp_times(-a, -1), x)
    return f.select(a.compare("olt", 1.0), near, far)


def cosh(x: Value) -> Value:
    """Hyperbolic cosine."""
    a = absolute(x)
    return _exp_times(a, -1) + _exp_times(-a, -1)


def tanh(x: Value) -> Value:
    """Hyperbolic tangent."""
    # tanh(a) = -t / (t + 2) with t = exp(-2a) - 1, which stays exact near 0.
    y = at_most(absolute(x), 10.0) * -2.0
    whole, n = _split_exponent(y, math.log2(math.e))
    r = fma(whole, -_LN2_LOW, fma(whole, -_LN2_HIGH, y))
    scale = _power_of_two(n)
    t = fma(scale, _expm1_of_rest(r), scale - 1.0)
    return with_sign(t / (t + 2.0), x)


def erf(x: Value) -> Value:
    """Error function."""
    f = x.function
    a = absolute(x)
    z = x * x
    near = x * poly(
        z,
        7.882497098e-5,
        -8.018854989e-4,
        5.189311942e-3,
        -2.685432880e-2,
        0.1128359746,
        -0.3761262690,
        1.1283791659,
    )
    y = at_most(a, 4.0)
    q = poly(
        y,
        -1.614061626e-6,
        4.559062294e-5,
        -5.927695424e-4,
        4.740222365e-3,
        -2.636471744e-2,
        0.1099782453,
        0.6319370935,
        1.1301666756,
        -3.032129984e-4,
    )
    q = -q
    q.bounds = -20.0, 1.0
    far = with_sign(const(f, 1.0, "float") - exp(q), x)
    return f.select(a.compare("olt", 1.0), near, far)


def pow(x: Value, y: Value) -> Value:
    """x to the power of y."""
    f = x.function
    x, y = f.match(x, y)
    high, low = _log2_parts(x)
    # The product with the exponent in two parts, too: most of its digits are the result's exponent.
    product = y * high
    rest = fma_exactly(y, low, fma_exactly(y, high, -product))
    total = product + rest
    rounded = total + _MAGIC
    whole, power = rounded - _MAGIC, bits_of(rounded) - _MAGIC_BITS
    near = _exp2_of_rest((product - whole) + rest) * _power_of_two(power)
    usual = _is_normal(x) & absolute(total).compare("olt", 126.0)
    return _usually(usual, lambda: near, lambda: f.select(usual, near, _pow_of_any(x, y)))


def _log2_parts(x: Value) -> tuple[Value, Value]:
    """log2 of a normal positive number as a sum, the first part of which it nearly is."""
    f, m, exponent = x.function, *_split(x)
    # With s = m / (m + 2), log2(1 + m) is 2 / ln(2) * (s + s**3 / 3 + ...); of that only s needs to
    # be known to more digits than a float has.
    d = m + 2.0
    inverse = const(f, 1.0, "float") / d
    s = m * inverse
    less = fma_exactly(-s, m - (d - 2.0), fma_exactly(-s, d, m)) * inverse
    z = fma(s + s, less, s * s)
    p = poly(z, 0.2828572054, 0.3199092161, 0.4122091477, 0.5770779437, 0.9617966941061727)
    high = s * _TWO_OVER_LN2
    low = fma(less, _TWO_OVER_LN2, fma(s, _TWO_OVER_LN2_LOW, fma_exactly(s, _TWO_OVER_LN2, -high)))
    e = exponent.convert("sitofp", "float")
    total = e + high
    return total, fma(s * z, p, low) + (high - (total - e))


def _pow_of_any(x: Value, y: Value) -> Value:
    """x to the power of y, whatever they are; the product with the exponent needs f64."""
    f = x.function
    a = absolute(x)
    p = _exp2_wide(_log2_wide(a) * y.convert("fpext", "double"))
    whole = f.intrinsic("trunc", y).compare("oeq", y)
    half = y * 0.5
    odd = whole & f.intrinsic("trunc", half).compare("une", half)
    p = f.select(odd & bits_of(x).compare("slt", 0), -p, p)
    invalid = x.compare("olt", 0.0) & a.compare("one", _INF) & (whole ^ 1)
    p = f.select(invalid, math.nan, p)
    p = f.select(a.compare("oeq", 1.0) & absolute(y).compare("oeq", _INF), 1.0, p)
    one = x.compare("oeq", 1.0) | y.compare("oeq", 0.0)
    return f.select(one, 1.0, p)


def _log2_wide(a: Value) -> Value:
    """log2 of a number that is not negative, as f64."""
    f = a.function
    wide = a.convert("fpext", "double")  # also makes subnormals normal
    bits = wide.convert("bitcast", "i64")
    shifted = bits - 0x3FE6A09E667F3BCD  # sqrt(1/2)
    e = shifted.ashr(52).convert("sitofp", "double")
    m = ((shifted & ((1 << 52) - 1)) + 0x3FE6A09E667F3BCD).convert("bitcast", "double")
    t = (m - 1.0) / (m + 1.0)
    p = poly(t * t, 0.2828572054, 0.3199092161, 0.4122091477, 0.5770779437, 0.9617966941061727)
    result = fma(t, fma(p, t * t, 2 / math.log(2)), e)
    result = f.select(wide.compare("oeq", 0.0), -_INF, result)
    return f.select(wide.compare("ult", _INF) & wide.compare("ord", 0.0), result, wide)


def _exp2_wide(t: Value) -> Value:
    """2**t as f32 for an f64 exponent."""
    t = at_most(at_least(t, -160.0), 140.0)
    magic = 1.5 * 2.0**52
    rounded = t + magic
    n = rounded.convert("bitcast", "i64").convert("trunc", "i32")
    r = t - (rounded - magic)
    p = poly(
        r,
        1.5310081590e-5,
        1.5403433532e-4,
        1.3333450559e-3,
        9.6181291943e-3,
        5.5504109412e-2,
        0.24022650696,
        0.69314718055,
        1.0,
    )
    scale = ((n + 1023).convert("zext", "i64")).shl(52).convert("bitcast", "double")
    return (p * scale).convert("fptrunc", "float")
