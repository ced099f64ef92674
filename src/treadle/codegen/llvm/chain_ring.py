"""Rings of rows: where what is between the stages of a Chain lives while it runs.

In: a chain's local tensors and where they are read. Out: addresses within a unit's part of the
scratch, and functions that repeat the ends of rows. A row has room beyond both ends for as many
elements as its readers reach there; it is filled with what clamping an index would read, so that
reading needs no clamp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from treadle.codegen.llvm.abi import Abi, plus, times
from treadle.codegen.llvm.nest import CACHE_LINE, Sizes, product
from treadle.codegen.llvm.ops import TYPES
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.dtypes import DType
from treadle.ir.affine import Indexer, resolve_locals
from treadle.ir.nodes import (
    Block,
    Expr,
    Kernel,
    Load,
    Map,
    Op,
    Tensor,
    expressions,
    rewrite_block,
)

__all__ = ["PARAMS", "Ring", "StageAbi", "emit_ends", "overhang", "read_over"]

# Lines after the last row: a vector that starts inside a row may be read as a whole.
_BEHIND = 2
_OVERHANG = 128  # steps beyond an end of a row, at most
PARAMS = (
    ("ptr", "block"),
    ("ptr", "near"),
    ("i64", "lead"),  # the axes before the rows, as one
    ("i64", "first"),  # the row at which the unit starts
    ("i64", "top"),
    ("i64", "bottom"),
    ("i64", "lo"),
    ("i64", "hi"),
    ("i64", "low"),  # where the interior of the row starts
    ("i64", "high"),  # and ends
)


@dataclass(frozen=True, slots=True)
class Ring:
    """Where the rows of a tensor are while the chain runs.

    Row y is at y modulo `capacity`; where that is None, all rows of a unit are there, from `before`
    rows ahead of its first on, and `rows` counts those beyond the unit's own. `over` says how far
    rows are read beyond their start and their end, in steps of the axis after the rows'."""

    tensor: Tensor
    capacity: int | None
    before: int = 0
    rows: int = 0
    over: tuple[int, int] = (0, 0)

    def nbytes(self, axis: int, sizes: Sizes, rows: int) -> int:
        """The bytes of all rows, for units of some rows."""
        count = self.capacity if self.capacity is not None else rows + self.rows
        step = CACHE_LINE // self.tensor.dtype.size
        if self.single(axis):
            return -(-count // step) * CACHE_LINE
        length = product(self.tensor.dims[axis + 1 :], sizes)
        inner = product(self.tensor.dims[axis + 2 :], sizes)
        pitch = -(-self.over[0] * inner // step) + -(-(length + self.over[1] * inner) // step)
        return (count * pitch + _BEHIND) * CACHE_LINE

    def single(self, axis: int) -> bool:
        """Whether a row is one element; then rows follow one another without gaps."""
        return len(self.tensor.dims) == axis + 1


@dataclass(frozen=True, slots=True)
class StageAbi(Abi):
    """A stage's tensors within the argument block of its chain, or within the unit's rings."""

    whole: Abi
    axis: int
    rings: Mapping[str, Ring]

    def slot(self, kind: str, name: str) -> int:
        """The number of an entry of the chain's block."""
        return self.whole.slot(kind, name)

    def stride(self, f: Function, tensor: Tensor, index: int) -> Value:
        """Elements between neighbours along one dimension."""
        if tensor.name in self.rings and index == self.axis:
            return self._pitch(f, self.rings[tensor.name])
        return Abi.stride(self, f, tensor, index)

    def never_stored(self, tensor: Tensor) -> bool:
        """Whether nothing in the chain stores to an input: all but what its own stages wrote."""
        return tensor in self.whole.kernel.inputs

    def _whole_lines(self, f: Function, ring: Ring, elements: Value) -> Value:
        step = CACHE_LINE // ring.tensor.dtype.size
        if elements.is_literal:
            return const(f, -(-int(elements.ref) // step) * step, "i64")
        return (elements + (step - 1)) & -step

    def _before(self, f: Function, ring: Ring) -> Value:
        """Elements ahead of a row's first."""
        inner = self.product(f, ring.tensor.dims[self.axis + 2 :])
        return self._whole_lines(f, ring, times(const(f, ring.over[0], "i64"), inner))

    def _pitch(self, f: Function, ring: Ring) -> Value:
        if ring.single(self.axis):
            return const(f, 1, "i64")

        def build() -> Value:
            length = self.product(f, ring.tensor.dims[self.axis + 1 :])
            inner = self.product(f, ring.tensor.dims[self.axis + 2 :])
            after = times(const(f, ring.over[1], "i64"), inner)
            row = self._whole_lines(f, ring, plus(length, after))
            return plus(self._before(f, ring), row)

        return f.once(("pitch", ring.tensor.name), build)

    def wrap(self, f: Function, tensor: Tensor, index: int, at: Value) -> Value:
        """Where a position along one dimension is kept: rows in turn, leading axes in place."""
        ring = self.rings.get(tensor.name)
        if ring is None or index > self.axis:
            return at
        if index < self.axis:
            return const(f, 0, "i64")
        if ring.capacity is None:
            return plus(at - f.params["first"], const(f, ring.before, "i64"))
        if ring.capacity & (ring.capacity - 1) == 0:
            return at & (ring.capacity - 1)
        return f.binary("urem", at.convert("trunc", "i32"), ring.capacity).convert("zext", "i64")

    def pointer(self, f: Function, kind: str, tensor: Tensor) -> Value:
        """The address of a tensor, or of the first row of its ring."""
        if tensor.name in self.rings:
            return f.once(("ring", tensor.name), lambda: self._ring(f, tensor))
        outputs = {t.name for t in self.whole.kernel.outputs}
        return self.read(f, "output" if tensor.name in outputs else "input", tensor.name, "ptr")

    def _ring(self, f: Function, tensor: Tensor) -> Value:
        offset = const(f, 0, "i64")
        for name, ring in self.rings.items():
            size = const(f, ring.tensor.dtype.size, "i64")
            if name == tensor.name:
                offset = plus(offset, times(self._before(f, ring), size))
                break
            if ring.capacity is not None:
                rows = const(f, ring.capacity, "i64")
            else:
                rows = plus(self.read(f, "geometry", "rows", "i64"), const(f, ring.rows, "i64"))
            elements = self._whole_lines(f, ring, times(rows, self._pitch(f, ring)))
            offset = plus(offset, times(elements, size))
        return f.address(f.params["near"], offset, "i8")


def _over(stage: Kernel, block: Block, axis: int) -> dict[Load, tuple[int, int]]:
    """Loads of a stage that leave a row by a constant offset, with how far they do.

    None where the stage asks itself whether an index is inside: then it has an interior in which
    it need not."""
    indexer = Indexer(stage.space, block)
    found: dict[Load, tuple[int, int]] = {}
    tensors = {tensor.name: tensor for tensor in stage.inputs}
    if len(stage.space) <= axis + 1:
        return {}
    for node in expressions(block):
        if isinstance(node, Op) and node.name in ("ge", "lt") and node.args[0].dtype is DType.S32:
            return {}
        if not isinstance(node, Load) or len(node.indices) <= axis + 1:
            continue
        form = indexer.affine(node.indices[axis + 1])
        if form is None or form.scale(("axis", axis + 1)) != 1:
            continue
        spread = indexer.spread(form, axis + 1)
        same = tensors[node.tensor].dims[axis + 1] == stage.space[axis + 1]
        if same and spread is not None and spread[0] >= -_OVERHANG and spread[1] <= _OVERHANG:
            found[node] = (max(-spread[0], 0), max(spread[1], 0))
    return found


def overhang(stages: tuple[Kernel, ...], axis: int) -> dict[str, tuple[int, int]]:
    """How far each tensor is read beyond the ends of its rows, by constant offsets."""
    found: dict[str, tuple[int, int]] = {}
    for stage in stages:
        assert isinstance(stage.form, Map)
        for node, (left, right) in _over(stage, resolve_locals(stage.form.block), axis).items():
            other = found.get(node.tensor, (0, 0))
            found[node.tensor] = (max(left, other[0]), max(right, other[1]))
    return found


def read_over(stage: Kernel, block: Block, axis: int, rings: Mapping[str, Ring]) -> Block:
    """Mark the loads that need no clamp because their rows have what they reach."""
    over = _over(stage, block, axis)

    def change(node: Expr) -> Expr:
        if not isinstance(node, Load) or node not in over or node.tensor not in rings:
            return node
        inside = list(node.inside or [False] * len(node.indices))
        inside[axis + 1] = True
        return replace(node, inside=tuple(inside))

    return rewrite_block(block, change)


def emit_ends(module: Module, name: str, abi: StageAbi, rings: Sequence[Ring]) -> None:
    """Define a function that repeats the first and the last step of rows beyond their ends."""
    f = Function(module, name, PARAMS)
    zero = const(f, 0, "i64")
    with f.loop(f.params["top"], f.params["bottom"], rest=True) as y:
        for ring in rings:
            dims = ring.tensor.dims[abi.axis + 1 :]
            inner, length = abi.product(f, dims[1:]), abi.product(f, dims)
            left, right = ring.over
            _repeat(f, abi, ring, y, left, times(const(f, -left, "i64"), inner), zero)
            _repeat(f, abi, ring, y, right, length, length - inner)
    f.finish()


def _repeat(
    f: Function, abi: StageAbi, ring: Ring, y: Value, count: int, start: Value, source: Value
) -> None:
    tensor, type_ = ring.tensor, TYPES[ring.tensor.dtype]
    base, size = abi.pointer(f, "output", tensor), tensor.dtype.size
    row = times(abi.wrap(f, tensor, abi.axis, y), abi.stride(f, tensor, abi.axis))
    inner = abi.product(f, tensor.dims[abi.axis + 2 :])
    zero = const(f, 0, "i64")
    with f.loop(zero, inner, rest=True) as i:
        value = f.load(f.address(base, plus(row, source) + i, type_), type_, align=size)
        for step in range(count):
            target = plus(row, start) + times(const(f, step, "i64"), inner) + i
            f.store(value, f.address(base, target, type_), align=size)
