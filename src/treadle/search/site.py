"""Where an index lies: a folder, the names in it, and who may write there.

In: the path of an index file. Out: its folder, held open, in which files appear whole or not at
all, and a hold that one writer has at a time. A link is followed once, when the site is opened:
what is put in its way later is refused. Every failure of the system is a FileError that names the
file. Knows nothing about what the files mean.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from treadle.errors import FileBusy, FileError
from treadle.files import Folder, Name, hold, let_go, sync

__all__ = ["Hold", "Site", "telling"]

_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_DENIED = {errno.EACCES, errno.EPERM, errno.EROFS}
_MAX_HOLDER = 32  # bytes of a lock file that are read


@contextmanager
def telling(doing: str, path: str) -> Iterator[None]:
    """Turn an OSError into a FileError that says what could not be done, and what helps."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        said = error.strerror or str(error)
        if error.errno in _FULL:
            said += "; nothing was changed: make room and try again"
        elif error.errno in _DENIED:
            said += "; nothing was changed: choose a folder that you may write to"
        raise FileError(f"{path}: cannot {doing}: {said}", errno=error.errno) from error


class Site:
    """The open folder of an index file; close it, or use `with`."""

    def __init__(self, path: Name) -> None:
        # Followed here and nowhere else: the log lies beside the file itself, whichever of its
        # names is used, and a link that appears later is not followed.
        try:
            self.path = os.path.realpath(os.fsdecode(path))
        except ValueError as error:
            raise FileError(f"{path!r}: this is not a path: {error}") from error
        parent, self.name = os.path.split(self.path)
        with telling("open its folder", self.path):
            if not self.name:
                raise IsADirectoryError(errno.EISDIR, "it is a folder, not a file")
            self.folder = Folder(parent)

    def __repr__(self) -> str:
        return f"Site({self.path!r})"

    def __enter__(self) -> Site:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folder."""
        self.folder.close()

    def __del__(self) -> None:
        if hasattr(self, "folder"):  # else it could not be opened
            self.close()

    def beside(self, suffix: str) -> tuple[str, str]:
        """Return the name and the path of a file that belongs to the index."""
        return self.name + suffix, self.path + suffix

    def put(self, name: str, fill: Callable[[int], object]) -> None:
        """Have `fill` write a new file, and give it its name when it is on the disk.

        What has the name until then keeps it if anything goes wrong."""
        self._require_file(name)
        part = f".{name}-{secrets.token_hex(8)}.part"
        opened = self.folder.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode=0o666)
        try:
            try:
                fill(opened)
                sync(opened)
            finally:
                os.close(opened)
            self.folder.replace(part, name)
        except BaseException:
            with suppress(OSError):
                self.folder.unlink(part)
            raise
        self.folder.sync()

    def _require_file(self, name: str) -> None:
        """Refuse to put a file where a folder, a pipe or a link is."""
        with suppress(FileNotFoundError):
            os.close(self.folder.open(name))

    def sweep(self) -> None:
        """Remove what writers left unfinished who died; for the one that has the hold."""
        ours = re.compile(rf"\.{re.escape(self.name)}(\.log)?-[0-9a-f]{{16}}\.part", re.ASCII)
        for name in self.folder.names():
            if ours.fullmatch(name):
                with suppress(OSError):
                    self.folder.unlink(name)

    def hold(self) -> Hold:
        """Become the one writer; FileBusy, with the other's process, where there is one."""
        name, path = self.beside(".lock")
        with telling("lock it for writing", path):
            while (held := self._try_hold(name)) is None:
                pass
        return held

    def _try_hold(self, name: str) -> Hold | None:
        """Lock the file of this name; None where the one who had it has just removed it."""
        opened = self.folder.open(name, os.O_RDWR | os.O_CREAT, mode=0o666)
        try:
            hold(opened)
            if not os.fstat(opened).st_nlink:
                os.close(opened)
                return None
            os.ftruncate(opened, 0)
            os.pwrite(opened, f"{os.getpid()}\n".encode(), 0)
            return Hold(opened, self.folder, name)
        except BlockingIOError:
            holder = _holder(opened)
            os.close(opened)
            raise FileBusy(
                f"{self.path}: {holder} has it open for writing; close it there, "
                "or open it here without durable=True",
                errno=errno.EAGAIN,
            ) from None
        except BaseException:
            os.close(opened)
            raise


def _holder(opened: int) -> str:
    """Say who wrote the lock file."""
    said = os.pread(opened, _MAX_HOLDER, 0).strip()
    if said == str(os.getpid()).encode():
        return "this process"
    return f"process {said.decode()}" if said.isdigit() else "another process"


class Hold:
    """The right to write, until it is closed or its process ends.

    The file that is locked is removed by the one that has the lock. A forked child shares the lock
    without having been given it: it lets go of it at once, so that the lock ends with its owner."""

    def __init__(self, opened: int, folder: Folder, name: str) -> None:
        self._opened: int | None = opened
        self._folder = folder
        self._name = name
        _holds.add(self)

    @property
    def held(self) -> bool:
        """Whether it is still there."""
        return self._opened is not None

    def close(self) -> None:
        """Let others write."""
        opened, self._opened = self._opened, None
        if opened is not None:
            with suppress(OSError):  # the next one uses it
                self._folder.unlink(self._name)
            let_go(opened)

    def drop(self) -> None:
        """Forget it in a forked child, without taking it from the parent."""
        opened, self._opened = self._opened, None
        if opened is not None:
            os.close(opened)

    def __del__(self) -> None:
        self.close()


_holds: weakref.WeakSet[Hold] = weakref.WeakSet()


def _forked() -> None:
    for each in list(_holds):
        each.drop()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
