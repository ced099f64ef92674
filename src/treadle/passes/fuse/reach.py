"""Where a map reads an input, as a range around its own coordinates.

In: a map over plain sizes. Out: a Span for each dimension of the input: `Axis(k)` plus constants,
or constants alone; None for what is neither.
"""

from __future__ import annotations

from treadle.dtypes import DType
from treadle.ir.dims import as_size
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Const,
    Dim,
    Expr,
    Extent,
    For,
    Kernel,
    Load,
    Local,
    Map,
    Op,
    Reach,
    Span,
    expressions,
    statements,
)

__all__ = ["reach"]


def reach(kernel: Kernel, tensor: str) -> Reach | None:
    """Return where a map reads an input; None for other forms and where it is not read at all."""
    if not isinstance(kernel.form, Map):
        return None
    block = kernel.form.block
    known = _indices(block)
    found: list[Span | None] | None = None
    for node in expressions(block):
        if isinstance(node, Load) and node.tensor == tensor:
            spans = [_span(index, known, kernel.space) for index in node.indices]
            if found is None:
                found = spans
            else:
                found = [_both(a, b) for a, b in zip(found, spans, strict=True)]
    if found is None:
        return None
    # Ends that are an extent away from something may be Sizes; what comes of it is plain.
    return tuple([s and Span(s.axis, int(s.low), int(s.high)) for s in found])


def _indices(block: Block) -> dict[str, Expr | Span]:
    """Locals that name an index: loop variables with constant bounds, and what is assigned once."""
    assigned: dict[str, int] = {}
    for stmt in statements(block.body):
        if isinstance(stmt, Assign | For):
            assigned[stmt.name] = assigned.get(stmt.name, 0) + 1
    known: dict[str, Expr | Span] = {}
    for stmt in statements(block.body):
        match stmt:
            case Assign(name, value) if assigned[name] == 1 and value.dtype is DType.S32:
                known[name] = value
            case For(name, Const() as start, Const() as stop) if assigned[name] == 1:
                values = range(int(start.value), int(stop.value), stmt.step)
                known[name] = Span(None, min(values, default=0), max(values, default=0))
            case _:
                pass
    return known


def _span(index: Expr, known: dict[str, Expr | Span], space: tuple[Dim, ...]) -> Span | None:
    match index:
        case Axis():
            return Span(index.index, 0, 0)
        case Const(dtype=DType.S32):
            return Span(None, int(index.value), int(index.value))
        case Extent(dim=int() as size):
            return Span(None, size, size)
        case Local():
            named = known.get(index.name)
            return named if named is None or isinstance(named, Span) else _span(named, known, space)
        case Op(name="add" | "sub", args=(left, right)):
            a, b = _span(left, known, space), _span(right, known, space)
            if a is None or b is None:
                return None
            if index.name == "add" and (a.axis is None or b.axis is None):
                return Span(b.axis if a.axis is None else a.axis, a.low + b.low, a.high + b.high)
            if index.name == "sub" and b.axis is None:
                return Span(a.axis, a.low - b.high, a.high - b.low)
            return None
        case Op(name="neg", args=(only,)):
            a = _span(only, known, space)
            return Span(None, -a.high, -a.low) if a is not None and a.axis is None else None
        case Op(name="mul", args=(left, right)):
            a, b = _span(left, known, space), _span(right, known, space)
            if a is None or b is None or a.axis is not None or b.axis is not None:
                return None
            ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            return Span(None, min(ends), max(ends))
        case Op(name="maximum" | "minimum", args=(left, right)):
            parts = _span(left, known, space), _span(right, known, space)
            return _limited(index.name, *parts, space)
        case _:
            return None


def _limited(name: str, a: Span | None, b: Span | None, space: tuple[Dim, ...]) -> Span | None:
    """An index held inside its dimension: clamping along an axis only brings it nearer to it."""
    for one, other in ((a, b), (b, a)):
        if one is not None and one.axis is not None and other is not None and other.axis is None:
            # Held at 0 or at the last element: still between the element itself, whose coordinate
            # lies inside, and where it would have been.
            last = as_size(space[one.axis]) - 1
            inside = other.high <= 0 if name == "maximum" else other.low >= last
            return Span(one.axis, min(one.low, 0), max(one.high, 0)) if inside else None
    if a is None or b is None or a.axis != b.axis:
        return None
    pick = max if name == "maximum" else min
    return Span(a.axis, pick(a.low, b.low), pick(a.high, b.high))


def _both(a: Span | None, b: Span | None) -> Span | None:
    if a is None or b is None or a.axis != b.axis:
        return None
    return Span(a.axis, min(a.low, b.low), max(a.high, b.high))
