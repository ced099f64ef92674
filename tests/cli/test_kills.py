"""Runs that are killed anywhere, meet a full disk or each other: every byte comes out the same.

Only the command line is used, with one quick stage: what is written matters here, and when. One
process imports it, asks it what there is to do, and forks a child for each run. A child counts
how often it touches its output folder, by Python's audit events, and before and after what names
or syncs a file; at the n-th time it is killed, or the disk is full from then on. Tests ask for ever
later n until a run ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from photo_files import make_photo, outputs, python

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and forks as POSIX has them")
RUNS = """
import errno, importlib, io, json, os, pkgutil, signal, sys
from contextlib import redirect_stdout, suppress
import llvmlite.binding, PIL.JpegImagePlugin, rich.progress, typer
import treadle
from treadle import cli

os.environ["TREADLE_DEVICE"] = "cpu"  # looking for others takes longer than a run
# What a child would import otherwise, each for itself; what needs an absent library stays out.
for module in pkgutil.walk_packages(treadle.__path__, "treadle."):
    with suppress(ImportError):
        module.name.endswith("__main__") or importlib.import_module(module.name)
with redirect_stdout(io.StringIO()):  # what the command line and its libraries import themselves
    cli.main([*sys.argv[1:], "-o", "nowhere", "--dry-run"])

WRITES = {"os.mkdir", "os.truncate"}
TOUCHES = {"open", "os.remove", "os.listdir", "os.scandir"} | WRITES
count = 0

def touched(how, limit, writes):
    global count
    count += 1
    if how == "kill" and count == limit:
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "full" and count >= limit and writes:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

def watched(out, how, limit):
    def heard(event, given):
        if event not in TOUCHES:
            return
        paths = [os.fspath(each) for each in given if isinstance(each, (str, os.PathLike))]
        if any(path.startswith(out) for path in paths):
            flags = os.O_WRONLY | os.O_RDWR | os.O_CREAT
            touched(how, limit, event in WRITES or (event == "open" and given[2] & flags))
    def around(real):
        def call(*given, **options):
            touched(how, limit, True)
            result = real(*given, **options)
            touched(how, limit, False)
            return result
        return call
    for name in ("fsync", "link", "replace", "rename"):
        setattr(os, name, around(getattr(os, name)))
    sys.addaudithook(heard)

def child(out, how, limit, arguments):
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1), os.dup2(silent, 2)
    if how:
        watched(out, how, limit)
    os._exit(cli.main([*arguments, "-o", out, "--resume"]))

for line in sys.stdin:
    outs, how, limit = json.loads(line)
    children = []
    for out in outs:
        children.append(os.fork())
        if not children[-1]:
            child(out, how, limit, sys.argv[1:])
    ended = [os.waitstatus_to_exitcode(os.waitpid(each, 0)[1]) for each in children]
    print(json.dumps(ended), flush=True)
"""


class Runs:
    """Runs over a folder of photos, each in a process of its own."""

    def __init__(self, photos: Path) -> None:
        self.arguments = ["run", "--stage", "flip", str(photos), "-j", "1"]
        self._process = python("-c", RUNS, *self.arguments, stdin=subprocess.PIPE)

    def __call__(self, *outs: Path, how: str = "", limit: int = 0) -> list[int]:
        """Have a run for each folder, all at once; return how they ended."""
        self._process.stdin.write(json.dumps([[*map(str, outs)], how, limit]) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        _, said = self._process.communicate()
        assert (self._process.returncode, said) == (0, "")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """What starts runs over three photos."""
    photos = tmp_path_factory.mktemp("photos")
    for index in range(3):
        make_photo(photos / f"{index}.jpg", seed=index)
    started = Runs(photos)
    yield started
    started.close()


@pytest.fixture(scope="module")
def whole(runs, tmp_path_factory):
    """What a run that nothing disturbs makes of the photos."""
    out = tmp_path_factory.mktemp("whole")
    assert runs(out) == [0]
    made = outputs(out)
    assert len(made) == 3
    return made


def visible(folder: Path) -> dict[str, bytes]:
    """The files that a user sees."""
    return {name: data for name, data in outputs(folder).items() if not name.startswith(".")}


def test_killed_again_and_again_a_run_gets_to_its_end(runs, whole, tmp_path):
    out, kills = tmp_path / "out", 0
    while (ended := runs(out, how="kill", limit=kills + 1)) == [-signal.SIGKILL]:
        kills += 1
        assert visible(out).items() <= whole.items()
    assert ended == [0]
    assert kills > 10
    assert outputs(out) == whole


@pytest.mark.parametrize("how, status", [("kill", -signal.SIGKILL), ("full", 1)])
def test_one_more_run_ends_what_was_stopped_at_any_touch(runs, whole, tmp_path, how, status):
    limit, stops = 2, 0
    while True:
        out = tmp_path / f"out-{limit}"
        (ended,) = runs(out, how=how, limit=limit)
        if ended == 0:
            break
        stops += 1
        assert ended == status or (how == "full" and ended == 2 and not visible(out))
        assert visible(out).items() <= whole.items()
        assert runs(out) == [0]
        assert outputs(out) == whole
        limit += 7
    assert stops > 4
    assert outputs(out) == whole


def test_runs_into_one_folder_at_once(runs, whole, tmp_path):
    out = tmp_path / "out"
    for _ in range(2):
        assert set(runs(*[out] * 4)) <= {0, 2}  # one writes, the others are told so
        assert visible(out).items() <= whole.items()
    assert runs(out) == [0]
    assert outputs(out) == whole


def test_runs_into_folders_of_their_own_at_once(runs, whole, tmp_path):
    outs = [tmp_path / f"out-{k}" for k in range(4)]
    assert runs(*outs) == [0] * 4
    assert [outputs(out) for out in outs] == [whole] * 4


FILLED = """
mount -t tmpfs -o size=$1 tmpfs "$2" || exit 99
shift
out=$1; kept=$2; shift 2
"$@"; status=$?
cp -r "$out" "$kept/first"
mount -o remount,size=16m "$out"
"$@" || exit 98
cp -r "$out" "$kept/second"
exit $status
"""


@pytest.mark.skipif(
    shutil.which("unshare") is None
    or subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],
                      capture_output=True, check=False).returncode != 0,
    reason="makes a small file system, which needs a namespace of its own",
)  # fmt: skip
@pytest.mark.parametrize("size", ["8k"])
def test_a_disk_that_is_full(runs, whole, tmp_path, size):
    out, kept = tmp_path / "out", tmp_path / "kept"
    out.mkdir(), kept.mkdir()
    run = [sys.executable, "-m", "treadle", *runs.arguments, "-o", out, "--resume"]
    env = dict(os.environ, COLUMNS="400", TREADLE_DEVICE="cpu")
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", FILLED, "sh", size, out, kept, *map(str, run)],
        capture_output=True, text=True, check=False, env=env,
    )  # fmt: skip
    assert done.returncode in (1, 2), done.stderr
    assert "No space left on device" in done.stdout + done.stderr
    assert visible(kept / "first").items() < whole.items()
    assert outputs(kept / "second") == whole
