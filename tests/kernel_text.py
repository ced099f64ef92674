"""Make kernels from generated text, with the source where tracebacks look for it."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from typing import Any

import treadle

_numbers = itertools.count()


def define(text: str, decorator: Callable[..., Any] = treadle.pointwise, **names: Any) -> Any:
    """Execute text that defines a function `f` and decorate it."""
    filename = f"<kernel {next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    scope: dict[str, Any] = dict(names)
    exec(compile(text, filename, "exec"), scope)
    return decorator(scope["f"])
