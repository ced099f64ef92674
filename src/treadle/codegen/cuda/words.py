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
from treadle.dtypes import DType
from treadle.ir.nodes import Cast, Const, Dim, Expr, Kernel, Load, Op, Param, Tensor

__all__ = ["STORED_TYPES", "CudaC", "clean", "prelude"]

_TYPES = {
    DType.F32: "float",
    DType.F64: "double",
    DType.S32: "int",
    DType.S64: "long long",
    DType.U32: "unsigned int",
    DType.BOOL: "bool",
}
STORED_TYPES = _TYPES | {DType.U8: "unsigned char"}

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
        "isnan": "treadle_isnan({0})",
        "isinf.f32": "(fabsf({0}) == __int_as_float(0x7f800000))",
        "isinf.f64": "(fabs({0}) == __longlong_as_double(0x7ff0000000000000ll))",
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


_ANY = "template <typename T> static __device__ __forceinline__"
_ONE = "static __device__ __forceinline__"

# Functions that a kernel's text may use, in an order in which each needs only earlier ones.
_PRELUDE = {
    "treadle_floordiv": f"""{_ANY} T treadle_floordiv(T a, T b) {{
    if (b == 0) return 0;
    if (b == -1) return (T)(0ull - (unsigned long long)a);
    const T q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}}""",
    "treadle_floordiv_unsigned": f"""{_ANY} T treadle_floordiv_unsigned(T a, T b) {{
    return b == 0 ? 0 : a / b;
}}""",
    "treadle_mod": f"""{_ANY} T treadle_mod(T a, T b) {{
    if (b == 0 || b == -1) return 0;
    const T r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}}""",
    "treadle_mod_unsigned": f"""{_ANY} T treadle_mod_unsigned(T a, T b) {{
    return b == 0 ? 0 : a % b;
}}""",
    "treadle_mod_f32": f"""{_ONE} float treadle_mod_f32(float a, float b) {{
    return __fsub_rn(a, __fmul_rn(b, floorf(a / b)));
}}""",
    "treadle_mod_f64": f"""{_ONE} double treadle_mod_f64(double a, double b) {{
    return __dsub_rn(a, __dmul_rn(b, floor(a / b)));
}}""",
    # ptxas 13 takes |a| >= c for true where c is not above 0, and forgets NaN; so it must not see
    # that this is an absolute value.
    "treadle_abs_f32": f"""{_ONE} float treadle_abs_f32(float a) {{
#ifdef __CUDA_ARCH__
    unsigned int bits = __float_as_uint(a);
    asm("and.b32 %0, %0, 0x7fffffff;" : "+r"(bits));
    return __uint_as_float(bits);
#else
    return fabsf(a);
#endif
}}""",
    "treadle_abs_s32": f"""{_ONE} int treadle_abs_s32(int a) {{
    return a < 0 ? (int)(0u - (unsigned int)a) : a;
}}""",
    "treadle_abs_s64": f"""{_ONE} long long treadle_abs_s64(long long a) {{
    return a < 0 ? (long long)(0ull - (unsigned long long)a) : a;
}}""",
    "treadle_sign": f"""{_ANY} T treadle_sign(T a) {{
    return a > 0 ? (T)1 : a < 0 ? (T)-1 : a == 0 ? (T)0 : a;
}}""",
    "treadle_minimum": f"""{_ANY} T treadle_minimum(T a, T b) {{
    return a < b || a != a ? a : b;
}}
#if __CUDA_ARCH__ >= 800
template <> __device__ __forceinline__ float treadle_minimum(float a, float b) {{
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
    return a;
}}
#endif""",
    "treadle_maximum": f"""{_ANY} T treadle_maximum(T a, T b) {{
    return a > b || a != a ? a : b;
}}
#if __CUDA_ARCH__ >= 800
template <> __device__ __forceinline__ float treadle_maximum(float a, float b) {{
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
    return a;
}}
#endif""",
    "treadle_isnan": f"""{_ANY} bool treadle_isnan(T a) {{
    return a != a;
}}""",
    # The hardware saturates; it gives 0 for NaN only where neither side has 64 bits.
    "treadle_f64_s32": f"""{_ONE} int treadle_f64_s32(double a) {{
    return a != a ? 0 : __double2int_rz(a);
}}""",
    "treadle_f64_u32": f"""{_ONE} unsigned int treadle_f64_u32(double a) {{
    return a != a ? 0u : __double2uint_rz(a);
}}""",
    "treadle_f32_s64": f"""{_ONE} long long treadle_f32_s64(float a) {{
    return a != a ? 0ll : __float2ll_rz(a);
}}""",
    "treadle_f64_s64": f"""{_ONE} long long treadle_f64_s64(double a) {{
    return a != a ? 0ll : __double2ll_rz(a);
}}""",
    # One instruction: rounds to even, saturates, and gives 0 for NaN.
    "treadle_f32_byte": f"""{_ONE} int treadle_f32_byte(float a) {{
    int word;
    asm("{{ .reg .u8 r; cvt.rni.u8.f32 r, %1; cvt.u32.u8 %0, r; }}" : "=r"(word) : "f"(a));
    return word;
}}""",
    "treadle_f32_u8": f"""{_ONE} unsigned char treadle_f32_u8(float a) {{
    return (unsigned char)treadle_f32_byte(a);
}}""",
    # fmax with NaN gives the other side, so NaN becomes 0.
    "treadle_f64_u8": f"""{_ONE} unsigned char treadle_f64_u8(double a) {{
    return (unsigned char)__double2int_rn(fmin(fmax(a, 0.0), 255.0));
}}""",
    "treadle_int_u8": f"""{_ANY} unsigned char treadle_int_u8(T a) {{
    return (unsigned char)(a < (T)0 ? (T)0 : a > (T)255 ? (T)255 : a);
}}""",
    "treadle_clamp": f"""{_ONE} idx treadle_clamp(idx i, idx size) {{
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}}""",
    # Division by a number that the host has made a factor and a shift of.
    "treadle_split": f"""{_ONE} idx treadle_split(idx a, idx factor, idx shift) {{
    const unsigned int n = (unsigned int)a;
    return (idx)((__umulhi(n, (unsigned int)factor) + n) >> (unsigned int)shift);
}}""",
    "treadle_quotient": f"""{_ONE} idx treadle_quotient(idx a, idx b) {{
    return (idx)((unsigned idx_t)a / (unsigned idx_t)b);
}}""",
    "treadle_remainder": f"""{_ONE} idx treadle_remainder(idx a, idx b) {{
    return (idx)((unsigned idx_t)a % (unsigned idx_t)b);
}}""",
    # Division by the same number again and again: scaled so that the reciprocal is an ordinary
    # number, multiplied, and corrected by the remainder, which gives the rounded quotient.
    "treadle_Divisor": f"""struct treadle_Divisor {{
    float by, reciprocal, scale;
}};
{_ONE} treadle_Divisor treadle_divisor(float by) {{
    const float size = fabsf(by);
    const float scale = size < 0x1p-60f ? 0x1p64f : size > 0x1p60f ? 0x1p-60f : 1.0f;
    return {{by * scale, 1.0f / (by * scale), scale}};
}}
{_ONE} float treadle_over(float a, const treadle_Divisor d) {{
    const float rough = __fmul_rn(a, d.reciprocal);
    const float fine = __fmaf_rn(__fmaf_rn(-rough, d.by, a), d.reciprocal, rough);
    return (fabsf(fine) > 0.0f ? fine : rough) * d.scale;
}}""",
    # One of the values of a vector; the number is a constant once everything is inlined.
    "treadle_byte": f"""{_ONE} int treadle_byte(unsigned int word, int k) {{
    return (int)__byte_perm(word, 0u, 0x4440u + k);
}}""",
    "treadle_part": """template <typename V>
static __device__ __forceinline__ auto treadle_part(const V v, const int k) -> decltype(v.x) {
    if constexpr (sizeof(V) == 4 * sizeof(v.x))
        return k == 0 ? v.x : k == 1 ? v.y : k == 2 ? v.z : v.w;
    else
        return k == 0 ? v.x : v.y;
}""",
    "Pack": """template <typename T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Pack {
    T v[N];
};""",
    # Neighbouring bytes from anywhere, loaded as words: every word has one of them at least.
    "treadle_Bytes": f"""template <int N> struct treadle_Bytes {{
    unsigned int w[(N + 3) / 4];
    __device__ __forceinline__ explicit treadle_Bytes(const unsigned char* from) {{
        const int off = (int)((unsigned long long)from & 3);
        const unsigned int* words = (const unsigned int*)(from - off);
        unsigned int next = words[0];
        #pragma unroll
        for (int i = 0; i < (N + 3) / 4; ++i) {{
            const unsigned int here = next;
            next = 4 * (i + 1) < off + N ? words[i + 1] : 0u;
            w[i] = __funnelshift_r(here, next, off * 8);
        }}
    }}
}};
template <int N> {_ONE} int treadle_held(const treadle_Bytes<N>& s, const int i) {{
    return (int)__byte_perm(s.w[i >> 2], 0u, 0x4440u + (i & 3));
}}""",
    "treadle_Vectors": f"""template <typename T, int C, int N> struct treadle_Vectors {{
    T v[C * N];
    __device__ __forceinline__ explicit treadle_Vectors(const T* from) {{
        #pragma unroll
        for (int i = 0; i < N; ++i) {{
            const Pack<T, C> pixel = *(const Pack<T, C>*)(from + i * C);
            #pragma unroll
            for (int k = 0; k < C; ++k) v[i * C + k] = pixel.v[k];
        }}
    }}
}};
template <typename T, int C, int N>
{_ONE} T treadle_held(const treadle_Vectors<T, C, N>& s, const int i) {{
    return s.v[i];
}}""",
    # A thread's results, stored as words or vectors where they begin at a multiple of one.
    "treadle_Out": """template <typename T, int N> struct treadle_Out {
    T v[N];
    __device__ __forceinline__ void store(T* to) const {
        constexpr int size = N * (int)sizeof(T);
        if constexpr (sizeof(T) == 1 && N % 4 == 0) {
            if (((unsigned long long)to & 3) == 0) {
                #pragma unroll
                for (int i = 0; i < N / 4; ++i) {
                    const T* four = v + 4 * i;
                    ((unsigned int*)to)[i] = (unsigned int)four[0] | (unsigned int)four[1] << 8
                        | (unsigned int)four[2] << 16 | (unsigned int)four[3] << 24;
                }
                return;
            }
        } else if constexpr (N > 1 && (size == 8 || size == 16)) {
            if (((unsigned long long)to & (size - 1)) == 0) {
                Pack<T, N> all;
                #pragma unroll
                for (int i = 0; i < N; ++i) all.v[i] = v[i];
                *(Pack<T, N>*)to = all;
                return;
            }
        }
        #pragma unroll
        for (int i = 0; i < N; ++i) to[i] = v[i];
    }
};""",
}

_NEEDS = {"treadle_f32_u8": "treadle_f32_byte", "treadle_Out": "Pack", "treadle_Vectors": "Pack"}

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


def prelude(text: str, *, wide: bool) -> str:
    """The index type, and the functions that a text uses."""
    t = "long long" if wide else "int"
    for name, needed in _NEEDS.items():
        if name in text:
            text += f" {needed}"
    parts = [f"typedef {t} idx;"]
    parts += [
        body.replace("idx_t", t)
        for name, body in _PRELUDE.items()
        if re.search(rf"\b{name}\b", text)
    ]
    return "\n".join(parts)


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
        if target is DType.U8:
            return f"treadle_int_u8({text})"
        return f"(({self.types[target]}){text})"

    def expr(self, node: Expr, scope: Scope) -> str:
        """An expression; a read whose value is at hand is that value."""
        if isinstance(node, Load) and node in self.resident:
            return self.resident[node]
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
        text = f"a.{self.pointer(tensor)}[{offset}]"
        return f"((int){text})" if tensor.dtype is DType.U8 else text

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
