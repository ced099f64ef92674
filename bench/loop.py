"""Whether an event loop stays on time while every core computes.

In: an effort. Out: rows. A ticker on the loop wants to wake every millisecond and notes how late it
is, while coroutines on the same loop keep the device supplied with commands.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from functools import partial
from time import perf_counter, sleep
from typing import Any

import numpy as np
from numpy import exp

import treadle
from bench import peers
from bench.table import Bar, Figure, Row
from bench.timing import Effort, medians, quantile

__all__ = ["LINES", "tick", "woken"]

TICK = 0.001
ELEMENTS = 1 << 16  # stays in the cache, so that cores compute and do not wait for memory
IN_FLIGHT = 2 * peers.CORES
LONG, SHORT = 0.010, 0.0001  # seconds of one command, about

Work = Callable[[int], Awaitable[object]]


async def tick(seconds: float, lateness: list[float]) -> None:
    """Want to wake every millisecond, and note by how much that was late each time."""
    # Always a whole millisecond: a selector rounds what is left of one up to the next.
    now = perf_counter()
    end = now + seconds
    while now < end:
        started = now
        await asyncio.sleep(TICK)
        now = perf_counter()
        lateness.append(now - started - TICK)


async def _keep_busy(work: Work, slot: int, counter: list[int]) -> None:
    while True:
        await work(slot)
        counter[0] += 1


def _lateness(seconds: float, work: Work | None) -> tuple[list[float], int]:
    """Run the ticker beside the work; return how late it was and how many commands ended."""

    async def main() -> tuple[list[float], int]:
        late: list[float] = []
        counter = [0]
        slots = range(IN_FLIGHT) if work is not None else ()
        tasks = [asyncio.create_task(_keep_busy(work, slot, counter)) for slot in slots]  # type: ignore[arg-type]
        await asyncio.sleep(0.1)
        await tick(seconds, late)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return late, counter[0]

    result = asyncio.run(main())
    treadle.device().synchronize()
    return result


@treadle.pointwise
def churned(x: Any, *, rounds: int = 1) -> Any:
    for _ in range(rounds):
        x = exp(-x)
    return x


def _seconds(call: Callable[[], object]) -> float:
    """The median of a few calls."""
    return medians({"it": call}, 15)["it"]


def _commands(seconds: float) -> Work:
    """Commands that keep every core busy for about that long."""
    source = treadle.buffer_zeros(ELEMENTS)
    targets = [treadle.empty(ELEMENTS) for _ in range(IN_FLIGHT)]
    one, many = (
        _seconds(partial(treadle.run_kernel, churned, [source], targets[0], rounds=rounds))
        for rounds in (1, 51)
    )
    rounds = max(round((seconds - one) / ((many - one) / 50)), 1)

    def submit(slot: int) -> Awaitable[object]:
        return treadle.submit(churned, [source], targets[slot], rounds=rounds)

    return submit


def _threads(seconds: float) -> Work:
    """NumPy calls that keep one core busy for as long, on asyncio's own threads."""
    targets = [np.zeros(ELEMENTS, np.float32) for _ in range(IN_FLIGHT)]
    rounds = max(round(seconds / _seconds(lambda: np.cos(targets[0], out=targets[0]))), 1)

    def compute(target: np.ndarray[Any, Any]) -> None:
        for _ in range(rounds):
            np.cos(target, out=target)

    def call(slot: int) -> Awaitable[object]:
        return asyncio.to_thread(compute, targets[slot])

    return call


def _rings(seconds: float) -> Work:
    """Nothing but to be told, by threads that sleep for about that long."""
    return lambda _: asyncio.to_thread(sleep, random.uniform(0.5, 1.5) * seconds)


def woken(seconds: float, times: int) -> list[float]:
    """How late a ticker is on a loop that is woken so many times a second, and does nothing."""
    return _lateness(seconds, _rings(IN_FLIGHT / times))[0]


def ticker(effort: Effort) -> list[Row]:
    """A 1 ms ticker beside long commands, beside many short ones, and beside neither."""
    idle, _ = _lateness(effort.seconds, None)
    rows: list[Row] = []
    for name, seconds in (("10 ms", LONG), ("100 us", SHORT)):
        late, count = _lateness(effort.seconds, _commands(seconds))
        other, _ = _lateness(effort.seconds, _threads(seconds))
        woken, _ = _lateness(effort.seconds, _rings(effort.seconds / max(count, 1) * IN_FLIGHT))
        ours = quantile(late, 0.99)
        note = (
            f"{IN_FLIGHT} commands in flight at all times, {count / effort.seconds:,.0f} a second. "
            "'to_thread' is as much work in NumPy on asyncio's own threads, 'idle' the same ticker "
            "with nothing else to do, 'woken' with nothing to do but to be woken as often: what is "
            "left of a millisecond then is rounded up to a whole one by Python's selectors."
        )
        rows.append(
            Row(
                f"lateness of a 1 ms ticker, p99, {name} commands",
                Figure(ours * 1e3, "ms"),
                (
                    ("to_thread", Figure(quantile(other, 0.99) * 1e3, "ms")),
                    ("woken", Figure(quantile(woken, 0.99) * 1e3, "ms")),
                    ("idle", Figure(quantile(idle, 0.99) * 1e3, "ms")),
                    ("p50", Figure(quantile(late, 0.5) * 1e3, "ms")),
                ),
                quantile(other, 0.99) / ours,
                Bar(1, "ms"),
                note,
                headline=True,
            )
        )
    return rows


LINES: dict[str, Callable[[Effort], list[Row]]] = {"ticker": ticker}
