"""Durable indexes: what a call returned from is there, whatever comes after it."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treadle
from search import remembered
from search.filed import DIM, contents, filled, last_record, rows, same
from treadle.search import Index, saved, site, storage, table
from treadle.search.log import Log

posix = pytest.mark.skipif(os.name != "posix", reason="forks are POSIX")


@pytest.fixture(autouse=True)
def on_the_cpu():
    with treadle.use_device("cpu"):
        yield


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.index"


def test_a_durable_index_keeps_what_a_call_returned_from(path):
    filled().save(path)
    with Index.open(path, durable=True) as index:
        index.add(rows(20, 1), columns={"price": np.arange(20), "lang": ["x"] * 20})
        index.remove([1, 2, 105])
        index.update([3], rows(1, 2))
        index.update([4], columns={"lang": ["y"], "good": [False]})
        same(Index.open(path), index)  # while it is open: nothing waits for its end
        expected = contents(index)
    assert last_record(path) == 4
    with Index.open(path, durable=True) as again:
        assert contents(again) == expected
        again.remove([50])
        again.save(path)  # which empties the log
        assert again.add(rows(1)).tolist() == [120]
        assert last_record(path) == 6
        expected = contents(again)
    assert contents(Index.open(path)) == expected
    Index.open(path).verify()


def test_paths_are_text_or_bytes(path):
    filled().save(os.fsencode(path))
    with Index.open(os.fsencode(path), durable=True) as index:
        index.remove([1])
        index.save(os.fsencode(path))
    assert len(Index.open(path)) == 99


@pytest.mark.parametrize("path", ["a\0b", b"a\0b", "half a pair \ud800"])
def test_what_is_no_path_is_refused(path):
    for use in (filled().save, Index.open):
        with pytest.raises(treadle.FileError, match="this is not a path"):
            use(path)


def test_a_file_and_a_log_of_any_two_moments_of_a_checkpoint_say_the_same(path, monkeypatch):
    filled(20).save(path)
    index = Index.open(path, durable=True)
    index.add(rows(5, 1))
    real = os.replace

    def stopped(*args, **options):
        renamed.append(args)
        if len(renamed) > after:
            raise KeyboardInterrupt
        return real(*args, **options)

    for after in (0, 1, 2):
        renamed: list[object] = []
        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", stopped)
            if after < 2:
                with pytest.raises(KeyboardInterrupt):
                    index.save(path)
            else:
                index.save(path)
        assert contents(Index.open(path)) == contents(index)
        index.add(rows(1, after))
        assert contents(Index.open(path)) == contents(index)


def test_a_log_that_has_grown_is_emptied_in_the_background(path, monkeypatch):
    monkeypatch.setattr(saved, "_LEAST", 2000)
    monkeypatch.setattr(saved, "_SHARE", 1 << 30)
    filled(20).save(path)
    index = Index.open(path, durable=True)
    for k in range(40):
        index.add(rows(3, k))
    expected = contents(index)
    index._log._attendant.dismiss()  # which waits for the thread
    index.close()
    log = path.with_name("a.index.log")
    assert log.stat().st_size < 4 * 2000
    assert storage.read(path).meta["through"] > 0
    assert contents(Index.open(path)) == expected


def test_what_a_device_rounds_after_a_checkpoint_in_the_background_is_there(path, monkeypatch):
    """The thread waits for the device, which it may."""
    with Index(128) as made:
        made.add(np.ones((20, 128)))
        made.save(path)
    index = Index.open(path, durable=True)
    real, more = saved.put, np.random.default_rng(1).normal(size=(900, 128))

    def put(*args):
        real(*args)
        monkeypatch.setattr(saved, "put", real)
        for k in range(10):
            index.add(more + k)  # the file does not have them
        monkeypatch.setattr(table, "rounds_there", lambda *_: True)

    monkeypatch.setattr(saved, "put", put)
    index._log._limit = 1
    index.add(np.zeros((1, 128)))
    index._log._attendant.dismiss()  # which waits for the thread
    assert len(index) == 9021
    assert index.search(more[5] + 3, 1).ids == 21 + 2705
    index.close()


def test_a_checkpoint_takes_what_was_added_out_of_memory(path, monkeypatch):
    filled(40).save(path)
    with Index.open(path, durable=True) as index:
        index.add(rows(200, 1))
        index.remove(index.ids[:60])
        before = index.snapshot()
        kept = contents(index)
        real = saved.unpack_state

        def late(*args):
            made = real(*args)
            index.add(rows(3, 2), ids=[1000, 1001, 1002])  # while the new file is opened
            index.remove([100])
            return made

        with monkeypatch.context() as patch:
            patch.setattr(saved, "unpack_state", late)
            index.save(path)
        table = index._current.latest.table
        assert len(table.vectors) == 180 + 3
        assert len(table._vectors._kept) == 180  # of the file
        same(Index.open(path), index)
        assert 100 not in index
        assert 1002 in index
        assert (before.ids.tolist(), before.get(before.ids).tolist()) == kept[:2]
        index.verify()
        index.update([1000], rows(1))
        same(Index.open(path), index)


def test_a_save_in_the_middle_of_a_save_by_the_same_thread_is_refused(path, monkeypatch):
    """As a finalizer could try it, which would wait for itself."""
    filled(20).save(path)
    with Index.open(path, durable=True) as index, monkeypatch.context() as patch:
        patch.setattr(saved, "put", lambda *args: index.save(path))
        with pytest.raises(treadle.CommandError, match="saved by a finalizer"):
            index.save(path)


def test_an_index_that_is_closed_begins_no_checkpoint_and_ends_one_that_runs(path, monkeypatch):
    monkeypatch.setattr(saved, "_LEAST", 500)
    monkeypatch.setattr(saved, "_SHARE", 1 << 30)
    reported: list[object] = []
    monkeypatch.setattr(saved, "report", reported.append)
    filled(20).save(path)
    for _ in range(10):
        index = Index.open(path, durable=True)
        index.add(rows(10))
        expected = contents(index)
        index.close()
        assert contents(Index.open(path)) == expected
    assert not reported


def test_a_background_checkpoint_that_fails_is_reported_and_loses_nothing(path, monkeypatch):
    monkeypatch.setattr(saved, "_LEAST", 500)
    monkeypatch.setattr(saved, "_SHARE", 1 << 30)
    filled(20).save(path)
    monkeypatch.setattr(saved, "put", lambda *args: 1 / 0)
    reported = []
    monkeypatch.setattr(saved, "report", reported.append)
    index = Index.open(path, durable=True)
    for k in range(10):
        index.add(rows(3, k))
    expected = contents(index)
    index._log._attendant.dismiss()
    index.close()
    assert 0 < len(reported) < 5
    assert isinstance(reported[0], ZeroDivisionError)
    assert contents(Index.open(path)) == expected


def test_one_durable_index_at_a_time_and_any_number_of_readers(path):
    filled(20).save(path)
    with Index.open(path, durable=True) as index:
        for use in (lambda: Index.open(path, durable=True), lambda: filled(20).save(path)):
            with pytest.raises(treadle.FileBusy, match="this process has it open for writing"):
                use()
        reader = Index.open(path)
        index.remove([0])
        assert 0 in reader
        reader.add(rows(1))  # in memory, as with every index that is not durable
    Index.open(path, durable=True).close()
    kept = Index.open(path, durable=True)
    del kept, index  # one that is forgotten lets go, too
    Index.open(path, durable=True).close()


def test_a_full_disk_in_the_middle_of_an_add_leaves_the_index_as_it_was(path, monkeypatch):
    filled(20).save(path)
    with Index.open(path, durable=True) as index:
        before, real = contents(index), os.pwrite

        def full(opened, data, at):
            if len(data) < 200:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(opened, data[: len(data) // 2], at)

        with monkeypatch.context() as patch:
            patch.setattr(os, "pwrite", full)
            for change in (
                lambda: index.add(rows(30, 1)),
                lambda: index.remove([1]),
                lambda: index.update([1], rows(1, 3)),
                lambda: index.save(path),
            ):
                with pytest.raises(treadle.FileError, match=r"No space left.*make room") as caught:
                    change()
                assert caught.value.errno == errno.ENOSPC
                assert contents(index) == before
        assert index.add(rows(30, 1)).tolist() == list(range(20, 50))
        same(Index.open(path), index)


def test_ctrl_c_while_a_change_waits_for_the_disk_leaves_log_and_index_alike(path, monkeypatch):
    filled(20).save(path)
    with Index.open(path, durable=True) as index:
        for name in ("pwrite", "fdatasync"):

            def interrupted(*args):
                raise KeyboardInterrupt

            with monkeypatch.context() as patch:
                patch.setattr(os, name, interrupted)
                with pytest.raises(KeyboardInterrupt):
                    index.remove([3])
            assert contents(Index.open(path)) == contents(index)
            assert (3 in index) == (name == "pwrite")
        index.add(rows(1), ids=[3])
        assert contents(Index.open(path)) == contents(index)


def test_saving_over_a_durable_index_takes_its_log_along(path, monkeypatch):
    filled(20).save(path)
    with Index.open(path, durable=True) as index:
        index.add(rows(5))
    other = Index(DIM)
    other.add(rows(7, 5))
    with monkeypatch.context() as patch:
        real = site.Folder.unlink

        def stopped(self, name):
            if name.endswith(".log"):
                raise KeyboardInterrupt
            real(self, name)

        patch.setattr(site.Folder, "unlink", stopped)
        with pytest.raises(KeyboardInterrupt):
            other.save(path)
    assert last_record(path) == 1
    assert contents(Index.open(path)) == contents(other)
    other.save(path)
    assert last_record(path) is None
    with Index.open(path, durable=True) as index:
        index.add(rows(1))
        assert len(index) == 8
    assert len(Index.open(path)) == 8


def test_a_reader_that_comes_between_two_checkpoints_looks_again(path, monkeypatch):
    filled(20).save(path)
    index = Index.open(path, durable=True)
    index.remove([0])
    real, left = saved._read, [2]

    def slow(where):
        found = real(where)
        if left[0]:
            left[0] -= 1
            index.remove([left[0] + 1])
            index.save(path)
        return found

    monkeypatch.setattr(saved, "_read", slow)
    assert contents(Index.open(path)) == contents(index)


@pytest.mark.parametrize(
    "kind, arrays",
    [
        ("add", {"ids": np.array([99]), "vectors": rows(1), "meta": np.zeros(1)}),
        ("remove", {"ids": np.array([99])}),
        ("add", {"ids": np.array([1]), "vectors": rows(1)}),
        ("add", {"ids": np.array([99]), "vectors": rows(2)}),
        ("add", {"ids": np.array([99]), "vectors": np.full((1, DIM), np.nan, np.float32)}),
        ("add", {}),
        ("dance", {"ids": np.array([99]), "vectors": rows(1)}),
    ],
)
def test_a_whole_record_that_does_not_fit_is_refused(path, kind, arrays):
    filled(20).save(path)
    lineage = bytes.fromhex(storage.read(path).meta["lineage"])
    with Log.open(path, lineage=lineage) as log:
        log.append(kind, {"columns": 7 if "meta" in arrays else []}, arrays)
    for durable in (False, True):
        with pytest.raises(treadle.FileDamaged, match=r"a\.index\.log: damaged: record 1: "):
            Index.open(path, durable=durable)


@posix
def test_a_forked_child_reads_and_does_not_write(path):
    filled(20).save(path)
    index = Index.open(path, durable=True)
    child = os.fork()
    if not child:
        status = 1
        try:
            with pytest.raises(treadle.FileError, match="opened before a fork"):
                index.remove([1])
            assert index.get([1]).tolist() == rows(20)[1:2].tolist()
            del index
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    index.remove([1])
    assert contents(Index.open(path)) == contents(index)


@given(
    st.lists(
        st.tuples(
            st.sampled_from("add add remove update save checkpoint reopen durable".split()),
            st.integers(0, 2**31),
        ),
        max_size=12,
    )
)
@settings(max_examples=25, deadline=None)
def test_any_programme_of_changes_saves_and_openings(tmp_path_factory, steps):
    path = tmp_path_factory.mktemp("any") / "a.index"
    index, kept = Index(DIM), {}
    index.save(path)
    durable = False
    for what, seed in steps:
        dice = np.random.default_rng(seed)
        some = dice.permutation(sorted(kept))[: dice.integers(0, 4)].astype(np.int64)
        match what:
            case "add":
                fresh = rows(int(dice.integers(0, 40)), seed)
                kept.update(zip(index.add(fresh).tolist(), fresh, strict=True))
            case "remove":
                index.remove(some)
                kept = {each: row for each, row in kept.items() if each not in some}
            case "update":
                fresh = rows(len(some), seed)
                index.update(some, fresh)
                kept.update(zip(some.tolist(), fresh, strict=True))
            case "save" | "checkpoint":
                index.save(path)
            case _:
                if not durable:
                    index.save(path)
                index.close()
                durable = what == "durable"
                index = Index.open(path, durable=durable)
        assert index.ids.tolist() == sorted(kept)
    if kept:
        np.testing.assert_array_equal(index.get(index.ids), [kept[each] for each in sorted(kept)])
        found = index.search(rows(1, 99)[0], 5)
        assert found.ids.tolist() == remembered.nearest(rows(1, 99)[0], kept, 5)[1].tolist()
    index.close()
