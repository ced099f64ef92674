"""What a search does around its scan of bytes, on CUDA: limits, places, distances, and their order.

In: kernels that name the routines "search_limit", "search_places", "search_distances" and
"search_chosen". Out: one entry each. A block has a query, and for distances some of its rows, each
of which a warp adds up in the order that the kernel gives: eight partial sums of a part lie on
eight lanes.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.backends.cuda.text import filled
from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.words import CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.ir.nodes import Kernel

__all__ = ["routine_for"]

_THREADS = 256
_MANY = 1024  # threads that look at all of a query's bounds or bits
_CHOOSERS = 512
_WARPS = _THREADS // 32
_BUSY = 2112  # blocks that keep a large GPU busy
_COUNTS = 4 * 33  # bytes beside those of candidates
_ENTRY = 12  # bytes of a candidate while it is put in order: its distance and its place


def routine_for(kernel: Kernel) -> Callable[[CudaC], FormText] | None:
    """What replaces the form of a step of a search; None for others."""
    return _STEPS.get(kernel.routine or "")


def _one(c: CudaC, text: str, threads: int, words: dict[str, str]) -> str:
    """An entry."""
    body = filled(text, words | {"OUT": f"a.{c.pointer(c.kernel.outputs[0])}"})
    head = HEAD.format(threads=threads, entry="treadle_step")
    return "\n".join([head, *indented(body.strip("\n").split("\n")), "}"])


# The bits of the wanted-th smallest, from the first one on, until as many are below as are wanted:
# it is the largest of them.
_LIMIT = """
__shared__ unsigned int counts[2][32];
const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
const auto key = [](const float value) -> unsigned int {
    const unsigned int bits = __float_as_uint(value);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
};
const float* const row = BEST + (long long)blockIdx.x * NUMBER;
unsigned int held[8];
#pragma unroll
for (int k = 0; k < 8; ++k) {
    const idx at = k * 1024 + threadIdx.x;
    held[k] = at < NUMBER ? key(row[at]) : ~0u;
}
unsigned int found = 0u;
for (int bit = 31; bit >= 0; --bit) {
    const unsigned int most = found | ((1u << bit) - 1u);
    unsigned int below = 0u;
    #pragma unroll
    for (int k = 0; k < 8; ++k) below += held[k] <= most;
    for (idx at = 8192 + threadIdx.x; at < NUMBER; at += 1024) below += key(row[at]) <= most;
    for (int b = 16; b > 0; b >>= 1) below += __shfl_xor_sync(~0u, below, b);
    if (lane == 0) counts[bit & 1][warp] = below;
    __syncthreads();
    below = counts[bit & 1][lane];
    for (int b = 16; b > 0; b >>= 1) below += __shfl_xor_sync(~0u, below, b);
    if ((int)below < WANTED) found |= 1u << bit;
    if ((int)below == WANTED) {
        found = most;
        break;
    }
}
__syncthreads();
unsigned int largest = 0u;
#pragma unroll
for (int k = 0; k < 8; ++k) largest = held[k] <= found ? max(largest, held[k]) : largest;
for (idx at = 8192 + threadIdx.x; at < NUMBER; at += 1024) {
    const unsigned int own = key(row[at]);
    largest = own <= found ? max(largest, own) : largest;
}
for (int b = 16; b > 0; b >>= 1) largest = max(largest, __shfl_xor_sync(~0u, largest, b));
if (lane == 0) counts[0][warp] = largest;
__syncthreads();
if (warp == 0) {
    largest = counts[0][lane];
    for (int b = 16; b > 0; b >>= 1) largest = max(largest, __shfl_xor_sync(~0u, largest, b));
    const unsigned int bits = largest & 0x80000000u ? largest & 0x7fffffffu : ~largest;
    const float value = __uint_as_float(WANTED > NUMBER ? 0x7f800000u : bits);
    const float total = (float)((double)value + ALLOWED[blockIdx.x]);
    if (lane == 0) OUT[blockIdx.x] = total + (fabsf(total) * 0x1p-22f + 0x1p-120f);
}
"""


def _limit(c: CudaC) -> FormText:
    best, allowed = c.kernel.inputs
    words = {
        "BEST": f"a.{c.pointer(best)}",
        "ALLOWED": f"a.{c.pointer(allowed)}",
        "NUMBER": c.size(best.dims[1]),
        "WANTED": c.parameter(c.kernel.params[0]),
    }

    def measure(sizes: Sizes) -> Geometry:
        return Geometry((Call("treadle_step", elements(best.dims[:1], sizes), (_MANY, 1)),))

    return FormText(_one(c, _LIMIT, _MANY, words), ("treadle_step",), (), measure)


# A warp has a thousand words, which it holds. It counts their bits, and when it knows how many come
# before, it says where they are.
_PLACES = """
__shared__ int counts[2][32];
const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
const unsigned int* const row = BITS + (long long)blockIdx.x * WORDS;
int* const to = OUT + (long long)blockIdx.x * (MOST + 1);
int before = 0, turn = 0;
for (idx base = 0; base < WORDS; base += 32768, turn ^= 1) {
    const idx start = base + warp * 1024 + lane;
    unsigned int held[32];
    int mine = 0;
    #pragma unroll
    for (int k = 0; k < 32; ++k) held[k] = start + k * 32 < WORDS ? row[start + k * 32] : 0u;
    #pragma unroll
    for (int k = 0; k < 32; ++k) mine += __popc(held[k]);
    for (int b = 16; b > 0; b >>= 1) mine += __shfl_xor_sync(~0u, mine, b);
    if (lane == 0) counts[turn][warp] = mine;
    __syncthreads();
    int sum = counts[turn][lane];
    for (int b = 1; b < 32; b <<= 1) {
        const int other = __shfl_up_sync(~0u, sum, b);
        sum += lane >= b ? other : 0;
    }
    int at = before + __shfl_sync(~0u, sum, warp) - mine;
    before += __shfl_sync(~0u, sum, 31);
    #pragma unroll
    for (int k = 0; k < 32; ++k) {
        unsigned int word = held[k];
        if (!__any_sync(~0u, word != 0u)) continue;
        int upto = __popc(word);
        int spot = at - upto;
        for (int b = 1; b < 32; b <<= 1) {
            const int other = __shfl_up_sync(~0u, upto, b);
            upto += lane >= b ? other : 0;
        }
        for (spot += upto; word != 0u; ++spot, word &= word - 1u)
            if (spot < MOST) to[1 + spot] = (int)((start + k * 32) * 32) + __ffs(word) - 1;
        at += __shfl_sync(~0u, upto, 31);
    }
}
if (threadIdx.x == 0) to[0] = before;
for (idx i = before + threadIdx.x; i < MOST; i += 1024) to[1 + i] = -1;
"""


def _places(c: CudaC) -> FormText:
    (bits,) = c.kernel.inputs
    most = f"({c.size(c.kernel.outputs[0].dims[1])} - 1)"
    words = {"BITS": f"a.{c.pointer(bits)}", "WORDS": c.size(bits.dims[1]), "MOST": most}

    def measure(sizes: Sizes) -> Geometry:
        return Geometry((Call("treadle_step", elements(bits.dims[:1], sizes), (_MANY, 1)),))

    return FormText(_one(c, _PLACES, _MANY, words), ("treadle_step",), (), measure)


_DISTANCES = """
extern __shared__ double sums[];
const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
const int pieces = (int)PIECES;
double* const sum = sums + warp * pieces;
const idx width = ROOM, dims = DIMS;
for (idx unit = blockIdx.x; unit < COUNT * a.parts; unit += gridDim.x) {
    const idx q = treadle_quotient(unit, a.parts), part = unit - q * a.parts;
    const int* const found = FOUND + (long long)q * (width + 1);
    double* const to = OUT + (long long)q * width;
    const float* const query = QUERIES + (long long)q * dims;
    const idx number = found[0] < width ? found[0] : width;
    for (idx i = number + part * blockDim.x + threadIdx.x; i < width; i += a.parts * blockDim.x)
        to[i] = __longlong_as_double(0x7ff0000000000000ll);
    for (idx i = part * 8 + warp; i < number; i += a.parts * 8) {
        const idx which = treadle_clamp(found[i + 1], ROWS);
        const float* const row = VECTORS + (long long)which * dims;
        for (int first = 0; first < pieces; first += 4) {
            const int piece = first + (lane >> 3);
            const int start = piece < pieces ? CUTS[piece] : 0;
            const int stop = piece < pieces ? CUTS[piece + 1] : 0;
            const int eights = start + (stop - start) / 8 * 8;
            const int own = start + (lane & 7);
            float there[16];
            #pragma unroll
            for (int k = 0; k < 16; ++k) there[k] = own + 8 * k < eights ? row[own + 8 * k] : 0.0f;
            double mine = 0.0;
            #pragma unroll
            for (int k = 0; k < 16; ++k)
                if (own + 8 * k < eights) {
                    const double off = (double)query[own + 8 * k] - (double)there[k];
                    mine += off * off;
                }
            for (int b = 1; b < 8; b <<= 1) mine += __shfl_xor_sync(~0u, mine, b);
            for (int d = eights; d < stop; ++d) {
                const double off = (double)query[d] - (double)row[d];
                mine += off * off;
            }
            if (piece < pieces && (lane & 7) == 0) sum[piece] = mine;
        }
        __syncwarp();
        if (lane == 0) {
            int depth = 0;
            for (int p = 0; p < pieces; ++p) {
                sum[depth++] = sum[p];
                for (int n = JOINS[p]; n > 0; --n, --depth)
                    sum[depth - 2] = sum[depth - 2] + sum[depth - 1];
            }
            to[i] = sqrt(sum[0]);
        }
        __syncwarp();
    }
}
"""


def _distances(c: CudaC) -> FormText:
    found, queries, vectors, cuts, joins = c.kernel.inputs
    out = c.kernel.outputs[0]
    tensors = {"FOUND": found, "QUERIES": queries, "VECTORS": vectors, "CUTS": cuts, "JOINS": joins}
    words = {name: f"a.{c.pointer(tensor)}" for name, tensor in tensors.items()}
    words |= {
        "COUNT": c.size(out.dims[0]),
        "ROOM": c.size(out.dims[1]),
        "ROWS": c.size(vectors.dims[0]),
        "DIMS": c.size(vectors.dims[1]),
        "PIECES": c.size(joins.dims[0]),
    }

    def measure(sizes: Sizes) -> Geometry:
        count, room = (elements((dim,), sizes) for dim in out.dims)
        parts = max(1, min(ceil_div(room, _WARPS), max(4, _BUSY // max(count, 1))))
        shared = max(8 * _WARPS * elements(joins.dims, sizes), 8)
        call = Call("treadle_step", count * parts, (_THREADS, 1), shared=shared)
        return Geometry((call,), (parts,))

    return FormText(_one(c, _DISTANCES, _THREADS, words), ("treadle_step",), ("parts",), measure)


# The wanted-th smallest is found as a limit is. Those up to it are few, and each of them finds how
# many of the others come before it.
_CHOSEN = """
extern __shared__ double keys[];
const idx width = ROOM, wanted = (COLUMNS - 1) / 2;
int* const spots = (int*)(keys + width);
int (*const counts)[16] = (int (*)[16])(spots + width);
int& listed = counts[2][0];
const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
const auto key = [](const double value) -> unsigned long long {
    const unsigned long long bits = (unsigned long long)__double_as_longlong(value);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
};
for (idx q = blockIdx.x; q < COUNT; q += gridDim.x) {
    const int* const found = FOUND + (long long)q * (width + 1);
    const double* const far = FAR + (long long)q * width;
    double* const to = OUT + (long long)q * COLUMNS;
    const int number = (int)(found[0] < width ? found[0] : width);
    const int target = (int)(number < wanted ? number : wanted);
    unsigned long long held[16];
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
        const int at = k * 512 + threadIdx.x;
        held[k] = at < number ? key(far[at]) : ~0ull;
    }
    unsigned long long most = 0ull;
    for (int bit = 63; bit >= 0 && target < number; --bit) {
        const unsigned long long trial = most | ((1ull << bit) - 1ull);
        int below = 0;
        #pragma unroll
        for (int k = 0; k < 16; ++k)
            if (k * 512 < number) below += held[k] <= trial;
        for (int at = 8192 + threadIdx.x; at < number; at += 512) below += key(far[at]) <= trial;
        for (int b = 16; b > 0; b >>= 1) below += __shfl_xor_sync(~0u, below, b);
        if (lane == 0) counts[bit & 1][warp] = below;
        __syncthreads();
        below = counts[bit & 1][lane & 15];
        for (int b = 8; b > 0; b >>= 1) below += __shfl_xor_sync(~0u, below, b);
        if (below < target) most |= 1ull << bit;
        if (below == target) {
            most = trial;
            break;
        }
    }
    if (target == number) most = ~0ull;
    if (threadIdx.x == 0) listed = 0;
    __syncthreads();
    for (int at = threadIdx.x; at < number; at += 512)
        if (key(far[at]) <= most) {
            const int place = atomicAdd(&listed, 1);
            keys[place] = far[at];
            spots[place] = at;
        }
    __syncthreads();
    const int chosen = listed;
    for (int i = threadIdx.x; i < chosen; i += 512) {
        const double own = keys[i];
        const int spot = spots[i];
        int before = 0;
        for (int j = 0; j < chosen; ++j)
            before += keys[j] < own || (keys[j] == own && spots[j] < spot);
        if (before < wanted) {
            to[before] = own;
            to[wanted + before] = (double)found[1 + spot];
        }
    }
    for (idx i = number + threadIdx.x; i < wanted; i += 512) {
        to[i] = __longlong_as_double(0x7ff0000000000000ll);
        to[wanted + i] = -1.0;
    }
    if (threadIdx.x == 0) to[2 * wanted] = (double)found[0];
    __syncthreads();
}
"""


def _chosen(c: CudaC) -> FormText:
    far, found = c.kernel.inputs
    out = c.kernel.outputs[0]
    words = {
        "FAR": f"a.{c.pointer(far)}",
        "FOUND": f"a.{c.pointer(found)}",
        "COUNT": c.size(out.dims[0]),
        "COLUMNS": c.size(out.dims[1]),
        "ROOM": c.size(far.dims[1]),
    }

    def measure(sizes: Sizes) -> Geometry:
        count, room = (elements((dim,), sizes) for dim in far.dims)
        call = Call("treadle_step", count, (_CHOOSERS, 1), shared=_ENTRY * room + _COUNTS)
        return Geometry((call,))

    return FormText(_one(c, _CHOSEN, _CHOOSERS, words), ("treadle_step",), (), measure)


_STEPS: dict[str, Callable[[CudaC], FormText]] = {
    "search_limit": _limit,
    "search_places": _places,
    "search_distances": _distances,
    "search_chosen": _chosen,
}
