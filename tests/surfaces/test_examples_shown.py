"""The examples that show something, without a display, for a few frames."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("name, more", [("mandelbrot", []), ("webcam", ["--card"])])
def test_an_example_shows_frames(drawing, monkeypatch, capsys, name, more):
    path = str(EXAMPLES / f"{name}.py")
    given = [path, "--kind", "offscreen", "--size", "64", "48", "--frames", "4", *more]
    monkeypatch.setattr(sys, "argv", given)
    runpy.run_path(path, run_name="__main__")
    assert " frames in " in capsys.readouterr().out
