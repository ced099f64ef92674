"""The disk cache: verified, bounded, private, and never in the way."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from treadle.backends.cache import DiskCache, cache_directory, digest

posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX")


@pytest.fixture
def cache(tmp_path):
    return DiskCache(tmp_path / "cache")


def entries(cache):
    return sorted(p for p in cache.directory.iterdir() if p.suffix == ".bin")


def test_what_was_stored_comes_back(cache):
    assert cache.load("k") is None
    assert cache.store("k", b"payload")
    assert cache.load("k") == b"payload"
    assert cache.store("k", b"")
    assert cache.load("k") == b""


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: b"other" + data[5:],
        lambda data: b"",
    ],
)
def test_a_damaged_entry_is_deleted_and_can_be_stored_again(cache, damage):
    cache.store("k", b"payload")
    (path,) = entries(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.load("k") is None
    assert not path.exists()
    assert cache.store("k", b"payload")
    assert cache.load("k") == b"payload"


def test_oldest_entries_go_first(tmp_path):
    cache = DiskCache(tmp_path, limit=3000)
    for i in range(5):
        cache.store(f"k{i}", bytes(900))
        os.utime(tmp_path / f"k{i}.bin", (1000 + i, 1000 + i))
    cache.evict()
    assert [p.stem for p in entries(cache)] == ["k2", "k3", "k4"]


def test_writing_keeps_the_directory_bounded(tmp_path):
    cache = DiskCache(tmp_path, limit=20_000)
    for i in range(100):
        cache.store(f"k{i}", bytes(1000))
    assert sum(p.stat().st_size for p in entries(cache)) < 25_000
    assert cache.load("k99") == bytes(1000)


def test_stale_temporary_files_are_swept(cache):
    cache.store("k", b"x")
    left = cache.directory / ".new-dead"
    left.write_bytes(b"half")
    os.utime(left, (1000, 1000))
    fresh = cache.directory / ".new-alive"
    fresh.write_bytes(b"half")
    cache.evict()
    assert not left.exists()
    assert fresh.exists()


def test_no_directory_means_no_cache():
    cache = DiskCache(None)
    assert not cache.store("k", b"x")
    assert cache.load("k") is None
    assert cache.evict() == 0


def test_a_directory_that_cannot_be_made_means_no_cache(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    cache = DiskCache(tmp_path / "file" / "below")
    assert not cache.store("k", b"x")
    assert cache.load("k") is None


def test_a_full_disk_is_not_an_error(cache, monkeypatch):
    def fail(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    assert not cache.store("k", b"x")
    assert list(cache.directory.iterdir()) == []


@posix
def test_the_directory_is_private(cache):
    cache.store("k", b"x")
    assert cache.directory.stat().st_mode & 0o777 == 0o700


@posix
def test_a_directory_of_another_user_is_refused(cache, monkeypatch):
    cache.store("k", b"x")
    other = DiskCache(cache.directory)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert other.load("k") is None
    assert not other.store("k", b"x")


@pytest.mark.parametrize("value", ["0", "off", "OFF", ""])
def test_switched_off(monkeypatch, value):
    monkeypatch.setenv("TREADLE_CACHE", value)
    assert cache_directory() is None


def test_directory_comes_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path))
    assert cache_directory() == tmp_path
    monkeypatch.delenv("TREADLE_CACHE")
    if sys.platform.startswith("linux"):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert cache_directory() == tmp_path / "treadle"
        monkeypatch.setenv("XDG_CACHE_HOME", "relative")
        monkeypatch.setenv("HOME", str(tmp_path))
        assert cache_directory() == tmp_path / ".cache" / "treadle"


def test_parts_of_a_key_do_not_run_together():
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("ab", b"c") == digest("ab", "c")


WRITER = """
import sys
from pathlib import Path
from treadle.backends.cache import DiskCache
cache = DiskCache(Path(sys.argv[1]))
for _ in range(300):
    assert cache.store("shared", sys.argv[2].encode() * 5000)
    found = cache.load("shared")
    assert found is not None and found in (b"a" * 5000, b"b" * 5000)
"""


def test_two_processes_share_one_entry(tmp_path):
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen([*command, letter], stderr=subprocess.PIPE) for letter in "ab"]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert writer.returncode == 0, errors.decode()
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".new-")]
