"""Device memory from CuPy's pool.

In: sizes. Out: `DeviceMemory`, which returns to the pool when the last reference goes. The runtime
keeps memory until the work that uses it has ended, so what returns to the pool is idle on every
stream; what is more than the pool may keep goes back to the driver soon. Knows nothing about
buffers or launches.
"""

from __future__ import annotations

import contextlib
import threading
import time
from queue import SimpleQueue
from typing import Any

import numpy as np

from treadle.attendant import start
from treadle.backends.base import POOL_LIMIT
from treadle.backends.cuda.driver import Cuda, translate_errors
from treadle.errors import DeviceError

__all__ = ["DeviceMemory", "Pool"]

Array = np.ndarray[Any, Any]

_PAUSE = 0.5  # seconds


class DeviceMemory:
    """A piece of GPU memory; `owner` gives it back when it goes. `host` is what the host has of it,
    where it is the host's own, page-locked, which the GPU reaches over the bus."""

    __slots__ = ("__weakref__", "address", "capacity", "host", "owner", "pool")

    def __init__(
        self,
        address: int,
        capacity: int,
        owner: Any,
        pool: Pool | None = None,
        host: Array | None = None,
    ) -> None:
        self.address = address
        self.capacity = capacity
        self.owner = owner
        self.pool = pool
        self.host = host

    def __repr__(self) -> str:
        return f"DeviceMemory({self.capacity} bytes at {self.address:#x})"

    def __del__(self) -> None:
        # The owner is left alone: in a cycle of garbage another finalizer may give this to the
        # user again, and CuPy takes the memory back when the owner goes.
        pool = self.pool
        if pool is not None:
            pool.dropped(self.capacity)


class Pool:
    """CuPy's allocators, for one device; apart from those that users of CuPy share.

    Giving memory back to the driver waits for everything that runs on the GPU, so a thread does it
    that has nothing else to do, and not more often than every `_PAUSE` seconds: work that takes the
    same memory again and again loses little by it."""

    def __init__(self, cuda: Cuda, device: int) -> None:
        self._cuda = cuda
        self._device = device
        self._pool = cuda.cupy.cuda.MemoryPool()
        self._locked = cuda.cupy.cuda.PinnedMemoryPool()
        self.limit = POOL_LIMIT
        self._handed = 0  # bytes, until the thread has been started
        self._dropped = 0  # bytes, since the thread was last told
        self._told: SimpleQueue[bool] = SimpleQueue()  # which the garbage collector may use
        self._tender: threading.Thread | None = None
        self._entry = threading.Lock()  # taken by threads of ours only, which Ctrl-C does not reach

    def allocate(self, nbytes: int) -> DeviceMemory:
        """Return uninitialised memory; raise OutOfMemory. The device is the current one."""
        with translate_errors("cuda"):
            block = self._pool.malloc(nbytes)  # frees idle blocks itself before it gives up
        if self._tender is None:
            self._handed += nbytes
            if self._handed > self.limit:
                self._start()
        return DeviceMemory(block.ptr, nbytes, block, self)

    def allocate_host(self, nbytes: int) -> Any:
        """Return page-locked memory of the host."""
        return self._locked.malloc(nbytes)

    def sizes(self) -> tuple[int, int]:
        """Bytes taken from the driver, and those of them that are idle."""
        return int(self._pool.total_bytes()), int(self._pool.free_bytes())

    def trim(self) -> int:
        """Give idle memory back to the driver; return the bytes of the GPU's given back."""
        before = self._pool.total_bytes()
        with translate_errors("cuda"):
            self._pool.free_all_blocks()
            self._locked.free_all_blocks()
        return int(before - self._pool.total_bytes())

    def dropped(self, nbytes: int) -> None:
        """Take note of memory that became idle; the garbage collector may call it anywhere."""
        self._dropped += nbytes
        if self._dropped > self.limit // 4:
            self._dropped = 0
            self._told.put(True)

    def _start(self) -> None:
        with contextlib.suppress(DeviceError):  # the next one tries again
            start("treadle-cuda-pool", self._tend)

    def _tend(self) -> None:
        with self._entry:
            if self._tender is not None:
                return  # another thread started one at the same moment
            self._tender = threading.current_thread()
        self._cuda.runtime.setDevice(self._device)
        while self._told.get():
            time.sleep(_PAUSE)
            while not self._told.empty():
                if not self._told.get():
                    self._tender = None
                    return
            with contextlib.suppress(Exception):  # a lost GPU has nothing to give back
                if self.sizes()[1] > self.limit:
                    self.trim()
        self._tender = None

    def close(self) -> None:
        """Give idle memory back, and end the thread."""
        self._told.put(False)
        self.trim()
