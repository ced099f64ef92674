"""Index files, each with some of the rows, and how an answer is compared with another."""

from __future__ import annotations

import numpy as np

from treadle.search import Index


def saved(folder, name, vectors, ids, columns=None, dim=0, **kind):
    path = folder / name
    with Index(dim or len(vectors[0]), device="cpu", **kind) as index:
        if len(vectors):
            index.add(vectors, ids, columns)
        index.save(path)
    return path


def split(folder, vectors, ids, owners, columns=None, **kind):
    """A file for each owner, of the rows that it has."""
    paths = []
    for owner in range(int(owners.max()) + 1):
        mine = owners == owner
        its = {
            n: [v for v, m in zip(c, mine, strict=True) if m] for n, c in (columns or {}).items()
        }
        given = vectors[mine], ids[mine], its or None
        paths.append(saved(folder, f"{owner}.index", *given, dim=len(vectors[0]), **kind))
    return paths


def same(found, expected):
    assert found.ids.dtype == expected.ids.dtype
    assert found.distances.dtype == expected.distances.dtype
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.distances, expected.distances)
