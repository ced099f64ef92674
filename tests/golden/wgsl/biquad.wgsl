struct Args {
    p_b0: f32,
    p_a1: f32,
    d_n0: i32,
    o_0: i32,
    o_1: i32,
    g_lines: i32,
    g_length: i32,
    g_tiles: i32,
    g_from: i32,
    g_to: i32,
}

@group(0) @binding(0) var<uniform> args: Args;
@group(0) @binding(1) var<storage, read_write> b0: array<f32>;
@group(0) @binding(2) var<storage, read> b1: array<f32>;

struct State {
    m0: f32,
    m1: f32,
}

struct Summary {
    m0: f32,
    m1: f32,
    m2: f32,
    m3: f32,
    m4: f32,
    m5: f32,
}

struct Tile {
    m0: f32,
    m1: f32,
    m2: f32,
    m3: f32,
    m4: f32,
    m5: f32,
    s0: f32,
    s1: f32,
}

var<workgroup> sums: array<Summary, 128>;
var<workgroup> broken: atomic<u32>;
@group(1) @binding(0) var<storage, read_write> tile_states: array<Tile>;

fn start() -> State {
    return State(0.0f, 0.0f);
}

fn none() -> Summary {
    return Summary(1.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f);
}

fn combine(left: Summary, right: Summary) -> Summary {
    var v_left0_0: f32 = left.m0;
    var v_left0_1: f32 = left.m1;
    var v_left1_0: f32 = left.m2;
    var v_left1_1: f32 = left.m3;
    var v_left_added0: f32 = left.m4;
    var v_left_added1: f32 = left.m5;
    var v_right0_0: f32 = right.m0;
    var v_right0_1: f32 = right.m1;
    var v_right1_0: f32 = right.m2;
    var v_right1_1: f32 = right.m3;
    var v_right_added0: f32 = right.m4;
    var v_right_added1: f32 = right.m5;
    return Summary(((w_kept_f32(v_right0_0) * w_kept_f32(v_left0_0)) + w_kept_f32((w_kept_f32(v_right1_0) * w_kept_f32(v_left0_1)))), ((w_kept_f32(v_right0_1) * w_kept_f32(v_left0_0)) + w_kept_f32((w_kept_f32(v_right1_1) * w_kept_f32(v_left0_1)))), ((w_kept_f32(v_right0_0) * w_kept_f32(v_left1_0)) + w_kept_f32((w_kept_f32(v_right1_0) * w_kept_f32(v_left1_1)))), ((w_kept_f32(v_right0_1) * w_kept_f32(v_left1_0)) + w_kept_f32((w_kept_f32(v_right1_1) * w_kept_f32(v_left1_1)))), (w_kept_f32(((w_kept_f32(v_right0_0) * w_kept_f32(v_left_added0)) + w_kept_f32((w_kept_f32(v_right1_0) * w_kept_f32(v_left_added1))))) + w_kept_f32(v_right_added0)), (w_kept_f32(((w_kept_f32(v_right0_1) * w_kept_f32(v_left_added0)) + w_kept_f32((w_kept_f32(v_right1_1) * w_kept_f32(v_left_added1))))) + w_kept_f32(v_right_added1)));
}

fn apply(state: State, sum: Summary) -> State {
    var v_before0: f32 = state.m0;
    var v_before1: f32 = state.m1;
    var v_right0_0: f32 = sum.m0;
    var v_right0_1: f32 = sum.m1;
    var v_right1_0: f32 = sum.m2;
    var v_right1_1: f32 = sum.m3;
    var v_right_added0: f32 = sum.m4;
    var v_right_added1: f32 = sum.m5;
    return State((w_kept_f32(((w_kept_f32(v_right0_0) * w_kept_f32(v_before0)) + w_kept_f32((w_kept_f32(v_right1_0) * w_kept_f32(v_before1))))) + w_kept_f32(v_right_added0)), (w_kept_f32(((w_kept_f32(v_right0_1) * w_kept_f32(v_before0)) + w_kept_f32((w_kept_f32(v_right1_1) * w_kept_f32(v_before1))))) + w_kept_f32(v_right_added1)));
}

fn follow(line: i32, at: i32, sum: Summary) -> Summary {
    let a1 = line;
    let a0 = at;
    let linear = (a0 * 2 + a1);
    var v_image0_0: f32 = sum.m0;
    var v_image0_1: f32 = sum.m1;
    var v_image1_0: f32 = sum.m2;
    var v_image1_1: f32 = sum.m3;
    var v_added0: f32 = sum.m4;
    var v_added1: f32 = sum.m5;
    var v_x: f32;
    v_x = b1[args.o_1 + linear];
    return Summary((w_kept_f32(v_image0_1) - (args.p_a1 * w_kept_f32(v_image0_0))), (-v_image0_0), (w_kept_f32(v_image1_1) - (args.p_a1 * w_kept_f32(v_image1_0))), (-v_image1_0), (w_kept_f32(v_added1) - (args.p_a1 * ((args.p_b0 * v_x) + w_kept_f32(v_added0)))), (v_x - w_kept_f32(((args.p_b0 * v_x) + w_kept_f32(v_added0)))));
}

fn moved(line: i32, at: i32, state: State) -> State {
    let a1 = line;
    let a0 = at;
    let linear = (a0 * 2 + a1);
    var v_state0: f32 = state.m0;
    var v_state1: f32 = state.m1;
    var v_x: f32;
    var v_y: f32;
    v_x = b1[args.o_1 + linear];
    v_y = ((args.p_b0 * v_x) + w_kept_f32(v_state0));
    return State((w_kept_f32(v_state1) - (args.p_a1 * v_y)), (v_x - w_kept_f32(v_y)));
}

fn step(line: i32, at: i32, state: State) -> State {
    let a1 = line;
    let a0 = at;
    let linear = (a0 * 2 + a1);
    var v_state0: f32 = state.m0;
    var v_state1: f32 = state.m1;
    var v_x: f32;
    var v_y: f32;
    v_x = b1[args.o_1 + linear];
    v_y = ((args.p_b0 * v_x) + w_kept_f32(v_state0));
    var new_0: f32 = (w_kept_f32(v_state1) - (args.p_a1 * v_y));
    var new_1: f32 = (v_x - w_kept_f32(v_y));
    b0[args.o_0 + linear] = v_y;
    return State(new_0, new_1);
}

fn sound(before: State, sum: Summary, after: State) -> bool {
    return ((bitcast<u32>(before.m0) & 0x7f800000u) != 0x7f800000u) && ((bitcast<u32>(before.m1) & 0x7f800000u) != 0x7f800000u) && ((bitcast<u32>(sum.m0) & 0x7f800000u) != 0x7f800000u) && ((bitcast<u32>(sum.m1) & 0x7f800000u) != 0x7f800000u) && ((bitcast<u32>(sum.m2) & 0x7f800000u) != 0x7f800000u) && ((bitcast<u32>(sum.m3) & 0x7f800000u) != 0x7f800000u) && ((bitcast<u32>(sum.m4) & 0x7f800000u) != 0x7f800000u) && ((bitcast<u32>(sum.m5) & 0x7f800000u) != 0x7f800000u) && ((bitcast<u32>(after.m0) & 0x7f800000u) != 0x7f800000u) && ((bitcast<u32>(after.m1) & 0x7f800000u) != 0x7f800000u);
}

fn kept_state(t: i32) -> State {
    return State(tile_states[t].s0, tile_states[t].s1);
}

fn kept_summary(t: i32) -> Summary {
    return Summary(tile_states[t].m0, tile_states[t].m1, tile_states[t].m2, tile_states[t].m3, tile_states[t].m4, tile_states[t].m5);
}

fn keep_state(t: i32, state: State) {
    tile_states[t].s0 = state.m0;
    tile_states[t].s1 = state.m1;
}

fn keep_summary(t: i32, sum: Summary) {
    tile_states[t].m0 = sum.m0;
    tile_states[t].m1 = sum.m1;
    tile_states[t].m2 = sum.m2;
    tile_states[t].m3 = sum.m3;
    tile_states[t].m4 = sum.m4;
    tile_states[t].m5 = sum.m5;
}

fn scanned(local: u32, mine: Summary) -> Summary {
    sums[local] = mine;
    workgroupBarrier();
    for (var by = 1u; by < 128u; by *= 2u) {
        var both = sums[local];
        if (local >= by) { both = combine(sums[local - by], both); }
        workgroupBarrier();
        sums[local] = both;
        workgroupBarrier();
    }
    var before = none();
    if (local > 0u) { before = sums[local - 1u]; }
    return before;
}

@compute @workgroup_size(128)
fn tiles(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = i32(group.y * groups.x + group.x);
    let there = number < args.g_lines * args.g_tiles;
    let line = number / args.g_tiles;
    let begin = (number - line * args.g_tiles) * 2048;
    let end = min(begin + 2048, args.g_length);
    let first = min(begin + i32(local) * 16, end);
    let stop = select(first, min(first + 16, end), there);
    var mine = none();
    for (var at = first; at < stop; at += 1) { mine = follow(line, at, mine); }
    let before = scanned(local, mine);
    if (there && local == 128u - 1u) { keep_summary(number, sums[128u - 1u]); }
}

@compute @workgroup_size(128)
fn carry(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let line = i32(group.y * groups.x + group.x);
    let there = line < args.g_lines;
    let count = select(0, args.g_to - args.g_from, there);
    let head = select(0, line * args.g_tiles + args.g_from, there);
    let each = (count + 128 - 1) / 128;
    let first = head + min(i32(local) * each, count);
    let stop = min(first + each, head + count);
    var mine = none();
    for (var t = first; t < stop; t += 1) { mine = combine(mine, kept_summary(t)); }
    let before = scanned(local, mine);
    var state = start();
    if (args.g_from > 0) { state = kept_state(head); }
    workgroupBarrier();
    storageBarrier();
    if (local > 0u) { state = apply(state, before); }
    var fine = true;
    for (var t = first; t < stop; t += 1) {
        let sum = kept_summary(t);
        let next = apply(state, sum);
        fine = fine && sound(state, sum, next);
        keep_state(t, state);
        state = next;
        if (t + 1 == head + count && args.g_to < args.g_tiles) { keep_state(t + 1, state); }
    }
    if (!fine) { atomicStore(&broken, 1u); }
    workgroupBarrier();
    storageBarrier();
    if (local == 0u && there && atomicLoad(&broken) != 0u) {
        state = kept_state(head);
        for (var k = args.g_from; k < args.g_to; k += 1) {
            let t = line * args.g_tiles + k;
            keep_state(t, state);
            let sum = kept_summary(t);
            let next = apply(state, sum);
            if (sound(state, sum, next)) {
                state = next;
            } else {
                let end = min((k + 1) * 2048, args.g_length);
                for (var at = k * 2048; at < end; at += 1) { state = moved(line, at, state); }
            }
        }
        if (args.g_to < args.g_tiles) { keep_state(head + count, state); }
    }
}

@compute @workgroup_size(128)
fn run(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
) {
    let number = i32(group.y * groups.x + group.x);
    let there = number < args.g_lines * args.g_tiles;
    let line = number / args.g_tiles;
    let begin = (number - line * args.g_tiles) * 2048;
    let end = min(begin + 2048, args.g_length);
    let first = min(begin + i32(local) * 16, end);
    let stop = select(first, min(first + 16, end), there);
    var mine = none();
    for (var at = first; at < stop; at += 1) { mine = follow(line, at, mine); }
    let before = scanned(local, mine);
    var state = start();
    if (there && args.g_tiles > 1) { state = kept_state(number); }
    let all = sums[128u - 1u];
    if (sound(state, all, apply(state, all))) {
        if (local > 0u) { state = apply(state, before); }
        for (var at = first; at < stop; at += 1) { state = step(line, at, state); }
    } else if (there && local == 0u) {
        for (var at = begin; at < end; at += 1) { state = step(line, at, state); }
    }
}

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
