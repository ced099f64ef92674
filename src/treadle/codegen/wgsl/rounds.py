"""How many rounds the loops of a kernel take: for devices that end every loop after so many.

In: a kernel's statements and sizes. Out: a bound for the rounds of one invocation, infinite where
it depends on data. Bounds come from ranges of integers; a loop from `x` to `x + 7` has 7 rounds
wherever x is. Knows no text and no driver.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.affine import summands
from treadle.ir.names import assigned, set_once
from treadle.ir.nodes import (
    Axis,
    Block,
    Cast,
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
    statements,
    walk,
)

__all__ = ["Rounds", "has_loops"]

Range = tuple[float, float]

_ANY: Range = (-math.inf, math.inf)
_WRAPPING = ("add", "sub", "mul", "neg")
_MOST = 1 << 26  # rounds beyond which a bound is as good as none


def has_loops(body: Sequence[Stmt]) -> bool:
    """Whether statements repeat anything."""
    return any(isinstance(s, For | While) for s in statements(tuple(body)))


@dataclass(slots=True)
class Rounds:
    """The rounds of a block's loops over a space of some size."""

    space: Sequence[Dim]
    sizes: Mapping[str, int]
    block: Block
    _values: dict[str, Expr] = field(default_factory=dict)  # of what is set once
    _changing: set[str] = field(default_factory=set)
    _loops: dict[str, list[For]] = field(default_factory=dict)  # names may come again

    def __post_init__(self) -> None:
        once = set_once(self.block)
        self._values = {name: value for name, value in once.items() if value is not None}
        self._changing = {arg.name for arg in self.block.args}
        self._changing |= assigned(self.block.body) - set(self._values)
        for stmt in statements(self.block.body):
            if isinstance(stmt, For):
                self._loops.setdefault(stmt.name, []).append(stmt)

    def all(self) -> float:
        """The most rounds that the block takes, in all its loops together."""
        return self.of(self.block.body)

    def of(self, body: Sequence[Stmt]) -> float:
        """The most rounds that some of its statements take."""
        total = 0.0
        for stmt in body:
            match stmt:
                case For():
                    total += self.turns(stmt) * (1 + self.of(stmt.body)) + 1
                case While():
                    total += math.inf
                case If():
                    total += self.of(stmt.then) + self.of(stmt.orelse)
                case _:
                    pass
        return total if total < _MOST else math.inf

    def turns(self, loop: For) -> float:
        """The most turns of one loop."""
        first, last = (loop.start, loop.stop) if loop.step > 0 else (loop.stop, loop.start)
        parts: dict[Expr, float] = {}
        constant = self._linear(last, 1, parts) + self._linear(first, -1, parts)
        span = constant + sum(
            factor * self._range(part)[1 if factor > 0 else 0] for part, factor in parts.items()
            if factor
        )  # fmt: skip
        turns = max(0.0, math.ceil(span / abs(loop.step))) if math.isfinite(span) else math.inf
        return turns if turns < _MOST else math.inf

    def _linear(self, node: Expr, factor: float, parts: dict[Expr, float]) -> float:
        """Add a sum's parts, times a factor, to others; return its constant."""
        constant = 0.0
        for sign, part in summands(node, behind=self._behind):
            if isinstance(part, Const):
                constant += factor * sign * part.value
            else:
                parts[part] = parts.get(part, 0) + factor * sign
        return constant

    def _behind(self, node: Expr) -> Expr:
        """What a local stands for, where that is the same wherever it is used."""
        while isinstance(node, Local) and (value := self._values.get(node.name)) is not None:
            if any(isinstance(part, Local) and part.name in self._changing for part in walk(value)):
                break
            node = value
        return node

    def _range(self, node: Expr) -> Range:
        """The least and the most that a number can be."""
        match node:
            case Const():
                return node.value, node.value
            case Axis():
                return 0, max(self._size(self.space[node.index]) - 1, 0)
            case Extent():
                return (self._size(node.dim),) * 2
            case Local():
                return self._local(node)
            case Cast():
                return self._cast(node)
            case Op():
                found = self._operation(node)
                return _within(found, node.dtype) if node.name in _WRAPPING else found
            case _:
                return _ANY

    def _size(self, dim: Dim) -> int:
        return dim if isinstance(dim, int) else self.sizes[dim]

    def _local(self, node: Local) -> Range:
        value = self._values.get(node.name)
        if value is not None:
            return self._range(value)
        loops = self._loops.pop(node.name, None)
        if loops is None:  # an argument, set more than once, or in the bounds of its own loop
            return _ANY
        first = [loop.start if loop.step > 0 else loop.stop for loop in loops]
        last = [loop.stop if loop.step > 0 else loop.start for loop in loops]
        found = (
            min(self._range(bound)[0] for bound in first),
            max(self._range(bound)[1] for bound in last),
        )
        self._loops[node.name] = loops
        return found

    def _cast(self, node: Cast) -> Range:
        low, high = self._range(node.value)
        if node.value.dtype.is_float and node.dtype.is_integer:  # saturates, and NaN is 0
            return min(low, 0), max(high, 0)
        return _within((low, high), node.dtype)

    def _operation(self, node: Op) -> Range:
        ranges = [self._range(arg) for arg in node.args]
        (a, b), (c, d) = ranges[0], ranges[-1]
        match node.name:
            case "add":
                return a + c, b + d
            case "sub":
                return a - d, b - c
            case "mul" if all(map(math.isfinite, (a, b, c, d))):
                corners = (a * c, a * d, b * c, b * d)
                return min(corners), max(corners)
            case "floordiv" if c > 0 and all(map(math.isfinite, (a, b, c, d))):
                quotients = [math.floor(x / y) for x in (a, b) for y in (c, d)]
                return min(quotients), max(quotients)
            case "mod" if c > 0:
                return 0, d
            case "minimum":
                return min(a, c), min(b, d)
            case "maximum":
                return max(a, c), max(b, d)
            case "neg":
                return -b, -a
            case "select":
                e, f = ranges[1]
                return min(c, e), max(d, f)
            case _:
                return _ANY


def _within(found: Range, dtype: DType) -> Range:
    """A range, unless numbers of the type wrap before its ends."""
    if not dtype.is_integer:
        return found
    bits = dtype.size * 8
    low, high = (0, 1 << bits) if dtype is DType.U32 else (-(1 << bits - 1), 1 << bits - 1)
    return found if low <= found[0] and found[1] < high else _ANY
