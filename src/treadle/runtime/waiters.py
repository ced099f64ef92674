"""Who waits for a command: a thread at a gate, a task of an event loop, or anything with `wake`.

In: commands that ended, in batches. Out: everyone who waits is told once, and each event loop is
woken once for each batch. What a command is, is not known here.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial
from numbers import Real
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol

from treadle.errors import CommandError, LaunchError

if TYPE_CHECKING:
    import asyncio

Command = Any  # what a waiter is told about; only its owner looks into it

__all__ = [
    "Gate",
    "LoopCallback",
    "LoopWaiter",
    "Mailbox",
    "UserCall",
    "Waiter",
    "deadline_of",
    "loop_runs_here",
    "patience",
    "refuse_trio",
    "reset_after_fork",
    "wake_all",
]


_FOREVER = 1e8  # seconds, which every system's locks can wait for


def patience(timeout: Any) -> float | None:
    """A timeout in seconds, or None; raise for what is neither."""
    if timeout is None:
        return None
    right = isinstance(timeout, Real) and not isinstance(timeout, bool)
    number: Any = timeout if right else math.nan
    try:
        seconds = float(min(number, _FOREVER))  # an int may be too large for a float
    except TypeError:  # NumPy takes its timedelta64 for a number, and compares it with none
        seconds = math.nan
    if math.isnan(seconds):
        raise LaunchError(f"timeout: expected seconds or None, got {timeout!r}")
    return seconds


def deadline_of(timeout: Any) -> float | None:
    """When a timeout that begins now is over; None: never."""
    seconds = patience(timeout)
    return None if seconds is None else monotonic() + seconds


class Waiter(Protocol):
    """What is told once that a command ended: a gate, a task of a loop, a callback, a trace."""

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
        # The batch for which the loop was woken and has not looked yet. It belongs to the loop's
        # own queue alone: should the loop be closed before, the futures go, and their tasks.
        self._rung: weakref.ref[deque[asyncio.Future[None]]] | None = None

    def put(self, future: asyncio.Future[None]) -> None:
        """Add a future that is due; `ring` must follow."""
        rung = self._rung
        batch = None if rung is None else rung()
        if batch is not None:
            batch.append(future)
            if self._rung is rung:
                return  # the loop will find it there
        self._due.append(future)

    def ring(self) -> None:
        """Wake the loop, unless it has been and has not looked yet."""
        if not self._due:
            return
        batch, self._due = self._due, deque()
        try:
            loop = batch[0].get_loop()
            self._rung = weakref.ref(batch)
            loop.call_soon_threadsafe(self._deliver, batch)
        except (RuntimeError, IndexError):  # the loop is closed: no task waits there any more
            return
        except BaseException:  # Ctrl-C in the middle of it: it is done again
            self._due.extend(batch)
            raise

    def _deliver(self, batch: deque[asyncio.Future[None]]) -> None:
        self._rung = None  # before looking, so that a later put rings again
        while batch:
            future = batch.popleft()
            if not future.done():
                future.set_result(None)


# A mailbox belongs to the tasks that wait and, once rung, to its loop's own queue: so that a loop
# which is closed before it looked can go, with the tasks that waited there.
_mailboxes: weakref.WeakKeyDictionary[Any, weakref.ref[Mailbox]] = weakref.WeakKeyDictionary()
_mailboxes_lock = threading.RLock()  # a finalizer may add a callback, inside it too


class LoopWaiter:
    """A task that waits, on the running loop."""

    __slots__ = ("_mailbox", "future")

    def __init__(self) -> None:
        import asyncio  # loaded already where a loop runs; `import treadle` need not pay for it

        refuse_trio()
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


class UserCall:
    """A user's function that is called once with a command, unless it is taken back before."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[Command], object]) -> None:
        self.function: Callable[[Command], object] | None = function

    def __call__(self, command: Command, _: object = None) -> None:
        """Call the function, if it is still wanted."""
        function, self.function = self.function, None  # its waiter may be woken twice
        if function is not None:
            function(command)


class LoopCallback(LoopWaiter):
    """A function that the running loop calls, as it calls those of its own futures."""

    __slots__ = ("call",)

    def __init__(self, call: UserCall, command: Command, context: Context | None) -> None:
        super().__init__()
        self.call = call
        # The future knows the call and not this waiter: nothing is left to the garbage collector.
        within = copy_context() if context is None else context  # an empty one is false, too
        self.future.add_done_callback(partial(call, command), context=within)


def loop_runs_here() -> bool:
    """Whether the calling thread runs an event loop of asyncio's."""
    asyncio = sys.modules.get("asyncio")  # a caller that runs a loop has imported it
    if asyncio is None:
        return False
    try:
        asyncio.get_running_loop()
    except (AttributeError, RuntimeError):  # half imported, by another thread; or no loop runs here
        return False
    return True


def refuse_trio() -> None:
    """Raise in a task of trio's: only asyncio's loops are woken, so that it would wait for ever."""
    trio = sys.modules.get("trio")
    if trio is None:
        return
    try:
        trio.lowlevel.current_task()
    except (AttributeError, RuntimeError):  # half imported; or no task of trio's runs here
        return
    asyncio = sys.modules.get("asyncio")
    try:
        if asyncio is not None and asyncio.current_task() is not None:
            return  # a loop of asyncio's that itself runs inside of trio (trio-asyncio)
    except (AttributeError, RuntimeError):
        pass
    raise CommandError(
        "Treadle's commands, buffers and streams can be awaited under asyncio and not under trio; "
        "wait in a thread instead, as in `await trio.to_thread.run_sync(command.wait)` (or "
        "`buffer.read`, or a function of yours that calls run_kernel or iterates over the stream), "
        "or run the program under asyncio (anyio.run does so unless told otherwise)"
    )


def wake_all(commands: deque[Command]) -> None:
    """Wake everyone who waits for these commands; ring each event loop once.

    They leave the deque last, so that Ctrl-C loses none. A waiter may then be woken twice, and
    minds that as little as several threads that wake at the same time."""
    batch = list(commands)
    mailboxes: set[Mailbox] = set()
    for command in batch:
        for waiter in list(command._waiters):  # meanwhile a waiter may give up and leave
            mailbox = waiter.wake(command)
            if mailbox is not None:
                mailboxes.add(mailbox)
    for mailbox in mailboxes:
        mailbox.ring()
    for command in batch:
        command._waiters.clear()
        with contextlib.suppress(ValueError):  # another thread has
            commands.remove(command)


def reset_after_fork() -> None:
    """Replace what another thread may have held when the process forked."""
    global _mailboxes_lock, _mailboxes
    _mailboxes_lock = threading.RLock()
    _mailboxes = weakref.WeakKeyDictionary()
