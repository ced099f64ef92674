"""A cluster's stream: what a batch costs over a stream here, what starting costs, beside plain Ray.

In: an effort. Out: rows. Ray runs on this machine, with two workers of one core; what stands beside
it runs on the same workers' cores, in turns.
"""

from __future__ import annotations

import statistics
import threading
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

import treadle
from bench.table import Figure, Row
from bench.timing import QUICK, Effort

__all__ = ["LINES"]

MEGABYTES = (1, 16)
WORKERS = 2


def _batches(count: int, size: int) -> Iterator[np.ndarray[Any, Any]]:
    frame = np.ones(size << 18, np.float32)
    for _ in range(count):
        yield frame


Run = Callable[..., Any]


def _streamed(stream: Run, count: int, size: int) -> float:
    """Seconds for so many batches, from the moment in which the stream has done some others."""
    warm, ready = 2 * WORKERS, threading.Event()
    began = 0.0

    def source() -> Iterator[np.ndarray[Any, Any]]:
        nonlocal began
        yield from _batches(warm, size)
        ready.wait()
        began = perf_counter()
        yield from _batches(count, size)

    for number, _ in enumerate(stream(source()), 1):
        if number == warm:
            ready.set()
    return perf_counter() - began


def _here(batches: Any) -> Any:
    return treadle.stream(batches, compute="relu", device="cpu")


def _there(batches: Any) -> Any:
    return treadle.cluster.stream(batches, compute="relu", workers=WORKERS, cores=1)


def _tasks(ray: Any, count: int, size: int) -> Callable[[], float]:
    """What is written with Ray alone: actors, and as many batches under way."""

    class Relu:
        def run(self, frame: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
            return np.maximum(frame, 0)

    kind = ray.remote(num_cpus=1)(Relu)

    def run() -> float:
        actors = [kind.remote() for _ in range(WORKERS)]
        ray.get([actor.run.remote(np.ones(1, np.float32)) for actor in actors])
        began = perf_counter()
        under_way: list[Any] = []
        for number, frame in enumerate(_batches(count, size)):
            if len(under_way) >= 4 * WORKERS:
                ray.get(under_way.pop(0))
            under_way.append(actors[number % WORKERS].run.remote(frame))
        for reference in under_way:
            ray.get(reference)
        spent = perf_counter() - began
        for actor in actors:
            ray.kill(actor)
        return spent

    return run


def _data(ray: Any, count: int, size: int) -> Callable[[], float]:
    """Ray Data over the same bytes, a block for each batch; from its first row to its last."""
    import ray.data as data

    data.DataContext.get_current().enable_progress_bars = False

    class Relu:
        def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
            return {"data": np.maximum(batch["data"], 0)}

    def run() -> float:
        frames = np.ones((count * 16, (size << 18) // 16), np.float32)
        dataset = data.from_numpy(frames).repartition(count).materialize()
        pool = data.ActorPoolStrategy(size=WORKERS)
        mapped = dataset.map_batches(
            Relu, compute=pool, batch_size=None, num_cpus=1, batch_format="numpy"
        )
        began = perf_counter()
        for _ in mapped.iter_batches(batch_size=None):
            pass
        return perf_counter() - began

    return run


def cluster(effort: Effort) -> list[Row]:
    """A batch's cost, and the start."""
    try:
        import ray
    except ImportError:
        return [Row("cluster", Figure(0, ""), note="not measured: ray is not installed")]
    quick = effort is QUICK
    rows = []
    began = perf_counter()
    with treadle.cluster.connect("local", cpus=WORKERS + 1):
        started = perf_counter() - began
        for size in MEGABYTES:
            count = (40 if quick else 200) // (1 if size == 1 else 4)
            ways = {
                "here": partial(_streamed, _here, count, size),
                "there": partial(_streamed, _there, count, size),
                "tasks": _tasks(ray, count, size),
                "data": _data(ray, count, size),
            }
            times: dict[str, list[float]] = {name: [] for name in ways}
            for _ in range(1 if quick else 3):
                for name, way in ways.items():
                    times[name].append(way() / count * 1e3)
            each = {name: statistics.median(spent) for name, spent in times.items()}
            peers = (
                ("actors of plain Ray", Figure(each["tasks"], "ms")),
                ("Ray Data", Figure(each["data"], "ms")),
                ("a stream here", Figure(each["here"], "ms")),
            )
            what = f"a batch of {size} MB through {WORKERS} workers and back"
            rows.append(
                Row(what, Figure(each["there"], "ms"), peers, each["tasks"] / each["there"])
            )
        began = perf_counter()
        given = iter(treadle.cluster.stream(_batches(1, 1), compute="relu", workers=2, cores=1))
        next(given)
        first = perf_counter() - began
        began = perf_counter()
        list(given)
        rows.append(Row("until a stream's first result", Figure(first, "s")))
        rows.append(Row("until its workers have ended", Figure(perf_counter() - began, "s")))
    rows.append(Row("until there is a cluster on this machine", Figure(started, "s")))
    return rows


LINES = {"cluster": cluster}
