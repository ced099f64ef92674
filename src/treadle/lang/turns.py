"""How long loops over constants are together, before any is evaluated.

In: statements, the names that have values, and what evaluates an expression. Out: a number of
turns, and how much there is to evaluate in each. Whether loops are then written out is evaluate's
to say.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

__all__ = ["is_range", "nodes", "turns"]


def is_range(node: ast.expr) -> bool:
    """Whether a loop goes over range(...)."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "range"
        and 1 <= len(node.args) <= 3
    )


def turns(
    body: Sequence[ast.stmt],
    env: Mapping[str, Any],
    value: Callable[[ast.expr], Any],
    most: int,
) -> int:
    """Return how many turns the loops in a body make, those inside each other multiplied; where
    bounds depend on more than whole numbers that are known now, a loop counts as one turn. What is
    longer than `most` may be any number above it."""
    found = 1
    for stmt in body:
        inner = [*getattr(stmt, "body", ()), *getattr(stmt, "orelse", ())]
        count = turns(inner, env, value, most)
        if isinstance(stmt, ast.For) and is_range(stmt.iter):
            args: list[ast.expr] = stmt.iter.args  # type: ignore[attr-defined]
            names = {n.id for arg in args for n in ast.walk(arg) if isinstance(n, ast.Name)}
            if all(isinstance(env.get(name), int) for name in names):
                bounds = [value(arg) for arg in args]
                if all(isinstance(bound, int) for bound in bounds) and bounds[2:] != [0]:
                    count *= len(range(*bounds)[: most + 1])
        found = max(found, count)
    return found


@lru_cache(1024)
def nodes(loop: ast.For) -> int:
    """Return how many nodes of syntax the body of a loop has, those inside it included; a call
    counts as itself."""
    return sum(1 for stmt in loop.body for _ in ast.walk(stmt))
