"""Expressions and statements of a kernel as LLVM IR, at one lane or at many.

In: blocks of IR, coordinates and an argument block. Out: instructions in a Function. At width 1
every value is a scalar and LLVM's own vectoriser does the rest; at width W values that differ along
the lane axis are vectors, values that do not stay scalars. Whether a block can be computed so is
the schedule's to know. Knows nothing about how loops are nested around it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from treadle.codegen.llvm.abi import Abi, plus, times
from treadle.codegen.llvm.ops import TYPES, cast, from_memory, spell
from treadle.codegen.llvm.text import Function, Value, const
from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.affine import Affine, Indexer
from treadle.ir.names import assigned
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Const,
    Dim,
    Expr,
    Extent,
    For,
    If,
    Load,
    Local,
    Op,
    Param,
    Stmt,
    Tensor,
    While,
    statements,
)
from treadle.ir.places import flat_position

__all__ = ["Emitter", "Flat", "Misfit"]


class Misfit(Exception):
    """A schedule asks for vectors of a block that needs control flow or addresses that differ
    between lanes: a mistake of passes.schedule, which nothing here makes up for."""


@dataclass(frozen=True, slots=True)
class Flat:
    """Axes `first` and above walked as one: `value` counts over their product."""

    first: int
    rank: int
    dims: tuple[Dim, ...]  # of the merged axes
    value: Value

    def position(self, forms: Sequence[Affine | None], dims: Sequence[Dim]) -> int | None:
        """Where a load's indices hold the merged axes in order, or None if they do not occur."""
        return flat_position(self.first, self.rank, self.dims, forms, dims)


class Emitter:
    """Emits one block, or several over the same coordinates, into a function."""

    def __init__(
        self,
        function: Function,
        abi: Abi,
        indexer: Indexer,
        *,
        width: int = 1,
        lane_axis: int | None = None,
        interior: int | None = None,
    ) -> None:
        self.function = function
        self.abi = abi
        self.indexer = indexer
        self.width = width
        self.lane_axis = lane_axis
        self.interior = interior  # the axis along which constant offsets are known to be inside
        self.axes: dict[int, Value] = {}  # i64; of the lane axis, the first lane's
        self.flat: Flat | None = None
        self.bytes: Container[Expr] = ()  # expressions that are 0 to 255,
        self.roomy: Container[Dim] = ()  # and dimensions known to have room for those
        self.env: dict[str, Value] = {}
        self.loops: dict[str, Value] = {}
        self._inputs = {t.name: t for t in abi.kernel.inputs}

    def packed(self, value: Value) -> Value:
        """Give a value the lanes that are stored together."""
        return self.function.splat(value, self.width)

    def pieces(self, value: Value, dtype: DType) -> list[tuple[int, Value]]:
        """Offsets and parts of a value that are stored in order, each over the end of the one
        before; none where it is stored as a whole."""
        return []

    # Expressions

    def value(self, expr: Expr) -> Value:
        """Emit an expression."""
        f = self.function
        match expr:
            case Const():
                return const(f, expr.value, TYPES[expr.dtype])
            case Param():
                return self._param(expr)
            case Extent():
                size = self.abi.size(f, expr.dim)
                return cast(size, DType.S64, expr.dtype)
            case Axis():
                return self._coordinate(expr.index)
            case Local():
                if expr.name in self.loops:
                    return cast(self.loops[expr.name], DType.S64, expr.dtype)
                return self.env[expr.name]
            case Load():
                return self._load(expr)
            case Op():
                args = [self.value(arg) for arg in expr.args]
                dtype = expr.args[-1].dtype
                return self._early((expr.name, dtype), args, lambda: spell(expr.name, dtype, args))
            case Cast():
                dtype, value = expr.value.dtype, self.value(expr.value)
                return self._early(
                    (dtype, expr.dtype), [value], lambda: cast(value, dtype, expr.dtype)
                )

    def _early(
        self, key: tuple[str, ...], args: Sequence[Value], build: Callable[[], Value]
    ) -> Value:
        """Emit once, ahead of all loops, what depends on the launch alone: a blur's weights."""
        f = self.function
        if not all(f.uniform(arg) for arg in args):
            return build()
        return f.once((*key, *(arg.text for arg in args)), build)

    def _param(self, param: Param) -> Value:
        f = self.function

        def build() -> Value:
            kind = "double" if param.dtype.is_float else "i64"
            raw = self.abi.read(f, "param", param.name, kind)
            wide = DType.F64 if param.dtype.is_float else DType.S64
            if param.dtype is DType.BOOL:
                return raw.compare("ne", 0)
            return cast(raw, wide, param.dtype)

        return f.once(("converted", param.name), build)

    def _coordinate(self, axis: int) -> Value:
        f = self.function
        base = self.axes[axis]
        if base.is_literal:
            return const(f, int(base.ref), "i32")
        value = base.convert("trunc", "i32")
        if axis == self.lane_axis and self.width > 1:
            steps = ", ".join(f"i32 {i}" for i in range(self.width))
            value = value + Value(f, f"<{steps}>", "i32", self.width)
        return value

    def index(self, expr: Expr) -> Value:
        """Emit an index as an i64 scalar; along the lane axis, that of the first lane."""
        form = self.indexer.affine(expr)
        if form is not None:
            return self._sum(form)
        value = self.value(expr)
        if value.lanes > 1:
            raise Misfit
        return cast(value, expr.dtype, DType.S64)

    def _known(self, expr: Expr) -> Value:
        """Emit an index that is proved to be inside: sums and products are then the same in 64
        bits, where LLVM sees that they grow with the coordinate."""
        linear = self.indexer.affine(expr) is not None
        if linear or not isinstance(expr, Op) or expr.name not in ("add", "sub", "mul"):
            return self.index(expr)
        a, b = (self._known(arg) for arg in expr.args)
        return a + b if expr.name == "add" else a - b if expr.name == "sub" else a * b

    def _sum(self, form: Affine, *, without: int | None = None) -> Value:
        f = self.function
        total = const(f, form.offset, "i64")
        for (kind, key), scale in form.terms:
            if kind == "axis":
                if key == without:
                    continue
                term = self.axes[int(key)]
            elif kind == "loop":
                term = self.loops[str(key)]
            else:
                term = self.abi.size(f, key)
            total = plus(total, times(term, const(f, scale, "i64")))
        return total

    def _load(self, load: Load) -> Value:
        tensor = self._inputs[load.tensor]
        return from_memory(self.raw(load), tensor.dtype)

    def raw(self, load: Load) -> Value:
        """Emit a load without the conversion that follows it."""
        f = self.function
        tensor = self._inputs[load.tensor]
        forms = [self.indexer.affine(index) for index in load.indices]
        start = self.flat.position(forms, tensor.dims) if self.flat else None
        if start is not None:
            offset, lanes = self._flat_offset(load, tensor, forms, start)
        else:
            offset, lanes = self._offset(load, tensor, forms, range(len(forms)))
        address = f.address(self.abi.pointer(f, "input", tensor), offset, tensor.dtype.llvm)
        return self._read(tensor, address, lanes)

    def _read(self, tensor: Tensor, address: Value, lanes: int) -> Value:
        return self.function.load(
            address,
            tensor.dtype.llvm,
            lanes,
            align=tensor.dtype.size,
            constant=tensor.name in self.abi.apart,
        )

    def _offset(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], over: Sequence[int]
    ) -> tuple[Value, int]:
        f = self.function
        total, lanes = const(f, 0, "i64"), 1
        for k in over:
            form = forms[k]
            stride = self.abi.stride(f, tensor, k)
            inside = self.safe(load, tensor, form, k)
            known = form is None and load.inside and load.inside[k]
            index = self._known(load.indices[k]) if known else self.index(load.indices[k])
            scale = 0 if form is None or self.width == 1 else self._lane_scale(form)
            if scale:
                if scale != 1 or not inside or stride.ref != "1" or lanes > 1:
                    raise Misfit
                lanes = self.width
            elif not inside:
                index = self._clamp(index, tensor.dims[k])
            total = plus(total, times(self.abi.wrap(f, tensor, k, index), stride))
        return total, lanes

    def _lane_scale(self, form: Affine) -> int:
        return 0 if self.lane_axis is None else form.scale(("axis", self.lane_axis))

    def _flat_offset(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], start: int
    ) -> tuple[Value, int]:
        flat = self.flat
        assert flat is not None
        f = self.function
        after = start + flat.rank - flat.first
        others = [k for k in range(len(forms)) if not start <= k < after]
        outer, _ = self._offset(load, tensor, forms, others)
        form = forms[start]
        assert form is not None
        shift = self._sum(form, without=flat.first)
        inner = f.once(("product", flat.dims[1:]), lambda: self.abi.product(f, flat.dims[1:]))
        if self.safe(load, tensor, form, start):
            position = plus(flat.value, times(shift, inner))
        elif self.width > 1:
            raise Misfit
        else:
            row = f.binary("udiv", flat.value, inner)
            rest = flat.value - row * inner
            row = self._clamp(plus(row, shift), tensor.dims[start])
            position = row * inner + rest
        trail = self.abi.stride(f, tensor, after - 1)
        if self.width > 1 and trail.ref != "1":
            raise Misfit
        return plus(outer, times(position, trail)), self.width

    def safe(self, load: Load, tensor: Tensor, form: Affine | None, k: int) -> bool:
        """Whether index k needs no clamp here."""
        if load.inside and load.inside[k]:
            return True
        if form is None:
            return load.indices[k] in self.bytes and tensor.dims[k] in self.roomy
        if self.interior is None or form.scale(("axis", self.interior)) < 1:
            return False
        return self.indexer.spread(form, self.interior) is not None

    def _clamp(self, index: Value, dim: Dim) -> Value:
        f = self.function
        if isinstance(dim, int) and index.lanes == 1 and index.is_literal:
            return const(f, min(max(int(index.ref), 0), max(dim - 1, 0)), "i64")
        size = self.abi.size(f, dim)
        last = f.once(
            ("last", dim), lambda: f.intrinsic("smax", plus(size, const(f, -1, "i64")), 0)
        )
        # In this order, because LLVM drops the lower bound of what it knows to be positive.
        return f.intrinsic("smin", f.intrinsic("smax", index, 0), last)

    # Statements

    def run(self, block: Block, args: Sequence[Value] = ()) -> list[Value]:
        """Emit a block on argument values and return its results."""
        outer = self.env
        self.env = dict(outer)
        self.env.update(zip((a.name for a in block.args), args, strict=True))
        found = self.finished(block.body, block.results)
        self.env = outer
        return found

    def finished(self, body: Sequence[Stmt], results: Sequence[Expr]) -> list[Value]:
        """Emit statements that nothing follows, and return results after them."""
        outer = self.env
        self.env = dict(outer)
        self.body(body)
        values = [self.value(result) for result in results]
        self.env = outer
        return values

    def body(self, body: Sequence[Stmt]) -> None:
        """Emit statements in order."""
        for stmt in body:
            match stmt:
                case Assign():
                    self.env[stmt.name] = self.value(stmt.value)
                case If():
                    self._if(stmt)
                case For():
                    self._for(stmt)
                case While():
                    self._while(stmt)
                case _:
                    raise AssertionError(f"{type(stmt).__name__} outside a row kernel")

    def _if(self, stmt: If) -> None:
        test = self.value(stmt.test)
        if any(isinstance(s, For | While) for s in statements((*stmt.then, *stmt.orelse))):
            if test.lanes > 1:
                raise Misfit
            self._branch(stmt, test)
            return
        # Everything is pure and total, so both sides may run: selects instead of branches.
        before = self.env
        sides = []
        for side in (stmt.then, stmt.orelse):
            self.env = dict(before)
            self.body(side)
            sides.append(self.env)
        then, other = sides
        self.env = dict(before)
        for name in then:
            if name in other:
                a, b = then[name], other[name]
                self.env[name] = a if a is b else self.function.select(test, a, b)

    def _branch(self, stmt: If, test: Value) -> None:
        f = self.function
        names = assigned(stmt.then) & assigned(stmt.orelse)
        names |= (assigned(stmt.then) | assigned(stmt.orelse)) & set(self.env)
        before = self.env
        first, second, end = f.labels("then", "else", "endif")
        slots: dict[str, tuple[Value, Value]] = {}
        f.branch(test, first, second)
        for label, side in ((first, stmt.then), (second, stmt.orelse)):
            f.label(label)
            self.env = dict(before)
            self.body(side)
            for name in sorted(names):
                value = self.function.splat(self.env[name], self.width)
                if name not in slots:
                    slots[name] = (f.slot(value.type, value.lanes), value)
                f.store(value, slots[name][0], align=1, group=False)
            f.do(f"br label %{end}")
        f.label(end)
        self.env = dict(before)
        for name, (slot, like) in slots.items():
            self.env[name] = f.load(slot, like.type, like.lanes, align=1, group=False)

    def _for(self, stmt: For) -> None:
        name = stmt.name
        outer = self.loops.get(name)
        hidden = self.env.pop(name, None)
        if stmt.unrolled:
            assert isinstance(stmt.start, Const)
            assert isinstance(stmt.stop, Const)
            known = self.indexer.ranges.get(name)
            names = set(self.env)
            for at in range(int(stmt.start.value), int(stmt.stop.value), stmt.step):
                self.loops[name] = const(self.function, at, "i64")
                if name in self.indexer.ranges:
                    self.indexer.ranges[name] = (at, at)
                self.body(stmt.body)
            if name in self.indexer.ranges:
                self.indexer.ranges[name] = known
            self.env = {n: v for n, v in self.env.items() if n in names}
        else:
            start, stop = self._bound(stmt.start), self._bound(stmt.stop)
            slots = self._spill(stmt.body)
            before = self.env
            with self.function.loop(start, stop, step=stmt.step) as i:
                self.loops[name] = i
                self.env = self._reload(before, slots)
                self.body(stmt.body)
                self._save(slots)
            self.env = self._reload(before, slots)
        self.loops.pop(name, None)
        if outer is not None:
            self.loops[name] = outer
        if hidden is not None:
            self.env[name] = hidden

    def _bound(self, expr: Expr) -> Value:
        form = self.indexer.affine(expr)
        if self.width > 1 and form is not None and self._lane_scale(form):
            raise Misfit
        return self.index(expr)

    def _while(self, stmt: While) -> None:
        f = self.function
        slots = self._spill((*stmt.setup, *stmt.body))
        going: Value | None = None
        if self.width > 1:
            going = f.slot("i1", self.width)
            f.store(f.splat(const(f, 1, "i1"), self.width), going, align=1, group=False)
        done, go = f.labels("done", "go")
        zero, limit = const(f, 0, "i64"), const(f, stmt.limit, "i64")
        before = self.env
        with f.loop(zero, limit):
            self.env = self._reload(before, slots)
            self.body(stmt.setup)
            self._save(slots, going)
            test = self.value(stmt.test)
            if going is not None and test.lanes > 1:
                # A lane that has left waits for the others: what it computes is not kept.
                test = self._going(going) & f.splat(test, self.width)
                f.store(test, going, align=1, group=False)
                test = f.any(test)
            f.branch(test, go, done)
            f.label(go)
            self.body(stmt.body)
            self._save(slots, going)
        f.do(f"br label %{done}")
        f.label(done)
        self.env = self._reload(before, slots)

    def _going(self, slot: Value) -> Value:
        return self.function.load(slot, "i1", self.width, align=1, group=False)

    # Loop-carried variables live in stack slots, which LLVM turns back into registers.

    def _spill(self, body: Sequence[Stmt]) -> dict[str, tuple[Value, Value]]:
        slots = {}
        for name in sorted(assigned(body) & set(self.env)):
            value = self.function.splat(self.env[name], self.width)
            slots[name] = (self.function.slot(value.type, value.lanes), value)
            self.function.store(value, slots[name][0], align=1, group=False)
        return slots

    def _reload(
        self, env: dict[str, Value], slots: dict[str, tuple[Value, Value]]
    ) -> dict[str, Value]:
        """Return the variables that a loop started with, as its slots now hold them."""
        f = self.function
        found = dict(env)
        for name, (slot, like) in slots.items():
            found[name] = f.load(slot, like.type, like.lanes, align=1, group=False)
        return found

    def _save(self, slots: dict[str, tuple[Value, Value]], going: Value | None = None) -> None:
        """Keep what the loop's variables are now, in the lanes that are still going."""
        f = self.function
        for name, (slot, like) in slots.items():
            value = f.splat(self.env[name], self.width)
            if going is not None:
                old = f.load(slot, like.type, like.lanes, align=1, group=False)
                value = f.select(self._going(going), value, old)
            f.store(value, slot, align=1, group=False)
