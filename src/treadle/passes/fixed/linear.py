"""What a map computes, as weighted sums of what it reads.

In: a map, the values of its parameters, and the ranges of its inputs. Out: for each result a
Linear: reads and a few other things (the larger of two sums, a magnitude, a product) with weights,
a constant, and how far the map's own result may be from that sum. Raises NoForm, with the reason,
for what is no such sum. Knows nothing about how the sums will be computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.casts import convert
from treadle.ir.nodes import (
    Assign,
    Axis,
    Cast,
    Const,
    Expr,
    Extent,
    For,
    If,
    Kernel,
    Load,
    Local,
    Map,
    Op,
    Param,
    Stmt,
    walk,
)
from treadle.ir.ops import OPS
from treadle.ir.rewrite import rewrite

__all__ = [
    "Absolute",
    "Atom",
    "Extreme",
    "Interval",
    "Linear",
    "NoForm",
    "Pick",
    "Product",
    "Read",
    "Reader",
    "inside",
]

_TRIPS = 64  # of a loop that is written out
_STEP = 2.0**-23  # relative error of one f32 operation, rounded up
_CONSTANT = 2.0**-20  # and of a constant that a device may compute by another polynomial
_WHOLE = 2.0**24  # above, an f32 does not hold every integer
_LARGEST = 2.0**31
_INFINITE = 2.0**127  # f32 goes on to twice that
_TINIEST = 2.0**-126  # below, f32 has fewer digits, or none: an error that is not relative
_MOST_TERMS = 128  # more take the compiler long

Interval = tuple[float, float]


class NoForm(Exception):
    """A map computes something that is no weighted sum; the message says what."""


# Equal only if the same: comparing expressions for each of many terms would take long.


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A load; a reader has one of these for all equal loads."""

    load: Load


@dataclass(frozen=True, slots=True, eq=False)
class Extreme:
    """The smaller or the larger of two sums; `name` is minimum or maximum."""

    name: str
    left: Linear
    right: Linear


@dataclass(frozen=True, slots=True, eq=False)
class Absolute:
    """The magnitude of a sum."""

    value: Linear


@dataclass(frozen=True, slots=True, eq=False)
class Pick:
    """One of two sums, by a condition on coordinates."""

    test: Expr
    then: Linear
    other: Linear


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """Two sums multiplied."""

    left: Linear
    right: Linear


Atom = Read | Extreme | Absolute | Pick | Product


@dataclass(frozen=True, slots=True)
class Linear:
    """A weighted sum. What the map computes is at most `noise` away from it, and is an integer
    where `whole`."""

    terms: tuple[tuple[Atom, float], ...] = ()
    constant: float = 0.0
    noise: float = 0.0
    whole: bool = False


def inside(linear: Linear) -> Iterator[Linear]:
    """A sum and the sums inside it."""
    yield linear
    for atom, _ in linear.terms:
        match atom:
            case Extreme() | Product():
                parts: tuple[Linear, ...] = (atom.left, atom.right)
            case Pick():
                parts = (atom.then, atom.other)
            case Absolute():
                parts = (atom.value,)
            case _:
                parts = ()
        for part in parts:
            yield from inside(part)


class Reader:
    """Reads the results of one map as sums."""

    def __init__(
        self, kernel: Kernel, params: Mapping[str, float], ranges: Mapping[str, Interval]
    ) -> None:
        self.kernel = kernel
        self.params = params
        self.ranges = ranges  # of the inputs that have one
        self._whole = {t.name: t.dtype.is_integer for t in kernel.inputs}
        self._reads: dict[Load, Read] = {}
        self._known: dict[int, tuple[Expr, Linear]] = {}
        self._values: dict[int, tuple[Expr, np.ndarray[Any, Any] | None]] = {}
        self._spans: dict[Atom, Interval] = {}

    def results(self) -> list[Linear]:
        """One sum for each output."""
        form = self.kernel.form
        if not isinstance(form, Map):
            raise NoForm(f"a {type(form).__name__.lower()} has no fixed form")
        env: dict[str, Expr] = {}
        with np.errstate(all="ignore"):
            self._body(form.block.body, env)
            return [self.linear(self._resolved(result, env)) for result in form.block.results]

    def _body(self, body: Sequence[Stmt], env: dict[str, Expr]) -> None:
        """Put what locals stand for into each other: the names are gone afterwards."""
        for stmt in body:
            match stmt:
                case Assign():
                    env[stmt.name] = self._resolved(stmt.value, env)
                    self._prepare(env[stmt.name])
                case If():
                    self._if(stmt, env)
                case For():
                    start, stop = self._resolved(stmt.start, env), self._resolved(stmt.stop, env)
                    if not isinstance(start, Const) or not isinstance(stop, Const):
                        raise NoForm("a loop over sizes has no fixed form")
                    trips = range(int(start.value), int(stop.value), stmt.step)
                    if len(trips) > _TRIPS:
                        raise NoForm(f"a loop of {len(trips)} rounds has no fixed form")
                    names = {*env}
                    for at in trips:
                        env[stmt.name] = Const(at, DType.S32)
                        self._body(stmt.body, env)
                    for name in {*env} - names:
                        del env[name]
                case _:
                    raise NoForm("a loop with a condition has no fixed form")

    def _prepare(self, node: Expr) -> None:
        """Read a local's value now, so that a long sum is not one deep expression later."""
        with suppress(NoForm):  # perhaps no sum needs it; if one does, it is raised again
            self.linear(node)

    def _if(self, stmt: If, env: dict[str, Expr]) -> None:
        test = self._resolved(stmt.test, env)
        then, other = dict(env), dict(env)
        self._body(stmt.then, then)
        self._body(stmt.orelse, other)
        for name in then.keys() & other.keys():
            a, b = then[name], other[name]
            env[name] = a if a is b else Op("select", (test, a, b), a.dtype)

    def _resolved(self, node: Expr, env: Mapping[str, Expr]) -> Expr:
        def change(part: Expr) -> Expr:
            match part:
                case Local():
                    return env[part.name]
                case Param():
                    value = convert(np.asarray(self.params[part.name]), part.dtype)
                    return Const(value.item(), part.dtype)
                case _:
                    return part

        return rewrite(node, change)

    # Ranges

    def span(self, linear: Linear) -> Interval:
        """Between what the sum lies, for inputs in their ranges."""
        low = high = linear.constant
        for atom, weight in linear.terms:
            ends = [weight * end for end in self.atom_span(atom)]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def atom_span(self, atom: Atom) -> Interval:
        """Between what a read, or another part of a sum, lies."""
        found = self._spans.get(atom)
        if found is None:
            found = self._spans[atom] = self._span(atom)
        return found

    def _span(self, atom: Atom) -> Interval:
        match atom:
            case Read():
                return self.ranges[atom.load.tensor]
            case Extreme():
                pick = max if atom.name == "maximum" else min
                a, b = self._wide(atom.left), self._wide(atom.right)
                return pick(a[0], b[0]), pick(a[1], b[1])
            case Absolute():
                low, high = self._wide(atom.value)
                least, most = sorted((abs(low), abs(high)))
                return (0.0 if low <= 0 <= high else least), most
            case Pick():
                a, b = self._wide(atom.then), self._wide(atom.other)
                return min(a[0], b[0]), max(a[1], b[1])
            case Product():
                a, b = self._wide(atom.left), self._wide(atom.right)
                ends = [x * y for x in a for y in b]
                return min(ends), max(ends)

    def _wide(self, linear: Linear) -> Interval:
        low, high = self.span(linear)
        return low - linear.noise, high + linear.noise

    def size(self, linear: Linear) -> float:
        """The largest magnitude that the map's value may have."""
        return max(map(abs, self.span(linear))) + linear.noise

    # Expressions

    def linear(self, node: Expr) -> Linear:
        """Read an expression without locals as a sum."""
        found = self._known.get(id(node))
        if found is None:
            # The node is kept, so that no other one gets its id.
            value = self._value(node)
            made = self._linear(node) if value is None else _constant(float(value), node.dtype)
            found = self._known[id(node)] = (node, made)
        return found[1]

    def _value(self, node: Expr) -> np.ndarray[Any, Any] | None:
        """What an expression of constants is, as the language defines it."""
        found = self._values.get(id(node))
        if found is None:
            found = self._values[id(node)] = (node, self._evaluated(node))
        return found[1]

    def _evaluated(self, node: Expr) -> np.ndarray[Any, Any] | None:
        match node:
            case Const():
                return np.asarray(node.value, node.dtype.numpy)
            case Cast():
                value = self._value(node.value)
                return None if value is None else convert(value, node.dtype)
            case Op():
                args = [self._value(arg) for arg in node.args]
                if any(arg is None for arg in args):
                    return None
                return np.asarray(OPS[node.name].numpy(*args)).astype(node.dtype.numpy)
            case _:
                return None

    def _linear(self, node: Expr) -> Linear:
        match node:
            case Load():
                return self._load(node)
            case Cast():
                return self._cast(node)
            case Op(name="select", args=(test, then, other)):
                return self._select(test, then, other)
            case Op():
                return self._op(node)
            case _:
                raise NoForm("a value made of coordinates has no fixed form")

    def _load(self, node: Load) -> Linear:
        if node.tensor not in self.ranges:
            raise NoForm("what it reads has no known range")
        for index in node.indices:
            _placed(index)
        load = replace(node, inside=())
        read = self._reads.setdefault(load, Read(load))
        return Linear(((read, 1.0),), whole=self._whole[node.tensor])

    def _cast(self, node: Cast) -> Linear:
        source = node.value.dtype
        if source is DType.BOOL:
            return self._select(node.value, Const(1, DType.S32), Const(0, DType.S32))
        value = self.linear(node.value)
        if node.dtype.is_float:
            if value.whole and self.size(value) <= _WHOLE:
                return value
            return self._rounded(replace(value, whole=False))
        if node.dtype is DType.BOOL or node.dtype is DType.U32:
            raise NoForm(f"a conversion to {node.dtype} has no fixed form")
        return self._checked(value if not source.is_float else self._trunc(value))

    def _select(self, test: Expr, then: Expr, other: Expr) -> Linear:
        known = self._value(test)
        if known is not None:
            return self.linear(then if known else other)
        _placed(test)
        a, b = self.linear(then), self.linear(other)
        if a == b:
            return a
        return Linear(((Pick(test, a, b), 1.0),), whole=a.whole and b.whole)

    def _op(self, node: Op) -> Linear:
        rule = _RULES.get(node.name)
        if rule is None:
            raise NoForm(f"{node.name} has no fixed form")
        made = rule(self, *(self.linear(arg) for arg in node.args))
        if len(made.terms) > _MOST_TERMS:
            raise NoForm(f"a sum of {len(made.terms)} terms has no fixed form")
        return self._rounded(made) if node.dtype.is_float else self._checked(made)

    def _rounded(self, linear: Linear) -> Linear:
        """What f32 arithmetic makes of a sum: integers that it can hold are exact."""
        size = self.size(linear)
        if linear.whole and size <= _WHOLE:
            return linear
        if size >= _INFINITE:
            raise NoForm("a value may be too large for f32")
        return replace(linear, noise=linear.noise + size * _STEP + _TINIEST, whole=False)

    def _checked(self, linear: Linear) -> Linear:
        if self.size(linear) >= _LARGEST:
            raise NoForm("an integer may wrap")
        return linear

    # Operations

    def _add(self, a: Linear, b: Linear) -> Linear:
        terms = dict(a.terms)
        for atom, weight in b.terms:
            terms[atom] = terms.get(atom, 0.0) + weight
        kept = tuple((atom, weight) for atom, weight in terms.items() if weight)
        return Linear(kept, a.constant + b.constant, a.noise + b.noise, a.whole and b.whole)

    def _neg(self, a: Linear) -> Linear:
        return _scaled(a, -1.0)

    def _sub(self, a: Linear, b: Linear) -> Linear:
        return self._add(a, _scaled(b, -1.0))

    def _mul(self, a: Linear, b: Linear) -> Linear:
        for one, other in ((a, b), (b, a)):
            if not one.terms:
                made = _scaled(other, one.constant)
                spare = one.noise * self.size(other)
                return replace(made, noise=made.noise + spare, whole=a.whole and b.whole)
            match one.terms:
                case ((Pick() as pick, weight),) if not one.constant and not one.noise:
                    # Weights that depend on the channel: each side is a sum of its own.
                    then = self._mul(_scaled(pick.then, weight), other)
                    rest = self._mul(_scaled(pick.other, weight), other)
                    return Linear(((Pick(pick.test, then, rest), 1.0),), whole=a.whole and b.whole)
                case _:
                    pass
        return Linear(((Product(a, b), 1.0),), whole=a.whole and b.whole)

    def _div(self, a: Linear, b: Linear) -> Linear:
        if b.terms or b.constant == 0:
            raise NoForm("a division by what is read has no fixed form")
        relative = b.noise / abs(b.constant) + _STEP
        if abs(b.constant) < _TINIEST:
            raise NoForm("a division by almost nothing has no fixed form")
        made = _scaled(a, 1.0 / b.constant)
        return replace(made, noise=made.noise + relative * self.size(made), whole=False)

    def _extreme(self, name: str, a: Linear, b: Linear) -> Linear:
        (low_a, high_a), (low_b, high_b) = self.span(a), self.span(b)
        smaller, larger = (a, b) if name == "minimum" else (b, a)
        if not a.noise and not b.noise:  # one of them always, where ranges do not meet
            if high_a <= low_b:
                return smaller
            if high_b <= low_a:
                return larger
        return Linear(((Extreme(name, a, b), 1.0),), whole=a.whole and b.whole)

    def _abs(self, a: Linear) -> Linear:
        return Linear(((Absolute(a), 1.0),), whole=a.whole)

    def _round(self, a: Linear) -> Linear:
        # Not done: the sum keeps its fraction, and is then at most half a step off.
        return a if a.whole else replace(a, noise=a.noise + 0.5, whole=True)

    def _floor(self, a: Linear) -> Linear:
        if a.whole:
            return a
        return replace(a, constant=a.constant - 0.5, noise=a.noise + 0.5, whole=True)

    def _trunc(self, a: Linear) -> Linear:
        if not a.whole and self.span(a)[0] - a.noise < 0:
            raise NoForm("cutting off a fraction of either sign has no fixed form")
        return self._floor(a)


_Rule = Callable[..., Linear]
_RULES: dict[str, _Rule] = {
    "add": Reader._add,
    "sub": Reader._sub,
    "neg": Reader._neg,
    "mul": Reader._mul,
    "div": Reader._div,
    "abs": Reader._abs,
    "minimum": lambda reader, a, b: reader._extreme("minimum", a, b),
    "maximum": lambda reader, a, b: reader._extreme("maximum", a, b),
    "round": Reader._round,
    "floor": Reader._floor,
    "trunc": Reader._trunc,
}


def _scaled(a: Linear, by: float) -> Linear:
    if by == 0:
        return Linear(whole=a.whole)
    terms = tuple((atom, weight * by) for atom, weight in a.terms)
    whole = a.whole and by == int(by)
    return Linear(terms, a.constant * by, a.noise * abs(by), whole)


def _constant(value: float, dtype: DType) -> Linear:
    if not math.isfinite(value):
        raise NoForm(f"a constant is {value}")
    whole = float(value).is_integer()
    # An integer is what it is; other numbers may come from a polynomial.
    noise = 0.0 if whole or not dtype.is_float else abs(value) * _CONSTANT
    return Linear((), float(value), noise, whole)


def _placed(node: Expr) -> None:
    """Refuse an index or a condition that depends on what is read."""
    for part in walk(node):
        if isinstance(part, Load):
            raise NoForm("a condition or an index that depends on pixels has no fixed form")
        if not isinstance(part, Const | Axis | Extent | Op | Cast) or part.dtype.is_float:
            raise NoForm("coordinates as fractions have no fixed form")
