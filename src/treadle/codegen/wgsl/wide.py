"""Exponentials and logarithms of f64 in WGSL, as text.

In: nothing. Out: function definitions for math.library. Compilers accept the built-in
functions on f64 and return garbage, so these are written out: series long enough for the last
bits, exponents taken from and put into the bits through i64. Functions that are not here the device
declares as unsupported.
"""

from __future__ import annotations

import math

__all__ = ["WIDE", "WIDE_FUNCTIONS"]

WIDE_FUNCTIONS = frozenset("exp exp2 expm1 log log2 log10 log1p sinh cosh tanh".split())


def _horner(variable: str, coefficients: list[float]) -> str:
    """Statements that evaluate a polynomial in `p`, the highest coefficient first."""
    lines = [f"    var p = {coefficients[0]!r}lf;"]
    lines += [f"    p = p * {variable} + {c!r}lf;" for c in coefficients[1:]]
    return "\n".join(lines)


# exp(r) - 1 - r over r**2 for |r| <= ln(2)/2, and atanh(t)/t - 1 over t**2 for |t| <= 0.1716.
_EXP = _horner("r", [1 / math.factorial(k) for k in range(15, 1, -1)])
_ATANH = _horner("z", [1 / k for k in range(25, 1, -2)])

WIDE = f"""
fn w_two_to_wide(n: i32) -> f64 {{
    return bitcast<f64>(i64(n + 1023) << 52u);
}}

fn w_scaled_wide(p: f64, n: i32) -> f64 {{
    let half = n >> 1u;
    return (p * w_two_to_wide(half)) * w_two_to_wide(n - half);
}}

fn w_between_wide(x: f64, low: f64, high: f64) -> f64 {{
    let k = w_kept_f64(x);
    return select(select(x, low, k < low), high, k > high);
}}

fn w_expm1_of_rest_wide(r: f64) -> f64 {{
{_EXP}
    return p * (r * r) + r;
}}

fn w_rest_wide(x: f64, whole: f64) -> f64 {{
    return (x - whole * 0.6931471803691238lf) - whole * 1.9082149292705877e-10lf;
}}

fn w_whole_wide(x: f64) -> i32 {{
    return select(i32(x), 0i, w_nan_f64(x));
}}

fn w_exp_times_wide(x: f64, doublings: i32) -> f64 {{
    let y = w_between_wide(x, -746.0lf, 711.0lf);
    let whole = round(y * 1.4426950408889634lf);
    let p = w_expm1_of_rest_wide(w_rest_wide(y, whole)) + 1.0lf;
    return w_scaled_wide(p, w_whole_wide(whole) + doublings);
}}

fn w_exp_f64(x: f64) -> f64 {{
    return w_exp_times_wide(x, 0);
}}

fn w_exp2_f64(x: f64) -> f64 {{
    let y = w_between_wide(x, -1080.0lf, 1030.0lf);
    let whole = round(y);
    let p = w_expm1_of_rest_wide((y - whole) * 0.6931471805599453lf) + 1.0lf;
    return w_scaled_wide(p, w_whole_wide(whole));
}}

fn w_expm1_f64(x: f64) -> f64 {{
    if (x == 0.0lf) {{ return x; }}
    if (x > 709.782712893384lf) {{ return f64(w_inf()); }}
    let y = w_between_wide(x, -60.0lf, 710.0lf);
    let whole = round(y * 1.4426950408889634lf);
    let half = w_two_to_wide(w_whole_wide(whole) - 1);
    let e = w_expm1_of_rest_wide(w_rest_wide(y, whole));
    return (half * e + (half - 0.5lf)) * 2.0lf;
}}

fn w_atanh_twice(t: f64) -> f64 {{
    let z = t * t;
{_ATANH}
    return (p * z) * (t * 2.0lf) + t * 2.0lf;
}}

fn w_lifted_wide(x: f64) -> f64 {{
    return select(x, x * 18014398509481984.0lf, abs(x) < 2.2250738585072014e-308lf);
}}

fn w_exponent_wide(x: f64) -> f64 {{
    let e = f64((bitcast<i64>(w_lifted_wide(x)) - 0x3fe6a09e667f3bcdli) >> 52u);
    return select(e, e - 54.0lf, abs(x) < 2.2250738585072014e-308lf);
}}

fn w_mantissa_wide(x: f64) -> f64 {{
    let shifted = (bitcast<i64>(w_lifted_wide(x)) - 0x3fe6a09e667f3bcdli) & 0xfffffffffffffli;
    return bitcast<f64>(shifted + 0x3fe6a09e667f3bcdli);
}}

fn w_log_mantissa(x: f64) -> f64 {{
    let m = w_mantissa_wide(x);
    return w_atanh_twice((m - 1.0lf) / (m + 1.0lf));
}}

fn w_log_edges_wide(x: f64, result: f64) -> f64 {{
    if (w_nan_f64(x) || x < 0.0lf) {{ return f64(w_nan()); }}
    if (x == 0.0lf) {{ return f64(-w_inf()); }}
    return select(result, x, w_infinite_f64(x));
}}

fn w_log_f64(x: f64) -> f64 {{
    let e = w_exponent_wide(x);
    let low = w_log_mantissa(x) + e * 1.9082149292705877e-10lf;
    return w_log_edges_wide(x, e * 0.6931471803691238lf + low);
}}

fn w_log2_f64(x: f64) -> f64 {{
    let result = w_exponent_wide(x) + w_log_mantissa(x) * 1.4426950408889634lf;
    return w_log_edges_wide(x, result);
}}

fn w_log10_f64(x: f64) -> f64 {{
    let m = w_log_mantissa(x) * 0.4342944819032518lf;
    return w_log_edges_wide(x, w_exponent_wide(x) * 0.3010299956639812lf + m);
}}

fn w_log1p_f64(x: f64) -> f64 {{
    if (x == 0.0lf) {{ return x; }}
    if (x > -0.29lf && x < 0.41lf) {{ return w_atanh_twice(x / (x + 2.0lf)); }}
    return w_log_f64(x + 1.0lf);
}}

fn w_sinh_f64(x: f64) -> f64 {{
    let a = abs(x);
    if (a < 1.0lf) {{
        let t = w_expm1_f64(x);
        return (t + t / (t + 1.0lf)) * 0.5lf;
    }}
    let size = w_exp_times_wide(a, -1) - w_exp_times_wide(-a, -1);
    return select(size, -size, x < 0.0lf);
}}

fn w_cosh_f64(x: f64) -> f64 {{
    let a = abs(x);
    return w_exp_times_wide(a, -1) + w_exp_times_wide(-a, -1);
}}

fn w_tanh_f64(x: f64) -> f64 {{
    if (w_nan_f64(x) || x == 0.0lf) {{ return x; }}
    let t = w_expm1_f64(-2.0lf * abs(x));
    let size = -t / (t + 2.0lf);
    return select(size, -size, x < 0.0lf);
}}
"""
