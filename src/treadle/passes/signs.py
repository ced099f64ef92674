"""Sums that start with 0 without it, where what is added can be no -0.

In: a map or a chain. Out: the same kernel, with `0.0 + x` as x wherever x is known never to be
below 0, nor -0: weights times bytes are such. Other forms are returned as they are.
"""

from __future__ import annotations

import math
from dataclasses import replace

from treadle.dtypes import DType
from treadle.ir.nodes import (
    Assign,
    Cast,
    Chain,
    Const,
    Expr,
    Kernel,
    Load,
    Local,
    Map,
    Op,
    statements,
)
from treadle.ir.rewrite import rewrite_block

__all__ = ["without_zeros"]


def without_zeros(kernel: Kernel) -> Kernel:
    """Leave out the zeros that sums start with, where that changes no bit."""
    signs = _Signs({tensor.name for tensor in kernel.inputs if tensor.dtype is DType.U8})
    form = kernel.form
    if isinstance(form, Chain):
        stages = tuple([signs.stage(stage, stage.form) for stage in form.stages])
        return replace(kernel, form=replace(form, stages=stages))
    return signs.stage(kernel, form)


class _Signs:
    """What is known never to be below 0, nor -0, stage after stage."""

    def __init__(self, tensors: set[str]) -> None:
        self._tensors = tensors
        self._locals: set[str] = set()  # of the stage at hand

    def stage(self, stage: Kernel, form: object) -> Kernel:
        """A kernel without such zeros; what it writes is known afterwards."""
        if not isinstance(form, Map):
            return stage
        self._locals = set()
        counts: dict[str, int] = {}
        sets = [stmt for stmt in statements(form.block.body) if isinstance(stmt, Assign)]
        for stmt in sets:
            counts[stmt.name] = counts.get(stmt.name, 0) + 1
        for stmt in sets:
            if counts[stmt.name] == 1 and self._steady(stmt.value):
                self._locals.add(stmt.name)
        for tensor, result in zip(stage.outputs, form.block.results, strict=True):
            if tensor.dtype is DType.U8 or self._steady(result):
                self._tensors.add(tensor.name)
        return replace(stage, form=Map(rewrite_block(form.block, self._sum)))

    def _sum(self, node: Expr) -> Expr:
        match node:
            case Op("add", (Const() as zero, other)) if zero.value == 0 and node.dtype.is_float:
                plus = math.copysign(1.0, zero.value) > 0
                return other if plus and self._steady(other) else node
            case _:
                return node

    def _steady(self, node: Expr) -> bool:
        """Whether a value is never below 0, nor -0; it may be NaN."""
        match node:
            case Const():
                return math.copysign(1.0, node.value) > 0
            case Load():
                return node.tensor in self._tensors
            case Local():
                return node.name in self._locals
            case Cast() if node.dtype.is_float:
                return self._steady(node.value)
            case Op("exp" | "exp2" | "abs") if node.dtype.is_float:
                return True
            case Op("add" | "mul" | "div") if node.dtype.is_float:
                return all(self._steady(arg) for arg in node.args)
            case _:
                return False
