struct Args {
    d_n0: i32,
    o_0: i32,
    o_1: i32,
    g_total: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<u32>;
@group(0) @binding(2) var<storage, read> b1: array<u32>;

fn get_b0(i: i32) -> i32 {
    return extractBits(bitcast<i32>(extractBits(b0[i >> 2u], (u32(i) & 3u) * 8u, 8u)), 0u, 8u);
}

fn get_b1(i: i32) -> f32 {
    return bitcast<f32>(extractBits(b1[i >> 1u], (u32(i) & 1u) * 16u, 16u) << 16u);
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
            let a0 = linear;
            var v_x: f32;
            v_x = get_b1(args.o_1 + linear);
            let result0 = v_x;
            packed0 |= (bitcast<u32>(w_f32_to_nearest(result0, -128.0f, 127.0f)) & 255u) << (u32(part) * 8u);
        }
    }
    if (mask != 0xffffffffu) { packed0 |= b0[(args.o_0 >> 2u) + word] & ~mask; }
    b0[(args.o_0 >> 2u) + word] = packed0;
}


fn w_nan_f32(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}

fn w_f32_to_nearest(x: f32, low: f32, high: f32) -> i32 {
    if (w_nan_f32(x)) { return 0i; }
    return i32(clamp(round(x), low, high));
}
