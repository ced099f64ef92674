"""The seed's batches with a function as compute: one that sleeps, one that computes with NumPy.

In: what the function does, and how many batches. Out: the same work in several ways, to be timed
side by side. A function that sleeps stands for whatever waits without Python's lock: a request, a
model in another process, a driver; there prepare and collect sleep, too, so that what is left is
what handing over costs.
"""

from __future__ import annotations

from collections.abc import Callable
from time import sleep
from typing import Any

import numpy as np

import treadle
from bench.seed import COLLECT, COMPUTE, PREPARE, best, host_work
from treadle.backends.cpu import CpuBackend
from treadle.runtime.device import Device

__all__ = ["WAYS", "Blocking"]

WAYS = ("a function that sleeps", "a function of np.linalg")
SIDE = 32  # of a matrix: small enough that one core inverts it


def _nap(seconds: float) -> Callable[[object], None]:
    return lambda _: sleep(seconds)


class Blocking:
    """Prepare 1 ms, a function of 5 ms that blocks, collect 2 ms."""

    def __init__(self, what: str, batches: int) -> None:
        self.device = Device(CpuBackend(workers=1), "cpu")
        self.batches = batches
        sleeps = what == WAYS[0]
        make = _nap if sleeps else host_work
        self._prepare, self._collect = make(PREPARE), make(COLLECT)
        self._data = np.arange(64, dtype=np.float32)
        matrix = np.eye(SIDE) + np.random.default_rng(3).random((SIDE, SIDE)) / SIDE
        many = np.repeat(matrix[None], 64, axis=0)
        count = max(round(COMPUTE / best(lambda: np.linalg.inv(many)) * len(many)), 1)
        self._matrices = np.repeat(matrix[None], count, axis=0)
        self.compute = self._sleeps if sleeps else self._inverts

    def _sleeps(self, given: treadle.Buffer) -> np.ndarray[Any, Any]:
        array = given.to_numpy(copy=None)
        sleep(COMPUTE)
        return array + 1

    def _inverts(self, given: treadle.Buffer) -> np.ndarray[Any, Any]:
        array = given.to_numpy(copy=None)
        return array + np.linalg.inv(self._matrices)[0, 0, 0]

    def prepare(self, number: int) -> np.ndarray[Any, Any]:
        self._prepare(None)
        return self._data + number

    def collect(self, result: np.ndarray[Any, Any]) -> float:
        self._collect(None)
        return float(result[0])

    def bound(self) -> None:
        """Only the function, one batch after the other."""
        buffer = self.device.buffer(self._data)
        for _ in range(self.batches):
            self.compute(buffer)

    def sequential(self) -> list[float]:
        buffers = map(self.device.from_numpy, map(self.prepare, range(self.batches)))
        return [self.collect(self.compute(buffer)) for buffer in buffers]

    def stream(self) -> list[float]:
        return list(
            treadle.stream(
                range(self.batches),
                prepare=self.prepare,
                compute=self.compute,
                collect=self.collect,
                device=self.device,
            )
        )
