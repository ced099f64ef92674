"""Weighted sums in f32 with fused multiply-adds, with what they may be off.

In: sums of reads, and what each tensor holds. Out: expressions over f32 for kernels that are
`fused`, their range, and how far they may be from what the exact kernel has in their place. Values
of equal weight are added first, as in sixteen bits, and a product and a sum round once: a symmetric
filter of seven taps takes seven operations where the exact kernel takes fourteen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from treadle.dtypes import DType
from treadle.ir.nodes import Const, Expr, Op
from treadle.passes.fixed.linear import Linear, NoForm
from treadle.passes.fixed.sums import FixedValue, Format, Lower

__all__ = ["Floats"]

_STEP = 2.0**-23  # relative error of one operation, rounded up
_TINIEST = 2.0**-126
_LARGEST = 2.0**120


class Floats(Lower):
    """Lowers the sums of one stage; values have no bits of fraction."""

    dtype = DType.F32
    name = "fused multiply-adds"

    def sum(self, linear: Linear, cap: int = 0) -> FixedValue:
        """A sum; bits of fraction mean nothing here."""
        groups: dict[float, list[tuple[int, FixedValue]]] = {}
        low = high = linear.constant
        error = (-linear.noise, linear.noise)
        for atom, weight in linear.terms:
            value = self.atom(atom)
            ends = sorted(weight * end for end in value.form.span)
            low, high = low + ends[0], high + ends[1]
            moved = sorted(weight * end for end in value.form.error)
            error = (error[0] + moved[0], error[1] + moved[1])
            groups.setdefault(abs(weight), []).append((1 if weight > 0 else -1, value))
        size, off = abs(linear.constant), 0.0
        expr: Expr | None = _const(linear.constant) if linear.constant else None
        for weight, members in groups.items():
            total, most, rounded, sign = _total(members)
            size += weight * most
            # What the members' sum is off, the weight itself, and the two operations.
            off += weight * (rounded + most * _STEP) + 2 * size * _STEP + _TINIEST
            expr = _joined(expr, total, sign * weight)
        if size >= _LARGEST:
            raise NoForm("a value may be too large for f32")
        form = Format(0, (low - off, high + off), (error[0] - off, error[1] + off))
        return FixedValue(_const(0.0) if expr is None else expr, form)

    def output(self, linear: Linear) -> FixedValue:
        """A sum as it is stored in u8, which rounds it."""
        return self.sum(linear)

    def held(self, value: FixedValue) -> FixedValue:
        """Hold a value between 0 and 255, as storing it in u8 does."""
        form, expr = value.form, value.expr
        if form.span[0] < 0:
            expr = Op("maximum", (expr, _const(0.0)), DType.F32)
        if form.span[1] > 255:
            expr = Op("minimum", (expr, _const(255.0)), DType.F32)
        span = (min(max(form.span[0], 0.0), 255.0), max(min(form.span[1], 255.0), 0.0))
        low, high = form.error
        return FixedValue(expr, Format(0, span, (min(low, 0.0), max(high, 0.0))))

    def _product(self, a: FixedValue, b: FixedValue) -> FixedValue:
        ends = [x * y for x in a.form.span for y in b.form.span]
        size_a, size_b = (max(map(abs, v.form.span)) for v in (a, b))
        off_a, off_b = (max(map(abs, v.form.error)) for v in (a, b))
        step = size_a * size_b * _STEP + _TINIEST
        off = size_a * off_b + size_b * off_a + off_a * off_b + step
        form = Format(0, (min(ends) - step, max(ends) + step), (-off, off))
        return FixedValue(Op("mul", (a.expr, b.expr), DType.F32), form)


def _total(members: Sequence[tuple[int, FixedValue]]) -> tuple[Expr, float, float, int]:
    """Values of one weight added up, each with its sign: the sum, its largest magnitude, what it
    may be off by rounding, and its own sign."""
    own = 1 if any(sign > 0 for sign, _ in members) else -1
    plus = [value.expr for sign, value in members if sign == own]
    minus = [value.expr for sign, value in members if sign != own]
    most = sum(max(map(abs, value.form.span)) for _, value in members)
    expr = plus[0]
    for other in plus[1:]:
        expr = Op("add", (expr, other), DType.F32)
    for other in minus:
        expr = Op("sub", (expr, other), DType.F32)
    return expr, most, (len(members) - 1) * most * _STEP, own


def _joined(before: Expr | None, expr: Expr, weight: float) -> Expr:
    """What is there so far and one value more: a product and a sum that round once."""
    if abs(weight) == 1 and before is not None:
        return Op("add" if weight > 0 else "sub", (before, expr), DType.F32)
    made = expr if weight == 1 else Op("mul", (expr, _const(weight)), DType.F32)
    return made if before is None else Op("add", (made, before), DType.F32)


def _const(value: float) -> Expr:
    return Const(float(np.float32(value)), DType.F32)
