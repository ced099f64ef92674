"""Files in stores, by URL: s3://bucket/photos/a.jpg. The one place that knows fsspec (extra
`remote`).

In: URLs. Out: what lies below them, bytes, and objects that appear whole or not at all: a store
shows an object when all of its bytes are there, also one that was sent in parts. Credentials,
endpoints and regions are the store's own affair: the usual environment variables and fsspec's
configuration. What a store or its library raises becomes an OSError whose strerror is a sentence.
Knows nothing about images.
"""

from __future__ import annotations

import errno
import glob
import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any

from treadle.data import dataclass

__all__ = ["RemotePath", "as_local", "is_url", "md5", "remote_path"]

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://")
_MD5 = re.compile(r"[0-9a-f]{32}", re.ASCII)
# What stores call the thing that changes with an object's bytes, the most telling first.
_STAMPS = "ETag etag md5Hash mtime LastModified last_modified modified created".split()
# Codes of S3 and its relatives that mean that nothing more fits.
_FULL = ("storagefull", "insufficientstorage", "quotaexceeded", "no space left")


def is_url(text: str) -> bool:
    """Whether a text names something in a store, or by file://."""
    return _URL.match(text) is not None


def as_local(text: str) -> Path | None:
    """Return the path that a text is, a file:// URL among them; None where it names a store."""
    if not is_url(text):
        return Path(text)
    from urllib.parse import urlsplit
    from urllib.request import url2pathname  # slow to import, and rarely asked for

    parts = urlsplit(text)
    if parts.scheme.lower() not in ("file", "local"):
        return None
    return Path(url2pathname(parts.netloc + parts.path))


def remote_path(url: str) -> RemotePath:
    """Return the path that a URL names; OSError where fsspec, or its part for the store, is absent.

    Asks the store nothing."""
    found = RemotePath(url.rstrip("/"))
    found.connect()
    return found


def md5(data: bytes) -> str:
    """Return the hash that stores give of an object, as a rule; it guards against mistakes only."""
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, slots=True)
class RemotePath:
    """A file or a folder in a store; `size` and `stamp` are known where it was listed.

    The stamp changes with the bytes, as far as its store tells; it is empty where none does."""

    url: str
    size: int = 0
    stamp: str = ""

    def __str__(self) -> str:
        return self.url

    def __truediv__(self, name: str | PurePosixPath | Path) -> RemotePath:
        return RemotePath(f"{self.url}/{PurePosixPath(name)}")

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.url.rpartition("/")[2]

    @property
    def suffix(self) -> str:
        """The name's ending, with its point."""
        return PurePosixPath(self.name).suffix

    def connect(self) -> tuple[Any, str]:
        """Return fsspec's file system for the store, and the path in it."""
        try:
            import fsspec
        except ImportError as error:
            raise OSError(
                errno.ENOSYS, f"{_scheme(self.url)}:// needs fsspec: pip install 'treadle[remote]'"
            ) from error
        with self._words():
            try:
                # A listing that was kept would miss what others do meanwhile.
                system, path = fsspec.core.url_to_fs(self.url, use_listings_cache=False)
            except ImportError as error:
                raise OSError(errno.ENOSYS, f"{error}; treadle[remote] has s3fs") from error
            except ValueError as error:
                raise OSError(errno.EINVAL, f"fsspec: {error}") from error
        return system, path

    def read(self, *, limit: int) -> bytes:
        """Return the bytes; OSError beyond `limit`, and where others were listed."""
        if self.size > limit:
            raise OSError(errno.EFBIG, f"it has {self.size} bytes; at most {limit} are read")
        system, path = self.connect()
        # Some ask for the size first, unless they are told where to end: a byte beyond what was
        # listed, which shows that an object has grown.
        part = {"start": 0, "end": self.size + 1} if self.size else {}
        with self._words():
            data: bytes = system.cat_file(path, **part)
        if len(data) > limit:
            raise OSError(errno.EFBIG, f"it has {len(data)} bytes; at most {limit} are read")
        if self.stamp and (len(data) != self.size or self.md5 not in ("", md5(data))):
            raise OSError(errno.EAGAIN, "changed since it was listed; run again")
        return data

    def write(self, data: bytes, *, replace: bool) -> None:
        """Have the object appear with these bytes; FileExistsError where it may not be replaced."""
        system, path = self.connect()
        # Only S3 and its like promise that of two who create one object, one is told so.
        mode = "overwrite" if replace else "create"
        try:
            with self._words():
                try:
                    system.pipe_file(path, data, mode=mode)
                except (OSError, NotImplementedError) as error:
                    lacks = getattr(error, "errno", errno.ENOSYS) in (errno.ENOSYS, errno.ENOTSUP)
                    if replace or not lacks:
                        raise
                    # A store that cannot do that: looked at first, which is nearly as good.
                    if system.exists(path):
                        raise FileExistsError(errno.EEXIST, "File exists") from None
                    system.pipe_file(path, data)
        except FileExistsError:
            # An answer may get lost on its way: who asks again is told that the object is there.
            if self._holds(data):
                return
            raise

    def _holds(self, data: bytes) -> bool:
        try:
            return self.read(limit=len(data)) == data
        except OSError:
            return False

    def remove(self) -> None:
        """Remove the object, if it is there."""
        system, path = self.connect()
        with self._words(), suppress(FileNotFoundError):
            system.rm_file(path)

    def look(self) -> RemotePath | None:
        """Return the file with its size and stamp; None where there is none."""
        system, path = self.connect()
        try:
            with self._words():
                info = system.info(path)
        except FileNotFoundError:
            return None
        return self._known(self.url, info) if info["type"] == "file" else None

    def files(self) -> Iterator[tuple[RemotePath, PurePosixPath]]:
        """Go through the files below a folder, in a fixed order, each with its path below it.

        A pattern gives what it matches, and a file itself. FileNotFoundError where nothing is."""
        system, path = self.connect()
        top = path.rstrip("/")
        with self._words():
            if glob.has_magic(self.url) and not system.exists(path):
                found = sorted(system.glob(path, detail=True).items())
                if not found:
                    raise FileNotFoundError(errno.ENOENT, "no object matches this pattern")
                for name, info in found:
                    url = system.unstrip_protocol(name)
                    if info["type"] == "file":
                        yield self._known(url, info), PurePosixPath(PurePosixPath(name).name)
                    else:
                        yield from RemotePath(url).files()
                return
            entries = self._entries(system, top)
            if len(entries) == 1 and _is_file(entries[0], top):
                yield self._known(self.url, entries[0]), PurePosixPath(self.name)
                return
            under_way = [iter(entries)]
            while under_way:
                info = next(under_way[-1], None)
                if info is None:
                    under_way.pop()
                    continue
                name = str(info["name"]).rstrip("/")
                below = name[len(top) :].lstrip("/")
                if info["type"] != "file":
                    under_way.append(iter(self._entries(system, name)))
                elif below and not str(info["name"]).endswith("/"):  # else a folder's own mark
                    yield self._known(f"{self.url}/{below}", info), PurePosixPath(below)

    def _entries(self, system: Any, path: str) -> list[dict[str, Any]]:
        found = system.ls(path, detail=True)
        return sorted(found, key=lambda info: str(info["name"]))

    def _known(self, url: str, info: dict[str, Any]) -> RemotePath:
        size = int(info.get("size") or 0)
        said = next((info[key] for key in _STAMPS if info.get(key)), "")
        return RemotePath(url, size, f"{size}:{str(said).strip(chr(34))}" if said else "")

    @property
    def md5(self) -> str:
        """The hash of the bytes where the stamp is one; else an empty text."""
        found = self.stamp.partition(":")[2]
        return found if _MD5.fullmatch(found) else ""

    @contextmanager
    def _words(self) -> Iterator[None]:
        """Turn what a store's library raises into an OSError with a sentence."""
        try:
            yield
        except (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError):
            raise
        except Exception as error:
            raise _translated(error) from error


def _is_file(info: dict[str, Any], path: str) -> bool:
    return info["type"] == "file" and str(info["name"]) == path


def _scheme(url: str) -> str:
    return url.partition("://")[0]


def _translated(error: Exception) -> OSError:
    """The one kind of error that callers of this module know, with a number that says what kind."""
    code, said = _answer(error)
    said = said or str(getattr(error, "strerror", None) or error) or type(error).__name__
    said = " ".join(said.split())
    told = f"{said} ({code})" if code and code not in said else said
    if isinstance(error, FileExistsError) or code == "PreconditionFailed":
        return FileExistsError(errno.EEXIST, "File exists")
    if any(each in told.replace(" ", "").lower() for each in _FULL) or "no space left" in told:
        return OSError(errno.ENOSPC, f"the store is full: {told}")
    if isinstance(error, FileNotFoundError) and error.errno:
        return error
    if isinstance(error, FileNotFoundError):
        bucket = code == "NoSuchBucket" or "bucket" in said.lower()
        return FileNotFoundError(errno.ENOENT, told if bucket else "no such file or folder there")
    if isinstance(error, PermissionError):
        return PermissionError(errno.EACCES, f"the store refuses: {told}")
    if isinstance(error, OSError) and error.errno:
        return OSError(error.errno, told)
    if type(error).__name__ in ("NoCredentialsError", "PartialCredentialsError"):
        return PermissionError(errno.EACCES, f"no credentials for the store: {told}")
    return OSError(errno.EIO, told)


def _answer(error: BaseException | None) -> tuple[str, str]:
    """The code and the message that a store's answer had, if the library kept it."""
    while error is not None:
        answer = getattr(error, "response", None)
        if isinstance(answer, dict):
            told = answer.get("Error", {})
            return str(told.get("Code", "")), str(told.get("Message", ""))
        error = error.__cause__
    return "", ""
