"""Loops that go on where an earlier dispatch left off, for devices that end long ones.

In: a block, and which loop at its top level is to be cut. Out: text that runs a part of its turns,
between keeping the block's variables in memory, and what to dispatch so that each part stays below
the device's bound. A loop whose turns only data knows is not cut: the device watches it
(Wgsl.watched) and the launch fails if it was ended.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from treadle.codegen.gpu.cstyle import Scope, indented
from treadle.codegen.wgsl.language import Wgsl
from treadle.codegen.wgsl.rounds import Rounds
from treadle.dtypes import DType
from treadle.ir.nodes import Assign, Block, Dim, For, statements

__all__ = ["Parts", "Resumed", "keeping", "kept_bytes", "parts_of", "restored", "saved"]

ALL = (1 << 31) - 1
_MOST = 4096  # parts: a bound that needs more is rather far off than reached


class Parts(NamedTuple):
    """Turns of a loop from `start` up to `stop`."""

    start: int
    stop: int
    last: bool
    watch: bool = False


def parts_of(turns: float, each: float, rest: float, room: int) -> list[Parts]:
    """Cut turns of `each` rounds, beside `rest` others, into parts of at most `room` rounds."""
    if not turns or turns * each + rest <= room:
        return [Parts(0, ALL, True)]
    if not math.isfinite(turns) or each + rest > room:
        return [Parts(0, ALL, True, watch=True)]
    step = int((room - rest) // each)
    if turns > step * _MOST:
        return [Parts(0, ALL, True, watch=True)]
    starts = range(0, int(turns), step)
    return [Parts(k, min(k + step, int(turns)), k == starts[-1]) for k in starts]


def keeping(wgsl: Wgsl, fields: Sequence[tuple[str, DType]]) -> list[str]:
    """Declare the memory that keeps some variables of each invocation."""
    members = [f"    k{n}: {wgsl.stored[dtype]}," for n, (_, dtype) in enumerate(fields)]
    return [
        "struct Kept {",
        *members,
        "}",
        "@group(1) @binding(0) var<storage, read_write> kept: array<Kept>;",
        "",
    ]


def kept_bytes(fields: Sequence[tuple[str, DType]]) -> int:
    """The size of one invocation's variables in that memory."""
    sizes = [Wgsl.stored_size(dtype) for _, dtype in fields]
    position = 0
    for size in sizes:
        position = -(-position // size) * size + size
    return -(-position // max(sizes)) * max(sizes)


def restored(fields: Sequence[tuple[str, DType]], at: str) -> list[str]:
    """Take the variables out of memory."""
    return [
        f"{name} = kept[{at}].k{n}{' == 1u' if dtype is DType.BOOL else ''};"
        for n, (name, dtype) in enumerate(fields)
    ]


def saved(fields: Sequence[tuple[str, DType]], at: str) -> list[str]:
    """Put the variables into memory."""
    return [
        f"kept[{at}].k{n} = {f'select(0u, 1u, {name})' if dtype is DType.BOOL else name};"
        for n, (name, dtype) in enumerate(fields)
    ]


class Resumed:
    """A block with a loop that can be cut: what comes before it, its turns, what comes after."""

    def __init__(self, block: Block, loop: int) -> None:
        stmt = block.body[loop]
        assert isinstance(stmt, For)
        self.block, self.loop = block, stmt
        self.before, self.after = block.body[:loop], block.body[loop + 1 :]
        found: dict[str, DType] = {}
        for each in statements(self.before):
            if isinstance(each, Assign):
                found.setdefault(each.name, each.value.dtype)
        self.names = found or {"": DType.S32}  # a struct has a member

    def fields(self, scope: Scope) -> list[tuple[str, DType]]:
        """The variables to keep, as they are called in the text."""
        return [(scope.local(name), d) for name, d in self.names.items() if name]

    @property
    def nbytes(self) -> int:
        """Bytes that they take for one element."""
        return kept_bytes(list(self.names.items()))

    def declared(self, wgsl: Wgsl) -> list[str]:
        """The memory for them."""
        return keeping(wgsl, list(self.names.items()))

    def lines(self, wgsl: Wgsl, scope: Scope, at: str) -> list[str]:
        """The block up to the loop's end, this dispatch's turns only."""
        wgsl.learn(self.block)
        fields = self.fields(scope)
        name, stmt = scope.local(self.loop.name), self.loop
        start, stop = f"{name}_start", f"{name}_stop"
        turn = f"{name}_turn"
        body = [f"let {name} = {start} + bitcast<i32>({turn}) * {_signed(stmt.step)};"]
        wgsl.enter()
        body += wgsl.body(stmt.body, scope)
        wgsl.leave()
        count = wgsl.turns_of(start, stop, stmt.step)
        test, move = f"{turn} < {name}_turns", f"{turn} += 1u"
        loop = [
            wgsl.declare(start, DType.S32, wgsl.expr(stmt.start, scope)),
            wgsl.declare(stop, DType.S32, wgsl.expr(stmt.stop, scope)),
            f"let {name}_turns = min({count}, u32(args.g_stop));",
            *wgsl.cycle(f"var {turn} = u32(args.g_start)", test, move, body),
        ]
        return [
            *wgsl.declarations(self.block.body, scope),
            "if (args.g_start == 0) {",
            *indented(wgsl.body(self.before, scope)),
            "} else {",
            *indented(restored(fields, at)),
            "}",
            "{",
            *indented(loop),
            "}",
            "if (args.g_last == 0) {",
            *indented(saved(fields, at)),
            "} else {",
        ]

    def parts(
        self, space: Sequence[Dim], sizes: Mapping[str, int], room: int, times: int
    ) -> list[Parts]:
        """What to dispatch where an invocation goes through the block some times."""
        rounds = Rounds(space, sizes, self.block)
        rest = rounds.of(self.before) + rounds.of(self.after) + 2
        each = 1 + rounds.of(self.loop.body)
        return parts_of(rounds.turns(self.loop), each, rest, room // times)


def _signed(step: int) -> str:
    return f"{step}i" if step > 0 else f"({step}i)"
