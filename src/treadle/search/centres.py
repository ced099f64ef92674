"""Centres of lists: k-means over a sample, and which of them vectors are near.

In: vectors, and how many centres are wanted, or the centres that a file has. Out: the nearest
centre of each row, and how far each is from a query, in f32. Vectors are moved to where the centres
lie and counted in units of their size, so that neither huge nor tiny numbers leave what f32 holds;
what is further than that is taken for as far. Nothing here is exact, and nothing has to be.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.search.centring import middle_of, normalised, power_of_two, unit_of
from treadle.search.filed_rows import Rows
from treadle.search.table import Metric

__all__ = ["Centres"]

Array = np.ndarray[Any, Any]

_ROUNDS = 10  # of k-means
_EACH = 64  # rows of the sample for each centre
_SHOWN = 4096  # of them tell where vectors lie
_AT_ONCE = 1 << 23  # products of rows and centres that are held at a time
_FURTHEST = 2.0**50  # units: squares of it, added up over all dimensions, are numbers of f32
_LARGEST = float(np.finfo(np.float32).max)


class Centres:
    """Where lists lie."""

    def __init__(self, filed: Array, metric: str) -> None:
        self.filed = filed  # f32 [lists, dim], as a file keeps them
        self._space = _Space(filed.astype(np.float64), metric)
        self._placed = self._space.placed(filed.astype(np.float64))
        self._squares = _squares(self._placed)

    @classmethod
    def of(cls, vectors: Rows, rows: int, count: int, metric: str, seed: int) -> Centres:
        """So many centres of the first rows; one that nothing is near to takes half of a crowd."""
        rng = np.random.default_rng(seed)
        picked = np.sort(rng.choice(rows, min(rows, count * _EACH), replace=False))
        shown = _exact(vectors[picked[:: -(-len(picked) // _SHOWN)]], metric)
        space = _Space(shown, metric)
        sample = space.rows(vectors[picked])
        centres = sample[rng.choice(len(sample), count, replace=False)].copy()
        for _ in range(_ROUNDS):
            owners = _nearest(sample, centres, _squares(centres))
            counts = np.bincount(owners, minlength=count)
            order = np.argsort(owners, kind="stable")
            filled = np.flatnonzero(counts)
            starts = (np.cumsum(counts) - counts)[filled]
            centres[filled] = np.add.reduceat(sample[order], starts) / counts[filled, None]
            empty = np.flatnonzero(counts == 0)
            crowds = np.argsort(-counts, kind="stable")[: len(empty)]
            spread = sample.std(axis=0) * 0.01
            centres[empty] = centres[crowds] + spread * rng.standard_normal(spread.shape)
        return cls(space.filed(centres), metric)

    def __len__(self) -> int:
        return len(self.filed)

    def owners(self, vectors: Rows, first: int, last: int) -> Array:
        """The nearest centre of each row from one to below another."""
        step = max(1, _AT_ONCE // self.filed.shape[1])
        parts = [
            _nearest(
                self._space.rows(vectors[start : min(start + step, last)]),
                self._placed,
                self._squares,
            )
            for start in range(first, last, step)
        ]
        return np.concatenate(parts)

    def scores(self, queries: Array) -> Array:
        """How far each centre is from each query; smaller is nearer."""
        found: Array = self._space.queries(queries) @ self._placed.T
        found *= -2 if self._space.metric == Metric.L2 else -1
        if self._space.metric == Metric.L2:
            found += self._squares
        return found


class _Space:
    """Where vectors lie and how large they are; only differences do not depend on where."""

    def __init__(self, shown: Array, metric: str) -> None:
        self.metric = metric
        self._middle: Array | float = middle_of(shown) if metric == Metric.L2 else 0.0
        self._unit = 1.0 if metric == Metric.COSINE else unit_of(shown - self._middle)
        self._per = 1.0 / self._unit  # both are powers of two

    def placed(self, exact: Array) -> Array:
        """Vectors (f64, or of l2 any) in units from the middle."""
        found = exact - self._middle
        found *= self._per
        np.minimum(found, _FURTHEST, out=found)
        np.maximum(found, -_FURTHEST, out=found)
        return found.astype(np.float32)

    def rows(self, vectors: Array) -> Array:
        """Rows as they are compared with centres."""
        return self.placed(_exact(vectors, self.metric))

    def queries(self, vectors: Array) -> Array:
        """Queries as they are compared with centres; of products the length does not matter."""
        if self.metric == Metric.L2:
            return self.placed(vectors)
        exact = vectors.astype(np.float64)
        scale = power_of_two(np.abs(exact).max(axis=1, initial=0.0))
        return (exact / scale[:, None]).astype(np.float32)

    def filed(self, placed: Array) -> Array:
        """Centres as a file keeps them: as large as vectors are, and where they are."""
        raw = placed.astype(np.float64) * self._unit + self._middle
        return raw.clip(-_LARGEST, _LARGEST).astype(np.float32)


def _exact(vectors: Array, metric: str) -> Array:
    exact: Array = vectors.astype(np.float64)
    return normalised(exact) if metric == Metric.COSINE else exact


def _squares(vectors: Array) -> Array:
    found: Array = np.einsum("ij,ij->i", vectors, vectors)
    return found


def _nearest(vectors: Array, centres: Array, squares: Array) -> Array:
    step = max(1, _AT_ONCE // len(centres))
    found = np.empty(len(vectors), np.int32)
    for start in range(0, len(vectors), step):
        part = slice(start, start + step)
        score = vectors[part] @ centres.T
        score *= -2
        score += squares
        found[part] = score.argmin(axis=1)
    return found
