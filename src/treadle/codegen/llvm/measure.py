"""The loops that measure some rows: f64, eight partial sums as the lanes of a vector.

In: a kernel that is scheduled to measure rows against their queries, leaf by leaf. Out: units of a
few rows each. Numbers that the host has chosen (rows, queries, where leaves begin) are kept within
the arrays; where the arrays do not fit together nothing is computed: sizes are symbols here, and
the one caller has them right.
"""

from __future__ import annotations

from treadle.codegen.llvm.abi import Abi
from treadle.codegen.llvm.nest import FormEmitter, Geometry, Sizes, ceil_div, product, units_of
from treadle.codegen.llvm.ops import cast, from_memory
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.dtypes import DType, read_as
from treadle.ir.loops import Measuring, Terms
from treadle.ir.nodes import Kernel, Tensor
from treadle.ir.schedule import Schedule

__all__ = ["MEASURE"]

_LANES = 8
_RUN = 32  # rows of a unit
_NS_ELEMENT = 0.3
_NS_ROW = 60.0
_AHEAD = 2  # rows that are asked for before they are needed: they lie anywhere
_LINES = 4  # of 64 bytes that are asked for; the processor sees what comes after them


class _Meter:
    """Emits the loops of one unit."""

    def __init__(self, f: Function, kernel: Kernel, abi: Abi, walk: Measuring) -> None:
        self.f, self.abi, self.terms = f, abi, walk.terms
        self.rows, self.owners, self.queries, self.vectors, self.cuts = kernel.inputs
        self.out = kernel.outputs[0]
        self.leaves = abi.size(f, self.out.dims[1])
        self.dim = abi.size(f, self.vectors.dims[1])
        pairs = [
            (self.queries.dims[1], self.vectors.dims[1]),
            (self.owners.dims[0], self.rows.dims[0]),
            (self.out.dims[0], self.rows.dims[0]),
        ]
        self.fits = const(f, 1, "i1")
        for a, b in pairs:
            if a != b:
                self.fits = self.fits & abi.size(f, a).compare("eq", abi.size(f, b))

    def within(self, value: Value, most: Value) -> Value:
        """A number kept from 0 to a largest one."""
        return self.f.intrinsic("smax", self.f.intrinsic("smin", value, most), 0)

    def number(self, tensor: Tensor, at: Value) -> Value:
        """An element of a row of s32, as i64; the last one for what is beyond it."""
        f = self.f
        last = f.intrinsic("smin", at, self.abi.size(f, tensor.dims[0]) - 1)
        address = f.address(self.abi.pointer(f, "input", tensor), last, "i32")
        return f.load(address, "i32", align=4, group=False).convert("sext", "i64")

    def start_of(self, tensor: Tensor, row: Value) -> Value:
        """The address of a row of a matrix."""
        f = self.f
        kept = self.within(row, self.abi.size(f, tensor.dims[0]) - 1)
        base = self.abi.pointer(f, "input", tensor)
        return f.address(base, kept * self.dim, tensor.dtype.llvm)

    def row(self, place: Value) -> None:
        """Measure one row, leaf by leaf."""
        f = self.f
        self.expect(self.start_of(self.vectors, self.number(self.rows, place + _AHEAD)))
        x = self.start_of(self.vectors, self.number(self.rows, place))
        q = self.start_of(self.queries, self.number(self.owners, place))
        out = f.address(self.abi.pointer(f, "output", self.out), place * self.leaves, "double")
        with f.loop(const(f, 0, "i64"), self.leaves, alone=True) as leaf:
            start = self.within(self.number(self.cuts, leaf), self.dim)
            stop = self.within(self.number(self.cuts, leaf + 1), self.dim)
            f.store(self.leaf(q, x, start, stop), f.address(out, leaf, "double"), align=8)

    def expect(self, address: Value) -> None:
        """Have the processor fetch the beginning of a row."""
        for line in range(_LINES):
            self.f.expect(self.f.address(address, const(self.f, 64 * line, "i64"), "i8"))

    def leaf(self, q: Value, x: Value, start: Value, stop: Value) -> Value:
        """The sum of one leaf."""
        f = self.f
        eights = start + f.binary("sdiv", stop - start, _LANES) * _LANES
        sums, total = f.slot("double", _LANES), f.slot("double")
        f.store(f.splat(const(f, 0.0, "double"), _LANES), sums, align=64, group=False)
        with f.loop(start, eights, step=_LANES, alone=True) as k:
            before = f.load(sums, "double", _LANES, align=64, group=False)
            f.store(before + self.term(q, x, k, _LANES), sums, align=64, group=False)
        found = f.load(sums, "double", _LANES, align=64, group=False)
        lanes = [f.emit(f"extractelement {found.text}, i64 {i}", "double") for i in range(_LANES)]
        while len(lanes) > 1:
            lanes = [a + b for a, b in zip(lanes[::2], lanes[1::2], strict=True)]
        f.store(lanes[0], total, align=8, group=False)
        with f.loop(eights, stop, rest=True) as k:
            before = f.load(total, "double", align=8, group=False)
            f.store(before + self.term(q, x, k, 1), total, align=8, group=False)
        return f.load(total, "double", align=8, group=False)

    def term(self, q: Value, x: Value, k: Value, lanes: int) -> Value:
        """What some dimensions add."""
        a, b = self.wide(self.queries, q, k, lanes), self.wide(self.vectors, x, k, lanes)
        match self.terms:
            case Terms.SQUARES:
                return (a - b) * (a - b)
            case Terms.APART:
                return self.f.intrinsic("fabs", a - b)
            case Terms.PRODUCTS:
                return a * b

    def wide(self, tensor: Tensor, start: Value, k: Value, lanes: int) -> Value:
        """Some dimensions of a vector as f64."""
        type_ = tensor.dtype.llvm
        address = self.f.address(start, k, type_)
        value = self.f.load(address, type_, lanes, align=tensor.dtype.size, group=False)
        return cast(from_memory(value, tensor.dtype), read_as(tensor.dtype), DType.F64)


def emit_measure(module: Module, schedule: Schedule, abi: Abi) -> bool:
    """Define treadle_run for rows that are measured."""
    walk = schedule.walk
    assert isinstance(walk, Measuring)
    f = units_of(module)
    meter = _Meter(f, schedule.kernel, abi, walk)
    count = abi.size(f, schedule.kernel.outputs[0].dims[0])
    with f.when(meter.fits):
        stop = f.intrinsic("smin", f.params["hi"] * _RUN, count)
        with f.loop(f.params["lo"] * _RUN, stop, alone=True) as place:
            meter.row(place)
    f.finish()
    return False


def measure_measure(schedule: Schedule, sizes: Sizes, cost: float) -> Geometry:
    """A unit for every few rows."""
    kernel = schedule.kernel
    rows = product(kernel.outputs[0].dims[:1], sizes)
    each = _NS_ROW + product(kernel.inputs[3].dims[1:], sizes) * _NS_ELEMENT
    return Geometry(ceil_div(rows, _RUN), (), 0, 500.0 + rows * each)


MEASURE = FormEmitter((), emit_measure, measure_measure)
