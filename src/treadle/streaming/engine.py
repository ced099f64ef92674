"""The machinery of a stream: threads that feed the device, call what computes, and collect.

In: a source, what to do with its batches, and how many may be under way. Out: batches that have
landed, in order, to the consumer. Where handing over costs more than it hides, the consumer feeds
the device itself. Closing stops the source, drops what has not started, waits for what has, and
leaves neither threads nor buffers nor tasks; but for a thread whose source does not give.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import itertools
import threading
import weakref
from collections.abc import Callable
from functools import partial
from time import perf_counter_ns
from typing import Any

from treadle.attendant import start
from treadle.errors import CommandError
from treadle.runtime import observe
from treadle.runtime.command import Command
from treadle.runtime.device import Device, use_device
from treadle.streaming.batch import Batch, Handling
from treadle.streaming.buffers import Carrier
from treadle.streaming.compute import Compute
from treadle.streaming.coroutines import Bridge
from treadle.streaming.source import BatchSource, Latest, join
from treadle.streaming.stats import Stats
from treadle.streaming.tuning import Shortcut
from treadle.streaming.window import Closed, Window

__all__ = ["Engine"]

_number = itertools.count(1).__next__


class Engine:
    """One run of a stream."""

    def __init__(
        self,
        device: Device,
        source: BatchSource | Latest,
        make_compute: Callable[[Callable[[], None]], Compute],
        stats: Stats,
        *,
        prepare: Callable[[Any], Any] | None,
        collect: Callable[[Any], Any] | None,
        depth: int,
        max_bytes: int | None,
        ordered: bool,
        copy: bool,
        workers: int,
        deadline: float | None,
        loop: asyncio.AbstractEventLoop | None,
    ) -> None:
        self.name = f"treadle-stream-{_number()}"
        self.stats = stats
        self.bridge = Bridge(loop, self.name)
        self._device = device
        self._source = source
        self._workers = workers
        self._collects = collect is not None
        self._window = Window(
            depth=depth, max_bytes=max_bytes, ordered=ordered, collects=self._collects
        )
        self._carrier = Carrier(device, self._window.pause, copy=copy)
        self._compute = make_compute(self._window.pause)
        self._handling = Handling(
            self.name,
            self._carrier,
            self._compute,
            self.bridge,
            stats,
            prepare=prepare,
            collect=collect,
            deadline=deadline,
            workers=workers,
        )
        possible = (
            loop is None  # feeding takes moments, but an event loop has none to spare
            and prepare is None
            and collect is None
            and self._compute.direct
            and source.at_hand
        )
        self._short = Shortcut(possible=possible)
        # A function may take as long as it likes: threads of its own call it, where the feeders
        # have something else to do meanwhile. Not where only the newest batch counts: one that is
        # prepared ahead grows old while it waits for the function.
        ahead = not (source.drops or (prepare is None and source.at_hand))
        self._calls = self._compute.blocks and ahead
        self._consuming = 0  # nanoseconds that the consumer took over its last result
        self._context = contextvars.copy_context()
        self._lock = threading.RLock()
        self._feeders = 0  # threads that have not ended
        self._ending = threading.RLock()  # of the thread that releases; other closers wait
        self._releasing = self._released = False
        self._busy = partial(_held, weakref.ref(self))  # the device does not keep it alive
        self._threads: list[threading.Thread] = []
        # Whose source does not give: they have nothing, end when it does, and close it then.
        self._left: set[threading.Thread] = set()

    @property
    def depth(self) -> int:
        """How many batches may be under way."""
        return self._window.depth

    def set_depth(self, depth: int) -> None:
        """Change how many batches may be under way."""
        if depth != self._window.depth:
            self._window.look_again(depth)

    # Threads.

    def start(self) -> None:
        """Start the threads, unless the consumer can do without; afterwards only close ends it."""
        self._device.queue.waits.busy.append(self._busy)
        if self._compute.opaque:
            observe.attend(self, True)
        self._context.run(use_device(self._device).__enter__)
        if not self._short.active:
            self._start_threads()

    def _start_threads(self) -> None:
        self._source.begin(self.bridge)
        self._feeders = self._workers
        jobs = [("prepare", self._feed)] * self._workers
        if self._calls:
            jobs += [("compute", self._call)] * self._workers
        if self._collects:
            jobs += [("collect", self._gather)] * self._workers
        for number, (name, job) in enumerate(jobs):
            run = partial(self._context.copy().run, self._serve, job)
            start(f"{self.name}-{name}-{number}", run, self._threads.append)

    @staticmethod
    def _serve(job: Callable[[], None]) -> None:
        with contextlib.suppress(Closed):
            job()

    # From the source to the device.

    def _feed(self) -> None:
        try:
            while self._feed_one(self._consumer_feeds):
                pass
        finally:
            with self._lock:
                self._feeders -= 1
                last = not self._feeders
            if last:
                self._window.end_source()

    def _feed_one(self, others: Callable[[], bool]) -> bool:
        """Take one batch on its way; false if there is none, and will be none."""
        batch = self._next(others)
        if batch is None:
            return False
        began = batch.asked
        self._advance(batch)
        if not self._source.at_hand:
            for upload in batch.lent:  # the source may fill these arrays again when it is asked
                _drain(upload)
        self._observe(batch, began)
        return True

    def _next(self, others: Callable[[], bool]) -> Batch | None:
        """Wait for room and take a batch from the source; None at its end."""
        window = self._window
        if not window.ask(others):
            return None
        batch = None
        began = perf_counter_ns()
        try:
            found = self._source.next(self.bridge)
            if found is not None:
                index, born, item = found
                batch = Batch(index, window.came, item, window.land)
                del item, found
                batch.asked, batch.pulling = began, born or began
                batch.pulled = perf_counter_ns()
        except BaseException as error:
            batch = Batch(self._source.count, window.came, None, window.land)
            batch.asked = batch.pulling = perf_counter_ns()
            batch.phase, batch.error = "source", error
        return batch if window.enter(batch) else None

    def _advance(self, batch: Batch) -> None:
        """Prepare a batch and have it computed; whatever fails, it lands."""
        try:
            if batch.error is None:
                self._handling.expire(batch)
                self._handling.prepare(batch)
                batch.nbytes = self._carrier.nbytes(batch.value[0])
                self._window.admit(batch, batch.nbytes + self.stats.returned)
                self._handling.expire(batch)
                self._handling.load(batch)
        except BaseException as error:
            batch.fail(error)
        if self._calls and batch.error is None:
            self.stats.working_on(-1)
            self._window.hand_over(batch)
        else:
            self._start(batch)

    def _call(self) -> None:
        while (batch := self._window.loaded()) is not None:
            self._start(batch)
            self._window.computed(batch)
            del batch

    def _start(self, batch: Batch) -> None:
        """Start a batch's computation; whatever fails, it lands."""
        try:
            if batch.error is None and not self._handling.start(batch):
                return  # a coroutine computes it; it goes on from there
        except BaseException as error:
            batch.fail(error)
        self.stats.working_on(-1)
        batch.watch()

    # The feeders or the consumer.

    def _consumer_feeds(self) -> bool:
        return self._short.active

    def _observe(self, batch: Batch, began: int) -> None:
        """Decide whether the consumer feeds the next batch, from how this one went."""
        before, ended = self._short.active, batch.landed
        after = self._short.observe(
            (ended or began) - began, self._consuming, ended=ended > 0 and batch.error is None
        )
        if after is before:
            return
        if not (after or self._threads or self._window.closing):
            self._start_threads()
        self._window.look_again()

    def _drive(self) -> None:
        """Feed one batch on the consumer's own thread."""
        self._context.run(self._feed_one, _never)

    # From the device to the consumer.

    def _gather(self) -> None:
        while (batch := self._window.arrived()) is not None:
            self._handling.finish(batch)
            self._window.collected(batch)
            del batch

    def take(self) -> Batch | None:
        """Block until the next batch is there, and return it; None at the end."""
        self._consuming = self.stats.asked()
        while True:
            if self._short.active:
                self._window.drive(self._drive)
            batch = self._window.take(self._consumer_feeds)
            if batch is not False:
                return self._taken(batch)

    async def take_async(self) -> Batch | None:
        """Return the next batch, suspending the task until it is there; None at the end."""
        self._consuming = self.stats.asked()
        return self._taken(await self._window.take_async())

    def _taken(self, batch: Any) -> Batch | None:
        if batch is not None:
            if not self._collects:
                self._handling.finish(batch)
            self.stats.delivered(batch, self._handling.deadline)
        return batch  # type: ignore[no-any-return]

    # The end.

    def held_here(self) -> bool:
        """Whether this thread holds a lock that closing needs, or a thread that closing waits for:
        then a finalizer runs, and whatever it wants to wait for must not be waited for here."""
        alone = getattr(self._compute.alone, "_is_owned", None)
        return (
            self._window.held_here()
            or self._source.held_here()
            or self.bridge.held_here()
            or bool(self._lock._is_owned())  # type: ignore[attr-defined]
            or (alone is not None and alone())
        )

    @property
    def closed(self) -> bool:
        """Whether everything has been released."""
        return self._released

    def close(self) -> None:
        """Stop, drop what has not started, wait for what has, and release everything.

        Every step may be done again: what Ctrl-C interrupts, the next call completes."""
        self._window.close()
        self._source.stop()
        self.bridge.cancel()
        self._drop()
        self._window.rest()
        for thread in list(self._threads):
            if thread is threading.current_thread() or thread in self._left:
                continue
            if not join(thread, self._source):
                self._left.add(thread)
        self.bridge.settle()  # a coroutine may submit until it has ended
        self._drop()
        if not self.bridge.here:
            with self._ending:
                self._release()
        elif self._ending.acquire(blocking=False):  # else the other one may wait for this loop
            try:
                self._release()
            finally:
                self._ending.release()

    def _release(self) -> None:
        if self._releasing or self._released:  # a source may close its stream while it is closed
            return
        self._releasing = True
        try:
            for batch in self._window.live():
                for command in batch.everything():
                    _drain(command)
                batch.value.clear()
                batch.commands = []
                batch.outputs = batch.result = None
            self._window.clear()  # only now: what was drained has landed
            try:
                self._source.close(self.bridge)
            except Exception:  # the source's own
                self._let_go()
                raise
            self._let_go()
        finally:
            self._releasing = False

    def _let_go(self) -> None:
        self.bridge.close()
        observe.attend(self, False)
        with contextlib.suppress(ValueError):  # it was done before, and Ctrl-C came
            self._device.queue.waits.busy.remove(self._busy)
        self._released = True

    def _drop(self) -> None:
        """Cancel what has not started, the newest first: none fails because of another."""
        for batch in reversed(self._window.live()):
            for command in reversed(batch.everything()):
                command.cancel()


def _held(engine: weakref.ref[Engine]) -> bool:
    found = engine()
    return found is not None and found.held_here()


def _never() -> bool:
    return False


def _drain(command: Command) -> None:
    with contextlib.suppress(CommandError):
        command.wait()
