"""Texts that are written by hand for kernels that name a routine.

In: a kernel and what the GPU can do. Out: what spells it in place of its form, or nothing. cuBLAS,
which has no text, is blas'.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.backends.cuda import bytes as codes
from treadle.backends.cuda import convolving, first, histogram, running, scattering, search, sorting
from treadle.codegen.cuda.abi import FormText
from treadle.codegen.cuda.words import CudaC
from treadle.ir.nodes import Kernel

__all__ = ["routine_for"]


def routine_for(kernel: Kernel, capability: int) -> Callable[[CudaC], FormText] | None:
    """What replaces a kernel's form on a GPU of this compute capability (90 for 9.0)."""
    found = histogram.routine_for(kernel) or search.routine_for(kernel)
    found = found or running.routine_for(kernel) or sorting.routine_for(kernel)
    found = found or first.routine_for(kernel) or scattering.routine_for(kernel)
    found = found or convolving.routine_for(kernel)
    return found or codes.routine_for(kernel, capability)
