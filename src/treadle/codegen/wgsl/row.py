"""Whole-row kernels in WGSL: rows share workgroups, each fold is a walk over the row.

In: a kernel and its language. Out: an entry point, and for given sizes what to dispatch. What
differs along the row is computed again in each walk; nothing is stored in between.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from treadle.codegen.gpu.cstyle import Scope, indented
from treadle.codegen.rounding import Sixteens
from treadle.codegen.wgsl.grid import (
    GROUP_BUILTINS,
    LANE_LINES,
    SHARED,
    Dispatch,
    axes_lines,
    axes_of,
    entry_lines,
    groups_of,
    lanes_for,
    row_major,
    size_of,
)
from treadle.codegen.wgsl.language import LINEAR, Wgsl
from treadle.dtypes import DType
from treadle.errors import LaunchError
from treadle.ir.nodes import Assign, Expr, Kernel, Local, Op, Row, RowFold, RowLet, walk
from treadle.ir.rounding import fold_rounds

__all__ = ["RowForm"]

_TOGETHER = 16
_FOLDS = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum"}


def fold_identity(kind: str, dtype: DType) -> float:
    """What folding nothing gives."""
    if kind in ("sum", "prod"):
        return 0 if kind == "sum" else 1
    if dtype.is_float:
        return -math.inf if kind == "max" else math.inf
    bits = dtype.size * 8
    low, high = (0, 1 << bits) if dtype is DType.U32 else (-(1 << bits - 1), 1 << bits - 1)
    return low if kind == "max" else high - 1


class RowForm:
    """Rows share workgroups; each fold is a walk over the row, the results are the last one."""

    geometry = ("lanes", "rows")

    def __init__(self, kernel: Kernel, wgsl: Wgsl) -> None:
        assert isinstance(kernel.form, Row)
        self.kernel = kernel
        self.form = kernel.form
        self.wgsl = wgsl
        self.kept = [k for k in range(len(kernel.space)) if k != kernel.form.axis]
        self.lets = {s.name: s for s in self.form.block.body if isinstance(s, RowLet)}
        self.scope = Scope({**axes_of(len(kernel.space)), LINEAR: "linear"})
        self.together = 1  # positions of a round

    def needed(self, exprs: Sequence[Expr]) -> list[str]:
        """Statements for the per-position locals that expressions use, in order."""
        found: set[str] = set()
        todo = list(exprs)
        while todo:
            for node in walk(todo.pop()):
                if isinstance(node, Local) and node.name in self.lets and node.name not in found:
                    found.add(node.name)
                    todo.append(self.lets[node.name].value)
        return [
            self.wgsl.declare(
                self.scope.local(name), let.value.dtype, self.wgsl.expr(let.value, self.scope)
            )
            for name, let in self.lets.items()
            if name in found
        ]

    def walk(self, exprs: Sequence[Expr], then: Sequence[str]) -> list[str]:
        """A loop over the positions of this lane."""
        body = [
            f"let a{self.form.axis} = i32(at);",
            f"let linear = {row_major(self.wgsl, self.kernel.space)};",
            *self.needed(exprs),
            *then,
        ]
        if self.together == 1:
            return ["for (var at = lane; at < length; at += lanes) {", *indented(body), "}"]
        lines = [f"for (var begin = lane; begin < length; begin += lanes * {self.together}u) {{"]
        for k in range(self.together):
            place = [f"let at = begin + lanes * {k}u;", "if (at < length) {", *indented(body), "}"]
            lines += indented(["{", *indented(place), "}"])
        return [*lines, "}"]

    def groups(self) -> list[list[RowFold] | Assign]:
        """The scalar statements in order, folds that do not need each other together."""
        made: list[list[RowFold] | Assign] = []
        known: set[str] = set()  # folds in the group that is being collected
        for stmt in self.form.block.body:
            if isinstance(stmt, Assign):
                made.append(stmt)
                known = set()
            elif isinstance(stmt, RowFold):
                if known and isinstance(made[-1], list) and not self.uses(stmt.value, known):
                    made[-1].append(stmt)
                else:
                    made.append([stmt])
                    known = set()
                known.add(stmt.name)
        return made

    def uses(self, expr: Expr, names: set[str]) -> bool:
        """Whether an expression needs one of some locals, also through per-position ones."""
        for node in walk(expr):
            if isinstance(node, Local):
                if node.name in names:
                    return True
                let = self.lets.get(node.name)
                if let is not None and self.uses(let.value, names):
                    return True
        return False

    def combined(self, fold: RowFold, left: str, right: str) -> str:
        """Two partial results of a fold as one."""
        dtype = fold.value.dtype
        node = Op(_FOLDS[fold.kind], (Local("", dtype), Local("", dtype)), dtype)
        return self.wgsl.operation(node, [left, right])

    def folds(self, group: list[RowFold]) -> list[str]:
        """One walk for several folds, then their trees."""
        wgsl = self.wgsl
        lines, then, after = [], [], []
        for fold in group:
            name, dtype = self.scope.local(fold.name), fold.value.dtype
            start = wgsl.constant(fold_identity(fold.kind, dtype), dtype)
            lines.append(wgsl.declare(name, dtype, start))
            value = wgsl.expr(fold.value, self.scope)
            then.append(f"{name} = {self.combined(fold, name, value)};")
            if fold_rounds(fold.kind, dtype):
                sums = Sixteens(name, start, partial(self.combined, fold), name)
                lines += sums.declared("var", "var")
                then += sums.after()
                after.append(f"{name} = {sums.settled()};")
        lines += [*self.walk([fold.value for fold in group], then), *after]
        for fold in group:
            name = self.scope.local(fold.name)
            shared = f"shared_{wgsl.types[fold.value.dtype]}"
            pair = self.combined(fold, f"{shared}[local]", f"{shared}[local + half]")
            lines += [
                f"{shared}[local] = {name};",
                "workgroupBarrier();",
                "for (var half = lanes / 2u; half > 0u; half /= 2u) {",
                f"    if (lane < half) {{ {shared}[local] = {pair}; }}",
                "    workgroupBarrier();",
                "}",
                f"{name} = {shared}[local - lane];",
                "workgroupBarrier();",
            ]
        return lines

    def lines(self) -> list[str]:
        """The entry point, and one for rows that take more rounds than the device runs."""
        wgsl = self.wgsl
        folded = [s.value.dtype for s in self.form.block.body if isinstance(s, RowFold)]
        made = [
            f"var<workgroup> shared_{wgsl.types[d]}: array<{wgsl.types[d]}, {SHARED}>;"
            for d in dict.fromkeys(folded)
        ]
        for name, together in (("main", 1), ("long", _TOGETHER))[: 2 if wgsl.rounds else 1]:
            self.together = together
            made += self.entry(name)
        return made

    def entry(self, name: str) -> list[str]:
        """An entry point that takes `together` positions in a round."""
        k, form, wgsl = self.kernel, self.form, self.wgsl
        lines = [
            *LANE_LINES,
            "let present = number < u32(args.g_rows);",
            "let row = i32(min(number, u32(args.g_rows) - 1u));",
            f"let length = select(0u, u32({wgsl.size(k.space[form.axis])}), present);",
            *axes_lines(wgsl, [k.space[a] for a in self.kept], "row", self.kept),
        ]
        for step in self.groups():
            if isinstance(step, Assign):
                value = wgsl.expr(step.value, self.scope)
                lines.append(wgsl.declare(self.scope.local(step.name), step.value.dtype, value))
            else:
                lines += self.folds(step)
        results = form.block.results
        texts = [wgsl.expr(result, self.scope) for result in results]
        stores = [f"let result{n} = {text};" for n, text in enumerate(texts)]
        where = "row" if form.scalar else "linear"
        stores += [
            wgsl.store(tensor, where, f"result{n}", result.dtype)
            for n, (tensor, result) in enumerate(zip(k.outputs, results, strict=True))
        ]
        if form.scalar:
            lines += ["if (lane == 0u && present) {", *indented(stores), "}"]
        else:
            lines += self.walk(list(results), stores)
        return entry_lines(name, SHARED, GROUP_BUILTINS, lines)

    def dispatches(self, sizes: Mapping[str, int]) -> tuple[Dispatch, ...]:
        """One dispatch over the rows."""
        rows = size_of([self.kernel.space[a] for a in self.kept], sizes)
        length = size_of([self.kernel.space[self.form.axis]], sizes)
        lanes = lanes_for(length, rows, self.form.axis != len(self.kernel.space) - 1)
        walks = sum(isinstance(step, list) for step in self.groups()) + (not self.form.scalar)
        most = self.wgsl.rounds // walks - SHARED if self.wgsl.rounds and walks else length
        if groups_of(length, lanes) <= most:
            return (Dispatch("main", groups_of(rows, SHARED // lanes), (lanes, rows)),)
        if groups_of(length, SHARED * _TOGETHER) > most:
            raise LaunchError(
                f"{self.kernel.name}: rows of {length:,} elements are too long for device "
                f"'webgpu': its driver ends loops after {self.wgsl.rounds:,} rounds "
                f"(limits.rounds), enough for {most * SHARED * _TOGETHER:,}; use another device"
            )
        return (Dispatch("long", rows, (SHARED, rows)),)
