typedef int idx;
template <typename T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Pack {
    T v[N];
};

struct Args {
    float* out_out;
    const float* in_x;
    unsigned char* scratch;
    idx n0;
    idx total;
};

static __device__ __forceinline__ void treadle_element(
    const Args& a, const idx flat, const float x_in_x, float& y_out_out) {
    float v_x;
    v_x = x_in_x;
    y_out_out = (1.0f / (1.0f + expf((-v_x))));
}

extern "C" __global__ void __launch_bounds__(256) treadle_map(
    const __grid_constant__ Args a) {
    const idx base = ((idx)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (base + 4 <= a.total && (((unsigned long long)a.in_x | (unsigned long long)a.out_out) & 15) == 0) {
        const Pack<float, 4> v_in_x = *(const Pack<float, 4>*)(a.in_x + base);
        Pack<float, 4> w_out_out;
        #pragma unroll
        for (int j = 0; j < 4; ++j) treadle_element(a, base + j, v_in_x.v[j], w_out_out.v[j]);
        *(Pack<float, 4>*)(a.out_out + base) = w_out_out;
    } else {
        for (idx i = base; i < base + 4 && i < a.total; ++i)
            treadle_element(a, i, a.in_x[i], a.out_out[i]);
    }
}
