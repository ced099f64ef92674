"""Lines of a scan in pieces, in the languages of GPUs: functions over states and summaries.

In: a Scan kernel's language, and how its elements are summed up (ir.transition). Out: lines of
functions over two structs, `State` and `Summary`, with members m0, m1 and so on: `start` and `none`
give those of nothing, `follow` a summary with one more element, `combine` that of two, `apply` the
state behind what is summed up, `moved` the state behind one element, `step` the same after its
results are stored, and `sound` whether summaries say what elements one after the other do. Which
thread walks what is the language's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from treadle.codegen.gpu.counts import elements
from treadle.codegen.gpu.cstyle import CStyle
from treadle.dtypes import DType
from treadle.ir.nodes import Block, Const, Dim, Scan
from treadle.ir.transition import Transition

__all__ = ["PiecesText", "cut"]

_MANY = 1 << 14  # lines that keep all threads busy as they are
_SHORT = 64  # elements of a line that a thread walks before others could be told


def cut(
    space: Sequence[Dim], axis: int, tile: int, sizes: Mapping[str, int]
) -> tuple[int, int, int]:
    """Return how many lines there are, how long they are, and the tiles that each is cut into; 0
    where a thread walks a line."""
    lines = elements([space[k] for k in range(len(space)) if k != axis], sizes)
    length = elements([space[axis]], sizes)
    tiles = max(-(-length // tile), 1)
    return lines, length, tiles if lines < _MANY and length > _SHORT else 0


class PiecesText:
    """The functions of one scan, in the words of a language."""

    heads: Mapping[str, str]  # of the functions
    finite: Mapping[DType, str]  # whether a number is neither infinite nor NaN

    def __init__(self, language: CStyle, pieces: Transition) -> None:
        form = language.kernel.form
        assert isinstance(form, Scan)
        self.language, self.form, self.pieces = language, form, pieces
        self.others = [k for k in range(len(language.kernel.space)) if k != form.axis]
        self.states = [c.dtype for c in form.init]
        self.sums = [c.dtype for c in self.pieces.init]

    # What a language must say for itself.

    def function(
        self, head: str, lines: Sequence[str], kind: str = "", values: Sequence[str] = ()
    ) -> list[str]:
        """A function; it gives a struct of a kind with `values`, if it has one."""
        raise NotImplementedError

    def place(self) -> str:
        """The number of the element at the coordinates."""
        raise NotImplementedError

    def stores(self, texts: Sequence[str], dtypes: Sequence[DType]) -> list[str]:
        """Statements that store the results of the element whose number is `linear`."""
        return self.language.stores("linear", texts, dtypes)

    # What they share.

    def functions(self) -> list[str]:
        """All of them."""
        form, pieces, heads = self.form, self.pieces, self.heads
        found = [
            *self.function(heads["start"], [], "State", self.constants(form.init)),
            *self.function(heads["none"], [], "Summary", self.constants(pieces.init)),
        ]
        two = [("left", len(self.sums)), ("right", len(self.sums))]
        body, values = self.given(pieces.combine, two)
        found += self.function(heads["combine"], body, "Summary", values)
        body, values = self.given(
            pieces.apply, [("state", len(self.states)), ("sum", len(self.sums))]
        )
        found += self.function(heads["apply"], body, "State", values)
        body, values = self.given(pieces.follow, [("sum", len(self.sums))])
        found += self.function(heads["follow"], [*self.located(), *body], "Summary", values)
        body, values = self.given(form.step, [("state", len(self.states))])
        count = len(self.states)
        moved = [*self.located(), *body]
        found += self.function(heads["moved"], moved, "State", values[:count])
        dtypes = [result.dtype for result in form.step.results[count:]]
        kept = [
            self.language.declare(f"new_{k}", d, text)
            for k, (d, text) in enumerate(zip(self.states, values, strict=False))
        ]
        stores = self.stores(values[count:], dtypes)
        stepped = [*moved, *kept, *stores]
        news = [f"new_{k}" for k in range(count)]
        found += self.function(heads["step"], stepped, "State", news)
        return [*found, *self.function(heads["sound"], [f"return {self.soundness()};"])]

    def constants(self, values: Sequence[Const]) -> list[str]:
        """Literals."""
        return [self.language.constant(c.value, c.dtype) for c in values]

    def located(self) -> list[str]:
        """The coordinates of a place on a line, and its number."""
        axis = self.language.coordinate.format(self.form.axis)
        return [
            *self.language.coordinates("line", self.others),
            self.language.fixed(axis, "at"),
            self.language.fixed("linear", self.place()),
        ]

    def given(
        self, block: Block, structs: Sequence[tuple[str, int]]
    ) -> tuple[list[str], list[str]]:
        """A block whose arguments are the members of structs: its lines and results."""
        scope, lines = self.language.scope(), list[str]()
        members = [f"{name}.m{k}" for name, count in structs for k in range(count)]
        for arg, member in zip(block.args, members, strict=True):
            name = scope.local(arg.name)
            lines.append(self.language.declare(name, arg.dtype, member))
            scope.replaced[arg.name] = name
        body, results = self.language.block(block, scope)
        return [*lines, *body], results

    def soundness(self) -> str:
        """Whether two states and a summary are finite, where that matters."""
        if not self.pieces.rounds:
            return "true"
        parts = [("before", self.states), ("sum", self.sums), ("after", self.states)]
        return " && ".join(
            self.finite[dtype].format(f"{name}.m{k}")
            for name, dtypes in parts
            for k, dtype in enumerate(dtypes)
            if dtype.is_float
        )
