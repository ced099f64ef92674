"""Rewrites of kernel IR that keep its meaning.

In: a verified kernel. Out: a kernel that computes the same with less. Every pass is a function of a
kernel; `optimise` runs those that help every backend.
"""

from __future__ import annotations

from weft.ir.nodes import Kernel
from weft.passes.bounds import prove
from weft.passes.simplify import simplify

__all__ = ["optimise"]


def optimise(kernel: Kernel) -> Kernel:
    """Fold constants, then prove indices in range."""
    return prove(simplify(kernel))
