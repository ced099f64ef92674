typedef int idx;
static __device__ __forceinline__ idx treadle_split(idx a, idx factor, idx shift) {
    const unsigned int n = (unsigned int)a;
    return (idx)((__umulhi(n, (unsigned int)factor) + n) >> (unsigned int)shift);
}
template <typename T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Pack {
    T v[N];
};
template <typename T, int N> struct treadle_Out {
    T v[N];
    __device__ __forceinline__ void store(T* to) const {
        constexpr int size = N * (int)sizeof(T);
        if constexpr (sizeof(T) == 1 && N % 4 == 0) {
            if (((unsigned long long)to & 3) == 0) {
                #pragma unroll
                for (int i = 0; i < N / 4; ++i) {
                    unsigned int word = 0u;
                    #pragma unroll
                    for (int k = 0; k < 4; ++k)
                        word |= (unsigned int)(unsigned char)v[4 * i + k] << 8 * k;
                    ((unsigned int*)to)[i] = word;
                }
                return;
            }
        } else if constexpr (N > 1 && (size == 8 || size == 16)) {
            if (((unsigned long long)to & (size - 1)) == 0) {
                Pack<T, N> all;
                #pragma unroll
                for (int i = 0; i < N; ++i) all.v[i] = v[i];
                *(Pack<T, N>*)to = all;
                return;
            }
        }
        #pragma unroll
        for (int i = 0; i < N; ++i) to[i] = v[i];
    }
};

struct Args {
    long long* out_out;
    const long long* in_a;
    const long long* in_b;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx n2;
    idx strips;
    idx total;
    idx factor0;
    idx shift0;
};

static __device__ __forceinline__ void treadle_pixel(
    const Args& a, const int j, const idx c0, const idx c1, long long& y_out_out) {
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
    y_out_out = v_acc;
}

extern "C" __global__ void __launch_bounds__(256) treadle_map(
    const __grid_constant__ Args a) {
    const idx number = (idx)blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= a.total) return;
    const idx up0 = treadle_split(number, a.factor0, a.shift0);
    const idx t1 = number - up0 * a.strips;
    const idx t0 = up0;
    const idx c0 = t0;
    const idx c1 = t1;
    __builtin_assume(c0 >= 0);
    __builtin_assume(c1 >= 0);
    const idx base = (c0 * a.n2 + c1);
    treadle_Out<long long, 1> w_out_out;
    #pragma unroll
    for (int j = 0; j < 1; ++j) {
        #pragma unroll
        for (int k = 0; k < 1; ++k) treadle_pixel(a, j, c0, c1, w_out_out.v[k]);
    }
    w_out_out.store(a.out_out + base);
}
