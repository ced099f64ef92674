"""How long an element takes, roughly.

In: a kernel. Out: nanoseconds on one core for one element of each of its stages, from counts of
operations; loops whose bounds are sizes are left for the caller, who knows those. It only decides
whether work runs inline and how it is cut into chunks, so a factor of two does no harm.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

from treadle.dtypes import DType
from treadle.ir.loops import Effort, Trips
from treadle.ir.names import set_once
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
    statements,
    walk,
)

__all__ = ["efforts"]

_NS_OP = 0.006
_NS_SHORT = 0.003  # on 16 bits: twice the lanes, and each is one instruction
_NS_WIDE = 1.2  # f64 functions of the C library, scattered loads, divisions of integers
_HEAVY = dict.fromkeys(
    (
        "pow exp exp2 expm1 log log2 log10 log1p sinh cosh tanh erf "
        "sin cos tan asin acos atan atan2"
    ).split(),
    0.25,
) | {"div": 0.08, "sqrt": 0.1, "rsqrt": 0.15, "floordiv": 0.8, "mod": 0.8}
# Of f64, by the C library and element by element.
_CALLED = frozenset("pow erf sin cos tan asin acos atan atan2".split())
_GUESSED_TRIPS = 16
_GUESSED = Trips(0, _GUESSED_TRIPS, 1)
_SERIAL = 2  # times as long: lanes wait for each other, where there are lanes


def efforts(kernel: Kernel) -> tuple[tuple[tuple[Dim, ...], Effort], ...]:
    """Return the space of each stage, and the effort for one element of it."""
    if isinstance(kernel.form, Chain):
        return tuple(found for stage in kernel.form.stages for found in efforts(stage))
    blocks = kernel.blocks if not isinstance(kernel.form, Reduce) else kernel.blocks[:2]
    found = [_block(block) for block in blocks]
    loops = tuple(loop for effort in found for loop in effort.loops)
    return ((kernel.space, Effort(sum(effort.each for effort in found), loops)),)


def _block(block: Block) -> Effort:
    uniform = _Names(_places(block))
    body = _body(block.body, uniform)
    results = sum(_expr(result, uniform) or 0.0 for result in block.results)
    return Effort(body.each + results, body.loops)


def _body(body: Sequence[Stmt], uniform: _Names) -> Effort:
    total = 0.0
    loops: list[tuple[Trips, Effort]] = []
    for stmt in body:
        if isinstance(stmt, Assign):
            if stmt.name in uniform.places:
                continue
            uniform.discard(stmt.name)
            work = _expr(stmt.value, uniform)
            if work is None:
                uniform.add(stmt.name)
            total += work or 0.0
            continue
        total += sum(_expr(child, uniform) or 0.0 for child in children(stmt))
        match stmt:
            case If():
                sides = [_body(side, uniform.again()) for side in (stmt.then, stmt.orelse)]
                total += sum(side.each for side in sides)
                loops += [loop for side in sides for loop in side.loops]
                uniform.clear()
            case For():
                inner = _body(stmt.body, uniform.again())
                loops.append((_trips(stmt), Effort(inner.each + _NS_OP, inner.loops)))
                uniform.clear()
            case While():
                for part in (_body(part, uniform.again()) for part in (stmt.setup, stmt.body)):
                    rounds = min(stmt.limit, _GUESSED_TRIPS) * _SERIAL
                    loops.append((Trips(0, rounds, 1), part))
                uniform.clear()
            case _:
                pass
    return Effort(total, tuple(loops))


def _trips(stmt: For) -> Trips:
    ends: list[Dim] = []
    for bound in (stmt.start, stmt.stop):
        if isinstance(bound, Const):
            ends.append(int(bound.value))
        elif isinstance(bound, Extent):
            ends.append(bound.dim)
        else:
            return _GUESSED
    return Trips(ends[0], ends[1], stmt.step)


class _Names(set[str]):
    """Variables that are the same for all elements; and `places`, those that follow from
    coordinates alone and are set once."""

    def __init__(self, places: frozenset[str]) -> None:
        super().__init__()
        self.places = places

    def again(self) -> _Names:
        """The same where nothing is known of variables."""
        return _Names(self.places)


def _places(block: Block) -> frozenset[str]:
    found = {s.name for s in statements(block.body) if isinstance(s, For)}
    for name, value in set_once(block).items():
        plain = value is not None and value.dtype in (DType.S32, DType.BOOL)
        if plain and value is not None and _follows(value, found):
            found.add(name)
    return frozenset(found)


def _follows(expr: Expr, places: Container[str]) -> bool:
    """Whether an index or a question follows from coordinates alone, and easily."""
    for node in walk(expr):
        match node:
            case Local(name=name) if name not in places:
                return False
            case Load() | Cast():
                return False
            case Op(name=name) if name in _HEAVY:
                return False
    return True


def _expr(expr: Expr, uniform: _Names) -> float | None:
    """The time of one value; None where it is the same for all elements, so is computed once."""
    if isinstance(expr, Local):
        return None if expr.name in uniform else 0.0
    if isinstance(expr, Axis):
        return 0.0
    match expr:
        case Cast(value=Op(name="shr", args=(Op(name="mul", args=(a, b)), _)), dtype=DType.FIXED):
            halves = (_expr(a, uniform), _expr(b, uniform))  # a product's upper half
            return _NS_SHORT + sum(work or 0.0 for work in halves)
        case Load(dtype=DType.FIXED) | Cast(value=Load(), dtype=DType.FIXED):
            return _NS_SHORT
        case _:
            pass
    if isinstance(expr, Load):
        if all(isinstance(index, Const) for index in expr.indices):
            return None
        # Places that follow from coordinates cost next to nothing: neighbours share an address.
        found = (
            _expr(index, uniform) for index in expr.indices if not _follows(index, uniform.places)
        )
        return _NS_OP + sum(work or 0.0 for work in found)
    if expr.dtype is DType.BOOL and _follows(expr, uniform.places):
        return None  # whether it is inside a picture, for instance, is known of most of a row
    inner = [_expr(child, uniform) for child in children(expr)]
    total = sum(work for work in inner if work is not None)
    if all(work is None for work in inner):
        return None
    if isinstance(expr, Op) and expr.dtype is DType.FIXED:
        return total + _NS_SHORT
    if isinstance(expr, Op):
        shifts = expr.name in ("floordiv", "mod") and isinstance(expr.args[1], Const)
        total += _NS_OP if shifts else _HEAVY.get(expr.name, _NS_OP)
        if expr.dtype.size == 8 and expr.name in _HEAVY:
            total += _NS_WIDE * 8 if expr.name in _CALLED else _HEAVY[expr.name] * 3
    return total
