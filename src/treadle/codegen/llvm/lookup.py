"""What decides where a block reads: which expressions change along an axis, which are bytes.

In: a block. Out: facts about it, for the loops around it. Knows nothing about how they are used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Const,
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

__all__ = ["byte_lookups", "byte_table", "depends"]


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


def byte_table(kernel: Kernel, block: Block) -> tuple[Load, Load] | None:
    """Return the load from one table of bytes side by side, and that of the byte which is looked
    up there, if this is all that a block does, for an output of bytes."""
    assigned = [s for s in block.body if isinstance(s, Assign)]
    named: dict[Expr, Expr] = {Local(s.name, s.value.dtype): s.value for s in assigned}
    found, *more = [named.get(result, result) for result in block.results]
    if more or len(named) != len(block.body) or not isinstance(found, Load) or not found.indices:
        return None
    tensors = {t.name: t for t in kernel.inputs}
    read = named.get(found.indices[0], found.indices[0])
    rest = zip(found.indices[1:], tensors[found.tensor].dims[1:], strict=True)
    if any(index != Const(0, DType.S32) or dim != 1 for index, dim in rest):
        return None
    if not isinstance(read, Load):
        return None
    types = {t.dtype for t in (tensors[read.tensor], tensors[found.tensor], kernel.outputs[0])}
    return (found, read) if types == {DType.U8} else None
