"""Brute force in f64 with NumPy, and the byte scan's arithmetic in NumPy: what search is compared
with."""

from __future__ import annotations

import numpy as np


def distances(vectors, queries, metric):
    """What is compared, [queries, rows]: smaller is nearer."""
    if metric == "hamming":
        return np.array([np.bitwise_count(vectors ^ q).sum(axis=1) for q in queries], np.float64)
    x, exact = vectors.astype(np.float64), queries.astype(np.float64)
    return np.array([_of_one(x, q, metric) for q in exact]).reshape(len(exact), len(x))


def _of_one(x, q, metric):
    if metric == "l2":
        return np.sqrt(np.square(q - x).sum(axis=1))
    if metric == "l1":
        return np.abs(q - x).sum(axis=1)
    product = (q * x).sum(axis=1)
    if metric == "dot":
        return -product
    both = np.sqrt((q * q).sum()) * np.sqrt((x * x).sum(axis=1))
    return 1.0 - np.divide(product, both, out=np.zeros(len(x)), where=both > 0)


def nearest(vectors, queries, k, metric, alive=None):
    """Distances and rows of the k nearest, of equal ones the lowest rows."""
    found = distances(vectors, queries, metric)
    rows = np.arange(len(vectors)) if alive is None else np.flatnonzero(alive)
    order = np.argsort(found[:, rows], axis=1, kind="stable")[:, :k]
    return np.take_along_axis(found[:, rows], order, 1), rows[order]


def words(alive):
    """Conditions of rows as bits in words of 32."""
    padded = np.zeros(-(-len(alive) // 32) * 32, bool)
    padded[: len(alive)] = alive
    return np.packbits(padded, bitorder="little").view("<u4").astype(np.uint32)


def bounds(codes, numbers, queries, facts):
    """Lower and upper bounds of every row for every query, by f32 arithmetic."""
    blocks, count, _ = codes.shape
    x = codes.view(np.uint8).reshape(blocks, count, 16, 4).transpose(0, 2, 1, 3)
    x = x.reshape(blocks * 16, count * 4).astype(np.int64)
    q = queries.view(np.int8).reshape(len(queries), -1).astype(np.int64)
    whole = (q @ x.T - 128 * facts[:, 3:].astype(np.int64)).astype(np.int32)
    scale, square, rest, length = (numbers[:, i].reshape(1, -1) for i in range(4))
    with np.errstate(all="ignore"):
        product = (whole.astype(np.float32) * scale) * facts[:, :1]
        error = facts[:, 1:2] * rest + facts[:, 2:3] * length
        less, more = np.float32(1 - 2.0**-20), np.float32(1 + 2.0**-20)
        two = np.float32(2)
        return square * less - two * (product + error), square * more - two * (product - error)


def reach(low, high, live):
    """What one scan that keeps every bound gives: of groups the best upper and the least lower
    bound, then the lower ones of all rows; NaN where nothing is alive."""
    count, none = len(low), np.float32(np.inf)
    low = np.where(np.isnan(low), -none, low)
    best = np.where(live & ~np.isnan(high), high, none).reshape(count, -1, 32).min(axis=2)
    least = np.where(live, low, none).reshape(count, -1, 32).min(axis=2)
    least[:, ~live.reshape(-1, 32).any(axis=1)] = np.nan
    return np.concatenate([best, least, np.where(live, low, np.float32(np.nan))], axis=1)
