"""`python -m bench.cuda`: the lines that need an NVIDIA GPU.

In: command line options. Out: a table, and on request a recorded page. Floors are bytes over the
bandwidth of a device copy that is measured in the same run. What peers there are (CuPy's cuBLAS,
torch) run in the same process, in turn.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import platform
import queue
import statistics
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import treadle
from bench.cuda_pipelines import pipelines
from bench.machine import date
from bench.table import Bar, Figure, Row, as_markdown, as_text
from bench.timing import quantile
from treadle.backends.cuda import CudaBackend
from treadle.runtime.device import Device

RESULTS = Path(__file__).parent / "results"
MILLION = 1 << 20
SMALL = 1000
PRODUCTS = 20  # in a row: noticing the end of the last takes up to 1 ms, which is not their time


@treadle.pointwise
def chain(a, b):
    x = a + b
    x = (x if x > 0 else 0.0) * b
    return 2.5 / (1.0 + exp(-x))  # noqa: F821


def per_call(
    device: Device, submit: Callable[[], treadle.Command], calls: int, rounds: int = 5
) -> float:
    """Seconds for one of many submits in a row, the device kept busy; the median of rounds."""
    for _ in range(3):
        submit().wait()
    times = []
    for _ in range(rounds):
        started = perf_counter()
        for _ in range(calls):
            submit()
        device.synchronize()
        times.append((perf_counter() - started) / calls)
    return statistics.median(times)


def _noise(device: Device, shape: tuple[int, ...]) -> treadle.Buffer:
    import cupy

    values = cupy.random.default_rng(7).standard_normal(shape, dtype=cupy.float32)
    cupy.cuda.get_current_stream().synchronize()
    return device.from_dlpack(values)


def _ms(seconds: float) -> Figure:
    return Figure(seconds * 1e3, "ms")


def copied(device: Device) -> tuple[Row, float]:
    """Bytes per second of a device copy, read and written ones counted."""
    source = _noise(device, (256 * MILLION,))
    target = device.empty(source.shape)
    spec = {"op": "copy_buffer", "input": source, "output": target}
    seconds = per_call(device, lambda: device.submit(spec), 20)
    rate = 2 * source.size / seconds
    return Row("device copy, 1 GiB", Figure(rate / 1e12, "TB/s")), rate


def bandwidth(device: Device, rate: float) -> list[Row]:
    """Kernels that move bytes, against the time that the bytes alone take."""
    rows = []

    def line(
        what: str, nbytes: int, bar: float, submit: Callable[[], treadle.Command], calls: int
    ) -> None:
        seconds, floor = per_call(device, submit, calls), nbytes / rate
        shown = (("floor", _ms(floor)),)
        limit = Bar(bar, least=True, ratio=True)
        rows.append(Row(what, _ms(seconds), shown, floor / seconds, limit))

    a, b = (_noise(device, (64 * MILLION,)) for _ in range(2))
    out = device.empty(a.shape)
    line("sigmoid(relu(a+b)*b)*2.5, 64M f32", 3 * a.size, 0.9,
         lambda: device.submit(chain, [a, b], out), 50)  # fmt: skip
    x = _noise(device, (65536, 1024))
    y = device.empty(x.shape)
    line("softmax, 65536x1024 f32", 2 * x.size, 0.85,
         lambda: device.submit("softmax", [x], y), 50)  # fmt: skip
    long = _noise(device, (256 * MILLION,))
    total = device.empty(())
    line("reduce_sum, 256M f32", long.size, 0.9,
         lambda: device.submit("reduce_sum", [long], total), 50)  # fmt: skip
    return rows


def products(device: Device) -> list[Row]:
    """matmul beside cuBLAS called directly."""
    import torch

    rows = []
    n = 8192
    for tf32 in (False, True):
        on = Device(CudaBackend(tf32=True), "cuda") if tf32 else device
        a, b = (_noise(on, (n, n)) for _ in range(2))
        out = on.empty((n, n))
        torch.backends.cuda.matmul.allow_tf32 = tf32
        left, right, result = (torch.from_dlpack(x) for x in (a, b, out))

        def peer(left: Any = left, right: Any = right, result: Any = result) -> float:
            torch.cuda.synchronize()
            started = perf_counter()
            for _ in range(PRODUCTS):
                torch.matmul(left, right, out=result)
            torch.cuda.synchronize()
            return (perf_counter() - started) / PRODUCTS

        peer()
        theirs, ours = [], []
        for _ in range(5):
            theirs.append(peer())
            ours.append(per_call(on, partial(on.submit, "matmul", [a, b], out), PRODUCTS, 1))
        mine, other = statistics.median(ours), statistics.median(theirs)
        flops = 2 * n**3 / 1e12
        rows.append(
            Row(
                f"matmul {n} cubed, {'tf32' if tf32 else 'f32'}",
                Figure(flops / mine, "TFLOP/s"),
                (("torch, cuBLAS", Figure(flops / other, "TFLOP/s")),),
                other / mine,
                Bar(0.97, least=True, ratio=True),
            )
        )
        if tf32:
            on.close()
    return rows


def latency(device: Device) -> list[Row]:
    """A small kernel: submitted, waited for, awaited; in turn, because hosts have slow moments."""
    a, b, c = (device.buffer(np.arange(SMALL, dtype=np.float32)) for _ in range(3))
    device.run_kernel("elementwise_add", [a, b], c)
    alone: list[float] = []
    waited: list[float] = []
    burst: list[float] = []

    def submit() -> treadle.Command:
        return device.submit("elementwise_add", [a, b], c)

    def synchronously() -> None:
        for _ in range(300):
            started = perf_counter()
            command = submit()
            alone.append(perf_counter() - started)
            command.wait()
            waited.append(perf_counter() - started)
        for _ in range(5):
            started = perf_counter()
            for _ in range(100):
                submit()
            burst.append((perf_counter() - started) / 100)
            device.synchronize()

    async def many(samples: list[float]) -> None:
        for k in range(330):
            started = perf_counter()
            await submit()
            if k >= 30:
                samples.append(perf_counter() - started)

    loops: dict[str, Callable[[Any], None]] = {"asyncio": asyncio.run}
    try:
        import uvloop
    except ImportError:
        pass
    else:
        loops["uvloop"] = uvloop.run
    awaited: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(20):
        synchronously()
        for name, run in loops.items():
            run(many(awaited[name]))

    def us(value: float) -> Figure:
        return Figure(value * 1e6, "us")

    def row(what: str, samples: list[float], bar: Bar | None) -> Row:
        shown = (("p99", us(quantile(samples, 0.99))),)
        return Row(what, us(statistics.median(samples)), shown, bar=bar)

    rows = [
        row("submit alone, 1,000 f32", alone, Bar(12, "us")),
        row("submit, 100 in a row", burst, Bar(12, "us")),
        row("submit and wait", waited, None),
    ]
    for name, samples in awaited.items():
        rows.append(row(f"submit and await, {name}", samples, Bar(25, "us")))
        worst = quantile(samples, 0.99)
        rows.append(Row(f"its 99th percentile, {name}", us(worst), bar=Bar(60, "us")))
    return rows


def staged(device: Device) -> list[Row]:
    """Ordinary host memory to the GPU and back, beside pinned memory."""
    import cupyx

    nbytes = 256 << 20
    plain = np.random.default_rng(5).integers(0, 256, nbytes, dtype=np.uint8)
    pinned = cupyx.empty_pinned((nbytes,), np.uint8)
    pinned[:] = plain
    memory, backend = device.empty((nbytes,), "u8"), device.backend
    place = memory._region()

    def rate(copy: Callable[[Any, Any], None], array: Callable[[], Any]) -> Figure:
        times = []
        for _ in range(8):
            host = array()
            started = perf_counter()
            copy(place, host)
            times.append(perf_counter() - started)
        return Figure(nbytes / statistics.median(times[1:]) / 1e9, "GB/s")

    def row(what: str, copy: Callable[[Any, Any], None], array: Callable[[], Any]) -> Row:
        shown = (("pinned", rate(copy, lambda: pinned)),)
        return Row(what, rate(copy, array), shown)

    out = np.zeros(nbytes, np.uint8)
    rows = [
        row("256 MiB of ordinary memory, in", backend.write, lambda: plain),
        row("256 MiB, out into memory in use", backend.read, lambda: out),
        row("256 MiB, out into new memory", backend.read, lambda: np.empty(nbytes, np.uint8)),
    ]
    np.testing.assert_array_equal(out, plain)
    return rows


SETS = 6  # of buffers, so that both directions always have the next copy waiting


def overlapped(device: Device) -> list[Row]:
    """64 MB batches in, computed, out again, two threads for each direction."""
    import cupyx

    count, batches = 16 * MILLION, 120
    host_in = [cupyx.empty_pinned((count,), np.float32) for _ in range(SETS)]
    host_out = [cupyx.empty_pinned((count,), np.float32) for _ in range(SETS)]
    for array in host_in:
        array[:] = np.random.default_rng(3).standard_normal(count, np.float32)
    ins = [device.empty((count,)) for _ in range(SETS)]
    outs = [device.empty((count,)) for _ in range(SETS)]
    device.run_kernel(chain, [ins[0], ins[0]], outs[0])
    backend = device.backend

    def feed(i: int) -> None:
        ins[i].write(host_in[i])

    def compute(i: int) -> treadle.Command:
        return device.submit(chain, [ins[i], ins[i]], outs[i])

    def fetch(i: int) -> None:
        backend.read(outs[i]._region(), host_out[i])

    def timed(*lines: Callable[[int], object]) -> float:
        """Seconds for a batch of something, two threads for each line."""

        def many(work: Callable[[int], object], first: int) -> None:
            for i in range(first, batches, 2):
                work(i % SETS)

        threads = [threading.Thread(target=many, args=(w, k)) for w in lines for k in (0, 1)]
        return _together(threads, device) / batches

    parts = {"h2d": timed(feed), "d2h": timed(fetch), "compute": timed(compute)}
    both = timed(feed, fetch)
    computed: queue.Queue[tuple[int, treadle.Command]] = queue.Queue()
    free: queue.Queue[int] = queue.Queue()
    for i in range(SETS):
        free.put(i)

    def forward() -> None:
        for _ in range(batches // 2):
            i = free.get()
            feed(i)
            computed.put((i, compute(i)))

    def back() -> None:
        for _ in range(batches // 2):
            i, command = computed.get()
            command.wait()
            fetch(i)
            free.put(i)

    threads = [threading.Thread(target=target) for target in (forward, back) * 2]
    seconds = _together(threads, device) / batches
    for i in range(SETS):
        np.testing.assert_allclose(host_out[i][:9], _expected(host_in[i][:9]), rtol=1e-5)
    bound = max(*parts.values(), both)
    shown = (*((name, _ms(value)) for name, value in parts.items()), ("both ways", _ms(both)))
    limit = Bar(0.95, least=True, ratio=True)
    note = (
        "The ratio is the slowest part over the whole; copies in both directions at once, which "
        "share the bus, count as a part."
    )
    what = f"64 MB in, computed, out; pinned, {SETS} sets"
    return [Row(what, _ms(seconds), shown, bound / seconds, limit, note)]


def _expected(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return 2.5 / (1 + np.exp(-np.maximum(x + x, 0) * x))


def _together(threads: Sequence[threading.Thread], device: Device) -> float:
    started = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    device.synchronize()
    return perf_counter() - started


def facts(device: Device) -> dict[str, str]:
    """Where and with what the figures were taken."""
    info = device.info
    found = {
        "machine": f"{info.name}, {info.compute_units} multiprocessors, "
        f"{info.memory / 2**30:.0f} GiB",
        "driver": info.driver,
        "python": platform.python_version(),
        "treadle": treadle.version(),
    }
    for name in ("numpy", "cupy-cuda13x", "cupy-cuda12x", "torch", "uvloop"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found | {"date": date()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure everything and print one table."""
    parser = argparse.ArgumentParser(prog="python -m bench.cuda")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write a page there")
    options = parser.parse_args(arguments)
    device = treadle.device("cuda")
    first, rate = copied(device)
    rows = [first]
    for measure in (
        lambda: bandwidth(device, rate),
        lambda: pipelines(device, rate),
        lambda: products(device),
        lambda: latency(device),
        lambda: staged(device),
        lambda: overlapped(device),
    ):
        try:
            rows += measure()
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
    listed = "\n".join(f"- {name}: {value}" for name, value in facts(device).items())
    print(listed, as_text(rows), sep="\n\n")
    if options.record:
        head = f"# {date()}, {device.info.name}\n\n{listed}\n- command: `python -m bench.cuda`\n\n"
        options.record.write_text(head + as_markdown(rows) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
