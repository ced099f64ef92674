"""One batch on its way through a stream, and what is done with it.

In: a batch, on the thread that has it, and news of its commands. Out: the batch, one step further,
prepared, brought onto the device, computed, brought back, collected: a result, or an error with the
phase that failed, and when each phase began and ended. Which batch is next, and how many there may
be, is the window's and the engine's part.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

from treadle.errors import BatchError
from treadle.runtime import observe
from treadle.runtime.command import Command
from treadle.runtime.shares import Late, due_by
from treadle.streaming.buffers import Carrier, Slot
from treadle.streaming.compute import Compute, Started, started
from treadle.streaming.coroutines import Bridge
from treadle.streaming.stats import Stats
from treadle.streaming.tuning import Alternating

__all__ = ["Batch", "Handling"]


class Batch:
    """A batch between the source and the consumer."""

    __slots__ = (
        "_land",
        "_left",
        "_under_way",
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
        self.value: list[Any] = [value]  # a list of one, emptied by the step that takes it
        self.phase = "source"
        self.error: BaseException | None = None
        self.commands: list[tuple[str, Command]] = []
        self.noted: list[weakref.ref[Command]] = []  # whatever else was submitted for it
        self.lent: list[Command] = []  # uploads from arrays that the source may fill again
        self.borrowed = False  # it holds what its producer may change: the feeder waits
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
        self._left: set[int] = set()  # the ids of commands in flight; 0: not all are watched yet
        self._under_way = [True]  # emptied by the thread that lands it

    def watch(self) -> None:
        """Have `land` called once, when the last command has ended; at once if none is left.

        That holds for those that a function submitted and did not return, too."""
        commands = self.everything()
        self._left = {0, *[command.id for command in commands]}
        for command in commands:
            if not observe.watch(command, self):
                self._ended(command.id)
        self._ended(0)

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
        self._ended(command.id)

    def _ended(self, number: int) -> None:
        """Land with the last one; a command may tell its end twice.

        Without a lock: a thread of the device's tells it, and a finalizer that interrupts this very
        call may go on with the device's work as well."""
        now = perf_counter_ns()
        self._left.discard(number)
        if self._left:
            return
        try:
            self._under_way.pop()
        except IndexError:  # another thread saw the end of the last one, too
            return
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


class Handling:
    """The steps of a stream, for any batch."""

    def __init__(
        self,
        name: str,
        carrier: Carrier,
        compute: Compute,
        bridge: Bridge,
        stats: Stats,
        *,
        prepare: Callable[[Any], Any] | None,
        collect: Callable[[Any], Any] | None,
        deadline: float | None,
        workers: int,
    ) -> None:
        self.deadline = None if deadline is None else int(deadline * 1e9)
        self._name = name
        self._carrier = carrier
        self._compute = compute
        self._bridge = bridge
        self._stats = stats
        self._prepare = prepare
        self._collect = collect
        self._alternating = Alternating(stats, wanted=carrier.shared and workers == 1)

    def expire(self, batch: Batch) -> None:
        """Raise if a batch is too old to be worth computing."""
        if self.deadline is not None and perf_counter_ns() - batch.pulling > self.deadline:
            batch.phase = "waiting"
            raise TimeoutError(
                f"it was {(perf_counter_ns() - batch.pulling) / 1e9:.3f} s old, past its deadline "
                f"of {self.deadline / 1e9:g} s, before it was computed"
            )

    def prepare(self, batch: Batch) -> None:
        """Put what `prepare` makes of it in a batch's place."""
        if self._prepare is None:
            return
        batch.phase = "prepare"
        with self._alternating:
            batch.preparing = perf_counter_ns()
            given = [self._prepare(batch.value.pop())]
        if inspect.isawaitable(given[0]):
            given = [self._bridge.run(given.pop())]
        batch.value = given
        batch.prepared = perf_counter_ns()

    def load(self, batch: Batch) -> None:
        """Bring a batch onto the device: put buffers in the place of its arrays."""
        assert batch.slot is not None
        batch.phase = "upload"
        self._stats.working_on(batch.index)
        if self._carrier.shared:  # else the commands know
            batch.loading = perf_counter_ns()
        value, batch.borrowed = self._carrier.load(
            batch.value, batch.slot, batch.commands, batch.lent
        )
        batch.value = [value]
        if self._carrier.shared:
            batch.loaded = perf_counter_ns()

    def start(self, batch: Batch) -> bool:
        """Start a batch's computation, and to bring its results back.

        False: a coroutine computes it, and the batch goes on to land when that has ended."""
        self.expire(batch)  # it may have waited for its turn
        value = batch.value.pop()
        batch.phase = "compute"
        self._stats.working_on(batch.index)
        with self._compute.alone:
            batch.computing = perf_counter_ns()
            if self.deadline is None:
                begun = self._begin(batch, value)
            else:
                with due_by((batch.pulling + self.deadline) / 1e9):
                    begun = self._begin(batch, value)
            if begun is None:
                return False
            self._bring(batch, begun)
        return True

    def _begin(self, batch: Batch, value: Any) -> Started | None:
        assert batch.slot is not None
        if not self._compute.opaque:
            begun = self._compute.start(value, batch.slot)
        else:
            with observe.noting(batch.noted):
                begun = self._compute.start(value, batch.slot)
                if not isinstance(begun, Started):
                    self._bridge.start(begun, lambda future: self._computed(batch, future))
                    return None
        assert isinstance(begun, Started)
        return begun

    def _computed(self, batch: Batch, future: Any) -> None:
        """Go on with a batch that a coroutine computed."""
        try:
            self._stats.working_on(batch.index)
            self._bring(batch, started(future.result()))
        except BaseException as error:
            batch.fail(error)
        self._stats.working_on(-1)
        batch.watch()

    def _bring(self, batch: Batch, begun: Started) -> None:
        """Start to bring a batch's results back."""
        batch.commands += [("compute", command) for command in begun.commands]
        batch.phase = "download"
        batch.outputs = self._carrier.unload(begun.outputs, begun.owned, batch.commands)
        batch.returned = self._carrier.nbytes(begun.outputs)
        self._stats.returned = batch.returned

    def finish(self, batch: Batch) -> None:
        """Turn what landed into a result; whatever fails becomes the batch's error."""
        batch.settle()
        if batch.error is None:
            try:
                batch.phase = "download"
                batch.result = self._carrier.landed(batch.outputs)
                if self._collect is not None:
                    batch.phase = "collect"
                    with self._alternating:
                        batch.collecting = perf_counter_ns()
                        result = self._collect(batch.result)
                    batch.result = None
                    if inspect.isawaitable(result):
                        result = self._bridge.run(result)
                    batch.result = result
            except BaseException as error:
                batch.fail(error)
            if batch.collecting:
                batch.collected = perf_counter_ns()
        self._stats.passed(self._name, batch)
        batch.outputs = None
        batch.commands = []
