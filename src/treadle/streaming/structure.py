"""A batch's shape: one array, or a tuple or dict of them, and whether anyone else holds them.

In: what a source or `prepare` gave. Out: its leaves, and the same structure with other leaves. It
knows neither devices nor buffers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["is_data", "mapped", "ours"]


def mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """Return the structure with `function` applied to each leaf."""
    if type(value) is tuple:
        return tuple([mapped(each, function) for each in value])
    if type(value) is dict:
        return {key: mapped(each, function) for key, each in value.items()}
    return function(value)


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
    array = box[0]
    owns = type(array) is np.ndarray and array.base is None and array.flags.owndata
    del array
    return bool(owns) and _holders(box) <= _ALONE
