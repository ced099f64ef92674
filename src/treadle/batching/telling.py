"""Telling callers that wait: tasks by a future of their loop, threads at a gate.

In: who waits. Out: all are woken, and each event loop once for all of its tasks. What they wait for
is not known here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from treadle.runtime.waiters import Gate

__all__ = ["CallerWaits", "Telling", "give_up", "tell_all"]

# Tasks that are woken in one round of a loop: with what they do next, and call next, some hundred
# microseconds' worth.
_ROUND = 12

CallerWaits = Gate | asyncio.Future[None]


class Telling:
    """Event loops whose tasks are being woken, and what follows when the last of them has run."""

    __slots__ = ("_after", "_left")

    def __init__(self, after: Callable[[Telling], None]) -> None:
        self._after = after
        self._left: set[asyncio.AbstractEventLoop] = set()

    @property
    def goes_on(self) -> bool:
        """Whether tasks have yet to run."""
        return bool(self._left)

    def goes_on_in(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether tasks of one loop have yet to run."""
        return loop in self._left

    def begin(self, loops: Iterable[asyncio.AbstractEventLoop]) -> None:
        """Take note of all loops, before the first task is woken."""
        self._left.update(loops)

    def told(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take note that the tasks of one loop have run."""
        self._left.discard(loop)
        if not self._left:
            self._after(self)


def tell_all(waiters: Iterable[CallerWaits], telling: Telling | None = None) -> None:
    """Wake them; those that were woken before do not mind. `telling` learns when tasks have run."""
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
    if telling is not None:
        telling.begin(loops)
    for loop, futures in loops.items():
        if loop is here:
            _deliver(loop, futures, telling)
        else:
            try:
                loop.call_soon_threadsafe(_deliver, loop, futures, telling)
            except RuntimeError:  # it is closed: no task waits there any more
                if telling is not None:
                    telling.told(loop)


def _deliver(
    loop: asyncio.AbstractEventLoop, futures: list[asyncio.Future[None]], telling: Telling | None
) -> None:
    """Wake some tasks in this round of their loop, and the rest in the next ones."""
    for future in futures[:_ROUND]:
        give_up(future)
    if len(futures) > _ROUND:
        loop.call_soon(_deliver, loop, futures[_ROUND:], telling)
    elif telling is not None:
        loop.call_soon(telling.told, loop)  # behind the tasks that were woken just now


def give_up(future: asyncio.Future[None]) -> None:
    """Wake a task, if it still waits."""
    if not future.done():
        future.set_result(None)
