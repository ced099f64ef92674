typedef int idx;
template <typename T> static __device__ __forceinline__ T treadle_floordiv(T a, T b) {
    if (b == 0) return 0;
    if (b == -1) return (T)(0ull - (unsigned long long)a);
    const T q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
template <typename T> static __device__ __forceinline__ T treadle_mod(T a, T b) {
    if (b == 0 || b == -1) return 0;
    const T r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
template <typename T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Pack {
    T v[N];
};

struct Args {
    int* out_out;
    const int* in_n;
    unsigned char* scratch;
    idx n0;
    idx total;
};

static __device__ __forceinline__ void treadle_element(
    const Args& a, const idx flat, const int x_in_n, int& y_out_out) {
    int v_n;
    int v_n_1;
    int v_count;
    bool v_test;
    bool v_test_1;
    int v_n_2;
    int v_n_4;
    int v_n_3;
    int v_count_1;
    int v_n_next;
    int v_count_next;
    v_n = x_in_n;
    v_n_1 = v_n;
    v_count = 0;
    for (int turn_1 = 0; turn_1 < 1048576; turn_1 += 1) {
        v_test = ((v_n_1 > 1) && (v_count < 100));
        if (!(v_test)) { break; }
        v_test_1 = (treadle_mod(v_n_1, 2) == 0);
        if (v_test_1) {
            v_n_2 = treadle_floordiv(v_n_1, 2);
            v_n_4 = v_n_2;
        } else {
            v_n_3 = ((int)((unsigned int)((int)((unsigned int)3 * (unsigned int)v_n_1)) + (unsigned int)1));
            v_n_4 = v_n_3;
        }
        v_count_1 = ((int)((unsigned int)v_count + (unsigned int)1));
        v_n_next = v_n_4;
        v_count_next = v_count_1;
        v_n_1 = v_n_next;
        v_count = v_count_next;
    }
    y_out_out = v_count;
}

extern "C" __global__ void __launch_bounds__(256) treadle_map(
    const __grid_constant__ Args a) {
    const idx base = ((idx)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (base + 4 <= a.total && (((unsigned long long)a.in_n | (unsigned long long)a.out_out) & 15) == 0) {
        const Pack<int, 4> v_in_n = *(const Pack<int, 4>*)(a.in_n + base);
        Pack<int, 4> w_out_out;
        #pragma unroll
        for (int j = 0; j < 4; ++j) treadle_element(a, base + j, v_in_n.v[j], w_out_out.v[j]);
        *(Pack<int, 4>*)(a.out_out + base) = w_out_out;
    } else {
        for (idx i = base; i < base + 4 && i < a.total; ++i)
            treadle_element(a, i, a.in_n[i], a.out_out[i]);
    }
}
