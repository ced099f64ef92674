"""Where items wait for a batch, and from where batches go: what comes, goes, ends and is left.

In: items of callers on any thread, ends of batches from any thread. Out: batches that are started,
and callers that are told. A change is appended to an inbox, and the thread that comes makes all
that are there, as the runtime's queue does (docs/design/run-path.md): neither a finalizer nor
Ctrl-C leaves a change half made. No thread is needed for that, and none ever waits for another but
for the moment in which a change is made. How a batch is computed is not known here.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from threading import get_ident
from time import perf_counter
from typing import Any, Protocol

from treadle.attendant import Attendant
from treadle.batching.patience import Patience
from treadle.batching.report import BatchStats
from treadle.batching.stacking import WrongCount
from treadle.batching.telling import CallerWaits, Telling, tell_all
from treadle.batching.waitlist import Item, Waitlist
from treadle.errors import (
    CommandCancelled,
    CommandTimeout,
    DeviceError,
    DeviceLost,
    OutOfMemory,
    copied,
)

__all__ = ["BatchWork", "Desk", "Gathered"]

_IDLE = 1.0  # seconds after which a thread that goes on for an interrupted one ends


class BatchWork(Protocol):
    """A way to compute a batch."""

    def start(self, batch: Gathered) -> None:
        """Begin to compute a batch; its `end` is called once, by whatever thread."""
        ...

    def abandon(self, batch: Gathered) -> None:
        """Take note that no caller wants the batch any more."""
        ...


class Gathered:
    """Items that are computed together."""

    __slots__ = ("_desk", "began", "items", "progress", "retried", "size", "started")

    def __init__(self, desk: Desk, items: Sequence[Item], *, retried: bool = False) -> None:
        self._desk = desk
        self.items = tuple(items)
        self.size = sum([item.size for item in items])
        self.began = 0.0
        self.started = False
        self.retried = retried  # it is a part of one that failed
        self.progress: Any = None  # what its work knows of it
        at = 0
        for index, item in enumerate(items):
            item.part = index
            if desk.rows:
                item.part = slice(at, at + item.size)
                at += item.size

    @property
    def key(self) -> Any:
        """What its items have in common."""
        return self.items[0].key

    @property
    def count(self) -> int:
        """How many results it has: one for each item, or for each row."""
        return self.size if self._desk.rows else len(self.items)

    @property
    def rank(self) -> int:
        """How urgent the most urgent of its items is."""
        return min([item.rank for item in self.items])

    @property
    def wanted(self) -> bool:
        """Whether a caller still waits for it."""
        return not all([item.left for item in self.items])

    def end(self, result: Any = None, error: BaseException | None = None) -> None:
        """Take note of what came of it; once more does nothing."""
        self._desk.tell(self._desk.end, self, result, error)


class Desk:
    """The items of one function that may share batches, and the batches under way."""

    def __init__(
        self,
        name: str,
        work: BatchWork,
        stats: BatchStats,
        *,
        max_size: int,
        max_delay: float,
        max_in_flight: int,
        rows: bool = False,
        retry: bool = True,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self.name = name
        self.rows = rows
        self.clock = clock
        self.max_in_flight = max_in_flight
        self.closing = False
        self._work = work
        self._stats = stats
        self._max_size = max_size
        self._max_delay = max_delay
        self._retry = retry
        self._patience = Patience(max_size, max_delay)
        self._waitlist = Waitlist()
        self._waiting: set[Item] = set()  # taken note of, and in no batch yet
        self._running: dict[Gathered, None] = {}
        self._again: dict[Gathered, list[list[Item]]] = {}  # what failed, in parts to try again
        self._ready: deque[Gathered] = deque()  # to be started
        self._inbox: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self._arrivals: deque[Item] = deque()  # accepted; apart, because there are many
        self._lock = threading.Lock()
        self._inside: set[int] = set()  # the threads that make changes or start batches
        self._broken = False  # Ctrl-C broke a change off
        self._rescue = Attendant(f"treadle-{name}-later", self._go_on, idle=_IDLE)
        self.looks_at = math.inf  # when there is something to do, if nothing comes before
        self._telling: Telling | None = None  # the callers of the last batch, not all of them yet
        self.idle: list[CallerWaits] = []  # told when nothing waits and nothing is under way

    @property
    def is_here(self) -> bool:
        """Whether this thread is at it: a finalizer that waits would wait for itself."""
        return get_ident() in self._inside

    @property
    def calm(self) -> bool:
        """Whether nothing is there, callers come one by one, and a batch is done in no time: the
        next need not wait for others that may come in the same round of an event loop."""
        return self._patience.calm and self.empty

    @property
    def waiting(self) -> int:
        """How many items were accepted and are in no batch yet."""
        return len(self._waiting) + len(self._arrivals)

    @property
    def empty(self) -> bool:
        """Whether nothing waits and nothing is under way."""
        return not (self.waiting or self._running or self._again or self._inbox)

    def tells(self, loop: Any) -> bool:
        """Whether tasks of a loop have yet to run that had the last batch's results, and no batch
        is full before they do."""
        telling = self._telling
        return telling is not None and telling.goes_on_in(loop) and self.waiting < self._max_size

    @property
    def duration(self) -> float:
        """Seconds that a batch usually takes."""
        return self._patience.duration

    # What callers do.

    def add(self, item: Item) -> None:
        """Accept an item; `advance` must follow, at once or soon.

        In one step: of an item that only one of two tables knew, because Ctrl-C came between them,
        closing would wait for the end."""
        self._arrivals.append(item)

    def leave(self, item: Item) -> None:
        """Take note that an item's caller no longer waits."""
        item.left = True
        self.tell(self._left, item)

    def tell(self, change: Callable[..., None], *about: Any) -> None:
        """Have a change made; on return it is, unless a finalizer interrupts one that goes on."""
        self._inbox.append((change, about))
        self.advance()

    def advance(self, most: int = sys.maxsize) -> None:
        """Make the changes that came, and start what is ready, but no more batches than `most`: an
        event loop has other things to do, and looks again in its next round."""
        me = get_ident()
        if me in self._inside:
            return  # below on this very stack it goes on
        try:
            self._inside.add(me)
            self._hold(most)
            self._inside.discard(me)
        except BaseException:
            self._broken = True  # with the C call behind it, one step that no second Ctrl-C breaks
            self._inside.discard(me)
            self._leave_to_others()
            raise
        if self._inbox or self._arrivals:  # a finalizer's, since the last look
            self.advance(most)

    def _leave_to_others(self) -> None:
        """Have another thread go on, after this one was interrupted."""
        with contextlib.suppress(DeviceError):  # no thread can be had: the next caller goes on
            self._rescue.call()

    def _go_on(self) -> bool:
        self.advance()
        return False

    def _hold(self, most: int) -> None:
        while True:
            with self._lock:
                if self._broken:
                    self._broken = False
                    self._mend()
                while self._inbox:
                    change, about = self._inbox[0]
                    change(*about)
                    self._inbox.popleft()
                if self._arrivals:
                    self._come()
                most -= min(self._gather(most), most)
            while self._ready:
                try:
                    batch = self._ready.popleft()
                except IndexError:  # another thread was faster
                    break
                self._start(batch)
            if not self._inbox and not self._arrivals:
                break
        if self.idle and self.empty:
            tell_all(list(self.idle))

    def _start(self, batch: Gathered) -> None:
        try:
            batch.started = True
            self._work.start(batch)
        except Exception as error:
            self._inbox.append((self.end, (batch, None, error)))
        except BaseException:
            self._inbox.append((self._interrupted, (batch,)))
            raise

    # Changes. Each may be made again from its beginning, if Ctrl-C broke it off.

    def _mend(self) -> None:
        self._waitlist.mend()
        for batch in self._running:
            self._note(batch)
            if not batch.started and batch not in self._ready:
                self._ready.append(batch)

    def _come(self) -> None:
        """Have the items wait that arrived."""
        arrivals, put = self._arrivals, self._waitlist.put
        first, before = arrivals[0].came, self._there()
        last = first
        while arrivals:
            item = arrivals[0]
            if item.left or item.settled or item.batch is not None:
                self._waiting.discard(item)
            else:
                self._waiting.add(item)
                put(item)
                last = item.came
            arrivals.popleft()
        there = self._there()
        if there > before:
            self._patience.came(first, last, there - before, there)

    def _left(self, item: Item) -> None:
        if not item.settled:
            self._stats.left()
        self._waitlist.drop(item)
        self._waiting.discard(item)
        batch = item.batch
        if batch in self._running and not batch.wanted:
            self._work.abandon(batch)

    def end(self, batch: Gathered, result: Any, error: BaseException | None) -> None:
        """Tell the callers of a batch, or have parts of it tried again."""
        if batch not in self._running:
            return
        now = self.clock()
        parts = [] if error is None else self._parts(batch, error)
        self._patience.ended(now - batch.began, self._there() - len(batch.items))
        self._stats.ended(batch, now, error, again=bool(parts))  # first: callers may ask for it
        if parts:
            self._again[batch] = parts
        else:
            self._telling = Telling(self._told)
            self._settle(batch.items, result, error, self._telling)
        batch.progress = None  # nothing is left to the garbage collector
        for item in batch.items:
            item.batch = None
        self._running.pop(batch, None)

    def _told(self, telling: Telling) -> None:
        """Take note that the callers of a batch have run, and come again if they were going to."""
        if self._telling is telling:
            self._telling = None
            self.advance(most=1)

    def _interrupted(self, batch: Gathered) -> None:
        """Have a batch tried again that Ctrl-C kept from being started."""
        if batch in self._running:
            self._again[batch] = [list(batch.items)]
            self._running.pop(batch, None)

    def drop(self) -> None:
        """Refuse what is in no batch yet."""
        for item in (*self._waiting, *self._arrivals):
            self._fail(item, CommandCancelled(f"{self.name} was closed before it took this item"))

    def _fail(self, item: Item, error: BaseException) -> None:
        self._settle((item,), None, error)
        self._waitlist.drop(item)
        self._waiting.discard(item)

    def _there(self) -> int:
        return len(self._waitlist) + sum([len(batch.items) for batch in self._running])

    def _parts(self, batch: Gathered, error: BaseException) -> list[list[Item]]:
        """What of a batch that failed is to be tried again, and in which parts."""
        left = [item for item in batch.items if not item.left]
        if not self._retry or not isinstance(error, Exception) or _hopeless(error):
            return []
        if len(left) < len(batch.items):  # what is left may be what was good
            return [left] if left else []
        if len(left) < 2:
            return []
        half = len(left) // 2
        return [left[:half], left[half:]]

    def _settle(
        self,
        items: Sequence[Item],
        result: Any,
        error: BaseException | None,
        telling: Telling | None = None,
    ) -> None:
        for item in items:
            if item.left or item.settled:
                continue
            if error is not None:
                item.error = error
                if len(items) > 1:  # raising hangs frames on an error: each has its own
                    item.error = copied(error).with_traceback(error.__traceback__)
            item.result = result
            item.leaves = None
            item.settled = True
        # All, also those that were settled before: should Ctrl-C come in between, a waiter is told
        # twice, and minds it not.
        waiters = [item.waiter for item in items if item.waiter is not None and not item.left]
        tell_all(waiters, telling)

    # Which batch goes, and when.

    def _gather(self, most: int) -> int:
        """Decide what goes now, at most so many batches, and when to look again; return how many
        go."""
        self.looks_at = math.inf
        before = len(self._ready)
        # All that is to be tried again: it waits for no time at which a caller would look.
        while self._again and len(self._running) < self.max_in_flight:
            failed, parts = next(iter(self._again.items()))
            items = [item for item in parts[0] if not item.left]
            if items:
                self._go(Gathered(self, items, retried=True))
            if len(parts) > 1:
                self._again[failed] = parts[1:]
            else:
                del self._again[failed]
        if len(self._waitlist) and not self._again:
            now, alone = self.clock(), not self._running
            if not most:
                self.looks_at = now
            room = min(self.max_in_flight, len(self._running) + most)
            for key in self._waitlist.in_order():
                self._gather_of(key, now, alone, room)
        return len(self._ready) - before

    def _gather_of(self, key: Any, now: float, alone: bool, room: int) -> None:
        """Have items of a key go, where there are enough or the first has waited long enough."""
        waitlist = self._waitlist
        while len(self._running) < room and waitlist.has(key):
            if waitlist.size_of(key) < self._max_size and not self.closing:
                oldest = waitlist.oldest_of(key)
                goes_at = oldest + self._max_delay
                if alone:
                    goes_at = min(goes_at, self._patience.goes_at(oldest, len(waitlist)))
                if self._telling is not None and self._telling.goes_on:
                    goes_at = max(goes_at, self._patience.returns_by(oldest, len(waitlist)))
                if goes_at > now:
                    self.looks_at = min(self.looks_at, goes_at)
                    return
            items = waitlist.next_of(key, self._max_size)
            late = [item for item in items if item.due < now]
            for item in late:
                self._stats.late()
                self._fail(item, self._lateness(item, now))
            good = [item for item in items if item.due >= now]
            if good:
                self._go(Gathered(self, good))

    def _lateness(self, item: Item, now: float) -> CommandTimeout:
        return CommandTimeout(
            f"{self.name}: the item was not taken up within {now - item.came:.3g} s, its deadline"
        )

    def _go(self, batch: Gathered) -> None:
        batch.began = self.clock()
        self._running[batch] = None
        self._ready.append(batch)
        self._note(batch)

    def _note(self, batch: Gathered) -> None:
        """Have the items of a batch wait no more."""
        for item in batch.items:
            item.batch = batch
        self._waitlist.drop_all(batch.items)
        self._waiting.difference_update(batch.items)

    def release(self) -> None:
        """End the thread that went on for an interrupted one, if there was one."""
        self._rescue.dismiss()

    def reset_after_fork(self) -> None:
        """Forget what other threads had begun, in a process in which they do not exist."""
        error = DeviceLost(f"{self.name}: the process forked while the item waited")
        taken = [item for batch in self._running for item in batch.items]
        for item in (*self._waiting, *self._arrivals, *taken):
            item.error, item.settled = error, True
        self._lock = threading.Lock()
        self._waitlist = Waitlist()
        self._rescue.reset_after_fork()
        self._telling = None
        for table in (self._waiting, self._running, self._again, self._ready):
            table.clear()
        self._inbox.clear()
        self._arrivals.clear()
        self._inside.clear()


def _hopeless(error: BaseException) -> bool:
    """Whether a failure is none of an item's: a device that is gone, a function that gives another
    number of results than it got items."""
    link: BaseException | None = error
    while link is not None:
        lost = isinstance(link, DeviceError) and not isinstance(link, OutOfMemory)
        if lost or isinstance(link, (WrongCount, CommandCancelled)):
            return True
        link = link.__cause__
    return False
