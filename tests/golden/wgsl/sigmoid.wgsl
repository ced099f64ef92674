struct Args {
    d_n0: i32,
    o_0: i32,
    o_1: i32,
    g_total: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<f32>;
@group(0) @binding(2) var<storage, read> b1: array<f32>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let linear = i32(id.y * (groups.x * 64u) + id.x);
    if (linear >= args.g_total) { return; }
    let a0 = linear;
    var v_x: f32;
    v_x = b1[args.o_1 + linear];
    b0[args.o_0 + linear] = (1.0f / w_kept_f32((1.0f + w_kept_f32(w_exp_f32((-v_x))))));
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
