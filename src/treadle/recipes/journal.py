"""The journal of a run: what was made of what, so that a stopped run can be taken up again.

In: names and hashes, one line before each output appears. Out: for a name, what an earlier run
made. It lies in the output folder, in `.treadle/`, beside the unfinished files, and is held by one
run at a time. As a line is on the disk before its file is renamed into place, every output of a run
that was killed, or lost its power, is in it; a last line that was cut off is ignored, and so is
every line that is not an entry. Nothing that was in the journal is ever cut away. An output folder
may come from elsewhere: where the folder or the journal is a link, a pipe or anything else that a
run does not make, it is an OSError that names it.
"""

from __future__ import annotations

import errno
import hashlib
import itertools
import json
import os
import re
import secrets
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from treadle.data import dataclass
from treadle.files import Folder, hold, sync, sync_folder

__all__ = ["Busy", "Journal", "JournalEntry", "JournalIntent", "JournalLine", "digest", "line_of"]
__all__ += ["take_line", "unfinished"]

FOLDER = ".treadle"
_NAME = "journal.jsonl"
_PART = re.compile(r"[0-9]+-[0-9]+(-[0-9a-f]{16})?\.part", re.ASCII)  # what `part` names
_MAX_LINE = 1 << 15  # a path of 4096 bytes, each written as \udcXX, and three hashes
_MAX_FOREIGN = 1 << 24  # bytes without an end of a line: no run wrote them, and a hole has no end
_numbers = itertools.count()


class Busy(Exception):
    """Another run is writing to the same folder."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One output: its name, and the hashes of the recipe, of the input and of itself."""

    output: str
    recipe: str
    source: str
    made: str


@dataclass(frozen=True, slots=True)
class JournalIntent:
    """An output that is going to be made: `source` is the stamp of the input, `was` that of what
    lay under its name before, or empty.

    What lies there with another stamp was made since, and is whole."""

    output: str
    recipe: str
    source: str
    was: str


JournalLine = JournalEntry | JournalIntent


def digest(data: bytes) -> str:
    """Return the hash by which files are compared."""
    return hashlib.sha256(data).hexdigest()


class Journal:
    """The open journal of an output folder; OSError where the folder cannot be written."""

    def __init__(self, out: Path) -> None:
        self.folder = out / FOLDER
        self._mutex = threading.Lock()
        self._syncing = threading.Lock()
        self._written = self._synced = 0  # lines of this run
        with _naming(FOLDER):
            self.folder.mkdir(parents=True, exist_ok=True)
            opened = Folder(self.folder)
        with opened as folder:
            with _naming(f"{FOLDER}/{_NAME}"):
                self._file: Any = _open(folder)
            try:
                _hold(self._file.fileno())
                with _naming(f"{FOLDER}/{_NAME}"):
                    self.entries: dict[str, JournalEntry] = {}
                    self.intents: dict[str, JournalIntent] = {}  # of which no entry followed
                    self._load()
                for each in (self.folder, out):  # so that the journal itself outlives a power cut
                    sync_folder(each)
                # No other run is alive here: what is unfinished was left by one that died.
                _sweep(folder)
            except BaseException:
                self._file.close()
                raise

    def part(self) -> Path:
        """Return a new path for an unfinished file, on the output's file system."""
        return unfinished(self.folder)

    def add(self, *lines: JournalLine) -> None:
        """Note outputs that are about to appear; the note has reached the disk on return."""
        line_number = self.note(*lines)
        with self._syncing:  # one at a time; it serves all who wait meanwhile
            if self._synced < line_number:
                written = self._written
                sync(self._file.fileno())
                self._synced = written

    def note(self, *lines: JournalLine) -> int:
        """Note outputs that are there by now, for which an intent was added; never waits long."""
        line = b"".join(map(line_of, lines))
        with self._mutex:
            size = self._file.seek(0, os.SEEK_END)
            try:
                if self._file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError:
                with suppress(OSError):
                    self._file.truncate(size)
                raise
            self.entries.update((e.output, e) for e in lines if isinstance(e, JournalEntry))
            self._written += 1
            return self._written

    def sweep(self) -> None:
        """Remove unfinished files: no run that could be at them is alive."""
        with Folder(self.folder) as folder:
            _sweep(folder)

    def close(self) -> None:
        """Let other runs have the folder."""
        with suppress(OSError):  # a full disk was reported when the line was written
            self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _load(self) -> None:
        whole = True  # the piece before was the end of a line
        foreign = 0  # bytes of a line that is no entry's
        self._file.seek(0)
        with open(self._file.fileno(), "rb", closefd=False) as file:
            while piece := file.readline(_MAX_LINE):
                ended = piece.endswith(b"\n")
                if whole and ended:
                    take_line(piece, self.entries, self.intents)
                whole = ended
                foreign = 0 if ended else foreign + len(piece)
                if foreign > _MAX_FOREIGN:
                    raise OSError(errno.EINVAL, "no run wrote lines as long as its; remove it")
        if (
            not whole and self._file.write(b"\n") != 1
        ):  # so that the next entry is a line of its own
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Say in an OSError which name in the output folder it is about."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, f"{name}: {error.strerror or error}") from error


def _open(folder: Folder) -> Any:
    """Open the journal, or make it, and look whether it is one that a run could have made."""
    opened = folder.open(_NAME, os.O_RDWR | os.O_APPEND | os.O_CREAT, mode=0o666)
    info = os.fstat(opened)
    if info.st_nlink > 1:
        os.close(opened)
        raise OSError(errno.EINVAL, "it is a link to another file; remove it")
    return open(opened, "a+b", buffering=0)


def line_of(line: JournalLine) -> bytes:
    """Return what stands for an entry or an intent in a journal."""
    return json.dumps(asdict(line)).encode() + b"\n"


def take_line(
    line: bytes, entries: dict[str, JournalEntry], intents: dict[str, JournalIntent]
) -> None:
    """Take the entry or the intent that a line holds, if it does; an entry fulfils an intent."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return
    if not isinstance(found, dict) or not all(type(each) is str for each in found.values()):
        return
    if found.keys() == set(JournalEntry.__dataclass_fields__):
        entry = JournalEntry(**found)
        entries[entry.output] = entry
        intents.pop(entry.output, None)
    elif found.keys() == set(JournalIntent.__dataclass_fields__):
        intent = JournalIntent(**found)
        intents[intent.output] = intent


def unfinished(folder: Path) -> Path:
    """Return a new path for an unfinished file in a journal's folder, in any process."""
    return folder / f"{os.getpid()}-{next(_numbers)}-{secrets.token_hex(8)}.part"


def _sweep(folder: Folder) -> None:
    for name in folder.names():
        with suppress(FileNotFoundError):  # who was at it has ended it meanwhile
            if _PART.fullmatch(name) and stat.S_ISREG(folder.stat(name).st_mode):
                folder.unlink(name)


def _hold(opened: int) -> None:
    """Lock the file for this process until it is closed or the process ends."""
    try:
        hold(opened)
    except BlockingIOError as error:
        raise Busy from error
