"""The first few of each row in order on CUDA, and where they were.

In: kernels that name the routine "first". Out: one entry, in which a block has a row. Its limit,
the last key that is wanted, is found a byte at a time by counting; those below it are gathered in
the order of their places and counted against each other, and those equal to it follow in the order
of theirs.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.backends.cuda.blocks import BEFORE
from treadle.backends.cuda.sorting import KEYS, ORDERS
from treadle.backends.cuda.text import filled
from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.words import CudaC
from treadle.codegen.gpu.counts import elements
from treadle.codegen.gpu.cstyle import indented
from treadle.ir.nodes import Kernel

__all__ = ["routine_for"]

_THREADS = 512
_MOST = 1024  # that are wanted; kernels.order asks for no more
_HELD = 8  # keys of a thread that stay in registers: of rows that are no longer than all of these


def routine_for(kernel: Kernel) -> Callable[[CudaC], FormText] | None:
    """What replaces the form of the first few; None for others."""
    return _first if kernel.routine == "first" else None


# Zeros of either sign are equal, and what is given back has the sign that it had. Two numbers are
# added up at once: those below the limit, and above bit 32 those equal to it.
_FIRST = """
__shared__ int bins[256];
__shared__ SUM warps[32];
__shared__ int chosen[2];
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
KEY limit = 0;
int below = 0;
for (int shift = 24; shift >= 0; shift -= 8) {
    if (tid < 256) bins[tid] = 0;
    __syncthreads();
    const KEY known = shift == 24 ? 0 : ~(KEY)0 << (shift + 8);
    const auto count = [&](const KEY key) {
        if ((key & known) == limit) atomicAdd(bins + (key >> shift & 255), 1);
    };
    #pragma unroll
    for (int k = 0; k < HELD; ++k)
        if (k * THREADS + tid < a.length) count(held[k]);
    for (idx at = HELD * THREADS + tid; at < a.length; at += THREADS)
        count(treadle_key(GIVEN, turned));
    __syncthreads();
    SUM all = 0;
    const int mine = tid < 256 ? bins[tid] : 0;
    const int before = (int)treadle_before(mine, warps, all);
    if (below + before < WANTED && below + before + mine >= WANTED) {
        chosen[0] = tid;
        chosen[1] = before;
    }
    __syncthreads();
    limit |= (KEY)chosen[0] << shift;
    below += chosen[1];
    __syncthreads();
}
SUM there = 0;
for (idx first = 0; first < a.length; first += THREADS) {
    const idx at = first + tid;
    const int k = (int)(first / THREADS);
    KEY key = ~(KEY)0;
    #pragma unroll
    for (int i = 0; i < HELD; ++i) key = i == k ? held[i] : key;
    if (k >= HELD && at < a.length) key = treadle_key(GIVEN, turned);
    const bool within = at < a.length && key < limit, equal = at < a.length && key == limit;
    SUM all = 0;
    const SUM before = there + treadle_before((SUM)within + ((SUM)equal << 32), warps, all);
    there += all;
    if (within) {
        keys[(int)before] = key;
        spots[(int)before] = (int)at;
    }
    const int place = below + (int)(before >> 32);
    if (equal && place < WANTED) {
        keys[place] = key;
        spots[place] = (int)at;
    }
}
__syncthreads();
for (int i = tid; i < WANTED; i += THREADS) {
    const KEY key = keys[i];
    int place = i;
    if (i < below) {
        place = 0;
        for (int j = 0; j < below; ++j) place += keys[j] < key || (keys[j] == key && j < i);
    }
    const idx to = (idx)blockIdx.x * WANTED + place;
    VALUES[to] = IN[from + spots[i]];
    PLACES[to] = spots[i];
}
"""


def _first(c: CudaC) -> FormText:
    """Spell the first few of each row."""
    (x,), (values, places) = c.kernel.inputs, c.kernel.outputs
    words = ORDERS[x.dtype].words(x.dtype) | {
        "SUM": "long long",
        "GIVEN": "(IN[from + at] == 0 ? (VALUE)0 : IN[from + at])",
        "IN": f"a.{c.pointer(x)}",
        "VALUES": f"a.{c.pointer(values)}",
        "PLACES": f"a.{c.pointer(places)}",
        "WANTED": c.size(values.dims[1]),
        "MOST": str(_MOST),
        "THREADS": str(_THREADS),
        "HELD": str(_HELD),
        "TURNED": c.parameter(c.kernel.params[0]).removeprefix("a."),
    }
    text = [filled(part, words) for part in (BEFORE, KEYS)]
    lines = filled(_FIRST, words).strip("\n").split("\n")
    text += [HEAD.format(threads=_THREADS, entry="treadle_first"), *indented(lines), "}"]

    def measure(sizes: Sizes) -> Geometry:
        rows, length = (elements((dim,), sizes) for dim in x.dims)
        return Geometry((Call("treadle_first", rows, (_THREADS, 1)),), (length,))

    return FormText("\n".join(text), ("treadle_first",), ("length",), measure)
