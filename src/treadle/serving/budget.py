"""Memory for requests: how much may be held at once, and who waits for it.

In: bytes that a request is about to need. Out: it goes on when they fit, in the order of asking.
One request that needs more than there is goes on when it is alone. For one event loop; decides
nothing about how long a request may wait.
"""

from __future__ import annotations

import asyncio
from collections import deque

__all__ = ["Budget", "BudgetPart"]


class Budget:
    """Bytes that requests may hold at the same time."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self.held = 0

    @property
    def waiting(self) -> int:
        """Requests that wait for memory."""
        return len(self._waiting)

    def fits(self, count: int) -> bool:
        """Whether so many bytes are free, and no earlier request waits for them."""
        return not self._waiting and (not self.held or self.held + count <= self._size)

    def add(self, count: int) -> None:
        """Hold so many bytes without waiting, or give back with a number below zero."""
        self.held += count
        if count < 0:
            self._admit()

    async def take(self, count: int) -> None:
        """Wait until so many bytes are free, and hold them; `add(-count)` gives them back."""
        if self.fits(count):
            self.held += count
            return
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((count, future))
        try:
            await future
        except BaseException:
            if future.done() and not future.cancelled():  # admitted and cancelled at once
                self.held -= count
            elif (count, future) in self._waiting:
                self._waiting.remove((count, future))
            self._admit()
            raise

    def _admit(self) -> None:
        while self._waiting:
            count, future = self._waiting[0]
            if future.done():  # its request was cancelled, and has not run since
                self._waiting.popleft()
                continue
            if self.held and self.held + count > self._size:
                return
            self._waiting.popleft()
            self.held += count
            future.set_result(None)


class BudgetPart:
    """A request's part of the budget: what was foreseen, and then what it needs."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._held = 0

    async def hold(self, count: int) -> None:
        """Hold so many bytes from now on; wait where that is more than before. What was held is
        given back first: requests that keep some and want more would wait for each other."""
        if count > self._held:
            self.leave()
            await self._budget.take(count)
        else:
            self._budget.add(count - self._held)
        self._held = count

    def leave(self) -> None:
        """Give everything back."""
        self._budget.add(-self._held)
        self._held = 0
