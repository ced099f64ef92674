"""What a thread does that waits for a command: ask the device, work along, or have it watched.

In: a command that was submitted. Out: its end, or that it has to be waited for. A thread that waits
also goes on with what Ctrl-C kept another thread from, should no other have come since.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from time import monotonic, perf_counter, sleep
from typing import Any, Protocol

from treadle.attendant import attends_here
from treadle.backends.base import Backend
from treadle.errors import CommandError
from treadle.runtime.command import ENDED, RUNNING, Command
from treadle.runtime.poller import Poller
from treadle.runtime.waiters import Gate

__all__ = ["Waits"]

_SPIN = 60e-6  # as long as a small kernel takes; more would hold up an event loop noticeably,
# and a thread that blocks, and asks for longer, lets others have Python's lock as often
_SPIN_LEAST = 4e-6
_APART = 10e-6  # a caller that asks again after so long has done something else meanwhile
_TIGHT = 200e-6  # of nothing but asking, after which
_NAP = 50e-6  # it sleeps for so long each time
_LOOK = 0.1  # seconds after which a thread that waits looks whether something was left undone


class Ender(Protocol):
    """What waits need from the queue they are for."""

    poller: Poller
    inside: set[int]
    hands: dict[Command, int]
    quick: Any

    def look(self) -> None:
        """End what was launched briefly and is done."""
        ...

    def signal(self, command: Command, error: BaseException | None) -> None:
        """End a command whose fence is done."""
        ...

    def advance(self) -> None:
        """Go on with what there is to do."""
        ...


class Waits:
    """Waiting on one device."""

    def __init__(self, queue: Ender, backend: Backend) -> None:
        self._queue = queue
        self._signals = backend.limits.signals  # the device tells when something ends
        # Each says whether this thread is at something that the threads which end commands need: it
        # works for the device, or holds a lock. The owner of such a lock adds to them.
        self.busy: list[Callable[[], bool]] = [attends_here]
        works_here = getattr(backend, "works_here", None)
        if works_here is not None:
            self.busy.append(works_here)
        self._asks = max(backend.limits.asks, _SPIN)
        self._asked_first = self._asked_last = 0.0  # by callers that poll, in one go
        self._patience = self._asks  # seconds that a thread that waits asks a fence itself

    @property
    def refused(self) -> bool:
        """Whether this thread is at something that others wait for: then it is a finalizer's that
        asks, and would wait for itself."""
        return self._refused(None)

    def _refused(self, turn: Command | None) -> bool:
        me = get_ident()
        if me in self._queue.inside:
            return True
        hands = self._queue.hands
        for command in list(hands):  # a finalizer may change it, but not while it is copied
            if command is not turn and hands.get(command) == me:
                return True
        return any([busy() for busy in list(self.busy)])  # streams come and go

    def check(self, turn: Command | None = None) -> None:
        """Raise on a thread that must not wait: one that would itself notice or launch what it
        waits for. `turn` is what it waits for, if that is the host's."""
        if self._refused(turn):
            raise CommandError(
                "a finalizer cannot wait for work in flight here: it interrupts the very thread "
                "that it would wait for; submit more work instead, or wait elsewhere"
            )
        if not self._signals and self._queue.poller.is_here:
            raise CommandError(
                "a callback cannot wait for work in flight: it runs on the thread that would "
                "notice its end; submit more work instead, or wait on a thread of your own"
            )

    def at(self, gate: Gate, timeout: float | None = None) -> bool:
        """Block at a gate until woken; false on timeout."""
        self.hasten()
        began = monotonic()
        deadline = None if timeout is None else began + timeout
        while True:
            left = _LOOK if deadline is None else min(deadline - monotonic(), _LOOK)
            if gate.pass_through(max(left, 0.0)):
                if monotonic() - began < self._asks:
                    self._patience = self._asks  # the like of it is worth asking for
                return True
            if deadline is not None and left < _LOOK:
                return False
            self._queue.advance()

    def look(self, command: Command) -> bool:
        """End a command whose fence is done, where the device does not tell; say if it ended."""
        fence = command._fence
        if fence is not None and fence is self._queue.quick:
            if not fence.pending(command):
                self._queue.look()
        elif fence is not None and command._status is RUNNING:
            try:
                done, error = fence.done(), fence.error
            except Exception as problem:
                done, error = True, problem
            if done:
                self._queue.signal(command, error)
                self._queue.poller.forget(command)
        return command._status in ENDED

    def help(self, command: Command) -> None:
        """Work on a command that is launched, on this thread, which would only wait."""
        fence, command._launched = command._launched, None
        if fence is not None:

            def finish() -> bool:
                self._queue.signal(command, fence.error)
                return True

            fence.help(finish)

    def give_way(self) -> None:
        """Let the threads at work have Python's lock, and a caller that does nothing but poll, for
        longer than a small kernel takes, let them have its core as well: with as many workers as
        cores it would take a third of one from them."""
        now = perf_counter()
        if now - self._asked_last > _APART:
            self._asked_first = now
        sleep(_NAP if now - self._asked_first > _TIGHT else 0)
        self._asked_last = perf_counter()

    def spin(self, command: Command, *, blocks: bool = False) -> bool:
        """Ask the device for a moment before waiting; say if the command ended.

        The moment shrinks where it was in vain and grows where it was not. It is longer for a
        thread that `blocks` than for one whose event loop has other tasks."""
        fence = command._fence
        if fence is None or self._signals:
            return False
        most = self._asks if blocks else _SPIN
        moment = min(self._patience, most)
        began, lends = perf_counter(), _SPIN
        while not self.look(command):
            passed = perf_counter() - began
            if passed > moment:
                if moment == self._patience:
                    self._patience = max(moment / 2, _SPIN_LEAST)
                return False
            if passed > lends:
                lends = passed + _SPIN
                sleep(0)
        self._patience = min(self._patience * 2, self._asks)
        return True

    def hasten(self) -> None:
        """Have the end of commands noticed soon: a caller waits."""
        if not self._signals:
            self._queue.poller.hasten()
