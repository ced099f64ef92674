typedef int idx;
static __device__ __forceinline__ int treadle_f32_byte(float a) {
    int word;
    asm("{ .reg .u8 r; cvt.rni.u8.f32 r, %1; cvt.u32.u8 %0, r; }" : "=r"(word) : "f"(a));
    return word;
}
static __device__ __forceinline__ idx treadle_clamp(idx i, idx size) {
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}
static __device__ __forceinline__ idx treadle_quotient(idx a, idx b) {
    return (idx)((unsigned int)a / (unsigned int)b);
}
static __device__ __forceinline__ idx treadle_remainder(idx a, idx b) {
    return (idx)((unsigned int)a % (unsigned int)b);
}
template <typename T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) Pack {
    T v[N];
};
template <typename T, int C> struct treadle_Pixel {
    T v[C];
    __device__ __forceinline__ void whole(const T* from) {
        if constexpr (C == 2 || C == 4) {
            const Pack<T, C> all = *(const Pack<T, C>*)from;
            #pragma unroll
            for (int k = 0; k < C; ++k) v[k] = all.v[k];
        } else {
            parts(from);
        }
    }
    __device__ __forceinline__ void parts(const T* from) {
        #pragma unroll
        for (int k = 0; k < C; ++k) v[k] = from[k];
    }
};
template <int C> struct treadle_Pixel<unsigned char, C> {
    unsigned int word;
    __device__ __forceinline__ void whole(const unsigned char* from) {
        if constexpr (C == 4) word = *(const unsigned int*)from;
        else if constexpr (C == 2) word = *(const unsigned short*)from;
        else parts(from);
    }
    __device__ __forceinline__ void parts(const unsigned char* from) {
        word = 0u;
        #pragma unroll
        for (int k = 0; k < C; ++k) word |= (unsigned int)from[k] << 8 * k;
    }
};
template <typename T, int C>
static __device__ __forceinline__ T treadle_channel(const treadle_Pixel<T, C>& pixel, const int k) {
    return pixel.v[k];
}
template <int C>
static __device__ __forceinline__ int treadle_channel(const treadle_Pixel<unsigned char, C>& pixel, const int k) {
    return (int)__byte_perm(pixel.word, 0u, 0x4440u + k);
}
static __device__ __forceinline__ unsigned int treadle_put(unsigned int word, int byte, int k) {
    const unsigned int own = 15u << 4 * k;
    return __byte_perm(word, (unsigned int)byte, (0x3210u & ~own) | (0x4444u & own));
}
template <typename T, int N> struct treadle_Near {
    T v[N];
    __device__ __forceinline__ treadle_Near(const T* const place, const int first,
            const bool inside, const int low, const int high) {
        if (inside) {
            #pragma unroll
            for (int i = 0; i < N; i += 4) {
                const Pack<T, 4> four = *(const Pack<T, 4>*)(place + first + i);
                #pragma unroll
                for (int k = 0; k < 4; ++k) v[i + k] = four.v[k];
            }
        } else {
            #pragma unroll
            for (int i = 0; i < N; ++i) v[i] = place[min(max(first + i, low), high)];
        }
    }
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
    unsigned char* out_y0;
    const unsigned char* in_x0;
    unsigned char* scratch;
    idx n0;
    idx n1;
    idx strips_down;
    idx strips_across;
    idx steps;
    float p_uniform0;
    float p_uniform1;
    float p_uniform2;
    float p_uniform3;
    float p_uniform4;
    float p_uniform5;
};

extern "C" __global__ void __launch_bounds__(128) treadle_chain(
    const __grid_constant__ Args a) {
    __shared__ __align__(16) unsigned char treadle_near[8448];
    const bool aligned = ((unsigned long long)a.in_x0 & 3) == 0;
    const idx strip = (idx)blockIdx.x;
    const idx across = treadle_remainder(strip, a.strips_across);
    const idx across_up = treadle_quotient(strip, a.strips_across);
    const idx down = across_up;
    const idx height = a.steps * 8 - 0;
    const idx y0 = down * height, x0 = across * 120;
    const idx end = min(y0 + height, a.n0);
    const bool inside = x0 >= 1 && x0 + 121 <= a.n1;
    const int low = (int)(max(-x0, (idx)-4096));
    const int high = (int)(min(a.n1 - 1 - x0, (idx)4096));
    const idx mine = treadle_clamp(x0 - 1 + (idx)threadIdx.x, a.n1);
    treadle_Pixel<unsigned char, 4> held[10], next[8];
    {
        const idx top = y0 - 1;
        if (aligned && top >= 0 && top + 2 <= a.n0) {
            const auto* const from = a.in_x0 + (top * a.n1 + mine) * 4;
            const idx pitch = a.n1 * 4;
            #pragma unroll
            for (int r = 0; r < 2; ++r)
                held[r + 8].whole(from + r * pitch);
        } else {
            #pragma unroll
            for (int r = 0; r < 2; ++r)
                held[r + 8].parts(a.in_x0 + (treadle_clamp(top + r, a.n0) * a.n1 + mine) * 4);
        }
    }
    {
        const idx top = y0 - 1 + 2;
        if (aligned && top >= 0 && top + 8 <= a.n0) {
            const auto* const from = a.in_x0 + (top * a.n1 + mine) * 4;
            const idx pitch = a.n1 * 4;
            #pragma unroll
            for (int r = 0; r < 8; ++r)
                next[r].whole(from + r * pitch);
        } else {
            #pragma unroll
            for (int r = 0; r < 8; ++r)
                next[r].parts(a.in_x0 + (treadle_clamp(top + r, a.n0) * a.n1 + mine) * 4);
        }
    }
    const int py = (int)threadIdx.x % 8;
    const int px = (int)threadIdx.x / 8 * 8;
    int side0 = 0;
    for (int step = 0; step < a.steps; ++step) {
        const idx y = y0 + step * 8;
        #pragma unroll
        for (int r = 0; r < 2; ++r) held[r] = held[r + 8];
        #pragma unroll
        for (int r = 0; r < 8; ++r) held[r + 2] = next[r];
        if (step + 1 < a.steps) {
            {
                const idx top = y - -9;
                if (aligned && top >= 0 && top + 8 <= a.n0) {
                    const auto* const from = a.in_x0 + (top * a.n1 + mine) * 4;
                    const idx pitch = a.n1 * 4;
                    #pragma unroll
                    for (int r = 0; r < 8; ++r)
                        next[r].whole(from + r * pitch);
                } else {
                    #pragma unroll
                    for (int r = 0; r < 8; ++r)
                        next[r].parts(a.in_x0 + (treadle_clamp(top + r, a.n0) * a.n1 + mine) * 4);
                }
            }
        }
        unsigned int whole[8] = {};
        #pragma unroll 1
        for (int k = 0; k < 4; ++k) {
            side0 ^= 1;
            {
                #pragma unroll
                for (int r = 0; r < 8; ++r) {
                    float v_uniform0;
                    float v_uniform1;
                    float v_uniform2;
                    float v_s0_acc;
                    float v_s0_acc_1;
                    float v_s0_acc_2;
                    v_uniform0 = a.p_uniform0;
                    v_uniform1 = a.p_uniform1;
                    v_uniform2 = a.p_uniform2;
                    v_s0_acc = (v_uniform0 * ((float)((int)treadle_channel(held[r + 0], k))));
                    v_s0_acc_1 = (v_s0_acc + (v_uniform1 * ((float)((int)treadle_channel(held[r + 1], k)))));
                    v_s0_acc_2 = (v_s0_acc_1 + (v_uniform0 * ((float)((int)treadle_channel(held[r + 2], k)))));
                    ((float*)(treadle_near + 0))[side0 * 1056 + r * 132 + (int)threadIdx.x] = (v_s0_acc_2 * v_uniform2);
                }
            }
            __syncthreads();
            if (px < 120) {
                const idx own = y - 0 + py;
                const idx x = x0 - 0 + px;
                const int row0_0 = py * 132;
                {
                    const treadle_Near<float, 12> w0((float*)(treadle_near + 0) + side0 * 1056 + row0_0, px + 0, inside, low + 1, high + 1);
                    #pragma unroll
                    for (int r = 0; r < 8; ++r) {
                        float v_uniform3;
                        float v_uniform4;
                        float v_uniform5;
                        float v_s1_acc;
                        float v_s1_acc_1;
                        float v_s1_acc_2;
                        v_uniform3 = a.p_uniform3;
                        v_uniform4 = a.p_uniform4;
                        v_uniform5 = a.p_uniform5;
                        v_s1_acc = (v_uniform3 * w0.v[r + 0]);
                        v_s1_acc_1 = (v_s1_acc + (v_uniform4 * w0.v[r + 1]));
                        v_s1_acc_2 = (v_s1_acc_1 + (v_uniform3 * w0.v[r + 2]));
                        whole[r] = treadle_put(whole[r], treadle_f32_byte((v_s1_acc_2 * v_uniform5)), k);
                    }
                }
            }
        }
        const idx own = y - 0 + py, x = x0 + px;
        if (px < 120 && own < end) {
            treadle_Out<unsigned char, 32> out;
            #pragma unroll
            for (int r = 0; r < 32; ++r)
                out.v[r] = (unsigned char)(whole[r / 4] >> r % 4 * 8);
            if (inside) out.store(a.out_y0 + (own * a.n1 + x) * 4);
            else {
                #pragma unroll
                for (int r = 0; r < 32; ++r)
                    if (x + r / 4 < a.n1) (a.out_y0 + (own * a.n1 + x) * 4)[r] = out.v[r];
            }
        }
    }
}
