"""Who submits: named submitters that share a device fairly, and the order of what is ready.

In: what a `with treadle.submitter(...)` block says, and commands that are ready to be launched.
Out: which of them comes next: the most urgent, then the one whose deadline is nearest, then the one
whose submitter has had the least for its weight. Launching is the queue's part.
"""

from __future__ import annotations

import heapq
import math
from contextvars import ContextVar, Token
from time import perf_counter
from typing import TYPE_CHECKING

from treadle.errors import LaunchError

if TYPE_CHECKING:
    from treadle.runtime.command import Command

__all__ = ["Late", "ReadyCommands", "Share", "due_by", "submitter"]

used = False  # whether the user ever named a submitter: until then no submit asks for one


class Late(TimeoutError):
    """Why a command that could not start by its deadline failed."""


class Share:
    """What a submitter asked for."""

    __slots__ = ("deadline", "due", "name", "weight")

    def __init__(
        self, name: str, weight: float, deadline: float | None, due: float = math.inf
    ) -> None:
        self.name = name
        self.weight = weight
        self.deadline = deadline  # seconds from submit
        self.due = due  # a moment of perf_counter(): whatever is submitted, and whenever


current: ContextVar[Share | None] = ContextVar("treadle_submitter", default=None)


class submitter:
    """Name who submits the commands inside a with block, for this task or thread only.

    Submitters that compete for a device take turns, each as often as its `weight` says, however
    much one of them has queued. A command that has not started `deadline` seconds after it was
    submitted fails instead of coming late."""

    def __init__(self, name: str, *, weight: float = 1.0, deadline: float | None = None) -> None:
        if not isinstance(name, str) or not name:
            raise LaunchError(f"name: expected a string, got {name!r}")
        if not weight > 0 or math.isinf(weight):
            raise LaunchError(f"weight: expected a number above 0, got {weight!r}")
        if deadline is not None and not deadline > 0:
            raise LaunchError(f"deadline: expected seconds above 0, got {deadline!r}")
        self._share = Share(name, float(weight), deadline)
        self._tokens: list[Token[Share | None]] = []

    def __enter__(self) -> submitter:
        global used
        used = True
        self._tokens.append(current.set(self._share))
        return self

    def __exit__(self, *_: object) -> None:
        current.reset(self._tokens.pop())

    def __repr__(self) -> str:
        return f"<treadle.submitter {self._share.name!r} weight {self._share.weight:g}>"


class due_by:
    """Have commands that a with block submits start by a moment of perf_counter(), or fail.

    Who submits them stays who it is."""

    def __init__(self, due: float) -> None:
        self._due = due
        self._token: Token[Share | None] | None = None

    def __enter__(self) -> None:
        global used
        used = True
        share = current.get() or Share("", 1.0, None)
        mine = Share(share.name, share.weight, share.deadline, min(share.due, self._due))
        self._token = current.set(mine)

    def __exit__(self, *_: object) -> None:
        assert self._token is not None
        current.reset(self._token)


class ReadyCommands:
    """Commands that wait for a lane, in the order in which they get one."""

    def __init__(self) -> None:
        self.heap: list[tuple[int, float, float, int, Command]] = []
        self._tags: dict[str, float] = {}  # by submitter: how much it has had, for its weight
        self._now = 0.0  # the tag of what was served last

    def stamp(self, command: Command, share: Share | None) -> None:
        """Note who submits a command; later it may be another thread that finds it ready."""
        due = math.inf
        name, weight = "", 1.0
        if share is not None:
            name, weight, due = share.name, share.weight, share.due
            if share.deadline is not None:
                due = min(due, perf_counter() + share.deadline)
        # One that was idle starts level with the others: what it did not use is gone.
        tag = max(self._tags.get(name, 0.0), self._now) + 1.0 / weight
        self._tags[name] = tag
        command._stamp = due, tag

    def put(self, command: Command) -> None:
        """Add a command."""
        due, tag = command._stamp or (math.inf, self._now)
        heapq.heappush(self.heap, (command._rank, due, tag, command.id, command))

    def urgent(self) -> bool:
        """Whether the next one is interactive."""
        return bool(self.heap) and self.heap[0][0] == 0

    def next(self) -> tuple[Command, bool]:
        """Return the next one, and whether its deadline has passed."""
        _, due, _, _, command = self.heap[0]
        return command, due < math.inf and perf_counter() > due

    def drop(self, command: Command) -> None:
        """Remove the next one, if it is this."""
        if not self.heap or self.heap[0][4] is not command:
            return  # this was done before
        self._now = max(self._now, self.heap[0][2])
        heapq.heappop(self.heap)
        if not self.heap:
            self._tags.clear()  # no command waits: all submitters start level
            self._now = 0.0
