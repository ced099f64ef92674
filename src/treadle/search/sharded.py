"""Several index files, searched as one index.

In: paths of files that `Index.save` wrote; queries. Out: what one index with all of their rows
would give. The files are opened as they are at that moment and not written to. How answers are
merged, and what shards need to have in common, is in shards.py.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import numpy as np

from treadle.batching import BatchReport
from treadle.errors import FileError, SearchError
from treadle.runtime.device import Device
from treadle.runtime.device import device as device_of
from treadle.runtime.priority import Priority
from treadle.search.ids import read_ids
from treadle.search.series import Array
from treadle.search.shard import Shard, ShardFile, ShardHost
from treadle.search.shards import ShardedQuestion, Shards
from treadle.search.state import Result
from treadle.search.together import Together

__all__ = ["Sharded"]

_LEAST, _LARGEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max


class Sharded:
    """Index files that are searched as one index: exactly, and without being written to.

    They have one dim, metric and dtype, and no id is in two of them; a column that some of them
    lack is null there. A file that cannot be read is an error, ShardLost, which names it. With
    partial=True the others are searched without it, and each Result says in `missing` which are
    not in it. With `cluster`, which treadle.cluster.shard_workers makes, each file is searched by a
    worker that sees it, on the worker's device of that name; the workers end with this index."""

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        partial: bool = False,
        device: Device | str | None = None,
        max_delay: float = 0.001,
        cluster: ShardHost | None = None,
    ) -> None:
        names = _read_paths(paths)
        self._host = cluster
        self._device = device_of(None if cluster else device)
        opened: list[Shard] = []
        missing: dict[str, str] = {}
        try:
            if cluster is not None:
                names = tuple(map(os.path.abspath, names))
                where = device.name if isinstance(device, Device) else device
                opened, missing = cluster.open(names, where, patient=not partial)
            else:
                _open_here(names, self._device, opened, missing)
            self._shards = Shards(opened, missing, partial=partial)
        except BaseException:
            self._let_go(opened)
            raise
        self._paths = names
        self._together = Together(self._shards, max_delay)

    def __len__(self) -> int:
        return self._shards.count

    def __repr__(self) -> str:
        whole = self._shards
        there, total = len(whole.shards), whole.total
        shards = f"{there} shards" if there == total else f"{there} of {total} shards"
        return (
            f"<treadle.search.Sharded {shards}, {whole.count:,} x {whole.dim} {whole.dtype}, "
            f"{whole.metric}>"
        )

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} has files open and cannot be copied or pickled; open them again")

    def __contains__(self, an_id: object) -> bool:
        if isinstance(an_id, bool) or not isinstance(an_id, int | np.integer):
            return False
        if not _LEAST <= an_id <= _LARGEST:
            return False
        return bool(self._shards.state().has(np.array([an_id]))[0])

    def __enter__(self) -> Sharded:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Sharded:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, in the order in which they were given."""
        return self._paths

    @property
    def missing(self) -> dict[str, str]:
        """The files that could not be opened, and why: none, unless partial=True."""
        return dict(self._shards.missing)

    @property
    def dim(self) -> int:
        """The number of dimensions; of bits for "bits"."""
        return self._shards.dim

    @property
    def metric(self) -> str:
        """How distance is measured."""
        return self._shards.metric

    @property
    def dtype(self) -> str:
        """What a vector's numbers are kept as."""
        return self._shards.dtype

    @property
    def device(self) -> Device:
        """The device that searches."""
        return self._device

    @property
    def ids(self) -> Array:
        """The ids of all rows, ascending: the order that a mask for `where` has."""
        return self._shards.state().ids.copy()

    @property
    def columns(self) -> dict[str, str | None]:
        """What each column holds: s64, f64, bool or text; None while it is null in every row."""
        return dict(self._shards.columns)

    def get(self, ids: Any) -> Array:
        """Return the vectors of ids, in their order; one id gives one vector.

        Bits come as bytes of eight, as np.packbits with bitorder="little" makes them."""
        found = self._shards.state().take(read_ids(ids, unique=False))
        return found[0] if isinstance(ids, int | np.integer) else found

    def get_columns(self, ids: Any) -> dict[str, list[Any]]:
        """Return what each column has for ids, in their order, with None for null."""
        return self._shards.state().take_columns(read_ids(ids, unique=False))

    def search(
        self, queries: Any, k: int, where: Any = None, *, probes: int | None = None
    ) -> Result:
        """Find the k nearest rows of each query; `where` says which rows count.

        As Index.search: the answer is that of one index with all rows, to the last id. With
        `probes` each shard looks at so many of its own lists of rows, which may miss some."""
        return self.ask(queries, k, where, probes=probes).answer()

    def ask(
        self, queries: Any, k: int, where: Any = None, *, probes: int | None = None
    ) -> ShardedQuestion:
        """Check a search, and return it without having it done: `answer()` does it."""
        return self._shards.state().ask(queries, k, where, probes)

    async def search_async(
        self,
        queries: Any,
        k: int,
        where: Any = None,
        *,
        timeout: float | None = None,
        priority: Priority | str | None = None,
    ) -> Result:
        """Do what search does, for a task that awaits it; searches of one moment go together.

        They wait for each other for at most `max_delay`, and one that is alone does not.
        CommandTimeout after `timeout` seconds."""
        whole = self._shards.state()
        return await self._together.search(whole, queries, k, where, timeout, priority)

    @property
    def report(self) -> BatchReport:
        """What the scans of search_async were like: how many searches shared one, and waited."""
        return self._together.report

    def verify(self) -> None:
        """Read every file whole; FileDamaged where a byte differs from its checksum."""
        for each in self._shards.state().shards:
            each.verify()

    def close(self) -> None:
        """Answer the searches that are awaited, and let the files go.

        A second call does nothing. Tasks write `await sharded.aclose()`."""
        self._together.close()
        self._end()

    async def aclose(self) -> None:
        """Do what close does, without holding up the event loop."""
        await self._together.aclose()
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        self._shards.close()
        self._let_go(self._shards.shards)

    def _let_go(self, shards: Iterable[Shard]) -> None:
        """Close shards, even if one of them makes trouble, and what searches them elsewhere."""
        for each in shards:
            with suppress(FileError):
                each.close()
        if self._host is not None:
            self._host.close()


def _open_here(
    names: Iterable[str], device: Device, opened: list[Shard], missing: dict[str, str]
) -> None:
    for name in names:
        try:
            opened.append(ShardFile(name, device))
        except FileError as error:
            missing[name] = str(error)


def _read_paths(paths: Any) -> tuple[str, ...]:
    if isinstance(paths, str | bytes | os.PathLike) or not isinstance(paths, Iterable):
        raise SearchError(
            f"paths: expected a list of index files, got {paths!r}; for one file write [path]"
        )
    names = tuple(map(_read_path, paths))
    if not names:
        raise SearchError("paths: expected one index file at least, got none")
    seen: dict[str, str] = {}
    for name in names:
        try:
            real = os.path.realpath(name)
        except ValueError as error:
            raise SearchError(f"paths: {name!r} is not a path: {error}") from error
        if real in seen:
            raise SearchError(f"paths: {name} is there twice (as {seen[real]})")
        seen[real] = name
    return names


def _read_path(path: Any) -> str:
    try:
        found = os.fspath(path)
    except TypeError:
        raise SearchError(f"paths: expected paths of files, got {path!r}") from None
    return os.fsdecode(found)
