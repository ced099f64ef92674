"""Row kernels over threads: which sweeps a row takes, and what is worth keeping between them.

In: a Row kernel. Out: Sweeps. A sweep is for one fold, or for several that do not need each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from treadle.dtypes import DType
from treadle.ir.cost import costly
from treadle.ir.names import needed, single_names
from treadle.ir.nodes import (
    Assign,
    Axis,
    Const,
    Expr,
    Kernel,
    Load,
    Local,
    Op,
    Row,
    RowFold,
    RowLet,
    walk,
)
from treadle.ir.rounding import fold_rounds
from treadle.ir.threads import Fold, Sweep, Sweeps

__all__ = ["sweeps_over"]

_JOINS = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum"}


def sweeps_over(kernel: Kernel, *, together: bool) -> Sweeps:
    """Decide the sweeps of a row; `together` lets folds share one."""
    assert isinstance(kernel.form, Row)
    return _Planner(kernel.form, together).made()


def _fold(stmt: RowFold) -> Fold:
    dtype = stmt.value.dtype
    sides = (Local("left side", dtype), Local("right side", dtype))  # no local has such a name
    join = Op(_JOINS[stmt.kind], sides, dtype)
    start = Const(_identity(stmt.kind, dtype), dtype)
    return Fold(stmt.kind, stmt.name, stmt.value, join, start, fold_rounds(stmt.kind, dtype))


def _identity(kind: str, dtype: DType) -> float:
    """What folding nothing gives."""
    if kind in ("sum", "prod"):
        return float(kind == "prod") if dtype.is_float else int(kind == "prod")
    if dtype.is_float:
        return -math.inf if kind == "max" else math.inf
    bits = dtype.size * 8
    low, high = (0, 1 << bits) if dtype is DType.U32 else (-(1 << bits - 1), 1 << bits - 1)
    return low if kind == "max" else high - 1


class _Planner:
    """Collects what is known about one row kernel."""

    def __init__(self, form: Row, together: bool) -> None:
        self.form = form
        self.block = single_names(form.block, "_")
        self.body = [s for s in self.block.body if isinstance(s, Assign | RowLet | RowFold)]
        self.lets = {s.name: s.value for s in self.body if isinstance(s, RowLet)}
        self.groups = self._groups(together)
        swept = [[fold.value for fold in group] for group in self.groups if isinstance(group, list)]
        self.swept: list[list[Expr]] = [*swept, *([] if form.scalar else [self.results])]

    @property
    def results(self) -> list[Expr]:
        """What the last sweep computes."""
        return list(self.block.results)

    def made(self) -> Sweeps:
        """All of it as data."""
        kept = tuple(name for name in self.lets if self._worth(name))
        have: set[str] = set()  # what earlier sweeps have kept
        steps: list[Assign | Sweep] = []
        for group in self.groups:
            if isinstance(group, Assign):
                steps.append(group)
            else:
                steps.append(self._sweep(group, [f.value for f in group], kept, have))
        if not self.form.scalar:
            steps.append(self._sweep([], self.results, kept, have))
        return Sweeps(
            self.block,
            {s.name: s.value.dtype for s in self.body},
            self.lets,
            tuple(steps),
            kept,
            self._repeated(kept),
            self._divisors(),
        )

    def _sweep(
        self, folds: list[RowFold], exprs: list[Expr], kept: Sequence[str], have: set[str]
    ) -> Sweep:
        fresh = self._ordered(needed(exprs, self.lets, have))
        taken = frozenset(have.intersection(fresh))
        have |= set(fresh).intersection(kept)
        every = self._ordered(needed(exprs, self.lets))
        return Sweep(tuple(map(_fold, folds)), every, fresh, taken)

    def _ordered(self, names: set[str]) -> tuple[str, ...]:
        return tuple(name for name in self.lets if name in names)

    def _groups(self, together: bool) -> list[list[RowFold] | Assign]:
        """The scalar statements in order; with `together`, folds that do not need each other."""
        made: list[list[RowFold] | Assign] = []
        for stmt in self.body:
            if isinstance(stmt, Assign):
                made.append(stmt)
            elif isinstance(stmt, RowFold):
                last = made[-1] if made and together else None
                if isinstance(last, list) and not self._uses(stmt.value, {f.name for f in last}):
                    last.append(stmt)
                else:
                    made.append([stmt])
        return made

    def _uses(self, expr: Expr, names: set[str]) -> bool:
        """Whether an expression needs one of some scalars, also through per-position locals."""
        every = [expr, *(self.lets[name] for name in needed([expr], self.lets))]
        return any(isinstance(n, Local) and n.name in names for e in every for n in walk(e))

    def _worth(self, name: str) -> bool:
        """Whether a per-position local is worth a register: it costs, and is needed again."""
        return (
            costly(self.lets[name])
            and sum(name in needed(exprs, self.lets) for exprs in self.swept) > 1
        )

    def _repeated(self, kept: Sequence[str]) -> tuple[Load, ...]:
        """Reads at this position that several sweeps make."""
        uses: dict[Load, int] = {}
        done: set[str] = set()
        for exprs in self.swept:
            names = needed(exprs, self.lets, done)
            every = [*exprs, *(self.lets[n] for n in names - done)]
            done |= names & set(kept)
            loads = {n for e in every for n in walk(e) if isinstance(n, Load)}
            for load in loads:
                parts = [n for index in load.indices for n in walk(index)]
                if Axis(self.form.axis) in parts and not any(isinstance(n, Local) for n in parts):
                    uses[load] = uses.get(load, 0) + 1
        return tuple(sorted((x for x, n in uses.items() if n > 1), key=repr))

    def _divisors(self) -> dict[str, Expr]:
        """The scalars of a row that every position is divided by."""
        every = [*self.lets.values(), *(e for exprs in self.swept for e in exprs)]
        found = (
            node.args[1]
            for e in every
            for node in walk(e)
            if isinstance(node, Op) and node.name == "div" and node.dtype is DType.F32
        )
        locals_ = (by for by in found if isinstance(by, Local))
        return {by.name: by for by in locals_ if by.name not in self.lets}
