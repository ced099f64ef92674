struct Args {
    p_min: i32,
    p_max: i32,
    d_n0: i32,
    o_0: i32,
    o_1: i32,
    g_total: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<u32>;
@group(0) @binding(2) var<storage, read> b1: array<u32>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let linear = i32(id.y * (groups.x * 64u) + id.x);
    if (linear >= args.g_total) { return; }
    let a0 = linear;
    var v_x: u32;
    var v_low: u32;
    var v_high: u32;
    v_x = b1[args.o_1 + linear];
    v_low = bitcast<u32>(max(args.p_min, 0i));
    v_high = bitcast<u32>(max(args.p_max, 0i));
    b0[args.o_0 + linear] = min(max(v_x, v_low), v_high);
}
