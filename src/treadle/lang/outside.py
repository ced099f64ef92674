"""What a kernel's function reads from outside, and whether that has changed since it was compiled.

In: a function. Out: an error that names a number, or a function that it calls, which is another one
now. A kernel keeps what it was compiled with, so that it means one thing; that is never to go
unnoticed. What is found are globals, names of functions around it, and members of modules.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

from treadle.errors import LaunchError

__all__ = ["Outside"]

_ABSENT = object()
_PLAIN = (int, float, str, bool)

Read = Callable[[], Any]


class Outside:
    """The names from outside that a function and those that it calls read, as they were first."""

    __slots__ = ("_function", "_owner", "_seen")

    def __init__(self, owner: str, function: FunctionType) -> None:
        self._owner = owner
        self._function = function
        self._seen: list[tuple[str, Read, Any]] | None = None

    def check(self) -> None:
        """Take note of what is outside, the first time; from then on, raise where it changed."""
        if self._seen is None:
            self._seen = [(name, read, read()) for name, read in _names(self._function, set())]
            return
        for name, read, first in self._seen:
            now = read()
            if now is first or (type(now) is type(first) and now == first) or now != now:
                continue
            if _is_function(first):
                raise LaunchError(
                    f"kernel {self._owner!r} calls {name!r}, which was defined again since the "
                    "kernel was compiled; define the kernel again too"
                )
            raise LaunchError(
                f"kernel {self._owner!r} reads {name!r} from outside, which was {_shown(first)} "
                f"when it was compiled and is {_shown(now)} now; make it a parameter (`*, "
                f"{name.rpartition('.')[2].lower()}`), or define the kernel again"
            )


def _shown(value: Any) -> str:
    if value is _ABSENT:
        return "not there"
    try:
        return f"{value!r:.40}"
    except ValueError:  # Python refuses to print integers of thousands of digits
        return "another number"


def _is_function(value: Any) -> bool:
    return isinstance(getattr(value, "function", None), FunctionType)


def _plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_plain, value))
    return isinstance(value, _PLAIN) or (
        hasattr(value, "item") and getattr(value, "shape", None) == ()
    )


def _names(function: FunctionType, seen: set[FunctionType]) -> Iterator[tuple[str, Read]]:
    """The names that a function reads, and how to read them: numbers, and functions for kernels
    with what those read."""
    seen.add(function)
    code = function.__code__
    blank = code.replace(co_consts=(None,) * len(code.co_consts))  # some have no repr; see dis
    steps = [step for step in dis.get_instructions(blank) if step.opname not in ("NOP", "CACHE")]
    for place, step in enumerate(steps):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            read = _global(function, step.argval)
        elif step.opname == "LOAD_DEREF" and step.argval in code.co_freevars:
            read = _cell(function, step.argval)
        else:
            continue
        value, name = read(), step.argval
        after = steps[place + 1] if place + 1 < len(steps) else step
        if isinstance(value, ModuleType) and after.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            name, read = f"{name}.{after.argval}", _member(value, after.argval)
            value = read()
        if _plain(value):
            yield name, read
        elif _is_function(value):
            yield name, read
            if value.function not in seen:
                yield from _names(value.function, seen)


def _global(function: FunctionType, name: str) -> Read:
    return lambda: function.__globals__.get(name, _ABSENT)


def _member(module: ModuleType, name: str) -> Read:
    return lambda: getattr(module, name, _ABSENT)


def _cell(function: FunctionType, name: str) -> Read:
    cell = (function.__closure__ or ())[function.__code__.co_freevars.index(name)]

    def read() -> Any:
        try:
            return cell.cell_contents
        except ValueError:  # assigned later, or never
            return _ABSENT

    return read
