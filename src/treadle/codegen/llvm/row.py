"""Loop nests of Row kernels.

In: a scheduled Row kernel. Out: units of whole rows, each the passes that the schedule has for it.
Lanes go along the row where it is the last axis, else over neighbouring rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from treadle.codegen.llvm.abi import Abi
from treadle.codegen.llvm.cascade import RUN, Cascade
from treadle.codegen.llvm.emit import Emitter
from treadle.codegen.llvm.lanes import halves
from treadle.codegen.llvm.nest import (
    FormEmitter,
    Geometry,
    Lines,
    Sizes,
    position,
    store_all,
    units_of,
)
from treadle.codegen.llvm.ops import TYPES, spell
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.dtypes import DType
from treadle.ir.affine import Indexer
from treadle.ir.loops import PositionLocal, RowPass, RowPasses
from treadle.ir.nodes import Row, RowFold
from treadle.ir.rounding import fold_rounds
from treadle.ir.schedule import Schedule

__all__ = ["ROW"]

_COMBINE = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum"}


def identity(kind: str, dtype: DType) -> float:
    """What folding nothing gives."""
    if kind in ("sum", "prod"):
        return 0 if kind == "sum" else 1
    if dtype.is_float:
        return -math.inf if kind == "max" else math.inf
    bits = dtype.size * 8
    low, high = (0, 1 << bits) if dtype is DType.U32 else (-(1 << bits - 1), 1 << bits - 1)
    return low if kind == "max" else high - 1


class _RowEmitter:
    """Emits one row, or `lanes` neighbouring rows at once, into a function."""

    def __init__(
        self, f: Function, abi: Abi, passes: Sequence[RowPass], indexer: Indexer, row: Row
    ) -> None:
        self.f, self.abi, self.passes, self.indexer, self.row = f, abi, passes, indexer, row
        self.kernel = abi.kernel
        self.last = len(self.kernel.space) - 1
        self.env: dict[str, Value] = {}
        self.axes: dict[int, Value] = {}
        self.lanes = 1

    def emit(self, axes: dict[int, Value], lanes: int, width: int) -> None:
        """Emit all passes; `width` positions at once where lanes go along the row."""
        self.env, self.axes, self.lanes = {}, axes, lanes
        *passes, last = self.passes
        for step in passes:
            if step.assign is not None:
                e = self._emitter(self.lanes, {})
                self.env[step.assign.name] = e.value(step.assign.value)
            else:
                self._folds(step, width)
        if self.row.scalar:
            self._store_scalars(last)
        else:
            self._results(last, width)

    def _emitter(self, width: int, at: dict[int, Value]) -> Emitter:
        lane_axis = self.last if width > 1 else None
        e = Emitter(self.f, self.abi, self.indexer, width=width, lane_axis=lane_axis)
        e.axes = self.axes | at
        e.env = dict(self.env)
        return e

    def _segments(self, width: int) -> list[tuple[Value, Value, int]]:
        """The ranges of positions and how many are done at once in each."""
        f = self.f
        zero, length = const(f, 0, "i64"), self.abi.size(f, self.kernel.space[self.row.axis])
        if width == 1:
            return [(zero, length, 1)]
        middle = f.binary("udiv", length, width) * width
        return [(zero, middle, width), (middle, length, 1)]

    def _walk(self, i: Value, lanes: int, step: RowPass) -> tuple[Emitter, Value]:
        """Compute what a pass needs at one position; return where it is in the outputs."""
        e = self._emitter(lanes, {self.row.axis: i})
        at = [e.axes[k] for k in range(self.last + 1)]
        where = position(self.f, self.abi, self.kernel.space, at)
        for local in step.locals:
            if local.kept:
                dtype = local.value.dtype
                address = self._place(local, where)
                e.env[local.name] = self.f.load(address, TYPES[dtype], lanes, align=dtype.size)
                continue
            value = e.env[local.name] = e.value(local.value)
            if local.output is not None:
                stored = self.f.splat(value, lanes)
                self.f.store(stored, self._place(local, where), align=local.value.dtype.size)
        return e, where

    def _place(self, local: PositionLocal, where: Value) -> Value:
        """Where the output's row keeps a local of one position."""
        assert local.output is not None
        base = self.abi.read(self.f, "output", local.output, "ptr")
        return self.f.address(base, where, TYPES[local.value.dtype])

    def _folds(self, walk: RowPass, width: int) -> None:
        f, folds = self.f, walk.folds
        partial: list[list[Value]] = [[] for _ in folds]
        for start, stop, step in self._segments(width):
            lanes = max(step, self.lanes)
            sums = _Sums(f, folds, lanes)
            with f.loop(start, stop, step=step) as i:
                e, _ = self._walk(i, lanes, walk)
                sums.add([f.splat(e.value(fold.value), lanes) for fold in folds])
                sums.rest((i - start) & (step * RUN - 1), step * (RUN - 1))
            for fold, total, parts in zip(folds, sums.end(), partial, strict=True):
                while step > 1 and total.lanes > 1:
                    total = _combine(fold, *halves(total))
                parts.append(total)
        for fold, parts in zip(folds, partial, strict=True):
            result = parts[0] if len(parts) == 1 else _combine(fold, parts[0], parts[1])
            self.env[fold.name] = result

    def _results(self, last: RowPass, width: int) -> None:
        results = last.results
        for start, stop, step in self._segments(width):
            with self.f.loop(start, stop, step=step, parallel=step == 1) as i:
                e, where = self._walk(i, max(step, self.lanes), last)
                store_all(e, results, [e.value(r) for r in results], where)

    def _store_scalars(self, last: RowPass) -> None:
        axis = self.row.axis
        e = self._emitter(self.lanes, {})
        others = [k for k in range(self.last + 1) if k != axis]
        dims = [self.kernel.space[k] for k in others]
        where = position(self.f, self.abi, dims, [self.axes[k] for k in others])
        results = last.results
        store_all(e, results, [e.value(r) for r in results], where)


class _Sums:
    """The folds of one walk in progress; those that round join a cascade every few positions."""

    def __init__(self, f: Function, folds: Sequence[RowFold], lanes: int) -> None:
        self.f, self.folds, self.lanes = f, folds, lanes
        self.slots = [f.slot(TYPES[fold.value.dtype], lanes) for fold in folds]
        self.rounding = [
            k for k, fold in enumerate(folds) if fold_rounds(fold.kind, fold.value.dtype)
        ]
        self.cascade = None
        if self.rounding:
            dtypes = [folds[k].value.dtype for k in self.rounding]
            self.cascade = Cascade(f, dtypes, lanes, self.combine)
            self.cascade.clear()
        self.begin(range(len(folds)))

    def begin(self, which: Sequence[int]) -> None:
        """Start some folds with nothing."""
        for k in which:
            dtype = self.folds[k].value.dtype
            zero = const(self.f, identity(self.folds[k].kind, dtype), TYPES[dtype])
            self.f.store(self.f.splat(zero, self.lanes), self.slots[k], align=dtype.size)

    def load(self, k: int) -> Value:
        """What a fold has come to."""
        dtype = self.folds[k].value.dtype
        return self.f.load(self.slots[k], TYPES[dtype], self.lanes, align=dtype.size)

    def combine(self, a: list[Value], b: list[Value], width: int) -> list[Value]:
        """Combine two states of the folds that round."""
        pairs = zip(self.rounding, a, b, strict=True)
        return [_combine(self.folds[k], x, y) for k, x, y in pairs]

    def add(self, values: Sequence[Value]) -> None:
        """Fold one more value into each."""
        for k, value in enumerate(values):
            made = _combine(self.folds[k], self.load(k), value)
            self.f.store(made, self.slots[k], align=self.folds[k].value.dtype.size)

    def rest(self, place: Value, last: int) -> None:
        """At the last place of a run, move what rounds into the cascade."""
        if self.cascade is None:
            return
        with self.f.when(place.compare("eq", last)):
            state = [self.load(k) for k in self.rounding]
            zero = const(self.f, 0, "i64")
            self.cascade.push(state, self.cascade.advance(), self.lanes, zero)
            self.begin(self.rounding)

    def end(self) -> list[Value]:
        """What each has come to in the end, with lanes."""
        if self.cascade is None:
            return [self.load(k) for k in range(len(self.folds))]
        state = [self.load(k) for k in self.rounding]
        settled = self.cascade.settle(state, self.lanes, const(self.f, 0, "i64"))
        found = dict(zip(self.rounding, settled, strict=True))
        return [found.get(k) or self.load(k) for k in range(len(self.folds))]


def _combine(fold: RowFold, a: Value, b: Value) -> Value:
    return spell(_COMBINE[fold.kind], fold.value.dtype, [a, b])


def emit_row(module: Module, schedule: Schedule, abi: Abi) -> bool:
    """Define treadle_run for a Row kernel."""
    kernel, walk = schedule.kernel, schedule.walk
    row = kernel.form
    assert isinstance(row, Row)
    assert isinstance(walk, RowPasses)
    indexer = Indexer(kernel.space, row.block)
    along = row.axis == len(kernel.space) - 1

    f = units_of(module)
    emitter = _RowEmitter(f, abi, walk.passes, indexer, row)

    def line(axes: dict[int, Value], lanes: int) -> None:
        emitter.emit(axes, lanes, walk.width if along else 1)

    Lines(kernel, row.axis, walk.lines).emit(f, abi, line, walk.width)
    f.finish()
    return False


def measure_row(schedule: Schedule, sizes: Sizes, cost: float) -> Geometry:
    """Share out the rows."""
    row, walk = schedule.kernel.form, schedule.walk
    assert isinstance(row, Row)
    assert isinstance(walk, RowPasses)
    units = Lines(schedule.kernel, row.axis, walk.lines).units(sizes)
    return Geometry(units, (), 0, cost)


ROW = FormEmitter((), emit_row, measure_row)
