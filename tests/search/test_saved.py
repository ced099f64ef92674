"""Indexes in files: opened as they were saved, and refused where they are not."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
from search import remembered
from search.filed import DIM, contents, filled, rewritten, rows, same, used
from treadle.search import Index, centres, storage


@pytest.fixture(autouse=True)
def on_the_cpu():
    with treadle.use_device("cpu"):
        yield


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.index"


def test_an_index_is_opened_as_it_was_saved(path):
    index = filled()
    index.remove(index.ids[10:30])
    index.update([3, 5], rows(2, 1), {"lang": ["fr", None]})
    index.save(path)
    assert [each.name for each in path.parent.iterdir()] == ["a.index"]
    opened = Index.open(path)
    same(opened, index)
    opened.verify()
    more = rows(50, 2)
    for each in (opened, index):
        assert each.add(more).tolist() == list(range(100, 150))
        each.remove([0, 120])
        each.update([7], more[:1])
    same(opened, index)
    opened.save(path)  # over the file that it is mapped from
    same(Index.open(path), index)
    same(opened, index)


def test_a_file_has_no_rows_that_were_removed(path):
    index = filled()
    index._current.tidies = False
    index.remove(index.ids[::3])
    index.update(index.ids[5:25], rows(20, 1))
    index.save(path)
    assert storage.read(path).meta["index"]["rows"] == len(index) == 66
    opened = Index.open(path)
    same(opened, index)
    more = rows(5, 2)
    for each in (opened, index):
        each.add(more)
        each.remove(each.ids[-30:-10])
    same(opened, index)
    opened.save(path)  # of rows that are in a file and in memory
    assert storage.read(path).meta["index"]["rows"] == len(index)
    same(Index.open(path), index)
    for each in (opened, index):
        each.remove(each.ids)
    opened.save(path)
    assert storage.read(path).meta["index"]["rows"] == 0
    opened = Index.open(path)
    assert contents(opened) == contents(index)
    for each in (opened, index):
        each.add(more)
    same(opened, index)


@pytest.mark.parametrize(
    "metric, dtype", [("cosine", "f32"), ("dot", "f32"), ("l1", "f32"), ("l2", "u8")]
)
def test_every_metric_is_saved(path, metric, dtype):
    given = np.random.default_rng(3).integers(0, 256, (80, DIM))
    index = Index(DIM, metric, dtype)
    index.add(given, ids=np.random.default_rng(4).permutation(500)[:80])
    index.save(path)
    opened = Index.open(path)
    kept = dict(zip(index.ids.tolist(), index.get(index.ids), strict=True))
    for query in given[:2]:
        found = opened.search(query, 6)
        distances, ids = remembered.nearest(query, kept, 6, metric)
        np.testing.assert_array_equal(found.ids, ids)
        np.testing.assert_allclose(found.distances, distances, rtol=1e-12, atol=1e-12)


def test_bits_and_an_empty_index_are_saved(path):
    bits = np.random.default_rng(5).integers(0, 2, (40, 70)).astype(bool)
    index = Index(70, "hamming")
    index.add(bits)
    index.save(path)
    np.testing.assert_array_equal(Index.open(path).get([1, 2]), index.get([1, 2]))
    assert Index.open(path).search(bits[7], 1).ids.tolist() == [7]
    Index(DIM).save(path)
    opened = Index.open(path)
    assert (len(opened), opened.dim) == (0, DIM)
    opened.add(rows(3))
    assert opened.search(rows(3)[1], 1).ids.tolist() == [1]


def test_a_file_of_something_else(path):
    for meta in ({}, {"index": {}, "lineage": "x", "through": 0}):
        storage.write(path, meta, {"table.vectors": rows(1)})
        with pytest.raises(treadle.FileDamaged, match="foreign: it holds arrays, but no index"):
            Index.open(path)
    with pytest.raises(treadle.FileError, match="No such file"):
        Index.open(path.with_name("missing"))
    with pytest.raises(treadle.FileError, match="No such file"):
        Index.open(path.with_name("missing"), durable=True)
    assert [each.name for each in path.parent.iterdir()] == ["a.index"]


@pytest.mark.parametrize(
    "change",
    [
        lambda meta, arrays: meta.update(dim=13),
        lambda meta, arrays: meta.update(dim=-1),
        lambda meta, arrays: meta.update(metric="l3"),
        lambda meta, arrays: meta.update(dtype="f16"),
        lambda meta, arrays: meta.update(rows=19),
        lambda meta, arrays: meta.update(columns=[["price", "complex"]]),
        lambda meta, arrays: meta.pop("next_id"),
        lambda meta, arrays: arrays.pop("ids"),
        lambda meta, arrays: arrays.pop("table.codes"),
        lambda meta, arrays: arrays.update(ids=np.zeros(20, np.int64)),
        lambda meta, arrays: arrays.update(ids=np.zeros(20)),
        lambda meta, arrays: arrays.update(alive=np.full(1, -1, np.int32)),
        lambda meta, arrays: arrays.update(alive=np.full(1, 2**32 - 1, np.uint32)),
        lambda meta, arrays: arrays.update({"column.1": np.full(20, 99, np.int32)}),
        lambda meta, arrays: arrays.update({"column.1.offsets": np.zeros(0, np.int64)}),
    ],
)
def test_a_whole_file_whose_parts_do_not_fit_is_refused(path, change):
    filled(20).save(path)
    rewritten(path, change)
    with pytest.raises(treadle.FileDamaged, match=f"{path}: damaged"):
        Index.open(path)
    with pytest.raises(treadle.FileDamaged, match=f"{path}: damaged"):
        Index.open(path, durable=True)


def test_every_byte_of_an_index_counts(path):
    """None that is changed is served: it is refused when opened, searched or asked for."""
    filled(20).save(path)
    data = path.read_bytes()
    for at in [*range(0, len(data), 499), *range(4096, 4096 + 20 * DIM * 4, 101)]:
        changed = bytearray(data)
        changed[at] ^= 0x10
        path.write_bytes(changed)
        with pytest.raises(treadle.FileDamaged):
            used(path)


@pytest.fixture
def trained(monkeypatch):
    """How often lists were made by training."""
    made = []
    train = centres.Centres.of
    monkeypatch.setattr(centres.Centres, "of", lambda *given: made.append(given) or train(*given))
    return made


def listed(removed):
    """An index with lists, rows that came after them, and maybe many that were removed."""
    index = filled(400)
    index._current.tidies = False
    index.train(8)
    index.add(rows(60, 3))
    index.remove(index.ids[:removed])
    return index


@pytest.mark.parametrize("removed", [3, 150])
def test_lists_are_saved_and_need_no_training(path, trained, removed):
    index = listed(removed)
    index.save(path)
    opened = Index.open(path)
    exact = opened.search(rows(5, 9), 6)
    found = opened.search(rows(5, 9), 6, probes=8)
    np.testing.assert_array_equal(found.ids, exact.ids)
    np.testing.assert_array_equal(found.distances, exact.distances)
    few, before = (each.search(rows(5, 9), 1, probes=1) for each in (opened, index))
    close = few.distances <= before.distances + 1e-9
    assert close.mean() > 0.7  # those that were in no list are in the nearest now
    assert len(trained) == 1
    opened.save(path)  # what was not used is kept, too
    Index.open(path).save(path)
    assert Index.open(path).search(rows(5, 9), 6, probes=8).ids.tolist() == exact.ids.tolist()
    assert len(trained) == 1
    opened.train(4)
    assert len(trained) == 2


def test_lists_outlive_a_compaction_and_a_checkpoint(path, trained):
    index = listed(150)
    index.compact()
    queries = rows(5, 9)
    for each in range(2):
        exact, found = (index.search(queries, 6, probes=n) for n in (None, 8))
        assert found.ids.tolist() == exact.ids.tolist()
        if not each:
            index.save(path)
            index = Index.open(path, durable=True)
            index.add(rows(9, 11))
            index.save(path)
    assert len(trained) == 1
    index.close()


def test_a_file_without_lists_has_none(path, trained):
    filled().save(path)
    opened = Index.open(path)
    opened.search(rows(1), 2, probes=1)
    assert len(trained) == 1


@pytest.mark.parametrize(
    "name, change, reason",
    [
        ("owners", lambda a: a[:-1], "lists.owners: expected"),
        ("owners", lambda a: a + 8, "lists: rows are in lists that are not there"),
        ("owners", lambda a: a - 8, "lists: rows are in lists that are not there"),
        ("owners", lambda a: a.astype(np.int64), "lists.owners: expected"),
        ("centres", lambda a: a[:, 1:], "lists: expected centres of 12 f32"),
        ("centres", lambda a: a[:0], "lists: expected centres of finite numbers"),
        ("centres", lambda a: a * np.float32(np.nan), "lists: expected centres of finite numbers"),
    ],
)
def test_lists_that_do_not_fit_are_refused(path, name, change, reason):
    listed(3).save(path)
    rewritten(
        path, lambda meta, arrays: arrays.update({f"lists.{name}": change(arrays[f"lists.{name}"])})
    )
    with pytest.raises(treadle.FileDamaged, match=reason):
        Index.open(path)
