typedef int idx;
static __device__ __forceinline__ idx weft_quotient(idx a, idx b) {
    return (idx)((unsigned int)a / (unsigned int)b);
}
static __device__ __forceinline__ idx weft_remainder(idx a, idx b) {
    return (idx)((unsigned int)a % (unsigned int)b);
}

struct Args {
    float* out_out;
    const float* in_image;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx total;
};

extern "C" __global__ void __launch_bounds__(256) weft_map(
    const __grid_constant__ Args a) {
    const idx flat = (idx)blockIdx.x * blockDim.x + threadIdx.x;
    if (flat >= a.total) return;
    const idx c1 = weft_remainder(flat, a.n1);
    const idx c1_up = weft_quotient(flat, a.n1);
    const idx c0 = c1_up;
    a.out_out[flat] = (((0.299f * a.in_image[((c0 * a.n1 + c1) * 3)]) + (0.587f * a.in_image[((c0 * a.n1 + c1) * 3 + 1)])) + (0.114f * a.in_image[((c0 * a.n1 + c1) * 3 + 2)]));
}
