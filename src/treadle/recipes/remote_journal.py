"""The journal of a run whose outputs go to a store, which can neither append nor lock.

In: intents before outputs are made, entries after. Out: what earlier runs said, and that one run at
a time writes. Each run has a number, which it gets by creating an object that no other may
create; it keeps that object changing, so that a run elsewhere sees whether it is alive. Its lines
are in objects of their own, the last of which is written again as it grows. An intent is in the
store before its output may appear; entries follow within seconds. See docs/design/cluster-runs.md.
"""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from treadle.recipes.journal import (
    FOLDER,
    Busy,
    JournalEntry,
    JournalIntent,
    JournalLine,
    line_of,
    take_line,
)
from treadle.remote import RemotePath

__all__ = ["RemoteJournal"]

_SEGMENT = 1 << 20  # bytes of lines in one object
_BEAT = 5.0  # seconds after which a run shows that it is alive, and has its lines in the store
_LEASE = 30.0  # seconds without a sign after which a run on another machine is taken for dead
_LOOK = 2.0
_MAX_SIGN = 1 << 12
_RUN = re.compile(r"runs/([0-9]{6})\.json", re.ASCII)
_LINES = re.compile(r"journal/[0-9]{6}-[0-9]{6}\.jsonl", re.ASCII)
_READERS = 8


class RemoteJournal:
    """The open journal of an output folder in a store; OSError where it refuses."""

    def __init__(self, out: RemotePath) -> None:
        self.folder = out / FOLDER
        self._mutex = threading.Lock()
        self._flushing = threading.Lock()
        self._lines = bytearray()  # of the segment that grows
        self._in_store = self._segment = 0
        self._failed: OSError | None = None
        self.entries: dict[str, JournalEntry] = {}
        self.intents: dict[str, JournalIntent] = {}  # of which no entry followed
        self._ended = threading.Event()
        runs, _ = self._listed()
        if runs and (who := _alive(runs[-1][1])):
            raise Busy(who)
        self._number = runs[-1][0] + 1 if runs else 1
        self._own = self.folder / f"runs/{self._number:06}.json"
        self._beats = itertools.count()
        try:
            self._own.write(self._sign(), replace=False)
        except FileExistsError as error:
            raise Busy from error
        try:
            for _, path in runs:
                path.remove()
            # Others may have written and ended since, while this run looked whether one was alive.
            self._load(self._listed()[1])
        except BaseException:
            with suppress(OSError):
                self._own.remove()
            raise
        self._thread = threading.Thread(target=self._beat, name="treadle journal", daemon=True)
        self._thread.start()

    def add(self, *lines: JournalLine) -> None:
        """Note outputs that may appear from now on; the note is in the store on return."""
        self.note(*lines)
        self._flush()

    def note(self, *lines: JournalLine) -> None:
        """Note outputs that are there by now, for which an intent was added; never waits."""
        with self._mutex:
            if self._failed is not None:
                raise self._failed
            self._lines += b"".join(map(line_of, lines))
            self.entries.update((e.output, e) for e in lines if isinstance(e, JournalEntry))

    def sweep(self) -> None:
        """Do nothing: a store keeps no unfinished objects under names."""

    def close(self) -> None:
        """Let other runs write; what entries would say that are not in the store, intents do."""
        self._ended.set()
        self._thread.join()
        with suppress(OSError):
            self._flush()
        with suppress(OSError):
            self._own.remove()

    def __enter__(self) -> RemoteJournal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _listed(self) -> tuple[list[tuple[int, RemotePath]], list[RemotePath]]:
        """The runs that have not ended, by number, and the objects with lines."""
        runs, segments = [], []
        with _maybe_nothing():
            for path, below in self.folder.files():
                if found := _RUN.fullmatch(str(below)):
                    runs.append((int(found[1]), path))
                elif _LINES.fullmatch(str(below)):
                    segments.append(path)
        return sorted(runs, key=lambda each: each[0]), segments

    def _load(self, segments: list[RemotePath]) -> None:
        numbers = [int(path.name[:6]) for path in segments]
        self._number = max([self._number, *(number + 1 for number in numbers)])
        with ThreadPoolExecutor(_READERS) as pool:
            for data in pool.map(lambda path: path.read(limit=4 * _SEGMENT), segments):
                for line in data.splitlines():
                    take_line(line, self.entries, self.intents)

    def _flush(self) -> None:
        """Have all lines in the store."""
        with self._flushing:
            with self._mutex:
                data = bytes(self._lines)
            if len(data) == self._in_store:
                return
            name = f"journal/{self._number:06}-{self._segment:06}.jsonl"
            try:
                (self.folder / name).write(data, replace=True)
            except OSError as error:
                said = f"{FOLDER}/{name}: {error.strerror or error}"
                raise OSError(error.errno, said) from error
            self._in_store = len(data)
            if len(data) >= _SEGMENT:
                with self._mutex:
                    del self._lines[: len(data)]
                self._in_store, self._segment = 0, self._segment + 1

    def _sign(self) -> bytes:
        return json.dumps({**_here(), "beat": next(self._beats)}).encode()

    def _beat(self) -> None:
        """Show that this run is alive, until it ends or another has taken its place."""
        own = int(self._own.name[:6])
        while not self._ended.wait(_BEAT):
            try:
                if any(int(below.name[:6]) > own for _, below in (self.folder / "runs").files()):
                    with self._mutex:
                        self._failed = OSError(errno.EBUSY, "another run took this one for dead")
                    return
                self._own.write(self._sign(), replace=True)
                self._flush()
            except (OSError, ValueError):
                continue  # who waits for lines to be in the store is told


@contextmanager
def _maybe_nothing() -> Iterator[None]:
    """Take a folder that is not there for an empty one, but not a bucket that is not there."""
    try:
        yield
    except FileNotFoundError as error:
        if "bucket" in str(error).lower():
            raise


def _here() -> dict[str, Any]:
    """What tells this process from all others, as far as another on this machine can see."""
    machine = [socket.gethostname()]
    with suppress(OSError):
        machine.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
        machine.append(os.readlink("/proc/self/ns/pid"))
    return {"machine": " ".join(machine), "pid": os.getpid(), "started": _started(os.getpid())}


def _started(pid: int) -> str:
    """When a process of this machine started, as a text; empty where it is gone or cannot tell."""
    with suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return ""


def _alive(sign: RemotePath) -> str:
    """Say who the run is that gives a sign; nothing where it is dead.

    Whether a run on another machine is alive shows in whether its sign changes."""
    before = _read(sign)
    if before is None:
        return ""
    pid = before.get("pid")
    who = f"process {pid} on {str(before.get('machine')).partition(' ')[0]}"
    here = before.get("machine") == _here()["machine"]
    # Where there is no POSIX, to ask a process is to end it.
    if here and type(pid) is int and pid > 0 and os.name == "posix":
        return who if _started(pid) == before.get("started") and _runs(pid) else ""
    until = time.monotonic() + _LEASE
    while time.monotonic() < until:
        time.sleep(_LOOK)
        now = _read(sign)
        if now != before:
            return who if now is not None else ""
    return ""


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _read(sign: RemotePath) -> dict[str, Any] | None:
    try:
        found = json.loads(RemotePath(sign.url).read(limit=_MAX_SIGN))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
