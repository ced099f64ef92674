"""The host's turns: its own reads and writes of buffers, in the order of commands.

In: bytes that the host is about to touch. Out: a moment at which nothing disturbs them, from
`enter` to `leave`; a write that failed spoils them as a failed command would. What is read or
written is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from treadle.errors import CommandError, CommandFailed, DeviceLost
from treadle.runtime import observe, registry
from treadle.runtime.command import ENDED, FAILED, RUNNING, Command, Owner
from treadle.runtime.graph import Graph, Outcome
from treadle.runtime.hazards import Needs, before_read, before_write
from treadle.runtime.memory import Storage
from treadle.runtime.waiters import Gate, LoopWaiter

__all__ = ["Turns"]


class Driver(Owner, Protocol):
    """What turns need from the queue they take part in."""

    gone: str | None

    def drive(self, out: Outcome, ended: Any = ()) -> None:
        """End, wake and launch until nothing more follows."""
        ...


class Turns:
    """Accesses of the host's on one device."""

    def __init__(self, queue: Driver, graph: Graph) -> None:
        self._queue = queue
        self._graph = graph

    def turn(self, storage: Storage, low: int, high: int, *, write: bool) -> Command:
        """Make a turn of the host's; `enter` takes it and `leave` ends it, however far it came."""
        node = Command(self._queue, "write" if write else "read", None, 0)
        node._host = True
        if observe.active is not None:
            observe.active.asked(node)
        entry = [(node, low, high, storage)]
        if write:
            node._writes = entry
        else:
            node._reads = entry
        return node

    def enter(self, node: Command) -> None:
        """Block until the host may touch its bytes; until `leave`, no command disturbs it."""
        gate = self._enter(node, Gate)
        if gate is not None:
            self._queue.check_wait()
            self._queue.hasten()
            gate.pass_through(None)
        self._entered(node)

    async def enter_async(self, node: Command) -> None:
        """Do what enter does, but suspend the task instead of blocking the thread."""
        waiter = self._enter(node, LoopWaiter)
        if waiter is not None:
            self._queue.hasten()
            await waiter.future
        self._entered(node)

    def _enter(self, node: Command, make: Callable[[], Any]) -> Any:
        """Give a turn its place in the order; return what to wait on, if it must wait."""
        needs: Needs = {}
        waiter = None
        out = Outcome()
        if self._queue.entered():
            self._enter_within(node)
            return None
        with self._queue.lock:
            if self._queue.gone is not None:
                raise DeviceLost(self._queue.gone)
            error = None
            for entry in node._writes:
                _, low, high, storage = entry
                before_write(storage, low, high, node, needs)
            for entry in node._reads:
                _, low, high, storage = entry
                error = before_read(storage, low, high, node, needs)
            node.id = registry.next_id()  # from here on `leave` has something to undo
            if node._writes:
                storage.writers[id(entry)] = entry
            else:
                storage.readers[id(entry)] = entry
            self._graph.need(node, needs)
            if error is not None:
                self._graph.end(node, FAILED, error, out)
            elif node._blockers:
                waiter = make()
                node._waiters = [waiter]
            if not node._blockers:
                self._graph.settle(node, out)
        return waiter

    def _enter_within(self, node: Command) -> None:
        """Take a turn for a finalizer that runs in the middle of a change: where nobody uses the
        bytes it has it already, because nothing is launched before the change is complete."""
        for _, _, _, storage in (*node._writes, *node._reads):
            poisoned = storage.poison is not None and not node._writes
            if storage.writers or (storage.readers and node._writes) or storage.claim or poisoned:
                raise CommandError(
                    f"a finalizer cannot {node._label} a buffer that is in use: it interrupts the "
                    "very thread that it would wait for; submit a copy, or do it elsewhere"
                )
        node._status = RUNNING

    def _entered(self, node: Command) -> None:
        if observe.active is not None:
            observe.active.entered(node)
        if self._queue.gone is not None:
            raise DeviceLost(self._queue.gone)
        if node._status is not RUNNING:
            verb = "written" if node._label == "write" else "read"
            failed = CommandFailed(f"the buffer cannot be {verb}: {node._cause}")
            raise failed from node._failure().__cause__

    def leave(self, node: Command, error: BaseException | None = None) -> None:
        """End a turn: done, given up while it waited, or never taken."""
        if observe.active is not None:
            observe.active.left(node, error)
        if node.id and self._queue.entered():
            self._queue.postpone(partial(self._leave, node, error))
            return
        self._leave(node, error)

    def _leave(self, node: Command, error: BaseException | None) -> None:
        try:
            if node.id and not self._queue.cancel(node):
                self._queue.drive(Outcome(), [(node, error)])
        except BaseException:  # Ctrl-C in the middle of it: finish, then let it through
            out = Outcome()
            with self._queue.lock:
                self._graph.ended(node, error, out)
                if node._status in ENDED:
                    self._graph.release(node, out)
            self._queue.drive(out)
            raise
