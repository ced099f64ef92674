"""The one reader of index expressions, and what they can be read as.

In: s32 expressions over coordinates, loop variables, extents and constants. `read` walks one and
asks a Reading what each part is worth. The exact Reading is here, the Indexer: an `Affine` form,
which 64 bits can hold without wrapping, and proofs that an index stays inside a dimension. Where
only a part of an index is affine, `summands` takes the sum apart. What is not affine, or has
constants so large that s32 arithmetic could wrap, is left to ordinary evaluation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol, TypeVar

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.names import Range, ranges, set_once, without
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Const,
    Dim,
    Expr,
    Extent,
    Load,
    Local,
    Op,
    statements,
)
from treadle.ir.rewrite import rewrite, rewrite_block

__all__ = [
    "Affine",
    "Indexer",
    "Reading",
    "Term",
    "read",
    "reads_own_place",
    "resolve_locals",
    "summands",
    "summed",
]

T = TypeVar("T", covariant=True)
Term = tuple[str, int | str]  # ("axis", 0), ("loop", "i") or ("extent", "n0")

# Sizes stay far below 2**31, so forms within these bounds are the same in s32 as in s64.
_MAX_SCALE = 1024
_MAX_OFFSET = 1 << 16
_S32 = DType.S32


class Reading(Protocol[T]):
    """What the parts of an index are worth to its reader; None is what nothing is known about.

    `rules` has a function for each operation that makes something of its operands' worth; it is
    called with None for an operand that is worth nothing."""

    @property
    def rules(self) -> Mapping[str, Callable[..., T | None]]:
        """The operations that are understood."""

    def constant(self, value: int) -> T | None:
        """A constant."""

    def axis(self, index: int) -> T | None:
        """The element's coordinate along an axis."""

    def extent(self, dim: Dim) -> T | None:
        """The size of a dimension."""

    def local(self, name: str) -> T | None:
        """A variable."""


def read(expr: Expr, reading: Reading[T]) -> T | None:
    """Return what an index is worth to a reading."""
    # Types are asked by identity, as in ir.nodes: every pass reads, and this is most of it.
    if type(expr) is Axis:
        return reading.axis(expr.index)
    if type(expr) is Op:
        rule = reading.rules.get(expr.name) if expr.dtype is _S32 else None
        return None if rule is None else rule(*[read(arg, reading) for arg in expr.args])
    if type(expr) is Const:
        return reading.constant(int(expr.value)) if expr.dtype is _S32 else None
    if type(expr) is Local:
        return reading.local(expr.name)
    return reading.extent(expr.dim) if type(expr) is Extent else None


def _nothing(_: Expr) -> bool:
    return False


def _itself(expr: Expr) -> Expr:
    return expr


def summands(
    expr: Expr,
    sign: int = 1,
    *,
    whole: Callable[[Expr], bool] = _nothing,
    behind: Callable[[Expr], Expr] = _itself,
) -> Iterator[tuple[int, Expr]]:
    """The parts of a sum, in order, each with its sign; those that are `whole` are not taken apart,
    and `behind` says what a part stands for."""
    expr = behind(expr)
    match expr:
        case Op("add" | "sub" as name, (left, right), DType.S32) if not whole(expr):
            yield from summands(left, sign, whole=whole, behind=behind)
            sign = sign if name == "add" else -sign
            yield from summands(right, sign, whole=whole, behind=behind)
        case _:
            yield sign, expr


def summed(parts: Iterable[tuple[int, Expr]]) -> Expr | None:
    """The sum of parts with signs; None of none."""
    total: Expr | None = None
    for sign, part in parts:
        if total is None and sign > 0:
            total = part
        else:
            before = Const(0, _S32) if total is None else total
            total = Op("add" if sign > 0 else "sub", (before, part), _S32)
    return total


def reads_own_place(load: Load, dims: tuple[Dim, ...], space: tuple[Dim, ...]) -> bool:
    """Whether a load reads a tensor of these dimensions at the element's own coordinates, or, along
    a dimension of 1, at the only one there is."""
    return len(dims) == len(space) and all(
        (index == Axis(axis) and dim == space[axis]) or dim == 1
        for axis, (index, dim) in enumerate(zip(load.indices, dims, strict=True))
    )


@dataclass(frozen=True, slots=True)
class Affine:
    """A constant plus a sum of scaled terms, none of them scaled by 0."""

    terms: tuple[tuple[Term, int], ...]
    offset: int

    def scale(self, term: Term) -> int:
        """The factor of a term; 0 where it does not occur."""
        for known, scale in self.terms:
            if known == term:
                return scale
        return 0

    @property
    def axes(self) -> tuple[int, ...]:
        """The axes that occur."""
        return tuple(int(key) for (kind, key), _ in self.terms if kind == "axis")

    def plus(self, other: Affine, sign: int = 1) -> Affine:
        """Add or subtract another form."""
        offset = self.offset + sign * other.offset
        if not other.terms:
            return Affine(self.terms, offset)
        total = dict(self.terms)
        for term, scale in other.terms:
            total[term] = total.get(term, 0) + sign * scale
        return Affine(tuple([(t, scale) for t, scale in total.items() if scale]), offset)

    def times(self, factor: int) -> Affine:
        """Multiply by a constant."""
        if factor == 0:
            return Affine((), 0)
        return Affine(tuple((t, s * factor) for t, s in self.terms), self.offset * factor)

    @property
    def safe(self) -> bool:
        """Whether s32 arithmetic gives the same as s64."""
        if not -_MAX_OFFSET <= self.offset <= _MAX_OFFSET:
            return False
        return sum([abs(scale) for _, scale in self.terms]) <= _MAX_SCALE


def _safe(form: Affine) -> Affine | None:
    return form if form.safe else None


def _sum(a: Affine | None, b: Affine | None) -> Affine | None:
    return None if a is None or b is None else _safe(a.plus(b))


def _difference(a: Affine | None, b: Affine | None) -> Affine | None:
    return None if a is None or b is None else _safe(a.plus(b, -1))


def _product(a: Affine | None, b: Affine | None) -> Affine | None:
    if a is None or b is None or (a.terms and b.terms):
        return None
    return _safe(a.times(b.offset) if a.terms else b.times(a.offset))


def _negative(a: Affine | None) -> Affine | None:
    return None if a is None else a.times(-1)


class Indexer:
    """Reads the index expressions of some blocks, over one iteration space; `lets` are variables
    that it sees through."""

    rules: Mapping[str, Callable[..., Affine | None]] = {
        "add": _sum,
        "sub": _difference,
        "mul": _product,
        "neg": _negative,
    }

    def __init__(
        self, space: tuple[Dim, ...], *blocks: Block, lets: Mapping[str, Expr] | None = None
    ) -> None:
        self.space = space
        self.ranges = ranges(*blocks)
        self.lets = lets or {}

    def affine(self, expr: Expr) -> Affine | None:
        """Return an expression as an affine form, if it is one that cannot wrap."""
        return read(expr, self)

    def constant(self, value: int) -> Affine | None:
        """A constant, if it is no large one."""
        return _safe(Affine((), value))

    def axis(self, index: int) -> Affine:
        """The element's coordinate along an axis."""
        return Affine(((("axis", index), 1),), 0)

    def extent(self, dim: Dim) -> Affine | None:
        """The size of a dimension."""
        return _safe(_size(dim))

    def local(self, name: str) -> Affine | None:
        """A loop variable, or what a variable stands for."""
        if name in self.ranges:
            return Affine(((("loop", name), 1),), 0)
        return read(self.lets[name], self) if name in self.lets else None

    def distance(self, expr: Expr, axis: int) -> Range | None:
        """Return the constants between which an index stays, counted from the element's coordinate
        along an axis, if it moves with that."""
        if type(expr) is Axis:  # most often
            return (0, 0) if expr.index == axis else None
        form = self.affine(expr)
        if form is None or form.scale(("axis", axis)) != 1:
            return None
        return self.spread(form, axis)

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


def _size(dim: Dim) -> Affine:
    return Affine((), dim) if isinstance(dim, int) else Affine(((("extent", dim), 1),), 0)


def resolve_locals(block: Block) -> Block:
    """Replace locals that only name an index, so that analysis sees through `y, x = at`.

    Such a local is assigned once in the block, to an affine form."""
    once, indexer = set_once(block), Indexer((), block)
    found: dict[str, Expr] = {}

    def change(node: Expr) -> Expr:
        return found.get(node.name, node) if isinstance(node, Local) else node

    for stmt in statements(block.body):
        if isinstance(stmt, Assign) and stmt.name in once:
            value = rewrite(stmt.value, change)
            form = indexer.affine(value)
            if form is not None and all(
                key in once for (kind, key), _ in form.terms if kind == "loop"
            ):
                found[stmt.name] = value
    # What is replaced goes: its coordinates would count as uses.
    return without(rewrite_block(block, change), set(found)) if found else block
