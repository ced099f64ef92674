"""What a size that was not seen before costs: kernels, a pipeline, and photos of many sizes.

In: an effort. Out: rows. A kernel or a pipeline runs over buffers of one size after another, each
for the first time and, after the next one, again; the row is the difference. Photos go through the
recipes' own code in a new process, which has seen two other photos, so that nothing is known of
their sizes; all are of as many pixels in sum. OpenCV does the same steps with Pillow for the files,
a photo on each core.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import treadle
from bench import peers, photos
from bench.fresh import run_module
from bench.planning import planning
from bench.table import Bar, Figure, Row
from bench.timing import Effort

__all__ = ["LINES"]

KERNELS: dict[str, dict[str, Any]] = {
    "gaussian_blur": {"radius": 3},
    "resize": {"size": (100, 120)},
    "denoise": {},
}
STAGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("denoise", {}),
    ("brightness_contrast", {"contrast": 1.1}),
    ("saturation", {"amount": 1.2}),
    ("gaussian_blur", {"radius": 3}),
    ("sharpen", {"amount": 0.3}),
    ("vignette", {}),
    ("brightness_contrast", {"contrast": 0.9}),
    ("saturation", {"amount": 0.9}),
    ("box_blur", {"radius": 2}),
    ("sharpen", {"amount": 0.5}),
)
PHOTOS = 40
MIXED = 300
RECIPES = ("enhance", "soften")
Shape = tuple[int, int, int]


def _shapes(count: int) -> list[Shape]:
    """Sizes of small images, all different and none a square."""
    return [(200 + k, 313 + 2 * k, 3) for k in range(count)]


def _beyond(call: Callable[[Shape], float], count: int) -> tuple[float, float]:
    """The median seconds of a call for new sizes and for known ones."""
    shapes = _shapes(count + 3)
    for shape in shapes[:3]:
        call(shape)
    new, known = [], []
    for before, shape in pairwise(shapes[2:]):  # in turns, so that noise hits both
        new.append(call(shape))
        known.append(call(before))
    return statistics.median(new), statistics.median(known)


def _row(what: str, new: float, known: float, bar: float) -> Row:
    beside = (("a known one", Figure(known * 1e6, "us")), ("a new one", Figure(new * 1e6, "us")))
    note = "How much longer submit takes than for the size before it; both in turns."
    more = Figure((new - known) * 1e6, "us")
    return Row(f"a new size: {what}", more, beside, None, Bar(bar, "us"), note)


def _kernel(name: str) -> Callable[[Shape], float]:
    def call(shape: Shape) -> float:
        image = treadle.buffer(np.zeros(shape, np.uint8))
        started = perf_counter()
        command = treadle.submit(name, [image], params=KERNELS[name])
        seconds = perf_counter() - started
        command.wait()
        return seconds

    return call


def _pipeline() -> Callable[[Shape], float]:
    shape = (100, 150, 3)
    pipeline = treadle.pipeline(name="ten stages")
    image = pipeline.buffer("image", treadle.empty(shape, "u8"))
    result = pipeline.buffer("result", treadle.empty(shape, "u8"))
    now: Any = image
    for kernel, params in STAGES[:-1]:
        now = pipeline.add(kernel, [now], params=params).last
    pipeline.add(STAGES[-1][0], [now], result, params=STAGES[-1][1])
    pipeline.run()

    def call(shape: Shape) -> float:
        image, result = treadle.empty(shape, "u8"), treadle.empty(shape, "u8")
        started = perf_counter()
        command = pipeline.bind(image=image, result=result).submit()
        seconds = perf_counter() - started
        command.wait()
        return seconds

    return call


def launches(effort: Effort) -> list[Row]:
    """Kernels and a pipeline of ten stages, over sizes that they have not seen."""
    count = min(effort.repeats, 60)
    rows = [_row(name, *_beyond(_kernel(name), count), 150) for name in KERNELS]
    return [*rows, _row("a pipeline of ten stages", *_beyond(_pipeline(), count), 500)]


# Photos


def paint(folder: Path, sizes: Sequence[tuple[int, int]]) -> None:
    """Write photos of these heights and widths."""
    from PIL import Image

    folder.mkdir(parents=True)
    small = np.random.default_rng(1).integers(0, 256, (24, 32, 3), np.uint8)
    for number, (height, width) in enumerate(sizes):
        picture = Image.fromarray(small).resize((width, height), Image.Resampling.BICUBIC)
        picture.save(folder / f"photo-{number:02d}.jpg", quality=92)


def child(recipe: str, seen: str, source: str, out: str) -> float:
    """Seconds of a recipe over a folder of photos, after one of others."""
    from treadle.recipes.run import Options, RecipeRun
    from treadle.recipes.shipped import load

    def run(folder: str, where: str) -> float:
        started = perf_counter()
        if RecipeRun(Options(load(recipe), (folder,), Path(where))).go():
            raise RuntimeError("the run stopped early")
        return perf_counter() - started

    run(seen, f"{out}-seen")
    return run(source, out)


def collections(effort: Effort) -> list[Row]:
    """As many photos of as many sizes, against as many of one size."""
    turns = max(effort.processes // 5, 1)
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as name:
        folder = Path(name)
        many = [(1100 + 5 * k, 1500 + 5 * (7 * k % PHOTOS)) for k in range(PHOTOS)]
        paint(folder / "one", [(1198, 1598)] * PHOTOS)
        paint(folder / "many", many)
        paint(folder / "seen", [(1000, 1400), (1010, 1400)])
        rows = []
        for recipe in RECIPES:
            one, some = _rates(folder, recipe, turns)
            beside = [("one size", Figure(one, "photos/s"))]
            if recipe == "enhance" and peers.opencv() is not None:
                rates = [_with_opencv(folder / "many", folder / f"cv-{k}") for k in range(turns)]
                beside.append(("OpenCV", Figure(statistics.median(rates), "photos/s")))
            what = f"{PHOTOS} photos of {PHOTOS} sizes: {recipe}"
            bar = Bar(0.9, "x", least=True, ratio=True)
            rows.append(Row(what, Figure(some, "photos/s"), tuple(beside), some / one, bar))
    return rows


def mixed(effort: Effort) -> list[Row]:
    """Photos of all sizes and both ways up, beside OpenCV: so many that neither the first ones nor
    a hiccup of the machine decide."""
    if peers.opencv() is None:
        return []
    count = MIXED if effort.processes > 5 else PHOTOS
    numbers = np.random.default_rng(3)
    sides = [tuple(sorted(numbers.integers(600, 2000, 2))) for _ in range(count)]
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as name:
        folder = Path(name)
        paint(folder / "many", [pair[:: 1 - 2 * (k % 2)] for k, pair in enumerate(sides)])
        paint(folder / "seen", [(1000, 1400), (1010, 1400)])
        rates: list[float] = []
        others: list[float] = []
        for turn in range(max(effort.processes // 5, 1)):
            words = ["enhance", *(str(folder / name) for name in ("seen", "many", f"out-{turn}"))]
            rates.append(count / run_module("bench.sizes", words))
            others.append(_with_opencv(folder / "many", folder / f"opencv-{turn}"))
        rate, beside = statistics.median(rates), statistics.median(others)
    what = f"{count} mixed photos: enhance"
    bar = Bar(1.5, "x OpenCV", least=True, ratio=True)
    figures = (("OpenCV", Figure(beside, "photos/s")),)
    return [Row(what, Figure(rate, "photos/s"), figures, rate / beside, bar)]


def _rates(folder: Path, recipe: str, turns: int) -> tuple[float, float]:
    """Photos of one size, and of many, in a second; in turns."""
    found: dict[str, list[float]] = {"one": [], "many": []}
    for turn in range(turns):
        for which, rates in list(found.items())[:: 1 - 2 * (turn % 2)]:
            out = folder / f"{recipe}-{which}-{turn}"
            words = [recipe, str(folder / "seen"), str(folder / which), str(out)]
            rates.append(PHOTOS / run_module("bench.sizes", words))
    return statistics.median(found["one"]), statistics.median(found["many"])


def _with_opencv(source: Path, out: Path) -> float:
    """The rate of a script that does the steps of `enhance`."""
    started = perf_counter()
    photos.script(source, out)
    return len(list(source.iterdir())) / (perf_counter() - started)


def sizes(effort: Effort) -> list[Row]:
    """All of it, and what a kernel costs that was not seen in any size."""
    return [*launches(effort), *planning(effort), *collections(effort), *mixed(effort)]


LINES: dict[str, Callable[[Effort], list[Row]]] = {"sizes": sizes}

if __name__ == "__main__":
    print(json.dumps(child(*sys.argv[1:])))
