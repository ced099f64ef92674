"""Batching: what callers one by one pay for being served together.

In: an effort. Out: rows. Many tasks await a kernel through `treadle.batched`; beside them the same
kernel over batches that are full already, without any callers. Then one caller alone, beside the
same kernel called directly, and an event loop's ticker while all of it goes on.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy import exp

import treadle
from bench.loop import tick
from bench.table import Bar, Figure, Row
from bench.timing import Effort, quantile

__all__ = ["LINES"]

AWAITERS = 500
SIZE = 32  # items in a batch
SIDES = (64, 128)  # of an item, a tile or a small picture: one for character, and one with a bar
SMALL = 1000  # elements of an item, for a caller alone


@treadle.pointwise
def toned(x: Any) -> Any:
    for _ in range(20):
        x = exp(-x)
    return x


class Crowd:
    """Tasks that await one item after the other."""

    def __init__(self, side: int) -> None:
        self.function = treadle.batched(toned, max_size=SIZE)
        self.item = np.full((side, side), 0.5, np.float32)
        self.answered = 0

    async def ask(self) -> None:
        """Call again and again."""
        while True:
            await self.function(self.item)
            self.answered += 1

    async def run(self, seconds: float, late: list[float]) -> float:
        """Return items a second, and how late a ticker was meanwhile."""
        tasks = [asyncio.create_task(self.ask()) for _ in range(AWAITERS)]
        await asyncio.sleep(0.2)
        before, began = self.answered, perf_counter()
        await tick(seconds, late)
        rate = (self.answered - before) / (perf_counter() - began)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return rate


async def _full(side: int, seconds: float, late: list[float]) -> float:
    """Items a second of the same kernel called with arrays that are full batches, two under way."""
    device = treadle.device()
    batch = np.full((SIZE, side, side), 0.5, np.float32)
    batches = 0

    async def keep_busy() -> None:
        nonlocal batches
        while True:
            (await device.submit(toned, device.buffer(batch))).to_numpy(copy=None)
            batches += 1

    tasks = [asyncio.create_task(keep_busy()) for _ in range(2)]
    await asyncio.sleep(0.2)
    before, began = batches, perf_counter()
    await tick(seconds, late)
    rate = (batches - before) * SIZE / (perf_counter() - began)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return rate


@dataclass
class Turns:
    """What the contestants did, in turn: rates, and how late the ticker was beside each."""

    crowd: Crowd
    rates: dict[str, list[float]]
    late: dict[str, list[float]]


async def _turns(side: int, effort: Effort) -> Turns:
    crowd = Crowd(side)
    for count in (1, SIZE):  # compiled before
        treadle.run_kernel(toned, [treadle.buffer(np.stack([crowd.item] * count))])

    async def idle(seconds: float, late: list[float]) -> float:
        await tick(seconds, late)
        return 0.0

    contestants = {"batched": crowd.run, "full": partial(_full, side), "idle": idle}
    turns = Turns(crowd, {name: [] for name in contestants}, {name: [] for name in contestants})
    order = list(contestants.items())
    for _ in range(8):
        order.reverse()
        for name, run in order:
            turns.rates[name].append(await run(max(effort.seconds / 4, 0.5), turns.late[name]))
    return turns


async def _alone(effort: Effort) -> dict[str, list[float]]:
    """Seconds of a call by one caller, in turn with the same called directly."""
    device = treadle.device()
    item = np.full(SMALL, 0.5, np.float32)
    kernel = treadle.batched(toned)
    plain = treadle.batched(_negated)

    async def direct() -> Any:
        return (await device.submit(toned, device.buffer(item[None]))).to_numpy()[0]

    async def threaded() -> Any:
        return (await asyncio.to_thread(_negated, item[None]))[0]

    contestants: dict[str, Callable[[], Any]] = {
        "kernel": lambda: kernel(item),
        "kernel, direct": direct,
        "function": lambda: plain(item),
        "function, direct": threaded,
    }
    samples: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(effort.calls // 20):
        for name, call in sorted(contestants.items(), reverse=bool(turn % 2)):
            await call()  # its own leavings in the cache, not another's
            began = perf_counter()
            await call()
            if turn > 50:
                samples[name].append(perf_counter() - began)
    await kernel.aclose()
    await plain.aclose()
    return samples


def _negated(batch: np.ndarray[Any, Any]) -> Any:
    return -batch


def _crowded(side: int, effort: Effort) -> list[Row]:
    turns = asyncio.run(_turns(side, effort))
    report = turns.crowd.function.report
    turns.crowd.function.close()
    ours, full = turns.rates["batched"], turns.rates["full"]
    ratio = statistics.median([a / b for a, b in zip(ours, full, strict=True)])
    late = {name: Figure(quantile(each, 0.99) * 1e3, "ms") for name, each in turns.late.items()}
    return [
        Row(
            f"{AWAITERS} awaiters of a kernel, items of {side} x {side}",
            Figure(statistics.median(ours), "/s"),
            (("full batches", Figure(statistics.median(full), "/s")),),
            ratio,
            Bar(0.9, least=True, ratio=True) if side == SIDES[-1] else None,
            f"Items of f32, twenty exponentials an element, at most {SIZE} in a batch: "
            f"{report.size_mean:.0f} on average. 'Full batches' is the same kernel called with "
            "arrays that hold one already, two commands under way, and no callers at all.",
            headline=side == SIDES[-1],
        ),
        Row(
            "  lateness of a 1 ms ticker meanwhile, p99",
            late["batched"],
            (("full batches", late["full"]), ("idle", late["idle"])),
            None,
            Bar(1, "ms"),
        ),
    ]


def batching(effort: Effort) -> list[Row]:
    """500 awaiters of a kernel, one caller alone, and the event loop meanwhile."""
    rows = [row for side in SIDES for row in _crowded(side, effort)]
    alone = {name: statistics.median(each) for name, each in asyncio.run(_alone(effort)).items()}
    for what, beside in (("kernel", "submit and read"), ("function", "to_thread")):
        more = alone[what] - alone[f"{what}, direct"]
        rows.append(
            Row(
                f"one caller alone, a {what}: more than a direct call",
                Figure(more * 1e6, "us"),
                (
                    ("batched", Figure(alone[what] * 1e6, "us")),
                    (beside, Figure(alone[f"{what}, direct"] * 1e6, "us")),
                ),
                None,
                Bar(100, "us"),
                f"Items of {SMALL:,} f32. Medians of calls that take turns.",
            )
        )
    return rows


LINES: dict[str, Callable[[Effort], list[Row]]] = {"batching": batching}
