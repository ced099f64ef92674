"""Weighted sums in 16-bit fixed point, with what they may be off.

In: sums of reads, and how each tensor is held. Out: expressions over s16, with their bits of
fraction, their range, and how far they may be from what the exact kernel has in their place. Values
of equal weight are added first, so that a symmetric filter multiplies half as often; a product is
the upper half of 32 bits, which processors have an instruction for. Sums may wrap on the way: only
the result has to fit.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.nodes import Cast, Const, Expr, Load, Op
from treadle.passes.fixed.linear import (
    Absolute,
    Atom,
    Extreme,
    Interval,
    Linear,
    Pick,
    Product,
    Read,
)

__all__ = ["MOST_BITS", "FixedValue", "Format", "Lower", "const", "op", "room"]

FIXED, S32 = DType.FIXED, DType.S32
_LARGEST = 32767
MOST_BITS = 14  # of fraction
_PLENTY = 5  # bits of fraction, of which one may go to save work


@dataclass(frozen=True, slots=True)
class Format:
    """How a value is held: bits of fraction, its range, and `value - exact` as an interval."""

    bits: int
    span: Interval
    error: Interval = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class FixedValue:
    """An expression over s16, and how it is to be read."""

    expr: Expr
    form: Format


class Lower:
    """Lowers the sums of one stage."""

    dtype = FIXED  # of what is between stages
    name = "fixed point"

    def __init__(self, formats: Mapping[str, Format], bytes_: Container[str]) -> None:
        self.formats = formats
        self._bytes = bytes_  # tensors that are stored as u8
        self._atoms: dict[Atom, FixedValue] = {}

    def sum(self, linear: Linear, cap: int = MOST_BITS) -> FixedValue:
        """A sum with as many bits of fraction as fit, and at most `cap`."""
        parts = [(self.atom(atom), weight) for atom, weight in linear.terms]
        low = high = linear.constant
        for value, weight in parts:
            ends = [weight * end for end in value.form.span]
            low, high = low + min(ends), high + max(ends)
        made = self._sum(parts, linear, (low, high), min(cap, room(max(abs(low), abs(high)))))
        if made.split and made.bits > _PLENTY:
            # With a bit less, weights are often small enough for one product each.
            other = self._sum(parts, linear, (low, high), made.bits - 1)
            made = other if other.terms < made.terms else made
        return FixedValue(made.expr(), Format(made.bits, made.span, made.error))

    def _sum(
        self, parts: Sequence[tuple[FixedValue, float]], linear: Linear, span: Interval, bits: int
    ) -> _Sum:
        while True:
            made = _Sum(bits)
            for (weight, _), members in _grouped(parts).items():
                for chunk in _chunks(members):
                    made.add(chunk, weight)
            made.constant(linear.constant)
            made.error = _wider(made.error, linear.noise)
            made.span = (span[0] + made.moved[0], span[1] + made.moved[1])
            if max(map(abs, made.span)) * 2.0**bits <= _LARGEST:
                return made
            bits -= 1

    def output(self, linear: Linear) -> FixedValue:
        """A sum as it is stored at the end: rounded and held in u8."""
        half = replace(linear, constant=linear.constant + 0.5)
        middle = sum(self.sum(half).form.error) / 2
        value = self.sum(replace(half, constant=half.constant - middle))
        bits, (low, high) = value.form.bits, value.form.error
        # Of the exact kernel's value itself: what was added in the middle is no error.
        form = replace(value.form, error=(low - middle, high - middle))
        expr = op("shr", value.expr, const(bits)) if bits > 0 else value.expr
        return FixedValue(expr, form)

    def held(self, value: FixedValue) -> FixedValue:
        """Hold a value between 0 and 255, as storing it in u8 does."""
        form, expr = value.form, value.expr
        if form.span[0] < 0:
            expr = op("maximum", expr, const(0))
        if form.span[1] > 255:
            expr = op("minimum", expr, const(255 << form.bits))
        low, high = form.error
        span = (max(form.span[0], 0.0), min(form.span[1], 255.0))
        return FixedValue(expr, Format(form.bits, span, (min(low, 0.0), max(high, 0.0))))

    def atom(self, atom: Atom) -> FixedValue:
        """What a sum is made of."""
        found = self._atoms.get(atom)
        if found is None:
            found = self._atoms[atom] = self._atom(atom)
        return found

    def _atom(self, atom: Atom) -> FixedValue:
        match atom:
            case Read():
                return self._load(atom.load)
            case Extreme():
                a, b = self._pair(atom.left, atom.right)
                pick = max if atom.name == "maximum" else min
                (low_a, high_a), (low_b, high_b) = a.form.span, b.form.span
                span = (pick(low_a, low_b), pick(high_a, high_b))
                error = _either(a.form.error, b.form.error)
                expr = Op(atom.name, (a.expr, b.expr), self.dtype)
                return FixedValue(expr, Format(a.form.bits, span, error))
            case Pick():
                a, b = self._pair(atom.then, atom.other)
                span = _either(a.form.span, b.form.span)
                error = _either(a.form.error, b.form.error)
                expr = Op("select", (atom.test, a.expr, b.expr), self.dtype)
                return FixedValue(expr, Format(a.form.bits, span, error))
            case Absolute():
                value = self.sum(atom.value)
                most = max(map(abs, value.form.span))
                off = max(map(abs, value.form.error))
                form = Format(value.form.bits, (0.0, most), (-off, off))
                return FixedValue(Op("abs", (value.expr,), self.dtype), form)
            case Product():
                return self._product(self.sum(atom.left), self.sum(atom.right))

    def _load(self, load: Load) -> FixedValue:
        form = self.formats[load.tensor]
        if load.tensor in self._bytes:
            return FixedValue(Cast(load, self.dtype), form)
        return FixedValue(replace(load, dtype=self.dtype), form)

    def _pair(self, left: Linear, right: Linear) -> tuple[FixedValue, FixedValue]:
        """Two sums with the same bits of fraction."""
        a, b = self.sum(left), self.sum(right)
        bits = min(a.form.bits, b.form.bits)
        while a.form.bits != b.form.bits:
            a, b = self.sum(left, bits), self.sum(right, bits)
            bits = min(a.form.bits, b.form.bits)
        return a, b

    def _product(self, a: FixedValue, b: FixedValue) -> FixedValue:
        bits = a.form.bits + b.form.bits - 16
        ends = [x * y for x in a.form.span for y in b.form.span]
        span = (min(ends), max(ends))
        size_a, size_b = (max(map(abs, v.form.span)) for v in (a, b))
        off_a, off_b = (max(map(abs, v.form.error)) for v in (a, b))
        off = size_a * off_b + size_b * off_a + off_a * off_b
        step = 2.0**-bits
        expr = _high(a.expr, Cast(b.expr, S32))
        return FixedValue(expr, Format(bits, (span[0] - step, span[1]), (-off - step, off)))


_Member = tuple[int, FixedValue]  # a sign


def _grouped(parts: Sequence[tuple[FixedValue, float]]) -> dict[tuple[float, int], list[_Member]]:
    """Parts with the same weight, up to its sign, and the same bits."""
    groups: dict[tuple[float, int], list[_Member]] = {}
    for value, weight in parts:
        if weight:
            key = (abs(weight), value.form.bits)
            groups.setdefault(key, []).append((1 if weight > 0 else -1, value))
    return groups


def _chunks(members: Sequence[_Member]) -> list[list[_Member]]:
    """Parts of a group whose sums fit into 16 bits."""
    made: list[list[_Member]] = []
    low = high = 0.0
    for sign, value in members:
        a, b = sorted(sign * end for end in value.form.span)
        low, high = low + a, high + b
        if not made or max(-low, high) * 2.0**value.form.bits > _LARGEST:
            made.append([])
            low, high = a, b
        made[-1].append((sign, value))
    return made


class _Sum:
    """A sum in the making: expressions to add and to subtract, and what that does to errors."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.step = 2.0**-bits
        self.error: Interval = (0.0, 0.0)  # against the exact sum
        self.moved: Interval = (0.0, 0.0)  # against the sum of what the parts hold
        self.span: Interval = (0.0, 0.0)
        self.split = False  # whether a weight took more than one product
        self._plus: list[Expr] = []
        self._minus: list[Expr] = []
        self._constant = 0

    def add(self, members: Sequence[_Member], weight: float) -> None:
        """Add values of equal bits, each with its sign, times a weight."""
        sign = 1 if any(s > 0 for s, _ in members) else -1
        plus = [value.expr for own, value in members if own == sign]
        minus = [value.expr for own, value in members if own != sign]
        span = error = (0.0, 0.0)
        for own, value in members:
            span = _plus(span, value.form.span, own * sign)
            error = _plus(error, value.form.error, own * sign)
        self.error = _plus(self.error, error, sign * weight)
        self._scaled(_total(plus, minus), span, members[0][1].form.bits, weight, sign)

    @property
    def terms(self) -> int:
        """How many expressions are added."""
        return len(self._plus) + len(self._minus)

    def constant(self, value: float) -> None:
        """Add a constant, rounded to a step."""
        self._constant = round(value / self.step)
        off = self._constant * self.step - value
        self._off((off, off), 1)

    def expr(self) -> Expr:
        """The whole sum."""
        plus = list(self._plus)
        if self._constant or not plus:
            plus.append(const(self._constant))
        return _total(plus, self._minus)

    def _off(self, error: Interval, sign: int) -> None:
        self.error = _plus(self.error, error, sign)
        self.moved = _plus(self.moved, error, sign)

    def _term(self, expr: Expr, sign: int) -> None:
        (self._plus if sign > 0 else self._minus).append(expr)

    def _scaled(self, expr: Expr, span: Interval, bits: int, weight: float, sign: int) -> None:
        """Add one value times a positive weight."""
        ratio = weight * 2.0 ** (self.bits - bits)
        if ratio >= 1 and ratio == int(ratio):
            self._term(_times(expr, int(ratio)), sign)
            return
        shift = -math.log2(ratio)
        if shift == int(shift) and 1 <= shift <= 15:
            self._term(op("shr", expr, const(int(shift))), sign)
            self._off((-self.step * (1 - ratio), 0.0), sign)
            return
        spare = max(room(max(map(abs, span))) - bits, 0)
        factor = round(ratio * 2.0 ** (16 - spare))
        if factor > _LARGEST:
            # More than a product's upper half can give: whole steps first.
            self.split = True
            count = max(round(ratio), 1)
            self._term(_times(expr, count), sign)
            rest = (ratio - count) * 2.0 ** (bits - self.bits)
            if rest:
                self._scaled(expr, span, bits, abs(rest), sign if rest > 0 else -sign)
            return
        real = factor * 2.0 ** (spare - 16) * 2.0 ** (bits - self.bits)
        ends = sorted((real - weight) * end for end in span)
        self._off((ends[0], ends[1]), sign)
        if factor:
            self._term(_high(_times(expr, 1 << spare), Const(factor, S32)), sign)
            self._off((-self.step, 0.0), sign)  # it rounds down


def room(size: float) -> int:
    """The most bits of fraction with which a value of this magnitude fits."""
    if size * 2.0**MOST_BITS <= _LARGEST:
        return MOST_BITS
    bits = math.floor(math.log2(_LARGEST / size))
    return bits if size * 2.0**bits <= _LARGEST else bits - 1


def _plus(a: Interval, b: Interval, scale: float) -> Interval:
    low, high = sorted((b[0] * scale, b[1] * scale))
    return a[0] + low, a[1] + high


def _wider(a: Interval, by: float) -> Interval:
    return a[0] - by, a[1] + by


def _either(a: Interval, b: Interval) -> Interval:
    return min(a[0], b[0]), max(a[1], b[1])


def const(value: int) -> Expr:
    """A constant of 16 bits; a larger one wraps, as sums do."""
    return Const((value + 0x8000) % 0x10000 - 0x8000, FIXED)


def op(name: str, *args: Expr) -> Expr:
    """An operation on 16 bits."""
    return Op(name, args, FIXED)


def _total(plus: Sequence[Expr], minus: Sequence[Expr]) -> Expr:
    """A sum as a tree that is no deeper than it has to be."""
    level = list(plus)
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        odd = level[-1:] if len(level) % 2 else []
        level = [*(op("add", a, b) for a, b in pairs), *odd]
    return op("sub", level[0], _total(minus, ())) if minus else level[0]


def _times(expr: Expr, count: int) -> Expr:
    if count == 1:
        return expr
    if count & (count - 1) == 0 and count < 0x8000:
        return op("shl", expr, const(count.bit_length() - 1))
    return op("mul", expr, const(count))


def _high(a: Expr, b: Expr) -> Expr:
    """The upper half of a product of 16 bits: one instruction wherever there are vectors."""
    product = Op("mul", (Cast(a, S32), b), S32)
    return Cast(Op("shr", (product, Const(16, S32)), S32), FIXED)
