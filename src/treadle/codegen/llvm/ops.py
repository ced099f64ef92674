"""How each operation and conversion of the kernel language is spelt in LLVM IR.

In: values and their kernel types. Out: values; one row of `SPELLINGS` for each row of ir.ops.OPS.
Every spelling is total: no operand makes poison or traps. Transcendental functions of f32 come from
math, those of f64 from the C library.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.codegen.llvm import doubles as llvm_doubles
from treadle.codegen.llvm import math as llvm_math
from treadle.codegen.llvm import trig as llvm_trig
from treadle.codegen.llvm.halves import from_bits, odd_f32, to_bits
from treadle.codegen.llvm.lanes import call_each
from treadle.codegen.llvm.polynomial import bounded
from treadle.codegen.llvm.text import Value, const
from treadle.dtypes import DType, read_as

__all__ = ["SPELLINGS", "TYPES", "cast", "from_memory", "spell", "to_memory"]

# Of values in registers; those of types of storage exist only between conversions.
TYPES = {dtype: dtype.llvm for dtype in DType} | {DType.BOOL: "i1"}
Spelling = Callable[..., Value]


def spell(name: str, dtype: DType, args: list[Value]) -> Value:
    """Emit operation `name` on operands of type `dtype`."""
    return SPELLINGS[name](dtype, *args)


def _arithmetic(method: str) -> Spelling:
    def emit(dtype: DType, a: Value, b: Value) -> Value:
        result: Value = getattr(a, method)(b)
        return result

    return emit


def _div(dtype: DType, a: Value, b: Value) -> Value:
    return a / b


def _quotient(dtype: DType, a: Value, b: Value) -> tuple[Value, Value, Value, Value]:
    """Return the truncated quotient and remainder over a divisor that cannot trap, that divisor,
    and whether the given one was 0."""
    f = a.function
    zero = b.compare("eq", 0)
    if dtype is DType.U32:
        safe = f.select(zero, 1, b)
        return f.binary("udiv", a, safe), f.binary("urem", a, safe), safe, zero
    lowest = -(1 << (31 if dtype is DType.S32 else 63))
    wraps = b.compare("eq", -1) & a.compare("eq", lowest)
    safe = f.select(zero | wraps, 1, b)  # lowest // 1 is lowest, which is what wrapping gives
    return f.binary("sdiv", a, safe), f.binary("srem", a, safe), safe, zero


def _floordiv(dtype: DType, a: Value, b: Value) -> Value:
    f = a.function
    if dtype.is_float:
        return f.intrinsic("floor", a / b)
    quotient, remainder, safe, zero = _quotient(dtype, a, b)
    if dtype.is_signed:
        down = remainder.compare("ne", 0) & (remainder ^ safe).compare("slt", 0)
        quotient = f.select(down, quotient - 1, quotient)
    return f.select(zero, 0, quotient)


def _mod(dtype: DType, a: Value, b: Value) -> Value:
    f = a.function
    if dtype.is_float:
        # Fused, the product would not be the rounded one that the definition subtracts.
        return f.binary("fsub", a, f.binary("fmul", b, f.intrinsic("floor", a / b)))
    _, remainder, safe, zero = _quotient(dtype, a, b)
    if dtype.is_signed:
        off = remainder.compare("ne", 0) & (remainder ^ safe).compare("slt", 0)
        remainder = f.select(off, remainder + safe, remainder)
    return f.select(zero, 0, remainder)


def _neg(dtype: DType, a: Value) -> Value:
    return -a


def _abs(dtype: DType, a: Value) -> Value:
    if dtype.is_float:
        return a.function.intrinsic("fabs", a)
    if dtype is DType.U32:
        return a
    return a.function.intrinsic("abs", a, extra="i1 false")


def _sign(dtype: DType, a: Value) -> Value:
    f = a.function
    greater, less = ("ogt", "olt") if dtype.is_float else ("sgt", "slt")
    if dtype is DType.U32:
        return f.select(a.compare("ne", 0), 1, a)
    keep = a if not dtype.is_float else f.select(a.compare("oeq", 0), 0.0, a)
    return f.select(a.compare(greater, 0), 1, f.select(a.compare(less, 0), -1, keep))


def _extreme(ordered: str, intrinsic: str) -> Spelling:
    def emit(dtype: DType, a: Value, b: Value) -> Value:
        f = a.function
        if not dtype.is_float:
            return f.intrinsic(("u" if dtype is DType.U32 else "s") + intrinsic, a, b)
        below = ordered == "ogt"
        clamped = bounded(a, b, below=below) or bounded(b, a, below=below)
        if clamped is not None:
            return clamped
        # A NaN in b falls through the comparison; one in a needs a second choice.
        chosen, odd = f.select(a.compare(ordered, b), a, b), a.compare("uno", 0.0)
        if a.lanes == 1 and b.lanes == 1:
            return f.select(odd, a, chosen)
        # LLVM would make one choice of both, for which b waits for two comparisons; b is the state
        # of a fold. So a vector becomes NaN by its bits.
        word = "i64" if dtype is DType.F64 else "i32"
        bits = chosen.convert("bitcast", word) | odd.convert("sext", word)
        return bits.convert("bitcast", chosen.type)

    return emit


def _unary(intrinsic: str) -> Spelling:
    def emit(dtype: DType, a: Value) -> Value:
        return a.function.intrinsic(intrinsic, a)

    return emit


def _rsqrt(dtype: DType, a: Value) -> Value:
    return const(a.function, 1.0, a.type) / a.function.intrinsic("sqrt", a)


def _transcendental(name: str) -> Spelling:
    inline = getattr(llvm_math, name, None) or getattr(llvm_trig, name)
    wide = getattr(llvm_doubles, name, None)

    def emit(dtype: DType, *args: Value) -> Value:
        made = inline if dtype is DType.F32 else wide
        if made is None:
            return call_each(name, *args)
        result: Value = made(*args)
        return result

    return emit


def _nearest(stored: DType) -> Spelling:
    def emit(dtype: DType, a: Value) -> Value:
        return cast(from_memory(to_memory(a, dtype, stored), stored), DType.F32, dtype)

    return emit


def _isnan(dtype: DType, a: Value) -> Value:
    return a.compare("uno", 0.0)


def _isinf(dtype: DType, a: Value) -> Value:
    return a.function.intrinsic("fabs", a).compare("oeq", float("inf"))


def _ordinal(dtype: DType, a: Value) -> Value:
    f, most = a.function, (1 << (dtype.size * 8 - 1)) - 1
    bits = a.convert("bitcast", f"i{dtype.size * 8}")
    negative = f.binary("sub", const(f, 0, bits.type), bits & most)
    return f.select(a.compare("uno", 0.0), most, f.select(bits.compare("slt", 0), negative, bits))


def _shift(signed: str, unsigned: str) -> Spelling:
    def emit(dtype: DType, a: Value, b: Value) -> Value:
        opcode = signed if dtype.is_signed else unsigned
        return a.function.binary(opcode, a, b & (dtype.size * 8 - 1))

    return emit


def _bits(opcode: str) -> Spelling:
    def emit(dtype: DType, a: Value, b: Value) -> Value:
        return a.function.binary(opcode, a, b)

    return emit


def _bitnot(dtype: DType, a: Value) -> Value:
    return a ^ -1


def _not(dtype: DType, a: Value) -> Value:
    return a ^ 1


def _compare(of_floats: str, signed: str, unsigned: str) -> Spelling:
    def emit(dtype: DType, a: Value, b: Value) -> Value:
        if dtype.is_float:
            return a.compare(of_floats, b)
        return a.compare(signed if dtype.is_signed else unsigned, b)

    return emit


def _select(dtype: DType, test: Value, a: Value, b: Value) -> Value:
    return a.function.select(test, a, b)


SPELLINGS: dict[str, Spelling] = {
    "add": _arithmetic("__add__"),
    "sub": _arithmetic("__sub__"),
    "mul": _arithmetic("__mul__"),
    "div": _div,
    "floordiv": _floordiv,
    "mod": _mod,
    "neg": _neg,
    "abs": _abs,
    "sign": _sign,
    "minimum": _extreme("olt", "min"),
    "maximum": _extreme("ogt", "max"),
    "sqrt": _unary("sqrt"),
    "rsqrt": _rsqrt,
    "floor": _unary("floor"),
    "ceil": _unary("ceil"),
    "round": _unary("roundeven"),
    "trunc": _unary("trunc"),
    "f16": _nearest(DType.F16),
    "bf16": _nearest(DType.BF16),
    "isnan": _isnan,
    "isinf": _isinf,
    "ordinal": _ordinal,
    "shl": _shift("shl", "shl"),
    "shr": _shift("ashr", "lshr"),
    "bitand": _bits("and"),
    "bitor": _bits("or"),
    "bitxor": _bits("xor"),
    "bitnot": _bitnot,
    "popcount": _unary("ctpop"),
    "lt": _compare("olt", "slt", "ult"),
    "le": _compare("ole", "sle", "ule"),
    "gt": _compare("ogt", "sgt", "ugt"),
    "ge": _compare("oge", "sge", "uge"),
    "eq": _compare("oeq", "eq", "eq"),
    "ne": _compare("une", "ne", "ne"),
    "and": _bits("and"),
    "or": _bits("or"),
    "not": _not,
    "select": _select,
}
SPELLINGS |= {
    name: _transcendental(name)
    for name in (
        "pow exp exp2 expm1 log log2 log10 log1p sinh cosh tanh erf "
        "sin cos tan asin acos atan atan2"
    ).split()
}


def from_memory(value: Value, dtype: DType) -> Value:
    """Make what a read of `dtype` gives of an element as it lies in memory."""
    if dtype is DType.BOOL:
        return value.compare("ne", 0)
    if dtype.is_narrow and dtype.is_float:
        return from_bits(value, dtype)
    return cast(value, dtype, read_as(dtype))


def to_memory(value: Value, source: DType, dtype: DType) -> Value:
    """Make an element of `dtype` as it lies in memory of a value of type `source`."""
    if dtype.is_narrow and dtype.is_float:
        exact = odd_f32(value) if source is DType.F64 else cast(value, source, DType.F32)
        return to_bits(exact, dtype)
    made = cast(value, source, dtype)
    return made.convert("zext", dtype.llvm) if dtype is DType.BOOL else made


def cast(value: Value, source: DType, target: DType) -> Value:
    """Convert as ir.nodes.Cast defines it."""
    if source is target:
        return value
    if target is DType.BOOL:
        return value.compare("une" if source.is_float else "ne", 0)
    if source is DType.BOOL:
        return value.convert("uitofp" if target.is_float else "zext", TYPES[target])
    if source.is_float:
        return _from_float(value, source, target)
    return _from_integer(value, source, target)


def _from_float(value: Value, source: DType, target: DType) -> Value:
    if target.is_float:
        return value.convert("fpext" if target is DType.F64 else "fptrunc", TYPES[target])
    if not target.is_narrow:
        return value.function.saturate(value, TYPES[target], signed=target.is_signed)
    # Comparisons that NaN fails clamp it to 0; adding 2**23 or 2**52 rounds to even and leaves the
    # integer in the low bits, and half as much again one below 0, too.
    f = value.function
    low, high = map(float, target.limits)
    if low:
        value = f.select(value.compare("ord", 0.0), value, 0.0)
    value = f.select(value.compare("ogt", low), value, low)
    value = f.select(value.compare("olt", high), value, high)
    magic, bits = (2.0**23, "i32") if source is DType.F32 else (2.0**52, "i64")
    magic = 1.5 * magic if low else magic
    return (value + magic).convert("bitcast", bits).convert("trunc", TYPES[target])


def _from_integer(value: Value, source: DType, target: DType) -> Value:
    f = value.function
    signed = source.is_signed
    if target.is_float:
        return value.convert("sitofp" if signed else "uitofp", TYPES[target])
    if target.is_narrow:
        low, high = target.limits
        if signed:
            value = f.intrinsic("smax", value, low)
        value = f.intrinsic("smin" if signed else "umin", value, high)
        return value.convert("trunc", TYPES[target])
    if target.size == source.size:
        return value
    if target.size < source.size:
        return value.convert("trunc", TYPES[target])
    return value.convert("sext" if signed else "zext", TYPES[target])
