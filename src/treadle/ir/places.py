"""Where a block reads, as passes and code generators both need to know.

In: index expressions and tensors. Out: an index in its parts, where merged axes stand in indices,
and how far apart neighbours are.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from treadle.ir.affine import Affine, Indexer, summands, summed
from treadle.ir.nodes import Dim, Expr, Tensor

__all__ = ["flat_position", "parted", "stride_of"]


def parted(index: Expr, indexer: Indexer) -> tuple[Expr, Affine]:
    """Take an index apart: what is not linear, and what is added to it."""
    rest: list[tuple[int, Expr]] = []
    shift = Affine((), 0)
    for sign, part in summands(index):
        form = indexer.affine(part)
        if form is None or form.axes:
            rest.append((sign, part))
        else:
            shift = shift.plus(form, sign)
    found = summed(rest)
    return (index, Affine((), 0)) if found is None or shift == Affine((), 0) else (found, shift)


def flat_position(
    first: int,
    rank: int,
    merged: tuple[Dim, ...],
    forms: Sequence[Affine | None],
    dims: Sequence[Dim],
) -> int | None:
    """Return where indices hold axes first..rank-1 in order, None if they use none of them.

    Raise ValueError where they use them in any other way: then the axes are not walked as one."""
    group = range(first, rank)
    used = [k for k, f in enumerate(forms) if f is not None and any(a in group for a in f.axes)]
    if not used:
        return None
    start = used[0]
    if used != list(range(start, start + len(group))):
        raise ValueError("the axes are not next to each other")
    for j, axis in enumerate(group):
        form = forms[start + j]
        assert form is not None
        inside = [a for a in form.axes if a in group]
        if inside != [axis] or form.scale(("axis", axis)) != 1:
            raise ValueError("an axis is not read in its place")
        if j and (form != Affine(((("axis", axis), 1),), 0) or dims[start + j] != merged[j]):
            raise ValueError("an inner axis is shifted, or has another size")
    return start


def stride_of(tensor: Tensor, k: int) -> int | None:
    """Elements between neighbours along a dimension of a dense tensor; None where sizes say."""
    tail = [dim for dim in tensor.dims[k + 1 :] if isinstance(dim, int)]
    return prod(tail) if len(tail) == len(tensor.dims[k + 1 :]) else None
