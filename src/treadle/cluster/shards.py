"""Shards of an index, searched by workers on the machines where the files are.

In: paths, as workers see them, and a crew. Out: shards for treadle.search.Sharded, each with a
worker that sees its file; shards of one worker share its machine's cores, those of several are
searched at the same time. A worker that dies is replaced, and what it was asked is asked again or
given up, as the caller wishes. What a search means is known to treadle.search alone.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any
from zlib import crc32

from treadle.attendant import Attendant, Bell
from treadle.cluster.crew import Arrived, Crew, Equipped, Event, Lost, Missed, Refused, Returned
from treadle.cluster.parcel import Dumps, pack, unpack
from treadle.cluster.versions import differing
from treadle.cluster.worker import Reply, Tally
from treadle.data import dataclass
from treadle.errors import ClusterError, FileError, ShardLost
from treadle.search.shard import Pending, Shard, ShardFacts, ShardFile
from treadle.search.state import Result

__all__ = ["ShardHandler", "ShardWorkers"]

_ATTEMPTS = 3  # at a call whose worker died, and at starting another worker


class ShardHandler:
    """What a worker does: it opens the files that it is asked for, and keeps them open."""

    def __init__(self, device: str | None) -> None:
        self._device = device
        self._opened: dict[str, tuple[ShardFile, int]] = {}
        self._opening = threading.Lock()
        self._count = 0

    def handle(self, batch: Any, wanted: Callable[[], bool]) -> Any:
        """Do what a call asks: the name of a method of ShardFile, or "look" or "open"."""
        self._count += 1
        what, *given = batch
        if what == "look":
            return [_size(path) for path in given[0]]
        path, mark, columns, args = given
        shard, found = self._shard(path, columns)
        if what == "open":
            return shard.facts, found
        if found != mark:
            raise FileError(f"{path}: another file is there than when it was opened; open it again")
        if what == "begin":
            return shard.begin(*args).result(None)
        return getattr(shard, what)(*args)

    def _shard(self, path: str, columns: Mapping[str, str | None] | None) -> tuple[ShardFile, int]:
        with self._opening:
            if path not in self._opened:
                shard = ShardFile(path, self._device)
                self._opened[path] = shard, crc32(shard.ids().data)
            shard, mark = self._opened[path]
            if columns is not None and shard.columns != columns:
                shard.widen(columns)
            return shard, mark

    def tally(self) -> Tally:
        """What it has done so far."""
        return Tally(self._count)

    def close(self) -> None:
        """Let the files go."""
        for shard, _ in self._opened.values():
            shard.close()


def _size(path: str) -> int | None:
    try:
        return os.stat(path).st_size
    except OSError:
        return None


@dataclass(slots=True, eq=False)
class _Call:
    """Something that a worker was asked, and threads that wait for it."""

    worker: str
    bell: Bell = field(default_factory=Bell)
    settled: bool = False
    value: Any = None
    error: BaseException | None = None

    def settle(self, value: Any = None, error: BaseException | None = None) -> None:
        """Say what came of it."""
        self.value, self.error, self.settled = value, error, True
        self.bell.ring()

    def wait(self) -> Any:
        """Wait for it; _Gone where the worker has died."""
        self.bell.sleep(-1)
        self.bell.ring()  # for others that wait
        if self.error is not None:
            raise self.error
        return self.value


class _Gone(Exception):
    """A worker died before it replied."""


@dataclass(slots=True, eq=False)
class _Seat:
    """What one worker after the other has: the shards of one place."""

    start: _Call | None = None  # of the worker that has it now
    gone: bool = False
    failed: int = 0  # workers in a row that did not start


class ShardWorkers:
    """Workers of a cluster that search index files: `Sharded(paths, cluster=...)` takes them, and
    ends them when it is closed."""

    def __init__(self, crew: Crew, dumps: Dumps) -> None:
        self._crew = crew
        self._dumps = dumps
        self._events: deque[Event] = deque()
        self._attendant = Attendant("treadle-cluster-shards", self._hear, idle=1.0)
        self._number = itertools.count().__next__
        self._calls: dict[int, _Call] = {}
        self._seats: dict[str, _Seat] = {}  # by the worker that has it
        self._replacing = threading.Lock()
        self._closed = False
        self.patient = True

    def __repr__(self) -> str:
        return f"<treadle.cluster.ShardWorkers, {len(self._seats)} at work>"

    def open(
        self, paths: Sequence[str], device: str | None, *, patient: bool
    ) -> tuple[list[Shard], dict[str, str]]:
        """Have workers open files; return shards, and why others could not be opened.

        Where a worker dies later, a `patient` shard waits for another; else it is lost until the
        other one has started."""
        if self._seats or self._closed:
            raise ClusterError("these workers have shards already; make others")
        self.patient = patient
        self._make = pack(partial(ShardHandler, device), "the device", self._dumps)
        seats = [self._start(_Seat()) for _ in range(self._crew.open(self._told))]
        for start in seats:
            try:
                start.wait()
            except _Gone as gone:
                raise ClusterError(f"a worker did not start: {gone}") from None
        return self._placed(paths)

    def _placed(self, paths: Sequence[str]) -> tuple[list[Shard], dict[str, str]]:
        """Give each file to a worker that sees it; to those that have the fewest bytes so far."""
        looks = {name: self._ask(name, ("look", list(paths))) for name in self._seats}
        sizes = {name: look.wait() for name, look in looks.items()}
        loads = dict.fromkeys(sizes, 0)
        missing: dict[str, str] = {}
        placed: dict[str, RemoteShard] = {}
        order = sorted(range(len(paths)), key=lambda at: -max(s[at] or 0 for s in sizes.values()))
        for at in order:
            seeing = [name for name in sizes if sizes[name][at] is not None]
            if not seeing:
                missing[paths[at]] = f"{paths[at]}: no worker sees such a file"
                continue
            name = min(seeing, key=loads.__getitem__)
            loads[name] += sizes[name][at] or 0
            placed[paths[at]] = RemoteShard(paths[at], self, self._seats[name])
        for shard in placed.values():
            shard.open_begin()
        opened: list[Shard] = []
        for path in paths:
            if path in placed:
                try:
                    placed[path].open_end()
                    opened.append(placed[path])
                except FileError as error:
                    missing[path] = str(error)
        return opened, missing

    def close(self) -> None:
        """End the workers."""
        if self._closed:
            return
        self._closed = True
        try:
            self._crew.close()
        finally:
            self._give_up(_Gone("it was closed"))
            self._attendant.dismiss()

    def _give_up(self, error: BaseException) -> None:
        """Answer all that is waited for with an error."""
        for call in (*self._calls.values(), *[seat.start for seat in self._seats.values()]):
            if call is not None and not call.settled:
                call.settle(error=error)
        self._calls.clear()

    # Calls, for shards.

    def ask(self, seat: _Seat, message: Any) -> _Call:
        """Ask the worker of a seat; _Gone where there is none for now."""
        if seat.gone:
            self._replace(seat)
        start = seat.start
        assert start is not None
        if not start.settled and not self.patient:
            raise _Gone("another one is being started")
        start.wait()
        return self._ask(start.worker, message)

    def _ask(self, worker: str, message: Any) -> _Call:
        number, call = self._number(), _Call(worker)
        parcel = pack(message, "a search", self._dumps)
        self._calls[number] = call
        try:
            self._crew.give(worker, number, self._crew.send(parcel))
        except Exception as error:  # the cluster's own: there is no way to the worker
            self._calls.pop(number, None)
            raise _Gone(str(error)) from error
        return call

    def _replace(self, seat: _Seat) -> None:
        """Start another worker in the place of one that has died."""
        with self._replacing:
            if seat.gone and not self._closed:
                if seat.failed >= _ATTEMPTS:
                    raise _Gone(f"{seat.failed} others in a row did not start")
                self._start(seat)

    def _start(self, seat: _Seat) -> _Call:
        name = f"searcher-{self._number()}"
        seat.start = start = _Call(name)
        seat.gone = False
        self._seats[name] = seat
        self._crew.start(name)
        return start

    # Events, on the attendant's thread.

    def _told(self, event: Event) -> None:
        self._events.append(event)
        self._attendant.call()

    def _hear(self) -> bool:
        try:
            event = self._events.popleft()
        except IndexError:
            return False
        if not self._closed:
            try:
                self._take(event)
            except Exception as error:  # a caller would wait for ever
                self._give_up(ClusterError(f"what a worker said cannot be read: {error}"))
        return True

    def _take(self, event: Event) -> None:
        match event:
            case Arrived(worker, host, versions):
                found = differing(versions)
                if found:
                    said = f"{worker} on {host} differs from here: {found}; install the same there"
                    self._started(worker, ClusterError(said))
                else:
                    self._crew.equip(worker, self._make)
            case Equipped(worker):
                self._started(worker)
            case Refused(worker, reply):
                self._started(worker, _of(reply))
            case Returned(_, number, reply) if number in self._calls:
                found, done = _of(reply), reply.kind == "done"
                self._calls.pop(number).settle(found if done else None, None if done else found)
            case Missed(_, number, why) if number in self._calls:
                self._calls.pop(number).settle(error=_Gone(why))
            case Lost(worker, why):
                self._lost(worker, why)

    def _started(self, worker: str, error: BaseException | None = None) -> None:
        seat = self._seats.get(worker)
        if seat is not None and seat.start is not None:
            seat.failed = 0
            seat.start.settle(error=error)

    def _lost(self, worker: str, why: str) -> None:
        self._crew.end(worker)  # it may live, where only the way to it is lost
        seat = self._seats.pop(worker, None)
        if seat is not None and seat.start is not None:
            seat.gone, seat.failed = True, seat.failed + 1
            seat.start.settle(error=_Gone(why))
        for number in [number for number, call in self._calls.items() if call.worker == worker]:
            self._calls.pop(number).settle(error=_Gone(why))


def _of(reply: Reply) -> Any:
    assert reply.parcel is not None
    return unpack(reply.parcel, copy=True)


class RemoteShard:
    """A shard that a worker searches."""

    facts: ShardFacts

    def __init__(self, path: str, workers: ShardWorkers, seat: _Seat) -> None:
        self.path = path
        self._workers = workers
        self._seat = seat
        self._mark: int | None = None
        self._columns: dict[str, str | None] | None = None

    def __repr__(self) -> str:
        return f"<treadle.cluster.RemoteShard {self.path!r}>"

    def open_begin(self) -> None:
        """Have the worker open the file."""
        self._opening = _Asked(self, "open", ())

    def open_end(self) -> None:
        """Wait until it is open, and take note of what it is; FileError where it is not."""
        self.facts, self._mark = self._opening.value()

    def ids(self) -> Any:
        """The ids of all rows, ascending."""
        return _Asked(self, "ids", ()).value()

    def widen(self, columns: Mapping[str, str | None]) -> None:
        """Have these columns, null in every row where there are none of these names."""
        self._columns = dict(columns)

    def begin(self, queries: Any, k: int, where: Any, probes: int | None) -> Pending:
        """Begin a search, of queries that were checked."""
        return _Asked(self, "begin", (queries, k, where, probes))

    def has(self, ids: Any) -> Any:
        """Say which of some ids rows here have."""
        return _Asked(self, "has", (ids,)).value()

    def take(self, ids: Any) -> Any:
        """Return the vectors of ids, all of which are here."""
        return _Asked(self, "take", (ids,)).value()

    def take_columns(self, ids: Any) -> Any:
        """Return what columns have for ids, all of which are here."""
        return _Asked(self, "take_columns", (ids,)).value()

    def verify(self) -> None:
        """Compare every byte with its checksum."""
        _Asked(self, "verify", ()).value()

    def close(self) -> None:
        """Let the shard go: it goes with its worker."""

    def ask(self, what: str, args: Iterable[Any]) -> _Call:
        """Ask the worker; _Gone where there is none for now."""
        return self._workers.ask(self._seat, (what, self.path, self._mark, self._columns, args))

    def lost(self, why: object) -> ShardLost:
        """The error that says that the worker is gone."""
        said = f"{self.path}: its worker is gone: {why}"
        return ShardLost(said, missing={self.path: said})


class _Asked:
    """A call of a shard, which is made again where its worker dies, if the shards are patient."""

    def __init__(self, shard: RemoteShard, what: str, args: tuple[Any, ...]) -> None:
        self._shard, self._what, self._args = shard, what, args
        self._attempts = _ATTEMPTS if shard._workers.patient else 1
        self._call: _Call | None = None
        self._gone: _Gone | None = None
        self._ask()

    def _ask(self) -> None:
        try:
            self._call = self._shard.ask(self._what, self._args)
        except _Gone as gone:
            self._call, self._gone = None, gone

    def value(self) -> Any:
        """Wait for the answer; ShardLost where no worker lives to give it."""
        while True:
            try:
                if self._call is None:
                    raise self._gone or _Gone("it was not asked")
                return self._call.wait()
            except _Gone as gone:
                self._attempts -= 1
                if self._attempts < 1:
                    raise self._shard.lost(gone) from None
                self._ask()

    def result(self, within: Any) -> Result:
        """Wait for a search; its worker knows no limit, since all are asked at the same time."""
        found: Result = self.value()
        return found
