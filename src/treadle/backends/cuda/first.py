"""The first few of each row in order on CUDA, and where they were.

In: kernels that name the routine "first". Out: entries, of which one does where a block has a row.
The last key that is wanted is found a byte at a time by counting, until no more are left than a
block puts in order; where too many are equal to it, those follow in the order of their places. Long
rows of which there are few go to many blocks: the last block that has counted a row looks for the
byte.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.backends.cuda.blocks import BEFORE
from treadle.backends.cuda.sorting import KEYS, ORDERS
from treadle.backends.cuda.text import filled
from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.words import CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.ir.nodes import Kernel

__all__ = ["routine_for"]

_THREADS = 512
_MOST = 1024  # that are wanted; kernels.order asks for no more
_ENOUGH = 256  # that are put in order rather than counted again
_HELD = 8  # keys that a thread loads at once; those of short rows stay in registers
_PART = 1 << 14  # elements of a row for a block, where many blocks have it
_ROWS = 128  # so many keep all blocks busy,
_LONG = 1 << 16  # unless they are longer than this
_STATE = 1 << 14  # bytes of scratch for a row: Row in the text


def routine_for(kernel: Kernel) -> Callable[[CudaC], FormText] | None:
    """What replaces the form of the first few; None for others."""
    suits = kernel.routine == "first" and kernel.inputs[0].dtype in ORDERS
    return _first if suits else None


# A choice among keys: of those that begin as `limit` does, in the bits from `shift` on, there are
# `equal`, and `below` have less there. All of these are wanted, or they are too many for a block
# (`crowded`): then they are equal to the last bit, and the first of them do.
_CHOICE = """
struct Choice {
    KEY limit;
    int shift, below, equal, wanted;
    __device__ __forceinline__ KEY head(const KEY key) const {
        return shift < WIDTH ? key & ~(KEY)0 << shift : 0;
    }
    __device__ __forceinline__ int digit(const KEY key) const {
        return (int)(key >> (shift - 8) & 255);
    }
    __device__ __forceinline__ bool open() const {
        return shift > 0 && below + equal > max(ENOUGH, min(2 * wanted, MOST));
    }
    __device__ __forceinline__ bool crowded() const { return below + equal > MOST; }
    __device__ __forceinline__ bool takes(const KEY key) const {
        return head(key) < limit || (head(key) == limit && !crowded());
    }
    __device__ __forceinline__ int taken() const { return crowded() ? wanted : below + equal; }
};
__device__ __forceinline__ void treadle_choose(
    Choice* const choice, const int* const bins, SUM* const warps) {
    SUM all = 0;
    const int tid = threadIdx.x, mine = tid < 256 ? bins[tid] : 0;
    const int before = choice->below + (int)treadle_before(mine, warps, all);
    if (before < choice->wanted && before + mine >= choice->wanted) {
        choice->shift -= 8;
        choice->limit |= (KEY)tid << choice->shift;
        choice->below = before;
        choice->equal = mine;
    }
    __syncthreads();
}
__device__ __forceinline__ int treadle_slot(int* const found, const bool mine) {
    const unsigned int all = __ballot_sync(~0u, mine), lane = threadIdx.x & 31;
    int first = 0;
    if (all != 0 && lane == 0) first = atomicAdd(found, __popc(all));
    return __shfl_sync(~0u, first, 0) + __popc(all & ((1u << lane) - 1u));
}
__device__ __forceinline__ void treadle_order(KEY* const keys, int* const spots, const int count) {
    int size = 1;
    while (size < count) size <<= 1;
    for (int i = count + (int)threadIdx.x; i < size; i += THREADS) {
        keys[i] = ~(KEY)0;
        spots[i] = 0x7fffffff;
    }
    __syncthreads();
    for (int span = 2; span <= size; span <<= 1)
        for (int step = span >> 1; step > 0; step >>= 1) {
            for (int pair = threadIdx.x; pair < size / 2; pair += THREADS) {
                const int one = 2 * pair - (pair & (step - 1)), other = one + step;
                const KEY left = keys[one], right = keys[other];
                const int here = spots[one], there = spots[other];
                const bool after = right < left || (right == left && there < here);
                if (after == ((one & span) == 0)) {
                    keys[one] = right;
                    keys[other] = left;
                    spots[one] = there;
                    spots[other] = here;
                }
            }
            __syncthreads();
        }
}
"""

_GIVE = """
treadle_order(keys, spots, choice.taken());
for (int i = threadIdx.x; i < choice.wanted; i += THREADS) {
    const idx to = (idx)blockIdx.x * choice.wanted + i;
    VALUES[to] = IN[(idx)blockIdx.x * a.length + spots[i]];
    PLACES[to] = spots[i];
}
"""

_EQUAL = """
for (idx first = BEGIN; first < END && there < choice.wanted; first += THREADS) {
    const idx at = first + tid;
    const bool equal = at < END && treadle_key(GIVEN, turned) == choice.limit;
    SUM all = 0;
    const SUM place = there + treadle_before((SUM)equal, warps, all);
    there += all;
    if (equal && place < choice.wanted) {
        LIST keys[place] = choice.limit;
        LIST spots[place] = (int)at;
    }
}
"""

_ROW = """
__shared__ int bins[256];
__shared__ SUM warps[32];
__shared__ Choice choice;
__shared__ int found;
__shared__ KEY keys[MOST];
__shared__ int spots[MOST];
const int tid = threadIdx.x;
const bool turned = a.TURNED != 0;
const idx from = (idx)blockIdx.x * a.length;
KEY held[HELD];
#pragma unroll
for (int k = 0; k < HELD; ++k) {
    const idx at = k * THREADS + tid;
    held[k] = at < a.length ? treadle_key(GIVEN, turned) : ~(KEY)0;
}
if (tid == 0) {
    choice = Choice{0, WIDTH, 0, (int)a.length, WANTED};
    found = 0;
}
__syncthreads();
while (choice.open()) {
    if (tid < 256) bins[tid] = 0;
    __syncthreads();
    const auto count = [&](const KEY key) {
        if (choice.head(key) == choice.limit) atomicAdd(bins + choice.digit(key), 1);
    };
    #pragma unroll
    for (int k = 0; k < HELD; ++k)
        if (k * THREADS + tid < a.length) count(held[k]);
    for (idx at = HELD * THREADS + tid; at < a.length; at += THREADS)
        count(treadle_key(GIVEN, turned));
    __syncthreads();
    treadle_choose(&choice, bins, warps);
}
const auto take = [&](const KEY key, const idx at) {
    const bool mine = at < a.length && choice.takes(key);
    const int place = treadle_slot(&found, mine);
    if (mine) {
        keys[place] = key;
        spots[place] = (int)at;
    }
};
#pragma unroll
for (int k = 0; k < HELD; ++k) take(held[k], k * THREADS + tid);
for (idx first = HELD * THREADS; first < a.length; first += THREADS) {
    const idx at = first + tid;
    take(at < a.length ? treadle_key(GIVEN, turned) : 0, at);
}
if (choice.crowded()) {
    SUM there = choice.below;
    EQUAL
}
__syncthreads();
GIVE
"""

_STATES = """
struct Row {
    Choice choice;
    int found, ready;
    int bins[256];
    KEY keys[MOST];
    int spots[MOST];
};
static_assert(sizeof(Row) <= STATE, "scratch of a row");
__device__ __forceinline__ Row* treadle_row(unsigned char* const scratch, const idx row) {
    return (Row*)(scratch + (long long)row * STATE);
}
"""

_BEGIN = """
Row* const row = treadle_row(a.scratch, (idx)blockIdx.x);
if (threadIdx.x < 256) row->bins[threadIdx.x] = 0;
if (threadIdx.x == 0) {
    row->choice = Choice{0, WIDTH, 0, (int)a.length, WANTED};
    row->found = row->ready = 0;
}
"""

_TAKE = """
const int tid = threadIdx.x;
const bool turned = a.TURNED != 0;
const idx line = treadle_quotient((idx)blockIdx.x, a.parts);
const idx part = (idx)blockIdx.x - line * a.parts, from = line * a.length;
const idx begin = part * PART, end = min(begin + PART, a.length);
Row* const row = treadle_row(a.scratch, line);
const Choice choice = row->choice;
"""

_LOAD = """
for (idx first = begin; first < end; first += HELD * THREADS) {
    KEY held[HELD];
    #pragma unroll
    for (int k = 0; k < HELD; ++k) {
        const idx at = first + k * THREADS + tid;
        held[k] = at < end ? treadle_key(GIVEN, turned) : 0;
    }
    #pragma unroll
    for (int k = 0; k < HELD; ++k) {
        const idx at = first + k * THREADS + tid;
        EACH
    }
}
"""

_COUNTED = """
if (at < end && choice.head(held[k]) == choice.limit)
    atomicAdd(bins + choice.digit(held[k]), 1);
"""

# What other blocks have added the last one reads by adding nothing.
_COUNT = """
TAKE
if (!choice.open()) return;
__shared__ int bins[256];
__shared__ SUM warps[32];
__shared__ bool last;
if (tid < 256) bins[tid] = 0;
__syncthreads();
LOAD
__syncthreads();
if (tid < 256 && bins[tid] != 0) atomicAdd(row->bins + tid, bins[tid]);
__threadfence();
__syncthreads();
if (tid == 0) last = atomicAdd(&row->ready, 1) == (int)a.parts - 1;
__syncthreads();
if (!last) return;
if (tid < 256) {
    bins[tid] = atomicAdd(row->bins + tid, 0);
    row->bins[tid] = 0;
}
if (tid == 0) row->ready = 0;
__syncthreads();
treadle_choose(&row->choice, bins, warps);
"""

_GATHERED = """
const bool mine = at < end && choice.takes(held[k]);
const int place = treadle_slot(&row->found, mine);
if (mine) {
    row->keys[place] = held[k];
    row->spots[place] = (int)at;
} else if (at < end && choice.crowded() && held[k] == choice.limit)
    atomicAdd(&alike, 1);
"""

_GATHER = """
TAKE
__shared__ int alike;
if (tid == 0) alike = 0;
__syncthreads();
LOAD
__syncthreads();
if (tid == 0) ALIKE[blockIdx.x] = alike;
"""

_ADD = """
__shared__ SUM warps[32];
if (treadle_row(a.scratch, (idx)blockIdx.x)->choice.crowded())
    treadle_carry(ALIKE + (idx)blockIdx.x * a.parts, a.parts, warps);
"""

_MORE = """
TAKE
if (!choice.crowded()) return;
__shared__ SUM warps[32];
SUM there = choice.below + ALIKE[blockIdx.x];
EQUAL
"""

_END = """
__shared__ KEY keys[MOST];
__shared__ int spots[MOST];
const Row* const row = treadle_row(a.scratch, (idx)blockIdx.x);
const Choice choice = row->choice;
for (int i = threadIdx.x; i < choice.taken(); i += THREADS) {
    keys[i] = row->keys[i];
    spots[i] = row->spots[i];
}
GIVE
"""


def _first(c: CudaC) -> FormText:
    """Spell the first few of each row."""
    (x,), (values, places) = c.kernel.inputs, c.kernel.outputs
    size = max(x.dtype.size, 4)
    words = ORDERS[x.dtype].words(x.dtype) | {
        "SUM": "long long",
        # Zeros of either sign are equal, and what is given back has the sign that it had.
        "GIVEN": "(IN[from + at] == 0 ? (VALUE)0 : IN[from + at])",
        "IN": f"a.{c.pointer(x)}",
        "VALUES": f"a.{c.pointer(values)}",
        "PLACES": f"a.{c.pointer(places)}",
        "WANTED": f"(int)({c.size(values.dims[1])})",
        "WIDTH": str(8 * size),
        "MOST": str(_MOST),
        "ENOUGH": str(_ENOUGH),
        "THREADS": str(_THREADS),
        "HELD": str(_HELD),
        "PART": str(_PART),
        "STATE": str(_STATE),
        "ALIKE": "((SUM*)(a.scratch + (long long)a.rows * STATE))",
        "TURNED": c.parameter(c.kernel.params[0]).removeprefix("a."),
        "TAKE": _TAKE.strip("\n"),
        "GIVE": _GIVE.strip("\n"),
    }
    whole = {"BEGIN": "0", "END": "a.length", "LIST": ""}
    part = {"BEGIN": "begin", "END": "end", "LIST": "row->"}
    bodies = {
        "treadle_first": filled(_ROW, {"EQUAL": _EQUAL.strip("\n")} | whole),
        "treadle_begin": _BEGIN,
        "treadle_count": filled(_COUNT, {"LOAD": _LOAD.strip("\n"), "EACH": _COUNTED.strip("\n")}),
        "treadle_gather": filled(
            _GATHER, {"LOAD": _LOAD.strip("\n"), "EACH": _GATHERED.strip("\n")}
        ),
        "treadle_add": _ADD,
        "treadle_more": filled(_MORE, {"EQUAL": _EQUAL.strip("\n")} | part),
        "treadle_end": _END,
    }
    text = [filled(part, words) for part in (BEFORE, KEYS, _CHOICE, _STATES)]
    for entry, body in bodies.items():
        lines = filled(body, words).strip("\n").split("\n")
        text += [HEAD.format(threads=_THREADS, entry=entry), *indented(lines), "}"]

    def measure(sizes: Sizes) -> Geometry:
        rows, length = (elements((dim,), sizes) for dim in x.dims)
        parts, block = ceil_div(length, _PART), (_THREADS, 1)
        numbers = (rows, length, parts)
        if parts < 2 or (rows > _ROWS and length <= _LONG):
            return Geometry((Call("treadle_first", rows, block),), numbers)
        calls = [Call("treadle_begin", rows, block)]
        calls += [Call("treadle_count", rows * parts, block)] * size
        calls += [
            Call("treadle_gather", rows * parts, block),
            Call("treadle_add", rows, block),
            Call("treadle_more", rows * parts, block),
            Call("treadle_end", rows, block),
        ]
        return Geometry(tuple(calls), numbers, rows * _STATE + 8 * rows * parts)

    return FormText("\n".join(text), tuple(bodies), ("rows", "length", "parts"), measure)
