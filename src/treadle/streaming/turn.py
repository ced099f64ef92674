"""Let what the host does with batches take turns, where the device computes on the same cores.

In: a stream's figures. Out: a `with` block around prepare and around collect. Side by side they
would take both cores of a small machine from the device for a moment, again and again, although
one after the other they are done in time just as well. Nobody waits long for a turn: a stream whose
one function waits for the other gets no turns any more.
"""

from __future__ import annotations

import threading
from types import TracebackType

from treadle.streaming.stats import Stats

__all__ = ["Turn"]

_PATIENCE = 0.05  # seconds


class Turn:
    """One at a time, as long as the device is what takes longest."""

    def __init__(self, stats: Stats, *, shared: bool) -> None:
        self._stats = stats
        self._lock = threading.Lock()
        self._wanted = shared  # else the device has cores of its own
        self._holder: int | None = None

    def __enter__(self) -> None:
        if self._wanted and self._stats.outlasts("device", "prepare", "collect"):
            if self._lock.acquire(timeout=_PATIENCE):
                self._holder = threading.get_ident()
            else:
                self._wanted = False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._holder == threading.get_ident():
            self._holder = None
            self._lock.release()
