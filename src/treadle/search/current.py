"""The State that counts: replaced as a whole by writers, and rewritten in the background.

In: States that writers made. Out: the latest, for readers without a lock. Rows that were removed
stay in the table until a thread has written the others anew, which searches and changes do not wait
for. The thread comes when enough was removed, ends with its work, and holds the index only between
two portions of rows, so that an index which its users let go is gone.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from contextlib import suppress
from typing import Any

from treadle.attendant import Attendant, report
from treadle.errors import CommandError, DeviceError, SearchError
from treadle.runtime.device import device as device_of
from treadle.search.changes import rebuilt, updated
from treadle.search.state import State
from treadle.search.table import Table

__all__ = ["Current"]

_FEW = 1024  # removed rows from which it is worth while to write the others anew
_CATCH_UP = 1024  # rows that may be written anew while writers wait


class Current:
    """The latest State, and the lock of those who replace it.

    Writers set `latest` while they hold the lock. They take it with nothing around it: Ctrl-C could
    come between Python code that takes it and the block that gives it back. `tidies` is whether
    rows are written anew without being asked for."""

    def __init__(self, state: State) -> None:
        self.lock: Any = threading.RLock()
        self.latest = state
        self.tidies = True
        self._least = _FEW  # removed rows before the next time
        self._closed = False
        self._forked = False
        here = weakref.ref(self)
        self._attendant = Attendant("treadle-search", lambda: _tidy(here), idle=0.0, waits=True)
        _all.add(self)

    def state(self) -> State:
        """The latest State, on a device of this process."""
        if self._closed:
            raise SearchError("the index is closed")
        return self._moved() if self._forked else self.latest

    def check(self) -> None:
        """Refuse a change in the middle of a change by the same thread; writers ask first."""
        if self.lock._is_owned():
            raise CommandError(
                "the index is changed by a finalizer, on the thread that is changing it; let the "
                "finalizer leave that to another thread"
            )

    def close(self) -> None:
        """Refuse all further use, and wait for the thread to end."""
        self._closed = True
        self.end()

    def end(self) -> None:
        """Wait for the thread to end."""
        self._attendant.dismiss()

    # Compaction.

    def tidy(self) -> None:
        """Have rows written anew on a thread, where enough were removed."""
        if self.untidy:
            with suppress(DeviceError):  # no thread can be had; the next change asks again
                self._attendant.call()

    @property
    def dead(self) -> int:
        """How many rows the table has for nothing."""
        return self.latest.table.count - self.latest.count

    @property
    def untidy(self) -> bool:
        """Whether it is worth while to write the rows anew."""
        dead = self.dead
        worth = dead >= self._least and dead * 4 >= self.latest.table.count
        return worth and self.tidies and self.wanted

    @property
    def wanted(self) -> bool:
        """Whether its users and the process go on."""
        return not self._closed and not _ending

    def give_up(self, dead: int) -> None:
        """Try again only when twice as many rows were removed."""
        self._least = 2 * dead

    def compact(self) -> None:
        """Write the rows anew, on the caller's thread."""
        self.check()
        self.state()
        _compact(weakref.ref(self))

    def replace(self, old: Table, made: State, before: State) -> None:
        """Publish what was made of an earlier State, unless it is no longer of that table."""
        with self.lock:
            if self.latest.table is old:
                self.latest = updated(made, before, self.latest)

    def adopt(self, made: State, before: State) -> None:
        """Publish what was made of an earlier State, with what has changed since."""
        old = before.table
        while self.wanted and (now := self.latest).table is old:
            if now.rows - before.rows <= _CATCH_UP:
                self.replace(old, made, before)
                return
            made, before = updated(made, before, now), now

    # Forks.

    def disown(self) -> None:
        """Forget the parent's threads, in a process that was forked."""
        self.lock = threading.RLock()
        self.latest.table.reset_after_fork()
        self._attendant.reset_after_fork()
        self._forked = True

    def _moved(self) -> State:
        """The State on a device of this process: the one before belongs to the parent."""
        with self.lock:
            now = self.latest
            if self._forked:
                old = now.table
                device = device_of(old.device.name)
                table = Table.over(old.arrays(), old.dim, old.metric, old.dtype, device)
                now = State(table, now.directory, now.columns, now.alive, now.next_id)
                self.latest, self._forked = now, False
            return now


def _tidy(here: weakref.ref[Current]) -> bool:
    """What the thread does: one compaction, if it is worth while."""
    current = here()
    if current is None or not current.untidy:
        return False
    dead = current.dead
    del current
    try:
        _compact(here)
    except Exception as error:  # the index is as it was
        if (current := here()) is not None:
            current.give_up(dead)
        if not _ending:
            report(error)
    return True


def _compact(here: weakref.ref[Current]) -> None:
    """Put the rows that are alive into a new table, while searches and changes go on."""

    def wanted() -> bool:
        current = here()
        return current is not None and current.wanted

    current = here()
    if current is None:
        return
    before = current.latest
    del current
    old = before.table
    made = rebuilt(before, Table(old.dim, old.metric, old.dtype, old.device), wanted)
    while made is not None and (current := here()) is not None:
        now = current.latest
        if now.table is not old:  # another thread did the same
            return
        if now.rows - before.rows <= _CATCH_UP:
            current.replace(old, made, before)
            return
        made, before = updated(made, before, now), now
        del current


# The life of the process.

_all: weakref.WeakSet[Current] = weakref.WeakSet()
_ending = False


def _disown_all() -> None:
    for current in list(_all):
        current.disown()


def _end_all() -> None:
    """Have all threads end before their devices do."""
    global _ending
    _ending = True
    for current in list(_all):
        current.end()


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown_all)
