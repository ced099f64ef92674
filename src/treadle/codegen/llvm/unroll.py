"""Which loops of a kernel body are written out.

In: statements. Out: facts about them. The emitter unrolls short loops with constant bounds, so
that their indices become constants and the loop around them can be vectorised.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.ir.names import trips
from treadle.ir.nodes import For, If, Stmt, While, children, statements, walk

__all__ = ["has_loops", "unrolls"]

_UNROLL_TRIPS = 16
_UNROLL_NODES = 1500


def _size(body: Sequence[Stmt]) -> int:
    """How many nodes a body has once its loops are unrolled."""
    total = 0
    for stmt in body:
        total += sum(sum(1 for _ in walk(child)) for child in children(stmt))
        match stmt:
            case If():
                total += _size(stmt.then) + _size(stmt.orelse)
            case For():
                total += _size(stmt.body) * (trips(stmt, 1) if unrolls(stmt) else 1)
            case While():
                total += _size(stmt.setup) + _size(stmt.body)
            case _:
                pass
    return total


def unrolls(stmt: For) -> bool:
    """Whether a loop is short enough to be written out."""
    turns = trips(stmt, _UNROLL_TRIPS + 1)
    return turns <= _UNROLL_TRIPS and turns * _size(stmt.body) <= _UNROLL_NODES


def has_loops(body: Sequence[Stmt]) -> bool:
    """Whether a body still has loops once the short ones are unrolled."""
    for stmt in statements(tuple(body)):
        if isinstance(stmt, While) or (isinstance(stmt, For) and not unrolls(stmt)):
            return True
    return False
