"""Reads that neighbours share: runs of pixels which a thread can take at once.

In: a Map block whose elements are laid out as pixels. Out: for each read that moves with the
pixel, the run it belongs to and its place in it: reads of one row of a tensor whose columns differ
by constants become one run, so that a thread loads it in whole words and finds its neighbours'
values there. What is read anywhere else is left alone. It makes no text but of indices.
"""

from __future__ import annotations

from collections.abc import Iterable

from treadle.dtypes import DType
from treadle.ir.affine import summands, summed
from treadle.ir.names import lets_of
from treadle.ir.nodes import (
    Axis,
    Block,
    Cast,
    Const,
    Expr,
    Extent,
    Kernel,
    Load,
    Local,
    Op,
    Param,
    Tensor,
    expressions,
    walk,
)
from treadle.ir.rewrite import rewrite
from treadle.ir.threads import Pixels, Run, has_channels

__all__ = ["expanded", "runs_of"]

_FAR = 8  # columns between the first and the last read of a run
_WORDS = 48  # of all runs together: they are in registers


# What the reads of a run have in common, and each read's column, channel and whether it is inside.
_Key = tuple[Tensor, tuple[tuple[Expr, bool], ...], Expr | None, bool, int]
_Places = dict[Load, tuple[int, int | None, bool]]


def runs_of(kernel: Kernel, block: Block, pixels: Pixels, count: int) -> list[Run]:
    """The runs of a block of which a thread computes `count` pixels."""
    lets = lets_of(block)
    tensors = {t.name: t for t in kernel.inputs}
    found: dict[_Key, _Places] = {}
    for node in expressions(block):
        if isinstance(node, Load):
            _file(node, tensors[node.tensor], pixels, lets, found)
    runs: list[Run] = []
    words = 0
    for run in (_run(key, places) for key, places in found.items()):
        if run.high - run.low > _FAR or words + run.words(count) > _WORDS:
            continue
        whole = run.tensor.dtype.size == 4 and run.channels in (2, 4)  # a pixel is a vector
        if run.tensor.dtype is not DType.U8 and not whole:
            continue
        words += run.words(count)
        runs.append(run)
    return runs


def _file(
    node: Load, tensor: Tensor, pixels: Pixels, lets: dict[str, Expr], found: dict[_Key, _Places]
) -> None:
    """Put a read into its run, if it moves with the pixel."""
    indices = node.indices
    proved = node.inside or (False,) * len(indices)
    channels = has_channels(tensor.dims)
    channel: int | None = None if channels else 0
    last = len(indices) - 1
    if channels:
        at = expanded(indices[last], lets)
        if isinstance(at, Const) and 0 <= at.value < channels:
            channel = int(at.value)
        elif not (isinstance(at, Axis) and at.index == pixels.channel):
            return
        last -= 1
    column = expanded(indices[last], lets) if last >= 0 else None
    outer = [expanded(index, lets) for index in indices[: max(last, 0)]]
    if column is None or any(each is None or not _fixed(each, pixels) for each in outer):
        return
    split = _column(column, pixels)
    if split is None:
        return
    back, constant, rest = split
    rows = tuple((each, ok) for each, ok in zip(outer, proved, strict=False) if each is not None)
    key = (tensor, rows, rest, back, channels or 1)
    found.setdefault(key, {})[node] = (constant, channel, proved[last])


def _run(key: _Key, places: _Places) -> Run:
    columns = [column for column, _, _ in places.values()]
    inside = all(proved for _, _, proved in places.values())
    where = {load: (column, channel) for load, (column, channel, _) in places.items()}
    return Run(*key, min(columns), max(columns), inside, where)


def _column(node: Expr, pixels: Pixels) -> tuple[bool, int, Expr | None] | None:
    """Split a column into the pixel's own, a constant, and what does not move."""
    times = constant = 0
    terms: list[tuple[int, Expr]] = []
    for sign, part in summands(node):
        match part:
            case Const(value, DType.S32):
                constant += sign * int(value)
            case Axis(index) if index == pixels.x:
                times += sign
            case _:
                terms.append((sign, part))
    if times not in (1, -1) or not all(_fixed(term, pixels) for _, term in terms):
        return None
    return times < 0, constant, summed(terms)


def _fixed(node: Expr, pixels: Pixels) -> bool:
    """Whether a value is the same for all pixels of a row and all their channels."""
    return not any(
        isinstance(each, Load | Local)
        or (isinstance(each, Axis) and each.index in (pixels.x, pixels.channel))
        for each in walk(node)
    )


def expanded(node: Expr, lets: dict[str, Expr]) -> Expr | None:
    """An index without local variables; None where one is not a plain name for something."""

    def change(each: Expr) -> Expr:
        if isinstance(each, Local) and each.name in lets:
            inner = expanded(lets[each.name], lets)
            return each if inner is None else inner
        return each

    made = rewrite(node, change)
    plain = Const | Axis | Extent | Param | Op | Cast
    return made if _all(walk(made), plain) else None


def _all(nodes: Iterable[Expr], kinds: object) -> bool:
    return all(isinstance(each, kinds) for each in nodes)  # type: ignore[arg-type]
