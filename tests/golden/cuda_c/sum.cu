typedef int idx;
static __device__ __forceinline__ idx treadle_quotient(idx a, idx b) {
    return (idx)((unsigned int)a / (unsigned int)b);
}
template <typename T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Pack {
    T v[N];
};

struct Args {
    float* out_out;
    const float* in_x;
    unsigned char* scratch;
    idx n0;
    idx rows;
    idx count;
    idx parts;
    idx share;
};

struct State {
    float s0;
};
static __device__ __forceinline__ State treadle_initial() {
    State out;
    out.s0 = 0.0f;
    return out;
}
static __device__ __forceinline__ State treadle_combine(const Args& a, const State left, const State right) {
    float v_left0 = left.s0;
    float v_right0 = right.s0;
    State out;
    out.s0 = (v_left0 + v_right0);
    return out;
}
static __device__ __forceinline__ void treadle_finish(const Args& a, const State s, const idx row) {
    float v_acc0 = s.s0;
    a.out_out[row] = v_acc0;
}
static __device__ __forceinline__ State treadle_shuffle(const State s, const int distance) {
    State out;
    out.s0 = __shfl_down_sync(0xffffffffu, s.s0, distance);
    return out;
}
static __device__ __forceinline__ void treadle_save(const Args& a, const State s, const idx at) {
    ((float*)(a.scratch + 0ll * a.rows * a.parts))[at] = s.s0;
}
static __device__ __forceinline__ State treadle_restore(const Args& a, const idx at) {
    State out;
    out.s0 = ((float*)(a.scratch + 0ll * a.rows * a.parts))[at];
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
static __device__ __forceinline__ State treadle_lift(const Args& a, const idx c0, const float x_in_x) {
    float v_x;
    v_x = x_in_x;
    State out;
    out.s0 = v_x;
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
    const idx start = row * a.count;
    State sum_16 = treadle_initial();
    State sum_256 = treadle_initial();
    State sum_4096 = treadle_initial();
    State sum_65536 = treadle_initial();
    unsigned sum_taken = 0u;
    State many[4];
    #pragma unroll
    for (int j = 0; j < 4; ++j) many[j] = treadle_initial();
    idx r = begin;
    if ((start & 3) == 0 && (((unsigned long long)a.in_x) & 15) == 0) {
        const idx packs = (end - begin) / 4;
        #pragma unroll 4
        for (idx p = lane; p < packs; p += G) {
            const Pack<float, 4> v_in_x = ((const Pack<float, 4>*)(a.in_x + start + begin))[p];
            #pragma unroll
            for (int j = 0; j < 4; ++j)
                many[j % 4] = treadle_combine(a, many[j % 4],
                    treadle_lift(a, begin + p * 4 + j, v_in_x.v[j]));
            sum_taken += 1u;
            if ((sum_taken & 15u) == 0u) {
                #pragma unroll
                for (int j = 1; j < 4; ++j) {
                    many[0] = treadle_combine(a, many[0], many[j]);
                    many[j] = treadle_initial();
                }
                sum_16 = treadle_combine(a, sum_16, many[0]);
                many[0] = treadle_initial();
                if ((sum_taken & 255u) == 0u) {
                    sum_256 = treadle_combine(a, sum_256, sum_16);
                    sum_16 = treadle_initial();
                    if ((sum_taken & 4095u) == 0u) {
                        sum_4096 = treadle_combine(a, sum_4096, sum_256);
                        sum_256 = treadle_initial();
                        if ((sum_taken & 65535u) == 0u) {
                            sum_65536 = treadle_combine(a, sum_65536, sum_4096);
                            sum_4096 = treadle_initial();
                        }
                    }
                }
            }
        }
        r = begin + packs * 4;
    }
    for (r += lane; r < end; r += G) {
        many[0] = treadle_combine(a, many[0], treadle_lift(a, r, a.in_x[start + r]));
        sum_taken += 1u;
        if ((sum_taken & 15u) == 0u) {
            #pragma unroll
            for (int j = 1; j < 4; ++j) {
                many[0] = treadle_combine(a, many[0], many[j]);
                many[j] = treadle_initial();
            }
            sum_16 = treadle_combine(a, sum_16, many[0]);
            many[0] = treadle_initial();
            if ((sum_taken & 255u) == 0u) {
                sum_256 = treadle_combine(a, sum_256, sum_16);
                sum_16 = treadle_initial();
                if ((sum_taken & 4095u) == 0u) {
                    sum_4096 = treadle_combine(a, sum_4096, sum_256);
                    sum_256 = treadle_initial();
                    if ((sum_taken & 65535u) == 0u) {
                        sum_65536 = treadle_combine(a, sum_65536, sum_4096);
                        sum_4096 = treadle_initial();
                    }
                }
            }
        }
    }
    #pragma unroll
    for (int j = 1; j < 4; ++j)
        many[0] = treadle_combine(a, many[0], many[j]);
    State s = many[0];
    s = treadle_combine(a, treadle_combine(a, sum_65536, sum_4096), treadle_combine(a, sum_256, treadle_combine(a, sum_16, many[0])));
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
