"""Loop nests of Reduce kernels.

In: a Reduce kernel. Out: units that fold a block of the reduced extent for some kept elements, and
a merge of their partial states. Lanes go along the last axis whether it is reduced (one state for
each lane, merged as a tree at the end) or kept (one state for each column). Blocks depend on the
sizes alone, never on the number of threads, so that results repeat exactly. Where combining rounds,
a state takes up a few elements and then joins a cascade.
"""

from __future__ import annotations

from treadle.codegen.llvm.abi import Abi, times
from treadle.codegen.llvm.cascade import RUN, Cascade
from treadle.codegen.llvm.emit import Emitter
from treadle.codegen.llvm.lanes import halves
from treadle.codegen.llvm.nest import (
    FormEmitter,
    Geometry,
    Sizes,
    ceil_div,
    decode,
    product,
    store_all,
    units_of,
)
from treadle.codegen.llvm.ops import TYPES
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.ir.affine import Indexer
from treadle.ir.loops import Folding
from treadle.ir.nodes import Dim, Reduce
from treadle.ir.schedule import Schedule

__all__ = ["REDUCE"]

_BLOCK = 65536  # elements that one unit folds
_COLUMNS = 512  # columns that one unit keeps states for
_ENOUGH = 64  # kept parts beyond which the reduced extent is not cut


class _Shape:
    """The kernel's axes sorted into kept and reduced, and its blocks."""

    def __init__(self, schedule: Schedule) -> None:
        kernel, walk = schedule.kernel, schedule.walk
        form = kernel.form
        assert isinstance(form, Reduce)
        assert isinstance(walk, Folding)
        self.kernel = kernel
        self.init = form.init
        self.lift, self.combine, self.finish = form.lift, form.combine, form.finish
        self.rounds, self.along, self.lanes = walk.rounds, walk.along, walk.width
        self.abreast = walk.abreast
        self.rank = len(kernel.space)
        self.reduced = [k for k in range(self.rank) if k in form.axes]
        self.kept = [k for k in range(self.rank) if k not in form.axes]
        self.indexer = Indexer(kernel.space, self.lift, self.combine, self.finish)
        self.outer_reduced = [k for k in self.reduced if k != self.rank - 1 or not self.along]
        self.outer_kept = [k for k in self.kept if k != self.rank - 1 or self.along]

    def dims(self, axes: list[int]) -> list[Dim]:
        """The dimensions of some axes."""
        return [self.kernel.space[k] for k in axes]


class _Writer:
    """Emits one function of a reduction."""

    def __init__(self, f: Function, abi: Abi, shape: _Shape) -> None:
        self.f, self.abi, self.shape = f, abi, shape

    def emitter(self, width: int, axes: dict[int, Value] | None = None) -> Emitter:
        """An emitter whose lanes go along the last axis."""
        lane = self.shape.rank - 1 if width > 1 else None
        e = Emitter(self.f, self.abi, self.shape.indexer, width=width, lane_axis=lane)
        e.axes = axes or {}
        return e

    def slots(self, width: int, count: int = 1) -> list[Value]:
        """Stack memory for states."""
        return [self.f.slot(TYPES[c.dtype], width, count=count) for c in self.shape.init]

    def identity(self, width: int) -> list[Value]:
        """The initial state on all lanes."""
        f = self.f
        return [f.splat(const(f, c.value, TYPES[c.dtype]), width) for c in self.shape.init]

    def save(self, state: list[Value], slots: list[Value]) -> None:
        """Store a state."""
        for value, slot, c in zip(state, slots, self.shape.init, strict=True):
            self.f.store(value, slot, align=c.dtype.size)

    def restore(self, slots: list[Value], width: int = 1) -> list[Value]:
        """Load a state."""
        pairs = zip(slots, self.shape.init, strict=True)
        return [self.f.load(s, TYPES[c.dtype], width, align=c.dtype.size) for s, c in pairs]

    def at(self, slots: list[Value], index: Value) -> list[Value]:
        """The addresses of element `index` of arrays of states."""
        pairs = zip(slots, self.shape.init, strict=True)
        return [self.f.address(s, index, TYPES[c.dtype]) for s, c in pairs]

    def combine(self, a: list[Value], b: list[Value], width: int) -> list[Value]:
        """Combine two states."""
        values = self.emitter(width).run(self.shape.combine, [*a, *b])
        return [self.f.splat(v, width) for v in values]

    def add(self, slots: list[Value], width: int, axes: dict[int, Value]) -> None:
        """Lift the elements at some coordinates and fold them into stored states."""
        lifted = self.emitter(width, axes).run(self.shape.lift)
        lifted = [self.f.splat(v, width) for v in lifted]
        self.save(self.combine(self.restore(slots, width), lifted, width), slots)

    def cascade(self, size: int) -> Cascade | None:
        """Where states of `size` elements are combined in pairs, if combining rounds."""
        if not self.shape.rounds:
            return None
        return Cascade(self.f, [c.dtype for c in self.shape.init], size, self.combine)

    def tree(self, state: list[Value], width: int) -> list[Value]:
        """Merge the lanes of a state into one."""
        while width > 1:
            width //= 2
            split = [halves(v) for v in state]
            state = self.combine([low for low, _ in split], [high for _, high in split], width)
        return state

    def conclude(self, state: list[Value], position: Value) -> None:
        """Finish a state and store the outputs."""
        e = self.emitter(1)
        store_all(e, self.shape.finish.results, e.run(self.shape.finish, state), position)

    def scratch(self) -> list[Value]:
        """Arrays of partial states, one for each part of the state."""
        f = self.f
        base = self.abi.read(f, "scratch", "", "ptr")
        count = self.abi.read(f, "geometry", "partials", "i64")
        n = len(self.shape.init)
        return [f.address(base, times(count, const(f, i, "i64")), "i64") for i in range(n)]

    def geometry(self, name: str) -> Value:
        """A value that the host computed."""
        return self.abi.read(self.f, "geometry", name, "i64")

    def part(self, index: Value, size: Value, total: Value) -> tuple[Value, Value]:
        """The range that part `index` of a total covers."""
        start = index * size
        return start, self.f.intrinsic("smin", start + size, total)


def emit_reduce(module: Module, schedule: Schedule, abi: Abi) -> bool:
    """Define treadle_run and treadle_merge for a Reduce kernel."""
    shape = _Shape(schedule)
    units = _units_along if shape.along or not shape.rank else _units_across
    f = units_of(module)
    units(_Writer(f, abi, shape), shape.lanes)
    f.finish()
    f = Function(module, "treadle_merge", [("ptr", "block")])
    _merge(_Writer(f, abi, shape))
    f.finish()
    return True


def _coordinates(w: _Writer, flat: Value, axes: list[int]) -> dict[int, Value]:
    values = decode(w.f, w.abi, flat, w.shape.dims(axes))
    return dict(zip(axes, values, strict=True))


class _Run:
    """A state that takes up elements one after another, `width` of them at once."""

    def __init__(self, w: _Writer, width: int) -> None:
        self.w, self.width = w, width
        self.slots = w.slots(width)
        self.cascade = w.cascade(width)
        self.taken = w.f.slot("i64") if self.cascade else None

    def begin(self) -> None:
        """Start with nothing."""
        self.w.save(self.w.identity(self.width), self.slots)
        if self.cascade is not None and self.taken is not None:
            self.cascade.clear()
            self.w.f.store(const(self.w.f, 0, "i64"), self.taken, align=8)

    def add(self, axes: dict[int, Value]) -> None:
        """Take up the elements at some coordinates."""
        w, f = self.w, self.w.f
        w.add(self.slots, self.width, axes)
        if self.cascade is None or self.taken is None:
            return
        taken = f.load(self.taken, "i64", align=8) + 1
        f.store(taken, self.taken, align=8)
        with f.when((taken & (RUN - 1)).compare("eq", 0)):
            state = w.restore(self.slots, self.width)
            self.cascade.push(state, self.cascade.advance(), self.width, const(f, 0, "i64"))
            w.save(w.identity(self.width), self.slots)

    def end(self) -> list[Value]:
        """What all of it combines to, with lanes."""
        state = self.w.restore(self.slots, self.width)
        if self.cascade is None:
            return state
        return self.cascade.settle(state, self.width, const(self.w.f, 0, "i64"))


def _units_along(w: _Writer, width: int) -> None:
    """The last axis is reduced: a unit is one kept element and one block of the reduced extent."""
    f, shape = w.f, w.shape
    last = shape.rank - 1
    length = w.abi.product(f, shape.dims([last] if shape.rank else []))
    rows = w.abi.product(f, shape.dims(shape.outer_reduced))
    blocks, column_blocks = w.geometry("blocks"), w.geometry("column_blocks")
    wide, narrow = _Run(w, width), _Run(w, 1) if width > 1 else None
    with f.loop(f.params["lo"], f.params["hi"]) as unit:
        kept = f.binary("udiv", unit, blocks)
        block = unit - kept * blocks
        row_block = f.binary("udiv", block, column_blocks)
        start, stop = w.part(block - row_block * column_blocks, w.geometry("columns"), length)
        first, end = w.part(row_block, w.geometry("rows"), rows)
        axes = _coordinates(w, kept, shape.kept)
        count = f.binary("sdiv", stop - start, width)
        middle = start + count * width
        wide.begin()
        if narrow is not None:
            narrow.begin()
        with f.loop(first, end) as row:
            here = axes | _coordinates(w, row, shape.outer_reduced)
            with f.loop(start, middle, step=width) as i:
                wide.add(here | ({last: i} if shape.rank else {}))
            if narrow is not None:
                with f.loop(middle, stop) as i:
                    narrow.add(here | {last: i})
        if narrow is not None:
            result = w.slots(1)
            w.save(narrow.end(), result)
            with f.when(count.compare("sgt", 0)):
                merged = w.tree(wide.end(), width)
                w.save(w.combine(merged, w.restore(result), 1), result)
            state = w.restore(result)
        else:
            state = wide.end()
        _deliver(w, state, blocks, kept, unit)


def _deliver(w: _Writer, state: list[Value], blocks: Value, kept: Value, partial: Value) -> None:
    """Store the result where one unit saw everything, else the state for the merge."""
    f = w.f
    only = blocks.compare("eq", 1)
    with f.when(only):
        w.conclude(state, kept)
    with f.when(only ^ 1):
        w.save(state, w.at(w.scratch(), partial))


def _units_across(w: _Writer, width: int) -> None:
    """The last axis is kept: a unit is some columns of it and a block of the reduced extent."""
    f, shape = w.f, w.shape
    last = shape.rank - 1
    length = w.abi.product(f, shape.dims([last]))
    rows = w.abi.product(f, shape.dims(shape.reduced))
    blocks, column_blocks = w.geometry("blocks"), w.geometry("column_blocks")
    states = w.slots(1, _COLUMNS)
    cascade = w.cascade(_COLUMNS)
    with f.loop(f.params["lo"], f.params["hi"]) as unit:
        rest = f.binary("udiv", unit, column_blocks)
        start, stop = w.part(unit - rest * column_blocks, w.geometry("columns"), length)
        kept = f.binary("udiv", rest, blocks)
        block = rest - kept * blocks
        first, end = w.part(block, w.geometry("rows"), rows)
        axes = _coordinates(w, kept, shape.outer_kept)
        middle = start + f.binary("sdiv", stop - start, width) * width
        spans = [(start, middle, width), (middle, stop, 1)] if width > 1 else [(start, stop, 1)]
        with f.loop(start, stop) as i:
            w.save(w.identity(1), w.at(states, i - start))
        if cascade is not None:
            cascade.clear()
        with f.loop(first, end, step=shape.abreast) as row:
            following = f.intrinsic("smin", row + shape.abreast, end)
            singly = spans
            if shape.abreast > 1:
                # Rows that are folded at once are read at once, too, which is what memory wants.
                full = (following - row).compare("eq", shape.abreast)
                with f.when(full), f.loop(start, middle, step=width) as i:
                    for k in range(shape.abreast):
                        here = axes | _coordinates(w, row + k, shape.reduced)
                        w.add(w.at(states, i - start), width, here | {last: i})
                # What is left is so little to do that LLVM makes vectors of it.
                singly = [(f.select(full, middle, start), stop, 1)]
            with f.loop(row, following) as each:
                here = axes | _coordinates(w, each, shape.reduced)
                for low, high, step in singly:
                    with f.loop(low, high, step=step) as i:
                        w.add(w.at(states, i - start), step, here | {last: i})
            if cascade is not None:
                with f.when(((following - first) & (RUN - 1)).compare("eq", 0)):
                    _push_columns(w, cascade, states, start, spans)
        with f.loop(start, stop) as i:
            state = w.restore(w.at(states, i - start))
            if cascade is not None:
                state = cascade.settle(state, 1, i - start)
            _deliver(w, state, blocks, kept * length + i, rest * length + i)


def _push_columns(
    w: _Writer,
    cascade: Cascade,
    states: list[Value],
    start: Value,
    spans: list[tuple[Value, Value, int]],
) -> None:
    """Move the states of all columns into the cascade, and begin again."""
    behind = cascade.advance()
    for low, high, step in spans:
        with w.f.loop(low, high, step=step) as i:
            places = w.at(states, i - start)
            cascade.push(w.restore(places, step), behind, step, i - start)
            w.save(w.identity(step), places)


def _merge(w: _Writer) -> None:
    """Combine partial states in order, for every kept element, where there are several blocks."""
    f, shape = w.f, w.shape
    blocks = w.geometry("blocks")
    one, zero = const(f, 1, "i64"), const(f, 0, "i64")
    length = (
        one if shape.along or not shape.rank else w.abi.product(f, shape.dims([shape.rank - 1]))
    )
    outer = w.abi.product(f, shape.dims(shape.outer_kept))
    slots = w.slots(1)
    cascade = w.cascade(1)
    with (
        f.when(blocks.compare("sgt", 1)),
        f.loop(zero, outer) as kept,
        f.loop(zero, length) as column,
    ):
        scratch = w.scratch()
        w.save(w.identity(1), slots)
        if cascade is not None:
            cascade.clear()
        with f.loop(zero, blocks) as block:
            position = (kept * blocks + block) * length + column
            partial = w.restore(w.at(scratch, position))
            if cascade is not None:
                cascade.push(partial, cascade.advance(), 1, zero)
            else:
                w.save(w.combine(w.restore(slots), partial, 1), slots)
        state = w.restore(slots)
        if cascade is not None:
            state = cascade.settle(state, 1, zero)
        w.conclude(state, kept * length + column)


def measure_reduce(schedule: Schedule, sizes: Sizes, cost: float) -> Geometry:
    """Cut the reduced extent into blocks where the kept part alone gives too little to share."""
    shape = _Shape(schedule)
    outer_kept = product(shape.dims(shape.outer_kept), sizes)
    rows = product(shape.dims(shape.outer_reduced), sizes)
    length = product(schedule.kernel.space[-1:], sizes)
    columns = length if shape.along or not shape.rank else min(length, _COLUMNS)
    column_blocks = 1 if shape.along else ceil_div(length, max(columns, 1))
    parts = outer_kept * column_blocks
    block_rows = rows
    if parts < _ENOUGH and rows * columns > _BLOCK:
        block_rows = max(1, _BLOCK // columns)
        if not shape.along and shape.rank:
            # Partial states of columns are merged one by one: no more than units have to share.
            block_rows = max(block_rows, ceil_div(rows, ceil_div(_ENOUGH, max(parts, 1))))
        if shape.along:
            columns = min(columns, _BLOCK)
            column_blocks = ceil_div(length, columns)
    block_rows, columns = max(block_rows, 1), max(columns, 1)
    row_blocks = max(1, ceil_div(rows, block_rows))
    column_blocks = max(1, column_blocks)
    blocks = row_blocks * column_blocks if shape.along else row_blocks
    units = outer_kept * row_blocks * column_blocks
    partials = units if shape.along or not shape.rank else outer_kept * row_blocks * length
    scratch = partials * len(shape.init) * 8 if blocks > 1 else 0
    values = (blocks, column_blocks, columns, block_rows, partials)
    return Geometry(units, values, scratch, cost, merges=blocks > 1)


REDUCE = FormEmitter(
    ("blocks", "column_blocks", "columns", "rows", "partials"), emit_reduce, measure_reduce
)
