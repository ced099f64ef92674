"""Whether nvcc takes generated CUDA texts. It needs no GPU."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

__all__ = ["compiled", "needs_nvcc"]

_NVCC = shutil.which("nvcc")

needs_nvcc = pytest.mark.skipif(_NVCC is None, reason="nvcc is not installed")


def compiled(
    texts: Mapping[str, str],
    folder: Path,
    *,
    arch: str = "90",
    assembled: bool = False,
    optimised: bool = True,
) -> str:
    """The PTX that nvcc makes of texts, each in a namespace of its own, or nothing where they are
    assembled; fails with what it says."""
    source, target = folder / "all.cu", folder / "all.out"
    parts = [f"namespace {name} {{\n{text}\n}}" for name, text in texts.items()]
    source.write_text("\n".join(parts).replace('extern "C" ', ""), encoding="utf-8")
    kinds = ("sm", "-cubin") if assembled else ("compute", "-ptx")
    how = f"-gencode=arch=compute_{arch},code={kinds[0]}_{arch}"
    command = [str(_NVCC), how, "-std=c++17", "-w", kinds[1], str(source), "-o", str(target)]
    command += [] if optimised else ["-Xcicc", "-O0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    return "" if assembled else target.read_text(encoding="utf-8")
