"""Row kernels in the languages of GPUs: scalars of a row and sweeps over it, in order.

In: the sweeps that were decided. Out: lines for one row. How threads share the row, and how what
each has folded becomes one, is the language's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from treadle.codegen.gpu.cstyle import CStyle, Scope
from treadle.codegen.gpu.sixteens import Sixteens
from treadle.ir.nodes import Assign
from treadle.ir.threads import Fold, Sweep, Sweeps

__all__ = ["RowText"]


class RowText:
    """The lines of one row."""

    def __init__(self, language: CStyle, sweeps: Sweeps, scope: Scope) -> None:
        self.language, self.sweeps, self.scope = language, sweeps, scope

    # What a language must say for itself.

    def loop(self, lines: Sequence[str]) -> list[str]:
        """Do something at every position of this thread."""
        raise NotImplementedError

    def join(self, fold: Fold, left: str, right: str) -> str:
        """Two partial results as one."""
        return self.language.operation(fold.join, [left, right])

    def gathered(self, folds: Sequence[Fold]) -> list[str]:
        """Make one result of those of a row's threads, known to all of them."""
        raise NotImplementedError

    def placed(self) -> list[str]:
        """What comes first at a position whose results are stored."""
        return []

    def known(self, name: str) -> list[str]:
        """What follows where a scalar of the row is known."""
        return []

    # What they share.

    def lines(self, at: str) -> list[str]:
        """Every statement; the results of a position are stored at a place."""
        lines: list[str] = []
        for step in self.sweeps.steps:
            if isinstance(step, Assign):
                value = self.language.expr(step.value, self.scope)
                lines.append(self.declared(step.name, value))
                lines += self.known(step.name)
            elif step.folds:
                lines += self.folded(step)
                lines += [line for fold in step.folds for line in self.known(fold.name)]
            else:
                lines += self.loop([*self.placed(), *self.position(step), *self.stores(at)])
        return lines

    def declared(self, name: str, value: str) -> str:
        """Declare a local with its value."""
        return self.language.declare(self.scope.local(name), self.sweeps.dtypes[name], value)

    def position(self, sweep: Sweep) -> list[str]:
        """Compute the per-position locals that a sweep needs."""
        lets = self.sweeps.lets
        return [self.declared(n, self.language.expr(lets[n], self.scope)) for n in sweep.lets]

    def folded(self, sweep: Sweep) -> list[str]:
        """Fold along the row."""
        language = self.language
        lines, inside, after = list[str](), self.position(sweep), list[str]()
        for fold in sweep.folds:
            name, dtype = self.scope.local(fold.name), fold.value.dtype
            start = language.constant(fold.start.value, dtype)
            value = language.expr(fold.value, self.scope)
            lines.append(language.declare(name, dtype, start))
            inside.append(f"{name} = {self.join(fold, name, value)};")
            if fold.rounds:
                sums = Sixteens(name, start, partial(self.join, fold), name)
                lines += sums.declared(language.kind(dtype), language.unsigned)
                inside += sums.after()
                after.append(f"{name} = {sums.settled()};")
        return [*lines, *self.loop(inside), *after, *self.gathered(sweep.folds)]

    def stores(self, at: str) -> list[str]:
        """Store the results."""
        language, results = self.language, self.sweeps.block.results
        texts = [language.expr(result, self.scope) for result in results]
        return language.stores(at, texts, [result.dtype for result in results])
