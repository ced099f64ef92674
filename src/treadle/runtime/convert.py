"""Data from outside as one contiguous array of a stored dtype.

In: lists, bytes, NumPy arrays, and whatever speaks the buffer protocol, `__array_interface__` or
DLPack. Out: arrays, or a LaunchError that names what was expected and what came. Knows no devices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.dtypes import DType, as_dtype
from treadle.errors import LaunchError
from treadle.ir.casts import convert, widened
from treadle.runtime.memory import as_shape

__all__ = ["as_array", "foreign_array"]

Array = np.ndarray[Any, Any]

_WEAK = {
    "f": DType.F32,
    "i": DType.S32,
    "u": DType.S32,
    "b": DType.BOOL,
    "c": DType.C64,
}  # of Python's own numbers


def as_array(data: Any, shape: object = None, dtype: object = None) -> Array:
    """Return `data` as a contiguous array; bytes are taken as they are, other data by value."""
    wanted = None if dtype is None else as_dtype(dtype)
    raw = _raw_bytes(data, wanted)
    if raw is not None:
        array = raw
    elif isinstance(data, (list, tuple, range, int, float, complex)) and not isinstance(
        data, np.generic
    ):
        array = _from_python(data, wanted)
    else:
        array = foreign_array(data)
        if array.dtype.kind in "USOmM":
            raise LaunchError(f"data: expected numbers, got {array.dtype} elements")
        array = _converted(array, wanted or as_dtype(array.dtype))
    if shape is not None:
        array = _shaped(array, as_shape(shape))
    return np.ascontiguousarray(array) if array.ndim else array  # keeps shape () as it is


def foreign_array(data: Any) -> Array:
    """Return an array over another library's data, in place where it allows that."""
    if isinstance(data, np.ndarray):
        # Only here is it known: NumPy drops the mask without a word.
        if type(data) is not np.ndarray and np.ma.is_masked(data):
            raise LaunchError(
                "data: expected numbers, and some are masked; give them values first: x.filled(0)"
            )
        return data
    try:
        if hasattr(data, "__dlpack__") and not hasattr(data, "__array_interface__"):
            return np.from_dlpack(data)
        array = np.asarray(data)
    except Exception as error:
        raise LaunchError(f"data: cannot read {type(data).__name__}: {error}") from error
    if array.dtype == object:
        raise LaunchError(
            "data: expected numbers (a list, bytes, an array, or anything with the buffer "
            f"protocol, __array_interface__ or DLPack), got {type(data).__name__}"
        )
    return array


def _raw_bytes(data: Any, wanted: DType | None) -> Array | None:
    """Bytes without a type of their own, read as the wanted dtype."""
    untyped = isinstance(data, (bytes, bytearray)) or (
        isinstance(data, memoryview) and data.format == "B" and wanted is not None
    )
    if not untyped:
        return None
    target = wanted or DType.U8
    nbytes = len(data) if not isinstance(data, memoryview) else data.nbytes
    if nbytes % target.size:
        raise LaunchError(
            f"data: {nbytes} bytes are no whole number of {target} elements of {target.size} bytes"
        )
    try:
        return np.frombuffer(data, target.numpy) if nbytes else np.empty(0, target.numpy)
    except (ValueError, BufferError) as error:
        raise LaunchError(f"data: cannot read these bytes: {error}") from None


def _from_python(data: Any, wanted: DType | None) -> Array:
    try:
        array = np.asarray(data)
    except (ValueError, OverflowError) as error:
        raise LaunchError(f"data: expected a regular nested list of numbers: {error}") from None
    if not array.size:
        return array.astype((wanted or DType.F32).numpy)
    if array.dtype.kind not in _WEAK:
        what = "integers that fit 64 bits" if array.dtype == object else "numbers"
        raise LaunchError(f"data: expected {what}, got {array.dtype} elements")
    if wanted is None:
        wanted = _WEAK[array.dtype.kind]
        if wanted is DType.S32 and not _fits(array, DType.S32):
            wanted = DType.S64
    return _converted(array, wanted)


def _fits(array: Array, dtype: DType) -> bool:
    """Whether an integer type holds all values."""
    low, high = dtype.limits
    return bool(array.min() >= low and array.max() <= high)


def _converted(array: Array, dtype: DType) -> Array:
    """Convert by value; refuse what would lose a fraction or does not fit."""
    if array.dtype == dtype.numpy:
        return array
    if array.dtype.kind == "V" and array.dtype.name == "bfloat16":
        array = widened(array, DType.BF16)
    if dtype is DType.C64 and array.dtype.kind in "fiubc":
        return array.astype(dtype.numpy)
    if not dtype.is_float and array.dtype.kind not in "iub":
        raise LaunchError(
            f"data: expected integers for dtype {dtype}, got {array.dtype}; round or cast first"
        )
    if dtype.is_integer and array.size and array.dtype.kind != "b" and not _fits(array, dtype):
        raise LaunchError(
            f"data: values from {array.min()} to {array.max()} do not fit dtype {dtype}"
        )
    if array.dtype.kind not in "fiub":
        raise LaunchError(f"data: cannot turn {array.dtype} into dtype {dtype}")
    with np.errstate(over="ignore"):
        result = convert(array, dtype) if dtype.is_float else array.astype(dtype.numpy)
        infinite = np.isinf(widened(result, dtype)).sum() if dtype.is_float else 0
    if dtype.is_float and infinite != (np.isinf(array).sum() if array.dtype.kind == "f" else 0):
        raise LaunchError(f"data: values up to {np.abs(array).max()} do not fit dtype {dtype}")
    return result


def _shaped(array: Array, shape: tuple[int, ...]) -> Array:
    count = 1
    for size in shape:
        count *= size
    if count != array.size:
        raise LaunchError(f"shape: {shape} holds {count} elements, but the data has {array.size}")
    return array.reshape(shape)
