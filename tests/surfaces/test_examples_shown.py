"""The examples that show something, without a display, for a few frames."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize("name, more", [("mandelbrot", []), ("webcam", ["--card"])])
def test_an_example_shows_frames(drawing, name, more):
    command = [sys.executable, EXAMPLES / f"{name}.py", "--kind", "offscreen", *more]
    done = subprocess.run(
        [*command, "--size", "64", "48", "--frames", "4"],
        env=os.environ,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert " frames in " in done.stdout
