"""What a new kernel costs: compiled for the first time, and found in the disk cache.

In: an effort. Out: rows. A child process with a cache directory of its own imports a file of
kernels that differ in their constants, runs one of them so that imports are paid, and times the
others from submit to done. A second child does the same with the directory that the first filled.
"""

from __future__ import annotations

import importlib.util
import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from bench import peers
from bench.fresh import run_module
from bench.table import Bar, Figure, Row
from bench.timing import Effort, quantile

__all__ = ["LINES"]

KERNELS = 13  # the first one warms up
TEXT = """
@treadle.pointwise
def kernel_{number}(a, b):
    t = a * {first} + b * {second}
    return t if t > {third} else {third} * t
"""


def _source() -> str:
    """Kernels that nobody has compiled before: a fresh cache has none, and no two are alike."""
    bodies = (
        TEXT.format(number=n, first=1.0 + n / 64, second=2.0 - n / 64, third=n / 128)
        for n in range(1, KERNELS + 1)
    )
    return "import treadle\n" + "".join(bodies)


def _load(path: str) -> list[Any]:
    spec = importlib.util.spec_from_file_location("fresh_kernels", path)
    if spec is None or spec.loader is None:
        raise RuntimeError("the file of kernels cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return [getattr(module, f"kernel_{number}") for number in range(1, KERNELS + 1)]


def child(path: str) -> list[float]:
    """Seconds from submit to done of each kernel but the first."""
    import treadle

    a, b, c = treadle.buffer_zeros(1000), treadle.buffer_zeros(1000), treadle.empty(1000)
    seconds = []
    for kernel in _load(path):
        started = perf_counter()
        treadle.submit(kernel, [a, b], c).wait()
        seconds.append(perf_counter() - started)
    return seconds[1:]


def _with_numba() -> list[float]:
    """The same, compiled by Numba."""
    numba = peers.numba()
    a = np.zeros(1000, np.float32)
    seconds = []
    for number in range(5):

        def fused(a: Any, b: Any, out: Any, k: float = number / 128) -> None:
            for i in range(a.size):
                t = a[i] * k + b[i]
                out[i] = t if t > k else k * t

        started = perf_counter()
        numba.njit(fused)(a, a, a.copy())
        seconds.append(perf_counter() - started)
    return seconds[1:]


def compiled(effort: Effort) -> list[Row]:
    """A small kernel, first without and then with a filled cache."""
    first: list[float] = []
    again: list[float] = []
    for _ in range(max(effort.processes // 3, 1)):
        with tempfile.TemporaryDirectory(prefix="treadle-bench-") as folder:
            file = Path(folder, "fresh_kernels.py")
            file.write_text(_source(), encoding="utf-8")
            for seconds in (first, again):
                cache = str(Path(folder, "cache"))
                seconds += run_module("bench.compile", [str(file)], TREADLE_CACHE=cache)
    beside: tuple[tuple[str, Figure], ...] = ()
    if peers.numba() is not None:
        beside = (("numba", _ms(statistics.median(_with_numba()))),)
    note = "From submit to done, lowering and running included; LLVM is loaded already."
    median = statistics.median(first)
    return [
        Row(
            "first compile of a small kernel",
            _ms(median),
            (*beside, ("slowest", _ms(max(first)))),
            beside[0][1].value / 1e3 / median if beside else None,
            Bar(40, "ms"),
            note,
            headline=True,
        ),
        Row(
            "the same from the disk cache, in a new process",
            _ms(statistics.median(again)),
            (("slowest", _ms(quantile(again, 1.0))),),
            bar=Bar(3, "ms"),
            note=note,
            headline=True,
        ),
    ]


def _ms(seconds: float) -> Figure:
    return Figure(seconds * 1e3, "ms")


LINES: dict[str, Callable[[Effort], list[Row]]] = {"compile": compiled}

if __name__ == "__main__":
    print(json.dumps(child(sys.argv[1])))
