"""Fresh interpreters, for what happens once in a process.

In: a module of this package with arguments, or a line of Python. Out: the JSON it printed.
"""

from __future__ import annotations

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


def _run(arguments: Sequence[str], environment: dict[str, str]) -> Any:
    paths = os.pathsep.join(path for path in sys.path if path)
    child = os.environ | {"PYTHONPATH": paths} | environment
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=child, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed:\n{done.stderr}")
    return json.loads(done.stdout)
