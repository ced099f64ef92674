"""The operations of the kernel language: one row each, with its typing rule and its meaning.

In: operand types. Out: result types, and the NumPy function that defines the operation. A new
intrinsic is one row here and one spelling in each renderer; a completeness test holds them
together.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import numpy as np

from treadle.bfloat import bfloat_bits, bfloat_values
from treadle.data import dataclass
from treadle.dtypes import DType

__all__ = ["OPS", "OpRow", "Rule"]

Array = Any  # NumPy arrays or scalars of a type that kernels compute in


class Rule(StrEnum):
    """What an operation takes and gives."""

    NUMBER = "number"  # any one number type T, all operands T -> T
    FLOAT = "float"  # f32 or f64, all operands T -> T
    INTEGER = "integer"  # s32, s64 or u32, all operands T -> T
    COMPARE = "compare"  # any one number type, both operands T -> bool
    TEST = "test"  # f32 or f64 -> bool
    ORDER = "order"  # f32 -> s32, f64 -> s64
    LOGIC = "logic"  # bool -> bool
    SELECT = "select"  # bool, T, T -> T (T may be bool)


@dataclass(frozen=True, slots=True)
class OpRow:
    """One operation: its name, operand count, typing rule and definition in NumPy."""

    name: str
    arity: int
    rule: Rule
    numpy: Callable[..., Array]
    doc: str

    def accepts(self, dtypes: tuple[DType, ...]) -> bool:
        """Whether operands of these types fit the rule."""
        if len(dtypes) != self.arity:
            return False
        if self.rule is Rule.SELECT:
            return dtypes[0] is DType.BOOL and dtypes[1] is dtypes[2]
        first = dtypes[0]
        if any(dtype is not first for dtype in dtypes) or first.is_narrow:
            return False
        if self.rule is Rule.LOGIC:
            return first is DType.BOOL
        if self.rule in (Rule.FLOAT, Rule.TEST, Rule.ORDER):
            return first.is_float
        if self.rule is Rule.INTEGER:
            return first.is_integer
        return first is not DType.BOOL

    def result(self, dtypes: tuple[DType, ...]) -> DType:
        """The type of the result for operands that the rule accepts."""
        if self.rule in (Rule.COMPARE, Rule.TEST, Rule.LOGIC):
            return DType.BOOL
        if self.rule is Rule.ORDER:
            return DType.S32 if dtypes[0] is DType.F32 else DType.S64
        return dtypes[-1]


def _floordiv(a: Array, b: Array) -> Array:
    if np.asarray(a).dtype.kind == "f":
        return np.floor(np.divide(a, b))
    # Dividing by 1 where the divisor is 0 keeps NumPy quiet; the smallest integer over -1 wraps.
    safe = np.where(b == 0, np.ones_like(b), b)
    lowest = (
        (b == -1) & (a == np.iinfo(np.asarray(a).dtype).min)
        if np.asarray(a).dtype.kind == "i"
        else False
    )
    out = np.floor_divide(a, np.where(lowest, np.ones_like(b), safe))
    return np.where(b == 0, np.zeros_like(out), out)


def _mod(a: Array, b: Array) -> Array:
    if np.asarray(a).dtype.kind == "f":
        return np.subtract(a, np.multiply(b, np.floor(np.divide(a, b))))
    safe = np.where(b == 0, np.ones_like(b), b)
    out = np.mod(a, safe)
    return np.where(b == 0, np.zeros_like(out), out)


def _shift_amount(a: Array, b: Array) -> Array:
    return np.bitwise_and(b, np.asarray(a).dtype.itemsize * 8 - 1).astype(np.asarray(a).dtype)


def _shl(a: Array, b: Array) -> Array:
    return np.left_shift(a, _shift_amount(a, b))


def _shr(a: Array, b: Array) -> Array:
    return np.right_shift(a, _shift_amount(a, b))


def _popcount(a: Array) -> Array:
    unsigned = np.asarray(a).view(f"u{np.asarray(a).dtype.itemsize}")
    return np.bitwise_count(unsigned).astype(np.asarray(a).dtype)


def _rsqrt(a: Array) -> Array:
    return np.divide(np.ones_like(a), np.sqrt(a))


_erf_of = np.frompyfunc(math.erf, 1, 1)


def _erf(a: Array) -> Array:
    return np.asarray(_erf_of(np.asarray(a, np.float64)), np.float64).astype(np.asarray(a).dtype)


def _f16(a: Array) -> Array:
    return np.asarray(a).astype(np.float16).astype(np.asarray(a).dtype)


def _bf16(a: Array) -> Array:
    return bfloat_values(bfloat_bits(np.asarray(a))).astype(np.asarray(a).dtype)


def _ordinal(a: Array) -> Array:
    bits = np.asarray(a).view(f"i{np.asarray(a).dtype.itemsize}")
    most = np.iinfo(bits.dtype).max
    return np.where(np.isnan(a), most, np.where(bits < 0, -(bits & most), bits))


def _sign(a: Array) -> Array:
    return np.sign(a)


def _rows(*rows: tuple[str, int, Rule, Callable[..., Array], str]) -> dict[str, OpRow]:
    return {row[0]: OpRow(*row) for row in rows}


OPS: dict[str, OpRow] = _rows(
    ("add", 2, Rule.NUMBER, np.add, "a + b; integers wrap"),
    ("sub", 2, Rule.NUMBER, np.subtract, "a - b; integers wrap"),
    ("mul", 2, Rule.NUMBER, np.multiply, "a * b; integers wrap"),
    ("div", 2, Rule.FLOAT, np.divide, "a / b, IEEE: 1/0 is inf"),
    (
        "floordiv",
        2,
        Rule.NUMBER,
        _floordiv,
        "a // b, towards minus infinity; integers over 0 give 0",
    ),
    (
        "mod",
        2,
        Rule.NUMBER,
        _mod,
        "a % b with the sign of b: a - b * floor(a / b); integers by 0 give 0",
    ),
    ("neg", 1, Rule.NUMBER, np.negative, "-a; integers wrap"),
    ("abs", 1, Rule.NUMBER, np.abs, "|a|; the smallest integer stays as it is"),
    ("sign", 1, Rule.NUMBER, _sign, "-1, 0 or 1; NaN stays NaN"),
    ("minimum", 2, Rule.NUMBER, np.minimum, "the smaller; NaN if either is NaN"),
    ("maximum", 2, Rule.NUMBER, np.maximum, "the larger; NaN if either is NaN"),
    ("pow", 2, Rule.FLOAT, np.power, "a to the power of b"),
    ("sqrt", 1, Rule.FLOAT, np.sqrt, "square root"),
    ("rsqrt", 1, Rule.FLOAT, _rsqrt, "1 / sqrt(a)"),
    ("exp", 1, Rule.FLOAT, np.exp, "e to the power of a"),
    ("exp2", 1, Rule.FLOAT, np.exp2, "2 to the power of a"),
    ("expm1", 1, Rule.FLOAT, np.expm1, "exp(a) - 1, exact near 0"),
    ("log", 1, Rule.FLOAT, np.log, "natural logarithm"),
    ("log2", 1, Rule.FLOAT, np.log2, "logarithm to base 2"),
    ("log10", 1, Rule.FLOAT, np.log10, "logarithm to base 10"),
    ("log1p", 1, Rule.FLOAT, np.log1p, "log(1 + a), exact near 0"),
    ("sin", 1, Rule.FLOAT, np.sin, "sine of radians"),
    ("cos", 1, Rule.FLOAT, np.cos, "cosine of radians"),
    ("tan", 1, Rule.FLOAT, np.tan, "tangent of radians"),
    ("asin", 1, Rule.FLOAT, np.arcsin, "arc sine"),
    ("acos", 1, Rule.FLOAT, np.arccos, "arc cosine"),
    ("atan", 1, Rule.FLOAT, np.arctan, "arc tangent"),
    ("atan2", 2, Rule.FLOAT, np.arctan2, "angle of the point (b, a)"),
    ("sinh", 1, Rule.FLOAT, np.sinh, "hyperbolic sine"),
    ("cosh", 1, Rule.FLOAT, np.cosh, "hyperbolic cosine"),
    ("tanh", 1, Rule.FLOAT, np.tanh, "hyperbolic tangent"),
    ("erf", 1, Rule.FLOAT, _erf, "error function"),
    ("floor", 1, Rule.FLOAT, np.floor, "next integer below"),
    ("ceil", 1, Rule.FLOAT, np.ceil, "next integer above"),
    ("round", 1, Rule.FLOAT, np.rint, "nearest integer, ties to even"),
    ("trunc", 1, Rule.FLOAT, np.trunc, "integer part"),
    ("f16", 1, Rule.FLOAT, _f16, "the nearest f16, ties to even"),
    ("bf16", 1, Rule.FLOAT, _bf16, "the nearest bf16, ties to even"),
    ("isnan", 1, Rule.TEST, np.isnan, "whether a is NaN"),
    ("isinf", 1, Rule.TEST, np.isinf, "whether a is infinite"),
    (
        "ordinal",
        1,
        Rule.ORDER,
        _ordinal,
        "how many floats further than 0 it is: s32 of f32, s64 of f64; NaN is the last",
    ),
    ("shl", 2, Rule.INTEGER, _shl, "a << b, the amount modulo the width"),
    ("shr", 2, Rule.INTEGER, _shr, "a >> b, arithmetic where signed, the amount modulo the width"),
    ("bitand", 2, Rule.INTEGER, np.bitwise_and, "a & b"),
    ("bitor", 2, Rule.INTEGER, np.bitwise_or, "a | b"),
    ("bitxor", 2, Rule.INTEGER, np.bitwise_xor, "a ^ b"),
    ("bitnot", 1, Rule.INTEGER, np.invert, "~a"),
    ("popcount", 1, Rule.INTEGER, _popcount, "number of bits set"),
    ("lt", 2, Rule.COMPARE, np.less, "a < b"),
    ("le", 2, Rule.COMPARE, np.less_equal, "a <= b"),
    ("gt", 2, Rule.COMPARE, np.greater, "a > b"),
    ("ge", 2, Rule.COMPARE, np.greater_equal, "a >= b"),
    ("eq", 2, Rule.COMPARE, np.equal, "a == b"),
    ("ne", 2, Rule.COMPARE, np.not_equal, "a != b"),
    ("and", 2, Rule.LOGIC, np.logical_and, "both (both sides are evaluated)"),
    ("or", 2, Rule.LOGIC, np.logical_or, "either (both sides are evaluated)"),
    ("not", 1, Rule.LOGIC, np.logical_not, "not"),
    ("select", 3, Rule.SELECT, np.where, "b where a holds, else c"),
)
