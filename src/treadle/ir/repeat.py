"""Stages that run many times in a row: kept once, with how often and with what changes.

In: nothing, or a Bound with loops. Out: the frozen dataclass that a Bound has for each of them, and
a Bound in which the turns are written out, which is what a loop means.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from treadle.data import dataclass

if TYPE_CHECKING:
    from treadle.ir.bound import Bound, Stage

__all__ = ["Loop", "grown", "reads_of", "unrolled"]

Carried = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Loop:
    """The stages of a bound from `first` up to `last` run `count` times, at least once.

    `carried` has three slots for each buffer of the state: what the first turn reads, what the
    stages name where they read the state, and what they write. The latter two are scratch that
    nothing else in the loop uses; what follows the loop reads the last one. All else that stages of
    the loop write is scratch, read in the same turn only."""

    first: int
    last: int
    count: int
    carried: tuple[Carried, ...]

    def moved(self, by: int, slot: Callable[[int], int]) -> Loop:
        """The same loop among other stages and slots."""
        carried = tuple([(slot(a), slot(b), slot(c)) for a, b, c in self.carried])
        return Loop(self.first + by, self.last + by, self.count, carried)

    def places(self, turn: int) -> dict[int, int]:
        """Return the slot whose memory stands for each slot of the state in a turn.

        A turn reads what the one before it wrote: two pieces of memory change places, so that
        nothing is copied, and the last turn writes where later stages look."""
        found = {}
        away = (self.count - 1 - turn) % 2
        for start, before, after in self.carried:
            found[after] = before if away else after
            found[before] = start if turn == 0 else after if away else before
        return found


def grown(given: tuple[float, ...], grows: tuple[float, ...], turn: int) -> tuple[float, ...]:
    """The values of a stage's parameters in a turn."""
    if not grows:
        return given
    return tuple([value + turn * by for value, by in zip(given, grows, strict=True)])


def reads_of(bound: Bound) -> list[tuple[int, ...]]:
    """What each stage reads; those of a loop also what its state begins with, which no stage
    names."""
    found = [stage.reads for stage in bound.stages]
    for loop in bound.loops:
        starts = tuple([start for start, _, _ in loop.carried])
        for number in range(loop.first, loop.last):
            found[number] += starts
    return found


def unrolled(bound: Bound) -> Bound:
    """Write the turns of every loop out as stages; where parameters grow they must be fixed."""
    stages: list[Stage] = []
    done = 0
    for loop in bound.loops:
        stages += bound.stages[done : loop.first]
        done = loop.last
        for turn in range(loop.count):
            places = loop.places(turn)
            for stage in bound.stages[loop.first : loop.last]:
                stages.append(
                    replace(
                        stage,
                        reads=tuple([places.get(slot, slot) for slot in stage.reads]),
                        writes=tuple([places.get(slot, slot) for slot in stage.writes]),
                        fixed=stage.fixed and grown(stage.fixed, stage.grows, turn),
                        grows=(),
                    )
                )
    return replace(bound, stages=(*stages, *bound.stages[done:]), loops=())
