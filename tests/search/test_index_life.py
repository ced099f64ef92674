"""Threads, forks, exits, finalizers, Ctrl-C and logs: what an index is in the middle of things."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest

import treadle
from chaos.places import Interrupts
from runtime.test_process import forks, script
from treadle.search import Index, changes, current, table
from treadle.search.table import Table

RNG = np.random.default_rng(11)


@pytest.fixture(autouse=True)
def on_the_cpu():
    with treadle.use_device("cpu"):
        yield


@pytest.fixture
def index():
    made = Index(4)
    made.add(RNG.normal(size=(100, 4)), columns={"n": np.arange(100)})
    return made


def few(monkeypatch):
    """Have even a few removed rows be worth a compaction."""
    monkeypatch.setattr(current, "_FEW", 4)


def settled(index):
    """The index when its thread has ended."""
    index._current.end()
    return index


def test_removed_rows_are_cleared_out_in_the_background(monkeypatch):
    few(monkeypatch)
    index = Index(4)
    index.add(RNG.normal(size=(100, 4)))
    kept = index.get([90, 95])
    index.remove(range(90))
    assert settled(index)._current.dead == 0
    assert index._current.latest.table.count == 10
    assert index.ids.tolist() == list(range(90, 100))
    np.testing.assert_array_equal(index.get([90, 95]), kept)
    assert not [each for each in threading.enumerate() if each.name == "treadle-search"]


def test_rows_that_a_device_rounds_are_cleared_out_in_the_background(monkeypatch):
    """The thread waits for the device, which it may."""
    few(monkeypatch)
    monkeypatch.setattr(table, "rounds_there", lambda *_: True)
    index = Index(128)
    index.add(RNG.normal(size=(9000, 128)))
    index.remove(range(3000))
    assert settled(index)._current.dead == 0
    assert index._current.latest.table.count == 6000


def test_few_removed_rows_are_left_where_they_are(index):
    index.remove(range(90))
    assert settled(index)._current.dead == 90


@pytest.mark.parametrize("catch_up", [0, 1000])
def test_changes_during_a_compaction_are_not_lost(index, monkeypatch, catch_up):
    monkeypatch.setattr(current, "_CATCH_UP", catch_up)
    real, rounds = changes.rebuilt, []

    def rebuilt(*args):
        made = real(*args)
        rounds.append(made.count)
        index.remove([50, 51])
        index.update([60, 61], np.ones((2, 4)), {"n": [-1, -2]})
        index.add(np.full((3, 4), 2.0), ids=[7, 300, 5], columns={"n": [70, 71, 72]})
        return made

    monkeypatch.setattr(current, "rebuilt", rebuilt)
    index.remove(range(40))
    snapshot = index.snapshot()
    index.compact()
    assert rounds == [60]
    assert snapshot.ids.tolist() == list(range(40, 100))
    wanted = [5, 7, *(n for n in range(40, 100) if n not in (50, 51)), 300]
    assert index.ids.tolist() == wanted
    assert index._current.latest.table.count == 60 + 2 + 3
    assert index.search(np.full(4, 2.0), 3).ids.tolist() == [5, 7, 300]
    assert index.search(np.ones(4), 2).ids.tolist() == [60, 61]
    assert index.get_columns([60, 61, 7, 99])["n"] == [-1, -2, 70, 99]
    assert index.add(np.zeros((1, 4))).tolist() == [301]


def test_of_two_compactions_the_first_counts(index, monkeypatch):
    real = changes.rebuilt

    def rebuilt(*args):
        monkeypatch.setattr(current, "rebuilt", real)
        index.compact()
        index.add(np.zeros((1, 4)))
        return real(*args)

    monkeypatch.setattr(current, "rebuilt", rebuilt)
    index.remove(range(40))
    index.compact()
    assert len(index) == 61
    assert index._current.latest.table.count == 61


def test_an_index_that_is_let_go_in_the_middle_of_a_compaction_is_gone(monkeypatch):
    few(monkeypatch)
    monkeypatch.setattr(changes, "_AT_ONCE", 10)
    begun, go_on = threading.Event(), threading.Event()
    real, ended = changes.rebuilt, []

    def rebuilt(state, table, wanted):
        begun.set()
        assert go_on.wait(60)
        ended.append(real(state, table, wanted))
        return ended[-1]

    monkeypatch.setattr(current, "rebuilt", rebuilt)
    index = Index(4)
    index.add(RNG.normal(size=(100, 4)))
    index.remove(range(60))
    assert begun.wait(60)
    attendant = index._current._attendant
    here = weakref.ref(index)
    del index
    gc.collect()
    assert here() is None
    go_on.set()
    attendant.dismiss()
    assert ended == [None]


def test_a_compaction_that_fails_is_told_and_leaves_the_index(monkeypatch):
    few(monkeypatch)
    told = []
    monkeypatch.setattr(threading, "excepthook", told.append)
    index = Index(4)
    index.add(RNG.normal(size=(100, 4)))

    def full(*_):
        raise treadle.OutOfMemory("no room")

    monkeypatch.setattr(current, "rebuilt", full)
    index.remove(range(60))
    index.remove([60])
    settled(index)
    assert [str(each.exc_value) for each in told] == ["no room"]
    assert index.ids.tolist() == list(range(61, 100))
    with pytest.raises(treadle.OutOfMemory):
        index.compact()


def test_searches_see_all_of_a_change_or_nothing_while_writers_go_on(monkeypatch):
    few(monkeypatch)
    index = Index(2)
    index.add(np.zeros((2, 2)), ids=[0, 1])
    wrong, done = [], threading.Event()

    def write(first):
        for turn in range(40):
            ids = [first + turn, first + 500 + turn]
            index.add(np.full((2, 2), first), ids=ids)
            index.update(ids, np.full((2, 2), -first))
            if turn % 2:
                index.remove(ids)

    def look():
        while not done.is_set():
            snapshot = index.snapshot()
            ids = snapshot.search([0, 0], 10**6).ids
            if len(ids) != len(snapshot) or len(ids) % 2 or sorted(ids) != snapshot.ids.tolist():
                wrong.append(ids)

    writers = [threading.Thread(target=write, args=(1000 * n,)) for n in (1, 2)]
    lookers = [threading.Thread(target=look) for _ in range(2)]
    for thread in writers + lookers:
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in lookers:
        thread.join()
    assert not wrong
    assert len(settled(index)) == 2 + 2 * 2 * 20


def test_a_finalizer_may_search_in_the_middle_of_a_change_and_not_change(index, monkeypatch):
    real, refused = Table.append, []

    def append(table, vectors):
        for use in (
            lambda: index.add(np.zeros((1, 4))),
            lambda: index.remove([1]),
            lambda: index.update([1], np.zeros((1, 4))),
            index.compact,
        ):
            with pytest.raises(treadle.CommandError, match="finalizer"):
                use()
            refused.append(use)
        assert index.search(np.zeros(4), 3).ids.shape == (3,)
        assert len(index) == 100
        real(table, vectors)

    monkeypatch.setattr(Table, "append", append)
    index.add(np.zeros((1, 4)))
    assert len(refused) == 4
    assert len(index) == 101


def test_a_finalizer_may_change_the_index_in_the_middle_of_a_search(index, monkeypatch):
    real = Table._viewed

    def viewed(table):
        monkeypatch.setattr(Table, "_viewed", real)
        index.add(np.zeros((70, 4)), ids=range(200, 270))
        return real(table)

    monkeypatch.setattr(Table, "_viewed", viewed)
    assert index.search(np.zeros(4), 1000).ids.shape == (100,)
    assert index.search(np.zeros(4), 1000).ids.shape == (170,)
    assert index.search(np.zeros(4), 2).ids.tolist() == [200, 201]


# Ctrl-C.

USES = {
    "add": lambda index: index.add(np.full((2, 4), 9.0), ids=[500, 400], columns={"n": [1, 2]}),
    "grow": lambda index: index.add(np.full((90, 4), 9.0)),
    "update": lambda index: index.update([3, 2], np.full((2, 4), 9.0)),
    "remove": lambda index: index.remove([5, 6]),
    "compact": lambda index: index.compact(),
}


def held(index):
    ids = index.ids
    return ids.tolist(), index.get(ids).tolist(), index.get_columns(ids)


@pytest.mark.parametrize("use", USES)
def test_ctrl_c_anywhere_leaves_all_of_a_change_or_nothing(use):
    vectors = RNG.normal(size=(40, 4)).astype(np.float32)

    def made():
        index = Index(4)
        index.add(vectors, columns={"n": range(40)})
        index.remove([39])
        return index

    before = held(made())
    after = made()
    USES[use](after)
    allowed = [before, held(after)]
    at = 0
    while True:
        at += 1 + at // 12
        index = made()
        try:
            with Interrupts(at) as places:
                USES[use](index)
        except KeyboardInterrupt:
            pass
        assert held(index) in allowed, places.places
        more = np.arange(1000, 1100)
        index.add(np.full((100, 4), 5.0), ids=more)  # and it goes on
        index.remove([0])
        assert index.search(np.full(4, 5.0), 100).ids.tolist() == more.tolist(), places.places
        assert not index._current.lock._is_owned()
        if not places.places:
            break
    assert at > 20


# Logs.


class Remembering:
    """A log in memory, which can be full."""

    def __init__(self, index):
        self.index, self.records, self.waited, self.full = index, [], 0, False
        self.written = 0

    def __call__(self, kind, meta, arrays):
        if self.full:
            raise OSError("no space left")
        self.records.append((kind, meta, {name: np.array(a) for name, a in arrays.items()}))
        self.written += 1
        return self.wait

    def wait(self):
        assert not self.index._current.lock._is_owned()
        self.waited += 1


@pytest.fixture
def logged():
    index = Index(4)
    index._log = Remembering(index)
    return index


def test_a_log_has_every_change_from_which_the_index_can_be_made_again(logged):
    logged.add(
        RNG.normal(size=(20, 4)),
        columns={"t": ["a", None] * 10, "n": [1, None] * 10, "x": [None] * 20, "b": [None] * 20},
    )
    logged.add(RNG.normal(size=(3, 4)), ids=[90, 50, 70], columns={"x": [1.5, None, 2]})
    logged.update([90, 3], np.ones((2, 4)))
    logged.update([4], columns={"t": ["é"], "b": [True]})
    logged.remove([1, 50])
    logged.add(RNG.normal(size=(1, 4)))
    log = logged._log
    assert [kind for kind, _, _ in log.records] == "add add update update remove add".split()
    assert log.waited == 6
    assert all(a.dtype.kind in "iuf" for _, _, arrays in log.records for a in arrays.values())
    again = Index(4)
    for record in log.records:
        again._apply(*record)
    assert held(again) == held(logged)
    assert again.columns == logged.columns
    assert again.add(np.zeros((1, 4))).tolist() == [92]


def test_what_a_log_refuses_has_not_happened(logged):
    vectors = RNG.normal(size=(30, 4))
    logged.add(vectors[:10], columns={"t": ["a"] * 10})
    before, log = held(logged), logged._log
    log.full = True
    for use in (
        lambda: logged.add(vectors[10:20], columns={"t": ["b"] * 10}),
        lambda: logged.update([3], vectors[3:4] + 1),
        lambda: logged.remove([3]),
    ):
        with pytest.raises(OSError, match="no space"):
            use()
        assert held(logged) == before
    log.full = False
    assert logged.add(vectors[20:], columns={"t": ["c"] * 10}).tolist() == list(range(10, 20))
    for n, vector in enumerate(vectors[20:]):
        assert logged.search(vector, 1).ids.tolist() == [10 + n]
    assert logged.search(vectors[0], 99, where="t == 'b' or t is null").ids.tolist() == []
    logged.update([15], vectors[:1])
    assert logged.search(vectors[0], 2).ids.tolist() == [0, 15]
    restored = Index._restored(*logged._state(), "cpu")
    assert held(restored) == held(logged)
    logged.compact()
    assert held(restored) == held(logged)
    assert logged._current.dead == 0


def test_ctrl_c_in_a_log_leaves_the_index_as_the_log_has_it():
    vectors = RNG.normal(size=(4, 4))
    at, kept = 0, set()
    while True:
        at += 1
        index = Index(4)
        index._log = log = Remembering(index)
        gc.collect()  # of cycles that earlier turns left: Python cannot raise in their callbacks
        try:
            with Interrupts(at) as places:
                index.add(vectors)
        except KeyboardInterrupt:
            kept.add(log.written)
        assert len(index) == 4 * log.written, places.places
        if not places.places:
            break
    assert kept == {0, 1}


# Processes.


@forks
def test_a_forked_process_goes_on_with_the_index_and_its_parent_too(tmp_path):
    lines = script(
        """
        import os, sys, threading
        import numpy as np, treadle
        from treadle.search import Index

        index = Index(3, device="cpu")
        vectors = np.random.default_rng(0).normal(size=(200, 3))
        index.add(vectors)
        index.remove([7])
        index.search(vectors[0], 1)
        taking = threading.Event()

        def hold():
            with index._current.lock, index._current.latest.table._lock:
                taking.set()
                threading.Event().wait()

        threading.Thread(target=hold, daemon=True).start()
        taking.wait()
        child = os.fork()
        if not child:
            found = index.search(vectors[8], 1).ids.tolist()
            index.add(vectors[7:8])
            index.compact()
            print(found, index.search(vectors[7], 1).ids.tolist(), len(index), flush=True)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        print(len(index))
        """,
        tmp_path=tmp_path,
    )
    assert lines == ["[8] [200] 200", "199"]


def test_an_index_that_outlives_the_interpreter_is_let_go_in_silence(tmp_path):
    """What holds it is taken down after imports are: so does the traceback of what ends a script,
    at times."""
    script(
        f"""
        import builtins
        import numpy as np
        from treadle.search import Index

        path = {str(tmp_path / "an.index")!r}
        with Index(3, device="cpu") as made:
            made.add(np.zeros((3, 3)))
            made.save(path)
        builtins.kept = Index.open(path, durable=True, device="cpu")
        """,
        tmp_path=tmp_path,
    )


def test_a_process_ends_in_the_middle_of_a_compaction(tmp_path):
    lines = script(
        """
        import atexit, threading
        import numpy as np
        from treadle.search import Index, changes, current, table

        changes._AT_ONCE = 64
        begun = threading.Event()
        index = Index(3, device="cpu")
        index.add(np.zeros((100_000, 3), np.float32))
        real = current.rebuilt

        def rebuilt(state, table, wanted):
            print("begun", flush=True)
            begun.set()
            made = real(state, table, wanted)
            print("given up" if made is None else "made", flush=True)
            return made

        current.rebuilt = rebuilt
        index.remove(range(30_000))
        begun.wait()
        atexit.register(lambda: print(len(index)))
        """,
        tmp_path=tmp_path,
    )
    assert lines[0] == "begun"
    assert set(lines[1:]) <= {"70000", "given up", "made"}
    assert "70000" in lines
