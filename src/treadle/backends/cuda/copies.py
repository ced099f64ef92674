"""Copies between arrays and device memory, through pinned memory where they are large.

In: addresses and arrays. Out: the same bytes on the other side when a call returns. A call that
Ctrl-C breaks off returns only when nothing travels any more: the bytes may belong to another buffer
afterwards. Which buffers hold what is not known here.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle.attendant import Attendant, Bell
from treadle.backends.cuda.driver import Cuda, translate_errors
from treadle.errors import DeviceError

__all__ = ["ANY_WAY", "Copier"]

Array = np.ndarray[Any, Any]

TO_DEVICE, TO_HOST = 1, 2
ANY_WAY = 4  # what addresses say: memory on the device's side may be the host's own
_DIRECT = 1 << 20  # up to here the driver's own staging is as quick
_CHUNK = 2 << 20
_HANDS = max(1, min(8, (os.cpu_count() or 1) // 2))  # threads that share a large copy
_HOST = 1  # cudaMemoryTypeHost: pinned
_IDLE = 5.0  # seconds without work after which a thread ends
_LOOK = 0.1  # seconds after which a caller that waits for a thread looks again


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

    def take_in(self, address: int, flat: Array, part: _Part) -> None:
        """Copy the chunks of a part to the device."""
        runtime, stream = self._runtime, self._stream
        try:
            for k, start in enumerate(part.starts):
                pinned, view, event = self._chunks[k % 2]
                if k >= 2:
                    runtime.eventSynchronize(event)
                if part.copy.broken:
                    return
                piece = flat[start : start + _CHUNK]
                np.copyto(view[: piece.nbytes], piece)
                runtime.memcpyAsync(address + start, pinned.ptr, piece.nbytes, TO_DEVICE, stream)
                runtime.eventRecord(event, stream)
        finally:
            runtime.streamSynchronize(stream)

    def take_out(self, address: int, flat: Array, part: _Part) -> None:
        """Copy the chunks of a part from the device."""
        runtime, stream, starts = self._runtime, self._stream, part.starts

        def send(k: int) -> None:
            pinned, _, event = self._chunks[k % 2]
            nbytes = min(_CHUNK, flat.nbytes - starts[k])
            runtime.memcpyAsync(pinned.ptr, address + starts[k], nbytes, TO_HOST, stream)
            runtime.eventRecord(event, stream)

        try:
            for k in range(min(2, len(starts))):
                send(k)
            for k, start in enumerate(starts):
                _, view, event = self._chunks[k % 2]
                runtime.eventSynchronize(event)
                if part.copy.broken:
                    return
                piece = flat[start : start + _CHUNK]
                np.copyto(piece, view[: piece.nbytes])
                if k + 2 < len(starts):
                    send(k + 2)
        finally:
            runtime.streamSynchronize(stream)

    def close(self) -> None:
        for _, _, event in self._chunks:
            self._runtime.eventDestroy(event)
        self._chunks.clear()
        self._runtime.streamDestroy(self._stream)


class _Copy:
    """What the parts of one large copy share."""

    __slots__ = ("bell", "broken")

    def __init__(self) -> None:
        self.bell = Bell()  # rings when a part has ended
        self.broken = False  # the caller no longer wants the rest


class _Part:
    """The chunks of a copy that one thread moves."""

    __slots__ = ("_carry", "copy", "ended", "error", "starts")

    def __init__(self, copy: _Copy, starts: range, carry: Callable[[_Part], None]) -> None:
        self.copy = copy
        self.starts = starts
        self.ended = False
        self.error: BaseException | None = None
        self._carry = carry

    def run(self) -> None:
        """Move them, on a thread of ours."""
        try:
            self._carry(self)
        except BaseException as error:
            self.error = error
        self.ended = True
        self.copy.bell.ring()

    def run_here(self) -> None:
        """Move them on the caller's thread, where Ctrl-C may come."""
        try:
            self._carry(self)
        finally:
            self.ended = True


class _Direction:
    """One way between host and device: a stream for what is pinned, ferries for the rest."""

    def __init__(self, cuda: Cuda) -> None:
        self.lock = threading.RLock()  # one large copy at a time, or a finalizer's inside it
        self._cuda = cuda
        runtime = cuda.runtime
        self._stream: int = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
        self._events: list[int] = []  # not in use
        self._ferries: deque[_Ferry] = deque()  # not in use
        self._every: list[_Ferry] = []

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
        except Exception:
            raise
        except BaseException:  # Ctrl-C: the copy may be under way
            runtime.streamSynchronize(self._stream)
            raise
        finally:
            self._events.append(event)

    def carry(self, way: Callable[..., None], address: int, flat: Array, part: _Part) -> None:
        """Move a part by a ferry that no other thread uses meanwhile."""
        try:
            ferry = self._ferries.popleft()
        except IndexError:
            ferry = _Ferry(self._cuda)
            self._every.append(ferry)
        try:
            way(ferry, address, flat, part)
        finally:
            self._ferries.append(ferry)

    def close(self) -> None:
        for ferry in self._every:
            ferry.close()
        self._every.clear()
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
        self._parts: deque[_Part] = deque()  # that no thread has begun
        self._ready = threading.local()
        self._hands = [
            Attendant(f"treadle-cuda-copy-{number}", self._help, idle=_IDLE)
            for number in range(2 * _HANDS)
        ]

    def pinned(self, array: Array) -> bool:
        """Whether an array is in page-locked memory, from which the GPU copies by itself."""
        return bool(self._cuda.runtime.pointerGetAttributes(array.ctypes.data).type == _HOST)

    def reached(self, array: Array) -> int:
        """The address at which the GPU reaches an array; 0 where it does not."""
        found = self._cuda.runtime.pointerGetAttributes(array.ctypes.data)
        return int(found.devicePointer or 0) if found.type == _HOST else 0

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

    def _staged(self, way: _Direction, how: Callable[..., None], address: int, flat: Array) -> None:
        count = min(_HANDS, -(-flat.nbytes // _CHUNK))
        copy = _Copy()
        # Chunks in turn, so that all are at the same place and end together.
        parts = [
            _Part(
                copy,
                range(k * _CHUNK, flat.nbytes, count * _CHUNK),
                lambda part: way.carry(how, address, flat, part),
            )
            for k in range(count)
        ]
        with way.lock:
            try:
                self._offer(parts[1:])
                parts[0].run_here()
                for part in parts[1:]:  # those that no thread came for
                    try:
                        self._parts.remove(part)
                    except ValueError:
                        continue
                    part.run_here()
                while not all([part.ended for part in parts]):
                    copy.bell.sleep(_LOOK)
            except BaseException:
                copy.broken = True
                self._retract(parts)
                raise
        for part in parts:
            if part.error is not None:
                raise part.error

    def _offer(self, parts: list[_Part]) -> None:
        """Put parts where our threads find them, and call as many."""
        self._parts.extend(parts)
        left = len(parts)
        for each in self._hands:
            if left and (each.asleep or not each.alive):
                left -= 1
                try:
                    each.call()
                except DeviceError:  # no thread can be had: the caller does it
                    return

    def _help(self) -> bool:
        try:
            part = self._parts.popleft()
        except IndexError:
            return False
        if not getattr(self._ready, "device", False):
            self._cuda.runtime.setDevice(self._device)
            self._ready.device = True
        part.run()
        return True

    def _retract(self, parts: list[_Part]) -> None:
        """Take back what no thread has begun and wait for the rest, a chunk each, come what may."""
        interrupt: BaseException | None = None
        while True:
            try:
                for part in parts[1:]:
                    try:
                        self._parts.remove(part)
                        part.ended = True
                    except ValueError:
                        continue
                while not all([part.ended for part in parts[1:]]):
                    parts[0].copy.bell.sleep(_LOOK)
                break
            except KeyboardInterrupt as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt

    def close(self) -> None:
        """Release threads, streams and staging."""
        for each in self._hands:
            each.dismiss()
        self._inward.close()
        self._outward.close()
