"""Folding in pairs of pairs, so that rounding grows with the logarithm of how much is folded.

In: states that were each made of RUN elements, one after another. Out: what all of them combine to.
The n-th state is combined with the one before it if n is even, that with its neighbour if n / 2 is,
and so on: at any time there is at most one state of each power of two, and two that meet were made
of equally many elements. Knows neither kernels nor loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle.codegen.llvm.ops import TYPES
from treadle.codegen.llvm.text import Function, Value, const
from treadle.dtypes import DType

__all__ = ["RUN", "Cascade"]

RUN = 16  # elements that are folded one after another
_LEVELS = 36

Combine = Callable[[list[Value], list[Value], int], list[Value]]


class Cascade:
    """States by their powers of two, each of `size` neighbouring elements."""

    def __init__(self, f: Function, dtypes: Sequence[DType], size: int, combine: Combine) -> None:
        self.f, self.dtypes, self.size, self.combine = f, dtypes, size, combine
        self.levels = [f.slot(TYPES[d], count=_LEVELS * size) for d in dtypes]
        self.count = f.slot("i64")

    def clear(self) -> None:
        """Begin with nothing."""
        self.f.store(const(self.f, 0, "i64"), self.count, align=8)

    def advance(self) -> Value:
        """Count one more; return how many of the states before it are to be combined with it."""
        f = self.f
        n = f.load(self.count, "i64", align=8) + 1
        f.store(n, self.count, align=8)
        lowest = n & (const(f, 0, "i64") - n)
        return f.intrinsic("ctpop", lowest - 1)

    def push(self, state: list[Value], behind: Value, width: int, offset: Value) -> None:
        """Combine a state with the `behind` ones before it, and keep the result in their place."""
        f = self.f
        slots = [f.slot(TYPES[d], width) for d in self.dtypes]
        self.save(state, slots)
        with f.loop(const(f, 0, "i64"), behind) as level:
            older = self.restore(self.at(level, offset), width)
            self.save(self.combine(older, self.restore(slots, width), width), slots)
        self.save(self.restore(slots, width), self.at(behind, offset))

    def settle(self, state: list[Value], width: int, offset: Value) -> list[Value]:
        """Combine all that is kept with a last state."""
        f = self.f
        n = f.load(self.count, "i64", align=8)
        slots = [f.slot(TYPES[d], width) for d in self.dtypes]
        self.save(state, slots)
        zero = const(f, 0, "i64")
        used = const(f, 64, "i64") - f.intrinsic("ctlz", n, extra="i1 false")
        with f.loop(zero, used) as level:
            bit = f.binary("lshr", n, level) & 1
            with f.when(bit.compare("eq", 1)):
                older = self.restore(self.at(level, offset), width)
                self.save(self.combine(older, self.restore(slots, width), width), slots)
        return self.restore(slots, width)

    def at(self, level: Value, offset: Value) -> list[Value]:
        """Where the states of a level begin, `offset` elements on."""
        place = level * self.size + offset
        pairs = zip(self.levels, self.dtypes, strict=True)
        return [self.f.address(base, place, TYPES[d]) for base, d in pairs]

    def save(self, state: Sequence[Value], places: Sequence[Value]) -> None:
        """Store a state."""
        for value, place, dtype in zip(state, places, self.dtypes, strict=True):
            self.f.store(value, place, align=dtype.size)

    def restore(self, places: Sequence[Value], width: int) -> list[Value]:
        """Load a state."""
        pairs = zip(places, self.dtypes, strict=True)
        return [self.f.load(p, TYPES[d], width, align=d.size) for p, d in pairs]
