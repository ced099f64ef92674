"""The report of a run: how fast, how near to the bound, and what bounds it.

In: outcomes, spans and times. Out: a frozen Report with figures, as a mapping for JSON too. The
bound is the time that the busiest engine needs if nothing ever waits: the host's CPU seconds over
its cores, or the device's busy seconds where the device is not the host.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from weft.recipes.execute import Span

__all__ = ["Report", "busy", "cores", "make_report"]

_PHASES = ("decode", "compute", "encode")
_NEAR = 0.9  # of the busiest: nearly as busy
_ADVICE = {
    "device-bound": "the device is the limit: a faster one, or fewer stages, would help.",
    "file-bound": "reading and writing files is the limit: more cores, a smaller output or a lower "
    "quality would help.",
    "CPU-bound": "the CPU does all of it and is busy: a GPU would take the kernels off it.",
    "balanced": "files and device take about as long as each other: nothing to gain from one "
    "alone.",
    "crowded": "the device never rested and the CPU was half idle: other programs had the cores.",
    "waiting": "neither the CPU nor the device was busy: the disk, or other programs, are.",
    "idle": "nothing was computed.",
}


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
    cpu_seconds: float
    cores: int
    phases: dict[str, float]  # seconds summed over threads
    device_busy: float
    bound_seconds: float
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


def busy(spans: Iterable[Span]) -> float:
    """Return the seconds in which at least one of the spans was under way."""
    total, until = 0.0, 0.0
    for start, end in sorted((span.start, span.end) for span in spans):
        total += max(end - max(start, until), 0.0)
        until = max(until, end)
    return total


def make_report(
    *,
    recipe: str,
    device: str,
    gpu: bool,
    counts: tuple[int, int, int, int],
    megapixels: float,
    seconds: float,
    cpu_seconds: float,
    spans: Sequence[Span],
) -> Report:
    """Work out a run's figures; `counts` are done, skipped, failed and left."""
    seconds = max(seconds, 1e-9)
    phases = {kind: sum(s.end - s.start for s in spans if s.kind == kind) for kind in _PHASES}
    on_device = busy(span for span in spans if span.kind == "compute")
    host = cpu_seconds / cores()
    bound = min(max(host, on_device) if gpu else host, seconds)
    verdict = _verdict(host, on_device, seconds, gpu=gpu, done=counts[0])
    return Report(
        recipe, device, *counts, seconds, counts[0] / seconds, megapixels / seconds, cpu_seconds,
        cores(), phases, on_device, bound, bound / seconds, verdict, _ADVICE[verdict],
    )  # fmt: skip


def _verdict(host: float, on_device: float, seconds: float, *, gpu: bool, done: int) -> str:
    if not done:
        return "idle"
    if not gpu and host < 0.5 * seconds:
        return "crowded" if on_device > _NEAR * seconds else "waiting"
    if max(host, on_device) < 0.5 * seconds:
        return "waiting"
    if not gpu:
        return "CPU-bound"
    if min(host, on_device) > _NEAR * max(host, on_device):
        return "balanced"
    return "device-bound" if on_device > host else "file-bound"
