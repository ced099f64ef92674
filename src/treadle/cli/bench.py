"""`treadle bench`: a few headline figures of this machine, beside the peers that are installed.

In: a device and the time for each measurement. Out: a table with bars and ratios, or JSON. Treadle
and its peers take turns in one process and the best of many rounds counts, so that a busy moment
hits all alike; `make bench` in a checkout measures more and records it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np

import treadle
from treadle.cli import peers
from treadle.cli.console import bar, complain, console, table
from treadle.data import dataclass

__all__ = ["bench", "measure"]

Work = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Line:
    """One line: what is measured, Treadle's way of it, the peers', and how to put a time."""

    name: str
    ours: Work
    theirs: dict[str, Work]


def bench(device: str | None, *, seconds: float, as_json: bool) -> int:
    """Measure and print; return the status."""
    try:
        found = treadle.device(device)
    except treadle.TreadleError as error:
        return complain(str(error))
    out = console(stderr=True)
    results = []
    with treadle.use_device(found):
        for line in _lines():
            with out.status(line.name) if not as_json else nullcontext():
                best = measure({"treadle": line.ours, **line.theirs}, seconds)
            results.append((line.name, best))
    if as_json:
        rows = [{"name": name, "seconds": best} for name, best in results]
        print(json.dumps({"device": found.info.name, "lines": rows}, indent=2))
    else:
        _show(results, f"{found.info.name} ({found.info.backend})")
    return 0


def measure(works: dict[str, Work], seconds: float) -> dict[str, float]:
    """Return the best time of each, in turns, for about `seconds` each."""
    best = dict.fromkeys(works, float("inf"))
    for work in works.values():
        work()  # compiled, and its memory touched
    deadline = time.perf_counter() + seconds * len(works)
    rounds = 0
    while rounds < 3 or time.perf_counter() < deadline:
        for name, work in works.items():
            start = time.perf_counter()
            work()
            best[name] = min(best[name], time.perf_counter() - start)
        rounds += 1
    return best


def _lines() -> Iterator[Line]:
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal(4 << 20, np.float32) for _ in range(2))
    yield Line("relu((a + b) * s), 16 MiB f32", _chain(a, b), peers.chain(a, b, 1.5))
    x = rng.standard_normal((4096, 1024), np.float32)
    yield Line("softmax, 4096 x 1024 f32", _kernel("softmax", x), peers.soft(x))
    yield Line("reduce_sum, 16 MiB f32", _kernel("reduce_sum", a), peers.total(a))
    image = rng.integers(0, 256, (1080, 1920, 3), np.uint8)
    yield Line("blur, sharpen, grey, 1080p u8", _frame(image), peers.frame(image))
    small = treadle.buffer(np.ones(1000, np.float32))
    out = treadle.empty(1000)
    sums = {"numpy": lambda: np.add(a[:1000], b[:1000])}
    yield Line("one small kernel, 1,000 f32", lambda: treadle.add(small, small, out), sums)


def _chain(a: Any, b: Any) -> Work:
    @treadle.pointwise(name="_bench_chain")
    def scaled(x, y, *, s=1.0):  # type: ignore[no-untyped-def]
        return max((x + y) * s, 0.0)

    inputs = [treadle.buffer(a), treadle.buffer(b)]
    out = treadle.empty(a.shape)
    return lambda: treadle.run_kernel(scaled, inputs, out, s=1.5)


def _kernel(name: str, x: Any) -> Work:
    given = treadle.buffer(x)
    out = treadle.run_kernel(name, [given])
    return lambda: treadle.run_kernel(name, [given], out)


def _frame(image: Any) -> Work:
    picture = treadle.buffer(image)
    blurred, sharp = treadle.empty(image.shape, treadle.u8), treadle.empty(image.shape, treadle.u8)
    grey = treadle.empty(image.shape[:2], treadle.u8)

    def work() -> None:
        treadle.submit("gaussian_blur", [picture], blurred, radius=3, sigma=1.5)
        treadle.submit("sharpen", [blurred], sharp, amount=0.5)
        treadle.submit("grayscale", [sharp], grey).wait()

    return work


_OTHERS = 42  # columns of a terminal that all but the name and the bar take


def _show(results: list[tuple[str, dict[str, float]]], device: str) -> None:
    from rich.text import Text

    out = console()
    out.print(Text.assemble(("treadle bench", "bold"), f" {treadle.__version__} on {device}"))
    columns = ("what", "who", "time", "", "Treadle is")
    rows = table(*columns, right=("time",), fixed=columns)
    names = max(len(name) for name, _ in results)
    length = max(min(out.width - names - _OTHERS, 16), 4)
    for name, best in results:
        longest = max(best.values())
        for who, seconds in best.items():
            ours = who == "treadle"
            drawn = Text(bar(seconds / longest, length), style="green" if ours else "blue")
            ratio = "" if ours else _ratio(seconds / best["treadle"])
            rows.add_row(Text(name if ours else ""), who, _time(seconds), drawn, ratio)
        rows.add_section()
    out.print(rows)
    out.print("shorter bars are better; the best of many rounds, taken in turns", style="dim")


def _ratio(ratio: float) -> str:
    return f"{ratio:.1f}x faster" if ratio >= 1 else f"{1 / ratio:.1f}x slower"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us"
