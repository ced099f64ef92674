typedef int idx;
static __device__ __forceinline__ idx weft_clamp(idx i, idx size) {
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

struct Args {
    float* out_out;
    const float* in_table;
    const int* in_index;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx total;
};

extern "C" __global__ void __launch_bounds__(256) weft_map(
    const __grid_constant__ Args a) {
    const idx flat = (idx)blockIdx.x * blockDim.x + threadIdx.x;
    if (flat >= a.total) return;
    const idx c0 = flat;
    a.out_out[flat] = a.in_table[weft_clamp(a.in_index[weft_clamp(c0, a.n1)], a.n0)];
}
