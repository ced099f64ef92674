"""Numbers of elements and groups, for given sizes.

In: dimensions and what symbols stand for. Out: whole numbers. Knows no language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.ir.nodes import Dim

__all__ = ["ceil_div", "elements"]


def elements(dims: Sequence[Dim], sizes: Mapping[str, int]) -> int:
    """The product of dimensions."""
    count = 1
    for dim in dims:
        count *= dim if isinstance(dim, int) else sizes[dim]
    return count


def ceil_div(a: int, b: int) -> int:
    """Divide, rounding up."""
    return -(-a // b)
