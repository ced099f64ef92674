"""The report of a run: how fast, how near to the bound, and what bounds it.

In: counts and the report of the stream that the run was. Out: a frozen Report with figures, as a
mapping for JSON too. What the bound is, and the verdict, are the stream's.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["PHASES", "Report", "cores", "make_report"]

PHASES = {"prepare": "decode", "device": "compute", "collect": "encode"}  # by the stream's lanes
_NEAR = 0.9  # of the bound: there is nothing more to be had from overlapping
_ADVICE = {
    "decode": "reading images is the slowest part: more --jobs, where there are cores for them",
    "compute": "the device is the slowest part: a faster one, or fewer stages, would help",
    "encode": "writing images is the slowest part: more --jobs, another --format, or less to write",
}
_IDLE = "nothing was busy all the time: a short run, a slow disk, or other programs on the cores"


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a run. `efficiency` is the bound over the time that it took, at most 1."""

    recipe: str
    device: str
    done: int
    skipped: int
    failed: int
    left: int
    seconds: float
    images_per_second: float
    megapixels_per_second: float
    phases: dict[str, float]  # share of the time in which each was under way
    bound: str  # the phase that is busiest
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


def make_report(
    stream: Any,
    *,
    recipe: str,
    device: str,
    counts: tuple[int, int, int, int],
    megapixels: float,
    seconds: float,
) -> Report:
    """Work out a run's figures; `counts` are done, skipped, failed and left."""
    seconds = max(seconds, 1e-9)
    shares = {lane.name: lane.share for lane in stream.lanes}
    phases = {ours: shares.get(theirs, 0.0) for theirs, ours in PHASES.items()}
    bound = PHASES.get(stream.bound, stream.bound)
    near = stream.efficiency >= _NEAR
    advice = _ADVICE.get(bound, stream.advice) if near else _IDLE
    return Report(
        recipe, device, *counts, seconds, counts[0] / seconds, megapixels / seconds, phases,
        bound, min(stream.efficiency, 1.0), stream.verdict, advice,
    )  # fmt: skip
