"""The six storage types, two types inside kernels, and how types combine.

In: names and NumPy dtypes. Out: DType members and promotion. Knows nothing about devices; which
of these a device has is its Limits' business.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np

from treadle.errors import LaunchError, suggest

__all__ = ["DType", "as_dtype", "promote", "read_as"]


class DType(StrEnum):
    """An element type; compares and prints as its short name."""

    F32 = "f32"
    F64 = "f64"
    S32 = "s32"
    S64 = "s64"
    U32 = "u32"
    U8 = "u8"
    S16 = "s16"  # fixed point, between the stages of a kernel; no buffer has it
    BOOL = "bool"  # conditions inside kernels; never stored

    @property
    def numpy(self) -> np.dtype[np.generic]:
        """The NumPy dtype of the same layout."""
        return _NUMPY[self]

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return _SIZE[self]

    @property
    def is_float(self) -> bool:
        """Whether values are floating point."""
        return self in (DType.F32, DType.F64)

    @property
    def is_integer(self) -> bool:
        """Whether values are integers (a condition is not)."""
        return self in (DType.S32, DType.S64, DType.U32, DType.U8, DType.S16)

    def __repr__(self) -> str:
        return str(self)


_NUMPY: dict[DType, np.dtype[np.generic]] = {
    DType.F32: np.dtype(np.float32),
    DType.F64: np.dtype(np.float64),
    DType.S32: np.dtype(np.int32),
    DType.S64: np.dtype(np.int64),
    DType.U32: np.dtype(np.uint32),
    DType.U8: np.dtype(np.uint8),
    DType.S16: np.dtype(np.int16),
    DType.BOOL: np.dtype(np.bool_),
}
_SIZE = {dtype: _NUMPY[dtype].itemsize for dtype in DType}
STORED = tuple(dtype for dtype in DType if dtype not in (DType.S16, DType.BOOL))
_BY_NUMPY = {_NUMPY[dtype]: dtype for dtype in STORED}

# What a read gives: u8 is storage only and computes as s32.
_READ_AS = {dtype: dtype for dtype in DType} | {DType.U8: DType.S32, DType.BOOL: DType.S32}

_INTEGER_PAIRS = {
    frozenset({DType.S32, DType.S64}): DType.S64,
    frozenset({DType.U32, DType.S64}): DType.S64,
    frozenset({DType.S32, DType.U32}): DType.S64,
}


def as_dtype(value: object) -> DType:
    """Return the DType that a name, a DType or a NumPy dtype stands for."""
    if isinstance(value, DType):
        return value
    if isinstance(value, np.dtype) and value in _BY_NUMPY:  # most often, and quicker than below
        return _BY_NUMPY[value]
    if isinstance(value, str):
        try:
            found = DType(value)
        except ValueError:
            pass
        else:
            if found in STORED:
                return found
    try:
        native = np.dtype(value).newbyteorder("=")  # type: ignore[call-overload]
        return _BY_NUMPY[native]
    except (TypeError, KeyError):
        names = ", ".join(STORED)
        hint = _instead(value) or (suggest(value, STORED) if isinstance(value, str) else "")
        raise LaunchError(f"dtype: expected one of {names}, got {value!r}{hint}") from None


# What values of NumPy's other kinds fit in, by kind and size in bytes.
_INSTEAD = {
    "f2": "f32", "b1": "u8", "i1": "s32", "i2": "s32", "u2": "s32", "u8": "s64", "f16": "f64",
}  # fmt: skip
_NUMPY_NAMES = {
    "f16": "f2", "bf16": "f2", "s8": "i1", "s16": "i2", "u16": "u2", "u64": "u8", "bool": "b1",
}  # fmt: skip


def _instead(value: object) -> str:
    """What to write in place of a type that is not stored, or an empty string."""
    named: Any = _NUMPY_NAMES.get(value, value) if isinstance(value, str) else value
    try:
        known: np.dtype[Any] = np.dtype(named)
    except TypeError:
        return ""
    if known.kind == "c":
        return "; complex numbers are two arrays: x.real and x.imag"
    found = _INSTEAD.get(f"{known.kind}{known.itemsize}")
    if found is None:
        return ""
    return f"; convert it first: x.astype(np.{DType(found).numpy}), which is {found}"


def read_as(dtype: DType) -> DType:
    """Return the type that a value of storage type `dtype` computes in."""
    return _READ_AS[dtype]


def promote(a: DType, b: DType) -> DType:
    """Return the type that an operation on values of types `a` and `b` computes in.

    A float type wins over an integer type, the wider over the narrower; s32 with u32 gives s64.
    """
    a, b = _READ_AS[a], _READ_AS[b]
    if a is b:
        return a
    if a.is_float or b.is_float:
        return DType.F64 if DType.F64 in (a, b) else DType.F32
    return _INTEGER_PAIRS[frozenset({a, b})]
