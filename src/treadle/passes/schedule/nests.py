"""Which axes of a Map are walked as rows, and where in a row nothing has to be clamped.

In: a Map kernel and its block. Out: a Nest, the limits of its interior, and the block as it is
there. The inner axis is the largest group of trailing axes that can be walked as one.
"""

from __future__ import annotations

from treadle.dtypes import DType
from treadle.ir.affine import Indexer, resolve_locals
from treadle.ir.loops import Limit, Nest
from treadle.ir.names import depends, set_once
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Const,
    Dim,
    Expr,
    Extent,
    Kernel,
    Load,
    Local,
    Op,
    expressions,
    statements,
    walk,
)
from treadle.ir.places import flat_position
from treadle.ir.rewrite import rewrite_block
from treadle.passes.simplify import folded

__all__ = ["crosses", "interior_block", "interior_limits", "nest_of"]

_UNROLL_LAST = 4


def nest_of(kernel: Kernel, block: Block, indexer: Indexer, *, above: int = 0) -> Nest:
    """Choose the inner axis, `above` or after it."""
    space = kernel.space
    rank = len(space)
    for first in range(above, rank - 1):
        if _merges(kernel, block, indexer, first):
            return Nest(space[:first], first, space[first:])
    if rank == 0:
        return Nest((), 0, ())
    last = space[-1]
    if rank - 2 >= above and isinstance(last, int) and 0 < last <= _UNROLL_LAST:
        return Nest(space[: rank - 2], rank - 2, (space[rank - 2],), last)
    return Nest(space[: rank - 1], rank - 1, (last,))


def _merges(kernel: Kernel, block: Block, indexer: Indexer, first: int) -> bool:
    rank = len(kernel.space)
    tensors = {t.name: t for t in kernel.inputs}
    inside_loads = 0
    for node in expressions(block):
        if not isinstance(node, Load):
            continue
        dims = tensors[node.tensor].dims
        forms = [indexer.affine(index) for index in node.indices]
        for form, index in zip(forms, node.indices, strict=True):
            if form is None:
                continue  # its own Axis nodes are counted as other uses below
            inside_loads += sum(1 for e in walk(index) if isinstance(e, Axis) and e.index >= first)
        try:
            flat_position(first, rank, kernel.space[first:], forms, dims)
        except ValueError:
            return False
    uses = sum(1 for e in expressions(block) if isinstance(e, Axis) and e.index >= first)
    return uses == inside_loads


def interior_limits(kernel: Kernel, block: Block, indexer: Indexer, axis: int) -> tuple[Limit, ...]:
    """Return a limit for each index that leaves its dimension only by a constant offset along
    `axis`, and for each that is asked whether it is below a size."""
    tensors = {t.name: t for t in kernel.inputs}
    found: dict[Limit, None] = {}

    def within(index: Expr, dim: Dim) -> None:
        form = indexer.affine(index)
        if form is None:
            return
        scale, spread = form.scale(("axis", axis)), indexer.spread(form, axis)
        if scale >= 1 and spread is not None:
            found[Limit(scale, spread[0], spread[1], dim)] = None

    for node in expressions(block):
        match node:
            case Load(indices=indices, inside=inside):
                for k, index in enumerate(indices):
                    if not (inside and inside[k]):
                        within(index, tensors[node.tensor].dims[k])
            case Op(name="lt", args=(index, Extent(dim=dim))):
                within(index, dim)
            case _:
                pass
    return tuple(found)


def interior_block(
    kernel: Kernel, block: Block, indexer: Indexer, axis: int, limits: tuple[Limit, ...]
) -> tuple[Block, tuple[Limit, ...]]:
    """The block as it is in the interior, and the limits of that: a choice that is answered there
    may leave an index that can be read, and has to be in bounds as well."""
    inner = assumed(block, indexer, axis, limits)
    more = interior_limits(kernel, inner, Indexer(kernel.space, inner), axis)
    return inner, tuple(dict.fromkeys((*limits, *more)))


def assumed(block: Block, indexer: Indexer, axis: int, limits: tuple[Limit, ...]) -> Block:
    """Replace questions that the interior answers: is this index at least 0, is it below the size
    of its dimension? So zero padding costs nothing there."""

    def within(index: Expr, dim: Dim | None) -> bool:
        form = indexer.affine(index)
        spread = None if form is None else indexer.spread(form, axis)
        if form is None or spread is None:
            return False
        scale = form.scale(("axis", axis))
        above = any(scale == s and low <= spread[0] for s, low, _, _ in limits)
        below = any(scale == s and d == dim and spread[1] <= high for s, _, high, d in limits)
        return above if dim is None else below

    def change(node: Expr) -> Expr:
        match node:
            case Op(name="ge", args=(index, Const(value=0))) if within(index, None):
                return Const(True, DType.BOOL)
            case Op(name="lt", args=(index, Extent(dim=dim))) if within(index, dim):
                return Const(True, DType.BOOL)
            case _:
                return folded(node)

    found = rewrite_block(block, change)
    once, known = set_once(found), dict[str, Const]()
    for stmt in statements(found.body):
        if isinstance(stmt, Assign) and stmt.name in once and isinstance(stmt.value, Const):
            known[stmt.name] = stmt.value
    if not known:
        return found

    def chosen(node: Expr) -> Expr:
        return known.get(node.name, node) if isinstance(node, Local) else folded(node)

    return resolve_locals(rewrite_block(found, chosen))


def crosses(kernel: Kernel, block: Block, indexer: Indexer, nest: Nest) -> bool:
    """Whether a load walks across rows of its tensor where neighbouring rows of the output read
    neighbouring elements, as a transpose does, or a rotation: then square tiles share cache
    lines."""
    if not nest.outer or len(nest.inner) != 1:
        return False
    along = depends(block, nest.first)
    for node in expressions(block):
        if not isinstance(node, Load) or not node.indices:
            continue
        unknown = [index for index in node.indices if indexer.affine(index) is None]
        if sum(along(index) for index in unknown) > 1:
            return True
        *others, last = [indexer.affine(index) for index in node.indices]
        if last is None or nest.first in last.axes:
            continue
        down = any(form is not None and nest.first in form.axes for form in others)
        if down and (nest.first - 1) in last.axes:
            return True
    return False
