"""Rows that are the same, number for number: where thousands tie, few of them need be measured.

In: a view of which bounds ruled out little, and rows of it. Out: of each set of rows that are the
same the first few, as many as are wanted at all. Their distances are the same to the last bit, and
of equal distances the lowest rows count, or the lowest ids, so that no other row of the set can be
in an answer. Rows are told apart by a hash, and those that look the same are compared. Knows no
distances.
"""

from __future__ import annotations

import numpy as np

from treadle.search.series import Array
from treadle.search.table import View

__all__ = ["first_of_alike"]

_TRIED = 1024  # rows that are looked at first
_WORTH = 0.75  # of them, if there are fewer different ones, all are looked at
_HELD = 1 << 20  # bytes that are looked at a time


def first_of_alike(view: View, rows: Array, wanted: int, ids: Array | None = None) -> Array:
    """Of some rows, which ascend, those that are not preceded by `wanted` others like them: by
    their ids, if they are given."""
    if len(rows) <= wanted or not _has_many(view):
        return rows
    same = view.memo.get(__name__)
    if same is None:
        same = view.memo[__name__] = _first_like(view)
    every = ids is None and len(rows) == view.count
    found: Array
    before, found = view.memo.get(f"{__name__}.rows", (0, rows))
    if every and before == wanted:
        return found
    likes = same[rows]
    order = np.argsort(likes, kind="stable") if ids is None else np.lexsort((ids[rows], likes))
    sorted_likes = likes[order]
    place = np.arange(len(rows)) - np.searchsorted(sorted_likes, sorted_likes)
    found = rows[np.sort(order[place < wanted])]
    if every:  # one that wants as many needs not look again
        view.memo[f"{__name__}.rows"] = wanted, found
    return found


def _has_many(view: View) -> bool:
    """Whether a sample has many rows that are the same."""
    known = f"{__name__}.many"
    if known not in view.memo:
        sample = np.linspace(0, view.count - 1, min(_TRIED, view.count)).astype(np.int64)
        different = len(np.unique(_hashes(_bytes(view, sample))))
        view.memo[known] = different < _WORTH * len(sample)
    found: bool = view.memo[known]
    return found


def _bytes(view: View, rows: Array | slice) -> Array:
    """Rows as bytes."""
    vectors = np.ascontiguousarray(view.vectors[rows])
    return vectors.view(np.uint8).reshape(len(vectors), -1)


def _hashes(data: Array) -> Array:
    """A number of 64 bits for each row: products of its words and odd numbers."""
    words = data.view(np.uint32) if data.shape[1] % 4 == 0 else data
    keys = np.random.default_rng(words.shape[1]).integers(0, 2**63, words.shape[1], np.uint64)
    found: Array = (words * (2 * keys + 1)).sum(axis=1, dtype=np.uint64)
    return found


def _first_like(view: View) -> Array:
    """For each row the first one that is the same."""
    each = max(_HELD // max(view.vectors[:1].nbytes, 1), 1)
    parts = range(0, view.count, each)
    hashes = np.concatenate(
        [_hashes(_bytes(view, slice(at, min(at + each, view.count)))) for at in parts]
    )
    _, first, which = np.unique(hashes, return_index=True, return_inverse=True)
    found: Array = first[which].astype(np.int32)
    for at in parts:
        some = slice(at, min(at + each, view.count))
        own, others = np.arange(some.start, some.stop), found[some]
        doubted = own[others != own]
        if len(doubted):
            apart = (_bytes(view, doubted) != _bytes(view, found[doubted])).any(axis=1)
            found[doubted[apart]] = doubted[apart]  # the same hash by chance: it stands for itself
    return found
