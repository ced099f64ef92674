"""Items as one batch, and a batch's results as those of its items.

In: what callers bring: arrays, numbers, tuples and dicts of them. Out: a key that is the same for
items that fit into one batch, arrays that hold such items one behind the other, and what each item
has of the results. The arrays are used again, unless the function that they were given to still
holds them, or gave out a part of them. Callers, threads and devices are not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

import numpy as np

from treadle.errors import LaunchError
from treadle.streaming.buffers import ours

__all__ = [
    "Staging",
    "StagingPool",
    "WrongCount",
    "checked",
    "described",
    "divided",
    "numeric",
    "rebuilt_from",
]

Array = np.ndarray[Any, Any]
Convert = Callable[[Any], Array]

_STEP = 1 << 18  # bytes that are copied in one go
# NumPy gives Python's lock away for each copy of this many bytes, and has to wait for it while an
# event loop is at work: 32 times in a batch. A copy of bytes keeps it, for some microseconds.
_SMALL, _MEDIUM = 1 << 11, 1 << 16
_KEYS = 8  # kinds of items of which arrays are kept
_NUMBERS = "biufcmM"  # kinds of dtypes
_LEAF, _TUPLE, _DICT = "leaf", "tuple", "dict"


def described(value: Any, leaves: list[Array], convert: Convert, rows: bool) -> tuple[Any, ...]:
    """Append an item's arrays to `leaves`; return what items of one batch have in common.

    With `rows` the first axis counts rows, of which each item may have as many as it likes."""
    if type(value) is tuple:
        if len(value) == 1:  # most often: the only argument of a call
            return _TUPLE, described(value[0], leaves, convert, rows)
        return (_TUPLE, *[described(each, leaves, convert, rows) for each in value])
    if type(value) is dict:
        inner = [described(each, leaves, convert, rows) for each in value.values()]
        return (_DICT, tuple(value), *inner)
    array = convert(value)
    leaves.append(array)
    if not rows:
        return _LEAF, array.shape, array.dtype
    if not array.ndim:
        raise LaunchError("item: expected rows, an array with a first axis, got a single number")
    return _LEAF, array.shape[1:], array.dtype


def numeric(value: Any) -> Array:
    """Return an array as it is, and numbers as NumPy reads them; refuse anything else."""
    if isinstance(value, np.ndarray):
        return value
    try:
        array = np.asarray(value)
    except Exception as error:
        raise LaunchError(f"item: cannot read {type(value).__name__}: {error}") from error
    if array.dtype.kind not in _NUMBERS:
        raise LaunchError(
            "item: expected arrays, numbers, or a tuple or dict of these, got "
            f"{type(value).__name__}; stack=False takes any object, and the function a list of them"
        )
    return array


def specs(key: Any) -> list[tuple[tuple[int, ...], Any]]:
    """The shape and dtype of each array of an item, from its key."""
    if key[0] == _LEAF:
        return [(key[1], key[2])]
    inner = key[1:] if key[0] == _TUPLE else key[2:]
    return [each for part in inner for each in specs(part)]


def rebuilt_from(key: Any, leaves: list[Any]) -> Any:
    """Return the structure that a key describes, with `leaves`, which are taken, in its places."""
    if key[0] == _LEAF:
        return leaves.pop(0)
    if key[0] == _TUPLE:
        return tuple([rebuilt_from(part, leaves) for part in key[1:]])
    return {name: rebuilt_from(part, leaves) for name, part in zip(key[1], key[2:], strict=True)}


def _bytes_of(array: Array) -> memoryview | None:
    """The bytes of an array in place, where its elements are nothing but that."""
    return array.data.cast("B") if array.size and array.dtype.kind in "biufc" else None


class WrongCount(LaunchError):
    """A function gave another number of results than it got items."""


class Staging:
    """One set of host arrays, as many as an item has, each with room for several items."""

    __slots__ = ("aboard", "boxes", "key", "room")

    def __init__(self, key: Any, room: int, make: Callable[[Any, Any], Array]) -> None:
        self.key = key
        self.room = room
        # Each in a list of one, so that its other holders can be counted.
        self.boxes = [[make((room, *shape), dtype)] for shape, dtype in specs(key)]
        self.aboard: Any = None  # what a device made of them

    def fill(self, items: Sequence[Sequence[Array]], *, rows: bool) -> list[Array]:
        """Put the arrays of items behind each other; return what is filled."""
        for _ in self.filling(items, rows=rows):
            pass
        return self.filled(items, rows=rows)

    def filling(self, items: Sequence[Sequence[Array]], *, rows: bool) -> Iterator[None]:
        """Do what `fill` does, and stop now and then, for callers that have no time."""
        at = moved = 0
        targets = [(box[0], _bytes_of(box[0])) for box in self.boxes]
        for leaves in items:
            count = len(leaves[0]) if rows else 1
            for (target, raw), leaf in zip(targets, leaves, strict=True):
                nbytes = leaf.nbytes
                if raw is not None and _SMALL <= nbytes <= _MEDIUM and leaf.flags.c_contiguous:
                    low = nbytes // count * at
                    raw[low : low + nbytes] = leaf.data.cast("B")
                else:
                    target[slice(at, at + count) if rows else at] = leaf
                moved += nbytes
            at += count
            if moved >= _STEP:
                moved = 0
                yield

    def filled(self, items: Sequence[Sequence[Array]], *, rows: bool) -> list[Array]:
        """The part of each array that items fill."""
        count = sum([len(leaves[0]) for leaves in items]) if rows else len(items)
        return [box[0][:count] for box in self.boxes]

    @property
    def free(self) -> bool:
        """Whether only this set holds its arrays, so that they may be filled again."""
        return all([ours(box) for box in self.boxes])


class StagingPool:
    """Sets of arrays to fill, for the kinds of items that came last."""

    def __init__(self, most: int, kept: int, make: Callable[[Any, Any], Array] = np.empty) -> None:
        self._make = make
        self._most = most  # items in a batch
        self._kept = kept  # sets of a kind
        self._free: dict[Hashable, list[Staging]] = {}

    def take(self, key: Any, count: int) -> Staging:
        """Return a set with room for `count` items."""
        free = self._free.get(key)
        while free:
            try:
                found = free.pop()
            except IndexError:  # another thread took the last one
                break
            if found.room >= count:
                return found
        room = 1
        while room < count:
            room *= 2
        return Staging(key, max(min(room, self._most), count), self._make)

    def give(self, staging: Staging) -> None:
        """Take a set back, to be filled again."""
        if staging.room > self._most:  # one item that was larger than a batch
            return
        free = self._free.pop(staging.key, None) or []
        if len(free) < self._kept:
            free.append(staging)
        self._free[staging.key] = free  # as the one that came last
        while len(self._free) > _KEYS:
            try:
                del self._free[next(iter(self._free))]
            except (KeyError, RuntimeError, StopIteration):  # another thread did
                break

    def clear(self) -> None:
        """Let go of all arrays."""
        self._free.clear()


# Results.


def checked(result: Any, count: int, name: str) -> Any:
    """Return a batch's results, if each part has as many as the batch has items; else raise."""
    if type(result) is dict:
        return {key: checked(each, count, name) for key, each in result.items()}
    if isinstance(result, tuple):
        parts = [checked(each, count, name) for each in result]
        make = getattr(type(result), "_make", tuple)
        return make(parts)
    if result is None:
        return None
    sized = not isinstance(result, (str, bytes)) and hasattr(result, "__getitem__")
    try:
        length = len(result) if sized else None
    except TypeError:  # an array without axes
        length = None
    if length != count:
        got = f"{length} of them" if length is not None else f"{type(result).__name__}"
        raise WrongCount(
            f"{name}: expected {count} results for a batch of {count} (arrays with that first "
            f"axis, lists of that length, or a tuple or dict of these), got {got}"
        )
    return result


def divided(result: Any, part: int | slice) -> Any:
    """Return what one item has of a batch's results: an element, or its rows."""
    if type(result) is dict:
        return {key: divided(each, part) for key, each in result.items()}
    if isinstance(result, tuple):
        make = getattr(type(result), "_make", tuple)
        return make([divided(each, part) for each in result])
    return None if result is None else result[part]
