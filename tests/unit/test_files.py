"""Files that nobody vouches for: regular ones only, bounded, and nothing to wait for."""

from __future__ import annotations

import contextlib
import os
import socket
import sys

import pytest

from treadle import files

posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices among files are POSIX")


def test_a_regular_file_is_read_up_to_the_limit(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert files.read_regular(path, limit=5) == b"12345"
    with pytest.raises(OSError, match="it has 5 bytes; at most 4 are read"):
        files.read_regular(path, limit=4)
    path.write_bytes(b"")
    assert files.read_regular(path, limit=0) == b""


@posix
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "socket"])
def test_everything_else_is_refused_at_once(tmp_path, kind, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the path of a socket has to be short
    if kind == "pipe":
        os.mkfifo("x")
    elif kind == "device":
        os.symlink("/dev/zero", "x")
    elif kind == "folder":
        os.mkdir("x")
    else:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("x")
    with pytest.raises(OSError, match=rf"it is a {kind}( \(FIFO\))?, not a regular file"):
        files.read_regular("x", limit=100)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux")
@pytest.mark.parametrize("name", ["/proc/kmsg", "/proc/self/environ"])
def test_files_of_proc_are_not_waited_for(name):
    with contextlib.suppress(PermissionError):  # which is at once, too
        assert files.read_regular(name, limit=1 << 20) == b""


@posix
def test_a_swap_between_looking_and_opening_is_seen(tmp_path, monkeypatch):
    regular, pipe = tmp_path / "regular", tmp_path / "pipe"
    regular.write_bytes(b"x")
    os.mkfifo(pipe)
    really = os.stat
    monkeypatch.setattr(os, "stat", lambda path, **options: really(regular))
    with pytest.raises(OSError, match="it is a pipe"):
        files.read_regular(pipe, limit=100)


@posix
def test_links_are_followed_only_where_the_caller_says_so(tmp_path):
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "b").symlink_to("a")
    assert files.read_regular(tmp_path / "b", limit=9) == b"x"
    with files.Folder(tmp_path) as folder, pytest.raises(OSError, match="symbolic link"):
        folder.open("b")
    (tmp_path / "c").mkdir()
    (tmp_path / "d").symlink_to("c")
    with pytest.raises(OSError, match="symbolic link"):
        files.Folder(tmp_path / "d")
    files.Folder(tmp_path / "d", follow=True).close()


@posix
def test_an_open_folder_stays_the_same_when_its_path_changes(tmp_path):
    (tmp_path / "a").mkdir()
    with files.Folder(tmp_path / "a") as folder:
        (tmp_path / "a").rename(tmp_path / "b")
        (tmp_path / "a").mkdir()
        folder.write("x", b"1")
        with pytest.raises(FileExistsError):
            folder.write("x", b"2")
        assert folder.names() == ["x"]
    assert (tmp_path / "b" / "x").read_bytes() == b"1"
    assert os.listdir(tmp_path / "a") == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the variable is Linux's")
def test_drivers_get_a_directory_that_is_nobody_else_s(monkeypatch):
    from treadle.backends.webgpu.driver import _runtime_directory

    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    with _runtime_directory():
        info = os.stat(os.environ["XDG_RUNTIME_DIR"])
        assert (info.st_uid, info.st_mode & 0o777) == (os.geteuid(), 0o700)
    assert "XDG_RUNTIME_DIR" not in os.environ
