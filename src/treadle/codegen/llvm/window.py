"""Sums over windows: what neighbours have in common is added up once.

In: a sum over a window, and emitters for neighbours. Out: the sum from parts that neighbours share:
rows side by side have most of their windows in common, and along a row sums of a few places are
made first and then added up. Integers give the same bits as one after the other would, floats are
rounded in another order, and less often. Knows nothing about where rows live.
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle.codegen.llvm.emit import Emitter
from treadle.codegen.llvm.ops import spell
from treadle.codegen.llvm.text import Value
from treadle.ir.loops import WindowSum

__all__ = ["added", "shared_sum"]

_RUN = 8  # values added one after the other; runs are independent of each other


def added(window: WindowSum, values: Sequence[Value]) -> Value:
    """Add values in short runs, then what the runs give."""
    found = list(values)
    while len(found) > 1:
        runs = [found[at : at + _RUN] for at in range(0, len(found), _RUN)]
        found = [_run(window, run) for run in runs]
    return found[0]


def _run(window: WindowSum, values: Sequence[Value]) -> Value:
    total = values[0]
    for value in values[1:]:
        total = spell("add", window.dtype, [total, value])
    return total


def shared_sum(window: WindowSum, e: Emitter, row: int, rows: int) -> Value:
    """Emit the sum for one of some rows that are emitted side by side, sharing what is equal: the
    places that all of them have, those before that rows above share, and those after."""
    count = len(window.terms)
    own = {row + k: e.value(term) for k, term in enumerate(window.terms)}
    parts = [added(window, [own[place] for place in range(rows - 1, count)])]
    if row < rows - 1:
        parts.append(_run(window, [own[place] for place in range(rows - 2, row - 1, -1)]))
    if row:
        parts.append(_run(window, [own[place] for place in range(count, count + row)]))
    return _run(window, parts)
