"""Of several processes that need the same entry of the disk cache, one makes it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

import pytest

from treadle.backends import cache as module
from treadle.backends.cache import DiskCache, digest

posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX")
K = digest("k")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Where a cache lies, with a home of its own for the key."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "place"


@pytest.fixture
def cache(place):
    return DiskCache(place)


MAKING = """
import sys, time
from pathlib import Path
from treadle.backends.cache import DiskCache
place, key, here = sys.argv[1:4]
cache = DiskCache(Path(place))
Path(here).touch()
while len(list(Path(here).parent.glob("here-*"))) < 3:
    time.sleep(0.005)
with cache.making(key):
    if cache.load(key) is None:
        cache.store(key, b"made")
        print("made")
"""


@posix
def test_of_processes_that_need_the_same_entry_one_makes_it(place, tmp_path):
    command = [sys.executable, "-c", MAKING, str(place), K]
    makers = [
        subprocess.Popen([*command, str(tmp_path / f"here-{n}")], stdout=subprocess.PIPE)
        for n in range(3)
    ]
    assert sum(maker.communicate()[0].count(b"made") for maker in makers) == 1


@posix
def test_a_lock_goes_with_its_process_and_is_not_waited_for_without_end(cache, monkeypatch):
    command = [sys.executable, "-c", HOLDING, str(cache.directory.parent), K]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert holder.stdout.readline() == b"held\n"
    monkeypatch.setattr(module, "_PATIENCE_SECONDS", 0.0)
    with cache.making(K):
        assert cache.store(K, b"made without the lock")
    holder.kill()
    holder.communicate()
    monkeypatch.setattr(module, "_PATIENCE_SECONDS", 1e9)
    with cache.making(K):  # else this waits for ever
        assert cache.load(K) == b"made without the lock"


HOLDING = """
import sys, time
from pathlib import Path
from treadle.backends.cache import DiskCache
with DiskCache(Path(sys.argv[1])).making(sys.argv[2]):
    print("held", flush=True)
    time.sleep(1000)
"""


def test_making_without_a_place_is_no_trouble():
    with DiskCache(None).making(K):
        pass


@posix
def test_ctrl_c_while_another_makes_it_leaves_no_file_open(cache, monkeypatch):
    def interrupted(opened):
        raise KeyboardInterrupt

    closed = []
    monkeypatch.setattr(module, "hold", interrupted)
    monkeypatch.setattr(module, "let_go", lambda opened: closed.append(os.close(opened)))
    with pytest.raises(KeyboardInterrupt), cache.making(K):
        pass
    assert len(closed) == 1


@posix
def test_a_thread_that_makes_an_entry_within_another_does_not_wait_for_itself(cache, monkeypatch):
    waited = []
    monkeypatch.setattr(module, "_wait_for", waited.append)
    with contextlib.ExitStack() as inside:
        for n in range(40):  # more than there are lock files
            inside.enter_context(cache.making(digest(f"k{n}")))
        assert len(waited) == 16
    with cache.making(K):
        assert len(waited) == 17
