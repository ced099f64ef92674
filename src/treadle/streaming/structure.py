"""A batch's shape: one array, or a tuple or dict of them, and whether anyone else holds them.

In: what a source or `prepare` gave. Out: its leaves, and the same structure with other leaves. It
knows neither devices nor buffers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["holds_others", "is_data", "kept", "mapped", "ours", "rebuilt"]


def mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """Return the structure with `function` applied to each leaf."""
    if type(value) is tuple:
        return tuple([mapped(each, function) for each in value])
    if type(value) is dict:
        return {key: mapped(each, function) for key, each in value.items()}
    return function(value)


def rebuilt(box: list[Any], function: Callable[[list[Any], int], Any]) -> Any:
    """Empty a list of one and return its structure with `function(box, place)` for each leaf.

    Each leaf comes in a list of one too, so that whoever else holds it can be told."""
    value = box.pop()
    kind, names = type(value), list(value) if type(value) is dict else []
    parts = list(value.values()) if kind is dict else list(value) if kind is tuple else [value]
    del value  # so that its leaves are ours, if it was
    made = []
    for place in range(len(parts)):
        leaf, parts[place] = [parts[place]], None
        made.append(function(leaf, place))
    if kind is dict:
        return dict(zip(names, made, strict=True))
    return tuple(made) if kind is tuple else made[0]


def kept(box: list[Any], place: int = 0) -> Any:
    """Empty a list of one; an array that somebody else holds, and may change, is copied."""
    if isinstance(box[0], np.ndarray) and not ours(box):
        return box.pop().copy()
    return box.pop()


def holds_others(box: list[Any], given: Callable[[Any], bool]) -> bool:
    """Whether the batch in a list of one holds an array that others hold too, or a leaf that
    `given` says is theirs; what it holds stays where it is."""
    alone = _holders(box) <= _ALONE
    value = box[0]
    if type(value) is not tuple and type(value) is not dict:
        del value
        return given(box[0]) or (isinstance(box[0], np.ndarray) and not ours(box))
    for place in range(len(value)) if type(value) is tuple else value:
        if given(value[place]) or (
            isinstance(value[place], np.ndarray)
            and not (alone and _is_whole(value[place]) and sys.getrefcount(value[place]) <= _ALONE)
        ):
            return True
    return False


def is_data(value: Any) -> bool:
    """Whether a leaf holds elements that belong on a device; anything else is handed on."""
    return isinstance(value, (np.ndarray, list)) or hasattr(value, "__array_interface__")


def _holders(box: list[Any]) -> int:
    return sys.getrefcount(box[0])


# How many holders something has that only a list of one holds: it differs between Pythons.
_ALONE = _holders([np.empty(0)])


def ours(box: list[Any]) -> bool:
    """Whether the array in a list of one is held by nobody else, and so is nobody else's to change.

    Memory that an array only looks at may be anyone's."""
    return _is_whole(box[0]) and _holders(box) <= _ALONE


def _is_whole(array: Any) -> bool:
    """Whether it is an array with memory of its own."""
    return type(array) is np.ndarray and array.base is None and bool(array.flags.owndata)
