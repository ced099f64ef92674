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
struct treadle_Divisor {
    float by, reciprocal, scale;
};
static __device__ __forceinline__ treadle_Divisor treadle_divisor(float by) {
    const float size = fabsf(by);
    const float scale = size < 0x1p-60f ? 0x1p64f : size > 0x1p60f ? 0x1p-60f : 1.0f;
    return {by * scale, 1.0f / (by * scale), scale};
}
static __device__ __forceinline__ float treadle_over(float a, const treadle_Divisor d) {
    const float rough = __fmul_rn(a, d.reciprocal);
    const float fine = __fmaf_rn(__fmaf_rn(-rough, d.by, a), d.reciprocal, rough);
    return (fabsf(fine) > 0.0f ? fine : rough) * d.scale;
}

struct Args {
    float* out_out;
    const float* in_row;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx rows;
    idx length;
};

static __device__ __forceinline__ float treadle_join0(float x, float y) { return treadle_maximum(x, y); }
template <int G> static __device__ __forceinline__ float treadle_fold0(float x) {
    #pragma unroll
    for (int distance = 16; distance > 0; distance >>= 1)
        x = treadle_join0(x, __shfl_xor_sync(0xffffffffu, x, distance));
    if constexpr (G > 32) {
        __shared__ float box[G / 32];
        __syncthreads();
        if ((threadIdx.x & 31) == 0) box[threadIdx.x >> 5] = x;
        __syncthreads();
        x = box[0];
        #pragma unroll
        for (int w = 1; w < G / 32; ++w) x = treadle_join0(x, box[w]);
    }
    return x;
}
static __device__ __forceinline__ float treadle_join1(float x, float y) { return (x + y); }
template <int G> static __device__ __forceinline__ float treadle_fold1(float x) {
    #pragma unroll
    for (int distance = 16; distance > 0; distance >>= 1)
        x = treadle_join1(x, __shfl_xor_sync(0xffffffffu, x, distance));
    if constexpr (G > 32) {
        __shared__ float box[G / 32];
        __syncthreads();
        if ((threadIdx.x & 31) == 0) box[threadIdx.x >> 5] = x;
        __syncthreads();
        x = box[0];
        #pragma unroll
        for (int w = 1; w < G / 32; ++w) x = treadle_join1(x, box[w]);
    }
    return x;
}
template <int G, int E, bool Full> static __device__ __forceinline__ void treadle_held(const Args& a) {
    const int rows = G < 256 ? 256 / G : 1;
    const idx row = (idx)blockIdx.x * rows + threadIdx.x / G;
    const int lane = threadIdx.x % G;
    if (row >= a.rows) return;
    const idx c0 = row;
    const idx stride = 1;
    const idx start = row * a.length;
    float held_0[E];
    float kept_v_e_1[E];
    #pragma unroll
    for (int j = 0; j < E; ++j) {
        const idx i = lane + j * G;
        const idx c1 = i;
        if (Full || i < a.length) {
            held_0[j] = a.in_row[(c0 * a.n1 + c1)];
        }
    }
    float part_v_row_max_0[4];
    #pragma unroll
    for (int j = 0; j < 4; ++j)
        part_v_row_max_0[j] = __int_as_float(0xff800000);
    #pragma unroll
    for (int j = 0; j < E; ++j) {
        const idx i = lane + j * G;
        const idx c1 = i;
        if (Full || i < a.length) {
            part_v_row_max_0[j % 4] = treadle_join0(part_v_row_max_0[j % 4], held_0[j]);
        }
    }
    float v_row_max_0 = part_v_row_max_0[0];
    #pragma unroll
    for (int j = 1; j < 4; ++j)
        v_row_max_0 = treadle_join0(v_row_max_0, part_v_row_max_0[j]);
    v_row_max_0 = treadle_fold0<G>(v_row_max_0);
    float part_v_row_sum_2[4];
    #pragma unroll
    for (int j = 0; j < 4; ++j)
        part_v_row_sum_2[j] = 0.0f;
    #pragma unroll
    for (int j = 0; j < E; ++j) {
        const idx i = lane + j * G;
        const idx c1 = i;
        if (Full || i < a.length) {
            float v_e_1 = expf((held_0[j] - v_row_max_0));
            kept_v_e_1[j] = v_e_1;
            part_v_row_sum_2[j % 4] = treadle_join1(part_v_row_sum_2[j % 4], v_e_1);
        }
    }
    float v_row_sum_2 = part_v_row_sum_2[0];
    #pragma unroll
    for (int j = 1; j < 4; ++j)
        v_row_sum_2 = treadle_join1(v_row_sum_2, part_v_row_sum_2[j]);
    v_row_sum_2 = treadle_fold1<G>(v_row_sum_2);
    const treadle_Divisor by_v_row_sum_2 = treadle_divisor(v_row_sum_2);
    #pragma unroll
    for (int j = 0; j < E; ++j) {
        const idx i = lane + j * G;
        const idx c1 = i;
        if (Full || i < a.length) {
            const idx at = start + i * stride;
            float v_e_1 = kept_v_e_1[j];
            a.out_out[at] = treadle_over(v_e_1, by_v_row_sum_2);
        }
    }
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_32_1(
    const __grid_constant__ Args a) {
    treadle_held<32, 1, false>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_32_1_full(
    const __grid_constant__ Args a) {
    treadle_held<32, 1, true>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_32_2(
    const __grid_constant__ Args a) {
    treadle_held<32, 2, false>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_32_2_full(
    const __grid_constant__ Args a) {
    treadle_held<32, 2, true>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_32_4(
    const __grid_constant__ Args a) {
    treadle_held<32, 4, false>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_32_4_full(
    const __grid_constant__ Args a) {
    treadle_held<32, 4, true>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_32_8(
    const __grid_constant__ Args a) {
    treadle_held<32, 8, false>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_32_8_full(
    const __grid_constant__ Args a) {
    treadle_held<32, 8, true>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_32_16(
    const __grid_constant__ Args a) {
    treadle_held<32, 16, false>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_32_16_full(
    const __grid_constant__ Args a) {
    treadle_held<32, 16, true>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_32_32(
    const __grid_constant__ Args a) {
    treadle_held<32, 32, false>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_32_32_full(
    const __grid_constant__ Args a) {
    treadle_held<32, 32, true>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_256_8(
    const __grid_constant__ Args a) {
    treadle_held<256, 8, false>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_256_8_full(
    const __grid_constant__ Args a) {
    treadle_held<256, 8, true>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_256_16(
    const __grid_constant__ Args a) {
    treadle_held<256, 16, false>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_256_16_full(
    const __grid_constant__ Args a) {
    treadle_held<256, 16, true>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_256_32(
    const __grid_constant__ Args a) {
    treadle_held<256, 32, false>(a);
}
extern "C" __global__ void __launch_bounds__(256) treadle_held_256_32_full(
    const __grid_constant__ Args a) {
    treadle_held<256, 32, true>(a);
}
extern "C" __global__ void __launch_bounds__(512) treadle_held_512_32(
    const __grid_constant__ Args a) {
    treadle_held<512, 32, false>(a);
}
extern "C" __global__ void __launch_bounds__(512) treadle_held_512_32_full(
    const __grid_constant__ Args a) {
    treadle_held<512, 32, true>(a);
}
extern "C" __global__ void __launch_bounds__(1024) treadle_held_1024_32(
    const __grid_constant__ Args a) {
    treadle_held<1024, 32, false>(a);
}
extern "C" __global__ void __launch_bounds__(1024) treadle_held_1024_32_full(
    const __grid_constant__ Args a) {
    treadle_held<1024, 32, true>(a);
}
extern "C" __global__ void __launch_bounds__(512) treadle_long(
    const __grid_constant__ Args a) {
    const idx row = blockIdx.x;
    const idx c0 = row;
    const idx stride = 1;
    const idx start = row * a.length;
    float v_row_max_0 = __int_as_float(0xff800000);
    #pragma unroll 4
    for (idx i = threadIdx.x; i < a.length; i += 512) {
        const idx c1 = i;
            v_row_max_0 = treadle_join0(v_row_max_0, a.in_row[(c0 * a.n1 + c1)]);
    }
    v_row_max_0 = treadle_fold0<512>(v_row_max_0);
    float v_row_sum_2 = 0.0f;
    float v_row_sum_2_16 = 0.0f;
    float v_row_sum_2_256 = 0.0f;
    float v_row_sum_2_4096 = 0.0f;
    float v_row_sum_2_65536 = 0.0f;
    unsigned v_row_sum_2_taken = 0u;
    #pragma unroll 4
    for (idx i = threadIdx.x; i < a.length; i += 512) {
        const idx c1 = i;
            float v_e_1 = expf((a.in_row[(c0 * a.n1 + c1)] - v_row_max_0));
            v_row_sum_2 = treadle_join1(v_row_sum_2, v_e_1);
            v_row_sum_2_taken += 1u;
            if ((v_row_sum_2_taken & 15u) == 0u) {
                v_row_sum_2_16 = treadle_join1(v_row_sum_2_16, v_row_sum_2);
                v_row_sum_2 = 0.0f;
                if ((v_row_sum_2_taken & 255u) == 0u) {
                    v_row_sum_2_256 = treadle_join1(v_row_sum_2_256, v_row_sum_2_16);
                    v_row_sum_2_16 = 0.0f;
                    if ((v_row_sum_2_taken & 4095u) == 0u) {
                        v_row_sum_2_4096 = treadle_join1(v_row_sum_2_4096, v_row_sum_2_256);
                        v_row_sum_2_256 = 0.0f;
                        if ((v_row_sum_2_taken & 65535u) == 0u) {
                            v_row_sum_2_65536 = treadle_join1(v_row_sum_2_65536, v_row_sum_2_4096);
                            v_row_sum_2_4096 = 0.0f;
                        }
                    }
                }
            }
    }
    v_row_sum_2 = treadle_join1(treadle_join1(v_row_sum_2_65536, v_row_sum_2_4096), treadle_join1(v_row_sum_2_256, treadle_join1(v_row_sum_2_16, v_row_sum_2)));
    v_row_sum_2 = treadle_fold1<512>(v_row_sum_2);
    const treadle_Divisor by_v_row_sum_2 = treadle_divisor(v_row_sum_2);
    #pragma unroll 4
    for (idx i = threadIdx.x; i < a.length; i += 512) {
        const idx c1 = i;
            const idx at = start + i * stride;
            float v_e_1 = expf((a.in_row[(c0 * a.n1 + c1)] - v_row_max_0));
            a.out_out[at] = treadle_over(v_e_1, by_v_row_sum_2);
    }
}
