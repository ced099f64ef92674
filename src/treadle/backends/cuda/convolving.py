"""Convolutions of many channels on CUDA: a product of matrices of which one is never made.

In: kernels that name the routine "conv2d". Out: an entry for large and one for small pictures. A
block has some filters and some places of the result, of the whole batch. It goes through the taps
of all channels, a few at a time: what filters have there, and what places read there, goes to
memory that the block shares, while products of what is there already add up in registers.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.backends.cuda.text import filled
from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.words import CudaC, clean
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.nodes import Kernel

__all__ = ["routine_for"]


@dataclass(frozen=True, slots=True)
class Tile:
    """Filters and places of a block; a thread has a square of them, lanes lie four by eight."""

    filters: int
    places: int
    side: int

    @property
    def threads(self) -> int:
        """Threads of a block: two of them load what a filter has."""
        return 2 * self.filters


_LARGE, _SMALL = Tile(64, 128, 8), Tile(32, 32, 4)
_TAPS = 8  # of a step
_BUSY = 264  # large blocks that keep a GPU busy
_RESIDENT = 3  # blocks of a multiprocessor that registers are shared by


def routine_for(kernel: Kernel) -> Callable[[CudaC], FormText] | None:
    """What replaces the form of a convolution; None for others."""
    dtypes = {tensor.dtype for tensor in (*kernel.inputs, *kernel.outputs)}
    return _convolve if kernel.routine == "conv2d" and dtypes == {DType.F32} else None


# Places between the rows of a shared table, so that threads that store a column ask other banks.
_BODY = """
__shared__ __align__(16) float left[2][TAPS][FILTERS + 4];
__shared__ __align__(16) float right[2][TAPS][PLACES];
const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
const idx height = HEIGHT, width = WIDTH, columns = COLUMNS, area = ROWS * columns;
const idx places = BATCH * area;
const int depth = (int)DEPTH, high = (int)HIGH, wide = (int)WIDE, count = depth * high * wide;
const idx groups = a.PGROUPS, each = treadle_quotient(MANY, groups);
const idx rest = treadle_quotient((idx)blockIdx.x, a.PARTS);
const idx part = (idx)blockIdx.x - rest * a.PARTS;
const idx group = treadle_quotient(rest, a.TILES), tile = rest - group * a.TILES;

const int ahead = (tid & 1) * (TAPS / 2);
const idx row = part * FILTERS + tid / 2;
const bool within = row < each;
const float* const filter = WEIGHT + (group * each + (within ? row : 0)) * count;

const idx place = tile * PLACES + tid % PLACES;
const idx picture = treadle_quotient(place, area), inside = place - picture * area;
const idx line = treadle_quotient(inside, columns);
const idx top = line * a.PDOWN - a.PTOP, first = (inside - line * columns) * a.PACROSS - a.PLEFT;
const float* const planes = IN + (picture * CHANNELS + group * depth) * height * width;
const int begin = LOADS == TAPS ? 0 : tid / PLACES * LOADS;
int channel = begin / (high * wide), down = begin / wide % high, across = begin % wide;
if (place >= places) channel = depth;

float given[TAPS / 2], taken[LOADS];
const auto fetch = [&](const int from) {
    #pragma unroll
    for (int i = 0; i < TAPS / 2; ++i) {
        const int k = from + ahead + i;
        given[i] = within && k < count ? filter[k] : 0.0f;
    }
    #pragma unroll
    for (int i = 0; i < TAPS; ++i) {
        if (i < LOADS) {
            const idx y = top + down * a.PBELOW, x = first + across * a.PBESIDE;
            const bool there = channel < depth && y >= 0 && y < height && x >= 0 && x < width;
            taken[i] = there ? planes[(channel * height + y) * width + x] : 0.0f;
        }
        if (++across == wide) {
            across = 0;
            if (++down == high) {
                down = 0;
                ++channel;
            }
        }
    }
};
const auto put = [&](const int which) {
    #pragma unroll
    for (int i = 0; i < TAPS / 2; ++i) left[which][ahead + i][tid / 2] = given[i];
    #pragma unroll
    for (int i = 0; i < LOADS; ++i) right[which][begin + i][tid % PLACES] = taken[i];
};

const int over = PLACES / (8 * SIDE);
const int own = warp / over * (4 * SIDE) + (lane >> 3) * 4;
const int mine = warp % over * (8 * SIDE) + (lane & 7) * 4;
float sums[SIDE][SIDE] = {};
fetch(0);
put(0);
__syncthreads();
int which = 0;
for (int from = 0; from < count; from += TAPS) {
    const bool more = from + TAPS < count;
    if (more) fetch(from + TAPS);
    #pragma unroll
    for (int k = 0; k < TAPS; ++k) {
        float l[SIDE], r[SIDE];
        #pragma unroll
        for (int q = 0; q < SIDE; q += 4) {
            const float4 some = *(const float4*)&left[which][k][own + q * 4];
            const float4 other = *(const float4*)&right[which][k][mine + q * 8];
            l[q] = some.x, l[q + 1] = some.y, l[q + 2] = some.z, l[q + 3] = some.w;
            r[q] = other.x, r[q + 1] = other.y, r[q + 2] = other.z, r[q + 3] = other.w;
        }
        #pragma unroll
        for (int i = 0; i < SIDE; ++i)
            #pragma unroll
            for (int j = 0; j < SIDE; ++j) sums[i][j] = __fmaf_rn(l[i], r[j], sums[i][j]);
    }
    which ^= 1;
    if (more) put(which);
    __syncthreads();
}

const bool whole = (area & 3) == 0 && ((unsigned long long)OUT & 15) == 0;
#pragma unroll
for (int q = 0; q < SIDE; q += 4) {
    idx to[4];
    #pragma unroll
    for (int j = 0; j < 4; ++j) {
        const idx at = tile * PLACES + mine + q * 8 + j, number = treadle_quotient(at, area);
        to[j] = at < places ? (number * MANY + group * each) * area + at - number * area : -1;
    }
    #pragma unroll
    for (int i = 0; i < SIDE; ++i) {
        const idx at = part * FILTERS + own + i / 4 * 16 + (i & 3);
        if (at >= each) continue;
        const float plus = BIAS;
        float* const from = OUT + at * area;
        float made[4];
        #pragma unroll
        for (int j = 0; j < 4; ++j) made[j] = sums[i][q + j] + plus;
        if (whole) {
            if (to[0] >= 0) *(float4*)(from + to[0]) = float4{made[0], made[1], made[2], made[3]};
        } else {
            #pragma unroll
            for (int j = 0; j < 4; ++j)
                if (to[j] >= 0) from[to[j]] = made[j];
        }
    }
}
"""


def _convolve(c: CudaC) -> FormText:
    """Spell a convolution."""
    x, weight, *bias = c.kernel.inputs
    (out,) = c.kernel.outputs
    words = {f"P{param.name.upper()}": f"p_{clean(param.name)}" for param in c.kernel.params} | {
        "IN": f"a.{c.pointer(x)}",
        "WEIGHT": f"a.{c.pointer(weight)}",
        "BIAS": f"a.{c.pointer(bias[0])}[group * each + at]" if bias else "0.0f",
        "OUT": f"a.{c.pointer(out)}",
        "CHANNELS": c.size(x.dims[1]),
        "HEIGHT": c.size(x.dims[2]),
        "WIDTH": c.size(x.dims[3]),
        "MANY": c.size(weight.dims[0]),
        "DEPTH": c.size(weight.dims[1]),
        "HIGH": c.size(weight.dims[2]),
        "WIDE": c.size(weight.dims[3]),
        "BATCH": c.size(out.dims[0]),
        "ROWS": c.size(out.dims[2]),
        "COLUMNS": c.size(out.dims[3]),
        "TAPS": str(_TAPS),
    }
    text, tiles = [], {"treadle_large": _LARGE, "treadle_small": _SMALL}
    for entry, tile in tiles.items():
        own = words | {
            "FILTERS": str(tile.filters),
            "PLACES": str(tile.places),
            "SIDE": str(tile.side),
            "LOADS": str(_TAPS * tile.places // tile.threads),
            "PARTS": "parts",
            "TILES": "tiles",
        }
        lines = filled(_BODY, own).strip("\n").split("\n")
        bounds = f"{tile.threads}, {_RESIDENT}"
        text += [HEAD.format(threads=bounds, entry=entry), *indented(lines), "}"]

    def measure(sizes: Sizes) -> Geometry:
        places = elements((out.dims[0], *out.dims[2:]), sizes)
        channels, depth, filters = (
            elements((dim,), sizes) for dim in (x.dims[1], weight.dims[1], weight.dims[0])
        )
        groups = channels // depth if depth else 1

        def shares(tile: Tile) -> tuple[int, int]:
            return ceil_div(filters // groups, tile.filters), ceil_div(places, tile.places)

        entry, own = "treadle_large", shares(_LARGE)
        if own[0] * own[1] * groups < _BUSY:
            entry, own = "treadle_small", shares(_SMALL)
        blocks = own[0] * own[1] * groups
        return Geometry((Call(entry, blocks, (tiles[entry].threads, 1)),), own)

    return FormText("\n".join(text), tuple(tiles), ("parts", "tiles"), measure)
