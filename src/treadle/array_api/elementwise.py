"""Functions of the standard that go element by element: one row each.

In: arrays, and for those of two a Python number in place of one. Out: arrays, at once. A row says
which kernel or operator of arrays a function is and which dtypes it takes; promotion is the same
for all of them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from treadle.array_api.given import Array, Number, array, call, cast, fresh, kind, pair
from treadle.array_api.hosted import hosted
from treadle.array_api.types import result_type
from treadle.dtypes import DType
from treadle.lang.promotion import is_number

__all__: list[str] = []


class Unary(Protocol):
    """A function of one array."""

    def __call__(self, x: Array, /) -> Array: ...


class Binary(Protocol):
    """A function of two arrays, or of an array and a number."""

    def __call__(self, x1: Array | Number, x2: Array | Number, /) -> Array: ...


_TAKES: dict[str, Callable[[DType], bool]] = {
    "numeric": lambda dtype: dtype is not DType.BOOL,
    "real": lambda dtype: dtype is not DType.BOOL,
    "floating": lambda dtype: dtype.is_float or dtype.numpy.kind == "c",
    "integer": lambda dtype: dtype.is_integer,
    "bits": lambda dtype: dtype.is_integer or dtype is DType.BOOL,
    "bool": lambda dtype: dtype is DType.BOOL,
    "all": lambda dtype: True,
}


def _check(name: str, dtype: DType, takes: str) -> None:
    if not _TAKES[takes](dtype):
        raise TypeError(f"{name}: expected {takes} dtypes, got {dtype}; see astype")


def _named(function: Any, name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__code__ = function.__code__.replace(co_name=name, co_qualname=name)
    function.__module__ = "treadle.array_api"
    function.__doc__ = doc
    __all__.append(name)
    return function


def _unary(name: str, does: str | Callable[[Any], Any], takes: str, doc: str) -> Unary:
    if isinstance(does, str):
        kernel = does

        def made(x: Any, /) -> Any:
            _check(name, kind(x), takes)
            return call(kernel, x)
    else:
        compute = does

        def made(x: Any, /) -> Any:
            _check(name, kind(x), takes)
            return compute(x)

    return _named(made, name, doc)  # type: ignore[no-any-return]


def _binary(name: str, does: str | Callable[[Any, Any], Any], takes: str, doc: str) -> Binary:
    """A kernel computes in one dtype; an operator of arrays promotes by itself."""
    if isinstance(does, str):
        kernel = does

        def made(x1: Any, x2: Any, /) -> Any:
            a, b = pair(x1, x2, same=True)
            _check(name, kind(a), takes)
            return call(kernel, a, b)
    else:
        compute = does

        def made(x1: Any, x2: Any, /) -> Any:
            if type(x1) is type(x2) is Array and x1.dtype is x2.dtype:  # most often
                _check(name, x1.dtype, takes)
                return compute(x1, x2)
            if is_number(x1) and is_number(x2):
                raise TypeError(f"{name}: expected an array, got {x1!r} and {x2!r}")
            _check(name, result_type(*_arrays_first(x1, x2)), takes)
            return compute(x1, x2)

    return _named(made, name, doc)  # type: ignore[no-any-return]


def _arrays_first(x1: Any, x2: Any) -> tuple[Any, Any]:
    first, second = (x2, x1) if is_number(x1) else (x1, x2)
    array(first)
    return first, second if is_number(second) else array(second)


def _same(x: Any) -> Any:
    return x.copy() if hasattr(x, "copy") else call("_copy", x)


def _imaginary(x: Any) -> Any:
    return x.imag if kind(x) is DType.C64 else fresh(np.zeros(x.shape), kind(x), x)


def _nextafter(x1: Any, x2: Any) -> Any:
    return hosted("nextafter", np.nextafter, _broadcast, *pair(x1, x2, same=True))


def _broadcast(x1: Any, x2: Any) -> Any:
    return [(np.broadcast_shapes(x1.shape, x2.shape), x1.dtype)]


def _signbit(x: Any) -> Any:
    return call("_signbit", x) != 0


abs = _unary("abs", operator.abs, "numeric", "Compute the absolute value.")
acos = _unary("acos", "acos", "floating", "Compute the arc cosine, from 0 to pi.")
acosh = _unary("acosh", "acosh", "floating", "Compute the inverse hyperbolic cosine.")
add = _binary("add", operator.add, "all", "Add.")
asin = _unary("asin", "asin", "floating", "Compute the arc sine, from -pi/2 to pi/2.")
asinh = _unary("asinh", "asinh", "floating", "Compute the inverse hyperbolic sine.")
atan = _unary("atan", "atan", "floating", "Compute the arc tangent, from -pi/2 to pi/2.")
atan2 = _binary("atan2", "atan2", "floating", "Compute the angle of the points (x2, x1).")
atanh = _unary("atanh", "atanh", "floating", "Compute the inverse hyperbolic tangent.")
bitwise_and = _binary("bitwise_and", operator.and_, "bits", "Compute the bits that both have.")
bitwise_invert = _unary("bitwise_invert", operator.invert, "bits", "Turn every bit round.")
bitwise_left_shift = _binary(
    "bitwise_left_shift", "bitwise_left_shift", "integer", "Move bits to the left."
)
bitwise_or = _binary("bitwise_or", operator.or_, "bits", "Compute the bits that either has.")
bitwise_right_shift = _binary(
    "bitwise_right_shift", "bitwise_right_shift", "integer", "Move bits to the right."
)
bitwise_xor = _binary("bitwise_xor", operator.xor, "bits", "Compute the bits that one of two has.")
ceil = _unary("ceil", "ceil", "real", "Round to the next whole number above.")
conj = _unary("conj", lambda x: x.conj(), "numeric", "Turn the sign of imaginary parts round.")
copysign = _binary("copysign", "_copysign", "floating", "Give x1 the sign of x2.")
cos = _unary("cos", "cos", "floating", "Compute the cosine of radians.")
cosh = _unary("cosh", "cosh", "floating", "Compute the hyperbolic cosine.")
divide = _binary("divide", operator.truediv, "numeric", "Divide, giving floats.")
equal = _binary("equal", operator.eq, "all", "Say where x1 == x2.")
exp = _unary("exp", "exp", "floating", "Compute e to the power of x.")
expm1 = _unary("expm1", "expm1", "floating", "Compute exp(x) - 1, exact near 0.")
floor = _unary("floor", "floor", "real", "Round to the next whole number below.")
floor_divide = _binary(
    "floor_divide", "floor_divide", "real", "Divide and round to the next whole number below."
)
greater = _binary("greater", operator.gt, "real", "Say where x1 > x2.")
greater_equal = _binary("greater_equal", operator.ge, "real", "Say where x1 >= x2.")
hypot = _binary("hypot", "hypot", "floating", "Compute sqrt(x1 * x1 + x2 * x2) without overflow.")
imag = _unary("imag", _imaginary, "numeric", "Take the imaginary parts; 0 of real numbers.")
isfinite = _unary("isfinite", "isfinite", "numeric", "Say where x is neither infinite nor NaN.")
isinf = _unary("isinf", "isinf", "numeric", "Say where x is infinite.")
isnan = _unary("isnan", "isnan", "numeric", "Say where x is NaN.")
less = _binary("less", operator.lt, "real", "Say where x1 < x2.")
less_equal = _binary("less_equal", operator.le, "real", "Say where x1 <= x2.")
log = _unary("log", "log", "floating", "Compute the natural logarithm.")
log10 = _unary("log10", "log10", "floating", "Compute the logarithm to base 10.")
log1p = _unary("log1p", "log1p", "floating", "Compute log(1 + x), exact near 0.")
log2 = _unary("log2", "log2", "floating", "Compute the logarithm to base 2.")
logaddexp = _binary(
    "logaddexp", "logaddexp", "floating", "Compute log(exp(x1) + exp(x2)) without overflow."
)
logical_and = _binary("logical_and", "logical_and", "bool", "Say where both hold.")
logical_not = _unary("logical_not", "logical_not", "bool", "Say where x does not hold.")
logical_or = _binary("logical_or", "logical_or", "bool", "Say where either holds.")
logical_xor = _binary("logical_xor", "logical_xor", "bool", "Say where one of the two holds.")
maximum = _binary("maximum", "maximum", "real", "Choose the larger; NaN if either is NaN.")
minimum = _binary("minimum", "minimum", "real", "Choose the smaller; NaN if either is NaN.")
multiply = _binary("multiply", operator.mul, "all", "Multiply.")
negative = _unary("negative", operator.neg, "numeric", "Compute -x.")
nextafter = _binary(
    "nextafter", _nextafter, "floating", "Compute the next float after x1 towards x2, by NumPy."
)
not_equal = _binary("not_equal", operator.ne, "all", "Say where x1 != x2.")
positive = _unary("positive", _same, "numeric", "Copy x.")
pow = _binary("pow", "elementwise_pow", "numeric", "Compute x1 to the power of x2.")
real = _unary("real", lambda x: x.real, "numeric", "Take the real parts.")
reciprocal = _unary("reciprocal", "reciprocal", "floating", "Compute 1 / x.")
remainder = _binary(
    "remainder", "remainder", "real", "Compute the rest of x1 / x2, with the sign of x2."
)
round = _unary(
    "round", "round", "numeric", "Round to the nearest whole number, the even one of two."
)
sign = _unary("sign", "sign", "numeric", "Compute -1, 0 or 1; NaN stays NaN.")
signbit = _unary("signbit", _signbit, "floating", "Say where the sign is negative, of zeros too.")
sin = _unary("sin", "sin", "floating", "Compute the sine of radians.")
sinh = _unary("sinh", "sinh", "floating", "Compute the hyperbolic sine.")
sqrt = _unary("sqrt", "sqrt", "floating", "Compute the square root; NaN below 0.")
square = _unary("square", lambda x: x * x, "numeric", "Compute x * x.")
subtract = _binary("subtract", operator.sub, "numeric", "Subtract.")
tan = _unary("tan", "tan", "floating", "Compute the tangent of radians.")
tanh = _unary("tanh", "tanh", "floating", "Compute the hyperbolic tangent.")
trunc = _unary("trunc", "trunc", "real", "Round to the next whole number towards 0.")


def clip(
    x: Array,
    /,
    min: Array | Number | None = None,
    max: Array | Number | None = None,
) -> Array:
    """Limit an array to at least `min` and at most `max`, which are arrays or numbers."""
    dtype = kind(x)
    _check("clip", dtype, "real")
    found: Any = x
    for bound, kernel in ((min, "maximum"), (max, "minimum")):
        if bound is not None:
            a, b = pair(found, bound, same=True)
            found = call(kernel, a, b)
    if found is x:
        return _same(x)  # type: ignore[no-any-return]
    return cast(found, dtype)  # type: ignore[no-any-return]


__all__.append("clip")
