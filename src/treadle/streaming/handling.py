"""What happens to one batch: prepared, brought onto the device, computed, brought back, collected.

In: a batch, on the thread that has it. Out: the batch, one step further, or an error; its commands
are under way or have ended. Which batch is next, and how many there may be, is the engine's part.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

from treadle.runtime import observe
from treadle.runtime.shares import due_by
from treadle.streaming.batch import Batch
from treadle.streaming.carrier import Carrier
from treadle.streaming.loops import Bridge
from treadle.streaming.stats import Stats
from treadle.streaming.turn import Turn
from treadle.streaming.work import Started, Work, started

__all__ = ["Handling"]


class Handling:
    """The steps of a stream, for any batch."""

    def __init__(
        self,
        name: str,
        carrier: Carrier,
        work: Work,
        bridge: Bridge,
        stats: Stats,
        *,
        prepare: Callable[[Any], Any] | None,
        collect: Callable[[Any], Any] | None,
        deadline: float | None,
    ) -> None:
        self.deadline = None if deadline is None else int(deadline * 1e9)
        self._name = name
        self._carrier = carrier
        self._work = work
        self._bridge = bridge
        self._stats = stats
        self._prepare = prepare
        self._collect = collect
        self._turn = Turn(stats, shared=carrier.shared)

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
        with self._turn:
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
        with self._work.alone:
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
        if not self._work.opaque:
            begun = self._work.start(value, batch.slot)
        else:
            with observe.noting(batch.noted):
                begun = self._work.start(value, batch.slot)
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
                    with self._turn:
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
