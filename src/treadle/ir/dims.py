"""Turn concrete shapes into few and symbolic dimensions, so that one program serves many sizes.

In: shapes. Out: dimensions and the sizes of their symbols. Equal sizes share a symbol, which lets
passes prove indices in range and merge axes; 0, 1 and small last axes (channels) become constants.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from treadle.ir.nodes import Dim

__all__ = ["LARGEST_CONSTANT", "as_size", "coalesce", "name_of", "symbolise"]

Shape = tuple[int, ...]

LARGEST_CONSTANT = 4


def symbolise(shapes: Sequence[tuple[int, ...]]) -> tuple[list[tuple[Dim, ...]], dict[str, int]]:
    """Return each shape's dimensions, and the size of each symbol."""
    symbols: list[tuple[str, int]] = []

    def dim(size: int, last: bool) -> Dim:
        if size <= 1 or (last and size <= LARGEST_CONSTANT):
            return int(size)
        return name_of(size, symbols)

    dims = [
        tuple(dim(size, axis == len(shape) - 1) for axis, size in enumerate(shape))
        for shape in shapes
    ]
    return dims, dict(symbols)


def as_size(dim: Dim) -> int:
    """A dimension that is known to be no symbol."""
    assert isinstance(dim, int)
    return dim


def name_of(size: int, symbols: list[tuple[str, int]]) -> str:
    """The symbol of a size: that of an equal one, or a new one."""
    for name, known in symbols:  # compared one by one: a Size notes that it was (ir.sizes)
        if known == size:
            return name
    symbols.append((f"n{len(symbols)}", size))
    return symbols[-1][0]


def coalesce(
    shapes: Sequence[Shape], space: Shape, group: Sequence[int]
) -> tuple[list[Shape], Shape, list[int]]:
    """Merge neighbouring axes that every operand walks together; drop axes of size 1.

    `shapes` are padded to the rank of `space`; `group` gives each axis a label, and only axes of
    one label merge. Returns the new shapes, the new space and its labels. Axes with a label below 0
    are kept as they are."""
    columns: list[list[int]] = []  # per merged axis: the space's size, then each operand's
    labels: list[int] = []
    spread: list[tuple[bool, ...]] = []  # which operands are broadcast along it
    for axis, size in enumerate(space):
        if size == 1 and group[axis] >= 0:
            continue
        sizes = [shape[axis] for shape in shapes]
        flags = tuple(one == 1 and size != 1 for one in sizes)
        if columns and group[axis] >= 0 and labels[-1] == group[axis] and spread[-1] == flags:
            columns[-1] = [
                math.prod(pair) for pair in zip(columns[-1], [size, *sizes], strict=True)
            ]
        else:
            columns.append([size, *sizes])
            labels.append(group[axis])
            spread.append(flags)
    if not columns:
        return [(1,)] * len(shapes), (1,), [group[0] if group else 0]
    merged = [tuple(column[k + 1] for column in columns) for k in range(len(shapes))]
    return merged, tuple(column[0] for column in columns), labels
