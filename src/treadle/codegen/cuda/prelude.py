"""Functions that CUDA texts call: what C leaves undefined, and memory that is taken in whole words.

In: a text. Out: the definitions of what it uses. They include no header, so that NVRTC needs no
toolkit.
"""

from __future__ import annotations

import re

__all__ = ["prelude"]

_ANY = "template <typename T> static __device__ __forceinline__"
_ONE = "static __device__ __forceinline__"

# Functions that a kernel's text may use, in an order in which each needs only earlier ones.
_FUNCTIONS = {
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
    "treadle_ordinal_f32": f"""{_ONE} int treadle_ordinal_f32(float a) {{
    int bits = __float_as_int(a);
    return a != a ? 0x7fffffff : bits < 0 ? -(bits & 0x7fffffff) : bits;
}}""",
    "treadle_ordinal_f64": f"""{_ONE} long long treadle_ordinal_f64(double a) {{
    long long bits = __double_as_longlong(a), most = 0x7fffffffffffffffll;
    return a != a ? most : bits < 0 ? -(bits & most) : bits;
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
    "treadle_nearest": f"""{_ONE} int treadle_nearest(float a, float low, float high) {{
    return a != a ? 0 : __float2int_rn(fminf(fmaxf(a, low), high));
}}
{_ONE} int treadle_nearest(double a, double low, double high) {{
    return a != a ? 0 : __double2int_rn(fmin(fmax(a, low), high));
}}""",
    # Floats of 16 bits, without the header that names their type.
    "treadle_f16_value": f"""{_ONE} float treadle_f16_value(unsigned short a) {{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(a));
    return value;
}}""",
    "treadle_f16_bits": f"""{_ONE} unsigned short treadle_f16_bits(float a) {{
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(a));
    return bits;
}}
{_ONE} unsigned short treadle_f16_bits(double a) {{
    unsigned short bits;
    asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(a));
    return bits;
}}""",
    # Cut off with the last bit set where that is not exact, an f64 can be rounded once more.
    "treadle_bf16_bits": f"""{_ONE} unsigned short treadle_bf16_bits(float a) {{
    const unsigned int bits = __float_as_uint(a);
    const unsigned int all = a != a ? bits | 0x400000u : bits + (bits >> 16 & 1u) + 0x7fffu;
    return (unsigned short)(all >> 16);
}}
{_ONE} unsigned short treadle_bf16_bits(double a) {{
    const float cut = __double2float_rz(a);
    const unsigned int odd = a == a && (double)cut != a ? 1u : 0u;
    return treadle_bf16_bits(__uint_as_float(__float_as_uint(cut) | odd));
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
    # A pixel that a thread holds, bytes in a word; `whole` loads it at once, from a multiple of its
    # size, and does not wait for it.
    "treadle_Pixel": f"""template <typename T, int C> struct treadle_Pixel {{
    T v[C];
    __device__ __forceinline__ void whole(const T* from) {{
        if constexpr (C == 2 || C == 4) {{
            const Pack<T, C> all = *(const Pack<T, C>*)from;
            #pragma unroll
            for (int k = 0; k < C; ++k) v[k] = all.v[k];
        }} else {{
            parts(from);
        }}
    }}
    __device__ __forceinline__ void parts(const T* from) {{
        #pragma unroll
        for (int k = 0; k < C; ++k) v[k] = from[k];
    }}
}};
template <int C> struct treadle_Pixel<unsigned char, C> {{
    unsigned int word;
    __device__ __forceinline__ void whole(const unsigned char* from) {{
        if constexpr (C == 4) word = *(const unsigned int*)from;
        else if constexpr (C == 2) word = *(const unsigned short*)from;
        else parts(from);
    }}
    __device__ __forceinline__ void parts(const unsigned char* from) {{
        word = 0u;
        #pragma unroll
        for (int k = 0; k < C; ++k) word |= (unsigned int)from[k] << 8 * k;
    }}
}};
template <typename T, int C>
{_ONE} T treadle_channel(const treadle_Pixel<T, C>& pixel, const int k) {{
    return pixel.v[k];
}}
template <int C>
{_ONE} int treadle_channel(const treadle_Pixel<unsigned char, C>& pixel, const int k) {{
    return (int)__byte_perm(pixel.word, 0u, 0x4440u + k);
}}""",
    # A word with one of its bytes replaced.
    "treadle_put": f"""{_ONE} unsigned int treadle_put(unsigned int word, int byte, int k) {{
    const unsigned int own = 15u << 4 * k;
    return __byte_perm(word, (unsigned int)byte, (0x3210u & ~own) | (0x4444u & own));
}}""",
    # The place of a row among those that are kept, which follow each other in a circle.
    "treadle_turn": f"""{_ONE} int treadle_turn(const int row, const int rows) {{
    return row < 0 ? row + rows : row >= rows ? row - rows : row;
}}""",
    # How far a row beside one inside is from it, where those beyond the edge are the edge's.
    "treadle_beside": f"""{_ONE} int treadle_beside(idx own, const int step, idx size) {{
    const idx to = treadle_clamp(own + step, size) - own;
    return (int)(step < 0 ? min(max(to, (idx)step), (idx)0) : max(min(to, (idx)step), (idx)0));
}}""",
    # Neighbours of a row in shared memory, read four at once; at the border one by one, those
    # beyond it as the edge's.
    "treadle_Near": """template <typename T, int N> struct treadle_Near {
    T v[N];
    __device__ __forceinline__ treadle_Near(const T* const place, const int first,
            const bool inside, const int low, const int high) {
        if (inside) {
            #pragma unroll
            for (int i = 0; i < N; i += 4) {
                const Pack<T, 4> four = *(const Pack<T, 4>*)(place + first + i);
                #pragma unroll
                for (int k = 0; k < 4; ++k) v[i + k] = four.v[k];
            }
        } else {
            #pragma unroll
            for (int i = 0; i < N; ++i) v[i] = place[min(max(first + i, low), high)];
        }
    }
};""",
    # A thread's results, stored as words or vectors where they begin at a multiple of one.
    "treadle_Out": """template <typename T, int N> struct treadle_Out {
    T v[N];
    __device__ __forceinline__ void store(T* to) const {
        constexpr int size = N * (int)sizeof(T);
        if constexpr (sizeof(T) == 1 && N % 4 == 0) {
            constexpr int wide = N % 16 == 0 ? 4 : N % 8 == 0 ? 2 : 1;
            unsigned int words[N / 4];
            #pragma unroll
            for (int i = 0; i < N / 4; ++i) {
                words[i] = 0u;
                #pragma unroll
                for (int k = 0; k < 4; ++k)
                    words[i] |= (unsigned int)(unsigned char)v[4 * i + k] << 8 * k;
            }
            if (((unsigned long long)to & (4 * wide - 1)) == 0) {
                #pragma unroll
                for (int i = 0; i < N / 4; i += wide) {
                    Pack<unsigned int, wide> some;
                    #pragma unroll
                    for (int k = 0; k < wide; ++k) some.v[k] = words[i + k];
                    *(Pack<unsigned int, wide>*)(to + 4 * i) = some;
                }
                return;
            }
            if (wide > 1 && ((unsigned long long)to & 3) == 0) {
                #pragma unroll
                for (int i = 0; i < N / 4; ++i) ((unsigned int*)to)[i] = words[i];
                return;
            }
        } else if constexpr (N > 1 && (size == 8 || size % 16 == 0)) {
            constexpr int one = (size == 8 ? 8 : 16) / (int)sizeof(T);
            if (((unsigned long long)to & (one * sizeof(T) - 1)) == 0) {
                #pragma unroll
                for (int i = 0; i < N; i += one) {
                    Pack<T, one> all;
                    #pragma unroll
                    for (int k = 0; k < one; ++k) all.v[k] = v[i + k];
                    *(Pack<T, one>*)(to + i) = all;
                }
                return;
            }
        }
        #pragma unroll
        for (int i = 0; i < N; ++i) to[i] = v[i];
    }
};""",
}

_NEEDS = {
    "treadle_f32_u8": "treadle_f32_byte",
    "treadle_Out": "Pack",
    "treadle_Vectors": "Pack",
    "treadle_Pixel": "Pack",
    "treadle_Near": "Pack",
    "treadle_beside": "treadle_clamp",
}


def prelude(text: str, *, wide: bool) -> str:
    """The index type, and the functions that a text uses."""
    t = "long long" if wide else "int"
    used = set(re.findall(r"\w+", text))
    used |= {needed for name, needed in _NEEDS.items() if name in used}
    parts = [f"typedef {t} idx;"]
    parts += [body.replace("idx_t", t) for name, body in _FUNCTIONS.items() if name in used]
    return "\n".join(parts)
