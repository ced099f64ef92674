"""The ways to compute a batch: a function on a thread, a coroutine function, work for a device.

In: batches of items. Out: their ends, with results in arrays or with what went wrong. A function
that is plain Python has a thread of its own, kernels and pipelines are submitted and their ends
told by the device, and a coroutine function runs on its callers' event loop: nothing here keeps an
event loop waiting. Who called, and in which order batches come, is not known here.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import weakref
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any

import numpy as np

from treadle.attendant import Attendant, call_one, giving_way
from treadle.batching.desk import Gathered
from treadle.batching.stacking import StagingPool, checked, rebuilt_from
from treadle.errors import CommandCancelled, LaunchError
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.streaming.buffers import mapped

__all__ = ["CalledWork", "CoroutineWork"]

_IDLE = 2.0  # seconds without a batch after which a thread ends


class UserFunction:
    """A function of a batch, and the arrays that it is given."""

    def __init__(
        self, function: Callable[..., Any], name: str, *, stack: bool, rows: bool, most: int
    ) -> None:
        self.function = function
        self.name = name
        self.stack = stack
        self.rows = rows
        self.pool = StagingPool(most, kept=2)

    def lists(self, batch: Gathered) -> tuple[list[Any], ...]:
        """The items of a batch as lists, one for each argument."""
        return tuple([list(each) for each in zip(*[i.leaves for i in batch.items], strict=True)])

    def named(self, batch: Gathered) -> dict[str, Any]:
        """The keyword that a function is given, where its callers gave a key."""
        given = batch.key[1]
        return {} if given is None else {"key": given}

    def results(self, given: Any, batch: Gathered) -> Any:
        """Check what a function gave."""
        if not self.stack and type(given) is tuple:
            given = list(given)  # of items, and not of parts of each
        return checked(given, batch.count, self.name)


class CalledWork:
    """A plain function, called on threads of its own that come with work and go without."""

    def __init__(self, function: UserFunction, threads: int) -> None:
        self._given = function
        self._jobs: deque[Gathered] = deque()
        name = f"treadle-{function.name}"
        self._attendants = [
            Attendant(f"{name}-{number}", self._work, idle=_IDLE, waits=True)
            for number in range(threads)
        ]

    @property
    def is_here(self) -> bool:
        """Whether this thread calls the function."""
        return any([each.is_here for each in self._attendants])

    def start(self, batch: Gathered) -> None:
        """Have the function called with a batch."""
        self._jobs.append(batch)
        try:
            call_one(self._attendants)
        except BaseException:
            with contextlib.suppress(ValueError):  # a thread has taken it already
                self._jobs.remove(batch)
            raise

    def abandon(self, batch: Gathered) -> None:
        """Leave it: a thread that has a batch without callers passes over it."""

    def _work(self) -> bool:
        try:
            batch = self._jobs.popleft()
        except IndexError:
            return False
        try:
            if not batch.wanted:
                raise CommandCancelled(f"{self._given.name}: no caller was left")
            with giving_way:
                result = self._call(batch)
        except asyncio.CancelledError as error:  # to a task it would look as if it was cancelled
            cancelled = CommandCancelled(f"{self._given.name} was cancelled")
            cancelled.__cause__ = error
            batch.end(error=cancelled)
        except BaseException as error:
            batch.end(error=error)
        else:
            batch.end(result)
        return True

    def _call(self, batch: Gathered) -> Any:
        given = self._given
        if not given.stack:
            found = given.function(*given.lists(batch), **given.named(batch))
            return given.results(self._landed(found), batch)
        staging = given.pool.take(batch.key[0], batch.size)
        arrays = staging.fill([item.leaves for item in batch.items], rows=given.rows)
        found = given.function(*rebuilt_from(batch.key[0], arrays), **given.named(batch))
        result = given.results(self._landed(found), batch)
        del found
        if staging.free:
            given.pool.give(staging)
        return result

    def _landed(self, given: Any) -> Any:
        """Wait for commands, and read buffers."""
        if isinstance(given, Awaitable) and not isinstance(given, Command):
            if inspect.iscoroutine(given):
                given.close()
            raise LaunchError(
                f"{self._given.name}: a plain function returned something to await; write it with "
                "async def"
            )

        def landed(leaf: Any) -> Any:
            if isinstance(leaf, Command):
                return mapped(leaf.wait().output, landed)
            return leaf.to_numpy() if isinstance(leaf, Buffer) else leaf

        return mapped(given, landed)

    def close(self) -> None:
        """End the threads, after what they are at, and let go of all arrays."""
        for each in self._attendants:
            each.dismiss()
        self._given.pool.clear()

    def reset_after_fork(self) -> None:
        """Forget threads that do not exist in this process."""
        self._jobs.clear()
        for each in self._attendants:
            each.reset_after_fork()


class CoroutineWork:
    """A coroutine function, run as a task of one event loop."""

    def __init__(self, function: UserFunction, loop: Any, context: Context) -> None:
        self._given = function
        self._loop = weakref.ref(loop)  # which has the desk that has this
        self._context = context
        self._tasks: dict[Gathered, asyncio.Task[None]] = {}

    def start(self, batch: Gathered) -> None:
        """Begin a task that computes a batch."""
        loop = self._loop()
        if loop is None or loop.is_closed():
            raise CommandCancelled(f"{self._given.name}: its event loop was closed")
        try:
            here = asyncio.get_running_loop() is loop
        except RuntimeError:
            here = False
        if here:
            self._begin(loop, batch)
        else:  # a thread that closes
            loop.call_soon_threadsafe(self._begin, loop, batch)

    def _begin(self, loop: asyncio.AbstractEventLoop, batch: Gathered) -> None:
        task = loop.create_task(self._run(batch), context=self._context.copy())
        self._tasks[batch] = task
        task.add_done_callback(lambda task: self._over(batch, task))

    def _over(self, batch: Gathered, task: asyncio.Task[None]) -> None:
        """End a batch whose task was cancelled before it began, too."""
        self._tasks.pop(batch, None)
        if task.cancelled():
            batch.end(error=CommandCancelled(f"{self._given.name} was cancelled"))
        elif (error := task.exception()) is not None:
            batch.end(error=error)

    def abandon(self, batch: Gathered) -> None:
        """Cancel the task of a batch that no caller wants any more."""
        task = self._tasks.get(batch)
        if task is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                task.get_loop().call_soon_threadsafe(task.cancel)

    async def _run(self, batch: Gathered) -> None:
        result = await self._computed(batch)
        batch.end(result)

    async def _computed(self, batch: Gathered) -> Any:
        given = self._given
        if not given.stack:
            found = await given.function(*given.lists(batch), **given.named(batch))
            return given.results(await _settled(found), batch)
        staging = given.pool.take(batch.key[0], batch.size)
        items = [item.leaves for item in batch.items]
        for _ in staging.filling(items, rows=given.rows):
            await asyncio.sleep(0)
        arrays = staging.filled(items, rows=given.rows)
        found = await given.function(*rebuilt_from(batch.key[0], arrays), **given.named(batch))
        result = given.results(await _settled(found), batch)
        del found
        if staging.free:
            given.pool.give(staging)
        return result


async def _settled(given: Any) -> Any:
    """Await commands, and read buffers."""
    if type(given) is tuple:
        return tuple([await _settled(each) for each in given])
    if type(given) is dict:
        return {key: await _settled(each) for key, each in given.items()}
    if isinstance(given, Command):
        return await _settled(await given)
    if isinstance(given, Buffer):
        data = bytearray(await given.read_async())
        return np.frombuffer(data, given.dtype.numpy).reshape(given.shape)
    return given
