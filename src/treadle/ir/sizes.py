"""Numbers that remember how they came about, so that what was made for some sizes serves others.

In: sizes. Out: Sizes, for a function to run on in place of numbers. A Tape notes every number that
is computed from them and every question that is asked about them, the guards. For other sizes the
tape is played: where every guard has the same answer, the function would have gone the same way,
and what it returned is filled with the new numbers (ir.structures keeps tapes and what they made).

A Size is no `int` to C code, only to isinstance. Nothing can therefore read the number inside
without calling a method that notes it: an arithmetic operator makes a Size, a comparison makes a
guard, and whatever needs the plain number (`range`, `int`, NumPy) makes a guard that it is just
this one. That is why a structure cannot be used for sizes that it does not hold for.
"""

from __future__ import annotations

import math
import operator
import re
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Sequence
from numbers import Rational
from typing import Any, TypeVar, cast

from treadle.ir.dims import LARGEST_CONSTANT

__all__ = [
    "Size",
    "SizeTable",
    "Tape",
    "Values",
    "as_text",
    "fill",
    "fill_text",
    "of_sizes",
    "placed",
    "places",
]

T = TypeVar("T")
Number = int | float
Values = Sequence[Any]  # of a tape's nodes

SMALLEST = LARGEST_CONSTANT + 1  # what is smaller is structure: no elements, one, channels


def _shape(array: Any, axis: int) -> int:
    return int(array.shape[axis])


def _with(items: tuple[Any, ...], item: Any) -> tuple[Any, ...]:
    return (*items, item)


# What a tape can do, by name: a plain record of it can be written down and read again.
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "truediv": operator.truediv,
    "neg": lambda a, _: -a,
    "abs": lambda a, _: abs(a),
    "round": lambda a, digits: round(a, digits),
    "ceil": lambda a, _: math.ceil(a),
    "floor": lambda a, _: math.floor(a),
    "trunc": lambda a, _: math.trunc(a),
    "bits": lambda a, _: a.bit_length(),
}
QUESTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": operator.eq,
    "lt": operator.lt,
    "le": operator.le,
}
# Those of tapes that are never written down: calls of functions, and what becomes of the results.
_INNER: dict[str, Callable[[Any, Any], Any]] = {
    "pow": operator.pow,
    "with": _with,
    "call": lambda function, arguments: function(*arguments),
    "item": operator.getitem,
    "shape": _shape,
}
_ALL = OPERATIONS | QUESTIONS | _INNER
_MARK = "\0"  # around the number of a node, where a Size is part of a text
_MARKED = re.compile(f"{_MARK}([0-9]+):([^{_MARK}]*){_MARK}")


_Step = tuple[int, Callable[[Any, Any], Any], int, int]  # what to compute, of which nodes
_Question = tuple[Callable[[Any, Any], Any], int, int, bool]
_Part = tuple[list[_Step], list[_Question]]  # what is computed, and then asked


class Tape:
    """What was computed from a few numbers, and asked about it, in order."""

    __slots__ = ("_known", "_parts", "count", "given", "guards", "nodes", "values")

    def __init__(self, numbers: Sequence[Number]) -> None:
        self.given = tuple(numbers)
        self.count = len(numbers)
        self.values: list[Any] = list(numbers)
        self.nodes: list[tuple[str, Any, Any]] = [("given", k, None) for k in range(self.count)]
        self.guards: dict[tuple[str, int, int], bool] = {}
        self._known: dict[Hashable, int] = {}
        self._parts: tuple[_Part, ...] | None = None

    def sizes(self) -> tuple[Any, ...]:
        """The numbers that it begins with, as Sizes."""
        return tuple([Size(self, k, value) for k, value in enumerate(self.values[: self.count])])

    def constant(self, value: Any) -> int:
        """The node of a value that depends on nothing."""
        told = repr(value) if type(value) is float else value  # zeros have signs
        return self._node(("constant", type(value), told), ("constant", value, None), value)

    def node(self, name: str, a: int, b: int) -> int:
        """The node of what an operation makes of two others."""
        if self.ended:
            raise ValueError("nothing more is noted on a tape that has ended")
        known = self._known.get((name, a, b))
        if known is not None:
            return known
        value = _ALL[name](self.values[a], self.values[b])
        return self._node((name, a, b), (name, a, b), value)

    def _node(self, key: Hashable, node: tuple[str, Any, Any], value: Any) -> int:
        found = self._known.setdefault(key, len(self.nodes))
        if found == len(self.nodes):
            self.nodes.append(node)
            self.values.append(value)
        return found

    def ask(self, name: str, a: int, b: int) -> bool:
        """Answer a question about two nodes, and note that the answer mattered."""
        if self.ended:
            raise ValueError("nothing more is asked on a tape that has ended")
        held = bool(_ALL[name](self.values[a], self.values[b]))
        if a != b:
            self.guards.setdefault((name, a, b), held)
        return held

    def pin(self, node: int) -> Any:
        """The plain value of a node; the structure holds for no other."""
        value = self.values[node]
        if isinstance(value, float) and (value == 0 or value != value):
            raise ValueError("not the same as what it equals, or not equal to itself")
        if self.nodes[node][0] != "constant":
            self.ask("eq", node, self.constant(value))
        return value

    @property
    def ended(self) -> bool:
        """Whether it is complete, and can be played."""
        return self._parts is not None

    @property
    def pinned(self) -> tuple[int, ...]:
        """The given numbers that it holds for one value of only."""
        return tuple(
            sorted(a for (name, a, b), held in self.guards.items() if self._pins(name, a, b, held))
        )

    def _pins(self, name: str, a: int, b: int, held: bool) -> bool:
        return name == "eq" and held and a < self.count and self.nodes[b][0] == "constant"

    def play(self, numbers: Sequence[Number]) -> list[Any] | None:
        """The values of all nodes for other given numbers; None where a guard does not hold."""
        assert self._parts is not None
        values = self.values.copy()
        values[: self.count] = numbers
        try:
            for code, questions in self._parts:
                for at, operation, a, b in code:
                    values[at] = operation(values[a], values[b])
                for question, a, b, held in questions:
                    if question(values[a], values[b]) is not held:
                        return None
        except (ArithmeticError, ValueError):  # it would not have come so far
            return None
        return values

    def end(self) -> None:
        """Nothing more is noted: make what is played. Before each call of a function it is asked
        what can be, so that no tables are made for sizes that it does not hold for."""
        calls = [at for at, (name, _, _) in enumerate(self.nodes) if name == "call"]
        parts: list[_Part] = [([], []) for _ in range(len(calls) + 1)]
        for at, (name, a, b) in enumerate(self.nodes):
            if name not in ("given", "constant"):
                parts[bisect_right(calls, at)][0].append((at, _ALL[name], a, b))
        for (name, a, b), held in self.guards.items():
            parts[bisect_right(calls, max(a, b))][1].append((_ALL[name], a, b, held))
        self._parts = tuple(parts)
        self._known = {}
        fixed = [name == "constant" for name, _, _ in self.nodes]
        self.values = [v if keep else None for v, keep in zip(self.values, fixed, strict=True)]


class Size:
    """A number on a tape: a size, or what was computed from sizes.

    Where it is a key of a dict or in a set, it equals only what was computed in the same way:
    whether others happen to be equal is not asked, so that the answer is the same for all sizes."""

    __slots__ = ("node", "tape", "value")
    tape: Tape
    node: int
    value: Any

    def __init__(self, tape: Tape, node: int, value: Any) -> None:
        self.tape = tape
        self.node = node
        self.value = value

    @property
    def __class__(self) -> type:
        """The type of the number, for isinstance; see above."""
        return type(self.value)

    @__class__.setter
    def __class__(self, _: type) -> None:
        raise TypeError("a Size stays what it is")

    def _other(self, other: Any) -> int | None:
        if type(other) is Size:
            if other.tape is not self.tape:  # kept from earlier, by a cache that it came into
                raise ValueError("Sizes of two tapes do not meet")
            return other.node
        if type(other) in (int, float, bool) or isinstance(other, Rational):
            return self.tape.constant(other)
        return None

    def _made(self, name: str, a: int, b: int) -> Any:
        node = self.tape.node(name, a, b)
        return Size(self.tape, node, self.tape.values[node])

    def _do(self, name: str, other: Any) -> Any:
        node = self._other(other)
        return NotImplemented if node is None else self._made(name, self.node, node)

    def _undo(self, name: str, other: Any) -> Any:
        node = self._other(other)
        return NotImplemented if node is None else self._made(name, node, self.node)

    def _ask(self, name: str, other: Any, swap: bool = False) -> Any:
        node = self._other(other)
        if node is None:
            return NotImplemented
        pair = (node, self.node) if swap else (self.node, node)
        return self.tape.ask(name, *pair)

    def plain(self) -> Any:
        """The number itself; the structure holds for no other."""
        return self.tape.pin(self.node)

    def __add__(self, other: Any) -> Any:
        return self._do("add", other)

    def __radd__(self, other: Any) -> Any:
        return self._undo("add", other)

    def __sub__(self, other: Any) -> Any:
        return self._do("sub", other)

    def __rsub__(self, other: Any) -> Any:
        return self._undo("sub", other)

    def __mul__(self, other: Any) -> Any:
        return self._do("mul", other)

    def __rmul__(self, other: Any) -> Any:
        return self._undo("mul", other)

    def __floordiv__(self, other: Any) -> Any:
        return self._do("floordiv", other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._undo("floordiv", other)

    def __mod__(self, other: Any) -> Any:
        return self._do("mod", other)

    def __rmod__(self, other: Any) -> Any:
        return self._undo("mod", other)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __truediv__(self, other: Any) -> Any:
        return self._do("truediv", other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._undo("truediv", other)

    def __pow__(self, other: Any) -> Any:
        # Pinned: whether the power of a whole number is whole depends on the exponent.
        return self._do("pow", other.plain() if type(other) is Size else other)

    def __rpow__(self, other: Any) -> Any:
        return other ** self.plain()

    def __neg__(self) -> Any:
        return self._made("neg", self.node, self.node)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self._made("abs", self.node, self.node)

    def __round__(self, digits: int | None = None) -> Any:
        return self._made("round", self.node, self.tape.constant(digits))

    def __ceil__(self) -> Any:
        return self._made("ceil", self.node, self.node)

    def __floor__(self) -> Any:
        return self._made("floor", self.node, self.node)

    def __trunc__(self) -> Any:
        return self._made("trunc", self.node, self.node)

    def bit_length(self) -> Any:
        """As an int's."""
        return self._made("bits", self.node, self.node)

    def __eq__(self, other: object) -> Any:
        return self._ask("eq", other)

    def __ne__(self, other: object) -> Any:
        equal = self._ask("eq", other)
        return equal if equal is NotImplemented else not equal

    def __lt__(self, other: Any) -> Any:
        return self._ask("lt", other)

    def __le__(self, other: Any) -> Any:
        return self._ask("le", other)

    def __gt__(self, other: Any) -> Any:
        return self._ask("lt", other, swap=True)

    def __ge__(self, other: Any) -> Any:
        return self._ask("le", other, swap=True)

    def __bool__(self) -> bool:
        return not self._ask("eq", 0)

    def __hash__(self) -> int:
        return hash(("treadle size", self.node))

    def __int__(self) -> int:
        whole = self if type(self.value) is int else self.__trunc__()
        return cast(int, whole.plain())

    def __index__(self) -> int:
        return operator.index(self.plain())

    def __float__(self) -> float:
        return float(self.plain())

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        import numpy as np

        return np.asarray(self.plain(), dtype)

    def __format__(self, spec: str) -> str:
        return format(self.plain(), spec)

    def __repr__(self) -> str:
        return "<a Size of earlier>" if self.tape.ended else repr(self.plain())

    def __reduce__(self) -> Any:
        raise TypeError("a Size belongs to its tape and cannot be copied or pickled")


class SizeTable:
    """An array on a tape: what a function of sizes returned (see of_sizes)."""

    __slots__ = ("node", "tape")

    def __init__(self, tape: Tape, node: int) -> None:
        self.tape = tape
        self.node = node

    @property
    def shape(self) -> tuple[Any, ...]:
        """Its shape, as Sizes."""
        array = self.tape.values[self.node]  # which goes with the end of the tape
        axes = [self.tape.constant(axis) for axis in range(array.ndim)]
        nodes = [self.tape.node("shape", self.node, axis) for axis in axes]
        return tuple([Size(self.tape, node, self.tape.values[node]) for node in nodes])

    @property
    def dtype(self) -> Any:
        """Its dtype; the structure holds for no other."""
        return self.tape.values[self.node].dtype


def of_sizes(function: Callable[..., T]) -> Callable[..., T]:
    """Let a function of plain numbers be called with Sizes: it is called again for new ones.

    Arrays that it returns, alone or in a tuple, may be other ones for other sizes; whatever else it
    returns has to be the same. It is pure: the same numbers give the same result. An array's dtype
    and number of axes do not depend on sizes."""

    def called(*given: Any) -> Any:
        tape = next((item.tape for item in given if type(item) is Size), None)
        if tape is None:
            return function(*given)
        arguments = tape.constant(())
        for item in given:
            node = item.node if type(item) is Size else tape.constant(item)
            arguments = tape.node("with", arguments, node)
        node = tape.node("call", tape.constant(function), arguments)
        value = tape.values[node]
        if not isinstance(value, tuple) or not any(map(_is_array, value)):
            return _result(tape, node)
        nodes = [tape.node("item", node, tape.constant(k)) for k in range(len(value))]
        return tuple(_result(tape, each) for each in nodes)

    called.__name__, called.__doc__ = function.__name__, function.__doc__
    return called


def _result(tape: Tape, node: int) -> Any:
    return SizeTable(tape, node) if _is_array(tape.values[node]) else tape.pin(node)


def _is_array(value: Any) -> bool:
    return hasattr(value, "dtype") and hasattr(value, "ndim")


def fill(items: Iterable[Any], values: Sequence[Any]) -> tuple[Any, ...]:
    """Put the values of a tape in place of Sizes and Tables; whatever else there is stays."""
    return tuple([values[i.node] if type(i) is Size or type(i) is SizeTable else i for i in items])


def as_text(value: Any, spec: str) -> str:
    """Format a number for a text that is to be filled for other sizes; see fill_text."""
    return f"{_MARK}{value.node}:{spec}{_MARK}" if type(value) is Size else format(value, spec)


def fill_text(text: str, values: Sequence[Any]) -> str:
    """Put the values of a tape in place of the Sizes that are part of a text."""
    if _MARK not in text:
        return text
    return _MARKED.sub(lambda found: format(values[int(found[1])], found[2]), text)


def places(shape: Iterable[int], seen: dict[int, int]) -> tuple[int, ...]:
    """A shape's structure: what is small stays, other sizes become -1 - place, the same for equal
    ones; `seen` has the place of each."""
    return tuple(
        [size if size < SMALLEST else -1 - seen.setdefault(size, len(seen)) for size in shape]
    )


def placed(pattern: Iterable[int], sizes: Sequence[Any]) -> tuple[Any, ...]:
    """The shape of a structure, with these sizes in their places."""
    return tuple([size if size >= 0 else sizes[-1 - size] for size in pattern])
