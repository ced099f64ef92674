"""A function of a batch as an awaitable of one item.

In: a function and what to bear in mind; then calls, from tasks of any event loops and from threads.
Out: to each call its own result or error, and a report. It checks what it is given and waits on
behalf of the caller; what waits for what is the desk's part, computing that of the work.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import contextvars
import math
import os
import weakref
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

from treadle.attendant import start
from treadle.batching.desk import Desk
from treadle.batching.options import check_options, check_timeout, name_of, only_begins, stored
from treadle.batching.report import BatchReport, BatchStats
from treadle.batching.stacking import described, divided, numeric
from treadle.batching.submitted import SubmittedWork, submission_of
from treadle.batching.telling import give_up
from treadle.batching.visits import LoopVisits
from treadle.batching.waitlist import Item
from treadle.batching.work import CalledWork, CoroutineWork, UserFunction
from treadle.errors import (
    CommandCancelled,
    CommandError,
    CommandTimeout,
    DeviceError,
    LaunchError,
    QueueFull,
)
from treadle.runtime.device import Device
from treadle.runtime.priority import Priority, rank
from treadle.runtime.shares import current as current_share
from treadle.runtime.waiters import Gate, loop_runs_here, refuse_trio
from treadle.streaming.coroutines import Bridge

__all__ = ["Batched"]

_LOOK = 0.1  # seconds between looks of a thread that waits, should it not be told

_opened: weakref.WeakSet[Batched] = weakref.WeakSet()  # told at exit and after a fork


class Batched:
    """A function of a batch, made by treadle.batched; awaiting a call gives one item's result.

    `await f(x)` is for tasks, `f.run(x)` for threads that wait. Calls may come from several event
    loops and threads at once."""

    def __init__(
        self,
        function: Any,
        *,
        max_size: int = 32,
        max_delay: float = 0.002,
        stack: bool = True,
        rows: bool = False,
        max_waiting: int = 4096,
        max_in_flight: int | None = None,
        timeout: float | None = None,
        priority: Priority | str | None = None,
        retry: bool = True,
        device: Device | str | None = None,
        params: Mapping[str, Any] | None = None,
        inputs: str | Sequence[str] | None = None,
        outputs: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> None:
        check_options(max_size, max_delay, max_waiting, max_in_flight, timeout)
        if rows and not stack:
            raise LaunchError("rows: expected stack=True, because rows are put into one array")
        submission = submission_of(function, params=params, inputs=inputs, outputs=outputs)
        if submission is None and not callable(function):
            raise LaunchError(
                "function: expected a function of a batch, a kernel or its name, or a pipeline, "
                f"got {function!r}"
            )
        if submission is not None and not stack:
            raise LaunchError("stack: expected True, because a device takes arrays only")
        self.__name__ = name or name_of(function)
        self.__doc__ = getattr(function, "__doc__", None) or type(self).__doc__
        self.__wrapped__ = function
        self._max_delay = float(max_delay)
        self._max_waiting = max_waiting
        self._timeout = timeout
        self._rank = rank(priority)
        self._stack, self._rows = stack, rows
        self._convert = numeric if submission is None else stored
        self._again = partial(
            Batched,
            max_size=max_size,
            max_delay=max_delay,
            stack=stack,
            rows=rows,
            max_waiting=max_waiting,
            max_in_flight=max_in_flight,
            timeout=timeout,
            priority=priority,
            retry=retry,
            name=self.__name__,
        )
        self._closed = False
        self._stats = BatchStats(max_size)
        self._work: CalledWork | SubmittedWork | None = None
        self._given: UserFunction | None = None
        self._bridge: Bridge | None = None
        self._context = contextvars.copy_context()
        self._visits: weakref.WeakKeyDictionary[Any, LoopVisits] = weakref.WeakKeyDictionary()
        self._new_desk = partial(
            Desk,
            self.__name__,
            stats=self._stats,
            max_size=max_size,
            max_delay=self._max_delay,
            max_in_flight=max_in_flight or (1 if submission is None else 2),
            rows=rows,
            retry=retry,
        )
        self._desk: Desk | None = None  # of all callers; a coroutine function has one for each loop
        own = getattr(function, "device", None)  # a pipeline's, a model's
        if device is None and isinstance(own, Device):
            device = own
        if submission is not None:
            self._work = SubmittedWork(
                self.__name__,
                submission,
                device,
                rows=rows,
                most=max_size,
                kept=max_in_flight or 2,
            )
        else:
            self._given = UserFunction(
                function, self.__name__, stack=stack, rows=rows, most=max_size
            )
            if not only_begins(function):
                self._work = CalledWork(self._given, max_in_flight or 1)
        if self._work is not None:
            self._desk = self._new_desk(work=self._work)
        _opened.add(self)

    # Calling.

    async def __call__(
        self,
        *items: Any,
        key: Any = None,
        timeout: float | None = None,
        priority: Priority | str | None = None,
    ) -> Any:
        """Return what the function makes of one item, computed in a batch with others.

        Items of another shape, dtype or `key` go into another batch; the function gets a key that
        is not None as a keyword. CommandTimeout after `timeout` seconds."""
        refuse_trio()
        loop = asyncio.get_running_loop()
        visits = self._visits.get(loop) or self._visits_of(loop)
        desk = visits.desk
        timeout = self._timeout if timeout is None else timeout
        item = self._item(desk, items, key, timeout, priority)
        desk.add(item)
        let_through = visits.quiet and desk.calm
        timer = None
        try:
            if let_through:
                # Alone, as far as is known. Tasks that call in the same round find that one was
                # let through, and gather.
                visits.quiet = False
                desk.advance()
            else:
                visits.look_soon()
            if item.settled:
                await asyncio.sleep(0)  # a task that calls in a loop leaves others their time
            else:
                future = item.waiter = loop.create_future()
                if timeout is not None:
                    timer = loop.call_later(timeout, give_up, future)
                if not item.settled:  # what settles it from now on finds the future
                    await future
        finally:
            if let_through:
                visits.quiet = True
            if timer is not None:
                timer.cancel()
            if not item.settled:  # the task was cancelled, or it took too long
                desk.leave(item)
        return self._outcome(item, timeout)

    def run(
        self,
        *items: Any,
        key: Any = None,
        timeout: float | None = None,
        priority: Priority | str | None = None,
    ) -> Any:
        """Do what a call does, for a thread that waits for the result."""
        if loop_runs_here():
            raise CommandError(
                f"{self.__name__}.run would hold up the event loop of this thread; write "
                f"`await {self.__name__}(...)`"
            )
        desk = self._desk
        if desk is None:
            bridge = self._own_loop()
            try:
                return bridge.run(self(*items, key=key, timeout=timeout, priority=priority))
            except CancelledError as error:
                raise CommandCancelled(f"{self.__name__} was closed meanwhile") from error
        if desk.is_here or (isinstance(self._work, CalledWork) and self._work.is_here):
            raise CommandError(
                f"{self.__name__}.run cannot wait here: this thread is the one that computes or "
                "starts its batches"
            )
        timeout = self._timeout if timeout is None else timeout
        item = self._item(desk, items, key, timeout, priority)
        gate = item.waiter = Gate()
        late = math.inf if timeout is None else item.came + timeout
        try:
            desk.add(item)
            desk.advance()
            while not item.settled and (now := desk.clock()) < late:
                at = min(desk.looks_at, item.came + self._max_delay)
                rest = at - now if at > now else _LOOK
                if not gate.pass_through(min(rest, late - now, _LOOK)):
                    desk.advance()
        finally:
            if not item.settled:
                desk.leave(item)
        return self._outcome(item, timeout)

    def _item(
        self,
        desk: Desk,
        items: tuple[Any, ...],
        key: Any,
        timeout: float | None,
        priority: Priority | str | None,
    ) -> Item:
        """Check what a caller brings, and whether there is room for it."""
        if self._closed:
            raise LaunchError(f"{self.__name__} was closed")
        if desk.waiting >= self._max_waiting:
            self._stats.refused()
            raise QueueFull(
                f"{desk.waiting} items wait for {self.__name__}, its max_waiting; call it "
                "again later, or raise max_waiting"
            )
        if not items:
            raise LaunchError(f"{self.__name__}: expected an item, got none")
        if timeout is not None:
            check_timeout(timeout)
        if isinstance(self._work, SubmittedWork):
            if key is not None:
                raise LaunchError(f"key: {self.__name__} runs on a device, which has no use for it")
            self._work.open()
        try:
            hash(key)
        except TypeError:
            raise LaunchError(f"key: expected something hashable, got {key!r}") from None
        kind, leaves, size = self._read(items)
        came = desk.clock()
        share = current_share.get()
        due = math.inf if timeout is None else came + timeout
        if share is not None:
            due = min(due, share.due, came + (share.deadline or math.inf))
        return Item(
            (kind, key),
            leaves,
            size,
            came=came,
            due=due,
            rank=self._rank if priority is None else rank(priority),
            share=share,
        )

    def _read(self, items: tuple[Any, ...]) -> tuple[Any, Any, int]:
        """What items of one batch have in common, the arrays of this one, and how much it is."""
        if not self._stack:
            return len(items), items, 1
        leaves: list[Any] = []
        kind = described(items, leaves, self._convert, self._rows)
        if not leaves:
            raise LaunchError(f"{self.__name__}: expected an array or a number, got {items!r}")
        if not self._rows:
            return kind, leaves, 1
        counts = {len(leaf) for leaf in leaves}
        if len(counts) > 1:
            given = ", ".join(map(str, sorted(counts)))
            raise LaunchError(f"item: expected arrays of as many rows each, got {given}")
        return kind, leaves, counts.pop()

    def _outcome(self, item: Item, timeout: float | None) -> Any:
        if not item.settled:
            raise CommandTimeout(f"{self.__name__}: no result after {timeout} s")
        if item.error is None:
            return divided(item.result, item.part)
        error, item.error = item.error, None  # a frame that holds what it raises is a cycle
        try:
            raise error
        finally:
            del error

    # Event loops.

    def _visits_of(self, loop: asyncio.AbstractEventLoop) -> LoopVisits:
        """Have an event loop visit the desk, or one of its own."""
        desk = self._desk
        if desk is None:
            assert self._given is not None
            desk = self._new_desk(work=CoroutineWork(self._given, loop, self._context))
        visits = self._visits[loop] = LoopVisits(loop, desk, self._max_delay)
        return visits

    def _own_loop(self) -> Bridge:
        """The loop on which a coroutine function runs for callers that are threads."""
        if self._closed:
            raise LaunchError(f"{self.__name__} was closed")
        if self._bridge is None:
            bridge = Bridge(None, f"treadle-{self.__name__}")
            weakref.finalize(self, _close_later, bridge).atexit = False
            self._bridge = bridge
        return self._bridge

    def _desks(self) -> list[tuple[Desk, LoopVisits | None]]:
        """Every desk, with the visits of the loop on which its batches are computed, if one is."""
        if self._desk is not None:
            return [(self._desk, None)]
        return [(visits.desk, visits) for visits in list(self._visits.values())]

    # Ending.

    def close(self, *, cancel: bool = False) -> None:
        """Take no more items, answer those that wait, and release everything; for threads.

        With `cancel` those that are in no batch yet get CommandCancelled instead."""
        desks = self._close(cancel)
        if loop_runs_here() and any(_goes_on(*each) for each in desks):
            raise CommandError(
                f"{self.__name__}.close would hold up the event loop of this thread; write "
                f"`await {self.__name__}.aclose()`"
            )
        for desk, visits in desks:
            gate = Gate()
            desk.idle.append(gate)
            while _goes_on(desk, visits):
                gate.pass_through(_LOOK)
                desk.advance()
            desk.idle.remove(gate)
        self._release()

    async def aclose(self, *, cancel: bool = False) -> None:
        """Do what close does, but suspend the task while something has to be waited for."""
        refuse_trio()
        for desk, visits in self._close(cancel):
            while True:
                empty = asyncio.get_running_loop().create_future()
                desk.idle.append(empty)
                try:
                    desk.advance()
                    if not _goes_on(desk, visits):
                        break
                    await asyncio.wait([empty], timeout=_LOOK)
                finally:
                    desk.idle.remove(empty)
        self._release()

    def _close(self, cancel: bool) -> list[tuple[Desk, LoopVisits | None]]:
        """Refuse what comes, and have what waits go at once, or be refused too."""
        self._closed = True
        desks = self._desks()
        for desk, visits in desks:
            desk.closing = True
            if cancel or (visits is not None and not visits.runs):
                desk.tell(desk.drop)
            else:
                desk.advance()
        return desks

    def _release(self) -> None:
        for desk, _ in self._desks():
            desk.release()
        if self._work is not None:
            self._work.close()
        if self._bridge is not None:
            self._bridge.close()
        _opened.discard(self)

    def __enter__(self) -> Batched:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Batched:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    def end_at_exit(self) -> None:
        """Refuse what waits, while Python shuts down; what is under way is left alone."""
        self._close(True)

    def reset_after_fork(self) -> None:
        """Forget what other threads had begun, in a process in which they do not exist."""
        self._bridge = None
        for desk, _ in self._desks():
            desk.reset_after_fork()
        self._visits = weakref.WeakKeyDictionary()
        if self._work is not None:
            self._work.reset_after_fork()

    # What it was like, and what it is.

    @property
    def report(self) -> BatchReport:
        """Batch sizes, delays, a verdict and advice; of what was computed so far."""
        return self._stats.report()

    @property
    def waiting(self) -> int:
        """Items that are accepted and in no batch yet."""
        return sum(desk.waiting for desk, _ in self._desks())

    def __set_name__(self, owner: type, name: str) -> None:
        self._attribute = name

    def __get__(self, instance: Any, owner: type | None = None) -> Batched:
        """Return the batched method of an object, made once for each."""
        if instance is None or not hasattr(self.__wrapped__, "__get__"):  # a kernel, a pipeline
            return self
        made: Batched = self._again(self.__wrapped__.__get__(instance, owner))
        # Found there from now on, before this class's own.
        return instance.__dict__.setdefault(self._attribute, made)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        state = "closed" if self._closed else f"{self.waiting} waiting"
        return f"<treadle.Batched {self.__name__} {state}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} holds callers and threads and cannot be copied or pickled")


def _goes_on(desk: Desk, visits: LoopVisits | None) -> bool:
    """Whether something is left at a desk that will come to an end."""
    return not desk.empty and (visits is None or visits.runs)


def _close_later(bridge: Bridge) -> None:
    """Close a loop whose function is gone; elsewhere, because a finalizer must not wait."""
    with contextlib.suppress(DeviceError):  # while Python shuts down
        start("treadle-batched-close", bridge.close)


# The life of the process.


def _end_all() -> None:
    for each in list(_opened):
        each.end_at_exit()


def _reset_all() -> None:
    for each in list(_opened):
        each.reset_after_fork()


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)
