"""Several commands handed over as one: all of them, or none.

In: what `submit_many` was given. Out: commands in the queue, in that order. Nothing runs and no
other thread sees anything before the last of them has been checked; then one step of the
interpreter, which neither Ctrl-C nor a finalizer can split, puts all of them there. Neighbours that
take next to no time are one change of the graph: where nothing is in their way they are done in one
call of C, one after the other, as one alone is (`quick.done_at_once`). See docs/design/run-path.md.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from math import inf
from operator import call
from types import CodeType
from typing import Any, NamedTuple

from treadle.errors import QueueFull, TreadleError
from treadle.runtime import observe, registry, shares
from treadle.runtime.buffer import Buffer
from treadle.runtime.caller import caller
from treadle.runtime.command import COMPLETED, PENDING, Command
from treadle.runtime.graph import FIRST, CommandGraph
from treadle.runtime.hazards import idle, note_uses
from treadle.runtime.priority import NORMAL_RANK, Priority
from treadle.runtime.queue import Queue
from treadle.runtime.quick import done_at_once
from treadle.runtime.refusal import each_of, no_work

__all__ = ["Several", "submit_many"]

_MOST = 128  # commands that are done by one call: meanwhile it keeps Python's lock and the queue's

_NONE: Mapping[str, object] = {}
_LEFT_OUT: tuple[Any, ...] = (None, (), None, None)  # kernel, inputs, output, parameters

Change = tuple[Callable[[Any, Any], Any], Any, Any]


class _Given(NamedTuple):
    """A command that was checked, with what the queue has to know of it."""

    command: Command
    inputs: Sequence[Buffer]
    outputs: Any  # buffers; None where the plan will give them
    programs: Any
    call: Callable[[], object] | None  # that does it at once


_new: Any = tuple.__new__  # makes a NamedTuple in half the time


def submit_many(
    launcher: Any, queue: Queue, specs: Any, priority: Priority | str | None
) -> list[Command[Any]]:
    """Have a launcher check what each of these says, and enqueue all of it or nothing."""
    several = Several(queue, caller(2))
    run = launcher.run
    for index, spec in enumerate(each_of(specs)):
        try:
            if type(spec) is tuple and 0 < len(spec) < 5:
                kernel, inputs, output, params = spec + _LEFT_OUT[len(spec) :]
                run(kernel, inputs, output, params, priority, _NONE, False, several)
            elif (submit := getattr(spec, "submit_among", None)) is not None:
                submit(several, priority)  # asking whether it is a Submittable takes microseconds
            elif isinstance(spec, Mapping):
                launcher.mapping(spec, priority, several=several)
            else:
                raise no_work(spec)
        except TreadleError as error:
            error.args = (f"specs[{index}]: {error}", *error.args[1:])
            raise
    return several.hand_over()


class Several:
    """Takes the place of the queue while the commands of one call are checked."""

    def __init__(self, queue: Queue, where: tuple[CodeType, int]) -> None:
        self.where = where  # the line that submits them
        self._queue = queue
        self._given: list[_Given] = []
        self._after: list[Callable[[], object]] = []

    def submit(
        self,
        command: Command,
        inputs: Sequence[Buffer],
        outputs: Sequence[Buffer] | None,
        programs: Any = None,
        call: Callable[[], object] | None = None,
    ) -> None:
        """Keep a command until all are checked; see Queue.submit."""
        self._given.append(_new(_Given, (command, inputs, outputs, programs, call)))

    def barrier(self, command: Command) -> None:
        """Keep a barrier; see Queue.barrier."""
        command._host = True
        self._given.append(_Given(command, (), (), _BARRIER, None))

    def afterwards(self, function: Callable[[], object]) -> None:
        """Have a function called when the commands have been handed over."""
        self._after.append(function)

    def hand_over(self) -> list[Command]:
        """Hand all commands over and return them, or raise and hand none over."""
        if not self._done_at_once():
            self._take()
        for function in self._after:
            function()
        return [each.command for each in self._given]

    def _done_at_once(self) -> bool:
        """Do all of them at once, as done_at_once does one, if nothing is in the way."""
        queue, given = self._queue, self._given
        calls: list[Any] = [each.call for each in given]
        if not calls or None in calls or len(calls) > _MOST:
            return False
        inputs: list[Buffer] = []
        outputs: list[Buffer] = []
        for each in given:
            inputs += each.inputs
            outputs += each.outputs
        # C code alone, so that neither Ctrl-C nor another thread comes between two of them.
        every: Any = partial(deque, map(call, calls), 0)
        if not done_at_once(queue, every, None, inputs, outputs):
            return False
        owner = queue.graph.owner
        for command, _, written, _, _ in given:
            number = command.id = registry.next_id()
            command._status = COMPLETED
            for buffer in written:
                buffer._storage.writer = number
            registry.remember(command, owner)
            command._steps = command._plan = command._claim = None
            command._scratch = ()
            command._released = True
        return True

    def _take(self) -> None:
        """Put all of them into the queue; raise, and put none, if there is no room for all."""
        queue, given = self._queue, self._given
        self._admit()
        changes = self._changes()
        commands = [each.command for each in given]
        opened = {}
        for command in commands:
            number = command.id = registry.next_id()
            opened[number] = command
        if observe.alert:
            for command in commands:
                observe.submitted(command)
        queue.take_all(opened, sum([command._nbytes for command in commands]), changes)
        if any([command._host and command._needs for command in commands]):
            queue.waits.hasten()
        for command, _, outputs, _, _ in given:
            for buffer in outputs or ():
                buffer._storage.writer = command.id

    def _admit(self) -> None:
        """Raise if the queue cannot take all of them; where bytes are limited, measure each."""
        queue, given = self._queue, self._given
        room = queue.max_in_flight - len(queue.open)
        if len(given) > room and queue.gone is None:
            raise QueueFull(
                f"{len(given)} commands were given at once, and {len(queue.open)} are in flight on "
                f"{queue.name}, whose max_in_flight is {queue.max_in_flight}; none was submitted. "
                "Give fewer, wait for some of those in flight, or raise device.max_in_flight"
            )
        if queue.gone is not None or queue.max_bytes is not None:
            before = 0
            for command, inputs, outputs, _, _ in given:
                queue.admit(command, inputs, outputs or (), before)
                before += command._nbytes

    def _changes(self) -> list[Change]:
        """What the graph is to do: place each command, and do runs of brief ones at once."""
        queue, graph = self._queue, self._queue.graph
        share = shares.current.get() if shares.used else None
        fair = share is not None or (shares.used and graph.pace.limit is not None)
        apart = bool(fair or queue.max_bytes or observe.alert)
        pace = graph.pace
        quick = None if apart or pace.limit is not None or pace.duty < 1.0 else queue.quick
        changes: list[Change] = []
        brief: list[_Given] = []
        for each in self._given:
            command, inputs, outputs, programs, now = each
            if now is not None and not apart:
                if not brief or len(brief) >= _MOST:
                    brief = []
                    changes.append((_at_once, _Brief(brief), queue))
                brief.append(each)
                continue
            brief = []
            if programs is _BARRIER:
                changes.append((graph.bar, command, None))
                continue
            if not command._steps:
                command._host = True  # no launch, so no fence that followers could come after
            elif quick is not None and programs is None and command._rank == NORMAL_RANK:
                seconds = quick.seconds(command._steps)
                if seconds < inf and not (command._host or command._carried):
                    changes.append((quick.place, command, (inputs, outputs, seconds)))
                    continue
            if apart or command._claim is None:
                note_uses(command, inputs, outputs)
            if fair and not (command._host or command._carried):
                graph.waiting.stamp(command, share)
            changes.append((graph.place, command, programs))
        return changes


_BARRIER: Any = object()  # in place of programs


class _Brief:
    """Neighbours that take next to no time, and how far they have come."""

    __slots__ = ("done", "given", "placed")

    def __init__(self, given: list[_Given]) -> None:
        self.given = given
        self.done: list[object] = []  # one item for each that was done at once
        self.placed = False  # those that were not have been given their places


def _at_once(brief: _Brief, queue: Queue) -> bool | None:
    """A change of the graph: do commands at once, if nothing is in the way of any; else have each
    of them placed."""
    graph, given, done = queue.graph, brief.given, brief.done
    if not (brief.placed or done) and _clear(given, graph):
        # Between the calls and the list Python does not look for signals.
        with suppress(Exception):  # the launch of what is left says what is wrong
            done.extend(map(call, [each.call for each in given]))  # type: ignore[arg-type]
    for command, _, _, _, _ in given[: len(done)]:
        if not command._released:
            _over(command, graph)
    rest = given[len(done) :]
    if not rest or brief.placed:
        return None
    for command, inputs, outputs, _, _ in rest:
        if command._claim is None and command._status is PENDING:
            note_uses(command, inputs, outputs)
    before: list[Change] = [(graph.place, each.command, None) for each in rest]
    queue.inbox.extendleft(reversed([(_placing, brief, None), *before]))
    return FIRST


def _placing(brief: _Brief, _: None) -> None:
    brief.placed = True


def _clear(given: Sequence[_Given], graph: CommandGraph) -> bool:
    """Whether nothing is in the way of commands, and none was cancelled."""
    pace = graph.pace
    if len(pace.running) >= pace.quick or graph.barrier is not None or graph.waiting.heap:
        return False
    for command, inputs, outputs, _, _ in given:
        claim = command._claim  # one that is not in force is not taken for this
        if claim is not None and (claim.freed or not claim.live):
            claim = None
        clear = idle(inputs, outputs) if claim is None else claim.idle()
        if command._status is not PENDING or not clear:
            return False
    return True


def _over(command: Command, graph: CommandGraph) -> None:
    """Note that a command was done at once. If this is broken off, it is made again."""
    command._status = COMPLETED
    number = command.id
    if number in graph.open:
        registry.remember(command, graph.owner)
        del graph.open[number]
    if command._waiters:
        graph.wakes.append(command)
    command._steps = command._plan = command._claim = None
    command._scratch = ()
    command._released = True
