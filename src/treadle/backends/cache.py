"""Compiled code on disk, shared by the processes of one user.

In: a key and bytes. Out: those bytes, or None. What lies in the cache becomes machine code of this
process, so an entry counts only if this user made it: it lies in a folder of the cache's own, file
and folder belong to the user and no other user may write to them, and the entry carries a digest
that only the user's key file can make. Everything else is as good as absent. Nothing but the
cache's own entries is ever replaced, deleted or given another mode. Whatever goes wrong with the
disk (no home, no space, no permission) only means that nothing is kept; `problem` says why. Of
several processes that need the same entry, one makes it, and the others wait for that. Knows
nothing about what the bytes mean.

    TREADLE_CACHE=<directory>   where to keep it; `0` or `off` keeps nothing
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import os
import re
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from treadle.files import Folder, hold, let_go, read_open

__all__ = ["DiskCache", "cache_directory", "digest"]

_MAGIC = b"treadle\x02\n"
_MAC_BYTES = 32
_LIMIT = 256 << 20
_STALE_SECONDS = 3600.0  # a temporary file older than this was left by a process that died
# How long one process waits for another that makes an entry: longer than any compiler takes, but
# not for ever, because a process may be stopped while it does.
_PATIENCE_SECONDS = 30.0
_LOOK_SECONDS = 0.005
_TOUCH_SECONDS = 86400.0  # how exact "least recently used" is
# The names that the cache writes, and the only ones that it deletes.
_ENTRY = re.compile(r"[0-9a-f]{64}\.bin", re.ASCII)
_TEMPORARY = re.compile(r"\.new-[0-9a-f]{16}", re.ASCII)
# A folder with this file holds what can be made again; programs for backups leave it out.
_MARKER = "CACHEDIR.TAG"
_SIGNATURE = b"Signature: 8a477f597d28d172789f06886806bc55"
_MARKED = _SIGNATURE + b"\n# Compiled kernels of Treadle; they can be deleted at any time.\n"
_KEY = "key"
_KEY_BYTES = 32


def cache_directory() -> Path | None:
    """Return the directory for compiled code, or None where caching is switched off."""
    chosen = os.environ.get("TREADLE_CACHE")
    if chosen is None:
        return _user_directory()
    if chosen.strip().lower() in ("", "0", "off"):
        return None
    try:
        return Path(chosen).expanduser().absolute()
    except (RuntimeError, OSError):  # no home directory, or a current one that is gone
        return None


def _user_directory() -> Path | None:
    """The user's own directory for what can be made again."""
    try:
        if sys.platform == "win32":
            base = os.environ.get("LOCALAPPDATA")
            root = Path(base) if base else Path.home() / "AppData" / "Local"
        elif sys.platform == "darwin":
            root = Path.home() / "Library" / "Caches"
        else:
            # The XDG specification says to ignore a relative path.
            base = os.environ.get("XDG_CACHE_HOME", "")
            root = Path(base) if os.path.isabs(base) else Path.home() / ".cache"
    except RuntimeError:  # no home directory
        return None
    return root / "treadle"


def digest(*parts: str | bytes) -> str:
    """Return a key for parts; parts cannot run into each other."""
    h = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        h.update(len(data).to_bytes(8, "little"))
        h.update(data)
    return h.hexdigest()


class DiskCache:
    """A bounded folder of entries that only this user can have written."""

    def __init__(self, directory: Path | None, *, limit: int = _LIMIT) -> None:
        """Entries go to a folder of the cache's own below `directory`, one for each user."""
        user = _user()
        own = "treadle" if user is None else f"treadle-{user}"
        self.directory = None if directory is None else directory / own
        self.limit = limit
        self._written = 0
        self._secret: bytes | None = None
        self._problem: str | None = None  # None: not looked at yet

    def __repr__(self) -> str:
        return f"DiskCache({str(self.directory)!r})" if self.directory else "DiskCache(off)"

    @property
    def problem(self) -> str:
        """Why nothing is kept; an empty string where the cache works."""
        if self._problem is None:
            try:
                if self.directory is None:
                    raise OSError(errno.ENOENT, "the cache is switched off")
                self._secret = _prepare(self.directory)
                self._problem = ""
            except (OSError, ValueError) as error:
                said = getattr(error, "strerror", None) or str(error)
                where = getattr(error, "filename", None) or self.directory
                self._problem = f"{where}: {said}" if where else said
        return self._problem

    def load(self, key: str) -> bytes | None:
        """Return the payload of a key if it is there, whole and this user's."""
        name = _name(key)
        with contextlib.suppress(OSError), self._opened() as folder:
            file = folder.open(name)
            try:
                info = os.fstat(file)
                if _trouble(info):
                    return None
                payload = self._payload(name, read_open(file, self.limit))
            finally:
                os.close(file)
            if payload is None:
                folder.unlink(name)
            elif time.time() - info.st_mtime > _TOUCH_SECONDS:
                with contextlib.suppress(OSError):
                    folder.touch(name)  # eviction takes the least recently used first
            return payload
        return None

    def store(self, key: str, payload: bytes) -> bool:
        """Keep a payload; return whether that worked."""
        name = _name(key)
        temporary = f".new-{os.urandom(8).hex()}"
        try:
            with self._opened() as folder:
                folder.write(temporary, _MAGIC + self._mac(name, payload) + payload)
                try:
                    folder.replace(temporary, name)
                except OSError:
                    folder.unlink(temporary)
                    raise
        except OSError:
            return False
        # Looking through the folder is slow, so it happens now and then.
        if self._written == 0 or self._written > self.limit // 16:
            self.evict()
            self._written = 0
        self._written += len(payload)
        return True

    @contextlib.contextmanager
    def making(self, key: str) -> Iterator[None]:
        """Keep other processes from making the same entry meanwhile; look again, once inside.

        The lock goes with the process that has it. Entries share few lock files: two that have one
        in common wait for each other, which costs time and nothing else, as does a lock that cannot
        be had. A finalizer may make an entry while its thread makes another: that thread does not
        wait for itself."""
        mine, lock = (self.directory, _name(key)[0]), None
        if mine in _inside.locks:
            yield
            return
        _inside.locks += (mine,)
        try:
            with contextlib.suppress(OSError):
                with self._opened() as folder:
                    lock = folder.open(f".lock-{mine[1]}", os.O_RDWR | os.O_CREAT)
                _wait_for(lock)  # which Ctrl-C may end
            yield
        finally:
            _inside.locks = tuple([each for each in _inside.locks if each != mine])
            if lock is not None:
                let_go(lock)

    def evict(self) -> int:
        """Delete the cache's oldest entries beyond the limit; return how many."""
        entries: list[tuple[float, int, str]] = []
        removed = 0
        now = time.time()
        with contextlib.suppress(OSError), self._opened() as folder:
            for name in folder.names():
                entry = _ENTRY.fullmatch(name)
                if not entry and not _TEMPORARY.fullmatch(name):
                    continue
                with contextlib.suppress(OSError):
                    info = folder.stat(name)
                    if not stat.S_ISREG(info.st_mode) or _trouble(info):
                        continue
                    if entry:
                        entries.append((info.st_mtime, info.st_size, name))
                    elif now - info.st_mtime > _STALE_SECONDS:
                        folder.unlink(name)
            total = sum(size for _, size, _ in entries)
            for _, size, name in sorted(entries):
                if total <= self.limit:
                    break
                with contextlib.suppress(OSError):
                    folder.unlink(name)
                    removed += 1
                total -= size
        return removed

    def _opened(self) -> Folder:
        """The cache's folder, looked at anew; OSError where it is not to be used."""
        for _ in range(2):
            if self.problem or self.directory is None:
                raise OSError(errno.ENOENT, self.problem)
            with contextlib.suppress(FileNotFoundError):
                return _own_folder(self.directory)
            self._problem = None  # the user deleted it, as users may: it is made again
        raise FileNotFoundError(errno.ENOENT, "the folder vanished", str(self.directory))

    def _mac(self, name: str, payload: bytes | memoryview) -> bytes:
        """A digest that needs the key, and holds for one name only."""
        assert self._secret is not None
        made = hmac.new(self._secret, name.encode() + b"\0", hashlib.sha256)
        made.update(payload)
        return made.digest()

    def _payload(self, name: str, data: bytes) -> bytes | None:
        start = len(_MAGIC) + _MAC_BYTES
        if len(data) < start or not data.startswith(_MAGIC):
            return None
        made = self._mac(name, memoryview(data)[start:])
        return data[start:] if hmac.compare_digest(made, data[len(_MAGIC) : start]) else None


def _name(key: str) -> str:
    name = f"{key}.bin"
    if not _ENTRY.fullmatch(name):
        raise ValueError(f"key: expected 64 hexadecimal digits, as digest() gives, got {key!r}")
    return name


class _Inside(threading.local):
    """What a thread has locked of the caches on disk: folders and parts of these."""

    locks: tuple[tuple[Path | None, str], ...] = ()


_inside = _Inside()


def _wait_for(lock: int) -> None:
    """Hold an open file as soon as no other process does, or give up after a while."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while True:
        try:
            hold(lock)
            return
        except BlockingIOError:
            if time.monotonic() >= until:
                return
            time.sleep(_LOOK_SECONDS)


def _user() -> int | None:
    """The user's number; None on a system where files have no such owner."""
    return os.geteuid() if sys.platform != "win32" else None


def _trouble(info: os.stat_result, forbidden: int = 0o022) -> str:
    """Why a file or folder may be another user's work; empty where it is this user's alone."""
    user = _user()
    if user is None:
        return ""
    if info.st_uid != user:
        return f"it belongs to user {info.st_uid}, not to {user}"
    if info.st_mode & forbidden:
        return f"others may use it (its mode is {stat.S_IMODE(info.st_mode):o})"
    return ""


def _own_folder(path: Path) -> Folder:
    """Open the cache's folder; OSError where it is not this user's alone to write."""
    folder = Folder(path)
    if trouble := _trouble(folder.info):
        folder.close()
        raise PermissionError(errno.EPERM, trouble, str(path))
    return folder


def _prepare(path: Path) -> bytes:
    """Make the cache's folder where there is none, and return the key for what is in it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for _ in range(2):  # the second time after it was made
        try:
            with _own_folder(path) as folder:
                if _marked(folder):
                    return _key(path)
                if folder.names():
                    said = f"the folder has no {_MARKER} of Treadle: it was not made by it"
                    raise FileExistsError(errno.EEXIST, said, str(path))
            os.rmdir(path)  # the user emptied it
        except FileNotFoundError:
            pass
        _create(path)
    raise FileNotFoundError(errno.ENOENT, "the folder vanished", str(path))


def _marked(folder: Folder) -> bool:
    try:
        file = folder.open(_MARKER)
    except FileNotFoundError:
        return False
    try:
        return read_open(file, 4096).startswith(_SIGNATURE)
    finally:
        os.close(file)


def _create(path: Path) -> None:
    """Make the cache's folder with its marker, in one step, or find that another process did."""
    made = tempfile.mkdtemp(prefix=".treadle-", dir=path.parent)
    try:
        with Folder(made) as folder:
            folder.write(_MARKER, _MARKED)
        os.rename(made, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(made, _MARKER))
        with contextlib.suppress(OSError):
            os.rmdir(made)
        if not os.path.lexists(path):
            raise


def _key(path: Path) -> bytes:
    """The user's key: from their home, so that it does not travel with a folder of entries, or from
    the cache's folder where there is no home that can be written."""
    for place in (_user_directory(), path):
        found = None if place is None else _key_in(place)
        if found is not None:
            return found
    raise OSError(errno.EACCES, "no key can be kept", str(path))


def _key_in(place: Path) -> bytes | None:
    """The key in a folder, made where there is none; None where that cannot be done."""
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = Folder(place, follow=True)
    except OSError:
        return None
    with folder:
        try:
            file = folder.open(_KEY)
        except FileNotFoundError:
            try:
                _make_key(folder)
            except OSError:
                return None
            file = folder.open(_KEY)
        try:
            trouble = _trouble(os.fstat(file), 0o077)
            found = b"" if trouble else read_open(file, 4096)
        finally:
            os.close(file)
    if trouble or len(found) != _KEY_BYTES:
        said = f"{trouble or 'it is damaged'}; delete this key, and another is made"
        raise PermissionError(errno.EPERM, said, str(place / _KEY))
    return found


def _make_key(folder: Folder) -> None:
    """Write a new key; of several processes, the first one's stays."""
    temporary = f".new-{os.urandom(8).hex()}"
    folder.write(temporary, os.urandom(_KEY_BYTES), sync=True)
    try:
        folder.link(temporary, _KEY)
    except FileExistsError:
        pass
    except OSError:  # a file system without links; the last one's stays, and others build again
        folder.replace(temporary, _KEY)
        return
    folder.unlink(temporary)
