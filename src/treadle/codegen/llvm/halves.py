"""Floats of 16 bits in LLVM IR, as bits: f16 and bf16, from and to f32.

In: values. Out: values; rounded to nearest, ties to even, with NaN kept. Spelt in operations that
every processor has for vectors: of LLVM's own types some need functions that a process may lack.
"""

from __future__ import annotations

from treadle.codegen.llvm.text import Value
from treadle.dtypes import DType

__all__ = ["from_bits", "odd_f32", "to_bits"]


def from_bits(bits: Value, dtype: DType) -> Value:
    """Make an f32 of the i16 of an f16 or a bf16."""
    whole = bits.convert("zext", "i32")
    if dtype is DType.BF16:
        return whole.shl(16).convert("bitcast", "float")
    f = bits.function
    size = whole & 0x7FFF
    rest = size.shl(13) + (112 << 23)  # the exponent is less by 15 instead of 127
    rest = f.select(size.compare("uge", 0x7C00), rest + (112 << 23), rest)
    small = (size.convert("uitofp", "float") * 2.0**-24).convert("bitcast", "i32")
    found = f.select(size.compare("ult", 0x400), small, rest)
    return (found | (whole & 0x8000).shl(16)).convert("bitcast", "float")


def to_bits(value: Value, dtype: DType) -> Value:
    """Make the i16 of the nearest f16 or bf16 of an f32."""
    f = value.function
    bits = value.convert("bitcast", "i32")
    if dtype is DType.BF16:
        rounded = bits + (bits.lshr(16) & 1) + 0x7FFF
        bits = f.select(value.compare("uno", 0.0), bits | 0x400000, rounded)
        return bits.lshr(16).convert("trunc", "i16")
    size = bits & 0x7FFFFFFF
    normal = (size + (size.lshr(13) & 1) + (0xFFF - (112 << 23))).lshr(13)
    # Behind 0.5 the last place of an f32 is the smallest f16: the addition rounds.
    near = (size.convert("bitcast", "float") + 0.5).convert("bitcast", "i32") - 0x3F000000
    found = f.select(size.compare("ult", 0x38800000), near, normal)
    found = f.select(size.compare("uge", 0x47800000), 0x7C00, found)
    found = f.select(size.compare("ugt", 0x7F800000), 0x7E00, found)
    return (found | bits.lshr(16) & 0x8000).convert("trunc", "i16")


def odd_f32(value: Value) -> Value:
    """Make an f32 of an f64 whose last bit is set where it is not exact: rounded once more, to
    fewer bits, it is what the f64 would be."""
    f = value.function
    near = value.convert("fptrunc", "float")
    back, bits = near.convert("fpext", "double"), near.convert("bitcast", "i32")
    above = f.intrinsic("fabs", back).compare("ogt", f.intrinsic("fabs", value))
    moved = bits + 1 - above.convert("zext", "i32").shl(1)
    even = (bits & 1).compare("eq", 0) & back.compare("one", value)
    return f.select(even, moved, bits).convert("bitcast", "float")
