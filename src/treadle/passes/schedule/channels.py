"""The channels of a pixel in one block, so that what they have in common is computed once.

In: a block of a Map whose last axis is a few channels. Out: a block for all of them, or None where
they share little. Where a kernel is straight code, LLVM finds what the channels share, though it
takes long for that; of loops, one for each channel, it finds nothing. A bilateral filter's weights
are the same for every channel, and each is an exponential.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from treadle.dtypes import DType
from treadle.ir.cost import repeated, trips, weight
from treadle.ir.names import assigned, depends, renamed_targets
from treadle.ir.nodes import Assign, Axis, Block, Const, Expr, For, If, Local, Stmt, While, children
from treadle.ir.rewrite import rewrite, rewrite_body

__all__ = ["together"]

_SHARED = 64  # operations in common that are worth a block of their own


def together(block: Block, channel: int, count: int) -> Block | None:
    """Return a block with the results of the first channel, of the second, and so on."""
    made = _Channels(block, channel, count)
    if made.shared < _SHARED:
        return None
    body = made.body(block.body)
    results = [rewrite(r, made.change(c)) for c in range(count) for r in block.results]
    return Block(block.args, body, tuple(results))


class _Channels:
    """A block while it is written for all channels."""

    def __init__(self, block: Block, channel: int, count: int) -> None:
        self._axis, self._count = channel, count
        self._varies = depends(block, channel)
        names = assigned(block.body)
        self._mark = "_of"
        while any(f"{name}{self._mark}{c}" in names for name in names for c in range(count)):
            self._mark += "_"
        self.shared = sum(
            times * sum(weight(e) for e in children(stmt) if not self._varies(e))
            for stmt, times in repeated(block.body, _copies)
        )

    def _own(self, name: str) -> bool:
        return self._varies(Local(name, DType.S32))  # whatever its type

    def change(self, channel: int) -> Callable[[Expr], Expr]:
        """What makes an expression one of a channel."""

        def changed(node: Expr) -> Expr:
            if type(node) is Local and self._own(node.name):
                return Local(self._named(node.name, channel), node.dtype)
            if type(node) is Axis and node.index == self._axis:
                return Const(channel, node.dtype)
            return node

        return changed

    def _named(self, name: str, channel: int) -> str:
        return f"{name}{self._mark}{channel}" if self._own(name) else name

    def body(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        """Statements for all channels: once where that does for all."""
        made: list[Stmt] = []
        for stmt in body:
            if any(map(self._varies, children(stmt))) or (
                isinstance(stmt, Assign) and self._own(stmt.name)
            ):
                made += [self._copy(stmt, c) for c in range(self._count)]
                continue
            match stmt:
                case If():
                    then, orelse = self.body(stmt.then), self.body(stmt.orelse)
                    made.append(replace(stmt, then=then, orelse=orelse))
                case For():
                    made.append(replace(stmt, body=self.body(stmt.body)))
                case While():
                    setup, inner = self.body(stmt.setup), self.body(stmt.body)
                    made.append(replace(stmt, setup=setup, body=inner))
                case _:
                    made.append(stmt)
        return tuple(made)

    def _copy(self, stmt: Stmt, channel: int) -> Stmt:
        (made,) = rewrite_body((stmt,), self.change(channel))
        (made,) = renamed_targets((made,), lambda name: self._named(name, channel))
        return made


def _copies(loop: For | While) -> int:
    """How often a loop's body is in the text."""
    return trips(loop) if isinstance(loop, For) and loop.unrolled else 1
