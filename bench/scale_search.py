"""A billion vectors, searched exactly by machines that each have a part: a model.

In: a plan: rates that were measured, and what is assumed. Out: how long a scan takes and what it
waits for, and a simulation of queries that come at random moments: each goes to every machine,
those that come during a scan share the next one, and an answer is there when the last machine has
given its part.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from dataclasses import dataclass

from bench.scale_photos import given

__all__ = ["SearchPlan", "SearchRun", "bound", "capacity", "cost", "service", "simulate"]

QUERIES = 1500  # that are simulated
_RESULTS = "bench/results, 2026-11-16, Xeon, search"
_COUNTED = "docs/design/search.md: counted, 100,000 and 1 M rows"


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """What goes into the model. The ten nearest, 768 dimensions, f32, l2."""

    rows: float = given("vectors", 1e9, "the question")
    machines: int = given("machines", 16, "chosen below")
    cores: int = given("cores of a machine", 32, "assumed")
    bandwidth: float = given("memory, GB/s of a machine", 200.0, "assumed; two cores: 50 measured")
    row_bytes: float = given("bytes a scan reads of a row", 784.0, "768 and 16")
    product: float = given("core nanoseconds for a row and a query of 64", 7.9, _RESULTS)
    together: int = given("queries that share a scan, at most", 64, "assumed")
    fixed: float = given("milliseconds a scan takes besides", 6.6, "measured: two workers of Ray")
    survivors: float = given("rows of a million that are measured", 445.0, _COUNTED)
    growth: float = given("they grow with rows to the power of", 0.56, _COUNTED)
    reads: float = given("pages a second from a disk", 400_000.0, "assumed: NVMe")
    pages: float = given("pages a row lies on", 1.75, "3,072 bytes at any place of 4,096")
    noise: float = given("spread of scan times, as a share", 0.1, "assumed")
    hiccup: float = given("share of scans that take three times as long", 0.01, "assumed")
    load: float = given("share of the most queries that come", 0.5, "chosen below")
    price: float = given("dollars a machine and hour", 2.0, "assumed, 2026-11: rounded list price")

    @property
    def rows_each(self) -> float:
        """Rows of a machine."""
        return self.rows / self.machines

    @property
    def bytes_each(self) -> float:
        """Bytes of a machine that a scan reads, which have to be in memory."""
        return self.rows_each * self.row_bytes


def _parts(plan: SearchPlan, queries: int) -> dict[str, float]:
    """Seconds of a scan for some queries, by what they are for."""
    found = plan.survivors * (plan.rows_each / 1e6) ** plan.growth
    memory = plan.bytes_each / (plan.bandwidth * 1e9)
    return {
        "memory": memory,
        "cores": queries * plan.rows_each * plan.product * 1e-9 / plan.cores,
        "disk": queries * found * plan.pages / plan.reads,
    }


def service(plan: SearchPlan, queries: int) -> float:
    """Seconds that a machine takes for a scan: reads overlap products, the disk comes after."""
    parts = _parts(plan, queries)
    return max(parts["memory"], parts["cores"]) + parts["disk"] + plan.fixed / 1e3


def bound(plan: SearchPlan, queries: int) -> str:
    """What takes most of a scan."""
    parts = _parts(plan, queries)
    return max(parts, key=parts.__getitem__)


def capacity(plan: SearchPlan) -> float:
    """Queries a second at most."""
    return plan.together / service(plan, plan.together)


def cost(plan: SearchPlan) -> float:
    """Dollars for a million queries."""
    rate = min(plan.load, 1.0) * capacity(plan)
    return 1e6 / rate / 3600 * plan.machines * plan.price


@dataclass(frozen=True, slots=True)
class SearchRun:
    """What simulated queries met."""

    rate: float
    batch: float  # queries of a scan, on average
    median: float
    p99: float


def simulate(plan: SearchPlan) -> SearchRun:
    """Have queries come at random moments, and follow each through every machine."""
    rate = min(plan.load, 0.95) * capacity(plan)
    chance = random.Random(11)
    arrivals, now = [], 0.0
    for _ in range(QUERIES):
        now += chance.expovariate(rate)
        arrivals.append(now)
    ends = [0.0] * QUERIES
    scans = 0
    for machine in range(plan.machines):
        own = random.Random(1000 + machine)
        free, at = 0.0, 0
        while at < QUERIES:
            begin = max(free, arrivals[at])
            last = min(bisect_right(arrivals, begin), at + plan.together)
            lasts = service(plan, last - at) * own.lognormvariate(0.0, plan.noise)
            if own.random() < plan.hiccup:
                lasts *= 3
            free = begin + lasts
            for query in range(at, last):
                ends[query] = max(ends[query], free)
            at, scans = last, scans + 1
    late = sorted(end - came for end, came in zip(ends, arrivals, strict=True))
    return SearchRun(
        rate, QUERIES * plan.machines / scans, late[QUERIES // 2], late[QUERIES * 99 // 100]
    )
