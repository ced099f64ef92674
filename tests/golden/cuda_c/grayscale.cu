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
            constexpr int wide = N % 16 == 0 ? 4 : N % 8 == 0 ? 2 : 1;
            unsigned int words[N / 4];
            #pragma unroll
            for (int i = 0; i < N / 4; ++i) {
                words[i] = 0u;
                #pragma unroll
                for (int k = 0; k < 4; ++k)
                    words[i] |= (unsigned int)(unsigned char)v[4 * i + k] << 8 * k;
            }
            if (((unsigned long long)to & (4 * wide - 1)) == 0) {
                #pragma unroll
                for (int i = 0; i < N / 4; i += wide) {
                    Pack<unsigned int, wide> some;
                    #pragma unroll
                    for (int k = 0; k < wide; ++k) some.v[k] = words[i + k];
                    *(Pack<unsigned int, wide>*)(to + 4 * i) = some;
                }
                return;
            }
            if (wide > 1 && ((unsigned long long)to & 3) == 0) {
                #pragma unroll
                for (int i = 0; i < N / 4; ++i) ((unsigned int*)to)[i] = words[i];
                return;
            }
        } else if constexpr (N > 1 && (size == 8 || size % 16 == 0)) {
            constexpr int one = (size == 8 ? 8 : 16) / (int)sizeof(T);
            if (((unsigned long long)to & (one * sizeof(T) - 1)) == 0) {
                #pragma unroll
                for (int i = 0; i < N; i += one) {
                    Pack<T, one> all;
                    #pragma unroll
                    for (int k = 0; k < one; ++k) all.v[k] = v[i + k];
                    *(Pack<T, one>*)(to + i) = all;
                }
                return;
            }
        }
        #pragma unroll
        for (int i = 0; i < N; ++i) to[i] = v[i];
    }
};

struct Args {
    float* out_out;
    const float* in_image;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx strips;
    idx total;
    idx factor0;
    idx shift0;
};

static __device__ __forceinline__ void treadle_pixel(
    const Args& a, const int j, const idx c0, const idx c1, float* const y_out_out) {
    const int k = 0;
    y_out_out[k] = (((0.299f * a.in_image[((c0 * a.n1 + c1) * 3)]) + (0.587f * a.in_image[((c0 * a.n1 + c1) * 3 + 1)])) + (0.114f * a.in_image[((c0 * a.n1 + c1) * 3 + 2)]));
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
    const idx base = (c0 * a.n1 + c1);
    treadle_Out<float, 1> w_out_out;
    #pragma unroll
    for (int j = 0; j < 1; ++j) treadle_pixel(a, j, c0, c1, w_out_out.v + j * 1);
    w_out_out.store(a.out_out + base);
}
