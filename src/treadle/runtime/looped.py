"""A loop of a plan as steps: its turns written out when it is launched.

In: a loop, the plan's stages in it, and a region for each slot. Out: the steps of all turns. What
is the same in many turns is made once: which regions a stage gets is one of three answers. Nothing
is kept between launches, however many turns there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol

from treadle.backends.base import Region, Step
from treadle.ir.repeat import grown

if TYPE_CHECKING:
    from treadle.ir.repeat import Loop

__all__ = ["LoopStage", "Looped"]

_new: Any = tuple.__new__  # makes a NamedTuple in half the time


class LoopStage(Protocol):
    """What a loop asks of a plan's stage: its slots, and the values that its program takes."""

    slots: tuple[int, ...]
    grows: tuple[float, ...]
    dims: tuple[int, ...]
    compiled: Any

    def given(self, values: tuple[float, ...]) -> tuple[float, ...]:
        """Return the values of the kernel's parameters, of those of a launch."""

    def taken(self, values: tuple[float, ...]) -> tuple[float, ...]:
        """Return what the program takes for values of the kernel's parameters."""

    def keep(self, count: int) -> None:
        """Have room for what the program takes in so many turns."""


class Looped:
    """One loop of a plan: its stages from `first` up to `last` run `count` times."""

    __slots__ = ("_orders", "_stages", "count", "first", "last")

    def __init__(self, loop: Loop, first: int, last: int, stages: Sequence[LoopStage]) -> None:
        """`first` and `last` count the stages that the plan launches."""
        self.first = first
        self.last = last
        self.count = loop.count
        self._stages = stages[first:last]
        # The first turn reads what was there before; then two pieces of memory change places.
        turns = range(min(loop.count, 3))
        self._orders = [[_order(s, loop.places(turn)) for s in self._stages] for turn in turns]
        for stage in self._stages:
            stage.keep(loop.count)

    def steps(self, regions: Sequence[Region], values: tuple[float, ...]) -> list[Step]:
        """Return the steps of all turns, with a region for each slot of the plan."""
        places = [[order(regions) for order in orders] for orders in self._orders]
        given = [(stage, stage.given(values)) for stage in self._stages]
        made: list[Step] = []
        for turn in range(self.count):
            phase = turn if turn < 3 else 2 - turn % 2
            for (stage, first), where in zip(given, places[phase], strict=True):
                taken = stage.taken(grown(first, stage.grows, turn))
                made.append(_new(Step, (stage.compiled.program, where, stage.dims, taken)))
        return made


def _order(stage: LoopStage, places: dict[int, int]) -> Any:
    slots = [places.get(slot, slot) for slot in stage.slots]
    # itemgetter of a single item gives the item and not a tuple
    return itemgetter(*slots) if len(slots) > 1 else lambda r, i=slots[0]: (r[i],)
