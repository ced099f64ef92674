"""The graph of unfinished commands: who blocks whom, what a command's end sets free.

In: commands with their hazard entries, and news about them. Out: commands that may be launched and
waiters to wake, collected in an Outcome. Every method is called with the queue's lock held, and
none of them launches, wakes or blocks.

A command is blocked by those it needs until they have ended or, where the device keeps order
itself, until they have been launched. A command that is cancelled, or fails because of what it
reads, ends for its waiters at once, but lets its followers go only when everything that it needed
is out of the way, because followers rely on it for their order.
"""

from __future__ import annotations

import weakref
from typing import Any

from treadle.backends.base import Limits, Step
from treadle.errors import TreadleError
from treadle.runtime import registry
from treadle.runtime.command import (
    CANCELLED,
    COMPLETED,
    ENDED,
    FAILED,
    PENDING,
    RUNNING,
    Command,
    Status,
)
from treadle.runtime.hazards import Needs, before_read, before_write, cleanse, spoil
from treadle.runtime.memory import Ledger
from treadle.runtime.pace import Pace
from treadle.runtime.shares import Late, Ready
from treadle.runtime.waiters import Waiter

__all__ = ["Graph", "Outcome", "urgency"]


def urgency(command: Command) -> tuple[int, int]:
    """What a command comes before others by: its priority, then its age."""
    return command._rank, command.id


class Outcome:
    """What follows from a change: commands to launch and waiters to wake."""

    __slots__ = ("ready", "wakes")

    def __init__(self) -> None:
        self.ready: list[Command] = []
        self.wakes: list[tuple[Command, list[Waiter]]] = []


def _stored(error: BaseException) -> BaseException:
    """An error as it is kept: without tracebacks, whose frames would keep buffers alive."""
    link: BaseException | None = error
    while link is not None and link.__traceback__ is not None:
        if not isinstance(link, TreadleError):
            import traceback  # rarely needed, and slow to import

            link.add_note("".join(traceback.format_tb(link.__traceback__)).rstrip())
        link.__traceback__ = None
        link = link.__cause__ or link.__context__
    return error


def _stage(command: Command, error: BaseException) -> str:
    """Name the stage that failed, where there are several and the error says which (`step`)."""
    steps, index = command._steps, getattr(error, "step", None)
    if command._plan is not None:
        return f"{command._label}{command._plan.title(index)}"
    if (
        isinstance(steps, tuple)
        and len(steps) > 1
        and isinstance(index, int)
        and index < len(steps)
    ):
        step = steps[index]
        kind = step.program.kernel.name if isinstance(step, Step) else "copy"
        return f"{command._label}, stage {index + 1} of {len(steps)} ({kind}),"
    return command._label


def _spoil(command: Command, cause: BaseException | None, blame: BaseException) -> None:
    """Mark what a failed command was to write, but for what its completed stages wrote."""
    index = getattr(cause, "step", None)
    kept = command._plan.completed(index) if command._plan is not None else ()
    for _, low, high, storage in command._writes:
        if (storage, low, high) in kept:
            cleanse(storage, low, high, command)
    for _, low, high, storage in command._writes:  # afterwards: these may overlap those
        if (storage, low, high) not in kept:
            spoil(storage, low, high, command, blame)


class Graph:
    """Every unfinished command of one device, and the edges between them."""

    def __init__(self, limits: Limits, ledger: Ledger, owner: weakref.ref[Any]) -> None:
        self.open: dict[int, Command] = {}  # submitted and not ended
        self.nbytes = 0  # in flight, counted where that is limited
        self.ordered = limits.ordered
        self.pace = Pace(limits.lanes, bounded=not (limits.ordered or limits.queues))
        self.bounded = self.pace.bounded
        self.ready = Ready()  # but every lane is taken
        self.barrier: Command | None = None
        self._ledger = ledger
        self._owner = owner

    def block(self, command: Command, out: Outcome) -> None:
        """Find what a command needs; fail it if that has failed already."""
        needs: Needs = {}
        error: BaseException | None = None
        for _, low, high, storage in command._reads:
            error = before_read(storage, low, high, command, needs) or error
        for _, low, high, storage in command._writes:
            before_write(storage, low, high, command, needs)
        if self.barrier is not None:
            needs.setdefault(self.barrier, False)
        self.need(command, needs)
        if error is not None:
            self.end(command, FAILED, error, out)

    def need(self, command: Command, needs: Needs) -> None:
        """Add edges from what a command needs to the command."""
        for other, reads in needs.items():
            if other._successors is None:
                other._successors = []
            other._successors.append((command, reads))
            if self.ordered and other._fence is not None and not command._host:
                command._after = [*(command._after or ()), other]
            else:
                command._blockers += 1

    def satisfy(self, command: Command, out: Outcome) -> None:
        """Take one blocker away."""
        command._blockers -= 1
        if not command._blockers:
            self.settle(command, out)

    def settle(self, command: Command, out: Outcome) -> None:
        """Deal with a command that nothing blocks any more."""
        if command._status is not PENDING:
            self.release(command, out)
        elif command._host:
            command._status = RUNNING
            if command._steps is None:  # the host's turn: it says itself when it is done
                self._wake(command, out)
            else:
                out.ready.append(command)
        elif (self.bounded or hasattr(command, "_stamp")) and not command._carried:
            self.ready.put(command)
            self.fill(out)
        else:
            command._status = RUNNING
            out.ready.append(command)

    def fill(self, out: Outcome) -> None:
        """Let go of what waits for a lane, as far as there is room and time."""
        while self.ready and self.pace.room():
            if self.pace.duty < 1.0 and not self.ready.urgent() and self.pace.pause(self._resume):
                return
            command, late = self.ready.take()
            if command._status is not PENDING:
                continue  # it was cancelled while it waited for a lane
            if late:
                error = Late("its deadline passed before it could start")
                self.end(command, FAILED, error, out)
                self.release(command, out)
                continue
            self.pace.started(command.id)
            command._status = RUNNING
            out.ready.append(command)

    def _resume(self) -> None:
        owner = self._owner()
        if owner is not None:
            owner.refill()

    def launched(self, command: Command, fence: Any, out: Outcome) -> None:
        """Ordered devices: followers may be launched now, after this fence."""
        if command._status is not RUNNING:
            return
        command._fence = fence
        for follower, _ in command._successors or ():
            if not follower._host:
                follower._after = [*(follower._after or ()), command]
                self.satisfy(follower, out)

    def ended(self, command: Command, error: BaseException | None, out: Outcome) -> None:
        """Take note that a launch or a host access ended; a second time does nothing."""
        if command._status is not RUNNING:
            return
        # An ordered device can report a command before those it came after; they are done too,
        # and whether they failed must be known first.
        stack = [command]
        while stack:
            last = stack[-1]
            first = [c for c in last._after or () if c._status is RUNNING and c._fence.done()]
            if first:
                stack += first
                continue
            stack.pop()
            if last._status is RUNNING:
                self._ran(last, error if last is command else last._fence.error, out)

    def _ran(self, command: Command, error: BaseException | None, out: Outcome) -> None:
        counted = self.pace.ended(command.id)
        if error is None:
            error = command._cause  # set while it ran, by a failure of what it reads
        self.end(command, COMPLETED if error is None else FAILED, error, out)
        self.release(command, out)
        if counted:
            self.fill(out)

    def end(
        self, command: Command, status: Status, cause: BaseException | None, out: Outcome
    ) -> None:
        """Give a command its final status, and fail those that were to read its result."""
        todo = [(command, status, cause)]
        while todo:
            command, status, cause = todo.pop()
            if command._status in ENDED:
                continue
            if status is not COMPLETED and command._claim is not None:
                command._claim.dissolve()
            if cause is not None:
                command._cause = _stored(cause)
                command._label = _stage(command, cause)
            command._status = status
            if status is COMPLETED:
                for _, low, high, storage in command._writes:
                    if storage.poison is not None:
                        cleanse(storage, low, high, command)
            else:
                blame = command._blame()
                if status is FAILED:
                    _spoil(command, cause, blame)
                for follower, reads in command._successors or ():
                    if reads and follower._status is PENDING:
                        todo.append((follower, FAILED, blame))
                    elif reads:
                        follower._cause = blame
            if self.open.pop(command.id, None) is not None:
                self.nbytes -= command._nbytes
                registry.remember(command, self._owner)
            command._steps = command._plan = None
            self._wake(command, out)

    def _wake(self, command: Command, out: Outcome) -> None:
        if command._waiters is not None:
            out.wakes.append((command, command._waiters))
            command._waiters = None

    def release(self, command: Command, out: Outcome) -> None:
        """Let go of what an ended command held, and let its followers go."""
        todo = [command]
        while todo:
            command = todo.pop()
            self.unhold(command)
            launched = command._fence is not None
            followers, command._successors = command._successors, None
            after, command._after, command._fence = command._after, None, None
            for follower, _ in followers or ():
                if launched and not follower._host:
                    continue  # it was let go when this one was launched
                if after:  # never launched itself: its followers come after what it came after
                    follower._after = [*(follower._after or ()), *after]
                follower._blockers -= 1
                if not follower._blockers:
                    if follower._status is PENDING:
                        self.settle(follower, out)
                    else:
                        todo.append(follower)
            if command is self.barrier:
                self.barrier = None

    def withdraw(self, command: Command, status: Status = CANCELLED) -> None:
        """Undo a registration that was refused or interrupted, as far as it had come."""
        if command._status in ENDED:
            return
        command._status = status
        self.unhold(command)
        command._steps = None
        if self.open.pop(command.id, None) is not None:
            for other in self.open.values():
                if other._successors:
                    kept = [pair for pair in other._successors if pair[0] is not command]
                    other._successors = kept or None

    def unhold(self, command: Command) -> None:
        """Remove a command's hazard entries and give its scratch back."""
        for entry in command._reads:
            storage = entry[3]
            storage.readers.pop(id(entry), None)
            if storage.region is None and not storage.readers and not storage.writers:
                storage.settle()
        for entry in command._writes:
            storage = entry[3]
            storage.writers.pop(id(entry), None)
            if storage.region is None and not storage.readers and not storage.writers:
                storage.settle()
        if command._claim is not None:
            command._claim.ended(command)
            command._claim = None
        command._reads = command._writes = ()  # last, so that it can be done again if interrupted
        if command._charge:
            self._ledger.credits.append(command._charge)
            command._charge = 0
