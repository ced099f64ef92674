"""Compute a producer where a consumer would read what it stored.

In: two kernels over plain sizes (passes.fuse.axes) whose tensors have the same names where they are
the same, and whose locals and parameters have different ones. Out: one kernel that reads the
producer's inputs instead of its output. Values pass through the storage type that they would have
had, and an index out of range means the edge, as in a read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from treadle.data import dataclass
from treadle.dtypes import DType, read_as
from treadle.ir.cost import repeated, trips
from treadle.ir.names import renamed_targets
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Const,
    Expr,
    Extent,
    For,
    If,
    Kernel,
    Load,
    Local,
    Map,
    Op,
    Param,
    Reduce,
    Row,
    RowLet,
    Scan,
    Stmt,
    While,
    children,
    statements,
    walk,
)
from treadle.ir.rewrite import rewrite, rewrite_body, rewrite_kernel
from treadle.passes.bounds import prove

__all__ = ["inline", "reads_of", "straight"]

S32 = DType.S32


@dataclass(frozen=True, slots=True)
class Reads:
    """How a kernel reads one of its inputs: at which places, and how often for each element."""

    places: frozenset[tuple[Expr, ...]]
    count: int


def reads_of(kernel: Kernel, tensor: str) -> Reads:
    """Count the reads of an input; each place that coordinates alone give counts once."""
    fixed: set[tuple[Expr, ...]] = set()
    places: set[tuple[Expr, ...]] = set()
    count = 0
    for node, times in _weighted(kernel):
        if isinstance(node, Load) and node.tensor == tensor:
            places.add(node.indices)
            if _of_coordinates(node.indices):
                fixed.add(node.indices)
            else:
                count += times
    return Reads(frozenset(places), count + len(fixed))


def _weighted(kernel: Kernel) -> Iterator[tuple[Expr, int]]:
    for block in kernel.blocks:
        for stmt, times in repeated(block.body, _turns):
            for child in children(stmt):
                for node in walk(child):
                    yield node, times
        for result in block.results:
            for node in walk(result):
                yield node, 1


def _turns(loop: For | While) -> int:
    return loop.limit if isinstance(loop, While) else trips(loop)


def _of_coordinates(indices: Sequence[Expr]) -> bool:
    """Whether indices depend on nothing but the element and the launch."""
    return all(
        isinstance(node, Axis | Const | Extent | Param | Op) for i in indices for node in walk(i)
    )


def straight(block: Block) -> bool:
    """Whether a block only assigns, each name once."""
    names = [stmt.name for stmt in block.body if isinstance(stmt, Assign)]
    return len(names) == len(block.body) == len(set(names))


def inline(consumer: Kernel, producer: Kernel, output: int) -> Kernel | None:
    """Return the consumer with the producer's output computed in place; None where the forms do not
    allow it."""
    tensor = producer.outputs[output]
    form = consumer.form
    if not isinstance(producer.form, Map):
        return None
    if isinstance(form, Row) and not straight(producer.form.block):
        return None
    proved = prove(consumer)
    form = proved.form
    work = _Inlining(producer, output, row=isinstance(form, Row))
    if isinstance(form, Map | Row):
        form = replace(form, block=work.block(form.block))
    elif isinstance(form, Reduce):
        form = replace(form, lift=work.block(form.lift))
    elif isinstance(form, Scan):
        form = replace(form, step=work.block(form.step))
    else:
        return None
    known = {t.name for t in consumer.inputs}
    inputs = [t for t in consumer.inputs if t.name != tensor.name]
    inputs += [t for t in producer.inputs if t.name not in known]
    params = (*consumer.params, *(p for p in producer.params if p not in consumer.params))
    made = replace(consumer, inputs=tuple(inputs), params=params, form=form, routine=None)
    return _unproved(made)


def _unproved(kernel: Kernel) -> Kernel:
    """Forget proofs: they were made for other coordinates."""

    def change(node: Expr) -> Expr:
        return replace(node, inside=()) if isinstance(node, Load) and node.inside else node

    return rewrite_kernel(kernel, change)


class _Inlining:
    """One producer going into one consumer."""

    def __init__(self, producer: Kernel, output: int, *, row: bool) -> None:
        form = producer.form
        assert isinstance(form, Map)
        self.body, self.result = form.block.body, form.block.results[output]
        self.space = producer.space
        self.tensor = producer.outputs[output]
        self.row = row
        self.named = {stmt.name for stmt in statements(self.body) if isinstance(stmt, Assign | For)}
        self.head: list[Stmt] = []  # what coordinates alone give, computed once, before all else
        self.memo: dict[tuple[tuple[Expr, ...], tuple[bool, ...]], Local] = {}
        self.count = 0

    def block(self, block: Block) -> Block:
        self.head, self.memo = [], {}
        body = self.statements(block.body)
        tail: list[Stmt] = []
        results = tuple(self.expr(result, tail) for result in block.results)
        return replace(block, body=(*self.head, *body, *tail), results=results)

    def statements(self, body: Sequence[Stmt]) -> tuple[Stmt, ...]:
        made: list[Stmt] = []
        for stmt in body:
            made.append(self.statement(stmt, made))
        return tuple(made)

    def statement(self, stmt: Stmt, before: list[Stmt]) -> Stmt:
        match stmt:
            case If():
                test = self.expr(stmt.test, before)
                then, orelse = self.statements(stmt.then), self.statements(stmt.orelse)
                return replace(stmt, test=test, then=then, orelse=orelse)
            case For():
                start, stop = self.expr(stmt.start, before), self.expr(stmt.stop, before)
                return replace(stmt, start=start, stop=stop, body=self.statements(stmt.body))
            case While():
                setup = list(self.statements(stmt.setup))
                test = self.expr(stmt.test, setup)
                body = self.statements(stmt.body)
                return replace(stmt, test=test, setup=tuple(setup), body=body)
            case _:
                return replace(stmt, value=self.expr(stmt.value, before))

    def expr(self, node: Expr, before: list[Stmt]) -> Expr:
        def change(inner: Expr) -> Expr:
            if isinstance(inner, Load) and inner.tensor == self.tensor.name:
                return self.read(inner, before)
            return inner

        return rewrite(node, change)

    def read(self, load: Load, before: list[Stmt]) -> Expr:
        inside = load.inside or (False,) * len(load.indices)
        if not _of_coordinates(load.indices):
            return self.compute(load.indices, inside, before)
        key = (load.indices, inside)
        if key not in self.memo:
            self.memo[key] = self.compute(load.indices, inside, self.head)
        return self.memo[key]

    def compute(
        self, indices: tuple[Expr, ...], inside: tuple[bool, ...], before: list[Stmt]
    ) -> Local:
        """Emit the producer at these indices; return the local that holds what it stored."""
        self.count += 1
        suffix = f"{self.tensor.name}_{self.count}"
        at: list[Expr] = []
        for k, (index, dim, sure) in enumerate(zip(indices, self.space, inside, strict=True)):
            place = index if sure else _clamped(index, Extent(dim))
            at.append(self.assign(f"at{k}_{suffix}", place, before))

        def change(node: Expr) -> Expr:
            match node:
                case Axis():
                    return at[node.index]
                case Local() if node.name in self.named:
                    return replace(node, name=f"{node.name}_{suffix}")
                case Load():
                    return replace(node, inside=())
                case _:
                    return node

        body = renamed_targets(rewrite_body(self.body, change), lambda name: f"{name}_{suffix}")
        for stmt in body:
            if self.row and isinstance(stmt, Assign):
                stmt = RowLet(stmt.name, stmt.value)
            before.append(stmt)
        value = stored(rewrite(self.result, change), self.tensor.dtype)
        name = f"value_{suffix}"
        before.append(RowLet(name, value) if self.row else Assign(name, value))
        return Local(name, value.dtype)

    def assign(self, name: str, value: Expr, before: list[Stmt]) -> Expr:
        if isinstance(value, Axis | Const | Local | Extent):
            return value
        before.append(RowLet(name, value) if self.row else Assign(name, value))
        return Local(name, value.dtype)


def _clamped(index: Expr, extent: Extent) -> Expr:
    last = Op("sub", (extent, Const(1, S32)), S32)
    return Op("maximum", (Op("minimum", (index, last), S32), Const(0, S32)), S32)


def stored(value: Expr, dtype: DType) -> Expr:
    """What a read gives after `value` was stored as `dtype`."""
    if not dtype.is_narrow:
        return value if value.dtype is dtype else Cast(value, dtype)
    if value.dtype is DType.BOOL:
        return Cast(value, read_as(dtype))
    kind = value.dtype
    if dtype.is_float:
        value = value if kind.is_float else Cast(value, read_as(dtype))
        value = Op(str(dtype), (value,), value.dtype)
        return value if value.dtype is read_as(dtype) else Cast(value, read_as(dtype))
    whole = Op("round", (value,), kind) if kind.is_float else value
    number = float if kind.is_float else int
    low, high = (Const(number(limit), kind) for limit in dtype.limits)
    if kind is not DType.U32 or dtype.limits[0] == 0:  # it has no numbers below 0
        whole = Op("maximum", (whole, low), kind)
    limited = Op("minimum", (whole, high), kind)
    return limited if kind is S32 else Cast(limited, S32)
