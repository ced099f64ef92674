"""Columns beside the vectors: numbers, truth values and strings, any of which may be null.

In: lists and arrays, one value for a row. Out: columns that grow at their end, typed by the first
values that they got, with strings as numbers of a dictionary. What is there never changes, so that
snapshots share it. Which rows are alive, and what a filter asks of columns, is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, NoReturn

import numpy as np

from treadle.data import dataclass
from treadle.errors import SearchError, suggest
from treadle.search.series import Array, Series

__all__ = ["Column", "Columns", "Values", "read_columns"]

# What a column holds, and how its memory spells it. Where a type can spell null it does: NaN, and
# -1 of truth values and of strings' numbers; whole numbers have a second array for that.
STORED = {"s64": np.int64, "f64": np.float64, "bool": np.int8, "text": np.int32}
WORDS = {"s64": "whole numbers", "f64": "numbers", "bool": "truth values", "text": "strings"}
_NULL = {"s64": 0, "f64": np.nan, "bool": -1, "text": -1}
_EXACT = 1 << 53  # whole numbers up to this are numbers of f64


@dataclass(frozen=True, slots=True)
class Values:
    """What one add brings for a column: a type, an array, and which rows are null.

    Strings come as a list, in which null is None. `kind` is None where every row is null."""

    kind: str | None
    values: Any
    nulls: Array | None  # of truth values; None where no row is null

    def taken(self, order: Array) -> Values:
        """These in another order."""
        if self.kind is None:
            return self
        if self.kind == "text":
            return Values(self.kind, [self.values[place] for place in order.tolist()], None)
        nulls = None if self.nulls is None else self.nulls[order]
        return Values(self.kind, self.values[order], nulls)


@dataclass(frozen=True, slots=True)
class Column:
    """The values of one column for all rows."""

    name: str
    count: int
    kind: str | None = None  # not known while every row is null
    values: Series | None = None
    absent: Series | None = None  # of whole numbers: which rows are null, where any is
    codes: dict[str, int] = field(default_factory=dict)  # of strings; a string's place is its code

    @property
    def nulls(self) -> Array | None:
        """Which rows are null; None where none is."""
        if self.values is None:
            return np.ones(self.count, np.bool_)
        if self.kind == "s64":
            return None if self.absent is None else self.absent.array
        values = self.values.array
        found = np.isnan(values) if self.kind == "f64" else values < 0
        return found if found.any() else None

    def extended(self, more: Values, count: int) -> Column:
        """This column with `count` more rows; raise SearchError where their type is another."""
        if more.kind is None:
            return self._lengthened(count)
        if self.kind is None:
            return self._typed(more.kind).extended(more, count)
        assert self.values is not None
        if self.kind == "text" and more.kind == "text":
            values = self._coded(more.values)
        else:
            values = self._converted(more)
        absent = self.absent
        if self.kind == "s64" and (absent is not None or more.nulls is not None):
            nulls = np.zeros(count, np.bool_) if more.nulls is None else more.nulls
            before = absent or Series(np.zeros(self.count, np.bool_), self.count)
            absent = before.extended(nulls)
        return replace(
            self, count=self.count + count, values=self.values.extended(values), absent=absent
        )

    def _typed(self, kind: str) -> Column:
        """This column, of which all rows are null, with a type."""
        nulls = np.full(self.count, _NULL[kind], STORED[kind])
        absent = None
        if kind == "s64" and self.count:
            absent = Series(np.ones(self.count, np.bool_), self.count)
        return replace(self, kind=kind, values=Series(nulls, self.count), absent=absent)

    def _lengthened(self, count: int) -> Column:
        if self.kind is None or self.values is None:
            return replace(self, count=self.count + count)
        if self.kind == "text":
            return self.extended(Values("text", [None] * count, None), count)
        nulls = np.full(count, _NULL[self.kind], STORED[self.kind])
        return self.extended(Values(self.kind, nulls, np.ones(count, np.bool_)), count)

    def _coded(self, words: Sequence[str | None]) -> Array:
        new = dict.fromkeys(word for word in words if word is not None and word not in self.codes)
        try:
            "".join(new).encode()
        except UnicodeEncodeError as error:
            raise SearchError(
                f"columns: {self.name!r} has a string with half of a surrogate pair, which is no "
                "text; mend or drop it"
            ) from error
        for word in new:  # a code more is seen by no row until rows have it
            self.codes[word] = len(self.codes)
        codes = self.codes
        return np.array([-1 if word is None else codes[word] for word in words], np.int32)

    def _converted(self, more: Values) -> Array:
        values: Array = more.values
        present = values if more.nulls is None else values[~more.nulls]
        if self.kind == more.kind:
            return values
        if self.kind == "f64" and more.kind == "s64":
            if len(present) and max(-int(present.min()), int(present.max())) > _EXACT:
                self._refuse("a whole number beyond 2**53, which f64 cannot hold")
            found = values.astype(np.float64)
            if more.nulls is not None:
                found[more.nulls] = np.nan
            return found
        if self.kind == "s64" and more.kind == "f64":
            wrong = (present != np.rint(present)) | (np.abs(present) > _EXACT)
            if wrong.any():
                self._refuse(f"{present[wrong][0]:g}")
            return np.where(np.isnan(values), 0, values).astype(np.int64)
        self._refuse(WORDS[str(more.kind)])

    def _refuse(self, came: str) -> NoReturn:
        raise SearchError(
            f"columns: {self.name!r} holds {WORDS[str(self.kind)]} ({self.kind}) since its first "
            f"values were added; got {came}"
        )

    def taken(self, rows: Array) -> Column:
        """A column of these rows alone, whose dictionary has no string that none of them has."""
        if self.values is None:
            return replace(self, count=len(rows))
        values = self.values.array[rows]
        absent = None if self.absent is None else self.absent.array[rows]
        codes = self.codes
        if self.kind == "text":
            used, values = np.unique(values, return_inverse=True)
            words = list(self.codes)
            codes = {words[code]: place for place, code in enumerate(used[used >= 0].tolist())}
            values = values.astype(np.int32) - np.int32((used < 0).any())
        return replace(
            self,
            count=len(rows),
            values=Series(values, len(rows)),
            absent=None if absent is None or not absent.any() else Series(absent, len(rows)),
            codes=codes,
        )

    def listed(self, rows: Array) -> list[Any]:
        """The values of these rows as Python has them, with None for null."""
        if self.values is None:
            return [None] * len(rows)
        values = self.values.array[rows]
        if self.kind == "text":
            words = list(self.codes)
            return [None if code < 0 else words[code] for code in values.tolist()]
        if self.kind == "bool":
            return [None if value < 0 else bool(value) for value in values.tolist()]
        nulls = np.isnan(values) if self.kind == "f64" else None
        if self.absent is not None:
            nulls = self.absent.array[rows]
        if nulls is None or not nulls.any():
            return list(values.tolist())
        return [
            None if null else value
            for value, null in zip(values.tolist(), nulls.tolist(), strict=True)
        ]

    def gathered(self, rows: Array) -> Values:
        """The values of these rows, as an add would bring them."""
        if self.kind == "text" or self.values is None:
            return Values(self.kind, self.listed(rows), None)
        nulls = None if self.absent is None else self.absent.array[rows]
        return Values(self.kind, self.values.array[rows], nulls)


@dataclass(frozen=True, slots=True)
class Columns:
    """All columns of an index, with as many rows each as the index has."""

    count: int = 0
    by_name: Mapping[str, Column] = field(default_factory=dict)

    @property
    def types(self) -> dict[str, str | None]:
        """What each column holds: s64, f64, bool or text; None where that is not known yet."""
        return {name: column.kind for name, column in self.by_name.items()}

    def check(self, names: Sequence[str]) -> None:
        """Raise SearchError for a name that is new: the first columns are all there are."""
        for name in names:
            if self.by_name and name not in self.by_name:
                known = ", ".join(map(repr, self.by_name))
                raise SearchError(
                    f"columns: {name!r} is not among those that the index has, {known}"
                    f"{suggest(name, self.by_name)}"
                )

    def extended(self, more: Mapping[str, Values], count: int) -> Columns:
        """These with `count` more rows; a column that is not among `more` is null in them."""
        self.check(list(more))
        before = self.by_name or {name: Column(name, self.count) for name in more}
        empty = Values(None, None, None)
        made = {
            name: column.extended(more.get(name, empty), count) for name, column in before.items()
        }
        return Columns(self.count + count, made)

    def taken(self, rows: Array) -> Columns:
        """These with the given rows alone."""
        return Columns(
            len(rows), {name: column.taken(rows) for name, column in self.by_name.items()}
        )

    def gathered(self, rows: Array) -> dict[str, Values]:
        """The values of these rows, as an add would bring them."""
        return {name: column.gathered(rows) for name, column in self.by_name.items()}


def read_columns(columns: object, count: int) -> dict[str, Values]:
    """Check what an add brings as columns, `count` values each, and give each its type."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise SearchError(
            f"columns: expected a mapping from names to values, got {type(columns).__name__}"
        )
    found = {}
    for name, values in columns.items():
        if not isinstance(name, str) or not name or "`" in name:
            raise SearchError(
                f"columns: expected a name, which is not empty and has no backquote, got {name!r}"
            )
        found[name] = _read(name, values, count)
    return found


def _read(name: str, given: Any, count: int) -> Values:
    if isinstance(given, str | bytes | Mapping) or not hasattr(given, "__len__"):
        raise SearchError(
            f"columns: {name!r} takes a list or an array with a value for each row, got "
            f"{type(given).__name__}"
        )
    if isinstance(given, np.ma.MaskedArray):  # what is masked is None in a list
        given = given.tolist()
    values: Any = given if isinstance(given, list | tuple) else np.asarray(given)
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise SearchError(
            f"columns: {name!r} takes one value for each row, got an array of shape {values.shape}"
        )
    if len(values) != count:
        raise SearchError(f"columns: {name!r} has {len(values):,} values for {count:,} vectors")
    if isinstance(values, np.ndarray):
        match values.dtype.kind:
            case "b":
                return Values("bool", values.astype(np.int8), None)
            case "i":
                return Values("s64", values.astype(np.int64), None)
            case "u":
                return Values("s64", _signed(name, values), None)
            case "f":
                return _floats(values.astype(np.float64))
            case "U" | "O" | "T":
                values = values.tolist()
            case _:
                raise SearchError(
                    f"columns: {name!r} is an array of {values.dtype}; numbers, truth values and "
                    "strings can be kept"
                )
    return _listed(name, values)


def _signed(name: str, values: Array) -> Array:
    if len(values) and int(values.max()) > np.iinfo(np.int64).max:
        raise SearchError(f"columns: {name!r} has {values.max()}, which is above 2**63 - 1")
    return values.astype(np.int64)


def _floats(values: Array) -> Values:
    nulls = np.isnan(values)
    return Values("f64", values, nulls if nulls.any() else None)


def _listed(name: str, values: Sequence[Any]) -> Values:
    """Values of a list. Lists are made of lists, not generators: Ctrl-C is lost where it comes in
    the middle of a generator that Python drops."""
    types = set(map(type, values)) - {type(None)}
    kinds = {_kind_of(each) for each in types}
    if not kinds:
        return Values(None, None, None)
    if kinds == {"s64", "f64"}:
        kinds = {"f64"}
    kind = kinds.pop()
    if kinds or not kind:
        named = ", ".join(sorted([each.__name__ for each in types]))
        raise SearchError(
            f"columns: {name!r} mixes or holds what cannot be kept together ({named}); numbers, "
            "truth values or strings can, and None for null"
        )
    if kind == "text":
        return Values(kind, [None if v is None else str(v) for v in values], None)
    try:
        made = np.array([_NULL[kind] if v is None else v for v in values], STORED[kind])
    except OverflowError as error:
        raise SearchError(f"columns: {name!r} has a number beyond 64 bits") from error
    if kind != "f64":
        nulls = np.array([value is None for value in values])
        return Values(kind, made, nulls if nulls.any() else None)
    for value, kept in zip(values, made.tolist(), strict=True):
        if isinstance(value, int | np.integer) and value != kept:
            raise SearchError(f"columns: {name!r} has {value}, which f64 cannot hold")
    return _floats(made)


def _kind_of(kind: type) -> str:
    """What a column of such values holds; nothing where there is no such column."""
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, bool | np.bool_):
        return "bool"
    if issubclass(kind, int | np.integer):
        return "s64"
    return "f64" if issubclass(kind, float | np.floating) else ""
