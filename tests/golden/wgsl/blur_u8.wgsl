struct Args {
    p_sigma: f32,
    d_n0: i32,
    d_n1: i32,
    o_0: i32,
    o_1: i32,
    g_total: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<f32>;
@group(0) @binding(2) var<storage, read> b1: array<u32>;

fn get_b1(i: i32) -> i32 {
    return i32(extractBits(b1[i >> 2u], (u32(i) & 3u) * 8u, 8u));
}

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let linear = i32(id.y * (groups.x * 64u) + id.x);
    if (linear >= args.g_total) { return; }
    let a2 = linear % 4;
    let a2_up = linear / 4;
    let a1 = a2_up % args.d_n1;
    let a1_up = a2_up / args.d_n1;
    let a0 = a1_up;
    var v_base: f32;
    var v_square: f32;
    var v_weight: f32;
    var v_total: f32;
    var v_moved0: i32;
    var v_moved1: i32;
    var v_acc: f32;
    var v_base_1: f32;
    var v_square_1: f32;
    var v_weight_1: f32;
    var v_total_1: f32;
    var v_moved0_1: i32;
    var v_moved1_1: i32;
    var v_acc_1: f32;
    var v_base_2: f32;
    var v_square_2: f32;
    var v_weight_2: f32;
    var v_total_2: f32;
    var v_moved0_2: i32;
    var v_moved1_2: i32;
    var v_acc_2: f32;
    v_base = ((-1.0f) / args.p_sigma);
    v_square = (w_kept_f32(v_base) * w_kept_f32(v_base));
    v_weight = w_exp_f32(((-0.5f) * w_kept_f32(v_square)));
    v_total = ((f32(args.o_0 >> 31u)) + w_kept_f32(v_weight));
    v_moved0 = (a0 + (-1i));
    v_moved1 = a1;
    v_acc = ((f32(args.o_0 >> 31u)) + w_kept_f32((v_weight * f32(get_b1(args.o_1 + ((min(max(v_moved0, 0), args.d_n0 - 1) * args.d_n1 + v_moved1) * 4 + a2))))));
    v_base_1 = ((f32(args.o_0 >> 31u)) / args.p_sigma);
    v_square_1 = (w_kept_f32(v_base_1) * w_kept_f32(v_base_1));
    v_weight_1 = w_exp_f32(((-0.5f) * w_kept_f32(v_square_1)));
    v_total_1 = (w_kept_f32(v_total) + v_weight_1);
    v_moved0_1 = a0;
    v_moved1_1 = a1;
    v_acc_1 = (w_kept_f32(v_acc) + (v_weight_1 * f32(get_b1(args.o_1 + ((v_moved0_1 * args.d_n1 + v_moved1_1) * 4 + a2)))));
    v_base_2 = (1.0f / args.p_sigma);
    v_square_2 = (w_kept_f32(v_base_2) * w_kept_f32(v_base_2));
    v_weight_2 = w_exp_f32(((-0.5f) * w_kept_f32(v_square_2)));
    v_total_2 = (w_kept_f32(v_total_1) + v_weight_2);
    v_moved0_2 = (a0 + 1i);
    v_moved1_2 = a1;
    v_acc_2 = (w_kept_f32(v_acc_1) + (v_weight_2 * f32(get_b1(args.o_1 + ((min(max(v_moved0_2, 0), args.d_n0 - 1) * args.d_n1 + v_moved1_2) * 4 + a2)))));
    b0[args.o_0 + linear] = (v_acc_2 * w_kept_f32((1.0f / w_kept_f32(v_total_2))));
}


fn w_kept_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<i32>(x) ^ (args.o_0 >> 31u));
}

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

struct Args {
    p_sigma: f32,
    d_n0: i32,
    d_n1: i32,
    o_0: i32,
    o_1: i32,
    g_total: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<u32>;
@group(0) @binding(2) var<storage, read> b1: array<f32>;

fn get_b0(i: i32) -> i32 {
    return i32(extractBits(b0[i >> 2u], (u32(i) & 3u) * 8u, 8u));
}

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let word = i32(id.y * (groups.x * 64u) + id.x);
    let phase = args.o_0 & 3;
    if (word * 4 - phase >= args.g_total) { return; }
    var mask = 0u;
    var packed0 = 0u;
    for (var part: i32 = 0; part < 4; part += 1) {
        let linear = word * 4 + part - phase;
        if (linear >= 0 && linear < args.g_total) {
            mask |= 255u << (u32(part) * 8u);
            let a2 = linear % 4;
            let a2_up = linear / 4;
            let a1 = a2_up % args.d_n1;
            let a1_up = a2_up / args.d_n1;
            let a0 = a1_up;
            var v_base: f32;
            var v_square: f32;
            var v_weight: f32;
            var v_total: f32;
            var v_moved0: i32;
            var v_moved1: i32;
            var v_acc: f32;
            var v_base_1: f32;
            var v_square_1: f32;
            var v_weight_1: f32;
            var v_total_1: f32;
            var v_moved0_1: i32;
            var v_moved1_1: i32;
            var v_acc_1: f32;
            var v_base_2: f32;
            var v_square_2: f32;
            var v_weight_2: f32;
            var v_total_2: f32;
            var v_moved0_2: i32;
            var v_moved1_2: i32;
            var v_acc_2: f32;
            v_base = ((-1.0f) / args.p_sigma);
            v_square = (w_kept_f32(v_base) * w_kept_f32(v_base));
            v_weight = w_exp_f32(((-0.5f) * w_kept_f32(v_square)));
            v_total = ((f32(args.o_0 >> 31u)) + w_kept_f32(v_weight));
            v_moved0 = a0;
            v_moved1 = (a1 + (-1i));
            v_acc = ((f32(args.o_0 >> 31u)) + w_kept_f32((v_weight * b1[args.o_1 + ((v_moved0 * args.d_n1 + min(max(v_moved1, 0), args.d_n1 - 1)) * 4 + a2)])));
            v_base_1 = ((f32(args.o_0 >> 31u)) / args.p_sigma);
            v_square_1 = (w_kept_f32(v_base_1) * w_kept_f32(v_base_1));
            v_weight_1 = w_exp_f32(((-0.5f) * w_kept_f32(v_square_1)));
            v_total_1 = (w_kept_f32(v_total) + v_weight_1);
            v_moved0_1 = a0;
            v_moved1_1 = a1;
            v_acc_1 = (w_kept_f32(v_acc) + (v_weight_1 * b1[args.o_1 + ((v_moved0_1 * args.d_n1 + v_moved1_1) * 4 + a2)]));
            v_base_2 = (1.0f / args.p_sigma);
            v_square_2 = (w_kept_f32(v_base_2) * w_kept_f32(v_base_2));
            v_weight_2 = w_exp_f32(((-0.5f) * w_kept_f32(v_square_2)));
            v_total_2 = (w_kept_f32(v_total_1) + v_weight_2);
            v_moved0_2 = a0;
            v_moved1_2 = (a1 + 1i);
            v_acc_2 = (w_kept_f32(v_acc_1) + (v_weight_2 * b1[args.o_1 + ((v_moved0_2 * args.d_n1 + min(max(v_moved1_2, 0), args.d_n1 - 1)) * 4 + a2)]));
            let result0 = (v_acc_2 * w_kept_f32((1.0f / w_kept_f32(v_total_2))));
            packed0 |= w_f32_to_u8(result0) << (u32(part) * 8u);
        }
    }
    if (mask != 0xffffffffu) { packed0 |= b0[(args.o_0 >> 2u) + word] & ~mask; }
    b0[(args.o_0 >> 2u) + word] = packed0;
}


fn w_kept_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<i32>(x) ^ (args.o_0 >> 31u));
}

fn w_nan_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn w_f32_to_u8(x: f32) -> u32 {
    if (w_nan_f32(x)) { return 0u; }
    return u32(clamp(round(x), 0.0f, 255.0f));
}

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
