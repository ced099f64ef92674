"""Host memory for the CPU backend: aligned, recycled, alive as long as an array looks at it.

In: sizes. Out: `Memory`, a u8 array that returns its storage to the pool when it and every view of
it are gone. Large storage is mapped pages, which cost far more to touch first than to use again, so
the pool keeps a bounded amount, and lets what is more go at once. Knows nothing about buffers or
launches.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import struct
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any

import numpy as np

from treadle.backends.base import POOL_LIMIT
from treadle.backends.lease import Lease, Token, lend, newest, oldest, unless_held
from treadle.errors import OutOfMemory

__all__ = ["PAGES", "Memory", "Pool", "physical_memory"]

_ALIGN = 64
PAGES = 1 << 18  # from here on storage is mapped, not taken from Python's heap
_HUGE = 1 << 22  # from here on huge pages pay
_SMALLEST = 256
# Python maps shared memory unless told otherwise, and Linux gives that no huge pages.
_PRIVATE: dict[str, int] = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
)

packed = struct.Struct("=q").pack
_Storage = tuple[Any, int, int]  # what has the bytes, where the first one is in it, its address


class Memory(np.ndarray[Any, np.dtype[np.uint8]]):
    """Bytes in host memory. Views of it are plain or Memory arrays that keep it alive."""

    address: int = 0
    packed: bytes = bytes(8)  # its address, as it stands in argument blocks
    _token: Token | None = None  # of the lease; only the array that the pool handed out has one

    @property
    def capacity(self) -> int:
        """Usable bytes."""
        return self.nbytes

    def __repr__(self) -> str:
        return f"Memory({self.nbytes} bytes at {self.address:#x})"


def wrap(storage: Any, offset: int, nbytes: int, address: int) -> Memory:
    """Return memory over an object with the buffer protocol."""
    memory = np.ndarray.__new__(Memory, (nbytes,), np.uint8, storage, offset)
    memory.address = address
    memory.packed = packed(address)
    return memory


def physical_memory() -> int:
    """Return the bytes of this machine's memory, or a guess."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return _windows_memory() or 8 << 30


def _windows_memory() -> int:
    kernel = getattr(ctypes, "windll", None)
    if kernel is None:
        return 0
    status = (ctypes.c_uint64 * 8)()  # MEMORYSTATUSEX: two u32, then seven u64
    ctypes.cast(status, ctypes.POINTER(ctypes.c_uint32))[0] = ctypes.sizeof(status)
    return int(status[1]) if kernel.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else 0


@lru_cache(1024)
def size_class(nbytes: int) -> int:
    """Round up to one of four sizes for each power of two, so that storage fits again."""
    if nbytes <= _SMALLEST:
        return _SMALLEST
    step = 1 << max((nbytes - 1).bit_length() - 3, 6)
    return -(-nbytes // step) * step


class Pool:
    """A recycling allocator; any thread may use it, and the garbage collector at any time."""

    def __init__(self, *, keep: int = POOL_LIMIT) -> None:
        self.keep = keep
        self._lock = threading.RLock()  # a finalizer may allocate, inside it too
        # Storage is in one of these two, and goes from one to the other without a call in between,
        # so that neither Ctrl-C nor a finalizer can come there.
        self._free: dict[int, dict[int, _Storage]] = {}  # by size and address
        self._leases: dict[int, Lease] = {}  # of what is handed out, by address
        self._back: deque[Lease] = deque()  # those that have ended
        self._nudge = partial(_dropped, weakref.ref(self))
        self._idle = 0
        self._out = 0  # bytes handed out

    def held_here(self) -> bool:
        """Whether this thread is in the middle of an allocation: then a finalizer runs."""
        return bool(self._lock._is_owned())  # type: ignore[attr-defined]

    @property
    def idle(self) -> int:
        """Bytes kept for reuse."""
        return self.sizes()[1]

    def sizes(self) -> tuple[int, int]:
        """Bytes taken from the system, and those of them that are kept for reuse."""
        with self._lock:
            self._drain()
            return self._out + self._idle, self._idle

    def allocate(self, nbytes: int) -> Memory:
        """Return uninitialised memory of at least this size; raise OutOfMemory."""
        wanted = size_class(nbytes)
        with self._lock:
            if self._back:
                self._drain()
            for size in (wanted,) if wanted < PAGES else self._near(wanted):
                free = self._free.get(size)
                while free:
                    address = newest(free)
                    storage = free.get(address)
                    if storage is None:
                        continue  # a finalizer was faster
                    memory, lease = self._lend(storage, size)
                    if address in free:  # else one was now; from here on nothing is interrupted
                        del free[address]
                        self._leases[address] = lease
                        self._idle -= size
                        self._out += size
                        return memory
        storage = self._fresh(wanted, nbytes)
        memory, lease = self._lend(storage, wanted)
        with self._lock:
            self._leases[memory.address] = lease
            self._out += wanted
        return memory

    def _near(self, wanted: int) -> Sequence[int]:
        """The sizes to look for. Pages that were touched before are worth half of them idle: who
        needs pieces of ever other sizes, such as photos, would never get one that was used."""
        if self._free.get(wanted):
            return (wanted,)
        return sorted(size for size in list(self._free) if wanted <= size <= 2 * wanted)

    def _lend(self, storage: _Storage, size: int) -> tuple[Memory, Lease]:
        owner, offset, address = storage
        memory = wrap(owner, offset, size, address)
        nudge = self._nudge if size >= PAGES else None  # little can wait for the next look
        memory._token, lease = lend((storage, size), self._back, nudge)
        return memory, lease

    def _fresh(self, size: int, asked: int) -> _Storage:
        for attempt in (0, 1):
            try:
                return _reserve(size)
            except (MemoryError, OSError, OverflowError, ValueError) as error:
                if attempt or not self.trim():
                    raise OutOfMemory(
                        f"no room for a buffer of {asked} bytes; free some, or use smaller ones"
                    ) from error
        raise AssertionError

    def dropped(self) -> None:
        """Take back what was dropped, unless a thread is at it: this one may be.

        Called by finalizers, which may run anywhere."""
        unless_held(self._lock, self._drain)

    def _drain(self) -> None:
        """Take back what was dropped; let go of what the pool has no room for."""
        back = self._back
        while back:
            lease = back[0]
            storage, size = lease.what
            address = storage[2]
            free = self._free.get(size)
            if free is None:
                free = self._free.setdefault(size, {})
            # Nothing from here to the end can be interrupted; a finalizer may have been faster.
            if not back or back[0] is not lease:
                continue
            if address in self._leases and self._leases[address] is lease:  # else it never began
                del self._leases[address]
                self._out -= size
                if self._idle + size <= self.keep:
                    free[address] = storage
                    self._idle += size
            del back[0]
        while self._idle > self.keep:
            largest = max([size for size, free in list(self._free.items()) if free], default=0)
            free = self._free.get(largest, {})
            address = oldest(free)
            if address in free:
                del free[address]
                self._idle -= largest

    def trim(self) -> int:
        """Give idle memory back to the system; return the bytes given back."""
        given = 0
        with self._lock:
            self._drain()
            for size, free in list(self._free.items()):
                while free:
                    address = oldest(free)
                    if address in free:  # from here to the end nothing can be interrupted
                        del free[address]
                        self._idle -= size
                        given += size
        return given


def _reserve(size: int) -> _Storage:
    """Return storage, the offset of its first aligned byte, and that byte's address."""
    if size < PAGES:
        storage: Any = bytearray(size + _ALIGN)
    else:
        storage = mmap.mmap(-1, size, **_PRIVATE)
        if size >= _HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
            with contextlib.suppress(OSError):  # a kernel without them; ordinary pages do
                storage.madvise(mmap.MADV_HUGEPAGE)
    probe = (ctypes.c_char * 0).from_buffer(storage)
    start = ctypes.addressof(probe)
    offset = -start % _ALIGN
    return storage, offset, start + offset


def _dropped(pool: weakref.ref[Pool], _: object) -> None:
    found = pool()
    if found is not None:
        found.dropped()
