"""Running sums along the last axis on CUDA: every line in tiles, and every tile by a block.

In: kernels that name the routine "running". Out: entries that add the tiles up, add up what comes
before each of them, and add inside of tiles from there. Lines of one tile need the last entry
alone; where lines are short, a thread has one of its own. Sums of floats are trees: nothing is
added to a sum of more than some dozens one after the other.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.backends.cuda.blocks import BEFORE, THREADS
from treadle.backends.cuda.text import filled
from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.words import CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.dtypes import DType, read_as
from treadle.ir.nodes import Kernel, Scan

__all__ = ["routine_for"]

_CARRIERS = 1024  # threads that add up a line's tiles
_BYTES = 1 << 14  # of a tile, as it is added up
_SHORT = 32  # elements of a line that a thread adds up on its own
_SUMS = DType.F32, DType.F64, DType.S32, DType.S64, DType.U32


def routine_for(kernel: Kernel) -> Callable[[CudaC], FormText] | None:
    """What replaces the form of a running sum; None for others."""
    form = kernel.form
    if kernel.routine != "running" or not isinstance(form, Scan):
        return None
    (x,), (out,) = kernel.inputs, kernel.outputs
    suits = form.axis == len(kernel.space) - 1 and x.dims == out.dims
    alike = x.dtype is out.dtype or not (x.dtype.is_float or out.dtype.is_float)
    return _running if suits and alike and out.dtype in _SUMS else None


# Elements come in order over threads and are kept so that no two threads of a warp, each of which
# then takes some that follow each other, ask the same bank.
_TAKE = """
__shared__ SUM tile[TILE + TILE / 32];
__shared__ SUM warps[32];
const idx line = treadle_quotient((idx)blockIdx.x, a.tiles);
const idx first = ((idx)blockIdx.x - line * a.tiles) * TILE;
const idx from = line * a.length + first;
const int left = (int)min((idx)TILE, a.length - first);
#pragma unroll
for (int k = 0; k < EACH; ++k) {
    const int at = k * THREADS + (int)threadIdx.x;
    tile[at + (at >> 5)] = at < left ? VALUE : (SUM)0;
}
__syncthreads();
SUM held[EACH];
SUM mine = 0, all = 0;
#pragma unroll
for (int k = 0; k < EACH; ++k) {
    const int at = (int)threadIdx.x * EACH + k;
    mine = mine + tile[at + (at >> 5)];
    held[k] = mine;
}
const SUM before = treadle_before(mine, warps, all);
"""

_TILES = """
TAKE
if (threadIdx.x == 0) CARRIED[blockIdx.x] = all;
"""

_CARRY = """
__shared__ SUM warps[32];
treadle_carry(CARRIED + (idx)blockIdx.x * a.tiles, a.tiles, warps);
"""

_RUN = """
TAKE
const SUM start = a.tiles > 1 ? CARRIED[blockIdx.x] + before : before;
#pragma unroll
for (int k = 0; k < EACH; ++k) {
    const int at = (int)threadIdx.x * EACH + k;
    tile[at + (at >> 5)] = start + held[k];
}
__syncthreads();
#pragma unroll
for (int k = 0; k < EACH; ++k) {
    const int at = k * THREADS + (int)threadIdx.x;
    if (at < left) OUT[from + at] = tile[at + (at >> 5)];
}
"""

_LINES = """
const idx line = (idx)blockIdx.x * THREADS + threadIdx.x;
if (line >= a.lines) return;
const idx from = line * a.length;
SUM total = 0;
for (idx at = 0; at < a.length; ++at) {
    total = total + VALUE;
    OUT[from + at] = total;
}
"""


def _running(c: CudaC) -> FormText:
    """Spell a running sum."""
    (x,), (out,) = c.kernel.inputs, c.kernel.outputs
    tile = _BYTES // out.dtype.size
    read = read_as(x.dtype)
    words = {
        "SUM": c.types[out.dtype],
        "TILE": str(tile),
        "EACH": str(tile // THREADS),
        "THREADS": str(THREADS),
        "OUT": f"a.{c.pointer(out)}",
        "CARRIED": "((SUM*)a.scratch)",
        "VALUE": c.convert(c.read(x, "from + at"), read, out.dtype),
        "TAKE": _TAKE.strip("\n"),
    }
    bodies = {
        "treadle_tiles": (_TILES, THREADS),
        "treadle_carry": (_CARRY, _CARRIERS),
        "treadle_run": (_RUN, THREADS),
        "treadle_lines": (_LINES, THREADS),
    }
    text = [filled(BEFORE, words)]
    for entry, (body, threads) in bodies.items():
        lines = filled(body, words).strip("\n").split("\n")
        text += [HEAD.format(threads=threads, entry=entry), *indented(lines), "}"]

    def measure(sizes: Sizes) -> Geometry:
        lines = elements(out.dims[:-1], sizes)
        length = elements(out.dims[-1:], sizes)
        tiles = max(ceil_div(length, tile), 1)
        block = (THREADS, 1)
        if length <= _SHORT:
            calls: tuple[Call, ...] = (Call("treadle_lines", ceil_div(lines, THREADS), block),)
        elif tiles == 1:
            calls = (Call("treadle_run", lines, block),)
        else:
            calls = (
                Call("treadle_tiles", lines * tiles, block),
                Call("treadle_carry", lines, (_CARRIERS, 1)),
                Call("treadle_run", lines * tiles, block),
            )
        scratch = out.dtype.size * lines * tiles if tiles > 1 else 0
        return Geometry(calls, (lines, length, tiles), scratch)

    return FormText("\n".join(text), tuple(bodies), ("lines", "length", "tiles"), measure)
