"""The words of CUDA C++: types, operations, conversions and literals.

In: IR nodes of one kernel. Out: their text. Everything that C leaves undefined (overflow, division
by zero, conversions out of range) is spelt so that it means what ir.ops says. It includes no
header, so that NVRTC needs no toolkit, and does not know how work is laid over threads.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np

from treadle.codegen.gpu.cstyle import CStyle, Scope
from treadle.dtypes import DType, read_as
from treadle.ir.nodes import Cast, Const, Dim, Expr, Kernel, Load, Op, Param, Tensor

__all__ = ["STORED_TYPES", "CudaC", "clean"]

_TYPES = {
    DType.F32: "float",
    DType.F64: "double",
    DType.S32: "int",
    DType.S64: "long long",
    DType.U32: "unsigned int",
    DType.BOOL: "bool",
}
STORED_TYPES = {dtype: dtype.c for dtype in DType}
# What a read makes of an element of a narrow type.
_READ = {
    **dict.fromkeys((DType.U8, DType.S8, DType.S16, DType.U16), "((int){0})"),
    DType.F16: "treadle_f16_value({0})",
    DType.BF16: "__uint_as_float((unsigned int){0} << 16)",
    DType.BOOL: "({0} != 0)",
}

_INFIX = "lt < le <= gt > ge >= eq == ne != and && or || bitand & bitor | bitxor ^".split()
_MATH = (
    "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh erf "
    "floor ceil trunc pow"
).split()

# Signed integers wrap in the language and must not overflow in C: they are added as unsigned ones.
_S32, _S64 = (
    "(int)((unsigned int){0} {op} (unsigned int){1})",
    ("(long long)((unsigned long long){0} {op} (unsigned long long){1})"),
)


def _spellings() -> dict[str, str]:
    words = {name: f"({{0}} {sign} {{1}})" for name, sign in zip(*[iter(_INFIX)] * 2, strict=True)}
    for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*")):
        words[name] = f"({{0}} {sign} {{1}})"
        words[f"{name}.s32"] = f"({_S32.replace('{op}', sign)})"
        words[f"{name}.s64"] = f"({_S64.replace('{op}', sign)})"
    for name in _MATH:
        words[f"{name}.f32"] = f"{name}f({', '.join(_slots(name))})"
        words[f"{name}.f64"] = f"{name}({', '.join(_slots(name))})"
    for name in ("floordiv", "mod"):
        words[f"{name}.s32"] = words[f"{name}.s64"] = f"treadle_{name}({{0}}, {{1}})"
        words[f"{name}.u32"] = f"treadle_{name}_unsigned({{0}}, {{1}})"
    return words | {
        "div": "({0} / {1})",
        "floordiv.f32": "floorf({0} / {1})",
        "floordiv.f64": "floor({0} / {1})",
        "mod.f32": "treadle_mod_f32({0}, {1})",
        "mod.f64": "treadle_mod_f64({0}, {1})",
        "neg": "(-{0})",
        "neg.s32": "((int)(0u - (unsigned int){0}))",
        "neg.s64": "((long long)(0ull - (unsigned long long){0}))",
        "abs.f32": "treadle_abs_f32({0})",
        "abs.f64": "fabs({0})",
        "abs.s32": "treadle_abs_s32({0})",
        "abs.s64": "treadle_abs_s64({0})",
        "abs.u32": "{0}",
        "sign": "treadle_sign({0})",
        "minimum": "treadle_minimum({0}, {1})",
        "maximum": "treadle_maximum({0}, {1})",
        "rsqrt.f32": "(1.0f / sqrtf({0}))",
        "rsqrt.f64": "(1.0 / sqrt({0}))",
        "round.f32": "rintf({0})",
        "round.f64": "rint({0})",
        "f16": "(({t})treadle_f16_value(treadle_f16_bits({0})))",
        "bf16": "(({t})__uint_as_float((unsigned int)treadle_bf16_bits({0}) << 16))",
        "isnan": "treadle_isnan({0})",
        "isinf.f32": "(fabsf({0}) == __int_as_float(0x7f800000))",
        "isinf.f64": "(fabs({0}) == __longlong_as_double(0x7ff0000000000000ll))",
        "ordinal.f32": "treadle_ordinal_f32({0})",
        "ordinal.f64": "treadle_ordinal_f64({0})",
        "shl.s32": "((int)((unsigned int){0} << ({1} & 31)))",
        "shl.s64": "((long long)((unsigned long long){0} << ({1} & 63)))",
        "shl.u32": "({0} << ({1} & 31u))",
        "shr.s32": "({0} >> ({1} & 31))",
        "shr.s64": "({0} >> ({1} & 63))",
        "shr.u32": "({0} >> ({1} & 31u))",
        "bitnot": "(~{0})",
        "popcount.s32": "__popc((unsigned int){0})",
        "popcount.s64": "((long long)__popcll((unsigned long long){0}))",
        "popcount.u32": "((unsigned int)__popc({0}))",
        "not": "(!{0})",
        "select": "({0} ? {1} : {2})",
    }


def _slots(name: str) -> tuple[str, ...]:
    return ("{0}", "{1}") if name in ("pow", "atan2") else ("{0}",)


_CONVERSIONS = {
    (DType.F32, DType.S32): "__float2int_rz({0})",
    (DType.F32, DType.U32): "__float2uint_rz({0})",
    (DType.F64, DType.S32): "treadle_f64_s32({0})",
    (DType.F64, DType.U32): "treadle_f64_u32({0})",
    (DType.F32, DType.S64): "treadle_f32_s64({0})",
    (DType.F64, DType.S64): "treadle_f64_s64({0})",
    (DType.F32, DType.U8): "treadle_f32_u8({0})",
    (DType.F64, DType.U8): "treadle_f64_u8({0})",
    (DType.BOOL, DType.U8): "(unsigned char){0}",
}


def clean(name: str) -> str:
    """A Python identifier as one of C."""
    return re.sub(r"[^A-Za-z0-9_]", lambda found: f"_{ord(found[0]):x}_", name)


class CudaC(CStyle):
    """CUDA C++ for one kernel; sizes, parameters and pointers are members of `a`."""

    types: Mapping[DType, str] = _TYPES
    spellings: Mapping[str, str] = _spellings()
    barrier = "__syncthreads();"

    def __init__(self, kernel: Kernel, *, wide: bool = False) -> None:
        super().__init__(kernel)
        self.wide = wide
        self.resident: dict[Load, str] = {}  # reads whose value is in a register already
        self.divisors: dict[Expr, str] = {}  # what is divided by again and again

    def constant(self, value: float, dtype: DType) -> str:
        """A literal."""
        if dtype is DType.BOOL:
            return "true" if value else "false"
        if dtype.is_float:
            return _float(value, dtype)
        number = int(value)
        if dtype is DType.U32:
            return f"{number}u"
        lowest = -(1 << (dtype.size * 8 - 1))
        end = "ll" if dtype is DType.S64 else ""
        if number == lowest:
            return f"({number + 1}{end} - 1{end})"
        return f"{number}{end}" if number >= 0 else f"({number}{end})"

    def convert(self, text: str, source: DType, target: DType) -> str:
        """A conversion with the meaning of ir.nodes.Cast; u8 too, for what is stored."""
        if source is target:
            return text
        if target is DType.BOOL:
            return f"({text} != 0)"
        if (source, target) in _CONVERSIONS:
            return _CONVERSIONS[source, target].format(text)
        if target.is_narrow:
            return self._narrowed(text, source, target)
        return f"(({self.types[target]}){text})"

    def _narrowed(self, text: str, source: DType, target: DType) -> str:
        """A value as an element of a narrow type; a float's bits."""
        if target.is_float:
            wide = text if source.is_float else f"((float){text})"
            return f"treadle_{target}_bits({wide})"
        low, high = target.limits
        if source.is_float:
            return f"({target.c})treadle_nearest({text}, {low}, {high})"
        if target is DType.U8:
            return f"treadle_int_u8({text})"
        if source in (DType.BOOL, DType.U32):  # which have no numbers below 0
            return f"({target.c})min((unsigned int){text}, {high}u)"
        wide = "ll" if source is DType.S64 else ""
        return f"({target.c})min(max({text}, {low}{wide}), {high}{wide})"

    def expr(self, node: Expr, scope: Scope) -> str:
        """An expression; a read whose value is at hand is that value."""
        if isinstance(node, Load) and node in self.resident:
            return self.resident[node]
        if self.kernel.fused:
            match node:
                case Op("add", (Op("mul", (a, b)), c), DType.F32):
                    return f"__fmaf_rn({', '.join(self.expr(arg, scope) for arg in (a, b, c))})"
        if isinstance(node, Cast):
            rounded = _stored_u8(node)
            if rounded is not None:
                return f"treadle_f32_byte({self.expr(rounded, scope)})"
        return super().expr(node, scope)

    def operation(self, node: Op, args: list[str]) -> str:
        """An operation; a division by a prepared divisor is quicker."""
        by = node.args[-1]
        if node.name == "div" and by in self.divisors:
            return f"treadle_over({args[0]}, {self.divisors[by]})"
        return super().operation(node, args)

    def read(self, tensor: Tensor, offset: str) -> str:
        """An element of an input."""
        return self.loaded(f"a.{self.pointer(tensor)}[{offset}]", tensor.dtype)

    def loaded(self, text: str, dtype: DType) -> str:
        """An element as it lies in memory, as what a read gives."""
        return _READ.get(dtype, "{0}").format(text)

    def register(self, dtype: DType) -> str:
        """The type of what a read gives."""
        return self.types[read_as(dtype)]

    def passed(self, text: str, dtype: DType) -> str:
        """An element as it lies in memory, for a function that takes what a read gives: C makes
        numbers and conditions of bytes by itself."""
        return self.loaded(text, dtype) if dtype.is_float else text

    def pointer(self, tensor: Tensor) -> str:
        """The member that points to a tensor."""
        kind = "out" if tensor in self.kernel.outputs else "in"
        return f"{kind}_{clean(tensor.name)}"

    def declare(self, name: str, dtype: DType, value: str | None = None) -> str:
        """A statement that declares a variable."""
        return (
            f"{self.types[dtype]} {name};"
            if value is None
            else (f"{self.types[dtype]} {name} = {value};")
        )

    def kind(self, dtype: DType) -> str:
        """The words that begin the declaration of a variable with a value."""
        return self.types[dtype]

    def fixed(self, name: str, value: str) -> str:
        """A statement that names an index."""
        return f"const idx {name} = {value};"

    def quotient(self, a: str, b: str) -> str:
        """An index divided by a size."""
        return f"treadle_quotient({a}, {b})"

    def remainder(self, a: str, b: str) -> str:
        """What is left of an index divided by a size."""
        return f"treadle_remainder({a}, {b})"

    def small(self, name: str, value: str) -> str:
        """A statement that names a number which is small whatever the sizes are."""
        return f"const int {name} = {value};"

    def narrow(self, text: str) -> str:
        """An index that is known to be small, as such a number."""
        return f"(int)({text})"

    def identifier(self, name: str) -> str:
        """A Python identifier in ASCII."""
        return clean(name)

    def store(self, tensor: Tensor, at: str, text: str, source: DType) -> str:
        """A statement that stores a value in an output."""
        return f"a.{self.pointer(tensor)}[{at}] = {self.convert(text, source, tensor.dtype)};"

    def size(self, dim: Dim) -> str:
        """The text of a dimension's size."""
        return str(dim) if isinstance(dim, int) else f"a.{clean(dim)}"

    def parameter(self, param: Param) -> str:
        """The text of a launch parameter."""
        return f"a.p_{clean(param.name)}"

    def as_index(self, text: str) -> str:
        """An s32 value as an index."""
        return f"((idx){text})" if self.wide else text

    def from_index(self, text: str) -> str:
        """An index as an s32 value."""
        return f"((int){text})" if self.wide else text

    def clamped(self, text: str, dim: Dim) -> str:
        """An index moved to the nearest one inside."""
        return f"treadle_clamp({text}, {self.size(dim)})"


def _stored_u8(node: Cast) -> Expr | None:
    """What is rounded to a u8 and read again, where that is spelt as operations of f32."""
    if node.dtype is not DType.S32 or node.value.dtype is not DType.F32:
        return None
    match node.value:
        case Op(
            "minimum",
            (Op("maximum", (Op("round", (value,)), Const(value=0.0))), Const(value=255.0)),
        ):
            return value
        case _:
            return None


def _float(value: float, dtype: DType) -> str:
    f32 = dtype is DType.F32
    with np.errstate(over="ignore"):
        number = float(np.float32(value)) if f32 else float(value)
    if math.isfinite(number):
        text = str(np.float32(number)) if f32 else repr(number)
        text += "" if "." in text or "e" in text else ".0"
        text += "f" if f32 else ""
        return text if math.copysign(1.0, number) > 0 else f"({text})"
    bits = {"inf": (0x7F800000, 0x7FF0 << 48), "-inf": (0xFF800000, 0xFFF0 << 48)}.get(
        str(number), (0x7FC00000, 0x7FF8 << 48)
    )
    return f"__int_as_float(0x{bits[0]:x})" if f32 else f"__longlong_as_double(0x{bits[1]:x}ll)"
