"""Exponential and trigonometric functions of f32 in WGSL, as text.

In: nothing. Out: function definitions for math.library. They stay within a few units in the
last place and are right at zeros, infinities and NaN; results below the smallest normal number may
be zero. Built-in functions differ between drivers by factors of a hundred in accuracy, so none is
used beyond sqrt and rounding. Angles are reduced with integers against the bits of 2/pi, for any
size; products of floats would need a fused multiply-add, which not every driver has.
"""

from __future__ import annotations

__all__ = ["EXPONENTIAL", "TRIGONOMETRIC"]

EXPONENTIAL = """
fn w_two_to(n: i32) -> f32 {
    return bitcast<f32>((n + 127) << 23u);
}

fn w_scaled(p: f32, n: i32) -> f32 {
    let half = n >> 1u;
    return (p * w_two_to(half)) * w_two_to(n - half);
}

fn w_expm1_of_rest(r: f32) -> f32 {
    var p = 1.9899285e-4f * r + 1.3933650e-3f;
    p = p * r + 8.3332985e-3f;
    p = p * r + 4.1666465e-2f;
    p = p * r + 0.16666667f;
    p = p * r + 0.5f;
    return p * (r * r) + r;
}

fn w_rest(x: f32, whole: f32) -> f32 {
    return (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
}

fn w_between(x: f32, low: f32, high: f32) -> f32 {
    let k = w_kept_f32(x);
    return select(select(x, low, k < low), high, k > high);
}

fn w_exp_times(x: f32, doublings: i32) -> f32 {
    let y = w_between(x, -105.0f, 91.0f);
    let whole = round(y * 1.44269504f);
    return w_scaled(w_expm1_of_rest(w_rest(y, whole)) + 1.0f, i32(whole) + doublings);
}

fn w_exp_f32(x: f32) -> f32 {
    return w_exp_times(x, 0);
}

fn w_exp2_f32(x: f32) -> f32 {
    let y = w_between(x, -152.0f, 130.0f);
    let whole = round(y);
    return w_scaled(w_expm1_of_rest((y - whole) * 0.69314718f) + 1.0f, i32(whole));
}

fn w_expm1_f32(x: f32) -> f32 {
    let y = w_between(x, -30.0f, 91.0f);
    let whole = round(y * 1.44269504f);
    let half = w_two_to(min(i32(whole) - 1, 127));
    let result = (half * w_expm1_of_rest(w_rest(y, whole)) + (half - 0.5f)) * 2.0f;
    return select(select(result, w_inf(), x > 88.7229f), x, x == 0.0f);
}

fn w_log1p_cubic(m: f32) -> f32 {
    var p = 7.0376836292e-2f * m - 1.1514610310e-1f;
    p = p * m + 1.1676998740e-1f;
    p = p * m - 1.2420140846e-1f;
    p = p * m + 1.4249322787e-1f;
    p = p * m - 1.6668057665e-1f;
    p = p * m + 2.0000714765e-1f;
    p = p * m - 2.4999993993e-1f;
    p = p * m + 3.3333331174e-1f;
    return (m * m) * m * p;
}

fn w_log1p_near(m: f32) -> f32 {
    return m + (w_log1p_cubic(m) - (m * m) * 0.5f);
}

fn w_lifted(x: f32) -> f32 {
    return select(x, x * 16777216.0f, abs(x) < 1.17549435e-38f);
}

fn w_exponent(x: f32) -> i32 {
    let e = (bitcast<i32>(w_lifted(x)) - 0x3f3504f3) >> 23u;
    return select(e, e - 24, abs(x) < 1.17549435e-38f);
}

fn w_mantissa(x: f32) -> f32 {
    let bits = bitcast<i32>(w_lifted(x)) - 0x3f3504f3;
    return bitcast<f32>((bits & 0x7fffff) + 0x3f3504f3) - 1.0f;
}

fn w_log_edges(x: f32, result: f32) -> f32 {
    if (w_nan_f32(x) || x < 0.0f) { return w_nan(); }
    if (x == 0.0f) { return -w_inf(); }
    return select(result, x, w_infinite_f32(x));
}

fn w_log_f32(x: f32) -> f32 {
    let e = f32(w_exponent(x));
    let m = w_log1p_near(w_mantissa(x));
    return w_log_edges(x, e * 0.693359375f + (m - e * 2.12194440e-4f));
}

fn w_log2_f32(x: f32) -> f32 {
    let m = w_log1p_near(w_mantissa(x));
    return w_log_edges(x, f32(w_exponent(x)) + (m * 1.4375f + m * 0.00519504089f));
}

fn w_log10_f32(x: f32) -> f32 {
    let e = f32(w_exponent(x));
    let m = w_log1p_near(w_mantissa(x));
    return w_log_edges(x, e * 0.30078125f + (e * 0.000248745664f + m * 0.434294482f));
}

fn w_log1p_f32(x: f32) -> f32 {
    if (x > -0.29f && x < 0.41f) { return select(w_log1p_near(x), x, x == 0.0f); }
    return w_log_f32(x + 1.0f);
}

fn w_with_sign(x: f32, other: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(other) & 0x80000000u));
}

fn w_sinh_f32(x: f32) -> f32 {
    let a = abs(x);
    if (a < 1.0f) {
        let z = x * x;
        let p = (2.03721912945e-4f * z + 8.33028376239e-3f) * z + 1.66667160211e-1f;
        return (p * z) * x + x;
    }
    return w_with_sign(w_exp_times(a, -1) - w_exp_times(-a, -1), x);
}

fn w_cosh_f32(x: f32) -> f32 {
    let a = abs(x);
    return w_exp_times(a, -1) + w_exp_times(-a, -1);
}

fn w_tanh_f32(x: f32) -> f32 {
    if (w_nan_f32(x)) { return x; }
    let y = min(abs(x), 10.0f) * -2.0f;
    let whole = round(y * 1.44269504f);
    let scale = w_two_to(i32(whole));
    let t = scale * w_expm1_of_rest(w_rest(y, whole)) + (scale - 1.0f);
    return w_with_sign(t / (t + 2.0f), x);
}

fn w_erf_f32(x: f32) -> f32 {
    let a = abs(x);
    if (a < 1.0f) {
        let z = x * x;
        var p = 7.882497098e-5f * z - 8.018854989e-4f;
        p = p * z + 5.189311942e-3f;
        p = p * z - 2.685432880e-2f;
        p = p * z + 0.1128359746f;
        p = p * z - 0.3761262690f;
        p = p * z + 1.1283791659f;
        return p * x;
    }
    let y = select(a, 4.0f, w_kept_f32(a) > 4.0f);
    var q = -1.614061626e-6f * y + 4.559062294e-5f;
    q = q * y - 5.927695424e-4f;
    q = q * y + 4.740222365e-3f;
    q = q * y - 2.636471744e-2f;
    q = q * y + 0.1099782453f;
    q = q * y + 0.6319370935f;
    q = q * y + 1.1301666756f;
    q = q * y - 3.032129984e-4f;
    return w_with_sign(1.0f - w_exp_f32(-q), x);
}

fn w_power(a: f32, y: f32) -> f32 {
    // log(1 + m) = first + second, where first has 7 bits, so that its products with halves of y
    // and with 1.4375 (log2(e) is 1.4375 and a little) are exact.
    let e = f32(w_exponent(a));
    let m = w_mantissa(a);
    let first = bitcast<f32>(bitcast<u32>(w_log1p_near(m)) & 0xfffe0000u);
    let head = bitcast<f32>(bitcast<u32>(m) & 0xfffff000u);
    let tail = m - head;
    let cross = w_log1p_cubic(m) - (head * tail + tail * tail * 0.5f);
    let second = ((m - first) - head * head * 0.5f) + cross;
    let high = bitcast<f32>(bitcast<u32>(y) & 0xfffff000u);
    let low = y - high;
    let main = high * (first * 1.4375f);
    let small = (low * (first * 1.4375f) + y * (second * 1.4375f))
        + y * ((first + second) * 0.00519504089f);
    let whole = round(w_between(high * e + main + (low * e + small), -300.0f, 300.0f));
    let rest = (((high * e - whole) + main) + low * e) + small;
    let p = w_expm1_of_rest(w_between(rest, -1.0f, 1.0f) * 0.69314718f) + 1.0f;
    return w_scaled(p, i32(w_between(whole, -200.0f, 200.0f)));
}

fn w_pow_f32(x: f32, y: f32) -> f32 {
    let a = abs(x);
    if (x == 1.0f || y == 0.0f) { return 1.0f; }
    if (w_nan_f32(x) || w_nan_f32(y)) { return w_nan(); }
    if (w_infinite_f32(y)) {
        if (a == 1.0f) { return 1.0f; }
        return select(0.0f, w_inf(), (a > 1.0f) == (y > 0.0f));
    }
    let whole = trunc(y) == y;
    let half = y * 0.5f;
    let odd = whole && !(trunc(half) == half);
    var p = 0.0f;
    if (a == 0.0f || w_infinite_f32(a)) {
        p = select(0.0f, w_inf(), (a == 0.0f) == (y < 0.0f));
    } else {
        if (x < 0.0f && !whole) { return w_nan(); }
        p = w_power(a, y);
    }
    return select(p, -p, odd && (bitcast<u32>(x) >> 31u) == 1u);
}
"""


def _two_over_pi() -> str:
    """256 bits of 2/pi as words; the first bit stands for 2**25."""
    bits = 320
    one = 1 << bits

    def arctan_inverse(k: int) -> int:
        total = term = one // k
        n = 1
        while term:
            term //= -k * k
            n += 2
            total += term // n
        return total

    pi = 4 * (4 * arctan_inverse(5) - arctan_inverse(239))
    window = (2 * one * one // pi) >> (bits - (256 - 26))
    return ", ".join(f"0x{(window >> shift) & 0xFFFFFFFF:08x}u" for shift in range(224, -1, -32))


TRIGONOMETRIC = """
fn w_high_product(a: u32, b: u32) -> u32 {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let middle = ah * bl + ((al * bl) >> 16u);
    let other = al * bh + (middle & 0xffffu);
    return ah * bh + (middle >> 16u) + (other >> 16u);
}

fn w_reduced(x: f32) -> vec2<f32> {
    if (abs(x) < 0.78f) { return vec2<f32>(x, 0.0f); }
    if (w_infinite_f32(x) || w_nan_f32(x)) { return vec2<f32>(w_nan(), 0.0f); }
    var words = array<u32, 8>(TWO_OVER_PI);
    let bits = bitcast<u32>(x);
    let first = ((bits >> 23u) & 0xffu) - 126u;
    let k = first >> 5u;
    let left = first & 31u;
    let m = (bits & 0x7fffffu) | 0x800000u;
    let t0 = (words[k] << left) | ((words[k + 1u] >> 1u) >> (31u - left));
    let t1 = (words[k + 1u] << left) | ((words[k + 2u] >> 1u) >> (31u - left));
    let t2 = (words[k + 2u] << left) | ((words[k + 3u] >> 1u) >> (31u - left));
    let extra = w_high_product(m, t2);
    let low = m * t1 + extra;
    let high = m * t0 + w_high_product(m, t1) + select(0u, 1u, low < extra);
    let quadrant = (high + 0x20000000u) >> 30u;
    let over = high - (quadrant << 30u);
    let negative = over >= 0x80000000u;
    let size_low = select(low, ~low + 1u, negative);
    let size_high = select(over, ~over + select(0u, 1u, low == 0u), negative);
    let turns = f32(size_high) * 9.31322574615478515625e-10f
        + f32(size_low) * 2.16840434497100886801e-19f;
    let angle = turns * 1.57079633f;
    let flip = negative != (x < 0.0f);
    let n = select(quadrant & 3u, (4u - (quadrant & 3u)) & 3u, x < 0.0f);
    return vec2<f32>(select(angle, -angle, flip), f32(n));
}

fn w_sine(r: f32) -> f32 {
    let z = r * r;
    let p = (-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f;
    return select((p * z) * r + r, r, r == 0.0f);
}

fn w_cosine(r: f32) -> f32 {
    let z = r * r;
    let p = (2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f;
    return p * (z * z) + (1.0f - z * 0.5f);
}

fn w_wave(r: f32, quadrant: u32) -> f32 {
    let value = select(w_sine(r), w_cosine(r), (quadrant & 1u) == 1u);
    return select(value, -value, (quadrant & 2u) == 2u);
}

fn w_sin_f32(x: f32) -> f32 {
    let r = w_reduced(x);
    return w_wave(r.x, u32(r.y));
}

fn w_cos_f32(x: f32) -> f32 {
    let r = w_reduced(x);
    return w_wave(r.x, u32(r.y) + 1u);
}

fn w_tan_f32(x: f32) -> f32 {
    let r = w_reduced(x);
    let odd = (u32(r.y) & 1u) == 1u;
    return select(w_sine(r.x), -w_cosine(r.x), odd) / select(w_cosine(r.x), w_sine(r.x), odd);
}

fn w_asin_small(x: f32) -> f32 {
    let z = x * x;
    var p = 4.2163199048e-2f * z + 2.4181311049e-2f;
    p = p * z + 4.5470025998e-2f;
    p = p * z + 7.4953002686e-2f;
    p = p * z + 1.6666752422e-1f;
    return (p * z) * x + x;
}

fn w_asin_f32(x: f32) -> f32 {
    let a = abs(x);
    if (!(a <= 1.0f)) { return w_nan(); }
    if (a > 0.5f) {
        let root = w_asin_small(sqrt((1.0f - a) * 0.5f));
        return w_with_sign(1.57079633f - 2.0f * root, x);
    }
    return w_asin_small(x);
}

fn w_acos_f32(x: f32) -> f32 {
    let a = abs(x);
    if (!(a <= 1.0f)) { return w_nan(); }
    if (a > 0.5f) {
        let outer = 2.0f * w_asin_small(sqrt((1.0f - a) * 0.5f));
        return select(outer, 3.14159265f - outer, x < 0.0f);
    }
    return 1.57079633f - w_asin_small(x);
}

fn w_atan_unit(q: f32) -> f32 {
    let big = q > 0.414213562f;
    let y = select(q, (q - 1.0f) / (q + 1.0f), big);
    let z = y * y;
    var p = 8.05374449538e-2f * z - 1.38776856032e-1f;
    p = p * z + 1.99777106478e-1f;
    p = p * z - 3.33329491539e-1f;
    return ((p * z) * y + y) + select(0.0f, 0.785398163f, big);
}

fn w_atan_f32(x: f32) -> f32 {
    let a = abs(x);
    if (w_nan_f32(x)) { return x; }
    if (a > 1.0f) { return w_with_sign(1.57079633f - w_atan_unit(1.0f / a), x); }
    return w_with_sign(w_atan_unit(a), x);
}

fn w_atan2_f32(y: f32, x: f32) -> f32 {
    if (w_nan_f32(x) || w_nan_f32(y)) { return w_nan(); }
    let ay = abs(y);
    let ax = abs(x);
    let steep = ay > ax;
    let small = select(ay, ax, steep);
    let large = select(ax, ay, steep);
    var ratio = small / large;
    if (small == large) { ratio = 1.0f; }
    if (large == 0.0f) { ratio = 0.0f; }
    var angle = w_atan_unit(ratio);
    angle = select(angle, 1.57079633f - angle, steep);
    angle = select(angle, 3.14159265f - angle, (bitcast<u32>(x) >> 31u) == 1u);
    return w_with_sign(angle, y);
}
""".replace("TWO_OVER_PI", _two_over_pi())
