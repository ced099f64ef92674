typedef int idx;
template <typename T> static __device__ __forceinline__ T treadle_maximum(T a, T b) {
    return a > b || a != a ? a : b;
}
#if __CUDA_ARCH__ >= 800
template <> __device__ __forceinline__ float treadle_maximum(float a, float b) {
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
    return a;
}
#endif
static __device__ __forceinline__ idx treadle_quotient(idx a, idx b) {
    return (idx)((unsigned int)a / (unsigned int)b);
}

struct Args {
    int* out_out;
    const int* in_x;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx rows;
    idx count;
    idx parts;
    idx share;
};

struct State {
    int s0;
};
static __device__ __forceinline__ State treadle_initial() {
    State out;
    out.s0 = (-2147483647 - 1);
    return out;
}
static __device__ __forceinline__ State treadle_combine(const Args& a, const State left, const State right) {
    int v_left0 = left.s0;
    int v_right0 = right.s0;
    State out;
    out.s0 = treadle_maximum(v_left0, v_right0);
    return out;
}
static __device__ __forceinline__ void treadle_finish(const Args& a, const State s, const idx row) {
    int v_acc0 = s.s0;
    a.out_out[row] = v_acc0;
}
static __device__ __forceinline__ State treadle_shuffle(const State s, const int distance) {
    State out;
    out.s0 = __shfl_down_sync(0xffffffffu, s.s0, distance);
    return out;
}
static __device__ __forceinline__ void treadle_save(const Args& a, const State s, const idx at) {
    ((int*)(a.scratch + 0ll * a.rows * a.parts))[at] = s.s0;
}
static __device__ __forceinline__ State treadle_restore(const Args& a, const idx at) {
    State out;
    out.s0 = ((int*)(a.scratch + 0ll * a.rows * a.parts))[at];
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
    int v_x;
    v_x = a.in_x[(c0 * a.n1 + c1)];
    State out;
    out.s0 = v_x;
    return out;
}
extern "C" __global__ void __launch_bounds__(256) treadle_columns(
    const __grid_constant__ Args a) {
    __shared__ State box[8][32];
    const idx stripe = treadle_quotient((idx)blockIdx.x, a.parts);
    const idx part = (idx)blockIdx.x - stripe * a.parts;
    const idx row = stripe * 32 + threadIdx.x;
    const idx begin = part * a.share;
    const idx last = begin + a.share < a.count ? begin + a.share : a.count;
    const idx end = row < a.rows ? last : begin;
    const idx c1 = row;
    const auto lift = [&](const idx r) -> State {
        const idx c0 = r;
        return treadle_lift(a, c0, c1);
    };
    State s = treadle_initial(), s1 = s, s2 = s, s3 = s;
    idx r = begin + (idx)threadIdx.y;
    for (; r + 3 * 8 < end; r += 4 * 8) {
        const State t0 = lift(r);
        const State t1 = lift(r + 1 * 8);
        const State t2 = lift(r + 2 * 8);
        const State t3 = lift(r + 3 * 8);
        s = treadle_combine(a, s, t0);
        s1 = treadle_combine(a, s1, t1);
        s2 = treadle_combine(a, s2, t2);
        s3 = treadle_combine(a, s3, t3);
    }
    for (; r < end; r += 8) s = treadle_combine(a, s, lift(r));
    s = treadle_combine(a, treadle_combine(a, s, s1), treadle_combine(a, s2, s3));
    box[threadIdx.y][threadIdx.x] = s;
    __syncthreads();
    if (threadIdx.y != 0 || row >= a.rows) return;
    #pragma unroll
    for (int y = 1; y < 8; ++y)
        s = treadle_combine(a, s, box[y][threadIdx.x]);
    treadle_end(a, s, row, part);
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
