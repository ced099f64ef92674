"""Plans in the making, and the submits that wait for them.

In: a function that makes a plan, run on the compiler's thread, and commands that have their place.
Out: their outputs, where only the plan says what these are, and their steps. A command waits for a
plan as it waits for a program, so its place in the order is that of its submit. What is planned and
how is not known here; see docs/design/planning.md.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from treadle.backends.base import Region
from treadle.errors import CommandError
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import ENDED, Command
from treadle.runtime.plan import Plan
from treadle.runtime.queue import Queue
from treadle.runtime.waiters import Gate

__all__ = ["Deferred", "Planning"]

Build = Callable[[Command, Any, Sequence[Buffer], Sequence[Region]], Any]
Allocate = Callable[[Any], tuple[Buffer, ...]]


class Planning:
    """A plan that the compiler's thread makes. The queue's holder changes how it ended."""

    __slots__ = ("error", "followers", "make", "name", "over", "pattern", "waiting")

    def __init__(self, pattern: Hashable, name: str, make: Callable[[], tuple[Plan, Any]]) -> None:
        """`make` returns the plan and whatever else the submits that asked for it need."""
        self.pattern = pattern
        self.name = name
        self.make = make
        self.followers: list[Deferred] = []
        self.error: BaseException | None = None
        self.over = False
        self.waiting: dict[Command, bool] = {}  # commands that cannot run without it

    @property
    def missing(self) -> bool:
        """Whether the plan or one of its programs is still to be made."""
        return not self.over

    @property
    def wanted(self) -> bool:
        """Whether a command that has not ended needs it."""
        return any(follower.wanted for follower in list(self.followers))

    def settle(self, _: Any, error: BaseException | None) -> None:
        """Take note that the plan and its programs are there, or of why not."""
        self.error, self.over = error, True


def _give(command: Command, about: tuple[Any, list[Any]]) -> None:
    """A change of the graph: take note of outputs that were made after their command was placed.

    No command can have used their bytes before, because no caller knew them."""
    outputs, entries = about
    if command._status in ENDED or command._released:
        return
    for entry in entries:
        entry[3].writers[id(entry)] = entry
    command._writes = entries
    command._outputs = outputs


class Deferred:
    """One submit of something whose plan is being made.

    It stands in for the command's outputs until they are known: `command.output` calls it."""

    __slots__ = ("__weakref__", "_allocate", "_build", "_command", "_gates", "_made", "_outputs",
                 "_places", "_queue", "_works_here")  # fmt: skip

    def __init__(
        self,
        command: Command,
        queue: Queue,
        build: Build,
        allocate: Allocate | None = None,
        works_here: Callable[[], bool] = lambda: False,
    ) -> None:
        """`build` makes the steps of what was planned, `allocate` the outputs, where the command
        has none yet; `works_here` says whether the caller runs on the thread that plans."""
        self._command = weakref.ref(command)  # which holds this one
        self._queue = queue
        self._build = build
        self._allocate = allocate
        self._works_here = works_here
        self._outputs: tuple[Buffer, ...] = ()
        self._places: list[Any] = []  # their regions: a caller who has them may free them at once
        self._made: Any = None
        self._gates: list[Gate] = []
        if allocate is not None:
            command._outputs = self

    @property
    def wanted(self) -> bool:
        """Whether its command has not ended."""
        command = self._command()
        return command is not None and command._status not in ENDED

    def give(self, made: Any) -> None:
        """Take over what was planned; make the outputs, and fail the command where that fails."""
        self._made = made
        command = self._command()
        if self._allocate is None or command is None or command._status in ENDED:
            return
        queue = self._queue
        try:
            outputs = self._outputs = self._allocate(made)
            self._places = [buffer._region() for buffer in outputs]
        except Exception as error:
            queue.tell(queue.graph.fail, command, error)
            return
        entries = [(command, b._low, b._high, b._storage) for b in outputs if b._high > b._low]
        result = outputs[0] if len(outputs) == 1 else outputs
        for buffer in outputs:
            buffer._storage.writer = command.id
        queue.tell(_give, command, (result, entries))
        for gate in self._gates:
            gate.wake(command)

    def steps(self, command: Command) -> Any:
        """Build the steps, when the command is launched."""
        return self._build(command, self._made, self._outputs, self._places)

    def __call__(self, command: Command) -> Any:
        """Wait until it is known what the command gives, and return that; raise why it is not."""
        waits = self._queue.waits
        while command._outputs is self and command._status not in ENDED:
            waits.check()
            if self._works_here():
                raise CommandError(
                    f"{command!r} is still to be planned, and this thread is the one that plans: "
                    "its outputs cannot be waited for here"
                )
            gate = Gate()
            self._gates.append(gate)  # before the last look: see `give`
            if command._watch(gate) and command._outputs is self:
                waits.at(gate)
            command._unwatch(gate)
        if command._outputs is not self:
            return command._outputs
        raise command._failure()
