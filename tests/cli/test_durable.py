"""What a power cut leaves: every order of calls that could lose an output is ruled out here."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from treadle import photos as files
from treadle.files import sync_folder
from treadle.recipes import journal


class Disk:
    """Notes what happens to files, by name, and which of it has surely reached the disk."""

    def __init__(self, monkeypatch) -> None:
        self.events: list[tuple[str, str]] = []
        self._real = {"fsync": os.fsync, "link": os.link, "replace": os.replace}
        monkeypatch.setattr(os, "fsync", self.fsync)
        monkeypatch.setattr(os, "link", self.move("link"))
        monkeypatch.setattr(os, "replace", self.move("replace"))

    def fsync(self, file: int) -> None:
        self._real["fsync"](file)
        path = Path(os.readlink(f"/proc/self/fd/{file}"))
        text = path.read_text() if path.name == "journal.jsonl" else ""
        self.events.append(("sync", str(path)))
        self.events += [("noted", line) for line in text.splitlines()]

    def move(self, name: str):
        def call(source, target, **folders):
            self._real[name](source, target, **folders)
            if not folders:  # else it is the cache's
                self.events += [("from", str(source)), ("named", str(target))]

        return call

    def place(self, kind: str, what: str) -> int:
        return next(
            n for n, (k, text) in enumerate(self.events) if k == kind and text.endswith(what)
        )


needs_proc = pytest.mark.skipif(
    not os.path.isdir("/proc/self/fd"), reason="asks the system for the names of open files"
)


@needs_proc
@pytest.mark.parametrize("options", [(), ("--overwrite",)])
def test_bytes_then_journal_then_name_then_folder(treadle_, photos, tmp_path, monkeypatch, options):
    disk = Disk(monkeypatch)
    (photos / "deeper").mkdir()
    (photos / "photo-1.jpg").rename(photos / "deeper" / "photo-1.jpg")
    out = tmp_path / "out"
    assert treadle_("run", "enhance", photos, "-o", out, *options).status == 0
    made = [text for kind, text in disk.events if kind == "named"]
    assert len(made) == 6
    sources = [text for kind, text in disk.events if kind == "from"]
    for source, target in zip(sources, made, strict=True):
        name = Path(target).relative_to(out).as_posix()
        noted = next(n for n, (k, t) in enumerate(disk.events) if k == "noted" and f'"{name}"' in t)
        named = disk.place("named", target)
        assert disk.place("sync", source) < noted < named
        last = len(disk.events) - 1 - disk.events[::-1].index(("sync", str(Path(target).parent)))
        assert named < last
    assert disk.place("sync", "/.treadle") < disk.place("named", "")
    assert ("sync", str(out)) in disk.events[disk.place("named", made[-1]) :]


def test_a_file_whose_bytes_do_not_arrive_is_never_named(tmp_path, monkeypatch):
    announced = []

    def fails(_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fails)
    path, part = tmp_path / "out.png", tmp_path / "part"
    with pytest.raises(OSError, match="error"):
        files.write_atomically(b"x", path, part, replace=True, announce=lambda: announced.append(1))
    assert (announced, list(tmp_path.iterdir())) == ([], [])


def test_a_note_that_does_not_arrive_keeps_the_file_from_its_name(tmp_path):
    def fails():
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    path, part = tmp_path / "out.png", tmp_path / "part"
    with pytest.raises(OSError, match="error"):
        files.write_atomically(b"x", path, part, replace=False, announce=fails)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOTSUP])
def test_a_file_system_that_cannot_sync_is_written_all_the_same(tmp_path, monkeypatch, number):
    def cannot(_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", cannot)
    path = tmp_path / "out.png"
    files.write_atomically(b"x", path, tmp_path / "part", replace=False)
    sync_folder(tmp_path)
    sync_folder(tmp_path / "missing")
    with journal.Journal(tmp_path) as book:
        book.add(journal.JournalEntry("a", "r", "s", "m"))
    assert path.read_bytes() == b"x"


def test_lines_that_wait_together_reach_the_disk_together(tmp_path, monkeypatch):
    with journal.Journal(tmp_path) as book:
        calls = []
        monkeypatch.setattr(journal, "sync", lambda file: calls.append(book._written))
        book.add(journal.JournalEntry("a", "r", "s", "m"))
        book._written += 1  # another thread's line, written while this one was synced
        book._synced = book._written
        book._written -= 1
        book.add(journal.JournalEntry("b", "r", "s", "m"))
    assert calls == [1]
