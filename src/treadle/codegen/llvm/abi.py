"""The packed argument block of a native kernel, as generated code reads it.

In: a kernel and the names of its geometry entries. Out: slot numbers, and values loaded from them.
The host packs the block in the same order. Knows nothing about what the values are for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from treadle.codegen.llvm.text import Function, Value, const
from treadle.data import dataclass
from treadle.ir.nodes import Dim, Kernel, Tensor

__all__ = ["Abi", "plus", "times"]


@dataclass(frozen=True, slots=True)
class Abi:
    """Where things are in the packed argument block; every entry takes 8 bytes.

    Scratch address, outputs, inputs, parameters (f64 for floats, else i64), sizes, geometry."""

    kernel: Kernel
    geometry: tuple[str, ...]
    apart: frozenset[str] = field(default=frozenset(), kw_only=True)  # see Schedule

    def slot(self, kind: str, name: str) -> int:
        """The number of an entry."""
        k = self.kernel
        groups = {
            "scratch": [""],
            "output": [t.name for t in k.outputs],
            "input": [t.name for t in k.inputs],
            "param": [p.name for p in k.params],
            "dim": list(k.symbols),
            "geometry": list(self.geometry),
        }
        start = 0
        for group, names in groups.items():
            if group == kind:
                return start + names.index(name)
            start += len(names)
        raise KeyError(kind)

    def read(self, f: Function, kind: str, name: str, type_: str) -> Value:
        """Load an entry, once for each function."""

        def build() -> Value:
            offset = const(f, self.slot(kind, name), "i64")
            return f.load(f.address(f.params["block"], offset, "i64"), type_, align=8, group=False)

        return f.once((kind, name), build)

    def size(self, f: Function, dim: Dim) -> Value:
        """The size of a dimension as i64."""
        return const(f, dim, "i64") if isinstance(dim, int) else self.read(f, "dim", dim, "i64")

    def product(self, f: Function, dims: Sequence[Dim]) -> Value:
        """The product of dimensions as i64."""
        result = const(f, 1, "i64")
        for dim in dims:
            result = times(result, self.size(f, dim))
        return result

    def stride(self, f: Function, tensor: Tensor, index: int) -> Value:
        """Elements between neighbours along one dimension of a dense tensor."""
        tail = tensor.dims[index + 1 :]
        return f.once(("product", tail), lambda: self.product(f, tail))

    def wrap(self, f: Function, tensor: Tensor, index: int, at: Value) -> Value:
        """Where a position along one dimension, already in range, is kept; here, in place."""
        return at

    def pointer(self, f: Function, kind: str, tensor: Tensor) -> Value:
        """The address of a tensor."""
        return self.read(f, kind, tensor.name, "ptr")


def plus(a: Value, b: Value) -> Value:
    """Add i64 scalars, folding constants."""
    if a.is_literal and b.is_literal:
        return const(a.function, int(a.ref) + int(b.ref), "i64")
    if a.ref == "0":
        return b
    return a if b.ref == "0" else a + b


def times(a: Value, b: Value) -> Value:
    """Multiply i64 scalars, folding constants."""
    if a.is_literal and b.is_literal:
        return const(a.function, int(a.ref) * int(b.ref), "i64")
    if "0" in (a.ref, b.ref):
        return const(a.function, 0, "i64")
    if a.ref == "1":
        return b
    return a if b.ref == "1" else a * b
