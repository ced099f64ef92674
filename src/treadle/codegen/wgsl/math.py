"""Functions that WGSL lacks or that its compilers get wrong, as text.

In: names that generated code calls. Out: their definitions, with what those call in turn. The rest
of the language's meaning is here too: division by zero, saturating conversions, comparisons that
know NaN. Infinities and NaN are built from bits in a variable, because constant expressions that
are not finite are errors; NaN is found by its bits, because compilers may assume `x == x`.
Compilers also cancel (x + 1) - 1 and make a minimum of a comparison and a choice, or of two
comparisons: w_kept_* and w_held give the same value as one that they know nothing about.
"""

from __future__ import annotations

import re
from functools import cache

__all__ = ["ZERO", "library"]

ZERO = "args.o_0 >> 31u"  # a 0 that no driver can know: an offset is never negative

_CALL = re.compile(r"\bw_\w+(?=\()")
_DEFINITION = re.compile(r"^fn (w_\w+)\(.*?^}\n", re.MULTILINE | re.DOTALL)


def library(text: str) -> str:
    """Return the definitions of every function that `text` calls, in a stable order."""
    from treadle.codegen.wgsl.floats import EXPONENTIAL, TRIGONOMETRIC
    from treadle.codegen.wgsl.narrow import NARROW
    from treadle.codegen.wgsl.wide import WIDE

    known = _definitions(INTEGER + FLOAT + EXPONENTIAL + TRIGONOMETRIC + WIDE + NARROW)
    wanted: set[str] = set()
    todo = [text]
    while todo:
        for name in set(_CALL.findall(todo.pop())) & known.keys() - wanted:
            wanted.add(name)
            todo.append(known[name])
    return "\n".join(body for name, body in known.items() if name in wanted)


@cache
def _definitions(text: str) -> dict[str, str]:
    return {found[1]: found[0] for found in _DEFINITION.finditer(text)}


_DIVISION = """
fn w_floordiv_{t}(a: {t}, b: {t}) -> {t} {{
    if (b == {zero}) {{ return {zero}; }}
    if (b == -{one}) {{ return -a; }}
    let q = a / b;
    let r = a - q * b;
    return select(q, q - {one}, r != {zero} && ((r < {zero}) != (b < {zero})));
}}

fn w_mod_{t}(a: {t}, b: {t}) -> {t} {{
    if (b == {zero} || b == -{one}) {{ return {zero}; }}
    let r = a - (a / b) * b;
    return select(r, r + b, r != {zero} && ((r < {zero}) != (b < {zero})));
}}

fn w_sign_{t}(a: {t}) -> {t} {{
    return select(select({zero}, -{one}, a < {zero}), {one}, a > {zero});
}}

fn w_abs_{t}(a: {t}) -> {t} {{
    return select(a, -a, a < {zero});
}}
"""
_UNSIGNED = """
fn w_floordiv_u32(a: u32, b: u32) -> u32 {
    if (b == 0u) { return 0u; }
    return a / b;
}

fn w_mod_u32(a: u32, b: u32) -> u32 {
    if (b == 0u) { return 0u; }
    return a % b;
}
"""
INTEGER = (
    _DIVISION.format(t="i32", zero="0i", one="1i")
    + _DIVISION.format(t="i64", zero="0li", one="1li")
    + _UNSIGNED
)

# {t} is the type, {s} the suffix of its literals.
_EITHER = """
fn w_min_{t}(a: {t}, b: {t}) -> {t} {{
    return select(b, a, (w_kept_{t}(a) < b) || w_nan_{t}(a));
}}

fn w_max_{t}(a: {t}, b: {t}) -> {t} {{
    return select(b, a, (w_kept_{t}(a) > b) || w_nan_{t}(a));
}}

fn w_sign_{t}(a: {t}) -> {t} {{
    let k = w_kept_{t}(a);
    let rest = select(0.0{s}, a, w_nan_{t}(a));
    return select(select(rest, -1.0{s}, k < 0.0{s}), 1.0{s}, k > 0.0{s});
}}

fn w_mod_{t}(a: {t}, b: {t}) -> {t} {{
    let q = floor(a / b);
    return a - w_kept_{t}(b * q);
}}

fn w_{t}_to_i32(x: {t}) -> i32 {{
    if (w_nan_{t}(x)) {{ return 0i; }}
    if (x >= 2147483648.0{s}) {{ return 2147483647i; }}
    if (x <= -2147483648.0{s}) {{ return i32(-2147483648); }}
    return i32(x);
}}

fn w_{t}_to_u32(x: {t}) -> u32 {{
    if (w_nan_{t}(x) || x <= 0.0{s}) {{ return 0u; }}
    if (x >= 4294967296.0{s}) {{ return 4294967295u; }}
    return u32(x);
}}

fn w_{t}_to_i64(x: {t}) -> i64 {{
    if (w_nan_{t}(x)) {{ return 0li; }}
    if (x >= 9223372036854775808.0{s}) {{ return 9223372036854775807li; }}
    if (x <= -9223372036854775808.0{s}) {{ return -9223372036854775807li - 1li; }}
    return i64(x);
}}

fn w_{t}_to_u8(x: {t}) -> u32 {{
    if (w_nan_{t}(x)) {{ return 0u; }}
    return u32(clamp(round(x), 0.0{s}, 255.0{s}));
}}
"""
FLOAT = (
    """
fn w_inf() -> f32 {
    var bits = 0x7f800000u;
    return bitcast<f32>(bits);
}

fn w_nan() -> f32 {
    var bits = 0x7fc00000u;
    return bitcast<f32>(bits);
}

fn w_kept_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<i32>(x) ^ (ZERO));
}

fn w_held(x: bool) -> bool {
    return (select(0i, 1i, x) ^ (ZERO)) == 1i;
}

fn w_kept_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<i64>(x) ^ i64(ZERO));
}

fn w_nan_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn w_infinite_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u;
}

fn w_ordinal_f32(x: f32) -> i32 {
    let bits = bitcast<i32>(x);
    if (w_nan_f32(x)) { return 0x7fffffffi; }
    return select(bits, -(bits & 0x7fffffffi), bits < 0i);
}

fn w_ordinal_f64(x: f64) -> i64 {
    let bits = bitcast<i64>(x);
    if (w_nan_f64(x)) { return 0x7fffffffffffffffli; }
    return select(bits, -(bits & 0x7fffffffffffffffli), bits < 0li);
}

fn w_nan_f64(x: f64) -> bool {
    return (bitcast<i64>(x) & 0x7fffffffffffffffli) > 0x7ff0000000000000li;
}

fn w_infinite_f64(x: f64) -> bool {
    return (bitcast<i64>(x) & 0x7fffffffffffffffli) == 0x7ff0000000000000li;
}
""".replace("ZERO", ZERO)
    + _EITHER.format(t="f32", s="f")
    + _EITHER.format(t="f64", s="lf")
)
