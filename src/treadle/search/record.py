"""Columns and States as plain arrays and words, for files and logs, and back.

In: what an index holds. Out: a mapping that JSON can spell, and arrays of numbers by name. Reading
checks what it is given as if it came from anywhere: a file that is whole may still not fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from treadle.errors import SearchError
from treadle.runtime.device import Device
from treadle.search.bounds import BLOCK, GROUP
from treadle.search.chosen_rows import ChosenRows, chosen
from treadle.search.columns import STORED, Column, Columns, Values
from treadle.search.filed_rows import FiledRows, Rows
from treadle.search.ids import Directory
from treadle.search.lists import FiledLists
from treadle.search.series import Array, Series, packed
from treadle.search.state import State
from treadle.search.table import Metric, Table

__all__ = ["pack_columns", "pack_state", "unpack_columns", "unpack_state"]

_TABLE, _LISTS = "table.", "lists."
_MANY = 8  # one row of so many that is not alive is worth the time to leave it out


def pack_columns(columns: Mapping[str, Values]) -> tuple[list[list[Any]], dict[str, Array]]:
    """Spell what an add brings: [name, type] of each column, and its arrays by number."""
    meta, arrays = [], {}
    for number, (name, given) in enumerate(columns.items()):
        meta.append([name, given.kind])
        key = f"column.{number}"
        if given.kind == "text":
            known: dict[str, int] = {}
            codes = [-1 if w is None else known.setdefault(w, len(known)) for w in given.values]
            arrays[key] = np.array(codes, np.int32)
            arrays |= _words(key, list(known))
        elif given.kind is not None:
            arrays[key] = given.values
            if given.kind == "s64" and given.nulls is not None:
                arrays[f"{key}.nulls"] = given.nulls.astype(np.uint8)
    return meta, arrays


def unpack_columns(meta: Any, arrays: Mapping[str, Any], count: int) -> dict[str, Values]:
    """The inverse of pack_columns, for `count` rows."""
    found = {}
    for number, (name, kind) in enumerate(_named(meta)):
        if kind is None:
            found[name] = Values(None, None, None)
            continue
        key = f"column.{number}"
        values = _array(arrays, key, STORED[kind], count)
        nulls = None
        if kind == "text":
            words = _read_words(arrays, key)
            _within(key, values, len(words))
            found[name] = Values(kind, [None if c < 0 else words[c] for c in values.tolist()], None)
            continue
        if f"{key}.nulls" in arrays:
            nulls = _array(arrays, f"{key}.nulls", np.uint8, count).astype(np.bool_)
        if kind == "f64":
            nulls = np.isnan(values)
        found[name] = Values(kind, values, nulls)
    return found


def pack_state(state: State) -> tuple[dict[str, Any], dict[str, Rows | ChosenRows]]:
    """Spell a whole State, without the rows that are not alive, where they are many.

    Vectors, codes and numbers are read when the arrays are written, a few at a time."""
    table, rows, columns = state.table, state.rows, state.columns
    ids, alive = state.directory.array, state.alive
    inner: dict[str, Rows | ChosenRows]
    if (rows - state.count) * _MANY > rows:
        inner = chosen(table.arrays(), state.ordered)
        columns, ids, rows = columns.taken(state.ordered), ids[state.ordered], state.count
        alive = packed(np.ones(rows, np.bool_))
    else:
        blocks = -(-rows // GROUP) * (GROUP // BLOCK)
        lengths = {"vectors": rows, "codes": blocks, "numbers": blocks}
        inner = {
            name: _first(array, lengths.get(name, len(array)))
            for name, array in table.arrays().items()
        }
    meta: dict[str, Any] = {
        "dim": table.dim,
        "metric": str(table.metric),
        "dtype": table.dtype,
        "rows": rows,
        "next_id": state.next_id,
        "columns": [[name, column.kind] for name, column in columns.by_name.items()],
    }
    arrays: dict[str, Rows | ChosenRows] = {
        f"{_TABLE}{name}": array for name, array in inner.items()
    }
    arrays |= {"ids": ids, "alive": alive}
    if (filed := state.filed_lists()) is not None:
        kept = filed.taken(state.ordered) if rows < state.rows else filed
        arrays |= {f"{_LISTS}{name}": array for name, array in kept._asdict().items()}
    for number, column in enumerate(columns.by_name.values()):
        key = f"column.{number}"
        if column.values is not None:
            arrays[key] = column.values.array
        if column.absent is not None:
            arrays[f"{key}.nulls"] = column.absent.array.view(np.uint8)
        if column.kind == "text":
            arrays |= _words(key, list(column.codes))
    return meta, arrays


def unpack_state(meta: Mapping[str, Any], arrays: Mapping[str, Any], device: Device) -> State:
    """The inverse of pack_state; arrays are used where they are, and may be maps of a file."""
    try:
        dim, rows, next_id = (_whole(meta, name) for name in ("dim", "rows", "next_id"))
        metric, dtype = Metric(meta["metric"]), meta["dtype"]
        ids = _array(arrays, "ids", np.int64, rows)
        alive = _array(arrays, "alive", np.uint32, -(-rows // GROUP))
        inner = {
            name.removeprefix(_TABLE): array
            for name, array in arrays.items()
            if name.startswith(_TABLE)
        }
        if len(inner["vectors"]) != rows:
            raise SearchError(f"there are {len(inner['vectors']):,} vectors for {rows:,} rows")
        columns = Columns(rows, _read_columns(meta["columns"], arrays, rows))
        table = Table.over(inner, dim, metric, dtype, device)
        table.filed_lists = _read_lists(arrays, rows, dim)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, SearchError):
            raise
        raise SearchError(f"what an index consists of is not there: {error!r}") from error
    if rows % GROUP and int(alive[-1]) >> rows % GROUP:
        raise SearchError("rows are alive that are not there")
    directory = Directory.over(Series(ids, rows), alive)
    return State(table, directory, columns, alive, next_id)


def _read_lists(arrays: Mapping[str, Any], rows: int, dim: int) -> FiledLists | None:
    """The lists of a file, if it has some: those that were saved before lists were have none."""
    if f"{_LISTS}centres" not in arrays:
        return None
    centres = np.array(arrays[f"{_LISTS}centres"])
    owners = _array(arrays, f"{_LISTS}owners", np.int32, rows)
    if centres.dtype != np.float32 or centres.ndim != 2 or centres.shape[1] != dim:
        raise SearchError(f"lists: expected centres of {dim} f32, got {centres.shape}")
    if not len(centres) or not np.isfinite(centres).all():
        raise SearchError("lists: expected centres of finite numbers")
    if len(owners) and not (owners.min() >= 0 and owners.max() < len(centres)):
        raise SearchError("lists: rows are in lists that are not there")
    return FiledLists(centres, owners)


def _first(array: Rows, count: int) -> Rows:
    return array.first(count) if isinstance(array, FiledRows) else array[:count]


def _whole(meta: Mapping[str, Any], name: str) -> int:
    value = meta[name]
    if type(value) is not int or value < 0:
        raise SearchError(f"{name}: expected a whole number, got {value!r}")
    return value


def _named(meta: Any) -> list[tuple[str, str | None]]:
    found = []
    for name, kind in meta:
        if not isinstance(name, str) or not (kind is None or kind in STORED):
            raise SearchError(f"columns: {name!r} has no type {kind!r}")
        found.append((name, kind))
    if len({name for name, _ in found}) != len(found):
        raise SearchError("columns: a name is there twice")
    return found


def _array(arrays: Mapping[str, Any], name: str, dtype: Any, count: int) -> Array:
    found = np.asarray(arrays[name])
    if found.dtype != np.dtype(dtype) or found.shape != (count,):
        raise SearchError(
            f"{name}: expected {count:,} of {np.dtype(dtype)}, got {found.dtype} {found.shape}"
        )
    return found


def _within(key: str, codes: Array, count: int) -> None:
    if len(codes) and not (codes.min() >= -1 and codes.max() < count):
        raise SearchError(f"{key}: it names strings that are not there")


def _read_columns(meta: Any, arrays: Mapping[str, Any], rows: int) -> dict[str, Column]:
    found = {}
    for number, (name, kind) in enumerate(_named(meta)):
        key = f"column.{number}"
        if kind is None:
            found[name] = Column(name, rows)
            continue
        values = _array(arrays, key, STORED[kind], rows)
        absent = None
        codes: dict[str, int] = {}
        if f"{key}.nulls" in arrays:
            nulls = _array(arrays, f"{key}.nulls", np.uint8, rows)
            absent = Series(nulls.astype(np.bool_), rows)
        if kind == "text":
            words = _read_words(arrays, key)
            _within(key, values, len(words))
            codes = {word: code for code, word in enumerate(words)}
        found[name] = Column(name, rows, kind, Series(values, rows), absent, codes)
    return found


def _words(key: str, words: list[str]) -> dict[str, Array]:
    encoded = [word.encode() for word in words]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return {
        f"{key}.words": np.frombuffer(b"".join(encoded), np.uint8),
        f"{key}.offsets": ends,
    }


def _read_words(arrays: Mapping[str, Any], key: str) -> list[str]:
    text = np.asarray(arrays[f"{key}.words"]).tobytes()
    ends = np.asarray(arrays[f"{key}.offsets"])
    if ends.ndim != 1 or not len(ends) or ends[0] != 0 or ends[-1] != len(text):
        raise SearchError(f"{key}: its strings do not fit their lengths")
    if (ends[1:] < ends[:-1]).any():
        raise SearchError(f"{key}: its strings have lengths below 0")
    places = ends.tolist()
    try:
        found = [text[a:b].decode() for a, b in pairwise(places)]
    except UnicodeDecodeError as error:
        raise SearchError(f"{key}: its strings are no text") from error
    if len(set(found)) != len(found):
        raise SearchError(f"{key}: a string is there twice")
    return found
