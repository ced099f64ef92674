"""Render kernel bodies in languages that look like C: expressions, statements, indices.

In: blocks of IR. Out: lines of text. A language derives from CStyle and supplies types, spellings
and conversions; how work is laid over threads is the forms' business. One level of inheritance,
because the languages differ in words and agree in structure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from treadle.dtypes import DType
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
    Kernel,
    Load,
    Local,
    Op,
    Param,
    RowFold,
    RowLet,
    Stmt,
    Tensor,
    While,
    statements,
)

__all__ = ["CStyle", "Scope"]

INDENT = "    "


class Scope:
    """What names stand for while one copy of a block is rendered.

    `axes` gives the text of each coordinate, an index-typed expression. Locals get a prefix, so
    that several copies of a block can stand in one function."""

    def __init__(
        self, axes: Mapping[int, str], spell: Callable[[str], str] = str, prefix: str = "v_"
    ) -> None:
        self.axes = dict(axes)
        self.spell, self.prefix = spell, prefix
        self.replaced: dict[str, str] = {}  # locals that are something else here

    def local(self, name: str) -> str:
        """The text of a local variable."""
        return self.replaced.get(name) or f"{self.prefix}{self.spell(name)}"


class CStyle:
    """A C-like language: how things are spelt, for one kernel."""

    types: Mapping[DType, str]  # of values in registers; u8 never occurs there
    spellings: Mapping[str, str]  # operation -> format with {0}, {1}, {2} and {t} for the type
    coordinate = "c{0}"  # the name of an axis's coordinate
    unsigned = "unsigned"  # begins the declaration of a 32-bit number without a sign
    barrier = ""  # a statement: all threads of a group wait for each other

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.turns = 0  # names the counters of bounded loops
        self.reading: Callable[[Load, Scope], str] | None = None  # where a form reads its own way
        self.tensors: dict[str, Tensor] = {t.name: t for t in (*kernel.inputs, *kernel.outputs)}

    # What a language must say for itself.

    def constant(self, value: float, dtype: DType) -> str:
        """A literal."""
        raise NotImplementedError

    def convert(self, text: str, source: DType, target: DType) -> str:
        """A conversion with the meaning of ir.nodes.Cast; target is never u8."""
        raise NotImplementedError

    def read(self, tensor: Tensor, offset: str) -> str:
        """The element of an input at an offset, as the type that reads give."""
        raise NotImplementedError

    def declare(self, name: str, dtype: DType, value: str | None = None) -> str:
        """A statement that declares a mutable variable."""
        raise NotImplementedError

    def kind(self, dtype: DType) -> str:
        """The words that begin the declaration of a variable with a value."""
        raise NotImplementedError

    def fixed(self, name: str, value: str) -> str:
        """A statement that names an index."""
        raise NotImplementedError

    def small(self, name: str, value: str) -> str:
        """A statement that names a number which is small whatever the sizes are."""
        return self.fixed(name, value)

    def narrow(self, text: str) -> str:
        """An index that is known to be small, as such a number."""
        return text

    def store(self, tensor: Tensor, at: str, text: str, source: DType) -> str:
        """A statement that stores a value of some type in an output."""
        raise NotImplementedError

    def size(self, dim: Dim) -> str:
        """The text of a dimension's size, of the index type."""
        raise NotImplementedError

    def parameter(self, param: Param) -> str:
        """The text of a launch parameter."""
        raise NotImplementedError

    def quotient(self, a: str, b: str) -> str:
        """An index divided by a size."""
        return f"{a} / {b}"

    def remainder(self, a: str, b: str) -> str:
        """What is left of an index divided by a size."""
        return f"{a} % {b}"

    @property
    def names(self) -> dict[int, str]:
        """The names of all coordinates."""
        return {k: self.coordinate.format(k) for k in range(len(self.kernel.space))}

    def scope(self, axes: Mapping[int, str] | None = None, prefix: str = "v_") -> Scope:
        """A scope; without `axes`, coordinates have their names."""
        return Scope(self.names if axes is None else axes, self.identifier, prefix)

    def identifier(self, name: str) -> str:
        """A Python identifier as one of the language."""
        return name

    def as_index(self, text: str) -> str:
        """An s32 value as an index."""
        return text

    def from_index(self, text: str) -> str:
        """An index as an s32 value."""
        return text

    def loop(self, name: str, start: str, stop: str, step: int) -> str:
        """The head of a counting loop over s32, up to and including its opening brace."""
        compare = "<" if step > 0 else ">"
        t = self.types[DType.S32]
        return f"for ({t} {name} = {start}; {name} {compare} {stop}; {name} += {step}) {{"

    # Expressions

    def operation(self, node: Op, args: list[str]) -> str:
        """An operation; a language may treat some by itself and leave the rest to its table.

        A key such as "mod.f32" or "mod.int" is preferred to the plain name."""
        dtype = node.args[-1].dtype
        kind = "int" if dtype.is_integer else "float"
        for key in (f"{node.name}.{dtype}", f"{node.name}.{kind}", node.name):
            if key in self.spellings:
                return self.spellings[key].format(*args, t=self.types[dtype])
        raise KeyError(f"{type(self).__name__} has no spelling for {node.name} of {dtype}")

    def expr(self, node: Expr, scope: Scope) -> str:
        """An expression, parenthesised so that it can stand anywhere."""
        match node:
            case Const():
                return self.constant(node.value, node.dtype)
            case Param():
                return self.parameter(node)
            case Axis():
                return self.from_index(scope.axes[node.index])
            case Extent():
                return self.from_index(self.size(node.dim))
            case Local():
                return scope.local(node.name)
            case Load():
                if self.reading is not None:
                    return self.reading(node, scope)
                tensor = self.tensors[node.tensor]
                return self.read(tensor, self.offset(node, tensor, scope))
            case Op():
                return self.operation(node, [self.expr(arg, scope) for arg in node.args])
            case Cast():
                return self.convert(self.expr(node.value, scope), node.value.dtype, node.dtype)

    def offset(self, node: Load, tensor: Tensor, scope: Scope) -> str:
        """The row-major offset of a read, each index clamped unless it is proved inside."""
        texts = [self.index(index, scope) for index in node.indices]
        return self.place(texts, tensor.dims, node.inside or (False,) * len(texts))

    def place(self, texts: Sequence[str], dims: Sequence[Dim], inside: Sequence[bool]) -> str:
        """The row-major offset of indices, each clamped unless it is inside."""
        text = ""
        for one, dim, proved in zip(texts, dims, inside, strict=True):
            if dim == 1:
                one = "0"
            elif not proved:
                one = self.clamped(one, dim)
            if not text or text == "0":
                text = one
            elif one == "0":
                text = f"({text} * {self.size(dim)})"
            else:
                text = f"({text} * {self.size(dim)} + {one})"
        return text or "0"

    def clamped(self, text: str, dim: Dim) -> str:
        """An index moved to the nearest one inside."""
        return f"min(max({text}, 0), {self.size(dim)} - 1)"

    def index(self, node: Expr, scope: Scope) -> str:
        """An index expression, computed in the index type as far as it is built of coordinates."""
        match node:
            case Axis():
                return scope.axes[node.index]
            case Const():
                return str(int(node.value)) if node.value >= 0 else f"({int(node.value)})"
            case Extent():
                return self.size(node.dim)
            case Op(name="add" | "sub" | "mul") if node.dtype is DType.S32:
                sign = {"add": "+", "sub": "-", "mul": "*"}[node.name]
                left, right = (self.index(arg, scope) for arg in node.args)
                return f"({left} {sign} {right})"
            case _:
                return self.as_index(self.expr(node, scope))

    # Statements

    def declarations(self, body: Sequence[Stmt], scope: Scope) -> list[str]:
        """Declare every variable that a body assigns, once, before it."""
        found: dict[str, DType] = {}
        for stmt in statements(tuple(body)):
            if isinstance(stmt, Assign | RowLet | RowFold) and stmt.name not in scope.replaced:
                found.setdefault(stmt.name, stmt.value.dtype)
        return [self.declare(scope.local(name), dtype) for name, dtype in found.items()]

    def body(self, body: Sequence[Stmt], scope: Scope) -> list[str]:
        """Statements as lines; their variables are declared already."""
        lines: list[str] = []
        for stmt in body:
            match stmt:
                case Assign() | RowLet():
                    lines.append(f"{scope.local(stmt.name)} = {self.expr(stmt.value, scope)};")
                case If():
                    lines.append(f"if ({self.expr(stmt.test, scope)}) {{")
                    lines += indented(self.body(stmt.then, scope))
                    if stmt.orelse:
                        lines.append("} else {")
                        lines += indented(self.body(stmt.orelse, scope))
                    lines.append("}")
                case For():
                    lines += self.counted(stmt, scope)
                case While():
                    lines += self.repeated(stmt, scope)
                case RowFold():
                    raise AssertionError("a fold over a row is laid over threads by the language")
        return lines

    def counted(self, stmt: For, scope: Scope) -> list[str]:
        """A loop over a range; its bounds are evaluated once."""
        stop = f"{scope.local(stmt.name)}_stop"
        return [
            "{",
            INDENT + self.declare(stop, DType.S32, self.expr(stmt.stop, scope)),
            INDENT
            + self.loop(scope.local(stmt.name), self.expr(stmt.start, scope), stop, stmt.step),
            *indented(indented(self.body(stmt.body, scope))),
            f"{INDENT}}}",
            "}",
        ]

    def repeated(self, stmt: While, scope: Scope) -> list[str]:
        """A loop with a condition and a limit."""
        self.turns += 1
        turn = f"turn_{self.turns}"
        return [
            self.loop(turn, "0", str(stmt.limit), 1),
            *indented(self.body(stmt.setup, scope)),
            f"{INDENT}if (!({self.expr(stmt.test, scope)})) {{ break; }}",
            *indented(self.body(stmt.body, scope)),
            "}",
        ]

    def block(self, block: Block, scope: Scope) -> tuple[list[str], list[str]]:
        """A block's lines, declarations included, and the texts of its results.

        The caller has given the block's arguments their values."""
        lines = [*self.declarations(block.body, scope), *self.body(block.body, scope)]
        return lines, [self.expr(result, scope) for result in block.results]

    def split(self, number: str, dims: Sequence[Dim], names: Sequence[str]) -> list[str]:
        """Statements that take a row-major number apart into coordinates, the last one fastest."""
        lines: list[str] = []
        for k in range(len(dims) - 1, -1, -1):
            if dims[k] == 1:
                lines.append(self.fixed(names[k], "0"))
            elif all(dim == 1 for dim in dims[:k]):
                lines.append(self.fixed(names[k], number))
            else:
                size = self.size(dims[k])
                lines.append(self.fixed(names[k], self.remainder(number, size)))
                lines.append(self.fixed(f"{names[k]}_up", self.quotient(number, size)))
                number = f"{names[k]}_up"
        return lines

    def coordinates(self, number: str, axes: Sequence[int]) -> list[str]:
        """Statements that take the number of an element apart, among those of some axes."""
        dims = [self.kernel.space[k] for k in axes]
        return self.split(number, dims, [self.coordinate.format(k) for k in axes])

    def stores(self, at: str, texts: Sequence[str], dtypes: Sequence[DType]) -> list[str]:
        """Store results; of several all are computed before the first is stored, because an output
        may lie where an input does."""
        outputs = self.kernel.outputs
        if len(outputs) == 1:
            return [self.store(outputs[0], at, texts[0], dtypes[0])]
        names = [f"result{n}" for n in range(len(outputs))]
        lines = [self.declare(n, d, t) for n, d, t in zip(names, dtypes, texts, strict=True)]
        pairs = zip(outputs, names, dtypes, strict=True)
        return [*lines, *(self.store(tensor, at, n, d) for tensor, n, d in pairs)]

    def product(self, dims: Sequence[Dim]) -> str:
        """The text of a product of dimensions."""
        constant = math.prod(dim for dim in dims if isinstance(dim, int))
        symbols = [self.size(dim) for dim in dims if isinstance(dim, str)]
        parts = [*symbols, *([str(constant)] if constant != 1 or not symbols else [])]
        return " * ".join(parts)


def indented(lines: Sequence[str]) -> list[str]:
    """Lines one level deeper."""
    return [f"{INDENT}{line}" for line in lines]
