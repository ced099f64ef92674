"""Join recorded stages into one Bound over numbered slots.

In: entries, each bound on its own. Out: a Joined: one Bound, the buffers of its slots, the values
of its parameters, which slots overlap, where barriers stand, and which stage each kernel belongs
to. What is the same memory is the same slot. It plans nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from treadle.data import dataclass, make_methods
from treadle.ir.bound import Bound, Spec, Stage
from treadle.ir.repeat import Loop, reads_of
from treadle.pipeline.entry import Entry, Operand, Temp, spec_of
from treadle.runtime.buffer import Buffer
from treadle.runtime.plan import Planned, overlap
from treadle.runtime.prepared import Ready, Scratch

__all__ = ["Joined", "Slots", "early", "join", "number", "ready", "values_of"]

Shared = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Slots:
    """The slots of everything that a pipeline's entries name, and the buffers behind them."""

    inputs: tuple[Buffer, ...]
    outputs: tuple[Buffer, ...]
    temps: tuple[Temp, ...]
    scratch: tuple[Spec, ...]  # of the temps, as they were when they were numbered
    reads: tuple[tuple[int, ...], ...]  # by entry
    writes: tuple[tuple[int, ...], ...]
    shared: Shared

    @property
    def pattern(self) -> Hashable:
        """What of it a plan depends on: not which buffers, but how they lie to each other."""
        specs = (*[spec_of(item) for item in (*self.inputs, *self.outputs)], *self.scratch)
        return (specs, len(self.inputs), len(self.outputs), self.reads, self.writes, self.shared)


@dataclass(frozen=True, slots=True)
class Joined:
    """A pipeline's stages as one Bound."""

    bound: Bound
    cuts: tuple[int, ...]  # stages before which a barrier stands
    shared: Shared
    owners: tuple[int, ...]  # for each stage: the number of the entry it belongs to


make_methods(Slots, Spec)  # which a submit makes, and that has no time


def number(entries: Sequence[Entry]) -> Slots:
    """Give every piece of memory that entries name its slot: inputs, outputs, temps."""
    places: dict[Any, Operand] = {}
    written: dict[Any, None] = {}

    def keys(items: Sequence[Operand]) -> list[Any]:
        found = []
        for item in items:
            if isinstance(item, Temp):
                key: Any = item.root
                places[key] = item.root
            else:
                key = (item._storage, item._low, item._high)
                places.setdefault(key, item)
            found.append(key)
        return found

    used = []
    for entry in entries:
        reads, writes = keys(entry.inputs), keys(entry.outputs)
        written.update(dict.fromkeys(writes))
        used.append((reads, writes))
    temps = [key for key in places if isinstance(key, Temp)]
    outputs = [key for key in written if not isinstance(key, Temp)]
    inputs = [key for key in places if key not in written and not isinstance(key, Temp)]
    slots = {key: slot for slot, key in enumerate((*inputs, *outputs, *temps))}
    buffers: list[Any] = [places[key] for key in (*inputs, *outputs)]
    pairs = [
        (a, b)
        for a in range(len(buffers))
        for b in range(max(a + 1, len(inputs)), len(buffers))
        if overlap(buffers[a], buffers[b])
    ]
    shared = frozenset([*pairs, *((b, a) for a, b in pairs)])
    return Slots(
        tuple(buffers[: len(inputs)]),
        tuple(buffers[len(inputs) :]),
        tuple(temps),
        tuple([temp.spec for temp in temps]),
        tuple(tuple(slots[key] for key in reads) for reads, _ in used),
        tuple(tuple(slots[key] for key in writes) for _, writes in used),
        shared,
    )


def values_of(entries: Sequence[Entry]) -> tuple[float, ...]:
    """The values of all parameters, in the order in which `join` numbers them."""
    values: list[float] = []
    for entry in entries:
        if entry.bound is not None:
            values += entry.values
            for stage in entry.bound.stages:
                values += stage.fixed or ()
    return tuple(values)


class _Join:
    """A Bound in the making; scratch of entries' own and constants are numbered as they come."""

    def __init__(self, slots: Slots) -> None:
        self.slots = slots
        self.first = len(slots.inputs) + len(slots.outputs)
        self.temps: list[Spec] = list(slots.scratch)
        self.tables: list[np.ndarray[Any, Any]] = []  # slot -1 - k until the temps are counted
        self.stages: list[Stage] = []
        self.loops: list[Loop] = []
        self.owners: list[int] = []
        self.values = 0

    def temp(self, spec: Spec) -> int:
        self.temps.append(spec)
        return self.first + len(self.temps) - 1

    def add(self, entry: Entry, owner: int) -> None:
        bound = entry.bound
        assert bound is not None
        reads, writes = self.slots.reads[owner], self.slots.writes[owner]
        outer = [*reads, *writes, *(self.temp(spec) for spec in bound.temps)]
        for table in bound.constants:
            self.tables.append(table)
            outer.append(-len(self.tables))
        aside = self._aside(bound, outer)
        for inner in aside:
            outer[inner] = self.temp(bound.outputs[inner - len(bound.inputs)])
        base = self.values
        self.values += len(entry.values)
        self.loops += [loop.moved(len(self.stages), outer.__getitem__) for loop in bound.loops]
        for stage in bound.stages:
            picks = tuple(base + pick for pick in stage.picks)
            if stage.fixed is not None:
                picks = tuple(range(self.values, self.values + len(stage.fixed)))
                self.values += len(stage.fixed)
            reads = tuple([outer[slot] for slot in stage.reads])
            writes = tuple([outer[slot] for slot in stage.writes])
            made = Stage(stage.kernel, reads, writes, stage.dims, picks, None, stage.grows)
            self._append(made, owner)
        for inner, slot in aside.items():
            self._append(_copy(bound.outputs[inner - len(bound.inputs)], outer[inner], slot), owner)

    def _append(self, stage: Stage, owner: int) -> None:
        self.stages.append(stage)
        self.owners.append(owner)

    def _aside(self, bound: Bound, outer: list[int]) -> dict[int, int]:
        """The outputs of a kernel of several stages that share memory with an input which a later
        stage still reads: they are computed on the side and copied at the end."""
        first, last = len(bound.inputs), len(bound.inputs) + len(bound.outputs)
        found: dict[int, int] = {}
        for inner in range(first, last):
            target = outer[inner]
            hits = {k for k in range(first) if self._touch(outer[k], target)}
            if not hits:
                continue
            written = False
            for stage, reads in zip(bound.stages, reads_of(bound), strict=True):
                if written and hits & set(reads):
                    found[inner] = target
                written = written or inner in stage.writes
        return found

    def _touch(self, a: int, b: int) -> bool:
        return a == b or (a, b) in self.slots.shared


def join(entries: Sequence[Entry], slots: Slots) -> Joined:
    """Put the stages of all entries into one Bound."""
    made = _Join(slots)
    cuts = []
    for owner, entry in enumerate(entries):
        if entry.bound is None:
            cuts.append(len(made.stages))
        else:
            made.add(entry, owner)
    stages, loops = made.stages, made.loops
    if made.tables:
        last = made.first + len(made.temps)

        def settle(slot: int) -> int:
            return slot if slot >= 0 else last - 1 - slot

        # No stage writes a table.
        stages = [replace(s, reads=tuple(map(settle, s.reads))) for s in stages]
        loops = [loop.moved(0, settle) for loop in loops]
    bound = Bound(
        tuple([spec_of(buffer) for buffer in slots.inputs]),
        tuple([spec_of(buffer) for buffer in slots.outputs]),
        tuple(made.temps),
        tuple(stages),
        tuple(made.tables),
        tuple(loops),
    )
    return Joined(bound, tuple(cuts), slots.shared, tuple(made.owners))


def ready(entries: Sequence[Entry], joined: Joined, planned: Planned, scratch: Scratch) -> Ready:
    """Return what the runs of entries need of their plan."""
    count = len(entries)
    names = [entry.label or entry.kernel for entry in entries]

    def titles(stages: tuple[int, ...]) -> str:
        indices = sorted({joined.owners[stage] for stage in stages})
        listed = ", ".join(str(index + 1) for index in indices)
        called = ", ".join(names[index] for index in indices)
        return f"stage{'s' if len(indices) > 1 else ''} {listed} of {count} ({called})"

    return Ready(planned, scratch, titles)


def early(slots: Slots) -> tuple[int, ...]:
    """The slots of buffers that are read before an entry has written all of them: their contents
    from before the run are read."""
    buffers = (*slots.inputs, *slots.outputs)
    written: list[Buffer] = []
    found: dict[int, None] = {}
    for reads, writes in zip(slots.reads, slots.writes, strict=True):
        for slot in reads:
            if slot < len(buffers) and not any(_covers(w, buffers[slot]) for w in written):
                found[slot] = None
        written += [buffers[slot] for slot in writes if slot < len(buffers)]
    return tuple(sorted(found))


def _covers(a: Buffer, b: Buffer) -> bool:
    return a._storage is b._storage and a._low <= b._low and b._high <= a._high


def _copy(spec: Spec, source: int, target: int) -> Stage:
    from treadle.kernels.shape import copied

    flat = (Spec((spec.elements,), spec.dtype),)
    (stage,) = copied.bind(flat, flat, *copied.arguments({})).stages
    return replace(stage, reads=(source,), writes=(target,))
