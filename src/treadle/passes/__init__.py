"""Rewrites of kernel IR that keep its meaning.

In: a verified kernel. Out: a kernel that computes the same with less. Every pass is a function of a
kernel; `optimise` runs those that help every backend.
"""

from __future__ import annotations

from treadle.ir.nodes import Kernel
from treadle.passes.bounds import prove
from treadle.passes.simplify import simplify

__all__ = ["optimise"]


def optimise(kernel: Kernel) -> Kernel:
    """Fold constants, then prove indices in range."""
    return prove(simplify(kernel))
