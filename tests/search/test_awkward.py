"""Data that bytes bound badly: right all the same, and few rows measured, none of them twice."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from search import oracle
from treadle.search import Index, alike
from treadle.search import nearest as drive
from treadle.search import table as tables
from treadle.search.bounds import code_rows
from treadle.search.table import Table

ROWS, DIM, NEAREST = 6000, 16, 5


def outliers(rng, rows):
    rows[np.arange(len(rows)), rng.integers(0, DIM, len(rows))] *= 1e4
    return rows


def huge(rng, rows):
    rows[5] *= 1e25
    return rows


def later_elsewhere(rng, rows):
    rows[len(rows) // 10 :] += 1000.0
    return rows


def later_larger(rng, rows):
    rows[: len(rows) // 10] *= 1e-20
    return rows


def first_bad(rng, rows):
    rows[:300, 0] = 1e6  # what a scan looks at first
    return rows


# Each kind of data, and which share of all rows may be measured for a query that is near one.
KINDS = {
    "all the same": (lambda rng, rows: np.broadcast_to(rows[0], rows.shape).copy(), 0.002),
    "zeros": (lambda rng, rows: np.zeros_like(rows), 0.002),
    "fifty vectors": (lambda rng, rows: rows[rng.integers(0, 50, len(rows))], 0.05),
    "a tiny spread": (lambda rng, rows: 1.0 + rows * np.float32(1e-6), 0.05),
    "a coordinate of each outweighs": (outliers, 0.1),
    "one huge vector": (huge, 0.05),
    "later rows lie elsewhere": (later_elsewhere, 0.05),
    "later rows are larger": (later_larger, 0.05),
    "the first rows are bad": (first_bad, 0.05),
}


@pytest.fixture
def measured(monkeypatch):
    """Pairs of a query and a row that were measured."""
    pairs = []
    measure = drive.measure

    def noting(view, queries, owners, rows):
        pairs.extend(zip(queries[owners, 0].tolist(), rows.tolist(), strict=True))
        return measure(view, queries, owners, rows)

    monkeypatch.setattr(drive, "measure", noting)
    return pairs


def made(kind):
    rng = np.random.default_rng(3)
    vectors = KINDS[kind][0](rng, rng.standard_normal((ROWS, DIM), np.float32))
    table = Table(DIM, "l2", "f32", treadle.device("cpu"))
    table.append(vectors[: ROWS // 10])
    table.append(vectors[ROWS // 10 :])
    queries = vectors[rng.integers(ROWS // 10, ROWS, 20)]
    usual = max(np.median(np.abs(queries - np.median(queries, axis=0))), np.float32(0.01))
    return table, vectors, queries + usual / 10 * rng.standard_normal(queries.shape, np.float32)


@pytest.mark.parametrize("count", [1, 20])
@pytest.mark.parametrize("kind", KINDS)
def test_awkward_data_is_searched_exactly_and_few_rows_are_measured(measured, kind, count):
    table, vectors, queries = made(kind)
    view, asked = table.view(), queries[:count]
    right = oracle.nearest(vectors, asked, NEAREST, "l2")
    for turn in range(3):
        measured.clear()
        found = drive.nearest(view, asked, NEAREST)
        np.testing.assert_array_equal(found[0], right[0])
        np.testing.assert_array_equal(found[1], right[1])
        assert len(set(measured)) == len(measured), "a row was measured twice"
        if turn:  # the table knows by now
            assert len(measured) <= KINDS[kind][1] * ROWS * count


def test_of_rows_that_are_the_same_the_first_that_are_alive_count(measured):
    table, _vectors, queries = made("all the same")
    alive = np.arange(ROWS) % 3 == 1
    for asked in (queries[:1], queries):
        for _ in range(2):
            measured.clear()
            found = drive.nearest(table.view(), asked, NEAREST, oracle.words(alive))
            assert found[1].tolist() == [[1, 4, 7, 10, 13]] * len(asked)
        assert len(measured) <= 2 * NEAREST * len(asked)


def test_rows_that_only_look_the_same_stand_for_themselves(monkeypatch):
    table, vectors, _queries = made("fifty vectors")
    monkeypatch.setattr(alike, "_hashes", lambda data: data[:, 0] & np.uint8(1))
    view = table.view()
    rows = np.arange(ROWS, dtype=np.int32)
    kept = alike.first_of_alike(view, rows, 3)
    _, counts = np.unique(vectors[kept], axis=0, return_counts=True)
    # Of two that share a hash one stands for its like, and all others for themselves.
    assert (counts >= 3).all()
    assert set(map(bytes, vectors[kept])) == set(map(bytes, vectors))


def test_all_that_tie_come_where_ids_decide():
    table, _vectors, queries = made("all the same")
    found = drive.nearest(table.view(), queries[:2], NEAREST, ties=True)
    assert found[1].shape == (2, ROWS)
    assert (found[1] == np.arange(ROWS)).all()


@pytest.mark.parametrize("count", [1, 20])
def test_of_rows_that_are_the_same_the_lowest_ids_count(measured, count):
    _, vectors, queries = made("all the same")
    ids = np.random.default_rng(1).permutation(ROWS)
    index = treadle.search.Index(DIM, device="cpu")
    index.add(vectors[: ROWS // 2], ids[: ROWS // 2])
    index.add(vectors[ROWS // 2 :], ids[ROWS // 2 :])
    index.remove([0, 2])
    for _ in range(2):
        measured.clear()
        assert index.search(queries[:count], NEAREST).ids.tolist() == [[1, 3, 4, 5, 6]] * count
    assert len(measured) <= 2 * NEAREST * count


def test_a_view_from_before_rows_were_rounded_anew_answers_as_before():
    rng = np.random.default_rng(3)
    vectors = later_elsewhere(rng, rng.standard_normal((ROWS, DIM), np.float32))
    table = Table(DIM, "l2", "f32", treadle.device("cpu"))
    table.append(vectors[: ROWS // 10])
    before, mean = table.view(), table.view().mean
    table.append(vectors[ROWS // 10 :])
    assert not np.array_equal(table.view().mean, mean)
    assert before.mean is mean
    for view, rows in ((before, vectors[: ROWS // 10]), (table.view(), vectors)):
        right = oracle.nearest(rows, vectors[:3], NEAREST, "l2")
        found = drive.nearest(view, vectors[:3], NEAREST)
        np.testing.assert_array_equal(found[0], right[0])
        np.testing.assert_array_equal(found[1], right[1])


def test_rows_that_are_rounded_anew_and_broken_off_are_as_they_were(monkeypatch):
    rng = np.random.default_rng(3)
    vectors = later_elsewhere(rng, rng.standard_normal((ROWS, DIM), np.float32))
    first, rest = vectors[: ROWS // 10], vectors[ROWS // 10 :]
    monkeypatch.setattr(tables, "_CHUNK", 64 * DIM)

    def broken(left):
        def code(*given):
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            return code_rows(*given)

        return code

    for left in (0, 1, 5, 9, 12, 60):
        table = Table(DIM, "l2", "f32", treadle.device("cpu"))
        table.append(first)
        with monkeypatch.context() as patch:
            patch.setattr(tables, "code_rows", broken(left))
            with pytest.raises(KeyboardInterrupt):
                table.append(rest)
        for known in (first, vectors):
            right = oracle.nearest(known, vectors[:3], NEAREST, "l2")
            found = drive.nearest(table.view(), vectors[:3], NEAREST)
            np.testing.assert_array_equal(found[0], right[0])
            np.testing.assert_array_equal(found[1], right[1])
            if known is first:
                table.append(rest)


def test_rows_like_those_before_are_not_rounded_anew():
    rng = np.random.default_rng(3)
    table = Table(DIM, "l2", "f32", treadle.device("cpu"))
    table.append(rng.standard_normal((1000, DIM), np.float32))
    mean = table.view().mean
    for _ in range(5):
        table.append(rng.standard_normal((1000, DIM), np.float32))
    assert table.view().mean is mean


def test_how_many_are_wanted_may_change_from_search_to_search():
    rows = np.ones((4000, 6), np.float32)
    rows[::2] = 2.0
    table = Table(6, "l2", "f32", treadle.device("cpu"))
    table.append(rows)
    view = table.view()
    some = np.arange(len(rows)) % 3 == 0
    for k in (3, 3, 5, 3, 2500):
        for alive in (None, some):
            words = None if alive is None else oracle.words(alive)
            _, got = drive.nearest(view, rows[:1], k, words)
            np.testing.assert_array_equal(got, oracle.nearest(rows, rows[:1], k, "l2", alive)[1])


def test_numbers_whose_squares_are_beyond_f32_are_searched_without_a_warning():
    index = Index(3)
    index.add(np.float32([[3e38, 0, 0], [1e30, 1, 0], [0, 0, 3e38]]))  # warnings are errors here
    assert index.search(np.float32([2e38, 0, 0]), 2).ids.tolist() == [0, 1]
    with pytest.raises(treadle.SearchError, match="row 0 has inf"):
        index.search(np.float32([np.inf, 3e38, 0]), 1)
