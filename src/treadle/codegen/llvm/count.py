"""The loops of a histogram: one pass that counts, instead of one for every bin.

In: a kernel that is scheduled to be counted: images of rows and columns, maybe with a few channels,
maybe as a batch, whose output holds the counts of groups of rows. Out: a unit for each
group, which has its own part of the output. Bytes are counted by their value, in several tables
that take turns (counting one value twice in a row would wait for the first), and put into bins
at the end; floats find their bin a vector at a time.
"""

from __future__ import annotations

from treadle.codegen.llvm.abi import Abi, times
from treadle.codegen.llvm.nest import FormEmitter, Geometry, Sizes, product, units_of
from treadle.codegen.llvm.ops import cast, from_memory
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.dtypes import DType, read_as
from treadle.ir.loops import Counting
from treadle.ir.nodes import Kernel
from treadle.ir.schedule import Schedule

__all__ = ["COUNT"]

_CODES = 256
_FEW_BINS = 1024  # so many fit on the stack, several times
_TURNS = 4
_LANES = 16
_NS_ELEMENT = 0.6


class _Counter:
    """Emits the loops of one unit."""

    def __init__(self, f: Function, kernel: Kernel, abi: Abi, picture: Counting) -> None:
        self.f, self.abi, self.picture = f, abi, picture
        self.image, out = kernel.inputs[0], kernel.outputs[0]
        self.channels = picture.channels
        self.groups = abi.size(f, out.dims[len(self.picture.lead)])
        self.bins = abi.size(f, out.dims[-1])
        self.counts = abi.pointer(f, "output", out)
        self.real = kernel.params[0].dtype
        self.low, self.high = (
            cast(abi.read(f, "param", p.name, "double"), DType.F64, self.real)
            for p in kernel.params
        )
        width = cast(self.bins, DType.S64, self.real)
        self.scale = width / (self.high - self.low)
        self.length = times(abi.size(f, self.picture.columns), const(f, self.channels, "i64"))

    def placed(self, value: Value) -> tuple[Value, Value]:
        """The bin of a value as i32, in range whatever the value, and whether it counts."""
        f = self.f
        at = f.intrinsic("floor", (value - self.low) * self.scale)
        last = f.binary("sub", self.bins.convert("trunc", "i32"), 1)
        index = f.intrinsic("smin", f.saturate(at, "i32", signed=True), last)
        counts = value.compare("oge", self.low) & value.compare("ole", self.high)
        return f.intrinsic("smax", index, 0), counts

    def add(self, table: Value, index: Value, amount: Value) -> None:
        """Add to an entry of a table of s32."""
        f = self.f
        entry = f.address(table, index, "i32")
        total = f.load(entry, "i32", align=4, group=False) + amount
        f.store(total, entry, align=4, group=False)

    def clear(self, table: Value, entries: Value) -> None:
        """Zero a table."""
        with self.f.loop(const(self.f, 0, "i64"), entries) as i:
            zero = const(self.f, 0, "i32")
            self.f.store(zero, self.f.address(table, i, "i32"), align=4, group=False)

    def unit(self, unit: Value) -> None:
        """Count one group of rows."""
        f = self.f
        which, group = f.binary("udiv", unit, self.groups), f.binary("urem", unit, self.groups)
        rows = self.abi.size(f, self.picture.rows)
        first = f.binary("udiv", group * rows, self.groups)
        last = f.binary("udiv", (group + 1) * rows, self.groups)
        entries = times(self.bins, const(f, self.channels, "i64"))
        table = f.address(self.counts, unit * entries, "i32")
        self.clear(table, entries)
        start = f.address(
            self.abi.pointer(f, "input", self.image),
            (which * rows + first) * self.length,
            self.image.dtype.llvm,
        )
        count = (last - first) * self.length
        if self.image.dtype is DType.U8:
            self.bytes(table, start, count)
        else:
            self.floats(table, start, count)

    def bytes(self, table: Value, start: Value, count: Value) -> None:
        """Count bytes by value, then put the counts into bins."""
        f, zero = self.f, const(self.f, 0, "i64")
        turns = _TURNS if self.channels == 1 else 2
        each = self.channels * _CODES
        codes = f.slot("i32", count=turns * each)
        self.clear(codes, const(f, turns * each, "i64"))
        one = const(f, 1, "i32")
        step = turns * self.channels
        middle = f.binary("udiv", count, step) * step

        def byte(at: Value, entry: Value | int) -> None:
            code = f.load(f.address(start, at, "i8"), "i8", align=1, group=False)
            self.add(codes, code.convert("zext", "i64") + entry, one)

        with f.loop(zero, middle, step=step) as i:
            for k in range(step):
                byte(i + k, k * _CODES)
        with f.loop(middle, count, rest=True) as i:
            byte(i, f.binary("urem", i, self.channels) * _CODES)
        with f.loop(zero, const(f, _CODES, "i64")) as code:
            index, inside = self.placed(cast(code, DType.S64, self.real))
            for c in range(self.channels):
                found = [
                    f.load(f.address(codes, code + (t * each + c * _CODES), "i32"), "i32", align=4)
                    for t in range(turns)
                ]
                total = found[0]
                for other in found[1:]:
                    total = total + other
                at = index.convert("sext", "i64") + self.bins * c
                self.add(table, at, f.select(inside, total, 0))

    def floats(self, table: Value, start: Value, count: Value) -> None:
        """Find the bins of a vector, then count them one by one; few bins in several tables."""
        f, zero = self.f, const(self.f, 0, "i64")
        type_, size = self.image.dtype.llvm, self.image.dtype.size
        entries = times(self.bins, const(f, self.channels, "i64"))
        few = self.bins.compare("sle", _FEW_BINS)
        slots = f.slot("i32", count=_TURNS * self.channels * _FEW_BINS)
        taken = f.select(few, entries * _TURNS, 0)
        self.clear(slots, taken)
        apart = f.select(few, entries, 0).convert("trunc", "i32")
        target = f.emit(f"select {few.text}, {slots.text}, {table.text}", "ptr")
        step = _LANES * self.channels
        middle = f.binary("udiv", count, step) * step
        bins = self.bins.convert("trunc", "i32")
        with f.loop(zero, middle, step=step) as i:
            for k in range(self.channels):
                values = f.load(f.address(start, i + k * _LANES, type_), type_, _LANES, align=size)
                index, inside = self.placed(self.as_real(values))
                lanes = range(_LANES)
                index = (
                    index + self.vector([(k * _LANES + i) % self.channels for i in lanes]) * bins
                )
                index = index + self.vector([i % _TURNS for i in lanes]) * apart
                flags = f.emit(f"bitcast {inside.text} to i{_LANES}", f"i{_LANES}")
                flags = flags.convert("zext", "i32")
                for lane in lanes:
                    at = f.emit(f"extractelement {index.text}, i64 {lane}", "i32")
                    self.add(target, at.convert("sext", "i64"), flags.lshr(lane) & 1)
        with f.loop(middle, count, rest=True) as i:
            value = f.load(f.address(start, i, type_), type_, align=size, group=False)
            index, inside = self.placed(self.as_real(value))
            at = index.convert("sext", "i64") + f.binary("urem", i, self.channels) * self.bins
            self.add(target, at, inside.convert("zext", "i32"))
        with f.loop(zero, f.select(few, entries, 0)) as i:
            for turn in range(_TURNS):
                found = f.load(f.address(slots, i + entries * turn, "i32"), "i32", align=4)
                self.add(table, i, found)

    def as_real(self, value: Value) -> Value:
        """What was loaded of the image, as bins are computed in."""
        dtype = self.image.dtype
        return cast(from_memory(value, dtype), read_as(dtype), self.real)

    def vector(self, numbers: list[int]) -> Value:
        """A constant of i32 lanes."""
        items = ", ".join(f"i32 {n}" for n in numbers)
        return Value(self.f, f"<{items}>", "i32", len(numbers))


def emit_count(module: Module, schedule: Schedule, abi: Abi) -> bool:
    """Define treadle_run for a histogram."""
    picture = schedule.walk
    assert isinstance(picture, Counting)
    f = units_of(module)
    counter = _Counter(f, schedule.kernel, abi, picture)
    with f.loop(f.params["lo"], f.params["hi"]) as unit:
        counter.unit(unit)
    f.finish()
    return False


def measure_count(schedule: Schedule, sizes: Sizes, cost: float) -> Geometry:
    """A unit for each group of rows of each image."""
    image, out = schedule.kernel.inputs[0], schedule.kernel.outputs[0]
    picture = schedule.walk
    assert isinstance(picture, Counting)
    lead = len(picture.lead)
    units = product(out.dims[: lead + 1], sizes)
    counted = product(image.dims, sizes) * _NS_ELEMENT + product(out.dims, sizes)
    return Geometry(units, (), 0, 1000.0 + counted)


COUNT = FormEmitter((), emit_count, measure_count)
