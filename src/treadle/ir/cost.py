"""How much a block computes for one element, roughly.

In: blocks. Out: statements with how often each runs, and counts of simple operations that decide
what is worth computing twice; a factor of two does no harm. Two counts elsewhere have other units:
passes.schedule.effort estimates time, with sizes known only at launch, and codegen.gpu.tile
counts the operations of a text that is written out for several elements, what they share aside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from treadle.ir.nodes import Const, Expr, For, If, Kernel, Load, Op, Stmt, While, children, walk

__all__ = ["HEAVY", "MANY", "costly", "functions", "operations", "repeated", "trips", "weight"]

MANY = 1_000_000  # what is not known when compiled counts as much
HEAVY = 100  # of a stencil beside which a row's way through the cache is nothing

_SIMPLE = frozenset(
    "add sub mul neg abs minimum maximum select lt le gt ge eq ne and or not".split()
)
_FUNCTIONS = frozenset(
    (
        "pow exp exp2 expm1 log log2 log10 log1p sinh cosh tanh erf "
        "sin cos tan asin acos atan atan2"
    ).split()
)
_WEIGHTS = dict.fromkeys(_FUNCTIONS, 12) | {"div": 3, "sqrt": 4, "rsqrt": 4}
_WEIGHTS |= {"floordiv": 8, "mod": 8}


def costly(expr: Expr) -> bool:
    """Whether keeping a value can be worth more than computing it again."""
    return any(isinstance(n, Op) and n.name not in _SIMPLE for n in walk(expr))


def trips(loop: For | While) -> int:
    """How often a loop runs; MANY where that is not known."""
    if isinstance(loop, For) and isinstance(loop.start, Const) and isinstance(loop.stop, Const):
        return len(range(int(loop.start.value), int(loop.stop.value), loop.step))
    return MANY


def repeated(
    body: Sequence[Stmt], turns: Callable[[For | While], int], times: int = 1
) -> Iterator[tuple[Stmt, int]]:
    """Every statement of a body, nested ones included, and how often it runs, where a loop takes
    `turns`; both sides of a branch count. The test of a while is taken in every turn."""
    for stmt in body:
        match stmt:
            case If():
                yield stmt, times
                yield from repeated(stmt.then, turns, times)
                yield from repeated(stmt.orelse, turns, times)
            case For():
                yield stmt, times
                yield from repeated(stmt.body, turns, times * turns(stmt))
            case While():
                inner = times * turns(stmt)
                yield stmt, inner
                yield from repeated((*stmt.setup, *stmt.body), turns, inner)
            case _:
                yield stmt, times


def operations(kernel: Kernel) -> int:
    """Operations and loads for one element of a map."""
    total = 0
    for block in kernel.blocks:
        total += sum(map(weight, block.results))
        for stmt, times in repeated(block.body, trips):
            total += times * sum(map(weight, children(stmt)))
    return total


def functions(expr: Expr) -> int:
    """How many functions an expression computes that take a dozen instructions each."""
    return sum(isinstance(node, Op) and node.name in _FUNCTIONS for node in walk(expr))


def weight(expr: Expr) -> int:
    """Operations and loads of an expression."""
    total = 0
    for node in walk(expr):
        if isinstance(node, Op):
            total += _WEIGHTS.get(node.name, 1)
        elif isinstance(node, Load):
            total += 1
    return total
