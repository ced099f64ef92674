"""What becomes of a State: rows appended, replaced, removed, and written anew without the dead.

In: a State and a change that was checked. Out: the State after it; the one before stays as it is.
One writer at a time changes the latest State, since a table grows in place. Rows that a table has
beyond the State's are those of an add that did not come to its end: they are never alive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from treadle.search.columns import Columns, Values
from treadle.search.ids import Directory
from treadle.search.series import Array, Series, cleared, lengthened, unpacked
from treadle.search.state import State
from treadle.search.table import Table

__all__ = ["appended", "emptied", "rebuilt", "removed", "updated"]

_AT_ONCE = 1 << 16  # rows that are written anew between two looks whether the index is still there


def emptied(table: Table, next_id: int) -> State:
    """The State of a table without rows."""
    ids = Series(np.empty(0, np.int64), 0)
    return State(table, Directory(ids), Columns(), np.empty(0, np.uint32), next_id)


def appended(
    state: State, vectors: Array, ids: Array, values: Mapping[str, Values], replaced: Array
) -> State:
    """The State with more rows, whose ids ascend, and without the rows that they replace."""
    count, table = len(ids), state.table
    skipped = table.count - state.rows
    columns = state.columns
    if skipped:
        columns = columns.extended({}, skipped)
    columns = columns.extended(values, count)  # which may refuse them, before the table has them
    table.append(vectors)
    alive = lengthened(state.alive, state.rows, skipped, count)
    if len(replaced):
        alive = cleared(alive, replaced)
    directory = state.directory.extended(ids, alive, skipped)
    next_id = max(state.next_id, int(ids[-1]) + 1) if count else state.next_id
    return State(table, directory, columns, alive, next_id)


def removed(state: State, rows: Array) -> State:
    """The State in which these rows are no longer alive."""
    alive = cleared(state.alive, rows)
    return State(state.table, state.directory, state.columns, alive, state.next_id)


def rebuilt(state: State, table: Table, wanted: Callable[[], bool]) -> State | None:
    """The State with its rows that are alive alone, by ascending id, in a table of their own.

    None where it is no longer wanted."""
    rows = state.ordered
    for first in range(0, len(rows), _AT_ONCE):
        if not wanted():
            return None
        table.append(np.ascontiguousarray(state.table.vectors[rows[first : first + _AT_ONCE]]))
    if (filed := state.filed_lists()) is not None:
        table.filed_lists = filed.taken(rows)
    made = emptied(table, state.next_id)
    alive = lengthened(made.alive, 0, 0, len(rows))
    directory = made.directory.extended(state.directory.array[rows], alive)
    return State(table, directory, state.columns.taken(rows), alive, state.next_id)


def updated(made: State, before: State, now: State) -> State:
    """What was made of an earlier State, with what has changed since: both have the same rows then.

    `now` is a later State of the same table as `before`."""
    was, lives = unpacked(before.alive, before.rows), unpacked(now.alive, now.rows)
    gone = now.directory.array[: before.rows][was & ~lives[: before.rows]]
    born = now.directory.order(before.rows + np.flatnonzero(lives[before.rows :]))
    if len(gone):
        made = removed(made, made.directory.find(gone, made.alive))
    if len(born):
        vectors = np.ascontiguousarray(now.table.vectors[born])
        values = now.columns.gathered(born)
        made = appended(made, vectors, now.directory.array[born], values, np.empty(0, np.int64))
    return State(made.table, made.directory, made.columns, made.alive, now.next_id)
