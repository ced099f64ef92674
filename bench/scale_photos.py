"""Ten billion photos through `treadle run`, as a model: what limits a run, and what it costs.

In: a plan: rates that were measured, and what is assumed. Out: totals, the limit of each part, and
a simulation of one run, batch by batch: a driver that hands out one batch after the other, workers
on machines some of which are slow or are taken away, requests that fail and are made again, one
journal that notes every photo, and a list of objects that comes page by page.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

__all__ = ["PhotoPlan", "PhotoRun", "costs", "limits", "simulate", "totals"]

PHOTOS = 10_000_000_000
SIMULATED = 1_000_000  # photos of a run that is simulated
WHOLE = 3_900_000  # photos of a whole run: what 2 GiB hold of a journal when a run is resumed
JOURNAL_BYTES = 1 << 30  # that a run can be resumed from
_RESULTS = "bench/results, 2026-11-15, EPYC, photos"
_HERE = "measured 2026-11-19, two cores"
_STORE = "assumed, 2026-11: a large provider's limits"
_PRICE = "assumed, 2026-11: rounded list price"


def given(what: str, value: float, source: str) -> Any:
    """An input: what it is, and where it is from."""
    return field(default=value, metadata={"what": what, "source": source})


@dataclass(frozen=True, slots=True)
class PhotoPlan:
    """What goes into the model. Twelve megapixels, `enhance`, JPEG in and out."""

    seconds: float = given("core seconds a photo", 0.2234, _RESULTS)
    journal: float = given("journal: lines a second, 16 threads", 15_900.0, _HERE)
    line: float = given("journal: bytes a line", 275.0, _HERE)
    dispatch: float = given("driver: batches a second", 306.0, _HERE)
    batch: int = given("photos in a batch", 64, "assumed: 0.2 GB")
    machines: int = given("machines of one run", 50, "chosen below")
    cores: int = given("cores of a machine", 16, "assumed")
    worker_cores: int = given("cores of a worker", 4, "the default")
    network: float = given("network of a machine, MB/s", 1250.0, "assumed: 10 Gb/s")
    read: float = given("MB read for a photo", 3.6, "assumed: 12 MP, JPEG")
    written: float = given("MB written for a photo", 2.5, "assumed")
    photos_per_object: float = given("photos in a stored object", 1.0, "as `run` writes them")
    first_byte: float = given("seconds until an object's first byte", 0.03, _STORE)
    failing: float = given("share of requests that fail", 1e-4, _STORE)
    prefix_reads: float = given("reads a second and prefix", 5500.0, _STORE)
    prefix_writes: float = given("writes a second and prefix", 3500.0, _STORE)
    page: float = given("seconds for a page of 1,000 names", 0.1, _STORE)
    slow_share: float = given("share of machines that are slow", 0.02, "assumed")
    slow_times: float = given("how many times as slow", 5.0, "assumed")
    straggler: float = given("a batch is started again after so many times the median", 4.0,
                             "the default")  # fmt: skip
    interrupted: float = given("share of machines taken away in an hour", 0.05, "assumed: spot")
    start: float = given("seconds until another machine works", 120.0, "assumed")
    machine_price: float = given("dollars a machine and hour", 0.28, _PRICE + ", spot")
    read_price: float = given("dollars a million reads", 0.4, _PRICE)
    write_price: float = given("dollars a million writes", 5.0, _PRICE)
    list_price: float = given("dollars a million lists", 5.0, _PRICE)

    @property
    def machine_rate(self) -> float:
        """Photos a second that the cores of a machine could do."""
        return self.cores / self.seconds


def totals(plan: PhotoPlan) -> list[tuple[str, float, str]]:
    """What all photos come to, and the machines for them: name, figure, unit."""
    hours = PHOTOS * plan.seconds / 3600
    runs = PHOTOS * plan.line / JOURNAL_BYTES
    return [
        ("read from the store", PHOTOS * plan.read / 1e9, "PB"),
        ("written to it", PHOTOS * plan.written / 1e9, "PB"),
        ("reads", PHOTOS / 1e9, "billion"),
        ("writes", PHOTOS / plan.photos_per_object / 1e9, "billion"),
        ("lists, 1,000 names each", PHOTOS / 1e3 / 1e6, "million"),
        ("core hours", hours / 1e3, "thousand"),
        ("days on 1,000 machines", hours / plan.cores / 1000 / 24, "days"),
        ("runs, by 2 GiB of a driver's memory", runs, "runs"),
    ]


def limits(plan: PhotoPlan) -> list[tuple[str, float]]:
    """The most photos a second that each part of a run lets through, the least first."""
    found = [
        ("the journal, one writer", plan.journal),
        ("the driver, one thread", plan.dispatch * plan.batch),
        ("one listing, page after page", 1000 / plan.page),
        ("a prefix of the store, writes", plan.prefix_writes * plan.photos_per_object),
        ("a prefix of the store, reads", plan.prefix_reads),
        ("the network of a machine", plan.network / (plan.read + plan.written)),
        ("the cores of a machine", plan.machine_rate),
    ]
    return sorted(found, key=lambda each: -each[1])


def costs(plan: PhotoPlan, photos: int = SIMULATED) -> dict[str, float]:
    """Dollars for a million photos."""
    run = simulate(plan, photos)
    millions = 1e6 * plan.machines / run.rate / 3600
    tries = 1 / (1 - plan.failing)
    return {
        "machines": millions * plan.machine_price,
        "reads": plan.read_price * tries,
        "writes": plan.write_price * tries / plan.photos_per_object,
        "lists": plan.list_price / 1000,
    }


@dataclass(frozen=True, slots=True)
class PhotoRun:
    """What a simulated run was like; shares are of all its time."""

    photos: int
    seconds: float
    tail: float  # seconds for the last hundredth of the batches
    again: int  # batches that were done a second time
    computing: float
    driver: float
    journal: float

    @property
    def rate(self) -> float:
        """Photos a second."""
        return self.photos / self.seconds


class _Simulation:
    """One run: events in the order of their time."""

    def __init__(self, plan: PhotoPlan, photos: int) -> None:
        self.plan, self.photos = plan, photos
        self.random = random.Random(7)
        workers = plan.machines * max(plan.cores // plan.worker_cores, 1)
        each = max(plan.cores // plan.worker_cores, 1)
        slow = round(plan.slow_share * workers)  # so many workers, whole machines where that fits
        self.speed = [plan.slow_times] * slow + [1.0] * (workers - slow)
        # A batch alone: its cores, or its share of the machine's network, whichever is slower.
        work = plan.batch * plan.seconds / plan.worker_cores
        moved = plan.batch * (plan.read + plan.written) / (plan.network / each)
        self.usual = max(work, moved)
        self.work = work
        self.count = -(-photos // plan.batch)
        self.events: list[tuple[float, int, int, int]] = []  # when, order, worker, batch
        self.order = 0
        self.driver_free = self.journal_free = 0.0
        self.driver_busy = self.journal_busy = self.computed = 0.0
        self.begun: dict[int, list[float]] = {}  # when each batch under way was begun
        self.done = bytearray(self.count)
        self.next, self.again = 0, 0

    def run(self) -> PhotoRun:
        for worker in range(len(self.speed)):
            self._give(worker, 0.0)
        ends = []
        while self.events and len(ends) < self.count:
            now, _, worker, batch = heapq.heappop(self.events)
            if batch < 0:  # a machine that came in the place of another, or looks again
                self._give(worker, now)
                continue
            if not self.done[batch]:
                self.done[batch] = 1
                self.begun.pop(batch, None)
                ends.append(self._note(now))
            self._give(worker, now)
        ends.sort()
        total = ends[-1]
        return PhotoRun(
            self.photos,
            total,
            total - ends[len(ends) * 99 // 100],
            self.again,
            self.computed / (total * len(self.speed)),
            self.driver_busy / total,
            self.journal_busy / total,
        )

    def _give(self, worker: int, now: float) -> None:
        """Have a worker do the next batch, or one that others take too long for."""
        batch = self.next
        if batch < self.count:
            self.next += 1
            # Names come page by page, and the driver hands out one batch after the other.
            listed = batch * self.plan.batch / 1000 * self.plan.page
            now = max(now, listed)
        else:
            when, batch = self._slowest()
            if when > now:
                if batch >= 0:
                    self._post(when, worker, -1)  # to look again
                return
            self.again += 1
        begin = max(now, self.driver_free)
        self.driver_free = begin + 1 / self.plan.dispatch
        self.driver_busy += 1 / self.plan.dispatch
        self.begun.setdefault(batch, []).append(begin)
        lasts, computed = self._lasts(worker)
        if self.random.random() < self.plan.interrupted * lasts / 3600:
            self.again += 1  # by the machine that comes in its place
            lasts += self.random.random() * lasts + self.plan.start
        self.computed += computed
        self._post(begin + lasts, worker, batch)

    def _lasts(self, worker: int) -> tuple[float, float]:
        """How long a batch takes, and how much of that its cores compute."""
        plan, noise = self.plan, self.random.lognormvariate(0.0, 0.15)
        # Objects are fetched while others are computed: what shows is the first, and a request
        # that fails and is made again after a pause, where nothing else is left to compute.
        failures = plan.failing * plan.batch * 2
        waits = plan.first_byte + (0.1 + plan.first_byte if self.random.random() < failures else 0)
        return self.usual * noise * self.speed[worker] + waits, self.work * noise

    def _slowest(self) -> tuple[float, int]:
        """The batch that was begun first and is not done, if it was not started again, and when
        it takes too long."""
        if self.plan.straggler:
            for batch, times in self.begun.items():
                if len(times) == 1:
                    return times[0] + self.plan.straggler * self.usual, batch
        return float("inf"), -1

    def _note(self, now: float) -> float:
        """The journal has a line for each photo before the batch counts."""
        took = self.plan.batch / self.plan.journal
        self.journal_free = max(now, self.journal_free) + took
        self.journal_busy += took
        return self.journal_free

    def _post(self, when: float, worker: int, batch: int) -> None:
        self.order += 1
        heapq.heappush(self.events, (when, self.order, worker, batch))


@lru_cache(maxsize=256)
def simulate(plan: PhotoPlan, photos: int = SIMULATED) -> PhotoRun:
    """Simulate one run."""
    return _Simulation(plan, photos).run()
