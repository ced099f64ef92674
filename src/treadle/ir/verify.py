"""The rules that every kernel keeps, checked, and what a kernel uses.

In: a kernel, from lang or from a pass. Out: nothing, or an error that names the rule broken: a bug
in Treadle, never a user's mistake. Also lists the types and operations that a kernel needs of a
device.
"""

from __future__ import annotations

from functools import lru_cache

from treadle.dtypes import DType, read_as
from treadle.errors import TreadleError
from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Cast,
    Chain,
    Const,
    Expr,
    Extent,
    For,
    If,
    Kernel,
    Load,
    Local,
    Map,
    Op,
    Reduce,
    Row,
    RowFold,
    RowLet,
    Scan,
    Span,
    Stmt,
    While,
    children,
    expressions,
)
from treadle.ir.ops import OPS

__all__ = ["dtypes_used", "ops_used", "verify"]

FOLDS = frozenset({"sum", "prod", "max", "min"})
_PLAIN = (int, float, bool, str)
# Those of ir.sizes, which are numbers only for as long as a structure is being made.
_NO_SIZES = "numbers and dimensions are plain"


@lru_cache(1024)  # there are few operations and types
def _result(name: str, dtypes: tuple[DType, ...]) -> DType | None:
    """The type that an operation gives for operands of these types; None where it takes others."""
    row = OPS.get(name)
    return row.result(dtypes) if row is not None and row.accepts(dtypes) else None


def verify(kernel: Kernel) -> None:
    """Raise if the kernel breaks a rule of ir.nodes."""
    if isinstance(kernel.form, Chain):
        _chain(kernel, kernel.form)
    else:
        _Check(kernel).run()


def dtypes_used(kernel: Kernel) -> frozenset[DType]:
    """Every type that the kernel stores or computes in; conditions aside, which every device
    has, and fixed point, which is made only for a device that has it."""
    used = {tensor.dtype for tensor in (*kernel.inputs, *kernel.outputs)}
    if isinstance(kernel.form, Chain):
        used |= {tensor.dtype for tensor in kernel.form.local.values()}
    used |= {node.dtype for block in kernel.blocks for node in expressions(block)}
    return frozenset(used - {DType.BOOL, DType.FIXED})


def ops_used(kernel: Kernel) -> frozenset[tuple[str, DType]]:
    """Every operation with the type of its operands."""
    return frozenset(
        (node.name, node.args[-1].dtype)
        for block in kernel.blocks
        for node in expressions(block)
        if isinstance(node, Op)
    )


def _chain(kernel: Kernel, form: Chain) -> None:
    check = _Check(kernel)
    known = {tensor.name: tensor for tensor in kernel.inputs}
    params = set(kernel.params)
    check.require(len(form.stages) == len(form.reach) > 0, "a chain has stages and their reach")
    check.require(form.stages[-1].space == kernel.space, "the space is the last stage's")
    shared = form.stages[0].space[: form.axis + 1]
    check.require(len(shared) == form.axis + 1, "the chain's axis exists")
    for stage, reach in zip(form.stages, form.reach, strict=True):
        verify(stage)
        check.require(isinstance(stage.form, Map), "a chain's stages are maps")
        check.require(stage.space[: form.axis + 1] == shared, "the stages share their first axes")
        check.require(set(stage.params) <= params, "the stages' parameters are the kernel's")
        check.require(len(reach) == len(stage.inputs), "there is a reach for each input")
        for tensor, spans in zip(stage.inputs, reach, strict=True):
            check.require(known.get(tensor.name) == tensor, f"{tensor.name!r} is known")
            inside = tensor not in kernel.inputs
            check.require(inside == (spans is not None), "what is inside the chain has a reach")
            if spans is not None:
                check.require(len(spans) == len(tensor.dims), "a reach spans each dimension")
                ends = [end for span in spans if span for end in (span.low, span.high)]
                check.require(all(type(end) is int for end in ends), _NO_SIZES)
                own = [Span(k, 0, 0) for k in range(form.axis)]
                check.require(list(spans[: form.axis]) == own, "first axes are read in place")
                near = spans[form.axis]
                check.require(near is not None and near.axis == form.axis, "rows are read nearby")
        for tensor in stage.outputs:
            check.require(tensor.name not in known, f"{tensor.name!r} is written once")
            known[tensor.name] = tensor
    made = form.local
    check.require(all(made.get(t.name) == t for t in kernel.outputs), "outputs are stages' outputs")


class _Check:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.tensors = {tensor.name: tensor for tensor in kernel.inputs}
        self.params = set(kernel.params)
        self.loads_allowed = True
        self.axes_allowed = True

    def require(self, holds: bool, rule: str) -> None:
        if not holds:
            raise TreadleError(
                f"internal: kernel {self.kernel.name!r} breaks a rule of the IR: {rule}"
            )

    def run(self) -> None:
        kernel, form = self.kernel, self.kernel.form
        names = [tensor.name for tensor in (*kernel.inputs, *kernel.outputs)]
        shapes = [kernel.space, *(t.dims for t in (*kernel.inputs, *kernel.outputs))]
        self.require(all(type(dim) in _PLAIN for dims in shapes for dim in dims), _NO_SIZES)
        self.require(len(set(names)) == len(names), "tensor names are distinct")
        self.require(bool(kernel.outputs), "there is an output")
        self.require(
            self.output_dims() == {t.dims for t in kernel.outputs}, "outputs fit the space"
        )
        count = len(kernel.outputs)
        if isinstance(form, Map):
            self.block(form.block, (), count)
        elif isinstance(form, Row):
            self.row(form, count)
        elif isinstance(form, Scan):
            state = tuple(init.dtype for init in form.init)
            self.block(form.step, state, len(state) + count)
            new = tuple(result.dtype for result in form.step.results[: len(state)])
            self.require(new == state, "the new state has the state's types")
            if form.combine is not None:
                self.loads_allowed = self.axes_allowed = False
                self.block(form.combine, (*state, *state), len(state))
                both = tuple(result.dtype for result in form.combine.results)
                self.require(both == state, "combined states have the state's types")
        else:
            assert isinstance(form, Reduce)
            self.reduce(form, count)

    def output_dims(self) -> set[tuple[object, ...]]:
        form, space = self.kernel.form, self.kernel.space
        if isinstance(form, Reduce):
            return {tuple(d for k, d in enumerate(space) if k not in form.axes)}
        if isinstance(form, Row) and form.scalar:
            return {tuple(d for k, d in enumerate(space) if k != form.axis)}
        return {space}

    def reduce(self, form: Reduce, count: int) -> None:
        state = tuple(init.dtype for init in form.init)
        self.require(bool(form.axes), "a reduction has axes")
        self.require(all(0 <= a < len(self.kernel.space) for a in form.axes), "axes exist")
        self.block(form.lift, (), len(state))
        lifted = tuple(result.dtype for result in form.lift.results)
        self.require(lifted == state, "lift gives a state")
        self.loads_allowed = self.axes_allowed = False
        self.block(form.combine, state + state, len(state))
        combined = tuple(result.dtype for result in form.combine.results)
        self.require(combined == state, "combine gives a state")
        self.block(form.finish, state, count)

    def row(self, form: Row, count: int) -> None:
        self.require(0 <= form.axis < len(self.kernel.space), "the row's axis exists")
        self.require(not form.block.args and len(form.block.results) == count, "results fit")
        scope: dict[str, DType] = {}
        per_row: set[str] = set()
        for stmt in form.block.body:
            self.require(isinstance(stmt, Assign | RowLet | RowFold), "rows are straight-line code")
            assert isinstance(stmt, Assign | RowLet | RowFold)
            self.require(stmt.name not in scope, "row locals are assigned once")
            self.expr(stmt.value, scope)
            if isinstance(stmt, RowFold):
                self.require(stmt.kind in FOLDS, "the fold is known")
            if isinstance(stmt, Assign):
                self.require(self.uniform(stmt.value, per_row, form.axis), "a row's scalar is one")
            if not isinstance(stmt, RowLet):
                per_row.add(stmt.name)
            scope[stmt.name] = stmt.value.dtype
        for result in form.block.results:
            self.expr(result, scope)
            if form.scalar:
                self.require(self.uniform(result, per_row, form.axis), "a scalar result is one")

    def uniform(self, node: Expr, per_row: set[str], axis: int) -> bool:
        if isinstance(node, Axis):
            return node.index != axis
        if isinstance(node, Local):
            return node.name in per_row
        return all(self.uniform(child, per_row, axis) for child in children(node))

    def block(self, block: Block, args: tuple[DType, ...], results: int) -> None:
        self.require(
            tuple(arg.dtype for arg in block.args) == args, "arguments have the right types"
        )
        self.require(len(block.results) == results, "the number of results is right")
        scope = {arg.name: arg.dtype for arg in block.args}
        self.body(block.body, scope, frozenset())
        for result in block.results:
            self.expr(result, scope)

    def body(self, body: tuple[Stmt, ...], scope: dict[str, DType], fixed: frozenset[str]) -> None:
        for stmt in body:
            for child in children(stmt):
                if not isinstance(stmt, While):
                    self.expr(child, scope)
            match stmt:
                case Assign(name, value):
                    self.require(name not in fixed, "loop variables are read-only")
                    self.require(
                        scope.get(name, value.dtype) is value.dtype, "a local keeps its type"
                    )
                    scope[name] = value.dtype
                case If():
                    self.require(stmt.test.dtype is DType.BOOL, "a test is a condition")
                    then, orelse = dict(scope), dict(scope)
                    self.body(stmt.then, then, fixed)
                    self.body(stmt.orelse, orelse, fixed)
                    scope.update({n: d for n, d in then.items() if orelse.get(n) is d})
                case For():
                    self.require(stmt.step != 0, "a loop's step is not 0")
                    self.require(stmt.start.dtype is stmt.stop.dtype is DType.S32, "bounds are s32")
                    self.body(stmt.body, scope | {stmt.name: DType.S32}, fixed | {stmt.name})
                case While():
                    self.require(stmt.test.dtype is DType.BOOL, "a test is a condition")
                    inner = dict(scope)
                    self.body(stmt.setup, inner, fixed)
                    self.expr(stmt.test, inner)
                    self.body(stmt.body, inner, fixed)
                case _:
                    self.require(False, "row statements stay in rows")

    def expr(self, node: Expr, scope: dict[str, DType]) -> None:
        # Most of what is verified passes here: kinds by frequency, and texts only for what fails.
        if isinstance(node, Op):
            self.op(node, scope)
        elif isinstance(node, Const):
            if node.dtype.is_narrow or type(node.value) not in _PLAIN:
                self.require(not node.dtype.is_narrow, f"{node.dtype} is storage only")
                self.require(False, _NO_SIZES)
        elif isinstance(node, Local):
            if scope.get(node.name) is not node.dtype:
                self.require(False, f"local {node.name!r} is set")
        elif isinstance(node, Axis):
            self.require(self.axes_allowed, "no coordinates here")
            inside = 0 <= node.index < len(self.kernel.space)
            self.require(inside, "the axis exists")
        elif isinstance(node, Load):
            self.load(node, scope)
        elif isinstance(node, Cast):
            self.expr(node.value, scope)
            self.require(not node.dtype.is_narrow, "types of storage are for tensors only")
        elif isinstance(node, Extent):
            self.require(type(node.dim) in _PLAIN, _NO_SIZES)
        else:
            self.require(node in self.params, f"parameter {node} exists")

    def op(self, node: Op, scope: dict[str, DType]) -> None:
        for arg in node.args:
            self.expr(arg, scope)
        dtypes = tuple([arg.dtype for arg in node.args])
        if _result(node.name, dtypes) is not node.dtype:
            self.require(node.name in OPS, f"operation {node.name!r} exists")
            taken = OPS[node.name].accepts(dtypes)
            self.require(taken, f"{node.name} takes {', '.join(dtypes)}")
            self.require(False, f"{node.name} gives {node.dtype}")

    def load(self, node: Load, scope: dict[str, DType]) -> None:
        for index in node.indices:
            self.expr(index, scope)
        self.require(self.loads_allowed, "no loads here")
        tensor = self.tensors.get(node.tensor)
        if tensor is None:
            self.require(False, f"input {node.tensor!r} exists")
            return
        self.require(len(node.indices) == len(tensor.dims), "one index for each dimension")
        self.require(all(i.dtype is DType.S32 for i in node.indices), "indices are s32")
        self.require(read_as(tensor.dtype) is node.dtype, "a load reads its tensor's type")
