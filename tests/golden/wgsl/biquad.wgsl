struct Args {
    p_b0: f32,
    p_a1: f32,
    d_n0: i32,
    o_0: i32,
    o_1: i32,
    g_lines: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<f32>;
@group(0) @binding(2) var<storage, read> b1: array<f32>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let line = i32(id.y * (groups.x * 64u) + id.x);
    if (line >= args.g_lines) { return; }
    let a1 = line;
    var v_state0: f32 = 0.0f;
    var v_state1: f32 = 0.0f;
    for (var at: i32 = 0; at < args.d_n0; at += 1) {
        let a0 = at;
        let linear = (a0 * 2 + a1);
        var v_x: f32;
        var v_y: f32;
        v_x = b1[args.o_1 + linear];
        v_y = ((args.p_b0 * v_x) + w_kept_f32(v_state0));
        var new_0: f32 = (w_kept_f32(v_state1) - (args.p_a1 * v_y));
        var new_1: f32 = (v_x - w_kept_f32(v_y));
        b0[args.o_0 + linear] = v_y;
        v_state0 = new_0;
        v_state1 = new_1;
    }
}


fn w_kept_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<i32>(x) ^ (args.o_0 >> 31u));
}
