"""Reductions in WGSL: rows share workgroups and fold their lanes' states as a tree.

In: a kernel and its language. Out: functions and three entry points, and for given sizes what to
dispatch: one pass, or two with states in scratch memory where rows are few and long.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from treadle.codegen.gpu.counts import ceil_div, elements
from treadle.codegen.gpu.cstyle import indented
from treadle.codegen.gpu.reduce import ReduceText
from treadle.codegen.wgsl.grid import (
    GROUP_BUILTINS,
    LANE_LINES,
    SHARED,
    Dispatch,
    entry_lines,
    lanes_for,
)
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.rounds import Rounds
from treadle.dtypes import DType
from treadle.ir.schedule import Threads

__all__ = ["ReduceForm"]

_FOLD = """
fn fold(local: u32, lane: u32, lanes: u32, state: State) -> State {
    shared_states[local] = state;
    workgroupBarrier();
    for (var half = lanes / 2u; half > 0u; half /= 2u) {
        if (lane < half) {
            shared_states[local] = combine(shared_states[local], shared_states[local + half]);
        }
        workgroupBarrier();
    }
    return shared_states[local];
}
""".strip().split("\n")


class ReduceForm(ReduceText):
    """Rows share workgroups; long rows of which there are few are folded in two passes."""

    language: Wgsl
    initial = "identity()"
    joined = "combine({0}, {1})"
    state = "state"
    kind = "var"
    heads: Mapping[str, str] = {
        "initial": "identity() -> State",
        "combine": "combine(left: State, right: State) -> State",
        "finish": "finish(row: i32, state: State)",
    }
    geometry = ("lanes", "rows", "count", "chunks", "span")
    _LONG = 1 << 15
    _SPAN = 1 << 13

    def __init__(self, wgsl: Wgsl, threads: Threads | None) -> None:
        super().__init__(wgsl, threads)
        self.wgsl = wgsl
        self.levels, self.after, self.settled = self.sixteens("state", "state", "state")

    def lines(self) -> list[str]:
        """State, its functions, and three entry points."""
        wgsl = self.wgsl
        members = [f"    s{n}: {wgsl.stored[d]}," for n, d in enumerate(self.dtypes)]
        return [
            "struct State {",
            *members,
            "}",
            "",
            f"var<workgroup> shared_states: array<State, {SHARED}>;",
            "@group(1) @binding(0) var<storage, read_write> partial_states: array<State>;",
            "",
            *self.functions(),
            *self.lift(),
            *_FOLD,
            "",
            *self.entry("main", "0u", "u32(args.g_count)", "lift(row, i32(j))", "finish"),
            *self.entry(
                "last", "0u", "u32(args.g_chunks)",
                "partial_states[row * args.g_chunks + i32(j)]", "finish",
            ),
            *self.first(),
        ]  # fmt: skip

    def function(
        self, head: str, lines: Sequence[str], values: Sequence[str] | None = None
    ) -> list[str]:
        """A function; conditions have no place in memory, so a state has words for them."""
        if values is not None:
            pairs = zip(values, self.dtypes, strict=True)
            held = [f"select(0u, 1u, {t})" if d is DType.BOOL else t for t, d in pairs]
            lines = [*lines, f"return State({', '.join(held)});"]
        return [f"fn {head} {{", *indented(lines), "}", ""]

    def member(self, text: str, dtype: DType) -> str:
        """A member of a state as a value of its type."""
        return f"({text} == 1u)" if dtype is DType.BOOL else text

    def lift(self) -> list[str]:
        """The state of one element."""
        wgsl = self.wgsl
        body, results = wgsl.block(self.form.lift, wgsl.scope(wgsl.names))
        coordinates = [
            *wgsl.coordinates("row", self.kept),
            *wgsl.coordinates("at", self.form.axes),
        ]
        return self.function("lift(row: i32, at: i32) -> State", [*coordinates, *body], results)

    def entry(self, name: str, first: str, count: str, item: str, then: str) -> list[str]:
        """An entry point that folds whole rows."""
        body = [
            *LANE_LINES,
            "let row = i32(number);",
            "var state = identity();",
            *self.levels,
            "if (number < u32(args.g_rows)) {",
            *indented(
                self.wgsl.cycle(
                    f"var j = {first} + lane",
                    f"j < {count}",
                    "j += lanes",
                    [f"state = combine(state, {item});", *self.after],
                )
            ),
            "}",
            *self.settled,
            "state = fold(local, lane, lanes, state);",
            f"if (lane == 0u && number < u32(args.g_rows)) {{ {then}(row, state); }}",
        ]
        return entry_lines(name, SHARED, GROUP_BUILTINS, body)

    def first(self) -> list[str]:
        """The entry point that folds parts of rows."""
        body = [
            "let number = group.y * groups.x + group.x;",
            "let row = i32(number / u32(args.g_chunks));",
            "let start = (number % u32(args.g_chunks)) * u32(args.g_span);",
            "let stop = min(start + u32(args.g_span), u32(args.g_count));",
            "var state = identity();",
            *self.levels,
            "if (row < args.g_rows) {",
            *indented(
                self.wgsl.cycle(
                    "var j = start + local",
                    "j < stop",
                    f"j += {SHARED}u",
                    ["state = combine(state, lift(row, i32(j)));", *self.after],
                )
            ),
            "}",
            *self.settled,
            f"state = fold(local, local, {SHARED}u, state);",
            "if (local == 0u && row < args.g_rows) { partial_states[number] = state; }",
        ]
        return entry_lines("first", SHARED, GROUP_BUILTINS, body)

    def state_bytes(self) -> int:
        """The size of a State in an array."""
        position = 0
        for dtype in self.dtypes:
            size = Wgsl.stored_size(dtype)
            position = ceil_div(position, size) * size + size
        align = max(Wgsl.stored_size(d) for d in self.dtypes)
        return ceil_div(position, align) * align

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """One pass, or two where rows are few and long."""
        rows = elements([self.kernel.space[k] for k in self.kept], sizes)
        count = elements([self.kernel.space[k] for k in self.reduced], sizes)
        spread = bool(self.kept) and self.kept[-1] == len(self.kernel.space) - 1
        lanes = lanes_for(count, rows, spread)
        most, watch = self.most(sizes)
        if (count >= self._LONG and rows < 64) or ceil_div(count, lanes) > most:
            chunks = min(ceil_div(count, self._SPAN), 1024)
            chunks = max(chunks, ceil_div(count, most * SHARED))
            span = ceil_div(count, chunks)
            chunks = ceil_div(count, span)
            scratch = rows * chunks * self.state_bytes()
            lanes = lanes_for(chunks, rows, False)
            each = SHARED // lanes
            numbers = (rows, count, chunks, span)
            return (
                Dispatch("first", rows * chunks, (SHARED, *numbers), scratch, watch),
                Dispatch("last", ceil_div(rows, each), (lanes, *numbers), scratch, watch),
            )
        numbers = (rows, count, 1, count)
        groups = ceil_div(rows, SHARED // lanes)
        return (Dispatch("main", groups, (lanes, *numbers), watch=watch),)

    def most(self, sizes: Mapping[str, int]) -> tuple[int, bool]:
        """How many elements an invocation may fold, and whether the device may end its loops."""
        if not self.wgsl.rounds:
            return 1 << 31, False
        # Folding the lanes takes some rounds, too, and states are combined there once more.
        blocks, folds = self.kernel.blocks, 2 + SHARED.bit_length()
        inside = sum(Rounds(self.kernel.space, sizes, b).all() for b in blocks)
        if math.isinf(inside):
            return self.wgsl.rounds - folds, True
        most = int((self.wgsl.rounds - folds * (1 + inside)) // (1 + inside))
        return max(most, 1), most < 1
