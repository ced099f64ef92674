struct Args {
    d_n0: i32,
    o_0: i32,
    o_1: i32,
    g_total: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<i32>;
@group(0) @binding(2) var<storage, read> b1: array<i32>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let linear = i32(id.y * (groups.x * 64u) + id.x);
    if (linear >= args.g_total) { return; }
    let a0 = linear;
    var v_n: i32;
    var v_n_1: i32;
    var v_count: i32;
    var v_test: bool;
    var v_test_1: bool;
    var v_n_2: i32;
    var v_n_4: i32;
    var v_n_3: i32;
    var v_count_1: i32;
    var v_n_next: i32;
    var v_count_next: i32;
    v_n = b1[args.o_1 + linear];
    v_n_1 = v_n;
    v_count = 0i;
    for (var turn_1: i32 = 0; turn_1 < 1048576; turn_1 += 1i) {
        v_test = ((v_n_1 > 1i) && (v_count < 100i));
        if (!(v_test)) { break; }
        v_test_1 = (w_mod_i32(v_n_1, 2i) == 0i);
        if (v_test_1) {
            v_n_2 = w_floordiv_i32(v_n_1, 2i);
            v_n_4 = v_n_2;
        } else {
            v_n_3 = ((3i * v_n_1) + 1i);
            v_n_4 = v_n_3;
        }
        v_count_1 = (v_count + 1i);
        v_n_next = v_n_4;
        v_count_next = v_count_1;
        v_n_1 = v_n_next;
        v_count = v_count_next;
    }
    b0[args.o_0 + linear] = v_count;
}


fn w_floordiv_i32(a: i32, b: i32) -> i32 {
    if (b == 0i) { return 0i; }
    if (b == -1i) { return -a; }
    let q = a / b;
    let r = a - q * b;
    return select(q, q - 1i, r != 0i && ((r < 0i) != (b < 0i)));
}

fn w_mod_i32(a: i32, b: i32) -> i32 {
    if (b == 0i || b == -1i) { return 0i; }
    let r = a - (a / b) * b;
    return select(r, r + b, r != 0i && ((r < 0i) != (b < 0i)));
}
