"""Which expressions of a block have the same value, whatever the values of its parameters are.

In: expressions over constants, parameters, sizes and variables that are set once. Out: a number for
each, the same for those that mean the same. Nothing is computed.
"""

from __future__ import annotations

from treadle.ir.nodes import Cast, Const, Expr, Local, Op

__all__ = ["Meanings"]


class Meanings:
    """Numbers for expressions that are equal where their values are. A second number is equal up to
    the sign, which no square has: the weights on both sides of a symmetric filter are one."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._locals: dict[str, tuple[int, int]] = {}

    def number(self, node: Expr) -> int:
        """The number of an expression over variables that were set."""
        return self._of(node)[0]

    def set(self, name: str, value: Expr) -> None:
        """Say what a variable is."""
        self._locals[name] = self._of(value)

    def _of(self, node: Expr) -> tuple[int, int]:
        """The number of an expression, and the one of its magnitude."""
        match node:
            case Local():
                return self._locals[node.name]
            case Const():
                value = node.value
                return self._both((node.dtype, repr(value)), (node.dtype, "size", repr(abs(value))))
            case Op("neg", (inner,)) if node.dtype.is_float:
                number, size = self._of(inner)
                return self._numbered(("neg", number)), size
            case Op(name, args):
                parts = [self._of(arg) for arg in args]
                whole = (name, node.dtype, *[number for number, _ in parts])
                if not node.dtype.is_float or name not in ("mul", "div"):
                    return self._both(whole, whole)
                sized = (name, node.dtype, "size", *[size for _, size in parts])
                square = name == "mul" and parts[0] == parts[1]
                return self._both(sized if square else whole, sized)
            case Cast():
                whole = ("cast", node.dtype, self._of(node.value)[0])
                return self._both(whole, whole)
            case _:
                return self._both(node, node)

    def _both(self, whole: object, size: object) -> tuple[int, int]:
        return self._numbered(whole), self._numbered(size)

    def _numbered(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))
