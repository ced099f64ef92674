"""Arrays of narrow types, for routines of NumPy that compute.

In: arrays as they lie in memory. Out: the same in the type that kernels read them as, and back. It
knows bf16, which NumPy does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.bfloat import bfloat_values
from treadle.dtypes import DType
from treadle.ir.casts import convert

__all__ = ["put", "wide"]

Array = np.ndarray[Any, Any]


def wide(x: Array) -> Array:
    """Return elements of a narrow type as what reads give, which NumPy is quick with."""
    if x.dtype.kind == "V":
        return bfloat_values(x)
    if x.dtype.itemsize < 4:
        return x.astype(np.float32 if x.dtype.kind == "f" else np.int32)
    return x


def put(target: Array, values: Array) -> None:
    """Store values, in bf16 too."""
    short = target.dtype.kind == "V" and values.dtype.kind != "V"
    target[...] = convert(values, DType.BF16) if short else values
