"""Lower the forms that work along an axis: rowwise, reduction and scan.

In: a Lowering. Out: a Bound with a Row, Reduce or Scan kernel over merged axes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from treadle.dtypes import DType
from treadle.errors import KernelSyntaxError, LaunchError
from treadle.ir.bound import Bound
from treadle.ir.dims import coalesce, symbolise
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Const,
    Dim,
    Expr,
    Extent,
    Local,
    Op,
    Reduce,
    Row,
    Scan,
    Stmt,
    Tensor,
)
from treadle.lang.binding import Lowering, broadcast_read
from treadle.lang.builder import Builder
from treadle.lang.definition import Function
from treadle.lang.foretell import reduced, row_axis, spread
from treadle.lang.values import Value, constant, describe

__all__ = ["reduction", "rowwise", "scan"]


def rowwise(low: Lowering) -> Bound:
    """Whole-row expressions along an axis."""
    axis = row_axis(low.asked, "on rows")
    space_shape, row, inputs, full, sizes = _along(low, axis)
    length = full[row]
    builder = Builder(low.typing, row, length if isinstance(length, int) else Extent(length))
    env = low.scalars()
    for tensor in inputs:
        env[tensor.name] = broadcast_read(tensor, row if length == 1 else None)
    results = low.results(low.evaluate(builder, env))
    per_position = [builder.per_position(result) for result in results]
    if any(per_position) and not all(per_position):
        raise low.fail("its results are rows and single values; return one kind", KernelSyntaxError)
    scalar = not any(per_position)
    shape = tuple(n for k, n in enumerate(space_shape) if not scalar or k != axis)
    out_dims = tuple(d for k, d in enumerate(full) if not scalar or k != row)
    specs = low.output_specs(shape, results)
    block = Block((), tuple(builder.body), tuple(results))
    return low.finish(Row(row, block, scalar), full, inputs, out_dims, specs, sizes)


def _along(
    low: Lowering, axis: int
) -> tuple[tuple[int, ...], int, list[Tensor], tuple[Dim, ...], dict[str, int]]:
    """What a kernel along an axis walks: its whole shape, and then, with the axes before and behind
    merged, where the axis is, the inputs, the space, and the sizes of its symbols."""
    shapes, shape = spread(low.asked, axis)
    group = [0 if k < axis else 1 for k in range(len(shape))]
    group[axis] = -1
    merged, space, labels = coalesce(shapes, shape, group)
    dims, sizes = symbolise([*merged, space])
    return shape, labels.index(-1), low.tensors(dims), dims[-1], sizes


def reduction(low: Lowering) -> Bound:
    """Lift, combine in any order, finish; over an axis, several, or everything."""
    shape = low.inputs[0].shape
    axes, out_shape = reduced(low.asked)
    rank = len(shape)
    group = [int(k in axes) for k in range(rank)]
    padded = [spec.shape for spec in low.inputs]
    merged, space, labels = coalesce(padded, shape, group)
    if 1 not in labels:  # everything reduced has size 1
        merged = [(*one, 1) for one in merged] if 0 in labels else merged
        space, labels = ((*space, 1), [*labels, 1]) if 0 in labels else (space, [1])
    folded = tuple(k for k, label in enumerate(labels) if label == 1)
    dims, sizes = symbolise([*merged, space])
    inputs = low.tensors(dims)
    full = dims[-1]
    form, results = _Reduction(low, inputs, full, folded, math.prod(shape[k] for k in axes)).build()
    specs = low.output_specs(out_shape, results)
    out_dims = tuple(d for k, d in enumerate(full) if k not in folded)
    return low.finish(form, full, inputs, out_dims, specs, sizes)


class _Reduction:
    """Types the three functions of a reduction and builds its form."""

    def __init__(
        self,
        low: Lowering,
        inputs: Sequence[Tensor],
        space: tuple[Dim, ...],
        axes: tuple[int, ...],
        count: int,
    ) -> None:
        self.low = low
        self.inputs = inputs
        self.space = space
        self.axes = axes
        self.count = count
        init = low.definition.options["init"]
        self.init = init if isinstance(init, tuple) else (init,)
        self.is_tuple = isinstance(init, tuple)

    def build(self) -> tuple[Reduce, list[Expr]]:
        """Type lift, combine and finish, and assemble the form."""
        low = self.low
        items, lift_body = self.lift()
        if len(items) != len(self.init):
            raise low.fail(f"init has {len(self.init)} parts and an item has {len(items)}")
        dtypes = [self.state_dtype(i, item) for i, item in zip(self.init, items, strict=True)]
        for _ in range(4):
            combine = self.combine(dtypes)
            found = _carried(low, dtypes, combine.results, combine.body)
            if found == dtypes:
                break
            dtypes = found
        else:
            raise low.fail("the types of the accumulator do not settle")
        lifted = tuple(low.typing.expr(v, d) for v, d in zip(items, dtypes, strict=True))
        init = tuple(identity(low, i, d) for i, d in zip(self.init, dtypes, strict=True))
        state = tuple(Local(f"acc{k}", d) for k, d in enumerate(dtypes))
        finish = self.finish(state)
        block = Block((), tuple(lift_body), lifted)
        return Reduce(self.axes, init, block, combine, finish), list(finish.results)

    def lift(self) -> tuple[tuple[Value, ...], list[Any]]:
        """Evaluate how an element becomes an accumulator."""
        low = self.low
        builder = Builder(low.typing)
        reads = [builder.bind(t.name, broadcast_read(t)) for t in self.inputs]
        function: Function | None = low.definition.options.get("lift")
        if function is None:
            return (reads[0],), builder.body
        code = function.function.__code__
        env = dict(zip(self.low.names, reads, strict=True))
        if code.co_varnames[:1] == ("at",):
            if self.count > 2**31 - 1:
                raise LaunchError(
                    f"kernel {low.name!r} counts positions and reduces {self.count} elements; at "
                    "most "
                    f"{2**31 - 1} can be counted"
                )
            env["at"] = self.position(builder)
        value = low.evaluate(builder, env | self.named(function), function)
        low.results(value)  # numbers that fit; their types follow from the accumulator's
        return value if isinstance(value, tuple) else (value,), builder.body

    def position(self, builder: Builder) -> Value:
        """The element's number along the reduced axes, in row-major order."""
        index: Value = 0
        for axis in self.axes:
            dim = self.space[axis]
            extent = dim if isinstance(dim, int) else Extent(dim)
            along: Value = 0 if dim == 1 else Axis(axis)
            index = (
                along
                if index == 0
                else builder.typing.apply("add", builder.typing.apply("mul", index, extent), along)
            )
        return builder.bind("at", index)

    def named(self, function: Function) -> dict[str, Value]:
        """The kernel's parameters that a helper declares by the same name."""
        code = function.function.__code__
        only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        scalars = self.low.scalars()
        return {name: scalars[name] for name in only if name in scalars}

    def state_dtype(self, init: Any, item: Value) -> DType:
        """The type of a part of the accumulator."""
        return self.low.typing.common(item, *_numbers(init))

    def combine(self, dtypes: list[DType]) -> Block:
        """Evaluate the combination of two accumulators."""
        low = self.low
        names = low.definition.function.__code__.co_varnames[:2]
        left = tuple(Local(f"left{k}", d) for k, d in enumerate(dtypes))
        right = tuple(Local(f"right{k}", d) for k, d in enumerate(dtypes))
        builder = Builder(low.typing)
        env = low.scalars()
        env[names[0]] = left if self.is_tuple else left[0]
        env[names[1]] = right if self.is_tuple else right[0]
        value = low.evaluate(builder, env)
        parts = value if isinstance(value, tuple) else (value,)
        if len(parts) != len(dtypes):
            raise low.fail(f"it returns {len(parts)} values for {len(dtypes)} in init")
        exprs = [low.expr(part) for part in parts]
        wider = [low.typing.common(Local("", d), e) for d, e in zip(dtypes, exprs, strict=True)]
        results = tuple(low.typing.expr(e, d) for e, d in zip(exprs, wider, strict=True))
        return Block((*left, *right), tuple(builder.body), results)

    def finish(self, state: tuple[Local, ...]) -> Block:
        """Evaluate how the last accumulator becomes the result."""
        low = self.low
        function: Function | None = low.definition.options.get("finish")
        if function is None:
            return Block(state, (), state)
        builder = Builder(low.typing)
        code = function.function.__code__
        names = code.co_varnames[: code.co_argcount]
        env: dict[str, Value] = {names[0]: state if self.is_tuple else state[0]}
        if len(names) > 1:
            if self.count > 2**31 - 1:
                raise LaunchError(
                    f"kernel {low.name!r} needs the number of elements, {self.count}; at most "
                    f"{2**31 - 1} can be counted"
                )
            env[names[1]] = self.extent(builder)
        value = low.evaluate(builder, env | self.named(function), function)
        results = tuple(low.results(value))
        return Block(state, tuple(builder.body), results)

    def extent(self, builder: Builder) -> Value:
        """The number of elements folded into one."""
        total: Value = 1
        for axis in self.axes:
            dim = self.space[axis]
            total = builder.typing.apply("mul", total, dim if isinstance(dim, int) else Extent(dim))
        return total


def identity(low: Lowering, init: Any, dtype: DType) -> Const:
    """What a state begins with, as a literal: a number, or the end of the type's range."""
    try:
        if init not in ("lowest", "highest"):
            return constant(init, dtype)
        if dtype.is_float:
            return constant(-math.inf if init == "lowest" else math.inf, dtype)
        if all(spec.dtype is DType.BOOL for spec in low.inputs):  # which are 0 and 1
            return constant(init == "highest", dtype)
        return constant(dtype.limits[init == "highest"], dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise low.fail(f"init: {error}") from None


def _numbers(init: Any) -> tuple[Any, ...]:
    """What of an initial value has a say in the state's type: not the words."""
    return () if isinstance(init, str) else (init,)


def scan(low: Lowering) -> Bound:
    """A state carried along an axis, in parallel over the others."""
    axis = row_axis(low.asked, "along an axis")
    space_shape, along, inputs, space, sizes = _along(low, axis)
    init = low.definition.options["init"]
    step, starts, results = _scan_step(low, inputs, init)
    combine = _scan_combine(low, [c.dtype for c in starts], whole=not isinstance(init, tuple))
    specs = low.output_specs(space_shape, results)
    form = Scan(along, starts, step, combine)
    return low.finish(form, space, inputs, space, specs, sizes)


def _scan_step(
    low: Lowering, inputs: Sequence[Tensor], init: Any
) -> tuple[Block, tuple[Const, ...], list[Expr]]:
    parts = init if isinstance(init, tuple) else (init,)
    reads = [broadcast_read(tensor) for tensor in inputs]
    dtypes = [low.typing.common(*reads, *_numbers(part)) for part in parts]
    name = low.definition.function.__code__.co_varnames[0]
    for _ in range(4):
        builder = Builder(low.typing)
        state = tuple(Local(f"state{k}", d) for k, d in enumerate(dtypes))
        env = low.scalars()
        for tensor, read in zip(inputs, reads, strict=True):
            env[tensor.name] = builder.bind(tensor.name, read)
        env[name] = state if isinstance(init, tuple) else state[0]
        value = low.evaluate(builder, env)
        if not isinstance(value, tuple) or len(value) != 2:
            raise low.fail(
                f"a scan returns (state, output), got {describe(value)}", KernelSyntaxError
            )
        new = value[0] if isinstance(value[0], tuple) else (value[0],)
        if len(new) != len(parts):
            raise low.fail(f"it returns a state of {len(new)} for {len(parts)} in init")
        results = low.results(value[1])
        found = _carried(low, dtypes, new, builder.body)
        if found == dtypes:
            states = tuple(low.expr(v, d) for v, d in zip(new, dtypes, strict=True))
            starts = tuple(identity(low, p, d) for p, d in zip(parts, dtypes, strict=True))
            return Block(state, tuple(builder.body), (*states, *results)), starts, results
        dtypes = found
    raise low.fail("the types of the state do not settle")


def _scan_combine(low: Lowering, dtypes: Sequence[DType], *, whole: bool) -> Block | None:
    """Evaluate the combination of two states, where the kernel has one."""
    function: Function | None = low.definition.options.get("combine")
    if function is None:
        return None
    code = function.function.__code__
    names, only = code.co_varnames[:2], code.co_varnames[2 : 2 + code.co_kwonlyargcount]
    if code.co_argcount != 2:
        raise low.fail(f"combine takes two states, and {function.name!r} takes {code.co_argcount}")
    builder = Builder(low.typing)
    sides = [
        tuple(Local(f"{side}{k}", d) for k, d in enumerate(dtypes)) for side in ("left", "right")
    ]
    scalars = low.scalars()
    env: dict[str, Value] = {name: scalars[name] for name in only if name in scalars}
    env |= {n: side[0] if whole else side for n, side in zip(names, sides, strict=True)}
    value = low.evaluate(builder, env, function)
    parts = value if isinstance(value, tuple) else (value,)
    if len(parts) != len(dtypes):
        raise low.fail(f"combine gives a state of {len(parts)} for {len(dtypes)} in init")
    results = tuple(low.expr(part, d) for part, d in zip(parts, dtypes, strict=True))
    return Block((*sides[0], *sides[1]), tuple(builder.body), results)


def _carried(
    low: Lowering, dtypes: Sequence[DType], new: Sequence[Value], body: Sequence[Stmt]
) -> list[DType]:
    """The types of a state's parts, from those they had and what they become; sums and products of
    integers are wide."""
    known = {stmt.name: stmt.value for stmt in body if isinstance(stmt, Assign)}
    found = []
    for dtype, value in zip(dtypes, new, strict=True):
        dtype = low.typing.common(Local("", dtype), value)
        made = known.get(value.name) if isinstance(value, Local) else value
        summed = isinstance(made, Op) and made.name in ("add", "mul")
        found.append(low.typing.summed(dtype) if summed else dtype)
    return found
