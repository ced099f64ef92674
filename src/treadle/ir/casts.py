"""Values in another type: what `Cast` and reading a stored type mean, for arrays and numbers.

In: arrays, and a type. Out: arrays. A part of the language's definition (ir.interpret) that those
need who hold arrays and no kernels: data on its way in, and tables.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.bfloat import bfloat_bits, bfloat_values
from treadle.dtypes import DType, read_as

__all__ = ["convert", "readable", "widened"]

Array = np.ndarray[Any, Any]


def convert(value: Array, dtype: DType) -> Array:
    """Convert values as `Cast` does."""
    value = np.asarray(value)
    if dtype is DType.BOOL:
        return np.asarray(value != 0)
    if value.dtype.kind == "f" and dtype.is_integer:
        low, high = dtype.limits
        whole = np.rint(value) if dtype.is_narrow else np.trunc(value)
        # Compare in the float's own type: `high + 1` is a power of two, so exact in f32 and f64.
        safe = np.where((whole >= low) & (whole < float(high + 1)), whole, np.zeros_like(whole))
        out = safe.astype(dtype.numpy)
        out = np.where(whole >= float(high + 1), np.asarray(high, dtype.numpy), out)
        out = np.where(whole < low, np.asarray(low, dtype.numpy), out)
        return np.asarray(np.where(np.isnan(value), np.zeros_like(out), out))
    if dtype.is_narrow and dtype.is_float:
        # Integers by way of f32, which holds all that is no infinity.
        value = value if value.dtype.kind == "f" else value.astype(np.float32)
        with np.errstate(all="ignore"):
            bits = bfloat_bits(value) if dtype is DType.BF16 else value.astype(np.float16)
        return np.asarray(bits.view(dtype.numpy))
    if dtype.is_narrow and value.dtype.kind in "iu":
        return np.asarray(np.clip(value, *dtype.limits).astype(dtype.numpy))
    return np.asarray(value.astype(dtype.numpy))


def widened(array: Array, dtype: DType) -> Array:
    """Return elements of a storage type as what reads give."""
    return readable(array, dtype).astype(read_as(dtype).numpy, copy=False)


def readable(array: Array, dtype: DType) -> Array:
    """An array in a type that NumPy knows."""
    return bfloat_values(array) if dtype is DType.BF16 else array
