"""Odd files among good ones: each costs itself only and is told on a line of its own."""

from __future__ import annotations

import errno
import io
import json
import os
import socket
import stat

import pytest

from photo_files import make_photo, outputs
from treadle import files
from treadle.photos import PhotoError, probe, read_regular, read_stream, regular
from treadle.recipes import phases, run

posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices as POSIX has them")
GOOD = [f"photo-{index}.jpg" for index in range(6)]


def failed(said) -> dict[str, str]:
    """What the text says about each file that failed."""
    lines = [line.split(None, 1)[1] for line in said.err.splitlines() if line.startswith("failed ")]
    return {os.path.basename(name): why for name, _, why in (x.partition(": ") for x in lines)}


def make_odd(folder) -> dict[str, str]:
    """Put what is no photo under a photo's name; what is to be said about each."""
    os.mkfifo(folder / "pipe.jpg")
    os.symlink(folder / "pipe.jpg", folder / "to-pipe.png")
    os.symlink("/dev/zero", folder / "endless.jpg")
    os.symlink("nowhere", folder / "broken.jpg")
    os.symlink("loop.webp", folder / "loop.webp")
    with open(folder / "sparse.jpg", "wb") as file:
        file.truncate(1 << 40)
    (folder / "empty.jpg").write_bytes(b"")
    (folder / "text.tif").write_text("dear diary")
    return {
        "pipe.jpg": "it is a pipe (FIFO), not a regular file",
        "to-pipe.png": "it is a pipe (FIFO), not a regular file",
        "endless.jpg": "it is a device, not a regular file",
        "broken.jpg": "a symbolic link that leads nowhere",
        "loop.webp": os.strerror(errno.ELOOP),
        "sparse.jpg": "it has 1,099,512 MB, more than the limit of 1,000 MB; --max-bytes raises it",
        "empty.jpg": "the file is empty",
        "text.tif": "not an image in a known format (jpeg, png, webp, tiff, bmp, gif, avif, heic)",
    }


@posix
def test_odd_files_cost_themselves_only(treadle_, photos, tmp_path):
    wanted = make_odd(photos)
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "out", "-q")
    assert said.status == 1
    assert failed(said) == wanted
    assert f"6 done, {len(wanted)} failed" in said.text
    assert sorted(outputs(tmp_path / "out")) == GOOD


@posix
def test_a_dry_run_meets_them_too_and_waits_for_nothing(treadle_, photos, tmp_path):
    wanted = make_odd(photos)
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "out", "--dry-run")
    assert (said.status, failed(said)) == (1, wanted)
    assert f"6 to do, {len(wanted)} that cannot be; nothing was written" in said.text
    assert not (tmp_path / "out").exists()


@posix
def test_named_by_themselves_they_leave_nothing_behind(treadle_, photos, tmp_path):
    make_odd(photos)
    said = treadle_("run", "thumbnail", photos / "pipe.jpg", "-o", tmp_path / "out", "-q")
    assert (said.status, failed(said)) == (
        1,
        {"pipe.jpg": "it is a pipe (FIFO), not a regular file"},
    )
    assert not (tmp_path / "out").exists()


@posix
def test_a_pipe_where_an_output_was_is_not_read(treadle_, photos, tmp_path):
    out = tmp_path / "out"
    assert treadle_("run", "thumbnail", photos, "-o", out, "-q").status == 0
    (out / "photo-0.jpg").unlink()
    os.mkfifo(out / "photo-0.jpg")
    said = treadle_("run", "thumbnail", photos, "-o", out, "-q", "--resume")
    assert said.status == 1
    assert "is not what an earlier run made" in failed(said)["photo-0.jpg"]


@posix
def test_a_socket_and_a_folder_are_named_for_what_they_are(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path has to be short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("s.jpg")
        with pytest.raises(PhotoError, match="is a socket"):
            read_regular("s.jpg")
    with pytest.raises(PhotoError, match="is a folder"):
        read_regular(tmp_path)


@posix
def test_what_becomes_a_pipe_between_looking_and_opening_is_refused(tmp_path, monkeypatch):
    path = make_photo(tmp_path / "a.jpg")
    before = os.stat(path)
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(os, "stat", lambda *_, **__: before)
    with pytest.raises(PhotoError, match=r"is a pipe \(FIFO\)"):
        probe(path)


def test_a_folder_may_be_called_like_a_photo(treadle_, tmp_path):
    make_photo(tmp_path / "photos" / "a.jpg" / "b.jpg")
    assert treadle_("run", "thumbnail", tmp_path / "photos", "-o", tmp_path / "o").status == 0
    assert sorted(outputs(tmp_path / "o")) == ["a.jpg/b.jpg"]


@posix
def test_folders_may_be_nested_deeper_than_python_recurses(treadle_, tmp_path, monkeypatch):
    top = tmp_path / "photos"
    top.mkdir()
    monkeypatch.chdir(top)
    for _ in range(1100):  # relative, as the whole path may be longer than a system takes
        os.mkdir("d")
        os.chdir("d")
    bottom = os.open(".", os.O_RDONLY)
    try:
        monkeypatch.chdir(tmp_path)
        make_photo(top / "a.jpg")
        said = treadle_("run", "thumbnail", "photos", "-o", "out", "-q")
        assert "1 done" in said.text
    finally:  # which what cleans up after tests could not
        os.fchdir(bottom)
        os.close(bottom)
        for _ in range(1100):
            os.chdir("..")
            os.rmdir("d")


def test_a_file_that_cannot_be_read_says_so(treadle_, photos, tmp_path, monkeypatch):
    real = os.open

    def refuses(path, *rest, **more):
        if str(path).endswith("photo-2.jpg") and "out" not in str(path):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", refuses)
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "out", "-q")
    assert (said.status, failed(said)) == (1, {"photo-2.jpg": os.strerror(errno.EACCES)})
    assert "5 done, 1 failed" in said.text


@pytest.mark.parametrize("where, moment", [(run, "probe"), (phases, "read_regular")])
def test_a_file_that_vanishes_costs_itself_only(
    treadle_, photos, tmp_path, monkeypatch, where, moment
):
    real = getattr(where, moment)

    def vanishing(source, **limits):
        if str(source).endswith("photo-1.jpg"):
            os.unlink(source)
        return real(source, **limits)

    monkeypatch.setattr(where, moment, vanishing)
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "out", "-q")
    assert (said.status, failed(said)) == (1, {"photo-1.jpg": os.strerror(errno.ENOENT)})
    assert "5 done, 1 failed" in said.text


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path, monkeypatch):
    path = make_photo(tmp_path / "a.jpg")
    real = regular._read

    def growing(read, most):
        with open(path, "ab") as file:
            file.write(b"more")
        return real(read, most)

    monkeypatch.setattr(regular, "_read", growing)
    with pytest.raises(PhotoError, match="changed while it was read"):
        read_regular(path)


def test_a_limit_of_bytes(treadle_, photos, tmp_path):
    size = max(path.stat().st_size for path in photos.iterdir())
    limit = (size - 1) / 1e6
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "a", "-q", "--max-bytes", limit)
    assert said.status == 1
    assert all("--max-bytes raises it" in why for why in failed(said).values())
    assert failed(said)
    limit = size / 1e6
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "b", "-q", "--max-bytes", limit)
    assert said.status == 0


def test_a_stream_without_an_end_is_refused():
    class Endless(io.RawIOBase):
        def read(self, size=-1):
            assert 0 < size <= 1 << 24
            return bytes(size)

    with pytest.raises(PhotoError, match=r"more than 1 MB, the limit"):
        read_stream(Endless(), max_bytes=1_000_000)


def test_too_little_memory_is_told_for_its_image(treadle_, photos, tmp_path, monkeypatch):
    def hungry(real):
        def call(*given, **more):
            if given and getattr(given[0], "seen", None) is None and call.count == 0:
                call.count = 1
                raise MemoryError
            return real(*given, **more)

        call.count = 0
        return call

    for name in ("decode", "encode"):
        with monkeypatch.context() as patch:
            patch.setattr(phases, name, hungry(getattr(phases, name)))
            said = treadle_("run", "thumbnail", photos, "-o", tmp_path / name, "-q", "-j", 1)
        assert said.status == 1
        assert list(failed(said).values()) == ["not enough memory for it"]
        assert "5 done, 1 failed" in said.text


@posix
def test_names_are_shown_on_one_line_and_kept_as_they_are(treadle_, photos, tmp_path):
    names = ["new\nline.jpg", "red\x1b[31m.jpg", "\u202egpj.exe.jpg", os.fsdecode(b"\xff.jpg")]
    for name in names:
        try:
            (photos / name).write_bytes(b"")
        except OSError:
            pytest.skip("this file system takes text only")
    said = treadle_("run", "thumbnail", photos, "-o", tmp_path / "out", "-q")
    assert set(failed(said)) == {
        r"new\nline.jpg", r"red\x1b[31m.jpg", r"\u202egpj.exe.jpg", r"\udcff.jpg"
    }  # fmt: skip
    assert "\x1b" not in said.out + said.err
    lines = treadle_("run", "thumbnail", photos, "-o", tmp_path / "two", "--json").out.splitlines()
    told = {json.loads(line).get("input") for line in lines}
    assert told >= {str(photos / name) for name in names}


@posix
def test_a_name_as_long_as_a_system_takes(treadle_, tmp_path):
    make_photo(tmp_path / "in" / ("l" * 251 + ".png"))
    assert treadle_("run", "thumbnail", tmp_path / "in", "-o", tmp_path / "out").status == 0
    said = treadle_(
        "run", "thumbnail", tmp_path / "in", "-o", tmp_path / "two", "--name", "{stem}-small.{ext}",
        "-q",
    )  # fmt: skip
    assert said.status == 1
    assert os.strerror(errno.ENAMETOOLONG) in said.text


def test_every_kind_of_file_has_a_name():
    kinds = (stat.S_IFIFO, stat.S_IFSOCK, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFDIR, 0)
    assert all("not a regular file" in files.what_else(kind) for kind in kinds)
    assert not files.what_else(stat.S_IFREG | 0o644)
