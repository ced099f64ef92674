"""The folder of a cluster that is started here, for as long as its driver lives.

In: nothing. Out: a folder for Ray's files, which goes afterwards; what drivers that were killed
have left goes when the next one starts. Ray lets every user write to the folder that it is given,
so that lies in one that is closed to others. Knows nothing of what is in it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from treadle.files import Folder, hold, let_go

__all__ = ["own_folder"]

_PREFIX = "treadle-ray-"
_NAME = re.compile(_PREFIX + "[a-z0-9_]+", re.ASCII)
_HELD = "held"  # the file that a driver holds while it lives
_WHOLE = "r"  # short: Ray's sockets lie deep below it, and their paths may have 107 bytes


@contextlib.contextmanager
def own_folder(place: Path | None = None) -> Iterator[str]:
    """A folder with a short name, which only this user may enter; it goes afterwards."""
    if place is None:
        short = sys.platform != "win32" and os.access("/tmp", os.W_OK)
        place = Path("/tmp" if short else tempfile.gettempdir())
    _sweep(place)
    made = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    held = None
    try:
        held = os.open(made / "new", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        hold(held)
        os.rename(made / "new", made / _HELD)  # so that a sweep finds it with its lock alone
        (made / _WHOLE).mkdir()
        yield str(made / _WHOLE)
    finally:
        shutil.rmtree(made, ignore_errors=True)
        if held is not None:
            let_go(held)


def _sweep(place: Path) -> None:
    """Remove the folders of this user's drivers that do not live any more."""
    for name in os.listdir(place):
        if _NAME.fullmatch(name):
            with contextlib.suppress(OSError):
                _remove_left(place / name)


def _remove_left(path: Path) -> None:
    """Remove a folder, unless its driver lives or that cannot be known."""
    info = os.lstat(path)
    if not stat.S_ISDIR(info.st_mode) or (hasattr(os, "geteuid") and info.st_uid != os.geteuid()):
        return
    with Folder(path) as folder, contextlib.ExitStack() as opened:
        first, second = (folder.open(_HELD, os.O_RDWR) for _ in range(2))
        for each in (first, second):
            opened.callback(let_go, each)
        hold(first)  # BlockingIOError: its driver lives
        with contextlib.suppress(BlockingIOError):
            hold(second)
            return  # a file system without locks, where it may
        shutil.rmtree(path, ignore_errors=True)
