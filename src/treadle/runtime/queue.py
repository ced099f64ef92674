"""The queue: from submitted commands to launches and back, in an order that data decides.

In: commands with the buffers they read and write, and news about launches. Out: launches on the
backend, and ended commands. It knows bytes, not shapes; what the steps compute and who compiles
them is not its business.

There is one way in. A change is a tuple: a function of the graph and what it is about. A thread
that wants one appends it to the inbox, which neither Ctrl-C nor the garbage collector can split,
and then holds the queue for a moment: takes the lock and makes every change that is there, the
oldest first. A change leaves the inbox after it was made, so one that was broken off is made again
by the next thread that comes. A finalizer that runs on the very thread that holds the queue only
appends. Launching and waking happen outside the lock, so that work which a backend does before it
returns delays no other thread. A command that takes less time than telling other threads of it is
done or launched by its submitter and needs none of this (quick.py). See docs/design/run-path.md.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import Any

from treadle.attendant import Attendant, report
from treadle.backends.base import DONE, Backend, Done, Fence
from treadle.errors import DeviceError, DeviceLost, QueueFull
from treadle.runtime import observe, registry, shares
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import ENDED, FAILED, RUNNING, Command
from treadle.runtime.graph import FIRST, CommandGraph, urgency
from treadle.runtime.hazards import note_uses
from treadle.runtime.hosted import HostedSteps, HostThreads
from treadle.runtime.memory import Ledger
from treadle.runtime.poller import Ended, Poller, awaited
from treadle.runtime.quick import Quick
from treadle.runtime.waiters import wake_all
from treadle.runtime.waits import Waits

__all__ = ["Queue"]

MAX_IN_FLIGHT = 65536
_ATTEMPTS = 3  # at a change that raises, after which it is given up
_ROUNDS = 16  # in which a thread that holds the queue launches what waits as others end
_IDLE = 2.0  # seconds without work after which the thread that goes on ends


class Queue:
    """Everything in flight on one device."""

    def __init__(self, backend: Backend, name: str) -> None:
        self.name = name
        self.max_in_flight = MAX_IN_FLIGHT
        self.max_bytes: int | None = None
        self.gone: str | None = None  # why nothing can be submitted any more
        self.inbox: deque[tuple[Callable[[Any, Any], Any], Any, Any]] = deque()
        self.inside: set[int] = set()  # threads that hold the queue, launch or wake
        self.kept: dict[Any, Any] = {}  # for submits that come again, see alike.py; with memory
        self.graph = CommandGraph(backend.limits, self.inbox, weakref.ref(self))
        self.open = self.graph.open
        self.hands = self.graph.hands
        self.poller = Poller(name, self.finish, self.look, ordered=backend.limits.ordered)
        self.quick: Quick | None = None
        self.waits = Waits(self, backend)
        self.hosts = HostThreads(name, backend)
        self._lock = threading.RLock()  # for `_apply`; entered once only, but it knows by whom
        self._held = self._lock._is_owned  # type: ignore[attr-defined]
        self._attempts = 0
        self._rescue = Attendant(f"treadle-{name}-later", self._go_on, idle=_IDLE)
        self._backend = backend
        self._launch_on = backend.launch  # or what a trace has put before it
        self._ordered = backend.limits.ordered
        self._signals = backend.limits.signals
        self._helps = backend.limits.helps
        self._takes = backend.limits.takes
        self._lanes = backend.limits.lanes
        self._lane = 0
        registry.owners.add(self)
        self.record(observe.active)

    def record(self, recorder: observe.Recorder | None) -> None:
        """Have launches recorded from now on, or no longer."""
        launch = self._backend.launch
        self._launch_on = launch if recorder is None else recorder.launching(self.name, launch)
        self._backend.timing = recorder is not None

    # Commands come.

    def submit(
        self,
        command: Command,
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer] | None,
        programs: Any = None,
    ) -> None:
        """Take a command over: launch it now, or as soon as what it needs has ended.

        `programs` are those that it cannot run without, where some are still being compiled, or the
        plan, where that is being made; `outputs` are None where the plan will give them."""
        if self.gone is not None or len(self.open) >= self.max_in_flight or self.max_bytes:
            self.admit(command, inputs, outputs or ())
        share = shares.current.get() if shares.used else None
        if not command._steps:
            command._host = True  # no launch, so no fence that followers could come after
        if command._claim is None or self.max_bytes or observe.active is not None:
            note_uses(command, inputs, outputs)
        fair = share is not None or (shares.used and self.graph.pace.limit is not None)
        if fair and not (command._host or command._carried):
            self.graph.waiting.stamp(command, share)
        self._take(command, self.graph.place, programs)
        if command._host and command._needs:
            self.waits.hasten()  # it waits for ends that the device may not tell of: look often
        for buffer in outputs or ():
            buffer._storage.writer = command.id

    def barrier(self, command: Command) -> None:
        """Take over a command that ends when all before it has, and that all after it wait for."""
        command._host = True
        self.admit(command, (), ())
        self._take(command, self.graph.bar, None)

    def _take(self, command: Command, place: Callable[[Any, Any], Any], about: Any) -> None:
        number = command.id = registry.next_id()
        if observe.alert:
            observe.submitted(command)
        me, inside = get_ident(), self.inside
        nested = me in inside
        try:
            # From here to the end of `append` nothing can be interrupted: it is in, or it is not.
            self.open[number] = command
            self.graph.nbytes += command._nbytes
            self.inbox.append((place, command, about))
            if not nested:
                inside.add(me)
                self._hold()
                inside.discard(me)
        except BaseException:
            if not nested:
                inside.discard(me)
                self._leave_to_others()
            raise
        if self.inbox and not nested:
            self.advance()

    def take_all(self, opened: dict[int, Command], nbytes: int, changes: list[Any]) -> None:
        """Take over commands and the changes that place them, all of them or none."""
        me, inside, mine = get_ident(), self.inside, self.open
        nested = me in inside
        try:
            # From here to the end of `extend` nothing can be interrupted: see `_take`.
            mine |= opened
            self.graph.nbytes += nbytes
            self.inbox.extend(changes)
            if not nested:
                inside.add(me)
                self._hold()
                inside.discard(me)
        except BaseException:
            if not nested:
                inside.discard(me)
                self._leave_to_others()
            raise
        if self.inbox and not nested:
            self.advance()

    def admit(
        self,
        command: Command,
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer],
        before: int = 0,
    ) -> None:
        """Raise if a command cannot be taken now, with what to do; measure it.

        `before` are the bytes of those that are taken in the same call."""
        if self.gone is not None:
            raise DeviceLost(self.gone)
        if len(self.open) >= self.max_in_flight:
            raise QueueFull(
                f"{len(self.open)} commands are in flight on {self.name}, its max_in_flight; "
                "wait for some of them, use run_kernel or run_kernel_async, which wait for room, "
                "or raise device.max_in_flight"
            )
        if self.max_bytes is not None:
            nbytes = sum(b._high - b._low for b in (*inputs, *outputs))
            nbytes += sum(storage.nbytes for storage in command._scratch)
            # Something larger than the limit may run when nothing else does.
            others = self.graph.nbytes + before
            if (self.open or before) and others + nbytes > self.max_bytes:
                raise QueueFull(
                    f"{others:,} bytes are in flight on {self.name}, and {nbytes:,} "
                    f"more would exceed its max_bytes_in_flight of {self.max_bytes:,}; wait for "
                    "some commands, use run_kernel or run_kernel_async, which wait for room, or "
                    "raise the limit"
                )
            command._nbytes = nbytes

    # News come.

    def tell(self, change: Callable[[Any, Any], Any], command: Any, about: Any = None) -> None:
        """Have a change made; on return it is, unless this is a finalizer that interrupts one."""
        me, inside = get_ident(), self.inside
        nested = me in inside
        try:
            self.inbox.append((change, command, about))
            if not nested:
                inside.add(me)
                self._hold()
                inside.discard(me)
        except BaseException:
            if not nested:
                inside.discard(me)
                self._leave_to_others()
            raise
        if self.inbox:
            self.advance()

    def cancel(self, command: Command) -> bool:
        """Drop a command that has not started; false, too, where a finalizer's turn comes later."""
        answer: list[bool] = []
        self.tell(self.graph.cancel, command, answer)
        return bool(answer)

    def signal(self, command: Command, error: BaseException | None) -> None:
        """End a command whose fence is done."""
        self.tell(self.graph.ended, command, error)

    def look(self) -> None:
        """End what was launched briefly and is done."""
        if self.quick is not None and self.quick.runs:
            self.tell(self.quick.look, None)

    def notice(self) -> None:
        """Have those end that are done, the oldest first, while others wait for room: a thread that
        did not look would leave every launch to the poller, and take turns with it."""
        ended: list[Any] = []
        for number in list(self.graph.pace.running):
            command = self.open.get(number)
            fence = None if command is None else command._fence
            if fence is None or not fence.done():
                break
            ended.append((self.graph.ended, command, fence.error))
        self.inbox.extend(ended)
        for _, command, _ in ended:
            self.poller.forget(command)

    def takes_brief(self, ledger: Ledger) -> None:
        """Have brief work launched by its submitters, where the device has a lane for that."""
        lane = getattr(self._backend, "quick", None)
        if lane is not None:
            self.quick = self.graph.quick = Quick(self, lane, ledger)
            self.poller.brief = self.quick.runs

    def finish(self, ended: Ended) -> None:
        """End a batch of commands whose fences are done."""
        self.inbox.extend([(self.graph.ended, command, error) for command, error in ended])
        self.advance()

    def refill(self) -> None:
        """Launch what waited for room or for the end of a pause."""
        self.tell(self.graph.refill, None)

    def drive_at(self, *, limit: int | None, duty: float) -> None:
        """Change how many launches may be in flight, and for which share of the time."""
        self.tell(self.graph.drive_at, limit, duty)

    def call_later(self, function: Callable[[Command], object], command: Command) -> None:
        """Run a user's callback on the poller's thread."""
        self.poller.call(function, command)

    def wait_for_room(self) -> None:
        """Block until the oldest command in flight has ended, in whatever way."""
        for oldest in self.snapshot()[:1]:
            oldest._join(None)

    def snapshot(self) -> list[Command]:
        """Return everything in flight, oldest first."""
        return list(self.open.values())  # in one step, inside which nothing changes

    # Going on.

    def advance(self) -> None:
        """Go on until nothing more follows: make changes, wake, launch, and so on.

        A finalizer that interrupts this thread while it does so leaves that to it."""
        me, inside = get_ident(), self.inside
        if me in inside:
            if not self._held():
                self._apply()
                if self.graph.ready or self.graph.wakes:  # it may have looked for these before
                    self.inbox.append((_nothing, None, None))
            return
        while self.inbox or self.graph.ready or self.graph.wakes:
            try:
                inside.add(me)
                self._hold()
                inside.discard(me)
            except BaseException:
                inside.discard(me)
                self._leave_to_others()
                raise

    def _leave_to_others(self) -> None:
        """Have another thread go on, after this one was interrupted."""
        if self.inbox or self.graph.ready or self.graph.wakes:
            with contextlib.suppress(DeviceError):  # the next thread that waits or comes goes on
                self._rescue.call()

    def _go_on(self) -> bool:
        self.advance()
        return False

    def _apply(self) -> None:
        """Make the changes in the inbox, the oldest first."""
        inbox = self.inbox
        with self._lock:
            while inbox:
                change, command, about = inbox[0]
                try:
                    if change(command, about) is not FIRST:
                        inbox.popleft()
                except Exception as error:
                    self._failed(error)

    def _failed(self, error: Exception) -> None:
        """A change raised: make it again, and in the end give it up rather than all that follow."""
        self._attempts += 1
        if self._attempts >= _ATTEMPTS:
            self._attempts = 0
            report(error)
            self.inbox.popleft()

    def _hold(self) -> None:
        """Make the changes in the inbox; wake and launch what follows; again while there is more.

        A loop and not recursion, because a chain can be as long as the queue."""
        inbox, graph = self.inbox, self.graph
        interrupt: BaseException | None = None
        rounds = _ROUNDS
        while True:
            batch: list[Command] = []
            try:
                with self._lock:  # as `_apply` does, which is not called for the time that takes
                    while inbox:
                        change, command, about = inbox[0]
                        try:
                            if change(command, about) is not FIRST:
                                inbox.popleft()
                        except Exception as error:
                            self._failed(error)
                    if graph.ready:  # while no other thread is about to add to the list
                        batch, graph.ready = graph.ready, []
                if graph.wakes:
                    wake_all(graph.wakes)
                for command in batch if len(batch) < 2 else sorted(batch, key=urgency):
                    try:
                        self._launch(command)
                    except Exception as error:
                        inbox.append((graph.ended, command, error))
                    except BaseException as error:
                        inbox.append((graph.interrupted, command, None))
                        interrupt = error
            except BaseException:
                if batch:
                    inbox.append((graph.relaunch, batch, None))
                raise
            if not inbox and self._ordered and graph.waiting.heap and rounds:
                rounds -= 1
                self.notice()
            if not inbox:
                break
        if interrupt is not None:
            raise interrupt

    def _launch(self, command: Command) -> None:
        """Launch a command, and see to it that its end is noticed."""
        if command._handed or command._status is not RUNNING:
            return  # another thread was to launch it as well
        command._handed = True
        # Where Ctrl-C came after the launch, its fence is there, and only the rest is to be done.
        fence = command._taken[0] if command._taken else self._begin(command)
        if self._ordered and not command._host:
            command._fence = fence
            if command._carried:
                command._times = fence
        # Asking costs as much as the launch did; where the poller asks, only what ended at once is
        # worth a look.
        if fence is DONE or ((self._signals or type(fence) is Done) and fence.done()):
            self.inbox.append((self.graph.ended, command, fence.error))
            return
        if command._host:
            self.hosts.call()
            return
        if self._helps:
            command._launched = fence
        if self._ordered and command._successors:
            self.inbox.append((self.graph.launched, command, None))
        if not self._signals:
            soon = bool(self.graph.waiting.heap) or awaited(command)
            self.poller.watch(command, fence, soon=soon)

    def _begin(self, command: Command) -> Any:
        """Give a command to the device and return its fence, which the command knows as well.

        Python looks for signals where a function begins and where C code has returned, and so not
        between the return of `launch` and the note of what it returned."""
        taken: list[Fence | None] = []
        command._taken = taken
        steps = command._steps
        if callable(steps):  # it was compiled after it was submitted
            steps = command._steps = steps()
        if not steps:
            return DONE
        if type(steps) is HostedSteps:
            return self._host(command, steps)
        if command._host:  # a transfer: a thread of the host's does it
            return steps.start(command)
        lane = 0
        after: tuple[Any, ...] = ()
        if self._ordered:
            self._lane = lane = (self._lane + 1) % self._lanes
            if command._after is not None:
                after = tuple([each._fence for each in command._after if each._fence is not None])
        if not self._takes:
            taken.append(DONE)  # from here on it is not known what was begun
        fence = self._launch_on(
            steps, command._signal, lane=lane, priority=command._rank, after=after, taken=taken
        )
        command._taken = [None if fence is DONE else fence]
        return fence

    def _host(self, command: Command, steps: HostedSteps) -> Any:
        """Have a command gone through in which the host has a part."""
        command._host = True  # its fence is none of the device's: followers wait for its end
        after = [each._fence for each in command._after or () if each._fence is not None]
        run = self.hosts.start(command, steps, after)
        if observe.active is not None:
            observe.active.started(command, run, len(steps))
        return run

    # The end of it.

    def close(self, reason: str) -> None:
        """Refuse what comes and drop what has not started; what runs is drained by the backend."""
        self.gone = reason
        self.tell(_nothing, None)  # who was about to launch has done so, and others look first
        for command in reversed(self.snapshot()):  # readers first: none fails because of another
            self.cancel(command)
        self.hosts.close()

    def lose(self, error: BaseException) -> None:
        """Fail whatever still runs; the device will not report it any more.

        What has ended, and was not asked about since, ended as its fence says."""
        if self.quick is not None:
            self.tell(self.quick.dissolve, None)
        ended: Ended = []
        for command in self.snapshot():
            fence = command._fence
            known = fence is not None and fence.done()
            ended.append((command, fence.error if known else error))
        self.finish(ended)
        self.poller.close()
        self._rescue.dismiss()

    def reset_after_fork(self, reason: str) -> None:
        """Make everything here unusable in a forked child, where no thread of the device lives."""
        self.gone = reason
        self._lock = threading.RLock()
        self._held = self._lock._is_owned  # type: ignore[attr-defined]
        self.inside.clear()
        self.inbox.clear()
        self.graph.wakes.clear()
        self.graph.ready.clear()
        self._rescue.reset_after_fork()
        self.hosts.reset_after_fork()
        self.poller.reset_after_fork()
        lost = DeviceLost(reason)
        me = weakref.ref(self)
        for command in list(self.open.values()):
            if command._status not in ENDED:
                command._status, command._cause, command._waiters = FAILED, lost, []
                registry.remember(command, me)
        self.open.clear()
        if self.quick is not None:
            self.quick.runs.clear()


def _nothing(*_: None) -> None:
    """Change nothing, but have the thread that holds the queue look once more."""
