struct Args {
    d_n0: i32,
    o_0: i32,
    o_1: i32,
    o_2: i32,
    o_3: i32,
    g_total: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<u32>;
@group(0) @binding(2) var<storage, read> b1: array<u32>;
@group(0) @binding(3) var<storage, read> b2: array<u32>;
@group(0) @binding(4) var<storage, read> b3: array<u32>;

fn get_b0(i: i32) -> f32 {
    return w_f16_value(extractBits(b0[i >> 1u], (u32(i) & 1u) * 16u, 16u));
}

fn get_b1(i: i32) -> bool {
    return (extractBits(b1[i >> 2u], (u32(i) & 3u) * 8u, 8u) != 0u);
}

fn get_b2(i: i32) -> f32 {
    return w_f16_value(extractBits(b2[i >> 1u], (u32(i) & 1u) * 16u, 16u));
}

fn get_b3(i: i32) -> f32 {
    return w_f16_value(extractBits(b3[i >> 1u], (u32(i) & 1u) * 16u, 16u));
}

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let word = i32(id.y * (groups.x * 64u) + id.x);
    let phase = args.o_0 & 1;
    if (word * 2 - phase >= args.g_total) { return; }
    var mask = 0u;
    var packed0 = 0u;
    for (var part: i32 = 0; part < 2; part += 1) {
        let linear = word * 2 + part - phase;
        if (linear >= 0 && linear < args.g_total) {
            mask |= 65535u << (u32(part) * 16u);
            let a0 = linear;
            var v_condition: bool;
            var v_a: f32;
            var v_b: f32;
            var v_test: bool;
            v_condition = get_b1(args.o_1 + linear);
            v_a = get_b2(args.o_2 + linear);
            v_b = get_b3(args.o_3 + linear);
            v_test = (!(select(0i, 1i, v_condition) == 0i));
            let result0 = select(v_b, v_a, v_test);
            packed0 |= w_f16_bits(result0) << (u32(part) * 16u);
        }
    }
    if (mask != 0xffffffffu) { packed0 |= b0[(args.o_0 >> 1u) + word] & ~mask; }
    b0[(args.o_0 >> 1u) + word] = packed0;
}


fn w_kept_f32(x: f32) -> f32 {
    return bitcast<f32>(bitcast<i32>(x) ^ (args.o_0 >> 31u));
}

fn w_f16_value(bits: u32) -> f32 {
    let size = bits & 0x7fffu;
    let sign = (bits & 0x8000u) << 16u;
    let small = bitcast<u32>(f32(size) * 5.9604644775390625e-8f);
    if (size < 0x400u) { return bitcast<f32>(small | sign); }
    let more = select(0x38000000u, 0x70000000u, size >= 0x7c00u);
    return bitcast<f32>(((size << 13u) + more) | sign);
}

fn w_f16_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let size = bits & 0x7fffffffu;
    let sign = (bits >> 16u) & 0x8000u;
    if (size > 0x7f800000u) { return 0x7e00u | sign; }
    if (size >= 0x47800000u) { return 0x7c00u | sign; }
    if (size >= 0x38800000u) { return ((size + ((size >> 13u) & 1u) + 0xc8000fffu) >> 13u) | sign; }
    // Behind 0.5 the last place of an f32 is the smallest f16: the addition rounds.
    return (bitcast<u32>(w_kept_f32(bitcast<f32>(size)) + 0.5f) - 0x3f000000u) | sign;
}
