"""Shape arithmetic for binding: broadcasting, axes, and merging axes that walk together.

In: concrete shapes. Out: shapes, axes, or a LaunchError that names kernel, argument and fix.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from weft.errors import LaunchError

__all__ = ["broadcast", "coalesce", "normalise_axes", "pad"]

Shape = tuple[int, ...]


def broadcast(kernel: str, shapes: Sequence[Shape], names: Sequence[str]) -> Shape:
    """Return the shape that all shapes broadcast to, as NumPy defines it."""
    rank = max((len(shape) for shape in shapes), default=0)
    result = [1] * rank
    for shape, name in zip(shapes, names, strict=True):
        for axis, size in enumerate(pad(shape, rank)):
            if result[axis] == 1:
                result[axis] = size
            elif size not in (1, result[axis]):
                listed = ", ".join(f"{n} {s}" for n, s in zip(names, shapes, strict=True))
                raise LaunchError(
                    f"kernel {kernel!r}: shapes do not broadcast: {listed}; sizes along an axis "
                    "must "
                    f"be equal or 1, and {name!r} has {size} where another has {result[axis]}"
                )
    return tuple(result)


def pad(shape: Shape, rank: int) -> Shape:
    """Add leading ones up to `rank`."""
    return (1,) * (rank - len(shape)) + shape


def normalise_axes(kernel: str, axis: object, rank: int) -> tuple[int, ...]:
    """Return sorted non-negative axes for None (all), an int or a tuple of ints."""
    if axis is None:
        return tuple(range(rank))
    axes = axis if isinstance(axis, tuple) else (axis,)
    found: list[int] = []
    for one in axes:
        if not isinstance(one, int) or isinstance(one, bool):
            raise LaunchError(
                f"kernel {kernel!r}: axis must be an integer, a tuple of them or None, got {axis!r}"
            )
        if not -rank <= one < rank:
            raise LaunchError(
                f"kernel {kernel!r}: axis {one} is out of range for {rank} dimensions"
            )
        found.append(one % rank)
    if not found or len(set(found)) != len(found):
        raise LaunchError(f"kernel {kernel!r}: axis must name each axis once, got {axis!r}")
    return tuple(sorted(found))


def coalesce(
    shapes: Sequence[Shape], space: Shape, group: Sequence[int]
) -> tuple[list[Shape], Shape, list[int]]:
    """Merge neighbouring axes that every operand walks together; drop axes of size 1.

    `shapes` are padded to the rank of `space`; `group` gives each axis a label, and only axes of
    one
    label merge. Returns the new shapes, the new space and its labels. Axes with a label below 0 are
    kept as they are."""
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
