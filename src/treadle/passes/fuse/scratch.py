"""Let scratch serve one value after another.

In: what steps write and read, in order. Out: a place for each value; values that are not alive at
the same time may have the same one. Places are taken whole, so that code which looks at regions
alone sees every conflict.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from treadle.ir.bound import Spec

__all__ = ["share"]

V = TypeVar("V", bound=Hashable)


def share(
    steps: Sequence[tuple[Sequence[V], Sequence[V]]], specs: Mapping[V, Spec]
) -> tuple[dict[V, int], list[Spec]]:
    """Return each value's place and what the places hold; values without a spec have none.

    Steps run in order; a step's writes never share a place with what it reads."""
    last_use = {v: n for n, (writes, reads) in enumerate(steps) for v in (*writes, *reads)}
    places: dict[V, int] = {}
    kept: list[Spec] = []
    free: list[int] = []
    for n, (writes, reads) in enumerate(steps):
        for value in (*writes, *reads):
            if value in specs and value not in places:
                spec = specs[value]
                # The one whose size is nearest, and none of more than twice the size: something
                # small that lives on would keep it from what is large and comes next.
                fits = [k for k in free if kept[k].nbytes <= 2 * spec.nbytes]
                best = min(fits, key=lambda k: abs(kept[k].nbytes - spec.nbytes), default=None)
                if best is not None:
                    free.remove(best)
                    places[value] = best
                    kept[best] = max(kept[best], spec, key=lambda s: s.nbytes)
                else:
                    places[value] = len(kept)
                    kept.append(spec)
        # Freed after this step's own writes have their places: it still reads these.
        ending = {v for v in (*writes, *reads) if v in places and last_use[v] == n}
        free += sorted({places[v] for v in ending})
    return places, kept
