"""Prove indices in range, so that backends need no clamp there.

In: a kernel. Out: the same kernel with `Load.inside` set where the proof succeeds. Indices are
looked
at as linear forms over coordinates, loop variables and extents; what is not linear keeps its clamp.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from treadle.dtypes import DType
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
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
    Map,
    Op,
    Reduce,
    Row,
    Stmt,
    Tensor,
    While,
    rewrite,
)

__all__ = ["Linear", "linear", "prove"]

SMALLEST_SYMBOL = 2  # sizes 0 and 1 are constants, never symbols (ir.dims)

Linear = dict[str, int | Fraction]  # coefficients by extent symbol; "" is the constant
_JUST_BELOW_ONE: Linear = {"": Fraction(1023, 1024)}  # indices are whole
Bounds = tuple[Linear, Linear]  # smallest and largest value


def prove(kernel: Kernel) -> Kernel:
    """Mark every index that is provably inside its dimension."""
    if isinstance(kernel.form, Chain):
        stages = tuple(prove(stage) for stage in kernel.form.stages)
        return replace(kernel, form=replace(kernel.form, stages=stages))
    prover = _Prover(kernel)
    form = kernel.form
    if isinstance(form, Map | Row):
        return replace(kernel, form=replace(form, block=prover.block(form.block)))
    if isinstance(form, Reduce):
        return replace(kernel, form=replace(form, lift=prover.block(form.lift)))
    return replace(kernel, form=replace(form, step=prover.block(form.step)))


def linear(node: Expr, known: dict[str, Bounds], space: tuple[Dim, ...]) -> Bounds | None:
    """Return linear bounds of an integer expression over extents, or None."""
    match node:
        case Const() if node.dtype is DType.S32:
            return _both({"": int(node.value)})
        case Extent():
            return _both(_extent(node.dim))
        case Axis():
            return {}, _add(_extent(space[node.index]), {"": -1})
        case Local():
            return known.get(node.name)
        case Op(name="add" | "sub" | "neg" | "mul"):
            parts = [linear(arg, known, space) for arg in node.args]
            if any(part is None for part in parts):
                return None
            return _combine(node.name, [part for part in parts if part is not None])
        case Op(name="floordiv" | "mod", args=(first, Const(value=int() as by))) if by > 0:
            return _divided(node.name, linear(first, known, space), int(by))
        case Op(name="minimum" | "maximum"):
            return _extreme(node, known, space)
        case _:
            return None


def _combine(name: str, parts: list[Bounds]) -> Bounds | None:
    low, high = parts[0]
    if name == "neg":
        return _scale(high, -1), _scale(low, -1)
    other_low, other_high = parts[1]
    if name == "add":
        return _add(low, other_low), _add(high, other_high)
    if name == "sub":
        return _add(low, _scale(other_high, -1)), _add(high, _scale(other_low, -1))
    for (a, b), factor in ((parts[0], parts[1]), (parts[1], parts[0])):
        if factor[0] == factor[1] and set(factor[0]) <= {""}:
            times = factor[0].get("", 0)
            pair = (_scale(a, times), _scale(b, times))
            return pair if times >= 0 else (pair[1], pair[0])
        # Neither is negative, and one is at most a constant.
        if set(factor[1]) <= {""} and _at_least(factor[0], {}) and _at_least(a, {}):
            return {}, _scale(b, factor[1].get("", 0))
    return None


def _divided(name: str, part: Bounds | None, by: int) -> Bounds | None:
    """Divide by a constant, rounding down, or take the rest: rounding loses less than one."""
    if name == "mod":
        return {}, {"": by - 1}
    if part is None:
        return None
    low, high = (_scale(side, Fraction(1, by)) for side in part)
    whole = all(value % 1 == 0 for value in low.values())
    return low if whole else _add(low, {"": Fraction(1 - by, by)}), high


def _extreme(node: Op, known: dict[str, Bounds], space: tuple[Dim, ...]) -> Bounds | None:
    """min and max with one side: `max(x, 0)` is at least 0 whatever x is."""
    parts = [linear(arg, known, space) for arg in node.args]
    if parts[0] is None or parts[1] is None:
        return None
    (a_low, a_high), (b_low, b_high) = parts[0], parts[1]
    if node.name == "maximum":
        low = a_low if _at_least(a_low, b_low) else b_low
        if _at_least(a_high, b_high):
            return low, a_high
        return (low, b_high) if _at_least(b_high, a_high) else None
    high = a_high if _at_least(b_high, a_high) else b_high
    if _at_least(b_low, a_low):
        return a_low, high
    return (b_low, high) if _at_least(a_low, b_low) else None


class _Prover:
    def __init__(self, kernel: Kernel) -> None:
        self.space = kernel.space
        self.tensors: dict[str, Tensor] = {tensor.name: tensor for tensor in kernel.inputs}

    def block(self, block: Block) -> Block:
        known: dict[str, Bounds] = {}
        body = self.body(block.body, known)
        results = tuple(self.expr(result, known) for result in block.results)
        return replace(block, body=body, results=results)

    def body(self, body: tuple[Stmt, ...], known: dict[str, Bounds]) -> tuple[Stmt, ...]:
        return tuple(self.stmt(stmt, known) for stmt in body)

    def stmt(self, stmt: Stmt, known: dict[str, Bounds]) -> Stmt:
        match stmt:
            case If():
                _forget(stmt.then + stmt.orelse, known)
                return replace(
                    stmt,
                    test=self.expr(stmt.test, known),
                    then=self.body(stmt.then, dict(known)),
                    orelse=self.body(stmt.orelse, dict(known)),
                )
            case For():
                start, stop = self.expr(stmt.start, known), self.expr(stmt.stop, known)
                _forget(stmt.body, known)
                inner = dict(known)
                bounds = self.loop_bounds(stmt, known)
                if bounds is not None:
                    inner[stmt.name] = bounds
                return replace(stmt, start=start, stop=stop, body=self.body(stmt.body, inner))
            case While():
                _forget(stmt.setup + stmt.body, known)
                inner = dict(known)
                setup = self.body(stmt.setup, inner)
                test = self.expr(stmt.test, inner)
                return replace(stmt, test=test, setup=setup, body=self.body(stmt.body, inner))
            case _:
                value = self.expr(stmt.value, known)
                if isinstance(stmt, Assign):
                    bounds = linear(value, known, self.space)
                    known.pop(stmt.name, None)
                    if bounds is not None and value.dtype is DType.S32:
                        known[stmt.name] = bounds
                return replace(stmt, value=value)

    def loop_bounds(self, stmt: For, known: dict[str, Bounds]) -> Bounds | None:
        start = linear(stmt.start, known, self.space)
        stop = linear(stmt.stop, known, self.space)
        if start is None or stop is None:
            return None
        if stmt.step > 0:
            return start[0], _add(stop[1], {"": -1})
        return _add(stop[0], {"": 1}), start[1]

    def expr(self, node: Expr, known: dict[str, Bounds]) -> Expr:
        def change(inner: Expr) -> Expr:
            if not isinstance(inner, Load):
                return inner
            dims = self.tensors[inner.tensor].dims
            inside = tuple(
                self.in_range(index, dim, known)
                for index, dim in zip(inner.indices, dims, strict=True)
            )
            return replace(inner, inside=inside)

        return rewrite(node, change)

    def in_range(self, index: Expr, dim: Dim, known: dict[str, Bounds]) -> bool:
        bounds = linear(index, known, self.space)
        if bounds is None:
            return False
        # What is above -1 is at least 0, and what is below the size at most the last.
        past = _add(_extent(dim), {"": -1})
        above, below = _add(bounds[0], _JUST_BELOW_ONE), _add(past, _JUST_BELOW_ONE)
        return _at_least(above, {}) and _at_least(below, bounds[1])


def _forget(body: tuple[Stmt, ...], known: dict[str, Bounds]) -> None:
    """Drop what is known about variables that a nested body changes."""
    for stmt in body:
        match stmt:
            case Assign():
                known.pop(stmt.name, None)
            case If():
                _forget(stmt.then + stmt.orelse, known)
            case For():
                _forget(stmt.body, known)
            case While():
                _forget(stmt.setup + stmt.body, known)
            case _:
                pass


def _both(value: Linear) -> Bounds:
    return value, value


def _extent(dim: Dim) -> Linear:
    return {"": dim} if isinstance(dim, int) else {dim: 1}


def _add(a: Linear, b: Linear) -> Linear:
    return {key: _plus(a.get(key, 0), b.get(key, 0)) for key in {**a, **b}}


def _scale(a: Linear, times: int | Fraction) -> Linear:
    return {key: _times(value, times) for key, value in a.items()}


# A fraction comes last: it takes a Size (ir.sizes) for an int, whose parts it would ask for.


def _plus(a: int | Fraction, b: int | Fraction) -> int | Fraction:
    return b + a if type(a) is Fraction else a + b


def _times(a: int | Fraction, b: int | Fraction) -> int | Fraction:
    return b * a if type(a) is Fraction else a * b


def _at_least(a: Linear, b: Linear) -> bool:
    """Whether a >= b for every size that the symbols may have."""
    difference = _add(a, _scale(b, -1))
    total = difference.pop("", 0)
    if any(value < 0 for value in difference.values()):
        return False
    return _plus(total, SMALLEST_SYMBOL * sum(difference.values())) >= 0
