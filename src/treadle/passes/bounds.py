"""Prove indices in range, so that backends need no clamp there.

In: a kernel. Out: the same kernel with `Load.inside` set where the proof succeeds. An index is read
(ir.affine) as the smallest and the largest value that it can have, both linear in extents; an index
that has no such bounds keeps its clamp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from treadle.dtypes import DType
from treadle.ir.affine import read
from treadle.ir.names import assigned
from treadle.ir.nodes import (
    Assign,
    Block,
    Chain,
    Dim,
    Expr,
    For,
    If,
    Kernel,
    Load,
    Map,
    Reduce,
    Row,
    Scan,
    Stmt,
    Tensor,
    While,
)
from treadle.ir.rewrite import rewrite

__all__ = ["prove"]

SMALLEST_SYMBOL = 2  # sizes 0 and 1 are constants, never symbols (ir.dims)

_Linear = dict[str, int | Fraction]  # coefficients by extent symbol; "" is the constant
_JUST_BELOW_ONE: _Linear = {"": Fraction(1023, 1024)}  # indices are whole
Bounds = tuple[_Linear, _Linear]  # smallest and largest value


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
    assert isinstance(form, Scan)
    return replace(kernel, form=replace(form, step=prover.block(form.step)))


Rule = Callable[..., Bounds | None]


def _known(rule: Callable[..., Bounds | None]) -> Rule:
    """A rule for operands that all have bounds."""

    def apply(*parts: Bounds | None) -> Bounds | None:
        return None if None in parts else rule(*parts)

    return apply


def _sum(a: Bounds, b: Bounds) -> Bounds:
    return _add(a[0], b[0]), _add(a[1], b[1])


def _negative(a: Bounds) -> Bounds:
    return _scale(a[1], -1), _scale(a[0], -1)


def _product(one: Bounds, other: Bounds) -> Bounds | None:
    for (a, b), factor in ((one, other), (other, one)):
        if factor[0] == factor[1] and set(factor[0]) <= {""}:
            times = factor[0].get("", 0)
            pair = (_scale(a, times), _scale(b, times))
            return pair if times >= 0 else (pair[1], pair[0])
        # Neither is negative, and one is at most a constant.
        if set(factor[1]) <= {""} and _at_least(factor[0], {}) and _at_least(a, {}):
            return {}, _scale(b, factor[1].get("", 0))
    return None


def _divisor(by: Bounds | None) -> int:
    """The literal that something is divided by, if it is one above 0; else 0. Both ends of a
    literal are one object; those of a size are not, since its number must not be asked for."""
    if by is None or by[0] is not by[1]:
        return 0
    return max(int(by[0].get("", 0)), 0)


def _quotient(part: Bounds | None, by: Bounds | None) -> Bounds | None:
    """Divided by a constant, rounding down: that loses less than one."""
    divisor = _divisor(by)
    if part is None or not divisor:
        return None
    low, high = (_scale(side, Fraction(1, divisor)) for side in part)
    whole = all(value % 1 == 0 for value in low.values())
    return low if whole else _add(low, {"": Fraction(1 - divisor, divisor)}), high


def _rest(part: Bounds | None, by: Bounds | None) -> Bounds | None:
    """What is left of a division by a constant, whatever was divided."""
    divisor = _divisor(by)
    return ({}, {"": divisor - 1}) if divisor else None


def _larger(a: Bounds, b: Bounds) -> Bounds | None:
    low = a[0] if _at_least(a[0], b[0]) else b[0]
    if _at_least(a[1], b[1]):
        return low, a[1]
    return (low, b[1]) if _at_least(b[1], a[1]) else None


def _smaller(a: Bounds, b: Bounds) -> Bounds | None:
    high = a[1] if _at_least(b[1], a[1]) else b[1]
    if _at_least(b[0], a[0]):
        return a[0], high
    return (b[0], high) if _at_least(a[0], b[0]) else None


class _Reader:
    """Reads an index as its bounds; `known` has those of variables."""

    rules: Mapping[str, Rule] = {
        "add": _known(_sum),
        "sub": _known(lambda a, b: _sum(a, _negative(b))),
        "neg": _known(_negative),
        "mul": _known(_product),
        "floordiv": _quotient,
        "mod": _rest,
        "maximum": _known(_larger),
        "minimum": _known(_smaller),
    }

    def __init__(self, space: tuple[Dim, ...], known: Mapping[str, Bounds]) -> None:
        self.space, self.known = space, known

    def constant(self, value: int) -> Bounds:
        end: _Linear = {"": value}
        return end, end

    def axis(self, index: int) -> Bounds:
        return {}, _add(_extent(self.space[index]), {"": -1})

    def extent(self, dim: Dim) -> Bounds:
        return _extent(dim), _extent(dim)

    def local(self, name: str) -> Bounds | None:
        return self.known.get(name)


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
                    bounds = read(value, _Reader(self.space, known))
                    known.pop(stmt.name, None)
                    if bounds is not None and value.dtype is DType.S32:
                        known[stmt.name] = bounds
                return replace(stmt, value=value)

    def loop_bounds(self, stmt: For, known: dict[str, Bounds]) -> Bounds | None:
        reader = _Reader(self.space, known)
        start = read(stmt.start, reader)
        stop = read(stmt.stop, reader)
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
        bounds = read(index, _Reader(self.space, known))
        if bounds is None:
            return False
        # What is above -1 is at least 0, and what is below the size at most the last.
        past = _add(_extent(dim), {"": -1})
        above, below = _add(bounds[0], _JUST_BELOW_ONE), _add(past, _JUST_BELOW_ONE)
        return _at_least(above, {}) and _at_least(below, bounds[1])


def _forget(body: tuple[Stmt, ...], known: dict[str, Bounds]) -> None:
    """Drop what is known about variables that a nested body changes."""
    for name in assigned(body):
        known.pop(name, None)


def _extent(dim: Dim) -> _Linear:
    return {"": dim} if isinstance(dim, int) else {dim: 1}


def _add(a: _Linear, b: _Linear) -> _Linear:
    return {key: _plus(a.get(key, 0), b.get(key, 0)) for key in {**a, **b}}


def _scale(a: _Linear, times: int | Fraction) -> _Linear:
    return {key: _times(value, times) for key, value in a.items()}


# A fraction comes last: it takes a Size (ir.sizes) for an int, whose parts it would ask for.


def _plus(a: int | Fraction, b: int | Fraction) -> int | Fraction:
    return b + a if type(a) is Fraction else a + b


def _times(a: int | Fraction, b: int | Fraction) -> int | Fraction:
    return b * a if type(a) is Fraction else a * b


def _at_least(a: _Linear, b: _Linear) -> bool:
    """Whether a >= b for every size that the symbols may have."""
    difference = _add(a, _scale(b, -1))
    total = difference.pop("", 0)
    if any(value < 0 for value in difference.values()):
        return False
    return _plus(total, SMALLEST_SYMBOL * sum(difference.values())) >= 0
