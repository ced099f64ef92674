typedef int idx;
static __device__ __forceinline__ idx treadle_quotient(idx a, idx b) {
    return (idx)((unsigned int)a / (unsigned int)b);
}

struct Args {
    int* out_out;
    const float* in_x;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx rows;
    idx count;
    idx parts;
    idx share;
};

struct State {
    float s0;
    int s1;
};
static __device__ __forceinline__ State treadle_initial() {
    State out;
    out.s0 = __int_as_float(0xff800000);
    out.s1 = 2147483647;
    return out;
}
static __device__ __forceinline__ State treadle_combine(const Args& a, const State left, const State right) {
    float v_left0 = left.s0;
    int v_left1 = left.s1;
    float v_right0 = right.s0;
    int v_right1 = right.s1;
    bool v_better;
    bool v_same;
    bool v_keep;
    float v_first_if0;
    int v_first_if1;
    v_better = ((v_left0 > v_right0) || ((v_left0 != v_left0) && (v_right0 == v_right0)));
    v_same = ((v_left0 == v_right0) || ((v_left0 != v_left0) && (v_right0 != v_right0)));
    v_keep = (v_better || (v_same && (v_left1 < v_right1)));
    v_first_if0 = (v_keep ? v_left0 : v_right0);
    v_first_if1 = (v_keep ? v_left1 : v_right1);
    State out;
    out.s0 = v_first_if0;
    out.s1 = v_first_if1;
    return out;
}
static __device__ __forceinline__ void treadle_finish(const Args& a, const State s, const idx row) {
    float v_acc0 = s.s0;
    int v_acc1 = s.s1;
    a.out_out[row] = v_acc1;
}
static __device__ __forceinline__ State treadle_shuffle(const State s, const int distance) {
    State out;
    out.s0 = __shfl_down_sync(0xffffffffu, s.s0, distance);
    out.s1 = __shfl_down_sync(0xffffffffu, s.s1, distance);
    return out;
}
static __device__ __forceinline__ void treadle_save(const Args& a, const State s, const idx at) {
    ((float*)(a.scratch + 0ll * a.rows * a.parts))[at] = s.s0;
    ((int*)(a.scratch + 8ll * a.rows * a.parts))[at] = s.s1;
}
static __device__ __forceinline__ State treadle_restore(const Args& a, const idx at) {
    State out;
    out.s0 = ((float*)(a.scratch + 0ll * a.rows * a.parts))[at];
    out.s1 = ((int*)(a.scratch + 8ll * a.rows * a.parts))[at];
    return out;
}
static __device__ __forceinline__ void treadle_end(
    const Args& a, const State s, const idx row, const idx part) {
    if (a.parts == 1) treadle_finish(a, s, row);
    else treadle_save(a, s, row * a.parts + part);
}
template <int G> static __device__ __forceinline__ State treadle_group(
    const Args& a, State s) {
    #pragma unroll
    for (int distance = 16; distance > 0; distance >>= 1)
        s = treadle_combine(a, s, treadle_shuffle(s, distance));
    if constexpr (G > 32) {
        __shared__ State box[G / 32];
        if ((threadIdx.x & 31) == 0) box[threadIdx.x >> 5] = s;
        __syncthreads();
        s = threadIdx.x < G / 32 ? box[threadIdx.x] : treadle_initial();
        #pragma unroll
        for (int distance = G / 64; distance > 0; distance >>= 1)
            s = treadle_combine(a, s, treadle_shuffle(s, distance));
    }
    return s;
}
static __device__ __forceinline__ State treadle_lift(const Args& a, const idx c0, const idx c1) {
    float v_x;
    v_x = a.in_x[(c0 * a.n1 + c1)];
    State out;
    out.s0 = v_x;
    out.s1 = c1;
    return out;
}
template <int G> static __device__ __forceinline__ void treadle_rows(const Args& a) {
    const idx group = (idx)blockIdx.x * (256 / G) + threadIdx.x / G;
    const int lane = threadIdx.x % G;
    const idx row = treadle_quotient(group, a.parts);
    const idx part = group - row * a.parts;
    if (row >= a.rows) return;
    const idx begin = part * a.share;
    const idx end = begin + a.share < a.count ? begin + a.share : a.count;
    const idx c0 = row;
    const auto lift = [&](const idx r) -> State {
        const idx c1 = r;
        return treadle_lift(a, c0, c1);
    };
    State s = treadle_initial(), s1 = s, s2 = s, s3 = s;
    idx r = begin + lane;
    for (; r + 3 * G < end; r += 4 * G) {
        const State t0 = lift(r);
        const State t1 = lift(r + 1 * G);
        const State t2 = lift(r + 2 * G);
        const State t3 = lift(r + 3 * G);
        s = treadle_combine(a, s, t0);
        s1 = treadle_combine(a, s1, t1);
        s2 = treadle_combine(a, s2, t2);
        s3 = treadle_combine(a, s3, t3);
    }
    for (; r < end; r += G) s = treadle_combine(a, s, lift(r));
    s = treadle_combine(a, treadle_combine(a, s, s1), treadle_combine(a, s2, s3));
    s = treadle_group<G>(a, s);
    if (lane == 0) treadle_end(a, s, row, part);
}
extern "C" __global__ void __launch_bounds__(256) treadle_warps(
    const __grid_constant__ Args a) {
    treadle_rows<32>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_blocks(
    const __grid_constant__ Args a) {
    treadle_rows<256>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_merge(
    const __grid_constant__ Args a) {
    const idx row = (idx)blockIdx.x * 8 + (threadIdx.x >> 5);
    if (row >= a.rows) return;
    State s = treadle_initial();
    for (idx part = threadIdx.x & 31; part < a.parts; part += 32)
        s = treadle_combine(a, s, treadle_restore(a, row * a.parts + part));
    s = treadle_group<32>(a, s);
    if ((threadIdx.x & 31) == 0) treadle_finish(a, s, row);
}
