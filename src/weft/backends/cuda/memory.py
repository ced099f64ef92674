"""Device memory from CuPy's pool, and pinned memory through which the host's data travels.

In: sizes and arrays. Out: `DeviceMemory`, which returns to the pool when the last reference goes,
and copies in both directions. The runtime keeps memory until the work that uses it has ended, so
what returns to the pool is idle on every stream. Knows nothing about buffers or launches.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from weft.backends.cuda.driver import Cuda, translate_errors

__all__ = ["Copier", "DeviceMemory", "Pool"]

Array = np.ndarray[Any, Any]

_TO_DEVICE, _TO_HOST = 1, 2
_DIRECT = 1 << 20  # up to here the driver's own staging is as quick
_CHUNK = 4 << 20
_CHUNKS = 3  # one is filled while another travels
_HOST = 1  # cudaMemoryTypeHost: pinned
_DEVICE = 2


class DeviceMemory:
    """A piece of GPU memory; `owner` gives it back when it goes."""

    __slots__ = ("__weakref__", "address", "capacity", "owner")

    def __init__(self, address: int, capacity: int, owner: Any) -> None:
        self.address = address
        self.capacity = capacity
        self.owner = owner

    def __repr__(self) -> str:
        return f"DeviceMemory({self.capacity} bytes at {self.address:#x})"


class Pool:
    """CuPy's allocator, for one device; apart from the one that users of CuPy share."""

    def __init__(self, cuda: Cuda) -> None:
        self._pool = cuda.cupy.cuda.MemoryPool()

    def allocate(self, nbytes: int) -> DeviceMemory:
        """Return uninitialised memory; raise OutOfMemory. The device is the current one."""
        with translate_errors("cuda"):
            block = self._pool.malloc(nbytes)  # frees idle blocks itself before it gives up
        return DeviceMemory(block.ptr, nbytes, block)

    def trim(self) -> int:
        """Give idle memory back to the driver; return the bytes given back."""
        before = self._pool.total_bytes()
        with translate_errors("cuda"):
            self._pool.free_all_blocks()
        return int(before - self._pool.total_bytes())


class _Direction:
    """One stream with its staging, used by one thread at a time."""

    def __init__(self, cuda: Cuda) -> None:
        self.lock = threading.Lock()
        self._cuda = cuda
        runtime = cuda.runtime
        self.stream: int = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
        self._chunks: list[tuple[Any, Array, int]] = []

    def chunks(self) -> list[tuple[Any, Array, int]]:
        """Pinned memory, a view of it and an event for each chunk; allocated once."""
        if not self._chunks:
            runtime = self._cuda.runtime
            for _ in range(_CHUNKS):
                pinned = self._cuda.cupy.cuda.alloc_pinned_memory(_CHUNK)
                view = np.frombuffer(pinned, np.uint8, _CHUNK)
                event = runtime.eventCreateWithFlags(runtime.eventDisableTiming)
                self._chunks.append((pinned, view, event))
        return self._chunks

    def close(self) -> None:
        runtime = self._cuda.runtime
        for _, _, event in self._chunks:
            runtime.eventDestroy(event)
        self._chunks.clear()
        runtime.streamDestroy(self.stream)


class Copier:
    """Copies between arrays and device memory, one direction independent of the other."""

    def __init__(self, cuda: Cuda) -> None:
        self._cuda = cuda
        self._inward = _Direction(cuda)
        self._outward = _Direction(cuda)

    def _pinned(self, array: Array) -> bool:
        return bool(self._cuda.runtime.pointerGetAttributes(array.ctypes.data).type == _HOST)

    def write(self, address: int, data: Array) -> None:
        """Copy an array's bytes to the device; returns when it may be reused."""
        flat = data.reshape(-1).view(np.uint8)
        runtime, way = self._cuda.runtime, self._inward
        with translate_errors("cuda"):
            if flat.nbytes <= _DIRECT or self._pinned(flat):
                runtime.memcpyAsync(address, flat.ctypes.data, flat.nbytes, _TO_DEVICE, way.stream)
                runtime.streamSynchronize(way.stream)
                return
            with way.lock:
                chunks = way.chunks()
                for k, start in enumerate(range(0, flat.nbytes, _CHUNK)):
                    pinned, view, event = chunks[k % _CHUNKS]
                    if k >= _CHUNKS:
                        runtime.eventSynchronize(event)
                    part = flat[start : start + _CHUNK]
                    np.copyto(view[: part.nbytes], part)
                    runtime.memcpyAsync(
                        address + start, pinned.ptr, part.nbytes, _TO_DEVICE, way.stream
                    )
                    runtime.eventRecord(event, way.stream)
                runtime.streamSynchronize(way.stream)

    def read(self, address: int, out: Array) -> None:
        """Copy bytes from the device into an array; returns when it is complete."""
        flat = out.reshape(-1).view(np.uint8)
        runtime, way = self._cuda.runtime, self._outward
        with translate_errors("cuda"):
            if flat.nbytes <= _DIRECT or self._pinned(flat):
                runtime.memcpyAsync(flat.ctypes.data, address, flat.nbytes, _TO_HOST, way.stream)
                runtime.streamSynchronize(way.stream)
                return
            with way.lock:
                self._read_staged(address, flat, way)

    def _read_staged(self, address: int, flat: Array, way: _Direction) -> None:
        runtime, chunks = self._cuda.runtime, way.chunks()
        starts = range(0, flat.nbytes, _CHUNK)

        def send(k: int) -> None:
            pinned, _, event = chunks[k % _CHUNKS]
            nbytes = min(_CHUNK, flat.nbytes - starts[k])
            runtime.memcpyAsync(pinned.ptr, address + starts[k], nbytes, _TO_HOST, way.stream)
            runtime.eventRecord(event, way.stream)

        for k in range(min(_CHUNKS, len(starts))):
            send(k)
        for k, start in enumerate(starts):
            _, view, event = chunks[k % _CHUNKS]
            runtime.eventSynchronize(event)
            part = flat[start : start + _CHUNK]
            np.copyto(part, view[: part.nbytes])
            if k + _CHUNKS < len(starts):
                send(k + _CHUNKS)

    def close(self) -> None:
        """Release streams and staging."""
        self._inward.close()
        self._outward.close()
