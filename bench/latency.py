"""How long one small command takes: called, submitted, awaited.

In: an effort. Out: rows. Small means that handing the work over costs more than doing it.
"""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Callable
from time import perf_counter

import numpy as np

import treadle
from bench.table import Bar, Figure, Row
from bench.timing import Effort, medians, quantile

__all__ = ["LINES"]

BLOCK = 100  # calls in a row, so that reading the clock does not count
LARGER = 4  # times the elements, to tell a command's own time from its hand-off
PAUSE = 0.0005  # lets workers fall asleep between two awaits, as they do in a server


def _us(seconds: float) -> Figure:
    return Figure(seconds * 1e6, "us")


def small(effort: Effort) -> list[Row]:
    """elementwise_add on 1,000 elements: run to the end, and submit alone."""
    x = np.arange(1000, dtype=np.float32)
    out = np.empty_like(x)
    a, b, c = treadle.buffer(x), treadle.buffer(x), treadle.empty(1000)
    times = medians(
        {
            "treadle": lambda: treadle.run_kernel("elementwise_add", [a, b], c),
            "numpy": lambda: np.add(x, x, out=out),
        },
        effort.calls // BLOCK,
        inner=BLOCK,
    )
    alone = []
    for _ in range(effort.calls):
        started = perf_counter()
        command = treadle.submit("elementwise_add", [a, b], c)
        alone.append(perf_counter() - started)
        command.wait()
    note = "A command this small runs before submit returns, so submit alone includes the addition."
    return [
        Row(
            "run_kernel elementwise_add, 1,000 f32",
            _us(times["treadle"]),
            (("np.add", _us(times["numpy"])),),
            times["numpy"] / times["treadle"],
            Bar(12, "us"),
            headline=True,
        ),
        Row(
            "submit alone, the same command",
            _us(statistics.median(alone)),
            (("p99", _us(quantile(alone, 0.99))),),
            bar=Bar(8, "us"),
            note=note,
        ),
    ]


def _needs_a_worker() -> tuple[treadle.Buffer, treadle.Buffer]:
    """Input and output of the smallest `exp` that is handed to a worker: submit returns before it
    ends."""
    size = 1024
    while True:
        source, target = treadle.buffer_zeros(size), treadle.empty(size)
        treadle.run_kernel("exp", [source], target)
        command = treadle.submit("exp", [source], target)
        pending = not command.done()
        command.wait()
        if pending:
            return source, target
        size += size // 4


def awaited(effort: Effort) -> list[Row]:
    """Await of the smallest command that needs a worker, one at a time."""
    small = _needs_a_worker()
    large = tuple(treadle.buffer_zeros(LARGER * small[0].num_elements) for _ in range(2))
    count = max(effort.calls // 10, 100)

    async def one(buffers: tuple[treadle.Buffer, ...], samples: list[float]) -> None:
        source, target = buffers
        started = perf_counter()
        await treadle.submit("exp", [source], target)
        samples.append(perf_counter() - started)

    async def in_turn() -> None:
        for _ in range(count):
            await one(small, busy)
            await one(large, longer)
        for _ in range(count):
            await asyncio.sleep(PAUSE)
            await one(small, rested)

    busy: list[float] = []
    longer: list[float] = []
    rested: list[float] = []
    waited: list[float] = []
    asyncio.run(in_turn())
    for _ in range(count):
        started = perf_counter()
        treadle.submit("exp", [small[0]], small[1]).wait()
        waited.append(perf_counter() - started)
    median = statistics.median(busy)
    own = (statistics.median(longer) - median) / (LARGER - 1)
    note = (
        f"exp over {small[0].num_elements:,} f32, the smallest that is not run inline here. "
        f"{LARGER} times as many elements take {LARGER - 1} times {own * 1e6:.0f} us longer: that "
        "is its own time, and the rest is the hand-off. 'after a pause': "
        f"{PAUSE * 1e6:.0f} us of idleness before each, so that every thread has to wake up."
    )
    return [
        Row(
            "await of a command that needs a worker",
            _us(median),
            (
                ("p99", _us(quantile(busy, 0.99))),
                ("after a pause", _us(statistics.median(rested))),
                ("blocking wait", _us(statistics.median(waited))),
            ),
            bar=Bar(150, "us"),
            note=note,
            headline=True,
        ),
        Row("of which hand-off", _us(median - own), note=note),
    ]


LINES: dict[str, Callable[[Effort], list[Row]]] = {"small": small, "await": awaited}
