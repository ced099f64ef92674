"""Device memory from CuPy's pool, and pinned memory through which the host's data travels.

In: sizes and arrays. Out: `DeviceMemory`, which returns to the pool when the last reference goes,
and copies in both directions. The runtime keeps memory until the work that uses it has ended, so
what returns to the pool is idle on every stream; what is more than the pool may keep goes back to
the driver soon. Knows nothing about buffers or launches.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from queue import SimpleQueue
from typing import Any

import numpy as np

from treadle.backends.base import POOL_LIMIT
from treadle.backends.cuda.driver import Cuda, translate_errors

__all__ = ["TO_DEVICE", "TO_HOST", "Copier", "DeviceMemory", "Pool"]

Array = np.ndarray[Any, Any]

TO_DEVICE, TO_HOST = 1, 2
_DIRECT = 1 << 20  # up to here the driver's own staging is as quick
_CHUNK = 2 << 20
_HANDS = max(1, min(8, (os.cpu_count() or 1) // 2))  # threads that share a large copy
_HOST = 1  # cudaMemoryTypeHost: pinned
_DEVICE = 2
_PAUSE = 0.5  # seconds


class DeviceMemory:
    """A piece of GPU memory; `owner` gives it back when it goes."""

    __slots__ = ("__weakref__", "address", "capacity", "owner", "pool")

    def __init__(self, address: int, capacity: int, owner: Any, pool: Pool | None = None) -> None:
        self.address = address
        self.capacity = capacity
        self.owner = owner
        self.pool = pool

    def __repr__(self) -> str:
        return f"DeviceMemory({self.capacity} bytes at {self.address:#x})"

    def __del__(self) -> None:
        pool = self.pool
        if pool is not None:
            self.owner = None
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
        thread = threading.Thread(target=self._tend, name="treadle-cuda-pool", daemon=True)
        self._tender = thread
        with contextlib.suppress(RuntimeError):  # the interpreter is ending: no threads any more
            thread.start()

    def _tend(self) -> None:
        self._cuda.runtime.setDevice(self._device)
        while self._told.get():
            time.sleep(_PAUSE)
            while not self._told.empty():
                if not self._told.get():
                    return
            with contextlib.suppress(Exception):  # a lost GPU has nothing to give back
                if self.sizes()[1] > self.limit:
                    self.trim()

    def close(self) -> None:
        """Give idle memory back, and end the thread."""
        self._told.put(False)
        self.trim()


class _Ferry:
    """A stream with two chunks of pinned memory: one is filled or emptied, one travels."""

    def __init__(self, cuda: Cuda) -> None:
        self._runtime = runtime = cuda.runtime
        self._stream: int = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
        self._chunks: list[tuple[Any, Array, int]] = []  # memory, a view of it, an event
        for _ in range(2):
            pinned = cuda.cupy.cuda.alloc_pinned_memory(_CHUNK)
            event = runtime.eventCreateWithFlags(runtime.eventDisableTiming)
            self._chunks.append((pinned, np.frombuffer(pinned, np.uint8, _CHUNK), event))

    def take_in(self, address: int, flat: Array, starts: range) -> None:
        """Copy the chunks that start there to the device."""
        runtime, stream = self._runtime, self._stream
        for k, start in enumerate(starts):
            pinned, view, event = self._chunks[k % 2]
            if k >= 2:
                runtime.eventSynchronize(event)
            part = flat[start : start + _CHUNK]
            np.copyto(view[: part.nbytes], part)
            runtime.memcpyAsync(address + start, pinned.ptr, part.nbytes, TO_DEVICE, stream)
            runtime.eventRecord(event, stream)
        runtime.streamSynchronize(stream)

    def take_out(self, address: int, flat: Array, starts: range) -> None:
        """Copy the chunks that start there from the device."""
        runtime, stream = self._runtime, self._stream

        def send(k: int) -> None:
            pinned, _, event = self._chunks[k % 2]
            nbytes = min(_CHUNK, flat.nbytes - starts[k])
            runtime.memcpyAsync(pinned.ptr, address + starts[k], nbytes, TO_HOST, stream)
            runtime.eventRecord(event, stream)

        for k in range(min(2, len(starts))):
            send(k)
        for k, start in enumerate(starts):
            _, view, event = self._chunks[k % 2]
            runtime.eventSynchronize(event)
            part = flat[start : start + _CHUNK]
            np.copyto(part, view[: part.nbytes])
            if k + 2 < len(starts):
                send(k + 2)

    def close(self) -> None:
        for _, _, event in self._chunks:
            self._runtime.eventDestroy(event)
        self._chunks.clear()
        self._runtime.streamDestroy(self._stream)


class _Direction:
    """One way between host and device: a stream for what is pinned, ferries for the rest."""

    def __init__(self, cuda: Cuda) -> None:
        self.lock = threading.Lock()  # for the ferries
        self._cuda = cuda
        runtime = cuda.runtime
        self._stream: int = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
        self._events: list[int] = []  # not in use
        self._ferries: list[_Ferry] = []

    def straight(self, target: int, source: int, nbytes: int, kind: int) -> None:
        """Copy without staging, behind what others copy this way; return when it is done.

        An event of its own says so: the stream as a whole may be busy for others by then."""
        runtime = self._cuda.runtime
        try:
            event = self._events.pop()
        except IndexError:
            event = runtime.eventCreateWithFlags(runtime.eventDisableTiming)
        try:
            runtime.memcpyAsync(target, source, nbytes, kind, self._stream)
            runtime.eventRecord(event, self._stream)
            runtime.eventSynchronize(event)
        finally:
            self._events.append(event)

    def ferries(self, count: int) -> list[_Ferry]:
        """So many of them; each is made once."""
        while len(self._ferries) < count:
            self._ferries.append(_Ferry(self._cuda))
        return self._ferries[:count]

    def close(self) -> None:
        for ferry in self._ferries:
            ferry.close()
        self._ferries.clear()
        for event in self._events:
            self._cuda.runtime.eventDestroy(event)
        self._events.clear()
        self._cuda.runtime.streamDestroy(self._stream)


class Copier:
    """Copies between arrays and device memory, one direction independent of the other.

    A single core copies into pinned memory more slowly than the bus takes it away, so several
    threads share a large copy; NumPy lets go of Python's lock meanwhile."""

    def __init__(self, cuda: Cuda, device: int) -> None:
        self._cuda = cuda
        self._device = device
        self._inward = _Direction(cuda)
        self._outward = _Direction(cuda)
        self._hands = ThreadPoolExecutor(  # starts threads when it is given something to do
            2 * _HANDS, "treadle-cuda-copy", initializer=cuda.runtime.setDevice, initargs=(device,)
        )

    def pinned(self, array: Array) -> bool:
        """Whether an array is in page-locked memory, from which the GPU copies by itself."""
        return bool(self._cuda.runtime.pointerGetAttributes(array.ctypes.data).type == _HOST)

    def write(self, address: int, data: Array) -> None:
        """Copy an array's bytes to the device; returns when it may be reused."""
        flat = data.reshape(-1).view(np.uint8)
        with translate_errors("cuda"):
            if flat.nbytes <= _DIRECT or self.pinned(flat):
                self._inward.straight(address, flat.ctypes.data, flat.nbytes, TO_DEVICE)
            else:
                self._staged(self._inward, _Ferry.take_in, address, flat)

    def read(self, address: int, out: Array) -> None:
        """Copy bytes from the device into an array; returns when it is complete."""
        flat = out.reshape(-1).view(np.uint8)
        with translate_errors("cuda"):
            if flat.nbytes <= _DIRECT or self.pinned(flat):
                self._outward.straight(flat.ctypes.data, address, flat.nbytes, TO_HOST)
            else:
                self._staged(self._outward, _Ferry.take_out, address, flat)

    def _staged(
        self,
        way: _Direction,
        carry: Callable[[_Ferry, int, Array, range], None],
        address: int,
        flat: Array,
    ) -> None:
        with way.lock:
            hands = min(_HANDS, -(-flat.nbytes // _CHUNK))
            first, *others = way.ferries(hands)
            # Chunks in turn, so that all are at the same place and end together.
            shares = [range(k * _CHUNK, flat.nbytes, hands * _CHUNK) for k in range(hands)]
            mine, helping = [(first, shares[0])], []
            for ferry, share in zip(others, shares[1:], strict=True):
                try:
                    helping.append(self._hands.submit(carry, ferry, address, flat, share))
                except RuntimeError:  # the interpreter is ending and starts no threads any more
                    mine.append((ferry, share))
            try:
                for ferry, share in mine:
                    carry(ferry, address, flat, share)
            finally:
                wait(helping)
            for each in helping:
                each.result()

    def close(self) -> None:
        """Release threads, streams and staging."""
        self._hands.shutdown()
        self._inward.close()
        self._outward.close()
