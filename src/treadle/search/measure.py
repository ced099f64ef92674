"""Distances in f64, to the last bit as NumPy adds them up.

In: vectors, queries, and which row is measured against which query. Out: distances, smaller ones
nearer (an inner product with its sign turned). NumPy adds a row in halves of halves of at most 128,
each in eight partial sums; `cuts_of` says where the halves begin, so that a device computes those
parts, and `combined` adds them in the same order. Knows no devices.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from treadle.search.filed_rows import Rows

__all__ = ["combined", "cuts_of", "distances_of", "joins_of", "measured_here", "norms"]

Array = np.ndarray[Any, Any]

_LEAF = 128  # elements that NumPy adds without halving
_HELD = 1 << 15  # elements that are measured at a time on the host, in cache


def _half(n: int) -> int:
    half = n // 2
    return half - half % 8


def _starts(n: int, start: int) -> list[int]:
    if n <= _LEAF:
        return [start]
    half = _half(n)
    return _starts(half, start) + _starts(n - half, start + half)


@lru_cache(maxsize=64)
def _cuts(dim: int) -> tuple[int, ...]:
    return (*_starts(dim, 0), dim)


def cuts_of(dim: int) -> Array:
    """Where the parts of a sum over `dim` elements begin, and the end of the last."""
    return np.array(_cuts(dim), np.int32)


def joins_of(dim: int) -> Array:
    """How often, after each part, the last two sums become one."""
    found: list[int] = []

    def add(n: int) -> None:
        if n <= _LEAF:
            found.append(0)
            return
        add(_half(n))
        add(n - _half(n))
        found[-1] += 1

    add(dim)
    return np.array(found, np.int32)


def combined(parts: Array, dim: int) -> Array:
    """Add parts, [n, parts], as halves of halves."""

    def total(n: int, first: int) -> tuple[Array, int]:
        if n <= _LEAF:
            return parts[:, first], first + 1
        half = _half(n)
        left, middle = total(half, first)
        right, last = total(n - half, middle)
        return left + right, last

    return total(dim, 0)[0]


def norms(vectors: Array) -> Array:
    """The length of each vector, in f64."""
    exact = vectors.astype(np.float64)
    found: Array = np.sqrt((exact * exact).sum(axis=1))
    return found


def distances_of(
    sums: Array, vectors: Rows, queries: Array, owners: Array, rows: Array, metric: str
) -> Array:
    """Turn sums over dimensions into what is compared."""
    if metric == "l2":
        return np.sqrt(sums)
    if metric == "dot":
        return -sums
    if metric == "cosine":
        own = norms(queries)[owners]
        others = np.empty(len(rows))
        each = max(_HELD // max(vectors.shape[1], 1), 1)
        for first in range(0, len(rows), each):
            others[first : first + each] = norms(vectors[rows[first : first + each]])
        both = own * others
        similar = np.divide(sums, both, out=np.zeros(len(rows)), where=both > 0)
        return 1.0 - similar
    return sums


def measured_here(vectors: Rows, queries: Array, owners: Array, rows: Array, metric: str) -> Array:
    """Measure rows on the host."""
    sums = np.empty(len(rows))
    each = max(_HELD // max(vectors.shape[1], 1), 1)
    asked = queries if metric == "hamming" else queries.astype(np.float64)
    for first in range(0, len(rows), each):
        part = slice(first, first + each)
        x, q = vectors[rows[part]], asked[0] if len(asked) == 1 else asked[owners[part]]
        if metric == "hamming":
            sums[part] = np.bitwise_count(x ^ q).sum(axis=1)
            continue
        terms = x.astype(np.float64)  # what follows is computed in place: it stays in cache
        if metric in ("dot", "cosine"):
            np.multiply(q, terms, out=terms)
        else:
            np.subtract(q, terms, out=terms)
            if metric == "l2":
                np.multiply(terms, terms, out=terms)
            else:
                np.abs(terms, out=terms)
        terms.sum(axis=1, out=sums[part])
    return distances_of(sums, vectors, queries, owners, rows, metric)
