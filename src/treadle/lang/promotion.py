"""The dtype of an operator's result: as the array API standard says, and NumPy where it is silent.

In: dtypes and Python numbers. Out: the dtype that an operation on them computes in. A Python number
is weak: it takes the array's dtype where its kind allows. Kernels have a rule of their own, which
computes integers with floats in f32 (dtypes.promote); where the two differ operators convert first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.dtypes import DType, read_as
from treadle.errors import LaunchError

__all__ = ["division_type", "is_number", "result_type", "storage_type", "with_number"]


# The float type of so many bytes that integers of half the size fit in.
_FLOATS = {2: DType.F16, 4: DType.F32, 8: DType.F64}
_SIGNED = {2: DType.S16, 4: DType.S32, 8: DType.S64}


def is_number(value: object) -> bool:
    """Whether a value is a Python number, which is weak; NumPy's scalars are not."""
    return type(value) in (int, float, bool)


def result_type(a: DType, b: DType) -> DType:
    """Return the dtype of an operation on arrays of two dtypes."""
    if a is b or b is DType.BOOL:
        return a
    if DType.C64 in (a, b):
        return DType.C64  # what it cannot hold is refused where it is computed
    if a is DType.BOOL:
        return b
    if a.is_float and b.is_float:
        return DType.F64 if DType.F64 in (a, b) else DType.F32
    if a.is_float or b.is_float:
        floating, whole = (a, b) if a.is_float else (b, a)
        room = next(size for size in (2, 4, 8) if size >= min(2 * whole.size, 8))
        return max(floating, _FLOATS[room], key=lambda dtype: dtype.size)
    if a.is_signed is b.is_signed:
        return max(a, b, key=lambda dtype: dtype.size)
    signed, unsigned = (a, b) if a.is_signed else (b, a)
    return signed if signed.size > unsigned.size else _SIGNED[min(2 * unsigned.size, 8)]


def with_number(dtype: DType, number: Any) -> DType:
    """Return the dtype of an operation on an array and a Python number.

    With integers a float is an f32, which is what Python's floats become in buffers; with
    conditions numbers are what they become there."""
    if dtype is DType.C64:
        return dtype
    if isinstance(number, float):
        return dtype if dtype.is_float else result_type(dtype, DType.F32)
    if dtype is DType.BOOL and not isinstance(number, bool):
        return DType.S32 if -(2**31) <= number < 2**31 else DType.S64
    if not dtype.is_float and not -(2**63) <= number < 2**63:
        raise LaunchError(f"number: expected one that fits {dtype}, got {number:.3e}")
    return dtype


def division_type(dtype: DType) -> DType:
    """Return the dtype in which values of a dtype are divided: a float type."""
    return dtype if dtype.is_float or dtype is DType.C64 else result_type(dtype, DType.F32)


def storage_type(result: DType, inputs: Sequence[DType], *, elementwise: bool) -> DType:
    """Return the dtype that a kernel's result is stored as where nothing else says so.

    What is made of inputs of one narrow type, conditions aside, and computed in the type that it is
    read as, is stored as that type again; sums and the like of integers are not."""
    given = {dtype for dtype in inputs if dtype is not DType.BOOL}
    if len(given) == 1:
        (stored,) = given
        again = stored.is_narrow and read_as(stored) is result
        if again and (elementwise or stored.is_float):
            return stored
    return result
