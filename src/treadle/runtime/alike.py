"""Submits that come again with the same kernel and the very same buffers.

In: a submit that was launched briefly (quick.py). Out: all that the next like it needs, found by
one look: steps, and which bytes of which storages they touch. What is kept here keeps memory, so it
goes with the first of its buffers that goes, and all of it when any memory is freed.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import partial
from typing import Any

from treadle.runtime.claim import runs
from treadle.runtime.command import Command
from treadle.runtime.memory import Storage

__all__ = ["Alike", "Places", "note"]

_KEPT = 256  # of one device
_SEEN = 1024  # submits of which it is known that they came once

Places = list[tuple[int, int, Storage]]


class Alike:
    """What submits that are alike share."""

    __slots__ = ("name", "places", "refs", "seconds", "steps")

    def __init__(self, command: Command, seconds: float) -> None:
        self.name = command._label
        self.steps = command._steps
        self.seconds = seconds
        self.places: tuple[Places, Places] = command._uses  # read and written
        self.refs: list[Any] = []  # to the buffers, inputs first

    def uses(
        self, inputs: Sequence[Any], outputs: Sequence[Any], order: int
    ) -> tuple[Places, Places] | None:
        """What such a submit touches, marked as used by it; None where others are in its way, or a
        buffer is another one now."""
        reads, writes = self.places
        for buffer, ref, place in zip(
            (*inputs, *outputs), self.refs, (*reads, *writes), strict=False
        ):
            storage = place[2]
            if (
                ref() is not buffer
                or buffer._storage is not storage
                or storage.writers
                or storage.poison is not None
                or (storage.claim is not None and runs(storage))
            ):
                return None
        for place in writes:
            if place[2].readers:
                return None
        for places in self.places:  # last: nothing is marked that is not used
            for place in places:
                place[2].quick = order
        return self.places


def note(
    kept: dict[Any, Any], key: tuple[Any, ...], made: Alike, inputs: Sequence[Any], output: Any
) -> None:
    """Keep what a submit found out, if it has come before, and has not ended meanwhile."""
    seen = kept.setdefault(None, set())
    if key not in seen:
        if len(seen) >= _SEEN:
            seen.clear()
        seen.add(key)
    elif made.places and made.steps:
        if len(kept) > _KEPT:
            kept.clear()
        gone = partial(kept.pop, key)  # C code alone, so that Ctrl-C keeps nothing here
        made.refs = [weakref.ref(buffer, gone) for buffer in (*inputs, output)]
        kept[key] = made
