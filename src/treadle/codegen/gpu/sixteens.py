"""Folds that round, by sixteens, in languages that look like C.

In: the names of a state and how two are combined. Out: lines. Of what rounds, sixteen states become
one, sixteen of those one again, and so on, so that a thread never adds something small to the sum
of very many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle.codegen.gpu.cstyle import indented
from treadle.data import dataclass

__all__ = ["Sixteens"]


@dataclass(frozen=True, slots=True)
class Sixteens:
    """Lines that fold `state`, a variable, by sixteens. `join` spells the combination of two states
    and `empty` the one of nothing; other variables are named after `prefix`."""

    state: str
    empty: str
    join: Callable[[str, str], str]
    prefix: str = "state"

    @property
    def names(self) -> list[str]:
        """The variables that hold sixteen, sixteen times sixteen and so on."""
        return [f"{self.prefix}_{power}" for power in (16, 256, 4096, 65536)]

    @property
    def taken(self) -> str:
        """The variable that counts what has been folded."""
        return f"{self.prefix}_taken"

    def declared(self, kind: str, unsigned: str) -> list[str]:
        """Declarations, with the words for a state's type and an unsigned number's."""
        lines = [f"{kind} {name} = {self.empty};" for name in self.names]
        return [*lines, f"{unsigned} {self.taken} = 0u;"]

    def after(self, first: Sequence[str] = ()) -> list[str]:
        """What follows each fold into the state; `first` is done before the state moves on."""
        inner: list[str] = []
        for below, name, power in reversed(
            list(zip([self.state, *self.names], self.names, (16, 256, 4096, 65536), strict=False))
        ):
            moved = [f"{name} = {self.join(name, below)};", f"{below} = {self.empty};"]
            opening = [*first, *moved] if below == self.state else moved
            test = f"if (({self.taken} & {power - 1}u) == 0u) {{"
            inner = [test, *indented([*opening, *inner]), "}"]
        return [f"{self.taken} += 1u;", *inner]

    def settled(self) -> str:
        """All of it as one state."""
        a, b, c, d = self.names
        return self.join(self.join(d, c), self.join(b, self.join(a, self.state)))
