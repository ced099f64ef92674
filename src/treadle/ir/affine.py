"""Index expressions as affine forms, and what can be proved about them.

In: s32 expressions over coordinates, loop variables, extents and constants. Out: `Affine` forms,
which 64 bits can hold without wrapping, and proofs that an index stays inside a dimension. An
expression that is not affine, or whose constants are so large that s32 arithmetic could wrap, is
left to ordinary evaluation.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from treadle.dtypes import DType
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Const,
    Dim,
    Expr,
    Extent,
    For,
    If,
    Local,
    Op,
    Stmt,
    While,
    expressions,
    rewrite_block,
    statements,
)

__all__ = ["Affine", "Indexer", "resolve_locals"]

Term = tuple[str, int | str]  # ("axis", 0), ("loop", "i") or ("extent", "n0")
Range = tuple[int, int]  # first and last value

# Sizes stay far below 2**31, so forms within these bounds are the same in s32 as in s64.
_MAX_SCALE = 1024
_MAX_OFFSET = 1 << 16


@dataclass(frozen=True, slots=True)
class Affine:
    """A constant plus a sum of scaled terms, none of them scaled by 0."""

    terms: tuple[tuple[Term, int], ...]
    offset: int

    def scale(self, term: Term) -> int:
        """The factor of a term; 0 where it does not occur."""
        return dict(self.terms).get(term, 0)

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes that occur."""
        return tuple(int(key) for (kind, key), _ in self.terms if kind == "axis")

    def plus(self, other: Affine, sign: int = 1) -> Affine:
        """Add or subtract another form."""
        total: Counter[Term] = Counter(dict(self.terms))
        for term, scale in other.terms:
            total[term] += sign * scale
        terms = tuple((term, scale) for term, scale in total.items() if scale)
        return Affine(terms, self.offset + sign * other.offset)

    def times(self, factor: int) -> Affine:
        """Multiply by a constant."""
        if factor == 0:
            return Affine((), 0)
        return Affine(tuple((t, s * factor) for t, s in self.terms), self.offset * factor)

    @property
    def safe(self) -> bool:
        """Whether s32 arithmetic gives the same as s64."""
        scale = sum(abs(s) for _, s in self.terms)
        return scale <= _MAX_SCALE and abs(self.offset) <= _MAX_OFFSET


class Indexer:
    """Reads the index expressions of one block, over one iteration space."""

    def __init__(self, space: tuple[Dim, ...], *blocks: Block) -> None:
        self.space = space
        assigned: set[str] = set()
        self.ranges: dict[str, Range | None] = {}  # loop variables; None: bounds not constant
        for block in blocks:
            assigned.update(arg.name for arg in block.args)
            for stmt in statements(block.body):
                if isinstance(stmt, Assign):
                    assigned.add(stmt.name)
                elif isinstance(stmt, For):
                    self._note(stmt)
        for name in assigned:
            self.ranges.pop(name, None)

    def _note(self, loop: For) -> None:
        known: Range | None = None
        if isinstance(loop.start, Const) and isinstance(loop.stop, Const):
            values = range(int(loop.start.value), int(loop.stop.value), loop.step)
            known = (min(values), max(values)) if len(values) else (0, 0)
        if loop.name in self.ranges:
            other = self.ranges[loop.name]
            if known is not None and other is not None:
                known = (min(known[0], other[0]), max(known[1], other[1]))
            else:
                known = None
        self.ranges[loop.name] = known

    def affine(self, expr: Expr) -> Affine | None:
        """Return an expression as an affine form, if it is one that cannot wrap."""
        form = self._affine(expr)
        return form if form is not None and form.safe else None

    def _affine(self, expr: Expr) -> Affine | None:
        match expr:
            case Const(dtype=DType.S32):
                return Affine((), int(expr.value))
            case Axis():
                return Affine(((("axis", expr.index), 1),), 0)
            case Local() if expr.name in self.ranges:
                return Affine(((("loop", expr.name), 1),), 0)
            case Extent(dim=int() as size):
                return Affine((), size)
            case Extent(dim=str() as symbol):
                return Affine(((("extent", symbol), 1),), 0)
            case Op(name="add" | "sub" | "mul" | "neg", dtype=DType.S32):
                return self._operation(expr)
            case _:
                return None

    def _operation(self, expr: Op) -> Affine | None:
        left, *rest = [self.affine(arg) for arg in expr.args]
        if left is None:
            return None
        if not rest:
            return left.times(-1)
        right = rest[0]
        if right is None:
            return None
        if expr.name == "mul":
            if not left.terms:
                return right.times(left.offset)
            return left.times(right.offset) if not right.terms else None
        return left.plus(right, 1 if expr.name == "add" else -1)

    def spread(self, form: Affine, axis: int) -> Range | None:
        """Return the constants between which `form - scale * Axis(axis)` stays, if it has any."""
        low = high = form.offset
        for (kind, key), scale in form.terms:
            if kind == "axis" and key == axis:
                continue
            known = self.ranges.get(str(key)) if kind == "loop" else None
            if known is None:
                return None
            ends = (known[0] * scale, known[1] * scale)
            low, high = low + min(ends), high + max(ends)
        return low, high

    def proved(self, form: Affine, dim: Dim) -> bool:
        """Whether the index is always in [0, dim), for sizes of at least 1."""
        lowest, highest = Affine((), form.offset), Affine((), form.offset)
        for (kind, key), scale in form.terms:
            if kind == "extent":
                ends = [self._size(str(key)).times(scale)] * 2
            elif kind == "loop":
                known = self.ranges.get(str(key))
                if known is None:
                    return False
                ends = [Affine((), known[0] * scale), Affine((), known[1] * scale)]
            else:
                last = self._size(self.space[int(key)]).plus(Affine((), -1))
                ends = [Affine((), 0), last.times(scale)]
            if scale < 0:
                ends.reverse()
            lowest, highest = lowest.plus(ends[0]), highest.plus(ends[1])
        room = self._size(dim).plus(Affine((), -1)).plus(highest, -1)
        return _at_least_zero(lowest) and _at_least_zero(room)

    @staticmethod
    def _size(dim: Dim) -> Affine:
        if isinstance(dim, int):
            return Affine((), dim)
        return Affine(((("extent", dim), 1),), 0)


def _at_least_zero(form: Affine) -> bool:
    """Whether a form of extents, each at least 1, is never negative."""
    scales = [scale for _, scale in form.terms]
    return all(scale >= 0 for scale in scales) and form.offset + sum(scales) >= 0


_recent: dict[int, tuple[Block, Block]] = {}  # by identity: rendering and measuring both ask
_RECENT = 16


def resolve_locals(block: Block) -> Block:
    """Replace locals that only name an index, so that analysis sees through `y, x = at`.

    Such a local is assigned once in the block, to an affine form."""
    known = _recent.get(id(block))
    if known is not None and known[0] is block:
        return known[1]
    if len(_recent) >= _RECENT:
        _recent.clear()
    made = _resolve_locals(block)
    _recent[id(block)] = block, made
    return made


def _resolve_locals(block: Block) -> Block:
    counts = Counter(s.name for s in statements(block.body) if isinstance(s, Assign | For))
    counts.update(arg.name for arg in block.args)
    while True:
        indexer = Indexer((), block)
        found: dict[str, Expr] = {}
        for stmt in statements(block.body):
            if isinstance(stmt, Assign) and counts[stmt.name] == 1:
                form = indexer.affine(stmt.value)
                loops = (
                    [str(key) for (kind, key), _ in form.terms if kind == "loop"] if form else []
                )
                if form is not None and all(counts[name] == 1 for name in loops):
                    found[stmt.name] = stmt.value
        names = {e.name for e in expressions(block) if isinstance(e, Local)}
        if not names & set(found):
            return _without(block, set(found))

        def change(node: Expr, found: dict[str, Expr] = found) -> Expr:
            return found.get(node.name, node) if isinstance(node, Local) else node

        block = rewrite_block(block, change)


def _without(block: Block, unused: set[str]) -> Block:
    """Drop assignments of names that nothing reads: their coordinates would count as uses."""

    def keep(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        kept: list[Stmt] = []
        for stmt in body:
            match stmt:
                case Assign() if stmt.name in unused:
                    continue
                case If():
                    stmt = replace(stmt, then=keep(stmt.then), orelse=keep(stmt.orelse))
                case For():
                    stmt = replace(stmt, body=keep(stmt.body))
                case While():
                    stmt = replace(stmt, setup=keep(stmt.setup), body=keep(stmt.body))
                case _:
                    pass
            kept.append(stmt)
        return tuple(kept)

    return replace(block, body=keep(block.body))
