"""Device memory: buffers that are recycled, counted, and let go when nothing refers to them.

In: sizes. Out: handles whose last reference gives the buffer back. Buffers that come back wait in
a bounded pool, because making one costs more than a small kernel; what is more goes at once. What
the runtime's budget means is not known here; only what the driver refuses.

Ctrl-C and finalizers may come between any two calls. So a block is always in one of the pool's
tables or leased, it goes from one to the next without a call in between, and what was broken off
is done again by the next thread that comes.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from treadle.backends.base import POOL_LIMIT
from treadle.backends.lease import Lease, Token, lend, newest, oldest, unless_held
from treadle.backends.webgpu.driver import Gpu
from treadle.errors import DeviceError, OutOfMemory

__all__ = ["GpuMemory", "MemoryBlock", "Pool"]

_GRAIN = 256
_MUCH = 1 << 18  # bytes that are taken back at once; what is less can wait for the next look
_USAGES = ("STORAGE", "COPY_SRC", "COPY_DST")

_serials = itertools.count(1)


class MemoryBlock:
    """A wgpu buffer; `serial` names it in caches for as long as it exists.

    One that could not be made without waiting for the driver is made when it is first used, by the
    thread that encodes."""

    __slots__ = ("_buffer", "_make", "capacity", "serial")

    def __init__(self, buffer: Any, capacity: int, make: Callable[[], Any] | None = None) -> None:
        self._buffer = buffer
        self._make = make
        self.capacity = capacity
        self.serial = next(_serials)

    @property
    def buffer(self) -> Any:
        """The buffer; raise OutOfMemory where it is not there yet and cannot be made."""
        if self._buffer is None and self._make is not None:
            self._buffer = self._make()
        return self._buffer

    def destroy(self) -> None:
        """Give its memory back, even where something still refers to it."""
        if self._buffer is not None:
            self._buffer.destroy()


class GpuMemory:
    """A piece of device memory; dropping the last reference gives it back to the pool."""

    __slots__ = ("__weakref__", "_token", "block", "error", "nbytes", "owner")

    def __init__(self, block: MemoryBlock, nbytes: int, owner: Pool, token: Token) -> None:
        self.block = block
        self.nbytes = nbytes  # as asked for; nothing else lies in the rest of the block
        self.owner = owner
        self.error: BaseException | None = None  # why a write did not reach it
        self._token = token  # of the lease

    @property
    def capacity(self) -> int:
        """Usable bytes, a multiple of 4."""
        return self.block.capacity

    def usable(self) -> None:
        """Raise what went wrong when it was last written."""
        if self.error is not None:
            raise DeviceError(
                f"webgpu: a write did not reach {self!r}: {self.error}"
            ) from self.error

    def __repr__(self) -> str:
        return f"GpuMemory({self.nbytes} bytes)"


class Pool:
    """The memory of one device."""

    def __init__(self, gpu: Gpu, limit: int, gone: Callable[[int], None]) -> None:
        self._gpu = gpu
        self._gone = gone  # told the serial of a block before it goes
        self.limit = limit
        self.keep = POOL_LIMIT  # bytes that may be idle
        self._lock = threading.RLock()  # a finalizer may allocate, inside it too
        self._blocks: dict[int, MemoryBlock] = {}  # every one that exists
        self._idle: dict[int, dict[int, MemoryBlock]] = {}  # those that wait for reuse, by capacity
        self._going: dict[int, MemoryBlock] = {}  # those that are let go
        self._leases: dict[int, Lease] = {}  # of those that are lent out
        self._back: deque[Lease] = deque()  # those that have ended
        self._nudge = partial(_dropped, weakref.ref(self))
        self.idle_bytes = 0
        self.total_bytes = 0

    def held_here(self) -> bool:
        """Whether this thread is in the middle of an allocation: then a finalizer runs."""
        return bool(self._lock._is_owned())  # type: ignore[attr-defined]

    def allocate(self, nbytes: int) -> GpuMemory:
        """Return memory of at least this size; raise OutOfMemory."""
        capacity = max(-(-nbytes // _GRAIN) * _GRAIN, _GRAIN)
        while True:
            with self._lock:
                self._collect()
                memory = self._take(capacity, nbytes)
                if memory is not None:
                    return memory
                self._check(capacity, nbytes)
            block = self._make(capacity)
            with self._lock:
                self._check(capacity, nbytes)  # others may have made some, too
                idle = self._idle.setdefault(capacity, {})
                # Nothing from here on can be interrupted.
                idle[block.serial] = self._blocks[block.serial] = block
                self.idle_bytes += capacity
                self.total_bytes += capacity

    def _take(self, capacity: int, nbytes: int) -> GpuMemory | None:
        """Lease an idle block of this capacity, if there is one."""
        idle = self._idle.get(capacity)
        while idle:
            serial = newest(idle)
            block = self._blocks.get(serial)
            if block is None:
                continue  # a finalizer was faster
            nudge = self._nudge if capacity >= _MUCH else None
            token, lease = lend((serial, capacity), self._back, nudge)
            memory = GpuMemory(block, nbytes, self, token)
            if serial in idle:  # else one was now; from here on nothing can be interrupted
                del idle[serial]
                self._leases[serial] = lease
                self.idle_bytes -= capacity
                return memory
        return None

    def _check(self, capacity: int, nbytes: int) -> None:
        if self.total_bytes + capacity > self.limit:
            raise OutOfMemory(
                f"{nbytes:,} bytes do not fit: webgpu holds {self.total_bytes:,} of "
                f"{self.limit:,} bytes"
            )

    def _make(self, capacity: int) -> MemoryBlock:
        gpu = self._gpu  # all that a block may refer to: not the pool, which holds it
        found = gpu.buffer_at_once(capacity, *_USAGES)
        return MemoryBlock(found, capacity, lambda: gpu.buffer(capacity, *_USAGES))

    def dropped(self) -> None:
        """Take back what was dropped, unless a thread is at it: this one may be.

        Called by finalizers, which may run anywhere."""
        unless_held(self._lock, self._collect)

    def sizes(self) -> tuple[int, int]:
        """Bytes taken from the driver, and those of them that are idle."""
        with self._lock:
            self._collect()
            return self.total_bytes, self.idle_bytes

    def _collect(self) -> None:
        """Take back what was dropped; let go of what the pool has no room for."""
        back = self._back
        while back:
            lease = back[0]
            serial, capacity = lease.what
            idle = self._idle.setdefault(capacity, {})
            # Nothing from here to the end can be interrupted; a finalizer may have been faster.
            if not back or back[0] is not lease:
                continue
            if serial in self._leases and self._leases[serial] is lease:  # else it never began
                del self._leases[serial]
                if self.idle_bytes + capacity > self.keep:
                    self._going[serial] = self._blocks[serial]
                else:
                    idle[serial] = self._blocks[serial]
                    self.idle_bytes += capacity
            del back[0]
        while self._going:
            self._release(oldest(self._going))

    def _release(self, serial: int) -> None:
        block = self._going.get(serial)
        if block is None:
            return  # a finalizer was faster
        self._gone(serial)
        # Bind groups that were made with it are forgotten at the next launch only, and would keep
        # its memory until then.
        block.destroy()
        if serial in self._going:  # from here to the end nothing can be interrupted
            del self._going[serial]
            del self._blocks[serial]
            self.total_bytes -= block.capacity

    def trim(self) -> int:
        """Let go of everything idle; return the bytes."""
        with self._lock:
            self._collect()
            freed = self.idle_bytes
            for idle in list(self._idle.values()):
                while idle:
                    serial = oldest(idle)
                    if serial in idle:  # from here to the end nothing can be interrupted
                        self._going[serial] = self._blocks[serial]
                        del idle[serial]
                        self.idle_bytes -= self._blocks[serial].capacity
            self._collect()
        return freed


def _dropped(pool: weakref.ref[Pool], _: object) -> None:
    found = pool()
    if found is not None:
        found.dropped()
