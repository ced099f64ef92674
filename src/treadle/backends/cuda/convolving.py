"""Convolutions of many channels on CUDA: a product of matrices of which one is never made.

In: kernels that name the routine "conv2d". Out: an entry for large and one for small pictures. A
block has some filters and some places of the result, of the whole batch. It goes through the taps
of all channels, a few at a time: what filters have there, and what places read there, goes to
memory that the block shares, while products of what is there already add up in registers. Where
that makes few blocks, several have a share of the taps each, and another entry adds them up. Of
many channels filters are turned first, so that they lie as blocks take them.
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
    """Filters and places of a block; a thread has `down` by `across` of them."""

    filters: int
    places: int
    down: int
    across: int

    @property
    def threads(self) -> int:
        """Threads of a block: two of them load what a filter has."""
        return 2 * self.filters


_FILTERS = 64
_TILES = {
    "treadle_large": Tile(_FILTERS, 128, 8, 8),
    "treadle_small": Tile(_FILTERS, 64, 8, 4),
}
_TAPS = 8  # of a step
_ENOUGH = 264  # large blocks that are better than more small ones
_BUSY = 396  # blocks that keep a GPU busy
_SHARE = 12  # steps that are worth a block
_RESIDENT = 3  # blocks of a multiprocessor that registers are shared by
_THREADS = 256  # of a block that adds shares up, or turns filters
_MEMBERS = ("parts", "tiles", "steps", "shares", "each", "size", "turns")


def routine_for(kernel: Kernel) -> Callable[[CudaC], FormText] | None:
    """What replaces the form of a convolution; None for others."""
    dtypes = {tensor.dtype for tensor in (*kernel.inputs, *kernel.outputs)}
    return _convolve if kernel.routine == "conv2d" and dtypes == {DType.F32} else None


# Places between the rows of a shared table, so that threads that store a column ask other banks.
_PLACE = """
__shared__ __align__(16) float left[2][TAPS][FILTERS + 4];
__shared__ __align__(16) float right[2][TAPS][PLACES];
const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
const idx height = HEIGHT, width = WIDTH, columns = COLUMNS, area = ROWS * columns;
const idx places = BATCH * area;
const int depth = (int)DEPTH, high = (int)HIGH, wide = (int)WIDE;
const idx groups = a.PGROUPS, each = treadle_quotient(MANY, groups);
const idx shared = treadle_quotient((idx)blockIdx.x, a.SHARES);
const int share = (int)((idx)blockIdx.x - shared * a.SHARES);
const idx rest = treadle_quotient(shared, a.PARTS), part = shared - rest * a.PARTS;
const idx group = treadle_quotient(rest, a.TILES), tile = rest - group * a.TILES;
const int some = share * (int)a.EACH, end = min((int)a.STEPS, some + (int)a.EACH);

const idx place = tile * PLACES + tid % PLACES;
const idx picture = treadle_quotient(place, area), inside = place - picture * area;
const idx line = treadle_quotient(inside, columns);
const idx top = line * a.PDOWN - a.PTOP, first = (inside - line * columns) * a.PACROSS - a.PLEFT;
const float* const planes = IN + (picture * CHANNELS + group * depth) * height * width;
const int begin = LOADS == TAPS ? 0 : tid / PLACES * LOADS;
float given[TAPS / 2], taken[LOADS];
"""

# Of few channels a step is the next taps as they lie in memory, of whatever channel.
_FLAT = """
const int ahead = (tid & 1) * (TAPS / 2), count = depth * high * wide;
const idx row = part * FILTERS + tid / 2;
const bool within = row < each;
const float* const filter = WEIGHT + (group * each + (within ? row : 0)) * count;
const int start = some * TAPS + begin;
int channel = start / (high * wide), down = start / wide % high, across = start % wide;
if (place >= places) channel = depth;
const auto fetch = [&](const int step) {
    #pragma unroll
    for (int i = 0; i < TAPS / 2; ++i) {
        const int k = step * TAPS + ahead + i;
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
"""

# Of many a step is one tap of the next channels: a place is inside of all their planes or of none.
_DEEP = """
const int deep = (depth + TAPS - 1) / TAPS, tap = some / deep;
const idx plane = height * width;
int channel = (some - tap * deep) * TAPS, down = tap / wide, across = tap % wide;
const float* filter = TURNED + (((long long)group * a.STEPS + some) * TAPS + tid / (FILTERS / 4))
    * (a.PARTS * FILTERS) + part * FILTERS + tid % (FILTERS / 4) * 4;
const auto fetch = [&](const int step) {
    const float4 next = *(const float4*)filter;
    filter += TAPS * (a.PARTS * FILTERS);
    given[0] = next.x, given[1] = next.y, given[2] = next.z, given[3] = next.w;
    const idx y = top + down * a.PBELOW, x = first + across * a.PBESIDE;
    const bool there = place < places && y >= 0 && y < height && x >= 0 && x < width;
    const float* const from = planes + (channel + begin) * plane + y * width + x;
    #pragma unroll
    for (int i = 0; i < LOADS; ++i)
        taken[i] = there && channel + begin + i < depth ? from[i * plane] : 0.0f;
    channel += TAPS;
    if (channel >= depth) {
        channel = 0;
        if (++across == wide) {
            across = 0;
            ++down;
        }
    }
};
const auto put = [&](const int which) {
    *(float4*)&left[which][tid / (FILTERS / 4)][tid % (FILTERS / 4) * 4] =
        float4{given[0], given[1], given[2], given[3]};
    #pragma unroll
    for (int i = 0; i < LOADS; ++i) right[which][begin + i][tid % PLACES] = taken[i];
};
"""

# Filters by step and channel, and side by side; where there is none, zeros.
_TURN = """
const idx at = (idx)blockIdx.x * blockDim.x + threadIdx.x, wide = a.PARTS * FILTERS;
if (at >= a.TURNS) return;
const idx taps = HIGH * WIDE, deep = (DEPTH + TAPS - 1) / TAPS * TAPS;
const idx each = treadle_quotient(MANY, a.PGROUPS);
const idx spot = treadle_quotient(at, wide), filter = at - spot * wide;
const idx row = treadle_quotient(spot, deep), channel = spot - row * deep;
const idx group = treadle_quotient(row, taps), tap = row - group * taps;
const bool there = filter < each && channel < DEPTH;
const idx from = ((group * each + filter) * DEPTH + channel) * taps + tap;
TURNED[at] = there ? WEIGHT[from] : 0.0f;
"""

_CORE = """
const int over = PLACES / (8 * ACROSS);
const int own = warp / over * (4 * DOWN) + (lane >> 3) * 4;
const int mine = warp % over * (8 * ACROSS) + (lane & 7) * 4;
float sums[DOWN][ACROSS] = {};
fetch(some);
put(0);
__syncthreads();
int which = 0;
for (int step = some; step < end; ++step) {
    const bool more = step + 1 < end;
    if (more) fetch(step + 1);
    #pragma unroll
    for (int k = 0; k < TAPS; ++k) {
        float l[DOWN], r[ACROSS];
        #pragma unroll
        for (int q = 0; q < DOWN; q += 4) {
            const float4 four = *(const float4*)&left[which][k][own + q * 4];
            l[q] = four.x, l[q + 1] = four.y, l[q + 2] = four.z, l[q + 3] = four.w;
        }
        #pragma unroll
        for (int q = 0; q < ACROSS; q += 4) {
            const float4 four = *(const float4*)&right[which][k][mine + q * 8];
            r[q] = four.x, r[q + 1] = four.y, r[q + 2] = four.z, r[q + 3] = four.w;
        }
        #pragma unroll
        for (int i = 0; i < DOWN; ++i)
            #pragma unroll
            for (int j = 0; j < ACROSS; ++j) sums[i][j] = __fmaf_rn(l[i], r[j], sums[i][j]);
    }
    which ^= 1;
    if (more) put(which);
    __syncthreads();
}

float* const target = a.SHARES > 1 ? SUMS + (long long)share * a.SIZE : OUT;
const bool whole = (area & 3) == 0 && ((unsigned long long)target & 15) == 0;
#pragma unroll
for (int q = 0; q < ACROSS; q += 4) {
    idx to[4];
    #pragma unroll
    for (int j = 0; j < 4; ++j) {
        const idx at = tile * PLACES + mine + q * 8 + j, number = treadle_quotient(at, area);
        to[j] = at < places ? (number * MANY + group * each) * area + at - number * area : -1;
    }
    #pragma unroll
    for (int i = 0; i < DOWN; ++i) {
        const idx at = part * FILTERS + own + i / 4 * 16 + (i & 3);
        if (at >= each) continue;
        const float plus = a.SHARES > 1 ? 0.0f : BIAS;
        float* const from = target + at * area;
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


_ADD = """
const idx at = (idx)blockIdx.x * blockDim.x + threadIdx.x;
if (at >= a.SIZE) return;
float sum = SUMS[at];
for (idx share = 1; share < a.SHARES; ++share) sum = sum + SUMS[share * (long long)a.SIZE + at];
const idx area = ROWS * COLUMNS, row = treadle_quotient(at, area);
OUT[at] = sum + BIAS;
"""


def _convolve(c: CudaC) -> FormText:
    """Spell a convolution."""
    x, weight, *bias = c.kernel.inputs
    (out,) = c.kernel.outputs
    words = {f"P{param.name.upper()}": f"p_{clean(param.name)}" for param in c.kernel.params} | {
        "IN": f"a.{c.pointer(x)}",
        "WEIGHT": f"a.{c.pointer(weight)}",
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
        "TURNED": "((float*)a.scratch)",
        "SUMS": "((float*)a.scratch + a.TURNS)",
        **{name.upper(): name for name in _MEMBERS},
    }
    kept = f"a.{c.pointer(bias[0])}[{{}}]" if bias else "0.0f"
    texts = {}
    for loader, walk in (("", _FLAT), ("_deep", _DEEP)):
        for entry, tile in _TILES.items():
            own = words | {
                "BIAS": kept.format("group * each + at"),
                "FILTERS": str(tile.filters),
                "PLACES": str(tile.places),
                "DOWN": str(tile.down),
                "ACROSS": str(tile.across),
                "LOADS": str(_TAPS * tile.places // tile.threads),
            }
            bounds = f"{tile.threads}, {_RESIDENT}"
            body = filled(_PLACE + walk[1:] + _CORE[1:], own)
            texts[entry + loader] = HEAD.format(threads=bounds, entry=entry + loader), body
    words |= {"BIAS": kept.format("treadle_remainder(row, MANY)"), "FILTERS": str(_FILTERS)}
    for entry, body in (("treadle_turn", _TURN), ("treadle_add", _ADD)):
        texts[entry] = HEAD.format(threads=_THREADS, entry=entry), filled(body, words)
    apart = {
        entry: "\n".join([head, *indented(body.strip("\n").split("\n")), "}"])
        for entry, (head, body) in texts.items()
    }

    def measure(sizes: Sizes) -> Geometry:
        places = elements((out.dims[0], *out.dims[2:]), sizes)
        channels, depth, filters = (
            elements((dim,), sizes) for dim in (x.dims[1], weight.dims[1], weight.dims[0])
        )
        taps, size = elements(weight.dims[2:], sizes), elements(out.dims, sizes)
        groups = channels // depth if depth else 1
        parts = ceil_div(filters // groups, _FILTERS)
        entry = "treadle_large"
        if ceil_div(places, _TILES[entry].places) * parts * groups < _ENOUGH:
            entry = "treadle_small"
        tile = _TILES[entry]
        tiles = ceil_div(places, tile.places)
        deep = depth >= _TAPS
        steps = taps * ceil_div(depth, _TAPS) if deep else ceil_div(depth * taps, _TAPS)
        turns = groups * steps * _TAPS * parts * _FILTERS if deep else 0
        blocks = tiles * parts * groups
        each = max(ceil_div(steps, max(1, min(_BUSY // max(blocks, 1), steps // _SHARE))), 1)
        shares = max(ceil_div(steps, each), 1)
        calls = [Call("treadle_turn", ceil_div(turns, _THREADS), (_THREADS, 1))] if deep else []
        calls.append(Call(entry + "_deep" * deep, blocks * shares, (tile.threads, 1)))
        if shares > 1:
            calls.append(Call("treadle_add", ceil_div(size, _THREADS), (_THREADS, 1)))
        values = (parts, tiles, steps, shares, each, size, turns)
        return Geometry(tuple(calls), values, 4 * (turns + (size * shares if shares > 1 else 0)))

    return FormText("", tuple(apart), _MEMBERS, measure, apart)
