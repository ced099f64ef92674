"""The dtype of an operator's result: as the array API standard says, and NumPy where it is silent.

In: dtypes and Python numbers. Out: the dtype that an operation on them computes in. A Python number
is weak: it takes the array's dtype where its kind allows. Kernels have a rule of their own, which
computes integers with floats in f32 (dtypes.promote); where the two differ operators convert first.
"""

from __future__ import annotations

from typing import Any

from treadle.dtypes import DType
from treadle.errors import LaunchError

__all__ = ["division_type", "is_number", "result_type", "with_number"]

_WIDTH = {DType.U8: 0, DType.S32: 1, DType.U32: 1, DType.S64: 2}


def is_number(value: object) -> bool:
    """Whether a value is a Python number, which is weak; NumPy's scalars are not."""
    return type(value) in (int, float, bool)


def result_type(a: DType, b: DType) -> DType:
    """Return the dtype of an operation on arrays of two dtypes."""
    if a is b:
        return a
    if a.is_float or b.is_float:
        if DType.F64 in (a, b):
            return DType.F64
        other = b if a.is_float else a
        return DType.F32 if other in (DType.U8, DType.F32) else DType.F64
    if {a, b} == {DType.S32, DType.U32}:
        return DType.S64
    return max(a, b, key=_WIDTH.__getitem__)


def with_number(dtype: DType, number: Any) -> DType:
    """Return the dtype of an operation on an array and a Python number.

    With integers a float is an f32, which is what Python's floats become in buffers."""
    if isinstance(number, float):
        return dtype if dtype.is_float else result_type(dtype, DType.F32)
    if not dtype.is_float and not -(2**63) <= number < 2**63:
        raise LaunchError(f"number: expected one that fits {dtype}, got {number:.3e}")
    return dtype


def division_type(dtype: DType) -> DType:
    """Return the dtype in which values of a dtype are divided: a float type."""
    return dtype if dtype.is_float else result_type(dtype, DType.F32)
