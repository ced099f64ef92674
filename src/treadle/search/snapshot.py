"""The index as it was at one moment: searches, ids and vectors that no later change touches.

In: what users ask. Out: answers as of the moment at which the snapshot was taken. It keeps the
rows that it shows in memory for as long as it is there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.runtime.device import Device
from treadle.search.ids import read_ids
from treadle.search.series import Array
from treadle.search.state import Question, Result, State
from treadle.search.vectors import as_given

__all__ = ["Snapshot"]

_LEAST, _LARGEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class Snapshot:
    """What an index held at one moment; `index.snapshot()` gives it."""

    __slots__ = ("__weakref__", "_state")

    def __init__(self, state: State) -> None:
        self._state = state

    def __len__(self) -> int:
        return self._state.count

    def __repr__(self) -> str:
        return f"<treadle.search.Snapshot {described(self._state)}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} holds a device's memory and cannot be copied or pickled")

    def __contains__(self, an_id: object) -> bool:
        if isinstance(an_id, bool) or not isinstance(an_id, int | np.integer):
            return False
        if not _LEAST <= an_id <= _LARGEST:
            return False
        return bool(self._state.directory.find(np.array([an_id]), self._state.alive)[0] >= 0)

    @property
    def device(self) -> Device:
        """The device that searches."""
        return self._state.table.device

    @property
    def ids(self) -> Array:
        """The ids of all rows, ascending: the order that a mask for `where` has."""
        found: Array = self._state.directory.array[self._state.ordered]
        return found

    def get(self, ids: Any) -> Array:
        """Return the vectors of ids, in their order; one id gives one vector.

        Bits come as bytes of eight, as np.packbits with bitorder="little" makes them."""
        table = self._state.table
        rows = self._state.find(read_ids(ids, unique=False))
        found = as_given(table.vectors[rows], table.dim, table.dtype)
        return found[0] if isinstance(ids, int | np.integer) else found

    def get_columns(self, ids: Any) -> dict[str, list[Any]]:
        """Return what each column has for ids, in their order, with None for null."""
        rows = self._state.find(read_ids(ids, unique=False))
        columns = self._state.columns.by_name
        return {name: column.listed(rows) for name, column in columns.items()}

    def search(
        self, queries: Any, k: int, where: Any = None, *, probes: int | None = None
    ) -> Result:
        """Find the k nearest rows of each query; `where` says which rows count.

        It is a predicate over columns, truth values in the order of `ids`, or ids. Where fewer than
        k rows count, the result has fewer. Of equal distances the lowest ids come first. With
        `probes` only so many lists of rows are looked at, which may miss some: see Index.search."""
        return self.ask(queries, k, where, probes=probes).answer()

    def ask(
        self, queries: Any, k: int, where: Any = None, *, probes: int | None = None
    ) -> Question:
        """Check a search, and return it without having it done: `answer()` does it."""
        return self._state.ask(queries, k, where, probes)


def described(state: State) -> str:
    """An index's size and kind, in a few words."""
    table = state.table
    return f"{state.count:,} x {table.dim} {table.dtype}, {table.metric}, on {table.device.name}"
