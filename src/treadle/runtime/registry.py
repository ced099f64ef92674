"""Commands by id, and several commands at once.

In: commands or their ids. Out: the commands, waits over many of them, and them in order of
completion. Unfinished commands are found through their queues; of finished ones a fixed number of
records is kept. A record knows the command's outputs but does not keep them, so that a million
commands leak nothing.
"""

from __future__ import annotations

import itertools
import time
import weakref
from collections.abc import Iterable, Iterator, Sequence
from types import CodeType
from typing import Any, overload

from treadle.errors import CommandTimeout, LaunchError, UnknownCommand
from treadle.runtime.command import COMPLETED, GONE, Command
from treadle.runtime.waiters import LoopWaiter, Mailbox, deadline_of

__all__ = ["REMEMBERED", "AsCompleted", "completed", "done", "find", "wait_all"]

REMEMBERED = 16384  # finished commands that can be found by id
_MASK = REMEMBERED - 1

About = tuple[str, CodeType, int, Any]  # label, code, at, output
Record = tuple[Any, ...]  # id, status, cause, label, code, at, references to owner and outputs

next_id = itertools.count(1).__next__
ring: list[Record | None] = [None] * REMEMBERED
owners: weakref.WeakSet[Any] = weakref.WeakSet()  # every open queue


_new: Any = object.__new__


def remember(command: Command, owner: weakref.ref[Any]) -> None:
    """Keep a finished command's record, in place of the oldest."""
    number = command.id
    ring[number & _MASK] = (
        number,
        command._status,
        command._cause,
        command._label,
        command._code,
        command._at,
        owner,
        _references(command._outputs),
    )


def _references(outputs: Any) -> Any:
    """A reference to what a command gives; of several, one to each."""
    if type(outputs) is tuple:
        return tuple(map(weakref.ref, outputs))
    return None if outputs is None else weakref.ref(outputs)


def find(command: Command | int) -> Command:
    """Return the command that an id stands for; a command stands for itself.

    One that finished is rebuilt from its record: it has status and error, and those outputs that
    the user still holds; `output` of another says why it is gone."""
    if isinstance(command, Command):
        return command
    if not isinstance(command, int) or isinstance(command, bool):
        given: Any = command
        hint = "; wait_all takes several" if isinstance(given, list | tuple | set) else ""
        raise LaunchError(f"command: expected a Command or its integer id, got {given!r}{hint}")
    for owner in list(owners):
        found: Command | None = owner.open.get(command)
        if found is not None:
            return found
    record = ring[command & _MASK] if command > 0 else None
    if record is None or record[0] != command:
        raise UnknownCommand(
            f"no command has id {command}, or it finished too long ago "
            f"(the last {REMEMBERED} are remembered); keep the Command itself instead"
        )
    number, status, cause, label, code, at, reference, outputs = record
    if type(outputs) is tuple:
        outputs = tuple(output() for output in outputs)
        outputs = GONE if any(output is None for output in outputs) else outputs
    elif outputs is not None:
        outputs = outputs()
        outputs = GONE if outputs is None else outputs
    rebuilt = Command(reference(), label, code, at, outputs)
    rebuilt.id, rebuilt._status, rebuilt._cause = number, status, cause
    return rebuilt


def completed(label: str, owner: Any, output: Any) -> Command:
    """Return a command that has ended, for what the host did by itself."""
    made = Command(owner, label, None, 0, output)
    made._status = COMPLETED
    return made


@overload
def done(queue: Any, about: About, written: Sequence[Any]) -> Command: ...
@overload
def done(queue: Any, about: About, written: Sequence[Any], plain: bool) -> Any: ...
def done(queue: Any, about: About, written: Sequence[Any], plain: bool = False) -> Any:
    """Return a command that was done at once, remembered: it has only what users see; or what it
    gives, where a `plain` result is wanted and no command.

    `about` is a label, where it was submitted, and what it gives; `written` are the buffers that it
    wrote."""
    number = next_id()
    label, code, at, outputs = about
    for buffer in written:
        buffer._storage.writer = number
    alone = outputs is not None and type(outputs) is not tuple  # most often
    kept = weakref.ref(outputs) if alone else _references(outputs)
    owner = queue.graph.owner
    ring[number & _MASK] = number, COMPLETED, None, label, code, at, owner, kept
    if plain:
        return outputs
    made: Any = _new(Command)
    made.id = number
    made._status = COMPLETED
    made._owner = queue
    made._label, made._code, made._at, made._outputs = about
    made._cause = None
    made._waiters = ()  # none will come
    return made


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(deadline - time.monotonic(), 0.0)


def _each(commands: Iterable[Command | int]) -> list[Command]:
    if not isinstance(commands, Iterable):
        raise LaunchError(f"commands: expected several commands, got {commands!r}; write a list")
    return [find(command) for command in commands]


def wait_all(commands: Iterable[Command | int], timeout: float | None = None) -> list[Command]:
    """Block until all have ended and return them; raise the first failure in their order."""
    found = _each(commands)
    deadline = deadline_of(timeout)
    late = [command for command in found if not command._join(_left(deadline))]
    if late:
        raise CommandTimeout(
            f"{len(late)} of {len(found)} commands have not ended after {timeout} s; "
            f"the first is {late[0]!r}"
        )
    for command in found:
        command.wait()
    return found


async def _until(future: Any, seconds: float | None) -> None:
    """Suspend until a future has a result, or gets one because the time is over.

    Not with asyncio.timeout, which refers to the task: where the loop is closed in the middle and
    all that is garbage, Python 3.11 may end the task's coroutine while it is ending it."""
    timer = None
    if seconds is not None:
        timer = future.get_loop().call_later(seconds, _settle, future)
    try:
        await future
    finally:
        if timer is not None:
            timer.cancel()


def _settle(future: Any) -> None:
    if not future.done():
        future.set_result(None)


class AsCompleted:
    """Commands in the order in which they end, for `for` and for `async for`.

    Yields each once, failed and cancelled ones too; nothing is raised but CommandTimeout."""

    def __init__(self, commands: Iterable[Command | int], timeout: float | None = None) -> None:
        from queue import SimpleQueue  # `import treadle` need not pay for it

        found: dict[int, Command] = {}
        for command in _each(commands):
            found.setdefault(command.id, command)
        self._timeout = timeout
        self._deadline = deadline_of(timeout)
        self._ended: SimpleQueue[Command] = SimpleQueue()
        self._sleeper: LoopWaiter | None = None
        self._awaited = found
        for command in found.values():
            if not command._watch(self):
                self._ended.put(command)

    @property
    def _left(self) -> int:
        return len(self._awaited)

    def wake(self, command: Command) -> Mailbox | None:
        """Take note of a command that ended; it may come twice."""
        self._ended.put(command)
        sleeper, self._sleeper = self._sleeper, None
        return sleeper.wake(command) if sleeper is not None else None

    def __iter__(self) -> Iterator[Command]:
        return self

    def __next__(self) -> Command:
        from queue import Empty  # see above

        while self._awaited:
            try:
                command = self._ended.get(timeout=_left(self._deadline))
            except Empty:
                raise self._late() from None
            if self._awaited.pop(command.id, None) is not None:
                return command
        raise StopIteration

    def __aiter__(self) -> AsCompleted:
        return self

    async def __anext__(self) -> Command:
        from queue import Empty  # see above

        while self._awaited:
            # The sleeper is set before the last look, so that no completion falls between them.
            sleeper = self._sleeper = LoopWaiter()
            try:
                command = self._ended.get_nowait()
            except Empty:
                left = _left(self._deadline)
                if left == 0.0:
                    raise self._late() from None
                await _until(sleeper.future, left)
            else:
                self._sleeper = None
                if self._awaited.pop(command.id, None) is not None:
                    return command
        raise StopAsyncIteration

    def _late(self) -> CommandTimeout:
        return CommandTimeout(f"{self._left} commands have not ended after {self._timeout} s")
