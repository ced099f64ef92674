"""The nearest rows of a view: a sample for a limit, bits of those within it, and their distances.

In: a view, queries, and how many rows are wanted. Out: distances as f64 brute force gives them, and
rows; of equal distances the lowest row. The drive is a generator that yields commands to wait for,
so that the same steps serve those who block and those who await. Knows no ids.
"""

from __future__ import annotations

from collections.abc import Generator
from time import perf_counter
from typing import Any

import numpy as np

from treadle.runtime.command import Command
from treadle.search import kernels
from treadle.search.bounds import GROUP
from treadle.search.measure import combined, cuts_of, distances_of, measured_here
from treadle.search.resident import resides, search_there
from treadle.search.table import Array, View

__all__ = ["Sought", "nearest", "nearest_async", "scan"]

_SAMPLE = 512  # groups that a limit is taken from, at least
_EACH = 16  # groups of the sample for each row that is wanted
_PATIENCE = 20e-3  # seconds that a thread asks before it sleeps
_AT_ONCE = 1 << 22  # rows that are measured at a time

Answer = tuple[Array, Array]
Drive = Generator[Command, None, Any]


class Sought:
    """A search under way: wait for it, or await it, and get distances and rows."""

    def __init__(self, drive: Generator[Command, None, Answer], *, asks: bool = False) -> None:
        self._drive = drive
        self._asks = asks  # a thread that waits asks the device instead of sleeping, for a while
        self._answer: Answer | None = None
        self._next: Command | None = None
        self._advance()

    def __repr__(self) -> str:
        state = "under way" if self._answer is None else "found"
        return f"<treadle.search.Sought {state}>"

    def _advance(self) -> None:
        """Submit what comes next."""
        try:
            self._next = next(self._drive)
        except StopIteration as ended:
            self._answer = ended.value

    def wait(self) -> Answer:
        """Block until the answer is there."""
        while self._answer is None:
            assert self._next is not None
            self._ask(self._next)
            self._next.wait()
            self._advance()
        return self._answer

    def _ask(self, command: Command) -> None:
        """Ask until a command has ended, or for so long that noticing it late matters little."""
        until = perf_counter() + _PATIENCE
        while self._asks and not command.done() and perf_counter() < until:
            pass

    def __await__(self) -> Generator[Any, None, Answer]:
        while self._answer is None:
            assert self._next is not None
            yield from self._next.__await__()
            self._advance()
        return self._answer


def scan(
    view: View, queries: Array, k: int, alive: Array | None = None, *, ties: bool = False
) -> Sought:
    """Submit a search for the k nearest rows of each query, and return at once.

    `alive` has one bit a row (u32 words), None: all. With `ties` every row comes that is as far as
    the k-th; rows of the answer are then padded with -1 and infinity."""
    asks = not (view.device.limits.helps or view.device.limits.signals)
    return Sought(_search(view, queries, k, alive, ties), asks=asks)


def nearest(
    view: View, queries: Array, k: int, alive: Array | None = None, *, ties: bool = False
) -> Answer:
    """Find the k nearest rows of each query: distances (f64) and rows (s64), nearest first."""
    return scan(view, queries, k, alive, ties=ties).wait()


async def nearest_async(
    view: View, queries: Array, k: int, alive: Array | None = None, *, ties: bool = False
) -> Answer:
    """Find the k nearest rows of each query without blocking the event loop."""
    return await scan(view, queries, k, alive, ties=ties)


def _search(view: View, queries: Array, k: int, alive: Array | None, ties: bool) -> Drive:
    """Find survivors, measure them, and put the nearest in order."""
    live = view.count if alive is None else int(np.bitwise_count(alive).sum())
    wanted = min(k, live)
    if wanted == 0 or not len(queries):
        return np.empty((len(queries), 0)), np.empty((len(queries), 0), np.int64)
    if resides(view, queries, wanted):
        answer = yield from search_there(view, queries, wanted, alive, ties and wanted < live)
        if answer is not None:
            return answer
    bits = yield from _survivors(view, queries, wanted, alive)
    counts = np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
    answers = []
    for first, last in _portions(counts):
        owners, rows = _places(bits[first:last])
        found = yield from _measure(view, queries[first:last], owners, rows)
        answers.append(_ordered(found, owners, rows, counts[first:last], wanted, ties))
    return _joined(answers)


def _survivors(view: View, queries: Array, wanted: int, alive: Array | None) -> Drive:
    """The rows that cannot be ruled out, one bit each: u32 [Q, groups]."""
    device, groups = view.device, view.groups
    whole = view.all_alive if alive is None else device.buffer(alive)
    assert whole is not None
    samples = min(groups, max(_SAMPLE, _EACH * wanted))
    if view.codes is None or view.numbers is None or wanted * 2 > samples:
        mask = whole.to_numpy()
        return np.broadcast_to(mask, (len(queries), groups))
    coded, allowance = view.code(queries)
    given = (view.codes, view.numbers, whole, device.buffer(coded.words))
    facts = device.buffer(coded.numbers)
    best = device.empty((len(queries), samples), "f32")
    step = groups // samples
    command = device.submit(kernels.byte_best, (*given, facts), best, step=step)
    yield command
    limit = np.partition(best.to_numpy(copy=None), wanted - 1, axis=1)[:, wanted - 1]
    with np.errstate(over="ignore"):
        tau = np.nextafter((limit.astype(np.float64) + allowance).astype(np.float32), np.inf)
    bits = device.empty((len(queries), groups), "u32")
    command = device.submit(
        kernels.byte_near,
        (*given, facts, device.buffer(tau.astype(np.float32))),
        bits,
    )
    yield command
    return bits.to_numpy(copy=None)


def _portions(counts: Array) -> Generator[tuple[int, int], None, None]:
    """Queries that are measured together: not too many rows at a time."""
    first, total = 0, 0
    for i, count in enumerate(counts.tolist()):
        if total and total + count > _AT_ONCE:
            yield first, i
            first, total = i, 0
        total += count
    yield first, len(counts)


def _places(bits: Array) -> tuple[Array, Array]:
    """Which query and which row each bit stands for, in order."""
    words = np.ascontiguousarray(bits)
    flat = np.flatnonzero(words)
    values = words.reshape(-1)[flat]
    if len(flat) * 4 > words.size:  # many: all bits of every word
        lanes = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
        at = np.flatnonzero(lanes)
        owner, row = np.divmod(at, words.shape[1] * GROUP)
        return owner.astype(np.int32), row.astype(np.int32)
    lanes = np.unpackbits(values.astype("<u4").view(np.uint8), bitorder="little")
    at = np.flatnonzero(lanes)
    owner, group = np.divmod(flat[at // GROUP], words.shape[1])
    return owner.astype(np.int32), (group * GROUP + at % GROUP).astype(np.int32)


def _measure(view: View, queries: Array, owners: Array, rows: Array) -> Drive:
    """The distances of rows to their queries."""
    device = view.device
    if view.shown is None or view.dtype == "bits" or "f64" not in device.limits.dtypes:
        return measured_here(view.vectors, queries, owners, rows, view.metric)
    cuts = cuts_of(view.dim)
    sums = device.empty((len(rows), len(cuts) - 1), "f64")
    how = view.metric.value if view.metric in ("l2", "l1") else "dot"
    inputs = [device.buffer(a) for a in (rows, owners, queries.astype(np.float32))]
    command = device.submit(
        kernels.measured, (*inputs, view.shown, device.buffer(cuts)), sums, how=how
    )
    yield command
    total = combined(sums.to_numpy(copy=None), view.dim)
    return distances_of(total, view.vectors, queries, owners, rows, view.metric)


def _ordered(
    found: Array, owners: Array, rows: Array, counts: Array, wanted: int, ties: bool
) -> Answer:
    """The nearest of each query in order. Rows of a query come in ascending order, so that a stable
    sort leaves the lowest of equals in front."""
    width = int(counts.max())
    keys = np.full((len(counts), width), np.inf)
    names = np.full((len(counts), width), -1, np.int64)
    starts = np.cumsum(counts) - counts
    column = np.arange(len(rows)) - starts[owners]
    keys[owners, column] = found
    names[owners, column] = rows
    order = np.argsort(keys, axis=1, kind="stable")
    kept = wanted
    if ties and width > wanted:
        keys, names = np.take_along_axis(keys, order, 1), np.take_along_axis(names, order, 1)
        same = (keys <= keys[:, wanted - 1 : wanted]) & (names >= 0)
        kept = int(same.sum(axis=1).max())
        keys = np.where(same, keys, np.inf)[:, :kept]
        return keys, np.where(same, names, -1)[:, :kept]
    order = order[:, :kept]
    return np.take_along_axis(keys, order, 1), np.take_along_axis(names, order, 1)


def _joined(answers: list[Answer]) -> Answer:
    if len(answers) == 1:
        return answers[0]
    width = max(keys.shape[1] for keys, _ in answers)

    def padded(array: Array, value: float) -> Array:
        return np.pad(array, ((0, 0), (0, width - array.shape[1])), constant_values=value)

    keys = np.concatenate([padded(keys, np.inf) for keys, _ in answers])
    return keys, np.concatenate([padded(names, -1) for _, names in answers])
