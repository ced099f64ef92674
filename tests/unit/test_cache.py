"""The disk cache: this user's own, bounded, and never in the way."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from treadle import files
from treadle.backends import cache as module
from treadle.backends.cache import DiskCache, cache_directory, digest

posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX")
K, OTHER = digest("k"), digest("other")


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    """A home of its own for each test: that is where the key lies."""
    made = tmp_path / "home"
    made.mkdir()
    monkeypatch.setenv("HOME", str(made))
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(made / "cache"))
    return made


def key_file():
    return module._user_directory() / "key"


@pytest.fixture
def place(tmp_path):
    return tmp_path / "place"


@pytest.fixture
def cache(place):
    return DiskCache(place)


def entries(cache):
    return sorted(p for p in cache.directory.iterdir() if p.suffix == ".bin")


def entry(cache, key=K):
    return cache.directory / f"{key}.bin"


def test_what_was_stored_comes_back(cache):
    assert cache.load(K) is None
    assert cache.store(K, b"payload")
    assert cache.load(K) == b"payload"
    assert cache.store(K, b"")
    assert cache.load(K) == b""
    assert cache.problem == ""


def test_a_second_process_finds_it(cache, place):
    cache.store(K, b"payload")
    assert DiskCache(place).load(K) == b"payload"


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
    cache.store(K, b"payload")
    (path,) = entries(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.load(K) is None
    assert not path.exists()
    assert cache.store(K, b"payload")
    assert cache.load(K) == b"payload"


@pytest.mark.parametrize("key", ["k", "", "../" + K, K + "/x", K.upper(), K[:-1], K + "\n"])
def test_a_key_is_what_digest_gives(cache, key):
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        cache.store(key, b"x")
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        cache.load(key)


# What another user, or another program, may have put there.


def test_an_entry_with_a_digest_that_anyone_can_make_is_refused(cache):
    cache.store(K, b"payload")
    data = entry(cache).read_bytes()
    head = data[: -len(b"payload") - 32]
    for made in (hashlib.sha256(b"hostile"), hashlib.sha256(entry(cache).name.encode() + b"\0")):
        entry(cache).write_bytes(head + made.digest() + b"hostile")
        assert cache.load(K) is None


def test_an_entry_of_another_key_file_is_refused(cache, place, home):
    cache.store(K, b"payload")
    data = entry(cache).read_bytes()
    key_file().unlink()
    assert DiskCache(place).load(K) is None
    assert len(key_file().read_bytes()) == 32
    entry(cache).write_bytes(data)
    assert DiskCache(place).load(K) is None


def test_an_entry_under_the_name_of_another_is_refused(cache):
    cache.store(K, b"payload")
    cache.store(OTHER, b"other")
    os.replace(entry(cache, OTHER), entry(cache, K))
    assert cache.load(K) is None


def test_a_folder_of_entries_brings_no_key_along(cache, tmp_path):
    cache.store(K, b"payload")
    for path in (cache.directory, cache.directory.parent):
        assert not (path / "key").exists()
    elsewhere = DiskCache(tmp_path / "elsewhere")
    shutil.copytree(cache.directory, elsewhere.directory)
    (elsewhere.directory / "key").write_bytes(bytes(32))
    assert elsewhere.load(K) == b"payload"  # the same user's key, wherever the folder is


@posix
def test_what_belongs_to_another_user_is_refused(cache, place, monkeypatch):
    cache.store(K, b"x")
    other = DiskCache(place)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert cache.load(K) is None
    assert not cache.store(K, b"x")
    assert other.load(K) is None
    assert not other.store(K, b"x")
    assert "belongs to user" in other.problem


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="chown needs root")
@pytest.mark.parametrize("what", ["entry", "folder", "key"])
def test_files_of_another_user_are_refused(cache, place, what):
    cache.store(K, b"x")
    path = {"entry": entry(cache), "folder": cache.directory, "key": key_file()}[what]
    os.chown(path, 12345, -1)
    assert DiskCache(place).load(K) is None
    assert path.exists()
    os.chown(path, 0, -1)
    assert DiskCache(place).load(K) == b"x"


@posix
@pytest.mark.parametrize("what, mode", [("entry", 0o620), ("entry", 0o602), ("folder", 0o770),
                                        ("folder", 0o702), ("folder", 0o1777), ("key", 0o640),
                                        ("key", 0o604)])  # fmt: skip
def test_what_others_may_write_is_refused(cache, place, what, mode):
    cache.store(K, b"x")
    path = {"entry": entry(cache), "folder": cache.directory, "key": key_file()}[what]
    path.chmod(mode)
    other = DiskCache(place)
    assert other.load(K) is None
    assert path.stat().st_mode & 0o7777 == mode  # nothing is given another mode
    if what != "entry":
        assert str(path) in other.problem
        assert "others may use it" in other.problem
        assert not other.store(K, b"x")


@posix
@pytest.mark.parametrize("what", ["entry", "key", "marker"])
@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_pipes_links_and_folders_are_refused(cache, place, tmp_path, what, kind):
    cache.store(K, b"x")
    path = {
        "entry": entry(cache),
        "key": key_file(),
        "marker": cache.directory / "CACHEDIR.TAG",
    }[what]
    kept = tmp_path / "kept"
    path.rename(kept)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to(kept)
    else:
        path.mkdir()
    before = kept.read_bytes()
    other = DiskCache(place)
    assert other.load(K) is None
    assert os.path.lexists(path)
    other.evict()
    assert kept.read_bytes() == before
    if what == "entry":
        assert other.store(K, b"y") == (kind != "folder")
        assert kept.read_bytes() == before
    else:
        assert not other.store(K, b"y")
        assert "it is a" in other.problem


@posix
def test_a_link_in_place_of_the_folder_is_refused(cache, place, tmp_path):
    cache.store(K, b"x")
    cache.directory.rename(tmp_path / "kept")
    cache.directory.symlink_to(tmp_path / "kept")
    assert cache.load(K) is None
    other = DiskCache(place)
    assert other.load(K) is None
    assert "symbolic link" in other.problem


# What is not the cache's own stays as it is.


def test_files_of_others_are_neither_counted_nor_deleted(tmp_path):
    place = tmp_path / "models"
    place.mkdir()
    (place / "model.bin").write_bytes(bytes(50_000))
    (place / f"{K}.bin").write_bytes(bytes(50_000))
    (place / ".new-0123456789abcdef").write_bytes(b"mine")
    cache = DiskCache(place, limit=3000)
    cache.store(K, bytes(900))
    mine = [cache.directory / name for name in ("model.bin", ".new-dead", K, f"{K}.bin.bak")]
    for path in mine:
        path.write_bytes(bytes(5000))
        os.utime(path, (1000, 1000))
    for i in range(5):
        cache.store(digest(str(i)), bytes(900))
    cache.evict()
    assert all(path.stat().st_size == 5000 for path in mine)
    assert sorted(path.name for path in place.iterdir()) == sorted(
        ["model.bin", f"{K}.bin", ".new-0123456789abcdef", cache.directory.name]
    )


@posix
@pytest.mark.parametrize("mode", [0o1777, 0o755, 0o770])
def test_the_folder_that_was_named_keeps_its_mode(tmp_path, mode):
    place = tmp_path / "shared"
    place.mkdir()
    place.chmod(mode)
    cache = DiskCache(place)
    assert cache.store(K, b"x")
    assert cache.load(K) == b"x"
    assert place.stat().st_mode & 0o7777 == mode
    assert cache.directory.stat().st_mode & 0o777 == 0o700
    assert key_file().stat().st_mode & 0o777 == 0o600
    assert entry(cache).stat().st_mode & 0o777 == 0o600


def test_a_folder_that_treadle_did_not_make_is_left_alone(cache, place):
    cache.directory.mkdir(parents=True)
    (cache.directory / "letter.txt").write_text("mine")
    assert not cache.store(K, b"x")
    assert "was not made by it" in cache.problem
    assert [path.name for path in cache.directory.iterdir()] == ["letter.txt"]
    assert list(place.iterdir()) == [cache.directory]


def test_an_emptied_or_deleted_folder_is_made_again(cache, place):
    cache.store(K, b"x")
    for path in cache.directory.iterdir():
        path.unlink()
    assert DiskCache(place).store(K, b"x")
    for using in (cache, DiskCache(place)):  # a process that goes on, and a new one
        shutil.rmtree(place)
        assert using.load(K) is None
        assert using.store(K, b"x")
        assert using.load(K) == b"x"


def test_oldest_entries_go_first(place):
    cache = DiskCache(place, limit=3000)
    keys = [digest(str(i)) for i in range(5)]
    for i, key in enumerate(keys):
        cache.store(key, bytes(900))
        os.utime(entry(cache, key), (1000 + i, 1000 + i))
    cache.evict()
    assert {p.stem for p in entries(cache)} == set(keys[2:])


def test_writing_keeps_the_directory_bounded(place):
    cache = DiskCache(place, limit=20_000)
    for i in range(100):
        cache.store(digest(str(i)), bytes(1000))
    assert sum(p.stat().st_size for p in entries(cache)) < 25_000
    assert cache.load(digest("99")) == bytes(1000)


def test_stale_temporary_files_are_swept(cache):
    cache.store(K, b"x")
    left = cache.directory / ".new-0123456789abcdef"
    left.write_bytes(b"half")
    os.utime(left, (1000, 1000))
    fresh = cache.directory / ".new-fedcba9876543210"
    fresh.write_bytes(b"half")
    cache.evict()
    assert not left.exists()
    assert fresh.exists()


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(at=st.integers(0, 200), drop=st.integers(0, 60), put=st.binary(max_size=60))
def test_no_change_of_an_entry_gets_through(cache, at, drop, put):
    cache.store(K, b"payload" * 20)
    data = entry(cache).read_bytes()
    changed = data[:at] + put + data[at + drop :]
    entry(cache).write_bytes(changed)
    assert cache.load(K) == (b"payload" * 20 if changed == data else None)


def test_a_system_without_open_folders_goes_by_paths(place, monkeypatch):
    monkeypatch.setattr(files, "_BY_HANDLE", False)
    monkeypatch.setattr(module, "_user", lambda: None)  # as on Windows
    cache = DiskCache(place, limit=3000)
    assert cache.directory.name == "treadle"
    for i in range(9):
        assert cache.store(digest(str(i)), bytes(900)), cache.problem
    assert cache.load(digest("8")) == bytes(900)
    assert DiskCache(place).load(digest("8")) == bytes(900)
    cache.evict()
    assert len(entries(cache)) == 3
    entry(cache, digest("8")).write_bytes(b"hostile")
    assert cache.load(digest("8")) is None


# A cache that cannot be used is no error.


def test_no_directory_means_no_cache():
    cache = DiskCache(None)
    assert not cache.store(K, b"x")
    assert cache.load(K) is None
    assert cache.evict() == 0
    assert cache.problem == "the cache is switched off"


def test_a_directory_that_cannot_be_made_means_no_cache(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    cache = DiskCache(tmp_path / "file" / "below")
    assert not cache.store(K, b"x")
    assert cache.load(K) is None
    assert str(tmp_path / "file") in cache.problem


def test_a_full_disk_is_not_an_error(cache, monkeypatch):
    cache.store(OTHER, b"x")

    def fail(*args, **options):
        raise OSError(28, "No space left on device")

    for name in ("write", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, name, fail)
            assert not cache.store(K, b"x")
        assert len(list(cache.directory.iterdir())) == 2  # the marker and the other one


def test_a_disk_that_is_full_from_the_start_leaves_nothing_behind(cache, place, monkeypatch):
    def fail(*args, **options):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", fail)
        assert not cache.store(K, b"x")
        assert "No space left" in cache.problem
    assert list(place.iterdir()) == []
    assert DiskCache(place).store(K, b"x")


@posix
def test_without_a_home_the_key_lies_with_the_entries(cache, place, monkeypatch, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "file"))  # below it nothing can be made
    assert cache.store(K, b"x")
    assert (cache.directory / "key").stat().st_mode & 0o777 == 0o600
    assert DiskCache(place).load(K) == b"x"


def test_no_home_at_all(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.delenv("TREADLE_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    assert cache_directory() is None


def test_a_damaged_key_is_refused_and_named(cache, place):
    cache.store(K, b"x")
    key_file().write_bytes(b"short")
    other = DiskCache(place)
    assert other.load(K) is None
    assert "damaged; delete this key" in other.problem


@posix
def test_a_read_only_folder_is_still_read(cache, place, monkeypatch):
    cache.store(K, b"x")
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
    really = os.open

    def read_only(path, flags, *rest, **options):
        if flags & writing:
            raise OSError(30, "Read-only file system")
        return really(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", read_only)
    other = DiskCache(place)
    assert other.load(K) == b"x"
    assert not other.store(OTHER, b"y")


@pytest.mark.parametrize("value", ["0", "off", "OFF", ""])
def test_switched_off(monkeypatch, value):
    monkeypatch.setenv("TREADLE_CACHE", value)
    assert cache_directory() is None


def test_directory_comes_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("TREADLE_CACHE", str(tmp_path))
    assert cache_directory() == tmp_path
    monkeypatch.setenv("TREADLE_CACHE", "relative")
    assert cache_directory() == Path.cwd() / "relative"  # also after a change of directory
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
from treadle.backends.cache import DiskCache, digest
cache = DiskCache(Path(sys.argv[1]))
for _ in range(300):
    assert cache.store(digest("shared"), sys.argv[2].encode() * 5000), cache.problem
    found = cache.load(digest("shared"))
    assert found is not None and found in (b"a" * 5000, b"b" * 5000, b"c" * 5000)
"""


def test_processes_share_one_folder_one_key_and_one_entry(place):
    command = [sys.executable, "-c", WRITER, str(place)]
    writers = [subprocess.Popen([*command, letter], stderr=subprocess.PIPE) for letter in "abc"]
    for writer in writers:
        _, errors = writer.communicate(timeout=60)
        assert writer.returncode == 0, errors.decode()
    (folder,) = place.iterdir()
    assert {p.name for p in folder.iterdir()} == {"CACHEDIR.TAG", f"{digest('shared')}.bin"}
    assert [p.name for p in key_file().parent.iterdir()] == ["key"]


FORKER = """
import os, sys
from pathlib import Path
from treadle.backends.cache import DiskCache, digest
cache = DiskCache(Path(sys.argv[1]))
cache.store(digest("k"), b"payload")
child = os.fork()
if child == 0:
    os._exit(0 if cache.load(digest("k")) == b"payload" else 1)
sys.exit(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork is POSIX")
def test_a_forked_child_reads_what_its_parent_wrote(place):
    subprocess.run([sys.executable, "-c", FORKER, str(place)], check=True, timeout=60)
