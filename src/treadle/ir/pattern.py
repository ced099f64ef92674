"""What of a bound is structure, and what numbers.

In: a Bound. Out: its Structure and its numbers apart, and a Bound of both again; or a Bound over
Sizes with numbers in their place (ir.sizes).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from treadle.dtypes import DType
from treadle.ir.bound import Bound, Fused, Spec, Stage
from treadle.ir.repeat import Loop
from treadle.ir.sizes import Values, fill, fill_text, placed, places

__all__ = ["Structure", "fill_bound", "fill_fused", "structure", "with_sizes"]


def fill_bound(bound: Bound, values: Values) -> Bound:
    """Put numbers in place of the Sizes of a bound; its kernels have none."""
    return Bound(
        tuple([Spec(fill(spec.shape, values), spec.dtype) for spec in bound.inputs]),
        tuple([Spec(fill(spec.shape, values), spec.dtype) for spec in bound.outputs]),
        tuple([Spec(fill(spec.shape, values), spec.dtype) for spec in bound.temps]),
        tuple([_fill_stage(stage, values) for stage in bound.stages]),
        fill(bound.constants, values),
        tuple([replace(loop, count=fill((loop.count,), values)[0]) for loop in bound.loops]),
    )


def fill_fused(fused: Fused, values: Values) -> Fused:
    """Put numbers in place of the Sizes of what is left of a bound."""
    notes = tuple([fill_text(note, values) for note in fused.notes])
    return Fused(fill_bound(fused.bound, values), fused.groups, notes)


def _fill_stage(stage: Stage, values: Values) -> Stage:
    fixed = stage.fixed
    if fixed:
        fixed = fill(fixed, values)
    dims, grows = fill(stage.dims, values), stage.grows
    if grows:
        grows = fill(grows, values)
    return Stage(stage.kernel, stage.reads, stage.writes, dims, stage.picks, fixed, grows)


class Structure:
    """All that fusing a bound depends on except for numbers; a key, whose hash is computed once."""

    __slots__ = ("_hash", "cuts", "loops", "shared", "specs", "stages", "tables")

    def __init__(
        self,
        specs: tuple[tuple[tuple[DType, tuple[int, ...]], ...], ...],
        stages: tuple[tuple[Any, ...], ...],
        tables: int,
        cuts: tuple[int, ...],
        shared: frozenset[tuple[int, int]],
        loops: tuple[tuple[Any, ...], ...] = (),
    ) -> None:
        self.specs = specs  # of inputs, outputs, temps: dtypes, and shapes with places for sizes
        self.stages = stages  # kernel, reads, writes, dims, picks, how many fixed values, grows
        self.tables = tables
        self.cuts = cuts
        self.shared = shared
        self.loops = loops  # first stage, behind the last, slots of the state
        self._hash = hash((specs, stages, tables, cuts, shared, loops))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Structure):
            return NotImplemented
        return (
            self.stages == other.stages
            and self.specs == other.specs
            and (self.tables, self.cuts, self.shared) == (other.tables, other.cuts, other.shared)
            and self.loops == other.loops
        )

    @property
    def count(self) -> int:
        """How many numbers go with it."""
        shapes = [shape for group in self.specs for _, shape in group]
        shapes += [stage[3] for stage in self.stages]
        places = {size for shape in shapes for size in shape if size < 0}
        return len(places) + self.beside

    @property
    def beside(self) -> int:
        """How many of them are no sizes: values of parameters, what they grow by, and how often
        loops go round."""
        counts: list[int] = [(stage[5] or 0) + stage[6] for stage in self.stages]
        return len(self.loops) + sum(counts)


def structure(
    bound: Bound, cuts: Sequence[int], shared: frozenset[tuple[int, int]]
) -> tuple[Structure, list[Any]]:
    """Take a bound apart into its structure and its numbers.

    Nothing is fused across `cuts`; `shared` are slots that overlap in memory. What tables hold does
    not matter, nor do parameters' values, which are numbers like sizes."""
    seen: dict[int, int] = {}
    specs = tuple(
        [
            tuple([(spec.dtype, places(spec.shape, seen)) for spec in group])
            for group in (bound.inputs, bound.outputs, bound.temps)
        ]
    )
    fixed: list[float] = []
    stages: list[tuple[Any, ...]] = []
    for s in bound.stages:
        count = None if s.fixed is None else len(s.fixed)
        fixed += s.fixed or ()
        fixed += s.grows
        dims = places(s.dims, seen)
        stages.append((s.kernel, s.reads, s.writes, dims, s.picks, count, len(s.grows)))
    loops = tuple([(loop.first, loop.last, loop.carried) for loop in bound.loops])
    key = Structure(specs, tuple(stages), len(bound.constants), tuple(cuts), shared, loops)
    return key, [*seen, *fixed, *(loop.count for loop in bound.loops)]


def with_sizes(structure: Structure, numbers: Sequence[Any]) -> Bound:
    """A bound of a structure over these numbers; it has no tables, only their number."""
    inputs, outputs, temps = (
        tuple([Spec(placed(shape, numbers), dtype) for dtype, shape in group])
        for group in structure.specs
    )
    at = len(numbers) - structure.beside
    made = []
    for kernel, reads, writes, dims, picks, count, growing in structure.stages:
        fixed = None if count is None else tuple(numbers[at : at + count])
        at += count or 0
        grows = tuple(numbers[at : at + growing])
        at += growing
        made.append(Stage(kernel, reads, writes, placed(dims, numbers), picks, fixed, grows))
    tables: tuple[Any, ...] = (None,) * structure.tables
    counts = numbers[at:]
    loops = [
        Loop(first, last, count, carried)
        for (first, last, carried), count in zip(structure.loops, counts, strict=True)
    ]
    return Bound(inputs, outputs, temps, tuple(made), tables, tuple(loops))
