"""Functions of numbers, element by element, with NumPy broadcasting.

Integers become floats where a function gives fractions (s64 becomes f64, the others f32), and stay
what they are where it rounds. Every function is right at zeros, infinities and NaN; how far the
last bits may be off is said in docs/kernels.md."""

from __future__ import annotations

from math import inf

from treadle.dtypes import as_dtype
from treadle.kernels.operators import whole_power
from treadle.kernels.pointwise import converted
from treadle.lang.decorators import composite, function, pointwise

__all__: list[str] = []


@pointwise(name="sin", results="float")
def sine(x):
    """Sine of radians, for any angle; NaN of an infinite one."""
    return sin(x)


@pointwise(name="cos", results="float")
def cosine(x):
    """Cosine of radians, for any angle; NaN of an infinite one."""
    return cos(x)


@pointwise(name="tan", results="float")
def tangent(x):
    """Tangent of radians, for any angle; NaN of an infinite one."""
    return tan(x)


@pointwise(name="asin", results="float")
def arc_sine(x):
    """Arc sine, from -pi/2 to pi/2; NaN outside of -1 to 1."""
    return asin(x)


@pointwise(name="acos", results="float")
def arc_cosine(x):
    """Arc cosine, from 0 to pi; NaN outside of -1 to 1."""
    return acos(x)


@pointwise(name="atan", results="float")
def arc_tangent(x):
    """Arc tangent, from -pi/2 to pi/2."""
    return atan(x)


@pointwise(name="atan2", results="float")
def angle_of(y, x):
    """The angle of the point (x, y), from -pi to pi, as C's atan2 for zeros and infinities."""
    return atan2(y, x)


@pointwise(name="sinh", results="float")
def hyperbolic_sine(x):
    """Hyperbolic sine."""
    return sinh(x)


@pointwise(name="cosh", results="float")
def hyperbolic_cosine(x):
    """Hyperbolic cosine."""
    return cosh(x)


@function
def beyond(x):
    """From where on x and x + 1 have the same logarithm; its square is a number, still."""
    return 1e17 if x.dtype == "f64" else 1e8


@pointwise(name="asinh", results="float")
def inverse_hyperbolic_sine(x):
    """The number whose hyperbolic sine x is."""
    a = abs(float(x))
    far = a > beyond(a)
    near = minimum(a, beyond(a))
    more = near + near * near / (1.0 + sqrt(near * near + 1.0))
    found = log1p(a if far else more) + (0.6931471805599453 if far else 0.0)
    return float(x) if a == 0 else (-found if x < 0 else found)


@pointwise(name="acosh", results="float")
def inverse_hyperbolic_cosine(x):
    """The number of at least 0 whose hyperbolic cosine x is; NaN below 1."""
    a = float(x)
    far = a > beyond(a)
    more = minimum(a, beyond(a)) - 1.0
    both = more + sqrt(more * (more + 2.0))
    found = log1p(a if far else both) + (0.6931471805599453 if far else 0.0)
    return found if a >= 1 else sqrt(more)  # of what is below 0


@pointwise(name="atanh", results="float")
def inverse_hyperbolic_tangent(x):
    """The number whose hyperbolic tangent x is; infinite at -1 and 1, and NaN beyond them."""
    a = abs(float(x))
    found = 0.5 * log1p(2.0 * a / (1.0 - a))
    return float(x) if a == 0 else (-found if x < 0 else found)


@pointwise(name="erf", results="float")
def error_function(x):
    """The error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x."""
    return erf(x)


@pointwise(name="exp2", results="float")
def power_of_two(x):
    """2 to the power of x."""
    return exp2(x)


@pointwise(name="expm1", results="float")
def exponential_less_one(x):
    """exp(x) - 1, exact near 0."""
    return expm1(x)


@pointwise(name="log1p", results="float")
def logarithm_of_one_more(x):
    """log(1 + x), exact near 0; NaN below -1, -inf at -1."""
    return log1p(x)


@pointwise(name="log2", results="float")
def binary_logarithm(x):
    """Logarithm to base 2; NaN below 0, -inf at 0."""
    return log2(x)


@pointwise(name="log10", results="float")
def common_logarithm(x):
    """Logarithm to base 10; NaN below 0, -inf at 0."""
    return log10(x)


@function
def alike(a, b):
    """Both as floats of one type, which is f64 where either is, and of integers where sums are
    s64."""
    whole = a.dtype[0] != "f" and b.dtype[0] != "f"
    mixed = a.dtype != b.dtype and (a.dtype == "u32" or b.dtype == "u32")
    wide = whole and (a.dtype == "s64" or b.dtype == "s64" or mixed)
    if wide or a.dtype == "f64" or b.dtype == "f64":
        pair = (f64(a), f64(b))
    else:
        pair = (f32(a), f32(b))
    return pair


@pointwise(results="float")
def logaddexp(a, b):
    """log(exp(a) + exp(b)), without overflow."""
    x, y = alike(a, b)
    large = maximum(x, y)
    return large if isinf(large) else large + log1p(exp(-abs(x - y)))


@pointwise(results="float")
def hypot(a, b):
    """sqrt(a * a + b * b), without overflow; inf if either is infinite, beside a NaN too."""
    x, y = alike(a, b)
    x, y = abs(x), abs(y)
    large = maximum(x, y)
    ratio = minimum(x, y) / large
    found = large if large == 0 else large * sqrt(1.0 + ratio * ratio)
    return inf if isinf(x) or isinf(y) else found


@pointwise(results="float")
def reciprocal(x):
    """1 / x (IEEE: 1 / 0 is inf)."""
    return 1.0 / x


@pointwise(name="sign", results="arithmetic")
def sign_of(x):
    """-1, 0 or 1; NaN stays NaN."""
    return sign(x)


@pointwise(name="floor", dtype="x")
def next_below(x):
    """The next whole number below; integers stay."""
    result = x
    if x.dtype[0] == "f":
        result = floor(x)
    return result


@pointwise(name="ceil", dtype="x")
def next_above(x):
    """The next whole number above; integers stay."""
    result = x
    if x.dtype[0] == "f":
        result = ceil(x)
    return result


@pointwise(name="trunc", dtype="x")
def whole_part(x):
    """The whole part, towards 0; integers stay."""
    result = x
    if x.dtype[0] == "f":
        result = trunc(x)
    return result


@pointwise(name="round", dtype="x")
def nearest_whole(x):
    """The nearest whole number, the even one of two; integers stay."""
    result = x
    if x.dtype[0] == "f":
        result = round(x)
    return result


@pointwise(name="_pow", results="arithmetic")
def raised(a, b):
    """a to the power of b."""
    if a.dtype[0] == "f" or b.dtype[0] == "f":
        result = a**b
    else:
        result = whole_power(a + b * 0, b)
    return result


@pointwise(name="_pow_of_few_bits", results="f32")
def raised_as_floats(a, b):
    """The same for integers of at most 16 bits: as floats, which hold what is not too large."""
    return f32(a) ** f32(b) if b >= 0 else 0.0


@composite(gives="the shapes of a and b, broadcast")
def elementwise_pow(a, b):
    """a to the power of b, both arrays; of integers alone an integer, which wraps (saturates, if it
    has 16 bits or fewer), and 0 for a negative power, as of a fraction."""
    kind = as_dtype(a.dtype)
    if a.dtype == b.dtype and kind.is_integer and kind.is_narrow:
        return converted(raised_as_floats(a, b), dtype=kind)
    return raised(a, b)
