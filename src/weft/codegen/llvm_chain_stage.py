"""Row functions of one stage of a Chain.

In: a stage's Map kernel, and which of its tensors live in rings of rows. Out: functions that
compute some rows of what the stage writes: one with clamps along the row, and where it pays one
without. Several rows are computed side by side where they read rows in common, so that each is
loaded and converted once. Knows nothing about which rows are wanted when.
"""

from __future__ import annotations

from weft.codegen.llvm_abi import plus, times
from weft.codegen.llvm_chain_load import RowEmitter, reads_channels
from weft.codegen.llvm_chain_ring import PARAMS, StageAbi, emit_ends, read_over
from weft.codegen.llvm_emit import CannotWiden, Flat
from weft.codegen.llvm_index import Indexer, resolve_locals
from weft.codegen.llvm_map import Nest, assume, constraints, plan
from weft.codegen.llvm_nest import decode
from weft.codegen.llvm_ops import TYPES, cast
from weft.codegen.llvm_text import Function, Module, Value, const
from weft.codegen.llvm_unroll import has_loops
from weft.ir.nodes import Block, Dim, Kernel, Load, Map, expressions, statements

__all__ = ["StageCode"]

_LANES = 16  # for bodies with loops inside, which LLVM would not vectorise over the outer one
_JAM = 4  # rows side by side
_JAM_NODES = 600  # a body larger than this is not repeated


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
        jam = self._jam()
        if not self.limits:
            self._function(module, "all", self.block, jam)
            return
        self._function(module, "edge", self.block, 1)
        inner = assume(self.block, self.indexer, self.nest.first, self.limits)
        self._function(module, "inside", inner, jam)

    def _jam(self) -> int:
        """How many rows are computed side by side: several where a tensor's rows are shared."""
        if self.along or has_loops(self.block.body):
            return 1
        size = sum(1 for _ in expressions(self.block))
        size *= 1 + sum(1 for s in statements(self.block.body) if hasattr(s, "body"))
        if size > _JAM_NODES:
            return 1
        seen: dict[str, set[tuple[int, int]]] = {}
        for node in expressions(self.block):
            if not isinstance(node, Load):
                continue
            for index in node.indices:
                form = self.indexer.affine(index)
                if form is not None and form.scale(("axis", self.abi.axis)) == 1:
                    spread = self.indexer.spread(form, self.abi.axis)
                    if spread is not None:
                        seen.setdefault(node.tensor, set()).add(spread)
        shared = any(max(h for _, h in s) > min(low for low, _ in s) for s in seen.values())
        return _JAM if shared else 1

    def _function(self, module: Module, kind: str, block: Block, jam: int) -> None:
        widths = [1]
        if self.nest.unrolled is None and len(self.nest.inner) == 1 and kind != "edge":
            first = self.nest.first
            taken = jam == 1 and reads_channels(self.stage, block, self.indexer, first)
            if has_loops(block.body) or taken:
                widths = [_LANES, 1]
        for width in widths:
            f = Function(module, f"{self.name}_{kind}", PARAMS)
            try:
                self._rows(_Rows(self, f, block, width, kind), jam)
            except CannotWiden:
                if width == 1:
                    raise
                continue
            f.finish()
            return

    def _rows(self, rows: _Rows, jam: int) -> None:
        f = rows.f
        start, stop = f.params["top"], f.params["bottom"]
        if self.along:
            rows.run(None, 1)
            return
        if jam > 1:
            count = f.binary("sdiv", stop - start, jam)
            middle = start + count * jam
            with f.loop(start, middle, step=jam) as y:
                rows.run(y, jam)
            start = middle
        with f.loop(start, stop) as y:
            rows.run(y, 1)


class _Rows:
    """Emits the loops over some rows into one function."""

    def __init__(self, code: StageCode, f: Function, block: Block, width: int, kind: str) -> None:
        self.code, self.f, self.block, self.width = code, f, block, width
        self.kind = kind
        abi = code.abi
        self.leading = decode(f, abi, f.params["lead"], code.stage.space[: abi.axis])

    def run(self, y: Value | None, count: int) -> None:
        """Emit `count` rows from y on; all of them, one after the other, where y is None."""
        code, f = self.code, self.f
        if code.between:
            zero, total = const(f, 0, "i64"), code.abi.product(f, code.between)
            with f.loop(zero, total) as at:
                self._columns(y, count, decode(f, code.abi, at, code.between))
        else:
            self._columns(y, count, [])

    def _columns(self, y: Value | None, count: int, between: list[Value]) -> None:
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
            return
        if self.width > 1:
            steps = f.binary("sdiv", hi - lo, self.width)
            middle = lo + f.intrinsic("smax", steps, 0) * self.width
            with f.loop(lo, middle, step=self.width) as i:
                self._elements(y, count, between, i, self.width)
            lo = middle
        wide = self.width > 1
        with f.loop(lo, hi, parallel=not wide, rest=wide, interleave=count == 1) as i:
            self._elements(y, count, between, i, 1)

    def _elements(
        self, y: Value | None, count: int, between: list[Value], i: Value, lanes: int
    ) -> None:
        """Emit all values before the first store, so that equal loads are seen to be equal."""
        f, code = self.f, self.code
        nest = code.nest
        found: list[tuple[RowEmitter, list[Value]]] = []
        for r in range(count):
            outer = list(self.leading)
            if y is not None:
                outer += [plus(y, const(f, r, "i64")), *between]
            for c in range(nest.unrolled) if nest.unrolled is not None else [None]:
                e = self._emitter(outer, i, lanes, count)
                if c is not None:
                    e.axes[nest.first + 1] = const(f, c, "i64")
                found.append((e, e.run(self.block)))
        for e, values in found:
            self._store(e, values)

    def _emitter(self, outer: list[Value], i: Value, lanes: int, count: int) -> RowEmitter:
        nest, code = self.code.nest, self.code
        e = RowEmitter(
            self.f,
            code.abi,
            code.indexer,
            width=lanes,
            lane_axis=nest.first if lanes > 1 else None,
            interior=nest.first if self.kind == "inside" else None,
        )
        e.rows = code.abi.axis if count > 1 else None
        e.axes = dict(enumerate(outer))
        if len(nest.inner) > 1:
            e.flat = Flat(nest.first, len(code.stage.space), nest.inner, i)
        else:
            e.axes[nest.first] = i
        return e

    def _store(self, e: RowEmitter, values: list[Value]) -> None:
        f, abi = self.f, self.code.abi
        for tensor, expr, value in zip(
            self.code.stage.outputs, self.block.results, values, strict=True
        ):
            stored = f.splat(cast(value, expr.dtype, tensor.dtype), e.width)
            offset = const(f, 0, "i64")
            for k, at in e.axes.items():
                kept = abi.wrap(f, tensor, k, at)
                offset = plus(offset, times(kept, abi.stride(f, tensor, k)))
            if e.flat is not None:
                offset = plus(offset, e.flat.value)
            address = f.address(abi.pointer(f, "output", tensor), offset, TYPES[tensor.dtype])
            f.store(stored, address, align=tensor.dtype.size)
