"""The host's own accesses to buffers, in the order of commands.

In: bytes that the host wants to read or write. Out: a moment in which it may. A turn takes its
place in the order like a command, which is what it is to the graph; it has nothing to launch, and
the host says itself when it is over. What is done with the bytes is not known here.
"""

from __future__ import annotations

from functools import partial
from threading import get_ident
from typing import Any

from treadle.errors import CommandError, CommandFailed, DeviceLost
from treadle.runtime import observe, registry
from treadle.runtime.command import PENDING, RUNNING, Command
from treadle.runtime.memory import Storage
from treadle.runtime.waiters import Gate, LoopWaiter

__all__ = ["HostTurn"]


class HostTurn:
    """One access. The caller that makes one says `enter` and, whatever happens, ends it like this:

        finally:
            try:
                turn.over()
            finally:
                turn.leave()

    Others wait for the end of a turn, and Ctrl-C may come between any two calls. `over` is C code
    and the first call of the block, so it is always made; what `leave` does, the next thread at the
    queue does as well."""

    __slots__ = ("_node", "_queue", "over")

    def __init__(self, queue: Any, storage: Storage, low: int, high: int, *, write: bool) -> None:
        self._queue = queue
        self._node = node = Command(queue, "write" if write else "read", None, 0)
        node._host = True
        node.id = registry.next_id()
        entries = [(node, low, high, storage)] if high > low else []
        if write:
            node._writes = entries
        else:
            node._reads = entries
        self.over = partial(queue.inbox.append, (queue.graph.leave, node, None))
        if observe.active is not None:
            observe.active.asked(node)

    def enter(self) -> None:
        """Block until the host may touch its bytes; until it is over, no command disturbs it."""
        # Until `over`: from when it has its place commands may wait for its end, so that a
        # finalizer on this thread must not wait for them.
        self._queue.hands[self._node] = get_ident()
        if not self._placed():
            gate = Gate()
            if self._waits(gate):
                self._queue.waits.check(self._node)
                self._queue.waits.at(gate)
            self._entered()

    async def enter_async(self) -> None:
        """Do what enter does, but suspend the task instead of blocking the thread."""
        if self._placed():
            return
        waiter = LoopWaiter()
        if self._waits(waiter):
            self._queue.waits.hasten()
            await waiter.future
        self._entered()

    def spoilt(self, error: BaseException) -> None:
        """Have what was to be written marked: it was broken off."""
        if self._node._status is RUNNING:
            self._node._cause = error

    def leave(self) -> None:
        """Let the commands go that waited for the end of the turn."""
        if observe.active is not None:
            observe.active.left(self._node, self._node._cause)
        self._queue.advance()

    def _placed(self) -> bool:
        """Give it its place in the order; return whether it is the host's turn already."""
        queue, node = self._queue, self._node
        if queue.gone is not None:
            raise DeviceLost(queue.gone)
        queue.tell(queue.graph.place, node)
        if node._status is RUNNING:
            self._entered()
            return True
        if node._status is PENDING and get_ident() in queue.inside:
            self._enter_within()
            self._entered()
            return True
        return False

    def _waits(self, waiter: Any) -> bool:
        """Have a waiter woken when it is the host's turn; false if it is."""
        self._node._waiters.append(waiter)
        return self._node._status is PENDING

    def _enter_within(self) -> None:
        """Take the turn of a finalizer that interrupts a change: where no command uses the bytes it
        has it already, because nothing is launched before the change is complete."""
        node = self._node
        for _, _, _, storage in (*node._writes, *node._reads):
            poisoned = storage.poison is not None and not node._writes
            others = any(e[0] is not node for e in (*storage.writers.values(),))
            readers = node._writes and any(e[0] is not node for e in (*storage.readers.values(),))
            if others or readers or storage.claim or storage.briefly or poisoned:
                raise CommandError(
                    f"a finalizer cannot {node._label} a buffer that is in use: it interrupts the "
                    "very thread that it would wait for; submit a copy, or do it elsewhere"
                )

    def _entered(self) -> None:
        queue, node = self._queue, self._node
        if observe.active is not None:
            observe.active.entered(node)
        if queue.gone is not None:
            raise DeviceLost(queue.gone)
        if node._cause is not None:
            verb = "written" if node._label == "write" else "read"
            failed = CommandFailed(f"the buffer cannot be {verb}: {node._cause}")
            raise failed from node._failure().__cause__
