"""Cores for the workers of one machine, so that each has its own.

In: how many cores a worker was given. Out: a claim to so many that no other worker of this user
has, which ends with its process; the process then runs on those alone, and everything in it that
asks how many cores there are gets that answer. Where there are not enough, or a system has no such
thing, workers share what there is.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from treadle.files import Folder, hold, let_go

__all__ = ["claim", "cores_here"]


def cores_here() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def claim(count: int, folder: Path | None = None) -> list[int]:
    """Run this process on so many cores of its own; return the open files that hold them.

    Nothing is claimed where as many are wanted as there are, or more than are free."""
    affinity = getattr(os, "sched_getaffinity", None)
    if affinity is None or not 0 < count < cores_here():
        return []
    held: dict[int, int] = {}
    with contextlib.suppress(OSError):
        path = folder or Path(tempfile.gettempdir()) / f"treadle-cores-{os.geteuid()}"
        path.mkdir(mode=0o700, exist_ok=True)
        with Folder(path) as opened:
            if opened.info.st_uid != os.geteuid():
                return []
            for core in sorted(affinity(0)):
                file = opened.open(f"core-{core}", os.O_RDWR | os.O_CREAT)
                try:
                    hold(file)
                except BlockingIOError:
                    os.close(file)
                    continue
                held[core] = file
                if len(held) == count:
                    os.sched_setaffinity(0, held)
                    return list(held.values())
    for file in held.values():
        let_go(file)
    return []
