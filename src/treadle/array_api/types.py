"""Data types of the standard: their names, what they hold, how they combine.

In: dtypes, arrays and Python numbers. Out: dtypes, limits and conversions. A type of the standard
that Treadle does not store (uint64, complex128) has no name here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.array_api.given import Array, array, call, cast
from treadle.data import dataclass
from treadle.dtypes import STORED, DType, as_dtype
from treadle.errors import LaunchError
from treadle.lang.composite import Constant, Handle
from treadle.lang.promotion import is_number, with_number
from treadle.lang.promotion import result_type as promoted
from treadle.runtime.buffer import Buffer
from treadle.runtime.device import Device

__all__ = [
    "NAMES", "astype", "can_cast", "default_float", "default_integer", "dtype_of", "finfo",
    "iinfo", "isdtype", "result_type",
]  # fmt: skip

_STANDARD = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
    "float64", "complex64", "complex128",
)  # fmt: skip
_BY_NUMPY = {dtype.numpy: dtype for dtype in STORED}
# The standard's names of the types that are stored.
NAMES: dict[str, DType] = {
    name: _BY_NUMPY[np.dtype(name)] for name in _STANDARD if np.dtype(name) in _BY_NUMPY
}


def default_float(device: Device) -> DType:
    """What Python's floats become: f32 on every device."""
    return DType.F32


def default_integer(device: Device) -> DType:
    """What Python's ints become: s64, or s32 on a device that has no wider one."""
    return DType.S64 if DType.S64 in device.limits.dtypes else DType.S32


def dtype_of(value: Any, device: Device) -> DType:
    """The dtype that a Python number becomes on a device."""
    if isinstance(value, bool):
        return DType.BOOL
    return default_float(device) if isinstance(value, float) else default_integer(device)


def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Array:
    """Convert an array to another dtype, and to another device if one is named.

    Floats become integers by truncating, and saturate; NaN becomes 0. Other numbers than 0 become
    true. With copy=False an array that has the dtype is returned itself."""
    wanted = as_dtype(dtype)
    found: Any = array(x)
    if device is not None:
        found = found.to(device)
    if as_dtype(found.dtype) is wanted:
        return found.copy() if copy and found is x and isinstance(x, Buffer) else found
    if wanted is DType.BOOL:
        made: Array = found != 0
        return made
    if as_dtype(found.dtype).is_float and not wanted.is_float:
        found = _truncated(found)
    return cast(found, wanted)  # type: ignore[no-any-return]


def _truncated(x: Any) -> Any:
    """Floats without a fraction: bytes are stored rounded, which conversions are not."""
    return call("trunc", x)


def can_cast(from_: Any, to: Any, /) -> bool:
    """Say whether the standard's promotion leads from a dtype, or an array's, to another."""
    source = as_dtype(from_.dtype if isinstance(from_, Buffer | Handle | Constant) else from_)
    target = as_dtype(to)
    return promoted(source, target) is target


def result_type(*arrays_and_dtypes: Any) -> DType:
    """Return the dtype that arrays, dtypes and Python numbers combine to."""
    numbers = [item for item in arrays_and_dtypes if is_number(item)]
    others = [item for item in arrays_and_dtypes if not is_number(item)]
    if not others:
        raise LaunchError("result_type: expected at least one array or dtype")
    kinds = [as_dtype(x.dtype if isinstance(x, Buffer | Handle | Constant) else x) for x in others]
    found = kinds[0]
    for each in kinds[1:]:
        found = promoted(found, each)
    for number in numbers:
        found = with_number(found, number)
    return found


@dataclass(frozen=True, slots=True)
class finfo_object:  # as the standard calls it
    """Limits of a float type."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True, slots=True)
class iinfo_object:
    """Limits of an integer type."""

    bits: int
    max: int
    min: int
    dtype: DType


def _kind(type_: Any) -> DType:
    return as_dtype(type_.dtype if isinstance(type_, Buffer | Handle | Constant) else type_)


def finfo(type: Any, /) -> finfo_object:  # as the standard calls it
    """Return the limits of a float dtype, or of an array's."""
    dtype = _kind(type)
    if dtype.is_float and dtype.numpy.kind != "f":  # bf16, of which NumPy knows nothing
        eps, highest, least = 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126
        return finfo_object(16, eps, highest, -highest, least, dtype)
    if dtype.numpy.kind not in "fc":
        raise TypeError(f"finfo: expected a float dtype, got {dtype}")
    found: Any = np.finfo(str(dtype.numpy))
    real = DType.F32 if found.dtype == np.float32 else dtype
    eps, highest, least, normal = map(
        float, (found.eps, found.max, found.min, found.smallest_normal)
    )
    return finfo_object(int(found.bits), eps, highest, least, normal, real)


def iinfo(type: Any, /) -> iinfo_object:
    """Return the limits of an integer dtype, or of an array's."""
    dtype = _kind(type)
    if not dtype.is_integer:
        raise TypeError(f"iinfo: expected an integer dtype, got {dtype}")
    found: Any = np.iinfo(str(dtype.numpy))
    return iinfo_object(int(found.bits), int(found.max), int(found.min), dtype)


_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


def isdtype(dtype: Any, kind: Any) -> bool:
    """Say whether a dtype is another one, or of a kind that the standard names, or of several."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    found = as_dtype(dtype)
    if isinstance(kind, str) and not isinstance(kind, DType) and kind in _KINDS and kind != "bool":
        letter = "f" if found.is_float else found.numpy.kind
        return letter in _KINDS[kind]
    if not isinstance(kind, DType) and isinstance(kind, str) and kind not in ("bool", *NAMES):
        raise ValueError(f"kind: expected one of {', '.join(_KINDS)}, got {kind!r}")
    return found is as_dtype(kind)
