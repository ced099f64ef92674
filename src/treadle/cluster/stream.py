"""A stream whose computation is elsewhere: batches go to workers, results come back.

In: what treadle.stream takes, and where workers are. Out: results, in order or as they end, for
`for` and for `async for`, and a report. An ordinary stream does all of that: it takes batches from
the source, bounds what is under way, keeps the order and tells errors; what it computes with is a
coroutine that hands a batch to the foreman and waits for the answer.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import Any, Generic

from treadle.cluster.crew import Crew
from treadle.cluster.foreman import Answer, Foreman, WorkerUse
from treadle.cluster.parcel import Dumps, Parcel, pack, unpack
from treadle.cluster.rota import Rota
from treadle.cluster.worker import Handler
from treadle.errors import BatchError, LaunchError, copied
from treadle.streaming.report import Report, with_lanes
from treadle.streaming.stream import Stream
from treadle.typed import Result

__all__ = ["ClusterStream", "at_least", "stream_over"]

# What the phases of the stream here are to its user.
_PHASES = {"prepare": "send", "compute": "compute", "collect": "return"}
_THERE = ("prepare", "upload", "device", "download", "collect")  # lanes of workers
DEPTH = 3  # batches that a worker has at once: as many as a stream keeps under way


class ClusterStream(Generic[Result]):
    """An overlapped run over batches on workers, made by treadle.cluster.stream; iterate once.

    Leaving the loop early, an exception in it, or close() ends the workers and releases all."""

    def __init__(
        self,
        batches: Any,
        foreman: Foreman,
        dumps: Dumps,
        *,
        depth: int,
        max_in_flight: int | None,
        max_bytes: int | None,
        ordered: bool,
        on_error: str | Callable[[Any], Any],
        copy: bool,
        progress: bool | Callable[[Report], Any],
    ) -> None:
        if not (on_error in ("raise", "skip") or callable(on_error)):
            raise LaunchError(f"on_error: expected 'raise', 'skip' or a function, got {on_error!r}")
        # Where the user does not say how many: each worker has its own, and one result that waits.
        self._each = depth + 1 if max_in_flight is None else None
        self._foreman = foreman
        self._dumps = dumps
        self._copy = copy
        self._on_error = on_error
        self._index = 0
        self._stream: Stream[Result] = Stream(
            batches,
            prepare=self._send,
            compute=self._answer,
            collect=self._receive,
            max_in_flight=depth + 1 if max_in_flight is None else max_in_flight,
            max_bytes=max_bytes,
            ordered=ordered,
            on_error=self._judge,
            device="cpu",  # it computes nothing: the one that is always there
            copy=False,
            progress=self._shown(progress),
        )

    def _shown(self, progress: Any) -> Any:
        """What shows progress: a function gets the report with its workers'."""
        if not callable(progress):
            return progress
        return lambda report: progress(self._reported(report))

    # The parts of the stream.

    def _send(self, batch: Any) -> Any:
        """Put a batch where workers can get it."""
        self._foreman.call()
        if self._each is not None:
            self._stream.max_in_flight = self._foreman.size * self._each
            self._each = None
        number, self._index = self._index, self._index + 1
        return self._foreman.send(pack(batch, f"batch {number}", self._dumps))

    async def _answer(self, sent: Any) -> Parcel:
        """Have a worker do a batch, and wait for its answer."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()

        def settle(answer: Answer) -> None:
            if not future.done():
                future.set_result(answer)

        def settled(answer: Answer) -> None:
            with contextlib.suppress(RuntimeError):  # its loop is closed
                loop.call_soon_threadsafe(settle, answer)

        number = self._foreman.submit(sent, settled)
        try:
            answer = await future
        except asyncio.CancelledError:
            self._foreman.withdraw(number)
            raise
        if answer.parcel is None:
            assert answer.error is not None
            raise answer.error
        return answer.parcel

    def _receive(self, parcel: Parcel) -> Any:
        return unpack(parcel, copy=self._copy)

    def _judge(self, error: BatchError) -> Any:
        """What comes in the place of a batch that failed, or the error that ends the stream."""
        cause = error.__cause__
        problem = self._foreman.problem
        if problem is not None and cause is problem:
            raise copied(problem)
        phase = _PHASES[error.phase]
        if isinstance(cause, BatchError):  # a worker's: it knows the phase, and this one which
            phase, cause = cause.phase, cause.__cause__
        made = BatchError(
            f"batch {error.index} failed in {phase}: {type(cause).__name__}: {cause}",
            index=error.index,
            phase=phase,
        )
        made.__cause__ = cause
        if self._on_error == "raise":
            raise made
        return self._on_error(made) if callable(self._on_error) else None

    # Iterating.

    def __iter__(self) -> Iterator[Result]:
        return self._results(iter(self._stream))

    def _results(self, results: Iterator[Result]) -> Iterator[Result]:
        try:
            yield from results
        finally:
            self.close()

    def __aiter__(self) -> AsyncIterator[Result]:
        return self._results_async(aiter(self._stream))

    async def _results_async(self, results: AsyncIterator[Result]) -> AsyncIterator[Result]:
        try:
            async for result in results:
                yield result
        finally:
            await self.aclose()

    # Ending.

    def close(self) -> None:
        """Stop, end the workers, and release everything."""
        try:
            self._stream.close()
        finally:
            self._foreman.close()

    async def aclose(self) -> None:
        """Do what close does, but suspend the task while something has to be waited for."""
        try:
            await self._stream.aclose()
        finally:
            await asyncio.to_thread(self._foreman.close)

    def __enter__(self) -> ClusterStream[Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> ClusterStream[Result]:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # What it was like.

    @property
    def report(self) -> Report:
        """Figures, verdict and advice; of what has come out so far, while it runs.

        The lanes of workers are the mean of them: 100% is all of them, all the time."""
        return self._reported(self._stream.report)

    def _reported(self, report: Report) -> Report:
        """The report of the stream here, with what its workers say of theirs."""
        tallies, size = self._foreman.tallies(), max(self._foreman.size, 1)
        here = {lane.name: lane.busy for lane in report.lanes}
        there = dict.fromkeys(_THERE, 0.0)
        for tally in tallies:
            for name, spent in tally.busy.items():
                there[name] += spent / size
        busy = {"source": here["source"], "send": here["prepare"], **there}
        busy |= {"return": here["collect"], "consumer": here["consumer"]}
        compiled = dict.fromkeys(name for tally in tallies for name in tally.compiled)
        compiling = max((tally.compiling for tally in tallies), default=0.0)
        made = replace(report, compiled=tuple(compiled), compiling=compiling)
        return with_lanes(made, busy)

    @property
    def workers(self) -> tuple[WorkerUse, ...]:
        """Every worker there was so far, and what it does."""
        return self._foreman.workers()

    @property
    def restarts(self) -> int:
        """How many workers died, or hung, and were replaced."""
        return self._foreman.restarts

    def __repr__(self) -> str:
        there = [each for each in self.workers if each.state != "gone"]
        return f"<treadle.cluster.ClusterStream with {len(there)} workers>"


def stream_over(
    batches: Any,
    make: Callable[[], Handler],
    crew: Crew,
    dumps: Dumps,
    *,
    what: str = "make",
    depth: int = DEPTH,
    max_in_flight: int | None = None,
    max_bytes: int | None = None,
    ordered: bool = True,
    on_error: str | Callable[[Any], Any] = "raise",
    copy: bool = True,
    attempts: int = 3,
    straggler: float | None = 4.0,
    progress: bool | Callable[[Report], Any] = False,
) -> ClusterStream[Any]:
    """Have each batch done by a handler that `make()` makes on every worker of a crew."""
    at_least("attempts", attempts, 1, whole=True)
    at_least("depth", depth, 1, whole=True)
    if straggler is not None and not (_is_number(straggler) and straggler > 1):
        raise LaunchError(f"straggler: expected a number above 1, or None, got {straggler!r}")
    rota = Rota(depth=depth, attempts=attempts, straggler=straggler)
    foreman = Foreman(crew, pack(make, what, dumps), rota)
    return ClusterStream(
        batches, foreman, dumps, depth=depth, max_in_flight=max_in_flight, max_bytes=max_bytes,
        ordered=ordered, on_error=on_error, copy=copy, progress=progress,
    )  # fmt: skip


def at_least(name: str, value: Any, least: float, *, whole: bool = False) -> None:
    """Raise LaunchError for an option that is no number, or less than that."""
    if not _is_number(value) or value < least or (whole and not isinstance(value, int)):
        kind = f"an integer of {least} or more" if whole else f"a number of {least} or more"
        raise LaunchError(f"{name}: expected {kind}, got {value!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
