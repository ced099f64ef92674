struct Args {
    d_n0: i32,
    d_n1: i32,
    d_n2: i32,
    o_0: i32,
    o_1: i32,
    o_2: i32,
    g_total: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<i64>;
@group(0) @binding(2) var<storage, read> b1: array<i64>;
@group(0) @binding(3) var<storage, read> b2: array<i64>;

@compute @workgroup_size(64)
fn main(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let linear = i32(id.y * (groups.x * 64u) + id.x);
    if (linear >= args.g_total) { return; }
    let a1 = linear % args.d_n2;
    let a1_up = linear / args.d_n2;
    let a0 = a1_up;
    var v_acc: i64;
    var v_acc_1: i64;
    var v_acc_next: i64;
    v_acc = 0li;
    {
        var v_k_stop: i32 = args.d_n1;
        for (var v_k: i32 = 0i; v_k < v_k_stop; v_k += 1i) {
            v_acc_1 = (v_acc + (b1[args.o_1 + (a0 * args.d_n1 + v_k)] * b2[args.o_2 + (v_k * args.d_n2 + a1)]));
            v_acc_next = v_acc_1;
            v_acc = v_acc_next;
        }
    }
    b0[args.o_0 + linear] = v_acc;
}
