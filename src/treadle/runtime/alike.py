"""Submits that come again: of the same kind, or with the very same buffers.

In: submits that were checked and planned. Out: all that the next like it needs, found by one look.
A kind is a kernel with the layouts of its buffers and its parameters: what is kept of it is no
memory. Of the very same buffers the steps are kept too, and where the device does such work at once
the call that does it. That keeps memory, so it goes with the first of its buffers that goes, and
all of it when any is freed.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import inf
from typing import Any

from treadle.runtime.claim import runs
from treadle.runtime.memory import Storage

__all__ = ["SIMPLE", "Alike", "Kindred", "Places", "came", "keep", "remember"]

_CACHED = 4096  # kinds, without parameters and with them
_KEPT = 256  # of the very same buffers, of one device
_SEEN = 1024  # submits of which it is known that they came once
SIMPLE = frozenset(
    (bool, float, int, str, type(None))
)  # parameters of which that says all there is to know

Places = list[tuple[int, int, Storage]]
Call = Callable[[], object]
Over = Callable[[Sequence[Any]], Call] | None  # makes of regions a call that does it at once


class Kindred:
    """What submits of one kind share."""

    __slots__ = ("overs", "plan", "values")

    def __init__(self, plan: Any, values: tuple[float, ...]) -> None:
        self.plan = plan  # whose programs are there
        self.values = values
        self.overs: Sequence[Over] | None = None  # of one alone and of one of many, once known


def remember(
    kinds: dict[Any, Kindred], pattern: Any, given: Mapping[str, Any], kind: Kindred
) -> None:
    """Keep what was found of a submit for the next of its kind, whose parameters are simple."""
    if any([type(value) is float and value == 0.0 for value in given.values()]):
        return  # 0.0 and -0.0 are equal, but not the same
    if len(kinds) >= _CACHED:
        kinds.clear()
    kinds[pattern] = kind


class Alike:
    """What submits with the very same buffers share."""

    __slots__ = ("call", "name", "reads", "refs", "seconds", "steps", "writes")

    def __init__(self, name: str, steps: Any, call: Call | None, seconds: float = inf) -> None:
        self.name = name
        self.steps = steps  # or what keeps programs and memory instead, where a call does them
        self.call = call  # that does them at once, where that can be
        self.seconds = seconds  # that they take, where they may be launched by their submitter
        self.reads: Places = []
        self.writes: Places = []
        self.refs: list[Any] = []  # to the buffers

    def idle(self) -> bool:
        """Whether nothing is in the way: see `hazards.idle`, which asks the same."""
        for _, _, storage in self.reads:
            if storage.writers or storage.poison is not None or (storage.claim and runs(storage)):
                return False
        for _, _, storage in self.writes:
            if storage.writers or storage.readers or storage.poison is not None:
                return False
            if storage.claim and runs(storage):
                return False
        return True

    def uses(self, order: int) -> tuple[Places, Places] | None:
        """What such a submit touches, marked as used by it; None where others are in its way."""
        if not self.idle():
            return None
        for places in (self.reads, self.writes):  # last: nothing is marked that is not used
            for place in places:
                place[2].quick = order
        return self.reads, self.writes


def came(kept: dict[Any, Any], key: Any) -> bool:
    """Whether the like of a submit came before; from now on it did."""
    seen = kept.get(None)
    if seen is None:
        seen = kept.setdefault(None, set())
    if key in seen:
        return True
    if len(seen) >= _SEEN:
        seen.clear()
    seen.add(key)
    return False


def keep(kept: dict[Any, Any], key: Any, made: Alike, inputs: Sequence[Any], output: Any) -> None:
    """Keep what was found of a submit for the next like it.

    The key has references to the buffers: an object that comes where one was is another one. `kept`
    is what was looked into before the buffers were looked at: if one of them is freed meanwhile,
    it is not looked into any more."""
    if len(kept) > _KEPT:
        kept.clear()
    gone = partial(kept.pop, key)  # C code alone, so that Ctrl-C keeps nothing here
    made.reads = [(b._low, b._high, b._storage) for b in inputs]
    made.writes = [(output._low, output._high, output._storage)]
    made.refs = [weakref.ref(buffer, gone) for buffer in (*inputs, output)]
    kept[key] = made
