"""Shape arithmetic for binding: broadcasting and axes.

In: concrete shapes. Out: shapes, axes, or a LaunchError that names kernel, argument and fix.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.errors import LaunchError

__all__ = ["broadcast", "normalise_axes", "pad"]

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
