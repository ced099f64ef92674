"""Rings of rows: where what is between the stages of a Chain lives while it runs.

In: the rings of a scheduled chain. Out: addresses within a unit's part of the scratch, and
functions that repeat the ends of rows. A row has room beyond both ends for as many elements as its
readers reach there; it is filled with what clamping an index would read, so that reading needs no
clamp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.codegen.llvm.abi import Abi, plus, times
from treadle.codegen.llvm.nest import CACHE_LINE, Sizes, product
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.data import dataclass
from treadle.ir.loops import Ring
from treadle.ir.nodes import Tensor

__all__ = ["PARAMS", "StageAbi", "emit_ends", "ring_bytes"]

# Lines after the last row: a vector that starts inside a row may be read as a whole.
_BEHIND = 2
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


def ring_bytes(ring: Ring, axis: int, sizes: Sizes, rows: int) -> int:
    """The bytes of all rows of a ring, for units of some rows."""
    count = ring.capacity if ring.capacity is not None else rows + ring.rows
    step = CACHE_LINE // ring.tensor.dtype.size
    if ring.single(axis):
        return -(-count // step) * CACHE_LINE
    length = product(ring.tensor.dims[axis + 1 :], sizes)
    inner = product(ring.tensor.dims[axis + 2 :], sizes)
    pitch = -(-ring.over[0] * inner // step) + -(-(length + ring.over[1] * inner) // step)
    return (count * pitch + _BEHIND) * CACHE_LINE


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
    tensor, type_ = ring.tensor, ring.tensor.dtype.llvm
    base, size = abi.pointer(f, "output", tensor), tensor.dtype.size
    row = times(abi.wrap(f, tensor, abi.axis, y), abi.stride(f, tensor, abi.axis))
    inner = abi.product(f, tensor.dims[abi.axis + 2 :])
    zero = const(f, 0, "i64")
    with f.loop(zero, inner, rest=True) as i:
        value = f.load(f.address(base, plus(row, source) + i, type_), type_, align=size)
        for step in range(count):
            target = plus(row, start) + times(const(f, step, "i64"), inner) + i
            f.store(value, f.address(base, target, type_), align=size)
