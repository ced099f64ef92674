"""Exact search over data that bytes bound badly, beside plain brute force with NumPy.

In: an effort. Out: a row for each kind of data and number of queries. The bar is that nobody is
worse off for the bytes: at most a tenth slower than a product of matrices and a partition, which
reads every float. Memory of what pruned badly is part of what is measured: the first searches of
each kind, which find out, are not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import treadle
from bench.search import numpy_search
from bench.table import Bar, Figure, Row
from bench.timing import Effort, medians
from treadle.search.nearest import nearest
from treadle.search.table import Table

__all__ = ["KINDS", "LINES"]

ROWS, DIM, NEAREST = 100_000, 128, 10
COUNTS = (1, 64)
Array = np.ndarray[Any, Any]


def _duplicates(rng: np.random.Generator, rows: Array) -> Array:
    return rows[rng.integers(0, 50, len(rows))]


def _outliers(rng: np.random.Generator, rows: Array) -> Array:
    rows[:, 3] *= 1e5
    return rows


def _each_outlier(rng: np.random.Generator, rows: Array) -> Array:
    rows[np.arange(len(rows)), rng.integers(0, rows.shape[1], len(rows))] *= 1e4
    return rows


def _huge(rng: np.random.Generator, rows: Array) -> Array:
    rows[5] *= 1e25
    return rows


def _later(rng: np.random.Generator, rows: Array) -> Array:
    rows[len(rows) // 10 :] += 1000.0  # rows that fix the mean lie elsewhere
    return rows


def _small_first(rng: np.random.Generator, rows: Array) -> Array:
    rows[: len(rows) // 10] *= 1e-20
    return rows


KINDS: dict[str, Callable[[np.random.Generator, Array], Array]] = {
    "all the same": lambda rng, rows: np.broadcast_to(rows[0], rows.shape).copy(),
    "fifty vectors": _duplicates,
    "zeros and ones": lambda rng, rows: (rows > 0).astype(np.float32),
    "a tiny spread": lambda rng, rows: 1.0 + rows * np.float32(1e-6),
    "one coordinate outweighs": _outliers,
    "one coordinate of each outweighs": _each_outlier,
    "one huge vector": _huge,
    "those added later lie elsewhere": _later,
    "those added later are larger": _small_first,
}


def awkward(effort: Effort) -> list[Row]:
    """Data on which bounds rule out little."""
    found = []
    for name, make in KINDS.items():
        rng = np.random.default_rng(0)
        rows = make(rng, rng.standard_normal((ROWS, DIM), np.float32))
        queries = rows[rng.integers(0, ROWS, COUNTS[-1])]
        noise = rng.standard_normal(queries.shape, np.float32) * np.float32(0.1)
        queries = queries + noise * np.median(np.abs(queries))
        table = Table(DIM, "l2", "f32", treadle.device())
        table.append(rows[: ROWS // 10])
        table.append(rows[ROWS // 10 :])
        view, plain = table.view(), numpy_search(rows)
        for count in COUNTS:
            asked = queries[:count]
            calls = {
                "treadle": partial(nearest, view, asked, NEAREST),
                "numpy": partial(plain, asked),
            }
            times = medians(calls, max(effort.repeats // 6, 1), warmup=2)
            found.append(
                Row(
                    f"{name}, {count} quer{'y' if count == 1 else 'ies'}",
                    Figure(times["treadle"] * 1e3, "ms"),
                    (("numpy", Figure(times["numpy"] * 1e3, "ms")),),
                    times["numpy"] / times["treadle"],
                    Bar(0.9, "x", least=True, ratio=True),
                )
            )
    return found


LINES: dict[str, Callable[[Effort], list[Row]]] = {"awkward": awkward}
