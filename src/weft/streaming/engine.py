"""The machinery of a stream: threads that feed the device and collect from it, and their order.

In: a source, what to do with its batches, and how many may be under way. Out: batches that have
landed, in order, to whoever asks. A batch counts as under way from the moment it is taken from the
source until the consumer has it; that bounds everything. Closing stops the source, drops what has
not started, waits for what has, and leaves neither threads nor buffers nor tasks.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import itertools
import threading
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

from weft.errors import CommandError
from weft.runtime import observe
from weft.runtime.command import Command
from weft.runtime.device import Device, use_device
from weft.streaming.batch import Batch
from weft.streaming.carrier import Carrier, Slot
from weft.streaming.handling import Handling
from weft.streaming.loops import Bridge
from weft.streaming.shortcut import Shortcut
from weft.streaming.source import Latest, Source, join
from weft.streaming.stats import Stats
from weft.streaming.work import Work

__all__ = ["Engine"]

_number = itertools.count(1).__next__
_RETRY = 0.001  # seconds until a full queue is tried again, unless a batch lands before


class Closed(BaseException):
    """Raised in a stream's threads to end them."""


class Engine:
    """One run of a stream."""

    def __init__(
        self,
        device: Device,
        source: Source | Latest,
        make_work: Callable[[Callable[[], None]], Work],
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
        self.name = f"weft-stream-{_number()}"
        self.depth = depth
        self.stats = stats
        self.bridge = Bridge(loop, self.name)
        self._device = device
        self._source = source
        self._collects = collect is not None
        self._max_bytes = max_bytes
        self._ordered = ordered
        self._carrier = Carrier(device, self._pause, copy=copy)
        self._work = make_work(self._pause)
        self._handling = Handling(
            self.name,
            self._carrier,
            self._work,
            self.bridge,
            stats,
            prepare=prepare,
            collect=collect,
            deadline=deadline,
        )
        self._lock = threading.Lock()
        self._room = threading.Condition(self._lock)
        self._arrivals = threading.Condition(self._lock)  # for collectors
        self._ready = threading.Condition(self._lock)  # for the consumer
        self._sleeper: asyncio.Future[None] | None = None
        self._pulling = False  # one at a time takes from the source
        self._live: dict[int, Batch] = {}  # taken from the source and not yet by the consumer
        self._under_way = 0  # those, and one that is about to be taken
        self._landed: dict[int, Batch] = {}
        self._done: dict[int, Batch] = {}
        self._collecting = self._taking = 0  # next in order
        self._held = 0  # bytes
        self._slots: list[Slot] = []
        self._every_slot: list[Slot] = []
        self._feeders = self._collectors = 0  # threads that have not ended
        self._came = 0  # batches from the source
        self._total: int | None = None  # the same, once it has ended
        self._closing = False
        self._cleaned = self._released = False
        self._threads: list[threading.Thread] = []
        # Whose source does not give: they have nothing, end when it does, and close it then.
        self._left: set[threading.Thread] = set()
        self._workers = workers
        possible = (
            loop is None  # what it does takes moments, but an event loop waits for nobody
            and prepare is None
            and collect is None
            and self._work.direct
            and source.at_hand
        )
        self._short = Shortcut(possible=possible)
        self._context = contextvars.copy_context()
        self._driving: int | None = None  # the consumer's thread, while it feeds
        self._consuming = 0  # nanoseconds that it took over the last result

    # Threads.

    def start(self) -> None:
        """Start the threads, unless the consumer can do without; afterwards only close ends it."""
        if self._work.opaque:
            observe.attend(1)
        self._context.run(use_device(self._device).__enter__)
        if not self._short.active:
            self._start_threads()

    def _start_threads(self) -> None:
        workers = self._workers
        with self._lock:
            self._feeders = workers
            self._collectors = workers if self._collects else 0
        jobs = [("prepare", self._feed)] * workers
        jobs += [("collect", self._gather)] * self._collectors
        for number, (name, job) in enumerate(jobs):
            thread = threading.Thread(
                target=self._context.copy().run,
                args=(self._serve, job),
                name=f"{self.name}-{name}-{number}",
                daemon=True,
            )
            thread.start()
            self._threads.append(thread)

    def _serve(self, job: Callable[[], None]) -> None:
        with contextlib.suppress(Closed):
            job()

    # From the source to the device.

    def _feed(self) -> None:
        try:
            while self._feed_one():
                pass
        finally:
            with self._lock:
                self._feeders -= 1
                if not self._feeders and self._total is None:
                    self._total = self._came
                self._arrivals.notify_all()
                self._announce()

    def _next(self, *, short: bool = False) -> Batch | None:
        """Wait for room and take a batch from the source; None at its end."""
        with self._lock:
            while (
                not self._closing
                and self._total is None
                and (
                    self._pulling
                    or self._under_way >= self.depth
                    or (self._short.active and not short)
                )
            ):
                self._room.wait()
            if self._closing or self._total is not None:
                return None
            self._pulling = True
            self._under_way += 1
        batch = None
        began = perf_counter_ns()
        try:
            found = self._source.next(self.bridge)
            if found is not None:
                index, born, item = found
                batch = Batch(index, self._came, item, self._land)
                del item, found
                batch.asked, batch.pulling = began, born or began
                batch.pulled = perf_counter_ns()
        except BaseException as error:
            batch = Batch(self._source.count, self._came, None, self._land)
            batch.asked = batch.pulling = perf_counter_ns()
            batch.phase, batch.error = "source", error
        with self._lock:
            self._pulling = False
            if self._is_closing():  # perhaps long ago: nobody waits for it
                return None
            if batch is None:
                self._under_way -= 1
            else:
                self._live[batch.order] = batch
                self._came += 1
            if batch is None or batch.error is not None:
                self._total = self._came
            if self._workers > 1:
                self._room.notify_all()
        return batch

    def _advance(self, batch: Batch) -> None:
        """Prepare a batch and start its computation; whatever fails, it lands."""
        try:
            if batch.error is None:
                self._handling.expire(batch)
                self._handling.prepare(batch)
                self._admit(batch)
                self._handling.expire(batch)
                begun = self._handling.start(batch)
                if begun is None:
                    return  # a coroutine computes it; it goes on from there
                self._handling.bring(batch, begun)
        except BaseException as error:
            batch.fail(error)
        self.stats.working_on(-1)
        batch.watch()

    def _admit(self, batch: Batch) -> None:
        """Wait until the batch's bytes have room; the oldest one under way always has."""
        batch.nbytes = self._carrier.nbytes(batch.value[0])
        with self._lock:
            expected = batch.nbytes + self.stats.returned
            while (
                self._max_bytes is not None
                and self._held + expected > self._max_bytes
                and next(iter(self._live)) != batch.order
                and not self._closing
            ):
                self._room.wait()
            if self._closing:
                raise Closed
            batch.charge = expected
            self._held += expected
            batch.slot = self._slots.pop() if self._slots else self._new_slot()

    def _new_slot(self) -> Slot:
        slot = Slot()
        self._every_slot.append(slot)
        return slot

    def _pause(self) -> None:
        """Wait a moment for room in the device's queue."""
        with self._lock:
            if self._closing:
                raise Closed
            self._room.wait(_RETRY)

    def _land(self, batch: Batch) -> None:
        """Take note that the device has done with a batch; called from any thread."""
        with self._lock:
            self._landed[batch.order] = batch
            if batch.slot is not None:
                self._slots.append(batch.slot)
                batch.slot = None
            if self._collects:
                self._arrivals.notify_all()
            else:
                self._announce()

    def _observe(self, batch: Batch, began: int) -> None:
        """Decide who feeds the next batch, from how this one went."""
        before = self._short.active
        ended = batch.landed
        now = self._short.observe(
            (ended or began) - began, self._consuming, ended=ended > 0 and batch.error is None
        )
        if now is not before:
            self._change_hands()

    def _change_hands(self) -> None:
        """Have the feeder go on where the consumer no longer feeds, or the other way round."""
        if not (self._short.active or self._threads or self._closing):
            self._start_threads()
        with self._lock:
            self._room.notify_all()
            self._announce()

    def _is_closing(self) -> bool:
        return self._closing

    def _drive(self) -> None:
        """Feed one batch on the consumer's own thread, if none is under way."""
        with self._lock:
            if self._under_way or self._pulling or self._closing:
                return
            self._driving = threading.get_ident()
        try:
            self._context.run(self._feed_one, short=True)
        finally:
            with self._lock:
                self._driving = None
                if self._is_closing():
                    self._ready.notify_all()

    def _feed_one(self, *, short: bool = False) -> bool:
        """Take one batch on its way; false at the end of the source."""
        batch = self._next(short=short)
        if batch is None:
            return False
        began = batch.asked
        self._advance(batch)
        self._observe(batch, began)
        return True

    # From the device to the consumer.

    def _gather(self) -> None:
        try:
            while (batch := self._arrived()) is not None:
                self._handling.finish(batch)
                with self._lock:
                    self._done[batch.order] = batch
                    self._announce()
                del batch
        finally:
            with self._lock:
                self._collectors -= 1
                self._announce()

    def _arrived(self) -> Batch | None:
        """Wait for a batch to collect; None when there will be none."""
        with self._lock:
            while True:
                if self._closing:
                    return None
                batch = self._pick(self._landed, self._collecting)
                if batch is not None:
                    self._collecting += 1
                    return batch
                if self._total is not None and self._collecting >= self._total:
                    return None
                self._arrivals.wait()

    def _pick(self, ready: dict[int, Batch], next_in_order: int) -> Batch | None:
        if self._ordered:
            return ready.pop(next_in_order, None)
        return ready.pop(next(iter(ready))) if ready else None

    def _announce(self) -> None:
        """Wake the consumer; needs the lock."""
        self._ready.notify()
        sleeper, self._sleeper = self._sleeper, None
        if sleeper is not None:
            with contextlib.suppress(RuntimeError):  # its loop is closed: nobody waits there
                sleeper.get_loop().call_soon_threadsafe(settle, sleeper)

    def _take(self) -> Batch | bool | None:
        """The next batch, None at the end, False if it has to be waited for; needs the lock."""
        if self._closing:
            return None
        ready = self._done if self._collects else self._landed
        batch = self._pick(ready, self._taking)
        if batch is not None:
            self._taking += 1
            self._live.pop(batch.order)
            self._under_way -= 1
            self._held -= batch.charge
            self._room.notify_all()
            return batch
        ended = self._total is not None and self._taking >= self._total
        return None if ended else False

    def take(self) -> Batch | None:
        """Block until the next batch is there, and return it; None at the end."""
        self._consuming = self.stats.asked()
        while True:
            if self._short.active:
                self._drive()
            with self._lock:
                while (batch := self._take()) is False and not self._idle():
                    self._ready.wait()
            if batch is not False:
                return self._taken(batch)

    def _idle(self) -> bool:
        """Whether nothing is under way, and it is for the consumer to change that."""
        return self._short.active and not self._under_way

    async def take_async(self) -> Batch | None:
        """Return the next batch, suspending the task until it is there; None at the end."""
        self._consuming = self.stats.asked()
        while True:
            with self._lock:
                batch = self._take()
                if batch is False:
                    future = asyncio.get_running_loop().create_future()
                    self._sleeper = future
            if batch is not False:
                return self._taken(batch)
            await future

    def _taken(self, batch: Any) -> Batch | None:
        if batch is not None:
            if not self._collects:
                self._handling.finish(batch)
            self.stats.delivered(batch, self._handling.deadline)
        return batch  # type: ignore[no-any-return]

    def set_depth(self, depth: int) -> None:
        """Change how many batches may be under way."""
        if depth != self.depth:
            with self._lock:
                self.depth = depth
                self._room.notify_all()

    # The end.

    @property
    def closed(self) -> bool:
        """Whether everything has been released."""
        return self._released

    def close(self) -> None:
        """Stop, drop what has not started, wait for what has, and release everything."""
        with self._lock:
            self._closing = True
            for condition in (self._room, self._arrivals, self._ready):
                condition.notify_all()
            self._announce()
        self._source.stop()
        self.bridge.cancel()
        self._drop()
        here = threading.current_thread()
        with self._lock:
            while self._driving not in (None, here.ident):
                self._ready.wait()
        for thread in self._threads:
            if thread is here or thread in self._left:
                continue
            if not join(thread, self._source):
                self._left.add(thread)
        self.bridge.settle()  # a coroutine may submit until it has ended
        self._drop()
        with self._lock:
            if self._cleaned:
                return
            self._cleaned = True
            live, self._live = list(self._live.values()), {}
        for batch in live:
            for command in batch.everything():
                _drain(command)
            batch.value.clear()
            batch.commands = []
            batch.outputs = batch.result = None
        with self._lock:  # only now: what was drained has landed
            self._landed.clear()
            self._done.clear()
        for slot in self._every_slot:
            slot.free()
        self._slots.clear()
        try:
            self._source.close(self.bridge)
        finally:
            self.bridge.close()
            self._released = True
            if self._work.opaque:
                observe.attend(-1)

    def _drop(self) -> None:
        """Cancel what has not started, the newest first: none fails because of another."""
        with self._lock:
            live = list(self._live.values())
        for batch in reversed(live):
            for command in reversed(batch.everything()):
                command.cancel()


def _drain(command: Command) -> None:
    with contextlib.suppress(CommandError):
        command.wait()


def settle(future: asyncio.Future[None], error: BaseException | None = None) -> None:
    """End a wait, unless it was given up."""
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
