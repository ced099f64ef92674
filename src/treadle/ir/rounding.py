"""Whether folding rounds, so that the order in which it is done matters.

In: the block that combines two states, or the kind and type of a row's fold. Out: a yes or no.
"""

from __future__ import annotations

from treadle.dtypes import DType
from treadle.ir.nodes import Block, Op, expressions

__all__ = ["fold_rounds", "rounds"]

_EXACT = frozenset("minimum maximum select abs neg sign floor ceil round trunc".split())


def rounds(combine: Block) -> bool:
    """Whether combining two states rounds."""
    if any(arg.dtype is DType.BOOL for arg in combine.args):
        return False  # conditions have no place in memory that lanes could share
    return any(
        isinstance(node, Op) and node.dtype.is_float and node.name not in _EXACT
        for node in expressions(combine)
    )


def fold_rounds(kind: str, dtype: DType) -> bool:
    """Whether a fold of a row rounds."""
    return dtype.is_float and kind in ("sum", "prod")
