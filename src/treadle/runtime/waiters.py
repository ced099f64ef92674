"""Who waits for a command: a thread at a gate, a task of an event loop, or anything with `wake`.

In: commands that ended, in batches. Out: everyone who waits is told once, and each event loop is
woken once for each batch. What a command is, is not known here.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import asyncio

Command = Any  # what a waiter is told about; only its owner looks into it

__all__ = ["Gate", "LoopWaiter", "Mailbox", "Waiter", "reset_after_fork", "wake_all"]


class Waiter(Protocol):
    """Someone who is told once that a command ended."""

    def wake(self, command: Command) -> Mailbox | None:
        """Take note; return the mailbox to ring when the batch is complete, if there is one."""
        ...


class Gate:
    """A thread that waits."""

    __slots__ = ("_lock",)

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()

    def wake(self, command: Command) -> None:
        """Let the thread go on."""
        with contextlib.suppress(RuntimeError):  # it was woken before
            self._lock.release()

    def pass_through(self, timeout: float | None) -> bool:
        """Block until woken; false on timeout."""
        if timeout is None:
            return self._lock.acquire()
        return self._lock.acquire(timeout=min(timeout, threading.TIMEOUT_MAX))


class Mailbox:
    """The futures of one event loop that are due; the loop is woken once for all of them."""

    __slots__ = ("__weakref__", "_due", "_rung")

    def __init__(self) -> None:
        self._due: deque[asyncio.Future[None]] = deque()
        self._rung = False

    def put(self, future: asyncio.Future[None]) -> None:
        """Add a future that is due; `ring` must follow."""
        self._due.append(future)

    def ring(self) -> None:
        """Wake the loop, unless it has been and has not looked yet."""
        if self._rung or not self._due:
            return
        self._rung = True
        try:
            self._due[0].get_loop().call_soon_threadsafe(self._deliver)
        except RuntimeError:  # the loop is closed: nobody waits there any more
            self._due.clear()
            self._rung = False

    def _deliver(self) -> None:
        self._rung = False  # before looking, so that a later put rings again
        while self._due:
            future = self._due.popleft()
            if not future.done():
                future.set_result(None)


# A mailbox belongs to those who wait and, once rung, to its loop's own queue: so that a loop which
# is closed before it looked can go, with the tasks that waited there.
_mailboxes: weakref.WeakKeyDictionary[Any, weakref.ref[Mailbox]] = weakref.WeakKeyDictionary()
_mailboxes_lock = threading.Lock()


class LoopWaiter:
    """A task that waits, on the running loop."""

    __slots__ = ("_mailbox", "future")

    def __init__(self) -> None:
        import asyncio  # loaded already where a loop runs; `import treadle` need not pay for it

        loop = asyncio.get_running_loop()
        self.future: asyncio.Future[None] = loop.create_future()
        with _mailboxes_lock:
            known = _mailboxes.get(loop)
            mailbox = known() if known is not None else None
            if mailbox is None:
                mailbox = Mailbox()
                _mailboxes[loop] = weakref.ref(mailbox)
        self._mailbox = mailbox

    def wake(self, command: Command) -> Mailbox:
        """Put the future into its loop's mailbox."""
        self._mailbox.put(self.future)
        return self._mailbox


def wake_all(commands: deque[Command]) -> None:
    """Wake everyone who waits for these commands; ring each event loop once.

    A command leaves the deque after its waiters were woken, so that Ctrl-C loses none; a waiter may
    then be woken twice, and minds that as little as several threads that wake at the same time."""
    mailboxes: dict[Mailbox, bool] = {}
    try:
        while True:
            try:
                command = commands[0]
            except IndexError:
                break
            for waiter in list(command._waiters):
                mailbox = waiter.wake(command)
                if mailbox is not None:
                    mailboxes[mailbox] = True
            command._waiters.clear()
            with contextlib.suppress(ValueError):  # another thread has
                commands.remove(command)
    finally:
        for mailbox in mailboxes:
            mailbox.ring()


def reset_after_fork() -> None:
    """Replace what another thread may have held when the process forked."""
    global _mailboxes_lock, _mailboxes
    _mailboxes_lock = threading.Lock()
    _mailboxes = weakref.WeakKeyDictionary()
