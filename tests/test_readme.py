"""The README: each of its programs runs when it is pasted, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pages import ROOT, blocks, promised, run

README = ROOT / "README.md"
PROGRAMS = blocks(README)


@pytest.mark.parametrize("lines", PROGRAMS, ids=lambda lines: f"line{lines[0][0] + 1}")
def test_program_prints_what_it_says(lines, tmp_path):
    said = promised(lines)
    assert said, "a program that shows nothing teaches nothing"
    assert run(lines, tmp_path / "readme.py") == said


def test_the_first_program_is_twelve_lines():
    assert len([line for _, line in PROGRAMS[0] if line.strip()]) <= 12


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_the_first_screen_says_what_why_how_fast_and_when_not():
    """And what it says is what the rest says: its three figures are lines of the table below."""
    text = README.read_text(encoding="utf-8")
    screen, _, rest = text.partition("\n## ")
    assert len(screen.splitlines()) <= 60
    for peer in ("thread pool", "numba", "CuPy", "torch"):
        assert re.search(rf"^\| .*\b{peer} \| \w", screen, re.M), peer
    assert "**For whom:**" in screen
    assert "**When not to use it:**" in screen
    assert screen.count("```python") == 1
    below = {cells(line)[0]: cells(line) for line in rest.splitlines() if line.startswith("| ")}
    measured = screen.partition("| measured")[2].splitlines()[2:]
    quoted = [cells(line) for line in measured if line.startswith("| ")]
    assert len(quoted) == 3
    for what, ours, beside in quoted:
        assert below[what][1] == ours
        assert set(beside.split(", ")) <= set(below[what][2].split(", ")), what


def test_the_picture_is_there_in_light_and_dark():
    text = README.read_text(encoding="utf-8")
    named = re.findall(r'src(?:set)?="([^"]+)"', text)
    assert [Path(name).stem.rpartition("-")[2] for name in named] == ["dark", "light"]
    drawn = [(ROOT / name).read_text(encoding="utf-8") for name in named]
    assert [picture.partition("fill='")[2][:7] for picture in drawn] == ["#16181c", "#ffffff"]
    assert re.search(r'<img alt="[^"]{40,}"', text)


def test_commands_exist_in_the_makefile():
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    named = set(re.findall(r"\bmake ([a-z]+)", README.read_text(encoding="utf-8")))
    assert {"demo", "test", "bench"} <= named <= set(targets)
