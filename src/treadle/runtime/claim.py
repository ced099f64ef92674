"""The buffers of a pipeline's runs, claimed as one, so that a run again costs no more for many.

In: the buffers that every run reads and writes. Out: one note instead of an entry for each buffer,
for as long as no other command touches any of them. Runs of one claim follow each other, since all
write the same bytes; so the latest in flight is all that the next one needs to know. As soon as
another command comes to one of the buffers, or a run does not succeed, the claim dissolves: its
runs in flight get the entries that they would have had, and hazards go on from there. The thread
that holds the queue calls all of it; any thread may set `freed`.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from treadle.runtime.command import Command
from treadle.runtime.memory import Storage

__all__ = ["Claim", "dissolve", "runs"]

Range = tuple[int, int, Storage]


class Claim:
    """What every run of one prepared pipeline touches."""

    __slots__ = (
        "__weakref__",
        "_inputs",
        "_me",
        "_outputs",
        "_storages",
        "again",
        "freed",
        "live",
        "quick",
        "reads",
        "runs",
        "writes",
    )

    def __init__(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """Make a claim to buffers; it is not in force before `take`."""
        self._inputs = tuple(inputs)
        self._outputs = tuple(outputs)
        self.reads: list[Range] = []
        self.writes: list[Range] = []
        self._storages: list[Storage] = []
        self._me = weakref.ref(self)  # storages must not keep each other alive
        self.live = False
        self.freed = False  # one of the buffers was, or a view of it; any thread sets it, any time
        self.again = False  # whether a run reads what an earlier one wrote
        self.quick = 0  # the place in the order of its last brief launch, see quick.py
        self.runs: dict[int, Command] = {}  # in flight, oldest first

    def take(self) -> bool:
        """Put it in force, if no other command uses any of the buffers now."""
        if self.live:  # something was freed: runs in flight need entries of their own
            self.dissolve()
        self.freed = False  # before looking: what is freed from here on says so
        reads, writes = _ranges(self._inputs), _ranges(self._outputs)
        storages = [storage for _, _, storage in (*reads, *writes)]
        for storage in storages:
            if storage.region is None or storage.readers or storage.writers or storage.poison:
                return False
            other = None if storage.claim is None else storage.claim()
            if other is not None and other is not self and other.runs:
                return False
        for storage in storages:
            dissolve(storage)
            storage.claim = self._me
        self.reads, self.writes, self._storages = reads, writes, storages
        self.again = any(
            a is b and low < stop and start < high
            for low, high, a in reads
            for start, stop, b in writes
        )
        self.live = True
        return True

    def idle(self) -> bool:
        """Whether it is in force, or can be put so, and no run of it is in flight."""
        return ((self.live and not self.freed) or self.take()) and not self.runs

    def dissolve(self) -> None:
        """Give every run in flight its own entries, and let other commands have the buffers.

        Ctrl-C may break it off; then it is done again, so the buffers are let go last."""
        self.live = False
        for command in self.runs.values():
            if not (command._reads or command._writes):
                reads = [(command, *place) for place in self.reads]
                writes = [(command, *place) for place in self.writes]
                command._reads, command._writes = reads, writes
            for entry in command._reads:
                entry[3].readers[id(entry)] = entry
            for entry in command._writes:
                entry[3].writers[id(entry)] = entry
            command._claim = None
        self.runs = {}
        for storage in self._storages:
            storage.quick = max(storage.quick, self.quick)
            if storage.claim is self._me:
                storage.claim = None
        self.reads, self.writes, self._storages = [], [], []

    def decline(self, command: Command) -> None:
        """Have a command do without the claim: with entries of its own."""
        reads = [(command, *place) for place in _ranges(self._inputs)]
        writes = [(command, *place) for place in _ranges(self._outputs)]
        command._reads, command._writes, command._claim = reads, writes, None

    def ended(self, command: Command) -> None:
        """Take note that a run is over."""
        self.runs.pop(command.id, None)
        if self.freed and not self.runs:
            for storage in self._storages:
                if storage.region is None:
                    storage.settle()


def _ranges(buffers: Sequence[Any]) -> list[Range]:
    return [(b._low, b._high, b._storage) for b in buffers if b._high > b._low]


def runs(storage: Storage) -> bool:
    """Whether a run of the claim that a storage is part of is in flight."""
    claim = None if storage.claim is None else storage.claim()
    return claim is not None and bool(claim.runs)


def dissolve(storage: Storage) -> None:
    """Dissolve the claim that a storage is part of, if any: another command wants it."""
    if storage.claim is not None:
        claim = storage.claim()
        if claim is not None:
            claim.dissolve()
        storage.claim = None
