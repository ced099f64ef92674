"""Whether a block can be computed for several elements at once.

In: a block, and which elements would make a vector. Out: a yes or no. What differs between the
elements of a vector has to be a vector as well, and there are no branches, bounds of loops or
addresses that are vectors, but for loads of neighbours. The block is gone over as it would be
spelt, with a note of what varies in place of values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from treadle.data import dataclass
from treadle.ir.affine import Affine, Indexer
from treadle.ir.loops import Nest, Ring
from treadle.ir.names import assigned
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Const,
    Expr,
    For,
    If,
    Kernel,
    Load,
    Local,
    Op,
    Stmt,
    Tensor,
    While,
    statements,
)
from treadle.ir.places import flat_position, stride_of

__all__ = ["SAME", "VARIES", "Along", "NoVector", "VectorAxis"]

SAME, VARIES = 0, 1


class NoVector(Exception):
    """The block needs control flow or addresses that differ between the elements of a vector."""


@dataclass(frozen=True, slots=True)
class VectorAxis:
    """Which elements would be a vector: those along `axis`, of rows as a nest walks them; `inside`
    says that constant offsets along that axis need no clamp, `side` is the axis along which rows
    are computed side by side, and `rings` are the tensors whose rows, along `rows`, go round."""

    axis: int
    nest: Nest | None = None
    inside: bool = False
    side: int | None = None
    rows: int | None = None
    rings: Mapping[str, Ring] = field(default_factory=dict)

    @property
    def flat(self) -> Nest | None:
        """The nest, where several axes are walked as one."""
        return self.nest if self.nest is not None and len(self.nest.inner) > 1 else None


class Along:
    """Goes over blocks whose vectors are neighbours along an axis."""

    def __init__(self, kernel: Kernel, indexer: Indexer, place: VectorAxis) -> None:
        self.kernel, self.indexer, self.place = kernel, indexer, place
        self.env: dict[str, int] = {}
        self._inputs = {tensor.name: tensor for tensor in kernel.inputs}
        self._full = VARIES  # what a variable is noted as that is kept as a whole vector

    def run(self, block: Block, *, args: int = SAME) -> list[int]:
        """Go over a block; raise NoVector, or return what varies of its results."""
        outer = self.env
        self.env = {**outer, **{arg.name: args for arg in block.args}}
        self.body(block.body)
        found = [self.value(result) for result in block.results]
        self.env = outer
        return found

    # Expressions

    def value(self, expr: Expr) -> int:
        """What varies of an expression."""
        match expr:
            case Axis():
                return self._axis(expr.index)
            case Local():
                return self.env.get(expr.name, SAME)
            case Load():
                return self._load(expr)
            case Op():
                found = SAME
                for arg in expr.args:
                    found |= self.value(arg)
                return found
            case Cast():
                return self.value(expr.value)
            case _:
                return SAME

    def _axis(self, index: int) -> int:
        return VARIES if index == self.place.axis else SAME

    def index(self, expr: Expr) -> int:
        """What varies of an index, of which the first element's is taken where it is linear."""
        if self.indexer.affine(expr) is None and self.value(expr):
            raise NoVector
        return SAME

    def _load(self, load: Load) -> int:
        tensor = self._inputs[load.tensor]
        forms = [self.indexer.affine(index) for index in load.indices]
        start = self._start(tensor, forms)
        if start is not None:
            return self._merged(load, tensor, forms, start)
        return self._offset(load, tensor, forms, range(len(forms)))

    def _start(self, tensor: Tensor, forms: Sequence[Affine | None]) -> int | None:
        flat = self.place.flat
        if flat is None:
            return None
        return flat_position(flat.first, len(self.kernel.space), flat.inner, forms, tensor.dims)

    def _offset(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], over: Sequence[int]
    ) -> int:
        found = SAME
        for k in over:
            form = forms[k]
            self.index(load.indices[k])
            scale = 0 if form is None else form.scale(("axis", self.place.axis))
            if scale:
                inside = self.safe(load, tensor, form, k)
                if scale != 1 or not inside or self.stride(tensor, k) != 1 or found:
                    raise NoVector
                found = VARIES
        return found

    def _merged(
        self, load: Load, tensor: Tensor, forms: Sequence[Affine | None], start: int
    ) -> int:
        flat = self.place.flat
        assert flat is not None
        after = start + len(self.kernel.space) - flat.first
        self._offset(load, tensor, forms, [k for k in range(len(forms)) if not start <= k < after])
        inside = self.safe(load, tensor, forms[start], start)
        if not inside or self.stride(tensor, after - 1) != 1:
            raise NoVector
        return VARIES

    def stride(self, tensor: Tensor, k: int) -> int | None:
        """Elements between neighbours along a dimension; None where that is no constant."""
        ring = self.place.rings.get(tensor.name)
        if ring is not None and k == self.place.rows:
            return 1 if ring.single(k) else None
        return stride_of(tensor, k)

    def safe(self, load: Load, tensor: Tensor, form: Affine | None, k: int) -> bool:
        """Whether index k needs no clamp."""
        side = self.place.side
        if side is not None and form is not None and form.scale(("axis", side)) == 1:
            return False  # rows side by side clamp alike, so that equal ones are seen to be equal
        if load.inside and load.inside[k]:
            return True
        if form is None or not self.place.inside or form.scale(("axis", self.place.axis)) < 1:
            return False
        return self.indexer.spread(form, self.place.axis) is not None

    # Statements

    def body(self, body: Sequence[Stmt]) -> None:
        """Go over statements in order."""
        for stmt in body:
            match stmt:
                case Assign():
                    self.env[stmt.name] = self.value(stmt.value)
                case If():
                    self._if(stmt)
                case For():
                    self._for(stmt)
                case While():
                    self._while(stmt)
                case _:
                    raise AssertionError(f"{type(stmt).__name__} outside a row kernel")

    def _if(self, stmt: If) -> None:
        test, before = self.value(stmt.test), self.env
        loops = any(isinstance(s, For | While) for s in statements((*stmt.then, *stmt.orelse)))
        if loops and test:
            raise NoVector
        sides = []
        for side in (stmt.then, stmt.orelse):
            self.env = dict(before)
            self.body(side)
            sides.append(self.env)
        then, other = sides
        changed = assigned(stmt.then) | assigned(stmt.orelse)
        self.env = dict(before)
        for name in changed & set(then) & set(other):
            self.env[name] = self._full if loops else test | then[name] | other[name]

    def _for(self, stmt: For) -> None:
        hidden, known = self.env.pop(stmt.name, None), self.indexer.ranges.get(stmt.name)
        names = set(self.env)
        if stmt.unrolled:
            assert isinstance(stmt.start, Const)
            assert isinstance(stmt.stop, Const)
            for at in range(int(stmt.start.value), int(stmt.stop.value), stmt.step):
                if stmt.name in self.indexer.ranges:
                    self.indexer.ranges[stmt.name] = (at, at)
                self.body(stmt.body)
            if stmt.name in self.indexer.ranges:
                self.indexer.ranges[stmt.name] = known
        else:
            self._bound(stmt.start)
            self._bound(stmt.stop)
            self._carried(stmt.body)
            self.body(stmt.body)
            self._carried(stmt.body)
        self.env = {name: found for name, found in self.env.items() if name in names}
        if hidden is not None:
            self.env[stmt.name] = hidden

    def _bound(self, expr: Expr) -> None:
        form = self.indexer.affine(expr)
        if form is not None and form.scale(("axis", self.place.axis)):
            raise NoVector
        self.index(expr)

    def _while(self, stmt: While) -> None:
        carried = (*stmt.setup, *stmt.body)
        names = set(self.env)
        self._carried(carried)
        self.body(stmt.setup)
        self.value(stmt.test)
        self.body(stmt.body)
        self.env = {name: found for name, found in self.env.items() if name in names}
        self._carried(carried)

    def _carried(self, body: Sequence[Stmt]) -> None:
        """What a loop carries is kept as whole vectors."""
        for name in assigned(body) & set(self.env):
            self.env[name] = self._full
