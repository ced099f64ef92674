"""Linear algebra functions of the standard: products of vectors and matrices.

In: arrays. Out: arrays, at once. All of them are the kernel `matmul`, or sums of products.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.array_api.given import Array, array, axes_of, call, cast, fresh, kind, pair
from treadle.array_api.manipulation import broadcast_arrays, permute_dims
from treadle.array_api.types import result_type
from treadle.dtypes import DType

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]


def _numbers(*arrays: Any) -> DType:
    wanted = result_type(*map(array, arrays))
    if wanted is DType.BOOL:
        raise TypeError("expected numbers, got bool; see astype")
    return wanted


def matmul(x1: Array, x2: Array, /) -> Array:
    """Multiply matrices, or stacks; a vector is a row on the left, a column on the right."""
    wanted = _numbers(x1, x2)
    if not x1.shape or not x2.shape:
        raise ValueError(f"expected vectors or matrices, got shapes {x1.shape} and {x2.shape}")
    if x1.shape[-1] != x2.shape[-1 if x2.ndim == 1 else -2]:
        raise ValueError(f"the columns of x1 are not the rows of x2: {x1.shape} and {x2.shape}")
    if not x1.shape[-1]:
        lead = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
        shape = (*lead, *x1.shape[:-1][-1:], *(x2.shape[-1:] if x2.ndim > 1 else ()))
        return fresh(np.zeros(shape), wanted, x1, x2)  # type: ignore[no-any-return]
    return cast(x1 @ x2, wanted)  # type: ignore[no-any-return]


def matrix_transpose(x: Array, /) -> Array:
    """Copy matrices with rows and columns exchanged."""
    if array(x).ndim < 2:
        raise ValueError(f"x: expected matrices, got shape {x.shape}")
    lead = tuple(range(x.ndim - 2))
    return permute_dims(x, (*lead, x.ndim - 1, x.ndim - 2))


def tensordot(
    x1: Array, x2: Array, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2
) -> Array:
    """Sum products over axes of both arrays: the last and first ones, or those that are named."""
    _numbers(x1, x2)
    if isinstance(axes, int):
        if not 0 <= axes <= min(x1.ndim, x2.ndim):
            raise ValueError(f"axes: expected at most as many as both have, got {axes}")
        left, right = tuple(range(x1.ndim - axes, x1.ndim)), tuple(range(axes))
    else:
        left, right = axes_of(axes[0], x1.ndim), axes_of(axes[1], x2.ndim)
    if [x1.shape[d] for d in left] != [x2.shape[d] for d in right]:
        raise ValueError(f"axes: sizes along {axes} differ in {x1.shape} and {x2.shape}")
    rows = tuple(d for d in range(x1.ndim) if d not in left)
    columns = tuple(d for d in range(x2.ndim) if d not in right)
    inner = math.prod(x1.shape[d] for d in left)
    out = (*(x1.shape[d] for d in rows), *(x2.shape[d] for d in columns))
    a: Any = _ordered(x1, (*rows, *left)).reshape((math.prod(x1.shape[d] for d in rows), inner))
    b: Any = _ordered(x2, (*right, *columns)).reshape(
        (inner, math.prod(x2.shape[d] for d in columns))
    )
    return matmul(a, b).reshape(out)


def _ordered(x: Any, axes: tuple[int, ...]) -> Any:
    return x if axes == tuple(range(x.ndim)) else permute_dims(x, axes)


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Sum products of elements along an axis that both arrays have."""
    wanted = _numbers(x1, x2)
    if not -min(x1.ndim, x2.ndim) <= axis < 0 and not (axis >= 0 and x1.ndim == x2.ndim):
        raise ValueError(f"axis: expected one of the last that both have, got {axis}")
    if x1.shape[axis] != x2.shape[axis]:
        raise ValueError(f"axis: sizes differ in {x1.shape} and {x2.shape}")
    a, b = pair(*broadcast_arrays(x1, x2), same=True)
    a = call("conj", a) if kind(a).numpy.kind == "c" else a
    products: Any = a * b if kind(a).size >= 4 else cast(a, DType.S32) * cast(b, DType.S32)
    return cast(products.sum(axis), wanted)  # type: ignore[no-any-return]
