"""Writing a file so that it is there whole or not at all.

In: bytes, a place for unfinished files and the final path. Out: the file, renamed into place in one
step. What is unfinished when the program dies stays in its place, never under the final name.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["write_atomically"]


def write_atomically(data: bytes, path: Path, part: Path, *, replace: bool) -> None:
    """Write `data` to `part`, then move it to `path`; FileExistsError where it may not replace."""
    try:
        with open(part, "wb") as file:
            file.write(data)
        if replace:
            os.replace(part, path)
            return
        try:
            os.link(part, path)  # unlike rename, it refuses to replace, in one step
        except FileExistsError:
            raise
        except OSError:  # a file system without links: look first, which is nearly as good
            if os.path.lexists(path):
                raise FileExistsError(17, "File exists", str(path)) from None
            os.replace(part, path)
    finally:
        with suppress(OSError):
            os.unlink(part)
