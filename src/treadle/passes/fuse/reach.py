"""Where a map reads an input, as a range around its own coordinates.

In: a map over plain sizes. Out: a Span for each dimension of the input: `Axis(k)` plus constants,
or constants alone; None for what is neither. Indices are read by ir.affine; what is here is how
spans are added, limited and joined.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from treadle.ir.affine import read
from treadle.ir.dims import as_size
from treadle.ir.names import ranges, set_once
from treadle.ir.nodes import (
    Block,
    Dim,
    Kernel,
    Load,
    Map,
    Reach,
    Span,
    expressions,
)

__all__ = ["reach"]


Rule = Callable[..., Span | None]


def reach(kernel: Kernel, tensor: str) -> Reach | None:
    """Return where a map reads an input; None for other forms and where it is not read at all."""
    if not isinstance(kernel.form, Map):
        return None
    block = kernel.form.block
    reader = _Reader(block, kernel.space)
    found: list[Span | None] | None = None
    for node in expressions(block):
        if isinstance(node, Load) and node.tensor == tensor:
            spans = [read(index, reader) for index in node.indices]
            if found is None:
                found = spans
            else:
                found = [_both(a, b) for a, b in zip(found, spans, strict=True)]
    if found is None:
        return None
    # Ends that are an extent away from something may be Sizes; what comes of it is plain.
    return tuple([s and Span(s.axis, int(s.low), int(s.high)) for s in found])


def _sum(a: Span | None, b: Span | None) -> Span | None:
    if a is None or b is None or (a.axis is not None and b.axis is not None):
        return None
    return Span(b.axis if a.axis is None else a.axis, a.low + b.low, a.high + b.high)


def _negative(a: Span | None) -> Span | None:
    return Span(None, -a.high, -a.low) if a is not None and a.axis is None else None


def _product(a: Span | None, b: Span | None) -> Span | None:
    if a is None or b is None or a.axis is not None or b.axis is not None:
        return None
    ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Span(None, min(ends), max(ends))


class _Reader:
    """Reads an index as a span, through locals that are set once."""

    def __init__(self, block: Block, space: tuple[Dim, ...]) -> None:
        self.space = space
        self.once, self.ranges = set_once(block), ranges(block)
        self.rules: Mapping[str, Rule] = {
            "add": _sum,
            "sub": lambda a, b: _sum(a, _negative(b)),
            "neg": _negative,
            "mul": _product,
            "maximum": partial(self._limited, max),
            "minimum": partial(self._limited, min),
        }

    def constant(self, value: int) -> Span:
        return Span(None, value, value)

    def axis(self, index: int) -> Span:
        return Span(index, 0, 0)

    def extent(self, dim: Dim) -> Span | None:
        return Span(None, dim, dim) if isinstance(dim, int) else None

    def local(self, name: str) -> Span | None:
        value, ends = self.once.get(name), self.ranges.get(name)
        if ends is not None:
            return Span(None, *ends)
        return None if value is None else read(value, self)

    def _limited(
        self, pick: Callable[[int, int], int], a: Span | None, b: Span | None
    ) -> Span | None:
        """An index held inside its dimension: clamping along an axis only brings it nearer to
        it."""
        for one, other in ((a, b), (b, a)):
            if one is not None and one.axis is not None and other and other.axis is None:
                # Held at 0 or at the last element: still between the element itself, whose
                # coordinate lies inside, and where it would have been.
                last = as_size(self.space[one.axis]) - 1
                inside = other.high <= 0 if pick is max else other.low >= last
                return Span(one.axis, min(one.low, 0), max(one.high, 0)) if inside else None
        if a is None or b is None or a.axis != b.axis:
            return None
        return Span(a.axis, pick(a.low, b.low), pick(a.high, b.high))


def _both(a: Span | None, b: Span | None) -> Span | None:
    if a is None or b is None or a.axis != b.axis:
        return None
    return Span(a.axis, min(a.low, b.low), max(a.high, b.high))
