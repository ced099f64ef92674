"""How urgent commands are.

In: what users call a priority. Out: the number that backends order by.
"""

from __future__ import annotations

from enum import StrEnum

from treadle.errors import LaunchError, suggest

__all__ = ["NORMAL_RANK", "Priority", "rank"]


class Priority(StrEnum):
    """How urgent a command is, for devices with more work than lanes."""

    INTERACTIVE = "interactive"
    NORMAL = "normal"
    BACKGROUND = "background"


NORMAL_RANK = 1
_RANKS = {priority: rank for rank, priority in enumerate(Priority)}


def rank(priority: Priority | str | None) -> int:
    """Return a backend's number for a priority: 0 interactive, 1 normal, 2 background."""
    if priority is None:
        return NORMAL_RANK
    try:
        return _RANKS[Priority(priority)]
    except ValueError:
        names = ", ".join(Priority)
        hint = suggest(str(priority), [str(each) for each in Priority])
        raise LaunchError(f"priority: expected one of {names}, got {priority!r}{hint}") from None
