struct Args {
    d_n0: i32,
    d_n1: i32,
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
    let a1 = linear % args.d_n1;
    let a1_up = linear / args.d_n1;
    let a0 = a1_up;
    b0[args.o_0 + linear] = (w_kept_f32(((0.29899999499320984f * b1[args.o_1 + ((a0 * args.d_n1 + a1) * 3)]) + w_kept_f32((0.5870000123977661f * b1[args.o_1 + ((a0 * args.d_n1 + a1) * 3 + 1)])))) + (0.11400000005960464f * b1[args.o_1 + ((a0 * args.d_n1 + a1) * 3 + 2)]));
}


fn w_kept_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<i32>(x) ^ (args.o_0 >> 31u));
}
