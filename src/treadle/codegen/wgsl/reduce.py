"""Reductions in WGSL: rows share workgroups and fold their lanes' states as a tree.

In: a kernel and its language. Out: functions and three entry points, and for given sizes what to
dispatch: one pass, or two with states in scratch memory where rows are few and long.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from treadle.codegen.gpu.cstyle import Scope, indented
from treadle.codegen.rounding import Sixteens
from treadle.codegen.wgsl.grid import (
    GROUP_BUILTINS,
    LANE_LINES,
    SHARED,
    Dispatch,
    axes_lines,
    axes_of,
    entry_lines,
    groups_of,
    lanes_for,
    size_of,
)
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.rounds import Rounds
from treadle.dtypes import DType
from treadle.ir.names import assigned
from treadle.ir.nodes import Block, Dim, Kernel, Reduce
from treadle.ir.rounding import rounds

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


class ReduceForm:
    """Rows share workgroups; long rows of which there are few are folded in two passes."""

    geometry = ("lanes", "rows", "count", "chunks", "span")
    _LONG = 1 << 15
    _SPAN = 1 << 13

    def __init__(self, kernel: Kernel, wgsl: Wgsl) -> None:
        assert isinstance(kernel.form, Reduce)
        self.kernel = kernel
        self.form = kernel.form
        self.wgsl = wgsl
        self.kept = [k for k in range(len(kernel.space)) if k not in kernel.form.axes]
        self.state = [c.dtype for c in kernel.form.init]
        self.sums = Sixteens("state", "identity()", lambda a, b: f"combine({a}, {b})")
        self.inexact = rounds(kernel.form.combine)

    def dims(self, axes: Sequence[int]) -> list[Dim]:
        """The dimensions of some axes."""
        return [self.kernel.space[a] for a in axes]

    def lines(self) -> list[str]:
        """State, its functions, and three entry points."""
        wgsl = self.wgsl
        members = [f"    s{n}: {wgsl.stored[d]}," for n, d in enumerate(self.state)]
        inits = ", ".join(
            self.packed(wgsl.constant(c.value, c.dtype), c.dtype) for c in self.form.init
        )
        return [
            "struct State {",
            *members,
            "}",
            "",
            f"var<workgroup> shared_states: array<State, {SHARED}>;",
            "@group(1) @binding(0) var<storage, read_write> partial_states: array<State>;",
            "",
            "fn identity() -> State {",
            f"    return State({inits});",
            "}",
            "",
            *self.lift(),
            *self.combine(),
            *self.finish(),
            *self.fold(),
            *self.entry("main", "0u", "u32(args.g_count)", "lift(row, i32(j))", "finish"),
            *self.entry(
                "last", "0u", "u32(args.g_chunks)",
                "partial_states[row * args.g_chunks + i32(j)]", "finish",
            ),
            *self.first(),
        ]  # fmt: skip

    def packed(self, text: str, dtype: DType) -> str:
        """A value as a member of State."""
        return f"select(0u, 1u, {text})" if dtype is DType.BOOL else text

    def member(self, text: str, dtype: DType) -> str:
        """A member of State as a value."""
        return f"({text} == 1u)" if dtype is DType.BOOL else text

    def results(self, block: Block, texts: Sequence[str]) -> str:
        """A State of a block's results."""
        pairs = zip(texts, block.results, strict=True)
        return f"State({', '.join(self.packed(t, r.dtype) for t, r in pairs)})"

    def arguments(self, block: Block, scope: Scope, names: Sequence[str]) -> list[str]:
        """Variables for a block's arguments."""
        lines = []
        for arg, name in zip(block.args, names, strict=True):
            value = self.member(name, arg.dtype)
            if arg.name in assigned(block.body):
                lines.append(f"{scope.local(arg.name)} = {value};")
            else:
                lines.append(self.wgsl.declare(scope.local(arg.name), arg.dtype, value))
        return lines

    def body(self, block: Block, scope: Scope, names: Sequence[str]) -> tuple[list[str], list[str]]:
        """A block with its arguments set."""
        lines, results = self.wgsl.block(block, scope)
        declared = self.wgsl.declarations(block.body, scope)
        arguments = self.arguments(block, scope, names)
        return [*declared, *arguments, *lines[len(declared) :]], results

    def lift(self) -> list[str]:
        """The state of one element."""
        wgsl, form, space = self.wgsl, self.form, self.kernel.space
        scope = Scope(axes_of(len(space)))
        lines, results = wgsl.block(form.lift, scope)
        return [
            "fn lift(row: i32, at: i32) -> State {",
            *indented(axes_lines(wgsl, self.dims(self.kept), "row", self.kept)),
            *indented(axes_lines(wgsl, self.dims(form.axes), "at", form.axes)),
            *indented(lines),
            f"    return {self.results(form.lift, results)};",
            "}",
            "",
        ]

    def combine(self) -> list[str]:
        """Two states as one."""
        block = self.form.combine
        names = [f"{side}.s{n}" for side in ("left", "right") for n in range(len(self.state))]
        lines, results = self.body(block, Scope({}), names)
        return [
            "fn combine(left: State, right: State) -> State {",
            *indented(lines),
            f"    return {self.results(block, results)};",
            "}",
            "",
        ]

    def finish(self) -> list[str]:
        """Store the results of one row."""
        block = self.form.finish
        lines, results = self.body(
            block, Scope({}), [f"state.s{n}" for n in range(len(self.state))]
        )
        stores = [
            self.wgsl.store(tensor, "row", text, result.dtype)
            for tensor, text, result in zip(
                self.kernel.outputs, results, block.results, strict=True
            )
        ]
        return ["fn finish(row: i32, state: State) {", *indented([*lines, *stores]), "}", ""]

    def fold(self) -> list[str]:
        """The states of a row's lanes as one, in the first lane."""
        return [*_FOLD, ""]

    def entry(self, name: str, first: str, count: str, item: str, then: str) -> list[str]:
        """An entry point that folds whole rows."""
        body = [
            *LANE_LINES,
            "let row = i32(number);",
            "var state = identity();",
            *self.levels(),
            "if (number < u32(args.g_rows)) {",
            *indented(
                self.wgsl.cycle(
                    f"var j = {first} + lane",
                    f"j < {count}",
                    "j += lanes",
                    [f"state = combine(state, {item});", *self.after()],
                )
            ),
            "}",
            *self.settled(),
            "state = fold(local, lane, lanes, state);",
            f"if (lane == 0u && number < u32(args.g_rows)) {{ {then}(row, state); }}",
        ]
        return entry_lines(name, SHARED, GROUP_BUILTINS, body)

    def levels(self) -> list[str]:
        """Where an invocation's states go that must not grow too large, if combining rounds."""
        return self.sums.declared("var", "var") if self.inexact else []

    def after(self) -> list[str]:
        """What follows each element."""
        return self.sums.after() if self.inexact else []

    def settled(self) -> list[str]:
        """What follows the last one."""
        return [f"state = {self.sums.settled()};"] if self.inexact else []

    def first(self) -> list[str]:
        """The entry point that folds parts of rows."""
        body = [
            "let number = group.y * groups.x + group.x;",
            "let row = i32(number / u32(args.g_chunks));",
            "let start = (number % u32(args.g_chunks)) * u32(args.g_span);",
            "let stop = min(start + u32(args.g_span), u32(args.g_count));",
            "var state = identity();",
            *self.levels(),
            "if (row < args.g_rows) {",
            *indented(
                self.wgsl.cycle(
                    "var j = start + local",
                    "j < stop",
                    f"j += {SHARED}u",
                    ["state = combine(state, lift(row, i32(j)));", *self.after()],
                )
            ),
            "}",
            *self.settled(),
            f"state = fold(local, local, {SHARED}u, state);",
            "if (local == 0u && row < args.g_rows) { partial_states[number] = state; }",
        ]
        return entry_lines("first", SHARED, GROUP_BUILTINS, body)

    def state_bytes(self) -> int:
        """The size of a State in an array."""
        position = 0
        for dtype in self.state:
            size = Wgsl.stored_size(dtype)
            position = groups_of(position, size) * size + size
        align = max(Wgsl.stored_size(d) for d in self.state)
        return groups_of(position, align) * align

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """One pass, or two where rows are few and long."""
        rows = size_of(self.dims(self.kept), sizes)
        count = size_of(self.dims(self.form.axes), sizes)
        spread = bool(self.kept) and self.kept[-1] == len(self.kernel.space) - 1
        lanes = lanes_for(count, rows, spread)
        most, watch = self.most(sizes)
        if (count >= self._LONG and rows < 64) or groups_of(count, lanes) > most:
            chunks = min(groups_of(count, self._SPAN), 1024)
            chunks = max(chunks, groups_of(count, most * SHARED))
            span = groups_of(count, chunks)
            chunks = groups_of(count, span)
            scratch = rows * chunks * self.state_bytes()
            lanes = lanes_for(chunks, rows, False)
            each = SHARED // lanes
            numbers = (rows, count, chunks, span)
            return (
                Dispatch("first", rows * chunks, (SHARED, *numbers), scratch, watch),
                Dispatch("last", groups_of(rows, each), (lanes, *numbers), scratch, watch),
            )
        numbers = (rows, count, 1, count)
        groups = groups_of(rows, SHARED // lanes)
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
