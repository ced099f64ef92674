"""What the stages of a tiled chain compute and read, decided before any of it is spelt.

In: a chain and how it is cut. Out: a Tiled: how tiles at the border are computed, which indices
need no clamp, and blocks without sums that start with nothing, nor locals that only name an index.
"""

from __future__ import annotations

from dataclasses import replace

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.names import lets_of
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Chain,
    Const,
    Expr,
    Kernel,
    Load,
    Local,
    Map,
    Op,
    Stmt,
    Tensor,
    expressions,
    walk,
)
from treadle.ir.rewrite import rewrite_block
from treadle.ir.tiles import Access, Tiled, Tiling, Where
from treadle.passes.schedule.gpu.tiles import near, seeing
from treadle.passes.signs import without_zeros

__all__ = ["border", "tiled"]

Lets = dict[str, Expr]


def tiled(kernel: Kernel, tiling: Tiling) -> Tiled:
    """Decide everything about the stages of a chain that is cut into tiles."""
    form = without_zeros(kernel).form
    assert isinstance(form, Chain)
    inputs = {tensor.name: tensor for tensor in kernel.inputs}
    blocks, reads = [], []
    for stage in form.stages:
        assert isinstance(stage.form, Map)
        blocks.append(_straight(stage.form.block, len(stage.space)))
        indices = _Indices(stage, tiling, lets_of(stage.form.block), seeing(stage))
        loads = {node: None for node in expressions(blocks[-1]) if isinstance(node, Load)}
        reads.append({load: indices.reading(load, inputs.get(load.tensor)) for load in loads})
    return Tiled(tiling, border(form, tiling), tuple(blocks), tuple(reads))


@dataclass(frozen=True, slots=True)
class _Indices:
    """What is known about the indices of a stage's reads."""

    stage: Kernel
    tiling: Tiling
    lets: Lets
    indexer: Indexer

    def reading(self, load: Load, tensor: Tensor | None) -> Access:
        """How a read finds its place; `tensor` is the kernel's input, if it is one."""
        steps = []
        for index in load.indices:
            found = ((k, _exact(index, k, self.lets)) for k in range(len(self.stage.space)))
            steps.append(next(((k, step) for k, step in found if step is not None), None))
        inside = {} if tensor is None else {w: self._inside(load, tensor, w) for w in Where}
        return Access(tuple(steps), inside)

    def _inside(self, load: Load, tensor: Tensor, where: Where) -> tuple[bool, ...]:
        """Which indices of a read of one of the kernel's inputs need no clamp."""
        axes = [axis for axis in (self.tiling.row, self.tiling.col) if axis is not None]
        found = list(load.inside or (False,) * len(load.indices))
        for k, index in enumerate(load.indices):
            if where is Where.INSIDE:
                found[k] = found[k] or any(
                    tensor.dims[k] == self.stage.space[axis]
                    and near(index, axis, self.indexer) is not None
                    for axis in axes
                )
            elif where is Where.EDGE:  # what was proved, was for coordinates in range
                apart = isinstance(index, Axis) and index.index not in axes
                found[k] = found[k] and (apart or isinstance(index, Const))
        return tuple(found)


def _exact(index: Expr, axis: int, lets: Lets) -> int | None:
    """The constant distance of an index from the element's coordinate, if there is one."""
    found = Indexer((), lets=lets).distance(index, axis)
    return None if found is None else found[0]


def _straight(block: Block, rank: int) -> Block:
    """A block whose indices at constant distances say so themselves, without the locals that they
    went through and that nothing else needs."""
    lets = lets_of(block)

    def change(node: Expr) -> Expr:
        if not isinstance(node, Load):
            return node
        return replace(node, indices=tuple(_near_axis(i, rank, lets) for i in node.indices))

    plain = rewrite_block(block, change)
    needed = {node.name for r in plain.results for node in walk(r) if isinstance(node, Local)}
    body: list[Stmt] = []
    for stmt in reversed(plain.body):
        if not isinstance(stmt, Assign) or stmt.name in needed:
            body.insert(0, stmt)
            needed |= {n.name for n in expressions(Block((), (stmt,), ())) if isinstance(n, Local)}
    return replace(plain, body=tuple(body))


def _near_axis(index: Expr, rank: int, lets: Lets) -> Expr:
    for axis in range(rank):
        found = _exact(index, axis, lets)
        if found is not None:
            return _moved(Axis(axis), found)
    return index


def _moved(axis: Axis, step: int) -> Expr:
    return Op("add", (axis, Const(step, DType.S32)), DType.S32) if step else axis


def border(form: Chain, tiles: Tiling) -> Where:
    """How tiles at the border are computed: places beyond the edge can be computed like others
    only where what is kept is read at constant distances."""
    local = form.local
    for stage in form.stages:
        assert isinstance(stage.form, Map)
        lets = lets_of(stage.form.block)
        for node in expressions(stage.form.block):
            if isinstance(node, Load) and node.tensor in local:
                for axis in (tiles.row, tiles.col):
                    if axis is not None and _exact(node.indices[axis], axis, lets) is None:
                        return Where.SINGLE
    return Where.EDGE
