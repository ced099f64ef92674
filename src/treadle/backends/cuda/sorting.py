"""Rows in order on CUDA: by their bits, eight at a time.

In: kernels that name the routine "sort", or "word_places", which gives positions: a key then has
the position below it, and is sorted by its own bits alone. Out: entries. Values become unsigned
keys in the same order. A row that one block holds is put in order by one byte after the other, in
memory that the block shares. A longer one is gone through once for each byte of a key: its tiles
count their digits, for each digit it is added up where a tile's begin, and the tiles, in order by
that byte, are put there. Rows of few elements share a block, and go through a bitonic network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from treadle.backends.cuda.blocks import BEFORE, THREADS
from treadle.backends.cuda.text import filled
from treadle.codegen.cuda.abi import HEAD, Call, FormText, Geometry, Sizes
from treadle.codegen.cuda.words import STORED_TYPES, CudaC
from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.nodes import Kernel

__all__ = ["KEYS", "ORDERS", "routine_for"]

_TILE = 4096  # keys that a block holds,
_LITTLE = 1024  # or, of shorter rows, so many
_SHORT_ROW = 256  # elements of a row that shares a block with others,
_SHORTS = 2048  # of which a block holds so many
_DIGITS = 256  # as many as threads
_FEW_TILES = 64  # that a thread adds up one after the other, where there are rows enough
_ALIGNED = 16  # bytes to which parts of the scratch are aligned


@dataclass(frozen=True, slots=True)
class Order:
    """What of a value's bits makes a key: its type, how to get there and back, and those bits.

    Of floats -0 is the one before 0."""

    key: str
    to: str
    back: str
    bits: str = ""

    def words(self, dtype: DType) -> dict[str, str]:
        """What stands for the names in KEYS."""
        made = {"KEY": self.key, "TO": self.to, "BACK": self.back, "BITS": self.bits}
        return made | {"VALUE": STORED_TYPES[dtype]}


_SIGN, _LONG_SIGN = "0x80000000u", "0x8000000000000000ull"
_WORD, _LONG = "unsigned int", "unsigned long long"


def _short_float(infinity: int) -> Order:
    """The order of floats of 16 bits, which are their bits in memory."""
    return Order(
        _WORD,
        f"(BITS & 0x7fffu) > {infinity}u ? 0xffffu : BITS ^ (BITS & 0x8000u ? 0xffffu : 0x8000u)",
        "(VALUE)(key & 0x8000u ? key ^ 0x8000u : ~key)",
        "(KEY)value",
    )


ORDERS = {
    **dict.fromkeys((DType.U8, DType.U16, DType.BOOL), Order(_WORD, "(KEY)value", "(VALUE)key")),
    **dict.fromkeys(
        (DType.S8, DType.S16),
        Order(_WORD, f"(KEY)(int)value ^ {_SIGN}", f"(VALUE)(int)(key ^ {_SIGN})"),
    ),
    DType.F16: _short_float(0x7C00),
    DType.BF16: _short_float(0x7F80),
    DType.U32: Order(_WORD, "value", "key"),
    DType.S32: Order(_WORD, f"(KEY)value ^ {_SIGN}", f"(VALUE)(key ^ {_SIGN})"),
    DType.S64: Order(_LONG, f"(KEY)value ^ {_LONG_SIGN}", f"(VALUE)(key ^ {_LONG_SIGN})"),
    DType.F32: Order(
        _WORD,
        f"value != value ? ~0u : BITS ^ (BITS & {_SIGN} ? ~0u : {_SIGN})",
        f"__uint_as_float(key & {_SIGN} ? key ^ {_SIGN} : ~key)",
        "__float_as_uint(value)",
    ),
    DType.F64: Order(
        _LONG,
        f"value != value ? ~0ull : BITS ^ (BITS & {_LONG_SIGN} ? ~0ull : {_LONG_SIGN})",
        f"__longlong_as_double((long long)(key & {_LONG_SIGN} ? key ^ {_LONG_SIGN} : ~key))",
        "(KEY)__double_as_longlong(value)",
    ),
}


def routine_for(kernel: Kernel) -> Callable[[CudaC], FormText] | None:
    """What replaces the form of rows in order; None for others."""
    if kernel.routine not in ("sort", "word_places") or len(kernel.inputs[0].dims) != 2:
        return None
    (x,), (out,) = kernel.inputs, kernel.outputs
    if kernel.routine == "word_places":
        return _sort if x.dtype in ORDERS and x.dtype.size <= 4 and out.dtype is DType.S32 else None
    return _sort if x.dtype is out.dtype and x.dtype in ORDERS else None


KEYS = """
__device__ __forceinline__ KEY treadle_key(const VALUE value, const bool turned) {
    const KEY key = TO;
    return turned ? ~key : key;
}
__device__ __forceinline__ VALUE treadle_value(const KEY made, const bool turned) {
    const KEY key = turned ? ~made : made;
    return BACK;
}
"""

_ZERO = """
__device__ __forceinline__ VALUE treadle_zero(const VALUE value) {
    return value == (VALUE)0 ? (VALUE)0 : value;
}
"""

# Where the keys of a block belong by one byte of theirs; stable. Warps have keys that follow each
# other, their lanes one of 32 in turn. A warp counts its digits, lanes with equal ones together;
# then what digits and warps before have is added up. A thread is given how many keys of the block
# have a smaller digit than its own number.
_PLACES = """
template <int EACH> __device__ __forceinline__ int treadle_places(
    const KEY (&held)[EACH], int (&places)[EACH], int* const counts, idx* const warps,
    const int shift) {
    const int lane = threadIdx.x & 31;
    int* const mine = counts + (threadIdx.x >> 5) * DIGITS;
    #pragma unroll
    for (int k = lane; k < DIGITS; k += 32) mine[k] = 0;
    __syncwarp();
    #pragma unroll
    for (int k = 0; k < EACH; ++k) {
        const unsigned int digit = (unsigned int)(held[k] >> shift) & 255u;
        unsigned int alike = ~0u;
        #pragma unroll
        for (int bit = 0; bit < 8; ++bit) {
            const bool one = digit >> bit & 1u;
            const unsigned int ones = __ballot_sync(~0u, one);
            alike &= one ? ones : ~ones;
        }
        const int ahead = __popc(alike & ((1u << lane) - 1u)), before = mine[digit];
        __syncwarp();
        if (ahead == 0) mine[digit] = before + __popc(alike);
        __syncwarp();
        places[k] = before + ahead;
    }
    __syncthreads();
    idx digits = 0, all = 0;
    #pragma unroll
    for (int w = 0; w < WARPS; ++w) {
        const int there = counts[w * DIGITS + threadIdx.x];
        counts[w * DIGITS + threadIdx.x] = (int)digits;
        digits += there;
    }
    const int smaller = (int)treadle_before(digits, warps, all);
    #pragma unroll
    for (int w = 0; w < WARPS; ++w) counts[w * DIGITS + threadIdx.x] += smaller;
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < EACH; ++k) places[k] += mine[held[k] >> shift & 255];
    return smaller;
}
"""

# What is missing of a tile is behind all others.
_TAKE = """
__shared__ KEY tile[TILE];
__shared__ int counts[WARPS * DIGITS];
__shared__ idx warps[32];
const bool turned = a.TURNED != 0;
const idx row = treadle_quotient((idx)blockIdx.x, a.tiles);
const idx part = (idx)blockIdx.x - row * a.tiles;
const idx from = row * a.length + part * TILE;
const int left = (int)min((idx)TILE, a.length - part * TILE);
const int own = (int)(threadIdx.x >> 5) * (32 * EACH) + (int)(threadIdx.x & 31);
KEY held[EACH];
int places[EACH];
#pragma unroll
for (int k = 0; k < EACH; ++k) {
    const int at = own + k * 32;
    held[k] = at < left ? SOURCE : ~(KEY)0;
}
"""

# Bytes that all keys have in common order nothing.
_WHOLE = """
TAKE
if (threadIdx.x == 0) tile[0] = held[0];
__syncthreads();
KEY other = 0;
#pragma unroll
for (int k = 0; k < EACH; ++k) other |= own + k * 32 < left ? held[k] ^ tile[0] : 0;
for (int shift = LOWEST; shift < LOWEST + WIDTH; shift += 8) {
    if (!__syncthreads_or((other >> shift & 255) != 0)) continue;
    treadle_places(held, places, counts, warps, shift);
    #pragma unroll
    for (int k = 0; k < EACH; ++k) tile[places[k]] = held[k];
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < EACH; ++k) held[k] = tile[own + k * 32];
}
#pragma unroll
for (int k = 0; k < EACH; ++k) {
    const int at = own + k * 32;
    if (at < left) {
        const KEY key = held[k];
        OUT[from + at] = RESULT;
    }
}
"""

_COUNT = """
__shared__ int counts[DIGITS];
const bool turned = a.TURNED != 0;
const idx row = treadle_quotient((idx)blockIdx.x, a.tiles);
const idx part = (idx)blockIdx.x - row * a.tiles;
const idx from = row * a.length + part * TILE;
const int left = (int)min((idx)TILE, a.length - part * TILE);
counts[threadIdx.x] = 0;
__syncthreads();
#pragma unroll
for (int k = 0; k < EACH; ++k) {
    const int at = k * THREADS + (int)threadIdx.x;
    if (at < left) atomicAdd(counts + ((SOURCE) >> SHIFT & 255), 1);
}
__syncthreads();
COUNTS[(row * DIGITS + (idx)threadIdx.x) * a.tiles + part] = counts[threadIdx.x];
"""

_ADD = """
__shared__ idx warps[32];
const idx all = treadle_carry(COUNTS + (idx)blockIdx.x * a.tiles, a.tiles, warps);
if (threadIdx.x == 0) TOTALS[blockIdx.x] = all;
"""

# Of few tiles a thread for each digit, instead of a block.
_ADD_FEW = """
const idx line = (idx)blockIdx.x * DIGITS + threadIdx.x;
idx all = 0;
for (idx part = 0; part < a.tiles; ++part) {
    const idx there = COUNTS[line * a.tiles + part];
    COUNTS[line * a.tiles + part] = all;
    all += there;
}
TOTALS[line] = all;
"""

_PLACE = """
TAKE
const int smaller = treadle_places(held, places, counts, warps, SHIFT);
__shared__ idx begins[DIGITS];
#pragma unroll
for (int k = 0; k < EACH; ++k) tile[places[k]] = held[k];
idx all = 0;
const idx line = row * DIGITS + (idx)threadIdx.x;
const idx begin = treadle_before(TOTALS[line], warps, all) + COUNTS[line * a.tiles + part];
begins[threadIdx.x] = begin - smaller;
__syncthreads();
#pragma unroll
for (int k = 0; k < EACH; ++k) {
    const int at = k * THREADS + (int)threadIdx.x;
    if (at < left) {
        const KEY key = tile[at];
        const idx to = row * a.length + begins[(int)(key >> SHIFT & 255)] + at;
        TARGET = MADE;
    }
}
"""

# Several short rows of a block, each with places up to a power of two, in a bitonic network. Keys
# are all different, or what is equal is the same.
_SHORT = """
__shared__ KEY tile[SHORTS];
const bool turned = a.TURNED != 0;
const int width = (int)a.width, shift = __popc(width - 1);
const idx first = (idx)blockIdx.x * (SHORTS >> shift);
#pragma unroll
for (int k = 0; k < SHORTS / THREADS; ++k) {
    const int spot = k * THREADS + (int)threadIdx.x, at = spot & (width - 1);
    const idx row = first + (spot >> shift), from = row * a.length;
    tile[spot] = row < a.rows && at < a.length ? FIRST : ~(KEY)0;
}
__syncthreads();
for (int span = 2; span <= width; span <<= 1)
    for (int step = span >> 1; step > 0; step >>= 1) {
        #pragma unroll
        for (int k = 0; k < SHORTS / THREADS / 2; ++k) {
            const int pair = k * THREADS + (int)threadIdx.x;
            const int one = 2 * pair - (pair & (step - 1));
            const KEY left = tile[one], right = tile[one + step];
            if ((right < left) == ((one & (width - 1) & span) == 0)) {
                tile[one] = right;
                tile[one + step] = left;
            }
        }
        __syncthreads();
    }
#pragma unroll
for (int k = 0; k < SHORTS / THREADS; ++k) {
    const int spot = k * THREADS + (int)threadIdx.x, at = spot & (width - 1);
    const idx row = first + (spot >> shift), from = row * a.length;
    if (row < a.rows && at < a.length) {
        const KEY key = tile[spot];
        OUT[from + at] = RESULT;
    }
}
"""


def _passes(source: str, areas: tuple[str, str], count: int) -> Iterator[tuple[str, str, str]]:
    """Where keys are read, where they are put, and as what, for each byte of a key.

    They go through two areas in turn, the second of them last but one, and end in the output."""
    for k in range(count):
        if k == count - 1:
            yield source, "OUT[to]", "RESULT"
        else:
            there = areas[(count - k) % 2]
            yield source, f"{there}[to]", "key"
            source = f"{there}[from + at]"


def _sort(c: CudaC) -> FormText:
    """Spell rows in order, or the positions of rows in order."""
    (x,), (out,) = c.kernel.inputs, c.kernel.outputs
    order, stored = ORDERS[x.dtype], x.dtype.size
    placing = c.kernel.routine == "word_places"
    key = _LONG if placing else order.key
    size = 8 if key == _LONG else 4
    each = 8 if c.wide else 4  # bytes of an index
    held = (2 if placing else 1) if stored > 1 else 0  # areas of keys in the scratch
    keys = f"(((long long)a.rows * a.length * KEYSIZE * {held} + 15) / 16 * 16)"
    read = "treadle_key(GIVEN(IN[from + at]), turned)"
    first = f"((KEY){read} << 32 | (unsigned int)(part * TILE + at))" if placing else read
    other = "(((KEY*)a.scratch) + (long long)a.rows * a.length)" if placing else "((KEY*)OUT)"
    given = {
        "SOURCE": first,
        "RESULT": "(int)(unsigned int)key" if placing else "treadle_value(key, turned)",
        "FIRST": f"((KEY){read} << 32 | (unsigned int)at)" if placing else read,
        "LOWEST": "32" if placing else "0",
        "TAKE": _TAKE.strip("\n"),
    }
    words = order.words(x.dtype) | {
        "KEY": key,
        "SUM": "idx",
        "KEYSIZE": str(size),
        "TILE": str(_TILE),
        "EACH": str(_TILE // THREADS),
        "WARPS": str(THREADS // 32),
        "WIDTH": str(8 * stored),
        "THREADS": str(THREADS),
        "DIGITS": str(_DIGITS),
        "SHORTS": str(_SHORTS),
        "GIVEN": "treadle_zero" if placing else "",  # where zeros of either sign are equal
        "IN": f"a.{c.pointer(x)}",
        "OUT": f"a.{c.pointer(out)}",
        "TURNED": c.parameter(c.kernel.params[0]).removeprefix("a."),
        "COUNTS": f"((idx*)(a.scratch + {keys}))",
        "TOTALS": "(COUNTS + (long long)a.rows * DIGITS * a.tiles)",
    }
    bodies = {
        "treadle_short": filled(_SHORT, words | given),
        "treadle_add": _ADD,
        "treadle_add_few": _ADD_FEW,
    }
    bodies["treadle_whole"] = filled(_WHOLE, words | given)
    fewer = {"TILE": str(_LITTLE), "EACH": str(_LITTLE // THREADS)}
    bodies["treadle_little"] = filled(_WHOLE, words | given | fewer)
    lowest = int(given["LOWEST"])
    passes = _passes(first, ("((KEY*)a.scratch)", other), stored)
    for k, (source, target, made) in enumerate(passes):
        given |= {"SOURCE": source, "TARGET": target, "MADE": made}
        given["SHIFT"] = str(lowest + 8 * k)
        bodies[f"treadle_count_{k}"] = filled(_COUNT, words | given)
        bodies[f"treadle_place_{k}"] = filled(_PLACE, words | given)
    text = [filled(BEFORE, words), filled(KEYS, order.words(x.dtype))]
    text += [filled(_ZERO, words)] if placing else []
    text += [filled(_PLACES, words | {"EACH": "EACH"})]
    for entry, body in bodies.items():
        lines = filled(body, words).strip("\n").split("\n")
        text += [HEAD.format(threads=THREADS, entry=entry), *indented(lines), "}"]

    def measure(sizes: Sizes) -> Geometry:
        rows, length = (elements((dim,), sizes) for dim in out.dims)
        tiles = max(ceil_div(length, _TILE), 1)
        width = 1 << max(length - 1, 0).bit_length()
        values = (rows, length, tiles, width)
        block = (THREADS, 1)
        if length <= _SHORT_ROW:
            short = Call("treadle_short", ceil_div(rows * width, _SHORTS), block)
            return Geometry((short,), values)
        if tiles == 1:
            entry = "treadle_little" if length <= _LITTLE else "treadle_whole"
            return Geometry((Call(entry, rows, block),), values)
        calls, added = [], Call("treadle_add", rows * _DIGITS, block)
        if tiles <= min(rows, _FEW_TILES):
            added = Call("treadle_add_few", rows, block)
        for k in range(stored):
            calls.append(Call(f"treadle_count_{k}", rows * tiles, block))
            calls.append(added)
            calls.append(Call(f"treadle_place_{k}", rows * tiles, block))
        kept = ceil_div(rows * length * size * held, _ALIGNED) * _ALIGNED
        return Geometry(tuple(calls), values, kept + each * rows * _DIGITS * (tiles + 1))

    return FormText("\n".join(text), tuple(bodies), ("rows", "length", "tiles", "width"), measure)
