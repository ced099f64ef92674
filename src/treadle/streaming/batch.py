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

from treadle.errors import BatchError
from treadle.runtime.command import ENDED, Command
from treadle.runtime.shares import Late
from treadle.streaming.carrier import Slot

__all__ = ["Batch"]


class Batch:
    """A batch between the source and the consumer."""

    __slots__ = (
        "_land",
        "_left",
        "_lock",
        "asked",
        "borrowed",
        "charge",
        "collected",
        "collecting",
        "commands",
        "computed",
        "computing",
        "error",
        "index",
        "landed",
        "lent",
        "loaded",
        "loading",
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
        self.lent: list[Command] = []  # uploads from arrays that the source may fill again
        self.borrowed = False  # it holds what others may change: nobody asks for more meanwhile
        self.outputs: Any = None
        self.result: Any = None
        self.slot: Slot | None = None
        self.nbytes = 0  # of its arrays
        self.charge = 0  # against max_bytes
        self.returned = 0  # bytes that came back
        self.asked = self.pulling = self.pulled = self.preparing = self.prepared = 0
        self.loading = self.loaded = self.computing = self.computed = self.landed = 0
        self.collecting = self.collected = 0
        self._land = land
        self._left = 0
        self._lock = threading.Lock()

    def watch(self) -> None:
        """Have `land` called once, when the last command has ended; at once if none is left.

        That holds for those that a function submitted and did not return, too."""
        commands = self.everything()
        if not commands or (len(commands) == 1 and commands[0]._status in ENDED):
            self.landed = perf_counter_ns()
            self._land(self)
            return
        self._left = len(commands) + 1
        for command in commands:
            if command._watch(self):
                command._owner.hasten()
            else:
                self._one_less()
        self._one_less()

    def everything(self) -> list[Command]:
        """The commands of the batch that are known and not gone, in order of submission."""
        if not self.noted and len(self.commands) < 2:  # most often
            return [command for _, command in self.commands]
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
            if _is_late(error):  # never computed: as if it had come too late for that
                self.phase = "waiting"

    def settle(self) -> None:
        """After landing: find out whether a command failed."""
        if self.error is None:
            for phase, command in self.commands:
                problem = command.error
                if problem is not None:
                    self.phase = phase
                    self.fail(problem)
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

    def spans(self) -> dict[str, tuple[int, int]]:
        """First start and last end of the commands of each phase, where they are known."""
        found: dict[str, tuple[int, int]] = {}
        for phase, command in self.commands:
            times = command.times
            if times is not None:
                start, stop = found.get(phase, times)
                found[phase] = min(start, times[0]), max(stop, times[1])
        return found


def _is_late(error: BaseException | None) -> bool:
    """Whether a command failed because its deadline, or that of what it reads, had passed."""
    while error is not None and not isinstance(error, Late):
        error = error.__cause__
    return error is not None
