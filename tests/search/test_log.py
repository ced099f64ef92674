"""The log of a durable index: what was promised is there, what was not may be cut off."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest

import treadle
from treadle.search import log_records as records
from treadle.search import site
from treadle.search.log import Log, find_log, read_log

posix = pytest.mark.skipif(os.name != "posix", reason="forks and links are POSIX")
OURS = bytes(range(16))
VECTORS = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.index"


def beside(path):
    return path.with_name("a.index.log")


def fill(path, count=3, *, unsynced=0):
    with Log.open(path, lineage=OURS) as log:
        for k in range(count):
            log.append("add", {"k": k}, {"vectors": VECTORS + k, "ids": np.array([k])})
        for k in range(count, count + unsynced):
            log.write("add", {"k": k}, {"vectors": VECTORS + k, "ids": np.array([k])})


def read(path, through=0):
    with site.Site(path) as where:
        return list(read_log(where, OURS, through))


def replayed(path, through=0):
    found = read(path, through)
    with Log.open(path, lineage=OURS, through=through) as log:
        again = list(log.replay())
    assert [(each.number, each.meta) for each in found] == [
        (each.number, each.meta) for each in again
    ]
    for each in found:
        if each.kind == "add":
            np.testing.assert_array_equal(each.arrays["vectors"], VECTORS + each.meta["k"])
            assert each.arrays["ids"].tolist() == [each.meta["k"]]
    return [each.number for each in found]


def test_records_come_back_in_order(path):
    fill(path, 5)
    assert replayed(path) == [1, 2, 3, 4, 5]
    assert replayed(path, through=3) == [4, 5]
    with Log.open(path, lineage=OURS) as log:
        assert log.append("remove", {}, {}) == 6
        assert log.last == 6
        assert repr(log) == f"Log({str(beside(path))!r}, 6 records)"
    assert replayed(path, through=5) == [6]


def test_nothing_is_there_before_the_first_record(path):
    with site.Site(path) as where:
        assert list(read_log(where, OURS, 0)) == []
        assert find_log(where) is None
    fill(path, 0)
    assert replayed(path) == []
    with site.Site(path) as where:
        assert find_log(where) == (OURS, 0)
    fill(path, 2)
    with site.Site(path) as where:
        assert find_log(where) == (OURS, 2)


def test_arrays_of_any_shape_in_a_record(path):
    arrays = {
        "none": np.zeros((0, 3), np.float32),
        "one": np.array(7, np.uint8),
        "odd": np.arange(13, dtype=np.int8),
        "turned": np.arange(12.0).reshape(3, 4).T,
        "other": np.arange(3, dtype=">i4"),
    }
    with Log.open(path, lineage=OURS) as log:
        log.append("x", {"y": [1, None, "z"]}, arrays)
        (found,) = log.replay()
    assert (found.kind, found.meta) == ("x", {"y": [1, None, "z"]})
    for name, expected in arrays.items():
        np.testing.assert_array_equal(found.arrays[name], expected)
        assert found.arrays[name].flags.aligned
        assert not found.arrays[name].flags.writeable
    with pytest.raises(ValueError, match="plain numbers"), Log.open(path, lineage=OURS) as log:
        log.append("x", {}, {"bad": np.array([{}])})
    with Log.open(path, lineage=OURS) as log:
        assert log.last == 1


@pytest.mark.parametrize("count", [100, 300_000])
def test_arrays_that_change_while_they_are_written_damage_no_record(path, monkeypatch, count):
    vectors, real = np.zeros(count), os.pwrite

    def changing(opened, data, at):
        vectors[:] += 1
        return real(opened, data, at)

    with Log.open(path, lineage=OURS) as log:
        with monkeypatch.context() as patch:
            patch.setattr(os, "pwrite", changing)
            log.append("x", {}, {"vectors": vectors})
        (found,) = log.replay()
    assert found.arrays["vectors"].shape == (count,)


def test_every_byte_that_was_promised_counts(path):
    fill(path)
    whole = beside(path).read_bytes()
    for at in range(len(whole)):
        data = bytearray(whole)
        data[at] ^= 1 << at % 8
        beside(path).write_bytes(data)
        with pytest.raises(treadle.FileDamaged, match=r"damaged|foreign|newer|cut off"):
            read(path)
        if at % 17 == 0:
            with pytest.raises(treadle.FileDamaged):
                Log.open(path, lineage=OURS)
        assert beside(path).read_bytes() == data  # and nothing was cut
    beside(path).write_bytes(whole)
    assert replayed(path) == [1, 2, 3]


def test_a_record_that_was_promised_and_is_missing(path):
    fill(path)
    whole = beside(path).read_bytes()
    for length in range(len(whole)):
        beside(path).write_bytes(whole[:length])
        with pytest.raises(treadle.FileDamaged, match="cut off"):
            read(path)


def test_a_torn_tail_is_cut_off(path):
    fill(path, 2, unsynced=1)
    whole = beside(path).read_bytes()
    fill(path.with_name("b"), 2)
    promised = path.with_name("b.log").stat().st_size
    for length in range(promised, len(whole)):
        beside(path).write_bytes(whole[:length])
        assert [each.number for each in read(path)] == [1, 2]
        if length % 7 == 0:
            assert replayed(path) == [1, 2]
            assert beside(path).stat().st_size == promised
    beside(path).write_bytes(whole)
    assert replayed(path) == [1, 2, 3]


def test_a_tail_that_never_reached_the_disk_is_cut_off(path):
    fill(path, 2, unsynced=2)
    whole = beside(path).read_bytes()
    fill(path.with_name("b"), 2)
    promised = path.with_name("b.log").stat().st_size
    end = promised + (len(whole) - promised) // 2
    for at in range(promised, len(whole)):
        data = bytearray(whole)
        data[at] ^= 0x55
        beside(path).write_bytes(data)
        found = [each.number for each in read(path)]
        assert found == ([1, 2] if at < end else [1, 2, 3])
    beside(path).write_bytes(whole[:promised] + bytes(len(whole) - promised))
    assert replayed(path) == [1, 2]
    fill(path, 1)  # and it is written over
    assert replayed(path)[:2] == [1, 2]


def test_records_of_another_place_are_no_records(path):
    """A vector may hold the bytes of a record, and a torn tail may leave them there."""
    fill(path, 1)
    inner = beside(path).read_bytes()[records.START :]
    length, pieces = records.body("add", {"k": 9}, {})
    forged = path.with_name("forged")
    with open(forged, "wb") as file:
        records.write_record(file.fileno(), 0, b"another index's.", 2, length, pieces)
    for tail in (inner, forged.read_bytes()):
        with open(beside(path), "ab") as file:
            file.write(tail)
        assert replayed(path) == [1]


def test_a_foreign_log_and_a_newer_one(path):
    fill(path)
    with pytest.raises(treadle.FileDamaged, match="the log of another index"):
        Log.open(path, lineage=bytes(16))
    with site.Site(path) as where, pytest.raises(treadle.FileDamaged, match="another index"):
        list(read_log(where, bytes(16), 0))
    beside(path).write_bytes(b"hello")
    with pytest.raises(treadle.FileDamaged, match="foreign: it is not a log"):
        Log.open(path, lineage=OURS)
    beside(path).write_bytes(b"")
    with pytest.raises(treadle.FileDamaged, match="cut off"):
        Log.open(path, lineage=OURS)


def test_forgetting_keeps_what_a_file_does_not_hold(path):
    fill(path, 5)
    with Log.open(path, lineage=OURS) as log:
        before = log.nbytes
        log.forget(3)
        assert log.nbytes < before
        assert [each.number for each in log.replay()] == [4, 5]
        assert log.append("x", {}, {}) == 6
    assert replayed(path, through=3) == [4, 5, 6]
    with pytest.raises(treadle.FileDamaged, match="ends with record 2, its log begins with 4"):
        replayed(path, through=2)
    with Log.open(path, lineage=OURS, through=3) as log:
        log.forget(6)
        assert log.nbytes == records.START
        assert log.append("x", {}, {}) == 7
    assert replayed(path, through=6) == [7]


def test_a_log_that_is_behind_its_file_starts_anew(path):
    """The file was saved with a record that had not reached the disk when the power went."""
    fill(path, 2)
    with Log.open(path, lineage=OURS, through=9) as log:
        assert list(log.replay()) == []
        assert log.append("x", {}, {}) == 10
    assert replayed(path, through=9) == [10]


def test_a_reader_sees_the_log_of_its_moment(path):
    with Log.open(path, lineage=OURS) as log, site.Site(path) as where:
        for _ in range(3):
            log.append("x", {}, {})
        reading = read_log(where, OURS, 0)
        assert next(reading).number == 1
        log.append("x", {}, {})
        log.forget(4)
        log.append("x", {}, {})
        assert [each.number for each in reading][:2] == [2, 3]
        assert [each.number for each in read_log(where, OURS, 4)] == [5]


def test_one_writer_at_a_time(path):
    fill(path, 1)
    with Log.open(path, lineage=OURS):
        with pytest.raises(
            treadle.FileBusy, match="this process has it open for writing"
        ) as caught:
            Log.open(path, lineage=OURS)
        assert str(path) in str(caught.value)
        with site.Site(path) as where:
            assert len(list(read_log(where, OURS, 0))) == 1
    fill(path, 1)
    log = Log.open(path, lineage=OURS)
    del log  # a log that is forgotten lets go
    fill(path, 1)


HOLDER = """
import sys
from treadle.search.log import Log
with Log.open(sys.argv[1], lineage=bytes(range(16))) as log:
    print(log.append("x", {}, {}), flush=True)
    sys.stdin.read()
"""


def test_a_writer_in_another_process_is_named(path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"1\n"
        with pytest.raises(treadle.FileBusy, match=f"process {other.pid} has it open"):
            Log.open(path, lineage=OURS)
        other.stdin.close()
        assert other.wait(60) == 0
    assert replayed(path) == [1]


@posix
def test_a_forked_child_neither_writes_nor_keeps_the_lock(path):
    log = Log.open(path, lineage=OURS)
    held, told = os.pipe()
    child = os.fork()
    if not child:
        status = 1
        try:
            os.close(told)
            with pytest.raises(treadle.FileError, match="opened before a fork"):
                log.append("x", {}, {})
            os.read(held, 1)  # until the parent has gone on without it
            status = 0
        finally:
            os._exit(status)
    log.append("x", {}, {})
    log.close()
    fill(path, 1)  # while the child lives
    os.close(told), os.close(held)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(replayed(path)) == 2


def failing(monkeypatch, name, error, after=0):
    """Have a call of the system fail once it was made so often."""
    real, calls = getattr(os, name), []

    def fails(*args, **options):
        calls.append(args)
        if len(calls) > after:
            raise error
        return real(*args, **options)

    monkeypatch.setattr(os, name, fails)


def test_a_full_disk_takes_the_record_back(path, monkeypatch):
    real = os.pwrite
    with Log.open(path, lineage=OURS) as log:
        log.append("x", {"k": 1}, {})
        size = beside(path).stat().st_size

        def half(opened, data, at):
            if len(data) < 100:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(opened, bytes(data)[: len(data) // 2], at)

        with monkeypatch.context() as patch:
            patch.setattr(os, "pwrite", half)
            with pytest.raises(treadle.FileError, match="nothing was changed: make room") as caught:
                log.append("x", {"k": 2}, {"vectors": np.zeros(1000)})
        assert caught.value.errno == errno.ENOSPC
        assert beside(path).stat().st_size == size
        assert log.append("x", {"k": 3}, {}) == 2
    assert replayed(path) == [1, 2]


LIMITED = """
import errno, resource, sys
import numpy as np
import treadle
from treadle.search.log import Log
with Log.open(sys.argv[1], lineage=bytes(range(16))) as log:
    log.append("x", {}, {"v": np.zeros(2000)})
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 40_000))
    try:
        log.append("x", {}, {"v": np.zeros(2000)})
    except treadle.FileError as error:
        print(errno.errorcode[error.errno], log.last)
    log.append("x", {}, {})
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
    print(log.append("x", {}, {"v": np.zeros(2000)}))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_FSIZE as Linux has it")
def test_a_disk_that_is_really_full(path):
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=False
    )
    assert (done.stdout.split(), done.returncode) == (["EFBIG", "1", "3"], 0), done.stderr
    assert replayed(path) == [1, 2, 3]


def test_a_sync_that_fails_ends_the_log(path, monkeypatch):
    with Log.open(path, lineage=OURS) as log:
        log.append("x", {}, {})
        with monkeypatch.context() as patch:
            failing(patch, "fdatasync", OSError(errno.EIO, "Input/output error"))
            with pytest.raises(treadle.FileError, match="cannot make it last: Input/output error"):
                log.append("x", {}, {})
        with pytest.raises(treadle.FileError, match="may not have reached the disk; close"):
            log.append("x", {}, {})
        log.forget(2)  # a new file holds what the log was not sure of
        assert log.append("x", {}, {}) == 3
    assert replayed(path, through=2) == [3]
    with pytest.raises(treadle.FileError, match="it is closed"):
        log.append("x", {}, {})
    log.close()


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
@pytest.mark.parametrize("name, after", [("open", 0), ("pwrite", 0), ("fsync", 0), ("replace", 0)])
def test_forgetting_that_fails_leaves_the_log_as_it_was(path, monkeypatch, error, name, after):
    with Log.open(path, lineage=OURS) as log:
        log.append("x", {}, {})
        with monkeypatch.context() as patch:
            failing(patch, name, error, after)
            with pytest.raises((treadle.FileError, KeyboardInterrupt)):
                log.forget(1)
        assert log.append("x", {}, {}) == 2
    assert replayed(path) == [1, 2]
    assert sorted(each.name for each in path.parent.iterdir()) == ["a.index.log"]


def test_forgetting_that_is_stopped_behind_the_rename_refuses_more(path, monkeypatch):
    """The old log has lost its name: what is appended to it would be lost."""
    with Log.open(path, lineage=OURS) as log:
        log.append("x", {}, {})
        with monkeypatch.context() as patch:
            failing(patch, "fsync", OSError(errno.EIO, "Input/output error"), after=1)
            with pytest.raises(treadle.FileError):
                log.forget(1)
        with pytest.raises(treadle.FileError, match="a checkpoint of it was interrupted; close"):
            log.append("x", {}, {})
    assert replayed(path, through=1) == []


def test_ctrl_c_before_a_record_is_whole_takes_it_back(path, monkeypatch):
    with Log.open(path, lineage=OURS) as log:
        with monkeypatch.context() as patch:
            failing(patch, "pwrite", KeyboardInterrupt(), after=1)
            with pytest.raises(KeyboardInterrupt):
                log.append("x", {}, {"v": np.zeros(200_000)})
        assert log.last == 0
        assert log.append("x", {}, {}) == 1
    assert replayed(path) == [1]


def test_those_who_wait_at_the_same_time_share_a_sync(path, monkeypatch):
    real, syncs, begun, go = os.fdatasync, [], threading.Event(), threading.Event()

    def slow(opened):
        syncs.append(log.last)
        begun.set()
        go.wait()
        real(opened)

    monkeypatch.setattr(os, "fdatasync", slow)
    with Log.open(path, lineage=OURS) as log:
        first = threading.Thread(target=log.append, args=("x", {}, {}))
        first.start()
        begun.wait()
        numbers = [log.write("x", {}, {}) for _ in range(9)]
        others = [threading.Thread(target=log.sync, args=(number,)) for number in numbers]
        for each in others:
            each.start()
        go.set()
        for each in (first, *others):
            each.join()
        assert syncs == [1, 10]
    assert len(replayed(path)) == 10


def test_threads_append_in_some_order_and_lose_nothing(path):
    with Log.open(path, lineage=OURS) as log:

        def many(k):
            for step in range(20):
                log.append("x", {"k": k, "step": step}, {})
                if step == 10:
                    log.forget(0)

        threads = [threading.Thread(target=many, args=(k,)) for k in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        found = [(each.meta["k"], each.meta["step"]) for each in log.replay()]
    assert sorted(found) == [(k, step) for k in range(4) for step in range(20)]
    for k in range(4):
        assert [step for who, step in found if who == k] == [*range(20)]


def test_what_a_killed_writer_left_unfinished_is_swept_away(path):
    left = [".a.index-0123456789abcdef.part", ".a.index.log-0123456789abcdef.part"]
    other = [".b.index-0123456789abcdef.part", ".a.index-x.part"]
    for name in (*left, *other):
        path.with_name(name).write_bytes(b"x")
    fill(path, 1)
    names = {each.name for each in path.parent.iterdir()}
    assert names == {"a.index.log", *other}


@posix
def test_links_in_the_place_of_log_and_lock_are_refused(path):
    target = path.with_name("target")
    target.write_bytes(b"precious")
    for name in ("a.index.lock", "a.index.log"):
        link = path.with_name(name)
        link.symlink_to(target)
        with pytest.raises(treadle.FileError, match="it is a symbolic link"):
            Log.open(path, lineage=OURS)
        link.unlink()
    assert target.read_bytes() == b"precious"


def test_a_copied_log_is_replayed_like_the_first(path, tmp_path):
    fill(path)
    shutil.copy(beside(path), tmp_path / "c.log")
    with site.Site(tmp_path / "c") as where:
        assert len(list(read_log(where, OURS, 0))) == 3
