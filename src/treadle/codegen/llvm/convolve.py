"""Convolutions as sums of shifted planes: filters by pixels, a block of both in registers.

In: a kernel that is scheduled to convolve: planes, filters with their taps in one row, where in its
plane each tap reads, and perhaps what is added to each filter's results. Out: units of some
neighbouring pixels and filters of one picture. Pixels are numbered as the plane has them, the ends
of its rows among them, so that a vector of them is whole wherever a row ends; what was computed for
the ends is not stored. The last block begins before the one before it has ended: no load reaches
beyond the plane, which is at least a block longer than the largest shift.
"""

from __future__ import annotations

from treadle.codegen.llvm.abi import Abi
from treadle.codegen.llvm.nest import (
    CACHE_LINE,
    FormEmitter,
    Geometry,
    Sizes,
    ceil_div,
    product,
    units_of,
)
from treadle.codegen.llvm.planes import stretches
from treadle.codegen.llvm.polynomial import fma
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.ir.loops import Convolving
from treadle.ir.schedule import Schedule

__all__ = ["CONVOLVE"]

_NEAR = 256 << 10  # bytes of planes that the filters of a unit read again and again
_TERMS = 256  # of a sum before it is put aside, so that long sums round as short ones
_UNITS = 16  # at least, where there are so many filters
_FEW = 32  # filters that share what one unit reads, at least
_NS_TERM = 0.35  # of one vector
_NS_UNIT = 300.0


class _Block:
    """Emits what one block of pixels and filters takes."""

    def __init__(self, f: Function, schedule: Schedule, abi: Abi) -> None:
        walk, kernel = schedule.walk, schedule.kernel
        assert isinstance(walk, Convolving)
        self.f, self.abi, self.walk = f, abi, walk
        self.x, self.weight, self.places, *rest = kernel.inputs
        self.bias = rest[0] if rest else None
        self.out = kernel.outputs[0]
        self.type, self.item = self.out.dtype.llvm, self.out.dtype.size
        self.depth, self.taps = (abi.size(f, dim) for dim in self.weight.dims[1:])
        self.plane = abi.size(f, self.x.dims[2])
        self.filters = abi.size(f, self.weight.dims[0])
        self.high, self.wide = (abi.size(f, dim) for dim in self.out.dims[2:])
        (row,) = kernel.params
        self.row = abi.read(f, "param", row.name, "i64")
        self.area = self.high * self.wide
        self.pixels = (self.high - 1) * self.row + self.wide
        # Without ends of rows all pixels are one row.
        whole = self.row.compare("eq", self.wide)
        self.line = f.select(whole, self.area, self.row)
        self.kept = f.select(whole, self.area, self.wide)
        self.many = walk.vectors * walk.lanes
        self.sums = [
            [f.slot(self.type, walk.lanes) for _ in range(walk.vectors)]
            for _ in range(walk.filters)
        ]
        # A line of results for each filter, and room for a vector that is read beyond its end.
        self.pitch = self.many + walk.lanes
        self.aligned = walk.lanes * self.item
        self.tile = f.slot(self.type, count=walk.filters * self.pitch)

    def run(self, unit: Value) -> None:
        """Emit a unit."""
        f, abi = self.f, self.abi
        chunks, chunk, shares, share = (
            abi.read(f, "geometry", name, "i64") for name in ("chunks", "chunk", "shares", "share")
        )
        rest = f.binary("udiv", unit, shares)
        part = unit - rest * shares
        picture_group = f.binary("udiv", rest, chunks)
        start = (rest - picture_group * chunks) * chunk
        groups = f.binary("udiv", abi.size(f, self.x.dims[1]), self.depth)
        picture = f.binary("udiv", picture_group, groups)
        each = f.binary("udiv", self.filters, groups)
        group = picture_group - picture * groups
        low = group * each + part * share
        high = f.intrinsic("smin", low + share, (group + 1) * each)
        planes = f.address(
            abi.pointer(f, "input", self.x), picture_group * self.depth * self.plane, self.type
        )
        target = f.address(
            abi.pointer(f, "output", self.out), picture * self.filters * self.area, self.type
        )
        stop = f.intrinsic("smin", start + chunk, self.pixels)
        self.expect(planes, start, stop)
        with f.loop(low, high, step=self.walk.filters, rest=True) as first:
            numbers = [f.intrinsic("smin", first + i, high - 1) for i in range(self.walk.filters)]
            latest = f.intrinsic("smax", self.pixels - self.many, 0)
            with f.loop(start, stop, step=self.many, rest=True) as pixel:
                self.block(planes, target, numbers, f.intrinsic("smin", pixel, latest))

    def expect(self, planes: Value, start: Value, stop: Value) -> None:
        """Have the processor fetch a unit's planes: the rows that sums read in turn are too many
        for it to see what comes next."""
        f = self.f
        count = stop - start
        taps, zero = self.abi.pointer(f, "input", self.places), const(f, 0, "i64")
        asked = f.slot("i64")
        f.store(zero - count, asked, align=8, group=False)
        with f.loop(zero, self.taps, rest=True) as tap:
            shift = f.load(f.address(taps, tap, "i32"), "i32", align=4, group=False)
            shift = shift.convert("sext", "i64")
            before = f.load(asked, "i64", align=8, group=False)
            with (
                f.when((shift - before).compare("sge", count)),  # else most of it was asked for
                f.loop(zero, self.depth, rest=True) as channel,
            ):
                f.store(shift, asked, align=8, group=False)
                plane = f.address(planes, channel * self.plane + shift, self.type)
                with f.loop(start, stop, step=CACHE_LINE // self.item, rest=True) as at:
                    f.expect(f.address(plane, at, self.type), near=False)

    def block(self, planes: Value, target: Value, numbers: list[Value], pixel: Value) -> None:
        """Compute some pixels of some filters."""
        f = self.f
        self.begin(numbers)
        run = f.intrinsic("smax", f.binary("sdiv", const(f, _TERMS, "i64"), self.taps), 1)
        runs = f.binary("sdiv", self.depth + run - 1, run)
        with f.loop(const(f, 0, "i64"), runs, rest=True) as turn:
            start = turn * run
            stop = f.intrinsic("smin", start + run, self.depth)
            zero = f.splat(const(f, 0.0, self.type), self.walk.lanes)
            for line in self.sums:
                for slot in line:
                    f.store(zero, slot, align=self.aligned, group=False)
            self.add(f.address(planes, pixel, self.type), numbers, start, stop)
            for i, line in enumerate(self.sums):
                for v, slot in enumerate(line):
                    at = self.place(i, v * self.walk.lanes)
                    found = f.load(
                        slot, self.type, self.walk.lanes, align=self.aligned, group=False
                    )
                    before = f.load(at, self.type, self.walk.lanes, align=self.aligned, group=False)
                    f.store(before + found, at, align=self.aligned, group=False)
        end = f.intrinsic("smin", pixel + self.many, self.pixels)
        self.end(target, numbers, pixel, end)

    def place(self, number: int, offset: int) -> Value:
        """Where in the tile a filter's results are."""
        at = const(self.f, number * self.pitch + offset, "i64")
        return self.f.address(self.tile, at, self.type)

    def begin(self, numbers: list[Value]) -> None:
        """Let the tile hold what sums begin with."""
        f, lanes = self.f, self.walk.lanes
        for i, number in enumerate(numbers):
            value = const(f, 0.0, self.type)
            if self.bias is not None:
                at = f.address(self.abi.pointer(f, "input", self.bias), number, self.type)
                value = f.load(at, self.type, align=self.item, group=False)
            for v in range(self.walk.vectors):
                f.store(
                    f.splat(value, lanes), self.place(i, v * lanes), align=self.aligned, group=False
                )

    def add(self, planes: Value, numbers: list[Value], start: Value, stop: Value) -> None:
        """Add the terms of some channels, tap after tap, to the sums."""
        f, lanes = self.f, self.walk.lanes
        taps = self.abi.pointer(f, "input", self.places)
        weight = self.abi.pointer(f, "input", self.weight)
        count = self.depth * self.taps
        rows = [f.address(weight, number * count, self.type) for number in numbers]
        with f.loop(start, stop, rest=True) as channel:
            plane = f.address(planes, channel * self.plane, self.type)
            base = channel * self.taps
            with f.loop(const(f, 0, "i64"), self.taps, rest=True) as tap:
                shift = f.load(f.address(taps, tap, "i32"), "i32", align=4, group=False)
                read = f.address(plane, shift.convert("sext", "i64"), self.type)
                pixels = [
                    f.load(
                        f.address(read, const(f, v * lanes, "i64"), self.type),
                        self.type, lanes, align=self.item, group=False,
                    )
                    for v in range(self.walk.vectors)
                ]  # fmt: skip
                for row, line in zip(rows, self.sums, strict=True):
                    at = f.address(row, base + tap, self.type)
                    factor = f.load(at, self.type, align=self.item, group=False)
                    for value, slot in zip(pixels, line, strict=True):
                        before = f.load(slot, self.type, lanes, align=self.aligned, group=False)
                        found = fma(value, f.splat(factor, lanes), before)
                        f.store(found, slot, align=self.aligned, group=False)

    def end(self, target: Value, numbers: list[Value], pixel: Value, end: Value) -> None:
        """Store what lies within the result's rows."""
        f = self.f
        bases = [f.address(target, number * self.area, self.type) for number in numbers]
        row = f.binary("udiv", pixel, self.line)
        last = f.binary("udiv", end - 1, self.line)
        with f.loop(row, last + 1, rest=True) as line:
            left = line * self.line
            low = f.intrinsic("smax", pixel, left)
            high = f.intrinsic("smin", end, left + self.kept)
            shift = line * self.kept - left

            def copy(at: Value, lanes: int) -> None:
                self.copy(bases, at - pixel, at + shift, lanes)

            stretches(f, low, high, self.walk.lanes, copy)

    def copy(self, bases: list[Value], source: Value, target: Value, lanes: int) -> None:
        """Store some neighbours of all filters."""
        f = self.f
        for i, base in enumerate(bases):
            at = f.address(self.tile, source + i * self.pitch, self.type)
            found = f.load(at, self.type, lanes, align=self.item, group=False)
            place = f.address(base, target, self.type)
            f.store(found, place, align=self.item, group=False)


def emit_convolve(module: Module, schedule: Schedule, abi: Abi) -> bool:
    """Define treadle_run for a convolution."""
    f = units_of(module)
    block = _Block(f, schedule, abi)
    with f.loop(f.params["lo"], f.params["hi"], rest=True) as unit:
        block.run(unit)
    f.finish()
    return False


def measure_convolve(schedule: Schedule, sizes: Sizes, cost: float) -> Geometry:
    """Units of as many pixels as stay near, with all filters, or where units are few, with some."""
    walk, kernel = schedule.walk, schedule.kernel
    assert isinstance(walk, Convolving)
    x, weight, out = kernel.inputs[0], kernel.inputs[1], kernel.outputs[0]
    pictures, channels, plane = (product([dim], sizes) for dim in x.dims)
    filters, depth, taps = (product([dim], sizes) for dim in weight.dims)
    groups = channels // max(depth, 1)
    each = filters // max(groups, 1)
    many = walk.vectors * walk.lanes
    # Where strides take pictures apart, a pixel reads several places of its plane.
    area = product(out.dims[2:], sizes)
    room = _NEAR * area // max(out.dtype.size * depth * plane, 1)
    chunk = max(min(room, plane) // many, 1) * many
    # The pixels of a result are at most those of its plane; units beyond them have nothing to do.
    chunks = ceil_div(plane, chunk)
    parts = pictures * groups * chunks
    shares = max(min(ceil_div(_UNITS, max(parts, 1)), each // _FEW), 1)
    share = ceil_div(ceil_div(each, shares), walk.filters) * walk.filters
    shares = ceil_div(each, share) if each else 0
    terms = product(out.dims, sizes) * depth * taps
    units = parts * shares
    return Geometry(
        units,
        (chunks, chunk, shares, share),
        0,
        500.0 + units * _NS_UNIT + terms * _NS_TERM / walk.lanes,
    )


CONVOLVE = FormEmitter(("chunks", "chunk", "shares", "share"), emit_convolve, measure_convolve)
