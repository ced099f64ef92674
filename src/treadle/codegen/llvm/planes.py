"""Pictures as the planes that a convolution reads.

In: a kernel that is scheduled to lay planes: pictures of some channels, and how many rows and
columns apart the neighbours in a plane are. Out: a unit for each channel of each picture: row by
row, zeros where it lies outside of the picture, and in between every so many elements of one of its
rows. Nothing beyond a row's end is read.
"""

from __future__ import annotations

from collections.abc import Callable

from treadle.codegen.llvm.abi import Abi
from treadle.codegen.llvm.nest import FormEmitter, Geometry, Sizes, product, units_of
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.ir.loops import Laying
from treadle.ir.schedule import Schedule

__all__ = ["PLANES", "stretches"]

_NS_ROW = 6.0
_NS_BYTE = 0.02


def stretches(
    f: Function, low: Value, high: Value, lanes: int, body: Callable[[Value, int], None]
) -> None:
    """Emit `body` for all from `low` to below `high`: vectors of so many lanes, the last of which
    begins before the one before it has ended, or where there are not that many, one by one."""
    full = (high - low).compare("sge", lanes)
    with f.loop(low, f.select(full, high, low), step=lanes, rest=True) as at:
        body(f.intrinsic("smin", at, high - lanes), lanes)
    with f.loop(f.select(full, high, low), high, rest=True) as at:
        body(at, 1)


class _Layer:
    """Emits the rows of the planes of one channel."""

    def __init__(self, f: Function, schedule: Schedule, abi: Abi) -> None:
        walk, kernel = schedule.walk, schedule.kernel
        assert isinstance(walk, Laying)
        self.f, self.lanes = f, walk.lanes
        (x,), (out,) = kernel.inputs, kernel.outputs
        self.type, self.item = out.dtype.llvm, out.dtype.size
        self.source, self.target = abi.pointer(f, "input", x), abi.pointer(f, "output", out)
        self.height, self.width = (abi.size(f, dim) for dim in x.dims[2:])
        self.phases_y, self.phases_x, self.high, self.wide = (
            abi.size(f, dim) for dim in out.dims[2:]
        )
        numbers = [abi.read(f, "param", param.name, "i64") for param in kernel.params]
        self.down, self.along, self.top, self.left = numbers

    def run(self, unit: Value) -> None:
        """Emit the planes of one channel."""
        f = self.f
        picture = f.address(self.source, unit * (self.height * self.width), self.type)
        each = self.high * self.wide
        first = f.address(self.target, unit * (self.phases_y * self.phases_x * each), self.type)
        zero = const(f, 0, "i64")
        with (
            f.loop(zero, self.phases_y, rest=True) as py,
            f.loop(zero, self.phases_x, rest=True) as px,
        ):
            plane = f.address(first, (py * self.phases_x + px) * each, self.type)
            skip = px - self.left
            # The first that is not left of the picture, and the first that is right of it.
            low = self.least(zero - skip)
            high = f.intrinsic("smax", self.least(self.width - skip), low)
            with f.loop(zero, self.high, rest=True) as i:
                y = i * self.down + py - self.top
                out = f.address(plane, i * self.wide, self.type)
                inside = y.compare("sge", 0) & y.compare("slt", self.height)
                start, stop = f.select(inside, low, self.wide), f.select(inside, high, self.wide)
                with f.when((stop - start).compare("slt", self.wide)):
                    self.blank(out)
                read = f.address(picture, y * self.width + skip, self.type)
                self.row(read, out, start, stop)

    def least(self, distance: Value) -> Value:
        """The least column that is so far from a plane's first one, in the picture's columns."""
        f = self.f
        above = f.intrinsic("smax", distance, 0) + self.along - 1
        return f.intrinsic("smin", f.binary("udiv", above, self.along), self.wide)

    def blank(self, out: Value) -> None:
        """Store zeros in a row."""
        f = self.f

        def some(at: Value, lanes: int) -> None:
            zero = const(f, 0.0, self.type)
            value = f.splat(zero, lanes) if lanes > 1 else zero
            f.store(value, f.address(out, at, self.type), align=self.item, group=False)

        stretches(f, const(f, 0, "i64"), self.wide, self.lanes, some)

    def row(self, read: Value, out: Value, low: Value, high: Value) -> None:
        """Store what lies in a row of the picture."""
        f = self.f

        def load(at: Value, lanes: int) -> Value:
            address = f.address(read, at, self.type)
            return f.load(address, self.type, lanes, align=self.item, group=False)

        def same(at: Value, lanes: int) -> Value:
            return load(at, lanes)

        def second(at: Value, lanes: int) -> Value:
            if lanes == 1:
                return load(at.shl(1), 1)
            # The last that is needed is the last that is read.
            a, b = load(at.shl(1), lanes), load(at.shl(1) + (lanes - 1), lanes)
            picked = [*range(0, lanes, 2), *range(lanes + 1, 2 * lanes, 2)]
            mask = ", ".join(f"i32 {k}" for k in picked)
            text = f"shufflevector {a.text}, {b.text}, <{lanes} x i32> <{mask}>"
            return f.emit(text, self.type, lanes)

        def other(at: Value, lanes: int) -> Value:
            return load(at * self.along, lanes)

        steps = self.along
        for test, lanes, value in (
            (steps.compare("eq", 1), self.lanes, same),
            (steps.compare("eq", 2), self.lanes, second),
            (steps.compare("sgt", 2), 1, other),
        ):

            def store(at: Value, lanes: int, value: Callable[[Value, int], Value] = value) -> None:
                found = value(at, lanes)
                f.store(found, f.address(out, at, self.type), align=self.item, group=False)

            with f.when(test):
                if lanes > 1:
                    stretches(f, low, high, lanes, store)
                else:
                    with f.loop(low, high, rest=True) as at:
                        store(at, 1)


def emit_planes(module: Module, schedule: Schedule, abi: Abi) -> bool:
    """Define treadle_run for planes."""
    f = units_of(module)
    layer = _Layer(f, schedule, abi)
    with f.loop(f.params["lo"], f.params["hi"], rest=True) as unit:
        layer.run(unit)
    f.finish()
    return False


def measure_planes(schedule: Schedule, sizes: Sizes, cost: float) -> Geometry:
    """A unit for each channel."""
    out = schedule.kernel.outputs[0]
    units, rows = product(out.dims[:2], sizes), product(out.dims[:5], sizes)
    nbytes = product(out.dims, sizes) * out.dtype.size
    return Geometry(units, (), 0, 300.0 + rows * _NS_ROW + nbytes * _NS_BYTE)


PLANES = FormEmitter((), emit_planes, measure_planes)
