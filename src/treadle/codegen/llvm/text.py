"""LLVM IR as text: modules, functions, values and structured control flow.

In: instructions, one call each. Out: text that every LLVM since 15 parses (opaque pointers, splat
constants written out). A Value is a scalar or a vector of `lanes` equal lanes; an operation on both
kinds splats the scalar. Knows nothing about kernels; arithmetic never carries flags that make
poison (no nsw, no fast-math, no products that the compiler may join with a sum), so whatever is
computed is defined, and the same on every machine.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from treadle.codegen.llvm.abreast import by_depth

__all__ = ["Function", "Module", "Value", "const", "vector_type"]

_SUFFIX = {
    "float": "f32",
    "double": "f64",
    "i1": "i1",
    "i8": "i8",
    "i16": "i16",
    "i32": "i32",
    "i64": "i64",
}
_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul"}
_FLOATS = ("float", "double")
_UNBOUNDED = (-math.inf, math.inf)


def vector_type(type_: str, lanes: int) -> str:
    """Return the text of a scalar type, or of a vector of it."""
    return type_ if lanes == 1 else f"<{lanes} x {type_}>"


def literal(value: float, type_: str) -> str:
    """Return the text of a constant; floats in hexadecimal, so that nothing is lost."""
    if type_ == "i1":
        return "true" if value else "false"
    if type_ not in _FLOATS:
        bits = int(type_[1:])
        unsigned = int(value) & ((1 << bits) - 1)
        return str(unsigned - (unsigned >> (bits - 1) << bits))
    number = float(value)
    if math.isnan(number):
        return "0x7FF8000000000000"
    if type_ == "float":
        try:
            number = struct.unpack("<f", struct.pack("<f", number))[0]
        except OverflowError:
            number = math.copysign(math.inf, number)
    return "0x" + struct.pack(">d", number).hex().upper()


class Value:
    """A typed operand. Python operators emit arithmetic; numbers on the right become constants."""

    __slots__ = ("bounds", "function", "lanes", "ref", "type")

    def __init__(self, function: Function, ref: str, type_: str, lanes: int = 1) -> None:
        self.function = function
        self.ref = ref
        self.type = type_
        self.lanes = lanes
        self.bounds = _UNBOUNDED  # a float is known to be between these, or NaN

    @property
    def text(self) -> str:
        """The operand with its type in front."""
        return f"{vector_type(self.type, self.lanes)} {self.ref}"

    @property
    def is_float(self) -> bool:
        """Whether lanes are floating point."""
        return self.type in _FLOATS

    @property
    def is_literal(self) -> bool:
        """Whether this is a constant written in the text."""
        return not self.ref.startswith("%")

    def _binary(self, name: str, other: Value | float) -> Value:
        opcode = _ARITHMETIC[name] if self.is_float else name
        return self.function.binary(opcode, self, other)

    def __add__(self, other: Value | float) -> Value:
        return self._binary("add", other)

    def __sub__(self, other: Value | float) -> Value:
        return self._binary("sub", other)

    def __mul__(self, other: Value | float) -> Value:
        return self._binary("mul", other)

    def __truediv__(self, other: Value | float) -> Value:
        return self.function.binary("fdiv", self, other)

    def __neg__(self) -> Value:
        if self.is_float:
            return self.function.emit(f"fneg {self.text}", self.type, self.lanes)
        return self.function.binary("sub", const(self.function, 0, self.type), self)

    def __and__(self, other: Value | float) -> Value:
        return self.function.binary("and", self, other)

    def __or__(self, other: Value | float) -> Value:
        return self.function.binary("or", self, other)

    def __xor__(self, other: Value | float) -> Value:
        return self.function.binary("xor", self, other)

    def shl(self, amount: int) -> Value:
        """Shift left by a constant below the width."""
        return self.function.binary("shl", self, amount)

    def ashr(self, amount: int) -> Value:
        """Shift right by a constant below the width, keeping the sign."""
        return self.function.binary("ashr", self, amount)

    def lshr(self, amount: int) -> Value:
        """Shift right by a constant below the width, filling with zeros."""
        return self.function.binary("lshr", self, amount)

    def compare(self, predicate: str, other: Value | float) -> Value:
        """Compare; predicates are those of fcmp for floats and of icmp for integers."""
        opcode = "fcmp" if self.is_float else "icmp"
        result = self.function.binary(f"{opcode} {predicate}", self, other)
        return Value(self.function, result.ref, "i1", result.lanes)

    def convert(self, opcode: str, type_: str) -> Value:
        """Apply a conversion instruction such as sext, fptrunc or bitcast."""
        to = vector_type(type_, self.lanes)
        return self.function.emit(f"{opcode} {self.text} to {to}", type_, self.lanes)


def const(function: Function, value: float, type_: str) -> Value:
    """Return a constant of a type."""
    return Value(function, literal(value, type_), type_)


class Module:
    """Functions, declarations, constants and metadata, collected into one text."""

    def __init__(self) -> None:
        self.functions: list[str] = []
        self.declared: dict[str, str] = {}
        self.external: dict[str, None] = {}  # symbols the process must supply
        self._metadata: list[str] = []
        self._read_only: str | None = None

    def declare(self, name: str, text: str) -> None:
        """Declare a function or define a constant once."""
        self.declared.setdefault(name, text)

    def metadata(self, text: str) -> str:
        """Add a metadata node and return its reference; `{self}` in the text is that reference."""
        ref = f"!{len(self._metadata)}"
        self._metadata.append(f"{ref} = " + text.replace("{self}", ref))
        return ref

    @property
    def read_only(self) -> str:
        """The alias scope of memory that nothing here stores to; made when first asked for."""
        if self._read_only is None:
            domain = self.metadata("distinct !{{self}}")
            scope = self.metadata(f"distinct !{{{{self}}, {domain}}}")
            self._read_only = self.metadata(f"!{{{scope}}}")
        return self._read_only

    def text(self) -> str:
        """Return the whole module."""
        return "\n".join([*self.declared.values(), *self.functions, *self._metadata, ""])


class Function:
    """One function being written: entry-block definitions, then the body, in order."""

    def __init__(
        self,
        module: Module,
        name: str,
        params: Sequence[tuple[str, str]],
        *,
        result: str = "void",
        linkage: str = "internal",
        attributes: str = "noinline nounwind",
    ) -> None:
        self.module = module
        self.name = name
        self.params = {label: Value(self, f"%{label}", type_) for type_, label in params}
        self.head = (
            f"define {linkage} {result} @{name}({', '.join(f'{t} %{n}' for t, n in params)})"
        )
        self.attributes = attributes
        self.group: str | None = None  # access group of the innermost parallel loop
        self.grid: tuple[int, int] | None = None  # (pixels, channels): lanes of both, or of one
        self._entry: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._label = "main"
        self._once: dict[object, Value] = {}
        self._uniform: set[str] = set()
        self._shared: dict[str, Value] | None = None

    def fresh(self) -> str:
        """Return an unused name."""
        self._count += 1
        return f"%v{self._count}"

    def emit(self, text: str, type_: str, lanes: int = 1) -> Value:
        """Emit an instruction that gives a value; where values are shared, a new one."""
        found = self._shared.get(text) if self._shared is not None else None
        if found is not None:
            return found
        ref = self.fresh()
        self._lines.append(f"  {ref} = {text}")
        value = Value(self, ref, type_, lanes)
        if self._shared is not None:
            self._shared[text] = value
        return value

    @contextmanager
    def sharing(self, *, further: bool = False) -> Iterator[None]:
        """Emit equal instructions once: for straight-line code that changes no memory. `further`
        code, on one side of a branch, shares what is there already, if sharing is on at all."""
        outer = self._shared
        self._shared = None if further and outer is None else dict(outer or {})
        yield
        self._shared = outer

    @contextmanager
    def abreast(self) -> Iterator[None]:
        """Emit calculations side by side: of straight-line code that changes no memory."""
        start = len(self._lines)
        yield
        self._lines[start:] = by_depth(self._lines[start:])

    def do(self, text: str) -> None:
        """Emit an instruction that gives nothing."""
        self._lines.append(f"  {text}")

    def once(self, key: object, build: Callable[[], Value]) -> Value:
        """Return `build()`, emitted in the entry block the first time that `key` is asked for."""
        found = self._once.get(key)
        if found is None:
            body, self._lines = self._lines, self._entry
            shared, self._shared = self._shared, None
            found = self._once[key] = build()
            self._lines, self._shared = body, shared
            self._uniform.add(found.ref)
        return found

    def uniform(self, value: Value) -> bool:
        """Whether a value is a constant or comes from the entry block, so is the same in every
        loop."""
        return value.is_literal or value.ref in self._uniform

    def slot(self, type_: str, lanes: int = 1, *, count: int = 1) -> Value:
        """Reserve stack memory in the entry block and return its address."""
        ref = self.fresh()
        shape = vector_type(type_, lanes)
        text = shape if count == 1 else f"[{count} x {shape}]"
        self._entry.append(f"  {ref} = alloca {text}, align 64")
        return Value(self, ref, "ptr")

    def splat(self, value: Value, lanes: int) -> Value:
        """Repeat a scalar over all lanes; on a grid, also a pixel's value over its channels, and
        channels' values over all pixels."""
        if lanes == value.lanes:
            return value
        if value.lanes > 1:
            assert self.grid is not None
            tiled, each = value.lanes == self.grid[1], lanes // value.lanes
            picked = [i % value.lanes if tiled else i // each for i in range(lanes)]
            return self.shuffle(value, picked)
        if value.is_literal:
            item = f"{value.type} {value.ref}"
            return Value(self, f"<{', '.join([item] * lanes)}>", value.type, lanes)
        shape = vector_type(value.type, lanes)
        first = self.emit(f"insertelement {shape} poison, {value.text}, i64 0", value.type, lanes)
        zero = f"<{lanes} x i32> zeroinitializer"
        return self.emit(f"shufflevector {first.text}, {shape} poison, {zero}", value.type, lanes)

    def match(self, *values: Value | float) -> list[Value]:
        """Make constants of numbers and give all operands the same lanes; one must be a Value."""
        like = next(v for v in values if isinstance(v, Value))
        full = [v if isinstance(v, Value) else const(self, v, like.type) for v in values]
        lanes = self._common(full)
        return [self.splat(v, lanes) for v in full]

    def _common(self, values: Sequence[Value]) -> int:
        """The lanes that an operation on all of the values has."""
        counts = {v.lanes for v in values}
        if self.grid is not None and counts >= set(self.grid):
            return self.grid[0] * self.grid[1]
        return max(counts)

    def binary(self, opcode: str, a: Value | float, b: Value | float) -> Value:
        """Emit a two-operand instruction."""
        x, y = self.match(a, b)
        return self.emit(f"{opcode} {x.text}, {y.ref}", x.type, x.lanes)

    def select(self, test: Value, then: Value | float, other: Value | float) -> Value:
        """Choose between two values, lane by lane where the test has lanes."""
        x, y = self.match(then, other)
        lanes = self._common((test, x))
        x, y = self.splat(x, lanes), self.splat(y, lanes)
        if test.lanes > 1:
            test = self.splat(test, lanes)
        return self.emit(f"select {test.text}, {x.text}, {y.text}", x.type, x.lanes)

    def intrinsic(self, name: str, *args: Value | float, extra: str = "") -> Value:
        """Call an overloaded intrinsic `llvm.<name>` whose operands and result have one type."""
        values = self.match(*args)
        first = values[0]
        shape = vector_type(first.type, first.lanes)
        suffix = ("" if first.lanes == 1 else f"v{first.lanes}") + _SUFFIX[first.type]
        full = f"llvm.{name}.{suffix}"
        tail = f", {extra}" if extra else ""
        signature = ", ".join([shape] * len(values)) + (f", {extra.split()[0]}" if extra else "")
        self.module.declare(full, f"declare {shape} @{full}({signature})")
        operands = ", ".join(v.text for v in values) + tail
        return self.emit(f"call {shape} @{full}({operands})", first.type, first.lanes)

    def any(self, test: Value) -> Value:
        """Whether a test holds in some lane."""
        name = f"llvm.vector.reduce.or.v{test.lanes}i1"
        self.module.declare(name, f"declare i1 @{name}(<{test.lanes} x i1>)")
        return self.emit(f"call i1 @{name}({test.text})", "i1")

    def merge(self, *cases: tuple[Value, str]) -> Value:
        """Start a block with the value of the one that it was reached from."""
        like = cases[0][0]
        choices = ", ".join(f"[ {value.ref}, %{label} ]" for value, label in cases)
        shape = vector_type(like.type, like.lanes)
        return self.emit(f"phi {shape} {choices}", like.type, like.lanes)

    def either(
        self, test: Value, build: Callable[[], Sequence[Value]], others: Sequence[Value]
    ) -> list[Value]:
        """Return `build()` where a scalar test holds, and other values where it does not."""
        then, end = self.labels("then", "either")
        before = self._label
        self.branch(test, then, end)
        self.label(then)
        with self.sharing(further=True):
            built = build()
        last = self._label
        self.do(f"br label %{end}")
        self.label(end)
        pairs = zip(built, others, strict=True)
        return [self.merge((a, last), (b, before)) for a, b in pairs]

    def saturate(self, value: Value, type_: str, *, signed: bool) -> Value:
        """Convert floats to integers, saturating; NaN gives 0.

        LLVM's own intrinsic for it is taken apart lane by lane on x86."""
        bits = int(type_[1:])
        low, high = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
        above = value.compare("oge", float(high))
        below = value.compare("olt", float(low))
        inside = value.compare("oge", float(low)) & value.compare("olt", float(high))
        kept = self.select(inside, value, 0.0)  # outside, and for NaN, the instruction is undefined
        found = kept.convert("fptosi" if signed else "fptoui", type_)
        found = self.select(above, const(self, high - 1, type_), found)
        return self.select(below, const(self, low, type_), found) if signed else found

    def insert(self, vector: Value, item: Value, lane: int) -> Value:
        """Replace one lane of a vector."""
        text = f"insertelement {vector.text}, {item.text}, i64 {lane}"
        return self.emit(text, vector.type, vector.lanes)

    def shuffle(self, value: Value, picked: Sequence[int]) -> Value:
        """Make a vector of some lanes of another, in the order given."""
        mask = ", ".join(f"i32 {i}" for i in picked)
        shape = vector_type(value.type, value.lanes)
        text = f"shufflevector {value.text}, {shape} poison, <{len(picked)} x i32> <{mask}>"
        return self.emit(text, value.type, len(picked))

    def address(self, base: Value, offset: Value, type_: str) -> Value:
        """Return the address of element `offset` of an array."""
        return self.emit(f"getelementptr inbounds {type_}, {base.text}, {offset.text}", "ptr")

    def load(
        self,
        address: Value,
        type_: str,
        lanes: int = 1,
        *,
        align: int,
        group: bool = True,
        constant: bool = False,
    ) -> Value:
        """Load a value; `group` marks it as belonging to the parallel loop around it, `constant`
        as one that no store of an output changes."""
        tail = f", !llvm.access.group {self.group}" if group and self.group else ""
        if constant:
            tail += f", !alias.scope {self.module.read_only}"
        shape = vector_type(type_, lanes)
        return self.emit(f"load {shape}, {address.text}, align {align}{tail}", type_, lanes)

    def store(
        self, value: Value, address: Value, *, align: int, group: bool = True, tail: str = ""
    ) -> None:
        """Store a value; `group` marks it as belonging to the parallel loop around it."""
        if group and self.group:
            tail += f", !llvm.access.group {self.group}"
        self.do(f"store {value.text}, {address.text}, align {align}{tail}")

    def expect(self, address: Value, *, near: bool = True) -> None:
        """Have the processor fetch a cache line, which need not exist, into its nearest cache, or
        into the core's own larger one."""
        name = "llvm.prefetch.p0"
        self.module.declare(name, f"declare void @{name}(ptr, i32, i32, i32)")
        self.do(f"call void @{name}({address.text}, i32 0, i32 {3 if near else 2}, i32 1)")

    def label(self, name: str) -> None:
        """Start a basic block."""
        self._lines.append(f"{name}:")
        self._label = name

    def branch(self, test: Value, then: str, other: str) -> None:
        """End the block with a two-way branch."""
        self.do(f"br {test.text}, label %{then}, label %{other}")

    def labels(self, *names: str) -> list[str]:
        """Return unused block names."""
        self._count += 1
        return [f"{name}{self._count}" for name in names]

    @contextmanager
    def loop(
        self,
        start: Value,
        stop: Value,
        *,
        step: int = 1,
        parallel: bool = False,
        rest: bool = False,
        interleave: bool = True,
        alone: bool = False,
    ) -> Iterator[Value]:
        """Repeat what is emitted inside for an i64 counter from `start` to below `stop`, or to
        above it where `step` is negative. `parallel` promises that iterations are independent,
        `rest` that there are few of them, so that nothing is done to make them fast; `interleave`
        lets LLVM run several vectors of iterations at once, `alone` keeps them from becoming
        lanes."""
        head, body, latch, end = self.labels("head", "body", "latch", "end")
        counter, following = self.fresh(), self.fresh()
        outer = self.group
        mark = ""
        if parallel:
            self.group = self.module.metadata("distinct !{}")
            accesses = f'!{{!"llvm.loop.parallel_accesses", {self.group}}}'
            progress = '!{!"llvm.loop.mustprogress"}'
            if not interleave:
                progress += ', !{!"llvm.loop.interleave.count", i32 1}'
            mark = ", !llvm.loop " + self.module.metadata(
                f"distinct !{{{{self}}, {accesses}, {progress}}}"
            )
        if rest or alone:
            plain = '!{!"llvm.loop.vectorize.enable", i1 false}'
            plain += ', !{!"llvm.loop.unroll.disable"}' if rest else ""
            mark = ", !llvm.loop " + self.module.metadata(f"distinct !{{{{self}}, {plain}}}")
        before = self._label
        self.do(f"br label %{head}")
        self.label(head)
        self.do(f"{counter} = phi i64 [ {start.ref}, %{before} ], [ {following}, %{latch} ]")
        value = Value(self, counter, "i64")
        self.branch(value.compare("slt" if step > 0 else "sgt", stop), body, end)
        self.label(body)
        yield value
        self.do(f"br label %{latch}")
        self.label(latch)
        self.do(f"{following} = add nsw i64 {counter}, {step}")
        self.do(f"br label %{head}{mark}")
        self.group = outer
        self.label(end)

    @contextmanager
    def when(self, test: Value) -> Iterator[None]:
        """Run what is emitted inside only where a scalar test holds."""
        then, end = self.labels("then", "endif")
        self.branch(test, then, end)
        self.label(then)
        yield
        self.do(f"br label %{end}")
        self.label(end)

    def finish(self, result: str = "void") -> None:
        """Return from the function and add it to the module."""
        self.do(f"ret {result}")
        lines = ["start:", *self._entry, "  br label %main", "main:", *self._lines]
        text = "\n".join([f"{self.head} {self.attributes} {{", *lines, "}", ""])
        self.module.functions.append(text)
