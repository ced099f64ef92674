"""The kernel language's definition: execute a kernel with NumPy.

In: a typed kernel, host arrays, sizes and parameters. Out: the outputs as arrays. Every pass keeps
what this computes and every backend equals it within its declared tolerance. It evaluates whole
index spaces at a time under masks. An expression is looked at once and then only computed, because
a scan computes it again for every step; what no step changes is computed once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from treadle.dtypes import DType
from treadle.ir.casts import convert, readable
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Chain,
    Const,
    Dim,
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
    RowFold,
    RowLet,
    Scan,
    Stmt,
    While,
)
from treadle.ir.ops import OPS

__all__ = ["interpret"]

Array = np.ndarray[Any, Any]
Way = Callable[[], Array]  # how an expression is computed, in one run

_FEW = 4096  # elements: what is no larger is kept for the next step
_FOLDS: dict[str, tuple[np.ufunc, str]] = {
    "sum": (np.add, "zero"),
    "prod": (np.multiply, "one"),
    "max": (np.maximum, "lowest"),
    "min": (np.minimum, "highest"),
}


def interpret(
    kernel: Kernel,
    inputs: Sequence[Array],
    dims: Mapping[str, int],
    params: Mapping[str, float],
) -> list[Array]:
    """Compute a kernel's outputs for these inputs."""
    if isinstance(kernel.form, Chain):
        return _chain(kernel, kernel.form, inputs, dims, params)
    run = _Run(kernel, inputs, dims, params)
    try:
        with np.errstate(all="ignore"):
            return run.outputs()
    finally:
        run.ways.clear()  # they know the run: its arrays go without the collector


def _chain(
    kernel: Kernel,
    form: Chain,
    inputs: Sequence[Array],
    dims: Mapping[str, int],
    params: Mapping[str, float],
) -> list[Array]:
    known = {tensor.name: array for tensor, array in zip(kernel.inputs, inputs, strict=True)}
    for stage in form.stages:
        values = interpret(stage, [known[tensor.name] for tensor in stage.inputs], dims, params)
        known.update(zip((tensor.name for tensor in stage.outputs), values, strict=True))
    return [known[tensor.name] for tensor in kernel.outputs]


class _Run:
    """One execution: sizes, coordinates and the values of locals."""

    def __init__(
        self,
        kernel: Kernel,
        inputs: Sequence[Array],
        dims: Mapping[str, int],
        params: Mapping[str, float],
    ) -> None:
        self.kernel = kernel
        self.dims = dims
        self.params = params
        self.arrays = {
            tensor.name: readable(np.asarray(array), tensor.dtype).reshape(self.shape(tensor.dims))
            for tensor, array in zip(kernel.inputs, inputs, strict=True)
        }
        self.space = self.shape(kernel.space)
        self.coords: list[Array] = list(
            np.ogrid[tuple(slice(0, n) for n in self.space)] if self.space else []
        )
        self.locals: dict[str, Array] = {}
        self.ways: dict[int, Way] = {}  # by the expression's id: the kernel keeps those alive
        self.along = kernel.form.axis if isinstance(kernel.form, Scan) else None

    def size(self, dim: Dim) -> int:
        return dim if isinstance(dim, int) else self.dims[dim]

    def shape(self, dims: tuple[Dim, ...]) -> tuple[int, ...]:
        return tuple(self.size(dim) for dim in dims)

    # Forms

    def outputs(self) -> list[Array]:
        form = self.kernel.form
        shapes = [self.shape(tensor.dims) for tensor in self.kernel.outputs]
        if any(0 in shape for shape in shapes):
            values = [np.zeros(shape) for shape in shapes]
        elif isinstance(form, Map):
            values = self.block(form.block)
        elif isinstance(form, Reduce):
            values = self.reduce(form)
        elif isinstance(form, Row):
            values = self.row(form)
        else:
            assert isinstance(form, Scan)
            values = self.scan(form)
        return [
            np.ascontiguousarray(np.broadcast_to(convert(value, tensor.dtype), shape))
            for value, tensor, shape in zip(values, self.kernel.outputs, shapes, strict=True)
        ]

    def reduce(self, form: Reduce) -> list[Array]:
        kept = [k for k in range(len(self.space)) if k not in form.axes]
        order = (*kept, *form.axes)
        kept_shape = tuple(self.space[k] for k in kept)
        count = int(np.prod([self.space[k] for k in form.axes], dtype=np.int64))
        if count == 0:
            state = [np.full(kept_shape, init.value, init.dtype.numpy) for init in form.init]
        else:
            state = [
                np.broadcast_to(value, self.space).transpose(order).reshape(*kept_shape, count)
                for value in self.block(form.lift)
            ]
            while state[0].shape[-1] > 1:
                even = state[0].shape[-1] // 2 * 2
                left = [s[..., 0:even:2] for s in state]
                right = [s[..., 1:even:2] for s in state]
                rest = [s[..., even:] for s in state]
                merged = self.block(form.combine, [*left, *right])
                state = [
                    np.concatenate([np.broadcast_to(m, old.shape), r], axis=-1)
                    for m, old, r in zip(merged, left, rest, strict=True)
                ]
            state = [s[..., 0] for s in state]
        return self.block(form.finish, state)

    def row(self, form: Row) -> list[Array]:
        for stmt in form.block.body:
            if isinstance(stmt, RowFold):
                ufunc, empty = _FOLDS[stmt.kind]
                value = np.broadcast_to(self.value(stmt.value), self.space)
                start = _identity(empty, value.dtype)
                if value.dtype.kind == "f":
                    value = _paired(ufunc, value, form.axis)
                self.locals[stmt.name] = ufunc.reduce(
                    value, axis=form.axis, keepdims=True, initial=start, dtype=value.dtype
                )
            else:
                assert isinstance(stmt, Assign | RowLet)
                self.locals[stmt.name] = self.value(stmt.value)
        values = [self.value(result) for result in form.block.results]
        if not form.scalar:
            return values
        flat = tuple(1 if k == form.axis else n for k, n in enumerate(self.space))
        return [np.broadcast_to(value, flat).squeeze(form.axis) for value in values]

    def scan(self, form: Scan) -> list[Array]:
        cross = tuple(1 if k == form.axis else n for k, n in enumerate(self.space))
        state = [np.full(cross, init.value, init.dtype.numpy) for init in form.init]
        steps: list[list[Array]] = []
        for position in range(self.space[form.axis]):
            self.coords[form.axis] = np.full((1,) * len(self.space), position)
            values = self.block(form.step, state)
            state = values[: len(form.init)]
            steps.append([np.broadcast_to(v, cross) for v in values[len(form.init) :]])
        return [np.concatenate(column, axis=form.axis) for column in zip(*steps, strict=True)]

    # Blocks and statements

    def block(self, block: Block, args: Sequence[Array] = ()) -> list[Array]:
        self.locals = {arg.name: value for arg, value in zip(block.args, args, strict=True)}
        self.body(block.body, None)
        return [self.value(result) for result in block.results]

    def body(self, body: tuple[Stmt, ...], mask: Array | None) -> None:
        for stmt in body:
            match stmt:
                case Assign():
                    self.assign(stmt.name, self.value(stmt.value), mask)
                case If():
                    test = self.value(stmt.test)
                    self.body(stmt.then, _both(mask, test))
                    self.body(stmt.orelse, _both(mask, np.logical_not(test)))
                case For():
                    self.repeat(stmt, mask)
                case While():
                    self.loop(stmt, mask)
                case _:
                    raise AssertionError(f"{type(stmt).__name__} belongs to rows only")

    def assign(self, name: str, value: Array, mask: Array | None) -> None:
        if mask is not None and name in self.locals:
            value = np.where(mask, value, self.locals[name])
        self.locals[name] = value

    def repeat(self, stmt: For, mask: Array | None) -> None:
        position = np.asarray(self.value(stmt.start), np.int64)
        stop = np.asarray(self.value(stmt.stop), np.int64)
        outside = set(self.locals)
        while True:
            active = _both(mask, position < stop if stmt.step > 0 else position > stop)
            if not np.any(active):
                break
            self.locals[stmt.name] = position.astype(np.int32)
            self.body(stmt.body, active)
            position = position + stmt.step
        self.locals = {name: value for name, value in self.locals.items() if name in outside}

    def loop(self, stmt: While, mask: Array | None) -> None:
        outside = set(self.locals)
        active = mask
        for _ in range(stmt.limit):
            self.body(stmt.setup, active)
            active = _both(active, self.value(stmt.test))
            if not np.any(active):
                break
            self.body(stmt.body, active)
        self.locals = {name: value for name, value in self.locals.items() if name in outside}

    # Expressions

    def value(self, node: Expr) -> Array:
        way = self.ways.get(id(node))
        if way is None:
            way, steady = self.way(node)
            self.ways[id(node)] = way = _kept(way) if steady else way
        return way()

    def way(self, node: Expr) -> tuple[Way, bool]:
        """How an expression is computed, and whether it is the same whenever it is."""
        match node:
            case Const():
                return _always(np.asarray(node.value, node.dtype.numpy)), True
            case Param():
                return _always(convert(np.asarray(self.params[node.name]), node.dtype)), True
            case Axis():
                index = node.index
                return lambda: self.coords[index].astype(np.int32), index != self.along
            case Extent():
                return _always(np.asarray(self.size(node.dim), np.int32)), True
            case Local():
                name = node.name
                return lambda: self.locals[name], False
            case Load():
                places, steady = self.each(node.indices)
                return _loading(self.arrays[node.tensor], places, node.dtype), steady
            case Op():
                args, steady = self.each(node.args)
                return _applying(OPS[node.name].numpy, args, node.dtype), steady
            case Cast():
                (value,), steady = self.each((node.value,))
                dtype = node.dtype
                return lambda: convert(value(), dtype), steady

    def each(self, nodes: Sequence[Expr]) -> tuple[list[Way], bool]:
        """How several are computed; where not all are steady, those that are, once."""
        found = [self.way(node) for node in nodes]
        steady = all(same for _, same in found)
        return [_kept(way) if same and not steady else way for way, same in found], steady


def _always(value: Array) -> Way:
    return lambda: value


def _kept(way: Way) -> Way:
    """Compute something once, unless it is large."""
    known: Array | None = None

    def keep() -> Array:
        nonlocal known
        if known is not None:
            return known
        value = way()
        if value.size <= _FEW:
            known = value
        return value

    return keep


def _loading(array: Array, places: Sequence[Way], dtype: DType) -> Way:
    kind = dtype.numpy
    limits = [(place, size - 1) for place, size in zip(places, array.shape, strict=True)]

    def load() -> Array:
        indices = tuple(
            [
                np.minimum(np.maximum(np.asarray(place(), np.int64), 0), last)
                for place, last in limits
            ]
        )
        return np.asarray(array[indices]).astype(kind, copy=False)

    return load


def _applying(function: Callable[..., Any], args: Sequence[Way], dtype: DType) -> Way:
    kind = dtype.numpy

    def apply() -> Array:
        return np.asarray(function(*[arg() for arg in args])).astype(kind, copy=False)

    return apply


def _paired(ufunc: np.ufunc, value: Array, axis: int) -> Array:
    """Fold neighbours along an axis until one is left, or none where there were none: in whatever
    order NumPy stores them, rounding grows with the logarithm of their number."""
    value = np.moveaxis(value, axis, -1)
    while value.shape[-1] > 1:
        even = value.shape[-1] // 2 * 2
        pairs = ufunc(value[..., 0:even:2], value[..., 1:even:2])
        value = np.concatenate([pairs, value[..., even:]], axis=-1)
    return np.moveaxis(value, -1, axis)


def _both(mask: Array | None, test: Array) -> Array:
    return test if mask is None else np.logical_and(mask, test)


def _identity(which: str, dtype: np.dtype[Any]) -> Any:
    if which in ("zero", "one"):
        return dtype.type(which == "one")
    if dtype.kind == "f":
        return dtype.type(-np.inf if which == "lowest" else np.inf)
    limits = np.iinfo(dtype)
    return dtype.type(limits.min if which == "lowest" else limits.max)
