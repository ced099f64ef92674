"""The text of a scan over bytes, in CUDA C++; bytes fills in its words and says when it is used.

In: nothing. Out: pieces of text with names in capitals where a kernel's own words go. A lane of
group g (eight of them) and number t (four) multiplies rows 4 g to 4 g + 3 of a group of 32, words t
and t + 4 of every eight, with queries 2 t and 2 t + 1 of every eight.
"""

from __future__ import annotations

__all__ = ["BEST", "BITS", "LEAST", "NEAR", "PIECES", "SCAN", "WIDE"]

PIECES = """static __device__ __forceinline__ uint4 treadle_stream(const uint4* from) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
    return v;
}
static __device__ __forceinline__ void treadle_multiply(
    int (&sum)[4], const unsigned int r0, const unsigned int r1, const unsigned int r2,
    const unsigned int r3, const unsigned int q0, const unsigned int q1) {
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "r"(q0), "r"(q1));
}
static __device__ __forceinline__ float treadle_one(const float4 v, const int j) {
    return j == 0 ? v.x : j == 1 ? v.y : j == 2 ? v.z : v.w;
}"""

# Eight lanes have eight values of four bits each: lane g gets the g-th of every lane.
BITS = """static __device__ __forceinline__ unsigned int treadle_across(
    unsigned int v, const int g) {
    #pragma unroll
    for (int b = 0; b < 3; ++b) {
        const unsigned int low = b == 0 ? 0x0f0f0f0fu : b == 1 ? 0x00ff00ffu : 0x0000ffffu;
        const unsigned int other = __shfl_xor_sync(~0u, v, 4 << b);
        v = g >> b & 1 ? (v & ~low) | (other & ~low) >> (4 << b)
                       : (v & low) | (other & low) << (4 << b);
    }
    return v;
}"""

# Eight lanes have eight values each: lane g gets the smallest of all their g-th.
LEAST = """static __device__ __forceinline__ float treadle_across(float (&v)[8], const int g) {
    #pragma unroll
    for (int b = 2; b >= 0; --b) {
        const bool upper = g >> b & 1;
        #pragma unroll
        for (int k = 0; k < 1 << b; ++k) {
            const float kept = upper ? v[k + (1 << b)] : v[k];
            const float given = upper ? v[k] : v[k + (1 << b)];
            v[k] = fminf(kept, __shfl_xor_sync(~0u, given, 4 << b));
        }
    }
    return v[0];
}"""

WIDE = f"""static __device__ __forceinline__ void treadle_multiply_all(
    int (&s)[16][4], const unsigned int r0, const unsigned int r1, const unsigned int r2,
    const unsigned int r3, const unsigned long long queries) {{
    asm volatile("{{ .reg .pred on; setp.eq.u32 on, 0, 0;"
        " wgmma.mma_async.sync.aligned.m64n128k32.s32.u8.s8"
        " {{{", ".join(f"%{i}" for i in range(64))}}},"
        " {{%64, %65, %66, %67}}, %68, on; }}"
        : {", ".join(f'"+r"(s[{i // 4}][{i % 4}])' for i in range(64))}
        : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "l"(queries));
}}"""

# Blocks that have the same queries share the rows; those that have the same rows take them at the
# same time, so that all but one find them in the cache.
SCAN = """template <int TILES, bool WIDE>
static __device__ __forceinline__ void treadle_scan(const Args& a) {
    extern __shared__ uint4 room[];
    constexpr bool HELD = TILES > 1;
    constexpr int PAIRS = HELD ? TILES / 2 : 1, LAST = DEPTH - 1;
    const int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
    const idx warps = blockDim.x >> 5, warp = threadIdx.x >> 5;
    const idx count = COUNT, words = WORDS, groups = GROUPS;
    const int steps = (int)(words >> 3);
    float4* const facts = (float4*)room;
    int* const sums = (int*)(facts + 8 * TILES);
    unsigned int* const held = (unsigned int*)(sums + 8 * TILES);
    const auto asked = [&](const idx q) -> idx { return q < ASKED ? q : ASKED - 1; };
    const auto placed = [&](const idx group) -> long long {
        const long long at = PLACE, last = LIVE - 1;
        return at < 0 ? 0 : at < last ? at : last;
    };
    const auto rows = [&](const idx group) -> const uint4* {
        const long long block = 2 * placed(group) + (g >> 2);
        return (const uint4*)a.CODES + (block * words + t) * 4 + (g & 3);
    };
    const idx parts = (idx)gridDim.x > a.chunks ? (idx)gridDim.x / a.chunks : 1;
    for (idx unit = blockIdx.x; unit < a.chunks * parts; unit += gridDim.x) {
        const idx part = unit / a.chunks, base = (unit - part * a.chunks) * 8 * TILES;
        __syncthreads();
        for (int i = threadIdx.x; i < 8 * TILES; i += blockDim.x) {
            const idx q = asked(base + i);
            float4 fact = ((const float4*)a.FACTS)[q];
            sums[i] = (int)(0u - 128u * (unsigned int)__float2int_rz(fact.w));
            fact.w = LIMIT;
            facts[i] = fact;
        }
        if constexpr (WIDE) {
            for (int i = threadIdx.x; i < steps * TILES * 16; i += blockDim.x)
                ((uint4*)held)[i] = ((const uint4*)(a.QUERIES
                    + asked(base + (i & 8 * TILES - 1)) * words))[i / (8 * TILES)];
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        } else if constexpr (HELD) {
            for (int i = threadIdx.x; i < steps * TILES * 64; i += blockDim.x) {
                const int to = i >> 2 & 31, high = i & 1, pair = (i >> 7) % PAIRS;
                const int step = (i >> 7) / PAIRS, tile = pair * 2 + (i >> 1 & 1);
                const idx q = asked(base + tile * 8 + (to >> 2));
                held[i] = a.QUERIES[q * words + step * 8 + high * 4 + (to & 3)];
            }
        }
        __syncthreads();
        const unsigned int* const single = a.QUERIES + asked(base + g) * words + t;
        const unsigned long long place = (unsigned long long)__cvta_generic_to_shared(held) >> 4
            | (8ull * TILES) << 16 | 8ull << 32;
        const idx stride = parts * warps;
        idx group = part * warps + warp;
        const uint4* from = rows(group);
        uint4 ring[DEPTH][2];
        #pragma unroll
        for (int u = 0; u < (WIDE ? LAST : DEPTH); ++u)
            if (WIDE || (group < groups && u < steps)) {
                ring[u][0] = treadle_stream(from + u * 32);
                ring[u][1] = treadle_stream(from + u * 32 + 16);
            }
        #pragma unroll 1
        for (; group - (WIDE ? warp & 3 : 0) < groups; group += stride) {
            const uint4* const next = rows(group + stride);
            const float4* const numbers =
                (const float4*)a.NUMBERS + (2 * placed(group) + (g >> 2)) * 16 + (g & 3);
            const float4 scales = numbers[0], squares = numbers[4];
            const float4 rests = numbers[8], lengths = numbers[12];
            const unsigned int alive = a.ALIVE[placed(group)];
            int sum[2][TILES][4];
            #pragma unroll
            for (int n = 0; n < TILES; ++n) {
                const int2 begin = *(const int2*)(sums + n * 8 + 2 * t);
                #pragma unroll
                for (int m = 0; m < 2; ++m) {
                    sum[m][n][0] = sum[m][n][2] = begin.x;
                    sum[m][n][1] = sum[m][n][3] = begin.y;
                }
            }
            if constexpr (WIDE) {
                #pragma unroll 1
                for (int step = 0; step < steps; step += DEPTH) {
                    const uint4* const ahead =
                        step + DEPTH < steps ? from + (step + DEPTH) * 32 : next;
                    #pragma unroll
                    for (int u = 0; u < DEPTH; ++u) {
                        const uint4 x = ring[u][0], y = ring[u][1];
                        const unsigned long long at = place + (step + u) * (TILES * 16);
                        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
                        treadle_multiply_all(sum[0], x.x, x.y, y.x, y.y, at);
                        treadle_multiply_all(sum[1], x.z, x.w, y.z, y.w, at);
                        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
                        // The products before these have ended: their registers take new words.
                        const uint4* const more =
                            u == 0 ? from + (step + LAST) * 32 : ahead + (u - 1) * 32;
                        ring[(u + LAST) % DEPTH][0] = treadle_stream(more);
                        ring[(u + LAST) % DEPTH][1] = treadle_stream(more + 16);
                    }
                }
                asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
            } else {
                #pragma unroll 1
                for (int step = 0; step < steps; step += DEPTH) {
                    const bool more = step + DEPTH < steps;
                    const uint4* const ahead = more ? from + (step + DEPTH) * 32 : next;
                    const int behind = group + stride < groups ? steps : 0;
                    const int left = more ? steps - step - DEPTH : behind;
                    #pragma unroll
                    for (int u = 0; u < DEPTH; ++u) {
                        const uint4 x = ring[u][0], y = ring[u][1];
                        #pragma unroll
                        for (int p = 0; p < PAIRS && step + u < steps; ++p) {
                            uint4 q;
                            if constexpr (HELD) {
                                q = ((const uint4*)held)[((step + u) * PAIRS + p) * 32 + lane];
                                treadle_multiply(sum[0][2 * p + 1], x.x, x.y, y.x, y.y, q.z, q.w);
                                treadle_multiply(sum[1][2 * p + 1], x.z, x.w, y.z, y.w, q.z, q.w);
                            } else {
                                q.x = single[(step + u) * 8];
                                q.y = single[(step + u) * 8 + 4];
                            }
                            treadle_multiply(sum[0][2 * p], x.x, x.y, y.x, y.y, q.x, q.y);
                            treadle_multiply(sum[1][2 * p], x.z, x.w, y.z, y.w, q.x, q.y);
                        }
                        if (u < left) {
                            ring[u][0] = treadle_stream(ahead + u * 32);
                            ring[u][1] = treadle_stream(ahead + u * 32 + 16);
                        }
                    }
                }
            }
            from = next;
            #pragma unroll
            for (int four = 0; four < TILES; four += 4) {
                BEGIN
                #pragma unroll
                for (int k = 0; k < 8 && four + k / 2 < TILES; ++k) {
                    const float4 fact = facts[(four + k / 2) * 8 + 2 * t + (k & 1)];
                    #pragma unroll
                    for (int j = 0; j < 4; ++j) {
                        const int whole = sum[j >> 1][four + k / 2][(j & 1) * 2 + (k & 1)];
                        const float product = (float)whole * treadle_one(scales, j) * fact.x;
                        const float error = fact.y * treadle_one(rests, j)
                            + fact.z * treadle_one(lengths, j);
                        const float square = treadle_one(squares, j);
                        NOTE
                    }
                }
                const int mine = four * 8 + (g >> 1) * 8 + 2 * t + (g & 1);
                END
            }
        }
    }
}"""

NEAR = {
    "LIMIT": "a.TAU[q]",
    "PLACE": "group",
    "BEGIN": "unsigned int bits = 0u;",
    # Twice a number is exact, so that it is rounded once, as the kernel rounds it.
    "NOTE": """const float low = __fmaf_rn(-2.0f, product + error, square * LESS);
                        if (!(low > fact.w)) bits |= 1u << (4 * k + j);""",
    # What is not written is 0 already, where queries are many.
    "END": """if (HELD && !__any_sync(~0u, bits != 0u)) continue;
                bits = treadle_across(bits, g) & alive;
                if (mine < TILES * 8 && base + mine < count && (!HELD || bits != 0u)
                    && (!WIDE || group < groups))
                    a.OUT[(long long)(base + mine) * groups + group] = bits;""",
}
BEST = {
    "LIMIT": "0.0f",
    "PLACE": "FIRST + (long long)group * STEP",
    "BEGIN": """float least[8];
                #pragma unroll
                for (int k = 0; k < 8; ++k) least[k] = __int_as_float(0x7f800000);""",
    "NOTE": """const float high = __fmaf_rn(-2.0f, product - error, square * MORE);
                        if (alive >> (4 * g + j) & 1u) least[k] = fminf(least[k], high);""",
    "END": """const float best = treadle_across(least, g);
                if (mine < TILES * 8 && base + mine < count && (!WIDE || group < groups))
                    a.OUT[(long long)(base + mine) * groups + group] = best;""",
}
