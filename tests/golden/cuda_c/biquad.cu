typedef int idx;
static __device__ __forceinline__ idx treadle_quotient(idx a, idx b) {
    return (idx)((unsigned int)a / (unsigned int)b);
}

struct Args {
    float* out_out;
    const float* in_x;
    unsigned char* scratch;
    idx n0;
    idx lines;
    idx length;
    idx tiles;
    float p_b0;
    float p_a1;
};

struct State {
    float m0;
    float m1;
};
struct Summary {
    float m0;
    float m1;
    float m2;
    float m3;
    float m4;
    float m5;
};
struct Given {
    float in_x;
};
struct Tile {
    float in_x[2176];
    float out_out[2176];
};
static __device__ __forceinline__ int treadle_slot(const int spot) {
    return spot + (spot >> 4);
}
static __device__ __forceinline__ Given treadle_given(const Args& a, const idx line, const idx at) {
    const idx c1 = line;
    const idx c0 = at;
    const idx linear = (c0 * 2 + c1);
    Given given;
    given.in_x = a.in_x[linear];
    return given;
}
static __device__ __forceinline__ void treadle_keep(Tile& tile, const int spot, const Given given) {
    tile.in_x[treadle_slot(spot)] = given.in_x;
}
static __device__ __forceinline__ Given treadle_kept(const Tile& tile, const int spot) {
    Given given;
    given.in_x = tile.in_x[treadle_slot(spot)];
    return given;
}
static __device__ __forceinline__ void treadle_leave(const Args& a, const idx line, const idx at, const Tile& tile, const int spot) {
    const idx c1 = line;
    const idx c0 = at;
    const idx linear = (c0 * 2 + c1);
    a.out_out[linear] = tile.out_out[treadle_slot(spot)];
}
static __device__ __forceinline__ State treadle_start() {
    State out;
    out.m0 = 0.0f;
    out.m1 = 0.0f;
    return out;
}
static __device__ __forceinline__ Summary treadle_none() {
    Summary out;
    out.m0 = 1.0f;
    out.m1 = 0.0f;
    out.m2 = 0.0f;
    out.m3 = 1.0f;
    out.m4 = 0.0f;
    out.m5 = 0.0f;
    return out;
}
static __device__ __forceinline__ Summary treadle_combine(const Args& a, const Summary left, const Summary right) {
    float v_left0_0 = left.m0;
    float v_left0_1 = left.m1;
    float v_left1_0 = left.m2;
    float v_left1_1 = left.m3;
    float v_left_added0 = left.m4;
    float v_left_added1 = left.m5;
    float v_right0_0 = right.m0;
    float v_right0_1 = right.m1;
    float v_right1_0 = right.m2;
    float v_right1_1 = right.m3;
    float v_right_added0 = right.m4;
    float v_right_added1 = right.m5;
    Summary out;
    out.m0 = ((v_right0_0 * v_left0_0) + (v_right1_0 * v_left0_1));
    out.m1 = ((v_right0_1 * v_left0_0) + (v_right1_1 * v_left0_1));
    out.m2 = ((v_right0_0 * v_left1_0) + (v_right1_0 * v_left1_1));
    out.m3 = ((v_right0_1 * v_left1_0) + (v_right1_1 * v_left1_1));
    out.m4 = (((v_right0_0 * v_left_added0) + (v_right1_0 * v_left_added1)) + v_right_added0);
    out.m5 = (((v_right0_1 * v_left_added0) + (v_right1_1 * v_left_added1)) + v_right_added1);
    return out;
}
static __device__ __forceinline__ State treadle_apply(const Args& a, const State state, const Summary sum) {
    float v_before0 = state.m0;
    float v_before1 = state.m1;
    float v_right0_0 = sum.m0;
    float v_right0_1 = sum.m1;
    float v_right1_0 = sum.m2;
    float v_right1_1 = sum.m3;
    float v_right_added0 = sum.m4;
    float v_right_added1 = sum.m5;
    State out;
    out.m0 = (((v_right0_0 * v_before0) + (v_right1_0 * v_before1)) + v_right_added0);
    out.m1 = (((v_right0_1 * v_before0) + (v_right1_1 * v_before1)) + v_right_added1);
    return out;
}
static __device__ __forceinline__ Summary treadle_follow(const Args& a, const idx line, const idx at, const Given given, const Summary sum) {
    const idx c1 = line;
    const idx c0 = at;
    const idx linear = (c0 * 2 + c1);
    float v_image0_0 = sum.m0;
    float v_image0_1 = sum.m1;
    float v_image1_0 = sum.m2;
    float v_image1_1 = sum.m3;
    float v_added0 = sum.m4;
    float v_added1 = sum.m5;
    float v_x;
    v_x = given.in_x;
    Summary out;
    out.m0 = (v_image0_1 - (a.p_a1 * v_image0_0));
    out.m1 = (-v_image0_0);
    out.m2 = (v_image1_1 - (a.p_a1 * v_image1_0));
    out.m3 = (-v_image1_0);
    out.m4 = (v_added1 - (a.p_a1 * ((a.p_b0 * v_x) + v_added0)));
    out.m5 = (v_x - ((a.p_b0 * v_x) + v_added0));
    return out;
}
static __device__ __forceinline__ State treadle_moved(const Args& a, const idx line, const idx at, const Given given, const State state) {
    const idx c1 = line;
    const idx c0 = at;
    const idx linear = (c0 * 2 + c1);
    float v_state0 = state.m0;
    float v_state1 = state.m1;
    float v_x;
    float v_y;
    v_x = given.in_x;
    v_y = ((a.p_b0 * v_x) + v_state0);
    State out;
    out.m0 = (v_state1 - (a.p_a1 * v_y));
    out.m1 = (v_x - v_y);
    return out;
}
static __device__ __forceinline__ State treadle_step(const Args& a, const idx line, const idx at, const Given given, const State state, Tile& tile, const int spot) {
    const idx c1 = line;
    const idx c0 = at;
    const idx linear = (c0 * 2 + c1);
    float v_state0 = state.m0;
    float v_state1 = state.m1;
    float v_x;
    float v_y;
    v_x = given.in_x;
    v_y = ((a.p_b0 * v_x) + v_state0);
    float new_0 = (v_state1 - (a.p_a1 * v_y));
    float new_1 = (v_x - v_y);
    float result0 = v_y;
    tile.out_out[treadle_slot(spot)] = result0;
    State out;
    out.m0 = new_0;
    out.m1 = new_1;
    return out;
}
static __device__ __forceinline__ bool treadle_sound(const State before, const Summary sum, const State after) {
    return isfinite(before.m0) && isfinite(before.m1) && isfinite(sum.m0) && isfinite(sum.m1) && isfinite(sum.m2) && isfinite(sum.m3) && isfinite(sum.m4) && isfinite(sum.m5) && isfinite(after.m0) && isfinite(after.m1);
}
static __device__ __forceinline__ Summary treadle_scanned(const Args& a, Summary* const sums, const Summary mine) {
    const int local = threadIdx.x;
    sums[local] = mine;
    __syncthreads();
    for (int by = 1; by < 128; by <<= 1) {
        Summary both = sums[local];
        if (local >= by) both = treadle_combine(a, sums[local - by], both);
        __syncthreads();
        sums[local] = both;
        __syncthreads();
    }
    return local > 0 ? sums[local - 1] : treadle_none();
}
extern "C" __global__ void __launch_bounds__(64) treadle_scan(
    const __grid_constant__ Args a) {
    const idx line = (idx)blockIdx.x * 64 + threadIdx.x;
    if (line >= a.lines) return;
    const idx c1 = line;
    const idx stride = 2;
    const idx above = treadle_quotient(line, stride);
    idx at = above * a.length * stride + (line - above * stride);
    float v_state0 = 0.0f;
    float v_state1 = 0.0f;
    for (idx c0 = 0; c0 < a.length; ++c0, at += stride) {
        float v_x;
        float v_y;
        v_x = a.in_x[(c0 * 2 + c1)];
        v_y = ((a.p_b0 * v_x) + v_state0);
        float new_0 = (v_state1 - (a.p_a1 * v_y));
        float new_1 = (v_x - v_y);
        a.out_out[at] = v_y;
        v_state0 = new_0;
        v_state1 = new_1;
    }
}
extern "C" __global__ void __launch_bounds__(128) treadle_tiles(
    const __grid_constant__ Args a) {
    __shared__ Summary sums[128];
    __shared__ Tile tile;
    const idx part = treadle_quotient((idx)blockIdx.x, a.lines);
    const idx line = (idx)blockIdx.x - part * a.lines;
    const idx number = line * a.tiles + part, begin = part * 2048;
    const idx end = min(begin + 2048, a.length);
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
        const int spot = k * 128 + (int)threadIdx.x;
        if (begin + spot < end) treadle_keep(tile, spot, treadle_given(a, line, begin + spot));
    }
    __syncthreads();
    const idx first = min(begin + (idx)threadIdx.x * 16, end);
    const idx stop = min(first + 16, end);
    Summary mine = treadle_none();
    for (idx at = first; at < stop; ++at)
        mine = treadle_follow(a, line, at, treadle_kept(tile, (int)(at - begin)), mine);
    const Summary before = treadle_scanned(a, sums, mine);
    if (threadIdx.x == 128 - 1) ((Summary*)a.scratch)[number] = sums[128 - 1];
}
extern "C" __global__ void __launch_bounds__(128) treadle_carry(
    const __grid_constant__ Args a) {
    __shared__ Summary sums[128];
    __shared__ int broken;
    const idx line = blockIdx.x, head = line * a.tiles;
    const idx each = (a.tiles + 128 - 1) / 128;
    const idx first = head + min((idx)threadIdx.x * each, a.tiles);
    const idx stop = min(first + each, head + a.tiles);
    if (threadIdx.x == 0) broken = 0;
    Summary mine = treadle_none();
    for (idx t = first; t < stop; ++t) mine = treadle_combine(a, mine, ((Summary*)a.scratch)[t]);
    const Summary before = treadle_scanned(a, sums, mine);
    State state = treadle_start();
    if (threadIdx.x > 0) state = treadle_apply(a, state, before);
    for (idx t = first; t < stop; ++t) {
        const Summary sum = ((Summary*)a.scratch)[t];
        const State next = treadle_apply(a, state, sum);
        if (!treadle_sound(state, sum, next)) broken = 1;
        ((State*)((Summary*)a.scratch + a.lines * a.tiles))[t] = state;
        state = next;
    }
    __syncthreads();
    if (threadIdx.x > 0 || !broken) return;
    state = treadle_start();
    for (idx k = 0; k < a.tiles; ++k) {
        ((State*)((Summary*)a.scratch + a.lines * a.tiles))[head + k] = state;
        const Summary sum = ((Summary*)a.scratch)[head + k];
        const State next = treadle_apply(a, state, sum);
        if (treadle_sound(state, sum, next)) {
            state = next;
            continue;
        }
        const idx end = min((k + 1) * 2048, a.length);
        for (idx at = k * 2048; at < end; ++at)
            state = treadle_moved(a, line, at, treadle_given(a, line, at), state);
    }
}
extern "C" __global__ void __launch_bounds__(128) treadle_run(
    const __grid_constant__ Args a) {
    __shared__ Summary sums[128];
    __shared__ Tile tile;
    const idx part = treadle_quotient((idx)blockIdx.x, a.lines);
    const idx line = (idx)blockIdx.x - part * a.lines;
    const idx number = line * a.tiles + part, begin = part * 2048;
    const idx end = min(begin + 2048, a.length);
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
        const int spot = k * 128 + (int)threadIdx.x;
        if (begin + spot < end) treadle_keep(tile, spot, treadle_given(a, line, begin + spot));
    }
    __syncthreads();
    const idx first = min(begin + (idx)threadIdx.x * 16, end);
    const idx stop = min(first + 16, end);
    Summary mine = treadle_none();
    for (idx at = first; at < stop; ++at)
        mine = treadle_follow(a, line, at, treadle_kept(tile, (int)(at - begin)), mine);
    const Summary before = treadle_scanned(a, sums, mine);
    State state = a.tiles > 1 ? ((State*)((Summary*)a.scratch + a.lines * a.tiles))[number] : treadle_start();
    const Summary all = sums[128 - 1];
    if (treadle_sound(state, all, treadle_apply(a, state, all))) {
        if (threadIdx.x > 0) state = treadle_apply(a, state, before);
        for (idx at = first; at < stop; ++at)
            state = treadle_step(a, line, at, treadle_kept(tile, (int)(at - begin)), state, tile,
                                 (int)(at - begin));
    } else if (threadIdx.x == 0) {
        for (idx at = begin; at < end; ++at)
            state = treadle_step(a, line, at, treadle_kept(tile, (int)(at - begin)), state, tile,
                                 (int)(at - begin));
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
        const int spot = k * 128 + (int)threadIdx.x;
        if (begin + spot < end) treadle_leave(a, line, begin + spot, tile, spot);
    }
}
