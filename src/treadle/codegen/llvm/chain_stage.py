"""Row functions of one stage of a Chain.

In: the schedule of a stage's rows, and which of its tensors live in rings of rows. Out: functions
that compute some rows of what the stage writes: one with clamps along the row, and where it pays
one without. Several rows are computed side by side where they read rows in common, so that each is
loaded and converted once. Knows nothing about which rows are wanted when.
"""

from __future__ import annotations

from contextlib import nullcontext

from treadle.codegen.llvm.abi import plus, times
from treadle.codegen.llvm.chain_load import RowEmitter, RowPixels
from treadle.codegen.llvm.chain_ring import PARAMS, StageAbi, emit_ends
from treadle.codegen.llvm.emit import Flat, Misfit
from treadle.codegen.llvm.nest import decode
from treadle.codegen.llvm.ops import TYPES, to_memory
from treadle.codegen.llvm.pixel import store_pixels
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.codegen.llvm.window import added, shared_sum
from treadle.ir.affine import Indexer
from treadle.ir.loops import RowCode, StageRows, Vectors
from treadle.ir.nodes import Dim, Kernel

__all__ = ["StageCode"]

_USUAL = "noinline nounwind"
# Pixels are put together from 16 bytes each: two to a vector take half the steps that four do.
_NARROW = f'{_USUAL} "prefer-vector-width"="256" "min-legal-vector-width"="0"'
_PART = 2048  # elements of a row whose sums are made of parts, at a time


class StageCode:
    """One stage: how its rows are walked, and its functions."""

    def __init__(self, name: str, stage: Kernel, rows: StageRows, abi: StageAbi) -> None:
        self.name, self.stage, self.rows, self.abi = name, stage, rows, abi

    @property
    def between(self) -> tuple[Dim, ...]:
        """The axes between the rows' and the inner one."""
        return self.rows.nest.outer[self.abi.axis + 1 :]

    def emit(self, module: Module) -> None:
        """Define `<name>_all`, or `<name>_edge` and `<name>_inside` where constant offsets leave
        an interior, and `<name>_ends` where rows are read beyond their ends."""
        if self.rows.ends:
            emit_ends(module, f"{self.name}_ends", self.abi, self.rows.ends)
        for kind, code in self.rows.codes:
            self._function(module, kind, code)

    def _function(self, module: Module, kind: str, code: RowCode) -> None:
        attributes = _NARROW if code.narrow else _USUAL
        f = Function(module, f"{self.name}_{kind}", PARAMS, attributes=attributes)
        _Rows(self, f, code, kind).emit()
        f.finish()


class _Rows:
    """Emits the loops over some rows into one function.

    With lanes, the last vector of a row starts where it just fits, and computes some elements
    again; rows shorter than a vector go element by element. Without, LLVM makes the vectors."""

    def __init__(self, stage: StageCode, f: Function, code: RowCode, kind: str) -> None:
        self.stage, self.f, self.code, self.kind = stage, f, code, kind
        self.abi, self.nest, self.block = stage.abi, stage.rows.nest, code.block
        self.indexer = Indexer(stage.stage.space, code.block)
        self.leading = decode(f, self.abi, f.params["lead"], stage.stage.space[: self.abi.axis])

    def emit(self) -> None:
        """Emit the whole function's body."""
        f, code = self.f, self.code
        if code.vectors is Vectors.NONE:
            self._rows(1, code.rows)
            return
        full = (f.params["hi"] - f.params["lo"]).compare("sge", code.width)
        with f.when(full):
            self._rows(code.width, code.rows)
        with f.when(full ^ 1):
            self._rows(1, 1)

    def _rows(self, lanes: int, jam: int) -> None:
        f = self.f
        start, stop = f.params["top"], f.params["bottom"]
        if self.stage.rows.along:
            self._row(None, 1, lanes)
            return
        if jam > 1:
            count = f.binary("sdiv", stop - start, jam)
            middle = start + count * jam
            with f.loop(start, middle, step=jam) as y:
                self._row(y, jam, lanes)
            start = middle
        with f.loop(start, stop) as y:
            self._row(y, 1, lanes)

    def _row(self, y: Value | None, count: int, lanes: int) -> None:
        """Emit `count` rows from y on; all of them, one after the other, where y is None."""
        f, abi, between = self.f, self.abi, self.stage.between
        if between:
            zero, total = const(f, 0, "i64"), abi.product(f, between)
            with f.loop(zero, total) as at:
                self._columns(y, count, decode(f, abi, at, between), lanes)
        else:
            self._columns(y, count, [], lanes)

    def _columns(self, y: Value | None, count: int, between: list[Value], lanes: int) -> None:
        f = self.f
        lo, hi = f.params["lo"], f.params["hi"]
        if self.kind == "edge":
            # Both ends of the row by one loop: what is common to all elements is computed once.
            low, high = f.params["low"], f.params["high"]
            with f.loop(const(f, 0, "i64"), const(f, 2, "i64"), rest=True) as end:
                right = end.compare("ne", 0)
                start = f.select(right, f.intrinsic("smax", lo, high), lo)
                stop = f.select(right, hi, f.intrinsic("smin", hi, low))
                with f.loop(start, stop, rest=True) as i:
                    self._elements(y, count, between, i, 1)
        elif lanes > 1 and self.code.parts:
            self._parts(y, between, lanes)
        elif lanes > 1:
            with f.loop(lo, hi, step=lanes, rest=True) as i:
                at = f.intrinsic("smin", i, hi - lanes)
                self._elements(y, count, between, at, lanes)
        else:
            few = self.code.width > 1
            with f.loop(lo, hi, parallel=not few, rest=few, interleave=self.code.rows == 1) as i:
                self._elements(y, count, between, i, 1)

    def _parts(self, y: Value | None, between: list[Value], lanes: int) -> None:
        """Emit a row whose elements are sums over a window along it: some elements at a time, first
        the sums of a few places for all of them, then sums of those."""
        f, window, step = self.f, self.stage.rows.window, self.code.parts
        assert window is not None
        size, count = window.parts
        lo, hi, zero = f.params["lo"], f.params["hi"], const(f, 0, "i64")
        type_, align = TYPES[window.dtype], window.dtype.size
        beyond = (count - 1) * size * step
        room = f.slot(type_, count=_PART + beyond + lanes)
        length = f.intrinsic("smin", hi - lo, _PART)
        outer = [*self.leading, *([] if y is None else [y, *between])]
        with f.loop(lo, hi, step=_PART, rest=True) as some:
            start = f.intrinsic("smin", some, hi - length)
            with f.loop(zero, length + beyond, step=lanes, rest=True) as at:
                e = self._emitter(outer, start + at, lanes)
                part = added(window, [e.value(term) for term in window.terms[:size]])
                f.store(f.splat(part, lanes), f.address(room, at, type_), align=align)
            with f.loop(zero, length, step=lanes, rest=True) as i:
                at = f.intrinsic("smin", i, length - lanes)
                e = self._emitter(outer, start + at, lanes)
                places = [plus(at, const(f, k * size * step, "i64")) for k in range(count)]
                parts = [f.address(room, place, type_) for place in places]
                values = [f.load(part, type_, lanes, align=align) for part in parts]
                values += [e.value(term) for term in window.terms[count * size :]]
                e.env[window.total] = added(window, values)
                self._store(e, e.run(window.block))

    def _elements(
        self, y: Value | None, count: int, between: list[Value], i: Value, lanes: int
    ) -> None:
        """Emit all values before the first store, so that equal loads are seen to be equal."""
        f, nest = self.f, self.nest
        if nest.unrolled is not None and lanes > 1:
            rows = [[]] if y is None else [[y + r if r else y, *between] for r in range(count)]
            self._pixels([[*self.leading, *row] for row in rows], i, lanes)
            return
        found: list[tuple[RowEmitter, list[Value]]] = []
        window = self.stage.rows.window
        window = window if window and window.axis == self.abi.axis else None
        code = self.code
        with (
            f.abreast() if code.abreast else nullcontext(),
            f.sharing() if code.straight else nullcontext(),
        ):
            for r in range(count):
                outer = [*self.leading, *([] if y is None else [y, *between])]
                for c in range(nest.unrolled) if nest.unrolled is not None else [None]:
                    e = self._emitter(outer, i, lanes)
                    if count > 1:
                        e.rows, e.shift = self.abi.axis, r
                    if c is not None:
                        e.axes[nest.first + 1] = const(f, c, "i64")
                    if window is not None:
                        e.env[window.total] = shared_sum(window, e, r, count)
                    found.append((e, e.run(self.block if window is None else window.block)))
        for e, values in found:
            self._store(e, values)

    def _pixels(self, rows: list[list[Value]], i: Value, pixels: int) -> None:
        """Emit pixels of some rows, each given by the coordinates before the pixels'."""
        nest, code = self.nest, self.code
        assert nest.unrolled is not None
        assert code.pixels is not None
        inside = nest.first if code.inside else None
        grid = (pixels, nest.unrolled)
        emitters = []
        for outer in rows:
            e = RowPixels(
                self.f, self.abi, self.indexer, axis=nest.first, grid=grid, interior=inside
            )
            e.axes, e.rings = {**dict(enumerate(outer)), nest.first: i}, self.abi.rings
            emitters.append(e)
        store_pixels(emitters, code.pixels, self._store)
        self.f.grid = None

    def _emitter(self, outer: list[Value], i: Value, lanes: int) -> RowEmitter:
        nest = self.nest
        e = RowEmitter(
            self.f,
            self.abi,
            self.indexer,
            width=lanes,
            lane_axis=nest.first if lanes > 1 else None,
            interior=nest.first if self.code.inside else None,
        )
        e.axes = dict(enumerate(outer))
        if len(nest.inner) > 1:
            e.flat = Flat(nest.first, len(self.stage.stage.space), nest.inner, i)
        else:
            e.axes[nest.first] = i
        return e

    def _store(self, e: RowEmitter | RowPixels, values: list[Value]) -> None:
        f, abi = self.f, self.abi
        for tensor, expr, value in zip(
            self.stage.stage.outputs, self.block.results, values, strict=True
        ):
            stored = e.packed(to_memory(value, expr.dtype, tensor.dtype))
            offset = const(f, 0, "i64")
            for k in e.axes:
                kept, stride = abi.wrap(f, tensor, k, e.at(k)), abi.stride(f, tensor, k)
                if k == e.lane_axis and stride.ref != str(e.step):
                    raise Misfit
                offset = plus(offset, times(kept, stride))
            if e.flat is not None:
                offset = plus(offset, e.flat.value)
            address = f.address(abi.pointer(f, "output", tensor), offset, tensor.dtype.llvm)
            # What the chain only reads is never where it writes.
            f.store(
                stored, address, align=tensor.dtype.size, tail=f", !noalias {f.module.read_only}"
            )
