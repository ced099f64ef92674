"""Tables of WGSL: types, operations and conversions.

In: nothing. Out: formats with {0}, {1} and {2} for operands. Where WGSL's own operator means
something else (comparisons with NaN, division by zero, conversions out of range), a function of
math is called.
"""

from __future__ import annotations

from treadle.codegen.wgsl.math import ZERO
from treadle.dtypes import DType

__all__ = ["INTEGER_CASTS", "SPELLINGS", "TYPES"]

_FLOATS = (DType.F32, DType.F64)


TYPES = {
    DType.F32: "f32",
    DType.F64: "f64",
    DType.S32: "i32",
    DType.S64: "i64",
    DType.U32: "u32",
    DType.BOOL: "bool",
}


def _each(name: str, text: str, dtypes: tuple[DType, ...]) -> dict[str, str]:
    """A spelling for several types; @ is the type's name."""
    return {f"{name}.{d}": text.replace("@", TYPES[d]) for d in dtypes}


_SIGNED = (DType.S32, DType.S64)
_FUNCTIONS = """
    exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh erf
""".split()

SPELLINGS: dict[str, str] = {
    "add": "({0} + {1})",
    "sub": "({0} - {1})",
    "mul": "({0} * {1})",
    "div": "({0} / {1})",
    "neg": "(-{0})",
    "neg.u32": "(0u - {0})",
    "floordiv.float": "floor({0} / {1})",
    "abs": "abs({0})",
    "abs.u32": "{0}",
    **_each("abs", "w_abs_@({0})", _SIGNED),
    **_each("floordiv", "w_floordiv_@({0}, {1})", (*_SIGNED, DType.U32)),
    **_each("mod", "w_mod_@({0}, {1})", (*_SIGNED, DType.U32, *_FLOATS)),
    **_each("sign", "w_sign_@({0})", (*_SIGNED, *_FLOATS)),
    "sign.u32": "min({0}, 1u)",
    "minimum.int": "min({0}, {1})",
    "maximum.int": "max({0}, {1})",
    **_each("minimum", "w_min_@({0}, {1})", _FLOATS),
    **_each("maximum", "w_max_@({0}, {1})", _FLOATS),
    "sqrt": "sqrt({0})",
    "rsqrt.f32": "(1.0f / sqrt({0}))",
    "rsqrt.f64": "(1.0lf / sqrt({0}))",
    "floor": "floor({0})",
    "ceil": "ceil({0})",
    "round": "round({0})",
    "trunc": "trunc({0})",
    "f16.f32": "w_f16_value(w_f16_bits({0}))",
    "f16.f64": "f64(w_f16_value(w_f16_bits(w_odd_f64({0}))))",
    "bf16.f32": "bitcast<f32>(w_bf16_bits({0}) << 16u)",
    "bf16.f64": "f64(bitcast<f32>(w_bf16_bits(w_odd_f64({0})) << 16u))",
    **_each("isnan", "w_nan_@({0})", _FLOATS),
    **_each("isinf", "w_infinite_@({0})", _FLOATS),
    **_each("ordinal", "w_ordinal_@({0})", _FLOATS),
    "shl": "({0} << (u32({1}) & 31u))",
    "shr": "({0} >> (u32({1}) & 31u))",
    "shl.s64": "({0} << (u32({1}) & 63u))",
    "shr.s64": "({0} >> (u32({1}) & 63u))",
    "bitand": "({0} & {1})",
    "bitor": "({0} | {1})",
    "bitxor": "({0} ^ {1})",
    "bitnot": "(~{0})",
    "popcount": "countOneBits({0})",
    "popcount.s64": "i64(countOneBits(bitcast<u64>({0})))",
    "lt": "({0} < {1})",
    "le": "({0} <= {1})",
    "gt": "({0} > {1})",
    "ge": "({0} >= {1})",
    "eq": "({0} == {1})",
    # `!=` of floats is compiled to a comparison that is false for NaN.
    "ne": "(!({0} == {1}))",
    "and": "({0} && {1})",
    "or": "({0} || {1})",
    "not": "(!{0})",
    "select": "select({2}, {1}, {0})",
    **{f"{name}.f32": f"w_{name}_f32({{0}})" for name in _FUNCTIONS},
    **{f"{name}.f64": f"w_{name}_f64({{0}})" for name in _FUNCTIONS},
    **_each("pow", "w_pow_@({0}, {1})", _FLOATS),
    **_each("atan2", "w_atan2_@({0}, {1})", _FLOATS),
}

INTEGER_CASTS = {
    # Mesa compares a bare conversion with constants in 32 bits, and wrongly.
    (DType.S32, DType.S64): f"(i64({{0}}) + i64({ZERO}))",
    (DType.U32, DType.S64): "(i64({0}) & 0xffffffffli)",  # the conversion alone extends the sign
    (DType.S32, DType.U32): "bitcast<u32>({0})",
    (DType.U32, DType.S32): "bitcast<i32>({0})",
}
