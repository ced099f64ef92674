"""What an index means: which views, copies and kernels a[...] and a[...] = value come to.

In: an index as Python gives it, and a shape. Out: whole numbers and ranges for each axis, or an
error that says what to write. Rows next to each other are views; what else basic indices name is
copied by a kernel. Arrays of positions gather, conditions choose. Nothing is submitted here.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.data import dataclass
from treadle.errors import LaunchError
from treadle.lang.operators import Operators

__all__ = ["Basic", "basic", "cuts", "expanded", "follow", "is_array", "is_condition"]


@dataclass(frozen=True, slots=True)
class Basic:
    """An index of numbers, slices and new axes: for each axis of the array a number or a range."""

    axes: tuple[int | range, ...]
    shape: tuple[int, ...]  # of the result, new axes included

    @property
    def ranges(self) -> list[range]:
        """A range for each axis; a number is one of one."""
        return [range(a, a + 1) if isinstance(a, int) else a for a in self.axes]

    def rows(self, shape: Sequence[int]) -> tuple[int, int] | None:
        """The first element and how many follow it, in the array's own order, where those are what
        is chosen: then a view will do."""
        ranges = self.ranges
        first = sum(r.start * math.prod(shape[d + 1 :]) for d, r in enumerate(ranges))
        count = math.prod(map(len, ranges))
        if not count:
            return 0, 0
        whole = True
        for d in reversed(range(len(shape))):  # whole axes, one in part, single places before it
            if whole:
                whole = ranges[d] == range(shape[d])
                if not whole and ranges[d].step != 1 and len(ranges[d]) > 1:
                    return None
            elif len(ranges[d]) != 1:
                return None
        return first, count


def follow(sizes: Sequence[int], count: int) -> tuple[int, ...]:
    """Return a shape in which -1 stands for what is left of `count` elements."""
    known = math.prod(n for n in sizes if n != -1)
    if list(sizes).count(-1) > 1 or not known or count % known:
        raise LaunchError(f"shape: {tuple(sizes)} does not hold {count} elements")
    return tuple(count // known if n == -1 else n for n in sizes)


def cuts(ranges: Sequence[range]) -> dict[str, tuple[int | None, ...]]:
    """Return ranges as parameters of the kernel `slice`, where no place is before the first."""
    return {
        "starts": tuple(r.start for r in ranges),
        "stops": tuple(r.stop if r.stop >= 0 else None for r in ranges),
        "steps": tuple(r.step for r in ranges),
    }


def is_array(item: Any) -> bool:
    """Whether a part of an index is an array of positions or a condition."""
    return isinstance(item, list | np.ndarray | Operators)


def expanded(index: Any, shape: Sequence[int], what: Any) -> list[Any]:
    """An index as a list with something for each axis, `...` being written out."""
    items = list(index) if isinstance(index, tuple) else [index]
    dots = [place for place, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise LaunchError("index: expected `...` at most once")
    taken = sum(_axes_of(item) for item in items)
    if taken > len(shape):
        raise IndexError(f"{taken} indices are too many for {what!r}")
    rest = [slice(None)] * (len(shape) - taken)
    at = dots[0] if dots else len(items)
    return [*items[:at], *rest, *items[at + 1 :]]


def _axes_of(item: Any) -> int:
    """How many axes of the array a part of an index is about."""
    if item is None or item is Ellipsis:
        return 0
    if is_array(item) and is_condition(item):
        return len(np.shape(item) if isinstance(item, list) else item.shape)
    return 1


def is_condition(item: Any) -> bool:
    """Whether an array in an index chooses, rather than names positions."""
    return bool((np.asarray(item) if isinstance(item, list) else item).dtype == "bool")


def basic(items: Sequence[Any], shape: Sequence[int], what: Any) -> Basic:
    """Read numbers, slices and None against a shape."""
    axes: list[int | range] = []
    out: list[int] = []
    for item in items:
        if item is None:
            out.append(1)
            continue
        size = shape[len(axes)]
        if isinstance(item, slice):
            try:
                found = range(*item.indices(size))
            except (TypeError, ValueError) as error:
                raise LaunchError(f"index: {error}, got {item!r}") from None
            axes.append(found)
            out.append(len(found))
            continue
        if isinstance(item, bool | np.bool_):
            raise LaunchError(f"index: expected an int, a slice or an array, got {item!r}")
        try:
            place = operator.index(item)
        except TypeError:
            raise LaunchError(
                f"index: expected ints, slices, None, `...` or arrays, got {item!r:.60}"
            ) from None
        if not -size <= place < size:
            raise IndexError(f"index {place} is outside axis {len(axes)} of {what!r}")
        axes.append(place % size)
    return Basic(tuple(axes), tuple(out))
