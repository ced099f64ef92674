"""Who must wait for whom, from the bytes that commands read and write.

In: a storage's unfinished users and a byte range. Out: the commands to come after, each with
whether its result is read, and the error that already spoils what would be read. Newer users are
looked at first and hide older ones behind them, so a long chain on one buffer costs the same for
each link. Called with the queue's lock held.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.runtime.claim import dissolve, runs
from treadle.runtime.command import CANCELLED, FAILED, Command
from treadle.runtime.memory import Poison, Storage

__all__ = [
    "before_read",
    "before_write",
    "cleanse",
    "idle",
    "note_uses",
    "read_only_by",
    "spoil",
]

Parts = list[tuple[int, int]]
Needs = dict[Command, bool]


def _without(parts: Parts, low: int, high: int) -> Parts:
    """Byte ranges less one range."""
    left: Parts = []
    for start, stop in parts:
        if high <= start or stop <= low:
            left.append((start, stop))
            continue
        if start < low:
            left.append((start, low))
        if high < stop:
            left.append((high, stop))
    return left


def _touches(parts: Parts, low: int, high: int) -> bool:
    for start, stop in parts:  # noqa: SIM110  (Ctrl-C must not meet a generator that is closed)
        if low < stop and start < high:
            return True
    return False


def before_read(
    storage: Storage,
    low: int,
    high: int,
    command: Command,
    needs: Needs,
    passed: Command | None = None,
) -> BaseException | None:
    """Add to `needs` what must end before a read; return the error of what it would read.

    `passed` will not write after all; the command was placed long ago then, and others since."""
    if storage.claim is not None:
        dissolve(storage)
    parts: Parts = [(low, high)]
    poison: Sequence[Poison] = storage.poison or ()
    if passed is not None:
        poison = [mark for mark in poison if mark[2] < command._order]
    for writer, start, stop, _ in reversed(storage.writers.values()):
        if writer is command or not _touches(parts, start, stop):
            continue
        if passed is not None and (writer is passed or writer._order > command._order):
            continue
        if writer._status is FAILED:
            return writer._blame()
        for left, right, number, error in poison:  # later than what this one is going to write
            if number > writer._order and _touches(parts, left, right):
                return error
        if writer._status is CANCELLED:
            # It will not write, so what lies below it is read; it still keeps the order.
            needs.setdefault(writer, False)
            continue
        needs[writer] = True
        parts = _without(parts, start, stop)
        if not parts:
            return None
    for start, stop, _, error in poison:
        if _touches(parts, start, stop):
            return error
    return None


def before_write(storage: Storage, low: int, high: int, command: Command, needs: Needs) -> None:
    """Add to `needs` what must end before a write."""
    if storage.claim is not None:
        dissolve(storage)
    parts: Parts = [(low, high)]
    oldest = 0
    for writer, start, stop, _ in reversed(storage.writers.values()):
        if writer is command or not _touches(parts, start, stop):
            continue
        needs.setdefault(writer, False)
        parts = _without(parts, start, stop)
        if not parts:
            # The writers found so far already wait for what came before them. That holds for
            # cancelled ones too: a command lets its followers go only after its own needs ended.
            oldest = writer._order
            break
    for reader, start, stop, _ in reversed(storage.readers.values()):
        if reader._order < oldest:
            break
        if reader is not command and start < high and low < stop:
            needs.setdefault(reader, False)


def note_uses(command: Command, inputs: Sequence[Any], outputs: Sequence[Any] | None) -> None:
    """Give a command an entry for each buffer that it reads and writes, in place of any claim."""
    reads, writes = [], []
    for buffer in inputs:
        if buffer._high > buffer._low:
            reads.append((command, buffer._low, buffer._high, buffer._storage))
    if outputs is not None:  # else they are given, perhaps this very moment
        for buffer in outputs:
            if buffer._high > buffer._low:
                writes.append((command, buffer._low, buffer._high, buffer._storage))
        command._writes = writes
    command._reads, command._claim = reads, None


def idle(inputs: Sequence[Any], outputs: Sequence[Any]) -> bool:
    """Whether nothing in flight touches the buffers that a command reads and writes, and nothing
    that failed has spoilt them; claims and submits that came before ask it of their own."""
    for buffer in inputs:
        storage = buffer._storage
        if storage.writers or storage.poison is not None or (storage.claim and runs(storage)):
            return False
    for buffer in outputs:
        storage = buffer._storage
        if storage.writers or storage.readers:
            return False
        if storage.poison is not None or (storage.claim and runs(storage)):
            return False
    return True


def read_only_by(storage: Storage, command: Command) -> bool:
    """Whether no command but `command` reads a storage."""
    for entry in storage.readers.values():  # noqa: SIM110  (all() takes longer; every launch comes here)
        if entry[0] is not command:
            return False
    return True


def spoil(storage: Storage, low: int, high: int, command: Command, error: BaseException) -> None:
    """Mark bytes that a failed command was to write."""
    cleanse(storage, low, high, command)
    if storage.poison is None:
        storage.poison = []
    storage.poison.append((low, high, command._order, error))


def cleanse(storage: Storage, low: int, high: int, command: Command) -> None:
    """Unmark bytes that `command` has written; marks of later commands stay."""
    if storage.poison is None:
        return
    kept: list[Poison] = []
    for start, stop, number, error in storage.poison:
        if number > command._order:
            kept.append((start, stop, number, error))
        else:
            kept += [(a, b, number, error) for a, b in _without([(start, stop)], low, high)]
    storage.poison = kept or None
