typedef int idx;
static __device__ __forceinline__ idx weft_quotient(idx a, idx b) {
    return (idx)((unsigned int)a / (unsigned int)b);
}
static __device__ __forceinline__ idx weft_remainder(idx a, idx b) {
    return (idx)((unsigned int)a % (unsigned int)b);
}

struct Args {
    long long* out_out;
    const long long* in_a;
    const long long* in_b;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx n2;
    idx total;
};

extern "C" __global__ void __launch_bounds__(256) weft_map(
    const __grid_constant__ Args a) {
    const idx flat = (idx)blockIdx.x * blockDim.x + threadIdx.x;
    if (flat >= a.total) return;
    const idx c1 = weft_remainder(flat, a.n2);
    const idx c1_up = weft_quotient(flat, a.n2);
    const idx c0 = c1_up;
    long long v_acc;
    long long v_acc_1;
    long long v_acc_next;
    v_acc = 0ll;
    {
        int v_k_stop = a.n1;
        for (int v_k = 0; v_k < v_k_stop; v_k += 1) {
            v_acc_1 = ((long long)((unsigned long long)v_acc + (unsigned long long)((long long)((unsigned long long)a.in_a[(c0 * a.n1 + v_k)] * (unsigned long long)a.in_b[(v_k * a.n2 + c1)]))));
            v_acc_next = v_acc_1;
            v_acc = v_acc_next;
        }
    }
    a.out_out[flat] = v_acc;
}
