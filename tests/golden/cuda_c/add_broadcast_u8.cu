typedef int idx;
template <typename T> static __device__ __forceinline__ unsigned char treadle_int_u8(T a) {
    return (unsigned char)(a < (T)0 ? (T)0 : a > (T)255 ? (T)255 : a);
}
static __device__ __forceinline__ idx treadle_split(idx a, idx factor, idx shift) {
    const unsigned int n = (unsigned int)a;
    return (idx)((__umulhi(n, (unsigned int)factor) + n) >> (unsigned int)shift);
}
template <typename T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Pack {
    T v[N];
};
template <int N> struct treadle_Bytes {
    unsigned int w[(N + 3) / 4];
    __device__ __forceinline__ explicit treadle_Bytes(const unsigned char* from) {
        const int off = (int)((unsigned long long)from & 3);
        const unsigned int* words = (const unsigned int*)(from - off);
        unsigned int next = words[0];
        #pragma unroll
        for (int i = 0; i < (N + 3) / 4; ++i) {
            const unsigned int here = next;
            next = 4 * (i + 1) < off + N ? words[i + 1] : 0u;
            w[i] = __funnelshift_r(here, next, off * 8);
        }
    }
};
template <int N> static __device__ __forceinline__ int treadle_held(const treadle_Bytes<N>& s, const int i) {
    return (int)__byte_perm(s.w[i >> 2], 0u, 0x4440u + (i & 3));
}
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
    unsigned char* out_out;
    const unsigned char* in_a;
    const unsigned char* in_b;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx strips;
    idx total;
    idx factor0;
    idx shift0;
};

static __device__ __forceinline__ void treadle_pixel(
    const Args& a, const int j, const idx c0, const idx c1, unsigned char* const y_out_out) {
    const int k = 0;
    int v_a;
    int v_b;
    v_a = ((int)a.in_a[(c0 * a.n1 + c1)]);
    v_b = ((int)a.in_b[c1]);
    y_out_out[k] = treadle_int_u8(((int)((unsigned int)v_a + (unsigned int)v_b)));
}
static __device__ __forceinline__ void treadle_inside(
    const Args& a, const int j, const idx c0, const idx c1, const treadle_Bytes<4>& s0, const treadle_Bytes<4>& s1, unsigned char* const y_out_out) {
    const int k = 0;
    int v_a;
    int v_b;
    v_a = treadle_held(s0, (j + 0) * 1 + 0);
    v_b = treadle_held(s1, (j + 0) * 1 + 0);
    y_out_out[k] = treadle_int_u8(((int)((unsigned int)v_a + (unsigned int)v_b)));
}

extern "C" __global__ void __launch_bounds__(256) treadle_map(
    const __grid_constant__ Args a) {
    const idx number = (idx)blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= a.total) return;
    const idx up0 = treadle_split(number, a.factor0, a.shift0);
    const idx t1 = number - up0 * a.strips;
    const idx t0 = up0;
    const idx c0 = t0;
    const idx c1 = t1 * 4;
    __builtin_assume(c0 >= 0);
    __builtin_assume(c1 >= 0);
    const idx base = (c0 * a.n1 + c1);
    if (c1 + 4 <= a.n1) {
        const treadle_Bytes<4> s0(a.in_a + (c0 * a.n1 + (0 + c1 + 0)));
        const treadle_Bytes<4> s1(a.in_b + (0 * a.n1 + (0 + c1 + 0)));
        treadle_Out<unsigned char, 4> w_out_out;
        #pragma unroll
        for (int j = 0; j < 4; ++j) treadle_inside(a, j, c0, c1 + j, s0, s1, w_out_out.v + j * 1);
        w_out_out.store(a.out_out + base);
    } else {
        #pragma unroll 1
        for (int j = 0; j < 4 && c1 + j < a.n1; ++j) {
            unsigned char one_out_out[1];
            treadle_pixel(a, j, c0, c1 + j, one_out_out);
            #pragma unroll
            for (int k = 0; k < 1; ++k) {
                a.out_out[base + j * 1 + k] = one_out_out[k];
            }
        }
    }
}
