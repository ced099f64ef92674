"""Kernels as functions of arrays: submit, and give the buffers that will hold the results.

In: buffers, arrays, lists and numbers, as users write them. Out: buffers at once; or, in a function
that is being traced, what it records. Uses only what a device offers to everyone.
"""

from __future__ import annotations

from treadle.arrays.apply import apply
from treadle.arrays.functions import SEVERAL, function_of
from treadle.arrays.operands import ArrayLike, common_device, operands

__all__ = ["SEVERAL", "ArrayLike", "apply", "common_device", "function_of", "operands"]
