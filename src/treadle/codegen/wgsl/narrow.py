"""Elements narrower than a word in WGSL: their bits in a u32, and what reads make of those.

In: nothing. Out: tables of formats by types, and the functions that they call. Floats of 16 bits
are rounded here, to nearest with ties to even: WGSL's own packing may round as it likes, and many
devices have no such type.
"""

from __future__ import annotations

from treadle.dtypes import STORED, DType

__all__ = ["FROM_BITS", "NARROW", "TO_BITS"]

_ENDS = {DType.S32: "i", DType.S64: "li"}
_AS_F32 = {
    DType.F32: "{0}",
    DType.F64: "w_odd_f64({0})",
    DType.S32: "f32({0})",
    DType.S64: "f32({0})",
    DType.U32: "f32({0})",
    DType.BOOL: "select(0.0f, 1.0f, {0})",
}


def _bits(source: DType, dtype: DType) -> str:
    """How a value becomes an element of a narrow type."""
    if dtype.is_float:
        return f"w_{dtype}_bits({_AS_F32[source]})"
    low, high = dtype.limits
    if source is DType.BOOL:
        return "select(0u, 1u, {0})"
    if source is DType.U32:
        return f"min({{0}}, {high}u)"
    if source.is_float:
        if dtype is DType.U8:
            return f"w_{source}_to_u8({{0}})"
        end = "f" if source is DType.F32 else "lf"
        whole = f"w_{source}_to_nearest({{0}}, {low}.0{end}, {high}.0{end})"
    else:
        end = _ENDS[source]
        whole = f"clamp({{0}}, {low}{end}, {high}{end})"
        if not low:
            return f"u32({whole})"
        whole = whole if source is DType.S32 else f"i32({whole})"
    kept = f"bitcast<u32>({whole})"
    return f"({kept} & {(1 << 8 * dtype.size) - 1}u)" if low else kept


TO_BITS: dict[tuple[DType, DType], str] = {
    (source, dtype): _bits(source, dtype)
    for source in _AS_F32
    for dtype in STORED
    if dtype.is_narrow
}
FROM_BITS = {
    DType.U8: "i32({0})",
    DType.U16: "i32({0})",
    DType.S8: "extractBits(bitcast<i32>({0}), 0u, 8u)",
    DType.S16: "extractBits(bitcast<i32>({0}), 0u, 16u)",
    DType.F16: "w_f16_value({0})",
    DType.BF16: "bitcast<f32>({0} << 16u)",
    DType.BOOL: "({0} != 0u)",
}

_NEAREST = """
fn w_{t}_to_nearest(x: {t}, low: {t}, high: {t}) -> i32 {{
    if (w_nan_{t}(x)) {{ return 0i; }}
    return i32(clamp(round(x), low, high));
}}
"""
NARROW = (
    _NEAREST.format(t="f32")
    + _NEAREST.format(t="f64")
    + """
fn w_f16_value(bits: u32) -> f32 {
    let size = bits & 0x7fffu;
    let sign = (bits & 0x8000u) << 16u;
    let small = bitcast<u32>(f32(size) * 5.9604644775390625e-8f);
    if (size < 0x400u) { return bitcast<f32>(small | sign); }
    let more = select(0x38000000u, 0x70000000u, size >= 0x7c00u);
    return bitcast<f32>(((size << 13u) + more) | sign);
}

fn w_f16_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let size = bits & 0x7fffffffu;
    let sign = (bits >> 16u) & 0x8000u;
    if (size > 0x7f800000u) { return 0x7e00u | sign; }
    if (size >= 0x47800000u) { return 0x7c00u | sign; }
    if (size >= 0x38800000u) { return ((size + ((size >> 13u) & 1u) + 0xc8000fffu) >> 13u) | sign; }
    // Behind 0.5 the last place of an f32 is the smallest f16: the addition rounds.
    return (bitcast<u32>(w_kept_f32(bitcast<f32>(size)) + 0.5f) - 0x3f000000u) | sign;
}

fn w_bf16_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    if (w_nan_f32(x)) { return (bits | 0x400000u) >> 16u; }
    return (bits + ((bits >> 16u) & 1u) + 0x7fffu) >> 16u;
}

fn w_odd_f64(x: f64) -> f32 {
    let near = f32(x);
    let bits = bitcast<u32>(near);
    let back = f64(near);
    if (w_nan_f64(x) || back == x || (bits & 1u) == 1u) { return near; }
    return bitcast<f32>(select(bits + 1u, bits - 1u, abs(back) > abs(x)));
}
"""
)
