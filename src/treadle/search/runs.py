"""Searches that were recorded, kept for the next that asks the like.

In: what a search asks, and a run with buffers of its own that answered it. Out: that run again, to
one search at a time. What is asked for the first time gets none and need not be kept: it may be the
only one of its kind. Knows no buffers.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

__all__ = ["Runs"]

_KINDS = 4  # that are kept,
_EACH = 4  # and runs of each

Run = TypeVar("Run")


class Runs(Generic[Run]):
    """Runs that are free, by what they ask."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a finalizer may search inside it
        self._free: OrderedDict[Hashable, list[Run]] = OrderedDict()

    def take(self, key: Hashable) -> tuple[bool, Run | None]:
        """Say whether the like was asked before, and give a run if one is free."""
        with self._lock:
            free = self._free.get(key)
            if free is None:
                self._free[key] = []
                if len(self._free) > _KINDS:
                    self._free.popitem(last=False)
                return False, None
            self._free.move_to_end(key)
            return True, free.pop() if free else None

    def give(self, key: Hashable, run: Run) -> None:
        """Have a run back, unless others are asked for by now."""
        with self._lock:
            free = self._free.get(key)
            if free is not None and len(free) < _EACH:
                free.append(run)
