"""How much a kernel computes for one element, roughly, in simple operations.

In: blocks. Out: numbers that decide what is worth computing twice. A factor of two does no harm.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.ir.nodes import (
    Block,
    Const,
    Expr,
    For,
    If,
    Kernel,
    Load,
    Op,
    Stmt,
    While,
    children,
    walk,
)

__all__ = ["HEAVY", "MANY", "operations", "trips"]

MANY = 1_000_000  # what is not known when compiled counts as much
HEAVY = 100  # of a stencil beside which a row's way through the cache is nothing

_FUNCTIONS = frozenset(
    (
        "pow exp exp2 expm1 log log2 log10 log1p sinh cosh tanh erf "
        "sin cos tan asin acos atan atan2"
    ).split()
)
_WEIGHTS = dict.fromkeys(_FUNCTIONS, 12) | {"div": 3, "sqrt": 4, "rsqrt": 4}
_WEIGHTS |= {"floordiv": 8, "mod": 8}


def operations(kernel: Kernel) -> int:
    """Operations and loads for one element of a map."""
    return sum(_block(block) for block in kernel.blocks)


def trips(loop: For) -> int:
    """How often a loop runs; MANY where that is not known."""
    if isinstance(loop.start, Const) and isinstance(loop.stop, Const):
        return len(range(int(loop.start.value), int(loop.stop.value), loop.step))
    return MANY


def _block(block: Block) -> int:
    return _body(block.body) + sum(_expr(result) for result in block.results)


def _body(body: Sequence[Stmt]) -> int:
    total = 0
    for stmt in body:
        total += sum(_expr(child) for child in children(stmt))
        match stmt:
            case If():
                total += _body(stmt.then) + _body(stmt.orelse)
            case For():
                total += trips(stmt) * max(_body(stmt.body), 1)
            case While():
                total += MANY
            case _:
                pass
    return total


def _expr(expr: Expr) -> int:
    total = 0
    for node in walk(expr):
        if isinstance(node, Op):
            total += _WEIGHTS.get(node.name, 1)
        elif isinstance(node, Load):
            total += 1
    return total
