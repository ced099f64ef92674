"""Photos as files, for tests of the command line: making them, and reading what came out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from PIL import Image

from treadle import pictures


def make_photo(path: Path, *, seed: int = 1, size: tuple[int, int] = (48, 32), **options) -> Path:
    """Write a made-up photo; RGB unless the format has alpha and it is asked for."""
    alpha = options.pop("alpha", False)
    pixels = pictures.landscape(*size, seed=seed)
    if alpha:
        pixels[..., 3] = np.linspace(0, 255, size[0], dtype=np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels if alpha else np.ascontiguousarray(pixels[..., :3])).save(
        path, **options
    )
    return path


def outputs(folder: Path) -> dict[str, bytes]:
    """Every output below a folder; what is unfinished would show, the journal does not."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "journal.jsonl"
    }


def python(*arguments: object, **options) -> subprocess.Popen[str]:
    """Start Python in a process of its own, with what this one can import."""
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env=surroundings(), **options,
    )  # fmt: skip


def surroundings() -> dict[str, str]:
    """The environment of a process that imports what this one can. Its device is the CPU unless
    one was chosen: to look for others takes longer than most of what tests ask for."""
    device = os.environ.get("TREADLE_DEVICE", "cpu")
    path = os.pathsep.join(sys.path)
    return dict(os.environ, PYTHONPATH=path, COLUMNS="160", TREADLE_DEVICE=device)
