"""Sums over windows: what neighbours have in common can be added up once.

In: a block that adds up what lies along an axis, as a box blur's does. Out: the sum, its terms in
the order of their places, and the block with the sum as a variable. Knows nothing about how sums
are shared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.loops import WindowSum
from treadle.ir.names import lets_of
from treadle.ir.nodes import Axis, Block, Const, Expr, Load, Local, Op, expressions, walk
from treadle.ir.rewrite import rewrite

__all__ = ["find_window"]

_FEWEST = 9  # places: below, there is little to share


def find_window(block: Block, indexer: Indexer) -> WindowSum | None:
    """The widest sum over a window in a block, as a chain of variables each used once."""
    uses = Counter(e.name for e in expressions(block) if isinstance(e, Local))
    values = lets_of(block)
    places = _Places(indexer)
    for name in reversed(values):
        terms, chain = _chain(name, values, uses)
        if len(terms) < _FEWEST or len({term.dtype for term in terms}) > 1:
            continue
        for axis in range(len(indexer.space)):
            ordered = _ordered(terms, places, axis)
            if ordered is not None:
                gone = {*chain, name}
                body = tuple(s for s in block.body if getattr(s, "name", None) not in gone)
                return WindowSum(replace(block, body=body), name, axis, ordered)
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


class _Places:
    """Where terms read, each found once: what is added up in a variable is also part of what is
    added up in the next one."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer
        self._known: dict[tuple[int, int], tuple[int | None, Expr]] = {}

    def of(self, term: Expr, axis: int) -> tuple[int | None, Expr]:
        """How far from the element along an axis a term reads, if that is one distance; and the
        term as it would be at the element itself."""
        key = id(term), axis  # the block keeps its terms
        found = self._known.get(key)
        if found is None:
            found = _placed(term, self._indexer, axis)
            if any(isinstance(e, Local) for e in walk(term)):
                found = None, found[1]
            self._known[key] = found
        return found


def _ordered(terms: Sequence[Expr], places: _Places, axis: int) -> tuple[Expr, ...] | None:
    """Terms in the order of their places along an axis; None where they differ in more than that,
    or where a place is left out or there twice."""
    found: dict[int, Expr] = {}
    alike = places.of(terms[0], axis)[1]
    for term in terms:
        place, rest = places.of(term, axis)
        if place is None or place in found or rest != alike:
            return None
        found[place] = term
    if max(found) - min(found) >= len(found):
        return None
    return tuple(found[place] for place in sorted(found))


def _placed(term: Expr, indexer: Indexer, axis: int) -> tuple[int | None, Expr]:
    """See _Places.of."""
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
