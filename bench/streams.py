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

import weft
from bench import peers
from bench.table import Bar, Figure, Row, as_text
from bench.timing import FULL, QUICK, Effort, quantile
from weft.backends.cpu import CpuBackend
from weft.runtime.device import Device

__all__ = ["LINES"]

ELEMENTS = 1 << 16  # stays in the cache, so that a batch computes and does not wait for memory
PREPARE, COMPUTE, COLLECT = 0.001, 0.005, 0.002  # seconds of a batch, as in the seed
BATCHES = 500
HD = (1080, 1920, 3)


@weft.pointwise
def churned(x: Any, *, rounds: int = 1) -> Any:
    for _ in range(rounds):
        x = exp(-x)  # noqa: F821
    return x


def best(call: Callable[[], object], repeats: int = 25) -> float:
    times = []
    for _ in range(repeats):
        started = perf_counter()
        call()
        times.append(perf_counter() - started)
    return min(times)


def _host_work(seconds: float) -> Callable[[np.ndarray[Any, Any]], None]:
    """Real work for one core, without Python's lock, that takes about that long."""
    scratch = np.zeros(1 << 13, np.float32)
    rounds = max(round(seconds / best(lambda: np.cos(scratch, out=scratch))), 1)

    def work(_: object) -> None:
        mine = np.zeros(1 << 13, np.float32)
        for _ in range(rounds):
            np.cos(mine, out=mine)

    return work


class Seed:
    """The seed's example: prepare 1 ms, compute 5 ms, collect 2 ms, all of it real work.

    The device is the CPU with one worker, so that the host has a core of its own."""

    def __init__(self, batches: int) -> None:
        self.device = Device(CpuBackend(workers=1), "cpu")
        self.batches = batches
        self._data = np.linspace(0.1, 0.9, ELEMENTS, dtype=np.float32)
        self._prepare, self._collect = _host_work(PREPARE), _host_work(COLLECT)
        self._buffer = self.device.buffer(self._data)
        self._out = self.device.empty(ELEMENTS)
        one, many = (best(lambda r=r: self.compute(self._buffer, r)) for r in (1, 33))
        self.rounds = max(round((COMPUTE - one) / ((many - one) / 32)), 1)
        self.compute(self._buffer)

    def prepare(self, number: int) -> np.ndarray[Any, Any]:
        self._prepare(None)
        return self._data.copy()

    def compute(self, buffer: weft.Buffer, rounds: int | None = None) -> Any:
        return self.device.run_kernel(churned, [buffer], self._out, rounds=rounds or self.rounds)

    def collect(self, result: np.ndarray[Any, Any]) -> float:
        self._collect(None)
        return float(result[0])

    def bound(self) -> None:
        """Only the slowest part, one batch after the other."""
        for _ in range(self.batches):
            self.compute(self._buffer)

    def sequential(self) -> list[float]:
        out = []
        for n in range(self.batches):
            buffer = self.device.from_numpy(self.prepare(n))
            out.append(self.collect(self.compute(buffer).to_numpy(copy=None)))
        return out

    def by_hand(self) -> list[float]:
        """What one would write with threads: a pool for each part, three batches under way."""
        with (
            ThreadPoolExecutor(1) as preparing,
            ThreadPoolExecutor(1) as computing,
            ThreadPoolExecutor(1) as collecting,
        ):

            def compute(prepared: Any) -> np.ndarray[Any, Any]:
                buffer = self.device.from_numpy(prepared.result())
                made = self.device.run_kernel(churned, [buffer], rounds=self.rounds)
                return made.to_numpy(copy=None)

            def collect(computed: Any) -> float:
                return self.collect(computed.result())

            under_way: list[Any] = []
            out = []
            for n in range(self.batches):
                if len(under_way) == 3:
                    out.append(under_way.pop(0).result())
                prepared = preparing.submit(self.prepare, n)
                under_way.append(collecting.submit(collect, computing.submit(compute, prepared)))
            return out + [each.result() for each in under_way]

    def stream(self) -> list[float]:
        self.last = weft.stream(
            range(self.batches),
            prepare=self.prepare,
            compute=churned,
            params={"rounds": self.rounds},
            collect=self.collect,
            device=self.device,
        )
        return list(self.last)

    def traced(self) -> list[float]:
        with weft.trace():
            return self.stream()


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
        "traced": example.traced,
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
        Row(
            "cost of a trace that is on",
            Figure((_ratio(times, "traced", "stream") - 1) * 100, "%"),
            (),
            None,
            Bar(2, "%"),
        ),
    ]
    example.device.close()
    return rows


def frames(effort: Effort) -> list[Row]:
    """1080p frames: unpacked, filtered by three kernels, packed; every core in use."""
    count = 12 if effort is QUICK else 60
    rng = np.random.default_rng(1)
    plane = np.cumsum(rng.integers(-2, 3, HD), axis=1).astype(np.uint8)
    packed = zlib.compress(plane.tobytes(), 1)
    device = weft.device("cpu")

    def prepare(data: bytes) -> np.ndarray[Any, Any]:
        return np.frombuffer(bytearray(zlib.decompress(data)), np.uint8).reshape(HD)

    @weft.pipeline
    def filtered(frame: Any) -> Any:
        blurred = weft.run_kernel("gaussian_blur", [frame], radius=3, sigma=1.5)
        return weft.run_kernel("grayscale", [weft.run_kernel("sharpen", [blurred], amount=0.5)])

    def compute(frame: weft.Buffer) -> weft.Command:
        return filtered.submit(frame)

    def collect(grey: np.ndarray[Any, Any]) -> int:
        return len(zlib.compress(grey[:270].tobytes(), 1))

    def sequential() -> list[int]:
        return [
            collect(compute(device.buffer(prepare(packed))).wait().output.to_numpy(copy=None))
            for _ in range(count)
        ]

    def streamed() -> list[int]:
        return list(
            weft.stream(
                [packed] * count,
                prepare=prepare,
                compute=compute,
                collect=collect,
                max_in_flight=6,
                workers=peers.CORES,  # unpacking takes longest, so on every core
                device=device,
            )
        )

    assert sequential() == streamed()
    shares, walls, others = [], [], []
    for _ in range(2 if effort is QUICK else 7):
        used, started = process_time(), perf_counter()
        sequential()
        others.append((perf_counter() - started) / count)
        bound = (process_time() - used) / count / peers.CORES
        started = perf_counter()
        streamed()
        walls.append((perf_counter() - started) / count)
        shares.append(bound / walls[-1])
    note = (
        f"{count} frames of 1920 x 1080 RGB: zlib out, blur, sharpen and grey as one pipeline, "
        "zlib in, with a thread of each kind for each core. The bound is the processor time of the "
        "sequential run over the number of cores."
    )
    return [
        Row(
            "1080p frames, share of the bound of all cores",
            Figure(statistics.median(shares) * 100, "%"),
            (),
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
    device = weft.device("cpu")

    def streamed() -> None:
        for _ in weft.stream([tiny] * count, compute="relu", device=device):
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
    device = weft.device("cpu")
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
    busy = weft.stream(
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
        row for line in (seed, frames, overhead, interactive) for row in line(effort)
    ]
}


def main(arguments: Iterable[str] | None = None) -> int:
    """Measure streams on one device and print a table."""
    parser = argparse.ArgumentParser(prog="python -m bench.streams")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or webgpu")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    options = parser.parse_args(None if arguments is None else list(arguments))
    if options.device == "cpu":
        rows = LINES["streams"](QUICK if options.quick else FULL)
    else:
        from bench.travel import travel  # which times with what is here

        rows = travel(weft.device(options.device))
    print(as_text(rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
