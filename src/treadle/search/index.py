"""An index of vectors: rows that come and go while others search.

In: vectors with ids and columns; queries. Out: the nearest rows, exactly. The index holds one State
and replaces it as a whole, under a lock that only writers take: a change that fails has not
happened, and a search sees all of a change or nothing. Rows that were removed stay in the table
until a thread of the index has written the others anew. A log may be told of every change before
it counts; files are for others to know.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from treadle.batching import BatchReport
from treadle.errors import SearchError
from treadle.runtime.device import Device
from treadle.runtime.device import device as device_of
from treadle.runtime.priority import Priority
from treadle.search.changes import appended, emptied, removed
from treadle.search.chosen_rows import ChosenRows
from treadle.search.columns import Values, read_columns
from treadle.search.current import Current
from treadle.search.filed_rows import Rows
from treadle.search.ids import read_ids
from treadle.search.record import pack_columns, pack_state, unpack_columns, unpack_state
from treadle.search.saved import open_index, save_index
from treadle.search.series import Array
from treadle.search.snapshot import Snapshot, described
from treadle.search.state import Result, State, check_k
from treadle.search.storage import Stored
from treadle.search.table import Metric, Table
from treadle.search.together import Together
from treadle.search.vectors import read_vectors

__all__ = ["Index", "Log"]

_DTYPES = ("f32", "u8", "bits")
_MANY = 1024  # rows that take a table so long that searches should not wait for them
_NONE = np.empty(0, np.int64)
_LARGEST = np.iinfo(np.int64).max
_LONGEST = 1 << 24  # dimensions of a vector


class Log(Protocol):
    """Keeps every change, before it counts."""

    @property
    def written(self) -> int:
        """How many changes it has."""

    def __call__(
        self, kind: str, meta: dict[str, Any], arrays: dict[str, Array]
    ) -> Callable[[], object] | None:
        """Take a change, or raise; what it returns is called to wait until the change is kept."""

    def close(self) -> None:
        """Take no more."""


class Index:
    """Vectors of `dim` numbers, found by their distance to a query.

    Search is exact: it gives what float64 brute force gives, and of equal distances the lowest ids.
    All methods may be called from several threads; a search sees the index as of its call. `dtype`
    is "f32", "u8", or "bits", which "hamming" has and which is its default. `max_delay` is how long
    a search that is awaited waits for others to come, in seconds."""

    def __init__(
        self,
        dim: int,
        metric: str = "l2",
        dtype: str | None = None,
        device: Device | str | None = None,
        *,
        max_delay: float = 0.001,
    ) -> None:
        if isinstance(dim, bool) or not isinstance(dim, int | np.integer) or dim < 1:
            raise SearchError(f"dim: expected a whole number from 1 on, got {dim!r}")
        if dim > _LONGEST:
            raise SearchError(f"dim: {dim:,} are more than the {_LONGEST:,} that an index takes")
        if metric not in list(Metric):
            raise SearchError(f"metric: expected {', '.join(Metric)}; got {metric!r}")
        kind = dtype or ("bits" if metric == "hamming" else "f32")
        if kind not in _DTYPES:
            raise SearchError(f"dtype: expected {', '.join(_DTYPES)}; got {dtype!r}")
        if (kind == "bits") != (metric == "hamming"):
            raise SearchError(
                f"dtype: {kind!r} has no metric {metric!r}; 'bits' and 'hamming' go together"
            )
        table = Table(int(dim), Metric(metric), kind, device_of(device))
        self._begin(Current(emptied(table, 0)), max_delay)

    def _begin(self, current: Current, max_delay: float) -> None:
        self._current = current
        self._together = Together(current, max_delay)
        self._log: Log | None = None
        self._stored: Stored | None = None

    def __len__(self) -> int:
        return self._current.latest.count

    def __repr__(self) -> str:
        return f"<treadle.search.Index {described(self._current.latest)}>"

    def __reduce__(self) -> Any:
        raise TypeError(
            f"{self!r} holds a device's memory and cannot be copied or pickled; save it to a file, "
            "and open that"
        )

    def __contains__(self, an_id: object) -> bool:
        return an_id in self.snapshot()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Index:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    @property
    def dim(self) -> int:
        """The number of dimensions; of bits for "bits"."""
        return self._current.latest.table.dim

    @property
    def metric(self) -> str:
        """How distance is measured."""
        return str(self._current.latest.table.metric)

    @property
    def dtype(self) -> str:
        """What a vector's numbers are kept as."""
        return self._current.latest.table.dtype

    @property
    def device(self) -> Device:
        """The device that searches."""
        return self._current.latest.table.device

    @property
    def ids(self) -> Array:
        """The ids of all rows, ascending: the order that a mask for `where` has."""
        return self.snapshot().ids

    @property
    def columns(self) -> dict[str, str | None]:
        """What each column holds: s64, f64, bool or text; None while it is null in every row."""
        return self._current.latest.columns.types

    def snapshot(self) -> Snapshot:
        """Return the index as it is now: later changes do not show in it."""
        return Snapshot(self._current.state())

    def get(self, ids: Any) -> Array:
        """Return the vectors of ids, in their order; one id gives one vector.

        Bits come as bytes of eight, as np.packbits with bitorder="little" makes them."""
        return self.snapshot().get(ids)

    def get_columns(self, ids: Any) -> dict[str, list[Any]]:
        """Return what each column has for ids, in their order, with None for null."""
        return self.snapshot().get_columns(ids)

    def search(
        self, queries: Any, k: int, where: Any = None, *, probes: int | None = None
    ) -> Result:
        """Find the k nearest rows of each query; `where` says which rows count.

        It is a predicate over columns, truth values in the order of `ids`, or ids. Where fewer than
        k rows count, the result has fewer. Of equal distances the lowest ids come first.

        With `probes` the search is approximate: it looks at so many lists of rows, those whose
        centres are nearest. What it finds is measured exactly; `measure_recall` says how much it
        misses. A query whose lists have fewer than k rows has ids of -1, infinitely far."""
        return self.snapshot().search(queries, k, where, probes=probes)

    def train(self, lists: int | None = None) -> None:
        """Put the rows into lists for searches with `probes`, and wait for that.

        Twice the square root of the rows by default. The first such search does it otherwise, and
        one that comes when a quarter of the rows is in no list does it again."""
        count = None if lists is None else check_k(lists, "lists")
        self._current.state().lists(count, anew=True)

    def measure_recall(self, sample: Any = 100, k: int = 10, *, probes: int = 8) -> float:
        """Return which part of the k nearest rows a search with `probes` finds, from 0 to 1.

        `sample` is queries, or how many rows are to be drawn as such; both searches see the same
        rows."""
        now = self.snapshot()
        if isinstance(sample, int | np.integer):
            rng = np.random.default_rng(0)
            count = check_k(sample, "sample")
            sample = now.get(rng.choice(now.ids, min(count, len(now)), replace=False))
        exact = np.atleast_2d(now.search(sample, k).ids)
        found = np.atleast_2d(now.search(sample, k, probes=probes).ids)
        hits = sum(np.isin(a, b).sum() for a, b in zip(exact, found, strict=True))
        return float(hits / exact.size) if exact.size else 1.0

    async def search_async(
        self,
        queries: Any,
        k: int,
        where: Any = None,
        *,
        timeout: float | None = None,
        priority: Priority | str | None = None,
    ) -> Result:
        """Do what search does, for a task that awaits it; searches of one moment share a scan.

        They wait for each other for at most the index's `max_delay`, and one that is alone does
        not. A search sees the index as it is when its scan begins. CommandTimeout after `timeout`
        seconds."""
        state = self._current.state()
        return await self._together.search(state, queries, k, where, timeout, priority)

    @property
    def report(self) -> BatchReport:
        """What the scans of search_async were like: how many searches shared one, and waited."""
        return self._together.report

    # Changes.

    def add(self, vectors: Any, ids: Any = None, columns: Mapping[str, Any] | None = None) -> Array:
        """Add vectors, and return their ids: those given, or the next numbers.

        Columns are lists or arrays with a value for each vector: numbers, truth values or strings,
        with None for null. The first that come fix names and types."""
        table = self._current.latest.table
        rows, _ = read_vectors(vectors, table.dim, table.dtype, "vectors")
        given = None if ids is None else _matching(read_ids(ids), len(rows))
        values = read_columns(columns, len(rows))
        self._current.check()
        with self._current.lock:
            state = self._current.state()
            if given is None:
                given = _numbered(state, len(rows))
            else:
                _check_new(state, given)
            wait = self._append("add", state, rows, given, values, _NONE)
        self._end(wait)
        return given

    def update(
        self, ids: Any, vectors: Any = None, columns: Mapping[str, Any] | None = None
    ) -> None:
        """Replace the vectors of ids that are there, what columns have for them, or both."""
        given = read_ids(ids)
        table = self._current.latest.table
        if vectors is None and columns is None:
            raise SearchError("update: give vectors, columns or both")
        rows = None
        if vectors is not None:
            rows, _ = read_vectors(vectors, table.dim, table.dtype, "vectors")
            _matching(given, len(rows))
        values = read_columns(columns, len(given))
        self._current.check()
        with self._current.lock:
            state = self._current.state()
            old = state.find(given)
            if rows is None:
                rows = np.ascontiguousarray(state.table.vectors[old])
            values = {**state.columns.gathered(old), **values}
            wait = self._append("update", state, rows, given, values, old)
        self._end(wait)

    def remove(self, ids: Any) -> None:
        """Remove the rows of ids, all of which have to be there."""
        given = read_ids(ids)
        self._current.check()
        with self._current.lock:
            state = self._current.state()
            made = removed(state, state.find(given))
            wait = self._publish(made, "remove", lambda: ({}, {"ids": given}))
        self._end(wait)

    def compact(self) -> None:
        """Write the rows anew without those that were removed, and wait for that.

        A thread of the index does the same when a quarter of the rows has been removed."""
        self._current.compact()

    def close(self) -> None:
        """Answer the searches that are awaited, and let the index go; snapshots of it stay.

        A second call does nothing. Tasks write `await index.aclose()`."""
        self._together.close()
        self._end_all()

    async def aclose(self) -> None:
        """Do what close does, without holding up the event loop."""
        await self._together.aclose()
        await asyncio.to_thread(self._end_all)  # which may wait for the index's own threads

    def _end_all(self) -> None:
        if self._log is not None:
            self._log.close()  # first: it may be writing a new file
        self._current.close()

    # Files.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file, which is there whole or not at all; see Index files.

        A durable index that is saved where it was opened empties its log."""
        save_index(self, path)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        durable: bool = False,
        device: Device | str | None = None,
        max_delay: float = 0.001,
    ) -> Index:
        """Open an index that was saved, at once: what is needed of it is read when it is.

        With durable=True every change is on the disk when the call that makes it returns. One
        process at a time may open it so; the others see the index as of when they open it. Vectors
        stay in the file: those are read that a search measures."""
        return open_index(cls, path, durable=durable, device=device, max_delay=max_delay)

    def verify(self) -> None:
        """Read the whole file that the index was opened from; FileDamaged where a byte differs."""
        if self._stored is not None:
            self._stored.verify()

    def _append(
        self,
        kind: str,
        state: State,
        rows: Array,
        ids: Array,
        values: Mapping[str, Values],
        replaced: Array,
    ) -> Callable[[], object] | None:
        """Put rows at the table's end, in the order of their ids, and publish that."""
        if not (ids[1:] > ids[:-1]).all():
            order = np.argsort(ids)
            rows, ids = np.ascontiguousarray(rows[order]), ids[order]
            values = {name: each.taken(order) for name, each in values.items()}
        if state.count and len(rows) > _MANY:
            state.view()  # searches of it then need not wait until the table has grown
        made = appended(state, rows, ids, values, replaced)

        def change() -> tuple[dict[str, Any], dict[str, Array]]:
            meta, arrays = pack_columns(values)
            return {"columns": meta}, {"vectors": rows, "ids": ids, **arrays}

        return self._publish(made, kind, change)

    def _publish(
        self,
        made: State,
        kind: str,
        change: Callable[[], tuple[dict[str, Any], dict[str, Array]]],
    ) -> Callable[[], object] | None:
        """Make a State the one that counts, when the log has the change."""
        log = self._log
        if log is None:
            self._current.latest = made
            return None
        meta, arrays = change()
        before = log.written
        try:
            return log(kind, meta, arrays)
        finally:  # Ctrl-C may come when the log has it, and then it counts
            if log.written != before:
                self._current.latest = made

    def _end(self, wait: Callable[[], object] | None) -> None:
        """After a change: wait for the log, and have the index tidied up."""
        if wait is not None:
            wait()
        self._current.tidy()

    # For files and logs.

    def _state(self) -> tuple[dict[str, Any], dict[str, Rows | ChosenRows]]:
        """All that the index holds now, as words and arrays."""
        return pack_state(self._current.state())

    @classmethod
    def _restored(
        cls,
        meta: Mapping[str, Any],
        arrays: Mapping[str, Any],
        device: Device | str | None = None,
        *,
        max_delay: float = 0.001,
    ) -> Index:
        """An index that holds what `_state` gave."""
        index = cls.__new__(cls)
        index._begin(Current(unpack_state(meta, arrays, device_of(device))), max_delay)
        return index

    def _apply(self, kind: str, meta: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
        """Make a change that a log has kept, without telling a log."""
        self._current.check()
        with self._current.lock:
            state = self._current.state()
            log, self._log = self._log, None
            try:
                self._change(kind, state, meta, arrays)
            finally:
                self._log = log

    def _change(
        self, kind: str, state: State, meta: Mapping[str, Any], arrays: Mapping[str, Any]
    ) -> None:
        ids = read_ids(np.asarray(arrays["ids"]))
        if kind == "remove":
            self._current.latest = removed(state, state.find(ids))
            return
        vectors = np.asarray(arrays["vectors"])
        rows, _ = read_vectors(vectors, self.dim, self.dtype, "vectors")
        values = unpack_columns(meta["columns"], arrays, len(_matching(ids, len(rows))))
        if kind == "update":
            self._append(kind, state, rows, ids, values, state.find(ids))
        elif kind == "add":
            _check_new(state, ids)
            self._append(kind, state, rows, ids, values, _NONE)
        else:
            raise SearchError(f"a log has a change of no known kind: {kind!r}")


def _matching(ids: Array, count: int) -> Array:
    if len(ids) != count:
        raise SearchError(f"ids: got {len(ids):,} for {count:,} vectors")
    return ids


def _check_new(state: State, ids: Array) -> None:
    taken = ids[state.directory.find(ids, state.alive) >= 0]
    if len(taken):
        raise SearchError(f"ids: {taken[0]} is in the index; update it, or remove it first")


def _numbered(state: State, count: int) -> Array:
    if state.next_id + count - 1 > _LARGEST:
        raise SearchError("ids: there are no more numbers above the largest id; give ids")
    return np.arange(state.next_id, state.next_id + count)
