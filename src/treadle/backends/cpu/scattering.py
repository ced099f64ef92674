"""Updates put at places, by NumPy: the library routine that kernels.places names.

In: x, indices along its middle axis, updates, and how an update joins what is there. Out: x with
the updates, in the order of the indices, so that the last of several wins and sums round as the
definition's do. Parts of the first axis are shared by workers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.backends.cpu.ordering import portion

__all__ = ["scatter", "scatter_cost", "scatter_parts"]

Array = np.ndarray[Any, Any]
Arrays = Sequence[Array]
Shapes = Sequence[tuple[int, ...]]

_JOINS: dict[int, np.ufunc] = {1: np.add, 2: np.multiply, 3: np.maximum, 4: np.minimum}


def scatter(outs: Arrays, ins: Arrays, params: tuple[float, ...], part: int, parts: int) -> None:
    """x with updates along its middle axis; places outside are left out."""
    lines = portion(len(outs[0]), part, parts)
    x, indices, updates = (each[lines] for each in ins)
    out = outs[0][lines]
    if out.ctypes.data != x.ctypes.data:
        out[...] = x
    size = out.shape[1]
    along = indices.astype(np.int64)
    along += np.where(along < 0, size, 0)
    inside = (along >= 0) & (along < size)
    first, last = np.arange(len(out))[:, None, None], np.arange(out.shape[2])[None, None, :]
    places: tuple[Any, ...] = (first, along, last)
    if len(out) == 1 and indices.shape[2] == 1:  # whole rows
        kept = inside[0, :, 0]
        places, updates = (0, along[0, kept, 0]), updates[0][kept]
    elif not inside.all():
        kept = np.broadcast_to(inside, updates.shape)
        places = tuple(np.broadcast_to(each, updates.shape)[kept] for each in places)
        updates = updates[kept]
    how = int(params[0])
    with np.errstate(all="ignore"):
        if how == 0:
            out[places] = updates
        else:
            _JOINS[how].at(out, places, updates)


def scatter_cost(outputs: Shapes, inputs: Shapes) -> float:
    """Nanoseconds, about."""
    return 10_000.0 + 0.4 * math.prod(outputs[0]) + 10.0 * math.prod(inputs[2])


def scatter_parts(outputs: Shapes, inputs: Shapes) -> int:
    """How many workers can share the first axis."""
    return max(1, min(outputs[0][0], 16, math.prod(outputs[0]) >> 14))
