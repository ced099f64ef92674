"""Row functions of one stage of a Chain.

In: a stage's Map kernel, and which of its tensors live in rings of rows. Out: functions that
compute some rows of what the stage writes: one with clamps along the row, and where it pays one
without. Several rows are computed side by side where they read rows in common, so that each is
loaded and converted once. Knows nothing about which rows are wanted when.
"""

from __future__ import annotations

from contextlib import nullcontext

from treadle.codegen.llvm.abi import plus, times
from treadle.codegen.llvm.chain_load import RowEmitter, RowPixels
from treadle.codegen.llvm.chain_ring import PARAMS, StageAbi, emit_ends, read_over
from treadle.codegen.llvm.emit import CannotWiden, Flat
from treadle.codegen.llvm.map import Nest, assume, constraints, plan
from treadle.codegen.llvm.nest import decode
from treadle.codegen.llvm.ops import TYPES, cast
from treadle.codegen.llvm.pixel import PIXELS, scattered, store_pixels
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.codegen.llvm.unroll import has_loops
from treadle.codegen.llvm.window import Window, added, find_window, shared_sum
from treadle.dtypes import DType
from treadle.ir.affine import Indexer, resolve_locals
from treadle.ir.nodes import Block, Dim, For, Kernel, Load, Map, expressions, statements, walk

__all__ = ["StageCode", "rows_together"]

_LANES = 16
_JAM = 4  # rows side by side
_JAM_NODES = 600  # a body larger than this is not repeated
_USUAL = "noinline nounwind"
# Pixels are put together from 16 bytes each: two to a vector take half the steps that four do.
_NARROW = f'{_USUAL} "prefer-vector-width"="256" "min-legal-vector-width"="0"'
_PART = 2048  # elements of a row whose sums are made of parts, at a time


def rows_together(block: Block, indexer: Indexer, axis: int) -> int:
    """How many neighbours along an axis are computed side by side: several where they read the same
    rows of a tensor, and the body is small enough to be there several times. Sums over a window
    share the more the wider they are, and that many rows may not stay in the cache otherwise."""
    window = find_window(block, indexer)
    if window is not None:
        wide = [rows for rows in (16, 8) if 3 * len(window.terms) >= 4 * rows]
        return (wide or [_JAM])[0] if window.axis == axis else 1
    size = sum(1 for _ in expressions(block))
    size *= 1 + sum(1 for stmt in statements(block.body) if isinstance(stmt, For))
    seen: dict[str, set[tuple[int, int]]] = {}
    for node in expressions(block):
        if not isinstance(node, Load):
            continue
        for index in node.indices:
            form = indexer.affine(index)
            if form is not None and form.scale(("axis", axis)) == 1:
                spread = indexer.spread(form, axis)
                if spread is not None:
                    seen.setdefault(node.tensor, set()).add(spread)
    shared = any(max(h for _, h in s) > min(low for low, _ in s) for s in seen.values())
    return _JAM if shared and size <= _JAM_NODES and not has_loops(block.body) else 1


class StageCode:
    """One stage: how its rows are walked, and its functions."""

    def __init__(self, name: str, stage: Kernel, abi: StageAbi) -> None:
        form = stage.form
        assert isinstance(form, Map)
        self.name, self.stage, self.abi = name, stage, abi
        self.block = read_over(stage, resolve_locals(form.block), abi.axis, abi.rings)
        self.indexer = Indexer(stage.space, self.block)
        rank, axis = len(stage.space), abi.axis
        self.along = rank == axis + 1  # rows of one element: walked along the rows' own axis
        above = axis if self.along else axis + 1
        self.nest: Nest = plan(stage, self.block, self.indexer, above=above)
        self.limits = constraints(stage, self.block, self.indexer, self.nest.first)
        rings = [abi.rings[t.name] for t in stage.outputs if t.name in abi.rings]
        self.window = find_window(self.block, self.indexer)
        self.ends = [ring for ring in rings if any(ring.over)]

    @property
    def between(self) -> tuple[Dim, ...]:
        """The axes between the rows' and the inner one."""
        return self.nest.outer[self.abi.axis + 1 :]

    def emit(self, module: Module) -> None:
        """Define `<name>_all`, or `<name>_edge` and `<name>_inside` where constant offsets leave
        an interior, and `<name>_ends` where rows are read beyond their ends."""
        if self.ends:
            emit_ends(module, f"{self.name}_ends", self.abi, self.ends)
        jam = 1 if self.along else rows_together(self.block, self.indexer, self.abi.axis)
        if not self.limits:
            self._function(module, "all", self.block, jam)
            return
        self._function(module, "edge", self.block, 1)
        inner = assume(self.block, self.indexer, self.nest.first, self.limits)
        self._function(module, "inside", inner, jam)

    def finds_pixels(self, block: Block) -> bool:
        """Whether pixels are read at places that rows have in common, so that finding them once
        for several rows saves most of the work."""
        if (self.nest.unrolled or 1) < 2 or has_loops(block.body):
            return False  # one channel is no vector
        small = sum(1 for _ in expressions(block)) <= _JAM_NODES
        return small and scattered(block, self.indexer, self.nest.first + 1)

    def _function(self, module: Module, kind: str, block: Block, jam: int) -> None:
        lanes = _LANES
        if self.nest.unrolled is not None:
            # LLVM takes bytes apart well, as long as they are not many.
            small = all(tensor.dtype is DType.U8 for tensor in self.stage.inputs)
            # One channel is no vector that could be loaded from anywhere.
            loose = self.nest.unrolled == 1 and scattered(block, self.indexer, self.nest.first + 1)
            lanes = 1 if loose or (small and jam == 1) else PIXELS
        for width in [lanes, 1] if lanes > 1 and kind != "edge" else [1]:
            attributes = _NARROW if width > 1 and self.finds_pixels(block) else _USUAL
            f = Function(module, f"{self.name}_{kind}", PARAMS, attributes=attributes)
            try:
                _Rows(self, f, block, width, kind, jam).emit()
            except CannotWiden:
                if width == 1:
                    raise
                continue
            f.finish()
            return


class _Rows:
    """Emits the loops over some rows into one function.

    With lanes, the last vector of a row starts where it just fits, and computes some elements
    again; rows shorter than a vector go element by element. Without, LLVM makes the vectors."""

    def __init__(
        self, code: StageCode, f: Function, block: Block, width: int, kind: str, jam: int
    ) -> None:
        self.code, self.f, self.block, self.width = code, f, block, width
        self.kind, self.jam = kind, jam
        abi = code.abi
        self.leading = decode(f, abi, f.params["lead"], code.stage.space[: abi.axis])

    def emit(self) -> None:
        """Emit the whole function's body."""
        f = self.f
        if self.width == 1:
            self._rows(1, self.jam)
            return
        full = (f.params["hi"] - f.params["lo"]).compare("sge", self.width)
        jam = self.jam
        if self.code.nest.unrolled is not None:  # which takes many registers
            jam = _JAM if self.code.finds_pixels(self.block) else 1
        with f.when(full):
            self._rows(self.width, jam)
        with f.when(full ^ 1):
            self._rows(1, 1)

    def _rows(self, lanes: int, jam: int) -> None:
        f = self.f
        start, stop = f.params["top"], f.params["bottom"]
        if self.code.along:
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
        code, f = self.code, self.f
        if code.between:
            zero, total = const(f, 0, "i64"), code.abi.product(f, code.between)
            with f.loop(zero, total) as at:
                self._columns(y, count, decode(f, code.abi, at, code.between), lanes)
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
        elif lanes > 1 and self._parted() is not None:
            self._parts(y, between, lanes)
        elif lanes > 1:
            with f.loop(lo, hi, step=lanes, rest=True) as i:
                at = f.intrinsic("smin", i, hi - lanes)
                self._elements(y, count, between, at, lanes)
        else:
            few = self.width > 1
            with f.loop(lo, hi, parallel=not few, rest=few, interleave=self.jam == 1) as i:
                self._elements(y, count, between, i, 1)

    def _parted(self) -> tuple[Window, int] | None:
        """The window along a row whose sums are made of parts, with the elements of a step; None
        where there is none, or where it is not known that what it reads is there."""
        window, nest = self.code.window, self.code.nest
        if window is None or window.axis != nest.first or self.kind != "all" or nest.unrolled:
            return None
        step = 1
        for dim in nest.inner[1:]:
            step *= dim if isinstance(dim, int) else _PART
        loads = [node for node in walk(window.terms[0]) if isinstance(node, Load)]
        near = all(load.tensor in self.code.abi.rings for load in loads)
        return (window, step) if near and step * len(window.terms) <= _PART else None

    def _parts(self, y: Value | None, between: list[Value], lanes: int) -> None:
        """Emit a row whose elements are sums over a window along it: some elements at a time, first
        the sums of a few places for all of them, then sums of those."""
        f, found = self.f, self._parted()
        assert found is not None
        window, step = found
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
        f, code = self.f, self.code
        nest = code.nest
        if nest.unrolled is not None and lanes > 1:
            rows = [[]] if y is None else [[y + r if r else y, *between] for r in range(count)]
            self._pixels([[*self.leading, *row] for row in rows], i, lanes)
            return
        found: list[tuple[RowEmitter, list[Value]]] = []
        window = code.window if code.window and code.window.axis == code.abi.axis else None
        straight = not has_loops(self.block.body)
        with f.sharing() if straight else nullcontext():
            for r in range(count):
                outer = [*self.leading, *([] if y is None else [y, *between])]
                for c in range(nest.unrolled) if nest.unrolled is not None else [None]:
                    e = self._emitter(outer, i, lanes)
                    if count > 1:
                        e.rows, e.shift = code.abi.axis, r
                    if c is not None:
                        e.axes[nest.first + 1] = const(f, c, "i64")
                    if window is not None:
                        e.env[window.total] = shared_sum(window, e, r, count)
                    found.append((e, e.run(self.block if window is None else window.block)))
        for e, values in found:
            self._store(e, values)

    def _pixels(self, rows: list[list[Value]], i: Value, pixels: int) -> None:
        """Emit pixels of some rows, each given by the coordinates before the pixels'."""
        nest, code = self.code.nest, self.code
        assert nest.unrolled is not None
        inside = nest.first if self.kind == "inside" else None
        grid = (pixels, nest.unrolled)
        emitters = []
        for outer in rows:
            e = RowPixels(
                self.f, code.abi, code.indexer, axis=nest.first, grid=grid, interior=inside
            )
            e.axes, e.rings = {**dict(enumerate(outer)), nest.first: i}, code.abi.rings
            emitters.append(e)
        store_pixels(emitters, self.block, self._store)
        self.f.grid = None

    def _emitter(self, outer: list[Value], i: Value, lanes: int) -> RowEmitter:
        nest, code = self.code.nest, self.code
        e = RowEmitter(
            self.f,
            code.abi,
            code.indexer,
            width=lanes,
            lane_axis=nest.first if lanes > 1 else None,
            interior=nest.first if self.kind == "inside" else None,
        )
        e.axes = dict(enumerate(outer))
        if len(nest.inner) > 1:
            e.flat = Flat(nest.first, len(code.stage.space), nest.inner, i)
        else:
            e.axes[nest.first] = i
        return e

    def _store(self, e: RowEmitter | RowPixels, values: list[Value]) -> None:
        f, abi = self.f, self.code.abi
        for tensor, expr, value in zip(
            self.code.stage.outputs, self.block.results, values, strict=True
        ):
            stored = e.packed(cast(value, expr.dtype, tensor.dtype))
            offset = const(f, 0, "i64")
            for k in e.axes:
                kept, stride = abi.wrap(f, tensor, k, e.at(k)), abi.stride(f, tensor, k)
                if k == e.lane_axis and stride.ref != str(e.step):
                    raise CannotWiden
                offset = plus(offset, times(kept, stride))
            if e.flat is not None:
                offset = plus(offset, e.flat.value)
            address = f.address(abi.pointer(f, "output", tensor), offset, TYPES[tensor.dtype])
            # What the chain only reads is never where it writes.
            f.store(
                stored, address, align=tensor.dtype.size, tail=f", !noalias {f.module.read_only}"
            )
