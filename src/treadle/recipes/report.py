"""The report of a run: how fast, how near to the bound, and what bounds it.

In: counts, and how long each part of the run was under way, on one machine or on each of several.
Out: a frozen RunReport with figures, as a mapping for JSON too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from treadle.data import dataclass

__all__ = ["RunReport", "busiest", "cores", "make_report", "shares", "spent"]

_LANES = {"decode": "prepare", "encode": "collect"}  # of the stream's
_NEAR = 0.9  # of the bound: there is nothing more to be had from overlapping
_ADVICE = {
    "decode": "reading images is the slowest part: more --jobs, where there are cores for them",
    "compiling": "planning and compiling, once for each size of image, is the slowest part: more "
    "images of a size, or fewer sizes, would go faster",
    "compute": "the device is the slowest part: a faster one, or fewer stages, would help",
    "encode": "writing images is the slowest part: more --jobs, another --format, or less to write",
}
_VERDICTS = {
    "decode": "CPU-bound",
    "compiling": "compile-bound",
    "compute": "device-bound",
    "encode": "CPU-bound",
}
_IDLE = "nothing was busy all the time: a short run, a slow disk, or other programs on the cores"


@dataclass(frozen=True, slots=True)
class RunReport:
    """The figures of a run. `efficiency` is the bound over the time that it took, at most 1."""

    recipe: str
    device: str
    done: int
    skipped: int
    failed: int
    left: int
    passed_over: int
    seconds: float
    images_per_second: float
    megapixels_per_second: float
    phases: dict[str, float]  # share of the time, at most 1, in which each was under way
    bound: str  # the part that is busiest
    efficiency: float
    verdict: str
    advice: str

    def mapping(self) -> dict[str, Any]:
        """The figures as a mapping for JSON."""
        return asdict(self)


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def spent(lanes: Mapping[str, float], engine: Any) -> dict[str, float]:
    """Return the seconds in which each part was under way, from those of a stream's lanes.

    The stream counts what a batch waits for the planner as the device's; the engine knows."""
    return {
        "decode": lanes.get(_LANES["decode"], 0.0),
        "compiling": engine.compiling.total() / 1e9,
        "compute": engine.computing.total() / 1e9,
        "encode": lanes.get(_LANES["encode"], 0.0),
    }


def shares(spent: Mapping[str, float], seconds: float) -> dict[str, float]:
    """Return the share of the time in which each part was under way.

    A span may reach a little beyond the stream's own end, and no share is more than all of it."""
    found = {phase: spent.get(phase, 0.0) / max(seconds, 1e-9) for phase in _VERDICTS}
    return {phase: min(share, 1.0) for phase, share in found.items()}


def busiest(phases: Mapping[str, float]) -> str:
    """Return the part that was under way for the longest."""
    return max(phases, key=lambda name: phases[name])


def make_report(
    phases: dict[str, float],
    *,
    recipe: str,
    device: str,
    counts: tuple[int, int, int, int, int],
    megapixels: float,
    seconds: float,
) -> RunReport:
    """Work out a run's figures; `counts` are done, skipped, failed, left and passed over."""
    seconds = max(seconds, 1e-9)
    bound = busiest(phases)
    efficiency = phases[bound]
    others = [phases[name] for name in phases if _VERDICTS[name] != _VERDICTS[bound]]
    verdict = "balanced" if max(others) >= _NEAR * efficiency else _VERDICTS[bound]
    if not efficiency:
        verdict = "empty"
    advice = _ADVICE[bound] if efficiency >= _NEAR else _IDLE
    return RunReport(
        recipe, device, *counts, seconds, counts[0] / seconds, megapixels / seconds, phases,
        bound, efficiency, verdict, advice,
    )  # fmt: skip
