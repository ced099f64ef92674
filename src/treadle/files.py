"""Files: untrusted ones, read without waiting, and our own, made to last.

In: a path that came from a recipe, a folder or the environment. Out: an open file or its bytes, or
an OSError whose strerror is a sentence. A pipe, a device, a socket or a folder is refused before
and after it is opened, so that neither its name nor a swap of it can make the caller wait. What
was written is on the disk when `sync` returns, and a file is one process's while it holds it. Knows
nothing about what the bytes mean.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress

if sys.platform == "win32":  # here: a file may be let go when Python imports no more
    import msvcrt
else:
    import fcntl

__all__ = [
    "Folder",
    "hold",
    "let_go",
    "open_regular",
    "read_at",
    "read_open",
    "read_regular",
    "sync",
    "sync_folder",
    "what_else",
    "write_at",
]

Name = str | os.PathLike[str]

_KINDS = {
    stat.S_IFIFO: "a pipe (FIFO)",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a symbolic link",
}
# What a system lacks is 0: Windows has neither links in the way nor pipes among its files.
_ALWAYS = sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"))
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_BY_HANDLE = os.open in os.supports_dir_fd
_STEP = 1 << 30  # bytes for one call: Linux takes less than 2^31
_CANNOT_SYNC = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP}


def open_regular(
    path: Name,
    flags: int = os.O_RDONLY,
    *,
    mode: int = 0o600,
    dir_fd: int | None = None,
    follow: bool = True,
) -> int:
    """Open a regular file and return its descriptor; OSError for everything else.

    With follow=False a symbolic link as the last part of the path is refused, too."""
    try:
        info = os.stat(path, dir_fd=dir_fd, follow_symlinks=follow)
    except FileNotFoundError:
        if not flags & os.O_CREAT:
            raise
    else:
        _require_regular(info, path)
    flags |= _ALWAYS | (0 if follow else _NOFOLLOW)
    opened = os.open(path, flags, mode, dir_fd=dir_fd)
    try:
        _require_regular(os.fstat(opened), path)
    except BaseException:
        os.close(opened)
        raise
    return opened


def read_open(opened: int, limit: int) -> bytes:
    """Read an open regular file up to the size that it has now; OSError beyond `limit` bytes.

    The files of /proc that wait for news say that they have no bytes, and are not read."""
    size = os.fstat(opened).st_size
    if size > limit:
        raise OSError(errno.EFBIG, f"it has {size} bytes; at most {limit} are read")
    pieces = []
    while size > 0 and (piece := os.read(opened, size)):
        pieces.append(piece)
        size -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def read_regular(path: Name, *, limit: int) -> bytes:
    """Return the bytes of a regular file; OSError for everything else, or beyond `limit` bytes."""
    opened = open_regular(path)
    try:
        return read_open(opened, limit)
    finally:
        os.close(opened)


def read_at(opened: int, at: int, nbytes: int) -> memoryview:
    """Read so many bytes from a place on, or as many as there are."""
    held = memoryview(bytearray(nbytes))
    done = 0
    while done < nbytes and (got := os.preadv(opened, [held[done : done + _STEP]], at + done)):
        done += got
    return held[:done].toreadonly()


def write_at(opened: int, data: bytes | memoryview, at: int) -> int:
    """Write bytes at a place; return where they end."""
    left = memoryview(data)
    while left:
        written = os.pwrite(opened, left[:_STEP], at)
        left = left[written:]
        at += written
    return at


def sync(opened: int, *, data_alone: bool = False) -> None:
    """Wait until what was written to an open file is on the disk, where its file system can.

    With data_alone=True its times may be lost; its bytes and its length are not."""
    by = getattr(os, "fdatasync", os.fsync) if data_alone else os.fsync
    try:
        by(opened)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise


def sync_folder(folder: Name) -> None:
    """Make the names in a folder last; does nothing where a system cannot (Windows)."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def hold(opened: int) -> None:
    """Lock an open file until it is closed or the process ends; BlockingIOError where it is taken.

    On a file system without locks this does nothing."""
    if sys.platform == "win32":
        try:
            os.lseek(opened, 0, os.SEEK_SET)
            msvcrt.locking(opened, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(errno.EAGAIN, "it is held by another process") from error
    else:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise
        except OSError:
            return


def let_go(opened: int) -> None:
    """Give up what `hold` took, also where a forked child still has the file open, and close it."""
    try:
        if sys.platform != "win32":
            with suppress(OSError):  # a file system without locks
                fcntl.flock(opened, fcntl.LOCK_UN)
    finally:
        os.close(opened)


def what_else(mode: int) -> str:
    """Say what a file's mode makes it; nothing where it is a regular file."""
    if stat.S_ISREG(mode):
        return ""
    return f"it is {_KINDS.get(stat.S_IFMT(mode), 'something else')}, not a regular file"


def _require_regular(info: os.stat_result, path: Name) -> None:
    if said := what_else(info.st_mode):
        raise OSError(errno.EINVAL, said, os.fspath(path))


class Folder:
    """An open folder, whose names are used without following links; close it, or use `with`.

    What is done with a name happens in the folder that was opened, whatever becomes of its path
    meanwhile. Windows cannot do that, and goes by the path."""

    def __init__(self, path: Name, *, follow: bool = False) -> None:
        self.path = os.fspath(path)
        self._handle: int | None = None
        if _BY_HANDLE:
            flags = os.O_RDONLY | os.O_DIRECTORY | _ALWAYS | (0 if follow else _NOFOLLOW)
            if not follow and stat.S_ISLNK(os.lstat(path).st_mode):
                raise NotADirectoryError(errno.ENOTDIR, "it is a symbolic link", self.path)
            self._handle = os.open(path, flags)
            self.info = os.fstat(self._handle)
        else:
            self.info = os.stat(path, follow_symlinks=follow)
            if not stat.S_ISDIR(self.info.st_mode):
                raise NotADirectoryError(errno.ENOTDIR, "it is not a folder", self.path)

    def __repr__(self) -> str:
        return f"Folder({self.path!r})"

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def names(self) -> list[str]:
        """Return the names in the folder."""
        return os.listdir(self.path if self._handle is None else self._handle)

    def open(self, name: str, flags: int = os.O_RDONLY, *, mode: int = 0o600) -> int:
        """Open a regular file of the folder, or make one, of this mode."""
        return open_regular(self._at(name), flags, mode=mode, dir_fd=self._handle, follow=False)

    def stat(self, name: str) -> os.stat_result:
        """Return what is known about a name itself, link or not."""
        return os.stat(self._at(name), dir_fd=self._handle, follow_symlinks=False)

    def unlink(self, name: str) -> None:
        """Remove a name."""
        os.unlink(self._at(name), dir_fd=self._handle)

    def touch(self, name: str) -> None:
        """Say that a file was used now."""
        os.utime(self._at(name), dir_fd=self._handle)

    def link(self, name: str, other: str) -> None:
        """Give a file a second name; FileExistsError where that is taken."""
        os.link(self._at(name), self._at(other), src_dir_fd=self._handle, dst_dir_fd=self._handle)

    def replace(self, name: str, other: str) -> None:
        """Give a file another name, in place of what has it."""
        at = self._handle
        os.replace(self._at(name), self._at(other), src_dir_fd=at, dst_dir_fd=at)

    def write(self, name: str, data: bytes, *, sync: bool = False) -> None:
        """Make a new file; FileExistsError where there is one. Half a file is removed again."""
        opened = self.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(opened, left) :]
                if sync:
                    os.fsync(opened)
            finally:
                os.close(opened)
        except BaseException:
            self.unlink(name)
            raise

    def sync(self) -> None:
        """Make the folder's names last, where its file system can."""
        if self._handle is not None:
            sync(self._handle)

    def _at(self, name: str) -> str:
        return os.path.join(self.path, name) if self._handle is None else name
