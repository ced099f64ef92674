"""A run over a cluster: photos by `run`, by `run --cluster`, and by Ray Data with OpenCV.

In: an effort. Out: rows. All go over the same mixed photos, ours on two cores and on two workers of
one core each. The rate is that of the steady state: from the moment when each worker has given
something, to the last photo, for all alike; what comes before that is a row of its own. The peer
reads and writes in the tasks that compute, with batches of the size that does best for it.
`python -m bench.clusterrun kills` kills workers and drivers of a run at random moments.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any

import numpy as np

from bench.fresh import run_module
from bench.sizes import paint
from bench.table import Bar, Figure, Row
from bench.timing import Effort

__all__ = ["LINES"]

PHOTOS = 300
WORKERS = 2
FEW = 24
_BATCH = 4  # of the peer; 2, 8 and 25 were slower, and actors of 4 too


def _mixed(folder: Path, count: int) -> None:
    """Photos of all sizes and both ways up, as in bench.sizes."""
    numbers = np.random.default_rng(3)
    sides = [tuple(sorted(numbers.integers(600, 2000, 2))) for _ in range(count)]
    paint(folder, [pair[:: 1 - 2 * (k % 2)] for k, pair in enumerate(sides)])


def steady(moments: list[float], began: int, start: float) -> dict[str, float]:
    """The rate after `began` photos, and when these were there."""
    first, last = moments[began - 1], moments[-1]
    rate = (len(moments) - began) / max(last - first, 1e-9)
    return {"rate": rate, "first": moments[0] - start, "all": last - start}


def ours(source: str, out: str, *, cluster: bool) -> dict[str, float]:
    """Go over photos with the recipe `enhance`."""
    from treadle.recipes.run import Options, RecipeRun
    from treadle.recipes.shipped import load

    more: dict[str, Any] = {"cluster": "local", "workers": WORKERS, "jobs": 1} if cluster else {}
    start = perf_counter()
    job = RecipeRun(Options(load("enhance"), (source,), Path(out), device="cpu", **more))
    moments: list[float] = []
    began: list[int] = []

    def heard(_: object) -> None:
        moments.append(perf_counter())
        if not began and (job.spread is None or len(job.spread.use) == WORKERS):
            began.append(len(moments))

    if job.go(heard):
        raise RuntimeError("the run stopped early")
    # Both leave out as many photos: those that were there when both workers had begun, or a tenth.
    return steady(moments, max(began[0], len(moments) // 10), start)


def ray_data(source: str, out: str) -> dict[str, float]:
    """Go over photos with Ray Data: the steps of `enhance` with OpenCV, in tasks of one core."""
    import ray

    os.makedirs(out)
    start = perf_counter()
    ray.init("local", num_cpus=WORKERS, include_dashboard=False, logging_level="ERROR",
             log_to_driver=False)  # fmt: skip
    ray.data.DataContext.get_current().enable_progress_bars = False
    paths = sorted(str(path) for path in Path(source).iterdir())
    items = [{"path": path} for path in paths]
    blocks = max(len(items) // _BATCH, 1)
    dataset = ray.data.from_items(items, override_num_blocks=blocks)
    done = dataset.map_batches(_enhance, batch_size=_BATCH, num_cpus=1, fn_args=(out,))
    moments = []
    for rows in done.iter_batches(batch_size=None, prefetch_batches=0):
        moments += [perf_counter()] * len(rows["path"])
    ray.shutdown()
    return steady(moments, max(len(moments) // 10, 1), start)


def _enhance(batch: dict[str, Any], out: str) -> dict[str, Any]:
    """The steps of the recipe, as in bench.photos."""
    import cv2

    cv2.setNumThreads(1)
    codes = (np.arange(256) - 127.5) * 1.08 + 127.5 + 0.02 * 255
    table = np.clip(np.rint(codes), 0, 255).astype(np.uint8)
    cross = np.array([[0, -0.4, 0], [-0.4, 2.6, -0.4], [0, -0.4, 0]], np.float32)
    for path in batch["path"]:
        pixels = cv2.imread(str(path))
        pixels = cv2.bilateralFilter(pixels, 5, 0.05 * 255, 1.0)
        pixels = cv2.LUT(pixels, table)
        grey = cv2.cvtColor(cv2.cvtColor(pixels, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
        pixels = cv2.addWeighted(pixels, 1.15, grey, -0.15, 0)
        pixels = cv2.filter2D(pixels, -1, cross, borderType=cv2.BORDER_REPLICATE)
        name = os.path.join(out, os.path.basename(str(path)))
        cv2.imwrite(name, pixels, [cv2.IMWRITE_JPEG_QUALITY, 92])
    return {"path": batch["path"]}


WHO: dict[str, Callable[[str, str], dict[str, float]]] = {
    "run": lambda source, out: ours(source, out, cluster=False),
    "cluster": lambda source, out: ours(source, out, cluster=True),
    "ray-data": ray_data,
}


def clusterrun(effort: Effort) -> list[Row]:
    """Mixed photos in three ways, in turns."""
    with suppress(ImportError):
        import cv2  # noqa: F401
        import ray  # noqa: F401

        return _measured(PHOTOS if effort.processes > 5 else FEW)
    return []


def _measured(count: int, turns: int = 3) -> list[Row]:
    found: dict[str, list[dict[str, float]]] = {who: [] for who in WHO}
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as name:
        folder = Path(name)
        _mixed(folder / "in", count)
        for turn in range(turns):
            for who in list(WHO)[:: 1 - 2 * (turn % 2)]:
                out = folder / f"{who}-{turn}"
                found[who].append(
                    run_module("bench.clusterrun", [who, str(folder / "in"), str(out)])
                )
                shutil.rmtree(out)
    usual = {who: median(each["rate"] for each in runs) for who, runs in found.items()}
    first = {who: median(each["first"] for each in runs) for who, runs in found.items()}
    rate = Figure(usual["cluster"], "photos/s")
    what = f"{count} mixed photos, --cluster"
    return [
        Row(f"{what}: two workers of a core", rate, (("run", Figure(usual["run"], "photos/s")),),
            usual["cluster"] / usual["run"], Bar(0.9, "x run on 2 cores", least=True, ratio=True)),
        Row(f"{what}: beside Ray Data", rate,
            (("Ray Data and OpenCV", Figure(usual["ray-data"], "photos/s")),),
            usual["cluster"] / usual["ray-data"], Bar(1.3, "x Ray Data", least=True, ratio=True)),
        Row(f"{what}: the first photo, a cluster started for it", Figure(first["cluster"], "s"),
            (("run", Figure(first["run"], "s")), ("Ray Data", Figure(first["ray-data"], "s")))),
    ]  # fmt: skip


# Kills


def workers_of(driver: int) -> list[int]:
    """The worker processes below a driver, by what Linux tells."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            with suppress(OSError, ValueError):
                fields = (each / "stat").read_text().rpartition(")")[2].split()
                parents[int(each.name)] = int(fields[1])
                names[int(each.name)] = (each / "cmdline").read_bytes().decode(errors="replace")

    def below(pid: int) -> bool:
        while pid in parents and pid != driver:
            pid = parents[pid]
        return pid == driver

    return [pid for pid, name in names.items() if "ray::Host" in name and below(pid)]


def kills(source: str, out: str, workers: int, drivers: int, seed: int = 1) -> dict[str, int]:
    """Kill `workers` workers and `drivers` drivers of runs into one folder, which go on each time;
    then let it end. Return what happened."""
    rng = random.Random(seed)
    words = [sys.executable, "-m", "treadle", "run", "enhance", source, "-o", out, "--resume"]
    words += ["--cluster", "--workers", str(WORKERS), "-j", "1", "-q", "--report", "none"]
    deaths = stops = runs = 0
    while True:
        process = subprocess.Popen(words)
        runs += 1
        quota = -(-(workers - deaths) // max(drivers - stops, 1))
        while process.poll() is None and quota and deaths < workers:
            sleep(rng.uniform(0.1, 0.5))
            if found := workers_of(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(rng.choice(found), signal.SIGKILL)
                    deaths, quota = deaths + 1, quota - 1
        if process.poll() is None and stops < drivers:
            process.kill()
            stops += 1
        if process.wait() == 0:
            return {"workers": deaths, "drivers": stops, "runs": runs}


def _differ(out: Path, whole: Path) -> tuple[int, int]:
    """How many outputs are not as undisturbed, and what else is there."""
    made = {path.name: path.read_bytes() for path in whole.glob("*.jpg")}
    found = {path.name: path for path in out.rglob("*") if path.is_file()}
    wrong = sum(
        name not in found or found[name].read_bytes() != data for name, data in made.items()
    )
    return wrong, len(found.keys() - made.keys() - {"journal.jsonl"})


def main(count: int = PHOTOS, workers: int = 50, drivers: int = 10) -> int:
    """Print what came of kills."""
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as name:
        folder = Path(name)
        _mixed(folder / "in", count)
        ours(str(folder / "in"), str(folder / "whole"), cluster=False)
        start = time.perf_counter()
        said = kills(str(folder / "in"), str(folder / "out"), workers, drivers)
        wrong, more = _differ(folder / "out", folder / "whole")
    killed = f"{said['workers']} workers and {said['drivers']} drivers killed"
    print(
        f"{count} photos, {killed} in {said['runs']} runs, {time.perf_counter() - start:.0f} s: "
        f"{wrong} outputs missing or not as undisturbed, {more} files too many"
    )
    return int(bool(wrong or more))


LINES: dict[str, Callable[[Effort], list[Row]]] = {"clusterrun": clusterrun}

if __name__ == "__main__":
    if sys.argv[1] == "kills":
        raise SystemExit(main(*map(int, sys.argv[2:])))
    print(json.dumps(WHO[sys.argv[1]](*sys.argv[2:])))
