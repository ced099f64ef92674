"""How a pipeline runs, in words and figures: what was fused, what was not and why, what it saves.

In: recorded stages, the joined Bound and what the device planned. Out: text and pictures. It
changes nothing and runs nothing; drawing is drawing's.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import zip_longest
from typing import Any

from treadle.data import dataclass
from treadle.ir.bound import Bound
from treadle.pipeline.entry import RecordedStage
from treadle.pipeline.joined import Joined
from treadle.runtime.plan import Planned
from treadle.tables import listing

__all__ = ["Group", "PipelinePlan"]

_PART = re.compile(r"(?<!\w)_(?=\w)")


@dataclass(frozen=True, slots=True)
class Group:
    """Stages that run as one kernel."""

    stages: tuple[int, ...]  # indices of recorded stages
    kernel: str  # the name of what runs
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    nbytes: int  # moved to and from memory
    times: int = 1  # that it runs, in turn with the other groups of a loop
    arithmetic: str = ""  # how it computes, where the pipeline has a tolerance,
    steps: int = 0  # and how many steps its outputs may be off


class PipelinePlan:
    """A compiled pipeline, to look at; made by plan()."""

    def __init__(
        self,
        name: str,
        device: str,
        stages: tuple[RecordedStage, ...],
        joined: Joined,
        planned: Planned,
        names: tuple[str | None, ...] = (),  # of the buffers, where they have one
    ) -> None:
        self.name = name
        self.device = device
        self.stages = stages
        self._joined = joined
        self._planned = planned
        self._names = names

    @property
    def groups(self) -> tuple[Group, ...]:
        """What runs, in order: each group is one kernel."""
        bound = self._planned.bound
        labels = self._labels(bound)
        planned = self._planned
        choices: tuple[Any, ...] = planned.choices or ((),) * len(planned.groups)
        return tuple(
            Group(
                self._owners(members),
                stage.kernel.name.removeprefix("_"),
                tuple(dict.fromkeys(labels[slot] for slot in stage.reads)),
                tuple(labels[slot] for slot in stage.writes),
                times * _moved(bound, stage.reads, stage.writes),
                times,
                *choice,
            )
            for stage, members, choice, times in zip(
                bound.stages, planned.groups, choices, _times(bound), strict=True
            )
        )

    @cached_property
    def schedules(self) -> tuple[str, ...]:
        """How each group's elements are walked, in words; empty where a device has one way only."""
        planned = self._planned
        return tuple(planned.schedule(stage.kernel).words for stage in planned.bound.stages)

    @property
    def bytes_before(self) -> int:
        """Bytes that the stages would move one by one."""
        return _traffic(self._joined.bound)

    @property
    def bytes_after(self) -> int:
        """Bytes that the groups move."""
        return _traffic(self._planned.bound)

    @property
    def scratch_before(self) -> int:
        """Bytes of scratch as recorded."""
        return sum(spec.nbytes for spec in self._joined.bound.temps)

    @property
    def scratch(self) -> int:
        """Bytes of scratch that a run uses."""
        return sum(self._planned.pieces)

    @property
    def steps(self) -> int:
        """How many steps of 255 an output may be away from the exact result; 0: it is exact."""
        return max((choice.steps for choice in self._planned.choices), default=0)

    @property
    def summary(self) -> tuple[str, ...]:
        """Stages, groups, traffic and scratch in a line each."""
        return (self._heading(), *self._savings())

    @cached_property
    def _text(self) -> str:
        parts = [self._heading(), "", "stages"]
        parts += [f"  {self._stage_line(index)}" for index in range(len(self.stages))]
        parts += ["", "groups"]
        groups, schedules = self.groups, self.schedules
        for k, group in enumerate(groups, 1):
            names = ", ".join(self._title(index) for index in group.stages)
            flow = f"{' + '.join(group.reads) or 'nothing'} -> {' + '.join(group.writes)}"
            often = f"{group.times} times: " if group.times > 1 else ""
            parts.append(f"  {k}. {often}{names}: {flow}, {_size(group.nbytes)}")
            if group.arithmetic:
                parts.append(f"     {group.arithmetic}")
            if schedules[k - 1]:
                parts.append(f"     {schedules[k - 1]}")
        if not groups:
            parts.append("  none: nothing that is written can be read afterwards")
        parts += ["", *self._savings()]
        return "\n".join(parts)

    def explain(self) -> str:
        """Say what runs: stages, groups, what was fused and what was not, and what that saves."""
        return self._text

    def to_mermaid(self) -> str:
        """Draw it as a Mermaid flowchart: buffers, stages, and groups around what runs as one."""
        from treadle.pipeline.drawing import mermaid

        return mermaid(self)

    def to_svg(self) -> str:
        """Draw it as an SVG picture."""
        from treadle.pipeline.drawing import svg

        return svg(self)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        rows = [
            (each.kernel, [self._title(k) for k in each.stages], each.nbytes)
            for each in self.groups
        ]
        table = listing(self._heading(), ("what runs", "stages", "bytes moved"), rows)
        return f"{table}{self.to_svg()}"

    def __repr__(self) -> str:
        groups = len(self._planned.groups)
        return (
            f"<treadle plan {self.name} {len(self.stages)} stages in {groups} "
            f"group{'' if groups == 1 else 's'} on {self.device}>"
        )

    # The words.

    def _heading(self) -> str:
        stages, groups = len(self.stages), len(self._planned.groups)
        return (
            f"{self.name} on {self.device}: {stages} stage{'' if stages == 1 else 's'} in "
            f"{groups} group{'' if groups == 1 else 's'}"
        )

    def _title(self, index: int) -> str:
        stage = self.stages[index]
        return f"{index + 1} {stage.label or stage.kernel.removeprefix('_')}"

    def _stage_line(self, index: int) -> str:
        stage = self.stages[index]
        if stage.op == "barrier":
            return f"{index + 1}. barrier: nothing is fused across it"
        owners = self._joined.owners
        inner = [k for k, owner in enumerate(owners) if owner == index]
        # Parts of composites have names that begin with an underscore, which users need not see.
        notes = [_PART.sub("", self._planned.notes[k]) for k in inner]
        if len(set(notes)) <= 1:
            said = notes[0] if notes else "nothing to do"
        else:
            kernels = [self._joined.bound.stages[k].kernel.name.removeprefix("_") for k in inner]
            said = "; ".join(f"{k}: {note}" for k, note in zip(kernels, notes, strict=True))
        return f"{index + 1}. {stage}: {said}"

    def _savings(self) -> list[str]:
        before, after = self.bytes_before, self.bytes_after
        share = f", {after / before:.0%}" if before else ""
        return [
            f"memory traffic {_size(before)} stage by stage, {_size(after)} as planned{share}",
            f"scratch {_size(self.scratch_before)} as recorded, {_size(self.scratch)} as planned",
        ]

    def _owners(self, members: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(sorted({self._joined.owners[stage] for stage in members}))

    def _labels(self, bound: Bound) -> list[str]:
        """Each slot's name and spec; scratch is counted as it is used, since some is never."""
        places = (*(f"in{k + 1}" for k in range(len(bound.inputs))),)
        places += (*(f"out{k + 1}" for k in range(len(bound.outputs))),)
        known = [name or place for name, place in zip_longest(self._names, places)]
        used = dict.fromkeys(slot for s in bound.stages for slot in (*s.writes, *s.reads))
        scratch = [slot for slot in used if 0 <= slot - len(known) < len(bound.temps)]
        numbers = {slot: k for k, slot in enumerate(scratch, 1)}
        count = len(known)
        known += [f"scratch{numbers.get(count + k, 0)}" for k in range(len(bound.temps))]
        specs = (*bound.inputs, *bound.outputs, *bound.temps)
        labels = [f"{name} {spec}" for name, spec in zip(known, specs, strict=True)]
        tables = enumerate(bound.constants, 1)
        labels += [f"table{k} {list(table.shape)}" for k, table in tables]
        # What a turn of a loop reads of the one before is shown as what the first one reads.
        for start, before in [trio[:2] for loop in bound.loops for trio in loop.carried]:
            labels[before] = labels[start]
        return labels


def _times(bound: Bound) -> list[int]:
    """How often each stage runs."""
    found = [1] * len(bound.stages)
    for loop in bound.loops:
        found[loop.first : loop.last] = [loop.count] * (loop.last - loop.first)
    return found


def _traffic(bound: Bound) -> int:
    pairs = zip(bound.stages, _times(bound), strict=True)
    return sum(times * _moved(bound, stage.reads, stage.writes) for stage, times in pairs)


def _moved(bound: Bound, reads: tuple[int, ...], writes: tuple[int, ...]) -> int:
    specs = (*bound.inputs, *bound.outputs, *bound.temps)
    sizes = [*(spec.nbytes for spec in specs), *(table.nbytes for table in bound.constants)]
    return sum(sizes[slot] for slot in {*reads}) + sum(sizes[slot] for slot in {*writes})


def _size(nbytes: int) -> str:
    size = float(nbytes)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
