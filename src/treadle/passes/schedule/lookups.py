"""Bytes: tables that are read by them, and those that do not lie side by side.

In: a block of a Map. Out: what can be done with its bytes that is not done with numbers at large.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.loops import Nest
from treadle.ir.names import set_once
from treadle.ir.nodes import (
    Assign,
    Block,
    Cast,
    Const,
    Dim,
    Expr,
    Kernel,
    Load,
    Local,
    Op,
    expressions,
)

__all__ = ["byte_lookups", "byte_table", "in_bytes", "packs_bytes"]

_FURTHEST = 8  # bytes from one element to the next


def byte_lookups(kernel: Kernel, block: Block, indexer: Indexer) -> dict[Expr, Dim]:
    """Return the bytes by which tables of bytes are read, and the dimensions that they index, if
    that is all that the block does.

    Vectors would be put together lane by lane, which takes longer than to go one by one."""
    nodes = list(expressions(block))
    if any(isinstance(node, Op | Cast) and node.dtype.is_float for node in nodes):
        return {}
    small = {t.name: t for t in kernel.inputs if t.dtype is DType.U8}
    read: set[Expr] = {e for e in nodes if isinstance(e, Load) and e.tensor in small}
    read |= {
        Local(name, value.dtype)
        for name, value in set_once(block).items()
        if value is not None and value in read
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


def in_bytes(kernel: Kernel, block: Block, indexer: Indexer, nest: Nest) -> bool:
    """Whether neighbours along the inner axis are bytes that do not lie side by side."""
    small = {t.name: t for t in kernel.inputs if t.dtype is DType.U8}
    if (nest.unrolled or 1) > 1:
        return bool(small) and all(t.dtype is DType.U8 for t in kernel.outputs)
    inner = len(nest.inner)
    for node in expressions(block):
        if isinstance(node, Load) and node.tensor in small:
            dims = small[node.tensor].dims
            for k, index in enumerate(node.indices):
                form = indexer.affine(index)
                scale = 0 if form is None else form.scale(("axis", nest.first))
                behind = [dim for dim in dims[k + inner :] if isinstance(dim, int)]
                if len(behind) == len(dims[k + inner :]) and 1 < scale * prod(behind) <= _FURTHEST:
                    return True
    return False


def packs_bytes(kernel: Kernel, results: Sequence[Expr]) -> bool:
    """Whether neighbours in several vectors can be packed and stored together."""
    small = all(tensor.dtype is DType.U8 for tensor in kernel.outputs)
    return small and all(expr.dtype in (DType.U8, DType.S32, DType.F32) for expr in results)
