"""Streams: how close they come to their bound, what they cost, and what they do to others.

In: an effort, and a device. Out: rows. `python -m bench.streams --device cuda` measures on a GPU,
where the bound is the slower of copying and computing and torch's own way stands beside it.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import threading
import zlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter, process_time
from typing import Any

import numpy as np

import treadle
from bench import peers
from bench.blocking import WAYS, Blocking
from bench.seed import Seed, best, churned
from bench.table import Bar, Figure, Row, as_text
from bench.timing import FULL, QUICK, Effort, quantile
from bench.travel import travel

__all__ = ["LINES"]

BATCHES = 500
HD = (1080, 1920, 3)


def _turns(
    contestants: dict[str, Callable[[], object]], repeats: int, per: int
) -> dict[str, list[float]]:
    """Seconds for each batch, contestants in turn."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    order = list(contestants.items())
    for _ in range(repeats):
        order.reverse()
        for name, call in order:
            started = perf_counter()
            call()
            times[name].append((perf_counter() - started) / per)
    return times


def _ratio(times: dict[str, list[float]], over: str, under: str) -> float:
    """The median of the ratios of runs that took turns: noise that hits both cancels."""
    return statistics.median(a / b for a, b in zip(times[over], times[under], strict=True))


def _ms(times: dict[str, list[float]], name: str) -> Figure:
    return Figure(statistics.median(times[name]) * 1e3, "ms")


def seed(effort: Effort) -> list[Row]:
    """The seed's 8 ms a batch that should be 5."""
    quick = effort is QUICK
    example = Seed(50 if quick else BATCHES)
    ways = {
        "bound": example.bound,
        "stream": example.stream,
        "threads": example.by_hand,
        "sequential": example.sequential,
    }
    times = _turns(ways, 2 if quick else 5, example.batches)
    share = _ratio(times, "bound", "stream")
    note = (
        f"{example.batches} batches of real work: 1 ms to prepare, 5 ms on a device with one core, "
        "2 ms to collect. 'bound' is the 5 ms alone; 'threads' the same with three "
        "ThreadPoolExecutors, written by hand."
    )
    rows = [
        Row(
            "stream of 1 + 5 + 2 ms batches",
            _ms(times, "stream"),
            tuple((n, _ms(times, n)) for n in ("bound", "threads", "sequential")),
            _ratio(times, "threads", "stream"),
            None,
            note,
            headline=True,
        ),
        Row(
            "stream of 1 + 5 + 2 ms batches, share of the bound",
            Figure(share * 100, "%"),
            (("threads", Figure(_ratio(times, "bound", "threads") * 100, "%")),),
            None,
            Bar(97, "%", least=True),
            note,
        ),
    ]
    example.device.close()
    return rows


def blocking(effort: Effort) -> list[Row]:
    """The same batches with a function as compute that blocks the thread that calls it."""
    quick = effort is QUICK
    rows = []
    for what in WAYS:
        example = Blocking(what, 40 if quick else 200)
        ways = {"bound": example.bound, "stream": example.stream, "sequential": example.sequential}
        times = _turns(ways, 2 if quick else 7, example.batches)
        example.device.close()
        rows.append(
            Row(
                f"stream of 1 + 5 + 2 ms batches, {what} as compute, share of the bound",
                Figure(_ratio(times, "bound", "stream") * 100, "%"),
                tuple((name, _ms(times, name)) for name in ("stream", "bound", "sequential")),
                None,
                Bar(97, "%", least=True),
                f"{example.batches} batches, workers=1; prepare and collect do what the function "
                "does: sleep, or work on the host. 'bound' is the function alone, in a loop.",
            )
        )
    return rows


def traced(effort: Effort) -> list[Row]:
    """What a trace costs, from many short runs with and without one that take turns."""
    example = Seed(40)
    ways = {"off": example.stream, "on": example.traced}
    example.traced()
    times = _turns(ways, 6 if effort is QUICK else 30, example.batches)
    example.device.close()
    return [
        Row(
            "cost of a trace that is on",
            Figure((_ratio(times, "on", "off") - 1) * 100, "%"),
            (("off", _ms(times, "off")), ("on", _ms(times, "on"))),
            None,
            Bar(2, "%"),
            "The stream of 1 + 5 + 2 ms batches; the median of ratios of neighbouring runs.",
        )
    ]


def frames(effort: Effort) -> list[Row]:
    """1080p frames: unpacked, filtered by three kernels, packed; every core in use."""
    count = 12 if effort is QUICK else 60
    rng = np.random.default_rng(1)
    plane = np.cumsum(rng.integers(-2, 3, HD), axis=1).astype(np.uint8)
    packed = zlib.compress(plane.tobytes(), 1)
    device = treadle.device("cpu")

    def prepare(data: bytes) -> np.ndarray[Any, Any]:
        # A decoder knows the size. Without it zlib grows its output piece by piece, and two threads
        # of one process that do so reach 73% of two cores, whatever runs them.
        return np.frombuffer(zlib.decompress(data, bufsize=plane.nbytes), np.uint8).reshape(HD)

    @treadle.pipeline
    def filtered(frame: Any) -> Any:
        blurred = treadle.run_kernel("gaussian_blur", [frame], radius=3, sigma=1.5)
        return treadle.run_kernel(
            "grayscale", [treadle.run_kernel("sharpen", [blurred], amount=0.5)]
        )

    def compute(frame: treadle.Buffer) -> treadle.Command:
        return filtered.submit(frame)

    def collect(grey: np.ndarray[Any, Any]) -> int:
        return len(zlib.compress(grey[:270].tobytes(), 1))

    def sequential() -> list[int]:
        return [whole(packed) for _ in range(count)]

    def whole(data: bytes) -> int:
        made = compute(device.buffer(prepare(data))).wait().output
        return collect(made.to_numpy(copy=None))

    def by_hand() -> list[int]:
        with ThreadPoolExecutor(peers.CORES) as pool:
            return list(pool.map(whole, [packed] * count))

    def streamed() -> list[int]:
        return list(
            treadle.stream(
                [packed] * count,
                prepare=prepare,
                compute=compute,
                collect=collect,
                max_in_flight=8,
                workers=peers.CORES,  # unpacking takes longest, so on every core
                device=device,
            )
        )

    assert sequential() == streamed() == by_hand()
    shares, walls, others, pooled = [], [], [], []
    for _ in range(2 if effort is QUICK else 7):
        used, started = process_time(), perf_counter()
        sequential()
        others.append((perf_counter() - started) / count)
        bound = (process_time() - used) / count / peers.CORES
        started = perf_counter()
        streamed()
        walls.append((perf_counter() - started) / count)
        shares.append(bound / walls[-1])
        started = perf_counter()
        by_hand()
        pooled.append(bound / ((perf_counter() - started) / count))
    note = (
        f"{count} frames of 1920 x 1080 RGB: zlib out, blur, sharpen and grey as one pipeline, "
        "zlib in, with a thread of each kind for each core. The bound is the processor time of the "
        "sequential run over the number of cores; 'threads' is a ThreadPoolExecutor with a whole "
        "frame for each thread."
    )
    return [
        Row(
            "1080p frames, share of the bound of all cores",
            Figure(statistics.median(shares) * 100, "%"),
            (("threads", Figure(statistics.median(pooled) * 100, "%")),),
            None,
            Bar(95, "%", least=True),
            note,
        ),
        Row(
            "1080p frames",
            Figure(statistics.median(walls) * 1e3, "ms"),
            (("sequential", Figure(statistics.median(others) * 1e3, "ms")),),
            statistics.median(others) / statistics.median(walls),
            None,
            note,
        ),
    ]


def overhead(effort: Effort) -> list[Row]:
    """What an empty stream costs for each batch, beside the same calls without one."""
    count = max(effort.calls // 10, 500)
    tiny = np.zeros(4, np.float32)
    device = treadle.device("cpu")

    def streamed() -> None:
        for _ in treadle.stream([tiny] * count, compute="relu", device=device):
            pass

    def plain() -> None:
        for _ in range(count):
            device.run_kernel("relu", [device.buffer(tiny)]).to_numpy(copy=None)

    times = _turns({"stream": streamed, "plain": plain}, 7, count)
    return [
        Row(
            "an empty stream, for each batch",
            Figure(min(times["stream"]) * 1e6, "us"),
            (("without a stream", Figure(min(times["plain"]) * 1e6, "us")),),
            None,
            Bar(60, "us"),
            "Four floats through relu, nothing prepared or collected; the best of seven runs.",
        )
    ]


def interactive(effort: Effort) -> list[Row]:
    """How long an interactive command takes beside a stream that saturates the device."""
    device = treadle.device("cpu")
    data = np.linspace(0.1, 0.9, 1 << 18, dtype=np.float32)
    target, source = device.empty(data.shape), device.buffer(data)
    small = device.buffer(data[: 1 << 16])

    def kernel(rounds: int) -> Any:
        return device.run_kernel(churned, [source], target, rounds=rounds)

    one, many = best(lambda: kernel(1)), best(lambda: kernel(33))
    rounds = max(round(0.004 / ((many - one) / 32)), 1)
    whole = best(lambda: kernel(rounds))

    def asked(samples: int) -> list[float]:
        took = []
        for _ in range(samples):
            started = perf_counter()
            device.submit(churned, [small], rounds=8, priority="interactive").wait()
            took.append(perf_counter() - started)
        return took

    asked(20)
    samples = 100 if effort is QUICK else 500
    idle = asked(samples)
    busy = treadle.stream(
        itertools.repeat(data),
        compute=churned,
        params={"rounds": rounds},
        priority="background",
        max_in_flight=8,
        device=device,
    )
    stop = threading.Event()

    def consume() -> None:
        for _ in busy:
            if stop.is_set():
                break

    thread = threading.Thread(target=consume)
    thread.start()
    beside = asked(samples)
    stop.set()
    thread.join()
    p99, quiet = quantile(beside, 0.99), quantile(idle, 0.99)
    limit = (2 * quiet + whole) * 1e3
    return [
        Row(
            "interactive command beside a saturating stream, p99",
            Figure(p99 * 1e3, "ms"),
            (
                ("idle", Figure(quiet * 1e3, "ms")),
                ("one background kernel", Figure(whole * 1e3, "ms")),
                ("p50", Figure(quantile(beside, 0.5) * 1e3, "ms")),
            ),
            None,
            Bar(round(limit, 2), "ms"),
            "The bar is twice the idle figure plus one kernel of the stream's, in the same run.",
        )
    ]


LINES: dict[str, Callable[[Effort], list[Row]]] = {
    "streams": lambda effort: [
        row
        for line in (seed, blocking, traced, frames, overhead, interactive)
        for row in line(effort)
    ]
}


def main(arguments: Iterable[str] | None = None) -> int:
    """Measure streams on one device and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.streams")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or webgpu")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument(
        "--depth", type=int, default=4, help="batches under way, where data travels"
    )
    parser.add_argument("--pageable", action="store_true", help="batches in ordinary memory")
    parser.add_argument("--megabytes", type=int, default=64, help="of a batch that travels")
    options = parser.parse_args(None if arguments is None else list(arguments))
    if options.device == "cpu":
        rows = LINES["streams"](QUICK if options.quick else FULL)
    else:
        rows = travel(
            treadle.device(options.device),
            megabytes=options.megabytes,
            depth=options.depth,
            pageable=options.pageable,
        )
    print(as_text(rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
