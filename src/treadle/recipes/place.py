"""Where one result goes that is a file of its own, beside which there is no journal.

In: the result's path. Out: what a journal offers to a run, as far as one file needs it: a place
for the unfinished file, which has to be on the same file system, and nothing to remember. An object
of a store needs no such place.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from treadle.recipes.find import Place
from treadle.recipes.journal import JournalEntry, JournalIntent, JournalLine

__all__ = ["Alone"]


class Alone:
    """Stands for the journal of a run with one result."""

    def __init__(self, out: Place) -> None:
        self.entries: dict[str, JournalEntry] = {}
        self.intents: dict[str, JournalIntent] = {}
        self._folder = out.parent if isinstance(out, Path) else Path()
        self._numbers = itertools.count()

    def part(self) -> Path:
        """Return a new path for an unfinished file."""
        return self._folder / f".treadle-{os.getpid()}-{next(self._numbers)}.part"

    def add(self, *lines: JournalLine) -> None:
        """Take note of nothing: there is no run to take up again."""

    note = add

    def __enter__(self) -> Alone:
        return self

    def __exit__(self, *_: object) -> None:
        pass
