"""Which worker has which batch: order, second attempts, blame, and who waits for whom.

In: batches by number, workers by name, and what became of them. Out: orders: give this batch to
that worker, take it back, end that worker. It has no clock, no threads and no workers: moments are
given to it, so that what a test shows it shows every time.

- A batch goes to the worker that has least to do, `depth` to each at most, the oldest first.
- A batch that fails is tried again, on another worker where there is one, `attempts` times in all.
- A worker that dies takes several batches with it, and one of them may have killed it. Only where
  it had one alone is that one to blame; else they are suspects, and each is run again with nothing
  beside it. So a batch that kills workers is found, and those that were near it are not.
- Where a worker has nothing to do, the oldest batch that takes much longer than others do is given
  to it as well. The first result counts, and the other worker is told to drop it. A worker that has
  only such batches left, for much longer again, is ended: it hangs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import field
from statistics import median

from treadle.data import dataclass

__all__ = ["End", "Give", "Order", "Rota", "Withdraw"]

_RECENT = 64  # batches whose times say how long one takes
_SEVERAL = 3  # of them, before they say anything


@dataclass(frozen=True, slots=True)
class Give:
    """Give a batch to a worker."""

    worker: str
    batch: int


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Tell a worker that a batch is not wanted any more."""

    worker: str
    batch: int


@dataclass(frozen=True, slots=True)
class End:
    """End a worker, which hangs, and start another."""

    worker: str


Order = Give | Withdraw | End


@dataclass(slots=True)
class _Entry:
    """A batch that has no result yet."""

    failures: int = 0  # with an error
    deaths: int = 0  # of a worker that had nothing else
    suspect: bool = False
    holders: dict[str, float] = field(default_factory=dict)  # workers, and since when
    avoid: set[str] = field(default_factory=set)  # where it failed


@dataclass(slots=True)
class _Duty:
    """What a worker has: batches that are wanted, and some that are not any more."""

    wanted: set[int] = field(default_factory=set)
    unwanted: dict[int, float] = field(default_factory=dict)  # since when
    alone: bool = False  # it has a suspect
    ended: bool = False

    @property
    def load(self) -> int:
        return len(self.wanted) + len(self.unwanted)


class Rota:
    """Who has what; one thread at a time may use it."""

    def __init__(
        self, *, depth: int, attempts: int = 3, straggler: float | None = 4.0, patience: float = 2.0
    ) -> None:
        """`straggler`: how many times as long as others a batch may take before it is started again
        elsewhere, but at least `patience` seconds; None: for ever."""
        self._depth = depth
        self._attempts = attempts
        self._straggler = straggler
        self._patience = patience
        self._entries: dict[int, _Entry] = {}
        self._waiting: set[int] = set()
        self._duties: dict[str, _Duty] = {}
        self._took: deque[float] = deque(maxlen=_RECENT)
        self._orders: list[Order] = []

    # What happens.

    def join(self, worker: str) -> None:
        """Take note of a worker that can be given batches."""
        self._duties[worker] = _Duty()

    def add(self, batch: int) -> None:
        """Take note of a batch to be done."""
        self._entries[batch] = _Entry()
        self._waiting.add(batch)

    def drop(self, batch: int, now: float) -> None:
        """Take note that a batch is not wanted any more."""
        self._settle(batch, now)

    def done(self, worker: str, batch: int, now: float) -> bool:
        """Take note of a result; whether it is the first one of its batch, which counts."""
        since = self._returned(worker, batch)
        entry = self._entries.get(batch)
        if entry is None:
            return False
        if since is not None:
            self._took.append(now - since)
        self._settle(batch, now)
        return True

    def failed(self, worker: str, batch: int, now: float) -> bool:
        """Take note that a batch failed; whether it has done so often enough to be given up."""
        self._returned(worker, batch)
        entry = self._entries.get(batch)
        if entry is None:
            return False
        entry.failures += 1
        entry.avoid.add(worker)
        return self._again(batch, entry, now)

    def missed(self, worker: str, batch: int) -> None:
        """Take note that a worker has nothing to show for a batch, through no fault of its own."""
        self._returned(worker, batch)
        entry = self._entries.get(batch)
        if entry is not None and not entry.holders:
            self._waiting.add(batch)

    def lose(self, worker: str, now: float) -> list[int]:
        """Take note that a worker has died; the batches that are given up for it."""
        duty = self._duties.pop(worker, None)
        if duty is None:
            return []
        blamed = duty.load == 1 and not duty.ended
        given_up = []
        for batch in sorted(duty.wanted):
            entry = self._entries[batch]
            entry.holders.pop(worker, None)
            if blamed:
                entry.deaths += 1
            entry.suspect = entry.suspect or not duty.ended
            for holder in entry.holders if entry.suspect else ():
                self._duties[holder].alone = True  # nothing more comes beside it
            if self._again(batch, entry, now):
                given_up.append(batch)
        return given_up

    def _again(self, batch: int, entry: _Entry, now: float) -> bool:
        if entry.failures + entry.deaths >= self._attempts:
            self._settle(batch, now)
            return True
        if not entry.holders:
            self._waiting.add(batch)
        return False

    def _settle(self, batch: int, now: float) -> None:
        """Forget a batch; workers that still have it need not go on."""
        entry = self._entries.pop(batch, None)
        self._waiting.discard(batch)
        for worker in entry.holders if entry is not None else ():
            duty = self._duties[worker]
            duty.wanted.discard(batch)
            duty.unwanted[batch] = now
            self._orders.append(Withdraw(worker, batch))

    def _returned(self, worker: str, batch: int) -> float | None:
        """Take a batch off a worker; since when it had it."""
        duty = self._duties.get(worker)
        if duty is not None:
            duty.wanted.discard(batch)
            duty.unwanted.pop(batch, None)
            duty.alone = duty.alone and duty.load > 0
        entry = self._entries.get(batch)
        return entry.holders.pop(worker, None) if entry is not None else None

    # What to do about it.

    def orders(self, now: float) -> list[Order]:
        """Everything that is to be done now, once."""
        if self._waiting:
            self._assign(now)
        for worker, batch in self._late(now):
            self._give(worker, batch, now)
        for worker, duty in self._duties.items():
            if not duty.ended and self._hangs(duty, now) <= 0:
                duty.ended = True
                self._orders.append(End(worker))
        orders, self._orders = self._orders, []
        return orders

    def _assign(self, now: float) -> None:
        kept: set[str] = set()  # for suspects, as soon as they have nothing else
        for batch in sorted(self._waiting):
            entry = self._entries[batch]
            open_ = [
                (duty.load, worker in entry.avoid, worker)
                for worker, duty in self._duties.items()
                if worker not in kept and not duty.alone and not duty.unwanted and not duty.ended
            ]
            if entry.avoid:  # rather another worker than a free one, where there is any
                open_.sort(key=lambda found: (found[1], found[0]))
            if not open_:
                return
            load, _, worker = open_[0] if entry.avoid else min(open_, key=lambda found: found[0])
            if entry.suspect and load:
                kept.add(worker)
            elif load < self._depth:
                self._give(worker, batch, now)
            elif not entry.avoid:
                return  # the others find no room either, but for those that are kept

    def _give(self, worker: str, batch: int, now: float) -> None:
        entry, duty = self._entries[batch], self._duties[worker]
        self._waiting.discard(batch)
        entry.holders[worker] = now
        duty.wanted.add(batch)
        duty.alone = entry.suspect
        self._orders.append(Give(worker, batch))

    @property
    def _limit(self) -> float | None:
        """How long a batch may take before others try it."""
        if self._straggler is None or len(self._took) < _SEVERAL:
            return None
        return max(self._straggler * median(self._took), self._patience)

    def _late(self, now: float) -> Iterator[tuple[str, int]]:
        """Idle workers, each with a batch that takes too long elsewhere."""
        limit = self._limit
        idle = [name for name, duty in self._duties.items() if not duty.load and not duty.ended]
        if limit is None or not idle:
            return
        for batch in sorted(self._entries):
            entry = self._entries[batch]
            if len(entry.holders) == 1 and now - min(entry.holders.values()) >= limit:
                yield idle.pop(), batch
                if not idle:
                    return

    def _hangs(self, duty: _Duty, now: float) -> float:
        """Seconds until a worker that has only what is not wanted counts as hanging."""
        limit = self._limit
        if limit is None or duty.wanted or not duty.unwanted:
            return float("inf")
        return max(duty.unwanted.values()) + limit - now

    def look_in(self, now: float) -> float | None:
        """Seconds until time alone makes a difference; None: never."""
        limit = self._limit
        if limit is None:
            return None
        moments = [self._hangs(duty, now) for duty in self._duties.values() if not duty.ended]
        if any(not duty.load for duty in self._duties.values()):
            moments += [
                since + limit - now
                for entry in self._entries.values()
                for since in entry.holders.values()
                if len(entry.holders) == 1
            ]
        soonest = min(moments, default=float("inf"))
        return None if soonest == float("inf") else max(soonest, 0.0)

    @property
    def left(self) -> int:
        """How many batches have no result yet."""
        return len(self._entries)

    def has(self, worker: str) -> int:
        """How many batches a worker has."""
        duty = self._duties.get(worker)
        return duty.load if duty is not None else 0
