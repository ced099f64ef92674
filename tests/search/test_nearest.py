"""Nearest rows, against brute force in f64: the same rows, and the same distances to the last
bit."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from search import oracle
from treadle.search import nearest as drive
from treadle.search import rounding
from treadle.search.nearest import nearest, nearest_async
from treadle.search.plain import by_products
from treadle.search.table import Table

KINDS = "normal offset outlier tiny denormal zeros constant duplicates whole mixed far".split()


def vectors_of(kind, rng, count, dim):
    """Vectors of one kind: what bounds find easy, and what spoils them."""
    x = rng.standard_normal((count, dim))
    match kind:
        case "offset":
            x = x + 1e4
        case "outlier":
            x[:, 0] *= 1e5
        case "tiny":
            x = 1.0 + 1e-6 * x
        case "denormal":
            x = x * 1e-40
        case "zeros":
            x = np.where(rng.random((count, 1)) < 0.5, 0.0, x)
        case "constant":
            x = np.full((count, dim), 0.1)
        case "duplicates":
            x = x[rng.integers(0, max(count // 8, 1), count)]
        case "whole":
            x = np.rint(x)
        case "mixed":
            x = x * np.exp(rng.uniform(-60, 60, (count, 1)))
        case "far":
            x = x + rng.choice([-1e30, 1e30], (count, 1))
    return x.astype(np.float32)


def check(table, vectors, queries, k, alive=None):
    found, rows = nearest(table.view(), queries, k, None if alive is None else oracle.words(alive))
    expected, wanted = oracle.nearest(vectors, queries, k, table.metric, alive)
    np.testing.assert_array_equal(rows, wanted)
    np.testing.assert_array_equal(found, expected)


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    metric=st.sampled_from(["l2", "cosine", "dot", "l1"]),
    dim=st.one_of(st.integers(1, 70), st.just(128)),
    count=st.integers(1, 3000),
    share=st.sampled_from([0.0, 0.001, 0.01, 1.0]),
    seed=st.integers(0, 99),
    filtered=st.booleans(),
)
def test_every_kind_of_data(kind, metric, dim, count, share, seed, filtered):
    rng = np.random.default_rng(seed)
    vectors = vectors_of(kind, rng, count, dim)
    queries = vectors_of(kind, rng, 3, dim)
    queries[0] = vectors[seed % count]
    alive = rng.random(count) < 0.7 if filtered else None
    table = Table(dim, metric, "f32", treadle.device("cpu"))
    cut = int(rng.integers(0, count + 1))
    table.append(vectors[:cut])
    table.append(vectors[cut:])
    check(table, vectors, queries, max(1, int(share * count)), alive)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", ["l2", "cosine", "dot"])
def test_many_queries_over_every_kind_of_data(kind, metric):
    """In parts, and by products of matrices where bytes rule out little; twice, since a table
    remembers that."""
    rng = np.random.default_rng(9)
    vectors = vectors_of(kind, rng, 9000, 24)
    queries = vectors_of(kind, rng, 20, 24)
    queries[5] = vectors[77]
    table = Table(24, metric, "f32", treadle.device("cpu"))
    table.append(vectors)
    check(table, vectors, queries, 6)
    check(table, vectors, queries, 6, rng.random(9000) < 0.5)
    check(table, vectors, queries, 700)


def test_bytes_that_fail_in_the_middle(monkeypatch):
    """The first rows are all ruled out, and of later ones more remain than are worth it: products
    of matrices go on from there, and no row comes twice."""
    went_on = []

    def from_there(*given):
        went_on.append(int(given[2][0]))
        return by_products(*given)

    monkeypatch.setattr(drive, "_POOR", 1e-4)
    monkeypatch.setattr(drive, "by_products", from_there)
    rng = np.random.default_rng(13)
    vectors = vectors_of("normal", rng, 40_000, 16)
    vectors[:5000] += np.float32(100.0)
    queries = vectors_of("normal", rng, 20, 16)
    table = Table(16, "l2", "f32", treadle.device("cpu"))
    table.append(vectors)
    check(table, vectors, queries, 8)
    assert went_on
    assert went_on[0] > 0


def test_bits_of_rows_that_a_view_does_not_have():
    rng = np.random.default_rng(14)
    vectors = vectors_of("normal", rng, 3000, 8)
    table = Table(8, "l2", "f32", treadle.device("cpu"))
    table.append(vectors[:2990])
    view = table.view()
    table.append(vectors[2990:])
    alive = np.full(94, 0xFFFFFFFF, np.uint32)
    _, rows = nearest(view, vectors[2980:3000], 3, alive)
    np.testing.assert_array_equal(
        rows, oracle.nearest(vectors[:2990], vectors[2980:3000], 3, "l2")[1]
    )


def test_bits(device):
    rng = np.random.default_rng(10)
    vectors = rng.integers(0, 2**32, (700, 3), dtype=np.uint64).astype(np.uint32)
    table = Table(96, "hamming", "bits", device)
    table.append(vectors[:500])
    table.append(vectors[500:])
    check(table, vectors, vectors[:5] ^ np.uint32(9), 12)
    check(table, vectors, vectors[:5] ^ np.uint32(9), 12, rng.random(700) < 0.3)
    check(table, vectors, vectors[:5], 700)


@pytest.mark.parametrize("metric", ["l2", "cosine", "dot", "l1"])
@pytest.mark.parametrize("dtype", ["f32", "u8"])
def test_every_device(device, metric, dtype):
    rng = np.random.default_rng(3)
    if dtype == "u8":
        vectors, queries = (rng.integers(0, 256, (n, 40)).astype(np.uint8) for n in (2500, 4))
    else:
        vectors, queries = (vectors_of("normal", rng, n, 40) for n in (2500, 4))
    table = Table(40, metric, dtype, device)
    table.append(vectors[:1700])
    table.append(vectors[1700:])
    check(table, vectors, queries, 7)
    check(table, vectors, queries, 7, rng.random(2500) < 0.5)


def test_a_view_does_not_see_later_rows(device):
    rng = np.random.default_rng(4)
    vectors = vectors_of("normal", rng, 2900, 16)
    table = Table(16, "l2", "f32", device)
    table.append(vectors[:1450])
    before = table.view()
    queries = vectors[1440:1460]
    for stop in (1460, 1500, 2900):  # within the last group, within the room there is, beyond it
        table.append(vectors[table.count : stop])
        check(table, vectors[:stop], queries, 5)
        found, rows = nearest(before, queries, 5)
        expected, wanted = oracle.nearest(vectors[:1450], queries, 5, "l2")
        np.testing.assert_array_equal(rows, wanted)
        np.testing.assert_array_equal(found, expected)


def test_ties_come_with_the_last_one():
    vectors = np.repeat(np.eye(3, dtype=np.float32), 4, axis=0)
    table = Table(3, "l2", "f32", treadle.device("cpu"))
    table.append(vectors)
    found, rows = nearest(table.view(), np.eye(3, dtype=np.float32)[:1], 5, ties=True)
    assert rows[0].tolist() == list(range(12))
    assert found[0, 4] == found[0, -1]
    found, rows = nearest(table.view(), np.eye(3, dtype=np.float32)[:1], 2, ties=True)
    assert rows[0].tolist() == [0, 1, 2, 3]


def test_a_filter_that_leaves_few_or_none():
    vectors = np.arange(400, dtype=np.float32).reshape(100, 4)
    table = Table(4, "l2", "f32", treadle.device("cpu"))
    table.append(vectors)
    alive = np.zeros(100, bool)
    assert nearest(table.view(), vectors[:2], 3, oracle.words(alive))[1].shape == (2, 0)
    alive[[7, 50]] = True
    _, rows = nearest(table.view(), vectors[:2], 3, oracle.words(alive))
    assert rows.tolist() == [[7, 50], [7, 50]]


def test_an_empty_table_and_no_queries():
    table = Table(4, "l2", "f32", treadle.device("cpu"))
    assert nearest(table.view(), np.zeros((2, 4), np.float32), 3)[0].shape == (2, 0)
    table.append(np.ones((5, 4), np.float32))
    assert nearest(table.view(), np.zeros((0, 4), np.float32), 3)[0].shape[0] == 0


def test_awaited():
    rng = np.random.default_rng(6)
    vectors = vectors_of("normal", rng, 2000, 12)
    table = Table(12, "l2", "f32", treadle.device("cpu"))
    table.append(vectors)
    for count in (3, 40):
        queries = vectors[:count]
        _, rows = asyncio.run(nearest_async(table.view(), queries, 4))
        np.testing.assert_array_equal(rows, oracle.nearest(vectors, queries, 4, "l2")[1])


def test_a_table_over_the_arrays_of_another():
    rng = np.random.default_rng(7)
    vectors = vectors_of("normal", rng, 1200, 20)
    device = treadle.device("cpu")
    first = Table(20, "cosine", "f32", device)
    first.append(vectors[:1100])
    second = Table.over(first.arrays(), 20, "cosine", "f32", device)
    check(second, vectors[:1100], vectors[:4], 6)
    second.append(vectors[1100:])
    check(second, vectors, vectors[:4], 6)


@pytest.mark.parametrize("mode", ["c", "r"])
def test_a_table_over_maps_of_files(tmp_path, mode):
    """Vectors that are mapped are never copied: from a map that cannot be written to, which a
    device does not take, the host measures."""
    rng = np.random.default_rng(12)
    vectors = vectors_of("normal", rng, 3000, 20)
    device = treadle.device("cpu")
    first = Table(20, "l2", "f32", device)
    first.append(vectors)
    mapped = {}
    for name, array in first.arrays().items():
        np.save(tmp_path / f"{name}.npy", array)
        mapped[name] = np.load(tmp_path / f"{name}.npy", mmap_mode=mode)
    table = Table.over(mapped, 20, "l2", "f32", device)
    assert np.shares_memory(table.view().vectors, mapped["vectors"])
    assert (table.view().shown is None) == (mode == "r")
    check(table, vectors, vectors[:20] + np.float32(0.1), 6)
    check(table, vectors, vectors[:2], 6)


@pytest.mark.parametrize("metric", ["l2", "dot"])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_a_device_rounded_are_found(monkeypatch, kind, metric):
    device = treadle.device("cpu")
    monkeypatch.setattr(rounding, "_MANY", 1)
    monkeypatch.setattr(rounding, "_WORTH", 1)
    rounding.rounds_there(device, 1, 9)
    device.synchronize()  # it has been compiled
    assert rounding.rounds_there(device, 1, 9)
    rng = np.random.default_rng(7)
    table = Table(9, metric, "f32", device)
    vectors = vectors_of(kind, rng, 1500, 9)
    table.append(vectors[:700])
    table.append(vectors[700:])
    check(table, vectors, vectors_of(kind, rng, 3, 9), 4)
    check(table, vectors, vectors[:20], 4, rng.random(1500) < 0.9)
