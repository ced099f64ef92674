"""Values that are the same for every element, computed once and by the definition.

In: a kernel, as planned. Out: a kernel that takes as parameters what it computed from its
parameters alone wherever devices may round differently (a Gaussian's weights), and small kernels of
no input that give those values. The host computes them, so that every device gets the same bits.
Sums, products and comparisons of parameters stay: they are cheap, and the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.nodes import (
    Assign,
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
    Param,
    Reduce,
    Row,
    RowFold,
    RowLet,
    Scan,
    Stmt,
    Tensor,
    While,
    children,
    expressions,
    statements,
    walk,
)
from treadle.ir.ops import OPS, Rule
from treadle.passes.meanings import Meanings
from treadle.passes.scalars import Scalars
from treadle.passes.signs import without_zeros

__all__ = ["Hoisted", "hoist"]

_BYTES = 2048  # of hoisted values; CUDA has room for 4096 of all arguments
_PASSED = (DType.F32, DType.F64, DType.S32, DType.S64, DType.U32)  # what a parameter can be
# What a uniform expression is made of, as bits: parameters, sizes, operations that IEEE defines to
# the last bit though not every device computes them so, and those that each device rounds itself.
_GIVEN, _SIZED, _QUOTIENT, _ROUNDED = 1, 2, 4, 8
_WHOLE = ("floor", "ceil", "round", "trunc")
_FLOATS = {row.name for row in OPS.values() if row.rule is Rule.FLOAT}
_KINDS = dict.fromkeys(
    _FLOATS - set(_WHOLE), _ROUNDED
)  # by operation, for operands that are floats
_KINDS |= dict.fromkeys(("div", "sqrt", "floordiv", "mod"), _QUOTIENT)
_LEAVES: dict[type, int] = {Const: 0, Param: _GIVEN, Extent: _SIZED}


@dataclass(frozen=True, slots=True)
class Hoisted:
    """A kernel that is given what it computed from its parameters alone."""

    kernel: Kernel
    given: tuple[str, ...]  # the parameters of the kernel that it was made of
    kept: tuple[int, ...]  # those of them that it still has, which come first
    hosts: tuple[Kernel, ...]  # have no space and no input; their outputs are the others
    ready: tuple[Scalars, ...] = field(compare=False, repr=False)  # which compute the same
    sized: tuple[str, ...] = field(compare=False, repr=False)  # symbols that they depend on

    def values(self, given: Sequence[float], dims: Mapping[str, int]) -> tuple[float, ...]:
        """Return the values of its parameters for those of the kernel that it was made of."""
        named = dict(zip(self.given, given, strict=True))
        made = [given[k] for k in self.kept]
        for scalars in self.ready:
            made += scalars(named, dims)
        return tuple(made)


def hoist(kernel: Kernel) -> Hoisted | None:
    """Take what is uniform out of a kernel; None where there is nothing that devices may round
    differently, or a library's routine may compute it."""
    if kernel.routine is not None:
        return None
    plain = without_zeros(kernel)  # afterwards nothing says that a weight is not negative
    names = _Names(kernel)
    hosts: list[Kernel] = []
    if isinstance(plain.form, Chain):
        stages = tuple([_hoist_stage(stage, names, hosts) for stage in plain.form.stages])
        made = replace(plain, form=replace(plain.form, stages=stages))
        used = {param for stage in stages for param in stage.params}
    else:
        made = _hoist_stage(plain, names, hosts)
        used = set(made.params)
    if not hosts:
        return None
    kept = tuple([k for k, param in enumerate(kernel.params) if param in used])
    params = [kernel.params[k] for k in kept]
    params += [Param(tensor.name, tensor.dtype) for host in hosts for tensor in host.outputs]
    given = tuple([param.name for param in kernel.params])
    ready = tuple([Scalars(block) for host in hosts for block in host.blocks])
    sized = tuple(sorted(frozenset().union(*[scalars.dims for scalars in ready])))
    return Hoisted(replace(made, params=tuple(params)), given, kept, tuple(hosts), ready, sized)


class _Names:
    """New names for values, and room for them."""

    def __init__(self, kernel: Kernel) -> None:
        self._taken = {param.name for param in kernel.params}
        for block in kernel.blocks:
            self._taken |= {arg.name for arg in block.args}
            self._taken |= {getattr(stmt, "name", "") for stmt in statements(block.body)}
        self._count = 0
        self._left = _BYTES

    def room(self, dtype: DType) -> bool:
        return dtype.size <= self._left

    def new(self, dtype: DType) -> str:
        self._left -= dtype.size
        while True:
            name = f"uniform{self._count}"
            self._count += 1
            if name not in self._taken:
                return name


def _hoist_stage(kernel: Kernel, names: _Names, hosts: list[Kernel]) -> Kernel:
    """Replace what is uniform in a kernel that is no chain; add what computes it to `hosts`."""
    known = len(hosts)

    def block(given: Block) -> Block:
        uniform = _Uniform(given, names)
        made = uniform.replaced(given)
        if not uniform.found:
            return given
        hosts.append(_host(kernel, uniform))
        return _swept(made)

    form = kernel.form
    if isinstance(form, Map | Row):
        form = replace(form, block=block(form.block))
    elif isinstance(form, Reduce):
        lift, combine, finish = map(block, (form.lift, form.combine, form.finish))
        form = replace(form, lift=lift, combine=combine, finish=finish)
    elif isinstance(form, Scan):
        both = form.combine and block(form.combine)
        form = replace(form, step=block(form.step), combine=both)
    if len(hosts) == known:
        return kernel
    made = replace(kernel, form=form)
    used = {node for each in made.blocks for node in expressions(each) if isinstance(node, Param)}
    new = [Param(tensor.name, tensor.dtype) for host in hosts[known:] for tensor in host.outputs]
    params = (*[param for param in kernel.params if param in used], *new)
    return replace(made, params=params)


def _host(kernel: Kernel, uniform: _Uniform) -> Kernel:
    """A kernel of one element that computes what was found in a block."""
    outputs = tuple([Tensor(param.name, param.dtype, ()) for _, param in uniform.found.values()])
    results = tuple([value for value, _ in uniform.found.values()])
    block = _swept(Block((), tuple(uniform.body), results))
    return Kernel(f"{kernel.name}_uniform", (), (), outputs, kernel.params, Map(block))


def _apart(facts: int) -> bool:
    """Whether the host is to compute it. A quotient of sizes stays: it is a part of indices, which
    code generators read."""
    if facts & _ROUNDED:
        return bool(facts & (_GIVEN | _SIZED))
    return facts & (_GIVEN | _QUOTIENT) == _GIVEN | _QUOTIENT


class _Uniform:
    """What is uniform in one block: its names, and what was replaced by parameters."""

    def __init__(self, block: Block, names: _Names) -> None:
        self.names = names
        self.found: dict[int, tuple[Expr, Param]] = {}  # by what they mean
        self.body: list[Stmt] = []  # sets uniform names, in order
        self._locals: dict[str, int] = {}
        self._meanings = Meanings()
        self._facts: dict[int, int | None] = {}  # by id: the block keeps its nodes,
        self._choices: list[Expr] = []  # and this those that are not the block's
        self._counts: dict[str, int] = {arg.name: 9 for arg in block.args}
        for stmt in statements(block.body):
            if isinstance(stmt, Assign | RowLet | RowFold | For):
                self._counts[stmt.name] = self._counts.get(stmt.name, 0) + 1
        self._look_at(block.body)

    def _look_at(self, body: tuple[Stmt, ...]) -> None:
        """Find the names that are uniform: what is set once, or once in each branch of an `if`, has
        one value wherever it can be read."""
        for stmt in body:
            match stmt:
                case Assign() if self._counts[stmt.name] == 1:
                    self._set(stmt)
                case If():
                    self._look_at(stmt.then)
                    self._look_at(stmt.orelse)
                    self._join(stmt)
                case For():
                    self._look_at(stmt.body)
                case While():
                    self._look_at(stmt.setup)
                    self._look_at(stmt.body)
                case _:
                    pass

    def _join(self, stmt: If) -> None:
        """Look at the names that both branches set: they are a choice between two values."""
        other = {each.name: each.value for each in stmt.orelse if isinstance(each, Assign)}
        for each in stmt.then:
            if isinstance(each, Assign) and each.name in other and self._counts[each.name] == 2:
                args = (stmt.test, each.value, other[each.name])
                self._choices.append(Op("select", args, each.value.dtype))
                self._set(Assign(each.name, self._choices[-1]))

    def _set(self, stmt: Assign) -> None:
        facts = self.facts(stmt.value)
        if facts is not None:
            self._locals[stmt.name] = facts
            self._meanings.set(stmt.name, stmt.value)
            self.body.append(stmt)

    def facts(self, node: Expr) -> int | None:
        """What a uniform expression is made of; None for others."""
        kind = type(node)
        if kind is Local:
            return self._locals.get(node.name)  # type: ignore[union-attr]
        if kind is not Op and kind is not Cast:
            return _LEAVES.get(kind)
        known = self._facts.get(id(node), -1)
        if known == -1:
            known = self._facts[id(node)] = self._look(node)
        return known

    def _look(self, node: Expr) -> int | None:
        made = 0
        for child in children(node):
            part = self.facts(child)
            if part is None:
                return None
            made |= part
        if isinstance(node, Op) and node.args[-1].dtype.is_float:
            made |= _KINDS.get(node.name, 0)
        return made

    def replaced(self, block: Block) -> Block:
        """The block with parameters in place of what the host computes. They have the names of
        variables as well, as what they replace had: code generators take a sum whose terms are
        equal apart, and look no further where there are variables in them."""
        body = self.stmts(block.body)
        results = tuple([self.expr(result) for result in block.results])
        first = tuple([Assign(param.name, param) for _, param in self.found.values()])
        return Block(block.args, first + body, results)

    def stmt(self, stmt: Stmt) -> Stmt:
        """A statement with its expressions replaced; what sets a name that is replaced wherever it
        is read stays, to be swept."""
        match stmt:
            case If():
                then, orelse = self.stmts(stmt.then), self.stmts(stmt.orelse)
                return If(self.expr(stmt.test), then, orelse)
            case For():
                start, stop = self.expr(stmt.start), self.expr(stmt.stop)
                return replace(stmt, start=start, stop=stop, body=self.stmts(stmt.body))
            case While():
                test, setup = self.expr(stmt.test), self.stmts(stmt.setup)
                return replace(stmt, test=test, body=self.stmts(stmt.body), setup=setup)
            case Assign() if stmt.name in self._locals and stmt.value.dtype in _PASSED:
                return stmt
            case _:
                return replace(stmt, value=self.expr(stmt.value))

    def stmts(self, body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple([self.stmt(stmt) for stmt in body])

    def expr(self, node: Expr) -> Expr:
        """An expression with the largest parts that the host computes replaced."""
        facts = self.facts(node)
        if facts is not None:
            if not _apart(facts):
                return node
            meaning = self._meanings.number(node)
            if meaning not in self.found and node.dtype in _PASSED and self.names.room(node.dtype):
                self.found[meaning] = node, Param(self.names.new(node.dtype), node.dtype)
            if meaning in self.found:
                return Local(self.found[meaning][1].name, node.dtype)
        if isinstance(node, Op):
            return Op(node.name, tuple([self.expr(arg) for arg in node.args]), node.dtype)
        if isinstance(node, Load):
            indices = tuple([self.expr(index) for index in node.indices])
            return Load(node.tensor, indices, node.dtype, node.inside)
        if isinstance(node, Cast):
            return Cast(self.expr(node.value), node.dtype)
        return node


def _swept(block: Block) -> Block:
    """A block without the assignments of names whose values nothing depends on."""
    sets: dict[str, list[Expr]] = {}
    live: list[Expr] = list(block.results)
    for stmt in statements(block.body):
        if isinstance(stmt, Assign | RowLet | RowFold):
            sets.setdefault(stmt.name, []).append(stmt.value)
        else:
            live += children(stmt)
    wanted: set[str] = set()
    while live:
        for node in walk(live.pop()):
            if isinstance(node, Local) and node.name not in wanted:
                wanted.add(node.name)
                live += sets.get(node.name, ())
    made = replace(block, body=_kept(block.body, wanted))
    # Where nothing is left in a branch, nothing depends on its test any more.
    branches = [sum(isinstance(s, If) for s in statements(b.body)) for b in (block, made)]
    return made if branches[0] == branches[1] else _swept(made)


def _kept(body: tuple[Stmt, ...], wanted: set[str]) -> tuple[Stmt, ...]:
    made: list[Stmt] = []
    for stmt in body:
        match stmt:
            case If():
                then, orelse = _kept(stmt.then, wanted), _kept(stmt.orelse, wanted)
                if then:
                    made.append(If(stmt.test, then, orelse))
                elif orelse:
                    made.append(If(Op("not", (stmt.test,), DType.BOOL), orelse))
            case For():
                made.append(replace(stmt, body=_kept(stmt.body, wanted)))
            case While():
                setup = _kept(stmt.setup, wanted)
                made.append(replace(stmt, body=_kept(stmt.body, wanted), setup=setup))
            case _:
                if stmt.name in wanted:
                    made.append(stmt)
    return tuple(made)
