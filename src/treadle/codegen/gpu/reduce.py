"""Reductions in the languages of GPUs: a state, and functions that lift, combine and finish it.

In: a Reduce kernel's language and what was decided about it. Out: lines of functions over a struct
`State` with members s0, s1 and so on. Which thread folds what is the language's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.codegen.gpu.cstyle import CStyle
from treadle.codegen.gpu.sixteens import Sixteens
from treadle.dtypes import DType
from treadle.ir.nodes import Block, Reduce
from treadle.ir.schedule import Threads
from treadle.ir.threads import Folded

__all__ = ["ReduceText"]


class ReduceText:
    """The functions of one reduction, in the words of a language."""

    initial: str  # calls: the state of nothing
    joined: str  # two states as one
    heads: Mapping[str, str]  # of the functions: initial, combine and finish
    state: str  # the state that finish takes
    kind = "State"  # begins the declaration of a state with a value

    def __init__(self, language: CStyle, threads: Threads | None) -> None:
        self.language, self.kernel = language, language.kernel
        assert isinstance(self.kernel.form, Reduce)
        assert isinstance(threads, Folded)
        self.form, self.threads = self.kernel.form, threads
        axes = range(len(self.kernel.space))
        self.reduced = [k for k in axes if k in self.form.axes]
        self.kept = [k for k in axes if k not in self.form.axes]
        self.dtypes = [const.dtype for const in self.form.init]

    # What a language must say for itself.

    def function(
        self, head: str, lines: Sequence[str], values: Sequence[str] | None = None
    ) -> list[str]:
        """A function; it gives a state with `values`, if there are any."""
        raise NotImplementedError

    def member(self, text: str, dtype: DType) -> str:
        """A member of a state as a value of its type."""
        return text

    # What they share.

    def functions(self) -> list[str]:
        """The state of nothing, two states as one, and the results of one."""
        language, form = self.language, self.form
        first = [language.constant(const.value, const.dtype) for const in form.init]
        combine, combined = self.given(form.combine, ["left", "right"])
        finish, finished = self.given(form.finish, [self.state])
        dtypes = [result.dtype for result in form.finish.results]
        return [
            *self.function(self.heads["initial"], [], first),
            *self.function(self.heads["combine"], combine, combined),
            *self.function(
                self.heads["finish"], [*finish, *language.stores("row", finished, dtypes)]
            ),
        ]

    def given(self, block: Block, states: Sequence[str]) -> tuple[list[str], list[str]]:
        """A block whose arguments are the members of states: its lines and results."""
        scope, lines = self.language.scope({}), list[str]()
        members = [f"{state}.s{k}" for state in states for k in range(len(self.dtypes))]
        for arg, member in zip(block.args, members, strict=True):
            name = scope.local(arg.name)
            lines.append(self.language.declare(name, arg.dtype, self.member(member, arg.dtype)))
            scope.replaced[arg.name] = name
        body, results = self.language.block(block, scope)
        return [*lines, *body], results

    def sixteens(
        self, state: str, prefix: str, whole: str, first: Sequence[str] = ()
    ) -> tuple[list[str], list[str], list[str]]:
        """Lines before, inside and after a loop that keep what one thread adds up small, if
        combining rounds; `first` makes one state of several, and `whole` becomes all of it."""
        if not self.threads.rounds:
            return [], [], []
        sums = Sixteens(state, self.initial, self.joined.format, prefix)
        declared = sums.declared(self.kind, self.language.unsigned)
        return declared, sums.after(first), [f"{whole} = {sums.settled()};"]
