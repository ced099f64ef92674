"""Turn concrete shapes into symbolic dimensions, so that one program serves many sizes.

In: shapes. Out: dimensions and the sizes of their symbols. Equal sizes share a symbol, which lets
passes prove indices in range and merge axes; 0, 1 and small last axes (channels) become constants.
"""

from __future__ import annotations

from collections.abc import Sequence

from weft.ir.nodes import Dim

__all__ = ["LARGEST_CONSTANT", "symbolise"]

LARGEST_CONSTANT = 4


def symbolise(shapes: Sequence[tuple[int, ...]]) -> tuple[list[tuple[Dim, ...]], dict[str, int]]:
    """Return each shape's dimensions, and the size of each symbol."""
    symbols: dict[int, str] = {}

    def dim(size: int, last: bool) -> Dim:
        if size <= 1 or (last and size <= LARGEST_CONSTANT):
            return size
        return symbols.setdefault(size, f"n{len(symbols)}")

    dims = [
        tuple(dim(size, axis == len(shape) - 1) for axis, size in enumerate(shape))
        for shape in shapes
    ]
    return dims, {name: size for size, name in symbols.items()}
