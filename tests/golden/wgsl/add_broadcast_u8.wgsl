struct Args {
    d_n0: i32,
    d_n1: i32,
    o_0: i32,
    o_1: i32,
    o_2: i32,
    g_total: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<u32>;
@group(0) @binding(2) var<storage, read> b1: array<u32>;
@group(0) @binding(3) var<storage, read> b2: array<u32>;

fn get_b0(i: i32) -> i32 {
    return i32(extractBits(b0[i >> 2u], (u32(i) & 3u) * 8u, 8u));
}

fn get_b1(i: i32) -> i32 {
    return i32(extractBits(b1[i >> 2u], (u32(i) & 3u) * 8u, 8u));
}

fn get_b2(i: i32) -> i32 {
    return i32(extractBits(b2[i >> 2u], (u32(i) & 3u) * 8u, 8u));
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
            let a1 = linear % args.d_n1;
            let a1_up = linear / args.d_n1;
            let a0 = a1_up;
            var v_a: i32;
            var v_b: i32;
            v_a = get_b1(args.o_1 + linear);
            v_b = get_b2(args.o_2 + a1);
            let result0 = (v_a + v_b);
            packed0 |= u32(clamp(result0, 0i, 255i)) << (u32(part) * 8u);
        }
    }
    if (mask != 0xffffffffu) { packed0 |= b0[(args.o_0 >> 2u) + word] & ~mask; }
    b0[(args.o_0 >> 2u) + word] = packed0;
}
