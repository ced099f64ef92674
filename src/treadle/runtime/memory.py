"""Memory behind buffers: layouts, storages with who uses them, and the device's ledger.

In: shapes, sizes and a backend that allocates. Out: storages that are charged to a budget and give
the charge back when no buffer or command needs them. Who must wait for whom is hazards' business.
"""

from __future__ import annotations

import math
import operator
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.backends.base import Backend, Memory, MemoryInfo, Region
from treadle.backends.lease import Lease, Token, lend
from treadle.dtypes import DType
from treadle.errors import LaunchError, OutOfMemory, unquoted
from treadle.ir.bound import Spec

if TYPE_CHECKING:
    from treadle.runtime.command import Command

__all__ = ["BufferLayout", "Ledger", "Storage", "as_shape", "layout", "positive"]

Entry = tuple["Command", int, int, "Storage"]  # a command that uses bytes, which ones, of what
Poison = tuple[int, int, int, BaseException]  # bytes, the failed command's id, its error


class BufferLayout:
    """A shape and a dtype, compared by identity so that it makes a cheap cache key."""

    __slots__ = ("count", "dtype", "nbytes", "shape", "spec")

    def __init__(self, shape: tuple[int, ...], dtype: DType) -> None:
        self.shape = shape
        self.dtype = dtype
        self.count = math.prod(shape)
        self.nbytes = self.count * dtype.size
        self.spec = Spec(shape, dtype)

    def __repr__(self) -> str:
        return str(self.spec)


_layouts: dict[tuple[tuple[int, ...], DType], BufferLayout] = {}
MAX_AXES = 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 32  # of NumPy's arrays
_LAYOUTS_KEPT = 4096


def layout(shape: tuple[int, ...], dtype: DType) -> BufferLayout:
    """Return the layout of a checked shape; usually, but not always, the same object each time."""
    found = _layouts.get((shape, dtype))
    if found is None:
        if len(_layouts) >= _LAYOUTS_KEPT:
            _layouts.clear()
        found = _layouts[shape, dtype] = BufferLayout(shape, dtype)
    return found


def as_shape(value: object) -> tuple[int, ...]:
    """Return a shape as a tuple of sizes; an integer is one dimension."""
    given = value if isinstance(value, (tuple, list)) else (value,)
    sizes = []
    for size in given:
        if isinstance(size, bool):
            raise LaunchError(f"shape: expected integers, got {size!r} in {value!r}")
        try:
            number = operator.index(size)
        except TypeError:
            hint = unquoted(size)
            raise LaunchError(
                f"shape: expected integers, got {size!r} in {value!r}{hint}"
            ) from None
        if number < 0:
            raise LaunchError(f"shape: expected sizes of 0 or more, got {number} in {value!r}")
        sizes.append(number)
    if len(sizes) > MAX_AXES:
        raise LaunchError(f"shape: expected at most {MAX_AXES} sizes, got {len(sizes)}")
    return tuple(sizes)


def positive(name: str, value: Any, *, least: int = 1) -> int:
    """Return a number of at least `least`; raise for what is none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        what = "a positive integer" if least else "an integer of 0 or more"
        raise LaunchError(f"{name}: expected {what}, got {value!r}")
    return int(value)


class Ledger:
    """What a device's buffers and scratch hold, against a limit."""

    def __init__(self, backend: Backend, limit: int) -> None:
        self._backend = backend
        self._lock = threading.RLock()  # a finalizer may allocate, inside it too
        self._held = 0
        self._charges: dict[int, Lease] = {}  # by id()
        # Storages may go anywhere, inside this lock too: so what they give back is put into a
        # queue that is emptied at the next look. A lease does that when the storage has gone for
        # good: not before a finalizer of the same garbage frees it.
        self.credits: deque[int | Lease] = deque()
        self.limit = limit
        self.reached = 0  # the place in the order up to which brief launches have ended (quick.py)

    def info(self) -> MemoryInfo:
        """What the device's memory is used for."""
        used = self.in_use
        held, pooled = self._backend.memory()
        return MemoryInfo(max(held, used), used, self.limit, pooled, self._backend.pool_limit)

    def held_here(self) -> bool:
        """Whether this thread is in the middle of charging something: then a finalizer runs."""
        return bool(self._lock._is_owned())  # type: ignore[attr-defined]

    @property
    def in_use(self) -> int:
        """Bytes charged now."""
        with self._lock:
            return self._settle()

    def _settle(self) -> int:
        credits = self.credits
        while credits:
            credit = credits[0]
            if isinstance(credit, Lease):
                self._charges.pop(id(credit), None)
                nbytes = credit.what
            else:
                nbytes = credit
            # Nothing from here to the end can be interrupted; a finalizer may have been faster.
            if credits and credits[0] is credit:
                self._held -= nbytes
                del credits[0]
        return self._held

    def allocate(self, nbytes: int) -> Storage:
        """Return charged memory; raise OutOfMemory, with figures, when trimming did not help."""
        storage = Storage(None, nbytes, self)
        self._charge(storage)
        size = max(nbytes, 1)
        try:
            memory = self._backend.allocate(size)
        except OutOfMemory:
            self._backend.trim()
            memory = self._backend.allocate(size)
        storage.region = Region(memory, 0)
        return storage

    def set_aside(self, scratch: list[Storage], nbytes: int) -> Region:
        """Return charged memory for the time of a command, whose scratch has it."""
        storage = self.allocate(nbytes)
        assert storage.region is not None
        scratch.append(storage)
        return storage.region

    def _charge(self, storage: Storage) -> None:
        """Count a storage's bytes; it gives them back when it goes, also if Ctrl-C comes here."""
        nbytes = storage.nbytes
        with self._lock:
            if self._settle() + nbytes <= self.limit:
                self._count(storage)
                return
        self._backend.trim()
        with self._lock:
            held = self._settle()
            if held + nbytes > self.limit:
                raise OutOfMemory(
                    f"{nbytes:,} bytes do not fit: {held:,} of {self.limit:,} are in use on "
                    f"{self._backend.name}; free buffers, wait for commands in flight, or raise "
                    "device.memory_limit"
                )
            self._count(storage)

    def _count(self, storage: Storage) -> None:
        token, charge = lend(0, self.credits)
        number = id(charge)
        # Nothing from here on can be interrupted.
        charge.what = storage.nbytes
        storage.token, storage.charge = token, charge
        self._held += storage.nbytes
        self._charges[number] = charge

    def reset_after_fork(self) -> None:
        """Replace a lock that another thread may have held."""
        self._lock = threading.RLock()  # a finalizer may allocate, inside it too


class Storage:
    """One piece of memory and who uses which bytes of it; shared by a buffer and its views.

    Users and poison are guarded by the queue's lock; letting go is not, because free() may be
    called by a finalizer, which the garbage collector may run inside that lock."""

    __slots__ = (
        "__weakref__",
        "charge",
        "claim",
        "ledger",
        "nbytes",
        "poison",
        "quick",
        "readers",
        "region",
        "token",
        "writer",
        "writers",
    )

    def __init__(self, memory: Memory | None, nbytes: int, ledger: Ledger | None = None) -> None:
        self.charge: Lease | None = None  # what it is counted for in the ledger,
        self.token: Token | None = None  # until this goes
        self.region: Region | None = None if memory is None else Region(memory, 0)  # None: freed
        self.nbytes = nbytes
        self.ledger = ledger
        self.writers: dict[int, Entry] = {}  # in order of submission, by the entry's id()
        self.readers: dict[int, Entry] = {}
        self.poison: list[Poison] | None = None  # what failed commands were to write
        self.writer = 0  # id of the command that was submitted last to write it; 0: the host
        self.claim: Any = None  # a reference to what notes its users instead; see claim.py
        self.quick = 0  # the place in the order of the last brief launch that uses it; see quick.py

    @property
    def busy(self) -> bool:
        """Whether a command in flight uses it."""
        claim = None if self.claim is None else self.claim()
        claimed = claim is not None and bool(claim.runs)
        return bool(self.writers or self.readers or claimed or self.briefly)

    @property
    def briefly(self) -> bool:
        """Whether a brief launch is in flight on it, which has no entry here."""
        if self.ledger is None:
            return False
        claim = None if self.claim is None else self.claim()
        last = self.quick if claim is None else max(self.quick, claim.quick)
        return last > self.ledger.reached

    def doubt(self) -> None:
        """Have the claim that it is part of look again: it was freed, or a view of it."""
        claim = None if self.claim is None else self.claim()
        if claim is not None:
            claim.freed = True

    def release(self) -> None:
        """Let the memory go; what is in flight keeps it until it ends."""
        self.region = None  # before looking: a command that ends in between sees it and settles
        self.doubt()
        if not self.busy:
            self.settle()

    def settle(self) -> None:
        """Give the charge back, once."""
        ledger, charge = self.ledger, self.charge
        if charge is not None and charge.what and ledger is not None:
            nbytes, charge.what = charge.what, 0
            ledger.credits.append(nbytes)


FREED: Any = Storage(None, 0)
