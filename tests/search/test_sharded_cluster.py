"""Shards that workers search: which worker has which file, and workers that die."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest

import treadle
from search.shards_of import same, split
from treadle.cluster.crew import Arrived, Equipped, Lost, Missed, Refused, Returned
from treadle.cluster.parcel import Parcel
from treadle.cluster.shards import ShardWorkers
from treadle.cluster.versions import versions
from treadle.cluster.worker import Reply, Worker
from treadle.search import Index, Sharded

ROWS = np.random.default_rng(8).normal(size=(300, 6)).astype(np.float32)
IDS = np.arange(300)
OWNERS = IDS % 3


class HandCrew:
    """A crew whose workers are objects of this process, and die when a test says so."""

    def __init__(self, count=2):
        self.count = count
        self.workers = {}
        self.given = []  # to which worker each call went
        self.dying = set()  # workers that die of the next call
        self.starting = True  # whether workers start, or fail to
        self.waiting = None  # names of workers that are to start when a test says so
        self.versions = versions()
        self.closed = False

    def open(self, post):
        self.post = post
        return self.count

    def start(self, worker):
        if self.waiting is not None:
            self.waiting.append(worker)
        elif self.starting:
            self.post(Arrived(worker, "here", self.versions))
        else:
            self.post(Lost(worker, "no room"))

    def arrive(self):
        """Have the workers start that wait for it."""
        for worker in self.waiting:
            self.post(Arrived(worker, "here", self.versions))

    def equip(self, worker, make):
        self.workers[worker] = Worker(pickle.dumps)
        reply = self.workers[worker].equip(make)
        self.post(Equipped(worker) if reply.kind == "done" else Refused(worker, reply))

    def send(self, parcel):
        return parcel

    def give(self, worker, batch, sent):
        self.given.append(worker)
        if worker in self.dying or worker not in self.workers:
            self.kill(worker)
        else:
            self.post(Returned(worker, batch, self.workers[worker].take(batch, sent)))

    def kill(self, worker):
        self.workers.pop(worker, None)
        self.post(Lost(worker, "it was killed"))

    def end(self, worker):
        self.workers.pop(worker, None)

    def close(self):
        for worker in self.workers.values():
            worker.close()
        self.closed = True


@pytest.fixture
def paths(tmp_path):
    return split(tmp_path, ROWS, IDS, OWNERS, {"n": IDS.tolist()})


@pytest.fixture
def one():
    made = Index(6, device="cpu")
    made.add(ROWS, columns={"n": IDS})
    return made


def sharded(paths, crew, **options):
    return Sharded(paths, cluster=ShardWorkers(crew, pickle.dumps), device="cpu", **options)


def test_workers_give_what_one_index_gives(paths, one):
    crew = HandCrew()
    with sharded(paths, crew) as shards:
        assert {shard.path for shard in shards._shards.shards} == set(map(str, paths))
        for where in (None, "n < 100", IDS % 2 == 0, {3, 4, 250}):
            same(shards.search(ROWS[:40], 7, where), one.search(ROWS[:40], 7, where))
        same(shards.search(ROWS[5], 7), one.search(ROWS[5], 7))
        np.testing.assert_array_equal(shards.get([299, 0, 7]), one.get([299, 0, 7]))
        assert shards.get_columns([299, 7]) == one.get_columns([299, 7])
        assert shards.ids.tolist() == IDS.tolist()
        assert 7 in shards
        shards.verify()
    assert crew.closed


def test_files_go_to_workers_with_the_fewest_bytes(paths):
    crew = HandCrew(3)
    with sharded(paths, crew) as shards:
        assert len({shard._seat.start.worker for shard in shards._shards.shards}) == 3


def test_an_error_of_a_worker_is_the_callers_own(paths, tmp_path):
    with sharded(paths, HandCrew()) as shards:
        with pytest.raises(treadle.PredicateError, match="no column 'x'"):
            shards.search(ROWS[0], 1, "x > 1")
        with pytest.raises(treadle.UnknownId, match="no row has 999"):
            shards.get([999])
    absent = [*paths, tmp_path / "absent.index"]
    crew = HandCrew()
    with pytest.raises(treadle.ShardLost, match=r"absent\.index: no worker sees such a file"):
        sharded(absent, crew)
    assert crew.closed
    (tmp_path / "absent.index").write_bytes(b"no index")
    with sharded(absent, HandCrew(), partial=True) as shards:
        found = shards.search(ROWS[0], 1)
        assert list(found.missing) == [str(tmp_path / "absent.index")]
        assert "foreign" in found.missing[str(tmp_path / "absent.index")]


def test_a_worker_that_dies_is_replaced_and_asked_again(paths, one):
    crew = HandCrew(2)
    with sharded(paths, crew) as shards:
        first = crew.given[-1]
        crew.kill(first)  # between two searches
        same(shards.search(ROWS[:5], 4), one.search(ROWS[:5], 4))
        crew.dying.add(sorted(crew.workers)[0])  # in the middle of one
        same(shards.search(ROWS[:5], 4), one.search(ROWS[:5], 4))
        assert len(crew.workers) == 2


def test_where_no_other_worker_starts_the_shards_are_lost(paths):
    crew = HandCrew(3)
    with sharded(paths, crew) as shards:
        crew.starting = False
        shard = shards._shards.shards[1]
        crew.kill(shard._seat.start.worker)
        with pytest.raises(treadle.ShardLost, match=r"1\.index: its worker is gone") as caught:
            shards.search(ROWS[0], 3)
        assert list(caught.value.missing) == [shard.path]


def test_a_partial_answer_does_not_wait_for_another_worker(paths, one):
    crew = HandCrew(3)
    with sharded(paths, crew, partial=True) as shards:
        shard = shards._shards.shards[2]
        crew.waiting = []
        crew.dying.add(shard._seat.start.worker)
        for why in ("it was killed", "is being started", "is being started"):
            found = shards.search(ROWS[7], 3)
            assert list(found.missing) == [shard.path]
            assert why in found.missing[shard.path]
            assert (OWNERS[found.ids] != 2).all()
        crew.arrive()
        shard._seat.start.wait()
        same(shards.search(ROWS[7], 3), one.search(ROWS[7], 3))


def test_a_reply_that_does_not_arrive_is_asked_for_again(paths, one):
    crew = HandCrew(1)
    with sharded(paths, crew) as shards:
        give = crew.give

        def lose(worker, batch, sent):
            crew.give = give
            crew.post(Missed(worker, batch, "the store was full"))

        crew.give = lose
        same(shards.search(ROWS[0], 3), one.search(ROWS[0], 3))


def test_a_cluster_that_breaks_keeps_nobody_waiting(paths):
    crew = HandCrew(1)
    with sharded(paths, crew, partial=True) as shards:

        def spoil(worker, batch, sent):
            crew.post(Returned(worker, batch, Reply("done", Parcel(b"no pickle"))))

        crew.give = spoil
        with pytest.raises(treadle.ClusterError, match="what a worker said cannot be read"):
            shards.search(ROWS[0], 3)

        def fail(parcel):
            raise RuntimeError("the store is gone")

        crew.send = fail
        with pytest.raises(treadle.ShardLost, match="its worker is gone: the store is gone"):
            shards.search(ROWS[0], 3)


def test_another_file_in_the_place_of_one_is_not_searched(paths):
    crew = HandCrew(1)
    with sharded(paths, crew) as shards:
        other = Index(6, device="cpu")
        other.add(ROWS[:9], IDS[:9] + 1000)
        other.save(paths[0])
        assert shards.search(ROWS[0], 1).ids.tolist() == [0]  # the worker has it open as it was
        crew.kill(next(iter(crew.workers)))
        with pytest.raises(treadle.ShardLost, match=r"0\.index: another file is there than when"):
            shards.search(ROWS[0], 1)


def test_workers_of_another_version_are_refused(paths):
    crew = HandCrew()
    crew.versions = {**versions(), "numpy": "0.1"}
    with pytest.raises(treadle.ClusterError, match=r"numpy 0\.1 there"):
        sharded(paths, crew)
    assert crew.closed


def test_workers_that_do_not_start_and_workers_twice(paths):
    crew = HandCrew()
    crew.starting = False
    with pytest.raises(treadle.ClusterError, match="a worker did not start: no room"):
        sharded(paths, crew)
    workers = ShardWorkers(HandCrew(), pickle.dumps)
    refused = pytest.raises(treadle.ClusterError, match="have shards already")
    with Sharded(paths, cluster=workers, device="cpu"), refused:
        workers.open([os.fspath(paths[0])], None, patient=True)


def test_columns_that_a_shard_lacks_are_null_on_another_worker_too(tmp_path):
    paths = split(tmp_path, ROWS, IDS, OWNERS % 2, {"n": IDS.tolist()})
    bare = split(tmp_path, ROWS[:1], IDS[:1] + 900, OWNERS[:1])
    crew = HandCrew(2)
    with sharded([paths[1], *bare], crew) as shards:
        assert shards.search(ROWS[0], 9, "n is null").ids.tolist() == [900]
        for worker in list(crew.workers):
            crew.kill(worker)
        assert shards.search(ROWS[0], 9, "n is null").ids.tolist() == [900]
