"""What is kept of rows that come in portions, against sorting all of them."""

from __future__ import annotations

import numpy as np
import pytest

from treadle.search import kept as kept_module
from treadle.search.kept import Kept


def sorted_rows(found, wanted, *, ties):
    """The rows that should stay, for one query, of distances by row."""
    order = np.argsort(found, kind="stable")
    if ties and len(order) > wanted:
        wanted = int(np.searchsorted(found[order], found[order[wanted - 1]], "right"))
    return order[:wanted]


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("soon", [4, 1 << 12])
@pytest.mark.parametrize("values", [3, 40, 10**6])
def test_portions_leave_what_sorting_leaves(monkeypatch, ties, soon, values):
    monkeypatch.setattr(kept_module, "_SOON", soon)  # both ways through, with few rows
    rng = np.random.default_rng(values)
    for count, wanted in [(1, 5), (3, 1), (3, 7)]:
        found = rng.integers(0, values, (count, 200)).astype(np.float64)
        kept = Kept(count, wanted, ties=ties)
        for start, stop in [(0, 3), (3, 60), (60, 61), (61, 200)]:
            some = rng.random((count, stop - start)) < 0.9  # not as many of each query
            found[:, start:stop][~some] = np.inf
            owners, at = np.nonzero(some)
            rows = (at + start).astype(np.int32)
            kept.add(0, count, owners.astype(np.int32), rows, found[owners, rows])
        far, rows = kept.answer()
        for query in range(count):
            right = sorted_rows(found[query], wanted, ties=ties)
            got = rows[query][rows[query] >= 0]
            np.testing.assert_array_equal(got, right)
            np.testing.assert_array_equal(far[query][: len(right)], found[query][right])


def test_ten_thousand_rows_that_tie_leave_the_lowest():
    kept = Kept(2, 3, ties=False)
    owners = np.repeat(np.arange(2, dtype=np.int32), 10_000)
    rows = np.tile(np.arange(10_000, dtype=np.int32), 2)
    kept.add(0, 2, owners, rows, np.ones(20_000))
    kept.add(0, 2, owners, rows + 10_000, np.ones(20_000))
    np.testing.assert_array_equal(kept.answer()[1], [[0, 1, 2], [0, 1, 2]])
