"""The queue: from submitted commands to launches and back, in an order that data decides.

In: commands with the buffers they read and write. Out: launches on the backend, and ended commands.
It knows bytes, not shapes; what the steps compute and who compiles them is not its business.
Launching happens outside the lock, so that work which a backend does at once delays nobody else.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from treadle.backends.base import DONE, Backend, Done
from treadle.errors import DeviceLost
from treadle.runtime import observe, registry, shares
from treadle.runtime.admit import admit
from treadle.runtime.buffer import Buffer
from treadle.runtime.claim import Claim, dissolve
from treadle.runtime.command import (
    CANCELLED,
    COMPLETED,
    ENDED,
    FAILED,
    PENDING,
    RUNNING,
    Command,
)
from treadle.runtime.graph import Graph, Outcome, urgency
from treadle.runtime.hazards import Needs, cleanse, read_only_by
from treadle.runtime.memory import Ledger
from treadle.runtime.poller import Ended, Poller, awaited
from treadle.runtime.postpone import Postponed, passing
from treadle.runtime.turns import Turns
from treadle.runtime.waiters import wake_all
from treadle.runtime.waits import Waits

__all__ = ["Queue"]

MAX_IN_FLIGHT = 65536


class Queue:
    """Everything in flight on one device."""

    def __init__(self, backend: Backend, ledger: Ledger, name: str) -> None:
        self.name = name
        self.lock = threading.RLock()
        # Whether this very thread is in the middle of a change: then a finalizer asks.
        self.entered = self.lock._is_owned  # type: ignore[attr-defined]
        self.inside: set[int] = set()  # threads that are on their way through here
        self._postponed = Postponed(name)
        self.postpone = self._postponed.add
        self.max_in_flight = MAX_IN_FLIGHT
        self.max_bytes: int | None = None
        self.gone: str | None = None  # why nothing can be submitted any more
        self.graph = Graph(backend.limits, ledger, weakref.ref(self))
        self.open = self.graph.open
        self.poller = Poller(name, self.finish, ordered=backend.limits.ordered)
        turns = Turns(self, self.graph)
        self.turn, self.enter, self.leave = turns.turn, turns.enter, turns.leave
        self.enter_async = turns.enter_async
        waits = Waits(self, signals=backend.limits.signals)
        self.look, self.help, self.spin = waits.look, waits.help, waits.spin
        self.hasten, self.check_wait = waits.hasten, waits.check_wait
        self._backend = backend
        self._launch_on = backend.launch  # or what a trace has put before it
        self._me = weakref.ref(self)
        self._ordered = backend.limits.ordered
        self._signals = backend.limits.signals
        self._helps = backend.limits.helps
        self._lanes = backend.limits.lanes
        self._lane = 0
        registry.owners.add(self)
        self.record(observe.active)

    def record(self, recorder: observe.Recorder | None) -> None:
        """Have launches recorded from now on, or no longer."""
        launch = self._backend.launch
        self._launch_on = launch if recorder is None else recorder.launching(self.name, launch)
        self._backend.timing = recorder is not None

    # In.

    @passing
    def submit(
        self,
        command: Command,
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer],
        compiling: Callable[[Command], bool] | None = None,
    ) -> None:
        """Take a command over: launch it now, or as soon as what it needs has ended.

        `compiling(command)` is called with the lock held; true means that `unblock` will follow."""
        if self.entered():
            self._postponed.submit(
                self, command, partial(self.submit, command, inputs, outputs, compiling)
            )
            return
        if not command._steps:
            command._host = True  # no launch, so no fence that followers could come after
        if observe.alert:
            observe.submitted(command)
        left = PENDING if command.id else CANCELLED  # whoever postponed it fails it
        try:
            out = self._register(command, inputs, outputs, compiling)
        except BaseException:  # refused, or Ctrl-C in the middle of it
            with self.lock:
                self.graph.withdraw(command, left)
            raise
        if out is not None:
            self.drive(out)
            if command._blockers and command._host:
                self.hasten()  # only the end of what it needs lets it go, and that is not told
            return
        try:
            self._start(command)
        except BaseException:
            self._give_up(command)
            raise

    def _give_up(self, command: Command) -> None:
        """End a command that Ctrl-C kept from being launched, if it did."""
        if not command._handed:
            out = Outcome()
            with self.lock:
                self.graph.end(command, CANCELLED, None, out)
                self.graph.release(command, out)
            self.drive(out)

    @passing
    def rerun(self, command: Command, claim: Claim) -> bool:
        """Take over a run of steps that are there already; false if it has to be submitted."""
        graph = self.graph
        if self.entered():
            return False
        try:
            with self.lock:
                if (
                    observe.active is not None
                    or shares.used
                    or graph.barrier is not None
                    or graph.bounded
                    or self.max_bytes
                    or self.gone is not None
                    or len(self.open) >= self.max_in_flight
                    or ((claim.freed or not claim.live) and not claim.take())
                ):
                    return False
                if observe.alert:
                    observe.submitted(command)
                number = command.id = registry.next_id()
                command._claim = claim
                runs = claim.runs
                if runs:
                    latest = runs[next(reversed(runs))]
                    graph.need(command, {latest: claim.again})
                runs[number] = self.open[number] = command
                waits = command._blockers
                if not waits:
                    command._status = RUNNING
        except BaseException:  # Ctrl-C in the middle of it
            with self.lock:
                graph.withdraw(command)
            raise
        if not waits:  # else the end of the run before launches it
            try:
                self._start(command)
            except BaseException:
                self._give_up(command)
                raise
        return True

    def _register(
        self,
        command: Command,
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer],
        compiling: Callable[[Command], bool] | None,
    ) -> Outcome | None:
        """Give a command its place in the order; None if nothing keeps it from starting now."""
        graph = self.graph
        with self.lock:
            if self.gone is not None or len(self.open) >= self.max_in_flight or self.max_bytes:
                admit(self, command, inputs, outputs)
            number = command.id = command.id or registry.next_id()
            slow = graph.barrier is not None or compiling is not None or graph.bounded
            if shares.used and not (command._host or command._carried):
                share = shares.current.get()
                if share is not None or graph.bounded:
                    graph.ready.stamp(command, share)
                    slow = True
            # An entry is noted in the command before it is in force, so that it can be withdrawn.
            reads: list[Any] = []
            writes: list[Any] = []
            command._reads, command._writes = reads, writes
            for buffer in inputs:
                low, high = buffer._low, buffer._high
                if high > low:
                    storage = buffer._storage
                    if storage.claim is not None:
                        dissolve(storage)
                    entry = (command, low, high, storage)
                    reads.append(entry)
                    storage.readers[id(entry)] = entry
                    if storage.writers or storage.poison is not None:
                        slow = True
            for buffer in outputs:
                low, high = buffer._low, buffer._high
                if high > low:
                    storage = buffer._storage
                    if storage.claim is not None:
                        dissolve(storage)
                    entry = (command, low, high, storage)
                    writes.append(entry)
                    if storage.writers or (storage.readers and not read_only_by(storage, command)):
                        slow = True
                    storage.writers[id(entry)] = entry
            self.open[number] = command
            if not slow:
                command._status = RUNNING
                return None
            out = Outcome()
            graph.block(command, out)
            if compiling is not None and compiling(command):
                command._blockers += 1
            if not command._blockers:
                graph.settle(command, out)
            return out

    def _start(self, command: Command) -> None:
        """The short way for a command that nothing blocks: often it is done on return."""
        ordered = self._ordered
        try:
            command._handed = True
            if command._host or command._carried:
                fence = self._launch(command)
            elif ordered:
                after: tuple[Any, ...] = ()
                if command._after is not None:
                    after = tuple([c._fence for c in command._after if c._fence is not None])
                self._lane = lane = (self._lane + 1) % self._lanes
                fence = self._launch_on(
                    command._steps, command._signal, lane=lane, priority=command._rank, after=after
                )
            else:
                fence = self._launch_on(command._steps, command._signal, priority=command._rank)
        except BaseException as error:
            self.drive(Outcome(), [(command, error)])
            if not isinstance(error, Exception):
                raise
            return
        if ordered and not self._signals and type(fence) is not Done and not command._host:
            with self.lock:
                alone = command._status is RUNNING and command._successors is None
                if alone:
                    command._fence = fence
            if alone:
                self.poller.watch(command, fence)
                return
        if fence is not DONE or ordered:
            out = Outcome()
            follow = self._follow(command, fence, out)
            if follow or out.ready or out.wakes:
                self.drive(out, follow)
            return
        try:
            ended = self.short(command, None)
        except BaseException:
            self.drive(Outcome(), [(command, None)])
            raise
        if not ended:
            self.drive(Outcome(), [(command, None)])

    def _complete(self, command: Command) -> bool:
        """The short way to the end of a command that succeeded and that nobody waits for."""
        with self.lock:
            if (
                command._status is not RUNNING
                or command._successors is not None
                or command._waiters is not None
                or command._after is not None
                or command._cause is not None
            ):
                return False
            command._status = COMPLETED
            for _, low, high, storage in command._writes:
                if storage.poison is not None:
                    cleanse(storage, low, high, command)
            del self.open[command.id]
            self.graph.nbytes -= command._nbytes
            registry.remember(command, self._me)
            command._steps = command._fence = command._plan = command._launched = None
            self.graph.unhold(command)
            return True

    def barrier(self, command: Command) -> None:
        """Take over a command that ends when all before it has, and that all after it wait for."""
        if self.entered():
            self._postponed.submit(self, command, partial(self.barrier, command))
            return
        graph = self.graph
        command._host = True
        if observe.alert:
            observe.submitted(command)
        out = Outcome()
        with self.lock:
            admit(self, command, (), ())
            command.id = command.id or registry.next_id()
            needs: Needs = dict.fromkeys(self.open.values(), False)
            if graph.barrier is not None:
                needs[graph.barrier] = False
            graph.need(command, needs)
            self.open[command.id] = command
            graph.barrier = command
            if not command._blockers:
                graph.settle(command, out)
        self.drive(out)

    def unblock(self, commands: Iterable[Command], error: BaseException | None) -> None:
        """Let commands go whose programs are compiled, or fail them."""
        out = Outcome()
        with self.lock:
            for command in commands:
                if error is not None:
                    self.graph.end(command, FAILED, error, out)
                self.graph.satisfy(command, out)
        self.drive(out)

    def cancel(self, command: Command) -> bool:
        """Drop a command that has not started; false, too, where that has to be postponed."""
        if self.entered():
            self.postpone(partial(self.cancel, command))
            return False
        out = Outcome()
        with self.lock:
            if command._status is not PENDING:
                return False
            self.graph.end(command, CANCELLED, None, out)
            if not command._blockers:
                self.graph.release(command, out)
        self.drive(out)
        return True

    # Out.

    def signal(self, command: Command, error: BaseException | None) -> None:
        """End a command whose fence is done; called from a backend's thread."""
        if not self.short(command, error):
            self.drive(Outcome(), [(command, error)])

    def short(self, command: Command, error: BaseException | None) -> bool:
        """End a command that succeeded and that nobody waits for; false if there is more to do."""
        if error is not None or command.id in self.graph.pace.running:  # its lane is waited for
            return False
        try:
            return self._complete(command)
        except BaseException:  # Ctrl-C in the middle of it
            with self.lock:
                if command._status is COMPLETED:
                    if self.open.pop(command.id, None) is not None:
                        registry.remember(command, self._me)
                    self.graph.unhold(command)
            raise

    def finish(self, ended: Ended) -> None:
        """End a batch of commands whose fences are done."""
        self.drive(Outcome(), ended)

    def drive_at(self, *, limit: int | None, duty: float) -> None:
        """Change how many launches may be in flight, and for which share of the time."""
        if self.entered():
            self.postpone(partial(self.drive_at, limit=limit, duty=duty))
            return
        with self.lock:
            self.graph.pace.limit, self.graph.pace.duty = limit, duty
            self.graph.bounded = self.graph.pace.bounded
        self.refill()

    def refill(self) -> None:
        """Launch what waited for room or for the end of a pause."""
        out = Outcome()
        with self.lock:
            self.graph.pace.resumed()
            self.graph.fill(out)
        self.drive(out)

    def call_later(self, function: Callable[[Command], object], command: Command) -> None:
        """Run a user's callback on the poller's thread."""
        self.poller.call(function, command)

    def snapshot(self) -> list[Command]:
        """Return everything in flight, oldest first."""
        return list(self.open.values())  # in one step, inside which nothing changes

    @passing
    def drive(
        self, out: Outcome, ended: Sequence[tuple[Command, BaseException | None]] = ()
    ) -> None:
        """Go on until nothing more follows: end, wake, launch what became ready, and so on.

        A loop and not recursion, because a chain can be as long as the queue."""
        interrupt: BaseException | None = None
        todo = list(ended)
        while True:
            if todo:
                with self.lock:
                    for command, error in todo:
                        self.graph.ended(command, error, out)
                todo = []
            if out.wakes:
                wakes, out.wakes = out.wakes, []
                wake_all(wakes)
            if not out.ready:
                break
            batch, out.ready = out.ready, []
            batch.sort(key=urgency)
            for command in batch:
                try:
                    todo += self._follow(command, self._launch(command), out)
                except BaseException as error:
                    todo.append((command, error))
                    if not isinstance(error, Exception):
                        interrupt = error
        if interrupt is not None:
            raise interrupt

    def _launch(self, command: Command) -> Any:
        steps = command._steps
        if callable(steps):  # it was compiled after it was submitted
            steps = command._steps = steps()
        if not steps:
            return DONE
        if command._host:  # a transfer: a thread of the host's does it
            return steps.start(command)
        if not self._ordered:
            return self._launch_on(steps, command._signal, priority=command._rank)
        after: tuple[Any, ...] = ()
        if command._after is not None:
            after = tuple([c._fence for c in command._after if c._fence is not None])
        self._lane = lane = (self._lane + 1) % self._lanes
        fence = self._launch_on(
            steps, command._signal, lane=lane, priority=command._rank, after=after
        )
        if command._carried:
            command._times = fence
        return fence

    def _follow(self, command: Command, fence: Any, out: Outcome) -> Ended:
        """See to it that a launch's end is noticed; return it if that is now."""
        if self._ordered and not command._host:
            with self.lock:
                self.graph.launched(command, fence, out)
        # Asking costs as much as the launch did; where the poller asks, only what ended at once is
        # worth a look.
        if fence is DONE or ((self._signals or type(fence) is Done) and fence.done()):
            return [(command, fence.error)]
        if self._helps and not command._host:
            command._launched = fence
        if not (self._signals or command._host):
            self.poller.watch(command, fence, soon=awaited(command))
        return []

    def close(self, reason: str) -> None:
        """Refuse what comes and drop what has not started; what runs is drained by the backend."""
        with self.lock:
            self.gone = reason
        for command in reversed(self.snapshot()):  # readers first: none fails because of another
            self.cancel(command)

    def lose(self, error: BaseException) -> None:
        """Fail whatever still runs; the device will not report it any more.

        What has ended, and was not asked about since, ended as its fence says."""
        ended: Ended = []
        for command in self.snapshot():
            fence = command._fence
            known = fence is not None and fence.done()
            ended.append((command, fence.error if known else error))
        self.finish(ended)
        self.poller.close()

    def reset_after_fork(self, reason: str) -> None:
        """Make everything here unusable in a forked child, where no thread of the device lives."""
        self.gone = reason
        self.lock = threading.RLock()
        self.entered = self.lock._is_owned  # type: ignore[attr-defined]
        self._postponed.reset_after_fork()
        self.poller.reset_after_fork()
        lost = DeviceLost(reason)
        for command in list(self.open.values()):
            if command._status not in ENDED:
                command._status, command._cause, command._waiters = FAILED, lost, None
                registry.remember(command, self._me)
        self.open.clear()
