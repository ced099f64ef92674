"""Sums over windows: what neighbours have in common is added up once.

In: a block that adds up what lies along an axis, as a box blur's does, and emitters for neighbours.
Out: the block with that sum as a variable, and the sum itself from parts that neighbours share:
rows side by side have most of their windows in common, and along a row sums of a few places are
made first and then added up. Integers give the same bits as one after the other would, floats are
rounded in another order, and less often. Knows nothing about where rows live.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from treadle.codegen.llvm.emit import Emitter
from treadle.codegen.llvm.ops import spell
from treadle.codegen.llvm.text import Value
from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Const,
    Expr,
    Load,
    Local,
    Op,
    expressions,
    rewrite,
    statements,
    walk,
)

__all__ = ["Window", "added", "find_window", "shared_sum"]

_FEWEST = 9  # places: below, there is little to share
_RUN = 8  # values added one after the other; runs are independent of each other


@dataclass(frozen=True, slots=True)
class Window:
    """A sum of terms that are equal but for their place along an axis, one for each place in order.
    `block` is the one that it was found in, with the sum as a variable that is not assigned."""

    block: Block
    total: str
    axis: int
    terms: tuple[Expr, ...]

    @property
    def dtype(self) -> DType:
        """The type of the sum."""
        return self.terms[0].dtype

    @property
    def parts(self) -> tuple[int, int]:
        """How many places make a part, and how many whole parts there are: what adds least."""
        count = len(self.terms)
        size = min(range(1, count + 1), key=lambda k: k + count // k + count % k)
        return size, count // size


def find_window(block: Block, indexer: Indexer) -> Window | None:
    """The widest sum over a window in a block, as a chain of variables each used once."""
    counts = Counter(s.name for s in statements(block.body) if isinstance(s, Assign))
    uses = Counter(e.name for e in expressions(block) if isinstance(e, Local))
    values = {s.name: s.value for s in block.body if isinstance(s, Assign) and counts[s.name] == 1}
    for name in reversed(values):
        terms, chain = _chain(name, values, uses)
        if len(terms) < _FEWEST or len({term.dtype for term in terms}) > 1:
            continue
        for axis in range(len(indexer.space)):
            ordered = _ordered(terms, indexer, axis)
            if ordered is not None:
                gone = {*chain, name}
                body = tuple(s for s in block.body if getattr(s, "name", None) not in gone)
                return Window(replace(block, body=body), name, axis, ordered)
    return None


def _chain(name: str, values: dict[str, Expr], uses: Counter[str]) -> tuple[list[Expr], list[str]]:
    """What is added up in a variable, and the variables that hold it on the way."""
    terms: list[Expr] = []
    chain: list[str] = []
    value = values[name]
    while isinstance(value, Op) and value.name == "add":
        before, term = value.args
        if not isinstance(before, Local) or before.name not in values or uses[before.name] > 1:
            break
        terms.append(term)
        chain.append(before.name)
        value = values[before.name]
    if isinstance(value, Op) and value.name == "add" and value.args[0] == Const(0.0, value.dtype):
        value = value.args[1]  # what a sum of floats starts with
    return [*terms, value], chain


def _ordered(terms: Sequence[Expr], indexer: Indexer, axis: int) -> tuple[Expr, ...] | None:
    """Terms in the order of their places along an axis; None where they differ in more than that,
    or where a place is left out or there twice."""
    places: dict[int, Expr] = {}
    for term in terms:
        place, rest = _placed(term, indexer, axis)
        if place is None or place in places or any(isinstance(e, Local) for e in walk(term)):
            return None
        places[place] = rest
    if len(set(places.values())) > 1 or max(places) - min(places) >= len(places):
        return None
    found = {_placed(term, indexer, axis)[0]: term for term in terms}
    return tuple(found[place] for place in sorted(places))


def _placed(term: Expr, indexer: Indexer, axis: int) -> tuple[int | None, Expr]:
    """How far from the element along an axis a term reads, if that is one distance; and the term
    as it would be at the element itself."""
    found: set[int] = set()
    own = Axis(axis, DType.S32)

    def change(node: Expr) -> Expr:
        if not isinstance(node, Load):
            return node
        indices = list(node.indices)
        for k, index in enumerate(indices):
            form = indexer.affine(index)
            if form is not None and form.terms == ((("axis", axis), 1),):
                found.add(form.offset)
                indices[k] = own
        return replace(node, indices=tuple(indices), inside=())

    rest = rewrite(term, change)
    inside = [load.indices.count(own) for load in walk(rest) if isinstance(load, Load)]
    alone = sum(e == own for e in walk(rest)) == sum(inside)
    return (found.pop() if alone and len(found) == 1 else None), rest


def added(window: Window, values: Sequence[Value]) -> Value:
    """Add values in short runs, then what the runs give."""
    found = list(values)
    while len(found) > 1:
        runs = [found[at : at + _RUN] for at in range(0, len(found), _RUN)]
        found = [_run(window, run) for run in runs]
    return found[0]


def _run(window: Window, values: Sequence[Value]) -> Value:
    total = values[0]
    for value in values[1:]:
        total = spell("add", window.dtype, [total, value])
    return total


def shared_sum(window: Window, e: Emitter, row: int, rows: int) -> Value:
    """Emit the sum for one of some rows that are emitted side by side, sharing what is equal: the
    places that all of them have, those before that rows above share, and those after."""
    count = len(window.terms)
    own = {row + k: e.value(term) for k, term in enumerate(window.terms)}
    parts = [added(window, [own[place] for place in range(rows - 1, count)])]
    if row < rows - 1:
        parts.append(_run(window, [own[place] for place in range(rows - 2, row - 1, -1)]))
    if row:
        parts.append(_run(window, [own[place] for place in range(count, count + row)]))
    return _run(window, parts)
