"""The kernels that generated pipelines are made of, and what each takes and gives.

Kernels keep values exact (small integers and a few halvings, clamped), so that every way to run a
pipeline must agree bit for bit whatever is fused.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import treadle


@treadle.pointwise
def inc(x, *, k=1.0):
    return clamp(x + k, -99, 99)


@treadle.pointwise
def thrice(x, *, k=3.0):
    return clamp(x * k, -99, 99)


@treadle.pointwise
def half(x):
    return x * 0.5


@treadle.pointwise
def added(a, b):
    return clamp(a + b, -99, 99)


@treadle.pointwise
def chosen(a, b):
    return a if a > b else b - 1


@treadle.pointwise
def parted(a, b):
    return clamp(a - b, -99, 99), max(a, b)


@treadle.pointwise
def ramp(*, k=2.0):
    return k


@treadle.kernel
def along(at, x):
    (i,) = at
    return clamp(x[i - 1] + 2 * x[i] - x[i + 2], -99, 99)


@treadle.kernel
def across(at, x):
    i, j = at
    return clamp(x[i, j - 1] + 2 * x[i, j] + x[i, j + 2], -99, 99)


@treadle.kernel
def down(at, x):
    i, j = at
    return clamp(x[i - 3, j] - x[i, j] + x[i + 1, j], -99, 99)


@treadle.kernel
def box(at, x):
    i, j = at
    total = 0.0
    for di in range(5):
        for dj in range(3):
            total += x[i + di - 2, j + dj - 1]
    return clamp(total, -99, 99)


@treadle.kernel
def mirrored(at, x):
    i, j = at
    return x[x.shape[0] - 1 - i, j]


@treadle.kernel
def looked_up(at, x):
    i, j = at
    return x[int(x[i, j]) + i, j]


@treadle.kernel
def pictured(at, x):
    i, j, c = at
    return clamp(x[i, j - 1, c] + x[i + 1, j, c] - x[i - 1, j + 1, 0], -99, 99)


@treadle.kernel(shape=lambda x: (x.shape[0], x.shape[1]))
def grey(at, x):
    i, j = at
    return clamp(x[i, j, 0] + 2 * x[i, j, 1], -99, 99)


@treadle.kernel(shape=lambda x: x.shape[::-1])
def turned(at, x):
    i, j = at
    return x[j, i]


@treadle.kernel(shape=lambda x: ((x.shape[0] + 1) // 2, (x.shape[1] + 1) // 2))
def smaller(at, x):
    i, j = at
    return clamp(x[2 * i, 2 * j] + x[2 * i + 1, 2 * j + 1], -99, 99)


@treadle.pointwise
def whole(x):
    return s32(x)


@treadle.pointwise
def product(a, b):
    return clamp(a * b, -99, 99)


@treadle.reduction(init="lowest")
def highest(a, b):
    return max(a, b)


@treadle.rowwise
def below(row):
    return row - max(row)


@treadle.scan(init=-99.0)
def climbed(state, x):
    state = max(state, x)
    return state, state


@treadle.composite
def smoothed(x):
    return down(across(x))


@treadle.composite
def edged(x, *, k=2.0):
    return added(x, thrice(smoothed(x), k=k))


@treadle.composite
def walked(x):
    first = along(x)
    return first, added(x, along(first))


def flat(x: Any) -> bool:
    return len(x.shape) == 1


def plane(x: Any) -> bool:
    return len(x.shape) == 2


def picture(x: Any) -> bool:
    return len(x.shape) == 3


def rows(x: Any) -> bool:
    return len(x.shape) >= 1


def anything(x: Any) -> bool:
    return True


def both(x: Any, k: int, *others: Any) -> list[tuple[int, ...]]:
    return [x.shape] * 2


def order(x: Any, k: int) -> tuple[int, ...]:
    """A permutation of the axes; 0 is the reverse."""
    found = list(itertools.permutations(reversed(range(len(x.shape)))))
    return found[k % len(found)]


def reordered(x: Any, k: int) -> list[tuple[int, ...]]:
    return [tuple(x.shape[a] for a in order(x, k))]


def cuts(x: Any, k: int) -> list[slice]:
    """A part of every axis: what is behind the first, backwards, every second, all of it."""
    ways = [slice(1, None, 1), slice(None, None, -1), slice(None, None, 2), slice(None, None, 1)]
    return [slice(None) if n < 2 else ways[(k + axis) % 4] for axis, n in enumerate(x.shape)]


def cut(x: Any, k: int) -> list[tuple[int, ...]]:
    return [tuple(len(range(*c.indices(n))) for n, c in zip(x.shape, cuts(x, k), strict=True))]


def where_to_cut(x: Any, k: int) -> dict[str, Any]:
    parts = {"starts": "start", "stops": "stop", "steps": "step"}
    return {name: tuple(getattr(c, part) for c in cuts(x, k)) for name, part in parts.items()}


def axis(x: Any, k: int) -> dict[str, Any]:
    return {"axis": k % len(x.shape)}


def gathered(x: Any, k: int, *others: Any) -> list[tuple[int, ...]]:
    place = k % len(x.shape)
    return [(*x.shape[:place], *others[0].shape, *x.shape[place + 1 :])]


def concatenated(x: Any, k: int, *others: Any) -> list[tuple[int, ...]]:
    place = k % len(x.shape)
    total = x.shape[place] * (1 + len(others))
    return [(*x.shape[:place], total, *x.shape[place + 1 :])]


@dataclass(frozen=True)
class Kind:
    """A kernel, which inputs it takes, and what its outputs look like.

    Inputs after the first are what broadcasts to it, what is as large and of its dtype ("alike"),
    or whole numbers ("whole"). Shapes and options follow from the inputs and a small number."""

    kernel: Any
    fits: Callable[[Any], bool] = anything
    arity: int = 1
    others: str = "broadcast"
    shapes: Callable[..., list[tuple[int, ...]]] = lambda x, k, *others: [x.shape]
    params: tuple[str, ...] = ()
    options: Callable[[Any, int], dict[str, Any]] = lambda x, k: {}


KINDS = [
    Kind(inc, params=("k",)),
    Kind(added, arity=2),
    Kind(half),
    Kind(across, plane),
    Kind(down, plane),
    Kind(along, flat),
    Kind(chosen, arity=2),
    Kind(pictured, picture),
    Kind(box, plane),
    Kind(thrice, params=("k",)),
    Kind(grey, picture, shapes=lambda x, k: [x.shape[:2]]),
    Kind(highest, rows, shapes=lambda x, k: [x.shape[:-1]], options=lambda x, k: {"axis": -1}),
    Kind(highest, rows, shapes=lambda x, k: [(1, *x.shape[1:])],
         options=lambda x, k: {"axis": 0, "keepdims": True}),
    Kind(smoothed, plane),
    Kind(parted, arity=2, shapes=both),
    Kind(mirrored, plane),
    Kind(turned, plane, shapes=lambda x, k: [x.shape[::-1]]),
    Kind(smaller, plane, shapes=lambda x, k: [((x.shape[0] + 1) // 2, (x.shape[1] + 1) // 2)]),
    Kind(below, rows),
    Kind(climbed, rows),
    Kind(looked_up, plane),
    Kind(edged, plane, params=("k",)),
    Kind(walked, flat, shapes=both),
    Kind(ramp, arity=0, params=("k",)),
    Kind(whole),
    Kind(product, arity=2),
    Kind("transpose", rows, shapes=reordered, options=lambda x, k: {"axes": order(x, k)}),
    Kind("gather", rows, arity=2, others="whole", shapes=gathered, options=axis),
    Kind("concat", rows, arity=2, others="alike", shapes=concatenated, options=axis),
    Kind("concat", rows, arity=3, others="alike", shapes=concatenated, options=axis),
    Kind("slice", rows, shapes=cut, options=where_to_cut),
    Kind("reshape", shapes=lambda x, k: [(math.prod(x.shape),)],
         options=lambda x, k: {"shape": (-1,)}),
]  # fmt: skip

# What a chain is made of: stages that read around themselves, and what is computed inside them.
STENCILS = [
    number
    for number, kind in enumerate(KINDS)
    if kind.kernel in (inc, half, added, across, down, pictured, box, grey, smoothed, edged)
]
# What gives the same elements other places: one buffer under several shapes, in several roles.
MOVERS = [
    number
    for number, kind in enumerate(KINDS)
    if isinstance(kind.kernel, str)
    or kind.kernel in (inc, added, product, chosen, whole, turned, mirrored, half, highest, below)
]
