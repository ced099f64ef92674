"""The intermediate representation: a typed kernel as small frozen dataclasses.

In: what lang builds. Out: what passes rewrite, codegen renders and interpret executes. A Kernel is
pure: it reads inputs at any index and says what each output element is; it never stores. It holds
dimensions as symbols, not sizes, so that one compiled program serves every size of one pattern. It
knows nothing about devices, buffers or Python functions.

Dimensions. A `Dim` is an int (known when compiled: 0, 1, a channel count) or a symbol such as "n0".
Two axes with the same symbol have the same size at every launch; passes rely on that.

Iteration spaces. `Kernel.space` holds the dimensions that `Axis(i)` walks over:
    Map     the output's index space; every output has exactly these dimensions
    Reduce  the input's; outputs have those that are not in `axes`, in order
    Row     the input's; outputs have all of them, or all but `axis` when `scalar`
    Scan    the input's; outputs have all of them
    Chain   the last stage's; every output has its own stage's; a HostCall has none

Coordinates, extents, loop variables and indices are s32. An index out of range reads the clamped
edge; `Load.inside[k]` says that a pass has proved index k in range, so no clamp is needed.
A tensor with a zero dimension is never read: nothing is launched over an empty space, and reading
an empty tensor from a non-empty space is refused at submit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from math import copysign
from typing import Any

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.host_call import HostCall

__all__ = [
    "Assign",
    "Axis",
    "Block",
    "Cast",
    "Chain",
    "Const",
    "Dim",
    "Expr",
    "Extent",
    "For",
    "If",
    "Kernel",
    "Load",
    "Local",
    "Map",
    "Op",
    "Param",
    "Reduce",
    "Row",
    "RowFold",
    "RowLet",
    "Scan",
    "Span",
    "Stmt",
    "Tensor",
    "While",
    "children",
    "statements",
    "walk",
]

Dim = int | str


@dataclass(frozen=True, slots=True)
class Const:
    """A literal. `value` is a bool, int or float according to dtype; inf and nan are allowed.

    0.0 and -0.0 are two literals: kernels that differ in nothing else share no program. All NaN
    are one, as nothing tells them apart."""

    value: float
    dtype: DType

    def __eq__(self, other: object) -> bool:
        if type(other) is not Const:
            return NotImplemented
        if self.dtype is not other.dtype:
            return False
        if self.value != other.value:
            return self.value != self.value and other.value != other.value
        return bool(self.value) or copysign(1.0, self.value) == copysign(1.0, other.value)

    def __hash__(self) -> int:
        # Python takes the hash of a NaN from its address.
        value = self.value if self.value == self.value else "nan"
        return hash((value, self.dtype))


@dataclass(frozen=True, slots=True)
class Param:
    """A scalar that is given at launch."""

    name: str
    dtype: DType


@dataclass(frozen=True, slots=True)
class Axis:
    """This element's coordinate along axis `index` of the iteration space."""

    index: int
    dtype: DType = DType.S32


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of a dimension."""

    dim: Dim
    dtype: DType = DType.S32


@dataclass(frozen=True, slots=True)
class Local:
    """The value of a local variable."""

    name: str
    dtype: DType


@dataclass(frozen=True, slots=True)
class Load:
    """One element of an input. `dtype` is what the read gives: a wider type for a narrow one, else
    the storage type."""

    tensor: str
    indices: tuple[Expr, ...]
    dtype: DType
    inside: tuple[bool, ...] = ()  # empty: nothing proved


@dataclass(frozen=True, slots=True)
class Op:
    """An operation from ir.ops.OPS; its operands already have the types that the row wants."""

    name: str
    args: tuple[Expr, ...]
    dtype: DType


@dataclass(frozen=True, slots=True)
class Cast:
    """A conversion. Float to s32/s64/u32 truncates and saturates, NaN gives 0; integers
    among s32, s64 and u32 wrap; a condition gives 0 or 1; anything to bool is `!= 0`. To a narrow
    type, as stores do: integers saturate, floats give the nearest, ties to even, NaN gives 0."""

    value: Expr
    dtype: DType


Expr = Const | Param | Axis | Extent | Local | Load | Op | Cast


@dataclass(frozen=True, slots=True)
class Assign:
    """Set a local variable; the first assignment declares it. Its type never changes."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class If:
    """Run one of two blocks. Variables used afterwards are assigned before it or in both blocks."""

    test: Expr
    then: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class For:
    """`for name in range(start, stop, step)`: s32 bounds, evaluated once; `step` is not 0.

    The variable is read-only in the body and is not visible afterwards. The body's own new
    variables are not visible afterwards either. `unrolled` says that a schedule has the loop
    written out, round by round; its bounds are then constants."""

    name: str
    start: Expr
    stop: Expr
    step: int
    body: tuple[Stmt, ...]
    unrolled: bool = False


@dataclass(frozen=True, slots=True)
class While:
    """Repeat while `test` holds, at most `limit` times, so that every kernel ends.

    `setup` runs before each test, in the scope that `test` sees."""

    test: Expr
    body: tuple[Stmt, ...]
    limit: int
    setup: tuple[Stmt, ...] = ()


@dataclass(frozen=True, slots=True)
class RowLet:
    """Row form only: a local that has one value for each position of the row."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class RowFold:
    """Row form only: a scalar local, `value` folded over all positions of the row.

    `kind` is sum, prod, max or min; an empty row gives 0, 1, -inf or inf (the type's limits for
    integers). The order of folding is not specified."""

    name: str
    kind: str
    value: Expr


Stmt = Assign | If | For | While | RowLet | RowFold


@dataclass(frozen=True, slots=True)
class Block:
    """Statements with arguments and results: `args` are locals that the caller sets first."""

    args: tuple[Local, ...]
    body: tuple[Stmt, ...]
    results: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Map:
    """Each output element on its own; `block` has no arguments and one result for each output."""

    block: Block


@dataclass(frozen=True, slots=True)
class Reduce:
    """Fold over `axes`: lift every element to a state, combine states in any tree order, finish.

    `init` is the identity of `combine`. `lift` has no arguments (it reads at Axis(...)), `combine`
    has the left state's locals followed by the right's, `finish` has the state's; `finish` gives
    one result for each output and may use Extent but neither Axis nor Load."""

    axes: tuple[int, ...]
    init: tuple[Const, ...]
    lift: Block
    combine: Block
    finish: Block


@dataclass(frozen=True, slots=True)
class Row:
    """Whole rows along `axis`. The block's body holds Assign (scalars of this row), RowLet and
    RowFold, in order. Results are per position, or per row when `scalar`."""

    axis: int
    block: Block
    scalar: bool = False


@dataclass(frozen=True, slots=True)
class Scan:
    """Carry a state along `axis`. `step` has the state's locals as arguments and reads at
    Axis(...); its results are the new state followed by one value for each output. `combine`, where
    it is there, has a state's locals and those of one that later elements led to from `init`."""

    axis: int
    init: tuple[Const, ...]
    step: Block
    combine: Block | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """Where an index stays: between `low` and `high`, counted from Axis(axis), or from 0 where axis
    is None. Clamping to the tensor's edge comes after."""

    axis: int | None
    low: int
    high: int


Reach = tuple[Span | None, ...]  # one for each dimension of a tensor; None: anywhere


@dataclass(frozen=True, slots=True)
class Chain:
    """Map kernels one after the other, with what is between them kept near, rows at a time.

    A stage reads the kernel's inputs, and what earlier stages wrote, by name. What it writes is one
    of the kernel's outputs or exists only while the chain runs; either way no name is written
    twice, and values are rounded to the tensor's storage type before they are read again.

    All stages have the same dimensions up to and with `axis`. What earlier stages wrote is read at
    the element's own coordinates before `axis`, and along it at Axis(axis) plus a constant range.
    `reach[k][i]` says where stage k reads its input i; None for the kernel's inputs. The kernel's
    space is the last stage's; its symbols and parameters are those of all stages."""

    stages: tuple[Kernel, ...]
    axis: int
    reach: tuple[tuple[Reach | None, ...], ...]

    @property
    def local(self) -> dict[str, Tensor]:
        """What every stage writes, by name: the kernel's outputs and what lives only inside."""
        return {tensor.name: tensor for stage in self.stages for tensor in stage.outputs}


Form = Map | Reduce | Row | Scan | Chain | HostCall


@dataclass(frozen=True, slots=True)
class Tensor:
    """An input or output: name, storage type and dimensions; dense, in row-major order."""

    name: str
    dtype: DType
    dims: tuple[Dim, ...]


class _Noted:
    """Room for what is computed once from a kernel; no fields, so that nothing else sees it."""

    __slots__ = ("_hash", "_symbols")
    _hash: int
    _symbols: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kernel(_Noted):
    """A typed kernel, ready for passes and codegen. Equal kernels compute the same function."""

    name: str
    space: tuple[Dim, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    params: tuple[Param, ...]
    form: Form
    routine: str | None = field(default=None)  # a backend may have a library routine of this name
    fused: bool = field(default=False)  # a product that is added to may be rounded with the sum

    def __hash__(self) -> int:
        # Kernels are keys of plans and programs; walking all of one for each lookup would be most
        # of what a launch of another size takes.
        try:
            return self._hash
        except AttributeError:
            parts = (self.name, self.space, self.inputs, self.outputs, self.params)
            object.__setattr__(self, "_hash", hash((*parts, self.form, self.routine, self.fused)))
            return self._hash

    @property
    def symbols(self) -> tuple[str, ...]:
        """Every symbolic dimension, in order of first appearance: inputs, outputs, space."""
        try:
            return self._symbols
        except AttributeError:
            object.__setattr__(self, "_symbols", self._named())
            return self._symbols

    def _named(self) -> tuple[str, ...]:
        seen: dict[str, None] = {}
        for dims in (*(t.dims for t in (*self.inputs, *self.outputs)), self.space):
            for dim in dims:
                if isinstance(dim, str):
                    seen[dim] = None
        if isinstance(self.form, Chain):
            seen.update(dict.fromkeys(s for stage in self.form.stages for s in stage.symbols))
        return tuple(seen)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The form's blocks, in order of execution."""
        form = self.form
        if isinstance(form, Map | Row):
            return (form.block,)
        if isinstance(form, Reduce):
            return (form.lift, form.combine, form.finish)
        if isinstance(form, Chain):
            return tuple(block for stage in form.stages for block in stage.blocks)
        each = () if isinstance(form, HostCall) else (form.step, form.combine)
        return tuple(block for block in each if block is not None)


# Every pass walks, and passes are most of what planning takes: types are asked by identity, and one
# loop with a stack does what generators inside generators would.
_INNER: dict[type, Callable[[Any], tuple[Expr, ...]]] = {
    Load: lambda node: node.indices,
    Op: lambda node: node.args,
    Cast: lambda node: (node.value,),
    Assign: lambda node: (node.value,),
    RowLet: lambda node: (node.value,),
    RowFold: lambda node: (node.value,),
    If: lambda node: (node.test,),
    While: lambda node: (node.test,),
    For: lambda node: (node.start, node.stop),
}


def children(node: Expr | Stmt) -> tuple[Expr, ...]:
    """The expressions directly inside an expression or a statement (not those of nested blocks)."""
    inner = _INNER.get(type(node))
    return () if inner is None else inner(node)


def walk(node: Expr) -> Iterator[Expr]:
    """An expression and everything inside it, outermost first."""
    stack = [node]
    while stack:
        last = stack.pop()
        yield last
        inner = _INNER.get(type(last))
        if inner is not None:
            stack += inner(last)[::-1]


def statements(body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """Every statement of a body, nested ones included, in order."""
    for stmt in body:
        yield stmt
        if type(stmt) is Assign:  # most often
            continue
        match stmt:
            case If():
                yield from statements(stmt.then)
                yield from statements(stmt.orelse)
            case For():
                yield from statements(stmt.body)
            case While():
                yield from statements(stmt.setup)
                yield from statements(stmt.body)
            case _:
                pass


def expressions(block: Block) -> Iterator[Expr]:
    """Every expression of a block, outermost first, nested statements included."""
    for stmt in statements(block.body):
        for child in children(stmt):
            yield from walk(child)
    for result in block.results:
        yield from walk(result)
