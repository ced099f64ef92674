"""One of several index files that are searched as one: what it has, and how it is asked.

In: a path. Out: what all shards have to agree on, the ids, and the nearest rows of queries among
the shard's own. A column that other shards have and this one lacks is null in all of its rows, as
in an index to which rows were added without it. Knows no other shards.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from treadle.data import dataclass
from treadle.runtime.device import Device
from treadle.search.columns import Column, Columns
from treadle.search.index import Index
from treadle.search.series import Array
from treadle.search.state import Result, State

__all__ = ["Pending", "Shard", "ShardFacts", "ShardFile", "ShardHost"]


@dataclass(frozen=True, slots=True)
class ShardFacts:
    """What others have to be as well, and where a shard's ids are."""

    dim: int
    metric: str
    dtype: str
    columns: dict[str, str | None]
    count: int
    lowest: int  # of its ids; above the highest where there is no row
    highest: int


class Pending(Protocol):
    """A search of one shard, under way or about to be."""

    def result(self, within: Array | None) -> Result:
        """Wait for it; FileError where the shard is lost. Rows that are further than `within`, of
        each query, may be left out: others have found as many that are nearer."""


class Shard(Protocol):
    """One shard, wherever it is. Where it is lost each call raises FileError, but for `begin`,
    whose result does."""

    path: str
    facts: ShardFacts

    def ids(self) -> Array:
        """The ids of all rows, ascending."""

    def widen(self, columns: Mapping[str, str | None]) -> None:
        """Have these columns, null in every row where there are none of these names."""

    def begin(self, queries: Array, k: int, where: Any, probes: int | None) -> Pending:
        """Begin a search, of queries that were checked."""

    def has(self, ids: Array) -> Array:
        """Say which of some ids rows here have."""

    def take(self, ids: Array) -> Array:
        """Return the vectors of ids, all of which are here."""

    def take_columns(self, ids: Array) -> dict[str, list[Any]]:
        """Return what columns have for ids, all of which are here."""

    def verify(self) -> None:
        """Compare every byte with its checksum."""

    def close(self) -> None:
        """Let the shard go."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A search that is done when its result is asked for: one takes every core of a machine."""

    index: Index
    queries: Array
    k: int
    where: Any
    probes: int | None

    def result(self, within: Array | None) -> Result:
        question = self.index.snapshot().ask(self.queries, self.k, self.where, probes=self.probes)
        return question.answer(within)


class ShardHost(Protocol):
    """Opens shards elsewhere; `treadle.cluster.shard_workers` makes one."""

    def open(
        self, paths: Sequence[str], device: str | None, *, patient: bool
    ) -> tuple[list[Shard], dict[str, str]]:
        """Return shards, and why others could not be opened. `patient`: what searches a shard and
        dies is replaced while the caller waits."""

    def close(self) -> None:
        """Let all of them go."""


class ShardFile:
    """A shard that this process has open."""

    def __init__(self, path: str | os.PathLike[str], device: Device | str | None = None) -> None:
        self.path = os.fspath(path)
        self._index = Index.open(path, device=device)
        state, ids, table = self._state, self.ids(), self._state.table
        self.facts = ShardFacts(
            table.dim,
            str(table.metric),
            table.dtype,
            state.columns.types,
            state.count,
            int(ids[0]) if len(ids) else 1,
            int(ids[-1]) if len(ids) else 0,
        )

    @property
    def _state(self) -> State:
        return self._index._current.state()

    def __repr__(self) -> str:
        return f"<treadle.search.ShardFile {self.path!r}>"

    @property
    def columns(self) -> dict[str, str | None]:
        """What each column holds, with those that others have."""
        return self._index.columns

    def ids(self) -> Array:
        """The ids of all rows, ascending."""
        return self._index.ids

    def widen(self, columns: Mapping[str, str | None]) -> None:
        """Have these columns, null in every row where there are none of these names."""
        current = self._index._current
        with current.lock:
            now = current.state()
            own = now.columns
            shown = {name: own.by_name.get(name) or Column(name, own.count) for name in columns}
            current.latest = State(
                now.table, now.directory, Columns(own.count, shown), now.alive, now.next_id
            )

    def begin(self, queries: Array, k: int, where: Any, probes: int | None) -> Pending:
        """Begin a search, of queries that were checked."""
        return _Asked(self._index, queries, k, where, probes)

    def has(self, ids: Array) -> Array:
        """Say which of some ids rows here have."""
        now = self._state
        found: Array = now.directory.find(ids, now.alive) >= 0
        return found

    def take(self, ids: Array) -> Array:
        """Return the vectors of ids, all of which are here."""
        return self._index.get(ids)

    def take_columns(self, ids: Array) -> dict[str, list[Any]]:
        """Return what columns have for ids, all of which are here."""
        return self._index.get_columns(ids)

    def verify(self) -> None:
        """Compare every byte with its checksum."""
        self._index.verify()

    def close(self) -> None:
        """Let the shard go."""
        self._index.close()
