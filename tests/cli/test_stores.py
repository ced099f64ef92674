"""Runs from stores and into them: S3 from moto's server on loopback, and fsspec's memory."""

from __future__ import annotations

import json
import os
import re
import signal
import sys

import pytest

from photo_files import make_photo, outputs, python
from store_server import BUCKET, s3_server, system
from treadle.recipes import remote_journal
from treadle.recipes.journal import Busy, JournalEntry, JournalIntent
from treadle.recipes.remote_journal import RemoteJournal
from treadle.remote import RemotePath, as_local, md5, remote_path

RUN = ("run", "--stage", "flip", "-q", "-j", 1)


@pytest.fixture(scope="module")
def server():
    with s3_server() as address:
        yield address


@pytest.fixture
def store(server, request):
    """A folder of a bucket, of its own for each test, with six photos in `in`."""
    return f"s3://{BUCKET}/{re.sub(r'[^a-z]+', '-', request.node.name)}"


@pytest.fixture
def filled(store, photos):
    for path in photos.iterdir():
        (RemotePath(store) / "in" / path.name).write(path.read_bytes(), replace=True)
    return store


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What a run over the photos' folder makes."""
    from treadle import cli

    folder = tmp_path_factory.mktemp("whole")
    for index in range(6):
        size = (96, 64 + 8 * (index == 3))
        make_photo(folder / "in" / f"photo-{index}.jpg", seed=index, size=size)
    assert cli.main([*map(str, RUN), str(folder / "in"), "-o", str(folder / "out")]) == 0
    return outputs(folder / "out")


def stored(url: str) -> dict[str, bytes]:
    """Every object below a URL, but for a journal's."""
    try:
        found = list(RemotePath(url).files())
    except FileNotFoundError:
        return {}
    return {str(b): p.read(limit=1 << 30) for p, b in found if not str(b).startswith(".treadle")}


def test_what_a_text_names():
    assert as_local("s3://bucket/a") is None
    assert str(as_local("file:///a/b%20c.jpg")) == "/a/b c.jpg"
    assert str(as_local("C:/a")) == "C:/a"
    assert str(RemotePath("s3://b/c") / "d/e.jpg") == "s3://b/c/d/e.jpg"
    assert RemotePath("s3://b/c.tar/e.JPG").suffix == ".JPG"


@pytest.mark.parametrize("out", ["store", "folder"])
def test_from_a_store(treadle_, filled, whole, tmp_path, out):
    place = f"{filled}/out" if out == "store" else str(tmp_path / "out")

    def made() -> dict[str, bytes]:
        return stored(place) if out == "store" else outputs(tmp_path / "out")

    assert treadle_(*RUN, f"{filled}/in", "-o", place).status == 0
    assert made() == whole
    said = treadle_(*RUN, f"{filled}/in", "-o", place)
    assert (said.status, said.text.count("exists; --overwrite replaces it")) == (1, 6)
    said = treadle_(*RUN, f"{filled}/in", "-o", place, "--resume")
    assert (said.status, "0 done, 6 made before" in said.text) == (0, True)
    (RemotePath(filled) / "in/photo-2.jpg").write(
        (RemotePath(filled) / "in/photo-1.jpg").read(limit=1 << 30), replace=True
    )
    said = treadle_(*RUN, f"{filled}/in", "-o", place, "--resume")
    assert "1 done, 5 made before" in said.text
    assert made() == {**whole, "photo-2.jpg": whole["photo-1.jpg"]}
    said = treadle_(*RUN, f"{filled}/in", "-o", place, "--resume")
    assert "0 done, 6 made before" in said.text


def test_from_a_folder_into_a_store(treadle_, photos, store, whole):
    assert treadle_(*RUN, photos, "-o", store).status == 0
    assert stored(store) == whole
    changed = RemotePath(store) / "photo-4.jpg"
    changed.write(b"someone else's", replace=True)
    for _ in range(2):  # nothing that the first says may let the second replace it
        said = treadle_(*RUN, photos, "-o", store, "--resume")
        assert (said.status, "photo-4.jpg exists and is not what" in said.text) == (1, True)
        assert "0 done, 5 made before, 1 failed" in said.text
        assert changed.read(limit=99) == b"someone else's"
    assert treadle_(*RUN, photos, "-o", store, "--overwrite").status == 0
    assert stored(store) == whole


def test_resuming_asks_a_store_for_lists_alone(treadle_, filled, monkeypatch):
    asked: list[str] = []
    real = system()._call_s3

    async def counted(self, method, *given, **more):
        asked.append(method)
        return await type(self)._real(self, method, *given, **more)

    kind = type(system())
    monkeypatch.setattr(kind, "_real", kind._call_s3, raising=False)
    monkeypatch.setattr(kind, "_call_s3", counted)
    assert real is not None
    assert treadle_(*RUN, f"{filled}/in", "-o", f"{filled}/out").status == 0
    assert asked.count("put_object") <= 6 + 3  # the journal's, twice, and the sign of life
    asked.clear()
    assert "6 made before" in treadle_(*RUN, f"{filled}/in", "-o", f"{filled}/out", "--resume").text
    assert asked.count("put_object") == 1
    assert "get_object" in asked  # of the journal: one, and none of a photo
    assert asked.count("get_object") <= 2


def test_folders_patterns_and_what_is_passed_over(treadle_, filled):
    top = RemotePath(filled)
    (top / "in/deep/er.PNG").write((top / "in/photo-1.jpg").read(limit=1 << 30), replace=True)
    for name in ("in/notes.txt", "in/.hidden/x.jpg", "in/out/old.jpg"):
        (top / name).write(b"x", replace=True)
    said = treadle_(*RUN, f"{filled}/in", "-o", f"{filled}/in/out", "--json")
    lines = [json.loads(line) for line in said.out.splitlines()]
    assert (said.status, lines[-1]["done"], lines[-1]["passed_over"]) == (0, 7, 2)
    assert f"{filled}/in/out/deep/er.jpg" in {line.get("output") for line in lines} or (
        f"{filled}/in/out/deep/er.PNG" in {line.get("output") for line in lines}
    )
    said = treadle_(*RUN, f"{filled}/in/photo-*.jpg", "-o", f"{filled}/some")
    assert sorted(stored(f"{filled}/some")) == [f"photo-{k}.jpg" for k in range(6)]
    assert treadle_(*RUN, f"{filled}/in/photo-1.jpg", "-o", f"{filled}/one.jpg").status == 0
    assert RemotePath(f"{filled}/one.jpg").look() is not None
    before = stored(filled)
    assert treadle_(*RUN, f"{filled}/in", "-o", f"{filled}/in/out", "--dry-run").status == 0
    assert stored(filled) == before


def test_other_stores_and_files_by_url(treadle_, photos, whole, tmp_path):
    memory = "memory://test-stores/in"
    for path in photos.iterdir():
        (RemotePath(memory) / path.name).write(path.read_bytes(), replace=True)
    assert treadle_(*RUN, memory, "-o", "memory://test-stores/out").status == 0
    assert stored("memory://test-stores/out") == whole
    said = treadle_(*RUN, memory, "-o", "memory://test-stores/out", "--resume")
    assert "6 made before" in said.text
    assert treadle_(*RUN, photos.as_uri(), "-o", (tmp_path / "by url").as_uri()).status == 0
    assert outputs(tmp_path / "by url") == whole
    assert (tmp_path / "by url/.treadle/journal.jsonl").exists()  # a folder as any other


# What goes wrong


@pytest.mark.parametrize(
    "inputs, out, said",
    [
        ("s3://no-such-bucket/x", "", "s3://no-such-bucket/x: The specified bucket does not exist"),
        (f"s3://{BUCKET}/nothing-here", "", "no such file or folder there"),
        (f"s3://{BUCKET}/nothing-*.jpg", "", "no object matches this pattern"),
        ("nosuch://x/y", "", "nosuch://x/y: fsspec: Protocol not known: nosuch"),
        ("", "nosuch://x/y", "-o nosuch://x/y: fsspec: Protocol not known: nosuch"),
        (
            "",
            "s3://no-such-bucket/x",
            "cannot write to s3://no-such-bucket/x: The specified bucket",
        ),
    ],
)
def test_what_is_not_there_is_one_error(treadle_, server, photos, tmp_path, inputs, out, said):
    told = treadle_(*RUN, inputs or photos, "-o", out or tmp_path / "out")
    assert (told.status, told.out) == (2, "")
    assert said in told.text
    assert not (tmp_path / "out").exists()


def test_no_credentials(treadle_, filled, tmp_path, monkeypatch):
    import s3fs

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    s3fs.S3FileSystem.clear_instance_cache()
    said = treadle_(*RUN, f"{filled}/in", "-o", tmp_path / "out")
    s3fs.S3FileSystem.clear_instance_cache()
    assert (said.status, "no credentials for the store" in said.text) == (2, True)


def test_without_fsspec(treadle_, photos, monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    for words in ((*RUN, "s3://x/y", "-o", "out"), (*RUN, photos, "-o", "s3://x/y")):
        said = treadle_(*words)
        assert (said.status, "pip install 'treadle[remote]'" in said.text) == (2, True)


@pytest.mark.parametrize(
    "code, status, said",
    [
        ("AccessDenied", 403, "the store refuses: no more (AccessDenied)"),
        ("XMinioStorageFull", 507, "the store is full: no more (XMinioStorageFull)"),
    ],
)
def test_a_store_that_refuses_stops_the_run(
    treadle_, filled, whole, monkeypatch, code, status, said
):
    from botocore.exceptions import ClientError
    from s3fs.errors import translate_boto_error

    kind, puts = type(system()), []
    real = kind._call_s3

    async def refusing(self, method, *given, **more):
        if method == "put_object" and "/out/" in more["Key"] and "/.treadle/" not in more["Key"]:
            puts.append(more["Key"])
            if len(puts) > 2:
                answer = {"Error": {"Code": code, "Message": "no more"}}
                answer["ResponseMetadata"] = {"HTTPStatusCode": status}
                raise translate_boto_error(ClientError(answer, "PutObject"))
        return await real(self, method, *given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(kind, "_call_s3", refusing)
        told = treadle_(*RUN, f"{filled}/in", "-o", f"{filled}/out")
    assert (told.status, said in told.text, "2 done" in told.text) == (1, True, True)
    assert stored(f"{filled}/out").items() < whole.items()
    told = treadle_(*RUN, f"{filled}/in", "-o", f"{filled}/out", "--resume")
    assert (told.status, "4 done, 2 made before" in told.text) == (0, True)
    assert stored(f"{filled}/out") == whole


def test_an_answer_that_got_lost(filled):
    path = RemotePath(filled) / "twice"
    path.write(b"same", replace=False)
    path.write(b"same", replace=False)  # as s3fs does that had no answer
    with pytest.raises(FileExistsError):
        path.write(b"other", replace=False)


KILLED = """
import os, signal, sys, threading
from treadle import cli
from treadle.remote import RemotePath
real, count, lock = RemotePath.write, 0, threading.Lock()
def write(self, data, *, replace):
    global count
    with lock:
        real(self, data, replace=replace)
        count += ".treadle" not in self.url
        if count == 3:
            os.kill(os.getpid(), signal.SIGKILL)
RemotePath.write = write
cli.main(sys.argv[1:])
"""


@pytest.mark.skipif(os.name != "posix", reason="kills as POSIX has them")
def test_a_run_that_was_killed_goes_on(treadle_, filled, whole):
    words = [*map(str, RUN), f"{filled}/in", "-o", f"{filled}/out"]
    child = python("-c", KILLED, *words)
    child.communicate()
    assert child.returncode == -signal.SIGKILL
    before = stored(f"{filled}/out")
    assert len(before) == 3
    said = treadle_(*words, "--resume")  # its entries were not in the store; its intents were
    assert "3 done, 3 made before" in said.text
    assert stored(f"{filled}/out") == whole


# The journal


def test_one_run_at_a_time(treadle_, filled):
    with RemoteJournal(remote_path(f"{filled}/out")):
        said = treadle_(*RUN, f"{filled}/in", "-o", f"{filled}/out")
        assert said.status == 2
        assert f"another treadle run is writing to {filled}/out: process {os.getpid()}" in said.text
    assert treadle_(*RUN, f"{filled}/in", "-o", f"{filled}/out").status == 0


def sign(store: str, number: int, **more: object) -> RemotePath:
    path = RemotePath(store) / f".treadle/runs/{number:06}.json"
    path.write(json.dumps({"machine": "elsewhere", "pid": 7, **more}).encode(), replace=True)
    return path


def test_a_run_elsewhere_is_alive_while_its_sign_changes(store, monkeypatch):
    path = sign(store, 3)
    beats = iter(range(99))
    monkeypatch.setattr(remote_journal, "_LOOK", 0.0)
    monkeypatch.setattr(remote_journal.time, "sleep", lambda _: sign(store, 3, beat=next(beats)))
    with pytest.raises(Busy, match="process 7 on elsewhere"):
        RemoteJournal(RemotePath(store))
    monkeypatch.setattr(remote_journal.time, "sleep", lambda _: None)
    monkeypatch.setattr(remote_journal, "_LEASE", 0.05)
    with RemoteJournal(RemotePath(store)):  # it says nothing any more
        assert path.look() is None


def test_a_run_that_was_taken_for_dead_stops(store, monkeypatch):
    monkeypatch.setattr(remote_journal, "_BEAT", 0.01)
    book = RemoteJournal(RemotePath(store))
    sign(store, 2)
    book._thread.join()
    with pytest.raises(OSError, match="took this one for dead"):
        book.add(JournalIntent("a", "r", "s", ""))
    book.close()


def test_lines_of_a_run_that_came_and_went_while_another_looked(store, monkeypatch):
    out = RemotePath(f"{store}/out")
    (out / ".treadle/runs/000001.json").write(b"{}", replace=True)  # of a dead run

    def look(sign):
        monkeypatch.setattr(remote_journal, "_alive", lambda sign: "")
        with RemoteJournal(out) as between:
            between.add(JournalEntry("a.jpg", "r", "s", "m"))
        return ""

    monkeypatch.setattr(remote_journal, "_alive", look)
    with RemoteJournal(out) as journal:
        assert "a.jpg" in journal.entries
        journal.add(JournalEntry("b.jpg", "r", "s", "m"))
    with RemoteJournal(out) as after:
        assert sorted(after.entries) == ["a.jpg", "b.jpg"]


def test_lines_come_back(store, monkeypatch):
    monkeypatch.setattr(remote_journal, "_SEGMENT", 300)
    entries = [JournalEntry(f"{k}.jpg", "r", "s", md5(b"x")) for k in range(9)]
    for some in (entries[:5], entries[5:]):
        with RemoteJournal(RemotePath(store)) as book:
            for each in some:
                book.add(JournalIntent(each.output, "r", "s", ""))
                book.note(each)
            book.add(JournalIntent("late.jpg", "r", "s", "was"))
    (RemotePath(store) / ".treadle/journal/000001-000000.jsonl").look()
    (RemotePath(store) / ".treadle/journal/999999-000000.jsonl").write(b"[[[\n{}\n", replace=True)
    with RemoteJournal(RemotePath(store)) as book:
        assert book.entries == {each.output: each for each in entries}
        assert book.intents == {"late.jpg": JournalIntent("late.jpg", "r", "s", "was")}
