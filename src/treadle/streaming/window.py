"""The batches that are under way, in order: how many, where each is, and which threads wait for it.

In: batches as they come from the source, land, and are collected. Out: room for another one, the
next to collect, the next for the consumer. A batch counts from the moment it is asked for until the
consumer has it; that bounds everything. What is done with a batch is not known here.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any

from treadle.attendant import Bell
from treadle.streaming.batch import Batch
from treadle.streaming.buffers import Slot

__all__ = ["Closed", "Window", "settle"]

_RETRY = 0.001  # seconds until a full queue is tried again, unless a batch lands before


class Closed(BaseException):
    """Raised in a stream's threads to end them."""


class Window:
    """Everything under way in one stream; any thread may call it."""

    def __init__(self, *, depth: int, max_bytes: int | None, ordered: bool, collects: bool) -> None:
        self.depth = depth
        self.came = 0  # batches from the source
        self.closing = False
        self._max_bytes = max_bytes
        self._ordered = ordered
        self._collects = collects
        self._lock = threading.RLock()  # entered once only, but it knows by whom
        self._room = threading.Condition(self._lock)
        self._loads = threading.Condition(self._lock)  # for threads that compute
        # Collectors sleep without a Condition, too: `land`, which wakes them, takes no lock.
        self._arrivals = Bell()
        # The consumer sleeps without a Condition: Ctrl-C may come anywhere on its thread, and in
        # the middle of a Condition's wait it could leave the lock taken for ever.
        self._ready = Bell()
        self._drives = threading.RLock()  # the consumer's, while it feeds
        self._sleeper: asyncio.Future[None] | None = None
        self._pulling = False  # one at a time takes from the source
        self._live: dict[int, Batch] = {}  # taken from the source and not yet by the consumer
        self._under_way = 0  # those, and one that is about to be taken
        self._loaded: dict[int, Batch] = {}  # those that wait for a thread that computes
        self._fed = False  # whether nothing more will be loaded
        self._landed: dict[int, Batch] = {}
        self._done: dict[int, Batch] = {}
        self._collecting = self._taking = 0  # next in order
        self._held = 0  # bytes
        self._slots: list[Slot] = []
        self._every_slot: list[Slot] = []
        self._total: int | None = None  # batches that came, once the source has ended
        self._driving: int | None = None  # its thread, then

    # From the source to the device.

    def ask(self, others: Callable[[], bool]) -> bool:
        """Wait for room and for the source; false if there is nothing more to take.

        `others` says that another thread is to take the next batch."""
        me = threading.get_ident()
        with self._lock:
            while (
                not self.closing
                and self._total is None
                and (
                    self._pulling
                    or self._under_way >= self.depth
                    or others()
                    or self._driving not in (None, me)  # only the consumer could make room
                )
            ):
                self._room.wait()
            if self.closing or self._total is not None:
                return False
            self._pulling = True
            self._under_way += 1
            return True

    def enter(self, batch: Batch | None) -> bool:
        """After `ask`: add a batch, or None at the source's end; false if the stream was closed."""
        with self._lock:
            self._pulling = False
            if self.closing:  # perhaps long ago, while the source was waited for
                return False
            if batch is None:
                self._under_way -= 1
            else:
                self._live[batch.order] = batch
                self.came += 1
            if batch is None or batch.error is not None:
                self._total = self.came
            self._room.notify_all()
            return batch is not None

    def admit(self, batch: Batch, expected: int) -> None:
        """Wait until a batch's bytes have room; the oldest one under way always has."""
        with self._lock:
            while (
                self._max_bytes is not None
                and self._held + expected > self._max_bytes
                and next(iter(self._live)) != batch.order
                and not self.closing
            ):
                self._room.wait()
            if self.closing:
                raise Closed
            batch.charge = expected
            self._held += expected
            batch.slot = self._slots.pop() if self._slots else self._new_slot()

    def _new_slot(self) -> Slot:
        slot = Slot()
        self._every_slot.append(slot)
        return slot

    def pause(self) -> None:
        """Wait a moment for room in the device's queue."""
        with self._lock:
            if self.closing:
                raise Closed
            consumes = self._driving == threading.get_ident()
            if not consumes:
                self._room.wait(_RETRY)
        if consumes:  # and so sleeps as the consumer does
            self._ready.sleep(_RETRY)

    def end_source(self) -> None:
        """Take note that the last feeder has ended."""
        with self._lock:
            if self._total is None:
                self._total = self.came
            self._fed = True
            self._loads.notify_all()
            self._arrivals.ring()
            self._announce()

    def hand_over(self, batch: Batch) -> None:
        """Give a batch to a thread that computes; wait for that one only where a batch holds what
        others may change, because it is theirs again when its computation was started."""
        with self._lock:
            self._loaded[batch.order] = batch
            self._loads.notify()
            while batch.borrowed and not self.closing:
                self._room.wait()

    def loaded(self) -> Batch | None:
        """Wait for a batch to compute, the oldest first; None when there will be none."""
        with self._lock:
            while not self._loaded and not self._fed and not self.closing:
                self._loads.wait()
            if self.closing or not self._loaded:
                return None
            return self._loaded.pop(min(self._loaded))

    def computed(self, batch: Batch) -> None:
        """Take note that a batch's computation was started, and give back what it borrowed."""
        if batch.borrowed:
            with self._lock:
                batch.borrowed = False
                self._room.notify_all()

    def land(self, batch: Batch) -> None:
        """Take note that the device has done with a batch.

        Without the lock: threads of the device's call this, and must not wait for one that is in
        the middle of something here; a finalizer that interrupts that may wait for the device, or
        go on with its work and come here itself."""
        slot, batch.slot = batch.slot, None
        if slot is not None:
            self._slots.append(slot)
        self._landed[batch.order] = batch
        if self._collects:
            self._arrivals.ring()
        else:
            self._announce()

    # From the device to the consumer.

    def arrived(self) -> Batch | None:
        """Wait for a batch to collect; None when there will be none."""
        while True:
            with self._lock:
                batch = None if self.closing else self._pick(self._landed, self._collecting)
                if batch is not None:
                    self._collecting += 1
                ended = self._total is not None and self._collecting >= self._total
                if batch is not None or ended or self.closing:
                    if self._landed or ended or self.closing:
                        self._arrivals.ring()  # it wakes one, and there is something for others
                    return batch
            self._arrivals.sleep(-1)

    def collected(self, batch: Batch) -> None:
        """Hand a batch on to the consumer."""
        with self._lock:
            self._done[batch.order] = batch
            self._announce()

    def _pick(self, ready: dict[int, Batch], next_in_order: int) -> Batch | None:
        if self._ordered:
            return ready.pop(next_in_order, None)
        orders = list(ready)  # in one step: one may land meanwhile
        return ready.pop(orders[0]) if orders else None

    def _announce(self) -> None:
        """Wake the consumer; twice does no harm."""
        self._ready.ring()
        sleeper, self._sleeper = self._sleeper, None
        if sleeper is not None:
            with contextlib.suppress(RuntimeError):  # its loop is closed
                sleeper.get_loop().call_soon_threadsafe(settle, sleeper)

    def _take(self) -> Batch | bool | None:
        """The next batch, None at the end, False if it has to be waited for; needs the lock."""
        if self.closing:
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

    def take(self, feeds: Callable[[], bool]) -> Batch | bool | None:
        """Block until the next batch is there, and return it; None at the end.

        False: nothing is under way, and the consumer feeds, so that it has to change that."""
        while True:
            with self._lock:
                batch = self._take()
                if batch is not False or not (self._under_way or not feeds()):
                    return batch
            self._ready.sleep(-1)

    async def take_async(self) -> Batch | None:
        """Return the next batch, suspending the task until it is there; None at the end."""
        while True:
            future = asyncio.get_running_loop().create_future()
            with self._lock:
                self._sleeper = future  # before the look: a batch that lands later wakes it
                batch: Any = self._take()
                if batch is not False:
                    self._sleeper = None
                    return batch  # type: ignore[no-any-return]
            await future

    def drive(self, feed: Callable[[], object]) -> None:
        """Have the consumer feed, unless something is under way; closing waits for that."""
        with self._drives:
            try:
                with self._lock:
                    if self._under_way or self.closing:
                        return
                    self._driving = threading.get_ident()
                feed()
            finally:
                with self._lock:
                    self._driving = None
                    self._room.notify_all()

    def look_again(self, depth: int | None = None) -> None:
        """Wake the threads that wait for room or for a batch; perhaps at another depth."""
        with self._lock:
            self.depth = depth or self.depth
            self._room.notify_all()
            self._announce()

    # The end.

    def held_here(self) -> bool:
        """Whether this thread is in the middle of something here: then a finalizer runs."""
        return bool(self._lock._is_owned())  # type: ignore[attr-defined]

    def close(self) -> None:
        """Wake every thread that waits, and have none wait any more."""
        with self._lock:
            self.closing = True
            self._room.notify_all()
            self._loads.notify_all()
            self._arrivals.ring()
            self._announce()

    def rest(self) -> None:
        """Wait until the consumer does not feed, unless this is its thread."""
        with self._drives:
            pass

    def live(self) -> list[Batch]:
        """Return the batches that the consumer has not got."""
        with self._lock:
            return list(self._live.values())

    def clear(self) -> None:
        """Forget them, and free every set of buffers; nothing of theirs is in flight."""
        with self._lock:
            self._live.clear()
            self._loaded.clear()
            self._landed.clear()
            self._done.clear()
            self._slots.clear()
        for slot in self._every_slot:
            slot.free()  # again does no harm


def settle(future: asyncio.Future[None], error: BaseException | None = None) -> None:
    """End a wait, unless it was given up."""
    if future.done():
        return
    if error is None:
        future.set_result(None)
    else:
        future.set_exception(error)
