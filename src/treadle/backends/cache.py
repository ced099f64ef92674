"""Compiled code on disk, shared by processes, never trusted.

In: a key and bytes. Out: those bytes, or None. An entry carries a digest of its payload; one that
does not match is deleted and built again. Whatever goes wrong with the disk (no home, no space, no
permission, a directory of another user) only means that nothing is cached. Knows nothing about what
the bytes mean.

    TREADLE_CACHE=<directory>   where to keep it; `0` or `off` keeps nothing
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import time
from pathlib import Path

__all__ = ["DiskCache", "cache_directory", "digest"]

_MAGIC = b"treadle\x01\n"
_SUFFIX = ".bin"
_LIMIT = 256 << 20
_STALE_SECONDS = 3600.0  # a temporary file older than this was left by a process that died
_TOUCH_SECONDS = 86400.0  # how exact "least recently used" is


def cache_directory() -> Path | None:
    """Return the directory for compiled code, or None where caching is switched off."""
    chosen = os.environ.get("TREADLE_CACHE")
    if chosen is not None and chosen.strip().lower() in ("", "0", "off"):
        return None
    try:
        if chosen:
            return Path(chosen).expanduser()
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
    """A bounded directory of verified entries."""

    def __init__(self, directory: Path | None, *, limit: int = _LIMIT) -> None:
        self.directory = directory
        self.limit = limit
        self._written = 0
        self._ready: bool | None = None  # None: not looked at yet

    def __repr__(self) -> str:
        return f"DiskCache({str(self.directory)!r})" if self.directory else "DiskCache(off)"

    def load(self, key: str) -> bytes | None:
        """Return the payload of a key if it is there and whole."""
        path = self._path(key)
        if path is None:
            return None
        try:
            data = path.read_bytes()
        except OSError:
            return None
        payload = _payload(data)
        if payload is None:
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _TOUCH_SECONDS:
                os.utime(path)  # eviction takes the least recently used first
        return payload

    def store(self, key: str, payload: bytes) -> bool:
        """Keep a payload; return whether that worked."""
        path = self._path(key)
        if path is None:
            return False
        data = _MAGIC + hashlib.sha256(payload).digest() + payload
        temporary = None
        try:
            handle, temporary = tempfile.mkstemp(prefix=".new-", dir=path.parent)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.replace(temporary, path)
        except OSError:
            if temporary is not None:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
            return False
        # Looking through the directory is slow, so it happens now and then.
        if self._written == 0 or self._written > self.limit // 16:
            self.evict()
            self._written = 0
        self._written += len(data)
        return True

    def evict(self) -> int:
        """Delete the oldest entries beyond the limit; return how many."""
        if not self._usable() or self.directory is None:
            return 0
        entries: list[tuple[float, int, Path]] = []
        removed = 0
        stale = time.time() - _STALE_SECONDS
        with contextlib.suppress(OSError):
            for path in self.directory.iterdir():
                with contextlib.suppress(OSError):
                    info = path.stat()
                    if path.suffix == _SUFFIX:
                        entries.append((info.st_mtime, info.st_size, path))
                    elif path.name.startswith(".new-") and info.st_mtime < stale:
                        path.unlink()
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.limit:
                break
            with contextlib.suppress(OSError):
                path.unlink()
                removed += 1
            total -= size
        return removed

    def _path(self, key: str) -> Path | None:
        if self.directory is None or not self._usable():
            return None
        return self.directory / (key + _SUFFIX)

    def _usable(self) -> bool:
        if self._ready is None:
            self._ready = self.directory is not None and _private(self.directory)
        return self._ready


def _private(directory: Path) -> bool:
    """Make the directory if need be; return whether it is ours and only ours to write."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        if os.name != "posix":
            return directory.is_dir()
        info = directory.stat()
        if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.geteuid():
            return False
        if info.st_mode & 0o077:
            directory.chmod(0o700)
    except OSError:
        return False
    return True


def _payload(data: bytes) -> bytes | None:
    start = len(_MAGIC) + 32
    if len(data) < start or not data.startswith(_MAGIC):
        return None
    payload = data[start:]
    return payload if hashlib.sha256(payload).digest() == data[len(_MAGIC) : start] else None
