typedef int idx;
template <typename T> static __device__ __forceinline__ T treadle_minimum(T a, T b) {
    return a < b || a != a ? a : b;
}
#if __CUDA_ARCH__ >= 800
template <> __device__ __forceinline__ float treadle_minimum(float a, float b) {
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
    return a;
}
#endif
template <typename T> static __device__ __forceinline__ T treadle_maximum(T a, T b) {
    return a > b || a != a ? a : b;
}
#if __CUDA_ARCH__ >= 800
template <> __device__ __forceinline__ float treadle_maximum(float a, float b) {
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(a) : "f"(a), "f"(b));
    return a;
}
#endif
template <typename T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Pack {
    T v[N];
};

struct Args {
    unsigned int* out_out;
    const unsigned int* in_x;
    unsigned char* scratch;
    idx n0;
    idx total;
    int p_min;
    int p_max;
};

static __device__ __forceinline__ void treadle_element(
    const Args& a, const idx flat, const unsigned int x_in_x, unsigned int& y_out_out) {
    unsigned int v_x;
    unsigned int v_low;
    unsigned int v_high;
    v_x = x_in_x;
    v_low = ((unsigned int)treadle_maximum(a.p_min, 0));
    v_high = ((unsigned int)treadle_maximum(a.p_max, 0));
    y_out_out = treadle_minimum(treadle_maximum(v_x, v_low), v_high);
}

extern "C" __global__ void __launch_bounds__(256) treadle_map(
    const __grid_constant__ Args a) {
    const idx base = ((idx)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (base + 4 <= a.total && (((unsigned long long)a.in_x | (unsigned long long)a.out_out) & 15) == 0) {
        const Pack<unsigned int, 4> v_in_x = *(const Pack<unsigned int, 4>*)(a.in_x + base);
        Pack<unsigned int, 4> w_out_out;
        #pragma unroll
        for (int j = 0; j < 4; ++j) treadle_element(a, base + j, v_in_x.v[j], w_out_out.v[j]);
        *(Pack<unsigned int, 4>*)(a.out_out + base) = w_out_out;
    } else {
        for (idx i = base; i < base + 4 && i < a.total; ++i)
            treadle_element(a, i, a.in_x[i], a.out_out[i]);
    }
}
