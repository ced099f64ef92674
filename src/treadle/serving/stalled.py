"""Connections whose clients let the service wait: for a request, or with an answer not taken.

In: uvicorn's connections, looked at several times a second. Out: those whose clients had their time
and are to be cut off, which uvicorn never does. Uploads are bounded where they are received; while
the service itself is at work, a client's time stands still.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from treadle.data import dataclass
from treadle.serving.limits import ServiceLimits

__all__ = ["StalledConnections"]


@dataclass(frozen=True, slots=True)
class _Wait:
    """What a connection waits for, and until when."""

    cycle: object  # uvicorn's request and its answer, the last there was
    answer: bool  # the client is to take it, else to send a request
    end: float


class StalledConnections:
    """Notes what connections wait for, and since when."""

    def __init__(self, limits: ServiceLimits) -> None:
        self._limits = limits
        self._waits: dict[Any, _Wait] = {}

    def look(self, connections: Iterable[Any], now: float) -> list[Any]:
        """Return the connections whose clients had their time."""
        waits: dict[Any, _Wait] = {}
        for each in connections:
            cycle = each.cycle
            unsent = each.transport.get_write_buffer_size()
            if not unsent and cycle is not None and not cycle.response_complete:
                continue  # it is being answered
            wait = self._waits.get(each)
            if wait is None or wait.cycle is not cycle or wait.answer != bool(unsent):
                more = unsent / self._limits.pace
                wait = _Wait(cycle, bool(unsent), now + self._limits.patience + more)
            waits[each] = wait
        self._waits = waits
        return [each for each, wait in waits.items() if now > wait.end]
