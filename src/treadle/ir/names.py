"""Facts about the names of a block: how often each is set, what it stands for, where it ranges.

In: blocks. Out: plain tables, for passes and code generators alike. A name that is set once stands
for its value wherever it can be read; one that is set again stands for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace

from treadle.ir.nodes import (
    Assign,
    Axis,
    Block,
    Const,
    Expr,
    For,
    If,
    Local,
    RowFold,
    RowLet,
    Stmt,
    While,
    children,
    statements,
    walk,
)
from treadle.ir.rewrite import rewrite

__all__ = [
    "Range",
    "assigned",
    "depends",
    "lets_of",
    "needed",
    "ranges",
    "renamed_targets",
    "set_once",
    "single_names",
    "without",
]

Range = tuple[int, int]  # first and last value


def assigned(body: Sequence[Stmt]) -> set[str]:
    """The variables that a body assigns, nested statements included."""
    return {s.name for s in statements(tuple(body)) if isinstance(s, Assign)}


def set_once(block: Block) -> dict[str, Expr | None]:
    """The names that are set in one place only, and their values; None for loops and arguments."""
    found: dict[str, Expr | None] = {}
    again: set[str] = set()
    for arg in block.args:
        found[arg.name] = None
    for stmt in statements(block.body):
        if isinstance(stmt, Assign | For):
            if stmt.name in found:
                again.add(stmt.name)
            found[stmt.name] = stmt.value if isinstance(stmt, Assign) else None
    for name in again:
        del found[name]
    return found


def lets_of(block: Block) -> dict[str, Expr]:
    """What the names stand for that are set once, by a statement that always runs, in order."""
    once = set_once(block)
    return {s.name: s.value for s in block.body if isinstance(s, Assign) and s.name in once}


def needed(exprs: Sequence[Expr], lets: Mapping[str, Expr], stop: Container[str] = ()) -> set[str]:
    """The names of `lets` that expressions use, through others but not through those in `stop`."""
    found: set[str] = set()
    todo = list(exprs)
    while todo:
        for node in walk(todo.pop()):
            if isinstance(node, Local) and node.name in lets and node.name not in found:
                found.add(node.name)
                if node.name not in stop:
                    todo.append(lets[node.name])
    return found


def ranges(*blocks: Block) -> dict[str, Range | None]:
    """Where loop variables stay: None where bounds are not constant, both ranges together where
    two loops have one name. A name that is also assigned is none of them."""
    found: dict[str, Range | None] = {}
    other: set[str] = set()
    for block in blocks:
        other.update(arg.name for arg in block.args)
        for stmt in statements(block.body):
            if isinstance(stmt, Assign):
                other.add(stmt.name)
            elif isinstance(stmt, For):
                known = _range(stmt)
                if stmt.name in found:
                    before = found[stmt.name]
                    if known is not None and before is not None:
                        known = min(known[0], before[0]), max(known[1], before[1])
                    else:
                        known = None
                found[stmt.name] = known
    for name in other:
        found.pop(name, None)
    return found


def _range(loop: For) -> Range | None:
    if not isinstance(loop.start, Const) or not isinstance(loop.stop, Const):
        return None
    values = range(int(loop.start.value), int(loop.stop.value), loop.step)
    return (min(values), max(values)) if len(values) else (0, 0)


def depends(block: Block, axis: int) -> Callable[[Expr], bool]:
    """Return a test of whether an expression changes along an axis, by its value or by which
    statements set it."""
    names: set[str] = set()

    def changes(expr: Expr) -> bool:
        return any(
            (isinstance(e, Axis) and e.index == axis) or (isinstance(e, Local) and e.name in names)
            for e in walk(expr)
        )

    def follow(body: tuple[Stmt, ...], sometimes: bool) -> None:
        for stmt in body:
            found = sometimes or any(map(changes, children(stmt)))
            match stmt:
                case If():
                    follow(stmt.then, found)
                    follow(stmt.orelse, found)
                    continue
                case While():
                    follow((*stmt.setup, *stmt.body), found)
                    continue
                case For():
                    follow(stmt.body, found)
                case _:
                    pass
            if found:
                names.add(stmt.name)

    count = -1
    while count < len(names):  # a loop's later statements may set what its earlier ones read
        count = len(names)
        follow(block.body, False)
    return changes


def single_names(block: Block, mark: str) -> Block:
    """Give every statement of a row's block a name of its own: the old one, `mark` and a number."""
    current: dict[str, str] = {}

    def change(node: Expr) -> Expr:
        if isinstance(node, Local) and node.name in current:
            return Local(current[node.name], node.dtype)
        return node

    body: list[Stmt] = []
    for stmt in block.body:
        assert isinstance(stmt, Assign | RowLet | RowFold)
        value = rewrite(stmt.value, change)
        current[stmt.name] = f"{stmt.name}{mark}{len(body)}"
        body.append(replace(stmt, name=current[stmt.name], value=value))
    return Block(block.args, tuple(body), tuple(rewrite(r, change) for r in block.results))


def without(block: Block, unused: set[str]) -> Block:
    """Drop the assignments of some names."""

    def keep(stmt: Stmt) -> Stmt | None:
        return None if isinstance(stmt, Assign) and stmt.name in unused else stmt

    return replace(block, body=_each(block.body, keep))


def renamed_targets(body: tuple[Stmt, ...], change: Callable[[str], str]) -> tuple[Stmt, ...]:
    """Give what statements set other names; what reads them is left alone."""

    def name(stmt: Stmt) -> Stmt:
        if type(stmt) is Assign:
            return Assign(change(stmt.name), stmt.value)
        return stmt if isinstance(stmt, If | While) else replace(stmt, name=change(stmt.name))

    return _each(body, name)


def _each(body: tuple[Stmt, ...], change: Callable[[Stmt], Stmt | None]) -> tuple[Stmt, ...]:
    """Pass every statement through `change`, nested ones first; None drops one."""
    made: list[Stmt] = []
    for stmt in body:
        if type(stmt) is not Assign:  # most often it is
            match stmt:
                case If():
                    then, orelse = _each(stmt.then, change), _each(stmt.orelse, change)
                    stmt = replace(stmt, then=then, orelse=orelse)
                case For():
                    stmt = replace(stmt, body=_each(stmt.body, change))
                case While():
                    setup, inner = _each(stmt.setup, change), _each(stmt.body, change)
                    stmt = replace(stmt, setup=setup, body=inner)
                case _:
                    pass
        changed = change(stmt)
        if changed is not None:
            made.append(changed)
    return tuple(made)
