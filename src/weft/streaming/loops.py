"""Coroutines for threads: a stream's threads hand theirs to an event loop and wait.

In: awaitables from any thread. Out: what they give. The loop is the consumer's where there is one,
else one of the stream's own that starts with the first coroutine. What is still under way when the
stream is closed is cancelled, and waited for. Batches are not known here.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

__all__ = ["Bridge"]


async def _awaited(awaitable: Any) -> Any:
    return await awaitable


class Bridge:
    """Runs awaitables on one event loop on behalf of threads."""

    def __init__(self, loop: asyncio.AbstractEventLoop | None, name: str) -> None:
        self._loop = loop
        self._name = name
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._running: set[Future[Any]] = set()
        self._closed = False

    def start(self, awaitable: Any, ended: Callable[[Future[Any]], object]) -> None:
        """Run an awaitable and call `ended` with its future; not on the calling thread."""
        self._begin(awaitable).add_done_callback(ended)

    def run(self, awaitable: Any) -> Any:
        """Run an awaitable and block until it ended; CancelledError if the stream was closed."""
        return self._begin(awaitable).result()

    def _begin(self, awaitable: Any) -> Future[Any]:
        # A coroutine that is cancelled before it starts must know; a wrapper would not tell it.
        coroutine = awaitable if asyncio.iscoroutine(awaitable) else _awaited(awaitable)
        try:
            with self._lock:
                if self._closed:
                    raise asyncio.CancelledError("the stream was closed")
                if self._loop is None:
                    self._open()
                future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)  # type: ignore[arg-type]
                self._running.add(future)
        except BaseException:
            coroutine.close()
            raise
        future.add_done_callback(self._running.discard)
        return future

    def _open(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._serve, args=(self._loop,), name=f"{self._name}-loop", daemon=True
        )
        self._thread.start()

    @staticmethod
    def _serve(loop: asyncio.AbstractEventLoop) -> None:
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
            running = list(self._running)
        for future in running:
            future.cancel()

    def finish(self, awaitable: Any) -> None:
        """Run an awaitable although the bridge is closed to others, and wait for it."""
        if self._loop is None or self._loop.is_closed():
            return
        future = asyncio.run_coroutine_threadsafe(_awaited(awaitable), self._loop)
        future.result()

    def close(self) -> None:
        """Cancel what is under way and end the loop, if it is the stream's own."""
        self.cancel()
        thread, self._thread = self._thread, None
        if thread is not None and self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            if thread is not threading.current_thread():
                thread.join()
