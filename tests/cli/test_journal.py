"""The journal of an output folder that came from elsewhere: what no run wrote is passed over, and
nothing outside of the folder is touched."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from photo_files import outputs
from treadle.recipes import journal as module
from treadle.recipes.journal import Journal, JournalEntry

posix = pytest.mark.skipif(os.name != "posix", reason="links and pipes are POSIX")
ENTRY = JournalEntry("a", "r", "s", "m")
OTHER = JournalEntry("b", "r", "s", "m")


def line(**fields: object) -> bytes:
    return json.dumps({"output": "a", "recipe": "r", "source": "s", "made": "m", **fields}).encode()


def journal(out, data: bytes):
    (out / ".treadle").mkdir(parents=True)
    path = out / ".treadle" / "journal.jsonl"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    "bad",
    [
        b"[" * 30_000,
        b'{"output":' * 3_000,
        b"[" * 200_000 + b"]" * 200_000,
        b"\r" + b"x" * 9,
        b"nonsense\rmore",
        b"\x0b\x0c\x1c\x85",
        b"\x00" * 100_000,
        b"\xff\xfe",
        b"x" * 1_000_000,
        b"9" * 20_000,
        b"null",
        b"[]",
        b'"text"',
        b"{}",
        line(extra="x"),
        line(output=3),
        line(made=None),
        line(source=["s"]),
        line(output={"a": 1}),
        line(recipe=True),
        json.dumps({"output": "a", "recipe": "r", "source": "s"}).encode(),
        line(output="x" * 40_000),
    ],
    ids=lambda bad: repr(bad[:30]),
)
def test_a_line_that_is_no_entry_costs_itself_only(tmp_path, bad):
    good = line() + b"\n"
    path = journal(tmp_path, good + bad + b"\n" + line(output="b") + b"\n")
    before = path.read_bytes()
    with Journal(tmp_path) as book:
        assert book.entries == {"a": ENTRY, "b": OTHER}
        assert path.read_bytes() == before
        book.add(JournalEntry("c", "r", "s", "m"))
    with Journal(tmp_path) as book:
        assert list(book.entries) == ["a", "b", "c"]


@pytest.mark.parametrize("torn", [b"{", line()[:20], line(), b"x" * 100_000, b"\r"])
def test_a_torn_line_is_closed_and_passed_over(tmp_path, torn):
    path = journal(tmp_path, line() + b"\n" + torn)
    with Journal(tmp_path) as book:
        assert book.entries == {"a": ENTRY}
        book.add(OTHER)
    assert path.read_bytes().startswith(line() + b"\n" + torn + b"\n")
    with Journal(tmp_path) as book:
        assert book.entries == {"a": ENTRY, "b": OTHER}


PIECES = [line(), line(output=3), b"\n", b"\r", b"[", b"{", b'"', b"\\", line() + b"\n"]


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.one_of(st.binary(max_size=40), st.sampled_from(PIECES)), max_size=20))
def test_any_bytes_are_a_journal(tmp_path_factory, pieces):
    out = tmp_path_factory.mktemp("out")
    path = journal(out, b"".join(pieces))
    with Journal(out) as book:
        book.add(OTHER)
        found = dict(book.entries)
    assert path.read_bytes().startswith(b"".join(pieces))
    with Journal(out) as book:
        assert book.entries.items() >= found.items()


@posix
def test_a_folder_that_is_a_link_is_refused(treadle_, photos, tmp_path):
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
    elsewhere.mkdir()
    out.mkdir()
    for name in ("1-2.part", "holiday.part", "journal.jsonl"):
        (elsewhere / name).write_bytes(b"precious, and no newline")
    (out / ".treadle").symlink_to(elsewhere)
    said = treadle_("run", "thumbnail", photos, "-o", out)
    assert said.status == 2
    assert ".treadle: it is a symbolic link" in said.text
    assert {each.name: each.read_bytes() for each in elsewhere.iterdir()} == dict.fromkeys(
        ("1-2.part", "holiday.part", "journal.jsonl"), b"precious, and no newline"
    )
    assert outputs(out) == {}


@posix
@pytest.mark.parametrize("kind", ["link", "dangling", "hard link", "pipe", "folder", "device"])
def test_a_journal_that_is_no_file_of_its_own_is_refused(treadle_, photos, tmp_path, kind):
    out, precious = tmp_path / "out", tmp_path / "precious"
    precious.write_bytes(b"no newline")
    path = out / ".treadle" / "journal.jsonl"
    path.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "hard link":
        os.link(precious, path)
    else:
        to = {"link": precious, "dangling": tmp_path / "new", "device": "/dev/zero"}[kind]
        path.symlink_to(to)
    said = treadle_("run", "thumbnail", photos, "-o", out)
    assert said.status == 2
    assert ".treadle/journal.jsonl: it is a" in said.text
    assert precious.read_bytes() == b"no newline"
    assert not (tmp_path / "new").exists()


@posix
@pytest.mark.parametrize("kind", ["file", "pipe", "dangling"])
def test_a_folder_that_is_none_is_refused(treadle_, photos, tmp_path, kind):
    out = tmp_path / "out"
    out.mkdir()
    path = out / ".treadle"
    if kind == "file":
        path.write_bytes(b"x")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to(tmp_path / "new")
    said = treadle_("run", "thumbnail", photos, "-o", out)
    assert (said.status, ".treadle:" in said.text) == (2, True)
    assert not (tmp_path / "new").exists()


@posix
def test_only_what_a_run_left_unfinished_is_deleted(tmp_path):
    precious = tmp_path / "precious"
    precious.write_bytes(b"x")
    folder = journal(tmp_path, b"").parent
    (folder / "12-3.part").write_bytes(b"of an earlier version")
    (folder / "12-3-0123456789abcdef.part").write_bytes(b"of a run that died")
    kept = ["holiday.part", "12-3-x.part", "1-2.part.bak", "notes.txt"]
    for name in kept:
        (folder / name).write_bytes(b"x")
    (folder / "5-5.part").symlink_to(precious)
    (folder / "6-6.part").mkdir()
    Journal(tmp_path).close()
    assert {each.name for each in folder.iterdir()} == {
        *kept, "5-5.part", "6-6.part", "journal.jsonl"
    }  # fmt: skip
    assert precious.read_bytes() == b"x"


@posix
def test_unfinished_files_have_names_that_cannot_be_guessed_and_replace_nothing(tmp_path):
    from treadle.photos import write_atomically

    with Journal(tmp_path) as book:
        first, second = book.part(), book.part()
        assert first != second
        assert first.name.split("-")[2] != second.name.split("-")[2]
        precious = tmp_path / "precious"
        precious.write_bytes(b"x")
        first.symlink_to(precious)
        with pytest.raises(FileExistsError):
            write_atomically(b"data", tmp_path / "result", first, replace=True)
        assert precious.read_bytes() == b"x"
        assert first.is_symlink()  # what is not its own is not deleted either
        assert not (tmp_path / "result").exists()


def test_a_journal_may_be_as_large_as_runs_make_it(tmp_path, monkeypatch):
    """Only a line is bounded: a run that wrote many goes on."""
    monkeypatch.setattr(module, "_MAX_FOREIGN", 2 * len(line()))
    with Journal(tmp_path) as book:
        for number in range(100):
            book.add(JournalEntry(f"{number}", "r", "s", "m"))
    with Journal(tmp_path) as book:
        assert list(book.entries) == [f"{number}" for number in range(100)]


@posix
def test_a_journal_whose_line_has_no_end_is_refused(tmp_path):
    path = journal(tmp_path, line() + b"\n")
    os.truncate(path, 1 << 35)  # a hole
    with pytest.raises(OSError, match=r"\.treadle/journal\.jsonl: no run wrote lines as long"):
        Journal(tmp_path)
    assert path.stat().st_size == 1 << 35
