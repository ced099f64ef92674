"""The seed's example: a stream of batches that take 1, 5 and 2 ms, all of it real work.

In: how many batches. Out: the same work done in several ways, to be timed side by side; and the
kernel and the stopwatch that other lines of streams share.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any

import numpy as np

import treadle
from treadle.backends.cpu import CpuBackend
from treadle.runtime.device import Device

__all__ = ["COLLECT", "COMPUTE", "PREPARE", "Seed", "best", "churned", "host_work"]

ELEMENTS = 1 << 16  # stays in the cache, so that a batch computes and does not wait for memory
PREPARE, COMPUTE, COLLECT = 0.001, 0.005, 0.002  # seconds of a batch, as in the seed


@treadle.pointwise
def churned(x: Any, *, rounds: int = 1) -> Any:
    for _ in range(rounds):
        x = exp(-x)  # noqa: F821
    return x


def best(call: Callable[[], object], repeats: int = 25) -> float:
    """Seconds of the quickest of several calls."""
    times = []
    for _ in range(repeats):
        started = perf_counter()
        call()
        times.append(perf_counter() - started)
    return min(times)


def host_work(seconds: float) -> Callable[[object], None]:
    """Real work for one core, without Python's lock, that takes about that long."""
    scratch = np.zeros(1 << 13, np.float32)
    rounds = max(round(seconds / best(lambda: np.cos(scratch, out=scratch))), 1)

    def work(_: object) -> None:
        mine = np.zeros(1 << 13, np.float32)
        for _ in range(rounds):
            np.cos(mine, out=mine)

    return work


class Seed:
    """The seed's example: prepare 1 ms, compute 5 ms, collect 2 ms, all of it real work.

    The device is the CPU with one worker, so that the host has a core of its own."""

    def __init__(self, batches: int) -> None:
        self.device = Device(CpuBackend(workers=1), "cpu")
        self.batches = batches
        self._data = np.linspace(0.1, 0.9, ELEMENTS, dtype=np.float32)
        self._prepare, self._collect = host_work(PREPARE), host_work(COLLECT)
        self._buffer = self.device.buffer(self._data)
        self._out = self.device.empty(ELEMENTS)
        one, many = (best(lambda r=r: self.compute(self._buffer, r)) for r in (1, 33))
        self.rounds = max(round((COMPUTE - one) / ((many - one) / 32)), 1)
        self.compute(self._buffer)

    def prepare(self, number: int) -> np.ndarray[Any, Any]:
        self._prepare(None)
        return self._data.copy()

    def compute(self, buffer: treadle.Buffer, rounds: int | None = None) -> Any:
        return self.device.run_kernel(churned, [buffer], self._out, rounds=rounds or self.rounds)

    def collect(self, result: np.ndarray[Any, Any]) -> float:
        self._collect(None)
        return float(result[0])

    def bound(self) -> None:
        """Only the slowest part, one batch after the other."""
        for _ in range(self.batches):
            self.compute(self._buffer)

    def sequential(self) -> list[float]:
        out = []
        for n in range(self.batches):
            buffer = self.device.from_numpy(self.prepare(n))
            out.append(self.collect(self.compute(buffer).to_numpy(copy=None)))
        return out

    def by_hand(self) -> list[float]:
        """What one would write with threads: a pool for each part, three batches under way."""
        with (
            ThreadPoolExecutor(1) as preparing,
            ThreadPoolExecutor(1) as computing,
            ThreadPoolExecutor(1) as collecting,
        ):

            def compute(prepared: Any) -> np.ndarray[Any, Any]:
                buffer = self.device.from_numpy(prepared.result())
                made = self.device.run_kernel(churned, [buffer], rounds=self.rounds)
                return made.to_numpy(copy=None)

            def collect(computed: Any) -> float:
                return self.collect(computed.result())

            under_way: list[Any] = []
            out = []
            for n in range(self.batches):
                if len(under_way) == 3:
                    out.append(under_way.pop(0).result())
                prepared = preparing.submit(self.prepare, n)
                under_way.append(collecting.submit(collect, computing.submit(compute, prepared)))
            return out + [each.result() for each in under_way]

    def stream(self) -> list[float]:
        self.last = treadle.stream(
            range(self.batches),
            prepare=self.prepare,
            compute=churned,
            params={"rounds": self.rounds},
            collect=self.collect,
            device=self.device,
        )
        return list(self.last)

    def traced(self) -> list[float]:
        with treadle.trace():
            return self.stream()
