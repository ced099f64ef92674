"""Kernels by name.

In: definitions as they are made. Out: the definition that a name or an alias stands for. Names that
ship with Treadle are never replaced; a user's later definition replaces an earlier one of the same
name. Kernels that ship are loaded when the first name is looked up; a user's definition that has
the name of one gives way to it then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle.errors import LaunchError, TreadleError, suggest

__all__ = [
    "aliases",
    "forget",
    "is_shipped",
    "load",
    "load_with",
    "lookup",
    "names",
    "register",
    "register_alias",
]

_definitions: dict[str, Any] = {}
known: dict[str, Any] = {}  # by name or alias: what `lookup` has found since the last change
_builtin: set[str] = set()
_aliases: dict[str, str] = {}
_loaders: list[Callable[[], object]] = []  # of kernels that ship, until they are loaded


def load_with(loader: Callable[[], object]) -> None:
    """Say what registers kernels that ship, which is called when names are first asked for."""
    _loaders.append(loader)


def load() -> None:
    """Have all kernels that ship registered, if they are not yet.

    It takes as long as importing them: what has no time calls it before. Threads that meet here
    wait for each other's imports; Ctrl-C leaves the rest to the next call."""
    while _loaders:
        loader = _loaders[0]
        loader()
        if loader in _loaders:  # else another thread was as fast
            _loaders.remove(loader)


def register(definition: Any, *, builtin: bool) -> None:
    """Remember a definition under its name."""
    name = definition.name
    if builtin:
        if name in _builtin and _place(_definitions[name]) != _place(definition):
            raise TreadleError(f"internal: two kernels that ship are named {name!r}")
        _builtin.add(name)
    elif name in _builtin or name in _aliases:
        return
    _definitions[name] = definition
    known.clear()


def _place(definition: Any) -> tuple[str, str]:
    """Where its function is: the same once a module was loaded again."""
    return definition.function.__module__, definition.function.__qualname__


def is_shipped(name: str) -> bool:
    """Whether a name is that of a kernel that ships with Treadle, or another name of one."""
    load()
    return name in _builtin or name in _aliases


def forget(definition: Any) -> None:
    """Forget a definition, unless another one has its name by now."""
    name = definition.name
    if _definitions.get(name) is definition:
        del _definitions[name]
        known.clear()


def register_alias(alias: str, name: str) -> None:
    """Give a shipped kernel a second name."""
    _aliases[alias] = name
    if alias not in _builtin:
        _definitions.pop(alias, None)  # of a user, before this was loaded
    known.clear()


def lookup(name: str) -> Any:
    """Return the definition of a kernel by name or alias."""
    load()
    found = _definitions.get(name)
    if found is None:
        found = _definitions.get(_aliases.get(name, ""))
    if found is None:
        hint = suggest(str(name), [*names(), *_aliases]) or "; treadle.kernels() lists them"
        raise LaunchError(f"no kernel is named {name!r}{hint}")
    known[name] = found
    return found


def names() -> list[str]:
    """Every kernel's name, sorted; aliases and parts of composites are not listed."""
    load()
    return sorted(name for name in _definitions if not name.startswith("_"))


def aliases(name: str) -> tuple[str, ...]:
    """The other names of a kernel."""
    load()
    return tuple(sorted(alias for alias, target in _aliases.items() if target == name))
