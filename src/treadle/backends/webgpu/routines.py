"""What is written by hand for WebGPU, by the routine that a kernel names.

In: a kernel. Out: what replaces its form, or None. Knows no driver.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.backends.webgpu import digits, histogram, matmul
from treadle.codegen.wgsl.grid import FormText
from treadle.codegen.wgsl.language import Wgsl
from treadle.ir.nodes import Kernel

__all__ = ["routine_for"]


def routine_for(kernel: Kernel) -> Callable[[Wgsl], FormText] | None:
    """What replaces the form of a kernel; None where it is spelt as it is."""
    return matmul.routine_for(kernel) or histogram.routine_for(kernel) or digits.routine_for(kernel)
