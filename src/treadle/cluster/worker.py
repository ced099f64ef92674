"""What a worker process does: batches come in parcels, results go back in parcels.

In: what makes a handler, once, and batches, several at a time. Out: a reply for each: the result,
or what went wrong and in which phase. A handler lives as long as its worker, so that plans, buffers
and models stay warm. How batches and replies travel is not known here, nor which other workers
there are.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any, Protocol

from treadle.attendant import Bell, start
from treadle.cluster.parcel import Dumps, Parcel, pack, unpack
from treadle.data import dataclass
from treadle.errors import BatchError, ClusterError
from treadle.streaming.stream import Stream

__all__ = ["Handler", "MadeThere", "Reply", "StreamHandler", "Tally", "Unwanted", "Worker"]


@dataclass(frozen=True, slots=True)
class Tally:
    """What a worker has done so far: batches, and seconds for each lane of its streams."""

    batches: int = 0
    busy: Mapping[str, float] = field(default_factory=dict)
    compiled: tuple[str, ...] = ()
    compiling: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a batch: "done", "failed" in a phase, "unwanted", or "missed": try again."""

    kind: str
    parcel: Parcel | None = None  # the result, or the error
    phase: str = ""
    tally: Tally = field(default_factory=Tally)


class Unwanted(Exception):
    """Raised by a handler for a batch that is not wanted any more."""


class Handler(Protocol):
    """What a worker does with batches; it is made once on each, and called by several threads."""

    def handle(self, batch: Any, wanted: Callable[[], bool]) -> Any:
        """Return a batch's result; a BatchError says in which phase its cause came up.

        Where `wanted()` says no before it has begun, it may raise Unwanted."""
        ...

    def tally(self) -> Tally:
        """What it has done so far."""
        ...

    def close(self) -> None:
        """Release everything."""
        ...


class Worker:
    """A handler, and the parcels that it is handed."""

    def __init__(self, dumps: Dumps) -> None:
        self._dumps = dumps
        self._handler: Handler | None = None
        self._unwanted: set[int] = set()

    def equip(self, make: Parcel) -> Reply:
        """Make the handler, and say whether that worked."""
        try:
            self._handler = unpack(make, copy=False)()
        except BaseException as error:
            return self._failure(error, "start")
        return Reply("done")

    def take(self, batch: int, parcel: Parcel) -> Reply:
        """Do a batch and say what became of it."""
        try:
            assert self._handler is not None
            return self._reply(self._handler, batch, parcel)
        finally:
            self._unwanted.discard(batch)

    def drop(self, batch: int) -> None:
        """Take note that a batch is not wanted any more."""
        self._unwanted.add(batch)

    def close(self) -> None:
        """Release everything."""
        if self._handler is not None:
            self._handler.close()

    def _reply(self, handler: Handler, batch: int, parcel: Parcel) -> Reply:
        phase = "send"
        try:
            value = [unpack(parcel, copy=False)]
            phase = "compute"
            result = handler.handle(value.pop(), lambda: batch not in self._unwanted)
            phase = "return"
            made = pack(result, "the result", self._dumps)
        except Unwanted:
            return Reply("unwanted", tally=handler.tally())
        except BatchError as error:
            return self._failure(error.__cause__ or error, error.phase or phase, handler)
        except BaseException as error:
            return self._failure(error, phase, handler)
        return Reply("done", made, tally=handler.tally())

    def _failure(self, error: BaseException, phase: str, handler: Handler | None = None) -> Reply:
        lines = traceback.format_tb(error.__traceback__)
        with contextlib.suppress(Exception):  # a class may refuse
            if lines:
                error.add_note("on a worker:\n" + "".join(lines).rstrip())
        try:
            parcel = pack(error, "the error", self._dumps)
            unpack(parcel, copy=False)  # some can be pickled, and not be made again
        except Exception:
            text = f"{type(error).__name__}: {error}"
            parcel = pack(ClusterError(text), "the error", self._dumps)
        return Reply("failed", parcel, phase, handler.tally() if handler else Tally())


@dataclass(slots=True, eq=False)
class _Visit:
    """A batch in a worker's stream, and the thread that waits for it."""

    batch: list[Any]
    wanted: Callable[[], bool]
    gate: Bell = field(default_factory=Bell)
    result: Any = None
    error: BaseException | None = None

    def settle(self, result: Any, error: BaseException | None = None) -> None:
        self.result, self.error = result, error
        self.gate.ring()


class _Failure:
    """What comes out of a worker's stream in the place of a batch that failed."""

    def __init__(self, error: BatchError) -> None:
        self.error = error


class MadeThere:
    """What is made on a worker because it cannot be sent there; see treadle.cluster.made_there."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


class StreamHandler:
    """An ordinary stream on a worker: it prepares a batch while it computes another."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        """`options` are those of treadle.stream, but for batches, ordered and on_error."""
        self._visits: queue.SimpleQueue[_Visit | None] = queue.SimpleQueue()
        self._inside: deque[_Visit] = deque()  # in the stream, in order
        self._count = 0
        made = {
            name: value.make() if isinstance(value, MadeThere) else value
            for name, value in options.items()
        }
        self._turn = 0  # how many streams have ended before their time
        self._options = made
        self._stream = self._open()
        self._thread = start("treadle-cluster-worker", self._run)

    def handle(self, batch: Any, wanted: Callable[[], bool]) -> Any:
        """Put a batch into the stream and wait until it comes out."""
        visit = _Visit([batch], wanted)
        del batch  # the stream may use its arrays in place
        self._visits.put(visit)
        visit.gate.sleep(-1)
        if visit.error is not None:
            raise visit.error
        return visit.result

    def _open(self) -> Stream[Any]:
        return Stream(self._batches(self._turn), on_error=_Failure, **self._options)

    def _batches(self, turn: int) -> Iterator[Any]:
        while True:
            visit = self._visits.get()
            if turn != self._turn:  # another stream is there meanwhile
                self._visits.put(visit)
                return
            if visit is None:
                return
            if not visit.wanted():
                visit.settle(None, Unwanted())
                continue
            self._inside.append(visit)
            yield visit.batch.pop()

    def _run(self) -> None:
        while True:
            try:
                for result in self._stream:
                    visit = self._inside.popleft()
                    self._count += 1
                    if isinstance(result, _Failure):
                        visit.settle(None, result.error)
                    else:
                        visit.settle(result)
                    del visit, result
                return
            except BaseException as error:  # sys.exit() in a function, or what is no Exception
                self._turn += 1
                inside, self._inside = self._inside, deque()
                if inside:  # in order: the first one's
                    inside.popleft().settle(None, error)
                for each in inside:  # they may be done again
                    each.settle(None, Unwanted())
                self._stream = self._open()

    def tally(self) -> Tally:
        """Seconds for each lane of the stream so far."""
        report = self._stream.report
        busy = {lane.name: lane.busy for lane in report.lanes if lane.name not in _OURS}
        return Tally(self._count, busy, report.compiled, report.compiling)

    def close(self) -> None:
        """End the stream when it has done what it has."""
        self._visits.put(None)
        if self._thread is not threading.current_thread():
            self._thread.join()


_OURS = {"source", "consumer"}  # lanes that say how long a worker waited
