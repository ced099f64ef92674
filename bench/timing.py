"""Measuring: contestants in turn, so that noise hits all of them; medians and quantiles.

In: callables. Out: seconds. It knows nothing about what is measured.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

__all__ = ["FULL", "QUICK", "Effort", "medians", "quantile", "rounds"]


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure."""

    repeats: int  # of something that takes milliseconds
    calls: int  # of something that takes microseconds
    seconds: float  # of something that goes on
    processes: int  # fresh interpreters, for each contestant
    commands: int  # of the endurance run


FULL = Effort(repeats=60, calls=40_000, seconds=4.0, processes=15, commands=1_000_000)
QUICK = Effort(repeats=5, calls=2_000, seconds=0.5, processes=3, commands=50_000)


def rounds(
    contestants: Mapping[str, Callable[[], object]],
    repeats: int,
    *,
    inner: int = 1,
    warmup: int = 2,
) -> dict[str, list[float]]:
    """Call all contestants in turn, to and fro, `repeats` times; return each one's seconds.

    A sample is one call, or the mean of `inner` calls in a row."""
    samples: dict[str, list[float]] = {name: [] for name in contestants}
    for call in contestants.values():
        for _ in range(warmup):
            call()
    turns = list(contestants.items())
    for _ in range(repeats):
        turns.reverse()  # nobody always follows the same one, and finds its leavings in the cache
        for name, call in turns:
            started = perf_counter()
            for _ in range(inner):
                call()
            samples[name].append((perf_counter() - started) / inner)
    return samples


def medians(
    contestants: Mapping[str, Callable[[], object]],
    repeats: int,
    *,
    inner: int = 1,
    warmup: int = 2,
) -> dict[str, float]:
    """Return each contestant's median of `rounds`."""
    samples = rounds(contestants, repeats, inner=inner, warmup=warmup)
    return {name: statistics.median(times) for name, times in samples.items()}


def quantile(samples: Sequence[float], share: float) -> float:
    """Return the sample that `share` of all samples do not exceed."""
    ordered = sorted(samples)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)]
