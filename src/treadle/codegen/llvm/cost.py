"""How long a launch will take, roughly.

In: a kernel and the sizes of its symbols. Out: nanoseconds on one core, from counts of operations
and of bytes. It only decides whether work runs inline and how it is cut into chunks, so a factor of
two does no harm.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from treadle.dtypes import DType
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Chain,
    Const,
    Dim,
    Expr,
    Extent,
    For,
    If,
    Kernel,
    Load,
    Local,
    Op,
    Reduce,
    Stmt,
    While,
    children,
)

__all__ = ["estimate"]

_NS_OVERHEAD = 150.0
_NS_BYTE = 0.06
_NS_OP = 0.02
_NS_SHORT = 0.005  # on 16 bits: twice the lanes, and each is one instruction
_NS_WIDE = 1.2  # f64 functions of the C library, scattered loads, divisions of integers
_HEAVY = dict.fromkeys(
    (
        "pow exp exp2 expm1 log log2 log10 log1p sinh cosh tanh erf "
        "sin cos tan asin acos atan atan2"
    ).split(),
    0.25,
) | {"div": 0.15, "sqrt": 0.2, "rsqrt": 0.3, "floordiv": 0.8, "mod": 0.8}
_GUESSED_TRIPS = 16


def estimate(kernel: Kernel, sizes: Mapping[str, int]) -> float:
    """Return the estimated time of a launch in nanoseconds on one core."""
    points = prod(_size(dim, sizes) for dim in kernel.space)
    if isinstance(kernel.form, Chain):
        work = sum(_work(stage, sizes) for stage in kernel.form.stages)
        points = max(prod(_size(d, sizes) for d in stage.space) for stage in kernel.form.stages)
    else:
        work = _work(kernel, sizes)
    moved = sum(prod(_size(d, sizes) for d in t.dims) * t.dtype.size for t in kernel.outputs)
    moved += sum(
        min(prod(_size(d, sizes) for d in t.dims), points) * t.dtype.size for t in kernel.inputs
    )
    return _NS_OVERHEAD + work + moved * _NS_BYTE


def _work(kernel: Kernel, sizes: Mapping[str, int]) -> float:
    points = prod(_size(dim, sizes) for dim in kernel.space)
    blocks = kernel.blocks if not isinstance(kernel.form, Reduce) else kernel.blocks[:2]
    return points * sum(_block(block, sizes) for block in blocks)


def _size(dim: Dim, sizes: Mapping[str, int]) -> int:
    return dim if isinstance(dim, int) else sizes[dim]


def _block(block: Block, sizes: Mapping[str, int]) -> float:
    uniform: set[str] = set()
    total = _body(block.body, sizes, uniform)
    return total + sum(_expr(result, uniform) or 0.0 for result in block.results)


def _body(body: Sequence[Stmt], sizes: Mapping[str, int], uniform: set[str]) -> float:
    total = 0.0
    for stmt in body:
        if isinstance(stmt, Assign):
            uniform.discard(stmt.name)
            work = _expr(stmt.value, uniform)
            if work is None:
                uniform.add(stmt.name)
            total += work or 0.0
            continue
        total += sum(_expr(child, uniform) or 0.0 for child in children(stmt))
        match stmt:
            case If():
                total += _body(stmt.then, sizes, set()) + _body(stmt.orelse, sizes, set())
                uniform.clear()
            case For():
                total += _trips(stmt, sizes) * (_body(stmt.body, sizes, set()) + _NS_OP)
                uniform.clear()
            case While():
                inner = _body(stmt.setup, sizes, set()) + _body(stmt.body, sizes, set())
                total += min(stmt.limit, _GUESSED_TRIPS) * inner * 8  # never vectorised
                uniform.clear()
            case _:
                pass
    return total


def _trips(stmt: For, sizes: Mapping[str, int]) -> int:
    ends = []
    for bound in (stmt.start, stmt.stop):
        if isinstance(bound, Const):
            ends.append(int(bound.value))
        elif isinstance(bound, Extent):
            ends.append(_size(bound.dim, sizes))
        else:
            return _GUESSED_TRIPS
    return max(-((ends[0] - ends[1]) // stmt.step), 0)


def _expr(expr: Expr, uniform: set[str]) -> float | None:
    """The time of one value; None where it is the same for all elements, so is computed once."""
    if isinstance(expr, Local):
        return None if expr.name in uniform else 0.0
    if isinstance(expr, Axis):
        return 0.0
    match expr:
        case Cast(value=Op(name="shr", args=(Op(name="mul", args=(a, b)), _)), dtype=DType.S16):
            halves = (_expr(a, uniform), _expr(b, uniform))  # a product's upper half
            return _NS_SHORT + sum(work or 0.0 for work in halves)
        case Load(dtype=DType.S16) | Cast(value=Load(), dtype=DType.S16):
            return _NS_SHORT
        case _:
            pass
    inner = [_expr(child, uniform) for child in children(expr)]
    total = sum(work for work in inner if work is not None)
    if isinstance(expr, Load):
        return total + _NS_OP
    if all(work is None for work in inner):
        return None
    if isinstance(expr, Op) and expr.dtype is DType.S16:
        return total + _NS_SHORT
    if isinstance(expr, Op):
        shifts = expr.name in ("floordiv", "mod") and isinstance(expr.args[1], Const)
        total += _NS_OP if shifts else _HEAVY.get(expr.name, _NS_OP)
        if expr.dtype.size == 8 and expr.name in _HEAVY:
            total += _NS_WIDE * 8
    return total
