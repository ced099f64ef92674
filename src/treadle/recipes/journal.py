"""The journal of a run: what was made of what, so that a stopped run can be taken up again.

In: names and hashes, one line before each output appears. Out: for a name, what an earlier run
made. It lies in the output folder, in `.treadle/`, beside the unfinished files, and is held by one
run at a time. As a line is on the disk before its file is renamed into place, every output of a run
that was killed, or lost its power, is in it; a last line that was cut off is ignored.
"""

from __future__ import annotations

import errno
import hashlib
import itertools
import json
import os
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from treadle.photos import sync, sync_folder

__all__ = ["Busy", "Entry", "Journal", "digest"]

FOLDER = ".treadle"
_PART = ".part"


class Busy(Exception):
    """Another run is writing to the same folder."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One output: its name, and the hashes of the recipe, of the input and of itself."""

    output: str
    recipe: str
    source: str
    made: str


def digest(data: bytes) -> str:
    """Return the hash by which files are compared."""
    return hashlib.sha256(data).hexdigest()


class Journal:
    """The open journal of an output folder; OSError where the folder cannot be written."""

    def __init__(self, out: Path) -> None:
        self.folder = out / FOLDER
        self.folder.mkdir(parents=True, exist_ok=True)
        self._mutex = threading.Lock()
        self._syncing = threading.Lock()
        self._written = self._synced = 0  # lines of this run
        self._numbers = itertools.count()
        self._file: Any = open(self.folder / "journal.jsonl", "a+b", buffering=0)  # noqa: SIM115
        try:
            _hold(self._file)
            self.entries = self._load()
            for folder in (self.folder, out):  # so that the journal itself outlives a power cut
                sync_folder(folder)
            # No other run is alive here: what is unfinished was left by one that died.
            for part in self.folder.glob(f"*{_PART}"):
                part.unlink(missing_ok=True)
        except BaseException:
            self._file.close()
            raise

    def part(self) -> Path:
        """Return a new path for an unfinished file, on the output's file system."""
        return self.folder / f"{os.getpid()}-{next(self._numbers)}{_PART}"

    def add(self, entry: Entry) -> None:
        """Note an output that is about to appear; the note has reached the disk on return."""
        line = json.dumps(asdict(entry)).encode() + b"\n"
        with self._mutex:
            size = self._file.seek(0, os.SEEK_END)
            try:
                if self._file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError:
                with suppress(OSError):
                    self._file.truncate(size)
                raise
            self.entries[entry.output] = entry
            self._written += 1
            line_number = self._written
        with self._syncing:  # one at a time; it serves all who wait meanwhile
            if self._synced < line_number:
                written = self._written
                sync(self._file.fileno())
                self._synced = written

    def close(self) -> None:
        """Let other runs have the folder."""
        with suppress(OSError):  # a full disk was reported when the line was written
            self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _load(self) -> dict[str, Entry]:
        self._file.seek(0)
        entries: dict[str, Entry] = {}
        whole = 0
        for line in self._file.read().splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            with suppress(ValueError, TypeError):
                entry = Entry(**json.loads(line))
                entries[entry.output] = entry
        self._file.truncate(whole)
        return entries


def _hold(file: Any) -> None:
    """Lock the file for this process until it is closed or the process ends."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise
            except OSError:  # a file system without locks
                return
    except OSError as error:
        raise Busy from error
