"""Indexes to save, and how two of them are compared."""

from __future__ import annotations

import numpy as np

from treadle.search import Index, site, storage
from treadle.search.log import find_log

DIM = 12


def rows(count, seed=0):
    return np.random.default_rng(seed).normal(size=(count, DIM)).astype(np.float32)


def filled(count=100):
    index = Index(DIM)
    index.add(
        rows(count),
        columns={
            "price": np.arange(count),
            "lang": ["en", "ü", None, ""] * (count // 4),
            "good": [True, None] * (count // 2),
            "none": [None] * count,
        },
    )
    return index


def contents(index):
    """Everything that a user can ask an index for, but searches."""
    ids = index.ids
    return ids.tolist(), index.get(ids).tolist(), index.get_columns(ids), index.columns


def same(one, other):
    assert contents(one) == contents(other)
    assert repr(one) == repr(other)
    queries = rows(3, 9)
    for where in (None, "price < 40 and lang == 'ü'", one.ids[::2].tolist()):
        found, expected = one.search(queries, 5, where), other.search(queries, 5, where)
        np.testing.assert_array_equal(found.ids, expected.ids)
        np.testing.assert_array_equal(found.distances, expected.distances)


def used(path):
    """Open an index and read all of it."""
    opened = Index.open(path)
    opened.search(rows(1, 9), 20)
    opened.verify()


def last_record(path):
    with site.Site(path) as where:
        found = find_log(where)
    return None if found is None else found[1]


def rewritten(path, change):
    stored = storage.read(path)
    meta, arrays = stored.meta, {name: np.array(each) for name, each in stored.arrays.items()}
    change(meta["index"], arrays)
    storage.write(path, meta, arrays)
