"""The vectors of an index that was opened: rows of a file, and behind them rows in memory.

In: a mapped array, and rows that are added. Out: any of these rows, as from one array; those of the
file are checked when they are first touched, and read from the disk only then. Grows at its end,
and what is there never changes.
"""

from __future__ import annotations

from typing import Any, Union

import numpy as np

from treadle.search.mapped import Mapped

__all__ = ["FiledRows", "Rows"]

Array = np.ndarray[Any, Any]
Rows = Union[Array, "FiledRows"]


class FiledRows:
    """Rows of a file with others behind them, of which `count` can be seen."""

    def __init__(self, kept: Mapped, added: Array | None = None, count: int | None = None) -> None:
        self._kept = kept
        self._added = np.empty((0, *kept.shape[1:]), kept.dtype) if added is None else added
        room = len(kept) + len(self._added)
        self._count = room if count is None else min(count, room)

    def __repr__(self) -> str:
        return f"FiledRows({self._kept!r}, {len(self) - len(self._kept)} more)"

    def __len__(self) -> int:
        return self._count

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that one array would have."""
        return (self._count, *self._kept.shape[1:])

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of all rows."""
        return self._kept.dtype

    @property
    def ndim(self) -> int:
        """How many axes one array would have."""
        return self._kept.ndim

    @property
    def nbytes(self) -> int:
        """How many bytes one array would have."""
        rows = len(self._kept)
        return self._kept.nbytes // rows * self._count if rows else self._added.nbytes

    def first(self, count: int) -> FiledRows:
        """Return the first rows, without touching any."""
        return FiledRows(self._kept, self._added, count)

    def grown(self, used: int, stop: int) -> FiledRows:
        """Return the same rows with room for `stop`; `used` of them count."""
        old, new = used - len(self._kept), stop - len(self._kept)
        added = np.empty((max(new, old * 3 // 2), *self._added.shape[1:]), self.dtype)
        added[:old] = self._added[:old]
        return FiledRows(self._kept, added)

    def __setitem__(self, rows: slice, values: Array) -> None:
        """Write rows that are in memory."""
        start, stop, _ = rows.indices(self._count)
        if start < len(self._kept):
            raise IndexError(f"row {start} is in the file, which is not written to")
        self._added[start - len(self._kept) : stop - len(self._kept)] = values

    def __getitem__(self, rows: Any) -> Array:
        """Return rows: of a slice, or those whose numbers an array holds."""
        border = len(self._kept)
        if isinstance(rows, slice):
            start, stop, step = rows.indices(self._count)
            if step != 1:
                return self[np.arange(start, stop, step)]
            parts = []
            if start < border:
                parts.append(self._kept[start : min(stop, border)])
            if stop > border or not parts:
                parts.append(self._added[max(start - border, 0) : max(stop - border, 0)])
            return parts[0] if len(parts) == 1 else np.concatenate(parts)
        numbers = np.asarray(rows)
        if numbers.dtype == np.bool_:
            numbers = np.flatnonzero(numbers)
        if numbers.size and (numbers.max() >= self._count or numbers.min() < -self._count):
            raise IndexError(f"rows from 0 to {self._count - 1} are there")
        numbers = np.where(numbers < 0, numbers + self._count, numbers).astype(np.int64)
        kept = numbers < border
        if kept.all():
            return self._kept[numbers]
        found = np.empty((*numbers.shape, *self._kept.shape[1:]), self.dtype)
        found[kept] = self._kept[numbers[kept]]
        found[~kept] = self._added[numbers[~kept] - border]
        return found
