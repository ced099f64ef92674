"""Indexes in files: saved, opened, and kept through every change.

In: an index and a path. Out: a file that holds it; an index over such a file, which reads of it
what it needs when it needs it; and for a durable index a Keeper, which has every change in a log
before it counts, and writes a new file when the log has grown. A file holds what an index packs of
itself, which log it belongs to (its lineage), and the last record that it holds.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from treadle.attendant import Attendant, report
from treadle.errors import CommandError, DeviceError, FileDamaged
from treadle.files import Name
from treadle.runtime.device import Device
from treadle.search.log import SUFFIX, Log, find_log, read_log
from treadle.search.log_records import LogRecord
from treadle.search.record import pack_state, unpack_state
from treadle.search.series import Array
from treadle.search.site import Site
from treadle.search.state import State
from treadle.search.storage import Stored, get, put

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from treadle.search.index import Index

__all__ = ["Keeper", "open_index", "save_index"]

_LEAST = 64 << 20  # bytes of a log before it is worth while to write a new file
_SHARE = 4  # of the file's size, from which on it is: what a log holds is coded again when opened
_IN_MEMORY = 256 << 20  # bytes of vectors that a compaction may bring into memory unasked
_LOOKS = 10  # at a file and a log that a writer replaces meanwhile


def save_index(index: Index, path: Name) -> None:
    """Write an index to a file, in place of what is there; FileError leaves that as it is."""
    keeper = index._log
    with Site(path) as site:
        if isinstance(keeper, Keeper) and keeper.path == site.path:
            keeper.checkpoint()
            return
        hold = site.hold()
        try:
            site.sweep()
            # A log that is there belongs to what is replaced. Until it is removed, the new file
            # says that it holds all of its records.
            found = find_log(site)
            lineage, through = found or (os.urandom(16), 0)
            meta, arrays = index._state()
            put(site, _described(meta, lineage, through), arrays)
            if found is not None:
                site.folder.unlink(site.name + SUFFIX)
                site.folder.sync()
        finally:
            hold.close()


def open_index(
    kind: type[Index], path: Name, *, durable: bool, device: Device | str | None, max_delay: float
) -> Index:
    """Open a file that holds an index, with what its log has since."""

    def restored(stored: Stored) -> Index:
        with _refusing(stored.path):
            made = kind._restored(stored.meta["index"], stored.arrays, device, max_delay=max_delay)
        made._stored = stored
        made._current.tidies = _small(stored)
        return made

    if durable:
        return _opened_to_keep(path, restored)
    with Site(path) as site:
        for look in range(_LOOKS):
            stored, lineage, through = _read(site)
            try:
                index = restored(stored)
                _replay(index, site.path + SUFFIX, read_log(site, lineage, through))
                return index
            except FileDamaged:
                if look == _LOOKS - 1 or _read(site)[1:] == (lineage, through):
                    raise  # and it is not because a writer has replaced both
    raise AssertionError("not reached")


def _small(stored: Stored) -> bool:
    return stored.arrays["table.vectors"].nbytes <= _IN_MEMORY


def _opened_to_keep(path: Name, restored: Callable[[Stored], Index]) -> Index:
    site = Site(path)
    hold = site.hold()
    try:
        site.sweep()
        stored, lineage, through = _read(site)
        index = restored(stored)
        log = Log(site, hold, lineage, through)
        _replay(index, log.path, log.replay())
    except BaseException:
        hold.close()
        raise
    index._log = Keeper(index, log)
    return index


def _described(meta: dict[str, Any], lineage: bytes, through: int) -> dict[str, Any]:
    return {"index": meta, "lineage": lineage.hex(), "through": through}


def _read(site: Site) -> tuple[Stored, bytes, int]:
    """A file, whose log it has, and the last record of that which it holds."""
    stored = get(site)
    match stored.meta:
        case {"index": dict(), "lineage": str(lineage), "through": int(through)} if through >= 0:
            with suppress(ValueError):
                if len(found := bytes.fromhex(lineage)) == 16 and "table.vectors" in stored.arrays:
                    return stored, found, through
    raise FileDamaged(f"{site.path}: foreign: it holds arrays, but no index")


@contextmanager
def _refusing(path: str, what: str = "") -> Iterator[None]:
    """Say of what does not fit together in which file it is."""
    try:
        yield
    except (KeyError, TypeError, ValueError) as error:
        raise FileDamaged(f"{path}: damaged: {what}{error}") from error


def _replay(index: Index, path: str, records: Iterable[LogRecord]) -> None:
    for record in records:
        with _refusing(path, f"record {record.number}: "):
            index._apply(record.kind, record.meta, record.arrays)


class Keeper:
    """What keeps the changes of a durable index: a log, and from time to time a new file."""

    def __init__(self, index: Index, log: Log) -> None:
        self._index = weakref.ref(index)
        self._log = log
        saving: Any = threading.RLock()
        self._saving = saving  # one new file at a time
        self._limit = self._worth()
        self._closed = False
        here = weakref.ref(self)
        self._attendant = Attendant(
            "treadle-search-log", lambda: _checkpoint(here), idle=0.0, waits=True
        )

    @property
    def path(self) -> str:
        """The path of the index file."""
        return self._log.site.path

    @property
    def written(self) -> int:
        """How many changes it has."""
        return self._log.last

    def __call__(
        self, kind: str, meta: Mapping[str, Any], arrays: Mapping[str, Array]
    ) -> Callable[[], object]:
        """Write a change to the log; what is returned waits until it is on the disk."""
        number = self._log.write(kind, meta, arrays)

        def wait() -> None:
            self._log.sync(number)
            if self.due:
                with suppress(DeviceError):  # no thread can be had; the next change asks again
                    self._attendant.call()

        return wait

    @property
    def due(self) -> bool:
        """Whether it is worth while to write a new file."""
        return self._log.nbytes > self._limit and not self._closed

    def _worth(self) -> int:
        site = self._log.site
        return max(_LEAST, site.folder.stat(site.name).st_size // _SHARE)

    def checkpoint(self) -> None:
        """Write a file that holds everything up to now, and have the log forget that."""
        index = self._index()
        if index is None:
            return
        index._current.check()
        if self._saving._is_owned():
            raise CommandError(
                "the index is saved by a finalizer, on the thread that is saving it; let the "
                "finalizer leave that to another thread"
            )
        with self._saving:
            with index._current.lock:
                state, through = index._current.state(), self._log.last
            meta, arrays = pack_state(state)
            put(self._log.site, _described(meta, self._log.lineage, through), arrays)
            self._log.forget(through)
            self._limit = self._worth()
            self._move(index, state)

    def _move(self, index: Index, state: State) -> None:
        """Have the index use the new file, so that what is in it takes no more memory."""
        stored = get(self._log.site)
        with _refusing(stored.path):
            made = unpack_state(stored.meta["index"], stored.arrays, state.table.device)
        if made.count:
            made.view()  # here and not in the next search, for which codes are read and checked
        index._current.tidies = _small(stored)
        index._current.adopt(made, state)
        index._stored = stored

    def postpone(self) -> None:
        """Try again only when the log has twice its size."""
        self._limit = 2 * self._log.nbytes

    def close(self) -> None:
        """Let others write to the index, after what is being written."""
        self._closed = True
        self._attendant.dismiss()
        self._log.close()


def _checkpoint(here: weakref.ref[Keeper]) -> bool:
    """What the thread does: one new file, if it is worth while."""
    keeper = here()
    if keeper is None or not keeper.due:
        return False
    try:
        keeper.checkpoint()
    except Exception as error:  # file and log are as they were
        keeper.postpone()
        report(error)
    return True
