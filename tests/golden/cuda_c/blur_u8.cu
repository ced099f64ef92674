typedef int idx;
static __device__ __forceinline__ idx weft_clamp(idx i, idx size) {
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}
static __device__ __forceinline__ idx weft_quotient(idx a, idx b) {
    return (idx)((unsigned int)a / (unsigned int)b);
}
static __device__ __forceinline__ idx weft_remainder(idx a, idx b) {
    return (idx)((unsigned int)a % (unsigned int)b);
}

struct Args {
    float* out_out;
    const unsigned char* in_image;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx total;
    float p_sigma;
};

extern "C" __global__ void __launch_bounds__(256) weft_map(
    const __grid_constant__ Args a) {
    const idx flat = (idx)blockIdx.x * blockDim.x + threadIdx.x;
    if (flat >= a.total) return;
    const idx c2 = weft_remainder(flat, 4);
    const idx c2_up = weft_quotient(flat, 4);
    const idx c1 = weft_remainder(c2_up, a.n1);
    const idx c1_up = weft_quotient(c2_up, a.n1);
    const idx c0 = c1_up;
    float v_base;
    float v_square;
    float v_weight;
    float v_total;
    int v_moved0;
    int v_moved1;
    float v_acc;
    float v_base_1;
    float v_square_1;
    float v_weight_1;
    float v_total_1;
    int v_moved0_1;
    int v_moved1_1;
    float v_acc_1;
    float v_base_2;
    float v_square_2;
    float v_weight_2;
    float v_total_2;
    int v_moved0_2;
    int v_moved1_2;
    float v_acc_2;
    v_base = ((-1.0f) / a.p_sigma);
    v_square = (v_base * v_base);
    v_weight = expf(((-0.5f) * v_square));
    v_total = (0.0f + v_weight);
    v_moved0 = ((int)((unsigned int)c0 + (unsigned int)(-1)));
    v_moved1 = c1;
    v_acc = (0.0f + (v_weight * ((float)((int)a.in_image[((weft_clamp(v_moved0, a.n0) * a.n1 + v_moved1) * 4 + c2)]))));
    v_base_1 = (0.0f / a.p_sigma);
    v_square_1 = (v_base_1 * v_base_1);
    v_weight_1 = expf(((-0.5f) * v_square_1));
    v_total_1 = (v_total + v_weight_1);
    v_moved0_1 = c0;
    v_moved1_1 = c1;
    v_acc_1 = (v_acc + (v_weight_1 * ((float)((int)a.in_image[((v_moved0_1 * a.n1 + v_moved1_1) * 4 + c2)]))));
    v_base_2 = (1.0f / a.p_sigma);
    v_square_2 = (v_base_2 * v_base_2);
    v_weight_2 = expf(((-0.5f) * v_square_2));
    v_total_2 = (v_total_1 + v_weight_2);
    v_moved0_2 = ((int)((unsigned int)c0 + (unsigned int)1));
    v_moved1_2 = c1;
    v_acc_2 = (v_acc_1 + (v_weight_2 * ((float)((int)a.in_image[((weft_clamp(v_moved0_2, a.n0) * a.n1 + v_moved1_2) * 4 + c2)]))));
    a.out_out[flat] = (v_acc_2 * (1.0f / v_total_2));
}

typedef int idx;
static __device__ __forceinline__ int weft_f32_byte(float a) {
    int word;
    asm("{ .reg .u8 r; cvt.rni.u8.f32 r, %1; cvt.u32.u8 %0, r; }" : "=r"(word) : "f"(a));
    return word;
}
static __device__ __forceinline__ unsigned char weft_f32_u8(float a) {
    return (unsigned char)weft_f32_byte(a);
}
static __device__ __forceinline__ idx weft_clamp(idx i, idx size) {
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}
static __device__ __forceinline__ idx weft_quotient(idx a, idx b) {
    return (idx)((unsigned int)a / (unsigned int)b);
}
static __device__ __forceinline__ idx weft_remainder(idx a, idx b) {
    return (idx)((unsigned int)a % (unsigned int)b);
}

struct Args {
    unsigned char* out_out;
    const float* in_image;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx total;
    float p_sigma;
};

extern "C" __global__ void __launch_bounds__(256) weft_map(
    const __grid_constant__ Args a) {
    const idx flat = (idx)blockIdx.x * blockDim.x + threadIdx.x;
    if (flat >= a.total) return;
    const idx c2 = weft_remainder(flat, 4);
    const idx c2_up = weft_quotient(flat, 4);
    const idx c1 = weft_remainder(c2_up, a.n1);
    const idx c1_up = weft_quotient(c2_up, a.n1);
    const idx c0 = c1_up;
    float v_base;
    float v_square;
    float v_weight;
    float v_total;
    int v_moved0;
    int v_moved1;
    float v_acc;
    float v_base_1;
    float v_square_1;
    float v_weight_1;
    float v_total_1;
    int v_moved0_1;
    int v_moved1_1;
    float v_acc_1;
    float v_base_2;
    float v_square_2;
    float v_weight_2;
    float v_total_2;
    int v_moved0_2;
    int v_moved1_2;
    float v_acc_2;
    v_base = ((-1.0f) / a.p_sigma);
    v_square = (v_base * v_base);
    v_weight = expf(((-0.5f) * v_square));
    v_total = (0.0f + v_weight);
    v_moved0 = c0;
    v_moved1 = ((int)((unsigned int)c1 + (unsigned int)(-1)));
    v_acc = (0.0f + (v_weight * a.in_image[((v_moved0 * a.n1 + weft_clamp(v_moved1, a.n1)) * 4 + c2)]));
    v_base_1 = (0.0f / a.p_sigma);
    v_square_1 = (v_base_1 * v_base_1);
    v_weight_1 = expf(((-0.5f) * v_square_1));
    v_total_1 = (v_total + v_weight_1);
    v_moved0_1 = c0;
    v_moved1_1 = c1;
    v_acc_1 = (v_acc + (v_weight_1 * a.in_image[((v_moved0_1 * a.n1 + v_moved1_1) * 4 + c2)]));
    v_base_2 = (1.0f / a.p_sigma);
    v_square_2 = (v_base_2 * v_base_2);
    v_weight_2 = expf(((-0.5f) * v_square_2));
    v_total_2 = (v_total_1 + v_weight_2);
    v_moved0_2 = c0;
    v_moved1_2 = ((int)((unsigned int)c1 + (unsigned int)1));
    v_acc_2 = (v_acc_1 + (v_weight_2 * a.in_image[((v_moved0_2 * a.n1 + weft_clamp(v_moved1_2, a.n1)) * 4 + c2)]));
    a.out_out[flat] = weft_f32_u8((v_acc_2 * (1.0f / v_total_2)));
}
