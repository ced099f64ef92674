"""A network a second time, for runs beside others of the same network.

In: how it is loaded, and from what. Out: a session that computes a run on the thread that calls it
and on no other. Threads that share a run wait for each other after every operator, which is worth
it while a core has nothing else to do; where as many runs are under way as there are cores, each
gets a core to itself and waits for none.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from treadle.models.outside import refers_outside

__all__ = ["Beside"]

_LARGEST = 1 << 25  # bytes of a network of which there may be two in memory


class Beside:
    """That session: there is none before it is asked for, and none of a network that is large."""

    def __init__(self, load: Callable[[bytes], Any], source: str | bytes) -> None:
        self._load = load
        self._source: str | bytes | None = source  # until it is loaded
        self._written = _written(source)
        self._session: Any = None
        self._loading = threading.Lock()
        if self._written[0] > _LARGEST:
            self._source = None

    def session(self) -> Any:
        """Return it; None while another thread loads it, and where there is none."""
        if self._source is not None and self._loading.acquire(blocking=False):
            try:
                self._make()
            finally:
                self._loading.release()
        return self._session

    def _make(self) -> None:
        source, self._source = self._source, None
        if source is None:
            return
        try:
            data = source if isinstance(source, bytes) else Path(source).read_bytes()
            # A file may be another one by now, and so may those that it has weights in.
            if _written(source) == self._written and not refers_outside(data):
                self._session = self._load(data)
        except Exception:  # the first session goes on alone: memory is short, most likely
            self._session = None


def _written(source: str | bytes) -> tuple[int, ...]:
    """How large it is and, of a file, what tells it from one that took its place."""
    if isinstance(source, bytes):
        return (len(source),)
    facts = os.stat(source)
    return facts.st_size, facts.st_mtime_ns, facts.st_ino
