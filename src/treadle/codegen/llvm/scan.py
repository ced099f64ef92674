"""Loop nests of Scan kernels.

In: a Scan kernel. Out: units of whole lines along the scanned axis, each carrying its state from
element to element; lines that are neighbours in memory run as lanes. Few long lines are cut into
pieces, where the schedule says how to sum those up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from treadle.codegen.llvm.abi import Abi
from treadle.codegen.llvm.emit import Emitter
from treadle.codegen.llvm.nest import (
    FormEmitter,
    Geometry,
    Lines,
    Sizes,
    ceil_div,
    decode,
    position,
    store_all,
    units_of,
)
from treadle.codegen.llvm.ops import TYPES
from treadle.codegen.llvm.pieces import Pieces, cut, shared
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.ir.affine import Indexer
from treadle.ir.loops import Carrying
from treadle.ir.nodes import Scan
from treadle.ir.schedule import Schedule

__all__ = ["SCAN"]

_SHARED_NS = 500_000.0


def emit_scan(module: Module, schedule: Schedule, abi: Abi) -> bool:
    """Define treadle_run for a Scan kernel."""
    kernel, walk = schedule.kernel, schedule.walk
    form = kernel.form
    assert isinstance(form, Scan)
    assert isinstance(walk, Carrying)
    axis, init, step = form.axis, form.init, form.step
    indexer = Indexer(kernel.space, step)
    results = step.results[len(init) :]

    f = units_of(module)
    zero, length = const(f, 0, "i64"), abi.size(f, kernel.space[axis])

    def lines(several: Sequence[dict[int, Value]], lanes: int) -> None:
        """Walk lines at the same time, each of which is a chain of operations of its own."""
        carried = []
        for _ in several:
            slots = [f.slot(TYPES[c.dtype], lanes) for c in init]
            for slot, c in zip(slots, init, strict=True):
                start = f.splat(const(f, c.value, TYPES[c.dtype]), lanes)
                f.store(start, slot, align=c.dtype.size)
            carried.append(slots)
        with f.loop(zero, length) as i:
            for axes, slots in zip(several, carried, strict=True):
                lane_axis = len(kernel.space) - 1 if lanes > 1 else None
                e = Emitter(f, abi, indexer, width=lanes, lane_axis=lane_axis)
                e.axes = axes | {axis: i}
                pairs = zip(slots, init, strict=True)
                state = [f.load(s, TYPES[c.dtype], lanes, align=c.dtype.size) for s, c in pairs]
                values = e.run(step, state)
                for slot, value, c in zip(slots, values, init, strict=False):
                    f.store(f.splat(value, lanes), slot, align=c.dtype.size)
                at = [e.axes[k] for k in range(len(kernel.space))]
                store_all(e, results, values[len(init) :], position(f, abi, kernel.space, at))

    if walk.cut and walk.pieces is not None:
        Pieces(f, abi, walk.pieces, walk.lanes).emit()
    else:
        every = Lines(kernel, axis, walk.lines)
        if walk.abreast == 1:
            every.emit(f, abi, lambda axes, lanes: lines([axes], lanes), walk.width)
        else:
            _abreast(f, abi, every, walk.abreast, lines)
    f.finish()
    return False


def _abreast(
    f: Function,
    abi: Abi,
    every: Lines,
    several: int,
    lines: Callable[[Sequence[dict[int, Value]], int], None],
) -> None:
    """Emit units of a few lines each, and the lines that are left one by one."""
    dims = [every.kernel.space[k] for k in every.outer]
    count = abi.product(f, dims)

    def at(row: Value) -> dict[int, Value]:
        return dict(zip(every.outer, decode(f, abi, row, dims), strict=True))

    with f.loop(f.params["lo"], f.params["hi"]) as unit:
        first = unit * several
        whole = (first + several).compare("sle", count)
        with f.when(whole):
            lines([at(first + k) for k in range(several)], 1)
        with f.when(whole ^ 1), f.loop(first, count) as row:
            lines([at(row)], 1)


def measure_scan(schedule: Schedule, sizes: Sizes, cost: float) -> Geometry:
    """Share out the lines, or pieces of them."""
    kernel, walk = schedule.kernel, schedule.walk
    form = kernel.form
    assert isinstance(form, Scan)
    assert isinstance(walk, Carrying)
    pieces, lines = (1, 0) if walk.pieces is None else cut(kernel, form, sizes, walk.lanes)
    if pieces > 1:
        assert walk.pieces is not None
        scratch = shared(form, walk.pieces, walk.lanes, lines, pieces)
        # Never so little that it would run on the caller's thread: pieces are for workers to share.
        cost = max(cost * 2, _SHARED_NS)
        units, values = pieces * lines, (pieces, lines)
        return Geometry(units, values, scratch, cost, streams=True, ordered=True)
    # A carried state is a chain of dependent operations, which the estimate knows nothing about.
    every = Lines(kernel, form.axis, walk.lines)
    units = every.units(sizes)
    if every.across:
        return Geometry(units, (1, 0), 0, cost * 4)
    return Geometry(ceil_div(units, walk.abreast), (1, 0), 0, cost * 2)


SCAN = FormEmitter(("pieces", "lines"), emit_scan, measure_scan)
