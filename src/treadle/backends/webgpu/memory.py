"""Device memory: buffers that are recycled, counted, and let go when nobody needs them.

In: sizes. Out: handles whose last reference gives the buffer back. Buffers that come back wait in
a bounded pool, because making one costs more than a small kernel; what is more goes at once. What
the runtime's budget means
is not known here; only what the driver refuses.
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from treadle.backends.base import POOL_LIMIT
from treadle.backends.webgpu.driver import Gpu
from treadle.errors import DeviceError, OutOfMemory

__all__ = ["Block", "GpuMemory", "Pool"]

_GRAIN = 256
_USAGES = ("STORAGE", "COPY_SRC", "COPY_DST")

_serials = itertools.count(1)


class Block:
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
        """Give its memory back, whoever still refers to it."""
        if self._buffer is not None:
            self._buffer.destroy()


class GpuMemory:
    """A piece of device memory; dropping the last reference gives it back to the pool."""

    __slots__ = ("__weakref__", "_back", "_serial", "block", "error", "nbytes", "owner")

    def __init__(self, block: Block, nbytes: int, owner: Pool, back: deque[int]) -> None:
        self.block = block
        self.nbytes = nbytes  # as asked for; nothing else lies in the rest of the block
        self.owner = owner
        self.error: BaseException | None = None  # why a write did not reach it
        self._back = back
        self._serial = block.serial

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

    def __del__(self) -> None:
        # May run anywhere, so no lock. Only the number goes back: in a cycle of garbage the
        # buffer could be finalised already, were it not that the pool holds it.
        self._back.append(self._serial)
        self.owner.dropped()


class Pool:
    """The memory of one device."""

    def __init__(self, gpu: Gpu, limit: int, gone: Callable[[int], None]) -> None:
        self._gpu = gpu
        self._gone = gone  # told the serial of a block before it goes
        self.limit = limit
        self.keep = POOL_LIMIT  # bytes that may be idle
        self._lock = threading.RLock()  # a finalizer may allocate, inside it too
        self._blocks: dict[int, Block] = {}  # every one that exists
        self._back: deque[int] = deque()
        self._idle: dict[int, list[Block]] = {}
        self.idle_bytes = 0
        self.total_bytes = 0

    def allocate(self, nbytes: int) -> GpuMemory:
        """Return memory of at least this size; raise OutOfMemory."""
        capacity = max(-(-nbytes // _GRAIN) * _GRAIN, _GRAIN)
        with self._lock:
            self._collect()
            waiting = self._idle.get(capacity)
            block = waiting.pop() if waiting else None
            if block is not None:
                self.idle_bytes -= capacity
            elif self.total_bytes + capacity > self.limit:
                raise OutOfMemory(
                    f"{nbytes:,} bytes do not fit: webgpu holds {self.total_bytes:,} of "
                    f"{self.limit:,} bytes"
                )
            else:
                self.total_bytes += capacity
        if block is None:
            try:
                block = self._make(capacity)
            except BaseException:
                with self._lock:
                    self.total_bytes -= capacity
                raise
            self._blocks[block.serial] = block
        return GpuMemory(block, nbytes, self, self._back)

    def _make(self, capacity: int) -> Block:
        gpu = self._gpu  # all that a block may refer to: not the pool, which holds it
        found = gpu.buffer_at_once(capacity, *_USAGES)
        return Block(found, capacity, lambda: gpu.buffer(capacity, *_USAGES))

    def dropped(self) -> None:
        """Take back what was dropped, unless somebody is at it: this thread may be.

        Called by the garbage collector, which may run anywhere."""
        if not self._lock._is_owned() and self._lock.acquire(blocking=False):  # type: ignore[attr-defined]
            try:
                self._collect()
            finally:
                self._lock.release()

    def sizes(self) -> tuple[int, int]:
        """Bytes taken from the driver, and those of them that are idle."""
        with self._lock:
            self._collect()
            return self.total_bytes, self.idle_bytes

    def _collect(self) -> None:
        """Take back what was dropped; let go of what the pool has no room for."""
        while self._back:
            block = self._blocks[self._back.popleft()]
            if self.idle_bytes + block.capacity > self.keep:
                self._release(block)
            else:
                self.idle_bytes += block.capacity
                self._idle.setdefault(block.capacity, []).append(block)

    def _release(self, block: Block) -> None:
        self.total_bytes -= block.capacity
        del self._blocks[block.serial]
        self._gone(block.serial)
        # Bind groups that were made with it are forgotten at the next launch only, and would keep
        # its memory until then.
        block.destroy()

    def trim(self) -> int:
        """Let go of everything idle; return the bytes."""
        with self._lock:
            self._collect()
            freed = self.idle_bytes
            for blocks in self._idle.values():
                for block in blocks:
                    self._release(block)
            self._idle.clear()
            self.idle_bytes = 0
        return freed
