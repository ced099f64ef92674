"""Whether all, or any, of the elements along axes are other than 0."""

from __future__ import annotations

from treadle.lang.decorators import function, reduction

__all__: list[str] = []


@function
def holds(at, x):
    """1 for what is other than 0."""
    return 1 if x != 0 else 0


@reduction(init=1, lift=holds, name="_all", results="s32")
def every_one(a, b):
    """1 where all are other than 0."""
    return minimum(a, b)


@reduction(init=0, lift=holds, name="_any", results="s32")
def any_one(a, b):
    """1 where one is other than 0."""
    return maximum(a, b)
