"""Several index files as one: beside one index of all rows, and beside brute force in f64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from search import oracle
from search.shards_of import same, split
from treadle.search import Index, Sharded

DIM = 4
KINDS = [
    ("l2", "f32"),
    ("cosine", "f32"),
    ("dot", "f32"),
    ("l1", "f32"),
    ("l2", "u8"),
    ("dot", "u8"),
    ("hamming", "bits"),
]


@st.composite
def programs(draw):
    """Rows that are often equal, on shards in no order, with ids in no order."""
    count = draw(st.integers(1, 40))
    values = st.lists(st.integers(0, 2), min_size=DIM, max_size=DIM)
    rows = draw(st.lists(values, min_size=count, max_size=count))
    numbers = st.integers(-60, 60) | st.sampled_from([-(2**63), 2**63 - 1])
    ids = draw(st.lists(numbers, min_size=count, max_size=count, unique=True))
    owners = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    price = draw(st.lists(st.none() | st.integers(0, 3), min_size=count, max_size=count))
    queries = draw(st.lists(values, min_size=0, max_size=3))
    where = draw(
        st.none()
        | st.sampled_from(["price < 2", "price is null", "not (price >= 1)"])
        | st.lists(st.integers(-60, 60), max_size=9)
        | st.lists(st.booleans(), min_size=count, max_size=count).map(np.array)
    )
    return rows, ids, owners, price, queries, draw(st.integers(1, 50)), where


@pytest.mark.parametrize("metric, dtype", KINDS)
@settings(max_examples=25, deadline=None)
@given(program=programs())
def test_shards_give_what_one_index_with_all_rows_gives(metric, dtype, tmp_path_factory, program):
    rows, ids, owners, price, queries, k, where = program
    folder = tmp_path_factory.mktemp("shards")
    vectors = np.array(rows) % 2 if dtype == "bits" else np.array(rows)
    asked = np.array(queries).reshape(-1, DIM) % 2 if dtype == "bits" else queries
    asked = np.array(asked).reshape(-1, DIM)
    kind = {"metric": metric, "dtype": dtype}
    one = Index(DIM, device="cpu", **kind)
    one.add(vectors, ids, {"price": price})
    ids, owners = np.array(ids), np.array(owners)
    paths = split(folder, vectors, ids, owners, {"price": price}, **kind)
    with Sharded(paths, device="cpu") as shards:
        assert len(shards) == len(one)
        assert shards.ids.tolist() == one.ids.tolist()
        same(shards.search(asked, k, where), one.search(asked, k, where))
        same(shards.search(vectors[0], k, where), one.search(vectors[0], k, where))
        some = ids[::-2]
        np.testing.assert_array_equal(shards.get(some), one.get(some))
        assert shards.get_columns(some) == one.get_columns(some)
        assert shards.columns == one.columns


@pytest.mark.parametrize(
    "metric, first", [("l2", 1), ("l2", 1e4), ("cosine", 1), ("dot", 1), ("l1", 1)]
)
@pytest.mark.parametrize("count", [1, 40])
def test_large_shards_give_what_brute_force_gives(tmp_path, metric, first, count):
    """So many rows that bytes rule most of them out, or none where the first number outweighs all
    others; every tenth is there twice, in two shards."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(9000, 24)).astype(np.float32)
    rows[:, 0] *= first
    rows[8100:] = rows[:900]
    ids = np.arange(9000)
    paths = split(tmp_path, rows, ids, ids // 3000, metric=metric)
    queries = rows[rng.choice(900, count, replace=False)]
    far, near = oracle.nearest(rows, queries, 12, metric)
    with Sharded(paths, device="cpu") as shards:
        found = shards.search(queries, 12)
        assert found.ids.tolist() == near.tolist()
        np.testing.assert_array_equal(found.distances, -far if metric == "dot" else far)
        mask = ids % 3 > 0
        far, near = oracle.nearest(rows, queries, 12, metric, mask)
        assert shards.search(queries, 12, mask).ids.tolist() == near.tolist()
