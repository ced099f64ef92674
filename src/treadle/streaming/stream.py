"""A stream: batches through prepare, compute and collect, all three at the same time.

In: batches and what to do with them. Out: results, in order, for `for` and for `async for`, and a
report. It checks what it is given and decides what an error means; the engine does the work.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import inspect
import sys
import threading
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Generic

from treadle.attendant import start
from treadle.errors import DeviceError, LaunchError
from treadle.runtime.device import Device
from treadle.runtime.device import device as device_named
from treadle.runtime.priority import Priority
from treadle.runtime.waiters import refuse_trio
from treadle.streaming.batch import Batch
from treadle.streaming.compute import compute_of
from treadle.streaming.engine import Engine
from treadle.streaming.report import Report, StreamProgress, report_of
from treadle.streaming.source import BatchSource, Latest, size_of
from treadle.streaming.stats import Stats
from treadle.streaming.tuning import Tuner
from treadle.streaming.window import settle
from treadle.typed import Result

__all__ = ["Stream", "begun"]

begun: weakref.WeakSet[Any] = weakref.WeakSet()  # streams: those that run, and perhaps more


class Stream(Generic[Result]):
    """An overlapped run over batches, made by treadle.stream; iterate over it once.

    Leaving the loop early, an exception in it, or close() stops the source, drops what has not
    started, waits for what has, and releases everything."""

    def __init__(
        self,
        batches: Any,
        *,
        compute: Any,
        prepare: Callable[[Any], Any] | None = None,
        collect: Callable[[Any], Any] | None = None,
        max_in_flight: int | str = 3,
        max_bytes: int | None = None,
        ordered: bool = True,
        on_error: str | Callable[[Any], Any] = "raise",
        device: Device | str | None = None,
        params: Mapping[str, Any] | None = None,
        priority: Priority | str | None = None,
        inputs: str | Sequence[str] | None = None,
        outputs: Mapping[str, Any] | None = None,
        copy: bool = True,
        workers: int = 1,
        latest: bool = False,
        deadline: float | None = None,
        progress: bool | Callable[[Report], Any] = False,
    ) -> None:
        for name, function in (("prepare", prepare), ("collect", collect)):
            if function is not None and not callable(function):
                raise LaunchError(f"{name}: expected a function or None, got {function!r}")
        if not (on_error in ("raise", "skip") or callable(on_error)):
            raise LaunchError(f"on_error: expected 'raise', 'skip' or a function, got {on_error!r}")
        if deadline is not None and not deadline > 0:
            raise LaunchError(f"deadline: expected seconds above 0, got {deadline!r}")
        self._device = device_named(device)
        self._tuner = Tuner(max_bytes) if max_in_flight == "auto" else None
        workers = _positive("workers", workers)
        # Each that prepares has a batch, and the device one: less than that cannot be enough.
        depth = 1 + workers if self._tuner else _positive("max_in_flight", max_in_flight)
        if max_bytes is not None:
            _positive("max_bytes", max_bytes)
        self._stats = Stats()
        self._source: BatchSource | Latest = BatchSource(batches, keep=latest or workers > 1)
        if latest:
            self._source = Latest(self._source, "treadle-stream")
        self._on_error = on_error
        self._latest = latest
        self._lock = threading.RLock()  # a finalizer may close it, inside it too
        self._closer: threading.Thread | None = None
        self._waiting: list[asyncio.Future[None]] = []
        self._engine: Engine | None = None
        self._depth = depth
        self._iterated = self._closed = False
        self._by_hand = self._taking = False
        self._generator: Any = None
        self._progress = StreamProgress.of(progress, size_of(batches))
        make_compute = partial(
            compute_of,
            compute,
            self._device,
            params=params,
            priority=priority,
            inputs=inputs,
            outputs=outputs,
        )
        make_compute(retry=lambda: None)  # raises now what is wrong with it
        self._open = partial(
            Engine,
            self._device,
            self._source,
            lambda retry: make_compute(retry=retry),
            self._stats,
            prepare=prepare,
            collect=collect,
            max_bytes=max_bytes,
            ordered=ordered,
            copy=copy,
            workers=workers,
            deadline=deadline,
        )

    # Iterating.

    # Nothing starts before the first result is asked for: zip() only makes an iterator where it
    # finds another one empty, and that leaves nothing behind.

    def __iter__(self) -> Iterator[Result]:
        self._take_once()
        return _Results(self)

    def __aiter__(self) -> AsyncIterator[Result]:
        refuse_trio()
        self._take_once()
        return self._results_async()

    def __next__(self) -> Result:
        if not self._by_hand:
            self._take_once()
            self._by_hand = True
        found: Result = self._next()
        return found

    async def __anext__(self) -> Result:
        if self._generator is None:
            self._generator = aiter(self)
        return await anext(self._generator)

    def _take_once(self) -> None:
        with self._lock:
            if self._closed:
                raise LaunchError("the stream was closed; make a new one")
            if self._iterated:
                raise LaunchError("a stream can be iterated over once; make a new one")
            self._iterated = True

    def _begin(self, loop: asyncio.AbstractEventLoop | None) -> Engine:
        with self._lock:
            if self._closed:
                raise LaunchError("the stream was closed; make a new one")
            engine = self._engine = self._open(loop=loop, depth=self._depth)
            begun.add(self)
            engine.start()
            return engine

    def _next(self) -> Any:
        """Take the next result; whatever ends the stream, or comes between, closes it."""
        if self._taking:
            raise LaunchError("the stream gives one result at a time; another thread waits for one")
        try:
            self._taking = True
            engine = self._engine or self._begin(None)
            while (batch := engine.take()) is not None:
                result, keep = self._judge(batch)
                del batch
                if keep == "replaced" and inspect.isawaitable(result):
                    result = engine.bridge.run(result)
                if keep and not (result is None and keep == "replaced"):
                    return result
                del result
        except BaseException:
            self.close()
            raise
        finally:
            self._taking = False
        self.close()
        raise StopIteration

    async def _results_async(self) -> AsyncIterator[Any]:
        try:
            engine = self._begin(asyncio.get_running_loop())
            while (batch := await engine.take_async()) is not None:
                result, keep = self._judge(batch)
                del batch
                if keep == "replaced" and inspect.isawaitable(result):
                    result = await result
                if keep and not (result is None and keep == "replaced"):
                    yield result
                del result
        finally:
            await self.aclose()

    def _judge(self, batch: Batch) -> tuple[Any, str]:
        """What comes out in a batch's place, and whether anything does; or raise its error."""
        self._tune()
        if self._progress is not None:
            self._progress.show(self)
        if batch.error is None:
            return batch.result, "result"
        if batch.phase == "waiting" and self._latest:  # realtime: too old to be worth it
            self._stats.expired += 1
            return None, ""
        if not isinstance(batch.error, Exception):
            raise batch.error
        error = batch.failure()
        if batch.phase == "source" or self._on_error == "raise":
            raise error
        if self._on_error == "skip":
            return None, ""
        assert callable(self._on_error)
        return self._on_error(error), "replaced"

    def _tune(self) -> None:
        engine = self._engine
        if self._tuner is not None and engine is not None:
            engine.set_depth(self._tuner.observe(self._stats, engine.depth))

    # Ending.

    def close(self) -> None:
        """Stop, drop what has not started, wait for what has, and release everything."""
        with self._lock:
            self._closed = True
            engine = self._engine
        if engine is None:
            return
        if self._device.queue.waits.refused:  # a finalizer, which must not wait here
            start("treadle-stream-close", self.close)
            return
        engine.close()
        if self._progress is not None:
            self._progress.end(self)

    async def aclose(self) -> None:
        """Do what close does, but suspend the task while something has to be waited for."""
        over = None
        with self._lock:
            if self._engine is not None and not self._engine.closed:
                over = asyncio.get_running_loop().create_future()
                self._waiting.append(over)
        if over is not None and self._closer is None:
            try:
                start("treadle-stream-close", self._close_for)
            except DeviceError:  # closing here keeps the loop waiting, but leaves nothing
                self._close_for()
        try:
            if over is None:
                self.close()
            else:
                await _through(over)
        finally:  # also where the task was cancelled meanwhile
            closer = self._closer
            if closer not in (None, threading.current_thread()) and (over is None or over.done()):
                closer.join()  # it has told that it is done

    def _close_for(self) -> None:
        """Close, and tell every task that waits for it."""
        with self._lock:
            if self._closer is not None:
                return  # another task has called a thread as well
            self._closer = threading.current_thread()
        problem: BaseException | None = None
        try:
            self.close()
        except BaseException as error:  # from a source that did not like to be closed
            problem = error
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for over in waiting:
            with contextlib.suppress(RuntimeError):  # its loop is closed
                over.get_loop().call_soon_threadsafe(settle, over, problem)
            problem = None  # one of them is enough

    def _leave(self, *, collected: bool) -> None:
        """Close what was left; in the background where the garbage collector found it.

        That runs wherever something is allocated, also where this thread holds a lock, of ours or
        of the user's, and what closing waits for may need that lock."""
        engine = self._engine
        if engine is None or engine.closed or sys.is_finalizing():
            return
        if collected:
            start("treadle-stream-close", self.close)
        else:
            self.close()

    def __del__(self) -> None:
        if hasattr(self, "_engine"):  # else it was refused
            self._leave(collected=gc.is_finalized(self))

    def __enter__(self) -> Stream[Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Stream[Result]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # What it was like.

    @property
    def report(self) -> Report:
        """Figures, verdict and advice; of what has come out so far, while it runs."""
        depth = self._engine.depth if self._engine is not None else self._depth
        dropped, compiled = self._source.dropped, self._device.planner.compiled
        return report_of(self._stats, depth=depth, dropped=dropped, compiled=compiled)

    @property
    def max_in_flight(self) -> int:
        """How many batches may be under way now; it can be set, also while the stream runs."""
        return self._engine.depth if self._engine is not None else self._depth

    @max_in_flight.setter
    def max_in_flight(self, depth: int) -> None:
        self._depth = _positive("max_in_flight", depth)
        if self._engine is not None:
            self._engine.set_depth(depth)

    @property
    def running(self) -> bool:
        """Whether it has begun and not ended."""
        return self._engine is not None and not self._closed

    def __repr__(self) -> str:
        state = "closed" if self._closed else "running" if self._engine else "not started"
        return f"<treadle.Stream {state}, {self._stats.taken} batches out, on {self._device.name}>"


class _Results:
    """What a `for` loop holds; when the loop is left it is dropped, and closes the stream."""

    __slots__ = ("_stream",)

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def __iter__(self) -> _Results:
        return self

    def __next__(self) -> Any:
        return self._stream._next()

    def close(self) -> None:
        """Close the stream, as leaving the loop does."""
        self._stream.close()

    def __del__(self) -> None:
        # Python marks an object that the collector finalizes before it calls this, and one whose
        # last reference went afterwards: so the mark says which of them calls.
        stream = getattr(self, "_stream", None)  # unset where Ctrl-C came before
        if stream is not None:
            stream._leave(collected=gc.is_finalized(self))


async def _through(over: asyncio.Future[None]) -> None:
    """Wait for something that must not be left half done; be cancelled only afterwards."""
    cancelled: asyncio.CancelledError | None = None
    while not over.done():
        try:
            await asyncio.shield(over)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    over.result()


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        auto = " or 'auto'" if name == "max_in_flight" else ""
        raise LaunchError(f"{name}: expected an integer of 1 or more{auto}, got {value!r}")
    return value
