"""What `import treadle` costs beside `import numpy`, which it needs.

In: an effort. Out: rows. Each import is timed in interpreters of its own.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable

from bench.fresh import run_code
from bench.table import Bar, Figure, Row
from bench.timing import Effort

__all__ = ["LINES"]

CODE = "from time import perf_counter as t; s = t(); import {name}; print(t() - s)"


def imports(effort: Effort) -> list[Row]:
    """`import treadle` against `import numpy`."""
    seconds: dict[str, list[float]] = {"treadle": [], "numpy": []}
    with tempfile.TemporaryDirectory(prefix="treadle-bench-") as folder:
        # Both find their bytecode in the same place, whatever the environment says about it.
        cached = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        for name in seconds:
            run_code(CODE.format(name=name), **cached)
        for _ in range(effort.processes):
            for name, samples in seconds.items():
                samples.append(run_code(CODE.format(name=name), **cached))
    ours, numpy = (statistics.median(samples) for samples in seconds.values())
    return [
        Row(
            "import treadle, as a multiple of import numpy",
            Figure(ours / numpy, "x"),
            (("treadle", Figure(ours * 1e3, "ms")), ("numpy", Figure(numpy * 1e3, "ms"))),
            bar=Bar(1.4, "x"),
        )
    ]


LINES: dict[str, Callable[[Effort], list[Row]]] = {"import": imports}
