"""Which loops of a kernel body are written out.

In: statements. Out: facts about them. The emitter unrolls short loops with constant bounds, so
that their indices become constants and the loop around them can be vectorised.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.ir.cost import repeated, trips
from treadle.ir.nodes import For, Stmt, While, children, statements, walk

__all__ = ["has_loops", "unrolls"]

_UNROLL_TRIPS = 16
_UNROLL_NODES = 1500


def _size(body: Sequence[Stmt]) -> int:
    """How many nodes a body has once its loops are unrolled."""
    return sum(
        times * sum(1 for child in children(stmt) for _ in walk(child))
        for stmt, times in repeated(body, _copies)
    )


def _copies(loop: For | While) -> int:
    return trips(loop) if isinstance(loop, For) and unrolls(loop) else 1


def unrolls(stmt: For) -> bool:
    """Whether a loop is short enough to be written out."""
    turns = trips(stmt)
    return turns <= _UNROLL_TRIPS and turns * _size(stmt.body) <= _UNROLL_NODES


def has_loops(body: Sequence[Stmt]) -> bool:
    """Whether a body still has loops once the short ones are unrolled."""
    for stmt in statements(tuple(body)):
        if isinstance(stmt, While) or (isinstance(stmt, For) and not unrolls(stmt)):
            return True
    return False
