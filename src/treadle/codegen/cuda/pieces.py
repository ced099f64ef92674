"""Lines of a scan in tiles that blocks walk at the same time, in CUDA C++.

In: a kernel's language and how its elements are summed up. Out: text with three entries, and how
many blocks of each there are. `treadle_tiles` sums each tile up; `treadle_carry` finds the state
before each tile, a block for a line; `treadle_run` walks the tiles from there. A line of one tile
needs the last alone. Where numbers are not finite, a thread walks the tile from its first element
to its last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.codegen.cuda.abi import HEAD, Call, Geometry, Sizes
from treadle.codegen.cuda.words import CudaC
from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.gpu.pieces import PiecesText, cut
from treadle.dtypes import DType
from treadle.ir.transition import Transition

__all__ = ["BlockScan"]

_THREADS = 128
_EACH = 16  # elements that a thread sums up
_TILE = _THREADS * _EACH
_INLINE = "static __device__ __forceinline__"

# What those before a thread sum up to; `sums` ends with that of all.
_SCANNED = """
INLINE Summary treadle_scanned(const Args& a, Summary* const sums, const Summary mine) {
    const int local = threadIdx.x;
    sums[local] = mine;
    __syncthreads();
    for (int by = 1; by < THREADS; by <<= 1) {
        Summary both = sums[local];
        if (local >= by) both = treadle_combine(a, sums[local - by], both);
        __syncthreads();
        sums[local] = both;
        __syncthreads();
    }
    return local > 0 ? sums[local - 1] : treadle_none();
}
"""

_PLACE = """
__shared__ Summary sums[THREADS];
const idx number = blockIdx.x;
const idx line = treadle_quotient(number, a.tiles);
const idx begin = (number - line * a.tiles) * TILE;
const idx end = min(begin + TILE, a.length);
const idx first = min(begin + (idx)threadIdx.x * EACH, end);
const idx stop = min(first + EACH, end);
Summary mine = treadle_none();
for (idx at = first; at < stop; ++at) mine = treadle_follow(a, line, at, mine);
const Summary before = treadle_scanned(a, sums, mine);
"""

_TILES = """
if (threadIdx.x == THREADS - 1) SUMMARIES[number] = sums[THREADS - 1];
"""

_CARRY = """
__shared__ Summary sums[THREADS];
__shared__ int broken;
const idx line = blockIdx.x, head = line * a.tiles;
const idx each = (a.tiles + THREADS - 1) / THREADS;
const idx first = head + min((idx)threadIdx.x * each, a.tiles);
const idx stop = min(first + each, head + a.tiles);
if (threadIdx.x == 0) broken = 0;
Summary mine = treadle_none();
for (idx t = first; t < stop; ++t) mine = treadle_combine(a, mine, SUMMARIES[t]);
const Summary before = treadle_scanned(a, sums, mine);
State state = treadle_start();
if (threadIdx.x > 0) state = treadle_apply(a, state, before);
for (idx t = first; t < stop; ++t) {
    const Summary sum = SUMMARIES[t];
    const State next = treadle_apply(a, state, sum);
    if (!treadle_sound(state, sum, next)) broken = 1;
    STATES[t] = state;
    state = next;
}
__syncthreads();
if (threadIdx.x > 0 || !broken) return;
state = treadle_start();
for (idx k = 0; k < a.tiles; ++k) {
    STATES[head + k] = state;
    const Summary sum = SUMMARIES[head + k];
    const State next = treadle_apply(a, state, sum);
    if (treadle_sound(state, sum, next)) {
        state = next;
        continue;
    }
    const idx end = min((k + 1) * TILE, a.length);
    for (idx at = k * TILE; at < end; ++at) state = treadle_moved(a, line, at, state);
}
"""

_RUN = """
State state = a.tiles > 1 ? STATES[number] : treadle_start();
const Summary all = sums[THREADS - 1];
if (treadle_sound(state, all, treadle_apply(a, state, all))) {
    if (threadIdx.x > 0) state = treadle_apply(a, state, before);
    for (idx at = first; at < stop; ++at) state = treadle_step(a, line, at, state);
} else if (threadIdx.x == 0) {
    for (idx at = begin; at < end; ++at) state = treadle_step(a, line, at, state);
}
"""


class BlockScan(PiecesText):
    """The entries of one scan."""

    language: CudaC
    heads: Mapping[str, str] = {
        "start": "State treadle_start()",
        "none": "Summary treadle_none()",
        "combine": "Summary treadle_combine(ARGS, const Summary left, const Summary right)",
        "apply": "State treadle_apply(ARGS, const State state, const Summary sum)",
        "follow": "Summary treadle_follow(PLACE, const Summary sum)",
        "moved": "State treadle_moved(PLACE, const State state)",
        "step": "State treadle_step(PLACE, const State state)",
        "sound": "bool treadle_sound(const State before, const Summary sum, const State after)",
    }
    finite: Mapping[DType, str] = dict.fromkeys((DType.F32, DType.F64), "isfinite({0})")
    entries = ("treadle_tiles", "treadle_carry", "treadle_run")

    def __init__(self, c: CudaC, pieces: Transition) -> None:
        super().__init__(c, pieces)
        self.c = c

    def function(
        self, head: str, lines: Sequence[str], kind: str = "", values: Sequence[str] = ()
    ) -> list[str]:
        """A function; a struct is filled member by member."""
        head = head.replace("PLACE", "ARGS, const idx line, const idx at")
        head = head.replace("ARGS", "const Args& a")
        if kind:
            sets = [f"out.m{k} = {text};" for k, text in enumerate(values)]
            lines = [*lines, f"{kind} out;", *sets, "return out;"]
        return [f"{_INLINE} {head} {{", *indented(lines), "}"]

    def place(self) -> str:
        """The number of the element at the coordinates."""
        space = self.c.kernel.space
        return self.c.place(
            [self.c.names[k] for k in range(len(space))], space, [True] * len(space)
        )

    def struct(self, name: str, dtypes: Sequence[DType]) -> list[str]:
        """A struct of values."""
        members = [f"    {self.c.types[dtype]} m{k};" for k, dtype in enumerate(dtypes)]
        return [f"struct {name} {{", *members, "};"]

    def text(self) -> str:
        """Structs and functions."""
        lines = [
            *self.struct("State", self.states),
            *self.struct("Summary", self.sums),
            *self.functions(),
            *_filled(_SCANNED),
        ]
        return "\n".join(lines)

    def apart(self) -> dict[str, str]:
        """The text of each entry."""
        bodies = (_PLACE + _TILES[1:], _CARRY, _PLACE + _RUN[1:])
        return {
            entry: "\n".join(
                [HEAD.format(threads=_THREADS, entry=entry), *indented(_filled(body)), "}"]
            )
            for entry, body in zip(self.entries, bodies, strict=True)
        }

    def measure(self, sizes: Sizes) -> Geometry | None:
        """What to launch, None where a thread is to walk a line."""
        lines, length, tiles = cut(self.c.kernel.space, self.form.axis, _TILE, sizes)
        if not tiles:
            return None
        block = (_THREADS, 1)
        values = (lines, length, tiles)
        first, carry, run = self.entries
        last = Call(run, lines * tiles, block)
        if tiles == 1:
            return Geometry((last,), values)
        # Members lie one behind the other; eight bytes for each are enough for any of them.
        kept = 8 * (len(self.sums) + len(self.states)) * lines * tiles
        calls = (Call(first, lines * tiles, block), Call(carry, lines, block), last)
        return Geometry(calls, values, kept)


def _filled(text: str) -> list[str]:
    words = {
        "SUMMARIES": "((Summary*)a.scratch)",
        "STATES": "((State*)((Summary*)a.scratch + a.lines * a.tiles))",
        "INLINE": _INLINE,
        "THREADS": str(_THREADS),
        "TILE": str(_TILE),
        "EACH": str(_EACH),
    }
    for word, value in words.items():
        text = text.replace(word, value)
    return text.strip("\n").split("\n")
