"""The graph of unfinished commands: who needs whom, what a command's end sets free.

In: changes, one at a time: a command to place, news that one was launched or has ended. Out:
commands that may be launched (`ready`) and commands whose waiters are to be woken (`wakes`).

The thread that holds the queue makes every change, with its lock; no change launches, wakes or
blocks. Ctrl-C and other exceptions may break a change off anywhere on the main thread; then it is
made again from its beginning, so each is written so that doing it twice does what doing it once
does: sets and dicts instead of counts, what is forgotten is forgotten last, and what a change
leads to elsewhere is another change, put into the queue's inbox.

A command needs others until they have ended or, where the device keeps order itself, until they
have been launched. A command that is cancelled, or fails because of what it reads, ends for its
waiters at once, but lets its followers go only when everything that it needed is out of the way,
because followers rely on it for their order.
"""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from treadle.backends.base import DONE, Limits
from treadle.errors import DeviceError
from treadle.runtime import registry
from treadle.runtime.claim import dissolve
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
from treadle.runtime.failure import stage, stored
from treadle.runtime.hazards import (
    Needs,
    before_read,
    before_write,
    cleanse,
    read_only_by,
    spoil,
)
from treadle.runtime.pace import Pace
from treadle.runtime.shares import Late, ReadyCommands

__all__ = ["FIRST", "CommandGraph", "urgency"]

FIRST = True  # what a change returns that has put others before itself and is to be made again


def urgency(command: Command) -> tuple[int, int]:
    """What a command comes before others by: its priority, then its age."""
    return command._rank, command.id


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


def _follow(command: Command, other: Command) -> None:
    """Have a command launched after another one's fence."""
    if command._after is None:
        command._after = {}
    command._after[other] = True


class CommandGraph:
    """Every unfinished command of one device, and the edges between them."""

    def __init__(self, limits: Limits, inbox: deque[Any], owner: Any) -> None:
        self.open: dict[int, Command] = {}  # submitted and not ended
        self.hands: dict[Command, int] = {}  # the threads of the host that are at a command's work
        self.nbytes = 0  # in flight, counted where that is limited
        self.ready: list[Command] = []  # to be launched
        self.wakes: deque[Command] = deque()  # whose waiters are to be told
        self.ordered = limits.ordered
        self.pace = Pace(limits.lanes, bounded=not (limits.ordered or limits.queues))
        self.waiting = ReadyCommands()  # for a lane
        self.barrier: Command | None = None
        self._inbox = inbox
        self.orders = 0  # places in the order that were given
        self.quick: Any = None  # brief launches in flight, where the device has a lane for them
        self.owner: weakref.ref[Any] = owner

    # A command comes.

    def place(self, command: Command, programs: Any) -> None:
        """Give a command its place in the order of those that touch the same bytes.

        `programs` are those that it cannot run without, if some are still being compiled."""
        if command._status is not PENDING or command._released:
            # This change was made before, all but for its last step; or the command was cancelled
            # on its way here, by a stream, which knows of it before the queue does.
            self._close(command)
            return
        if not command._order:
            self.orders = command._order = self.orders + 1
        if self.quick is not None and self.quick.runs:
            self.quick.dissolve()
        turn = command._host and command._steps is None
        slow = programs is not None or (self.barrier is not None and not turn)
        if command._claim is not None and (slow or not self._claimed(command)):
            command._claim.decline(command)
        for entry in command._reads:
            storage = entry[3]
            if storage.claim is not None:
                dissolve(storage)
            storage.readers[id(entry)] = entry
            if storage.writers or storage.poison is not None:
                slow = True
        for entry in command._writes:
            storage = entry[3]
            if storage.claim is not None:
                dissolve(storage)
            if storage.writers or (storage.readers and not read_only_by(storage, command)):
                slow = True
            storage.writers[id(entry)] = entry
        if slow:
            self._block(command, programs, turn)
        pace = self.pace
        if command._needs:
            return
        if (
            len(pace.running) < pace.quick
            and not (slow or command._host or command._carried or self.waiting.heap)
            and command._stamp is None
        ):  # most often; from here on nothing can be interrupted
            pace.running[command.id] = 0.0
            command._status = RUNNING
            self.ready.append(command)
        else:
            self._settle(command)

    def _claimed(self, command: Command) -> bool:
        """Put a run behind the last one of its claim; false where it needs entries of its own."""
        claim = command._claim
        if (claim.freed or not claim.live) and not claim.take():
            return False
        runs = claim.runs
        if runs and command.id not in runs:
            self._need(command, {runs[next(reversed(runs))]: claim.again})
        runs[command.id] = command
        return True

    def _block(self, command: Command, programs: Any, turn: bool) -> None:
        """Find what a command needs; fail it if that has failed already."""
        needs: Needs = {}
        error: BaseException | None = None
        for _, low, high, storage in command._reads:
            error = before_read(storage, low, high, command, needs) or error
        for _, low, high, storage in command._writes:
            before_write(storage, low, high, command, needs)
        if self.barrier is not None and not turn:
            needs.setdefault(self.barrier, False)
        self._need(command, needs)
        for program in programs or ():
            if program.missing:
                program.waiting[command] = True
                if command._needs is None:
                    command._needs = {}
                command._needs[program] = False
            else:
                error = error or program.error
        if error is not None:
            command._cause = error
            self._inbox.append((self.fail, command, error))

    def _need(self, command: Command, needs: Needs) -> None:
        """Add edges from what a command needs to the command."""
        for other, reads in needs.items():
            if other._successors is None:
                other._successors = {}
            reads = reads or other._successors.get(command, False)  # it may be known already
            other._successors[command] = reads
            if self.ordered and other._fence is not None and not command._host:
                _follow(command, other)
            else:
                if command._needs is None:
                    command._needs = {}
                command._needs[other] = reads

    def _unneed(self, command: Command, other: Any) -> None:
        """Take away something that a command needed; if it was the last, let the command go."""
        needs = command._needs
        if needs is not None and other in needs:
            if len(needs) == 1:
                self._settle(command)
            del needs[other]  # last: see above

    def bar(self, command: Command, _: None) -> None:
        """Place a command that ends when all before it has, and that all after it wait for."""
        if command._status is not PENDING:
            self._close(command)
            return
        if not command._order:
            self.orders = command._order = self.orders + 1
        if self.quick is not None:
            self.quick.dissolve()
        needs: Needs = {c: False for c in list(self.open.values()) if 0 < c._order < command._order}
        if self.barrier is not None and self.barrier is not command:
            needs[self.barrier] = False
        self._need(command, needs)
        self.barrier = command
        if not command._needs:
            self._settle(command)

    # Nothing keeps it any more.

    def _settle(self, command: Command) -> None:
        """Deal with a command that needs nothing any more."""
        if command._status is RUNNING:
            return  # this was done before
        if command._status is not PENDING or command._cause is not None:  # what it reads has failed
            self._inbox.append((self.fail, command, command._cause))
        elif command._host:
            if command._steps is None:  # the host's turn: it says itself when it is done
                command._status = RUNNING
                if command._waiters:
                    self.wakes.append(command)
            else:
                self._start(command)
        elif command._carried:
            self._start(command)
        elif (
            self.waiting.heap
            or command._stamp is not None
            or not (len(self.pace.running) < self.pace.quick or self.pace.free(command))
        ):
            self.waiting.put(command)
            self._fill()
        else:
            self.pace.started(command)
            self._start(command)

    def _start(self, command: Command) -> None:
        command._status = RUNNING  # nothing between these two steps can be interrupted
        self.ready.append(command)

    def _fill(self) -> None:
        """Let go of what waits for a lane, as far as there is room and time."""
        waiting, pace = self.waiting, self.pace
        while waiting.heap:
            command, late = waiting.next()
            if command._status is PENDING and not late:
                if not pace.room(command):
                    return
                if pace.duty < 1.0 and not waiting.urgent() and pace.pause(self._resume):
                    return
                pace.started(command)
                self._start(command)
            elif command._status is PENDING:
                error = Late("its deadline passed before it could start")
                self._inbox.append((self.fail, command, error))
            waiting.drop(command)

    def _resume(self) -> None:
        owner = self.owner()
        if owner is not None:
            owner.refill()

    # News.

    def refill(self, *_: None) -> None:
        """Launch what waited for room or for the end of a pause."""
        self.pace.resumed()
        self._fill()

    def drive_at(self, limit: int | None, duty: float) -> None:
        """Change how many launches may be in flight, and for which share of the time."""
        self.pace.drive_at(limit, duty)
        self._fill()

    def compiled(self, program: Any, outcome: tuple[Any, BaseException | None]) -> None:
        """Take note that a program or a plan is there, or why not, and let those go that waited."""
        program.settle(*outcome)
        for command in list(program.waiting):
            if program.error is not None:
                self._end(command, FAILED, program.error)
            self._unneed(command, program)
        program.waiting.clear()

    def relaunch(self, batch: list[Command], _: None) -> None:
        """Have those launched that Ctrl-C kept from it."""
        for command in batch:
            if command._status is RUNNING and not command._handed:
                self.ready.append(command)

    def interrupted(self, command: Command, _: None) -> bool:
        """Deal with a command whose launch Ctrl-C broke off. It is launched again; where the device
        has it, only to have its end noticed; it fails where the device may have a part of it."""
        taken = command._taken
        if command._status is not RUNNING:
            return self.ended(command, None)  # which was broken off itself, or has nothing to do
        if taken and taken[0] is None:
            return self.ended(command, None)
        if taken and taken[0] is DONE:
            return self.ended(command, DeviceError("Ctrl-C came while it was being launched"))
        command._handed = False
        self.ready.append(command)
        return False

    def launched(self, command: Command, _: None) -> None:
        """Ordered devices: followers may be launched now, after this one's fence."""
        if command._status is not RUNNING:
            return
        for follower in list(command._successors or ()):
            if not follower._host:
                if command in (follower._needs or ()):
                    _follow(follower, command)
                self._unneed(follower, command)

    def cancel(self, command: Command, answer: list[bool]) -> None:
        """Drop a command that has not started."""
        if command._status is PENDING:
            answer.append(True)
        if answer:
            self._end(command, CANCELLED, None)
            if not command._needs:
                self._release(command)

    def fail(self, command: Command, error: BaseException | None) -> None:
        """Fail a command that has not started; where it has ended, let its followers go."""
        if command._status is not RUNNING and not command._released:
            self._end(command, FAILED, error)
            if not command._needs:
                self._release(command)

    def leave(self, turn: Command, _: None) -> bool:
        """Take note that the host's turn is over: done, given up while it waited, never taken."""
        self.hands.pop(turn, None)
        if turn._status is not PENDING:
            return self.ended(turn, None)  # or it has ended, and that was broken off
        for follower, reads in list((turn._successors or {}).items()):
            if reads and follower._status not in ENDED:
                self._read_before(follower, turn)
        self._end(turn, CANCELLED, None)
        if not turn._needs:
            self._release(turn)
        return False

    def _read_before(self, command: Command, turn: Command) -> None:
        """Have a command read what is there without a turn of the host's that was given up."""
        needs: Needs = {}
        error: BaseException | None = None
        for _, low, high, storage in command._reads:
            error = before_read(storage, low, high, command, needs, turn) or error
        self._need(command, needs)
        if error is not None:
            command._cause = error
            self._inbox.append((self.fail, command, error))
        assert turn._successors is not None
        turn._successors[command] = False  # last: see above

    def ended(self, command: Command, error: BaseException | None) -> bool:
        """Take note that a launch or a host access ended; a second time does nothing."""
        status, pace = command._status, self.pace
        if command._released or status is PENDING or command._needs:
            return False
        if (
            status is RUNNING
            and error is None
            and command._cause is None
            and command._successors is None
            and command._after is None
            and pace.duty >= 1.0
            and not self.waiting.heap
        ):
            # The short way. If this is broken off, the long way goes on from what was done.
            number, command._status = command.id, COMPLETED
            for _, low, high, storage in command._writes:
                if storage.poison is not None:
                    cleanse(storage, low, high, command)
            if number in self.open:
                registry.remember(command, self.owner)
                del self.open[number]
                self.nbytes -= command._nbytes
            command._steps = command._plan = command._launched = command._taken = None
            if command._waiters:
                self.wakes.append(command)
            if number in pace.running:
                pace.ended(command)
            self._release(command)
            return False
        if status is RUNNING:
            # An ordered device can report a command before those it came after; they are done too,
            # and whether they failed must be known first.
            if command._after is not None:
                first = [
                    (self.ended, other, other._fence.error)
                    for other in command._after
                    if other._status is RUNNING and other._fence is not None and other._fence.done()
                ]
                if first:
                    self._inbox.extendleft(first)
                    return FIRST
            if error is None:
                error = command._cause  # set while it ran, by a failure of what it reads
            status = COMPLETED if error is None else FAILED
            if self.waiting.heap:
                pace.learn(command)
        self._end(command, status, error)
        if command.id in pace.running:
            pace.ended(command)
        if self.waiting.heap:
            self._fill()
        self._release(command)
        return False

    # Its end.

    def _end(self, command: Command, status: Status, cause: BaseException | None) -> None:
        """Give a command its final status, and doom those that were to read its result."""
        if status is COMPLETED:
            command._status = status
        elif command._status not in ENDED:
            if command._claim is not None:
                command._claim.dissolve()
            label = command._label
            if cause is not None:
                cause, label = stored(cause), stage(command, cause)
            command._cause, command._label, command._status = cause, label, status
        if status is COMPLETED:
            for _, low, high, storage in command._writes:
                if storage.poison is not None:
                    cleanse(storage, low, high, command)
        else:
            blame = command._blame()
            if command._status is FAILED:
                _spoil(command, command._cause, blame)
            for follower, reads in list((command._successors or {}).items()):
                if reads and follower._status not in ENDED:
                    follower._cause = blame
                    self._inbox.append((self.fail, follower, blame))
        self._close(command)
        command._steps = command._plan = command._launched = command._taken = None
        if command._waiters:
            self.wakes.append(command)

    def _close(self, command: Command) -> None:
        """Count a command no longer, if it has ended."""
        if command._status in ENDED and command.id in self.open:
            registry.remember(command, self.owner)
            del self.open[command.id]
            self.nbytes -= command._nbytes

    def _release(self, command: Command) -> None:
        """Let go of what an ended command held, and let its followers go."""
        if command._released:
            return
        if command.id in self.pace.running:  # it was let go, and Ctrl-C came before it started
            self.pace.ended(command)
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
        if command._successors is not None:
            self._let_go(command)
        if command is self.barrier:
            self.barrier = None
        self.hands.pop(command, None)
        # From here on nothing can be interrupted.
        command._reads = command._writes = ()
        command._successors = command._after = command._fence = command._claim = None
        command._scratch = ()
        command._released = True

    def _let_go(self, command: Command) -> None:
        """Let the followers of a command go, but for those that went when it was launched."""
        after = command._after
        for follower in list(command._successors or ()):
            if after and command._fence is None:  # never launched: followers come after what it did
                for other in [each for each in after if not each._released]:
                    self._need(follower, {other: False})
            self._unneed(follower, command)
