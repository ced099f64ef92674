"""What type checkers say about mistakes: planted.py has them, with what is to be said."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import REQUIRED
from pages import ROOT

PLANTED = Path(__file__).with_name("planted.py")


def expected() -> dict[int, str]:
    """What mypy is to say, by line."""
    lines = enumerate(PLANTED.read_text(encoding="utf-8").splitlines(), 1)
    return {number: line.split("  # ", 1)[1] for number, line in lines if "  # " in line}


def test_there_are_enough_mistakes():
    assert len(expected()) >= 25


def test_mypy_sees_every_mistake_and_nothing_else():
    pytest.importorskip("mypy")
    # With the options and the cache of `make check`: a run then takes a second.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(PLANTED)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert not done.stderr
    said: dict[int, str] = {}
    for line in done.stdout.splitlines():
        found = re.search(r"planted\.py:(\d+): error: (.*)", line)
        if found:
            said[int(found[1])] = said.get(int(found[1]), "") + found[2]
    wanted = expected()
    assert sorted(said) == sorted(wanted), done.stdout
    wrong = {n: (text, said[n]) for n, text in wanted.items() if text not in said[n]}
    assert not wrong, wrong


def test_pyright_sees_every_mistake_and_nothing_else(tmp_path):
    places = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    found = [shutil.which(name, path=places) for name in ("pyright", "basedpyright")]
    program = next(filter(None, found), None)
    if program is None:
        if "pyright" in REQUIRED:
            pytest.fail("pyright is required")
        pytest.skip("pyright is not installed")
    # Named as a file: pyright 1.1.414 ignores a path that is absolute in a configuration.
    done = subprocess.run(
        [program, "--pythonpath", sys.executable, "--outputjson", str(PLANTED)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = json.loads(done.stdout)["generalDiagnostics"]
    wrong = [each for each in said if each["severity"] == "error"]
    assert {each["range"]["start"]["line"] + 1 for each in wrong} == set(expected()), done.stdout
