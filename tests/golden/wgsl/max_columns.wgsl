struct Args {
    d_n0: i32,
    d_n1: i32,
    o_0: i32,
    o_1: i32,
    g_lanes: i32,
    g_rows: i32,
    g_count: i32,
    g_chunks: i32,
    g_span: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<i32>;
@group(0) @binding(2) var<storage, read> b1: array<i32>;

struct State {
    s0: i32,
}

var<workgroup> shared_states: array<State, 128>;
@group(1) @binding(0) var<storage, read_write> partial_states: array<State>;

fn identity() -> State {
    return State(i32(-2147483648));
}

fn combine(left: State, right: State) -> State {
    var v_left0: i32 = left.s0;
    var v_right0: i32 = right.s0;
    return State(max(v_left0, v_right0));
}

fn finish(row: i32, state: State) {
    var v_acc0: i32 = state.s0;
    b0[args.o_0 + row] = v_acc0;
}

fn lift(row: i32, at: i32) -> State {
    let a1 = row;
    let a0 = at;
    var v_x: i32;
    v_x = b1[args.o_1 + (a0 * args.d_n1 + a1)];
    return State(v_x);
}

fn fold(local: u32, lane: u32, lanes: u32, state: State) -> State {
    shared_states[local] = state;
    workgroupBarrier();
    for (var half = lanes / 2u; half > 0u; half /= 2u) {
        if (lane < half) {
            shared_states[local] = combine(shared_states[local], shared_states[local + half]);
        }
        workgroupBarrier();
    }
    return shared_states[local];
}

@compute @workgroup_size(128)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let lanes = u32(args.g_lanes);
    let lane = local % lanes;
    let number = (group.y * groups.x + group.x) * (128u / lanes) + local / lanes;
    let row = i32(number);
    var state = identity();
    if (number < u32(args.g_rows)) {
        for (var j = 0u + lane; j < u32(args.g_count); j += lanes) {
            state = combine(state, lift(row, i32(j)));
        }
    }
    state = fold(local, lane, lanes, state);
    if (lane == 0u && number < u32(args.g_rows)) { finish(row, state); }
}

@compute @workgroup_size(128)
fn last(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let lanes = u32(args.g_lanes);
    let lane = local % lanes;
    let number = (group.y * groups.x + group.x) * (128u / lanes) + local / lanes;
    let row = i32(number);
    var state = identity();
    if (number < u32(args.g_rows)) {
        for (var j = 0u + lane; j < u32(args.g_chunks); j += lanes) {
            state = combine(state, partial_states[row * args.g_chunks + i32(j)]);
        }
    }
    state = fold(local, lane, lanes, state);
    if (lane == 0u && number < u32(args.g_rows)) { finish(row, state); }
}

@compute @workgroup_size(128)
fn first(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = group.y * groups.x + group.x;
    let row = i32(number / u32(args.g_chunks));
    let start = (number % u32(args.g_chunks)) * u32(args.g_span);
    let stop = min(start + u32(args.g_span), u32(args.g_count));
    var state = identity();
    if (row < args.g_rows) {
        for (var j = start + local; j < stop; j += 128u) {
            state = combine(state, lift(row, i32(j)));
        }
    }
    state = fold(local, local, 128u, state);
    if (local == 0u && row < args.g_rows) { partial_states[number] = state; }
}
