"""Coroutines for threads: a stream's threads hand theirs to an event loop and wait.

In: awaitables from any thread. Out: what they give. The loop is the consumer's where there is one,
else one of the stream's own that starts with the first coroutine. What is still under way when the
stream is closed is cancelled, and waited for. Batches are not known here.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, InvalidStateError
from functools import partial
from typing import Any

from treadle.attendant import Bell, start

__all__ = ["Bridge"]


_LOOK = 0.1  # seconds between looks at a loop that the user may stop


def _runs_here(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


async def _awaited(awaitable: Any) -> Any:
    return await awaitable


async def _afterwards(others: list[asyncio.Task[Any]], end: Callable[[], Any]) -> None:
    """A generator can be closed only when what waits in it, and was cancelled, has left it."""
    await asyncio.gather(*others, return_exceptions=True)
    await end()


class Bridge:
    """Runs awaitables on one event loop on behalf of threads."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None, name: str) -> None:
        self._loop = loop
        self._name = name
        self._thread: threading.Thread | None = None
        self._lock = threading.RLock()
        self._tasks: set[asyncio.Task[Any]] = set()  # touched on the loop only
        self._blocked: set[Future[Any]] = set()  # for which threads wait
        self._closed = False
        self._left = 0  # what was started and has not ended, what follows from it included
        self._ends = Bell()
        self._opened = Bell()  # rings when there is a loop of the stream's own

    @property
    def here(self) -> bool:
        """Whether this thread runs the loop."""
        return self._loop is not None and _runs_here(self._loop)

    def held_here(self) -> bool:
        """Whether this thread is in the middle of something here: then a finalizer runs."""
        return bool(self._lock._is_owned())  # type: ignore[attr-defined]

    def start(self, awaitable: Any, ended: Callable[[Future[Any]], object]) -> None:
        """Run an awaitable and call `ended` with its future; not on the calling thread."""

        def follow(future: Future[Any]) -> None:
            try:
                ended(future)
            finally:
                self._one_less()

        with self._lock:
            self._left += 1
        try:
            future = self._begin(awaitable)
        except BaseException:
            self._one_less()
            raise
        future.add_done_callback(follow)

    def _one_less(self) -> None:
        with self._lock:
            self._left -= 1
        self._ends.ring()

    def settle(self) -> None:
        """After cancel: wait until what was started has ended, and what followed from it.

        Not for a loop that does not run any more, or that this very thread would have to run."""
        loop = self._loop
        if loop is None or _runs_here(loop):
            return
        while self._left and (self._thread is not None or loop.is_running()):
            self._ends.sleep(_LOOK)

    def run(self, awaitable: Any) -> Any:
        """Run an awaitable and block until it ended; CancelledError if the stream was closed."""
        future = self._begin(awaitable)
        self._blocked.add(future)
        try:
            return self._result(future)
        finally:
            self._blocked.discard(future)

    def _result(self, future: Future[Any]) -> Any:
        """Block until a future has ended, or its loop has."""
        while True:
            try:
                return future.result(_LOOK)
            except TimeoutError:
                if future.done():
                    return future.result()  # the awaitable's own, unless it ended just now
                loop = self._loop
                if loop is None or loop.is_closed():  # the user closed it: nothing comes of it
                    raise CancelledError("the event loop was closed") from None

    def _begin(self, awaitable: Any) -> Future[Any]:
        # A coroutine that is cancelled before it starts must know; a wrapper would not tell it.
        coroutine = awaitable if asyncio.iscoroutine(awaitable) else _awaited(awaitable)
        future: Future[Any] = Future()
        try:
            loop = self._loop or self._open()
            with self._lock:
                if self._closed or loop is None:
                    raise CancelledError("the stream was closed")
                loop.call_soon_threadsafe(self._run, loop, coroutine, future)
        except BaseException:
            coroutine.close()
            raise
        return future

    def _run(self, loop: Any, coroutine: Any, future: Future[Any]) -> None:
        task = loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(lambda task: self._ended(task, future))
        if self._closed:
            task.cancel()

    def _ended(self, task: asyncio.Task[Any], future: Future[Any]) -> None:
        """Hand a task's outcome on, when the task is over: a thread that goes on leaves none."""
        self._tasks.discard(task)
        if future.done():
            if not task.cancelled():
                task.exception()  # seen: its thread has gone on
        elif task.cancelled():
            future.set_exception(CancelledError("the stream was closed"))
        elif (error := task.exception()) is not None:
            future.set_exception(error)
        else:
            future.set_result(task.result())

    def _open(self) -> asyncio.AbstractEventLoop | None:
        """Have a thread run a loop of the stream's own; None where the stream was closed.

        The thread makes the loop, so that there is none where the thread cannot be started, or
        where Ctrl-C comes before it runs."""
        failed: list[BaseException] = []
        if not self._closed:
            start(f"{self._name}-loop", partial(self._serve, failed))
        while not (self._loop is not None or self._closed or failed):
            self._opened.sleep(_LOOK)
        self._opened.ring()  # other threads may wait for it as well
        if failed:
            raise failed.pop()
        return self._loop

    def _serve(self, failed: list[BaseException]) -> None:
        try:
            with self._lock:
                if self._closed or self._loop is not None:
                    return  # the stream was closed meanwhile, or another thread was faster
                loop = self._loop = asyncio.new_event_loop()
                self._thread = threading.current_thread()
        except BaseException as error:  # it takes files, of which a process has so many
            failed.append(error)
            return
        finally:
            self._opened.ring()
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    def cancel(self) -> None:
        """Cancel what is under way and refuse what comes."""
        with self._lock:
            self._closed = True
            loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # it is closed: nothing runs there
                loop.call_soon_threadsafe(self._cancel)
            if _runs_here(loop):  # its tasks end when close() has returned; threads go on now
                for future in list(self._blocked):
                    with contextlib.suppress(InvalidStateError):
                        future.set_exception(CancelledError("the stream was closed"))

    def _cancel(self) -> None:
        for task in list(self._tasks):
            task.cancel()

    def finish(self, end: Callable[[], Any]) -> None:
        """Run what `end` returns, although the bridge is closed to others, and wait for it; but not
        on the loop's own thread, which runs it later. Where the loop ends before, it is not even
        called: Python 3.13 warns of the end of a generator that was asked for and not awaited."""
        loop = self._loop
        if loop is None or not loop.is_running():
            return
        if _runs_here(loop):
            task = loop.create_task(_afterwards(list(self._tasks), end))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return
        self._result(asyncio.run_coroutine_threadsafe(_afterwards([], end), loop))

    def close(self) -> None:
        """Cancel what is under way and end the loop, if it is the stream's own."""
        self.cancel()
        thread, loop = self._thread, self._loop
        if thread is None or loop is None:
            return
        with contextlib.suppress(RuntimeError):  # it is closed already
            loop.call_soon_threadsafe(loop.stop)
        if thread is not threading.current_thread() and thread.ident is not None:
            thread.join()
        self._thread = None
