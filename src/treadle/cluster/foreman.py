"""The foreman: one thread that gives batches to workers, hears from them, and starts others.

In: batches, from any thread, and events from a crew. Out: one answer for each batch, exactly once:
its result, or the error that stays after every attempt. What goes where is the rota's decision; how
workers are reached is the crew's. The thread opens the crew and closes it, so that Ctrl-C, which
comes on the caller's thread, can leave neither half done.
"""

from __future__ import annotations

import atexit
import itertools
import threading
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import field
from time import monotonic
from typing import Any

from treadle.attendant import Bell, start
from treadle.cluster.crew import (
    Arrived,
    Crew,
    Equipped,
    Event,
    Lost,
    Missed,
    Refused,
    Returned,
)
from treadle.cluster.ending import Ending
from treadle.cluster.parcel import Parcel, unpack
from treadle.cluster.rota import End, Give, Rota, Withdraw
from treadle.cluster.versions import differing
from treadle.cluster.worker import Tally
from treadle.data import dataclass
from treadle.errors import BatchError, ClusterError

__all__ = ["Answer", "Foreman", "WorkerUse"]

_STARTS = 3  # in a row that may fail before workers are given up


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a batch: a parcel with its result, or an error."""

    parcel: Parcel | None = None
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class WorkerUse:
    """One worker so far."""

    name: str
    host: str  # where it runs; empty until it has started
    state: str  # starting, working, idle or gone
    under_way: int  # batches that it has
    batches: int  # that it has done
    busy: dict[str, float] = field(default_factory=dict)  # seconds, for each lane of its streams


@dataclass(slots=True)
class _Batch:
    """A batch that waits for its answer."""

    sent: Any
    settled: Callable[[Answer], object]
    errors: list[BaseException] = field(default_factory=list)


@dataclass(slots=True)
class _Member:
    """A worker that was started."""

    host: str = ""
    ready: bool = False
    gone: bool = False
    tally: Tally = field(default_factory=Tally)


class Foreman:
    """Batches to workers, and answers back; any thread may submit."""

    def __init__(
        self, crew: Crew, make: Parcel, rota: Rota, *, clock: Callable[[], float] = monotonic
    ) -> None:
        """`make` is what makes a handler on each worker."""
        self._crew = crew
        self._make = make
        self._rota = rota
        self._clock = clock
        self._bell = Bell()
        self._ending = Ending()
        self._opened = threading.Event()  # for threads of streams only, which Ctrl-C spares
        self._inbox: deque[tuple[int, _Batch | None]] = deque()
        self._events: deque[Event] = deque()
        self._batches: dict[int, _Batch] = {}
        self._members: dict[str, _Member] = {}
        self._number = itertools.count().__next__
        self._named = itertools.count(1).__next__
        self._failed_starts = 0
        self._ended = False
        self._dismissed = False
        self._closed = False
        self.problem: BaseException | None = None  # with which nothing goes on
        self.restarts = 0
        self.size = 0  # how many workers there are to be
        self._thread: threading.Thread | None = None

    # For any thread.

    def call(self) -> None:
        """Have the foreman's thread start and wait until there are workers to be had; raise what
        keeps it from that."""
        if self._thread is None:
            _at_work.add(self)
            atexit.register(_end)
            try:
                start("treadle-cluster", self._run, self._note)
            except BaseException:
                self._thread = None
                raise
        self._opened.wait()
        if self.problem is not None:
            raise self.problem
        if self._dismissed:
            raise ClusterError("the stream was closed")

    def _note(self, thread: threading.Thread) -> None:
        self._thread = thread

    def send(self, parcel: Parcel) -> Any:
        """Put a batch where workers can get it."""
        return self._crew.send(parcel)

    def submit(self, sent: Any, settled: Callable[[Answer], object]) -> int:
        """Have a batch done; `settled` is called once, on the foreman's thread."""
        number = self._number()
        self._inbox.append((number, _Batch(sent, settled)))
        self._bell.ring()
        if self._closed:  # perhaps just now: the thread does not look again
            self._refuse()
        return number

    def withdraw(self, number: int) -> None:
        """Take a batch back; it is not answered any more, unless it is just being."""
        self._inbox.append((number, None))
        self._bell.ring()

    def post(self, event: Event) -> None:
        """Hand an event over; for the crew."""
        self._events.append(event)
        self._bell.ring()

    def dismiss(self) -> None:
        """Have the foreman end workers, and itself; wait for nothing."""
        self._dismissed = True
        self._bell.ring()

    def close(self) -> None:
        """Dismiss the foreman and wait until nothing is left of workers."""
        self.dismiss()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread() and thread.ident:
            self._ending.wait()

    def workers(self) -> tuple[WorkerUse, ...]:
        """Every worker there was, in the order in which they were started."""
        return tuple([self._use(name, member) for name, member in list(self._members.items())])

    def tallies(self) -> list[Tally]:
        """What each worker has done so far."""
        return [member.tally for member in list(self._members.values())]

    def _use(self, name: str, member: _Member) -> WorkerUse:
        under_way = self._rota.has(name)
        state = "gone" if member.gone else "starting" if not member.ready else "idle"
        if state == "idle" and under_way:
            state = "working"
        tally = member.tally
        return WorkerUse(name, member.host, state, under_way, tally.batches, dict(tally.busy))

    # The thread.

    def _run(self) -> None:
        try:
            self.begin()
            while not self._dismissed:
                wait = self.turn()
                self._bell.sleep(-1 if wait is None else wait)
        except BaseException as error:
            self._fail(error)
        finally:
            self._dismissed = True
            try:
                self._crew.close()
            finally:
                self._closed = True
                self._fail(ClusterError("the stream was closed"))
                self._opened.set()
                _at_work.discard(self)
                self._ending.tell()

    def begin(self) -> None:
        """Open the crew and start its workers; for the thread, and for tests."""
        try:
            self.size = self._crew.open(self.post)
            for _ in range(self.size):
                self._start()
        except BaseException as error:
            self._fail(error)
        atexit.register(_end)  # after what the crew has registered, and so before it
        self._opened.set()

    def turn(self) -> float | None:
        """Deal with everything that has come; return the seconds until the next look, or None."""
        while self._inbox:
            number, batch = self._inbox.popleft()
            if batch is None:
                self._batches.pop(number, None)
                self._rota.drop(number, self._clock())
            elif self.problem is not None:
                batch.settled(Answer(error=self.problem))
            else:
                self._batches[number] = batch
                self._rota.add(number)
        while self._events:
            self._hear(self._events.popleft())
        now = self._clock()
        for order in self._rota.orders(now):
            match order:
                case Give(worker, number):
                    self._crew.give(worker, number, self._batches[number].sent)
                case Withdraw(worker, number):
                    self._crew.withdraw(worker, number)
                case End(worker):
                    self._crew.end(worker)
        return self._rota.look_in(now)

    def _start(self) -> None:
        name = f"worker-{self._named()}"
        self._members[name] = _Member()
        self._crew.start(name)

    def _hear(self, event: Event) -> None:
        member = self._members[event.worker]
        match event:
            case Arrived(worker, host, versions):
                member.host = host
                found = differing(versions)
                if found:
                    said = f"{worker} on {host} differs from here: {found}; install the same there"
                    self._fail(ClusterError(said))
                elif not member.gone:
                    self._crew.equip(worker, self._make)
            case Equipped(worker):
                if not member.gone:
                    member.ready = True
                    self._failed_starts = 0
                    self._rota.join(worker)
            case Refused(worker, reply):
                self._fail(_failure(reply, worker).__cause__ or ClusterError("it gives no reason"))
            case Returned(worker, number, reply):
                if reply.tally.batches >= member.tally.batches:  # replies may overtake each other
                    member.tally = reply.tally
                self._returned(worker, number, reply)
            case Missed(worker, number):
                self._rota.missed(worker, number)
            case Lost(worker, why):
                if not member.gone:
                    member.gone = True
                    self._crew.end(worker)  # it may live, where only the way to it is lost
                    self._lost(worker, why, member.ready)

    def _returned(self, worker: str, number: int, reply: Any) -> None:
        now = self._clock()
        if reply.kind == "done":
            if self._rota.done(worker, number, now):
                self._answer(number, Answer(reply.parcel))
        elif reply.kind == "failed":
            error = _failure(reply, worker)
            batch = self._batches.get(number)
            if batch is not None:
                batch.errors.append(error)
            if self._rota.failed(worker, number, now):
                self._answer(number, Answer(error=error))
        else:
            self._rota.missed(worker, number)

    def _lost(self, worker: str, why: str, started: bool) -> None:
        for number in self._rota.lose(worker, self._clock()):
            batch = self._batches.get(number)
            error: BaseException = ClusterError(
                f"its worker died again and again, with nothing else to do; at last: {why}"
            )
            if batch is not None and batch.errors:
                error.__cause__ = batch.errors[-1].__cause__
            failure = BatchError(str(error), phase="compute")
            failure.__cause__ = error
            self._answer(number, Answer(error=failure))
        self.restarts += 1
        self._failed_starts += not started
        if self._failed_starts >= _STARTS:
            self._fail(ClusterError(f"no worker starts: {why}"))
        elif self.problem is None:
            self._start()

    def _answer(self, number: int, answer: Answer) -> None:
        batch = self._batches.pop(number, None)
        if batch is not None:
            batch.settled(answer)

    def _fail(self, error: BaseException) -> None:
        """Answer everything with an error, now and from now on."""
        if self.problem is None:
            self.problem = error
        for number in list(self._batches):
            self._answer(number, Answer(error=self.problem))
            self._rota.drop(number, self._clock())
        self._refuse()

    def _refuse(self) -> None:
        """Answer what has come since with the problem."""
        while True:
            try:
                _, batch = self._inbox.popleft()
            except IndexError:
                return
            if batch is not None:
                batch.settled(Answer(error=self.problem))


def _failure(reply: Any, worker: str) -> BatchError:
    """What a worker says of a batch that failed there."""
    assert reply.parcel is not None
    try:
        cause: BaseException = unpack(reply.parcel, copy=True)
    except Exception as error:  # of a class that is not here
        cause = ClusterError(f"an error of {worker} that cannot be read here: {error}")
    failure = BatchError(f"{type(cause).__name__}: {cause}", phase=reply.phase)
    failure.__cause__ = cause
    return failure


_at_work: weakref.WeakSet[Foreman] = weakref.WeakSet()


def _end() -> None:
    """End what a stream that was not closed has started, while threads still run."""
    atexit.unregister(_end)
    for foreman in list(_at_work):
        foreman.close()
