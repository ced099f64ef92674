"""Lines of a scan in tiles that workgroups walk at the same time, in WGSL.

In: a kernel's language and how its elements are summed up. Out: three entry points, and how many
tiles there are. `tiles` sums each tile up; `carry` finds the state before each tile, a workgroup
for a line; `run` walks the tiles from there. A line of one tile needs the last alone. Where numbers
are not finite, an invocation walks the tile from its first element to its last; where the device
ends long loops, `carry` is dispatched for so many tiles at a time that it can.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.gpu.pieces import PiecesText, cut
from treadle.codegen.wgsl.grid import GROUP_BUILTINS, SHARED, Dispatch, entry_lines, row_major
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.resume import kept_bytes
from treadle.codegen.wgsl.rounds import Rounds
from treadle.dtypes import DType
from treadle.ir.transition import Transition

__all__ = ["TileScan"]

_EACH = 16  # elements that an invocation sums up
TILE = SHARED * _EACH

# What those before an invocation sum up to; `sums` ends with that of all.
_SCANNED = """
fn scanned(local: u32, mine: Summary) -> Summary {
    sums[local] = mine;
    workgroupBarrier();
    for (var by = 1u; by < SIZEu; by *= 2u) {
        var both = sums[local];
        if (local >= by) { both = combine(sums[local - by], both); }
        workgroupBarrier();
        sums[local] = both;
        workgroupBarrier();
    }
    var before = none();
    if (local > 0u) { before = sums[local - 1u]; }
    return before;
}
"""

_PLACE = """
let number = i32(group.y * groups.x + group.x);
let there = number < args.g_lines * args.g_tiles;
let line = number / args.g_tiles;
let begin = (number - line * args.g_tiles) * TILE;
let end = min(begin + TILE, args.g_length);
let first = min(begin + i32(local) * EACH, end);
let stop = select(first, min(first + EACH, end), there);
var mine = none();
for (var at = first; at < stop; at += 1) { mine = follow(line, at, mine); }
"""

_TILES = """
let before = scanned(local, mine);
if (there && local == SIZEu - 1u) { keep_summary(number, sums[SIZEu - 1u]); }
"""

_CARRY = """
let line = i32(group.y * groups.x + group.x);
let there = line < args.g_lines;
let count = select(0, args.g_to - args.g_from, there);
let head = select(0, line * args.g_tiles + args.g_from, there);
let each = (count + SIZE - 1) / SIZE;
let first = head + min(i32(local) * each, count);
let stop = min(first + each, head + count);
var mine = none();
for (var t = first; t < stop; t += 1) { mine = combine(mine, kept_summary(t)); }
let before = scanned(local, mine);
var state = start();
if (args.g_from > 0) { state = kept_state(head); }
workgroupBarrier();
storageBarrier();
if (local > 0u) { state = apply(state, before); }
var fine = true;
for (var t = first; t < stop; t += 1) {
    let sum = kept_summary(t);
    let next = apply(state, sum);
    fine = fine && sound(state, sum, next);
    keep_state(t, state);
    state = next;
    if (t + 1 == head + count && args.g_to < args.g_tiles) { keep_state(t + 1, state); }
}
if (!fine) { atomicStore(&broken, 1u); }
workgroupBarrier();
storageBarrier();
if (local == 0u && there && atomicLoad(&broken) != 0u) {
    state = kept_state(head);
    for (var k = args.g_from; k < args.g_to; k += 1) {
        let t = line * args.g_tiles + k;
        keep_state(t, state);
        let sum = kept_summary(t);
        let next = apply(state, sum);
        if (sound(state, sum, next)) {
            state = next;
        } else {
            let end = min((k + 1) * TILE, args.g_length);
            for (var at = k * TILE; at < end; at += 1) { state = moved(line, at, state); }
        }
    }
    if (args.g_to < args.g_tiles) { keep_state(head + count, state); }
}
"""

_RUN = """
let before = scanned(local, mine);
var state = start();
if (there && args.g_tiles > 1) { state = kept_state(number); }
let all = sums[SIZEu - 1u];
if (sound(state, all, apply(state, all))) {
    if (local > 0u) { state = apply(state, before); }
    for (var at = first; at < stop; at += 1) { state = step(line, at, state); }
} else if (there && local == 0u) {
    for (var at = begin; at < end; at += 1) { state = step(line, at, state); }
}
"""


class TileScan(PiecesText):
    """The entry points of one scan."""

    language: Wgsl
    heads: Mapping[str, str] = {
        "start": "start() -> State",
        "none": "none() -> Summary",
        "combine": "combine(left: Summary, right: Summary) -> Summary",
        "apply": "apply(state: State, sum: Summary) -> State",
        "follow": "follow(line: i32, at: i32, sum: Summary) -> Summary",
        "moved": "moved(line: i32, at: i32, state: State) -> State",
        "step": "step(line: i32, at: i32, state: State) -> State",
        "sound": "sound(before: State, sum: Summary, after: State) -> bool",
    }
    finite: Mapping[DType, str] = {
        DType.F32: "((bitcast<u32>({0}) & 0x7f800000u) != 0x7f800000u)",
        DType.F64: "(abs({0}) <= 1.7976931348623157e308lf)",
    }
    geometry = ("length", "tiles", "from", "to")

    def __init__(self, wgsl: Wgsl, pieces: Transition) -> None:
        super().__init__(wgsl, pieces)
        self.wgsl = wgsl

    def function(
        self, head: str, lines: Sequence[str], kind: str = "", values: Sequence[str] = ()
    ) -> list[str]:
        """A function."""
        made = [f"return {kind}({', '.join(values)});"] if kind else []
        return [f"fn {head} {{", *indented([*lines, *made]), "}", ""]

    def place(self) -> str:
        """The number of the element at the coordinates."""
        return row_major(self.wgsl, self.wgsl.kernel.space)

    def struct(self, name: str, members: Sequence[tuple[str, DType]]) -> list[str]:
        """A struct of values."""
        texts = [f"    {member}: {self.wgsl.stored[dtype]}," for member, dtype in members]
        return [f"struct {name} {{", *texts, "}", ""]

    @property
    def kept(self) -> list[tuple[str, DType]]:
        """What is kept of each tile: its summary, and the state before it."""
        return [(f"m{k}", d) for k, d in enumerate(self.sums)] + [
            (f"s{k}", d) for k, d in enumerate(self.states)
        ]

    def lines(self) -> list[str]:
        """Structs, functions and entry points."""
        states = [f"tile_states[t].s{k}" for k in range(len(self.states))]
        sums = [f"tile_states[t].m{k}" for k in range(len(self.sums))]
        return [
            *self.struct("State", [(f"m{k}", d) for k, d in enumerate(self.states)]),
            *self.struct("Summary", [(f"m{k}", d) for k, d in enumerate(self.sums)]),
            *self.struct("Tile", self.kept),
            f"var<workgroup> sums: array<Summary, {SHARED}>;",
            "var<workgroup> broken: atomic<u32>;",
            "@group(1) @binding(0) var<storage, read_write> tile_states: array<Tile>;",
            "",
            *self.functions(),
            *self.function("kept_state(t: i32) -> State", [], "State", states),
            *self.function("kept_summary(t: i32) -> Summary", [], "Summary", sums),
            *self.function(
                "keep_state(t: i32, state: State)",
                [f"{to} = state.m{k};" for k, to in enumerate(states)],
            ),
            *self.function(
                "keep_summary(t: i32, sum: Summary)",
                [f"{to} = sum.m{k};" for k, to in enumerate(sums)],
            ),
            *_filled(_SCANNED),
            "",
            *entry_lines("tiles", SHARED, GROUP_BUILTINS, _filled(_PLACE + _TILES[1:])),
            *entry_lines("carry", SHARED, GROUP_BUILTINS, _filled(_CARRY)),
            *entry_lines("run", SHARED, GROUP_BUILTINS, _filled(_PLACE + _RUN[1:])),
        ]

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """What to dispatch, nothing where an invocation is to walk a line; the first of the values
        is the number of lines."""
        lines, length, tiles = cut(self.wgsl.kernel.space, self.form.axis, TILE, sizes)
        part = self.part(sizes, tiles)
        if not tiles or not part:
            return ()
        scratch = lines * tiles * kept_bytes(self.kept) if tiles > 1 else 0
        unused = (0, 0, 0) if self.wgsl.rounds else ()

        def dispatch(entry: str, groups: int, start: int = 0, stop: int = 0) -> Dispatch:
            return Dispatch(entry, groups, (lines, *unused, length, tiles, start, stop), scratch)

        run = dispatch("run", lines * tiles)
        if tiles == 1:
            return (run,)
        starts = range(0, tiles, part)
        carries = [dispatch("carry", lines, k, min(k + part, tiles)) for k in starts]
        return dispatch("tiles", lines * tiles), *carries, run

    def part(self, sizes: Mapping[str, int], tiles: int) -> int:
        """How many tiles the states are carried over at once: all, unless the device ends loops
        that may have to go over their elements; 0 where it would end those of one tile."""
        most = self.wgsl.rounds
        if not most:
            return max(tiles, 1)
        blocks = (self.form.step, *self.wgsl.kernel.blocks[1:], self.pieces.follow)
        each = 1 + max(Rounds(self.wgsl.kernel.space, sizes, block).all() for block in blocks)
        if (2 * _EACH + TILE * self.pieces.rounds + SHARED) * each > most:
            return 0
        if self.pieces.rounds:
            return int(max((most - SHARED) // (TILE * each + 4), 1))
        return (most - SHARED) // 2 * SHARED


def _filled(text: str) -> list[str]:
    words = {"SIZE": str(SHARED), "TILE": str(TILE), "EACH": str(_EACH)}
    for word, value in words.items():
        text = text.replace(word, value)
    return text.strip("\n").split("\n")
