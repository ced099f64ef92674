"""Where one result goes that is a file of its own, beside which there is no journal.

In: the result's path. Out: what a journal offers to a run, as far as one file needs it: a place for
the unfinished file, which has to be on the same file system, and nothing to remember.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from treadle.recipes.journal import JournalEntry

__all__ = ["Alone"]


class Alone:
    """Stands for the journal of a run with one result."""

    def __init__(self, out: Path) -> None:
        self.entries: dict[str, JournalEntry] = {}
        self._folder = out.parent
        self._numbers = itertools.count()

    def part(self) -> Path:
        """Return a new path for an unfinished file."""
        return self._folder / f".treadle-{os.getpid()}-{next(self._numbers)}.part"

    def add(self, entry: JournalEntry) -> None:
        """Take note of nothing: there is no run to take up again."""

    def __enter__(self) -> Alone:
        return self

    def __exit__(self, *_: object) -> None:
        pass
