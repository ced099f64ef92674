"""Telling callers that wait: tasks by a future of their loop, threads at a gate.

In: who waits. Out: all are woken, and each event loop once for all of its tasks. What they wait for
is not known here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable

from treadle.runtime.waiters import Gate

__all__ = ["CallerWaits", "give_up", "tell_all"]

# Tasks that are woken in one round of a loop: with what they do next, and call next, some hundred
# microseconds' worth.
_ROUND = 12

CallerWaits = Gate | asyncio.Future[None]


def tell_all(waiters: Iterable[CallerWaits]) -> None:
    """Wake them; those that were woken before do not mind."""
    loops: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
    for waiter in waiters:
        if isinstance(waiter, Gate):
            waiter.wake(None)
        else:
            loops.setdefault(waiter.get_loop(), []).append(waiter)
    if not loops:
        return
    try:
        here: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
    except RuntimeError:
        here = None
    for loop, futures in loops.items():
        if loop is here:
            _deliver(loop, futures)
        else:
            with contextlib.suppress(RuntimeError):  # it is closed: no task waits there any more
                loop.call_soon_threadsafe(_deliver, loop, futures)


def _deliver(loop: asyncio.AbstractEventLoop, futures: list[asyncio.Future[None]]) -> None:
    """Wake some tasks in this round of their loop, and the rest in the next ones."""
    for future in futures[:_ROUND]:
        give_up(future)
    if len(futures) > _ROUND:
        loop.call_soon(_deliver, loop, futures[_ROUND:])


def give_up(future: asyncio.Future[None]) -> None:
    """Wake a task, if it still waits."""
    if not future.done():
        future.set_result(None)
