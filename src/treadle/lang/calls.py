"""Calls of intrinsics: conversions, folds of rows and tuples, and operations by name.

In: a name and values. Out: a value. It knows which arguments each intrinsic takes; the evaluator
that calls it applies operations and reports mistakes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Protocol

from treadle.dtypes import DType
from treadle.errors import KernelError
from treadle.ir.nodes import Expr
from treadle.ir.ops import OPS
from treadle.lang.builder import Builder
from treadle.lang.intrinsics import CONVERSIONS, FOLDS, NAMES
from treadle.lang.values import ArrayRef, Typing, Value, describe, is_number

__all__ = ["Caller", "call"]


class Caller(Protocol):
    """What an intrinsic needs from the evaluator."""

    builder: Builder
    typing: Typing

    def apply(self, node: ast.AST, name: str, *args: Value) -> Value:
        """Apply an operation."""
        ...

    def power(self, node: ast.AST, base: Expr, exponent: float) -> Value:
        """Raise to a constant power."""
        ...

    def checked(self, node: ast.AST, compute: Callable[[], Value]) -> Value:
        """Turn a type mistake into an error at `node`."""
        ...

    def fail(self, message: str, node: ast.AST | None) -> KernelError:
        """Build an error that shows `node`."""
        ...


def call(on: Caller, node: ast.Call, name: str, args: list[Value]) -> Value:
    """Call an intrinsic by name."""
    if (name in FOLDS and len(args) == 1) or name == "mean":
        return _fold(on, node, name, args)
    if name in CONVERSIONS and len(args) == 1:
        made: Expr = on.checked(node, lambda: on.typing.expr(args[0], CONVERSIONS[name]))
        dtype = CONVERSIONS[name]
        return on.builder.keep(made, dtype) if dtype.is_narrow else made
    if name in ("int", "float", "bool") and len(args) == 1:
        return on.checked(node, lambda: _python_type(on, name, args[0]))
    if name == "len" and len(args) == 1:
        return _length(on, node, args[0])
    if name in ("clamp", "clip") and len(args) == 3:
        return on.apply(node, "minimum", on.apply(node, "maximum", args[0], args[1]), args[2])
    operation = NAMES.get(name)
    if operation is None:
        raise on.fail(f"{name}() does not take {len(args)} arguments in a kernel", node)
    if operation in ("minimum", "maximum") and len(args) > 2:
        result = args[0]
        for step, arg in enumerate(args[1:]):
            result = on.builder.shallow(name, on.apply(node, operation, result, arg), step)
        return result
    if operation in ("floor", "ceil", "round", "trunc") and len(args) == 1:
        value = args[0]
        if isinstance(value, Expr) and value.dtype.is_integer:
            return value
    if operation == "pow" and len(args) == 2 and isinstance(args[0], Expr) and is_number(args[1]):
        return on.power(node, args[0], args[1])
    if len(args) != OPS[operation].arity:
        raise on.fail(f"{name}() takes {OPS[operation].arity} arguments, got {len(args)}", node)
    return on.apply(node, operation, *args)


def _python_type(on: Caller, name: str, value: Value) -> Value:
    if is_number(value):
        return {"int": int, "float": float, "bool": bool}[name](value)
    expr = on.typing.expr(value)
    if name == "bool":
        return on.typing.condition(expr)
    if name == "int":
        return expr if expr.dtype.is_integer else on.typing.expr(expr, DType.S32)
    return expr if expr.dtype.is_float else on.typing.expr(expr, on.typing.as_float(expr.dtype))


def _length(on: Caller, node: ast.Call, value: Value) -> Value:
    if isinstance(value, ArrayRef) and value.shape:
        return value.shape[0]
    if isinstance(value, tuple):
        return len(value)
    if on.builder.row_axis is not None and isinstance(value, Expr):
        return on.builder.row_length
    raise on.fail(f"{describe(value)} has no length", node)


def _fold(on: Caller, node: ast.Call, name: str, args: list[Value]) -> Value:
    if on.builder.row_axis is None:
        if len(args) == 1 and isinstance(args[0], tuple):
            return _fold_tuple(on, node, name, args[0])
        raise on.fail(
            f"{name}() of one value folds a whole row, which only a @treadle.rowwise kernel has; "
            "use a loop, or @treadle.reduction",
            node,
        )
    if len(args) != 1:
        raise on.fail(f"{name}() takes one row", node)
    value = on.checked(node, lambda: on.typing.expr(args[0]))
    if value.dtype is DType.BOOL:
        value = on.typing.expr(value, DType.S32)
    if name == "mean":
        return _mean(on, node, value)
    kind = FOLDS[name]
    if kind in ("sum", "prod"):
        value = on.typing.expr(value, on.typing.summed(value.dtype))
    return on.builder.fold(kind, value)


def _mean(on: Caller, node: ast.Call, value: Expr) -> Value:
    """The mean of a row; of integers without rounding before the end."""
    length = on.builder.row_length
    if value.dtype.is_float:
        return on.apply(node, "div", on.builder.fold("sum", value), length)
    floating = on.typing.as_float(value.dtype)
    total = on.builder.fold("sum", on.typing.expr(value, DType.S64))
    whole = on.builder.bind("whole", on.apply(node, "floordiv", total, length))
    rest = on.apply(node, "sub", total, on.apply(node, "mul", whole, length))
    part = on.apply(node, "div", on.typing.expr(rest, floating), on.typing.expr(length, floating))
    return on.apply(node, "add", on.typing.expr(whole, floating), part)


def _fold_tuple(on: Caller, node: ast.Call, name: str, items: tuple[Value, ...]) -> Value:
    operation = {"sum": "add", "prod": "mul", "max": "maximum", "min": "minimum"}.get(
        FOLDS.get(name, "sum"), "add"
    )
    if not items:
        raise on.fail(f"{name}() of an empty tuple", node)
    result = items[0]
    for step, item in enumerate(items[1:]):
        result = on.builder.shallow(name, on.apply(node, operation, result, item), step)
    return on.apply(node, "div", result, len(items)) if name == "mean" else result
