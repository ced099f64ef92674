"""Several shards as one index: what they have to have in common, and how answers are merged.

In: shards that were opened, and which were not. Out: the nearest rows of all, as one index with all
of their rows would give them. The nearest of all are among the nearest of each, and a row's
distance does not depend on where the row lies, so that putting the answers in order by distance and
id is all there is to do. A shard that is lost is an error, or named in the answer. Where shards are
and who searches them is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np

from treadle.data import dataclass
from treadle.errors import FileError, SearchError, ShardLost, UnknownId
from treadle.search.columns import WORDS, Column, Columns
from treadle.search.filter import choose
from treadle.search.series import Array
from treadle.search.shard import Pending, Shard
from treadle.search.state import Result, check_chosen, check_k, check_mask, is_mask, shown_ids
from treadle.search.vectors import read_vectors

__all__ = ["ShardedQuestion", "Shards", "lost"]

_NUMBERS = {"s64", "f64"}  # of which columns may be either
Given = TypeVar("Given")


def lost(missing: Mapping[str, str], total: int) -> ShardLost:
    """The error that names shards which are gone, and why."""
    why = "; ".join(dict.fromkeys(missing.values()))
    return ShardLost(
        f"{len(missing)} of {total} shards {'are' if len(missing) > 1 else 'is'} lost: {why} "
        "(partial=True gives what the others have)",
        missing=missing,
    )


class Shards:
    """Shards that are searched as one."""

    def __init__(
        self, shards: Sequence[Shard], missing: Mapping[str, str], *, partial: bool
    ) -> None:
        self.shards = tuple(shards)
        self.missing = dict(missing)  # that could not be opened
        self._partial = partial
        self._closed = False
        if self.missing and (not partial or not shards):
            raise lost(self.missing, self.total)
        first = self.shards[0]
        self.dim, self.metric, self.dtype = first.facts.dim, first.facts.metric, first.facts.dtype
        for each in self.shards[1:]:
            _check_alike(first, each)
        self.columns = _all_columns(self.shards)
        self.count = sum(each.facts.count for each in self.shards)
        _check_apart(self.shards)
        for each in self.shards:
            if each.facts.columns != self.columns:
                each.widen(self.columns)

    @property
    def total(self) -> int:
        """How many shards there should be."""
        return len(self.shards) + len(self.missing)

    def state(self) -> Shards:
        """Return what is searched, or refuse."""
        if self._closed:
            raise SearchError("the index is closed")
        return self

    def close(self) -> None:
        """Refuse all further use."""
        self._closed = True

    @cached_property
    def ids(self) -> Array:
        """The ids of all rows, ascending."""
        return np.sort(np.concatenate(self._own_ids))

    @cached_property
    def _own_ids(self) -> list[Array]:
        return [each.ids() for each in self.shards]

    def ids_of(self, where: Any) -> Array:
        """The ids that a mask or ids choose."""
        if is_mask(where):
            found: Array = self.ids[check_mask(where, self.count)]
            return found
        return check_chosen(where)

    # Searches.

    def search(self, queries: Any, k: int, where: Any = None, probes: int | None = None) -> Result:
        """Check a search, and have it done."""
        return self.ask(queries, k, where, probes).answer()

    def ask(
        self, queries: Any, k: int, where: Any = None, probes: int | None = None
    ) -> ShardedQuestion:
        """Check a search, and return it without having it done."""
        rows, single = read_vectors(queries, self.dim, self.dtype, "queries")
        count = min(check_k(k), self.count)
        if probes is not None:
            probes = check_k(probes, "probes")
        if not self.count:
            raise SearchError("the index is empty; add vectors to one of its files first")
        own: Iterable[Any] = [where] * len(self.shards)
        if isinstance(where, str):
            choose(where, Columns(0, {n: _no_rows(n, k) for n, k in self.columns.items()}))
        elif is_mask(where):
            mask = check_mask(where, self.count)
            own = [mask[np.searchsorted(self.ids, ids)] for ids in self._own_ids]
        elif where is not None:
            chosen = check_chosen(where)
            own = [_near(chosen, each) for each in self.shards]
        asked = [
            (shard, part)
            for shard, part in zip(self.shards, own, strict=True)
            if shard.facts.count and (part is None or isinstance(part, str) or len(part))
        ]
        return ShardedQuestion(self, rows, single, count, probes, asked)

    def gather(
        self, calls: Iterable[tuple[Shard, Callable[[], Given]]]
    ) -> tuple[list[Given], dict[str, str]]:
        """Call each, and return what shards gave, and those that are lost."""
        found: list[Given] = []
        missing = dict(self.missing)
        cause = None
        for shard, call in calls:
            try:
                found.append(call())
            except FileError as error:
                missing[shard.path] = str(error)
                cause = error
        if cause is not None and (not self._partial or len(missing) == self.total):
            raise lost(missing, self.total) from cause
        return found, missing

    # Rows by their ids.

    def has(self, ids: Array) -> Array:
        """Which of some ids rows have."""
        found = np.zeros(len(ids), np.bool_)
        for _, here in self._places(ids)[0]:
            found[here] = True
        return found

    def take(self, ids: Array) -> Array:
        """The vectors of ids, in their order."""
        parts = self._parts(ids, lambda shard, own: shard.take(own))
        found = np.empty((len(ids), *parts[0][1].shape[1:]), parts[0][1].dtype)
        for here, vectors in parts:
            found[here] = vectors
        return found

    def take_columns(self, ids: Array) -> dict[str, list[Any]]:
        """What columns have for ids, in their order."""
        found: dict[str, list[Any]] = {name: [None] * len(ids) for name in self.columns}
        for here, columns in self._parts(ids, lambda shard, own: shard.take_columns(own)):
            for name, values in columns.items():
                for place, value in zip(here.tolist(), values, strict=True):
                    found[name][place] = value
        return found

    def _places(self, ids: Array) -> tuple[list[tuple[Shard, Array]], dict[str, str]]:
        """Of each shard the places of its ids among some, and which shards are lost."""

        def look(shard: Shard) -> tuple[Shard, Array]:
            return shard, np.flatnonzero(shard.has(ids))

        return self.gather((each, partial(look, each)) for each in self.shards)

    def _parts(
        self, ids: Array, take: Callable[[Shard, Array], Given]
    ) -> list[tuple[Array, Given]]:
        """What each shard has of some ids, all of which have to be somewhere."""
        places, missing = self._places(ids)
        there = np.zeros(len(ids), np.bool_)
        for _, here in places:
            there[here] = True
        unknown = ids[~there]
        if len(unknown):
            without = f"; without what is lost: {'; '.join(missing.values())}" if missing else ""
            raise UnknownId(f"ids: no row has {shown_ids(unknown)}{without}")
        return [(here, take(shard, ids[here])) for shard, here in places]


@dataclass(frozen=True, slots=True)
class ShardedQuestion:
    """A search of several shards that was checked."""

    whole: Shards
    queries: Array
    single: bool
    k: int  # not more than there are rows
    probes: int | None
    asked: list[tuple[Shard, Any]]  # those that have rows which count, and which

    def answer(self) -> Result:
        """Ask every shard, wait for all, and put in order what they found."""
        asked = (self.queries, self.k)
        pending = [(shard, shard.begin(*asked, own, self.probes)) for shard, own in self.asked]
        best = _Best(self)
        _, missing = self.whole.gather((shard, partial(best.take, each)) for shard, each in pending)
        return best.result(missing)


class _Best:
    """The nearest rows of the shards that have answered so far. Of each query the distance of the
    last one wanted is a limit for the shards that follow: they measure fewer rows."""

    def __init__(self, question: ShardedQuestion) -> None:
        self._question = question
        self._sign = -1 if question.whole.metric == "dot" else 1
        shape, counted = (len(question.queries), 0), question.whole.metric == "hamming"
        self._keys = np.empty(shape, np.int64 if counted else np.float64)
        self._ids = np.empty(shape, np.int64)

    def take(self, pending: Pending) -> None:
        """Wait for a shard's answer, and put it among the others."""
        k = self._question.k
        within = self._keys[:, k - 1] if self._keys.shape[1] == k else None
        found = pending.result(within)
        keys = np.concatenate([self._keys, self._sign * found.distances], axis=1)
        ids = np.concatenate([self._ids, found.ids], axis=1)
        order = np.lexsort((ids, keys), axis=-1)[:, :k]
        self._keys, self._ids = (np.take_along_axis(each, order, 1) for each in (keys, ids))

    def result(self, missing: dict[str, str]) -> Result:
        """What was found, of all shards but those that are missing."""
        far, ids = self._sign * self._keys, self._ids
        if self._question.single:
            far, ids = far[0], ids[0]
        return Result(far, ids, missing)


def _no_rows(name: str, kind: str | None) -> Column:
    column = Column(name, 0)
    return column if kind is None else column._typed(kind)


def _near(ids: Array, shard: Shard) -> Array:
    """Those of some ids that may be a shard's."""
    found: Array = ids[(ids >= shard.facts.lowest) & (ids <= shard.facts.highest)]
    return found


# What shards have to have in common.


def _check_alike(one: Shard, other: Shard) -> None:
    for what in ("dim", "metric", "dtype"):
        mine, its = getattr(one.facts, what), getattr(other.facts, what)
        if mine != its:
            raise SearchError(
                f"{other.path}: its {what} is {its}, that of {one.path} is {mine}; shards of one "
                "index have the same"
            )


def _all_columns(shards: Sequence[Shard]) -> dict[str, str | None]:
    """The columns of all shards, each of which has to hold the same everywhere."""
    found: dict[str, str | None] = {}
    first: dict[str, Shard] = {}
    for shard in shards:
        for name, kind in shard.facts.columns.items():
            before = found.setdefault(name, kind)
            if before is None or kind is None or before == kind:
                found[name] = before or kind
            elif {before, kind} == _NUMBERS:
                found[name] = "f64"
            else:
                raise SearchError(
                    f"columns: {name!r} holds {WORDS[before]} in {first[name].path} and "
                    f"{WORDS[kind]} in {shard.path}"
                )
            if found[name] is not None:
                first.setdefault(name, shard)
    return found


def _check_apart(shards: Sequence[Shard]) -> None:
    """Refuse ids that two shards have. Shards whose ids lie apart are not read."""
    ordered = sorted((each for each in shards if each.facts.count), key=_lowest)
    crossing: list[Shard] = []
    highest = None
    for each in ordered:
        if highest is not None and each.facts.lowest > highest:
            _check_crossing(crossing)
            crossing, highest = [], None
        crossing.append(each)
        highest = max(each.facts.highest, each.facts.highest if highest is None else highest)
    _check_crossing(crossing)


def _lowest(shard: Shard) -> int:
    return shard.facts.lowest


def _check_crossing(shards: Sequence[Shard]) -> None:
    if len(shards) < 2:
        return
    every = np.sort(np.concatenate([each.ids() for each in shards]))
    twice = np.unique(every[1:][every[1:] == every[:-1]])
    if not len(twice):
        return
    owners = [each.path for each in shards if each.has(twice[:1]).any()]
    raise SearchError(
        f"ids: {twice[0]} is in {' and in '.join(owners)}; {len(twice):,} ids are in more than one "
        f"shard ({shown_ids(twice)}), and each may be in one only. Give rows their ids when you "
        "add them; `treadle search build --first-id` numbers them from a number of yours"
    )
