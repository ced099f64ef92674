"""Evaluate the expressions of a kernel: names, operators, indexing, calls.

In: syntax nodes and an environment. Out: values. A call of another kernel's body or of a
`@treadle.function` is evaluated in place. It adds expressions to evaluate.Statements.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable
from typing import Any, Protocol, TypeGuard

from treadle.dtypes import DType, read_as
from treadle.errors import KernelSyntaxError, TreadleError, suggest
from treadle.ir.nodes import Expr, Load
from treadle.lang.builder import Builder
from treadle.lang.calls import call
from treadle.lang.evaluate import Statements, Undefined
from treadle.lang.intrinsics import CONVERSIONS, NAMES, SPECIAL, operation_of
from treadle.lang.source import Text
from treadle.lang.values import (
    CONSTANTS,
    ArrayRef,
    Coordinates,
    Value,
    describe,
    is_number,
    is_static,
    shown,
)

__all__ = ["Evaluator", "Inlinable"]

MAX_DEPTH = 32
LONGEST_TUPLE = 4096

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.LShift: "shl",
    ast.RShift: "shr",
    ast.BitAnd: "bitand",
    ast.BitOr: "bitor",
    ast.BitXor: "bitxor",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}


class Inlinable(Protocol):
    """Something whose body can be evaluated in place: a @treadle.function or a pointwise kernel."""

    def text(self) -> Text:
        """The parsed source."""
        ...


def inlinable(value: object) -> TypeGuard[Inlinable]:
    """Whether a value is one; much faster than a protocol that is checked at run time."""
    return getattr(value, "text", None) is not None


class Evaluator(Statements):
    """Evaluates one function's body in one environment."""

    def __init__(self, text: Text, builder: Builder, env: dict[str, Value]) -> None:
        self.text = text
        self.builder = builder
        self.typing = builder.typing
        self.env = env

    def result(self) -> Value:
        """Evaluate the whole body and return what it returns."""
        value = self.run(self.text.tree.body)
        if value is None:
            raise self.fail("not every path returns a value", self.returned, KernelSyntaxError)
        return value

    def returned_as(self, value: Value, dtype: DType | None = None) -> Expr:
        """A returned value, or a part of it, as an expression; mistakes are shown where it is."""
        made: Expr = self.checked(self.returned, lambda: self.typing.expr(value, dtype))
        return made

    def apply(self, node: ast.AST, name: str, *args: Value) -> Value:
        """Apply an operation, turning a type mistake into an error at `node`."""
        try:
            result = self.typing.apply(name, *args)
        except (TypeError, OverflowError, ValueError) as error:
            if isinstance(error, TreadleError):
                raise
            raise self.fail(str(error), node) from None
        if name == "select" and (kept := self.builder.kept(args[1])) is not None:
            return self.builder.keep(result, kept) if self.builder.kept(args[2]) is kept else result
        return result

    def expression(self, node: ast.expr) -> Value:
        """Evaluate an expression."""
        match node:
            case ast.Constant():
                return self.literal(node)
            case ast.Name():
                return self.name(node)
            case ast.Tuple():
                return tuple(self.items(node.elts))
            case ast.BinOp():
                return self.chain(node)
            case ast.UnaryOp():
                return self.unary(node)
            case ast.BoolOp():
                return self.logic(node)
            case ast.Compare():
                return self.compare(node)
            case ast.IfExp():
                return self.choice(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Call():
                return self.call(node)
            case _:
                raise self.fail("this is not in the kernel language", node, KernelSyntaxError)

    def items(self, nodes: list[ast.expr]) -> list[Value]:
        """Evaluate expressions, unpacking starred tuples."""
        values: list[Value] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                inner = self.expression(node.value)
                if not isinstance(inner, tuple):
                    raise self.fail(f"cannot unpack {describe(inner)}", node)
                values += inner
            else:
                values.append(self.expression(node))
        return values

    def literal(self, node: ast.Constant) -> Value:
        """A Python constant that the language has."""
        if node.value is None or isinstance(node.value, bool | int | float | str):
            return node.value
        raise self.fail(f"{node.value!r} is not in the kernel language", node, KernelSyntaxError)

    # Names

    def name(self, node: ast.Name) -> Value:
        """The value of a name: local, outer or a constant."""
        if node.id in self.env:
            value = self.env[node.id]
            if isinstance(value, Undefined):
                raise self.fail(f"{node.id!r} has no value here: {value.reason}", node)
            return value
        try:
            return self.outer(node.id)
        except KeyError:
            pass
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        known = [*self.env, *NAMES, *SPECIAL, *CONVERSIONS]
        raise self.fail(f"name {node.id!r} is not defined{suggest(node.id, known)}", node)

    def outer(self, name: str) -> Value:
        """Look a name up where the function was written; KeyError if it is not there.

        A name keeps the value that it had when it was first read here."""
        known, function = self.text.outside, self.text.function
        if name in known:
            return known[name]
        free = function.__code__.co_freevars
        if name in free:
            try:
                found = function.__closure__[free.index(name)].cell_contents
            except ValueError:  # assigned after the kernel was made, or never
                raise KeyError(name) from None
            return known.setdefault(name, self.captured(found))
        if name in function.__globals__:
            return known.setdefault(name, self.captured(function.__globals__[name]))
        if hasattr(builtins, name):
            return self.captured(getattr(builtins, name))
        raise KeyError(name)

    def captured(self, value: Any) -> Value:
        """A Python object from outside as a value: NumPy scalars become numbers."""
        if hasattr(value, "item") and getattr(value, "shape", None) == ():
            return value.item()
        return value

    def attribute(self, node: ast.Attribute) -> Value:
        """An array's or coordinate's facts, or a module's member."""
        value = self.expression(node.value)
        if isinstance(value, ArrayRef):
            facts: dict[str, Value] = {
                "shape": value.shape,
                "ndim": len(value.tensor.dims),
                "dtype": str(value.tensor.dtype),
            }
            if node.attr in facts:
                return facts[node.attr]
            raise self.fail(f"an array has shape, ndim and dtype{suggest(node.attr, facts)}", node)
        if isinstance(value, Coordinates):
            if node.attr == "shape":
                return value.shape
            if node.attr == "dtype":
                if value.dtype is None:
                    raise self.fail(
                        "at.dtype needs the output's type: pass an output, or give the kernel a "
                        "dtype rule",
                        node,
                    )
                return str(value.dtype)
            raise self.fail(
                f"`at` has shape and dtype{suggest(node.attr, ['shape', 'dtype'])}", node
            )
        if isinstance(value, Expr) and node.attr == "dtype":
            return str(value.dtype)
        if isinstance(value, types.ModuleType) or is_static(value):
            try:
                return self.captured(getattr(value, node.attr))
            except AttributeError:
                pass
        raise self.fail(f"{describe(value)} has no {node.attr!r}", node)

    # Operators

    def chain(self, node: ast.BinOp) -> Value:
        """Operators one after the other, as in a long sum, from left to right."""
        if not isinstance(node.left, ast.BinOp):
            return self.binary(node, self.expression(node.left), self.expression(node.right))
        spine = [node]
        while isinstance(spine[-1].left, ast.BinOp):
            spine.append(spine[-1].left)
        value = self.expression(spine[-1].left)
        for step, inner in enumerate(reversed(spine)):
            value = self.binary(inner, value, self.expression(inner.right))
            value = self.builder.shallow("part", value, step)
        return value

    def binary(self, node: ast.BinOp, left: Value, right: Value) -> Value:
        """An arithmetic operator."""
        if isinstance(node.op, ast.Add) and isinstance(left, tuple) and isinstance(right, tuple):
            if len(left) + len(right) > LONGEST_TUPLE:
                raise self.fail(f"a tuple has at most {LONGEST_TUPLE} items", node)
            return tuple(left) + tuple(right)
        name = _BINARY[type(node.op)]
        if name == "pow" and isinstance(left, Expr) and is_number(right):
            return self.power(node, left, right)
        logical = {"bitand": "and", "bitor": "or", "bitxor": "ne"}
        if name in logical and all(
            isinstance(v, Expr) and v.dtype is DType.BOOL for v in (left, right)
        ):
            return self.apply(node, logical[name], left, right)
        return self.apply(node, name, left, right)

    def power(self, node: ast.AST, base: Expr, exponent: float) -> Value:
        """A constant power: multiplications where the exponent is a small integer."""
        if exponent == 0.5:
            return self.apply(node, "sqrt", base)
        if not abs(exponent) <= 16 or exponent != int(exponent):  # not: NaN is neither
            return self.apply(node, "pow", base, exponent)
        count = int(abs(exponent))
        square = self.builder.bind("base", base)
        result: Value = None
        while count:
            if count & 1:
                result = square if result is None else self.apply(node, "mul", result, square)
            count >>= 1
            if count:
                square = self.builder.bind("square", self.apply(node, "mul", square, square))
        if result is None:
            return self.typing.expr(1, self.typing.common(base))
        return self.apply(node, "div", 1, result) if exponent < 0 else result

    def unary(self, node: ast.UnaryOp) -> Value:
        """A sign, `not` or `~`."""
        value = self.expression(node.operand)
        match node.op:
            case ast.USub():
                return self.apply(node, "neg", value)
            case ast.UAdd():
                return self.apply(node, "add", value, 0) if is_number(value) else value
            case ast.Not():
                return self.apply(node, "not", value) if isinstance(value, Expr) else not value
            case _:
                if isinstance(value, Expr) and value.dtype is DType.BOOL:
                    return self.apply(node, "not", value)
                return self.apply(node, "bitnot", value)

    def logic(self, node: ast.BoolOp) -> Value:
        """`and` and `or`; constants decide as in Python, both sides of others are evaluated."""
        both = isinstance(node.op, ast.And)
        result: Value = both
        for step, operand in enumerate(node.values):
            value = self.expression(operand)
            if not isinstance(value, Expr):
                if bool(value) is not both:
                    return value  # a constant that decides, as in Python
                continue
            test = self.typing.condition(value)
            result = (
                test if result is both else self.apply(node, "and" if both else "or", result, test)
            )
            result = self.builder.shallow("test", result, step)
        return result

    def compare(self, node: ast.Compare) -> Value:
        """A comparison, chained ones included."""
        result: Value = True
        left = self.expression(node.left)
        for step, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.expression(right_node)
            part = self.compare_pair(node, op, left, right)
            if part is False:
                return False
            result = part if result is True else self.apply(node, "and", result, part)
            result = self.builder.shallow("test", result, step)
            left = right
        return result

    def compare_pair(self, node: ast.Compare, op: ast.cmpop, left: Value, right: Value) -> Value:
        """One comparison of a chain."""
        if type(op) in _COMPARE:
            name = _COMPARE[type(op)]
            if is_static(left) and is_static(right):
                if name == "eq":
                    return left == right
                if name == "ne":
                    return left != right
            return self.apply(node, name, left, right)
        if isinstance(op, ast.Is | ast.IsNot):
            same = left is right or (is_static(left) and is_static(right) and left == right)
            return same if isinstance(op, ast.Is) else not same
        if not is_static(left) or not is_static(right):
            raise self.fail("`in` works on constants only", node)
        return (left in right) if isinstance(op, ast.In) else (left not in right)

    def choice(self, node: ast.IfExp) -> Value:
        """A conditional expression."""
        test = self.convert_test(node.test)
        if isinstance(test, bool):
            return self.expression(node.body if test else node.orelse)
        a, b = self.expression(node.body), self.expression(node.orelse)
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return tuple(self.apply(node, "select", test, x, y) for x, y in zip(a, b, strict=True))
        return self.apply(node, "select", test, a, b)

    # Indexing

    def subscript(self, node: ast.Subscript) -> Value:
        """An index into an array or a tuple."""
        value = self.expression(node.value)
        if isinstance(value, ArrayRef):
            return self.load(node, value)
        if not isinstance(value, tuple | str):
            raise self.fail(f"cannot index {describe(value)}", node)
        if isinstance(node.slice, ast.Slice):
            parts = [
                None if part is None else self.expression(part)
                for part in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            if any(part is not None and not isinstance(part, int) for part in parts):
                raise self.fail("a tuple is sliced with constants", node)
            return self.checked(node, lambda: tuple(value)[slice(*parts)])
        index = self.expression(node.slice)
        if not isinstance(index, int):
            raise self.fail("a tuple is indexed with a constant", node)
        try:
            return value[index]
        except IndexError:
            where = f"index {shown(index)} is out of range for {describe(value)}"
            raise self.fail(where, node) from None

    def load(self, node: ast.Subscript, array: ArrayRef) -> Value:
        """Read one element of an input."""
        if isinstance(node.slice, ast.Tuple):
            indices = self.items(node.slice.elts)
        elif isinstance(node.slice, ast.Slice):
            raise self.fail("a kernel reads one element at a time; slices are for tuples", node)
        else:
            index = self.expression(node.slice)
            indices = list(index) if isinstance(index, tuple) else [index]
        tensor = array.tensor
        if len(indices) != len(tensor.dims):
            raise self.fail(
                f"{tensor.name!r} has {len(tensor.dims)} dimensions and is read with "
                f"{len(indices)} indices",
                node,
            )
        exprs: list[Expr] = []
        for index in indices:
            whole = isinstance(index, int) or (isinstance(index, Expr) and index.dtype.is_integer)
            if not whole or isinstance(index, bool):
                raise self.fail(
                    f"an index is an integer, got {describe(index)}; convert with int(...)", node
                )
            exprs.append(self.typing.expr(index, DType.S32))
        return Load(tensor.name, tuple(exprs), read_as(tensor.dtype))

    # Calls

    def call(self, node: ast.Call) -> Value:
        """A call of an intrinsic, a helper or another kernel."""
        target = self.callee(node.func)
        if inlinable(target):
            return self.inline(node, target)
        keywords = {k.arg: self.expression(k.value) for k in node.keywords if k.arg}
        args = self.items(node.args)
        name = target if isinstance(target, str) else operation_of(target)
        if name is None:
            label = ast.unparse(node.func)
            theirs = isinstance(target, types.FunctionType)  # and so no misspelt intrinsic
            hint = "" if theirs else suggest(label, [*NAMES, *SPECIAL])
            raise self.fail(
                f"{label}() cannot be called in a kernel; mark your function @treadle.function, "
                f"or use an intrinsic{hint}",
                node,
            )
        if keywords:
            raise self.fail(f"{name}() takes no keyword arguments in a kernel", node)
        return call(self, node, name, args)

    def callee(self, node: ast.expr) -> Any:
        """What a call refers to: an object to inline, a function or the name of an intrinsic."""
        if isinstance(node, ast.Name) and node.id not in self.env:
            try:
                found = self.outer(node.id)
            except KeyError:
                found = None
            if found is not None and (inlinable(found) or operation_of(found)):
                return found
            known = node.id in NAMES or node.id in SPECIAL or node.id in CONVERSIONS
            if known and (found is None or not callable(found) or isinstance(found, type(abs))):
                return node.id
            if found is not None:
                return found
        return self.expression(node)

    def checked(self, node: ast.AST | None, compute: Callable[[], Value]) -> Value:
        """Turn a type mistake into an error at `node`."""
        try:
            return compute()
        except (TypeError, OverflowError, ValueError) as error:
            if isinstance(error, TreadleError):
                raise
            raise self.fail(str(error), node) from None

    def inline(self, node: ast.Call, target: Inlinable) -> Value:
        """Evaluate a helper's body in place."""
        text = target.text()
        if len(self.builder.inlining) >= MAX_DEPTH:
            if target in self.builder.inlining:
                raise self.fail(f"{text.tree.name}() calls itself; kernels cannot recurse", node)
            raise self.fail(f"calls are nested more than {MAX_DEPTH} deep", node)
        env = self.arguments(node, text)
        self.builder.inlining.append(target)
        try:
            result = Evaluator(text, self.builder, env).result()
        finally:
            self.builder.inlining.pop()
        return self.builder.bind(text.tree.name, result)

    def arguments(self, node: ast.Call, text: Text) -> dict[str, Value]:
        """Match a call's arguments to a helper's parameters."""
        spec = text.tree.args
        names = [arg.arg for arg in spec.posonlyargs + spec.args]
        only = [arg.arg for arg in spec.kwonlyargs]
        function = text.function
        env: dict[str, Value] = dict(getattr(function, "__kwdefaults__", None) or {})
        defaults = getattr(function, "__defaults__", None) or ()
        env.update(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        values = self.items(node.args)
        label = text.tree.name
        if len(values) > len(names):
            raise self.fail(f"{label}() takes {len(names)} inputs, got {len(values)}", node)
        env.update(zip(names, values, strict=False))
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg not in (*names, *only):
                hint = suggest(keyword.arg or "", [*names, *only])
                raise self.fail(f"{label}() has no parameter {keyword.arg!r}{hint}", node)
            env[keyword.arg] = self.expression(keyword.value)
        missing = [name for name in (*names, *only) if name not in env]
        if missing:
            raise self.fail(f"{label}() lacks {', '.join(map(repr, missing))}", node)
        return {name: self.builder.bind(name, value) for name, value in env.items()}
