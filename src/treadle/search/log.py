"""The log of a durable index: every change is on the disk before its caller is told of it.

In: changes, one after another, from any thread. Out: after the process was killed or the machine
lost its power, the same changes in the same order. A change is written first and synced then, and
those who wait at the same time share one sync. The log lies beside the index file. When a new index
file holds what the log says up to some record, the log forgets these records; a kill at any moment
of that leaves a file and a log that together say the same, since records have numbers and the file
knows how many it holds. One process writes at a time; others may read. Knows nothing about what a
change means.
"""

from __future__ import annotations

import os
import threading
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from treadle.errors import FileDamaged, FileError
from treadle.files import Name, read_at, sync, write_at
from treadle.search import log_records as records
from treadle.search.log_records import LogHeader, LogRecord
from treadle.search.site import Hold, Site, telling

__all__ = ["SUFFIX", "Log", "find_log", "read_log"]

SUFFIX = ".log"


class Log:
    """The open log of an index, which this process alone writes; close it, or use `with`."""

    def __init__(self, site: Site, hold: Hold, lineage: bytes, through: int) -> None:
        self._site = site
        self._hold = hold
        self._name, self.path = site.beside(SUFFIX)
        self._lineage = lineage
        self._through = through
        self._writing = threading.Lock()
        self._syncing = threading.Lock()  # taken after the other where both are
        self._refused = ""  # why nothing is written any more
        with telling("open its log", self.path):
            self._opened = self._open(through)
            try:
                self._load(through)
            except BaseException:
                os.close(self._opened)
                del self._opened
                raise

    @classmethod
    def open(cls, path: Name, *, lineage: bytes, through: int = 0) -> Log:
        """Open the log beside an index file for writing, or make one.

        `lineage` is the index's own number, 16 bytes, and `through` the last record that its file
        holds. FileBusy where there is another writer, FileDamaged where the log is another
        index's, or records are missing between it and the file."""
        site = Site(path)
        try:
            hold = site.hold()
            try:
                site.sweep()
                return cls(site, hold, lineage, through)
            except BaseException:
                hold.close()
                raise
        except BaseException:
            site.close()
            raise

    def __repr__(self) -> str:
        return f"Log({self.path!r}, {len(self._held[1])} records)"

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self, through: int) -> int:
        try:
            return self._site.folder.open(self._name, os.O_RDWR)
        except FileNotFoundError:
            self._site.put(self._name, lambda opened: self._begin(opened, through))
            return self._site.folder.open(self._name, os.O_RDWR)

    def _begin(self, opened: int, through: int, tail: records.Bytes = b"") -> None:
        made = LogHeader(self._lineage, through + 1, records.START + len(tail))
        write_at(opened, tail, write_at(opened, made.as_bytes(), 0))

    def _load(self, through: int) -> None:
        """Find out where the records are, and cut off what no caller was promised."""
        header = records.read_header(self._opened, self.path)
        _require_fitting(header, self.path, self._lineage, through)
        # The first record, and where each ends; together, so that a thread sees both of one moment.
        self._held = header.first, array("Q")
        for end, _ in records.scan(self._opened, self.path, header):
            self._held[1].append(end)
        if os.fstat(self._opened).st_size != self._end:
            os.ftruncate(self._opened, self._end)
        sync(self._opened)
        records.write_mark(self._opened, self._lineage, self._end)
        self._synced = self.last
        if self.last < through:  # the file was saved before these records reached the disk
            self.forget(through)

    @property
    def site(self) -> Site:
        """Where the index lies."""
        return self._site

    @property
    def lineage(self) -> bytes:
        """The index's own number."""
        return self._lineage

    @property
    def _end(self) -> int:
        return self._tip()[1]

    @property
    def last(self) -> int:
        """The number of the last record."""
        return self._tip()[0]

    @property
    def nbytes(self) -> int:
        """How large the log is."""
        return self._end

    def append(
        self, kind: str, meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]
    ) -> int:
        """Write a record and wait until it is on the disk; return its number."""
        number = self.write(kind, meta, arrays)
        self.sync(number)
        return number

    def write(
        self, kind: str, meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]
    ) -> int:
        """Write a record behind the others and return its number; `sync` makes it last.

        FileError where there is no room: the log is then as it was, and works again when there
        is some."""
        length, pieces = records.body(kind, meta, arrays)
        self._require_ours()
        with self._writing:
            self._require_usable()
            number, at = self.last + 1, self._end
            try:
                with telling("append to it", self.path):
                    end = records.write_record(
                        self._opened, at, self._lineage, number, length, pieces
                    )
                self._held[1].append(end)  # from here on it is a record, whatever is interrupted
            except BaseException:
                if self._end == at:
                    with suppress(OSError):  # what is left there is behind the mark
                        os.ftruncate(self._opened, at)
                raise
        return number

    def sync(self, number: int) -> None:
        """Wait until a record is on the disk; one sync serves all who wait meanwhile."""
        self._require_ours()
        with self._syncing:
            if self._synced >= number:
                return
            self._require_usable()
            last, end = self._tip()
            try:
                with telling("make it last", self.path):
                    sync(self._opened, data_alone=True)
                    records.write_mark(self._opened, self._lineage, end)
            except FileError:
                # The system may have dropped what it could not write, and not say so again.
                self._refused = "an earlier change may not have reached the disk"
                raise
            self._synced = last

    def _tip(self) -> tuple[int, int]:
        """The last record and its end, of the same moment."""
        first, ends = self._held
        count = len(ends)
        return first + count - 1, ends[count - 1] if count else records.START

    def replay(self) -> Iterator[LogRecord]:
        """Give the records that the index file does not hold, in order."""
        header = records.read_header(self._opened, self.path)
        for _, record in records.scan(self._opened, self.path, header):
            if record.number > self._through:
                yield record

    def forget(self, through: int) -> None:
        """Drop the records up to this one, which a new index file holds, in one step."""
        self._require_ours()
        with self._writing, self._syncing, telling("empty it", self.path):
            first, ends = self._held
            through = max(through, first - 1)
            gone = max(min(through - first + 1, len(ends)), 0)
            start = ends[gone - 1] if gone else records.START
            tail = read_at(self._opened, start, self._end - start)
            if len(tail) != self._end - start:
                raise FileDamaged(f"{self.path}: cut off: it ends after {start + len(tail)} bytes")
            self._turn(through, tail, [end - start + records.START for end in ends[gone:]])

    def _turn(self, through: int, tail: records.Bytes, ends: list[int]) -> None:
        """Put a new log in the place of this one."""
        old, before = self._opened, self._refused
        self._refused = "a checkpoint of it was interrupted"
        turned: list[int] = []

        def fill(opened: int) -> None:
            self._begin(opened, through, tail)
            turned.append(os.dup(opened))  # now: it must not be lost once it has the name

        try:
            self._site.put(self._name, fill)
        except BaseException:
            if os.fstat(old).st_nlink:  # it still has the name
                self._refused = before
            for each in turned:
                os.close(each)
            raise
        self._opened = turned.pop()
        self._held = through + 1, array("Q", ends)
        self._through = max(self._through, through)
        self._synced = self.last
        os.close(old)
        self._refused = ""

    def close(self) -> None:
        """Let others write; what was synced stays."""
        if not self._hold.held:  # a forked child has copies of locks that no thread will ever give
            self._finish()
            return
        with self._writing, self._syncing:
            self._finish()

    def _finish(self) -> None:
        opened, self._opened = self._opened, -1
        if opened >= 0:
            os.close(opened)
        self._refused = self._refused or "it is closed"
        self._hold.close()
        self._site.close()

    def __del__(self) -> None:
        if hasattr(self, "_opened"):  # else it could not be opened
            self._finish()

    def _require_ours(self) -> None:
        # Before any lock: a forked child has copies of locks that no thread will ever give.
        if not self._hold.held and self._opened >= 0:
            raise FileError(f"{self.path}: it was opened before a fork; open it in this process")

    def _require_usable(self) -> None:
        if self._refused:
            raise FileError(
                f"{self.path}: nothing more is written, because {self._refused}; "
                "close the index and open it again"
            )


def read_log(site: Site, lineage: bytes, through: int) -> Iterator[LogRecord]:
    """Give the records that an index file does not hold, while another process may write more.

    FileDamaged where the log is another index's, or where records are missing between the file and
    the log; the latter also where both were replaced since the file was read."""
    with _reading(site) as (opened, path):
        if opened is None:
            return
        header = records.read_header(opened, path)
        _require_fitting(header, path, lineage, through)
        for _, record in records.scan(opened, path, header):
            if record.number > through:
                yield record


def find_log(site: Site) -> tuple[bytes, int] | None:
    """Return whose the log beside a file is, and its last record; None where there is no log."""
    with _reading(site) as (opened, path):
        if opened is None:
            return None
        header = records.read_header(opened, path)
        last = header.first - 1
        for _, record in records.scan(opened, path, header):
            last = record.number
        return header.lineage, last


@contextmanager
def _reading(site: Site) -> Iterator[tuple[int | None, str]]:
    name, path = site.beside(SUFFIX)
    with telling("read it", path):
        try:
            opened = site.folder.open(name)
        except FileNotFoundError:
            yield None, path
            return
        try:
            yield opened, path
        finally:
            os.close(opened)


def _require_fitting(header: LogHeader, path: str, lineage: bytes, through: int) -> None:
    """Refuse a log that is not that of the file, which holds records up to `through`."""
    if header.lineage != lineage:
        raise FileDamaged(
            f"{path}: foreign: it is the log of another index; move it away if that is gone"
        )
    if header.first > through + 1:
        raise FileDamaged(
            f"{path}: records are missing: the index file ends with record {through}, "
            f"its log begins with {header.first}"
        )
