"""What users give a function, as what kernels take.

In: buffers, arrays, lists and numbers; or, in a function that is being traced, its handles among
such. Out: buffers of one device, or handles and tables. A Python number is weak: it takes the dtype
of the arrays beside it where that can hold it. Nothing is launched here.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from treadle.dtypes import DType, as_dtype
from treadle.errors import LaunchError
from treadle.lang.composite import Constant, Handle, constant
from treadle.lang.promotion import result_type
from treadle.runtime.buffer import Buffer
from treadle.runtime.convert import as_array
from treadle.runtime.device import Device, device
from treadle.runtime.refusal import refusal

__all__ = ["ArrayLike", "common_device", "is_traced", "operands"]


class _Foreign(Protocol):
    """Another library's array."""

    def __array__(self) -> np.ndarray[Any, Any]: ...


class _Exchanged(Protocol):
    """An array that speaks DLPack."""

    def __dlpack__(self) -> Any: ...


# What a function takes for an array: buffers and what records in a function that is being traced,
# arrays of NumPy and of others, nested lists of numbers, and numbers.
ArrayLike = (
    Buffer
    | Handle
    | Constant
    | np.ndarray[Any, Any]
    | np.number[Any]
    | memoryview
    | float
    | Sequence[float]
    | Sequence[Sequence[float]]
    | Sequence[Sequence[Sequence[float]]]
    | _Foreign
    | _Exchanged
)

_DATA = ("__array__", "__array_interface__", "__dlpack__", "__buffer__")


def is_traced(inputs: Sequence[Any]) -> bool:
    """Whether these are given in a function that is being traced."""
    return any(isinstance(item, Handle | Constant) for item in inputs)


def common_device(inputs: Sequence[Any], output: Any = None) -> Device:
    """Return the device of the first buffer among these, else the one in use."""
    for item in (*inputs, *(output if isinstance(output, (tuple, list)) else (output,))):
        if isinstance(item, Buffer):
            found: Device = item.device
            return found
    return device()


def operands(inputs: Sequence[Any], where: Device | None) -> list[Any]:
    """Return each input as a buffer of a device or, where that is None, as what a trace takes."""
    kinds = [as_dtype(item.dtype) for item in inputs if isinstance(item, Buffer | Handle)]
    arrays = [item if _is_array(item) else _as_data(item) for item in inputs]
    kinds += [as_dtype(item.dtype) for item in arrays if isinstance(item, np.ndarray)]
    made = []
    for item in arrays:
        data = np.asarray(item, weak_dtype(item, kinds).numpy) if _is_number(item) else item
        if isinstance(data, np.ndarray):
            data = constant(data) if where is None else where.buffer(data)
        made.append(data)
    return made


def weak_dtype(number: Any, beside: Sequence[DType]) -> DType:
    """Return the dtype that a Python number has beside arrays of these."""
    floating = [dtype for dtype in beside if dtype.is_float]
    if floating:
        return functools.reduce(result_type, floating)
    if isinstance(number, float):
        return DType.F32
    if isinstance(number, bool) and set(beside) <= {DType.BOOL}:
        return DType.BOOL
    whole = [dtype for dtype in beside if dtype.is_integer]
    wide = [dtype for dtype in whole if not dtype.is_narrow]
    narrow = [dtype for dtype in whole if dtype.is_narrow]
    for dtype in (*wide, *narrow, DType.S32, DType.S64):
        if dtype.limits[0] <= number <= dtype.limits[1]:
            return dtype
    raise LaunchError(f"number: expected one that fits 64 bits, got {number!r}")


def _is_array(item: Any) -> bool:
    return isinstance(item, Buffer | Handle | Constant)


def _is_number(item: Any) -> bool:
    return isinstance(item, bool | int | float)


def _as_data(item: Any) -> Any:
    """A number as it is, other data as an array; raise for what is no data."""
    if isinstance(item, np.generic) and not isinstance(item, np.bool_):
        return np.asarray(item)
    if _is_number(item):
        return item
    if isinstance(item, (list, tuple, memoryview)) or any(hasattr(item, name) for name in _DATA):
        return as_array(item)
    raise refusal(item, "inputs")
