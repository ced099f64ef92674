"""Which blocks have calculations that are worth putting side by side.

In: a block whose short loops are marked. Out: whether it computes so many functions for an element
that the order of their instructions matters, each of which waits for the one before it.
"""

from __future__ import annotations

from treadle.ir.cost import functions, repeated, trips
from treadle.ir.nodes import Block, children
from treadle.passes.schedule.unroll import has_loops

__all__ = ["goes_abreast"]

_SEVERAL = 12


def goes_abreast(block: Block) -> bool:
    """Whether a block is straight-line code with several functions."""
    if has_loops(block):
        return False
    turns = [(children(stmt), times) for stmt, times in repeated(block.body, trips)]
    turns.append((block.results, 1))
    return sum(times * sum(map(functions, exprs)) for exprs, times in turns) >= _SEVERAL
