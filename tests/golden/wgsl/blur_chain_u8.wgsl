struct Args {
    p_uniform0: f32,
    p_uniform1: f32,
    p_uniform2: f32,
    p_uniform3: f32,
    p_uniform4: f32,
    p_uniform5: f32,
    d_n0: i32,
    d_n1: i32,
    o_0: i32,
    o_1: i32,
    g_tiles: i32,
    g_down: i32,
    g_across: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read> b1: array<u32>;

fn get_b0(i: i32) -> i32 {
    return i32(extractBits(atomicLoad(&b0[i >> 2u]), (u32(i) & 3u) * 8u, 8u));
}

fn get_b1(i: i32) -> i32 {
    return i32(extractBits(b1[i >> 2u], (u32(i) & 3u) * 8u, 8u));
}

var<workgroup> near_f32: array<f32, 3136>;

fn pixel4_b1(i: i32) -> u32 {
    let shift = (u32(i) & 3u) * 8u;
    let low = b1[i >> 2u] >> shift;
    if (shift > 0u) { return low | (b1[(i >> 2u) + 1] << (32u - shift)); }
    return low;
}

fn put_b0(at: i32, value: u32, mask: u32) {
    let shift = (u32(at) & 3u) * 8u;
    set_word_b0(at >> 2u, value << shift, mask << shift);
    if (shift != 0u) {
        set_word_b0((at >> 2u) + 1, value >> (32u - shift), mask >> (32u - shift));
    }
}

fn set_word_b0(i: i32, value: u32, mask: u32) {
    if (mask == 0xffffffffu) {
        atomicStore(&b0[i], value);
    } else if (mask != 0u) {
        atomicAnd(&b0[i], ~mask);
        atomicOr(&b0[i], value & mask);
    }
}

fn bytes_between(low: i32, high: i32) -> u32 {
    let before = extractBits(0xffffffffu, 0u, u32(clamp(low, 0, 4)) * 8u);
    return extractBits(0xffffffffu, 0u, u32(clamp(high, 0, 4)) * 8u) & ~before;
}

@compute @workgroup_size(128)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let tile = i32(group.y * groups.x + group.x);
    if (tile >= args.g_tiles) { return; }
    let batch = tile / (args.g_down * args.g_across);
    let y0 = tile / args.g_across % args.g_down * 8;
    let x0 = tile % args.g_across * 96;
    {
        for (var item: i32 = i32(local); item < 196; item += 128) {
            let line = item / 98;
            let px = item - line * 98;
            let py = min(line * 4, 4);
            let y = y0 + (py - 0);
            let x = x0 + (px - 1);
            let h0 = pixel4_b1(args.o_1 + (min(max((y - 1), 0), args.d_n0 - 1) * args.d_n1 + min(max(x, 0), args.d_n1 - 1)) * 4);
            let h1 = i32(extractBits(h0, 0u, 8u));
            let h2 = pixel4_b1(args.o_1 + (min(max(y, 0), args.d_n0 - 1) * args.d_n1 + min(max(x, 0), args.d_n1 - 1)) * 4);
            let h3 = i32(extractBits(h2, 0u, 8u));
            let h4 = pixel4_b1(args.o_1 + (min(max((y + 1), 0), args.d_n0 - 1) * args.d_n1 + min(max(x, 0), args.d_n1 - 1)) * 4);
            let h5 = i32(extractBits(h4, 0u, 8u));
            var v1_uniform0: f32;
            var v1_uniform1: f32;
            var v1_uniform2: f32;
            var v1_s0_acc: f32;
            var v1_s0_acc_1: f32;
            var v1_s0_acc_2: f32;
            v1_uniform0 = args.p_uniform0;
            v1_uniform1 = args.p_uniform1;
            v1_uniform2 = args.p_uniform2;
            v1_s0_acc = (v1_uniform0 * f32(h1));
            v1_s0_acc_1 = (v1_s0_acc + w_kept_f32((v1_uniform1 * f32(h3))));
            v1_s0_acc_2 = (w_kept_f32(v1_s0_acc_1) + (v1_uniform0 * f32(h5)));
            let v1_out0 = (v1_s0_acc_2 * v1_uniform2);
            let h6 = i32(extractBits(h0, 8u, 8u));
            let h7 = i32(extractBits(h2, 8u, 8u));
            let h8 = i32(extractBits(h4, 8u, 8u));
            var v2_uniform0: f32;
            var v2_uniform1: f32;
            var v2_uniform2: f32;
            var v2_s0_acc: f32;
            var v2_s0_acc_1: f32;
            var v2_s0_acc_2: f32;
            v2_uniform0 = args.p_uniform0;
            v2_uniform1 = args.p_uniform1;
            v2_uniform2 = args.p_uniform2;
            v2_s0_acc = (v2_uniform0 * f32(h6));
            v2_s0_acc_1 = (v2_s0_acc + w_kept_f32((v2_uniform1 * f32(h7))));
            v2_s0_acc_2 = (w_kept_f32(v2_s0_acc_1) + (v2_uniform0 * f32(h8)));
            let v2_out0 = (v2_s0_acc_2 * v2_uniform2);
            let h9 = i32(extractBits(h0, 16u, 8u));
            let h10 = i32(extractBits(h2, 16u, 8u));
            let h11 = i32(extractBits(h4, 16u, 8u));
            var v3_uniform0: f32;
            var v3_uniform1: f32;
            var v3_uniform2: f32;
            var v3_s0_acc: f32;
            var v3_s0_acc_1: f32;
            var v3_s0_acc_2: f32;
            v3_uniform0 = args.p_uniform0;
            v3_uniform1 = args.p_uniform1;
            v3_uniform2 = args.p_uniform2;
            v3_s0_acc = (v3_uniform0 * f32(h9));
            v3_s0_acc_1 = (v3_s0_acc + w_kept_f32((v3_uniform1 * f32(h10))));
            v3_s0_acc_2 = (w_kept_f32(v3_s0_acc_1) + (v3_uniform0 * f32(h11)));
            let v3_out0 = (v3_s0_acc_2 * v3_uniform2);
            let h12 = i32(extractBits(h0, 24u, 8u));
            let h13 = i32(extractBits(h2, 24u, 8u));
            let h14 = i32(extractBits(h4, 24u, 8u));
            var v4_uniform0: f32;
            var v4_uniform1: f32;
            var v4_uniform2: f32;
            var v4_s0_acc: f32;
            var v4_s0_acc_1: f32;
            var v4_s0_acc_2: f32;
            v4_uniform0 = args.p_uniform0;
            v4_uniform1 = args.p_uniform1;
            v4_uniform2 = args.p_uniform2;
            v4_s0_acc = (v4_uniform0 * f32(h12));
            v4_s0_acc_1 = (v4_s0_acc + w_kept_f32((v4_uniform1 * f32(h13))));
            v4_s0_acc_2 = (w_kept_f32(v4_s0_acc_1) + (v4_uniform0 * f32(h14)));
            let v4_out0 = (v4_s0_acc_2 * v4_uniform2);
            near_f32[py * 98 + px + 0] = v1_out0;
            near_f32[py * 98 + px + 784] = v2_out0;
            near_f32[py * 98 + px + 1568] = v3_out0;
            near_f32[py * 98 + px + 2352] = v4_out0;
            let h15 = pixel4_b1(args.o_1 + (min(max((y + 2), 0), args.d_n0 - 1) * args.d_n1 + min(max(x, 0), args.d_n1 - 1)) * 4);
            let h16 = i32(extractBits(h15, 0u, 8u));
            var v5_uniform0: f32;
            var v5_uniform1: f32;
            var v5_uniform2: f32;
            var v5_s0_acc: f32;
            var v5_s0_acc_1: f32;
            var v5_s0_acc_2: f32;
            v5_uniform0 = args.p_uniform0;
            v5_uniform1 = args.p_uniform1;
            v5_uniform2 = args.p_uniform2;
            v5_s0_acc = (v5_uniform0 * f32(h3));
            v5_s0_acc_1 = (v5_s0_acc + w_kept_f32((v5_uniform1 * f32(h5))));
            v5_s0_acc_2 = (w_kept_f32(v5_s0_acc_1) + (v5_uniform0 * f32(h16)));
            let v5_out0 = (v5_s0_acc_2 * v5_uniform2);
            let h17 = i32(extractBits(h15, 8u, 8u));
            var v6_uniform0: f32;
            var v6_uniform1: f32;
            var v6_uniform2: f32;
            var v6_s0_acc: f32;
            var v6_s0_acc_1: f32;
            var v6_s0_acc_2: f32;
            v6_uniform0 = args.p_uniform0;
            v6_uniform1 = args.p_uniform1;
            v6_uniform2 = args.p_uniform2;
            v6_s0_acc = (v6_uniform0 * f32(h7));
            v6_s0_acc_1 = (v6_s0_acc + w_kept_f32((v6_uniform1 * f32(h8))));
            v6_s0_acc_2 = (w_kept_f32(v6_s0_acc_1) + (v6_uniform0 * f32(h17)));
            let v6_out0 = (v6_s0_acc_2 * v6_uniform2);
            let h18 = i32(extractBits(h15, 16u, 8u));
            var v7_uniform0: f32;
            var v7_uniform1: f32;
            var v7_uniform2: f32;
            var v7_s0_acc: f32;
            var v7_s0_acc_1: f32;
            var v7_s0_acc_2: f32;
            v7_uniform0 = args.p_uniform0;
            v7_uniform1 = args.p_uniform1;
            v7_uniform2 = args.p_uniform2;
            v7_s0_acc = (v7_uniform0 * f32(h10));
            v7_s0_acc_1 = (v7_s0_acc + w_kept_f32((v7_uniform1 * f32(h11))));
            v7_s0_acc_2 = (w_kept_f32(v7_s0_acc_1) + (v7_uniform0 * f32(h18)));
            let v7_out0 = (v7_s0_acc_2 * v7_uniform2);
            let h19 = i32(extractBits(h15, 24u, 8u));
            var v8_uniform0: f32;
            var v8_uniform1: f32;
            var v8_uniform2: f32;
            var v8_s0_acc: f32;
            var v8_s0_acc_1: f32;
            var v8_s0_acc_2: f32;
            v8_uniform0 = args.p_uniform0;
            v8_uniform1 = args.p_uniform1;
            v8_uniform2 = args.p_uniform2;
            v8_s0_acc = (v8_uniform0 * f32(h13));
            v8_s0_acc_1 = (v8_s0_acc + w_kept_f32((v8_uniform1 * f32(h14))));
            v8_s0_acc_2 = (w_kept_f32(v8_s0_acc_1) + (v8_uniform0 * f32(h19)));
            let v8_out0 = (v8_s0_acc_2 * v8_uniform2);
            near_f32[py * 98 + px + 98] = v5_out0;
            near_f32[py * 98 + px + 882] = v6_out0;
            near_f32[py * 98 + px + 1666] = v7_out0;
            near_f32[py * 98 + px + 2450] = v8_out0;
            let h20 = pixel4_b1(args.o_1 + (min(max((y + 3), 0), args.d_n0 - 1) * args.d_n1 + min(max(x, 0), args.d_n1 - 1)) * 4);
            let h21 = i32(extractBits(h20, 0u, 8u));
            var v9_uniform0: f32;
            var v9_uniform1: f32;
            var v9_uniform2: f32;
            var v9_s0_acc: f32;
            var v9_s0_acc_1: f32;
            var v9_s0_acc_2: f32;
            v9_uniform0 = args.p_uniform0;
            v9_uniform1 = args.p_uniform1;
            v9_uniform2 = args.p_uniform2;
            v9_s0_acc = (v9_uniform0 * f32(h5));
            v9_s0_acc_1 = (v9_s0_acc + w_kept_f32((v9_uniform1 * f32(h16))));
            v9_s0_acc_2 = (w_kept_f32(v9_s0_acc_1) + (v9_uniform0 * f32(h21)));
            let v9_out0 = (v9_s0_acc_2 * v9_uniform2);
            let h22 = i32(extractBits(h20, 8u, 8u));
            var v10_uniform0: f32;
            var v10_uniform1: f32;
            var v10_uniform2: f32;
            var v10_s0_acc: f32;
            var v10_s0_acc_1: f32;
            var v10_s0_acc_2: f32;
            v10_uniform0 = args.p_uniform0;
            v10_uniform1 = args.p_uniform1;
            v10_uniform2 = args.p_uniform2;
            v10_s0_acc = (v10_uniform0 * f32(h8));
            v10_s0_acc_1 = (v10_s0_acc + w_kept_f32((v10_uniform1 * f32(h17))));
            v10_s0_acc_2 = (w_kept_f32(v10_s0_acc_1) + (v10_uniform0 * f32(h22)));
            let v10_out0 = (v10_s0_acc_2 * v10_uniform2);
            let h23 = i32(extractBits(h20, 16u, 8u));
            var v11_uniform0: f32;
            var v11_uniform1: f32;
            var v11_uniform2: f32;
            var v11_s0_acc: f32;
            var v11_s0_acc_1: f32;
            var v11_s0_acc_2: f32;
            v11_uniform0 = args.p_uniform0;
            v11_uniform1 = args.p_uniform1;
            v11_uniform2 = args.p_uniform2;
            v11_s0_acc = (v11_uniform0 * f32(h11));
            v11_s0_acc_1 = (v11_s0_acc + w_kept_f32((v11_uniform1 * f32(h18))));
            v11_s0_acc_2 = (w_kept_f32(v11_s0_acc_1) + (v11_uniform0 * f32(h23)));
            let v11_out0 = (v11_s0_acc_2 * v11_uniform2);
            let h24 = i32(extractBits(h20, 24u, 8u));
            var v12_uniform0: f32;
            var v12_uniform1: f32;
            var v12_uniform2: f32;
            var v12_s0_acc: f32;
            var v12_s0_acc_1: f32;
            var v12_s0_acc_2: f32;
            v12_uniform0 = args.p_uniform0;
            v12_uniform1 = args.p_uniform1;
            v12_uniform2 = args.p_uniform2;
            v12_s0_acc = (v12_uniform0 * f32(h14));
            v12_s0_acc_1 = (v12_s0_acc + w_kept_f32((v12_uniform1 * f32(h19))));
            v12_s0_acc_2 = (w_kept_f32(v12_s0_acc_1) + (v12_uniform0 * f32(h24)));
            let v12_out0 = (v12_s0_acc_2 * v12_uniform2);
            near_f32[py * 98 + px + 196] = v9_out0;
            near_f32[py * 98 + px + 980] = v10_out0;
            near_f32[py * 98 + px + 1764] = v11_out0;
            near_f32[py * 98 + px + 2548] = v12_out0;
            let h25 = pixel4_b1(args.o_1 + (min(max((y + 4), 0), args.d_n0 - 1) * args.d_n1 + min(max(x, 0), args.d_n1 - 1)) * 4);
            let h26 = i32(extractBits(h25, 0u, 8u));
            var v13_uniform0: f32;
            var v13_uniform1: f32;
            var v13_uniform2: f32;
            var v13_s0_acc: f32;
            var v13_s0_acc_1: f32;
            var v13_s0_acc_2: f32;
            v13_uniform0 = args.p_uniform0;
            v13_uniform1 = args.p_uniform1;
            v13_uniform2 = args.p_uniform2;
            v13_s0_acc = (v13_uniform0 * f32(h16));
            v13_s0_acc_1 = (v13_s0_acc + w_kept_f32((v13_uniform1 * f32(h21))));
            v13_s0_acc_2 = (w_kept_f32(v13_s0_acc_1) + (v13_uniform0 * f32(h26)));
            let v13_out0 = (v13_s0_acc_2 * v13_uniform2);
            let h27 = i32(extractBits(h25, 8u, 8u));
            var v14_uniform0: f32;
            var v14_uniform1: f32;
            var v14_uniform2: f32;
            var v14_s0_acc: f32;
            var v14_s0_acc_1: f32;
            var v14_s0_acc_2: f32;
            v14_uniform0 = args.p_uniform0;
            v14_uniform1 = args.p_uniform1;
            v14_uniform2 = args.p_uniform2;
            v14_s0_acc = (v14_uniform0 * f32(h17));
            v14_s0_acc_1 = (v14_s0_acc + w_kept_f32((v14_uniform1 * f32(h22))));
            v14_s0_acc_2 = (w_kept_f32(v14_s0_acc_1) + (v14_uniform0 * f32(h27)));
            let v14_out0 = (v14_s0_acc_2 * v14_uniform2);
            let h28 = i32(extractBits(h25, 16u, 8u));
            var v15_uniform0: f32;
            var v15_uniform1: f32;
            var v15_uniform2: f32;
            var v15_s0_acc: f32;
            var v15_s0_acc_1: f32;
            var v15_s0_acc_2: f32;
            v15_uniform0 = args.p_uniform0;
            v15_uniform1 = args.p_uniform1;
            v15_uniform2 = args.p_uniform2;
            v15_s0_acc = (v15_uniform0 * f32(h18));
            v15_s0_acc_1 = (v15_s0_acc + w_kept_f32((v15_uniform1 * f32(h23))));
            v15_s0_acc_2 = (w_kept_f32(v15_s0_acc_1) + (v15_uniform0 * f32(h28)));
            let v15_out0 = (v15_s0_acc_2 * v15_uniform2);
            let h29 = i32(extractBits(h25, 24u, 8u));
            var v16_uniform0: f32;
            var v16_uniform1: f32;
            var v16_uniform2: f32;
            var v16_s0_acc: f32;
            var v16_s0_acc_1: f32;
            var v16_s0_acc_2: f32;
            v16_uniform0 = args.p_uniform0;
            v16_uniform1 = args.p_uniform1;
            v16_uniform2 = args.p_uniform2;
            v16_s0_acc = (v16_uniform0 * f32(h19));
            v16_s0_acc_1 = (v16_s0_acc + w_kept_f32((v16_uniform1 * f32(h24))));
            v16_s0_acc_2 = (w_kept_f32(v16_s0_acc_1) + (v16_uniform0 * f32(h29)));
            let v16_out0 = (v16_s0_acc_2 * v16_uniform2);
            near_f32[py * 98 + px + 294] = v13_out0;
            near_f32[py * 98 + px + 1078] = v14_out0;
            near_f32[py * 98 + px + 1862] = v15_out0;
            near_f32[py * 98 + px + 2646] = v16_out0;
        }
    }
    workgroupBarrier();
    if (x0 < 1 || x0 + 97 > args.d_n1 || y0 < 0 || y0 + 8 > args.d_n0) {
        for (var item: i32 = i32(local); item < 784; item += 128) {
            let y = y0 + (item / 98 - 0);
            let x = x0 + (item % 98 - 1);
            let down = min(max(y, 0), args.d_n0 - 1) - y;
            let along = min(max(x, 0), args.d_n1 - 1) - x;
            let edge = item + down * 98 + along;
            if (edge != item) {
                near_f32[item + 0] = near_f32[edge + 0];
                near_f32[item + 784] = near_f32[edge + 784];
                near_f32[item + 1568] = near_f32[edge + 1568];
                near_f32[item + 2352] = near_f32[edge + 2352];
            }
        }
        workgroupBarrier();
    }
    {
        for (var item: i32 = i32(local); item < 256; item += 128) {
            let py = item / 32;
            let px = min((item - py * 32) * 3, 93);
            let y = y0 + (py - 0);
            let x = x0 + (px - 0);
            let h0 = near_f32[py * 98 + px + 0];
            let h1 = near_f32[py * 98 + px + 1];
            let h2 = near_f32[py * 98 + px + 2];
            var v17_uniform3: f32;
            var v17_uniform4: f32;
            var v17_uniform5: f32;
            var v17_s1_acc: f32;
            var v17_s1_acc_1: f32;
            var v17_s1_acc_2: f32;
            v17_uniform3 = args.p_uniform3;
            v17_uniform4 = args.p_uniform4;
            v17_uniform5 = args.p_uniform5;
            v17_s1_acc = (v17_uniform3 * h0);
            v17_s1_acc_1 = (v17_s1_acc + w_kept_f32((v17_uniform4 * h1)));
            v17_s1_acc_2 = (w_kept_f32(v17_s1_acc_1) + (v17_uniform3 * h2));
            let v17_out0 = w_f32_to_u8((v17_s1_acc_2 * v17_uniform5));
            let h3 = near_f32[py * 98 + px + 784];
            let h4 = near_f32[py * 98 + px + 785];
            let h5 = near_f32[py * 98 + px + 786];
            var v18_uniform3: f32;
            var v18_uniform4: f32;
            var v18_uniform5: f32;
            var v18_s1_acc: f32;
            var v18_s1_acc_1: f32;
            var v18_s1_acc_2: f32;
            v18_uniform3 = args.p_uniform3;
            v18_uniform4 = args.p_uniform4;
            v18_uniform5 = args.p_uniform5;
            v18_s1_acc = (v18_uniform3 * h3);
            v18_s1_acc_1 = (v18_s1_acc + w_kept_f32((v18_uniform4 * h4)));
            v18_s1_acc_2 = (w_kept_f32(v18_s1_acc_1) + (v18_uniform3 * h5));
            let v18_out0 = w_f32_to_u8((v18_s1_acc_2 * v18_uniform5));
            let h6 = near_f32[py * 98 + px + 1568];
            let h7 = near_f32[py * 98 + px + 1569];
            let h8 = near_f32[py * 98 + px + 1570];
            var v19_uniform3: f32;
            var v19_uniform4: f32;
            var v19_uniform5: f32;
            var v19_s1_acc: f32;
            var v19_s1_acc_1: f32;
            var v19_s1_acc_2: f32;
            v19_uniform3 = args.p_uniform3;
            v19_uniform4 = args.p_uniform4;
            v19_uniform5 = args.p_uniform5;
            v19_s1_acc = (v19_uniform3 * h6);
            v19_s1_acc_1 = (v19_s1_acc + w_kept_f32((v19_uniform4 * h7)));
            v19_s1_acc_2 = (w_kept_f32(v19_s1_acc_1) + (v19_uniform3 * h8));
            let v19_out0 = w_f32_to_u8((v19_s1_acc_2 * v19_uniform5));
            let h9 = near_f32[py * 98 + px + 2352];
            let h10 = near_f32[py * 98 + px + 2353];
            let h11 = near_f32[py * 98 + px + 2354];
            var v20_uniform3: f32;
            var v20_uniform4: f32;
            var v20_uniform5: f32;
            var v20_s1_acc: f32;
            var v20_s1_acc_1: f32;
            var v20_s1_acc_2: f32;
            v20_uniform3 = args.p_uniform3;
            v20_uniform4 = args.p_uniform4;
            v20_uniform5 = args.p_uniform5;
            v20_s1_acc = (v20_uniform3 * h9);
            v20_s1_acc_1 = (v20_s1_acc + w_kept_f32((v20_uniform4 * h10)));
            v20_s1_acc_2 = (w_kept_f32(v20_s1_acc_1) + (v20_uniform3 * h11));
            let v20_out0 = w_f32_to_u8((v20_s1_acc_2 * v20_uniform5));
            let h12 = near_f32[py * 98 + px + 3];
            var v21_uniform3: f32;
            var v21_uniform4: f32;
            var v21_uniform5: f32;
            var v21_s1_acc: f32;
            var v21_s1_acc_1: f32;
            var v21_s1_acc_2: f32;
            v21_uniform3 = args.p_uniform3;
            v21_uniform4 = args.p_uniform4;
            v21_uniform5 = args.p_uniform5;
            v21_s1_acc = (v21_uniform3 * h1);
            v21_s1_acc_1 = (v21_s1_acc + w_kept_f32((v21_uniform4 * h2)));
            v21_s1_acc_2 = (w_kept_f32(v21_s1_acc_1) + (v21_uniform3 * h12));
            let v21_out0 = w_f32_to_u8((v21_s1_acc_2 * v21_uniform5));
            let h13 = near_f32[py * 98 + px + 787];
            var v22_uniform3: f32;
            var v22_uniform4: f32;
            var v22_uniform5: f32;
            var v22_s1_acc: f32;
            var v22_s1_acc_1: f32;
            var v22_s1_acc_2: f32;
            v22_uniform3 = args.p_uniform3;
            v22_uniform4 = args.p_uniform4;
            v22_uniform5 = args.p_uniform5;
            v22_s1_acc = (v22_uniform3 * h4);
            v22_s1_acc_1 = (v22_s1_acc + w_kept_f32((v22_uniform4 * h5)));
            v22_s1_acc_2 = (w_kept_f32(v22_s1_acc_1) + (v22_uniform3 * h13));
            let v22_out0 = w_f32_to_u8((v22_s1_acc_2 * v22_uniform5));
            let h14 = near_f32[py * 98 + px + 1571];
            var v23_uniform3: f32;
            var v23_uniform4: f32;
            var v23_uniform5: f32;
            var v23_s1_acc: f32;
            var v23_s1_acc_1: f32;
            var v23_s1_acc_2: f32;
            v23_uniform3 = args.p_uniform3;
            v23_uniform4 = args.p_uniform4;
            v23_uniform5 = args.p_uniform5;
            v23_s1_acc = (v23_uniform3 * h7);
            v23_s1_acc_1 = (v23_s1_acc + w_kept_f32((v23_uniform4 * h8)));
            v23_s1_acc_2 = (w_kept_f32(v23_s1_acc_1) + (v23_uniform3 * h14));
            let v23_out0 = w_f32_to_u8((v23_s1_acc_2 * v23_uniform5));
            let h15 = near_f32[py * 98 + px + 2355];
            var v24_uniform3: f32;
            var v24_uniform4: f32;
            var v24_uniform5: f32;
            var v24_s1_acc: f32;
            var v24_s1_acc_1: f32;
            var v24_s1_acc_2: f32;
            v24_uniform3 = args.p_uniform3;
            v24_uniform4 = args.p_uniform4;
            v24_uniform5 = args.p_uniform5;
            v24_s1_acc = (v24_uniform3 * h10);
            v24_s1_acc_1 = (v24_s1_acc + w_kept_f32((v24_uniform4 * h11)));
            v24_s1_acc_2 = (w_kept_f32(v24_s1_acc_1) + (v24_uniform3 * h15));
            let v24_out0 = w_f32_to_u8((v24_s1_acc_2 * v24_uniform5));
            let h16 = near_f32[py * 98 + px + 4];
            var v25_uniform3: f32;
            var v25_uniform4: f32;
            var v25_uniform5: f32;
            var v25_s1_acc: f32;
            var v25_s1_acc_1: f32;
            var v25_s1_acc_2: f32;
            v25_uniform3 = args.p_uniform3;
            v25_uniform4 = args.p_uniform4;
            v25_uniform5 = args.p_uniform5;
            v25_s1_acc = (v25_uniform3 * h2);
            v25_s1_acc_1 = (v25_s1_acc + w_kept_f32((v25_uniform4 * h12)));
            v25_s1_acc_2 = (w_kept_f32(v25_s1_acc_1) + (v25_uniform3 * h16));
            let v25_out0 = w_f32_to_u8((v25_s1_acc_2 * v25_uniform5));
            let h17 = near_f32[py * 98 + px + 788];
            var v26_uniform3: f32;
            var v26_uniform4: f32;
            var v26_uniform5: f32;
            var v26_s1_acc: f32;
            var v26_s1_acc_1: f32;
            var v26_s1_acc_2: f32;
            v26_uniform3 = args.p_uniform3;
            v26_uniform4 = args.p_uniform4;
            v26_uniform5 = args.p_uniform5;
            v26_s1_acc = (v26_uniform3 * h5);
            v26_s1_acc_1 = (v26_s1_acc + w_kept_f32((v26_uniform4 * h13)));
            v26_s1_acc_2 = (w_kept_f32(v26_s1_acc_1) + (v26_uniform3 * h17));
            let v26_out0 = w_f32_to_u8((v26_s1_acc_2 * v26_uniform5));
            let h18 = near_f32[py * 98 + px + 1572];
            var v27_uniform3: f32;
            var v27_uniform4: f32;
            var v27_uniform5: f32;
            var v27_s1_acc: f32;
            var v27_s1_acc_1: f32;
            var v27_s1_acc_2: f32;
            v27_uniform3 = args.p_uniform3;
            v27_uniform4 = args.p_uniform4;
            v27_uniform5 = args.p_uniform5;
            v27_s1_acc = (v27_uniform3 * h8);
            v27_s1_acc_1 = (v27_s1_acc + w_kept_f32((v27_uniform4 * h14)));
            v27_s1_acc_2 = (w_kept_f32(v27_s1_acc_1) + (v27_uniform3 * h18));
            let v27_out0 = w_f32_to_u8((v27_s1_acc_2 * v27_uniform5));
            let h19 = near_f32[py * 98 + px + 2356];
            var v28_uniform3: f32;
            var v28_uniform4: f32;
            var v28_uniform5: f32;
            var v28_s1_acc: f32;
            var v28_s1_acc_1: f32;
            var v28_s1_acc_2: f32;
            v28_uniform3 = args.p_uniform3;
            v28_uniform4 = args.p_uniform4;
            v28_uniform5 = args.p_uniform5;
            v28_s1_acc = (v28_uniform3 * h11);
            v28_s1_acc_1 = (v28_s1_acc + w_kept_f32((v28_uniform4 * h15)));
            v28_s1_acc_2 = (w_kept_f32(v28_s1_acc_1) + (v28_uniform3 * h19));
            let v28_out0 = w_f32_to_u8((v28_s1_acc_2 * v28_uniform5));
            if (y0 + (py - 0) < args.d_n0 && x0 + (px - 0) < args.d_n1) {
                put_b0(args.o_0 + (y * args.d_n1 + x) * 4, v17_out0 | (v18_out0 << 8u) | (v19_out0 << 16u) | (v20_out0 << 24u), 4294967295u);
            }
            if (y0 + (py - 0) < args.d_n0 && x0 + ((px + 1) - 0) < args.d_n1) {
                put_b0(args.o_0 + (y * args.d_n1 + (x + 1)) * 4, v21_out0 | (v22_out0 << 8u) | (v23_out0 << 16u) | (v24_out0 << 24u), 4294967295u);
            }
            if (y0 + (py - 0) < args.d_n0 && x0 + ((px + 2) - 0) < args.d_n1) {
                put_b0(args.o_0 + (y * args.d_n1 + (x + 2)) * 4, v25_out0 | (v26_out0 << 8u) | (v27_out0 << 16u) | (v28_out0 << 24u), 4294967295u);
            }
        }
    }
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
