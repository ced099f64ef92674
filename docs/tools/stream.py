"""The picture on the first page: a stream, as its own trace draws it, in light and in dark.

In: nothing; it runs on the default device, or draws the records in a JSON file that is named. Out:
stream-light.svg and stream-dark.svg in docs/pictures. Frames go through prepare (to floats, on the
host), a wide blur on the device, and collect (their mean, on the host); of several runs the
quickest is drawn, some batches of its middle.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import treadle
from treadle.runtime.observe import Record
from treadle.timeline import Timeline
from treadle.trace import lanes_of

FOLDER = Path(__file__).parents[1] / "pictures"
FRAMES, DRAWN, RUNS = 30, 8, 6
ROWS = ("prepare", "collect", "upload", "download")  # of a stream and of transfers


def prepare(frame: Any) -> Any:
    """What the host does before: bytes to floats."""
    return frame.astype(np.float32)


def record() -> list[Any]:
    """Run the stream and return the records of the quickest run."""
    random = np.random.default_rng(1)
    frames = [random.integers(0, 256, (1080, 1920, 4), np.uint8) for _ in range(4)]
    stages = {"prepare": prepare, "compute": "gaussian_blur", "collect": np.mean}
    best: list[Any] = []
    for _ in range(RUNS):
        batches = (frames[k % len(frames)] for k in range(FRAMES))
        with treadle.trace() as trace:
            list(treadle.stream(batches, **stages, params={"radius": 12}))
        if not best or span(trace.records) < span(best):
            best = trace.records
    return best


def span(records: Sequence[Any]) -> int:
    """How long it took, in nanoseconds."""
    return int(max(r.stop for r in records) - min(r.start for r in records))


def middle(records: Sequence[Any]) -> list[Any]:
    """The records of some batches in the middle: the work, and copies where there are any."""
    first = FRAMES // 2 - DRAWN // 2
    chosen = [r for r in records if first <= r.batch < first + DRAWN]
    shown = [r for r in chosen if r.kind == "command" or (r.label in ROWS and span([r]) > 10**6)]
    return [replace(r, device="stream-1") if r.kind == "phase" else r for r in shown]


def draw(records: Sequence[Any], folder: Path = FOLDER) -> None:
    """Write the two pictures."""
    folder.mkdir(exist_ok=True)
    for theme in ("light", "dark"):
        drawn = Timeline(lanes_of(records), width=880, theme=theme)
        drawn.save(folder / f"stream-{theme}.svg")


if __name__ == "__main__":
    if sys.argv[1:]:
        kept = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
        draw(middle([Record(**fields) for fields in kept]))
    else:
        draw(middle(record()))
