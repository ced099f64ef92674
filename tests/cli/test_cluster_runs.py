"""Runs over a cluster: what the driver does with shards, and once with workers of Ray.

Most tests have `hands` for a cluster: handlers in this process, to which shards go one after the
other, and which do as they are told."""

from __future__ import annotations

import json
import os
import pickle
import signal
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

import treadle
from photo_files import outputs
from treadle.recipes import spread
from treadle.recipes.journal import FOLDER, Journal
from treadle.recipes.spread import PhotoShard

RUN = ("run", "--stage", "flip", "-q")
CLUSTER = ("--cluster", "--workers", 2, "-j", 1)


@dataclass
class Hands:
    """Stands for treadle.cluster: does shards here. `before` and `after` are told of each; what
    `before` raises, the shard ends with, and what `after` raises, the driver meets."""

    before: object = lambda shard: None
    after: object = lambda shard: None
    shards: list[PhotoShard] = field(default_factory=list)
    streams: int = 0

    def connect(self, address, *, cpus):
        return SimpleNamespace(close=lambda: None)

    def open_stream(self, shards, make, *, on_error, **options):
        assert not options["ordered"]
        self.streams += 1
        handler = pickle.loads(pickle.dumps(make))()  # as it reaches a worker

        def results():
            for index, given in enumerate(shards):
                shard = pickle.loads(pickle.dumps(given))
                self.shards.append(shard)
                try:
                    self.before(shard)
                    made = pickle.loads(pickle.dumps(handler.handle(shard, lambda: True)))
                except ConnectionError as error:
                    failure = treadle.BatchError("died", index=index)
                    failure.__cause__ = error
                    made = on_error(failure)
                self.after(shard)
                yield made

        found = results()
        return SimpleNamespace(
            __iter__=None, results=found, workers=(), restarts=0, close=handler.close
        )


class Stream(SimpleNamespace):
    def __iter__(self):
        return self.results


@pytest.fixture
def hands(monkeypatch):
    made = Hands()

    def opened(*given, **options):
        return Stream(**vars(made.open_stream(*given, **options)))

    monkeypatch.setattr(spread, "connect", made.connect)
    monkeypatch.setattr(spread, "open_stream", opened)
    return made


@pytest.fixture
def whole(treadle_, photos, tmp_path):
    """What one process makes of the photos."""
    assert treadle_(*RUN, photos, "-o", tmp_path / "whole").status == 0
    return outputs(tmp_path / "whole")


def names(shard: PhotoShard) -> set[str]:
    return {work.name for work in shard.works}


def test_the_same_bytes_as_without(treadle_, hands, photos, whole, tmp_path):
    out = tmp_path / "out"
    said = treadle_(*RUN, photos, "-o", out, *CLUSTER)
    assert (said.status, "6 done" in said.text) == (0, True)
    assert outputs(out) == whole
    assert sum(len(shard.works) for shard in hands.shards) == 6
    for more in ((), CLUSTER):  # a run goes on from what the other made
        said = treadle_(*RUN, photos, "-o", out, "--resume", *more)
        assert (said.status, "0 done, 6 made before" in said.text) == (0, True)
    said = treadle_(*RUN, photos, "-o", out, *CLUSTER)
    assert (said.status, said.text.count("exists; --overwrite")) == (1, 6)
    assert treadle_(*RUN, photos, "-o", out, "--overwrite", *CLUSTER).status == 0
    assert outputs(out) == whole


def test_bad_photos_cost_themselves_only(treadle_, hands, photos, whole, tmp_path):
    (photos / "zero.jpg").write_bytes(b"")
    said = treadle_(*RUN, photos, "-o", tmp_path / "out", *CLUSTER)
    assert (said.status, "zero.jpg: the file is empty" in said.text) == (1, True)
    assert "6 done, 1 failed" in said.text
    assert outputs(tmp_path / "out") == whole


def test_a_photo_that_kills_workers_is_named_and_others_go_on(
    treadle_, hands, photos, whole, tmp_path, monkeypatch
):
    monkeypatch.setattr("treadle.recipes.run.SHARDS", 0.25)  # several photos in a shard

    def dies(shard):
        if "photo-2.jpg" in names(shard):
            raise ConnectionError("its worker died whenever it was computed")

    hands.before = dies
    said = treadle_(*RUN, photos, "-o", tmp_path / "out", *CLUSTER)
    assert max(len(shard.works) for shard in hands.shards) > 1
    assert (said.status, "5 done, 1 failed" in said.text) == (1, True)
    assert "photo-2.jpg: its worker died" in said.text
    assert outputs(tmp_path / "out") == {n: d for n, d in whole.items() if n != "photo-2.jpg"}


def test_what_a_worker_made_before_it_died_is_done(treadle_, hands, photos, whole, tmp_path):
    def late(shard):
        if hands.streams == 1 and "photo-1.jpg" in names(shard):
            (tmp_path / "out" / "photo-1.jpg").write_bytes(whole["photo-1.jpg"])

    hands.before = late
    said = treadle_(*RUN, photos, "-o", tmp_path / "out", *CLUSTER)
    assert (said.status, "6 done" in said.text) == (0, True)
    assert outputs(tmp_path / "out") == whole


@pytest.mark.parametrize("more", [(), CLUSTER], ids=["alone", "cluster"])
def test_what_a_driver_did_not_hear_of_is_not_done_again(
    treadle_, hands, photos, whole, tmp_path, more
):
    out = tmp_path / "out"

    def killed(shard):
        if len(hands.shards) == 3:
            raise KeyboardInterrupt

    hands.after = killed  # when the third shard is done, and not told
    said = treadle_(*RUN, photos, "-o", out, *CLUSTER)
    assert (said.status, "2 done" in said.text) == (130, True)
    assert len(outputs(out)) == 3
    times = {path.name: path.stat().st_mtime_ns for path in out.glob("*.jpg")}
    hands.after = lambda shard: None
    said = treadle_(*RUN, photos, "-o", out, "--resume", *more)
    assert (said.status, "3 done, 3 made before" in said.text) == (0, True)
    assert outputs(out) == whole
    assert all((out / name).stat().st_mtime_ns == time for name, time in times.items())


def test_a_photo_that_changed_is_done_again(treadle_, hands, photos, whole, tmp_path):
    out = tmp_path / "out"
    assert treadle_(*RUN, photos, "-o", out, *CLUSTER).status == 0
    (photos / "photo-0.jpg").write_bytes((photos / "photo-1.jpg").read_bytes())
    said = treadle_(*RUN, photos, "-o", out, "--resume", *CLUSTER)
    assert (said.status, "1 done, 5 made before" in said.text) == (0, True)
    assert outputs(out) == {**whole, "photo-0.jpg": whole["photo-1.jpg"]}
    assert hands.streams == 3  # one asked whether it may be replaced: a journal is told first


@pytest.mark.parametrize("more", [(), CLUSTER], ids=["alone", "cluster"])
def test_what_came_after_an_intent_is_not_replaced_with_another_quality(
    treadle_, hands, photos, tmp_path, more
):
    out = tmp_path / "out"

    def killed(shard):
        raise KeyboardInterrupt

    hands.after = killed  # all photos are intended by then
    assert treadle_(*RUN, photos, "-o", out, *CLUSTER).status == 130
    hands.after = lambda shard: None
    (out / "photo-5.jpg").write_bytes(b"someone else's")
    said = treadle_(*RUN, "--quality", 50, photos, "-o", out, "--resume", *more)
    assert (said.status, "photo-5.jpg exists and may not be what" in said.text) == (1, True)
    assert (out / "photo-5.jpg").read_bytes() == b"someone else's"


def test_what_is_not_ours_is_never_replaced(treadle_, hands, photos, whole, tmp_path):
    out = tmp_path / "out"
    assert treadle_(*RUN, photos, "-o", out, *CLUSTER).status == 0
    (out / "photo-5.jpg").write_bytes(b"someone else's")
    for _ in range(2):
        said = treadle_(*RUN, photos, "-o", out, "--resume", *CLUSTER)
        assert (said.status, "photo-5.jpg exists and is not what" in said.text) == (1, True)
    assert (out / "photo-5.jpg").read_bytes() == b"someone else's"


def test_intents_come_first_and_entries_after(treadle_, hands, photos, tmp_path):
    out = tmp_path / "out"
    seen = []

    def looks(shard):
        text = (out / FOLDER / "journal.jsonl").read_text()
        lines = [json.loads(line) for line in text.splitlines()]
        intents = {line["output"] for line in lines if "was" in line}
        seen.append(sum("made" in line for line in lines))
        assert names(shard) <= intents

    hands.before = looks
    assert treadle_(*RUN, photos, "-o", out, *CLUSTER).status == 0
    assert seen == sorted(seen)
    assert seen[0] == 0
    assert seen[-1] > 0
    with Journal(out) as book:
        assert (len(book.entries), book.intents) == (6, {})


def test_what_killed_workers_left_is_swept(treadle_, hands, photos, whole, tmp_path):
    def leaves(shard):
        spread.unfinished(tmp_path / "out" / FOLDER).write_bytes(b"half")

    hands.before = leaves
    assert treadle_(*RUN, photos, "-o", tmp_path / "out", *CLUSTER).status == 0
    assert outputs(tmp_path / "out") == whole  # and nothing else


def test_strict_and_a_full_disk_stop_it(treadle_, hands, photos, tmp_path, monkeypatch):
    (photos / "a-first.jpg").write_bytes(b"")
    said = treadle_(*RUN, photos, "-o", tmp_path / "strict", "--strict", *CLUSTER)
    assert (said.status, "Stopped (the file is empty)" in said.text) == (1, True)
    (photos / "a-first.jpg").unlink()
    monkeypatch.setattr("treadle.recipes.results.write_atomically", _full)
    said = treadle_(*RUN, photos, "-o", tmp_path / "full", *CLUSTER)
    assert (said.status, "No space left on device" in said.text) == (1, True)
    assert "5 left" in said.text
    assert outputs(tmp_path / "full") == {}


def _full(*given, **options):
    raise OSError(28, os.strerror(28))


def test_a_worker_that_does_not_see_the_folder_says_so(tmp_path):
    from treadle.recipes import load
    from treadle.recipes.run import Options

    with pytest.raises(treadle.ClusterError, match="a folder that they share"):
        spread.equip(Options(load("enhance"), (), tmp_path / "nowhere"), 92, "", 0)


@pytest.mark.parametrize(
    "words, said",
    [
        (("-o", "{out}/a.jpg", "--cluster"), "--cluster: expected a folder"),
        (("-o", "{out}", "--workers", 2), "expected --cluster beside it"),
        (("-o", "{out}", "--cluster", "nonsense"), "expected host:port, 'auto' or 'local'"),
        (("-o", "{out}", "--cluster", "127.0.0.1:1"), "no cluster answers at 127.0.0.1:1"),
    ],
)
def test_what_cannot_be_begun(treadle_, photos, tmp_path, words, said):
    words = [str(word).replace("{out}", str(tmp_path / "out")) for word in words]
    told = treadle_(*RUN, photos / "photo-1.jpg", *words)
    assert (told.status, said in told.text) == (2, True)
    assert not (tmp_path / "out").exists()


def test_without_ray(treadle_, photos, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    said = treadle_(*RUN, photos, "-o", tmp_path / "out", *CLUSTER)
    assert (said.status, "pip install 'treadle[cluster]'" in said.text) == (2, True)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds workers as Linux tells")
def test_workers_of_ray_one_of_which_is_killed(treadle_, photos, whole, tmp_path, monkeypatch):
    from treadle.recipes.run import RecipeRun

    real, killed = RecipeRun._ended, []

    def heard(self, outcome):
        real(self, outcome)
        if not killed:
            killed.append(int(self.spread.use[0].process))
            os.kill(killed[0], signal.SIGKILL)

    monkeypatch.setattr(RecipeRun, "_ended", heard)
    said = treadle_(*RUN, photos, "-o", tmp_path / "out", *CLUSTER, "--report", "json")
    assert said.status == 0
    report = json.loads(said.out)
    assert (report["done"], sum(each["images"] for each in report["workers"])) == (6, 6)
    assert outputs(tmp_path / "out") == whole
    assert not Path(f"/proc/{killed[0]}").exists()
