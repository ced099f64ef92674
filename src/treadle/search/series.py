"""Arrays that grow at their end, and sets of rows as bits.

A Series shares its memory with the one that it grew from: what is there never changes, so that a
snapshot keeps the shorter one while a writer makes the longer. One writer at a time grows the
latest. Bits are u32 words, row r being bit r % 32 of word r // 32; bits past the last row are 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.data import dataclass

__all__ = ["Array", "Series", "cleared", "lengthened", "packed", "tested", "unpacked"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Series:
    """The first `count` elements of memory that may have room for more."""

    room: Array
    count: int

    @property
    def array(self) -> Array:
        """The elements."""
        return self.room[: self.count]

    def extended(self, more: Array) -> Series:
        """This with more at its end; this one stays as it is."""
        count = self.count + len(more)
        room = self.room
        if count > len(room) or not room.flags.writeable:
            room = np.empty(max(count, 2 * self.count, 64), self.room.dtype)
            room[: self.count] = self.array
        room[self.count : count] = more
        return Series(room, count)


def packed(chosen: Array) -> Array:
    """The bits of an array of truth values."""
    words = np.zeros(-(-len(chosen) // 32), np.uint32)
    found = np.packbits(chosen, bitorder="little")
    words.view(np.uint8)[: len(found)] = found
    return words


def unpacked(words: Array, count: int) -> Array:
    """The truth values of the first `count` bits."""
    found: Array = np.unpackbits(words.view(np.uint8), count=count, bitorder="little")
    return found.view(np.bool_)


def tested(words: Array, rows: Array) -> Array:
    """Whether each of these rows has its bit set."""
    bits: Array = words[rows >> 5] >> (rows & 31).astype(np.uint32) & np.uint32(1)
    return bits.astype(np.bool_)


def cleared(words: Array, rows: Array) -> Array:
    """A copy of the words in which these rows' bits are 0."""
    words = words.copy()
    bits = np.left_shift(np.uint32(1), (rows & 31).astype(np.uint32))
    np.bitwise_and.at(words, rows >> 5, ~bits)
    return words


def lengthened(words: Array, count: int, absent: int, present: int) -> Array:
    """A copy of `count` bits with `absent` bits of 0 and then `present` bits of 1 behind them."""
    total = count + absent + present
    longer = np.zeros(-(-total // 32), np.uint32)
    longer[: len(words)] = words
    first = (count + absent) >> 5
    start = first << 5
    longer[first:] |= packed(np.arange(start, total) >= count + absent)
    return longer
