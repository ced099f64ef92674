struct Args {
    d_n0: i32,
    d_n1: i32,
    o_0: i32,
    o_1: i32,
    g_lanes: i32,
    g_rows: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<f32>;
@group(0) @binding(2) var<storage, read> b1: array<f32>;

var<workgroup> shared_f32: array<f32, 128>;
@compute @workgroup_size(128)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let lanes = u32(args.g_lanes);
    let lane = local % lanes;
    let number = (group.y * groups.x + group.x) * (128u / lanes) + local / lanes;
    let present = number < u32(args.g_rows);
    let row = i32(min(number, u32(args.g_rows) - 1u));
    let length = select(0u, u32(args.d_n1), present);
    let a0 = row;
    var v_row_max_0: f32 = (-w_inf());
    for (var at = lane; at < length; at += lanes) {
        let a1 = i32(at);
        let linear = (a0 * args.d_n1 + a1);
        v_row_max_0 = w_max_f32(v_row_max_0, b1[args.o_1 + linear]);
    }
    shared_f32[local] = v_row_max_0;
    workgroupBarrier();
    for (var half = lanes / 2u; half > 0u; half /= 2u) {
        if (lane < half) { shared_f32[local] = w_max_f32(shared_f32[local], shared_f32[local + half]); }
        workgroupBarrier();
    }
    v_row_max_0 = shared_f32[local - lane];
    workgroupBarrier();
    var v_row_sum_2: f32 = 0.0f;
    var v_row_sum_2_16 = 0.0f;
    var v_row_sum_2_256 = 0.0f;
    var v_row_sum_2_4096 = 0.0f;
    var v_row_sum_2_65536 = 0.0f;
    var v_row_sum_2_taken = 0u;
    for (var at = lane; at < length; at += lanes) {
        let a1 = i32(at);
        let linear = (a0 * args.d_n1 + a1);
        var v_e_1: f32 = w_exp_f32((b1[args.o_1 + linear] - w_kept_f32(v_row_max_0)));
        v_row_sum_2 = (w_kept_f32(v_row_sum_2) + w_kept_f32(v_e_1));
        v_row_sum_2_taken += 1u;
        if ((v_row_sum_2_taken & 15u) == 0u) {
            v_row_sum_2_16 = (w_kept_f32(v_row_sum_2_16) + w_kept_f32(v_row_sum_2));
            v_row_sum_2 = 0.0f;
            if ((v_row_sum_2_taken & 255u) == 0u) {
                v_row_sum_2_256 = (w_kept_f32(v_row_sum_2_256) + w_kept_f32(v_row_sum_2_16));
                v_row_sum_2_16 = 0.0f;
                if ((v_row_sum_2_taken & 4095u) == 0u) {
                    v_row_sum_2_4096 = (w_kept_f32(v_row_sum_2_4096) + w_kept_f32(v_row_sum_2_256));
                    v_row_sum_2_256 = 0.0f;
                    if ((v_row_sum_2_taken & 65535u) == 0u) {
                        v_row_sum_2_65536 = (w_kept_f32(v_row_sum_2_65536) + w_kept_f32(v_row_sum_2_4096));
                        v_row_sum_2_4096 = 0.0f;
                    }
                }
            }
        }
    }
    v_row_sum_2 = (w_kept_f32((w_kept_f32(v_row_sum_2_65536) + w_kept_f32(v_row_sum_2_4096))) + w_kept_f32((w_kept_f32(v_row_sum_2_256) + w_kept_f32((w_kept_f32(v_row_sum_2_16) + w_kept_f32(v_row_sum_2))))));
    shared_f32[local] = v_row_sum_2;
    workgroupBarrier();
    for (var half = lanes / 2u; half > 0u; half /= 2u) {
        if (lane < half) { shared_f32[local] = (w_kept_f32(shared_f32[local]) + w_kept_f32(shared_f32[local + half])); }
        workgroupBarrier();
    }
    v_row_sum_2 = shared_f32[local - lane];
    workgroupBarrier();
    for (var at = lane; at < length; at += lanes) {
        let a1 = i32(at);
        let linear = (a0 * args.d_n1 + a1);
        var v_e_1: f32 = w_exp_f32((b1[args.o_1 + linear] - w_kept_f32(v_row_max_0)));
        b0[args.o_0 + linear] = (v_e_1 / w_kept_f32(v_row_sum_2));
    }
}


fn w_inf() -> f32 {
    var bits = 0x7f800000u;
    return bitcast<f32>(bits);
}

fn w_kept_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<i32>(x) ^ (args.o_0 >> 31u));
}

fn w_nan_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn w_max_f32(a: f32, b: f32) -> f32 {
    return select(b, a, (w_kept_f32(a) > b) || w_nan_f32(a));
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
