"""Where results go: a folder, or a store that is named by a URL.

In: the bytes of a result and where they belong. Out: a file that appears there whole or not at all,
and what a run has to know about what is there already. In a folder an unfinished file is renamed
when its bytes are on the disk; in a store an object is seen when all of it is there. Knows nothing
about images and keeps no journal.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from treadle.photos import PhotoError, read_regular, write_atomically
from treadle.recipes.find import Place
from treadle.recipes.journal import digest
from treadle.remote import RemotePath, md5

__all__ = ["FolderResults", "Results", "StoreResults", "results_in", "stamp_of"]


class Results(Protocol):
    """What a run asks of the place where its results go."""

    def look(self, output: Place) -> str:
        """Return the stamp of what is there, or nothing."""
        ...

    def digest(self, data: bytes) -> str:
        """Return the hash by which results are known in a journal."""
        ...

    def holds(self, output: Place, there: str, made: str) -> bool:
        """Whether what is there, with this stamp, is the result with this hash."""
        ...

    def put(
        self, output: Place, data: bytes, *, replace: bool, announce: Callable[[], object]
    ) -> None:
        """Have a result appear, after `announce`; FileExistsError where it may not replace."""
        ...


class FolderResults:
    """Results as files; `part` names unfinished ones, on the same file system."""

    def __init__(self, part: Callable[[], Path]) -> None:
        self._part = part

    def look(self, output: Place) -> str:
        """Return the stamp of what is there, or nothing."""
        return stamp_of(output)

    def digest(self, data: bytes) -> str:
        """Return the hash by which results are known in a journal."""
        return digest(data)

    def holds(self, output: Place, there: str, made: str) -> bool:
        """Whether a file is still what an earlier run made."""
        assert isinstance(output, Path)
        with suppress(PhotoError):  # something else has taken its place
            return digest(read_regular(output, max_bytes=sys.maxsize)) == made
        return False

    def put(
        self, output: Place, data: bytes, *, replace: bool, announce: Callable[[], object]
    ) -> None:
        """Have a file appear, after `announce`; FileExistsError where it may not replace."""
        assert isinstance(output, Path)
        output.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(data, output, self._part(), replace=replace, announce=announce)


class StoreResults:
    """Results as objects of a store; `there` are the stamps of those that were listed, by URL."""

    def __init__(self, there: dict[str, str]) -> None:
        self._there = there

    def look(self, output: Place) -> str:
        """Return the stamp of what was there, or nothing."""
        return self._there.get(str(output), "")

    def digest(self, data: bytes) -> str:
        """Return the hash that a listing of most stores has as well."""
        return md5(data)

    def holds(self, output: Place, there: str, made: str) -> bool:
        """Whether an object is still what an earlier run made; read where no listing tells."""
        assert isinstance(output, RemotePath)
        if found := RemotePath(output.url, stamp=there).md5:
            return found == made
        with suppress(OSError):
            return md5(output.read(limit=sys.maxsize)) == made
        return False

    def put(
        self, output: Place, data: bytes, *, replace: bool, announce: Callable[[], object]
    ) -> None:
        """Have an object appear, after `announce`; FileExistsError where it may not replace."""
        assert isinstance(output, RemotePath)
        announce()
        output.write(data, replace=replace)


def results_in(out: Place, part: Callable[[], Path], there: dict[str, str]) -> Results:
    """Return where results go that belong below `out`."""
    return FolderResults(part) if isinstance(out, Path) else StoreResults(there)


def stamp_of(place: Place) -> str:
    """Return what changes with a file's bytes, without reading them; nothing where none is.

    That of a store's object is what its listing said."""
    if isinstance(place, RemotePath):
        return place.stamp
    try:
        info = os.lstat(place)
    except (OSError, ValueError):  # writing there will say what is wrong
        return ""
    return f"{info.st_size}:{info.st_mtime_ns}"
