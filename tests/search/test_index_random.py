"""Random programs of changes, searches, snapshots and compactions, beside a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import treadle
from search import remembered
from treadle.search import Index

DIM = 3
VECTORS = st.lists(st.integers(-2, 2), min_size=DIM, max_size=DIM)  # so that many are equal
IDS = st.integers(0, 40)
PRICES = st.none() | st.integers(0, 5)
LANGS = st.none() | st.sampled_from(["en", "de", "fr"])
ROWS = st.tuples(VECTORS, PRICES, LANGS)
WHERE = st.one_of(
    st.builds(
        remembered.compare, st.just("price"), st.sampled_from(["<", ">=", "!="]), st.integers(0, 5)
    ),
    st.builds(remembered.compare, st.just("lang"), st.just("=="), st.sampled_from(["en", "xx"])),
    st.builds(remembered.negated, st.just(remembered.null("price"))),
)


def columns(rows):
    return {"price": [price for _, price, _ in rows], "lang": [lang for _, _, lang in rows]}


class Programs(RuleBasedStateMachine):
    """An index, and what it should hold: a dictionary from ids to a vector and columns."""

    metric = "l2"

    def __init__(self):
        super().__init__()
        self.index = Index(DIM, self.metric, device="cpu")
        self.kept = {}
        self.next = 0
        self.snapshots = []

    def take(self, ids, rows):
        for an_id, (vector, price, lang) in zip(ids, rows, strict=True):
            self.kept[an_id] = (vector, {"price": price, "lang": lang})
            self.next = max(self.next, an_id + 1)

    @rule(rows=st.lists(ROWS, min_size=1, max_size=40))
    def add_numbered(self, rows):
        ids = self.index.add([vector for vector, _, _ in rows], columns=columns(rows))
        assert ids.tolist() == list(range(self.next, self.next + len(rows)))
        self.take(ids.tolist(), rows)

    @rule(rows=st.dictionaries(IDS, ROWS, min_size=1, max_size=6))
    def add_with_ids(self, rows):
        given = list(rows)
        vectors = [vector for vector, _, _ in rows.values()]
        before = len(self.index)
        try:
            self.index.add(vectors, given, columns([*rows.values()]))
        except treadle.SearchError:
            assert self.kept.keys() & rows.keys()
            assert len(self.index) == before
        else:
            assert not self.kept.keys() & rows.keys()
            self.take(given, rows.values())

    @rule(data=st.data(), extra=st.none() | IDS)
    def remove(self, data, extra):
        if not self.kept:
            return
        ids = data.draw(st.lists(st.sampled_from(sorted(self.kept)), unique=True))
        if extra is not None and extra not in ids:
            ids.append(extra)
        try:
            self.index.remove(ids)
        except treadle.UnknownId:
            assert extra not in self.kept
        else:
            for an_id in ids:
                del self.kept[an_id]

    @rule(data=st.data(), rows=st.lists(ROWS, min_size=1, max_size=4), what=st.sampled_from("vcb"))
    def update(self, data, rows, what):
        if len(self.kept) < len(rows):
            return
        ids = data.draw(
            st.lists(
                st.sampled_from(sorted(self.kept)),
                unique=True, min_size=len(rows), max_size=len(rows),
            )
        )  # fmt: skip
        self.index.update(
            ids,
            [vector for vector, _, _ in rows] if what in "vb" else None,
            columns(rows) if what in "cb" else None,
        )
        for an_id, (vector, price, lang) in zip(ids, rows, strict=True):
            old, values = self.kept[an_id]
            new = {"price": price, "lang": lang}
            self.kept[an_id] = (vector if what in "vb" else old, new if what in "cb" else values)

    @rule()
    def compact(self):
        self.index.compact()

    @rule()
    def snapshot(self):
        self.snapshots.append((self.index.snapshot(), dict(self.kept)))

    @rule(queries=st.lists(VECTORS, min_size=1, max_size=3), k=st.integers(1, 60))
    def search(self, queries, k):
        for searched, kept in [(self.index, self.kept), *self.snapshots]:
            self.check(searched, kept, queries, k, None, kept)

    @rule(query=VECTORS, k=st.integers(1, 60), where=WHERE)
    def search_where(self, query, k, where):
        text, says = where
        for searched, kept in [(self.index, self.kept), *self.snapshots]:
            if kept:
                chosen = {an_id: row for an_id, row in kept.items() if says(row[1]) is True}
                self.check(searched, kept, [query], k, text, chosen)

    @rule(query=VECTORS, k=st.integers(1, 9), ids=st.sets(IDS))
    def search_some(self, query, k, ids):
        chosen = {an_id: row for an_id, row in self.kept.items() if an_id in ids}
        self.check(self.index, self.kept, [query], k, ids, chosen)
        self.check(self.index, self.kept, [query], k, np.isin(self.index.ids, [*ids]), chosen)

    def check(self, searched, kept, queries, k, where, chosen):
        if not kept:
            return
        result = searched.search(queries, k, where=where)
        vectors = {an_id: vector for an_id, (vector, _) in chosen.items()}
        for query, distances, ids in zip(queries, *result, strict=True):
            wanted, names = remembered.nearest(query, vectors, k, self.metric)
            assert ids.tolist() == names.tolist()
            np.testing.assert_allclose(distances, wanted, rtol=1e-12)

    @invariant()
    def holds_the_same(self):
        ids = sorted(self.kept)
        assert len(self.index) == len(ids)
        assert self.index.ids.tolist() == ids
        assert self.index.get(ids).tolist() == [self.kept[each][0] for each in ids]
        if ids and self.index.columns:
            found = self.index.get_columns(ids)
            for name, values in found.items():
                assert values == [self.kept[each][1][name] for each in ids]
        for snapshot, kept in self.snapshots:
            assert snapshot.ids.tolist() == sorted(kept)

    @rule()
    def write_down_and_read(self):
        meta, arrays = self.index._state()
        read = {name: np.ascontiguousarray(array[0 : len(array)]) for name, array in arrays.items()}
        self.index = Index._restored(meta, read, "cpu")

    def teardown(self):
        self.index.close()


class Products(Programs):
    metric = "dot"


TestPrograms = Programs.TestCase
TestPrograms.settings = settings(max_examples=10, stateful_step_count=20, deadline=None)
TestProducts = Products.TestCase
TestProducts.settings = settings(max_examples=4, stateful_step_count=20, deadline=None)
