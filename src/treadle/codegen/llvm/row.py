"""Loop nests of Row kernels.

In: a Row kernel. Out: units of whole rows, each a sequence of passes over its positions: folds that
do not need each other share a pass, the results are the last one. A per-position local that is
costly and used in several passes is computed once and kept in the output's row until the result
overwrites it; others are computed again. Lanes go along the row where it is the last axis, else
over neighbouring rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

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
    widen,
)
from treadle.codegen.llvm.ops import TYPES, spell
from treadle.codegen.llvm.text import Function, Module, Value, const
from treadle.dtypes import DType
from treadle.ir.affine import Indexer, resolve_locals
from treadle.ir.nodes import (
    Assign,
    Block,
    Expr,
    Kernel,
    Local,
    Op,
    Row,
    RowFold,
    RowLet,
    rewrite,
    walk,
)
from treadle.ir.rounding import fold_rounds

__all__ = ["ROW"]

_LANES = 32
_CHEAP = frozenset(
    "add sub mul neg abs minimum maximum select lt le gt ge eq ne and or not".split()
)
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


@dataclass(slots=True)
class _Pass:
    """One walk over the row, or (no folds) the scalar assignments between walks."""

    folds: list[RowFold] = field(default_factory=list)
    assign: Assign | None = None


class _Plan:
    """A row kernel's statements, with one name for each value, as passes."""

    def __init__(self, kernel: Kernel, row: Row) -> None:
        block = _single_names(row.block)
        self.results = block.results
        self.lets: dict[str, Expr] = {}
        self.passes: list[_Pass] = []
        pending: list[RowFold] = []
        for stmt in block.body:
            if isinstance(stmt, RowLet):
                self.lets[stmt.name] = stmt.value
                continue
            assert isinstance(stmt, Assign | RowFold)
            needed = self.scalars(stmt.value)
            if pending and needed & {fold.name for fold in pending}:
                self.passes.append(_Pass(pending))
                pending = []
            if isinstance(stmt, Assign):
                self.passes.append(_Pass(assign=stmt))
            else:
                pending.append(stmt)
        if pending:
            self.passes.append(_Pass(pending))
        self.kept = {} if row.scalar else self._choose(kernel)

    def needs(self, exprs: Sequence[Expr], stored: frozenset[str] = frozenset()) -> set[str]:
        """The per-position locals that expressions use, through others unless those are stored."""
        found: set[str] = set()
        todo = list(exprs)
        while todo:
            for node in walk(todo.pop()):
                if isinstance(node, Local) and node.name in self.lets and node.name not in found:
                    found.add(node.name)
                    if node.name not in stored:
                        todo.append(self.lets[node.name])
        return found

    def scalars(self, expr: Expr) -> set[str]:
        """The other locals that an expression uses, also through per-position ones."""
        exprs = [expr, *(self.lets[name] for name in self.needs([expr]))]
        nodes = (node for e in exprs for node in walk(e))
        return {n.name for n in nodes if isinstance(n, Local) and n.name not in self.lets}

    def walks(self) -> Iterator[list[Expr]]:
        """What each walk over the row computes, the results last."""
        for step in self.passes:
            if step.folds:
                yield [fold.value for fold in step.folds]
        yield list(self.results)

    def _choose(self, kernel: Kernel) -> dict[str, str]:
        """Choose the locals to keep: name -> output that holds it."""
        kept: dict[str, str] = {}
        free = {t.name: t.dtype for t in kernel.outputs}
        walks = list(self.walks())
        for name, value in reversed(self.lets.items()):
            uses = sum(name in self.needs(exprs, frozenset(kept)) for exprs in walks)
            costly = any(isinstance(n, Op) and n.name not in _CHEAP for n in walk(value))
            fits = [output for output, dtype in free.items() if dtype is value.dtype]
            if uses > 1 and costly and fits:
                kept[name] = fits[0]
                del free[fits[0]]
        return kept


def _single_names(block: Block) -> Block:
    """Give every assignment of a name that is assigned again a name of its own."""
    current: dict[str, str] = {}
    body: list[Assign | RowLet | RowFold] = []

    def change(node: Expr) -> Expr:
        if isinstance(node, Local) and node.name in current:
            return Local(current[node.name], node.dtype)
        return node

    for stmt in block.body:
        assert isinstance(stmt, Assign | RowLet | RowFold)
        value = rewrite(stmt.value, change)
        name = f"{stmt.name}.{len(body)}"
        current[stmt.name] = name
        if isinstance(stmt, RowFold):
            body.append(RowFold(name, stmt.kind, value))
        else:
            body.append(type(stmt)(name, value))
    return Block(block.args, tuple(body), tuple(rewrite(r, change) for r in block.results))


class _RowEmitter:
    """Emits one row, or `lanes` neighbouring rows at once, into a function."""

    def __init__(self, f: Function, abi: Abi, plan: _Plan, indexer: Indexer, row: Row) -> None:
        self.f, self.abi, self.plan, self.indexer, self.row = f, abi, plan, indexer, row
        self.kernel = abi.kernel
        self.last = len(self.kernel.space) - 1
        self.env: dict[str, Value] = {}
        self.axes: dict[int, Value] = {}
        self.lanes = 1
        self.stored: set[str] = set()

    def emit(self, axes: dict[int, Value], lanes: int, width: int) -> None:
        """Emit all passes; `width` positions at once where lanes go along the row."""
        self.env, self.axes, self.lanes, self.stored = {}, axes, lanes, set()
        for step in self.plan.passes:
            if step.assign is not None:
                e = self._emitter(self.lanes, {})
                self.env[step.assign.name] = e.value(step.assign.value)
            else:
                self._folds(step.folds, width)
        if self.row.scalar:
            self._store_scalars()
        else:
            self._results(width)

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

    def _walk(self, i: Value, lanes: int, exprs: Sequence[Expr]) -> tuple[Emitter, Value]:
        """Compute what the expressions need at one position; return where it is in the outputs."""
        e = self._emitter(lanes, {self.row.axis: i})
        at = [e.axes[k] for k in range(self.last + 1)]
        where = position(self.f, self.abi, self.kernel.space, at)
        needed = self.plan.needs(exprs, frozenset(self.stored))
        for name, value in self.plan.lets.items():
            if name not in needed:
                continue
            if name in self.stored:
                e.env[name] = self._keep(e, name, where)
                continue
            e.env[name] = e.value(value)
            if name in self.plan.kept:
                self._keep(e, name, where, self.f.splat(e.env[name], lanes))
        return e, where

    def _keep(self, e: Emitter, name: str, where: Value, value: Value | None = None) -> Value:
        """Store a per-position local in its output, or load it from there."""
        dtype = self.plan.lets[name].dtype
        base = self.abi.read(self.f, "output", self.plan.kept[name], "ptr")
        address = self.f.address(base, where, TYPES[dtype])
        if value is None:
            return self.f.load(address, TYPES[dtype], e.width, align=dtype.size)
        self.f.store(value, address, align=dtype.size)
        return value

    def _folds(self, folds: list[RowFold], width: int) -> None:
        f = self.f
        exprs = [fold.value for fold in folds]
        partial: list[list[Value]] = [[] for _ in folds]
        for start, stop, step in self._segments(width):
            lanes = max(step, self.lanes)
            sums = _Sums(f, folds, lanes)
            with f.loop(start, stop, step=step) as i:
                e, _ = self._walk(i, lanes, exprs)
                sums.add([f.splat(e.value(fold.value), lanes) for fold in folds])
                sums.rest((i - start) & (step * RUN - 1), step * (RUN - 1))
            for fold, total, parts in zip(folds, sums.end(), partial, strict=True):
                while step > 1 and total.lanes > 1:
                    total = _combine(fold, *halves(total))
                parts.append(total)
        for fold, parts in zip(folds, partial, strict=True):
            result = parts[0] if len(parts) == 1 else _combine(fold, parts[0], parts[1])
            self.env[fold.name] = result
        self.stored |= self.plan.needs(exprs, frozenset(self.stored)) & set(self.plan.kept)

    def _results(self, width: int) -> None:
        results = self.plan.results
        for start, stop, step in self._segments(width):
            with self.f.loop(start, stop, step=step, parallel=step == 1) as i:
                e, where = self._walk(i, max(step, self.lanes), results)
                store_all(e, results, [e.value(r) for r in results], where)

    def _store_scalars(self) -> None:
        axis = self.row.axis
        e = self._emitter(self.lanes, {})
        others = [k for k in range(self.last + 1) if k != axis]
        dims = [self.kernel.space[k] for k in others]
        where = position(self.f, self.abi, dims, [self.axes[k] for k in others])
        results = self.plan.results
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


def emit_row(module: Module, kernel: Kernel, abi: Abi) -> bool:
    """Define treadle_units for a Row kernel."""
    row = kernel.form
    assert isinstance(row, Row)
    block = resolve_locals(row.block)
    indexer = Indexer(kernel.space, block)
    plan = _Plan(kernel, Row(row.axis, block, row.scalar))
    along = row.axis == len(kernel.space) - 1

    def build(f: Function, width: int) -> None:
        emitter = _RowEmitter(f, abi, plan, indexer, row)

        def line(axes: dict[int, Value], lanes: int) -> None:
            emitter.emit(axes, lanes, width if along else 1)

        Lines(kernel, row.axis, _LANES).emit(f, abi, line, width)

    widen(module, (_LANES, 1), build)
    return False


def measure_row(kernel: Kernel, sizes: Sizes, cost: float) -> Geometry:
    """Share out the rows."""
    row = kernel.form
    assert isinstance(row, Row)
    return Geometry(Lines(kernel, row.axis, _LANES).units(sizes), (), 0, cost * 1.5)


ROW = FormEmitter((), emit_row, measure_row)
