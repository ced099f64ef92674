"""The suite in several processes with pytest alone: each test once, and no failure gets lost."""

from __future__ import annotations

import parts

TESTS = """
import os, pytest
@pytest.mark.parametrize("number", range(40))
def test_one(number, tmp_path):
    (tmp_path / "mine").touch()
    with open(os.environ["RAN"], "a") as file:
        file.write(f"{number}\\n")
def test_left_out():
    pytest.skip("no reason")
"""


def run(folder, monkeypatch, capfd, more=""):
    """Run a file of tests in two parts."""
    (folder / "test_some.py").write_text(TESTS + more)
    monkeypatch.setenv("RAN", str(folder / "ran"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take longest to load
    where = folder / "parts"
    where.mkdir()
    ends, wrong = parts.run(2, [str(folder / "test_some.py")], where)
    return dict(ends), wrong, capfd.readouterr().out


def test_every_test_runs_in_one_part(tmp_path, monkeypatch, capfd):
    ends, wrong, said = run(tmp_path, monkeypatch, capfd)
    assert (ends, wrong) == ({"passed": 40, "skipped": 1}, [])
    assert sorted((tmp_path / "ran").read_text().split(), key=int) == [*map(str, range(40))]
    assert said.count(" passed") == 2


def test_a_failure_and_a_broken_fixture_are_told(tmp_path, monkeypatch, capfd):
    more = "def test_bad():\n    assert 'this' == 'that'\ndef test_worse(missing):\n    pass\n"
    ends, wrong, said = run(tmp_path, monkeypatch, capfd, more)
    assert ends == {"passed": 40, "skipped": 1, "failed": 1, "error": 1}
    assert sorted(name.partition("::")[2] for name in wrong) == [
        "test_bad (call)", "test_worse (setup)",
    ]  # fmt: skip
    assert "'this' == 'that'" in said


def test_a_part_that_dies_is_a_failure(tmp_path, monkeypatch, capfd):
    _, wrong, said = run(tmp_path, monkeypatch, capfd, "def test_dies():\n    os._exit(0)\n")
    assert len(wrong) == 1
    assert "died" in wrong[0]
    assert "died" in said


def test_a_file_that_cannot_be_read_is_a_failure(tmp_path, monkeypatch, capfd):
    _, wrong, said = run(tmp_path, monkeypatch, capfd, "raise OSError('unreadable')\n")
    assert len(wrong) == 2
    assert "unreadable" in said


def test_what_is_said_at_the_end(monkeypatch, capfd):
    for ends, wrong, status in (({"passed": 2}, [], 0), ({}, ["x"], 1), ({}, [], 5)):
        monkeypatch.setattr(parts, "run", lambda *_, e=ends, w=wrong: (parts.Counter(e), w))
        assert parts.main([]) == status
    assert "2 passed in 0 s" in capfd.readouterr().out
