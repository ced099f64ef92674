"""An array in a file, mapped: each page is compared with its checksum before it is served.

In: the pages of an array, their checksums, and rows that a caller asks for. Out: these rows, or
FileDamaged. A page is checked when it is first touched, so that opening costs nothing and a search
reads only what it measures. Looks like an array as far as rows are concerned: `mapped[rows]`,
`mapped[a:b]`, `shape`, `dtype`, `len`; `np.asarray(mapped)` checks everything and copies nothing.
"""

from __future__ import annotations

import math
import mmap as system
import os
from collections.abc import Iterable
from mmap import ACCESS_COPY, ALLOCATIONGRANULARITY, mmap
from typing import Any
from zlib import crc32

import numpy as np

from treadle.errors import FileDamaged
from treadle.search.entries import ArrayEntry

__all__ = ["PAGE", "Mapped", "OpenFile", "advise", "pages_of"]

PAGE = 4096  # bytes for which there is a checksum, and to which arrays are aligned
_AHEAD = 4096  # pages that the system is asked for at a time, where all are read


def pages_of(nbytes: int) -> int:
    """Return how many pages so many bytes take."""
    return -(-nbytes // PAGE)


def advise(memory: mmap, how: str, start: int, nbytes: int) -> None:
    """Tell the system how a part of a map will be read, where it listens."""
    if hasattr(system, how):
        skipped = start % system.PAGESIZE
        memory.madvise(getattr(system, how), start - skipped, nbytes + skipped)


class OpenFile:
    """A descriptor that is closed when nothing needs it any more."""

    def __init__(self, path: str, opened: int) -> None:
        self.path = path
        self.opened = opened

    def __del__(self) -> None:
        os.close(self.opened)


class Mapped:
    """One array of a file; read-only, and safe to use from several threads."""

    def __init__(
        self,
        file: OpenFile,
        entry: ArrayEntry,
        memory: mmap,
        start: int,
        sums: np.ndarray[Any, Any],
    ) -> None:
        self._file = file
        self.entry = entry
        self._memory = memory
        self._start = start  # where its first page is
        self._sums = sums
        self._pages = memoryview(memory)[start : start + PAGE * len(sums)]
        flat = np.frombuffer(memory, entry.dtype, math.prod(entry.shape), start)
        self._array = flat.reshape(entry.shape)
        self._checked = np.zeros(len(sums), bool)
        self._complete = not len(sums)

    def __repr__(self) -> str:
        return f"Mapped({self.entry.name!r}, {self.dtype}, {self.shape})"

    @property
    def shape(self) -> tuple[int, ...]:
        """The array's shape."""
        return self.entry.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The array's dtype."""
        return self.entry.dtype

    @property
    def ndim(self) -> int:
        """How many axes the array has."""
        return len(self.entry.shape)

    @property
    def nbytes(self) -> int:
        """How many bytes the array has."""
        return self.entry.nbytes

    def __len__(self) -> int:
        return self.entry.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        self.check()
        if copy:
            return np.array(self._array, dtype)
        return np.asarray(self._array, dtype)

    def __getitem__(self, rows: Any) -> np.ndarray[Any, Any]:
        """Return rows: a view of a slice, a copy of those whose numbers an array holds."""
        if not self._complete:
            self._check_rows(rows)
        found: np.ndarray[Any, Any] = self._array[rows]
        return found

    def private(self) -> np.ndarray[Any, Any]:
        """Check everything, and return an array that may be written to: the file stays as it is.

        It is a map, too: memory is taken for the pages that are written to alone."""
        self.check()
        if not self.nbytes:
            return np.empty(self.shape, self.dtype)
        skipped = self._start % ALLOCATIONGRANULARITY
        begin = self._start - skipped
        memory = mmap(self._file.opened, skipped + self.nbytes, access=ACCESS_COPY, offset=begin)
        flat = np.frombuffer(memory, self.dtype, math.prod(self.shape), skipped)
        return flat.reshape(self.shape)

    def check(self, *, again: bool = False) -> None:
        """Compare every page with its checksum, or those that were not; FileDamaged if one differs.

        With again=True also those that were compared before."""
        for start in () if self._complete and not again else range(0, len(self._sums), _AHEAD):
            part = np.arange(start, min(start + _AHEAD, len(self._sums)))
            self._expect(start, len(part))
            self._compare((part if again else part[~self._checked[part]]).tolist())
            self._checked[part] = True
        self._complete = True

    def _check_rows(self, rows: Any) -> None:
        count = len(self)
        stride = self.nbytes // count if count else 0
        if isinstance(rows, slice):
            asked = range(count)[rows]
            if len(asked) and stride:
                start, end = sorted((asked[0], asked[-1]))
                near = np.arange(start * stride // PAGE, (end * stride + stride - 1) // PAGE + 1)
                self._expect(int(near[0]), len(near))
                self._check_pages(near)
            return
        numbers = np.asarray(rows)
        if numbers.dtype == np.bool_:
            numbers = np.flatnonzero(numbers)
        numbers = numbers.astype(np.int64, copy=False).ravel()
        numbers = np.where(numbers < 0, numbers + count, numbers)
        if not numbers.size or not stride:
            return
        if numbers.min() < 0 or numbers.max() >= count:
            return  # NumPy says so
        starts = numbers * stride
        first = starts // PAGE
        span = int(((starts + stride - 1) // PAGE - first).max()) + 1
        near = np.minimum(first[:, None] + np.arange(span), len(self._sums) - 1)
        self._check_pages(near.ravel())

    def _check_pages(self, pages: np.ndarray[Any, Any]) -> None:
        left = pages[~self._checked[pages]]
        if left.size:  # mostly none is, and np.unique takes microseconds for nothing
            left = np.unique(left)
            self._compare(left.tolist())
            self._checked[left] = True

    def _compare(self, pages: Iterable[int]) -> None:
        held, sums = self._pages, self._sums
        for page in pages:
            if crc32(held[page * PAGE : page * PAGE + PAGE]) != sums[page]:
                raise FileDamaged(
                    f"{self._file.path}: damaged: array {self.entry.name!r} differs from its "
                    f"checksum in the 4096 bytes from byte {self._start + page * PAGE} of the file"
                )

    def _expect(self, page: int, count: int) -> None:
        """Have the system read pages that come one after another, while others are compared."""
        if count > 1:
            advise(self._memory, "MADV_WILLNEED", self._start + page * PAGE, count * PAGE)
