typedef int idx;
template <typename T> static __device__ __forceinline__ unsigned char weft_int_u8(T a) {
    return (unsigned char)(a < (T)0 ? (T)0 : a > (T)255 ? (T)255 : a);
}
static __device__ __forceinline__ idx weft_quotient(idx a, idx b) {
    return (idx)((unsigned int)a / (unsigned int)b);
}
static __device__ __forceinline__ idx weft_remainder(idx a, idx b) {
    return (idx)((unsigned int)a % (unsigned int)b);
}

struct Args {
    unsigned char* out_out;
    const unsigned char* in_a;
    const unsigned char* in_b;
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
    int v_a;
    int v_b;
    v_a = ((int)a.in_a[(c0 * a.n1 + c1)]);
    v_b = ((int)a.in_b[c1]);
    a.out_out[flat] = weft_int_u8(((int)((unsigned int)v_a + (unsigned int)v_b)));
}
