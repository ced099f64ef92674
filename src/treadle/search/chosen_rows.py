"""Some rows of a table, gathered as they are written to a file.

In: what a table keeps, and the rows that are alive. Out: arrays of these rows alone, of which a
slice is made when it is asked for, so that a file without the removed rows is written in no more
memory than one with them. Rows keep their codes: they are moved, not coded again.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from treadle.search.bounds import BLOCK, EMPTY_WORD, GROUP
from treadle.search.filed_rows import Rows

__all__ = ["ChosenRows", "chosen"]

Array = np.ndarray[Any, Any]
_EMPTY = {"codes": EMPTY_WORD, "numbers": 0.0}  # what stands where a block has no row


class ChosenRows:
    """Rows of an array, in an order; in blocks of 16 where the array has blocks."""

    def __init__(self, source: Rows, rows: Array, empty: float | None = None) -> None:
        self._source = source
        self._rows = rows
        self._empty = empty  # None: the array has rows, not blocks
        blocks = -(-len(rows) // GROUP) * (GROUP // BLOCK)
        count = len(rows) if empty is None else blocks
        self.shape: tuple[int, ...] = (count, *source.shape[1:])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the array."""
        return self._source.dtype

    @property
    def ndim(self) -> int:
        """How many axes the array has."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """How many bytes the rows have."""
        return math.prod(self.shape) * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, part: slice) -> Array:
        """Gather rows or blocks from one to another."""
        start, stop, _ = part.indices(len(self))
        if self._empty is None:
            return self._source[self._rows[start:stop]]
        rows = self._rows[start * BLOCK : stop * BLOCK]
        lines = np.full(((stop - start) * BLOCK, self.shape[1]), self._empty, self.dtype)
        lines[: len(rows)] = np.asarray(self._source)[rows // BLOCK, :, rows % BLOCK]
        return lines.reshape(-1, BLOCK, self.shape[1]).transpose(0, 2, 1)


def chosen(arrays: dict[str, Rows], rows: Array) -> dict[str, Rows | ChosenRows]:
    """Return what a table keeps of some rows alone."""
    return {
        name: ChosenRows(array, rows, _EMPTY.get(name)) if name in ("vectors", *_EMPTY) else array
        for name, array in arrays.items()
    }
