"""Where batches come from: any iterable or async iterable, and a clock's newest batch.

In: what users give as `batches`. Out: one batch after another, with its index and the moment it was
there. A generator is closed with its stream; anything else is left as it is. One that is waited for
cannot be interrupted: the thread that waits closes it, when it gives at last. What is done with the
batches is not known here.
"""

from __future__ import annotations

import inspect
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from functools import partial
from time import perf_counter_ns
from typing import Any

import numpy as np

from treadle.attendant import report, start
from treadle.errors import LaunchError
from treadle.streaming.buffers import kept, rebuilt
from treadle.streaming.coroutines import Bridge

__all__ = ["BatchSource", "Latest", "join", "size_of"]

_STEPS, _STEP = 10, 0.1  # seconds that closing waits for a source, in steps
_AT_HAND = (list, tuple, range, deque, np.ndarray)  # to take a batch from these is no work

Found = tuple[int, int, Any]  # index, when it came (0: just now), the batch


def size_of(batches: Any) -> int | None:
    """How many batches there will be, where that is known."""
    try:
        return len(batches)
    except TypeError:
        return None


def join(thread: threading.Thread, source: BatchSource | Latest) -> bool:
    """Wait for a thread to end; for one that waits for the source only a while. Say if it ended.

    In steps, so that a moment in which the whole process stood still counts as one of them."""
    if thread.ident is None:  # never started, or about to see that there is nothing to do
        return True
    steps = _STEPS
    while thread.is_alive() and steps:
        thread.join(_STEP)
        steps -= source.inside == thread.ident
    return not thread.is_alive()


class BatchSource:
    """Batches, each taken when there is room for it."""

    dropped = 0
    drops = False  # whether a batch that comes too fast is

    def __init__(self, batches: Any, *, keep: bool = False) -> None:
        """`keep`: it is asked again while a batch is in use, so that arrays that it may fill again
        are copied before."""
        self._plain: Iterator[Any] | None = None
        self._async: AsyncIterator[Any] | None = None
        if hasattr(batches, "__iter__") or hasattr(batches, "__getitem__"):
            self._plain = iter(batches)
        elif hasattr(batches, "__aiter__"):
            self._async = aiter(batches)
        else:
            raise LaunchError(
                f"batches: expected an iterable or an async iterable, got {batches!r}"
            )
        # It never blocks, on whatever thread, and its arrays stay as they are.
        self.at_hand = type(batches) in _AT_HAND
        self._keep = keep and not self.at_hand
        self.count = 0  # batches taken so far: the index of the next
        self.inside: int | None = None  # the thread that waits for a batch
        self._lock = threading.RLock()
        self._closing = threading.RLock()  # of the thread that closes a generator
        self._ended = self._closed = False

    def next(self, bridge: Bridge) -> Found | None:
        """Take the next batch; None at the end. One thread at a time."""
        with self._lock:
            if self._closed:
                return None
            self.inside = threading.get_ident()
        try:
            if self._plain is not None:
                box = [next(self._plain)]
            else:
                box = [bridge.run(_next(self._async))]
            index, self.count = self.count, self.count + 1
            return index, 0, rebuilt(box, kept) if self._keep else box.pop()
        except (StopIteration, StopAsyncIteration):
            self._ended = True
            return None
        except BaseException:
            self._ended = True
            raise
        finally:
            with self._lock:
                self.inside = None
                late = self._is_closed()
            if late:  # its stream did not wait
                self._close_late(bridge)

    def begin(self, bridge: Bridge) -> None:
        """Get ready for threads that take batches: there is nothing to do."""

    def stop(self) -> None:
        """Wake the threads that wait for a batch, and have none wait any more."""

    def close(self, bridge: Bridge) -> None:
        """Close a generator that has not ended; if a thread waits in it, that one will."""
        with self._lock:
            self._closed = True
            if self.inside is not None:
                return
        self._close(bridge)

    def held_here(self) -> bool:
        """Whether this thread is in the middle of something here: then a finalizer runs."""
        owned = self._lock._is_owned() or self._closing._is_owned()  # type: ignore[attr-defined]
        return bool(owned)

    def _is_closed(self) -> bool:
        return self._closed

    def _close_late(self, bridge: Bridge) -> None:
        try:
            self._close(bridge)
        except BaseException as error:  # its stream is gone
            report(error)

    def _close(self, bridge: Bridge) -> None:
        with self._closing:
            if not self._ended:
                if inspect.isgenerator(self._plain):
                    self._plain.close()
                elif inspect.isasyncgen(self._async):
                    bridge.finish(self._async.aclose)
            self._plain = self._async = None


async def _next(iterator: Any) -> Any:
    return await anext(iterator)


class Latest:
    """Batches at their own pace: of those that came too fast, only the newest is kept."""

    def __init__(self, source: BatchSource, name: str) -> None:
        self._source = source
        self._name = name
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._newest: Found | None = None
        self._error: BaseException | None = None
        self._ended = self._stopping = False
        self._thread: threading.Thread | None = None
        self.dropped = 0

    at_hand = False
    drops = True

    @property
    def count(self) -> int:
        """The index of the next batch."""
        return self._source.count

    @property
    def inside(self) -> int | None:
        """The thread that waits for the source itself: one of its own."""
        return None

    def begin(self, bridge: Bridge) -> None:
        """Start the thread that takes batches as they come; raise DeviceError where none can be."""
        start(f"{self._name}-source", partial(self._watch, bridge), self._note)

    def _note(self, thread: threading.Thread) -> None:
        self._thread = thread

    def held_here(self) -> bool:
        """Whether this thread is in the middle of something here: then a finalizer runs."""
        owned: bool = self._lock._is_owned()  # type: ignore[attr-defined]
        return owned or self._source.held_here()

    def next(self, bridge: Bridge) -> Found | None:
        """Wait for a batch that is newer than the last, and take it; None at the end."""
        with self._lock:
            while self._newest is None and not self._ended and not self._stopping:
                self._changed.wait()
            found, self._newest = self._newest, None
            if found is None and self._error is not None:
                raise self._error
            return found

    def _keep(self, index: int, item: Any) -> None:
        with self._lock:
            if self._stopping:  # perhaps long ago
                return
            if self._newest is not None:
                self.dropped += 1
            self._newest = index, perf_counter_ns(), item
            self._changed.notify_all()

    def _watch(self, bridge: Bridge) -> None:
        try:
            while not self._stopping:
                found = self._source.next(bridge)
                if found is None:
                    break
                index, _, item = found
                self._keep(index, item)
                del found, item
        except BaseException as error:
            self._error = error
        finally:
            with self._lock:
                self._ended = True
                self._changed.notify_all()

    def stop(self) -> None:
        """Wake the threads that wait for a batch, and have none wait any more."""
        with self._lock:
            self._stopping = True
            self._changed.notify_all()

    def close(self, bridge: Bridge) -> None:
        """End the thread and close a generator that has not ended; see BatchSource.close."""
        self.stop()
        if self._thread is not None and self._thread is not threading.current_thread():
            join(self._thread, self._source)
        self._newest = None
        self._source.close(bridge)
