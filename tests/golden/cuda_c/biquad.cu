typedef int idx;
static __device__ __forceinline__ idx treadle_quotient(idx a, idx b) {
    return (idx)((unsigned int)a / (unsigned int)b);
}

struct Args {
    float* out_out;
    const float* in_x;
    unsigned char* scratch;
    idx n0;
    idx lines;
    idx length;
    float p_b0;
    float p_a1;
};

extern "C" __global__ void __launch_bounds__(64) treadle_scan(
    const __grid_constant__ Args a) {
    const idx line = (idx)blockIdx.x * 64 + threadIdx.x;
    if (line >= a.lines) return;
    const idx c1 = line;
    const idx stride = 2;
    const idx above = treadle_quotient(line, stride);
    idx at = above * a.length * stride + (line - above * stride);
    float v_state0 = 0.0f;
    float v_state1 = 0.0f;
    for (idx c0 = 0; c0 < a.length; ++c0, at += stride) {
        float v_x;
        float v_y;
        v_x = a.in_x[(c0 * 2 + c1)];
        v_y = ((a.p_b0 * v_x) + v_state0);
        float new_0 = (v_state1 - (a.p_a1 * v_y));
        float new_1 = (v_x - v_y);
        a.out_out[at] = v_y;
        v_state0 = new_0;
        v_state1 = new_1;
    }
}
