"""What somebody does who waits for a command: ask the device, work along, or have it watched.

In: a command that was submitted. Out: its end, or that it has to be waited for. A thread that waits
may be interrupted by Ctrl-C anywhere, so what follows from an end is done here only where that is
short and can be done again; else it is left to a thread that cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from time import perf_counter
from typing import Any, Protocol

from treadle.errors import CommandError
from treadle.runtime.command import ENDED, RUNNING, Command
from treadle.runtime.graph import Outcome
from treadle.runtime.poller import Poller

__all__ = ["Waits"]

_SPIN = 60e-6  # as long as a small kernel takes; more would hold up an event loop noticeably
_SPIN_LEAST = 4e-6


class Ender(Protocol):
    """What waits need from the queue they are for."""

    poller: Poller
    entered: Callable[[], bool]
    inside: set[int]

    def short(self, command: Command, error: BaseException | None) -> bool:
        """End a command that nobody else waits for; false if there is more to do."""
        ...

    def drive(self, out: Outcome, ended: Any = ()) -> None:
        """End, wake and launch until nothing more follows."""
        ...


class Waits:
    """Waiting on one device."""

    def __init__(self, queue: Ender, *, signals: bool) -> None:
        self._queue = queue
        self._signals = signals  # the device tells when something ends
        self._patience = _SPIN  # seconds that somebody who waits asks a fence himself

    def check_wait(self) -> None:
        """Raise on the one thread that must not wait: the one that notices completion."""
        if self._queue.entered() or get_ident() in self._queue.inside:
            raise CommandError(
                "a finalizer cannot wait for work in flight here: it interrupts the very thread "
                "that it would wait for; submit more work instead, or wait elsewhere"
            )
        if not self._signals and self._queue.poller.is_here:
            raise CommandError(
                "a callback cannot wait for work in flight: it runs on the thread that would "
                "notice its end; submit more work instead, or wait on a thread of your own"
            )

    def look(self, command: Command) -> bool:
        """End a command whose fence is done, where the device does not tell; say if it ended."""
        fence = command._fence
        if fence is not None and command._status is RUNNING and not self._queue.entered():
            try:
                done, error = fence.done(), fence.error
            except Exception as problem:
                done, error = True, problem
            if done:
                if not self._queue.short(command, error):
                    self._queue.drive(Outcome(), [(command, error)])
                self._queue.poller.forget(command)
        return command._status in ENDED

    def help(self, command: Command) -> None:
        """Work on a command that is launched, on this thread, which would only wait."""
        fence, command._launched = command._launched, None
        if fence is not None:
            fence.help(lambda: self._queue.short(command, fence.error))

    def spin(self, command: Command) -> bool:
        """Ask the device for a moment before waiting; say if the command ended.

        The moment shrinks where it was in vain and grows where it was not."""
        fence = command._fence
        if fence is None or self._signals:
            return False
        deadline = perf_counter() + self._patience
        while not self.look(command):
            if perf_counter() > deadline:
                self._patience = max(self._patience / 2, _SPIN_LEAST)
                return False
        self._patience = min(self._patience * 2, _SPIN)
        return True

    def hasten(self) -> None:
        """Have the end of commands noticed soon: somebody waits."""
        if not self._signals:
            self._queue.poller.hasten()
