"""Lines of a scan in tiles that blocks walk at the same time, in CUDA C++.

In: a kernel's language and how its elements are summed up. Out: text with three entries, and how
many blocks of each there are. `treadle_tiles` sums each tile up; `treadle_carry` finds the state
before each tile, a block for a line; `treadle_run` walks the tiles from there. A line of one tile
needs the last alone. Where numbers are not finite, a thread walks the tile from its first element
to its last. What elements read at their own place, and what they are given, goes through memory
that the block shares, so that neighbours in memory are loaded and stored by neighbouring threads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.codegen.cuda.abi import HEAD, Call, Geometry, Sizes
from treadle.codegen.cuda.words import STORED_TYPES, CudaC
from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.gpu.pieces import PiecesText, cut
from treadle.dtypes import DType
from treadle.ir.nodes import Load, Tensor
from treadle.ir.transition import Transition

__all__ = ["BlockScan"]

_THREADS = 128
_EACH = 16  # elements that a thread sums up
_TILE = _THREADS * _EACH
_SLOTS = _TILE + _TILE // 16
_ROOM = 36 << 10  # bytes of a tile that a block shares
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

# Every sixteenth element has a free place behind it, so that threads that walk ask other banks.
# Lines may lie side by side in memory, so blocks that run together take tiles of several.
_PLACE = """
__shared__ Summary sums[THREADS];
__shared__ Tile tile;
const idx part = treadle_quotient((idx)blockIdx.x, a.lines);
const idx line = (idx)blockIdx.x - part * a.lines;
const idx number = line * a.tiles + part, begin = part * TILE;
const idx end = min(begin + TILE, a.length);
#pragma unroll
for (int k = 0; k < EACH; ++k) {
    const int spot = k * THREADS + (int)threadIdx.x;
    if (begin + spot < end) treadle_keep(tile, spot, treadle_given(a, line, begin + spot));
}
__syncthreads();
const idx first = min(begin + (idx)threadIdx.x * EACH, end);
const idx stop = min(first + EACH, end);
Summary mine = treadle_none();
for (idx at = first; at < stop; ++at)
    mine = treadle_follow(a, line, at, treadle_kept(tile, (int)(at - begin)), mine);
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
    for (idx at = k * TILE; at < end; ++at)
        state = treadle_moved(a, line, at, treadle_given(a, line, at), state);
}
"""

_RUN = """
State state = a.tiles > 1 ? STATES[number] : treadle_start();
const Summary all = sums[THREADS - 1];
if (treadle_sound(state, all, treadle_apply(a, state, all))) {
    if (threadIdx.x > 0) state = treadle_apply(a, state, before);
    for (idx at = first; at < stop; ++at)
        state = treadle_step(a, line, at, treadle_kept(tile, (int)(at - begin)), state, tile,
                             (int)(at - begin));
} else if (threadIdx.x == 0) {
    for (idx at = begin; at < end; ++at)
        state = treadle_step(a, line, at, treadle_kept(tile, (int)(at - begin)), state, tile,
                             (int)(at - begin));
}
__syncthreads();
#pragma unroll
for (int k = 0; k < EACH; ++k) {
    const int spot = k * THREADS + (int)threadIdx.x;
    if (begin + spot < end) treadle_leave(a, line, begin + spot, tile, spot);
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
        "follow": "Summary treadle_follow(PLACE, const Given given, const Summary sum)",
        "moved": "State treadle_moved(PLACE, const Given given, const State state)",
        "step": "State treadle_step(PLACE, const Given given, const State state, Tile& tile, "
        "const int spot)",
        "sound": "bool treadle_sound(const State before, const Summary sum, const State after)",
    }
    finite: Mapping[DType, str] = dict.fromkeys((DType.F32, DType.F64), "isfinite({0})")
    entries = ("treadle_tiles", "treadle_carry", "treadle_run")

    def __init__(self, c: CudaC, pieces: Transition, own: Sequence[Load]) -> None:
        super().__init__(c, pieces)
        self.c, self.own = c, own
        here = {load.tensor for load in own}
        self.taken: list[Tensor] = []  # inputs that go through the tile
        self.left: list[Tensor] = []  # outputs that do
        room = _ROOM
        for kept, tensors in ((self.left, c.kernel.outputs), (self.taken, c.kernel.inputs)):
            for tensor in tensors:
                size = _SLOTS * tensor.dtype.size
                if size <= room and (kept is self.left or tensor.name in here):
                    kept.append(tensor)
                    room -= size

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

    def stores(self, texts: Sequence[str], dtypes: Sequence[DType]) -> list[str]:
        """Results go to the tile, as they will lie in memory."""
        c, lines, kept = self.c, list[str](), list[str]()
        for n, (tensor, text, dtype) in enumerate(
            zip(c.kernel.outputs, texts, dtypes, strict=True)
        ):
            lines.append(c.declare(f"result{n}", dtype, text))
            if tensor in self.left:
                made = c.convert(f"result{n}", dtype, tensor.dtype)
                kept.append(f"tile.{c.pointer(tensor)}[treadle_slot(spot)] = {made};")
            else:
                kept.append(c.store(tensor, "linear", f"result{n}", dtype))
        return [*lines, *kept]

    def moves(self) -> list[str]:
        """What elements have at their place: as values, and in a tile."""
        c = self.c
        tile, given = [*self.taken, *self.left], [c.pointer(t) for t in self.taken]
        lines = ["struct Given {"]
        lines += [f"    {STORED_TYPES[t.dtype]} {c.pointer(t)};" for t in self.taken]
        lines += ["};", "struct Tile {"]
        lines += [f"    {STORED_TYPES[t.dtype]} {c.pointer(t)}[{_SLOTS}];" for t in tile]
        lines += ["};"]
        lines += self.function("int treadle_slot(const int spot)", ["return spot + (spot >> 4);"])
        take = [f"given.{x} = a.{x}[linear];" for x in given]
        lines += self.function(
            "Given treadle_given(PLACE)",
            [*self.located(), "Given given;", *take, "return given;"],
        )
        keep = [f"tile.{x}[treadle_slot(spot)] = given.{x};" for x in given]
        head = "void treadle_keep(Tile& tile, const int spot, const Given given)"
        lines += self.function(head, keep)
        back = [f"given.{x} = tile.{x}[treadle_slot(spot)];" for x in given]
        head = "Given treadle_kept(const Tile& tile, const int spot)"
        lines += self.function(head, ["Given given;", *back, "return given;"])
        leave = [
            f"a.{c.pointer(t)}[linear] = tile.{c.pointer(t)}[treadle_slot(spot)];"
            for t in self.left
        ]
        head = "void treadle_leave(PLACE, const Tile& tile, const int spot)"
        return [*lines, *self.function(head, [*self.located(), *leave])]

    def struct(self, name: str, dtypes: Sequence[DType]) -> list[str]:
        """A struct of values."""
        members = [f"    {self.c.types[dtype]} m{k};" for k, dtype in enumerate(dtypes)]
        return [f"struct {name} {{", *members, "};"]

    def text(self) -> str:
        """Structs and functions."""
        c, taken = self.c, {t.name: t for t in self.taken}
        lines = [*self.struct("State", self.states), *self.struct("Summary", self.sums)]
        lines += self.moves()
        here = [load for load in self.own if load.tensor in taken]
        for load in here:
            tensor = taken[load.tensor]
            c.resident[load] = c.loaded(f"given.{c.pointer(tensor)}", tensor.dtype)
        lines += self.functions()
        for load in here:
            del c.resident[load]
        return "\n".join([*lines, *_filled(_SCANNED)])

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
