"""Pieces of text for a block of threads: what those before each one have.

In: the word for a type. Out: C++ functions. `treadle_before` is given a number by each thread, and
gives the sum of those of the threads before it; sums of floats are trees.
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
"""
