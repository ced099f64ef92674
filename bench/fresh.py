"""Fresh interpreters, for what happens once in a process.

In: a module of this package with arguments, or a line of Python. Out: the JSON it printed. Children
find bytecode, as they would of an installed package, whatever this process is told to write.
"""

from __future__ import annotations

import compileall
import functools
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

__all__ = ["run_code", "run_module"]


def run_module(module: str, arguments: Sequence[str] = (), **environment: str) -> Any:
    """Run a module in a new process and return what it printed as JSON."""
    return _run(["-m", module, *arguments], environment)


def run_code(code: str, **environment: str) -> Any:
    """Run Python text in a new process and return what it printed as JSON."""
    return _run(["-c", code], environment)


@functools.cache
def _precompile() -> None:
    """Write the bytecode that an installed package has, so that no child compiles Python."""
    for package in ("treadle", "bench"):
        found = importlib.util.find_spec(package)
        for folder in (found and found.submodule_search_locations) or ():
            compileall.compile_dir(folder, quiet=2)


def _run(arguments: Sequence[str], environment: dict[str, str]) -> Any:
    paths = os.pathsep.join(path for path in sys.path if path)
    child = os.environ | {"PYTHONPATH": paths} | environment
    child.pop("PYTHONDONTWRITEBYTECODE", None)
    _precompile()
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=child, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stderr}")
    return json.loads(done.stdout)
