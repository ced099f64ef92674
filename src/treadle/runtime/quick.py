"""Brief work that its submitter launches at once, on a lane of the device's that keeps the order.

In: steps that take little time, with the buffers that they read and write. Out: commands that run.
Where nothing but such launches is in flight on their buffers they are in order on their lane
already: none needs a place in the graph, an edge, a fence of its own, or a change. The lane says
how far it has come, and what is behind that has ended.

Everything else the graph does. Before another command is given a place, what is still in flight
here gets the entries that it would have had, all of it behind one fence, and is like any other
command from then on (`dissolve`). The thread that holds the queue calls all of it but `pending`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from threading import get_ident
from types import CodeType
from typing import Any

from treadle.backends.base import QuickLane
from treadle.runtime import observe, registry, shares
from treadle.runtime.alike import Alike, Places
from treadle.runtime.claim import Claim, dissolve
from treadle.runtime.claim import runs as claimed
from treadle.runtime.command import COMPLETED, PENDING, RUNNING, Command
from treadle.runtime.hazards import idle, note_uses
from treadle.runtime.memory import Ledger
from treadle.runtime.priority import NORMAL_RANK

__all__ = ["Quick", "done_at_once"]

_FEW = 4  # buffers
_LOOK = 16  # launches after which the submitter itself looks which of them have ended

_new: Any = object.__new__


def done_at_once(
    queue: Any,
    call: Callable[[], object],
    claim: Claim | Alike | None,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
) -> bool:
    """Make a call that does work sooner than others could be told of it (`Backend.at_once`), if
    nothing is in its way; else do nothing and return false: it is to be submitted.

    Others are not told: the graph never knows of it, so there is nothing that Ctrl-C could
    leave behind. Meanwhile this thread holds the queue."""
    me, inside, graph, done = get_ident(), queue.inside, queue.graph, False
    if (
        me in inside
        or observe.alert
        or queue.gone is not None
        or queue.max_bytes
        or len(queue.open) >= queue.max_in_flight
        or (shares.used and shares.current.get() is not None)
    ):
        return False
    lock = queue._lock
    try:
        inside.add(me)
        lock.acquire()  # `with` would take a twentieth of all that a submit takes
        if (
            not queue.inbox
            and len(graph.pace.running) < graph.pace.quick
            and graph.barrier is None
            and not graph.waiting.heap
            and (idle(inputs, outputs) if claim is None else claim.idle())
        ):
            call()
            done = True
        lock.release()
        inside.discard(me)
    except BaseException:
        try:
            lock.release()  # the first call here, which Ctrl-C cannot prevent
        except RuntimeError:  # it was not taken yet, or let go already
            pass
        finally:
            inside.discard(me)  # likewise
        queue._leave_to_others()
        raise
    if queue.inbox:
        queue.advance()
    return done


class Quick:
    """The launches of one device that are in flight like this."""

    def __init__(self, queue: Any, lane: QuickLane, ledger: Ledger) -> None:
        self._queue = queue
        self._graph = queue.graph
        self._open = queue.open
        self._ledger = ledger
        self.lane = lane  # the backend's
        self.runs: dict[int, Command] = {}  # in flight, by id, oldest first
        self._seconds: Any = lane.seconds
        self._put: Any = lane.put

    def launch(
        self,
        steps: Sequence[Any],
        seconds: float | None,
        about: tuple[str, CodeType, int, Any],
        claim: Claim | Alike | None,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        plan: Any = None,
    ) -> Command | None:
        """Launch steps and return their command, if nothing is in the way; else do nothing.

        `seconds` is what they take, infinity where they do not belong here, None if not yet known;
        `about` is a label, where it was submitted, and what it gives; `plan` is a pipeline's, and
        `claim` may be what submits that are alike share.
        If Ctrl-C comes the steps are on the device, and the command ends like any other, or they
        are not, and no trace of the command is left."""
        queue, graph, runs, lane = self._queue, self._graph, self.runs, self.lane
        me, inside, pace = get_ident(), queue.inside, graph.pace
        if seconds is None:
            seconds = self.seconds(steps)
        if (
            seconds == inf
            or me in inside
            or observe.alert
            or queue.max_bytes
            or len(self._open) >= queue.max_in_flight
            or pace.limit is not None
            or pace.duty < 1.0
            or (shares.used and shares.current.get() is not None)
        ):
            return None
        made: Any = None
        number = order = -1
        try:
            inside.add(me)
            with queue._lock:
                if (
                    queue.gone is None
                    and not queue.inbox
                    and graph.barrier is None
                    and not graph.waiting.heap
                    and ((len(runs) < _LOOK and lane.ahead < lane.most) or self._has_room())
                    and (uses := self._uses(claim, inputs, outputs, graph.orders + 1)) is not None
                ):
                    number = registry.next_id()
                    made = _new(Command)
                    made.id = number
                    made._status = RUNNING
                    made._owner = queue
                    made._label, made._code, made._at, made._outputs = about
                    made._steps = steps  # and what they use
                    made._plan = plan
                    made._fence = self
                    made._uses = uses
                    made._waiters = []
                    made._reads = made._writes = made._scratch = ()
                    made._cause = made._launched = None
                    graph.orders = order = made._order = graph.orders + 1
                    for buffer in outputs:
                        buffer._storage.writer = number
                    if not runs:
                        queue.poller.attend()  # before: what is there has its end noticed
                    runs[number] = self._open[number] = made
                    if not self._put(order, steps, seconds):
                        self._forget(number)
                        made = None
            inside.discard(me)
        except BaseException as error:
            if order != lane.newest:
                self._forget(number)
            inside.discard(me)
            if not isinstance(error, Exception):
                queue._leave_to_others()
                raise
            made = None  # the device refused it; it says why when it is asked the other way
        if queue.inbox:
            queue.advance()
        return made  # type: ignore[no-any-return]

    def seconds(self, steps: Any) -> float:
        """How long steps take, roughly; infinity where they do not belong here."""
        try:
            found: float = self._seconds(steps) if type(steps) is tuple else inf
        except Exception:
            return inf  # the graph's launch says what is wrong
        return found

    def _uses(
        self,
        claim: Claim | Alike | None,
        inputs: Sequence[Any],
        outputs: Sequence[Any],
        order: int,
    ) -> tuple[Places, Places] | None:
        """What a launch reads and writes, marked as used by it; None where others are in its way:
        see `idle`, which asks the same."""
        if isinstance(claim, Alike):
            return claim.uses(order)
        # Few buffers are looked at one by one, where their claim is not in force: others that share
        # some of them, and come in turns, would take them from each other each time.
        if claim is not None and (claim.live or len(inputs) + len(outputs) > _FEW):
            if claim.idle():
                claim.quick = order
                return claim.reads, claim.writes
            return None
        reads: Places = []
        writes: Places = []
        for buffer in inputs:
            storage = buffer._storage
            if storage.region is None or storage.writers or storage.poison is not None:
                return None
            if storage.claim is not None and claimed(storage):
                return None
            reads.append((buffer._low, buffer._high, storage))
        for buffer in outputs:
            storage = buffer._storage
            if storage.region is None or storage.writers or storage.readers:
                return None
            if storage.poison is not None:
                return None
            if storage.claim is not None and claimed(storage):
                return None
            writes.append((buffer._low, buffer._high, storage))
        for places in (reads, writes):  # last: nothing is marked that is not used
            for place in places:
                place[2].quick = order
        return reads, writes

    def place(self, command: Command, about: tuple[Sequence[Any], Sequence[Any], float]) -> Any:
        """A change: launch a command that was handed over with others, if nothing is in its way;
        else give it its place among the graph's."""
        inputs, outputs, seconds = about
        graph, runs, number = self._graph, self.runs, command.id
        if number in runs and command._order == self.lane.newest:
            command._status = RUNNING  # it was launched before this was broken off
            return None
        claim = command._claim
        if (
            command._status is PENDING
            and graph.barrier is None
            and not graph.waiting.heap
            and not (self.lane.full and not self._has_room())
            and (uses := self._uses(claim, inputs, outputs, graph.orders + 1)) is not None
        ):
            graph.orders = order = command._order = graph.orders + 1
            command._uses, command._fence = uses, self
            self._queue.poller.attend()
            runs[number] = command
            with suppress(Exception):  # the graph's launch says what is wrong
                if self._put(order, command._steps, seconds):
                    command._status = RUNNING
                    return None
        runs.pop(number, None)
        self._settle()
        command._fence, command._order, command._uses = None, 0, ()
        if claim is None and command._status is PENDING:
            note_uses(command, inputs, outputs)
        return graph.place(command, None)

    def _forget(self, number: int) -> None:
        self._open.pop(number, None)
        self.runs.pop(number, None)
        self._queue.inbox.append((self.look, None, None))  # with the queue held: what is in use

    def _settle(self) -> None:
        """Take note that nothing is in flight here, if so: no launch that has a place in the order
        is to come, also where one did not come about."""
        if not self.runs:
            self._ledger.reached = self._graph.orders

    def _has_room(self) -> bool:
        """Whether another launch may be put there, once those are gone that have ended."""
        self._ended()
        return not self.lane.full

    def pending(self, command: Command) -> bool:
        """Whether a command is known not to have ended, without the queue; any thread may ask."""
        found: bool = self.lane.pending(command._order)
        return found

    def look(self, *_: None) -> None:
        """End what is done. This is a change: made again, it goes on where it was broken off."""
        self._ended()
        if self.lane.error is not None:
            self.dissolve()  # the graph knows what follows from a failure

    def _ended(self) -> None:
        runs = self.runs
        if not runs:
            self._settle()
            return
        reached = self.lane.reached()
        self._ledger.reached = max(self._ledger.reached, reached)
        for command in list(runs.values()):
            if command._order > reached:
                break
            self._end(command)
        self._settle()

    def _end(self, command: Command) -> None:
        number, graph = command.id, self._graph
        command._status = COMPLETED
        if number in self._open:
            registry.remember(command, graph.owner)
            del self._open[number]
        if command._waiters:
            graph.wakes.append(command)
        for places in command._uses:
            for _, _, storage in places:
                if storage.region is None and not storage.busy:
                    storage.settle()
        command._uses = command._scratch = ()
        command._steps = command._plan = command._fence = command._claim = None
        command._released = True
        self.runs.pop(number, None)

    def dissolve(self, *_: None) -> None:
        """Make what is in flight here commands of the graph's, with entries for their buffers and
        one fence for all. This is a change, or part of one, and may be made again."""
        self._ended()
        runs = self.runs
        if not runs:
            return
        fence = self.lane.fence()
        for number, command in list(runs.items()):
            self._join(command, fence)
            self._graph.ready.append(command)  # whose launch is over, but for having it watched
            runs.pop(number, None)
        self._settle()

    def _join(self, command: Command, fence: Any) -> None:
        """Give a command the entries that it would have had."""
        if not (command._reads or command._writes):
            reads, writes = command._uses
            command._reads = [(command, *place) for place in reads if place[1] > place[0]]
            command._writes = [(command, *place) for place in writes if place[1] > place[0]]
        for entry in command._reads:
            dissolve(entry[3])
            entry[3].readers[id(entry)] = entry
        for entry in command._writes:
            dissolve(entry[3])
            entry[3].writers[id(entry)] = entry
        command._rank = NORMAL_RANK
        command._blocks = command._host = command._carried = False
        command._released = command._handed = False
        command._nbytes, command._uses = 0, ()
        command._needs = command._stamp = command._claim = None
        command._after = command._successors = None
        command._taken, command._fence = [fence], fence
