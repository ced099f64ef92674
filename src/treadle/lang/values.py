"""Values while a kernel is being typed, and the operations on them.

In: Python constants and IR expressions. Out: IR expressions with the types that the language's
rules give. Python numbers and bare parameters are weak: they take the other operand's type. It
knows nothing about statements, names or source text; failures are TypeError with the sentence to
show.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from treadle.data import dataclass
from treadle.dtypes import DType, promote, read_as
from treadle.errors import LaunchError
from treadle.ir.casts import convert, widened
from treadle.ir.nodes import Axis, Cast, Const, Expr, Extent, Local, Op, Param, Tensor
from treadle.ir.ops import OPS, Rule

__all__ = [
    "ArrayRef",
    "Coordinates",
    "Typing",
    "Value",
    "check_fits",
    "is_number",
    "is_static",
    "shown",
]

Value = Any  # a Python constant, an Expr, a tuple of Values, an ArrayRef or Coordinates


@dataclass(frozen=True, slots=True)
class ArrayRef:
    """An input that is read at explicit indices."""

    tensor: Tensor

    @property
    def shape(self) -> tuple[Value, ...]:
        """Extents: constants where they are known."""
        return tuple(dim if isinstance(dim, int) else Extent(dim) for dim in self.tensor.dims)


class Coordinates(tuple[Value, ...]):
    """`at`: the element's index, with the output's shape and dtype."""

    __slots__ = ()

    shape: tuple[Value, ...]
    dtype: DType | None


def coordinates(
    axes: tuple[Value, ...], shape: tuple[Value, ...], dtype: DType | None
) -> Coordinates:
    """Build `at` for an output of this shape; dtype None means that it follows from the result."""
    kind = type("Coordinates", (Coordinates,), {"shape": shape, "dtype": dtype})
    at: Coordinates = kind(axes)
    return at


def is_number(value: Value) -> bool:
    """Whether a value is a Python number (bools included)."""
    return isinstance(value, bool | int | float)


def is_static(value: Value) -> bool:
    """Whether a value is known while compiling."""
    if isinstance(value, tuple):
        return all(is_static(item) for item in value)
    return not isinstance(value, Expr | ArrayRef)


# The kinds of integers (lang.parameters) that a type cannot hold.
_TOO_LARGE = {DType.S32: ("unsigned", "wide"), DType.U32: ("negative", "wide")}
_WIDE = {"unsigned": "one of more than 31 bits", "wide": "one of more than 32 bits"}
_GROWING = frozenset(("pow", "shl", "mul"))
_MOST_BITS = 4096  # of an integer constant: no type holds a quarter of that

_STATIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "neg": operator.neg,
    "abs": abs,
    "minimum": min,
    "maximum": max,
    "shl": operator.lshift,
    "shr": operator.rshift,
    "bitand": operator.and_,
    "bitor": operator.or_,
    "bitxor": operator.xor,
    "bitnot": operator.invert,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}


def check_fits(owner: str, name: str, kind: str, dtype: DType) -> None:
    """Raise for a parameter of a kind that the type which it meets cannot hold."""
    if kind in _TOO_LARGE.get(dtype, ()):
        low, high = dtype.limits
        got = "a negative one" if kind == "negative" else f"{_WIDE[kind]}"
        raise LaunchError(
            f"kernel {owner!r}: parameter {name!r} meets {dtype} and must be an integer "
            f"from {low} to {high}, got {got}; convert the input with cast"
        )


@dataclass(frozen=True, slots=True)
class Typing:
    """The types that weak values take when nothing else decides: set once for each kernel."""

    floating: DType = DType.F32
    integer: DType = DType.S32
    owner: str = ""  # the kernel's name
    kinds: Mapping[str, str] = field(default_factory=dict)  # of its parameters' values
    narrow: bool = False  # the outputs are 32-bit integers, which sums may as well wrap in

    def common(self, *values: Value) -> DType:
        """The type that an operation on these values computes in."""
        strong = [v.dtype for v in values if isinstance(v, Expr) and not isinstance(v, Param)]
        weak_float = any(
            isinstance(v, float) or (isinstance(v, Param) and v.dtype.is_float) for v in values
        )
        if not strong:
            if weak_float:
                return self.floating
            wide = any(isinstance(v, Param) and v.dtype is DType.S64 for v in values)
            return DType.S64 if wide else self.integer
        dtype = functools.reduce(promote, strong, strong[0])  # which counts conditions as numbers
        return self.as_float(dtype) if weak_float else dtype

    def summed(self, dtype: DType) -> DType:
        """The type in which values of `dtype` are added up or multiplied: integers in s64."""
        return DType.S64 if dtype.is_integer and not self.narrow else dtype

    def as_float(self, dtype: DType) -> DType:
        """The float type that values of `dtype` take in float maths."""
        if dtype.is_float:
            return dtype
        return DType.F64 if dtype is DType.S64 else self.floating

    def expr(self, value: Value, dtype: DType | None = None) -> Expr:
        """A value as an expression, of `dtype` if given."""
        if dtype is not None and dtype.is_narrow and (isinstance(value, Expr) or is_number(value)):
            return self.narrowed(value, dtype)
        if isinstance(value, Expr):
            if dtype is None or value.dtype is dtype:
                return value
            if isinstance(value, Const):
                return constant(convert(_array(value), dtype).item(), dtype)
            if isinstance(value, Param):
                check_fits(self.owner, value.name, self.kinds.get(value.name, ""), dtype)
            return Cast(value, dtype)
        if not is_number(value):
            raise TypeError(f"expected a number, got {describe(value)}")
        if dtype is None:
            dtype = DType.BOOL if isinstance(value, bool) else self.common(value)
        if dtype.is_integer and isinstance(value, float):
            return constant(convert(_array(Const(value, DType.F64)), dtype).item(), dtype)
        return constant(value, dtype)

    def narrowed(self, value: Value, dtype: DType) -> Expr:
        """The nearest value that a narrow type holds, in the type that it computes in."""
        wide = read_as(dtype)
        if isinstance(value, Const):
            return constant(widened(convert(_array(value), dtype), dtype).item(), wide)
        if dtype.is_float:
            if not isinstance(value, Expr):
                return self.narrowed(constant(value, DType.F64), dtype)
            value = value if value.dtype.is_float else self.expr(value, wide)
            return self.expr(Op(str(dtype), (value,), value.dtype), wide)
        low, high = dtype.limits
        if not isinstance(value, Expr):
            ends = high if value > 0 else low if value < 0 else 0
            whole = round(value) if math.isfinite(value) else ends
            return constant(min(max(whole, low), high), wide)
        if value.dtype is DType.BOOL:
            return Cast(value, wide)
        if value.dtype.is_float:
            value = self.apply("round", value)
        if low == 0 or value.dtype is not DType.U32:  # which has no numbers below 0
            value = self.apply("maximum", value, low)
        return self.expr(self.apply("minimum", value, high), wide)

    def condition(self, value: Value) -> Value:
        """A value as a test: a Python bool, or an expression of type bool."""
        if isinstance(value, Expr):
            return value if value.dtype is DType.BOOL else self.apply("ne", value, 0)
        if isinstance(value, ArrayRef):
            raise TypeError("an array cannot be a condition; read one of its elements")
        return bool(value)

    def apply(self, name: str, *args: Value) -> Value:
        """Apply an operation by name, converting operands as its rule asks."""
        row = OPS[name]
        for arg in args:
            if not isinstance(arg, Expr) and not is_number(arg):
                raise TypeError(f"{name} takes numbers, got {describe(arg)}")
        if not any(isinstance(arg, Expr) for arg in args):
            return self._static(name, args)
        if row.rule is Rule.SELECT:
            dtype = self.branch(args[1], args[2])
            test = self.expr(self.condition(args[0]), DType.BOOL)
            return Op(name, (test, self.expr(args[1], dtype), self.expr(args[2], dtype)), dtype)
        if row.rule is Rule.LOGIC:
            tests = tuple(self.expr(self.condition(arg), DType.BOOL) for arg in args)
            return Op(name, tests, DType.BOOL)
        dtype = self.common(*args)
        if row.rule in (Rule.FLOAT, Rule.TEST, Rule.ORDER):
            dtype = self.as_float(dtype)
        if row.rule is Rule.INTEGER and dtype.is_float:
            raise TypeError(f"{name} takes integers, got {dtype}; convert with int(...)")
        operands = tuple(self.expr(arg, dtype) for arg in args)
        return Op(name, operands, row.result((dtype,) * row.arity))

    def branch(self, *values: Value) -> DType:
        """The type of a value that is one of these; conditions stay a condition."""

        def condition(value: Value) -> bool:
            return isinstance(value, bool) or (
                isinstance(value, Expr) and value.dtype is DType.BOOL
            )

        return DType.BOOL if all(map(condition, values)) else self.common(*values)

    def _static(self, name: str, args: tuple[Value, ...]) -> Value:
        if name in _STATIC:
            if name in _GROWING and _bits(name, args) > _MOST_BITS:
                raise TypeError(
                    f"{name} of these constants is an integer of more than {_MOST_BITS} bits"
                )
            try:
                result = _STATIC[name](*args)
            except ZeroDivisionError:
                raise TypeError("division by zero between constants") from None
            except OverflowError:
                raise TypeError(f"{name} of constants is too large for a float") from None
            if isinstance(result, complex):
                raise TypeError(f"{args[0]} ** {args[1]} is not a real number")
            return result
        if name == "select":
            return args[1] if args[0] else args[2]
        row = OPS[name]
        if row.rule is Rule.LOGIC:
            return bool(row.numpy(*args))
        if row.rule is Rule.ORDER:
            raise TypeError(f"{name} of a constant depends on its type: {name}(f32({args[0]}))")
        with _quiet():
            result = row.numpy(*(float(arg) for arg in args))
        return bool(result) if row.rule is Rule.TEST else float(result)


def constant(value: float, dtype: DType) -> Const:
    """A literal of type `dtype`, normalised so that equal literals are equal nodes."""
    if dtype.is_float:
        try:
            return Const(float(value), dtype)
        except OverflowError:
            raise TypeError("an integer constant is too large for a float") from None
    if dtype is DType.BOOL:
        return Const(bool(value), dtype)
    whole = int(value)
    low, high = dtype.limits
    if not low <= whole <= high:
        fits = -(2**63) <= whole < 2**63 and dtype is not DType.S64
        wider = "; write s64(...) for a wider integer" if fits else ""
        raise TypeError(f"{shown(whole)} does not fit {dtype}{wider}")
    return Const(whole, dtype)


def describe(value: Value) -> str:
    """A few words that name a value in an error."""
    if isinstance(value, ArrayRef):
        rank = len(value.tensor.dims)
        return f"the array {value.tensor.name!r} of {rank} dimensions"
    if isinstance(value, Expr):
        return f"a value of type {value.dtype}"
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    if isinstance(value, int):
        return f"{type(value).__name__} {shown(value)}"
    return f"{type(value).__name__} {value!r:.80}{as_input(value)}"


def as_input(value: Value) -> str:
    """What to write for an array from outside: kernels read their inputs only."""
    if not isinstance(value, list) and not hasattr(value, "shape"):
        return ""
    return "; a kernel reads only what it is given: make the array an input of it"


def shown(value: int) -> str:
    """An integer as text; Python itself refuses to print very long ones."""
    bits = value.bit_length()
    return str(value) if bits <= 256 else f"an integer of {bits} bits"


def _bits(name: str, args: tuple[Value, ...]) -> int:
    """About how many bits an operation on integer constants gives, 0 for what does not grow."""
    whole = [int(arg) for arg in args if isinstance(arg, int)]
    if len(whole) < len(args):
        return 0
    sizes = [arg.bit_length() for arg in whole]
    match name:
        case "pow" if whole[1] > 0 and sizes[0] > 1:
            return (sizes[0] - 1) * whole[1]
        case "shl" if whole[0] and whole[1] > 0:
            return sizes[0] + whole[1]
        case "mul":
            return sum(sizes)
        case _:
            return 0


def simple(value: Expr) -> bool:
    """Whether an expression costs nothing to repeat."""
    return isinstance(value, Const | Param | Axis | Extent | Local)


def _array(value: Const) -> Any:
    return np.asarray(value.value, value.dtype.numpy)


def _quiet() -> Any:
    return np.errstate(all="ignore")


CONSTANTS = {"pi": math.pi, "e": math.e, "tau": math.tau, "inf": math.inf, "nan": math.nan}
