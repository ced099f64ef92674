"""Pieces of text for a block of threads: what those before each one have.

In: the word for a type. Out: C++ functions. `treadle_before` is given a number by each thread, and
gives the sum of those of the threads before it; `treadle_carry` puts what comes before each of some
numbers in their place, and gives the sum of all. Sums of floats are trees.
"""

from __future__ import annotations

__all__ = ["BEFORE", "THREADS"]

THREADS = 256

BEFORE = """
__device__ __forceinline__ SUM treadle_before(const SUM mine, SUM* const warps, SUM& all) {
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    SUM with = mine;
    #pragma unroll
    for (int by = 1; by < 32; by <<= 1) {
        const SUM up = __shfl_up_sync(~0u, with, by);
        if (lane >= by) with = up + with;
    }
    const SUM up = __shfl_up_sync(~0u, with, 1);
    if (lane == 31) warps[warp] = with;
    __syncthreads();
    SUM before = 0, total = 0;
    for (int w = 0; w < (int)blockDim.x / 32; ++w) {
        if (w == warp) before = total;
        total = total + warps[w];
    }
    __syncthreads();
    all = total;
    return lane > 0 ? before + up : before;
}
__device__ __forceinline__ SUM treadle_carry(SUM* const sums, const idx count, SUM* const warps) {
    SUM carried = 0;
    for (idx first = 0; first < count; first += 4 * (idx)blockDim.x) {
        const idx at = first + 4 * (idx)threadIdx.x;
        SUM held[4];
        SUM mine = 0, all = 0;
        #pragma unroll
        for (int k = 0; k < 4; ++k) {
            held[k] = mine;
            if (at + k < count) mine = mine + sums[at + k];
        }
        const SUM before = carried + treadle_before(mine, warps, all);
        #pragma unroll
        for (int k = 0; k < 4; ++k)
            if (at + k < count) sums[at + k] = before + held[k];
        carried = carried + all;
    }
    return carried;
}
"""
