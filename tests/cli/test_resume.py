"""Stopping and going on: --resume, the journal, Ctrl-C, SIGTERM and SIGKILL."""

from __future__ import annotations

import json
import os
import signal

import pytest

from photo_files import make_photo, outputs, python
from treadle.recipes import journal

posix = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")


def test_what_is_done_is_skipped(treadle_, photos, tmp_path):
    out = tmp_path / "out"
    assert treadle_("run", "enhance", photos, "-o", out).status == 0
    before = outputs(out)
    said = treadle_("run", "enhance", photos, "-o", out, "--resume")
    assert said.status == 0
    assert "0 done, 6 made before" in said.text
    assert outputs(out) == before


def test_a_missing_output_and_a_new_input_are_made(treadle_, photos, tmp_path):
    out = tmp_path / "out"
    assert treadle_("run", "enhance", photos, "-o", out).status == 0
    before = outputs(out)
    (out / "photo-4.jpg").unlink()
    make_photo(photos / "new.jpg", seed=9)
    said = treadle_("run", "enhance", photos, "-o", out, "--resume")
    assert (said.status, "2 done, 5 made before" in said.text) == (0, True)
    assert before.items() <= outputs(out).items()


def test_a_changed_input_is_made_again(treadle_, photos, tmp_path):
    out = tmp_path / "out"
    assert treadle_("run", "enhance", photos, "-o", out).status == 0
    before = outputs(out)
    make_photo(photos / "photo-1.jpg", seed=77, size=(96, 64))
    said = treadle_("run", "enhance", photos, "-o", out, "--resume")
    assert (said.status, "1 done, 5 made before" in said.text) == (0, True)
    changed = {name for name, data in outputs(out).items() if data != before[name]}
    assert changed == {"photo-1.jpg"}


@pytest.mark.parametrize("change", [["poster"], ["enhance", "--quality", "50"]])
def test_another_recipe_or_quality_makes_all_again(treadle_, photos, tmp_path, change):
    out = tmp_path / "out"
    assert treadle_("run", "enhance", photos, "-o", out).status == 0
    recipe, *options = change
    said = treadle_("run", recipe, photos, "-o", out, "--resume", *options)
    assert (said.status, "6 done" in said.text) == (0, True)


def test_an_output_that_someone_changed_is_left_alone(treadle_, photos, tmp_path):
    out = tmp_path / "out"
    assert treadle_("run", "enhance", photos, "-o", out).status == 0
    (out / "photo-0.jpg").write_bytes(b"edited by hand")
    said = treadle_("run", "enhance", photos, "-o", out, "--resume")
    assert (said.status, "is not what an earlier run made" in said.text) == (1, True)
    assert (out / "photo-0.jpg").read_bytes() == b"edited by hand"


def test_a_journal_survives_a_torn_line_and_nonsense(tmp_path):
    first, second = (journal.JournalEntry(name, "r", "s", "m") for name in "ab")
    with journal.Journal(tmp_path) as book:
        book.add(first)
        (book.folder / "77-3.part").write_bytes(b"unfinished")
        path = book.folder / "journal.jsonl"
    with open(path, "ab") as file:
        file.write(b'nonsense\n{"output": 3}\n' + json.dumps({"output": "b"}).encode()[:9])
    with journal.Journal(tmp_path) as book:
        assert book.entries == {"a": first}
        assert not list(book.folder.glob("*.part"))
        book.add(second)
    with journal.Journal(tmp_path) as book:
        assert book.entries == {"a": first, "b": second}


def test_one_run_at_a_time_in_a_folder(treadle_, photos, tmp_path):
    with journal.Journal(tmp_path / "out"):
        said = treadle_("run", "enhance", photos, "-o", tmp_path / "out")
    assert (said.status, "another treadle run" in said.text) == (2, True)
    assert treadle_("run", "enhance", photos, "-o", tmp_path / "out").status == 0


# Ctrl-C lets what is being written end; the gate opens with it, so that nothing waits in vain.
STOPPED = """
import signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where a shell started us with &
from treadle import cli
from treadle.recipes import phases, run
from treadle.streaming.stream import Stream

real, gate, count = phases.encode, threading.Event(), iter(range(10**6))
def slow(photo, format, *, quality):
    data = real(photo, format, quality=quality)
    if next(count) >= 2:
        print("ready", flush=True)
        gate.wait()
    return data
close = Stream.close
def closing(self):
    gate.set()
    close(self)
Stream.close = closing
phases.encode = slow
run.BATCH_IMAGES = 1
sys.exit(cli.main(sys.argv[1:]))
"""


@posix
@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_cleanly_and_resume_goes_on(treadle_, photos, tmp_path, number, status):
    whole = tmp_path / "whole"
    assert treadle_("run", "enhance", photos, "-o", whole).status == 0
    out = tmp_path / "out"
    process = python("-c", STOPPED, "run", "enhance", photos, "-o", out, "-j", 1)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == status, err
    assert "Traceback" not in err
    assert "--resume goes on" in " ".join(err.split())
    done = outputs(out)
    assert 2 <= len(done) < 6
    assert done.items() <= outputs(whole).items()
    said = treadle_("run", "enhance", photos, "-o", out, "--resume")
    assert (said.status, f"{len(done)} made before" in said.text) == (0, True)
    assert outputs(out) == outputs(whole)


KILLED = """
import io, os, signal, sys
from contextlib import redirect_stdout
import llvmlite.binding, PIL.JpegImagePlugin
from treadle import cli
from treadle.photos import write
from treadle.recipes import journal, phases, results, run

# Imports once and forks a child for each step that the first argument names. The child dies at that
# step of the second image; its outputs have a folder of that name.
with redirect_stdout(io.StringIO()):  # what the command line and its libraries import themselves
    cli.main([*sys.argv[3:], "-o", "nowhere", "--dry-run"])
for where in sys.argv[1].split(","):
    child = os.fork()
    if not child:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
count = iter(range(10**6))
def dying(name, function):
    def call(*args, **options):
        if name == where and next(count) == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*args, **options)
    return call
def after(function):
    def call(*args, **options):
        result = function(*args, **options)
        if where == "after" and next(count) == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return call
class Half:
    def __init__(self, file): self.file = file
    def __enter__(self): return self
    def __exit__(self, *_): self.file.close()
    def __getattr__(self, name): return getattr(self.file, name)
    def write(self, data):
        self.file.write(data[: len(data) // 2]); self.file.flush()
        if where == "writing" and next(count) == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        self.file.write(data[len(data) // 2 :])
write.open = lambda *args: Half(open(*args))
phases.decode = dying("decoding", phases.decode)
phases.encode = dying("encoding", phases.encode)
journal.Journal.add = dying("journal", journal.Journal.add)
write.os.link = dying("linking", os.link)
write.os.fsync = dying("syncing", os.fsync)
results.write_atomically = after(results.write_atomically)
run.BATCH_IMAGES = 1
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
os._exit(cli.main([*sys.argv[3:], "-o", os.path.join(sys.argv[2], where)]))
"""
FLIP = ["run", "--stage", "flip"]  # quick: what is written matters here, and when
STEPS = ["decoding", "encoding", "journal", "writing", "syncing", "linking", "after"]


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Photos, what a run that nobody disturbs makes of them, and how those ended that were killed,
    each with its folder."""
    photos, out = tmp_path_factory.mktemp("photos"), tmp_path_factory.mktemp("out")
    for index in range(6):
        make_photo(photos / f"photo-{index}.jpg", seed=index, size=(96, 64 + 8 * (index == 3)))
    steps = ["nowhere", *STEPS]
    process = python("-c", KILLED, ",".join(steps), out, *FLIP, photos, "-j", 1)
    said, _ = process.communicate(timeout=120)
    ended = dict(zip(steps, map(int, said.split()), strict=True))
    assert ended.pop("nowhere") == 0
    return photos, outputs(out / "nowhere"), {step: (ended[step], out / step) for step in ended}


@posix
@pytest.mark.parametrize("where", STEPS)
def test_killed_at_any_step_and_resumed_the_result_is_the_same(treadle_, killed, where):
    photos, whole, runs = killed
    status, out = runs[where]
    assert status == -signal.SIGKILL
    visible = {n: d for n, d in outputs(out).items() if not n.startswith(".treadle")}
    assert visible.items() <= whole.items()
    said = treadle_(*FLIP, photos, "-o", out, "--resume")
    assert said.status == 0, said
    assert outputs(out) == whole
