"""The README: each of its programs runs when it is pasted, and its links lead somewhere."""

from __future__ import annotations

import re

import pytest

from pages import ROOT, blocks, promised, run

README = ROOT / "README.md"
PROGRAMS = blocks(README)


@pytest.mark.parametrize("lines", PROGRAMS, ids=lambda lines: f"line{lines[0][0] + 1}")
def test_program_prints_what_it_says(lines, tmp_path):
    said = promised(lines)
    assert said, "a program that shows nothing teaches nothing"
    assert run(lines, tmp_path / "readme.py") == said


def test_the_first_program_is_ten_lines():
    assert len([line for _, line in PROGRAMS[0] if line.strip()]) <= 10


def test_commands_exist_in_the_makefile():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    named = set(re.findall(r"\bmake ([a-z]+)", README.read_text(encoding="utf-8")))
    assert {"demo", "test", "bench"} <= named <= set(targets)
