"""What is given to functions of the standard, as arrays that a kernel takes.

In: buffers, what a traced function computes with, and Python numbers. Out: the same in the dtype
that the standard promotes them to. A number is weak: it takes the dtype of the array beside it.
Kernels are submitted, or recorded in a function that is being traced; nothing waits.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.arrays.apply import apply
from treadle.dtypes import DType, as_dtype, promote
from treadle.errors import LaunchError
from treadle.lang import registry
from treadle.lang.composite import Constant, Handle, constant
from treadle.lang.promotion import is_number, result_type, with_number
from treadle.runtime.buffer import Buffer
from treadle.runtime.device import Device, device

__all__ = [
    "Array", "Axes", "Number", "array", "axes_of", "axis_of", "beside", "call", "cast",
    "fresh", "kind", "pair", "where_is",
]  # fmt: skip

Array = Buffer
Number = bool | int | float
Axes = int | tuple[int, ...] | None


def array(x: Any, what: str = "x") -> Any:
    """An array, or an error that says what was given."""
    if not isinstance(x, Buffer | Handle | Constant):
        raise TypeError(
            f"{what}: expected an array, got {type(x).__name__}; see treadle.array_api.asarray"
        )
    return x


def kind(x: Any) -> DType:
    """The dtype of an array."""
    return as_dtype(array(x).dtype)


def where_is(*arrays: Any, named: Any = None) -> Device:
    """The device that is named, that of the first buffer, or the one in use."""
    if named is not None:
        return device(named)
    for item in arrays:
        if isinstance(item, Buffer):
            found: Device = item.device
            return found
    return device()


def call(kernel: str, *inputs: Any, **params: Any) -> Any:
    """What a kernel gives of arrays, submitted or recorded."""
    return apply(registry.lookup(kernel), inputs, params)


def cast(x: Any, dtype: DType) -> Any:
    """An array in another dtype, itself where it has that."""
    return x if kind(x) is dtype else call("cast", x, dtype=dtype)


def fresh(values: Any, dtype: DType, *beside: Any) -> Any:
    """Values of the host's as an array where others are: a buffer, or a table of a trace."""
    made = np.ascontiguousarray(np.asarray(values).astype(dtype.numpy)).reshape(np.shape(values))
    if any(isinstance(item, Handle) for item in beside):
        return constant(made)
    return where_is(*beside).buffer(made)


def beside(number: Any, x: Any) -> Any:
    """A Python number as an array of no axes, in the dtype that it has beside an array."""
    if not is_number(number):
        return array(number)
    return fresh(number, with_number(kind(x), number), x)


def pair(x1: Any, x2: Any, *, same: bool = False) -> tuple[Any, Any]:
    """Two operands, of which one may be a number, so that a kernel computes in the type that the
    standard says; with `same`, in one dtype."""
    if is_number(x1) and is_number(x2):
        raise TypeError(f"expected an array beside a number, got {x1!r} and {x2!r}")
    if is_number(x1):
        x1 = beside(x1, x2)
    elif is_number(x2):
        x2 = beside(x2, x1)
    kinds = as_dtype(array(x1).dtype), as_dtype(array(x2).dtype)
    wanted = result_type(*kinds)
    if kinds[0] is not kinds[1] and (same or promote(*kinds) is not wanted):
        return cast(x1, wanted), cast(x2, wanted)
    return x1, x2


def axis_of(axis: Any, ndim: int) -> int:
    """An axis counted from 0."""
    found = operator.index(axis)
    if not -ndim <= found < ndim:
        raise LaunchError(f"axis: expected one of {ndim}, got {axis!r}")
    return found % ndim


def axes_of(axis: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """Axes counted from 0; None is all of them."""
    if axis is None:
        return tuple(range(ndim))
    given = (axis,) if isinstance(axis, int) else tuple(axis)
    found = tuple(axis_of(each, ndim) for each in given)
    if len(set(found)) != len(found):
        raise LaunchError(f"axis: expected different axes, got {axis!r}")
    return found
