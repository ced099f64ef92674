"""An index: rows that come and go, what is found, and what is refused with the index unchanged."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import treadle
from search import remembered
from treadle.search import Index

RNG = np.random.default_rng(7)


@pytest.fixture(autouse=True)
def on_the_cpu():
    with treadle.use_device("cpu"):
        yield


@pytest.fixture
def vectors():
    return RNG.normal(size=(300, 12)).astype(np.float32)


@pytest.fixture
def index(vectors):
    made = Index(12)
    made.add(vectors, columns={"price": np.arange(300), "lang": ["en", "de", None] * 100})
    return made


def same(result, query, kept, k, metric="l2"):
    distances, ids = remembered.nearest(query, kept, k, metric)
    np.testing.assert_array_equal(result.ids, ids)
    np.testing.assert_allclose(result.distances, distances, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("metric", ["l2", "cosine", "dot", "l1"])
@pytest.mark.parametrize("dtype", ["f32", "u8"])
def test_what_is_found_is_what_brute_force_finds(metric, dtype, device):
    rows = RNG.integers(0, 256, (90, 5))
    index = Index(5, metric, dtype)
    assert index.device is device
    index.add(rows, ids=RNG.permutation(1000)[:90])
    kept = dict(zip(index.ids.tolist(), index.get(index.ids), strict=True))
    for query in RNG.integers(0, 256, (3, 5)):
        same(index.search(query, 7), query, kept, 7, metric)


@pytest.mark.parametrize("dim", [1, 8, 31, 32, 70])
def test_bits_are_truth_values_bytes_or_words(dim):
    rows = RNG.integers(0, 2, (50, dim)).astype(bool)
    packed = np.packbits(rows, axis=1, bitorder="little")
    words = treadle.run_kernel("quantize_binary", [treadle.buffer(rows.astype(np.float32))])
    index = Index(dim, "hamming")
    assert (index.dtype, index.metric, index.dim) == ("bits", "hamming", dim)
    index.add(rows)
    kept = dict(enumerate(rows))
    forms = [rows[3], rows[3].astype(float)]
    forms += [packed[3]] if dim > 1 else []
    for query in [*forms, words.to_numpy()[3]]:
        same(index.search(query, 10), rows[3], kept, 10, "hamming")
    np.testing.assert_array_equal(index.get(range(50)), packed)
    assert index.search(rows[:2], 3).distances.dtype == np.int64


def test_one_query_or_many_and_any_k(index, vectors):
    kept = dict(enumerate(vectors))
    same(index.search(vectors[5], 1), vectors[5], kept, 1)
    same(index.search(vectors[5], 300), vectors[5], kept, 300)
    assert index.search(vectors[5], 1000).ids.shape == (300,)
    result = index.search(vectors[:4], 6)
    assert result.ids.shape == result.distances.shape == (4, 6)
    for query, ids in zip(vectors, result.ids, strict=False):
        np.testing.assert_array_equal(ids, remembered.nearest(query, kept, 6)[1])
    distances, ids = result
    assert distances is result.distances
    assert ids is result.ids
    assert index.search(vectors[:0], 6).ids.shape == (0, 6)


def test_queries_and_vectors_come_in_many_forms():
    index = Index(2)
    assert index.add([1, 2]).tolist() == [0]
    assert index.add([[3, 4], [5, 6]]).tolist() == [1, 2]
    assert index.add(np.array([[7, 8]], np.float64)).tolist() == [3]
    assert index.add(treadle.buffer([[9.0, 10.0]])).tolist() == [4]
    assert index.add(np.asfortranarray([[11, 12], [13, 14]], np.float32)).tolist() == [5, 6]
    assert index.get(6).tolist() == [13, 14]
    assert index.get([6, 0, 6]).tolist() == [[13, 14], [1, 2], [13, 14]]
    assert index.search((5, 6), 1).ids.tolist() == [2]


def test_ids_are_given_or_the_next_numbers():
    index = Index(1)
    assert index.add([[0], [1]], ids=[40, -7]).tolist() == [40, -7]
    assert index.add([[2], [3]]).tolist() == [41, 42]
    index.remove(42)
    assert index.add([[4]]).tolist() == [43]  # a number is never given twice
    assert index.ids.tolist() == [-7, 40, 41, 43]
    assert -7 in index
    assert 42 not in index
    assert "40" not in index
    assert 2**70 not in index
    assert len(index) == 4


def test_equal_distances_come_by_lowest_id_whatever_the_order_of_rows():
    index = Index(1)
    index.add([[1.0]] * 4, ids=[9, 3, 7, 5])
    index.add([[1.0]] * 3, ids=[8, 2, 4])
    index.add([[1.0]], ids=[6])
    assert index.search([1.0], 5).ids.tolist() == [2, 3, 4, 5, 6]
    index.remove([2, 4])
    index.add([[1.0], [1.0]], ids=[4, 1])
    assert index.search([[1.0], [0.0]], 3).ids.tolist() == [[1, 3, 4]] * 2
    dot = Index(1, "dot")
    dot.add([[2.0], [1.0], [2.0]], ids=[5, 1, 9])
    dot.add([[2.0], [3.0]], ids=[0, 7])
    assert dot.search([1.0], 3).ids.tolist() == [7, 0, 5]


def test_remove_and_update(index, vectors):
    index.remove([0, 1, 2])
    assert len(index) == 297
    assert index.search(vectors[0], 1).ids[0] != 0
    index.update([10, 3], vectors[[0, 1]])
    assert index.search(vectors[:2], 1).ids.ravel().tolist() == [10, 3]
    assert index.get_columns([10, 3]) == {"price": [10, 3], "lang": ["de", "en"]}
    index.update(10, columns={"price": [-5]})
    np.testing.assert_array_equal(index.get(10), vectors[0])
    assert index.get_columns(10) == {"price": [-5], "lang": ["de"]}
    assert index.search(vectors[0], 9, where="price < 0").ids.tolist() == [10]
    index.add(vectors[:1], ids=[0])
    assert index.search(vectors[0], 2).ids.tolist() == [0, 10]


def test_filters(index, vectors):
    def found(where, k=300):
        return sorted(index.search(vectors[0], k, where=where).ids.tolist())

    english = list(range(0, 300, 3))
    assert found("lang == 'en'") == english
    assert found("price < 10 and lang is null") == [2, 5, 8]
    assert found(np.arange(300) % 3 == 0) == english
    assert found((np.arange(300) % 3 == 0).tolist()) == english
    assert found({5, 7, 900}) == [5, 7]
    assert found(np.array([5, 7])) == found(range(5, 8, 2)) == found((7, 5, 5)) == [5, 7]
    assert found([]) == []
    assert index.search(vectors[:3], 5, where="price > 1000").ids.shape == (3, 0)
    assert index.search(vectors[:3], 5, where="price < 2").ids.shape == (3, 2)
    index.remove(range(0, 300, 2))
    assert found("lang == 'en'") == english[1::2]
    assert found({5, 6}) == [5]
    mask = index.ids >= 290
    assert found(mask) == [291, 293, 295, 297, 299]


def test_a_mask_means_the_same_after_compaction(index, vectors):
    index.remove(range(100, 200))
    index.add(vectors[:3], ids=[150, 120, 199])
    mask = np.isin(index.ids, [3, 120, 150])
    before = index.search(vectors[2], 5, where=mask)
    index.compact()
    after = index.search(vectors[2], 5, where=mask)
    assert before.ids.tolist() == after.ids.tolist()
    assert set(after.ids.tolist()) == {3, 120, 150}


def test_a_snapshot_sees_no_later_change(index, vectors):
    snapshot = index.snapshot()
    query = vectors[0]
    before = snapshot.search(query, 5).ids.tolist()
    index.remove(before)
    index.add(vectors[:2], columns={"price": [7, 7]})
    index.update([200], query)
    assert len(snapshot) == 300
    assert snapshot.search(query, 5).ids.tolist() == before
    assert snapshot.search(query, 9, where="price == 7").ids.tolist() == [7]
    index.compact()
    assert snapshot.search(query, 5).ids.tolist() == before
    assert snapshot.ids.tolist() == list(range(300))
    np.testing.assert_array_equal(snapshot.get(200), vectors[200])
    assert snapshot.get_columns(200) == {"price": [200], "lang": [None]}
    assert 0 in snapshot
    assert 0 not in index
    late = index.snapshot()
    assert late.search(query, 2).ids.tolist() == [200, 300]


def test_a_snapshot_that_was_not_searched_before_the_table_grew(vectors):
    index = Index(12)
    index.add(vectors[:40])
    snapshot = index.snapshot()
    index.add(vectors[40:])
    assert snapshot.search(vectors[100], 40).ids.max() == 39


def test_columns_are_typed_by_their_first_values():
    index = Index(1)
    index.add([[0]])
    assert index.columns == {}
    index.add([[1]], columns={"n": [None], "x": [1.5], "b": [True], "t": ["a"]})
    assert index.columns == {"n": None, "x": "f64", "b": "bool", "t": "text"}
    index.add([[2], [3]], columns={"n": [2, None], "x": [1, 2], "t": np.array(["b", "a"])})
    assert index.columns["n"] == "s64"
    index.add([[4]], columns={"n": [5.0], "b": np.array([False])})
    assert index.get_columns(range(5)) == {
        "n": [None, None, 2, None, 5],
        "x": [None, 1.5, 1.0, 2.0, None],
        "b": [None, True, None, None, False],
        "t": [None, "a", "b", "a", None],
    }
    index.remove([0, 2])
    index.compact()
    assert index.get_columns([1, 3, 4])["t"] == ["a", "a", None]
    assert index.search([0], 9, where="t == 'b'").ids.tolist() == []
    assert index.search([0], 9, where="n is null").ids.tolist() == [1, 3]


@pytest.mark.parametrize(
    "values",
    [
        np.array([1, 2], np.uint64),
        np.array([1.0, np.nan]),
        np.ma.array([1, 2], mask=[False, True]),
        [np.int32(1), None],
        (1.0, None),
        np.array(["a", None], object),
    ],
    ids=lambda values: f"{type(values).__name__}-{getattr(values, 'dtype', '')}",
)
def test_columns_come_in_many_forms(values):
    index = Index(1)
    index.add([[0], [1]], columns={"c": values})
    first, second = index.get_columns([0, 1])["c"]
    assert first in (1, "a")
    assert second in (2, None)


def test_what_an_index_is_shown_as(index):
    assert repr(index) == "<treadle.search.Index 300 x 12 f32, l2, on cpu>"
    assert repr(index.snapshot()) == "<treadle.search.Snapshot 300 x 12 f32, l2, on cpu>"
    assert repr(index.search(np.zeros(12), 3)) == "<treadle.search.Result one query, 3 nearest>"
    many = index.search(np.zeros((2, 12)), 3)
    assert repr(many) == "<treadle.search.Result 2 queries, 3 nearest of each>"


def test_a_closed_index_refuses_and_its_snapshots_do_not(vectors):
    with Index(12) as index:
        index.add(vectors)
        snapshot = index.snapshot()
    for use in (lambda: index.add(vectors), lambda: index.search(vectors, 1), index.snapshot):
        with pytest.raises(treadle.SearchError, match="closed"):
            use()
    assert snapshot.search(vectors[3], 1).ids.tolist() == [3]
    index.close()


BAD = [
    (lambda i: i.add(np.zeros((2, 3))), "12 dimensions, got vectors of 3"),
    (lambda i: i.add(np.zeros((2, 2, 12))), "shape"),
    (lambda i: i.add([]), "got none"),
    (lambda i: i.add([[1] * 12, [2] * 11]), "one length"),
    (lambda i: i.add("vectors"), "expected numbers"),
    (lambda i: i.add([[None] * 12]), "expected numbers"),
    (lambda i: i.add([[1j] * 12]), "expected numbers"),
    (lambda i: i.add([[0] * 12, [0] * 11 + [np.nan]]), "row 1 has nan in dimension 11"),
    (lambda i: i.add([[np.inf] * 12]), "row 0 has inf"),
    (lambda i: i.add([[1e39] * 12]), "f32 cannot hold"),
    (lambda i: i.add(np.zeros((2, 12)), ids=[1000]), "got 1 for 2 vectors"),
    (lambda i: i.add(np.zeros((2, 12)), ids=[1000, 1000]), "1000 is there more than once"),
    (lambda i: i.add(np.zeros((2, 12)), ids=[1000, 5]), "5 is in the index"),
    (lambda i: i.add(np.zeros((1, 12)), ids=[1.5]), "whole numbers of 64 bits, got 1.5"),
    (lambda i: i.add(np.zeros((1, 12)), ids=["a"]), "whole numbers of 64 bits, got 'a'"),
    (lambda i: i.add(np.zeros((1, 12)), ids=[True]), "whole numbers of 64 bits, got True"),
    (lambda i: i.add(np.zeros((1, 12)), ids=[2**63]), "above 2"),
    (lambda i: i.add(np.zeros((1, 12)), ids=[2**70]), "whole numbers"),
    (lambda i: i.add(np.zeros((1, 12)), ids=[[1]]), "one dimension"),
    (lambda i: i.add(np.zeros((2, 12)), columns={"price": [1]}), "1 values for 2 vectors"),
    (lambda i: i.add(np.zeros((1, 12)), columns={"prise": [1]}), "did you mean 'price'"),
    (lambda i: i.add(np.zeros((1, 12)), columns={"price": ["x"]}), "holds whole numbers"),
    (lambda i: i.add(np.zeros((1, 12)), columns={"price": [1.5]}), "got 1.5"),
    (lambda i: i.add(np.zeros((1, 12)), columns={"price": [True]}), "got truth values"),
    (lambda i: i.add(np.zeros((2, 12)), columns={"price": [1, "x"]}), "(int, str)"),
    (lambda i: i.add(np.zeros((2, 12)), columns={"price": [1, True]}), "bool, int"),
    (lambda i: i.add(np.zeros((1, 12)), columns={"price": [2**70]}), "64 bits"),
    (lambda i: i.add(np.zeros((2, 12)), columns={"price": [2**53 + 1, 0.5]}), "f64 cannot hold"),
    (lambda i: i.add(np.zeros((3, 12)), columns={"price": ["a", 1, True]}), "bool, int, str"),
    (lambda i: i.add(np.zeros((2, 12)), columns={"price": [1.5, "2.5"]}), "float, str"),
    (lambda i: i.add(np.zeros((2, 12)), columns={"price": [1.5, False]}), "bool, float"),
    (lambda i: i.add(np.zeros((1, 12)), columns={"price": [[1]]}), "list"),
    (lambda i: i.add(np.zeros((1, 12)), columns={"price": np.zeros((1, 1))}), "shape"),
    (lambda i: i.add(np.zeros((1, 12)), columns={"price": "x"}), "list or an array"),
    (lambda i: i.add(np.zeros((1, 12)), columns={"price": np.array([1j])}), "complex128"),
    (lambda i: i.add(np.zeros((1, 12)), columns={"lang": ["\ud800"]}), "surrogate"),
    (lambda i: i.add(np.zeros((1, 12)), columns={3: [1]}), "name"),
    (lambda i: i.add(np.zeros((1, 12)), columns=[1]), "mapping"),
    (lambda i: i.remove(999), "no row has 999"),
    (lambda i: i.remove([1, 1]), "more than once"),
    (lambda i: i.remove([5, *range(1000, 1010)]), "1004 and 5 more"),
    (lambda i: i.update([999], np.zeros((1, 12))), "no row has 999"),
    (lambda i: i.update([1], np.zeros((2, 12))), "got 1 for 2 vectors"),
    (lambda i: i.update([1]), "vectors, columns or both"),
    (lambda i: i.update([1], columns={"color": [1]}), "not among those"),
    (lambda i: i.get([5, 999]), "no row has 999"),
    (lambda i: i.search(np.zeros(11), 1), "12 dimensions, got vectors of 11"),
    (lambda i: i.search(np.full(12, np.nan), 1), "finite"),
    (lambda i: i.search(np.zeros(12), 0), "from 1 on, got 0"),
    (lambda i: i.search(np.zeros(12), -3), "from 1 on, got -3"),
    (lambda i: i.search(np.zeros(12), 2.0), "from 1 on, got 2.0"),
    (lambda i: i.search(np.zeros(12), True), "from 1 on, got True"),
    (lambda i: i.search(np.zeros(12), 1, where="price <"), "the text ends"),
    (lambda i: i.search(np.zeros(12), 1, where="color < 3"), "no column 'color'"),
    (lambda i: i.search(np.zeros(12), 1, where=np.ones(299, bool)), "each of the 300 rows"),
    (lambda i: i.search(np.zeros(12), 1, where=7), "got int"),
    (lambda i: i.search(np.zeros(12), 1, where=[1.5]), "whole numbers"),
    (lambda i: i.search(np.zeros(12), 1, where=[True] * 299 + [5]), "truth values alone"),
    (lambda i: i.search(np.zeros(12), 1, where=b"price"), "got bytes"),
    (lambda i: i.search(np.zeros(12), 1, where=np.ma.array([True] * 300, mask=True)), "masked"),
    (lambda i: i.add(np.ma.array(np.zeros((1, 12)), mask=[[1] + [0] * 11])), "masked"),
    (lambda i: i.add(np.zeros((1, 12)), ids=np.ma.array([700], mask=[1])), "masked"),
]


@pytest.mark.parametrize("use, reason", BAD, ids=[reason for _, reason in BAD])
def test_bad_input_is_one_error_and_the_index_unchanged(use, reason, index, vectors):
    with pytest.raises(treadle.SearchError) as caught:
        use(index)
    assert reason in str(caught.value)
    assert len(index) == 300
    assert index.columns == {"price": "s64", "lang": "text"}
    same(index.search(vectors[9], 5), vectors[9], dict(enumerate(vectors)), 5)
    assert index.add(vectors[:1]).tolist() == [300]


@pytest.mark.parametrize(
    "make, reason",
    [
        (lambda: Index(0), "dim: expected a whole number from 1 on, got 0"),
        (lambda: Index(2.0), "dim"),
        (lambda: Index(2**40), "dim: 1,099,511,627,776 are more than"),
        (lambda: Index(4, "euclid"), "metric: expected l2, cosine, dot, l1, hamming"),
        (lambda: Index(4, dtype="f16"), "dtype: expected f32, u8, bits"),
        (lambda: Index(4, dtype="bits"), "'bits' and 'hamming' go together"),
        (lambda: Index(4, "hamming", "u8"), "'bits' and 'hamming' go together"),
        (lambda: Index(4).search([1, 2, 3, 4], 1), "empty"),
        (lambda: Index(4, dtype="u8").add([[1, 2, 3, 256]]), "row 0 has 256 in dimension 3"),
        (lambda: Index(4, dtype="u8").add([[1, 2, 3, 0.5]]), "whole numbers from 0 to 255"),
        (lambda: Index(9, "hamming").add([[2] * 9]), "bits are 0 or 1"),
        (lambda: Index(9, "hamming").add(np.zeros((1, 4), np.uint8)), "9 truth values, 2 bytes"),
        (lambda: Index(9, "hamming").add(np.full((1, 2), 255, np.uint8)), "bitorder='little'"),
    ],
)
def test_what_no_index_takes(make, reason):
    with pytest.raises(treadle.SearchError) as caught:
        make()
    assert reason in str(caught.value)


@pytest.mark.parametrize("use", [copy.copy, copy.deepcopy, pickle.dumps])
def test_an_index_is_neither_copied_nor_pickled(index, use):
    for each in (index, index.snapshot()):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            use(each)
    result = index.search(np.zeros(12), 3)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(result)).ids, result.ids)


def test_the_largest_id_leaves_no_number():
    index = Index(1)
    index.add([[0]], ids=[2**63 - 1])
    with pytest.raises(treadle.SearchError, match="no more numbers"):
        index.add([[1]])
    assert index.add([[1]], ids=[-(2**63)]).tolist() == [-(2**63)]
    assert index.search([1], 2).ids.tolist() == [-(2**63), 2**63 - 1]
