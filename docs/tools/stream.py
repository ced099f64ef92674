"""The picture on the first page: a stream, as its own trace draws it, in light and in dark.

In: nothing; it runs on the default device. Out: stream-light.svg and stream-dark.svg in
docs/pictures. Frames of video go through prepare (a table on the host), a blur on the device, and
collect (their mean); of several runs the quickest is drawn, without its beginning and its end.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import treadle

FOLDER = Path(__file__).parents[1] / "pictures"
FRAMES, DRAWN, RUNS = 30, 10, 5
TABLE = np.rint(255 * (np.arange(256) / 255) ** 0.8).astype(np.uint8)


def record() -> list[Any]:
    """Run the stream and return the records of the quickest run."""
    random = np.random.default_rng(1)
    frames = [random.integers(0, 256, (2160, 3840, 4), np.uint8) for _ in range(4)]
    best: list[Any] = []
    for _ in range(RUNS):
        batches = (frames[k % len(frames)] for k in range(FRAMES))
        with treadle.trace() as trace:
            stages = {"prepare": TABLE.__getitem__, "compute": "gaussian_blur", "collect": np.mean}
            list(treadle.stream(batches, **stages))
        if not best or span(trace.records) < span(best):
            best = trace.records
    return best


def span(records: Sequence[Any]) -> int:
    """How long it took, in nanoseconds."""
    return int(max(r.stop for r in records) - min(r.start for r in records))


def middle(records: Sequence[Any]) -> list[Any]:
    """The records of some batches in the middle, those of the host's accesses left out."""
    first = FRAMES // 2 - DRAWN // 2
    return [r for r in records if first <= r.batch < first + DRAWN and r.kind != "host"]


def draw(records: Sequence[Any], folder: Path = FOLDER) -> None:
    """Write the two pictures."""
    from treadle.timeline import Timeline
    from treadle.trace import lanes_of

    folder.mkdir(exist_ok=True)
    for theme in ("light", "dark"):
        drawn = Timeline(lanes_of(records), width=880, theme=theme)
        drawn.save(folder / f"stream-{theme}.svg")


if __name__ == "__main__":
    draw(middle(record()))
    print(f"{treadle.device().info.name}: {FOLDER}", file=sys.stderr)
