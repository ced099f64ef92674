"""Loop nests of Map kernels.

In: a scheduled Map kernel. Out: functions over runs of its inner axis, and a driver over parallel
units, which are blocks of that axis, row by row. Iterations never depend on each other, also when
an output is exactly an input, so the loops promise parallel accesses rather than distinct pointers.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from contextlib import nullcontext
from functools import partial

from treadle.codegen.llvm.abi import Abi, plus, times
from treadle.codegen.llvm.bytes import RUN, ByteEmitter, look_up, store_run
from treadle.codegen.llvm.emit import Emitter, Flat
from treadle.codegen.llvm.nest import (
    CACHE_LINE,
    FormEmitter,
    Geometry,
    Sizes,
    ceil_div,
    decode,
    interior,
    product,
    store_all,
    units_of,
)
from treadle.codegen.llvm.pairs import define_pairs
from treadle.codegen.llvm.pixel import PixelEmitter, store_pixels
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.ir.affine import Indexer
from treadle.ir.loops import Loops, Nest, RowCode, Vectors
from treadle.ir.nodes import Dim, Expr, Tensor
from treadle.ir.schedule import Schedule

__all__ = ["MAP"]

_BLOCK = 16384  # elements of the inner axis in one unit, unless a row is not much longer
_TILE = 64  # rows and columns of a tile, where tiles are worth while
# Where the rows of an input are a multiple of so many bytes apart, the lines of a tile's columns
# share a few places of the cache. Then the tile is walked in strips of so many columns, fewer of
# bytes; else that only costs time.
_APART = 2048
_STRIP, _STRIP_OF_BYTES = 16, 8
_ROW_PARAMS = (("ptr", "block"), ("i64", "row"), ("i64", "lo"), ("i64", "hi"))
# Bytes of output that leave little of their inputs in any cache: storing them past the caches saves
# reading them first.
_STREAMED = 1 << 24


def emit_map(module: Module, schedule: Schedule, abi: Abi) -> bool:
    """Define treadle_run for a Map kernel."""
    loops = schedule.walk
    assert isinstance(loops, Loops)
    _row_function(module, abi, loops.nest, "row_edge", loops.edge)
    if loops.stream is not None:
        _row_function(module, abi, loops.nest, "row_stream", loops.stream)
    if loops.inside is not None:
        _row_function(module, abi, loops.nest, "row_inside", loops.inside)
    if loops.halves is not None:
        define_pairs(module, abi, loops.nest, loops.halves)
    _driver(module, abi, loops)
    return False


def _row_function(module: Module, abi: Abi, nest: Nest, name: str, code: RowCode) -> None:
    """Define a row function."""
    f = Function(module, name, list(_ROW_PARAMS))
    _Row(f, abi, nest, code).emit()
    f.finish()


class _Row:
    """Emits the loops of a row into one function."""

    def __init__(self, f: Function, abi: Abi, nest: Nest, code: RowCode) -> None:
        self.f, self.abi, self.nest, self.code, self.block = f, abi, nest, code, code.block
        self.indexer = Indexer(abi.kernel.space, code.block)
        self.pixel = self.indexer  # of what computes a pixel
        if code.channels is not None:
            self.pixel = Indexer(abi.kernel.space, code.channels)
        row = f.params["row"]
        self.outer = decode(f, abi, row, nest.outer)
        self.start = row * abi.product(f, nest.inner)
        self.inside = nest.first if code.inside else None

    def emit(self) -> None:
        """Emit all loops: vectors first, then what is left, element by element."""
        f, code = self.f, self.code
        lo, hi = f.params["lo"], f.params["hi"]
        if code.table is None:
            for body, step in self._vectors():
                middle = lo + f.intrinsic("smax", f.binary("sdiv", hi - lo, step), 0) * step
                with f.loop(lo, middle, step=step) as i:
                    body(i)
                lo = middle
        if code.lookups:
            lo = self._looked_up(lo, hi)
        rest = code.few or code.width > 1 or bool(code.lookups)
        with f.loop(lo, hi, parallel=not rest, rest=rest) as i:
            self._elements(i, 1)

    def _vectors(self) -> list[tuple[Callable[[Value], None], int]]:
        """What emits some elements at once, the most first, and how many."""
        code = self.code
        if code.vectors is Vectors.NONE:
            return []
        if code.vectors is Vectors.PIXELS:
            return [(self._pixels, code.width)]
        one = partial(self._elements, lanes=code.width), code.width
        return [(self._packed, RUN * code.width), one] if code.packs else [one]

    def _looked_up(self, lo: Value, hi: Value) -> Value:
        """Emit the loop for tables that have room for every byte; return what is left to do."""
        f, abi, code = self.f, self.abi, self.code
        lookups = dict(code.lookups)
        dims = frozenset(lookups.values())
        fits = const(f, 1, "i1")
        for dim in sorted(dims, key=str):
            fits = fits & abi.size(f, dim).compare("sge", 256)
        with f.when(fits):
            left = lo
            if code.table is not None:
                left = look_up(f, abi, code.table, lo, hi, self.start, self._emitter)
            with f.loop(left, hi, alone=True) as i:
                self._elements(i, 1, frozenset(lookups), dims)
        return f.select(fits, hi, lo)

    def _emitter(self, i: Value, lanes: int) -> Emitter:
        nest, f = self.nest, self.f
        if self.code.vectors is Vectors.BYTES and lanes == self.code.width:
            block = self.code.channels or self.block
            e: Emitter = ByteEmitter(
                f, self.abi, self.pixel, [block], axis=nest.first, interior=self.inside
            )
        else:
            axis = nest.first if lanes > 1 else None
            e = Emitter(f, self.abi, self.pixel, width=lanes, lane_axis=axis, interior=self.inside)
        e.axes = dict(enumerate(self.outer))
        if len(nest.inner) > 1:
            e.flat = Flat(nest.first, len(self.abi.kernel.space), nest.inner, i)
        elif nest.inner:
            e.axes[nest.first] = i
        return e

    def _elements(
        self, i: Value, lanes: int, small: Container[Expr] = (), roomy: Container[Dim] = ()
    ) -> None:
        e = self._emitter(i, lanes)
        # What reads bytes has much in common, which LLVM would take long to find.
        shares = isinstance(e, ByteEmitter) and self.code.straight
        with self.f.sharing() if shares else nullcontext():
            self._element(i, e, lanes, small, roomy)

    def _element(
        self,
        i: Value,
        e: Emitter,
        lanes: int,
        small: Container[Expr],
        roomy: Container[Dim],
    ) -> None:
        f, nest, block = self.f, self.nest, self.block
        e.bytes, e.roomy = small, roomy
        position = plus(self.start, i)
        if nest.unrolled is None:
            stream = self.code.streams and lanes > 1
            store_all(e, block.results, e.run(block), position, streaming=stream)
            return
        with f.abreast() if self.code.abreast and lanes == self.code.width else nullcontext():
            values = self._channels(e)
        position = times(position, const(f, nest.unrolled, "i64"))
        if isinstance(e, ByteEmitter):
            e.store_pixels([values], block.results, position)
            return
        for c, found in enumerate(values):
            store_all(e, block.results, found, plus(position, const(f, c, "i64")))

    def _channels(self, e: Emitter) -> list[list[Value]]:
        """The values of all outputs, for each channel of a pixel.

        All channels are read before one is written: what they have in common is then computed
        once, whatever LLVM has to assume about the pointers."""
        nest, block = self.nest, self.block
        if nest.unrolled is None:
            return [e.run(block)]
        if self.code.channels is not None:
            every, count = e.run(self.code.channels), len(block.results)
            return [every[at : at + count] for at in range(0, len(every), count)]
        values: list[list[Value]] = []
        for c in range(nest.unrolled):
            e.axes[nest.first + 1] = const(self.f, c, "i64")
            values.append(e.run(block))
        return values

    def _pixels(self, i: Value) -> None:
        f, nest, code = self.f, self.nest, self.code
        assert nest.unrolled is not None
        assert code.pixels is not None
        grid = (code.width, nest.unrolled)
        e = PixelEmitter(
            f, self.abi, self.indexer, axis=nest.first, grid=grid, interior=self.inside
        )
        e.axes = {**dict(enumerate(self.outer)), nest.first: i}
        position = times(plus(self.start, i), const(f, nest.unrolled, "i64"))
        results, streams = self.block.results, code.streams
        store_pixels(
            [e],
            code.pixels,
            lambda e, values: store_all(e, results, values, position, streaming=streams),
        )
        f.grid = None

    def _packed(self, i: Value) -> None:
        f, code = self.f, self.code
        starts = [plus(i, const(f, k * code.width, "i64")) for k in range(RUN)]
        with f.sharing() if code.straight else nullcontext():
            values = [self._channels(self._emitter(start, code.width)) for start in starts]
            at = times(plus(self.start, i), const(f, self.nest.unrolled or 1, "i64"))
            store_run(self.abi, self.block.results, values, at, streaming=code.streams)


def _address(f: Function, abi: Abi, tensor: Tensor, at: Value) -> Value:
    """The address of an output's element, as a number."""
    start = f.emit(f"ptrtoint {abi.pointer(f, 'output', tensor).text} to i64", "i64")
    return start + at * tensor.dtype.size


def _aligned_from(
    f: Function, abi: Abi, nest: Nest, row: Value, start: Value, stop: Value
) -> tuple[Value, Value]:
    """The first position of a row from `start` on at which the first output is at a cache line, and
    whether every output is there."""
    first = abi.kernel.outputs[0]
    unit = (nest.unrolled or 1) * first.dtype.size
    even = unit & -unit  # the largest power of two in it; what else is in it has an inverse
    lines = CACHE_LINE // even
    before = times(row, abi.product(f, nest.inner)) if nest.outer else const(f, 0, "i64")
    at = times(plus(before, start), const(f, nest.unrolled or 1, "i64"))
    skew = const(f, 0, "i64") - _address(f, abi, first, at)
    skew = skew.lshr(even.bit_length() - 1) * pow(unit // even, -1, lines)
    begin = f.intrinsic("smin", start + (skew & (lines - 1)), stop)
    bits = const(f, 0, "i64")
    for tensor in abi.kernel.outputs:
        at = times(plus(before, begin), const(f, nest.unrolled or 1, "i64"))
        bits = bits | _address(f, abi, tensor, at)
    return begin, (bits & (CACHE_LINE - 1)).compare("eq", 0)


def _block_of_rows(
    f: Function,
    abi: Abi,
    loops: Loops,
    rows: tuple[Value, Value],
    span: tuple[Value, Value],
    inside: tuple[Value, Value],
) -> None:
    """Have a part of some rows computed: what is near an edge, and what is not."""
    nest, limits, block = loops.nest, loops.limits, f.params["block"]
    (start, stop), (low, high) = span, inside
    with f.loop(*rows) as row:

        def call(name: str, a: Value, b: Value) -> None:
            with f.when(a.compare("slt", b)):
                f.do(f"call void @{name}({block.text}, {row.text}, {a.text}, {b.text})")

        if limits:
            call("row_edge", start, f.intrinsic("smin", stop, low))
            call("row_inside", f.intrinsic("smax", start, low), f.intrinsic("smin", stop, high))
            call("row_edge", f.intrinsic("smax", start, high), stop)
        elif loops.stream is not None:
            begin, aligned = _aligned_from(f, abi, nest, row, start, stop)
            begin = f.select(aligned, begin, stop)
            call("row_edge", start, begin)
            call("row_stream", begin, stop)
        elif loops.halves is not None:
            low_pair, high_pair = (start + 1).ashr(1), stop.ashr(1)
            before = f.intrinsic("smin", low_pair.shl(1), stop)
            call("row_edge", start, before)
            call("row_pairs", low_pair, high_pair)
            call("row_edge", f.intrinsic("smax", high_pair.shl(1), before), stop)
        else:
            call("row_edge", start, stop)


def _strip(f: Function, abi: Abi, nest: Nest) -> Value:
    """How many columns of a tile are walked at once: all, or a strip of them."""
    size = max(tensor.dtype.size for tensor in abi.kernel.inputs)
    apart = f.binary("urem", abi.size(f, nest.outer[-1]) * size, _APART)
    strip = _STRIP if size > 1 else _STRIP_OF_BYTES
    return f.select(apart.compare("eq", 0), const(f, strip, "i64"), _TILE)


def _driver(module: Module, abi: Abi, loops: Loops) -> None:
    nest, limits = loops.nest, loops.limits
    f = units_of(module)
    total = abi.product(f, nest.inner)
    inner = abi.product(f, nest.inner[1:])
    size = abi.read(f, "geometry", "block", "i64")
    per_row = f.binary("sdiv", total + size - 1, size)
    low, high = interior(f, abi, limits, total, inner)
    rows, group = abi.product(f, nest.outer), abi.read(f, "geometry", "group", "i64")
    with f.loop(f.params["lo"], f.params["hi"]) as unit:
        first = f.binary("sdiv", unit, per_row)
        start = (unit - first * per_row) * size
        stop = f.intrinsic("smin", start + size, total)
        first = first * group
        last = f.intrinsic("smin", first + group, rows)
        if not loops.tiled:
            _block_of_rows(f, abi, loops, (first, last), (start, stop), (low, high))
        else:
            step = _strip(f, abi, nest)
            strips = f.binary("udiv", stop - start + step - 1, step)
            with f.loop(const(f, 0, "i64"), strips) as strip:
                begin = start + strip * step
                end = f.intrinsic("smin", begin + step, stop)
                _block_of_rows(f, abi, loops, (first, last), (begin, end), (low, high))
    if loops.stream is not None:
        # Streamed stores are not ordered by the counter that ends the launch.
        f.do("fence seq_cst")
    f.finish()


def measure_map(schedule: Schedule, sizes: Sizes, cost: float) -> Geometry:
    """Split the inner axis into blocks where it is long."""
    kernel, loops = schedule.kernel, schedule.walk
    assert isinstance(loops, Loops)
    length, rows = product(loops.nest.inner, sizes), product(loops.nest.outer, sizes)
    size, group = length if length < 2 * _BLOCK else _BLOCK, 1
    if loops.tiled:
        size, group, cost = min(size, _TILE), _TILE, cost * 2
    size = max(size, 1)
    stored = product(kernel.space, sizes) * max(tensor.dtype.size for tensor in kernel.outputs)
    units = ceil_div(rows, group) * ceil_div(length, size)
    return Geometry(units, (size, group), 0, cost, streams=stored >= _STREAMED)


MAP = FormEmitter(("block", "group"), emit_map, measure_map)
