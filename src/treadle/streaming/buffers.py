"""The arrays of batches, onto the device and back: rotating buffers, uploads and downloads.

In: what a source or `prepare` gave (one array, or a tuple or dict of them), and the buffers that
hold its results. Out: buffers to compute with, the commands that fill and empty them, and arrays
again. Where the host sees the device's memory nothing travels that need not: an array that only the
stream holds is used in place, and a result that only the stream can write is handed out in place.
Batches, threads and order are not known here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle.errors import QueueFull
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.convert import as_array
from treadle.runtime.device import Device
from treadle.runtime.sharing import give

__all__ = ["Carrier", "Slot", "kept", "mapped", "rebuilt"]

_SMALL = 1 << 16  # bytes: a fresh copy costs less than a turn in a buffer that exists


class Slot:
    """One set of buffers; a batch has it from its upload to the end of its download."""

    __slots__ = ("inputs", "outputs")

    def __init__(self) -> None:
        self.inputs: dict[int, Buffer] = {}  # by position in the batch
        self.outputs: dict[Any, Any] = {}  # by what a computation writes

    def free(self) -> None:
        """Release the buffers; what is in flight keeps its memory until it ends."""
        while self.inputs:
            self.inputs.popitem()[1].free()
        self.outputs.clear()


class Carrier:
    """Moves the arrays of a stream's batches to one device and back."""

    def __init__(self, device: Device, retry: Callable[[], None], *, copy: bool = True) -> None:
        self._device = device
        self._copy = copy  # else batches and results are handed on as they are
        self.shared = device.limits.shared
        self._retry = retry  # called when the device's queue is full; raises to give up

    def load(
        self,
        box: list[Any],
        slot: Slot,
        commands: list[tuple[str, Command]],
        lent: list[Command],
    ) -> tuple[Any, bool]:
        """Put the arrays of a batch, in a list of one that is emptied, onto the device.

        Returns the batch with buffers in their places, and whether it still holds something that
        its producer holds too, and may change. Uploads under way go into `commands`, and those of
        arrays that the producer holds into `lent` as well."""
        if not self._copy:
            borrowed = holds_others(box, lambda leaf: type(leaf) is Buffer)
            return box.pop(), borrowed
        buffers: list[int] = []  # the places of those that were given

        def load(leaf: list[Any], place: int) -> Any:
            if type(leaf[0]) is Buffer:
                buffers.append(place)
            return self._load(leaf, place, slot, commands, lent)

        return rebuilt(box, load), bool(buffers)

    def _load(
        self,
        box: list[Any],
        place: int,
        slot: Slot,
        commands: list[tuple[str, Command]],
        lent: list[Command],
    ) -> Any:
        if type(box[0]) is Buffer or not is_data(box[0]):
            return box[0]
        mine = ours(box)
        if self.shared and mine:
            return self._device.from_numpy(box.pop())
        array = as_array(box.pop(), None, None)
        if self.shared and array.nbytes <= _SMALL:
            return self._device.from_numpy(array.copy())
        target = self._fitting(slot, place, array)
        if self.shared:
            return target.write(array)
        while True:
            try:
                command = self._device.upload(target, array)
            except QueueFull:
                self._retry()
                continue
            commands.append(("upload", command))
            if not mine:
                lent.append(command)
            return target

    def _fitting(self, slot: Slot, place: int, array: Any) -> Buffer:
        """The slot's buffer for an array; a shorter batch uses the front of it."""
        held = slot.inputs.get(place)
        if held is not None and held.dtype.numpy == array.dtype:
            if held.shape == array.shape:
                return held
            if (
                array.ndim
                and held.ndim == array.ndim
                and held.shape[1:] == array.shape[1:]
                and array.shape[0] < held.shape[0]
            ):
                return held[: array.shape[0]]
        fresh = self._device.empty(array.shape, array.dtype)
        slot.inputs[place] = fresh
        if held is not None:
            held.free()
        return fresh

    def unload(self, outputs: Any, owned: bool, commands: list[tuple[str, Command]]) -> Any:
        """Start to bring results back; return them with what `landed` takes in their places.

        `owned` says that only the stream has them."""

        def bring(leaf: Any) -> Any:
            if not self._copy or type(leaf) is not Buffer or (self.shared and owned):
                return leaf
            if self.shared and leaf.size <= _SMALL and leaf.ready:
                return leaf.to_numpy()  # sooner copied than handed over
            while True:
                try:
                    command = self._device.download(leaf)
                    break
                except QueueFull:
                    self._retry()
            commands.append(("download", command))
            return command

        return mapped(outputs, bring)

    def landed(self, outputs: Any) -> Any:
        """Return results as arrays, after every command has ended."""

        def array(leaf: Any) -> Any:
            if type(leaf) is Command:
                return leaf.output
            if type(leaf) is not Buffer or not self._copy:
                return leaf
            return give(leaf)  # only the stream has it, and its command has ended

        return mapped(outputs, array)

    @staticmethod
    def nbytes(value: Any) -> int:
        """The bytes of a batch's arrays and buffers, and of what else says how many it has."""
        if type(value) is Buffer:
            return value.size
        if isinstance(value, np.ndarray):
            return value.nbytes
        total = 0

        def count(leaf: Any) -> None:
            nonlocal total
            if type(leaf) is Buffer:
                total += leaf.size
            else:
                found = getattr(leaf, "nbytes", 0)
                total += found if type(found) is int else 0

        mapped(value, count)
        return total


# The structure of a batch, and whether its producer still holds its arrays.


def mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """Return the structure with `function` applied to each leaf."""
    if type(value) is tuple:
        return tuple([mapped(each, function) for each in value])
    if type(value) is dict:
        return {key: mapped(each, function) for key, each in value.items()}
    return function(value)


def rebuilt(box: list[Any], function: Callable[[list[Any], int], Any]) -> Any:
    """Empty a list of one and return its structure with `function(box, place)` for each leaf.

    Each leaf comes in a list of one too, so that its other holders can be counted."""
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
    """Empty a list of one; an array that its producer holds, and may change, is copied."""
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


# How many holders something has that only a list of one holds; the number differs between Pythons.
# Python tells in no other way whether a producer kept a reference to the array that it gave, and
# asking producers to say so would have every plain `lambda frame: frame + 1` pay for a copy. An
# array that seems to be held is copied: to be wrong costs time, never a value.
_ALONE = _holders([np.empty(0)])


def ours(box: list[Any]) -> bool:
    """Whether only a list of one holds the array in it, so that its producer cannot change it.

    Memory that an array only looks at may belong to the producer."""
    return _is_whole(box[0]) and _holders(box) <= _ALONE


def _is_whole(array: Any) -> bool:
    """Whether it is an array with memory of its own."""
    return type(array) is np.ndarray and array.base is None and bool(array.flags.owndata)
