"""Host memory for the CPU backend: aligned, recycled, alive as long as anyone looks at it.

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
import threading
from collections import deque
from typing import Any

import numpy as np

from treadle.backends.base import POOL_LIMIT
from treadle.errors import OutOfMemory

__all__ = ["Memory", "Pool", "physical_memory"]

_ALIGN = 64
_PAGES = 1 << 18  # from here on storage is mapped, not taken from Python's heap
_HUGE = 1 << 22  # from here on huge pages pay
_SMALLEST = 256
# Python maps shared memory unless told otherwise, and Linux gives that no huge pages.
_PRIVATE: dict[str, int] = (
    {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
)


class Memory(np.ndarray[Any, np.dtype[np.uint8]]):
    """Bytes in host memory. Views of it are plain or Memory arrays that keep it alive."""

    address: int = 0
    _storage: Any = None
    _pool: Pool | None = None

    @property
    def capacity(self) -> int:
        """Usable bytes."""
        return self.nbytes

    def __repr__(self) -> str:
        return f"Memory({self.nbytes} bytes at {self.address:#x})"

    def __del__(self) -> None:
        # Only the array that the pool handed out has storage; slices of it do not.
        pool = self._pool
        if pool is not None:
            pool.give_back(self._storage, self.nbytes)


def wrap(storage: Any, offset: int, nbytes: int, address: int) -> Memory:
    """Return memory over an object with the buffer protocol."""
    memory = np.ndarray.__new__(Memory, (nbytes,), np.uint8, storage, offset)
    memory.address = address
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
        self._free: dict[int, list[tuple[Any, int, int]]] = {}
        self._idle = 0
        self._out = 0  # bytes handed out
        # The collector may run __del__ while this thread holds the lock, so returns only queue up.
        # None stands for storage that is not kept.
        self._returns: deque[tuple[tuple[Any, int, int] | None, int]] = deque()
        self._returning = 0

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
        size = size_class(nbytes)
        with self._lock:
            if self._returns:
                self._drain()
            stack = self._free.get(size)
            if stack:
                storage = stack.pop()
                self._idle -= size
            else:
                storage = None
            self._out += size
        if storage is None:
            try:
                storage = self._fresh(size, nbytes)
            except BaseException:
                self._returns.append((None, size))
                raise
        owner, offset, address = storage
        memory = wrap(owner, offset, size, address)
        memory._storage = storage
        memory._pool = self
        return memory

    def _fresh(self, size: int, asked: int) -> tuple[Any, int, int]:
        for attempt in (0, 1):
            try:
                return _reserve(size)
            except (MemoryError, OSError, OverflowError, ValueError) as error:
                if attempt or not self.trim():
                    raise OutOfMemory(
                        f"no room for a buffer of {asked} bytes; free some, or use smaller ones"
                    ) from error
        raise AssertionError

    def give_back(self, storage: tuple[Any, int, int], size: int) -> None:
        """Take storage back; called by Memory alone."""
        kept = self._returning + self._idle + size <= self.keep
        if kept:
            self._returning += size
        self._returns.append((storage if kept else None, size))

    def _drain(self) -> None:
        while True:
            try:
                storage, size = self._returns.popleft()
            except IndexError:
                break
            self._out -= size
            if storage is not None:
                self._free.setdefault(size, []).append(storage)
                self._idle += size
        self._returning = 0
        while self._idle > self.keep and self._free:
            largest = max([size for size, stack in list(self._free.items()) if stack])
            self._free[largest].pop()
            self._idle -= largest

    def trim(self) -> int:
        """Give idle memory back to the system; return the bytes given back."""
        with self._lock:
            self._drain()
            given, self._idle = self._idle, 0
            dropped, self._free = self._free, {}
        del dropped
        return given


def _reserve(size: int) -> tuple[Any, int, int]:
    """Return storage, the offset of its first aligned byte, and that byte's address."""
    if size < _PAGES:
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
