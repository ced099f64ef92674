"""What the elements of a scan do to its state, found by looking at the step.

In: a Scan kernel. Out: a Transition, or None where the next state depends on the last one in a way
that cannot be summed up. A kernel may say how states combine. Otherwise each part of the state is a
running sum, product, largest or smallest one or a combination of bits; or every part is a sum of
multiples of parts plus something else, a linear recurrence. Summing that up is walking it from zero
and, without what is added, from one for each part alone: by the very operations of the step, so
that it rounds as the step does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace

from treadle.data import dataclass
from treadle.dtypes import DType
from treadle.ir.names import assigned
from treadle.ir.nodes import (
    Assign,
    Block,
    Const,
    Expr,
    For,
    If,
    Local,
    Op,
    Scan,
    Stmt,
    While,
    children,
    statements,
    walk,
)
from treadle.ir.rewrite import rewrite
from treadle.ir.rounding import rounds
from treadle.ir.transition import Transition

__all__ = ["transition_of"]

_MOST = 3  # parts of a state that is a linear recurrence: its summary has the square of it more
_INF = float("inf")
_WORDS = {
    "add": "sums",
    "mul": "products",
    "maximum": "largest ones",
    "minimum": "smallest ones",
    "bitand": "bits",
    "bitor": "bits",
    "bitxor": "bits",
}


def transition_of(form: Scan) -> Transition | None:
    """Find how stretches of a scan are summed up."""
    step, count = form.step, len(form.init)
    if any(c.dtype is DType.BOOL for c in form.init):
        return None
    follow = replace(step, results=step.results[:count])
    if form.combine is not None:
        both = form.combine
        return Transition("as declared", form.init, follow, both, both, rounds(both))
    reader = _Reader.of(step)
    if reader is None:
        return None
    return _running(form, follow, reader) or _linear(form, reader)


@dataclass(frozen=True, slots=True)
class _Reader:
    """The straight line of a step: which of its locals depend on the state, and their values."""

    free: tuple[Stmt, ...]  # statements that do not
    bound: dict[str, Expr] = field(default_factory=dict)  # by name, in order, those that do

    @staticmethod
    def of(step: Block) -> _Reader | None:
        """Read a step; None where one of its locals is not assigned once, or in a loop."""
        names = [s.name for s in statements(step.body) if isinstance(s, Assign)]
        state = {arg.name for arg in step.args}
        simple = {s.name for s in step.body if isinstance(s, Assign)}
        if any(names.count(name) > 1 for name in simple) or state & set(names):
            return None
        free: list[Stmt] = []
        found = _Reader((), {})
        for stmt in step.body:
            if isinstance(stmt, Assign):
                if found.depends(stmt.value, state):
                    found.bound[stmt.name] = stmt.value
                else:
                    free.append(stmt)
                continue
            if any(found.depends(each, state) for each in _inside(stmt)):
                return None
            if assigned((stmt,)) & set(found.bound):
                return None
            free.append(stmt)
        return replace(found, free=tuple(free))

    def depends(self, expr: Expr, state: set[str]) -> bool:
        """Whether an expression depends on the state."""
        return any(
            isinstance(node, Local) and (node.name in state or node.name in self.bound)
            for node in walk(expr)
        )

    def whole(self, expr: Expr) -> Expr:
        """An expression without the locals that depend on the state."""

        def change(node: Expr) -> Expr:
            if isinstance(node, Local) and node.name in self.bound:
                return self.whole(self.bound[node.name])
            return node

        return rewrite(expr, change)


def _inside(stmt: Stmt) -> list[Expr]:
    """Every expression in a statement and in those inside of it."""
    if isinstance(stmt, If | For | While):
        return [child for each in statements((stmt,)) for child in children(each)]
    return list(children(stmt))


# Running sums and the like


def _running(form: Scan, follow: Block, reader: _Reader) -> Transition | None:
    """Each part of the state combined with something else by one operation."""
    state = {arg.name for arg in form.step.args}
    ops: list[str] = []
    for arg, result in zip(form.step.args, follow.results, strict=True):
        value = reader.whole(result)
        if not isinstance(value, Op) or value.name not in _WORDS or value.dtype is not arg.dtype:
            return None
        a, b = value.args
        other = b if a == arg else a
        if arg not in (a, b) or reader.depends(other, state):
            return None
        ops.append(value.name)
    return _combined(form, follow, ops)


def _combined(form: Scan, follow: Block, ops: Sequence[str]) -> Transition:
    """Summaries that are states, whose parts are combined by an operation each."""
    dtypes = [arg.dtype for arg in form.step.args]
    left, right = _locals("left", dtypes), _locals("right", dtypes)
    results = [Op(name, (a, b), a.dtype) for name, a, b in zip(ops, left, right, strict=True)]
    both = Block((*left, *right), (), tuple(results))
    init = tuple(_identity(name, dtype) for name, dtype in zip(ops, dtypes, strict=True))
    kinds = " and ".join(dict.fromkeys(_WORDS[name] for name in ops))
    return Transition(kinds, init, follow, both, both, rounds(both))


def _identity(name: str, dtype: DType) -> Const:
    bits, signed = 8 * dtype.size, dtype in (DType.S32, DType.S64)
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    known: dict[str, float] = {
        "mul": 1,
        "maximum": low,
        "minimum": high,
        "bitand": -1 if signed else high,
    }
    if dtype.is_float:
        known |= {"maximum": -_INF, "minimum": _INF}
    value = known.get(name, 0)
    return Const(float(value) if dtype.is_float else value, dtype)


def _locals(name: str, dtypes: Sequence[DType]) -> tuple[Local, ...]:
    return tuple(Local(f"{name}{k}", dtype) for k, dtype in enumerate(dtypes))


# Linear recurrences


def _linear(form: Scan, reader: _Reader) -> Transition | None:
    """Every part of the state a sum of multiples of parts, plus something else."""
    state, count = form.step.args, len(form.init)
    dtype = state[0].dtype
    values = [reader.whole(result) for result in form.step.results[:count]]
    if count > _MOST or any(arg.dtype is not dtype for arg in state):
        return None
    names = {arg.name for arg in state}
    alone = [_multiple(value, lambda e: reader.depends(e, names)) for value in values]
    pairs = zip(values, alone, strict=True)
    if any(rest is None and reader.depends(value, names) for value, rest in pairs):
        return None
    if dtype.is_float and any(_cancels(value) for value in values):
        return None
    if alone == list(state):
        follow = replace(form.step, results=form.step.results[:count])
        return _combined(form, follow, ["add"] * count)
    zero, one = (Const(float(v) if dtype.is_float else v, dtype) for v in (0, 1))
    images = [_locals(f"image{j}_", [dtype] * count) for j in range(count)]
    added = _locals("added", [dtype] * count)
    results = [
        zero if value is None else _renamed(value, state, image)
        for image in images
        for value in alone
    ]
    results += [_renamed(value, state, added) for value in values]
    args = (*[part for image in images for part in image], *added)
    follow = Block(args, reader.free, tuple(results))
    init = [one if j == k else zero for j in range(count) for k in range(count)] + [zero] * count
    combine = _composed(count, dtype)
    apply = _applied(count, dtype)
    return Transition("a linear recurrence", tuple(init), follow, combine, apply, rounds(combine))


def _multiple(value: Expr, depends: Callable[[Expr], bool]) -> Expr | None:
    """What is left of an expression when nothing is added to multiples of the state; None where
    nothing is left, or where it is no sum of such."""
    if isinstance(value, Local):
        return value if depends(value) else None
    if not isinstance(value, Op) or not depends(value):
        return None
    parts = [_multiple(arg, depends) for arg in value.args]
    bound = [depends(arg) for arg in value.args]
    if any(b and p is None for b, p in zip(bound, parts, strict=True)):
        return None
    first, last = parts[0], parts[-1]
    match value.name:
        case "add":
            if first is not None and last is not None:
                return replace(value, args=(first, last))
            return last if first is None else first
        case "sub":
            if first is not None and last is not None:
                return replace(value, args=(first, last))
            return first if last is None else Op("neg", (last,), value.dtype)
        case "neg":
            return replace(value, args=(first,)) if first is not None else None
        case "mul" if sum(bound) == 1:
            args = tuple(p if p is not None else a for p, a in zip(parts, value.args, strict=True))
            return replace(value, args=args)
        case "div" if bound == [True, False] and value.dtype.is_float and first is not None:
            return replace(value, args=(first, value.args[1]))
        case "select" if not bound[0]:
            zero = Const(0.0 if value.dtype.is_float else 0, value.dtype)
            sides = tuple(zero if part is None else part for part in parts[1:])
            return replace(value, args=(value.args[0], *sides))
    return None


def _cancels(value: Expr) -> bool:
    """Whether terms of a sum are added and taken away: what is left is what rounding made of them,
    which is meant, as in a sum that keeps what it loses, and is another in another order."""
    sums = (node for node in walk(value) if isinstance(node, Op) and node.name in ("add", "sub"))
    return any((-sign, factors) in terms for terms in map(_terms, sums) for sign, factors in terms)


def _terms(value: Expr) -> set[tuple[int, frozenset[Expr]]]:
    """The terms of a sum, multiplied out: signs and factors."""
    if isinstance(value, Op):
        parts = [_terms(arg) for arg in value.args]
        if value.name == "add":
            return parts[0] | parts[1]
        if value.name in ("sub", "neg"):
            less = {(-sign, factors) for sign, factors in parts[-1]}
            return less if value.name == "neg" else parts[0] | less
        if value.name == "mul":
            return {(s * t, a | b) for s, a in parts[0] for t, b in parts[1]}
    return {(1, frozenset({value}))}


def _renamed(value: Expr, old: Sequence[Local], new: Sequence[Local]) -> Expr:
    names = {a.name: b for a, b in zip(old, new, strict=True)}
    return rewrite(value, lambda e: names.get(e.name, e) if isinstance(e, Local) else e)


def _times(images: Sequence[Sequence[Expr]], state: Sequence[Expr]) -> list[Expr]:
    """The state that one becomes, if nothing is added: as many of each image as there is."""
    dtype = state[0].dtype
    found = []
    for k in range(len(state)):
        total: Expr | None = None
        for image, part in zip(images, state, strict=True):
            term = Op("mul", (image[k], part), dtype)
            total = term if total is None else Op("add", (total, term), dtype)
        assert total is not None
        found.append(total)
    return found


def _summary(
    side: str, count: int, dtype: DType
) -> tuple[list[tuple[Local, ...]], tuple[Local, ...]]:
    images = [_locals(f"{side}{j}_", [dtype] * count) for j in range(count)]
    return images, _locals(f"{side}_added", [dtype] * count)


def _composed(count: int, dtype: DType) -> Block:
    before, more = _summary("left", count, dtype)
    after, extra = _summary("right", count, dtype)
    results = [part for image in before for part in _times(after, image)]
    moved = _times(after, more)
    results += [Op("add", pair, dtype) for pair in zip(moved, extra, strict=True)]
    args = (*[p for image in before for p in image], *more)
    return Block((*args, *[p for image in after for p in image], *extra), (), tuple(results))


def _applied(count: int, dtype: DType) -> Block:
    state = _locals("before", [dtype] * count)
    images, added = _summary("right", count, dtype)
    pairs = zip(_times(images, state), added, strict=True)
    results = tuple(Op("add", pair, dtype) for pair in pairs)
    return Block((*state, *[p for image in images for p in image], *added), (), results)
