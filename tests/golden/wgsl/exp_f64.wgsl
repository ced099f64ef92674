struct Args {
    d_n0: i32,
    o_0: i32,
    o_1: i32,
    g_total: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<f64>;
@group(0) @binding(2) var<storage, read> b1: array<f64>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let linear = i32(id.y * (groups.x * 64u) + id.x);
    if (linear >= args.g_total) { return; }
    let a0 = linear;
    var v_x: f64;
    v_x = b1[args.o_1 + linear];
    b0[args.o_0 + linear] = w_exp_f64(v_x);
}


fn w_kept_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<i64>(x) ^ i64(args.o_0 >> 31u));
}

fn w_nan_f64(x: f64) -> bool {
    return (bitcast<i64>(x) & 0x7fffffffffffffffli) > 0x7ff0000000000000li;
}

fn w_two_to_wide(n: i32) -> f64 {
    return bitcast<f64>(i64(n + 1023) << 52u);
}

fn w_scaled_wide(p: f64, n: i32) -> f64 {
    let half = n >> 1u;
    return (p * w_two_to_wide(half)) * w_two_to_wide(n - half);
}

fn w_between_wide(x: f64, low: f64, high: f64) -> f64 {
    let k = w_kept_f64(x);
    return select(select(x, low, k < low), high, k > high);
}

fn w_expm1_of_rest_wide(r: f64) -> f64 {
    var p = 7.647163731819816e-13lf;
    p = p * r + 1.1470745597729725e-11lf;
    p = p * r + 1.6059043836821613e-10lf;
    p = p * r + 2.08767569878681e-09lf;
    p = p * r + 2.505210838544172e-08lf;
    p = p * r + 2.755731922398589e-07lf;
    p = p * r + 2.7557319223985893e-06lf;
    p = p * r + 2.48015873015873e-05lf;
    p = p * r + 0.0001984126984126984lf;
    p = p * r + 0.001388888888888889lf;
    p = p * r + 0.008333333333333333lf;
    p = p * r + 0.041666666666666664lf;
    p = p * r + 0.16666666666666666lf;
    p = p * r + 0.5lf;
    return p * (r * r) + r;
}

fn w_rest_wide(x: f64, whole: f64) -> f64 {
    return (x - whole * 0.6931471803691238lf) - whole * 1.9082149292705877e-10lf;
}

fn w_whole_wide(x: f64) -> i32 {
    return select(i32(x), 0i, w_nan_f64(x));
}

fn w_exp_times_wide(x: f64, doublings: i32) -> f64 {
    let y = w_between_wide(x, -746.0lf, 711.0lf);
    let whole = round(y * 1.4426950408889634lf);
    let p = w_expm1_of_rest_wide(w_rest_wide(y, whole)) + 1.0lf;
    return w_scaled_wide(p, w_whole_wide(whole) + doublings);
}

fn w_exp_f64(x: f64) -> f64 {
    return w_exp_times_wide(x, 0);
}
