"""How WGSL spells what kernels are made of.

In: expressions and statements, through CStyle. Out: text with the meaning that ir.ops and
ir.nodes.Cast define. Where WGSL's own operator means something else (comparisons with NaN, division
by zero, conversions out of range), a function of math is called.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from treadle.codegen.gpu.cstyle import CStyle, Scope, indented
from treadle.codegen.wgsl.math import ZERO
from treadle.codegen.wgsl.narrow import FROM_BITS, TO_BITS
from treadle.codegen.wgsl.rounds import has_loops
from treadle.codegen.wgsl.spellings import INTEGER_CASTS, SPELLINGS, TYPES
from treadle.dtypes import DType, read_as
from treadle.ir.affine import reads_own_place
from treadle.ir.names import set_once
from treadle.ir.nodes import (
    Block,
    Chain,
    Const,
    Dim,
    Expr,
    For,
    Kernel,
    Load,
    Local,
    Map,
    Op,
    Param,
    Tensor,
    While,
)

__all__ = ["LINEAR", "Wgsl"]

_WORD = 4  # bytes
LINEAR = -1  # in Scope.axes: the element's number in row-major order of the space

_WATCH = """
@group(1) @binding(1) var<storage, read_write> overrun: atomic<u32>;

fn watch_begin() {
    if (args.g_watch == 1) { atomicAdd(&overrun, 1u); }
}

fn watch_end() {
    if (args.g_watch == 1) { atomicSub(&overrun, 1u); }
}

"""
_SUMS = ("add", "sub")
_FOLDED = (*_SUMS, "mul", "div", "floordiv", "mod")
_LOGIC = ("and", "or", "not")
_COMPARED = ("lt", "le", "gt", "ge", "eq", "ne")


class Wgsl(CStyle):
    """WGSL, for one kernel and one pattern of shared memories."""

    types: Mapping[DType, str] = TYPES
    stored: Mapping[DType, str] = {dtype: dtype.wgsl for dtype in DType}
    spellings: Mapping[str, str] = SPELLINGS
    coordinate = "a{0}"
    unsigned = "var"
    barrier = "workgroupBarrier();"

    def __init__(
        self,
        kernel: Kernel,
        slots: tuple[int, ...],
        written: set[int],
        rounds: int = 0,
        cut: int | None = None,
    ) -> None:
        super().__init__(kernel)
        self.rounds = rounds  # after which the device ends an invocation's loops; 0: never
        self.cut = cut  # see Schedule
        self.watches = bool(rounds) and any(has_loops(b.body) for b in kernel.blocks)
        self._depth = 0  # of the loops that are being spelt
        tensors = (*kernel.outputs, *kernel.inputs)
        self.places = {t.name: (k, slots[k]) for k, t in enumerate(tensors)}
        # Where several invocations write parts of one word, the words are atomic.
        self.shared = {
            slots[k]: t.dtype for k, t in enumerate(tensors) if t.dtype.size < _WORD
        }  # memories whose words several elements share
        self.atomic = {
            slots[k]
            for k, t in enumerate(kernel.outputs)
            if t.dtype.size < _WORD and not self.packs(kernel)
        }
        self.elements = {
            slots[k]: "atomic<u32>" if slots[k] in self.atomic else self.stored[t.dtype]
            for k, t in enumerate(tensors)
        }
        self.written = written
        self._values: dict[str, Expr | None] = {}  # of locals; None: not known

    @staticmethod
    def packs(kernel: Kernel) -> bool:
        """Whether an invocation computes all elements of a word of its outputs: those of a map,
        where equally many elements share a word of each."""
        sizes = {t.dtype.size for t in kernel.outputs if t.dtype.size < _WORD}
        return isinstance(kernel.form, Map) and len(sizes) == 1

    @classmethod
    def stored_size(cls, dtype: DType) -> int:
        """Bytes of a value in the argument block or in a state."""
        return 8 if dtype in (DType.F64, DType.S64) else 4

    def access(self) -> list[str]:
        """Functions that reach elements which share a word."""
        lines = []
        for slot, dtype in sorted(self.shared.items()):
            bits, last = 8 * dtype.size, _WORD // dtype.size - 1
            at, shift = f"i >> {last.bit_length()}u", f"(u32(i) & {last}u) * {bits}u"
            word = f"b{slot}[{at}]"
            if slot in self.atomic:
                word = f"atomicLoad(&{word})"
            value = self.from_bits(f"extractBits({word}, {shift}, {bits}u)", dtype)
            lines += [
                f"fn get_b{slot}(i: i32) -> {self.types[read_as(dtype)]} {{",
                f"    return {value};",
                "}",
                "",
            ]
            by_pixel = isinstance(self.kernel.form, Chain) and dtype is DType.U8
            if slot in self.atomic and not by_pixel:
                lines += [
                    f"fn set_b{slot}(i: i32, value: u32) {{",
                    f"    let shift = {shift};",
                    f"    atomicAnd(&b{slot}[{at}], ~({(1 << bits) - 1}u << shift));",
                    f"    atomicOr(&b{slot}[{at}], value << shift);",
                    "}",
                    "",
                ]
        return lines

    # CStyle's borders

    def constant(self, value: float, dtype: DType) -> str:
        """A literal; what is not finite comes from a function."""
        if dtype is DType.BOOL:
            return "true" if value else "false"
        if dtype.is_float:
            return self._float(float(value), dtype)
        number = int(value)
        if dtype is DType.U32:
            return f"{number}u"
        if dtype is DType.S32:
            return "i32(-2147483648)" if number == -(2**31) else _signed(f"{number}i")
        if number == -(2**63):
            return "(-9223372036854775807li - 1li)"
        return _signed(f"{number}li")

    def _float(self, value: float, dtype: DType) -> str:
        if dtype is DType.F32:
            with np.errstate(over="ignore"):
                value = float(np.float32(value))
        if math.isnan(value) or math.isinf(value):
            text = "w_nan()" if math.isnan(value) else "w_inf()"
            text = f"(-{text})" if value < 0 else text
            return f"f64({text})" if dtype is DType.F64 else text
        return _signed(f"{value!r}{'f' if dtype is DType.F32 else 'lf'}")

    def operation(self, node: Op, args: list[str]) -> str:
        """An operation. Drivers take x * 0 for 0, and x / 0 for something undefined, and leave out
        even the store of what depends on it; so they see a 0 that they cannot know. What they
        would cancel, move or make a minimum of, they see through w_kept."""
        if node.name in _FOLDED and node.dtype.is_float:
            for k, arg in enumerate(node.args):
                if isinstance(arg, Const) and arg.value == 0:
                    sign = "-" if math.copysign(1.0, arg.value) < 0 else ""
                    args[k] = f"({sign}{self.types[arg.dtype]}({ZERO}))"
        if node.args[0].dtype.is_float:
            for k in self._opaque(node):
                args[k] = f"w_kept_{self.types[node.args[k].dtype]}({args[k]})"
        if node.name in _LOGIC and all(_may_compare(self._behind(arg)) for arg in node.args):
            args[-1] = f"w_held({args[-1]})"
        amount = node.args[-1]
        if node.name in ("shl", "shr") and isinstance(amount, Const):
            # naga converts no 64-bit literal to u32.
            args[1] = f"{int(amount.value) % (8 * amount.dtype.size)}u"
        return super().operation(node, args)

    def _opaque(self, node: Op) -> list[int]:
        """The operands of a float operation that drivers must not look into.

        They recognise a sum by what both sides are made of, so that one opaque side is enough; but
        a constant inside one side they move out of it, whatever the other is."""
        known = [self._behind(arg) for arg in node.args]
        varying = [k for k, arg in enumerate(known) if not isinstance(arg, Const)]
        if node.name in _COMPARED:
            return varying[:1]
        if node.name == "div":
            return [1] if isinstance(known[1], Op | Local) else []
        moved = [k for k, arg in enumerate(known) if _has_constant(arg, node.name)]
        if node.name == "mul":
            roots = [k for k, arg in enumerate(known) if isinstance(arg, Op) and arg.name == "sqrt"]
            return sorted({*moved, *roots[:1]})
        if node.name not in _SUMS:
            return []
        left, right = known
        if isinstance(left, Load | Param) and isinstance(right, Load | Param):
            same = (
                isinstance(left, Load) and isinstance(right, Load) and left.tensor == right.tensor
            )
            return [1] if same and node.name == "sub" else []
        return moved or varying[-1:]

    def _behind(self, node: Expr) -> Expr:
        """What a local stands for, where it is set once; itself where that is not known."""
        while isinstance(node, Local) and (value := self._values.get(node.name)) is not None:
            node = value
        return node

    def learn(self, block: Block) -> None:
        """Know what the locals of a block stand for, while it is spelt."""
        self._values = set_once(block)

    def block(self, block: Block, scope: Scope) -> tuple[list[str], list[str]]:
        """A block's lines and results."""
        self.learn(block)
        return super().block(block, scope)

    def convert(self, text: str, source: DType, target: DType) -> str:
        """A conversion as ir.nodes.Cast defines it."""
        if source is target:
            return text
        name = self.types[target]
        if target is DType.BOOL:
            return f"(!({text} == {self.constant(0, source)}))"
        if source is DType.BOOL:
            return f"select({self.constant(0, target)}, {self.constant(1, target)}, {text})"
        if source.is_float and target.is_integer:
            return f"w_{self.types[source]}_to_{name}({text})"
        special = INTEGER_CASTS.get((source, target))
        return special.format(text) if special else f"{name}({text})"

    def read(self, tensor: Tensor, offset: str) -> str:
        """An element of an input, as what reads give."""
        number, slot = self.places[tensor.name]
        place = f"args.o_{number} + {offset}"
        return f"get_b{slot}({place})" if slot in self.shared else f"b{slot}[{place}]"

    def declare(self, name: str, dtype: DType, value: str | None = None) -> str:
        """Declare a variable."""
        tail = "" if value is None else f" = {value}"
        return f"var {name}: {self.types[dtype]}{tail};"

    def kind(self, dtype: DType) -> str:
        """The word that begins the declaration of a variable with a value."""
        return "var"

    def fixed(self, name: str, value: str) -> str:
        """A statement that names an index."""
        return f"let {name} = {value};"

    def scope(self, axes: Mapping[int, str] | None = None, prefix: str = "v_") -> Scope:
        """A scope; the number of the element is `linear`, without `axes`."""
        made = super().scope(axes, prefix)
        if axes is None:
            made.axes[LINEAR] = "linear"
        return made

    def size(self, dim: Dim) -> str:
        """A dimension's size, as i32."""
        return str(dim) if isinstance(dim, int) else f"args.d_{dim}"

    def parameter(self, param: Param) -> str:
        """A launch parameter."""
        text = f"args.p_{param.name}"
        return f"({text} == 1u)" if param.dtype is DType.BOOL else text

    def loop(self, name: str, start: str, stop: str, step: int) -> str:
        """A counting loop; steps over 1 count turns, so that the variable cannot overflow."""
        first, test, move = self._head(name, start, stop, step)
        if abs(step) == 1:
            return f"for ({first}; {test}; {move}) {{"
        begin = f"var {name}_left: u32 = {self.turns_of(start, stop, step)};"
        return f"{begin} for ({first}; {test}; {move}) {{ {name}_left -= 1u;"

    def _head(self, name: str, start: str, stop: str, step: int) -> tuple[str, str, str]:
        first = f"var {name}: i32 = {start}"
        if abs(step) == 1:
            compare, change = ("<", "+= 1i") if step > 0 else (">", "-= 1i")
            return first, f"{name} {compare} {stop}", f"{name} {change}"
        move = f"{name} += {step}i" if step > 0 else f"{name} -= {-step}i"
        return first, f"{name}_left > 0u", move

    def turns_of(self, start: str, stop: str, step: int) -> str:
        """The number of turns of a counting loop, as u32."""
        first, last = (start, stop) if step > 0 else (stop, start)
        count = f"bitcast<u32>({last}) - bitcast<u32>({first})"
        if abs(step) != 1:
            count = f"({count} - 1u) / {abs(step)}u + 1u"
        return f"select(0u, {count}, ({first}) < ({last}))"

    # Loops on devices that end them

    def watch_lines(self) -> list[str]:
        """What loops are watched with: a number that is 0 again when all have ended themselves."""
        return _WATCH.strip().splitlines() if self.watches else []

    def enter(self) -> None:
        """Spell what is inside a loop of unknown length."""
        self._depth += 1

    def leave(self) -> None:
        """Spell what is outside again."""
        self._depth -= 1

    def _unwatched(self, stmt: For | While) -> bool:
        """Whether a loop is left as it is: an outer loop is ended as soon as an inner one is, so
        loops of known length inside others are. Alone they may have been unrolled by the driver,
        and what is inside them has to be watched."""
        plain = isinstance(stmt, For) and all(
            isinstance(self._behind(bound), Const) for bound in (stmt.start, stmt.stop)
        )
        return not self.watches or (plain and self._depth > 0)

    def cycle(self, first: str, test: str, move: str, body: Sequence[str]) -> list[str]:
        """A loop; watched where the device may end it."""
        if not self.watches:
            return [f"for ({first}; {test}; {move}) {{", *indented(body), "}"]
        return [
            "watch_begin();",
            f"for ({first}; ; {move}) {{",
            f"    if (!({test})) {{ watch_end(); break; }}",
            *indented(body),
            "}",
        ]

    def counted(self, stmt: For, scope: Scope) -> list[str]:
        """A loop over a range; its bounds are evaluated once."""
        if self._unwatched(stmt):
            return super().counted(stmt, scope)
        name, step = scope.local(stmt.name), stmt.step
        start, stop = self.expr(stmt.start, scope), f"{name}_stop"
        lines = [self.declare(stop, DType.S32, self.expr(stmt.stop, scope))]
        self.enter()
        body = self.body(stmt.body, scope)
        self.leave()
        if abs(step) != 1:
            lines.append(f"var {name}_left: u32 = {self.turns_of(start, stop, step)};")
            body = [f"{name}_left -= 1u;", *body]
        lines += self.cycle(*self._head(name, start, stop, step), body)
        return ["{", *indented(lines), "}"]

    def repeated(self, stmt: While, scope: Scope) -> list[str]:
        """A loop with a condition and a limit."""
        if self._unwatched(stmt):
            return super().repeated(stmt, scope)
        self.turns += 1
        turn = f"turn_{self.turns}"
        self.enter()
        body = [
            *self.body(stmt.setup, scope),
            f"if (!({self.expr(stmt.test, scope)})) {{ watch_end(); break; }}",
            *self.body(stmt.body, scope),
        ]
        self.leave()
        return self.cycle(f"var {turn} = 0i", f"{turn} < {stmt.limit}", f"{turn} += 1i", body)

    def offset(self, node: Load, tensor: Tensor, scope: Scope) -> str:
        """A read's offset; one at this very element needs no arithmetic."""
        space = self.kernel.space
        straight = tensor.dims == space and reads_own_place(node, tensor.dims, space)
        if straight and node.indices and LINEAR in scope.axes:
            return scope.axes[LINEAR]
        return super().offset(node, tensor, scope)

    # Results

    def to_bits(self, text: str, source: DType, dtype: DType) -> str:
        """A value as an element that is narrower than a word: its bits in a u32."""
        if dtype is DType.BOOL:
            return f"select(0u, 1u, {self.convert(text, source, dtype)})"
        return TO_BITS[source, dtype].format(text)

    def from_bits(self, text: str, dtype: DType) -> str:
        """What a read gives of such an element."""
        return FROM_BITS[dtype].format(text)

    def store(self, tensor: Tensor, at: str, text: str, source: DType) -> str:
        """A statement that stores a value; not for what is packed into words."""
        number, slot = self.places[tensor.name]
        place = f"args.o_{number} + {at}"
        if slot in self.shared:
            return f"set_b{slot}({place}, {self.to_bits(text, source, tensor.dtype)});"
        return f"b{slot}[{place}] = {self.convert(text, source, tensor.dtype)};"


def _has_constant(arg: Expr, name: str) -> bool:
    """Whether an operand of a sum (a product) may be one that has a constant in it."""
    if not isinstance(arg, Op):
        return isinstance(arg, Local)
    inner = ("mul", "div") if name == "mul" else _SUMS
    return arg.name in (*inner, "neg") and any(isinstance(a, Const | Local | Op) for a in arg.args)


def _may_compare(arg: Expr) -> bool:
    """Whether a truth may come from floats, where `not` of less is not greater or equal."""
    if isinstance(arg, Op) and arg.name in (*_COMPARED, "isnan", "isinf"):
        return arg.name in _COMPARED and arg.args[0].dtype.is_float
    return not isinstance(arg, Const | Param)


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
