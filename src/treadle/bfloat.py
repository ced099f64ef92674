"""bf16 for NumPy, which has no such type: the upper half of an f32.

In: arrays of floats, or of bits. Out: arrays of bits, rounded to nearest with ties to even, or of
floats. With the package ml_dtypes arrays of bf16 have its type; without it they are two bytes that
nothing can be computed with by mistake.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

__all__ = ["bfloat_bits", "bfloat_dtype", "bfloat_values", "countable"]

Array = np.ndarray[Any, Any]


@cache
def bfloat_dtype() -> np.dtype[Any]:
    """Return NumPy's dtype of bf16."""
    try:
        import ml_dtypes
    except ImportError:
        return np.dtype("V2")
    found: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return found


def bfloat_bits(value: Array) -> Array:
    """Return the bits of the nearest bf16, as u16; NaN stays NaN."""
    with np.errstate(all="ignore"):
        narrow = np.asarray(value, np.float32)
        bits = narrow.view(np.uint32).astype(np.int64)
        if value.dtype == np.float64:
            # Rounded twice, what is close to a tie could become one: the first time, to odd.
            wide = narrow.astype(np.float64)
            inexact = (wide != value) & ~np.isnan(value) & (bits & 1 == 0)
            bits = bits + np.where(inexact, np.where(np.abs(wide) > np.abs(value), -1, 1), 0)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    quiet = bits >> 16 | 0x40
    return np.asarray(np.where(np.isnan(narrow), quiet, rounded).astype(np.uint16))


def bfloat_values(array: Array) -> Array:
    """Return an array of bf16, or of its bits, as f32."""
    bits = np.ascontiguousarray(array).reshape(array.shape).view(np.uint16)
    return np.asarray((bits.astype(np.uint32) << np.uint32(16)).view(np.float32))


def countable(array: Array) -> Array:
    """Return an array whose elements Python knows as numbers: one of bf16 as f32, others as is."""
    return bfloat_values(array) if array.dtype == bfloat_dtype() else array
