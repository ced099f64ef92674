"""What users say of a batched function, checked, and what they give it, read.

In: options, functions and items. Out: the same, or a LaunchError that names what was expected.
"""

from __future__ import annotations

import inspect
import math
from functools import partial
from typing import Any

import numpy as np

from treadle.dtypes import STORED
from treadle.errors import LaunchError
from treadle.runtime.buffer import Buffer
from treadle.runtime.convert import as_array

__all__ = ["check_options", "check_timeout", "name_of", "only_begins", "stored"]

_STORED = frozenset([dtype.numpy for dtype in STORED])


def only_begins(function: Any) -> bool:
    """Whether a call only makes a coroutine, which an event loop runs."""
    made = inspect.iscoroutinefunction
    while isinstance(function, partial):
        function = function.func
    return made(function) or made(type(function).__call__)


def name_of(function: Any) -> str:
    """What a function, kernel or pipeline is called in messages and threads' names."""
    if isinstance(function, str):
        return function
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__name__", None) or getattr(function, "name", "batched"))


def check_options(
    max_size: Any, max_delay: Any, max_waiting: Any, max_in_flight: Any, timeout: Any
) -> None:
    """Raise for numbers that make no sense."""
    counts = {"max_size": max_size, "max_waiting": max_waiting}
    if max_in_flight is not None:
        counts["max_in_flight"] = max_in_flight
    for name, value in counts.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise LaunchError(f"{name}: expected an integer of 1 or more, got {value!r}")
    if not _is_number(max_delay) or not 0 <= max_delay < math.inf:
        raise LaunchError(f"max_delay: expected seconds of 0 or more, got {max_delay!r}")
    check_timeout(timeout)


def check_timeout(timeout: Any) -> None:
    """Raise for what is neither None nor a number of seconds."""
    if timeout is not None and not (_is_number(timeout) and timeout > 0):
        raise LaunchError(f"timeout: expected seconds above 0, got {timeout!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and type(value) is not bool


def stored(value: Any) -> Any:
    """An item's array as a device keeps it."""
    if type(value) is np.ndarray and value.dtype in _STORED:
        return value
    if isinstance(value, Buffer):
        raise LaunchError(f"item: expected an array on the host, got {value!r}; give to_numpy()")
    return as_array(value)
