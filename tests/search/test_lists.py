"""Searches that look at some lists only: what they find is right, and all lists find everything."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from treadle.search import Index

RNG = np.random.default_rng(4)
CENTRES = RNG.normal(size=(30, 12)) * 3
X = (CENTRES[RNG.integers(0, 30, 2500)] + RNG.normal(size=(2500, 12))).astype(np.float32)
Q = X[::100] + np.float32(0.1)


@pytest.mark.parametrize("metric", ["l2", "cosine", "dot"])
def test_all_lists_find_everything_and_few_find_most(device, metric):
    index = Index(12, metric, device=device)
    index.add(X[:2300])
    index.train(20)
    index.add(X[2300:])  # in no list, and looked at all the same
    exact = index.search(Q, 7)
    every = index.search(Q, 7, probes=20)
    np.testing.assert_array_equal(every.ids, exact.ids)
    np.testing.assert_array_equal(every.distances, exact.distances)
    few = index.search(Q, 7, probes=5)
    both = few.ids[:, :, None] == exact.ids[:, None, :]
    assert both.any(2).mean() > 0.9
    # What is found is measured as exactly.
    found, wanted = np.nonzero(both.any(2)), np.argmax(both, 2)
    np.testing.assert_array_equal(few.distances[found], exact.distances[found[0], wanted[found]])


@pytest.mark.parametrize("metric", ["l2", "cosine", "dot"])
@pytest.mark.parametrize("scale", [1e-38, 1e37], ids=["tiny", "huge"])
def test_lists_of_huge_and_of_tiny_numbers_find_as_much(metric, scale):
    found = []
    for rows, queries in ((X, Q), (X * np.float32(scale), Q * np.float32(scale))):
        index = Index(12, metric, device="cpu")
        index.add(rows)
        index.train(30)
        found.append(index.measure_recall(queries, 10, probes=4))
    assert found[1] == pytest.approx(found[0], abs=0.1)


def test_rows_far_from_zero_are_told_apart():
    index = Index(12, device="cpu")
    index.add(X + np.float32(3000))
    index.train(30)
    assert index.measure_recall(Q + np.float32(3000), 10, probes=4) > 0.9


def test_a_row_and_a_query_beyond_all_others_are_looked_for():
    index = Index(12, device="cpu")
    index.add(np.concatenate([X, [[3e38] * 12, [-3e38] * 12]]))
    index.train(30)
    found = index.search([[3.1e38] * 12, [-2.9e38] * 12, X[7]], 1, probes=1)
    assert found.ids[:, 0].tolist() == [2500, 2501, 7]
    assert index.search([3.1e38] * 12, 1, probes=2).ids == 2500


def test_filters_removals_and_ids_in_any_order(device):
    index = Index(12, device=device)
    ids = RNG.permutation(2500) + 5
    index.add(X, ids, {"n": np.arange(2500)})
    index.remove(ids[:900])
    for where in (None, "n >= 2000", ids[950:980]):
        exact, found = (index.search(Q, 6, where, probes=n) for n in (None, 10**6))
        np.testing.assert_array_equal(found.ids, exact.ids)
        np.testing.assert_array_equal(found.distances, exact.distances)


def test_a_list_with_fewer_rows_than_wanted_says_so():
    index = Index(2, device="cpu")
    far = np.array([[0, 0]] * 40 + [[1000, 1000]] * 3, np.float32)
    index.add(far)
    index.train(2)
    found = index.search([[1000.0, 1000], [0, 0]], 5, probes=1)
    assert found.ids[0].tolist() == [40, 41, 42, -1, -1]
    assert found.distances[0].tolist() == [0, 0, 0, np.inf, np.inf]
    assert found.ids[1].tolist() == [0, 1, 2, 3, 4]


def test_recall_is_measured_against_the_exact_answer():
    index = Index(12, device="cpu")
    index.add(X)
    index.train(50)
    low, high = (index.measure_recall(Q, 10, probes=n) for n in (1, 50))
    assert low < high == 1.0
    assert 0 < index.measure_recall(30, 5, probes=2) <= 1


def test_lists_are_made_anew_when_many_rows_are_in_none():
    index = Index(12, device="cpu")
    index.add(X[:100])
    index.search(Q, 3, probes=1)
    first = index._current.state().table.lists
    index.add(X[100:110])
    index.search(Q, 3, probes=1)
    assert index._current.state().table.lists is first
    index.add(X[110:])
    index.search(Q, 3, probes=1)
    assert index._current.state().table.lists.rows == 2500


@pytest.mark.parametrize("probes", [0, -1, True, "4"])
def test_what_is_no_number_of_lists_is_refused(probes):
    index = Index(12, device="cpu")
    index.add(X[:50])
    with pytest.raises(treadle.SearchError, match="probes"):
        index.search(Q, 3, probes=probes)


@pytest.mark.parametrize("metric", ["l1", "hamming"])
def test_a_metric_without_lists_says_so(metric):
    index = Index(16, metric, device="cpu")
    index.add(np.zeros((5, 16) if metric == "l1" else (5, 2), np.uint8))
    with pytest.raises(treadle.SearchError, match="search them all"):
        index.search(np.zeros(16 if metric == "l1" else 2, np.uint8), 1, probes=1)


def test_an_empty_index_cannot_be_trained():
    with pytest.raises(treadle.SearchError, match="empty"):
        Index(3, device="cpu").train()


def test_one_query_alone_is_answered_as_it_is_among_others():
    index = Index(2, device="cpu")
    index.add(np.array([[0, 0]] * 40 + [[1000, 1000]] * 3, np.float32))
    index.train(2)
    alone = index.search([1000.0, 1000], 5, probes=1)
    assert alone.ids.tolist() == [40, 41, 42, -1, -1]
    assert alone.distances.tolist() == [0, 0, 0, np.inf, np.inf]


def test_lists_without_rows_are_not_looked_at():
    rows = np.arange(6000).reshape(2000, 3) % 250  # 250 different ones
    index = Index(3, device="cpu")
    index.add(rows)
    index.train(2000)  # most lists have no row, and centres near to those that have some
    queries = np.random.default_rng(0).uniform(-20, 270, (50, 3))
    for query in queries:
        assert index.search(query, 1, probes=1).ids[0] >= 0
    assert (index.search(queries, 1, probes=1).ids >= 0).all()


@pytest.mark.parametrize(
    "dim, k", [(12, 5), (600, 1), (600, 60)], ids=["short lists", "scanned", "few groups"]
)
def test_one_query_finds_in_its_list_what_counts(dim, k):
    rows = np.random.default_rng(1).normal(size=(240, dim)).astype(np.float32)
    rows[:120] += 50
    index = Index(dim, device="cpu")
    index.add(rows)
    index.train(2)
    index.remove([3, 130])
    for where in (None, np.arange(240)[::2]):
        some = np.setdiff1d(np.arange(120) if where is None else where[:60], [3])
        right = some[np.argsort(np.square(rows[some].astype(float) - rows[7]).sum(1))[:k]]
        found = index.search(rows[7], k, where, probes=1).ids
        assert found[found >= 0].tolist() == right.tolist()
