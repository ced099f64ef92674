"""What decides where a block reads: which expressions change along an axis, which are bytes.

In: a block. Out: facts about it, for the loops around it. Knows nothing about how they are used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from weft.codegen.llvm_index import Indexer
from weft.dtypes import DType
from weft.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Dim,
    Expr,
    For,
    Kernel,
    Load,
    Local,
    Op,
    expressions,
    statements,
    walk,
)

__all__ = ["byte_lookups", "depends"]


def depends(block: Block, axis: int) -> Callable[[Expr], bool]:
    """Return a test of whether an expression changes along an axis."""
    names: set[str] = set()

    def changes(expr: Expr) -> bool:
        return any(
            (isinstance(e, Axis) and e.index == axis) or (isinstance(e, Local) and e.name in names)
            for e in walk(expr)
        )

    for stmt in statements(block.body):
        if isinstance(stmt, Assign) and changes(stmt.value):
            names.add(stmt.name)
    return changes


def byte_lookups(kernel: Kernel, block: Block, indexer: Indexer) -> dict[Expr, Dim]:
    """Return the bytes by which tables of bytes are read, and the dimensions that they index, if
    that is all that the block does.

    Vectors would be put together lane by lane, which takes longer than to go one by one."""
    nodes = list(expressions(block))
    if any(isinstance(node, Op | Cast) and node.dtype.is_float for node in nodes):
        return {}
    small = {t.name: t for t in kernel.inputs if t.dtype is DType.U8}
    counts = Counter(s.name for s in statements(block.body) if isinstance(s, Assign | For))
    read: set[Expr] = {e for e in nodes if isinstance(e, Load) and e.tensor in small}
    read |= {
        Local(s.name, s.value.dtype)
        for s in statements(block.body)
        if isinstance(s, Assign) and counts[s.name] == 1 and s.value in read
    }
    found: dict[Expr, Dim] = {}
    for node in nodes:
        if isinstance(node, Load) and node.tensor in small:
            for k, index in enumerate(node.indices):
                if indexer.affine(index) is not None or (node.inside and node.inside[k]):
                    continue
                if index not in read:
                    return {}
                found[index] = small[node.tensor].dims[k]
    return found
