"""The few operations that polynomials of f32 and f64 are made of.

In: values. Out: values. Knows nothing about which function is being computed.
"""

from __future__ import annotations

from treadle.codegen.llvm.text import Value

__all__ = ["absolute", "as_float", "bits_of", "fma", "poly", "sqrt", "with_sign"]


def fma(a: Value, b: Value | float, c: Value | float) -> Value:
    """a * b + c, fused where the processor can."""
    return a.function.intrinsic("fmuladd", a, b, c)


def poly(x: Value, *coefficients: float) -> Value:
    """Evaluate a polynomial whose highest coefficient comes first."""
    result = fma(x, coefficients[0], coefficients[1])
    for c in coefficients[2:]:
        result = fma(result, x, c)
    return result


def bits_of(x: Value) -> Value:
    """The bits of an f32 as an integer."""
    return x.convert("bitcast", "i32")


def as_float(x: Value) -> Value:
    """The f32 that has these bits."""
    return x.convert("bitcast", "float")


def absolute(x: Value) -> Value:
    """|x|."""
    return x.function.intrinsic("fabs", x)


def with_sign(x: Value, of: Value) -> Value:
    """|x| with the sign of another number."""
    return x.function.intrinsic("copysign", x, of)


def sqrt(x: Value) -> Value:
    """Square root."""
    return x.function.intrinsic("sqrt", x)
