"""A network a second time, for runs beside others of the same network.

In: how it is loaded, and from what. Out: a session that computes a run on the thread that calls it
and on no other. Threads that share a run wait for each other after every operator, which is worth
it where cores have nothing else to do; where another run is under way, each of the two gets a core
to itself and waits for none.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["Beside"]

_LARGEST = 1 << 25  # bytes of a network of which there may be two in memory


class Beside:
    """That session: there is none before it is asked for, and none of a network that is large."""

    def __init__(self, load: Callable[[], Any], source: str | bytes) -> None:
        self._load: Callable[[], Any] | None = load
        self._path = source if isinstance(source, str) else None
        self._written = _written(self._path)
        self._session: Any = None
        self._loading = threading.Lock()
        if (self._written[0] if self._path else len(source)) > _LARGEST:
            self._load = None

    def session(self) -> Any:
        """Return it; None while another thread loads it, and where there is none."""
        if self._load is not None and self._loading.acquire(blocking=False):
            try:
                self._make()
            finally:
                self._loading.release()
        return self._session

    def _make(self) -> None:
        load, self._load = self._load, None
        # A file may be another one by now, or gone. Files beside it, with weights, are not looked at.
        if load is None or _written(self._path) != self._written:
            return
        try:
            self._session = load()
        except Exception:  # the first goes on without it: memory is short, most likely
            self._session = None


def _written(path: str | None) -> tuple[int, ...]:
    """What tells a file from one that took its place."""
    if path is None:
        return ()
    try:
        facts = os.stat(path)
    except OSError:
        return (0,)
    return facts.st_size, facts.st_mtime_ns, facts.st_ino
