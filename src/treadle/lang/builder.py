"""Collect the statements of a kernel while its text is evaluated.

In: values to name. Out: IR statements and locals. It names locals, keeps expressions from being
computed twice, and knows which values differ along a row. It knows nothing about Python syntax.
"""

from __future__ import annotations

from treadle.dtypes import DType
from treadle.ir.nodes import Assign, Axis, Expr, Local, RowFold, RowLet, Stmt, walk
from treadle.lang.values import Typing, Value, simple

__all__ = ["Builder"]

_FLAT = 32  # operations of a fold in one expression


class Builder:
    """Collects statements; names locals; knows whether it builds a row."""

    def __init__(
        self, typing: Typing, row_axis: int | None = None, row_length: Value = None
    ) -> None:
        self.typing = typing
        self.row_axis = row_axis
        self.row_length = row_length
        self.body: list[Stmt] = []
        self.inlining: list[object] = []  # whose bodies are being evaluated, the outermost first
        self.evaluated = 0  # statements, each time one is evaluated
        self._counts: dict[str, int] = {}
        self._per_position: set[str] = set()
        self._kept: dict[str, DType] = {}  # the types of storage of locals

    def fresh(self, name: str) -> str:
        """A local's name that nothing else in this kernel has."""
        count = self._counts.get(name, 0)
        self._counts[name] = count + 1
        return name if count == 0 else f"{name}_{count}"

    def bind(self, name: str, value: Value) -> Value:
        """Give a value a name, so that using it twice does not compute it twice."""
        if isinstance(value, tuple) and type(value) is tuple:
            return tuple(self.bind(f"{name}{k}", item) for k, item in enumerate(value))
        if not isinstance(value, Expr) or simple(value):
            return value
        return self.assign(self.fresh(name), value)

    def assign(self, name: str, value: Expr) -> Local:
        """Emit an assignment and return the local."""
        if self.row_axis is not None and self.per_position(value):
            self._per_position.add(name)
            self.body.append(RowLet(name, value))
        else:
            self.body.append(Assign(name, value))
        return Local(name, value.dtype)

    def per_position(self, value: Expr) -> bool:
        """Whether an expression differs along the row."""
        return any(
            (isinstance(node, Axis) and node.index == self.row_axis)
            or (isinstance(node, Local) and node.name in self._per_position)
            for node in walk(value)
        )

    def fold(self, kind: str, value: Expr) -> Local:
        """Emit a fold over the row and return the scalar local."""
        name = self.fresh(f"row_{kind}")
        self.body.append(RowFold(name, kind, value))
        return Local(name, value.dtype)

    def keep(self, value: Expr, dtype: DType) -> Local:
        """Name a value that is of a narrow type, though it computes in a wider one: stored as it
        is, it stays one."""
        local = value if isinstance(value, Local) else self.assign(self.fresh("byte"), value)
        self._kept[local.name] = dtype
        return local

    def kept(self, value: Value) -> DType | None:
        """The narrow type of a value: what u8(...) gave, or a choice of two such."""
        return self._kept.get(value.name) if isinstance(value, Local) else None

    def shallow(self, name: str, value: Value, step: int) -> Value:
        """Name every so many steps of a long fold, so that expressions stay flat."""
        return self.bind(name, value) if step % _FLAT == _FLAT - 1 else value

    def checkpoint(self) -> tuple[dict[str, int], dict[str, DType]]:
        """The names given so far, for rewind."""
        return dict(self._counts), dict(self._kept)

    def rewind(self, names: tuple[dict[str, int], dict[str, DType]]) -> None:
        """Forget the names given since a checkpoint."""
        self._counts, self._kept = names

    def scope(self) -> list[Stmt]:
        """Start a nested body; give back the outer one, to be restored."""
        outer, self.body = self.body, []
        return outer
