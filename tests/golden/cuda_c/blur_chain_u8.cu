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
    __device__ __forceinline__ void load(const T* from, const bool whole) {
        if constexpr (C == 2 || C == 4) {
            if (whole) {
                const Pack<T, C> all = *(const Pack<T, C>*)from;
                #pragma unroll
                for (int k = 0; k < C; ++k) v[k] = all.v[k];
                return;
            }
        }
        #pragma unroll
        for (int k = 0; k < C; ++k) v[k] = from[k];
    }
};
template <int C> struct treadle_Pixel<unsigned char, C> {
    unsigned int word;
    __device__ __forceinline__ void load(const unsigned char* from, const bool whole) {
        if (C == 4 && whole) {
            word = *(const unsigned int*)from;
        } else {
            word = 0u;
            #pragma unroll
            for (int k = 0; k < C; ++k) word |= (unsigned int)from[k] << 8 * k;
        }
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
static __device__ __forceinline__ int treadle_turn(const int row, const int rows) {
    return row < 0 ? row + rows : row >= rows ? row - rows : row;
}
template <typename T, int N> struct treadle_Near {
    T v[N];
    __device__ __forceinline__ treadle_Near(const unsigned char* from, const int row,
            const int first, const bool inside, const int low, const int high) {
        const T* const place = (const T*)from + row;
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
    idx strips;
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

extern __shared__ __align__(16) unsigned char treadle_near[];

extern "C" __global__ void __launch_bounds__(128) treadle_chain(
    const __grid_constant__ Args a) {
    const bool aligned = ((unsigned long long)a.in_x0 & 3) == 0;
    for (idx strip = blockIdx.x; strip < a.strips; strip += gridDim.x) {
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
        #pragma unroll
        for (int r = 0; r < 2; ++r) held[r + 8].load(a.in_x0 + (treadle_clamp(y0 - 1 + r, a.n0) * a.n1 + mine) * 4, aligned);
        #pragma unroll
        for (int r = 0; r < 8; ++r) next[r + 0].load(a.in_x0 + (treadle_clamp(y0 - 1 + 2 + r, a.n0) * a.n1 + mine) * 4, aligned);
        int slot0 = 0;
        for (int step = 0; step < a.steps; ++step) {
            const idx y = y0 + step * 8;
            #pragma unroll
            for (int r = 0; r < 2; ++r) held[r] = held[r + 8];
            #pragma unroll
            for (int r = 0; r < 8; ++r) held[r + 2] = next[r];
            if (step + 1 < a.steps) {
                #pragma unroll
                for (int r = 0; r < 8; ++r) next[r + 0].load(a.in_x0 + (treadle_clamp(y - -9 + r, a.n0) * a.n1 + mine) * 4, aligned);
            }
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
                    v_s0_acc = (v_uniform0 * ((float)((int)treadle_channel(held[r + 0], 0))));
                    v_s0_acc_1 = (v_s0_acc + (v_uniform1 * ((float)((int)treadle_channel(held[r + 1], 0)))));
                    v_s0_acc_2 = (v_s0_acc_1 + (v_uniform0 * ((float)((int)treadle_channel(held[r + 2], 0)))));
                    ((float*)(treadle_near + 0))[(slot0 + r) * 132 + 0 + (int)threadIdx.x] = (v_s0_acc_2 * v_uniform2);
                }
            }
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
                    v_s0_acc = (v_uniform0 * ((float)((int)treadle_channel(held[r + 0], 1))));
                    v_s0_acc_1 = (v_s0_acc + (v_uniform1 * ((float)((int)treadle_channel(held[r + 1], 1)))));
                    v_s0_acc_2 = (v_s0_acc_1 + (v_uniform0 * ((float)((int)treadle_channel(held[r + 2], 1)))));
                    ((float*)(treadle_near + 0))[(slot0 + r) * 132 + 2112 + (int)threadIdx.x] = (v_s0_acc_2 * v_uniform2);
                }
            }
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
                    v_s0_acc = (v_uniform0 * ((float)((int)treadle_channel(held[r + 0], 2))));
                    v_s0_acc_1 = (v_s0_acc + (v_uniform1 * ((float)((int)treadle_channel(held[r + 1], 2)))));
                    v_s0_acc_2 = (v_s0_acc_1 + (v_uniform0 * ((float)((int)treadle_channel(held[r + 2], 2)))));
                    ((float*)(treadle_near + 0))[(slot0 + r) * 132 + 4224 + (int)threadIdx.x] = (v_s0_acc_2 * v_uniform2);
                }
            }
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
                    v_s0_acc = (v_uniform0 * ((float)((int)treadle_channel(held[r + 0], 3))));
                    v_s0_acc_1 = (v_s0_acc + (v_uniform1 * ((float)((int)treadle_channel(held[r + 1], 3)))));
                    v_s0_acc_2 = (v_s0_acc_1 + (v_uniform0 * ((float)((int)treadle_channel(held[r + 2], 3)))));
                    ((float*)(treadle_near + 0))[(slot0 + r) * 132 + 6336 + (int)threadIdx.x] = (v_s0_acc_2 * v_uniform2);
                }
            }
            __syncthreads();
            for (int item = threadIdx.x; item < 120; item += 128) {
                const int py = item % 8, px = item / 8 * 8;
                const idx own = y - 0 + py;
                const idx x = x0 - 0 + px;
                const int row0_0 = (slot0 + py) * 132;
                treadle_Out<unsigned char, 32> out;
                {
                    const treadle_Near<float, 12> w0(treadle_near + 0, row0_0, px + 0, inside, low + 1, high + 1);
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
                        out.v[r * 4 + 0] = treadle_f32_byte((v_s1_acc_2 * v_uniform5));
                    }
                }
                {
                    const treadle_Near<float, 12> w0(treadle_near + 8448, row0_0, px + 0, inside, low + 1, high + 1);
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
                        out.v[r * 4 + 1] = treadle_f32_byte((v_s1_acc_2 * v_uniform5));
                    }
                }
                {
                    const treadle_Near<float, 12> w0(treadle_near + 16896, row0_0, px + 0, inside, low + 1, high + 1);
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
                        out.v[r * 4 + 2] = treadle_f32_byte((v_s1_acc_2 * v_uniform5));
                    }
                }
                {
                    const treadle_Near<float, 12> w0(treadle_near + 25344, row0_0, px + 0, inside, low + 1, high + 1);
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
                        out.v[r * 4 + 3] = treadle_f32_byte((v_s1_acc_2 * v_uniform5));
                    }
                }
                if (own < end) {
                    if (inside) out.store(a.out_y0 + (own * a.n1 + x) * 4);
                    else {
                        #pragma unroll
                        for (int r = 0; r < 32; ++r)
                            if (x + r / 4 < a.n1) (a.out_y0 + (own * a.n1 + x) * 4)[r] = out.v[r];
                    }
                }
            }
            slot0 = treadle_turn(slot0 + 8, 16);
        }
        __syncthreads();
    }
}
