"""Pixels that lie at places which only running tells.

In: a block of a Map whose last axis is a few channels. Out: whether it reads whole pixels so, and
how they are found: the block with indices that show what they have in common, and the tests that
prove these to be inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from treadle.dtypes import DType
from treadle.ir.affine import Affine, Indexer
from treadle.ir.loops import PixelCode, Sure
from treadle.ir.names import assigned, set_once
from treadle.ir.nodes import (
    Assign,
    Block,
    Dim,
    Expr,
    If,
    Kernel,
    Load,
    Local,
    Stmt,
    children,
    expressions,
    statements,
    walk,
)
from treadle.ir.places import parted
from treadle.ir.rewrite import rewrite, rewrite_block
from treadle.passes.schedule.unroll import written_out

__all__ = ["pixel_code", "scattered"]


def scattered(block: Block, indexer: Indexer, channel: int, *, linear: bool = False) -> bool:
    """Whether whole pixels are read that do not lie as the output's do: at places that are not
    linear in the coordinates, backwards, or down a column. `linear` asks for the latter only."""
    for node in expressions(block):
        if _is_scattered(node, indexer, channel):
            return not linear
        if isinstance(node, Load) and len(node.indices) > 1:
            *others, pixel, last = [None, *(indexer.affine(index) for index in node.indices)]
            steps = [form.scale(("axis", channel - 1)) for form in (*others, pixel) if form]
            if last == _axis(channel) and any(steps) and steps[-1] < 1:
                return True
    return False


def pixel_code(kernel: Kernel, block: Block, indexer: Indexer, channel: int) -> PixelCode:
    """Say how a block finds its pixels, `channel` being the axis of channels."""
    block = written_out(_seen_through(block, indexer))
    found = [any(_is_scattered(e, indexer, channel) for e in _nodes(s)) for s in block.body]
    start = found.index(True) if True in found else len(found)
    rest = Block((), block.body[start:], block.results)
    known = _visible(block.body[:start], frozenset())
    return PixelCode(block, start, _tests(kernel, rest, indexer, channel, known))


def _is_scattered(node: Expr, indexer: Indexer, channel: int) -> bool:
    if not isinstance(node, Load) or len(node.indices) < 2:
        return False
    *others, last = [indexer.affine(index) for index in node.indices]
    return last == _axis(channel) and any(form is None for form in others)


def _axis(index: int) -> Affine:
    return Affine(((("axis", index), 1),), 0)


def _seen_through(block: Block, indexer: Indexer) -> Block:
    """Replace variables that are another one and a shift, so that indices show what they share."""
    once = set_once(block)
    found: dict[str, Expr] = {}
    for name, value in once.items():
        if value is not None and value.dtype is DType.S32:
            rest, _ = parted(value, indexer)
            if isinstance(rest, Local) and rest.name in once:
                found[name] = rewrite(value, lambda e: _named(e, found))
    return rewrite_block(block, lambda e: _named(e, found)) if found else block


def _named(node: Expr, found: dict[str, Expr]) -> Expr:
    return found.get(node.name, node) if isinstance(node, Local) else node


def _nodes(stmt: Stmt) -> Iterator[Expr]:
    for inner in statements((stmt,)):
        for child in children(inner):
            yield from walk(child)


def _visible(body: Sequence[Stmt], known: frozenset[str]) -> frozenset[str]:
    """The variables that can be read after some statements."""
    for stmt in body:
        if isinstance(stmt, Assign):
            known |= {stmt.name}
        elif isinstance(stmt, If):
            known |= _visible(stmt.then, known) & _visible(stmt.orelse, known)
    return known


def _tests(
    kernel: Kernel, block: Block, indexer: Indexer, channel: int, known: frozenset[str]
) -> tuple[Sure, ...]:
    """Find the indices that one test can prove to be inside."""
    tensors = {tensor.name: tensor for tensor in kernel.inputs}
    channels = kernel.space[channel]
    changed = assigned(block.body)
    ranges: dict[tuple[Expr, Dim], tuple[int, int]] = {}
    for node in expressions(block):
        if not isinstance(node, Load) or not _is_scattered(node, indexer, channel):
            continue
        dims = tensors[node.tensor].dims
        for k, index in enumerate(node.indices[:-1]):
            if indexer.affine(index) is not None or (node.inside and node.inside[k]):
                continue
            rest, shift = parted(index, indexer)
            spread = indexer.spread(shift, -1)
            names = {e.name for e in walk(rest) if isinstance(e, Local)}
            if spread is None or names & changed or not names <= known:
                continue
            # Three channels are loaded as four: behind a pixel its neighbour must be there.
            beyond = channels == 3 and k == len(node.indices) - 2
            low, high = ranges.get((rest, dims[k]), (0, 0))
            ranges[rest, dims[k]] = min(low, spread[0]), max(high, spread[1] + beyond)
    return tuple(Sure(rest, dim, low, high) for (rest, dim), (low, high) in ranges.items())
