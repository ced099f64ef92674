"""What the stages of a tiled chain compute and read, decided before any of it is spelt.

In: a chain and how it is cut. Out: a Tiled: how tiles at the border are computed, which indices
need no clamp, which locals have one value for all elements, and blocks without sums that start with
nothing, nor locals that only name an index.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.names import lets_of
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
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
    rewrite_block,
    walk,
)
from treadle.ir.tiles import Access, Settled, Tiled, Tiling, Where
from treadle.passes.schedule.gpu.tiles import near, seeing

__all__ = ["border", "settle", "tiled"]

Lets = dict[str, Expr]


def tiled(kernel: Kernel, tiling: Tiling) -> Tiled:
    """Decide everything about the stages of a chain that is cut into tiles."""
    form = kernel.form
    assert isinstance(form, Chain)
    settled, signs = settle(form), _Signs(kernel, form)
    inputs = {tensor.name: tensor for tensor in kernel.inputs}
    blocks, reads = [], []
    for number, stage in enumerate(form.stages):
        assert isinstance(stage.form, Map)
        block = _straight(signs.plain(stage), len(stage.space))
        shared = {one.name for one in settled if one.stage == number}
        varying = [s for s in block.body if not (isinstance(s, Assign) and s.name in shared)]
        blocks.append(replace(block, body=tuple(varying)))
        indices = _Indices(stage, tiling, lets_of(stage.form.block), seeing(stage))
        loads = {node: None for node in expressions(blocks[-1]) if isinstance(node, Load)}
        reads.append({load: indices.reading(load, inputs.get(load.tensor)) for load in loads})
    return Tiled(tiling, border(form, tiling), tuple(blocks), tuple(settled), tuple(reads))


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


def settle(form: Chain) -> list[Settled]:
    """The locals that all elements share, in order; what is equal is one value, and products with
    it are one too."""
    made: list[Settled] = []
    meanings = _Meanings()
    found: dict[int, tuple[int, str]] = {}
    for number, stage in enumerate(form.stages):
        assert isinstance(stage.form, Map)
        lets = lets_of(stage.form.block)
        meanings.locals = {}
        for name, value in lets.items():
            if _uniform(value, meanings.locals):
                meanings.locals[name] = meanings.of(value)
                owner = found.setdefault(meanings.locals[name][0], (number, name))
                made.append(Settled(number, name, value, owner))
    return made


def _uniform(node: Expr, shared: Iterable[str]) -> bool:
    """Whether an expression has one value for all elements, and is worth computing once."""
    nodes = list(walk(node))
    return any(isinstance(n, Op) for n in nodes) and not any(
        isinstance(n, Axis | Load) or (isinstance(n, Local) and n.name not in shared) for n in nodes
    )


class _Meanings:
    """Numbers for expressions that are equal where their values are. A second number is equal up to
    the sign, which no square has: the weights on both sides of a symmetric filter are such."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self.locals: dict[str, tuple[int, int]] = {}  # of the stage at hand

    def of(self, node: Expr) -> tuple[int, int]:
        """The number of an expression, and the one of its magnitude."""
        match node:
            case Local() if node.name in self.locals:
                return self.locals[node.name]
            case Const():
                value = node.value
                return self._both((node.dtype, repr(value)), (node.dtype, "size", repr(abs(value))))
            case Op("neg", (value,)) if node.dtype.is_float:
                number, size = self.of(value)
                return self._number(("neg", number)), size
            case Op(name, args):
                parts = [self.of(arg) for arg in args]
                whole = (name, node.dtype, *(number for number, _ in parts))
                sizes = (name, node.dtype, "size", *(size for _, size in parts))
                if not node.dtype.is_float or name not in ("mul", "div"):
                    return self._both(whole, whole)
                square = name == "mul" and parts[0] == parts[1]
                return self._both(sizes if square else whole, sizes)
            case Cast():
                whole = ("cast", node.dtype, self.of(node.value)[0])
                return self._both(whole, whole)
            case _:
                return self._both(node, node)

    def _both(self, whole: object, size: object) -> tuple[int, int]:
        return self._number(whole), self._number(size)

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


class _Signs:
    """What is known never to be below 0, nor -0, stage after stage."""

    def __init__(self, kernel: Kernel, form: Chain) -> None:
        self._tensors = {t.name: t for t in kernel.inputs} | form.local
        self._positive: set[str] = set()  # what is kept
        self._steady: set[str] = set()  # locals of the stage at hand

    def plain(self, stage: Kernel) -> Block:
        """A stage's block; sums that start with 0 are what is added, unless that can be -0."""
        assert isinstance(stage.form, Map)
        block = stage.form.block
        lets = lets_of(block)
        self._steady = set()
        for name, value in lets.items():
            if self._not_negative(value, lets):
                self._steady.add(name)
        for tensor, result in zip(stage.outputs, block.results, strict=True):
            if self._not_negative(result, lets):
                self._positive.add(tensor.name)
        return rewrite_block(block, lambda node: self._sum(node, lets))

    def _sum(self, node: Expr, lets: Lets) -> Expr:
        match node:
            case Op("add", (Const(value=0.0) as zero, other)) if zero.dtype.is_float:
                plus = math.copysign(1.0, zero.value) > 0
                return other if plus and self._not_negative(other, lets) else node
            case _:
                return node

    def _not_negative(self, node: Expr, lets: Lets) -> bool:
        """Whether a value is never below 0, nor -0; it may be NaN."""
        match node:
            case Const():
                return math.copysign(1.0, node.value) > 0
            case Load():
                return self._tensors[node.tensor].dtype is DType.U8 or node.tensor in self._positive
            case Cast() if node.dtype.is_float:
                return self._not_negative(node.value, lets)
            case Op("exp" | "exp2" | "abs") if node.dtype.is_float:
                return True
            case Op("add" | "mul" | "div") if node.dtype.is_float:
                return all(self._not_negative(arg, lets) for arg in node.args)
            case Local():
                return node.name in self._steady and node.name in lets
            case _:
                return False
