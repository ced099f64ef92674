"""A command: work in flight that can be polled, waited for and awaited.

In: what the queue reports about it. Out: a status, a value or an error, and a wake-up for everyone
who waits, each event loop once for each batch of completions. It knows neither buffers nor devices;
its owner is whatever holds the lock and can cancel (a Queue).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextvars import Context
from enum import StrEnum
from types import CodeType
from typing import Any, Generic, Protocol

from treadle.errors import (
    BufferFreed,
    CommandCancelled,
    CommandError,
    CommandFailed,
    CommandTimeout,
    copied,
    entrances,
    without_our_frames,
)
from treadle.runtime.caller import line
from treadle.runtime.priority import NORMAL_RANK
from treadle.runtime.waiters import (
    Gate,
    LoopCallback,
    LoopWaiter,
    UserCall,
    Waiter,
    loop_runs_here,
    patience,
    refuse_trio,
)
from treadle.tables import facts
from treadle.typed import Result

__all__ = ["Command", "Status"]


class Status(StrEnum):
    """Where a command stands."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


PENDING, RUNNING = Status.PENDING, Status.RUNNING
COMPLETED, FAILED, CANCELLED = Status.COMPLETED, Status.FAILED, Status.CANCELLED
ENDED = frozenset({COMPLETED, FAILED, CANCELLED})
GONE: Any = object()  # the outputs of a command that was found by its id, when the user let them go


class Waiting(Protocol):
    """How a thread waits on a device; see waits.py."""

    def check(self) -> None:
        """Raise where waiting could never end."""
        ...

    def at(self, gate: Gate, timeout: float | None = None) -> bool:
        """Block at a gate; false on timeout."""
        ...

    def look(self, command: Command) -> bool:
        """End a command whose fence is done, where the device does not tell."""
        ...

    def help(self, command: Command) -> None:
        """Work on a command, where the device lets a thread that waits for one do so."""
        ...

    def give_way(self) -> None:
        """Let the threads at work go on, before a caller asks again."""
        ...

    def spin(self, command: Command) -> bool:
        """Ask the device for a moment before waiting; say if the command ended."""
        ...

    def hasten(self) -> None:
        """Have the end of commands noticed soon."""
        ...


class Owner(Protocol):
    """What a command needs from the queue that runs it."""

    name: str
    open: dict[int, Command]

    @property
    def waits(self) -> Waiting:
        """How one waits for it."""
        ...

    def cancel(self, command: Command) -> bool:
        """Drop a command that has not started."""
        ...

    def signal(self, command: Command, error: BaseException | None) -> None:
        """End a command whose fence is done."""
        ...

    def call_later(self, function: Callable[[Command], object], command: Command) -> None:
        """Run a user's callback on the poller's thread."""
        ...


LOADED = sys.modules


@entrances("result")
class Command(Generic[Result]):
    """Work in flight: poll it, wait for it or await it.

    Awaiting gives the output buffer, a tuple of them where the kernel has several, or None."""

    # The queue owns every underscored slot; the thread that holds it changes them.
    __slots__ = (
        "__weakref__",
        "_after",
        "_at",
        "_blocks",
        "_carried",
        "_cause",
        "_claim",
        "_code",
        "_fence",
        "_handed",
        "_host",
        "_label",
        "_launched",
        "_nbytes",
        "_needs",
        "_order",
        "_outputs",
        "_owner",
        "_plan",
        "_rank",
        "_reads",
        "_released",
        "_scratch",
        "_stamp",
        "_status",
        "_steps",
        "_successors",
        "_taken",
        "_times",
        "_uses",
        "_waiters",
        "_writes",
        "id",
    )

    id: int
    _times: Any  # unset unless known: start and end, or a fence that knows them
    _uses: Any  # unset but for brief launches: what they read and write, see quick.py

    def __init__(
        self,
        owner: Owner | None,
        label: str,
        code: CodeType | None,
        at: int,
        outputs: Any = None,
        steps: Any = None,
        rank: int = NORMAL_RANK,
    ) -> None:
        self.id = 0
        self._status = PENDING
        self._owner: Any = owner
        self._label = label
        self._code = code
        self._at = at
        self._outputs: Any = outputs  # None, one buffer, a tuple, or a Deferred that waits for them
        self._steps: Any = steps  # steps, or a callable that builds them once compiled
        self._rank = rank
        self._blocks = False  # its caller waits for it, and is no event loop
        self._plan: Any = None  # a pipeline's: names stages, knows what completed ones wrote
        self._cause: BaseException | None = None  # also set early, on one that runs but is doomed
        self._host = False  # not launched: the host's reads and writes, barriers, empty work
        self._carried = False  # a copy between host and device that the device makes by itself
        self._scratch: tuple[Any, ...] = ()  # storages
        self._nbytes = 0  # counted against max_bytes_in_flight
        self._order = 0  # its place among those that were placed before and after it
        self._needs: dict[Any, bool] | None = None  # commands and programs that it waits for
        self._released = False  # nothing is left of it but what its user sees
        self._stamp: tuple[float, float] | None = None  # due and tag; see shares.py
        self._claim: Any = None  # in place of hazard entries, see claim.py
        self._reads: Any = ()  # hazard entries, see hazards.py
        self._writes: Any = ()
        self._fence: Any = None
        self._handed = False  # given to the device, which will tell when it ended
        self._taken: Any = None  # where the device tells what it has begun; see backends.base
        self._launched: Any = None  # a fence that can be helped
        self._after: dict[Command, bool] | None = None  # ordered devices: whose fences come first
        self._successors: dict[Command, bool] | None = None  # whether they read our result
        self._waiters: list[Waiter] = []

    @property
    def status(self) -> Status:
        """Where it stands now; never blocks."""
        return self.poll()

    def poll(self) -> Status:
        """Return where it stands now; never blocks."""
        if self._status not in ENDED and not self._owner.waits.look(self):
            self._owner.waits.give_way()
        return self._status

    def done(self) -> bool:
        """Say whether it ended, in whatever way; never blocks."""
        return self.poll() in ENDED

    def cancelled(self) -> bool:
        """Say whether it was dropped before it started; never blocks."""
        return self._status is CANCELLED

    @property
    def output(self) -> Result:
        """The output buffer, a tuple of them where there are several, or None.

        Where nothing but planning can tell what they are, asking waits for the plan, not for the
        work. Of a command that was found by its id after its end, outputs that the user let go
        are gone; asking for them is BufferFreed."""
        if callable(self._outputs):  # see planning.py
            made: Result = self._outputs(self)
            return made
        if self._outputs is GONE:
            raise BufferFreed(
                f"the output of {self._describe()} was released when the command had ended, "
                "because nothing but the command's id was kept; keep the Command itself, or give "
                "submit an output"
            )
        found: Result = self._outputs
        return found

    @property
    def outputs(self) -> tuple[Any, ...]:
        """Every output buffer."""
        found: Any = self.output
        return () if found is None else found if type(found) is tuple else (found,)

    @property
    def kernel(self) -> str:
        """What it runs: a kernel's name, or copy_buffer or barrier."""
        return self._label

    @property
    def device(self) -> str:
        """The name of the device it runs on."""
        return self._owner.name if self._owner is not None else "a closed device"

    @property
    def times(self) -> tuple[int, int] | None:
        """Start and end on the device, as time.perf_counter_ns(); None while unknown.

        Known of uploads and downloads, and of what was launched while a trace was on."""
        times = getattr(self, "_times", None)  # a slot that is set only where there are times
        if times is not None and type(times) is not tuple:
            times = times.times()
            if times is not None:
                self._times = times
        return times

    @property
    def submitted_at(self) -> str:
        """The first line outside this package that led to the submit, as file:line."""
        if self._code is None:
            return "an unknown line"
        return f"{self._code.co_filename}:{line(self._code, self._at)}"

    @property
    def error(self) -> CommandError | None:
        """What wait() would raise, once it failed or was cancelled; else None."""
        if self._status is FAILED or self._status is CANCELLED:
            return self._failure()
        return None

    def exception(self) -> CommandError | None:
        """Return what wait() would raise, once it failed or was cancelled; else None."""
        return self.error

    def result(self) -> Result:
        """Return what awaiting gives, or raise what went wrong; never blocks.

        Of a command that has not ended it is a CommandError."""
        if not self.done():
            raise CommandError(
                f"{self._describe()} is still {self._status} and has no result yet; "
                "wait() blocks until it has, and `await` suspends"
            )
        if self._status is COMPLETED:
            return self.output
        raise self._failure()

    def wait(self, timeout: float | None = None) -> Command[Result]:
        """Block until it ends and return it; raise what went wrong.

        A CommandTimeout leaves it running."""
        seconds = patience(timeout)
        try:
            if self._status not in ENDED and not self._join(seconds):
                late = f"{self._describe()} is still {self._status} after {timeout} s"
                raise CommandTimeout(late)
        except CommandError as error:
            raise without_our_frames(error)  # noqa: B904  # the same one
        if self._status is COMPLETED:
            return self
        raise self._failure()

    def __await__(self) -> Generator[Any, None, Result]:
        if "trio" in LOADED:
            refuse_trio()  # at once, not only where it has to suspend
        if self._status not in ENDED and not self._owner.waits.spin(self):
            yield from self._ended().__await__()
        if self._status is COMPLETED:
            return self.output
        raise self._failure()

    def cancel(self) -> bool:
        """Drop it if it has not started, and say whether that was so.

        A dropped command's outputs are untouched; one that started runs to its end."""
        if self._owner is None or self._status in ENDED:
            return False
        cancelled: bool = self._owner.cancel(self)
        return cancelled

    def add_done_callback(
        self, function: Callable[[Command], object], *, context: Context | None = None
    ) -> None:
        """Call `function(command)` once it ended; soon, if it has.

        Added on a thread that runs an event loop, it is called by that loop, in `context` or a copy
        of the current one, and what it raises goes to the loop's exception handler; a loop that is
        closed by then calls nothing. Added elsewhere, it is called on the device's own thread, in
        `context` if there is one, and what it raises goes to threading.excepthook."""
        if loop_runs_here():
            self._add(LoopCallback(UserCall(function), self, context))
        else:
            self._add(_Callback(UserCall(function), context))

    def remove_done_callback(self, function: Callable[[Command], object]) -> int:
        """Take a callback back, as often as it was added, and return how often that was.

        One that is due already, because the command ended, is called nevertheless."""
        found = [
            waiter
            for waiter in tuple(self._waiters or ())
            if isinstance(waiter, LoopCallback | _Callback) and waiter.call.function == function
        ]
        removed = 0
        for waiter in found:
            if self._unwatch(waiter):
                waiter.call.function = None  # should its waking have begun on another thread
                removed += 1
        return removed

    def __repr__(self) -> str:
        return f"<treadle.Command {self.id} {self._label} {self._status} on {self.device}>"

    def _repr_html_(self) -> str:
        told = {"on": self.device, "submitted at": self.submitted_at, "error": self.error}
        return facts(f"command {self.id}: {self._label}, {self._status}", told)

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} is work in flight and cannot be copied or pickled")

    def _describe(self) -> str:
        return (
            f"{self._label} on {self.device} (command {self.id}, submitted at {self.submitted_at})"
        )

    def _failure(self) -> CommandError:
        # A new instance each time, and a new one of its cause, which the caller may raise as well:
        # a traceback grows on every raise and keeps frames alive.
        error = self._told()
        if error.__cause__ is not None:
            error.__cause__ = copied(error.__cause__)
        return error

    def _told(self) -> CommandError:
        """What went wrong, for those who keep it and never raise it."""
        if self._status is CANCELLED:
            return CommandCancelled(f"{self._describe()} was cancelled before it started")
        cause = self._cause
        if isinstance(cause, CommandError):
            text = f"{self._describe()} did not run, because what it reads failed: {cause}"
            error = CommandFailed(text)
        else:
            error = CommandFailed(f"{self._describe()} failed: {cause}")
        error.__cause__ = cause
        return error

    def _blame(self) -> BaseException:
        """What a command that reads this one's result fails with: the first failure of a chain,
        so that neither messages nor causes grow with its length."""
        return self._cause if isinstance(self._cause, CommandError) else self._told()

    def _watch(self, waiter: Waiter) -> bool:
        """Have `waiter` woken at the end; false if it ended already."""
        if self._status in ENDED:
            return False
        self._waiters.append(waiter)
        return self._status not in ENDED  # else it may have been woken, or may not

    def _unwatch(self, waiter: Waiter) -> bool:
        """Have `waiter` woken no more; say whether it was to be."""
        try:
            self._waiters.remove(waiter)
        except ValueError:  # it ended
            return False
        return True

    def _add(self, callback: LoopCallback | _Callback) -> None:
        if self._watch(callback):
            self._owner.waits.hasten()
            return
        mailbox = callback.wake(self)
        if mailbox is not None:
            mailbox.ring()

    def _join(self, timeout: float | None) -> bool:
        """Block until it ended; false on timeout. Never raises what went wrong."""
        if timeout is not None and timeout <= 0:
            return self._status in ENDED
        if self._status in ENDED:
            return True
        waits = self._owner.waits
        waits.check()
        if timeout is None and self._launched is not None:
            waits.help(self)
            if self._status in ENDED:
                return True
        if waits.spin(self, blocks=timeout is None):
            return True
        gate = Gate()
        if not self._watch(gate) or waits.at(gate, timeout):
            return True
        self._unwatch(gate)
        return self._status in ENDED

    async def _ended(self) -> None:
        """Suspend until it ended. Never raises what went wrong."""
        waiter = LoopWaiter()
        if self._watch(waiter):
            try:
                self._owner.waits.hasten()
                await waiter.future
            finally:
                if self._status not in ENDED:
                    self._unwatch(waiter)

    def _signal(self, fence: Any) -> None:
        """What a backend calls, from a thread of its own, when the launch ended."""
        self._owner.signal(self, fence.error)


class _Callback:
    """A function that the device's own thread calls."""

    __slots__ = ("_context", "call")

    def __init__(self, call: UserCall, context: Context | None) -> None:
        self.call = call
        self._context = context

    def wake(self, command: Command) -> None:
        if command._owner is None:
            self(command)  # its device is gone, and with it the thread
        else:
            command._owner.call_later(self, command)

    def __call__(self, command: Command) -> None:
        if self._context is None:
            self.call(command)
        else:
            self._context.run(self.call, command)
