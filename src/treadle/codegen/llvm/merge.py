"""Sorted halves of rows as whole sorted rows.

In: a kernel that is scheduled to be merged: rows whose first `run` elements are in order, and the
others, of which there is at least one, too. Out: a unit for each part of each row. What comes
before a part is found by a binary search over both halves; from there elements are taken one by
one, the next of either half. A unit has several stretches that take turns, because an element waits
for the one before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle.codegen.llvm.abi import Abi
from treadle.codegen.llvm.nest import FormEmitter, Geometry, Sizes, ceil_div, product, units_of
from treadle.codegen.llvm.ops import from_memory
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.data import dataclass
from treadle.dtypes import DType, read_as
from treadle.ir.schedule import Schedule

__all__ = ["MERGE"]

_TURNS = 4  # stretches of a unit
_STRETCH = 8192  # elements of a stretch, at most
_UNIT = _TURNS * _STRETCH
_NS_ELEMENT = 1.5

Before = Callable[[Value, Value], Value]


def _before(descending: bool, dtype: DType) -> Before:
    """Whether the first of two elements, as they lie in memory, must come before the second; NaN
    counts as largest."""

    def test(a: Value, b: Value) -> Value:
        a, b = from_memory(a, dtype), from_memory(b, dtype)
        if not dtype.is_float:
            sign = "s" if read_as(dtype).is_signed else "u"
            return a.compare(f"{sign}{'gt' if descending else 'lt'}", b)
        if descending:
            return a.compare("ogt", b) | (a.compare("uno", a) & b.compare("ord", b))
        return a.compare("olt", b) | (b.compare("uno", b) & a.compare("ord", a))

    return test


@dataclass(frozen=True, slots=True)
class _Merger:
    """Emits the merging of one row in one direction."""

    f: Function
    dtype: DType
    before: Before
    source: Value  # where the row begins,
    target: Value  # and the result
    run: Value
    length: Value

    def read(self, at: Value) -> Value:
        """An element of the row; beyond its ends, the nearest."""
        f = self.f
        return self.element(f.intrinsic("smin", f.intrinsic("smax", at, 0), self.length - 1))

    def element(self, at: Value) -> Value:
        """An element of the row."""
        f, type_ = self.f, self.dtype.llvm
        return f.load(f.address(self.source, at, type_), type_, align=self.dtype.size)

    def split(self, count: Value) -> Value:
        """How many of the first `count` elements of the result the first half gives."""
        f = self.f
        low, high = f.slot("i64"), f.slot("i64")
        f.store(f.intrinsic("smax", count - (self.length - self.run), 0), low, align=8)
        f.store(f.intrinsic("smin", count, self.run), high, align=8)
        look, more, done = f.labels("look", "more", "done")
        f.do(f"br label %{look}")
        f.label(look)
        a, b = f.load(low, "i64", align=8), f.load(high, "i64", align=8)
        f.branch(a.compare("slt", b), more, done)
        f.label(more)
        middle = f.binary("lshr", a + b, 1)
        less = self.before(self.read(self.run + count - 1 - middle), self.read(middle))
        f.store(f.select(less, a, middle + 1), low, align=8)
        f.store(f.select(less, middle, b), high, align=8)
        f.do(f"br label %{look}")
        f.label(done)
        return f.load(low, "i64", align=8)

    def part(self, starts: Sequence[Value], each: Value) -> None:
        """Merge `each` elements from each of some places of the result on."""
        f, type_ = self.f, self.dtype.llvm
        firsts, seconds = [], []
        for start in starts:
            taken = self.split(start)
            firsts.append(f.slot("i64"))
            seconds.append(f.slot("i64"))
            f.store(taken, firsts[-1], align=8)
            f.store(self.run + start - taken, seconds[-1], align=8)
        with f.loop(const(f, 0, "i64"), each, alone=True) as i:
            for start, first, second in zip(starts, firsts, seconds, strict=True):
                at, other = f.load(first, "i64", align=8), f.load(second, "i64", align=8)
                # The first half ends where the second begins; behind that there is nothing.
                a = self.element(at)
                b = self.element(f.intrinsic("smin", other, self.length - 1))
                ended = at.compare("sge", self.run)
                left = other.compare("slt", self.length)
                theirs = ended | (left & self.before(b, a))
                place = f.address(self.target, start + i, type_)
                f.store(f.select(theirs, b, a), place, align=self.dtype.size)
                step = theirs.convert("zext", "i64")
                f.store(at + (const(f, 1, "i64") - step), first, align=8)
                f.store(other + step, second, align=8)


def emit_merge(module: Module, schedule: Schedule, abi: Abi) -> bool:
    """Define treadle_run for sorted halves."""
    kernel = schedule.kernel
    (x,), (out,) = kernel.inputs, kernel.outputs
    named = {p.name: p for p in kernel.params}
    f = units_of(module)
    length = abi.size(f, x.dims[1])
    run = abi.read(f, "param", named["run"].name, "i64")
    turned = abi.read(f, "param", named["descending"].name, "i64").compare("ne", 0)
    parts = abi.read(f, "geometry", "parts", "i64")
    source, target = abi.pointer(f, "input", x), abi.pointer(f, "output", out)
    type_ = x.dtype.llvm
    with f.loop(f.params["lo"], f.params["hi"]) as unit:
        row = f.binary("udiv", unit, parts)
        begin = (unit - row * parts) * _UNIT
        count = f.intrinsic("smin", length - begin, _UNIT)
        each = f.binary("udiv", count, _TURNS)
        rest = count - each * _TURNS
        start = row * length
        for descending in (False, True):
            with f.when(turned if descending else turned ^ 1):
                merger = _Merger(
                    f, x.dtype, _before(descending, x.dtype),
                    f.address(source, start, type_), f.address(target, start, type_), run, length,
                )  # fmt: skip
                merger.part([begin + each * k for k in range(_TURNS)], each)
                merger.part([begin + each * _TURNS], rest)
    f.finish()
    return False


def measure_merge(schedule: Schedule, sizes: Sizes, cost: float) -> Geometry:
    """A unit for each part of each row."""
    rows, length = (product([dim], sizes) for dim in schedule.kernel.outputs[0].dims)
    parts = ceil_div(length, _UNIT)
    return Geometry(rows * parts, (parts,), 0, 1000.0 + rows * length * _NS_ELEMENT)


MERGE = FormEmitter(("parts",), emit_merge, measure_merge)
