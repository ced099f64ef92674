"""Writing a file so that it is there whole or not at all, also after a power cut.

In: bytes, a place for unfinished files and the final path. Out: the file, renamed into place in one
step, after its bytes have reached the disk. What is unfinished when the program dies stays in its
place, never under the final name. The name itself lasts once its folder was synced, which is
for the caller to do, for many files at once.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from treadle.files import sync

__all__ = ["write_atomically"]


def write_atomically(
    data: bytes,
    path: Path,
    part: Path,
    *,
    replace: bool,
    announce: Callable[[], object] = lambda: None,
) -> None:
    """Write `data` to `part`, then move it to `path`; FileExistsError where it may not replace.

    `announce` is called in between, when the bytes are on the disk and the name is not there yet.
    """
    opened = open(part, "xb")  # noqa: SIM115  # never through a link, never over a file
    try:
        with opened as file:
            file.write(data)
            file.flush()
            sync(file.fileno())
        announce()
        if replace:
            os.replace(part, path)
            return
        try:
            os.link(part, path)  # unlike rename, it refuses to replace, in one step
        except FileExistsError:
            raise
        except OSError:  # a file system without links: look first, which is nearly as good
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, "File exists", str(path)) from None
            os.replace(part, path)
    finally:
        with suppress(OSError):
            os.unlink(part)
