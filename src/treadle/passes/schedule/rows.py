"""Row kernels as passes over each row.

In: the block of a Row kernel. Out: passes: folds that do not need each other share one, the results
are the last. A local that has a value for each position, is costly and is used in several passes is
computed once and kept in an output's row until the result overwrites it; others are computed again.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.ir.cost import costly
from treadle.ir.loops import PositionLocal, RowPass
from treadle.ir.names import needed, single_names
from treadle.ir.nodes import (
    Assign,
    Expr,
    Kernel,
    Local,
    Row,
    RowFold,
    RowLet,
    walk,
)

__all__ = ["row_passes"]


def row_passes(kernel: Kernel, row: Row) -> tuple[RowPass, ...]:
    """Return the passes over a row, in order."""
    return _Passes(kernel, row).made()


class _Passes:
    """A row kernel's statements, with one name for each value."""

    def __init__(self, kernel: Kernel, row: Row) -> None:
        block = single_names(row.block, ".")
        self.scalar = row.scalar
        self.results = block.results
        self.lets: dict[str, Expr] = {}
        self.groups: list[Assign | list[RowFold]] = []  # what is assigned, and what is folded
        pending: list[RowFold] = []
        for stmt in block.body:
            if isinstance(stmt, RowLet):
                self.lets[stmt.name] = stmt.value
                continue
            assert isinstance(stmt, Assign | RowFold)
            scalars = self._scalars(stmt.value)
            if pending and scalars & {fold.name for fold in pending}:
                self.groups.append(pending)
                pending = []
            if isinstance(stmt, Assign):
                self.groups.append(stmt)
            else:
                pending.append(stmt)
        if pending:
            self.groups.append(pending)
        self.kept = {} if row.scalar else self._choose(kernel)

    def made(self) -> tuple[RowPass, ...]:
        """The passes, each with the locals that it needs."""
        stored: frozenset[str] = frozenset()
        passes = []
        for group in self.groups:
            if isinstance(group, Assign):
                passes.append(RowPass(assign=group))
                continue
            exprs = [fold.value for fold in group]
            passes.append(RowPass(tuple(group), self._locals(exprs, stored)))
            stored |= needed(exprs, self.lets, stored) & set(self.kept)
        last = () if self.scalar else self._locals(self.results, stored)
        return (*passes, RowPass(locals=last, results=self.results))

    def _locals(self, exprs: Sequence[Expr], stored: frozenset[str]) -> tuple[PositionLocal, ...]:
        names = needed(exprs, self.lets, stored)
        return tuple(
            PositionLocal(name, value, self.kept.get(name), name in stored)
            for name, value in self.lets.items()
            if name in names
        )

    def _scalars(self, expr: Expr) -> set[str]:
        """The other locals that an expression uses, also through per-position ones."""
        exprs = [expr, *(self.lets[name] for name in needed([expr], self.lets))]
        nodes = (node for e in exprs for node in walk(e))
        return {n.name for n in nodes if isinstance(n, Local) and n.name not in self.lets}

    def _choose(self, kernel: Kernel) -> dict[str, str]:
        """Choose the locals to keep: name -> output that holds it."""
        kept: dict[str, str] = {}
        free = {t.name: t.dtype for t in kernel.outputs}
        folded = [group for group in self.groups if not isinstance(group, Assign)]
        walks = [*([fold.value for fold in folds] for folds in folded), list(self.results)]
        for name, value in reversed(self.lets.items()):
            uses = sum(name in needed(exprs, self.lets, kept) for exprs in walks)
            fits = [output for output, dtype in free.items() if dtype is value.dtype]
            if uses > 1 and costly(value) and fits:
                kept[name] = fits[0]
                del free[fits[0]]
        return kept
