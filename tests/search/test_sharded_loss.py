"""Shards that are lost, that do not fit together, and what is asked of them wrongly."""

from __future__ import annotations

import asyncio
import os
import pickle

import numpy as np
import pytest

import treadle
from search import shards_of
from search.shards_of import saved, split
from treadle.search import Index, Sharded, stream

ROWS = np.random.default_rng(8).normal(size=(300, 6)).astype(np.float32)
IDS = np.arange(300)
OWNERS = IDS % 3
PAGE = 4096


@pytest.fixture
def paths(tmp_path):
    return split(tmp_path, ROWS, IDS, OWNERS, {"n": IDS.tolist()})


def without(owner):
    """The ids of the 5 nearest to row 7 that are in other shards."""
    mine = np.flatnonzero(owner != OWNERS)
    far = np.square(ROWS[mine].astype(float) - ROWS[7]).sum(axis=1)
    return mine[np.argsort(far, kind="stable")[:5]].tolist()


def damage(path, name="table.vectors"):
    """Flip a bit of every page of an array: it is compared when it is first touched."""
    start = treadle.search.storage.read(path).arrays[name]._start
    with open(path, "r+b") as file:
        file.seek(start)
        byte = file.read(1)[0]
        file.seek(start)
        file.write(bytes([byte ^ 1]))


def test_a_file_that_is_gone_is_an_error_that_names_it_or_missing_in_the_answer(paths):
    os.unlink(paths[1])
    with pytest.raises(treadle.ShardLost, match=r"1 of 3 shards is lost: .*1\.index") as caught:
        Sharded(paths, device="cpu")
    assert list(caught.value.missing) == [str(paths[1])]
    assert isinstance(caught.value, treadle.FileError)
    assert pickle.loads(pickle.dumps(caught.value)).missing == caught.value.missing
    with Sharded(paths, partial=True, device="cpu") as shards:
        assert list(shards.missing) == [str(paths[1])]
        assert "2 of 3 shards, 200 x 6" in repr(shards)
        assert len(shards) == len(shards.ids) == 200
        found = shards.search(ROWS[7], 5)
        assert found.ids.tolist() == without(1)
        assert list(found.missing) == [str(paths[1])]
        assert "no such file" in found.missing[str(paths[1])].lower()
        assert repr(found) == "<treadle.search.Result one query, 5 nearest, without 1 shard>"
        with pytest.raises(treadle.UnknownId, match=r"no row has 1; without .*1\.index"):
            shards.get([0, 1])
        assert asyncio.run(shards.search_async(ROWS[7], 5)).missing == found.missing


def test_all_files_gone_is_an_error_even_for_a_partial_answer(paths):
    for path in paths:
        os.unlink(path)
    with pytest.raises(treadle.ShardLost, match="3 of 3 shards are lost"):
        Sharded(paths, partial=True)


@pytest.mark.parametrize("searched", [False, True])
def test_a_shard_that_is_damaged_after_it_was_opened(paths, searched):
    """Vectors are compared with their checksums when they are measured: between two searches, and
    in the middle of one, after other shards have answered."""
    with Sharded(paths, device="cpu") as shards, Sharded(paths, partial=True) as partial:
        if searched:  # of another shard's rows alone
            shards.search(ROWS[0], 3, where=IDS[OWNERS == 0])
            partial.search(ROWS[0], 3, where=IDS[OWNERS == 0])
        damage(paths[2])
        with pytest.raises(treadle.ShardLost, match=r"2\.index: damaged") as caught:
            shards.search(ROWS[7], 5)
        assert isinstance(caught.value.__cause__, treadle.FileDamaged)
        found = partial.search(ROWS[7], 5)
        assert found.ids.tolist() == without(2)
        assert list(found.missing) == [str(paths[2])]
        assert partial.missing == {}
        # The others go on, and a search that needs none of the damaged rows is whole.
        assert shards.search(ROWS[7], 1, where=[7, 9]).ids.tolist() == [7]
        assert not partial.search(ROWS[7], 1, where=[7, 9]).missing
        with pytest.raises(treadle.FileDamaged, match=r"2\.index"):
            shards.verify()


def test_a_search_of_several_tasks_says_to_each_what_is_missing(paths):
    damaged = str(paths[0])

    async def ask(shards):
        return await asyncio.gather(*[shards.search_async(row, 2) for row in ROWS[:9]])

    with Sharded(paths, partial=True, device="cpu") as shards:
        whole = asyncio.run(ask(shards))
        assert [found.missing for found in whole] == [{}] * 9
        assert [int(found.ids[0]) for found in whole] == list(range(9))
    with Sharded(paths, partial=True, device="cpu") as shards:
        damage(damaged)
        found = asyncio.run(ask(shards))
        assert [list(each.missing) for each in found] == [[damaged]] * 9
        assert all(OWNERS[each.ids].all() for each in found)
    shards = Sharded(paths, device="cpu")
    with shards, pytest.raises(treadle.ShardLost, match=r"0\.index"):
        asyncio.run(ask(shards))


def test_files_of_several_kinds_are_refused_by_name(tmp_path, paths):
    others = {
        "its dim is 3, that of .*0.index is 6": {"vectors": [[1, 2, 3]]},
        "its metric is l1, that of": {"metric": "l1"},
        "its dtype is u8, that of": {"dtype": "u8", "vectors": [[1] * 6]},
        "'n' holds whole numbers in .*0.index and strings in .*x.index": {"columns": {"n": ["a"]}},
    }
    for message, given in others.items():
        given = {"vectors": ROWS[:1], "ids": [900], "columns": None} | given
        odd = saved(tmp_path, "x.index", **given)
        with pytest.raises(treadle.SearchError, match=message):
            Sharded([*paths, odd], device="cpu")


def test_ids_that_two_shards_have_are_refused_and_named(tmp_path, paths):
    again = saved(tmp_path, "again.index", ROWS[:9], [*range(290, 298), 500])
    message = r"290 is in .*2\.index and in .*again\.index; 8 ids are in .*\(290.*294 and 3 more\)"
    with pytest.raises(treadle.SearchError, match=message):
        Sharded([*paths, again], device="cpu")
    apart = saved(tmp_path, "apart.index", ROWS[:1], [300])
    with Sharded([*paths, apart], device="cpu") as shards:
        assert len(shards) == 301


def test_a_column_that_a_shard_lacks_is_null_there(tmp_path):
    rows = ROWS[:6]
    one = saved(tmp_path, "one", rows[:2], [0, 1], {"a": [1, None], "b": ["x", "y"]})
    two = saved(tmp_path, "two", rows[2:4], [2, 3], {"c": [True, False], "a": [0.5, 1.0]})
    bare = saved(tmp_path, "bare", rows[4:], [4, 5])
    with Sharded([one, two, bare], device="cpu") as shards:
        assert shards.columns == {"a": "f64", "b": "text", "c": "bool"}
        query = rows[0]
        assert sorted(shards.search(query, 9, "a >= 1").ids) == [0, 3]
        assert sorted(shards.search(query, 9, "b is null and not c").ids) == [3]
        assert sorted(shards.search(query, 9, "c is null").ids) == [0, 1, 4, 5]
        assert shards.get_columns([5, 2, 0]) == {
            "a": [None, 0.5, 1],
            "b": [None, None, "x"],
            "c": [None, True, None],
        }
        with pytest.raises(treadle.PredicateError, match="no column 'd'; there are 'a', 'b', 'c'"):
            shards.search(query, 1, "d > 1")
        with pytest.raises(treadle.PredicateError):
            shards.search(query, 1, "b > 1")


@pytest.mark.parametrize(
    "ask, message",
    [
        (lambda s: s.search([1, 2], 3), "has 6 dimensions, got vectors of 2"),
        (lambda s: s.search([np.nan] * 6, 3), "has to be finite"),
        (lambda s: s.search(ROWS[0], 0), "k: expected a whole number from 1 on"),
        (lambda s: s.search(ROWS[0], 1, np.ones(9, bool)), "for each of the 300 rows"),
        (lambda s: s.search(ROWS[0], 1, 7), "expected a predicate"),
        (lambda s: s.search(ROWS[0], 1, probes=0), "probes: expected"),
        (lambda s: s.get([7, 999]), "no row has 999"),
    ],
)
def test_what_is_asked_wrongly_is_refused(paths, ask, message):
    with Sharded(paths, device="cpu") as shards, pytest.raises(treadle.SearchError, match=message):
        ask(shards)


@pytest.mark.parametrize(
    "given, message",
    [
        ("one.index", "expected a list of index files, got 'one.index'; for one file write"),
        ([], "expected one index file at least"),
        ([3], "expected paths of files, got 3"),
        (["a\0b"], "is not a path"),
        (7, "expected a list of index files, got 7"),
    ],
)
def test_paths_that_are_none_are_refused(given, message):
    with pytest.raises(treadle.SearchError, match=message):
        Sharded(given)


def test_a_file_twice_is_refused_under_any_name(paths, tmp_path):
    os.symlink(paths[0], tmp_path / "link")
    with pytest.raises(treadle.SearchError, match=r"link is there twice \(as .*0\.index\)"):
        Sharded([*paths, tmp_path / "link"])


def test_shards_without_rows(tmp_path, paths):
    empty = saved(tmp_path, "empty", [], [], dim=6)
    with Sharded([empty, *paths], device="cpu") as shards:
        assert shards.search(ROWS[7], 1).ids.tolist() == [7]
    with Sharded([empty], device="cpu") as shards:
        assert len(shards) == 0
        with pytest.raises(treadle.SearchError, match="the index is empty"):
            shards.search(ROWS[7], 1)


def test_a_sharded_index_is_closed_once_and_for_all(paths):
    shards = Sharded(paths, device="cpu")
    assert [7 in shards, 999 in shards, "x" in shards, 2**70 in shards] == [True, *[False] * 3]
    shards.close()
    shards.close()
    for use in (lambda: shards.search(ROWS[0], 1), lambda: shards.get(7), lambda: shards.ids):
        with pytest.raises(treadle.SearchError, match="the index is closed"):
            use()
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        pickle.dumps(shards)


def test_files_are_let_go_where_they_do_not_fit(paths, tmp_path):
    odd = saved(tmp_path, "odd", ROWS[:1, :5], [900])
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(treadle.SearchError):
        Sharded([*paths, odd], device="cpu")
    if before:
        assert len(os.listdir("/proc/self/fd")) == before


def test_streams_and_lists(paths):
    one = Index(6, device="cpu")
    one.add(ROWS)
    with Sharded(paths, device="cpu") as shards:
        batches = [ROWS[n : n + 50] for n in range(0, 300, 50)]
        for found, expected in zip(
            stream(shards, batches, 4), stream(one, batches, 4), strict=True
        ):
            shards_of.same(found, expected)
        every = shards.search(ROWS[:9], 20, probes=100)
        shards_of.same(every, one.search(ROWS[:9], 20))
        few = shards.search(ROWS[:9], 90, probes=1)  # the lists have fewer rows than are wanted
        assert few.ids.shape == (9, 90)
        assert (few.ids[np.isinf(few.distances)] == -1).all()
        assert np.isinf(few.distances).any()


def test_mixed_searches_of_tasks(paths):
    one = Index(6, device="cpu")
    one.add(ROWS, columns={"n": IDS})

    async def ask(index):
        wheres = [None, "n < 100", IDS % 2 == 0, {3, 4, 5}]
        return await asyncio.gather(
            *[index.search_async(ROWS[n], 3 + n % 2, wheres[n % 4]) for n in range(12)],
            index.search_async(ROWS[:70], 2),
            index.search_async(ROWS[:0], 2),
        )

    async def both():
        async with Sharded(paths, device="cpu") as shards:
            return await ask(shards), await ask(one), shards.report.batches

    found, expected, batches = asyncio.run(both())
    for each, right in zip(found, expected, strict=True):
        shards_of.same(each, right)
    assert 0 < batches < 13
