"""One batch on its way through a stream.

In: news of its commands. Out: what it became, a result or an error with the phase that failed, and
when each phase began and ended. What happens next is decided by whoever is told that it landed.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

from weft.errors import BatchError
from weft.runtime.command import Command
from weft.streaming.carrier import Slot

__all__ = ["Batch"]


class Batch:
    """A batch between the source and the consumer."""

    __slots__ = (
        "_land",
        "_left",
        "_lock",
        "charge",
        "collected",
        "collecting",
        "commands",
        "computed",
        "computing",
        "error",
        "index",
        "landed",
        "nbytes",
        "noted",
        "order",
        "outputs",
        "phase",
        "prepared",
        "preparing",
        "pulled",
        "pulling",
        "result",
        "returned",
        "slot",
        "value",
    )

    def __init__(self, index: int, order: int, value: Any, land: Callable[[Batch], None]) -> None:
        self.index = index  # in the source
        self.order = order  # among those that came this far
        self.value: list[Any] = [value]  # a list of one, so that nobody else need hold it
        self.phase = "source"
        self.error: BaseException | None = None
        self.commands: list[tuple[str, Command]] = []
        self.noted: list[weakref.ref[Command]] = []  # whatever else was submitted for it
        self.outputs: Any = None
        self.result: Any = None
        self.slot: Slot | None = None
        self.nbytes = 0  # of its arrays
        self.charge = 0  # against max_bytes
        self.returned = 0  # bytes that came back
        self.pulling = self.pulled = self.preparing = self.prepared = 0
        self.computing = self.computed = self.landed = self.collecting = self.collected = 0
        self._land = land
        self._left = 0
        self._lock = threading.Lock()

    def watch(self) -> None:
        """Have `land` called once, when the last command has ended; at once if none is left.

        That holds for those that a function submitted and did not return, too."""
        commands = self.everything()
        self._left = len(commands) + 1
        for command in commands:
            if command._watch(self):
                command._owner.hasten()
            else:
                self._one_less()
        self._one_less()

    def everything(self) -> list[Command]:
        """The commands of the batch that are known and not gone, in order of submission."""
        found = {id(command): command for _, command in self.commands}
        for reference in list(self.noted):
            command = reference()
            if command is not None:
                found.setdefault(id(command), command)
        return sorted(found.values(), key=lambda command: command.id)

    def wake(self, command: Command) -> None:
        """Take note of a command's end; called by the runtime."""
        for phase, each in self.commands:
            if each is command and phase == "compute":
                self.computed = perf_counter_ns()
        self._one_less()

    def _one_less(self) -> None:
        now = perf_counter_ns()
        with self._lock:
            self._left -= 1
            last = not self._left
        if last:
            self.landed = now
            self._land(self)

    def fail(self, error: BaseException) -> None:
        """Take note of what went wrong in the current phase; the first error counts."""
        if self.error is None:
            self.error = error

    def settle(self) -> None:
        """After landing: find out whether a command failed."""
        if self.error is None:
            for phase, command in self.commands:
                problem = command.error
                if problem is not None:
                    self.phase, self.error = phase, problem
                    break

    def failure(self) -> BatchError:
        """What the consumer is told about a batch that failed."""
        error = BatchError(
            f"batch {self.index} failed in {self.phase}: {type(self.error).__name__}: {self.error}",
            index=self.index,
            phase=self.phase,
        )
        error.__cause__ = self.error
        return error

    def span(self, phase: str) -> tuple[int, int] | None:
        """First start and last end of the commands of a phase, where they are known."""
        spans = [c.times for name, c in self.commands if name == phase]
        known = [times for times in spans if times is not None]
        return (min(s for s, _ in known), max(e for _, e in known)) if known else None
