"""The few operations that polynomials of f32 and f64 are made of.

In: values. Out: values. Knows nothing about which function is being computed.
"""

from __future__ import annotations

import struct

from treadle.codegen.llvm.text import Value

__all__ = [
    "absolute",
    "as_float",
    "at_least",
    "at_most",
    "bits_of",
    "bounded",
    "fma",
    "fma_exactly",
    "poly",
    "sqrt",
    "with_sign",
]


def at_least(x: Value, low: float) -> Value:
    """Clamp a float from below; NaN stays, and -0 where the bound is 0."""
    if x.bounds[0] >= low:
        return x
    found = x.function.select(x.compare("olt", low), low, x)
    found.bounds = low, max(x.bounds[1], low)
    return found


def at_most(x: Value, high: float) -> Value:
    """Clamp a float from above; NaN stays, and -0 where the bound is 0."""
    if x.bounds[1] <= high:
        return x
    found = x.function.select(x.compare("ogt", high), high, x)
    found.bounds = min(x.bounds[0], high), high
    return found


def bounded(x: Value, bound: Value, *, below: bool) -> Value | None:
    """Clamp a float by a literal; None where the bound is none, or one that another zero or NaN
    would have to be told from."""
    if not bound.is_literal or not bound.ref.startswith("0x"):
        return None
    number: float = struct.unpack(">d", bytes.fromhex(bound.ref[2:]))[0]
    if number != number or number == 0:
        return None
    return at_least(x, number) if below else at_most(x, number)


def fma(a: Value, b: Value | float, c: Value | float) -> Value:
    """a * b + c, fused where the processor can."""
    return a.function.intrinsic("fmuladd", a, b, c)


def fma_exactly(a: Value, b: Value | float, c: Value | float) -> Value:
    """a * b + c, rounded once wherever it runs: what a product is off by can be had so."""
    return a.function.intrinsic("fma", a, b, c)


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
