"""Loop nests of Map kernels.

In: a Map kernel. Out: functions over runs of one inner axis, and a driver over parallel units. The
inner axis is the largest group of trailing axes that can be walked as one; the units are blocks of
it, row by row. Where loads reach past the edge by constant offsets, a second copy of the row
function without clamps does the interior. Iterations never depend on each other, also when an
output is exactly an input, so the loops promise parallel accesses rather than distinct pointers.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import partial

from treadle.codegen.llvm.abi import Abi, plus, times
from treadle.codegen.llvm.bytes import (
    BYTE_LANES,
    RUN,
    ByteEmitter,
    in_bytes,
    look_up,
    runs_of_bytes,
    store_run,
)
from treadle.codegen.llvm.emit import CannotWiden, Emitter, Flat, flat_position
from treadle.codegen.llvm.lookup import byte_lookups, byte_table, depends
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
)
from treadle.codegen.llvm.pairs import define_pairs, halved
from treadle.codegen.llvm.pixel import PIXELS, PixelEmitter, scattered, store_pixels
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.codegen.llvm.unroll import has_loops
from treadle.dtypes import DType
from treadle.ir.affine import Indexer, resolve_locals
from treadle.ir.nodes import (
    Axis,
    Block,
    Const,
    Dim,
    Expr,
    Extent,
    Kernel,
    Load,
    Map,
    Op,
    Tensor,
    expressions,
    rewrite_block,
    walk,
)

__all__ = [
    "MAP",
    "STREAMED_MAP",
    "Nest",
    "assume",
    "constraints",
    "plan",
    "streamable",
]

_BLOCK = 16384  # elements of the inner axis in one unit, unless a row is not much longer
_TILE = 64  # rows and columns of a tile, where tiles are worth while
_UNROLL_LAST = 4
_STREAMED_PIXELS = 16  # whose channels, of 4 bytes each, are whole cache lines
_ROW_PARAMS = (("ptr", "block"), ("i64", "row"), ("i64", "lo"), ("i64", "hi"))
_LANES = 16  # for bodies with loops inside, which LLVM would not vectorise over the outer one
# Bytes of output that leave little of their inputs in any cache: storing them past the caches saves
# reading them first.
_STREAMED = 1 << 24


@dataclass(frozen=True, slots=True)
class Nest:
    """How the axes of a Map are walked: rows over `outer`, runs over `first` and what merges with
    it, the last axis unrolled where `unrolled` says so."""

    outer: tuple[Dim, ...]
    first: int
    inner: tuple[Dim, ...]
    unrolled: int | None = None


def plan(kernel: Kernel, block: Block, indexer: Indexer, *, above: int = 0) -> Nest:
    """Choose the inner axis, `above` or after it."""
    space = kernel.space
    rank = len(space)
    for first in range(above, rank - 1):
        if _merges(kernel, block, indexer, first):
            return Nest(space[:first], first, space[first:])
    if rank == 0:
        return Nest((), 0, ())
    last = space[-1]
    if rank - 2 >= above and isinstance(last, int) and 0 < last <= _UNROLL_LAST:
        return Nest(space[: rank - 2], rank - 2, (space[rank - 2],), last)
    return Nest(space[: rank - 1], rank - 1, (last,))


def _merges(kernel: Kernel, block: Block, indexer: Indexer, first: int) -> bool:
    rank = len(kernel.space)
    tensors = {t.name: t for t in kernel.inputs}
    inside_loads = 0
    for node in expressions(block):
        if not isinstance(node, Load):
            continue
        dims = tensors[node.tensor].dims
        forms = [indexer.affine(index) for index in node.indices]
        for form, index in zip(forms, node.indices, strict=True):
            if form is None:
                continue  # its own Axis nodes are counted as other uses below
            inside_loads += sum(1 for e in walk(index) if isinstance(e, Axis) and e.index >= first)
        try:
            flat_position(first, rank, kernel.space[first:], forms, dims)
        except CannotWiden:
            return False
    uses = sum(1 for e in expressions(block) if isinstance(e, Axis) and e.index >= first)
    return uses == inside_loads


def constraints(
    kernel: Kernel, block: Block, indexer: Indexer, axis: int
) -> list[tuple[int, int, int, Dim]]:
    """Return (scale, lowest, highest, dim) for each index that leaves its dimension only by a
    constant offset along `axis`."""
    tensors = {t.name: t for t in kernel.inputs}
    found: dict[tuple[int, int, int, Dim], None] = {}
    for node in expressions(block):
        if not isinstance(node, Load):
            continue
        for k, index in enumerate(node.indices):
            form = indexer.affine(index)
            dim = tensors[node.tensor].dims[k]
            if form is None or (node.inside and node.inside[k]) or indexer.proved(form, dim):
                continue
            scale, spread = form.scale(("axis", axis)), indexer.spread(form, axis)
            if scale >= 1 and spread is not None:
                found[(scale, spread[0], spread[1], dim)] = None
    return list(found)


def assume(
    block: Block, indexer: Indexer, axis: int, limits: list[tuple[int, int, int, Dim]]
) -> Block:
    """Replace questions that the interior answers: is this index at least 0, is it below the size
    of its dimension? So zero padding costs nothing there."""

    def within(index: Expr, dim: Dim | None) -> bool:
        form = indexer.affine(index)
        spread = None if form is None else indexer.spread(form, axis)
        if form is None or spread is None:
            return False
        scale = form.scale(("axis", axis))
        above = any(scale == s and low <= spread[0] for s, low, _, _ in limits)
        below = any(scale == s and d == dim and spread[1] <= high for s, _, high, d in limits)
        return above if dim is None else below

    def change(node: Expr) -> Expr:
        match node:
            case Op(name="ge", args=(index, Const(value=0))) if within(index, None):
                return Const(True, DType.BOOL)
            case Op(name="lt", args=(index, Extent(dim=dim))) if within(index, dim):
                return Const(True, DType.BOOL)
            case _:
                return node

    return rewrite_block(block, change)


def emit_map(module: Module, kernel: Kernel, abi: Abi, *, streaming: bool = False) -> bool:
    """Define treadle_units for a Map kernel."""
    form = kernel.form
    assert isinstance(form, Map)
    block = resolve_locals(form.block)
    indexer = Indexer(kernel.space, block)
    nest = plan(kernel, block, indexer)
    limits = constraints(kernel, block, indexer, nest.first) if kernel.space else []
    single = not limits and not streaming and len(nest.inner) == 1
    pairs = halved(kernel, block, nest.first) if single else None
    few = pairs is not None  # elements are left for row_edge
    _row_function(module, kernel, abi, block, indexer, nest, "row_edge", interior=False, few=few)
    if streaming:
        _stream_function(module, kernel, abi, block, indexer, nest)
    if limits:
        inner = assume(block, indexer, nest.first, limits)
        _row_function(module, kernel, abi, inner, indexer, nest, "row_inside", interior=True)
    if pairs is not None:
        shape = nest.outer, nest.inner, nest.first, nest.unrolled
        define_pairs(module, abi, pairs, *shape, bytewise=abi.vbmi)
    _driver(module, abi, nest, limits, streaming=streaming, pairs=pairs is not None)
    return False


def streamable(kernel: Kernel) -> bool:
    """Whether a kernel is runs of simple code, so that large outputs can be streamed."""
    if not isinstance(kernel.form, Map) or not kernel.space:
        return False
    block = resolve_locals(kernel.form.block)
    indexer = Indexer(kernel.space, block)
    nest = plan(kernel, block, indexer)
    if has_loops(block.body) or constraints(kernel, block, indexer, nest.first):
        return False
    if nest.unrolled is None:
        return True
    sizes = {_STREAMED_PIXELS * nest.unrolled * t.dtype.size % CACHE_LINE for t in kernel.outputs}
    whole = nest.unrolled > 1 and sizes == {0} and not crosses(kernel, block, indexer, nest)
    # Mirrored pixels are as quick as memory is; those at unknown places are not.
    return whole and scattered(block, indexer, nest.first + 1, linear=True)


def _stream_function(
    module: Module, kernel: Kernel, abi: Abi, block: Block, indexer: Indexer, nest: Nest
) -> None:
    """Define row_stream, which stores whole lanes past the caches.

    A *scalar* nontemporal store would keep LLVM from vectorising, so the lanes are explicit; where
    the body cannot be widened, single elements are stored as usual."""
    for width in (_LANES, 1):
        f = Function(module, "row_stream", list(_ROW_PARAMS))
        try:
            _row_body(f, kernel, abi, block, indexer, nest, width, interior=False, streaming=True)
        except CannotWiden:
            continue
        break
    f.do("fence seq_cst")  # streamed stores are not ordered by the counter that ends the launch
    f.finish()


def _row_function(
    module: Module,
    kernel: Kernel,
    abi: Abi,
    block: Block,
    indexer: Indexer,
    nest: Nest,
    name: str,
    *,
    interior: bool,
    few: bool = False,
) -> None:
    """Define a row function; `few` says that it will have next to nothing to do."""
    if nest.unrolled is not None:
        wide = nest.unrolled > 1 and scattered(block, indexer, nest.first + 1)
    else:
        wide = has_loops(block.body)
    widths = [_LANES, 1] if wide and not few else [1]
    if abi.vbmi and widths == [1] and not few and not has_loops(block.body):
        shape = nest.first, len(nest.inner), nest.unrolled or 1
        if in_bytes(kernel, block, indexer, *shape) or byte_table(kernel, block):
            widths = [BYTE_LANES, 1]
    for width in widths:
        f = Function(module, name, list(_ROW_PARAMS))
        mode: dict[str, bool] = {
            "interior": interior,
            "few": few,
            "bytewise": width == BYTE_LANES and not wide,
        }
        try:
            _row_body(f, kernel, abi, block, indexer, nest, width, **mode)
        except CannotWiden:
            if width == 1:
                raise
            continue
        f.finish()
        return


def _row_body(
    f: Function,
    kernel: Kernel,
    abi: Abi,
    block: Block,
    indexer: Indexer,
    nest: Nest,
    width: int,
    *,
    interior: bool,
    streaming: bool = False,
    few: bool = False,
    bytewise: bool = False,
) -> None:
    """Emit the loops of a row; `width` above 1 asks for explicit lanes, of pixels where the last
    axis is unrolled, or of bytes that do not lie side by side."""
    row, lo, hi = f.params["row"], f.params["lo"], f.params["hi"]
    outer = decode(f, abi, row, nest.outer)
    start = row * abi.product(f, nest.inner)
    inside = nest.first if interior else None

    def emitter(i: Value, lanes: int) -> Emitter:
        if bytewise and lanes == BYTE_LANES:
            e: Emitter = ByteEmitter(f, abi, indexer, [block], axis=nest.first, interior=inside)
        else:
            axis = nest.first if lanes > 1 else None
            e = Emitter(f, abi, indexer, width=lanes, lane_axis=axis, interior=inside)
        e.axes = dict(enumerate(outer))
        if len(nest.inner) > 1:
            e.flat = Flat(nest.first, len(kernel.space), nest.inner, i)
        elif nest.inner:
            e.axes[nest.first] = i
        return e

    def emit(i: Value, lanes: int, small: Container[Expr] = (), roomy: Container[Dim] = ()) -> None:
        e = emitter(i, lanes)
        e.bytes, e.roomy = small, roomy
        position = plus(start, i)
        if nest.unrolled is None:
            stream = streaming and lanes > 1
            store_all(e, block.results, e.run(block), position, streaming=stream)
            return
        # All channels are read before one is written: what they have in common is then computed
        # once, whatever LLVM has to assume about the pointers.
        channels = [const(f, c, "i64") for c in range(nest.unrolled)]
        values = []
        for c in channels:
            e.axes[nest.first + 1] = c
            values.append(e.run(block))
        position = times(position, const(f, nest.unrolled, "i64"))
        if isinstance(e, ByteEmitter):
            e.store_pixels([values], block.results, position)
            return
        for c, found in zip(channels, values, strict=True):
            store_all(e, block.results, found, plus(position, c))

    def emit_pixels(i: Value) -> None:
        assert nest.unrolled is not None
        grid = (_STREAMED_PIXELS if streaming else PIXELS, nest.unrolled)
        e = PixelEmitter(f, abi, indexer, axis=nest.first, grid=grid, interior=inside)
        e.axes = {**dict(enumerate(outer)), nest.first: i}
        position = times(plus(start, i), const(f, nest.unrolled, "i64"))
        store_pixels(
            [e],
            block,
            lambda e, values: store_all(e, block.results, values, position, streaming=streaming),
        )
        f.grid = None

    def emit_run(i: Value) -> None:
        run = [emitter(plus(i, const(f, k * width, "i64")), width) for k in range(RUN)]
        store_run(abi, block.results, [e.run(block) for e in run], plus(start, i))

    table = byte_table(kernel, block) if bytewise and nest.unrolled is None else None
    if width > 1 and table is None:
        several: tuple[Callable[[Value], None], int] = emit_pixels, PIXELS
        if streaming:
            several = emit_pixels, _STREAMED_PIXELS
        if nest.unrolled is None or bytewise:
            several = partial(emit, lanes=width), width
        loops = [several]
        if bytewise and nest.unrolled is None and runs_of_bytes(kernel, block.results):
            loops.insert(0, (emit_run, RUN * width))
        for body, step in loops:
            middle = lo + f.intrinsic("smax", f.binary("sdiv", hi - lo, step), 0) * step
            with f.loop(lo, middle, step=step) as i:
                body(i)
            lo = middle
    lookups = byte_lookups(abi.kernel, block, indexer)
    if lookups:
        dims = frozenset(lookups.values())
        fits = const(f, 1, "i1")
        for dim in sorted(dims, key=str):
            fits = fits & abi.size(f, dim).compare("sge", 256)
        with f.when(fits):
            left = lo if table is None else look_up(f, abi, table, lo, hi, start, emitter)
            with f.loop(left, hi, alone=True) as i:
                emit(i, 1, frozenset(lookups), dims)
        lo = f.select(fits, hi, lo)
    rest = few or width > 1 or bool(lookups)
    with f.loop(lo, hi, parallel=not rest, rest=rest) as i:
        emit(i, 1)


def _address(f: Function, abi: Abi, tensor: Tensor, at: Value) -> Value:
    """The address of an output's element, as a number."""
    start = f.emit(f"ptrtoint {abi.pointer(f, 'output', tensor).text} to i64", "i64")
    return start + at * tensor.dtype.size


def _aligned_from(
    f: Function, abi: Abi, nest: Nest, row: Value, start: Value, stop: Value
) -> tuple[Value, Value]:
    """The first position of a row from `start` on at which the first output is at a cache line, and
    whether every output is there; of pixels, only `start` itself is looked at."""
    first = abi.kernel.outputs[0]
    before = times(row, abi.product(f, nest.inner)) if nest.outer else const(f, 0, "i64")
    begin = start
    if nest.unrolled is None:
        skew = (const(f, 0, "i64") - _address(f, abi, first, before + start)) & (CACHE_LINE - 1)
        begin = f.intrinsic("smin", start + f.binary("udiv", skew, first.dtype.size), stop)
    bits = const(f, 0, "i64")
    for tensor in abi.kernel.outputs:
        at = times(plus(before, begin), const(f, nest.unrolled or 1, "i64"))
        bits = bits | _address(f, abi, tensor, at)
    return begin, (bits & (CACHE_LINE - 1)).compare("eq", 0)


def _driver(
    module: Module,
    abi: Abi,
    nest: Nest,
    limits: list[tuple[int, int, int, Dim]],
    *,
    streaming: bool,
    pairs: bool = False,
) -> None:
    params = [("ptr", "block"), ("i64", "lo"), ("i64", "hi")]
    f = Function(module, "treadle_units", params)
    total = abi.product(f, nest.inner)
    inner = abi.product(f, nest.inner[1:])
    size = abi.read(f, "geometry", "block", "i64")
    per_row = f.binary("sdiv", total + size - 1, size)
    low, high = interior(f, abi, limits, total, inner)
    block = f.params["block"]
    rows, group = abi.product(f, nest.outer), abi.read(f, "geometry", "group", "i64")
    with f.loop(f.params["lo"], f.params["hi"]) as unit:
        first = f.binary("sdiv", unit, per_row)
        start = (unit - first * per_row) * size
        stop = f.intrinsic("smin", start + size, total)
        first = first * group
        with f.loop(first, f.intrinsic("smin", first + group, rows)) as row:

            def call(name: str, a: Value, b: Value) -> None:
                with f.when(a.compare("slt", b)):
                    f.do(f"call void @{name}({block.text}, {row.text}, {a.text}, {b.text})")

            if limits:
                call("row_edge", start, f.intrinsic("smin", stop, low))
                inside = f.intrinsic("smax", start, low), f.intrinsic("smin", stop, high)
                call("row_inside", *inside)
                call("row_edge", f.intrinsic("smax", start, high), stop)
            elif streaming:
                begin, aligned = _aligned_from(f, abi, nest, row, start, stop)
                begin = f.select(aligned, begin, stop)
                call("row_edge", start, begin)
                call("row_stream", begin, stop)
            elif pairs:
                low_pair, high_pair = (start + 1).ashr(1), stop.ashr(1)
                before = f.intrinsic("smin", low_pair.shl(1), stop)
                call("row_edge", start, before)
                call("row_pairs", low_pair, high_pair)
                call("row_edge", f.intrinsic("smax", high_pair.shl(1), before), stop)
            else:
                call("row_edge", start, stop)
    f.finish()


def crosses(kernel: Kernel, block: Block, indexer: Indexer, nest: Nest) -> bool:
    """Whether a load walks across rows of its tensor where neighbouring rows of the output read
    neighbouring elements, as a transpose does, or a rotation: then square tiles share cache
    lines."""
    if not nest.outer or len(nest.inner) != 1:
        return False
    along = depends(block, nest.first)
    for node in expressions(block):
        if not isinstance(node, Load) or not node.indices:
            continue
        unknown = [index for index in node.indices if indexer.affine(index) is None]
        if sum(along(index) for index in unknown) > 1:
            return True
        *others, last = [indexer.affine(index) for index in node.indices]
        if last is None or nest.first in last.axes:
            continue
        down = any(form is not None and nest.first in form.axes for form in others)
        if down and (nest.first - 1) in last.axes:
            return True
    return False


def measure_map(kernel: Kernel, sizes: Sizes, cost: float) -> Geometry:
    """Split the inner axis into blocks where it is long."""
    form = kernel.form
    assert isinstance(form, Map)
    block = resolve_locals(form.block)
    indexer = Indexer(kernel.space, block)
    nest = plan(kernel, block, indexer)
    length, rows = product(nest.inner, sizes), product(nest.outer, sizes)
    size, group = length if length < 2 * _BLOCK else _BLOCK, 1
    if crosses(kernel, block, indexer, nest):
        size, group, cost = min(size, _TILE), _TILE, cost * 2
    size = max(size, 1)
    stored = product(kernel.space, sizes) * max(tensor.dtype.size for tensor in kernel.outputs)
    units = ceil_div(rows, group) * ceil_div(length, size)
    return Geometry(units, (size, group), 0, cost, streams=stored >= _STREAMED)


MAP = FormEmitter(("block", "group"), emit_map, measure_map)
STREAMED_MAP = FormEmitter(("block", "group"), partial(emit_map, streaming=True), measure_map)
