"""Fuse between barriers, and let what is left of the scratch take turns.

In: a Bound, and the numbers of stages before which a barrier stands. Out: a Fused of the whole, and
which pieces of memory its temps can share. Nothing is fused across a barrier; what one side writes
and the other reads is real memory. How stages are fused is fuse's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from weft.ir.bound import Bound, Spec, Stage
from weft.passes.fuse import Fused, fuse

__all__ = ["fuse_between", "share"]

Shared = frozenset[tuple[int, int]]


def fuse_between(
    bound: Bound,
    cuts: Sequence[int],
    *,
    near: int = 0,
    tensors: int = 16,
    shared: Shared = frozenset(),
) -> Fused:
    """Fuse the stages before, between and after the cuts, each part on its own; see fuse."""
    edges = sorted({0, *cuts, len(bound.stages)})
    if len(edges) <= 2:
        return fuse(bound, near=near, tensors=tensors, shared=shared)
    fixed = len(bound.inputs) + len(bound.outputs)
    tables = fixed + len(bound.temps)
    users: dict[int, set[int]] = {}
    for part, (low, high) in enumerate(pairwise(edges)):
        for stage in bound.stages[low:high]:
            for slot in (*stage.reads, *stage.writes):
                if fixed <= slot < tables:
                    users.setdefault(slot, set()).add(part)
    crossing = sorted(slot for slot, parts in users.items() if len(parts) > 1)
    whole = _Whole(bound, crossing)
    for part, (low, high) in enumerate(pairwise(edges)):
        local = sorted(slot for slot, parts in users.items() if parts == {part})
        alone = whole.part(bound.stages[low:high], local)
        whole.add(fuse(alone, near=near, tensors=tensors, shared=shared), low)
    return whole.result()


class _Whole:
    """Fused parts, put together again."""

    def __init__(self, bound: Bound, crossing: list[int]) -> None:
        self.bound = bound
        self.crossing = crossing
        self.fixed = len(bound.inputs) + len(bound.outputs)
        self.temps: list[Spec] = [bound.temps[slot - self.fixed] for slot in crossing]
        self.tables = list(bound.constants)
        self.stages: list[Stage] = []  # constants are slot -1 - k until the temps are counted
        self.groups: list[tuple[int, ...]] = []
        self.notes: list[str] = []

    def part(self, stages: tuple[Stage, ...], local: list[int]) -> Bound:
        """Stages as a Bound of their own: what crosses their edges is an output there."""
        bound, fixed = self.bound, self.fixed
        start = fixed + len(bound.temps)
        tables = range(start, start + len(bound.constants))
        order = [*range(fixed), *self.crossing, *local, *tables]
        place = {slot: k for k, slot in enumerate(order)}

        def inside(slots: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(place[slot] for slot in slots)

        return Bound(
            bound.inputs,
            (*bound.outputs, *(bound.temps[slot - fixed] for slot in self.crossing)),
            tuple(bound.temps[slot - fixed] for slot in local),
            tuple(replace(s, reads=inside(s.reads), writes=inside(s.writes)) for s in stages),
            bound.constants,
        )

    def add(self, fused: Fused, first: int) -> None:
        """Take over a fused part, whose stages were numbered from `first`."""
        kept = self.fixed + len(self.crossing)
        base = self.fixed + len(self.temps)
        self.temps += fused.bound.temps
        tables = kept + len(fused.bound.temps)

        def outside(slots: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(
                slot
                if slot < kept
                else base + slot - kept
                if slot < tables
                else -1 - self._table(fused.bound.constants[slot - tables])
                for slot in slots
            )

        self.stages += [
            replace(s, reads=outside(s.reads), writes=outside(s.writes)) for s in fused.bound.stages
        ]
        self.groups += [tuple(first + number for number in group) for group in fused.groups]
        self.notes += fused.notes

    def _table(self, table: object) -> int:
        for k, known in enumerate(self.tables):
            if known is table:
                return k
        self.tables.append(table)  # type: ignore[arg-type]
        return len(self.tables) - 1

    def result(self) -> Fused:
        """The whole."""
        last = self.fixed + len(self.temps)

        def settled(slots: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(slot if slot >= 0 else last - 1 - slot for slot in slots)

        stages = tuple(
            replace(s, reads=settled(s.reads), writes=settled(s.writes)) for s in self.stages
        )
        made = replace(
            self.bound, temps=tuple(self.temps), stages=stages, constants=tuple(self.tables)
        )
        return Fused(made, tuple(self.groups), tuple(self.notes))


def share(bound: Bound) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Let temps use the same memory one after the other, in the order of the stages.

    Returns each temp's piece (-1: no stage uses it) and the bytes of each piece. Pieces are taken
    whole: two temps share all of a piece or nothing, so that who looks at regions alone sees every
    conflict."""
    first = len(bound.inputs) + len(bound.outputs)
    last = first + len(bound.temps)
    used: dict[int, tuple[int, int]] = {}
    for n, stage in enumerate(bound.stages):
        for slot in (*stage.reads, *stage.writes):
            if first <= slot < last:
                used[slot] = (used.get(slot, (n, n))[0], n)
    places = [-1] * len(bound.temps)
    sizes: list[int] = []
    free_from: list[int] = []  # for each piece: the stage from which nobody uses it
    for slot in sorted(used, key=lambda slot: used[slot]):
        start, stop = used[slot]
        nbytes = bound.temps[slot - first].nbytes
        idle = [k for k, free in enumerate(free_from) if free <= start]
        # The one whose size is nearest: the largest of the idle ones may be needed next.
        best = min(idle, key=lambda k: abs(sizes[k] - nbytes), default=-1)
        if best < 0:
            best = len(sizes)
            sizes.append(0)
            free_from.append(0)
        sizes[best] = max(sizes[best], nbytes)
        free_from[best] = stop + 1
        places[slot - first] = best
    return tuple(places), tuple(sizes)
