"""Rows on a device: vectors, their bytes, and the numbers that bound their distances.

In: vectors that the index has checked, appended in order. Out: views, each an unchanging picture of
the rows that were there when it was taken. A table only grows at its end, and what is there never
changes; where device and host share memory its arrays are the device's, and rows are written beyond
the end of what views show. Knows no ids, no filters and no files.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any, TypeGuard

import numpy as np

from treadle.data import dataclass
from treadle.dtypes import as_dtype
from treadle.runtime.buffer import Buffer
from treadle.runtime.device import Device
from treadle.search.bounds import (
    BLOCK,
    EMPTY_WORD,
    GROUP,
    MOST_DIMENSIONS,
    Coded,
    code_queries,
    code_rows,
    words_of,
)
from treadle.search.centring import lost, middle_of, normalised, power_of_two, unit_of
from treadle.search.filed_rows import FiledRows, Rows
from treadle.search.mapped import Mapped
from treadle.search.measure import cuts_of
from treadle.search.rounding import code_there, rounds_there

__all__ = ["CodedQueries", "Metric", "Pruning", "Table", "View", "alive_words"]

Array = np.ndarray[Any, Any]

_TRY = 16  # searches after which they are tried again
_BLOCKS = GROUP // BLOCK  # of a group
_LINE = 64  # bytes of a cache line, where arrays begin
_SAMPLE = 1 << 10  # rows from which the mean is taken
_BETTER = 1.5  # times as much lost by rounding, and rows are rounded anew with another mean
_CHUNK = 1 << 17  # elements that are rounded at a time, as f64 in cache
_MUCH = 1 << 22  # elements that a device rounds at a time
_LARGE = 1 << 16  # rows to begin with, from which on searches are prepared meanwhile
_BYTES = ("l2", "cosine", "dot")  # metrics that are bounded from bytes
_MIDDLE = 128.0  # of bytes: taken from them it leaves what a signed byte holds


class Metric(StrEnum):
    """How far two vectors are from each other."""

    L2 = "l2"
    COSINE = "cosine"
    DOT = "dot"
    L1 = "l1"
    HAMMING = "hamming"


def alive_words(count: int) -> Array:
    """One bit a row for `count` rows that are all alive; bits beyond them are 0."""
    words = np.full(-(-count // GROUP), 0xFFFFFFFF, np.uint32)
    if count % GROUP:
        words[-1] = (1 << count % GROUP) - 1
    return words


class Pruning:
    """How well bounds have ruled out the rows of a table so far, by the searches over it."""

    def __init__(self) -> None:
        self._share, self._turn = 0.0, 0

    def begin(self) -> None:
        """Count a search."""
        self._turn += 1

    def worthwhile(self, most: float) -> bool:
        """Whether to scan bytes: not where more than a share of the rows remained, but for a try
        now and then."""
        return self._share <= most or self._turn % _TRY == 0

    def note(self, share: float) -> None:
        """Remember which share of the rows remained."""
        self._share = (self._share + share) / 2


@dataclass(frozen=True, slots=True)
class CodedQueries:
    """Queries as bytes, and how a distance becomes what the scan compares: to the power, times the
    factor, and the shift. The allowance is far more than f64 loses when it measures."""

    coded: Coded
    power: int
    factor: Array | float
    shift: Array
    allowance: Array

    def limit(self, distances: Array) -> Array:
        """What rows at these distances compare as, in f32, at least."""
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = distances**self.power * self.factor
            found = scaled + self.shift + 2.0**-30 * np.abs(scaled)
            return self.widened(np.where(np.isnan(found), np.inf, found))

    def widened(self, limit: Array) -> Array:
        """A limit with the allowance, rounded up."""
        with np.errstate(over="ignore"):
            wide = (limit.astype(np.float64) + self.allowance).astype(np.float32)
        return np.nextafter(wide, np.float32(np.inf))


@dataclass(frozen=True, slots=True)
class View:
    """The rows of a table as they were when it was taken."""

    dim: int
    metric: Metric
    dtype: str
    device: Device
    count: int
    vectors: Rows  # [count or more, dim]; u32 words of bits
    shown: Buffer | None  # the same on the device, if it is there
    codes: Buffer | None  # u32 [blocks, words, 16]; None: this metric has no bytes
    numbers: Buffer | None  # f32 [blocks, 4, 16]
    mean: Array
    unit: float
    all_alive: Buffer | None = field(repr=False)
    pruning: Pruning = field(repr=False)
    cuts: Buffer | None = field(repr=False)  # s32: where the leaves of a sum begin
    memo: dict[str, Any] = field(default_factory=dict, repr=False)  # of those who search in it

    @property
    def groups(self) -> int:
        """Groups of 32 rows, the last one maybe not full."""
        return -(-self.count // GROUP)

    def code(self, queries: Array) -> CodedQueries:
        """Round queries as the rows were."""
        exact = queries.astype(np.float64)
        if self.metric == Metric.L2:
            exact = (exact - self.mean) / self.unit
            coded = code_queries(exact, 1.0 if self.dtype == "u8" else None)
            square = np.einsum("ij,ij->i", exact, exact)
            return CodedQueries(coded, 2, self.unit**-2, -square, 2.0**-30 * square)
        if self.metric == Metric.COSINE:
            exact = normalised(exact)
            factor: Array | float = 2.0
            shift = 2.0 * (exact @ self.mean - 1.0)
        else:
            power = power_of_two(np.abs(exact).max(axis=1, initial=0.0))
            factor = 2.0 / (power * self.unit)
            shift = exact @ self.mean * factor
            exact = exact / power[:, None]
        reach = float(np.linalg.norm(self.mean)) / self.unit
        length = np.sqrt(np.einsum("ij,ij->i", exact, exact))
        return CodedQueries(
            code_queries(exact), 1, factor, shift, 2.0**-29 * length * (1.0 + reach)
        )


def _allocate(shape: tuple[int, ...], dtype: Any) -> Array:
    """An uninitialised array that begins with a cache line."""
    kind = np.dtype(dtype)
    nbytes = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    raw = np.empty(nbytes + _LINE, np.uint8)
    start = -raw.ctypes.data % _LINE
    made: Array = raw[start : start + nbytes].view(kind).reshape(shape)
    return made


def _require(name: str, given: Any, shape: tuple[int, ...], dtype: Any) -> None:
    if given.shape != shape or given.dtype != dtype:
        raise ValueError(f"{name}: expected {dtype} {shape}, got {given.dtype} {given.shape}")


def _place(array: Array, row: int, left: Array) -> None:
    """Write words or numbers of rows from one on where kernels look for them."""
    while len(left):
        block, lane = divmod(row, BLOCK)
        if lane == 0 and len(left) >= BLOCK:
            blocks = len(left) // BLOCK
            taken = blocks * BLOCK
            lines = left[:taken].reshape(blocks, BLOCK, -1)
            array[block : block + blocks] = lines.transpose(0, 2, 1)
        else:
            taken = min(BLOCK - lane, len(left))
            array[block, :, lane : lane + taken] = left[:taken].T
        row, left = row + taken, left[taken:]


def _empty_like(array: Array, value: int) -> Array:
    made = _allocate(array.shape, array.dtype)
    made[...] = value
    return made


def _grown(array: Array, used: int, room: int) -> Array:
    """An array with room for more along its first axis, and the same in its `used` first."""
    made = _allocate((room, *array.shape[1:]), array.dtype)
    made[:used] = array[:used]
    return made


class Table:
    """Rows on a device: vectors, their bytes, their numbers. Grows at its end; what is there never
    changes."""

    def __init__(self, dim: int, metric: Metric | str, dtype: str, device: Device) -> None:
        self.dim = dim
        self.metric = Metric(metric)
        self.dtype = dtype
        self.device = device
        self.count = 0
        self.coded = self.metric in _BYTES and dtype != "bits" and dim <= MOST_DIMENSIONS
        stored = {"f32": np.float32, "u8": np.uint8, "bits": np.uint32}[dtype]
        width = -(-dim // 32) if dtype == "bits" else dim
        self._vectors: Rows = _allocate((0, width), stored)
        self._codes = _allocate((0, words_of(dim), BLOCK), np.uint32)
        self._numbers = _allocate((0, 4, BLOCK), np.float32)
        self._mean: Array = np.zeros(dim)
        self._centred_at = 0  # how many rows there were when it was looked at last
        self._unit = 1.0
        self._cuts = device.buffer(cuts_of(dim))
        self._pruning = Pruning()
        # A finalizer may search in the middle of an append on its own thread, and sees the rows
        # before it. An append in the middle of another is for the caller to prevent.
        self._lock = threading.RLock()
        self._unread: tuple[Mapped, Mapped] | None = None  # codes and numbers in a file
        self.lists: Any = None  # made of its rows by a search that may miss some; see lists.py
        self.filed_lists: Any = None  # what a file has of them, until they are needed
        self._view: View | None = None
        self._placed: dict[str, tuple[Array, int, Buffer]] = {}  # arrays, and rows that were sent

    def __repr__(self) -> str:
        return (
            f"<treadle.search.Table {self.count} x {self.dim} {self.dtype}, {self.metric}, on "
            f"{self.device.name}>"
        )

    @property
    def vectors(self) -> Rows:
        """The vectors, [count, dim]; not to be written to."""
        held = self._vectors
        return held.first(self.count) if isinstance(held, FiledRows) else held[: self.count]

    # Growing.

    def append(self, vectors: Array) -> None:
        """Add rows at the end: f32 or u8 [n, dim], for bits packed u32 [n, words of 32]."""
        count = len(vectors)
        if not count:
            return
        if self.count == 0 and count >= _LARGE:
            from treadle.search.resident import prepare  # it searches in views

            prepare(self.device, count, self.dim, self.metric, self.dtype)
        with self._lock:
            start, stop = self.count, self.count + count
            self._load()
            self._make_room(stop)
            self._vectors[start:stop] = vectors
            if self.coded:
                if not start or stop >= 2 * self._centred_at:
                    self._centre(stop)
                self._code(start, stop, self._codes, self._numbers, self._mean, self._unit)
            self.count = stop

    def _code(
        self, start: int, stop: int, codes: Array, numbers: Array, mean: Array, unit: float
    ) -> None:
        """Round some rows to bytes."""
        plain = self.metric != Metric.COSINE and not self._whole
        step, count, first = 1.0 if self._whole else None, stop - start, start
        while first < stop:
            there = plain and rounds_there(self.device, count, self.dim)
            each = max((_MUCH if there else _CHUNK) // self.dim // BLOCK * BLOCK, BLOCK)
            part = self._vectors[first : min(first + each, stop)]
            if there:
                coded = code_there(self.device, part, mean, unit)
            else:
                coded = code_rows((self._prepared(part) - mean) / unit, step)
            if self.metric != Metric.L2:
                coded.numbers[:, 1] = 0.0  # what is compared has no |x|^2
            _place(codes, first, coded.words)
            _place(numbers, first, coded.numbers)
            first += each

    def _make_room(self, stop: int) -> None:
        """Have room for `stop` rows. Views keep the arrays that they have."""
        held = self._vectors
        if stop > len(held):
            if isinstance(held, FiledRows):
                self._vectors = held.grown(self.count, stop)
            else:
                self._vectors = _grown(held, self.count, max(stop, self.count * 3 // 2))
        blocks = -(-stop // GROUP) * (GROUP // BLOCK)
        if self.coded and blocks > len(self._codes):
            used = -(-self.count // BLOCK)
            room = max(blocks, used * 3 // 4 * 2)
            codes, numbers = _grown(self._codes, used, room), _grown(self._numbers, used, room)
            codes[used:] = EMPTY_WORD
            numbers[used:] = 0.0
            self._codes, self._numbers = codes, numbers  # both: Ctrl-C comes in calls alone

    @property
    def _whole(self) -> bool:
        """Whether vectors are whole numbers that a byte holds: nothing is lost of them."""
        return self.dtype == "u8" and self.metric != Metric.COSINE

    def _centre(self, stop: int) -> None:
        """Fix what is taken from every vector, and the unit that vectors are counted in. Where that
        changes much for the better, rows that are there are rounded anew: not often, since it is
        looked at when there are twice as many."""
        if self._whole:
            self._mean = np.full(self.dim, _MIDDLE)
            return
        rows = np.linspace(0, stop - 1, min(stop, _SAMPLE)).astype(np.int64)
        exact = self._prepared(self._vectors[rows])
        mean = middle_of(exact)
        unit = 1.0 if self.metric == Metric.COSINE else unit_of(exact - mean)
        codes, numbers = self._codes, self._numbers
        if not self.count:
            self._mean, self._unit = mean, unit
        elif lost(exact, self._mean, self._unit) > _BETTER * lost(exact, mean, unit):
            # Views keep the arrays that they have, and a change that is broken off changes nothing.
            codes, numbers = _empty_like(codes, EMPTY_WORD), _empty_like(numbers, 0)
            self._code(0, self.count, codes, numbers, mean, unit)
            pruning = Pruning()
            self._codes, self._numbers, self._mean = codes, numbers, mean  # Ctrl-C comes in calls
            self._unit, self._pruning = unit, pruning
        self._centred_at = stop

    def _prepared(self, vectors: Array) -> Array:
        exact = vectors.astype(np.float64)
        return normalised(exact) if self.metric == Metric.COSINE else exact

    # What others see.

    def view(self) -> View:
        """Take a picture of the rows: what is appended later does not show in it."""
        with self._lock:
            if self._view is None or self._view.count != self.count:
                self._load()
                self._view = self._viewed()
            return self._view

    def _load(self) -> None:
        """Check what a file holds of codes and numbers, when they are first needed."""
        if self._unread is not None:
            codes, numbers = self._unread
            self._codes, self._numbers = codes.private(), numbers.private()
            self._unread = None
        if self.dtype == "bits" and isinstance(self._vectors, FiledRows):
            self._vectors = np.array(self._vectors[0 : self.count])  # every search reads them all

    def _viewed(self) -> View:
        count, held = self.count, self._vectors
        coded = self.coded and count > 0
        return View(
            dim=self.dim,
            metric=self.metric,
            dtype=self.dtype,
            device=self.device,
            count=count,
            vectors=held,
            shown=self._on_device("vectors", held, 1) if self._fits(held) else None,
            codes=self._on_device("codes", self._codes, BLOCK) if coded else None,
            numbers=self._on_device("numbers", self._numbers, BLOCK) if coded else None,
            mean=self._mean,
            unit=self._unit,
            all_alive=self.device.buffer(alive_words(count)) if count else None,
            pruning=self._pruning,
            cuts=self._cuts if count else None,
        )

    def _fits(self, held: Rows) -> TypeGuard[Array]:
        """Whether the vectors themselves can be on the device, or are there. Those of a file are
        not: the host gathers the rows that are measured, and others may be too large."""
        if not self.count or isinstance(held, FiledRows):
            return False
        if self.device.limits.shared:
            return bool(held.flags.writeable)  # else the device would have to copy them
        placed = self._placed.get("vectors")
        there = placed is not None and placed[0] is held
        room = self.device.memory_limit - self.device.memory_in_use
        return there or held.nbytes < room // 2

    def _on_device(self, name: str, array: Array, rows: int) -> Buffer:
        """An array of which each item is so many rows, as a buffer: the array itself where the
        device shares memory, else a copy with as much room, to which only what is new travels.
        Searches under way read what was there before; the runtime lets them end first."""
        shared, count = self.device.limits.shared, self.count
        known, before, buffer = self._placed.get(name, (None, 0, None))
        if known is not array or buffer is None:
            before = 0
            if shared:
                buffer = self.device.from_numpy(array)
            else:
                buffer = self.device.empty(array.shape, as_dtype(array.dtype))
        if not shared and before < count:
            first, last = before // rows, -(-count // rows)  # the last item may have had room
            buffer[first:last].write(array[first:last])
        self._placed[name] = (array, count, buffer)
        return buffer

    def reset_after_fork(self) -> None:
        """Forget a lock that a thread of the parent may hold."""
        self._lock = threading.RLock()

    # Files.

    def arrays(self) -> dict[str, Rows]:
        """What a file has to keep, by name."""
        with self._lock:  # codes, mean and unit belong together
            self._load()
            found: dict[str, Rows] = {"vectors": self.vectors}
            if self.coded:
                blocks = -(-self.count // GROUP) * (GROUP // BLOCK)
                found |= {
                    "codes": self._codes[:blocks],
                    "numbers": self._numbers[:blocks],
                    "mean": self._mean,
                    "unit": np.array([self._unit]),
                }
            return found

    @classmethod
    def over(
        cls,
        arrays: Mapping[str, Any],
        dim: int,
        metric: Metric | str,
        dtype: str,
        device: Device,
    ) -> Table:
        """Make a table of what `arrays` gave, in place; ValueError where they do not fit.

        Those of a file are read when they are first needed, and vectors as they are measured."""
        table = cls(dim, metric, dtype, device)
        vectors, empty = arrays["vectors"], table._vectors
        _require("vectors", vectors, (len(vectors), *empty.shape[1:]), empty.dtype)
        table._vectors = FiledRows(vectors) if isinstance(vectors, Mapped) else vectors
        table.count = len(vectors)
        table._centred_at = table.count
        if table.coded and table.count:
            table._take_codes(arrays)
        return table

    def _take_codes(self, arrays: Mapping[str, Any]) -> None:
        blocks = -(-self.count // GROUP) * (GROUP // BLOCK)
        codes, numbers = arrays["codes"], arrays["numbers"]
        for name, given, empty in (
            ("codes", codes, self._codes),
            ("numbers", numbers, self._numbers),
        ):
            _require(name, given, (blocks, *empty.shape[1:]), empty.dtype)
        mean, unit = (np.array(arrays[name], np.float64) for name in ("mean", "unit"))
        _require("mean", mean, (self.dim,), mean.dtype)
        _require("unit", unit, (1,), unit.dtype)
        if not (np.isfinite(mean).all() and 0 < unit[0] < np.inf):
            raise ValueError("mean and unit: expected finite numbers")
        self._mean, self._unit = mean, float(unit[0])
        if isinstance(codes, Mapped) and isinstance(numbers, Mapped):
            self._unread = codes, numbers
        else:
            self._codes, self._numbers = codes, numbers
