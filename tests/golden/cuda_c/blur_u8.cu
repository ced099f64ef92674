typedef int idx;
static __device__ __forceinline__ idx treadle_clamp(idx i, idx size) {
    return i < 0 ? 0 : i >= size ? size - 1 : i;
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
    float* out_out;
    const unsigned char* in_image;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx strips;
    idx total;
    idx factor0;
    idx shift0;
    float p_uniform0;
    float p_uniform1;
    float p_uniform2;
};

static __device__ __forceinline__ void treadle_inside(
    const Args& a, const int j, const idx c0, const idx c1, const treadle_Bytes<4>& s0, const treadle_Bytes<4>& s1, const treadle_Bytes<4>& s2, float* const y_out_out) {
    float v_uniform0;
    float v_uniform1;
    float v_uniform2;
    int v_moved0;
    int v_moved1;
    int v_moved0_1;
    int v_moved1_1;
    int v_moved0_2;
    int v_moved1_2;
    v_uniform0 = a.p_uniform0;
    v_uniform1 = a.p_uniform1;
    v_uniform2 = a.p_uniform2;
    v_moved0 = ((int)((unsigned int)c0 + (unsigned int)(-1)));
    v_moved1 = c1;
    v_moved0_1 = c0;
    v_moved1_1 = c1;
    v_moved0_2 = ((int)((unsigned int)c0 + (unsigned int)1));
    v_moved1_2 = c1;
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        const idx c2 = k;
        float v_acc;
        float v_acc_1;
        float v_acc_2;
        v_acc = (v_uniform0 * ((float)treadle_held(s0, (j + 0) * 4 + c2)));
        v_acc_1 = (v_acc + (v_uniform1 * ((float)treadle_held(s1, (j + 0) * 4 + c2))));
        v_acc_2 = (v_acc_1 + (v_uniform0 * ((float)treadle_held(s2, (j + 0) * 4 + c2))));
        y_out_out[k] = (v_acc_2 * v_uniform2);
    }
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
    const idx base = (c0 * a.n1 + c1) * 4;
    const treadle_Bytes<4> s0(a.in_image + (treadle_clamp((c0 + (-1)), a.n0) * a.n1 + (0 + c1 + 0)) * 4);
    const treadle_Bytes<4> s1(a.in_image + (c0 * a.n1 + (0 + c1 + 0)) * 4);
    const treadle_Bytes<4> s2(a.in_image + (treadle_clamp((c0 + 1), a.n0) * a.n1 + (0 + c1 + 0)) * 4);
    treadle_Out<float, 4> w_out_out;
    #pragma unroll
    for (int j = 0; j < 1; ++j) treadle_inside(a, j, c0, c1, s0, s1, s2, w_out_out.v + j * 4);
    w_out_out.store(a.out_out + base);
}

typedef int idx;
static __device__ __forceinline__ int treadle_f32_byte(float a) {
    int word;
    asm("{ .reg .u8 r; cvt.rni.u8.f32 r, %1; cvt.u32.u8 %0, r; }" : "=r"(word) : "f"(a));
    return word;
}
static __device__ __forceinline__ unsigned char treadle_f32_u8(float a) {
    return (unsigned char)treadle_f32_byte(a);
}
static __device__ __forceinline__ idx treadle_clamp(idx i, idx size) {
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}
static __device__ __forceinline__ idx treadle_split(idx a, idx factor, idx shift) {
    const unsigned int n = (unsigned int)a;
    return (idx)((__umulhi(n, (unsigned int)factor) + n) >> (unsigned int)shift);
}
template <typename T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Pack {
    T v[N];
};
template <typename T, int C, int N> struct treadle_Vectors {
    T v[C * N];
    __device__ __forceinline__ explicit treadle_Vectors(const T* from) {
        #pragma unroll
        for (int i = 0; i < N; ++i) {
            const Pack<T, C> pixel = *(const Pack<T, C>*)(from + i * C);
            #pragma unroll
            for (int k = 0; k < C; ++k) v[i * C + k] = pixel.v[k];
        }
    }
};
template <typename T, int C, int N>
static __device__ __forceinline__ T treadle_held(const treadle_Vectors<T, C, N>& s, const int i) {
    return s.v[i];
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
    const float* in_image;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx strips;
    idx total;
    idx factor0;
    idx shift0;
    float p_uniform0;
    float p_uniform1;
    float p_uniform2;
};

static __device__ __forceinline__ void treadle_pixel(
    const Args& a, const int j, const idx c0, const idx c1, unsigned char* const y_out_out) {
    float v_uniform0;
    float v_uniform1;
    float v_uniform2;
    int v_moved0;
    int v_moved1;
    int v_moved0_1;
    int v_moved1_1;
    int v_moved0_2;
    int v_moved1_2;
    v_uniform0 = a.p_uniform0;
    v_uniform1 = a.p_uniform1;
    v_uniform2 = a.p_uniform2;
    v_moved0 = c0;
    v_moved1 = ((int)((unsigned int)c1 + (unsigned int)(-1)));
    v_moved0_1 = c0;
    v_moved1_1 = c1;
    v_moved0_2 = c0;
    v_moved1_2 = ((int)((unsigned int)c1 + (unsigned int)1));
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        const idx c2 = k;
        float v_acc;
        float v_acc_1;
        float v_acc_2;
        v_acc = (0.0f + (v_uniform0 * a.in_image[((v_moved0 * a.n1 + treadle_clamp(v_moved1, a.n1)) * 4 + c2)]));
        v_acc_1 = (v_acc + (v_uniform1 * a.in_image[((v_moved0_1 * a.n1 + v_moved1_1) * 4 + c2)]));
        v_acc_2 = (v_acc_1 + (v_uniform0 * a.in_image[((v_moved0_2 * a.n1 + treadle_clamp(v_moved1_2, a.n1)) * 4 + c2)]));
        y_out_out[k] = treadle_f32_u8((v_acc_2 * v_uniform2));
    }
}
static __device__ __forceinline__ void treadle_inside(
    const Args& a, const int j, const idx c0, const idx c1, const treadle_Vectors<float, 4, 6>& s0, unsigned char* const y_out_out) {
    float v_uniform0;
    float v_uniform1;
    float v_uniform2;
    int v_moved0;
    int v_moved1;
    int v_moved0_1;
    int v_moved1_1;
    int v_moved0_2;
    int v_moved1_2;
    v_uniform0 = a.p_uniform0;
    v_uniform1 = a.p_uniform1;
    v_uniform2 = a.p_uniform2;
    v_moved0 = c0;
    v_moved1 = ((int)((unsigned int)c1 + (unsigned int)(-1)));
    v_moved0_1 = c0;
    v_moved1_1 = c1;
    v_moved0_2 = c0;
    v_moved1_2 = ((int)((unsigned int)c1 + (unsigned int)1));
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        const idx c2 = k;
        float v_acc;
        float v_acc_1;
        float v_acc_2;
        v_acc = (0.0f + (v_uniform0 * treadle_held(s0, (j + 0) * 4 + c2)));
        v_acc_1 = (v_acc + (v_uniform1 * treadle_held(s0, (j + 1) * 4 + c2)));
        v_acc_2 = (v_acc_1 + (v_uniform0 * treadle_held(s0, (j + 2) * 4 + c2)));
        y_out_out[k] = treadle_f32_u8((v_acc_2 * v_uniform2));
    }
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
    const idx base = (c0 * a.n1 + c1) * 4;
    if (c1 + 4 <= a.n1 && (0 + c1 + -1) >= 0 && (0 + c1 + -1) + 6 <= a.n1 && ((unsigned long long)a.in_image & 15) == 0) {
        const treadle_Vectors<float, 4, 6> s0(a.in_image + (c0 * a.n1 + (0 + c1 + -1)) * 4);
        treadle_Out<unsigned char, 16> w_out_out;
        #pragma unroll
        for (int j = 0; j < 4; ++j) treadle_inside(a, j, c0, c1 + j, s0, w_out_out.v + j * 4);
        w_out_out.store(a.out_out + base);
    } else {
        #pragma unroll 1
        for (int j = 0; j < 4 && c1 + j < a.n1; ++j) {
            unsigned char one_out_out[4];
            treadle_pixel(a, j, c0, c1 + j, one_out_out);
            #pragma unroll
            for (int k = 0; k < 4; ++k) {
                a.out_out[base + j * 4 + k] = one_out_out[k];
            }
        }
    }
}
