"""Which loops of a kernel body are written out.

In: a block. Out: the block with short loops of constant bounds marked, so that their indices become
constants where they are spelt, and the loop around them can be vectorised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from treadle.ir.cost import repeated, trips
from treadle.ir.nodes import Block, For, If, Stmt, While, children, statements, walk

__all__ = ["has_loops", "written_out"]

_TRIPS = 16
_NODES = 1500


def written_out(block: Block) -> Block:
    """Return the block with those loops marked that are short enough to be written out."""
    if not any(isinstance(stmt, For) for stmt in statements(block.body)):
        return block
    return replace(block, body=_marked(block.body))


def has_loops(block: Block) -> bool:
    """Whether a block still has loops once the marked ones are written out."""
    return any(
        isinstance(stmt, While) or (isinstance(stmt, For) and not stmt.unrolled)
        for stmt in statements(block.body)
    )


def _marked(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    found: list[Stmt] = []
    for stmt in body:
        match stmt:
            case For():
                stmt = replace(stmt, body=_marked(stmt.body), unrolled=_is_short(stmt))
            case If():
                stmt = replace(stmt, then=_marked(stmt.then), orelse=_marked(stmt.orelse))
            case While():
                stmt = replace(stmt, setup=_marked(stmt.setup), body=_marked(stmt.body))
            case _:
                pass
        found.append(stmt)
    return tuple(found)


def _is_short(stmt: For) -> bool:
    turns = trips(stmt)
    return turns <= _TRIPS and turns * _size(stmt.body) <= _NODES


def _size(body: Sequence[Stmt]) -> int:
    """How many nodes a body has once its loops are written out."""
    return sum(
        times * sum(1 for child in children(stmt) for _ in walk(child))
        for stmt, times in repeated(body, _copies)
    )


def _copies(loop: For | While) -> int:
    return trips(loop) if isinstance(loop, For) and _is_short(loop) else 1
