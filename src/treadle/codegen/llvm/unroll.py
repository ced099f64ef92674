"""Which loops of a kernel body are written out, and what a body assigns.

In: statements. Out: facts about them. The emitter unrolls short loops with constant bounds, so
that their indices become constants and the loop around them can be vectorised.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.ir.nodes import Assign, Const, For, If, Stmt, While, children, statements, walk

__all__ = ["assigned", "has_loops", "unrolls"]

_UNROLL_TRIPS = 16
_UNROLL_NODES = 1500


def assigned(body: Sequence[Stmt]) -> set[str]:
    """The variables that a body assigns, nested statements included."""
    return {s.name for s in statements(tuple(body)) if isinstance(s, Assign)}


def _size(body: Sequence[Stmt]) -> int:
    """How many nodes a body has once its loops are unrolled."""
    total = 0
    for stmt in body:
        total += sum(sum(1 for _ in walk(child)) for child in children(stmt))
        match stmt:
            case If():
                total += _size(stmt.then) + _size(stmt.orelse)
            case For():
                total += _size(stmt.body) * (_trips(stmt) if unrolls(stmt) else 1)
            case While():
                total += _size(stmt.setup) + _size(stmt.body)
            case _:
                pass
    return total


def _trips(stmt: For) -> int:
    if isinstance(stmt.start, Const) and isinstance(stmt.stop, Const):
        return len(range(int(stmt.start.value), int(stmt.stop.value), stmt.step))
    return _UNROLL_TRIPS + 1


def unrolls(stmt: For) -> bool:
    """Whether a loop is short enough to be written out."""
    trips = _trips(stmt)
    return trips <= _UNROLL_TRIPS and trips * _size(stmt.body) <= _UNROLL_NODES


def has_loops(body: Sequence[Stmt]) -> bool:
    """Whether a body still has loops once the short ones are unrolled."""
    for stmt in statements(tuple(body)):
        if isinstance(stmt, While) or (isinstance(stmt, For) and not unrolls(stmt)):
            return True
    return False
