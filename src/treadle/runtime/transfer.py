"""Transfers: copies between arrays and buffers as commands, on lanes of their own.

In: a buffer and an array. Out: commands that take their place among kernels by the bytes they
touch, and that run on a few threads for each direction, so that data travels both ways while the
device computes. Threads start with the first transfer and end when there has been none for a while.
Which buffers hold what is not known here.
"""

from __future__ import annotations

import contextlib
import weakref
from collections import deque
from threading import get_ident
from time import perf_counter_ns
from typing import Any

import numpy as np

from treadle.attendant import Attendant, call_one
from treadle.backends.base import Backend, Region
from treadle.errors import DeviceLost
from treadle.runtime import observe
from treadle.runtime.command import Command
from treadle.runtime.memory import BufferLayout

__all__ = ["HostArrays", "Transfer", "Transfers"]

Array = np.ndarray[Any, Any]

_PINNED = 1 << 31  # bytes of such arrays in use, beyond which they are ordinary ones
LANES = 2  # one copy is set up while another travels
_IDLE = 2.0  # seconds without work after which a thread ends


class HostArrays:
    """Arrays of the host's from which a device copies at full speed, as many as is good."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._used = 0  # bytes
        self._returned: deque[int] = deque()  # by finalizers, which may run anywhere

    def make(self, made: BufferLayout) -> Array:
        """Make an array: page-locked where the driver can do that, recycled when it is dropped."""
        memory = getattr(self._backend, "host_memory", None)
        while self._returned:
            self._used -= self._returned.popleft()
        raw: Array | None = None
        if memory is not None and made.nbytes and self._used + made.nbytes <= _PINNED:
            raw = memory(made.nbytes)
        if raw is None:
            return np.empty(made.shape, made.dtype.numpy)
        self._used += made.nbytes
        weakref.finalize(raw, self._returned.append, made.nbytes)
        return raw.view(made.dtype.numpy).reshape(made.shape)


class Transfer:
    """One copy between an array and a region; what an upload or download command runs."""

    __slots__ = ("_after", "_array", "_direction", "_region", "command", "error", "write")

    def __init__(
        self,
        direction: Direction,
        region: Region,
        array: Array,
        write: bool,
        after: Command | None = None,
    ) -> None:
        self.command: Command | None = None
        self._after = [] if after is None else [after]  # another device's, which fills the array
        self.error: BaseException | None = None
        self.write = write
        self._direction = direction
        self._region: Region | None = region
        self._array: Array | None = array

    def start(self, command: Command) -> Transfer:
        """Put it on its lanes, or have it put there; the command is told when it is done."""
        self.command = command
        if not self._after:
            self._direction.put(self)
        elif not observe.watch(self._after[0], self):
            self.wake(self._after[0])
        return self

    def wake(self, after: Command) -> None:
        """Go on, now that another device's command has ended; no thread has waited for it."""
        try:
            self._after.pop()
        except IndexError:  # it was woken twice
            return
        command, self.error = self.command, after.error
        if self.error is None:
            try:
                self._direction.put(self)
            except Exception as error:
                self.error = error
        if self.error is not None and command is not None:
            self._region = self._array = self.command = None
            command._signal(self)

    def done(self) -> bool:
        """Whether it ended; where that matters, the command has been told."""
        return self._region is None

    def run(self, backend: Backend) -> None:
        """Copy, and end the command whatever happens."""
        command, region, array = self.command, self._region, self._array
        if command is None or region is None or array is None:
            return
        start = perf_counter_ns()
        command._owner.hands[command] = get_ident()  # until it ends, a finalizer must not wait here
        try:
            if self.write:
                backend.write(region, array)
            else:
                backend.read(region, array)
        except BaseException as error:
            self.error = error
        command._times = start, perf_counter_ns()
        self._region = self._array = self.command = None
        command._signal(self)


class Direction:
    """The threads that copy one way."""

    def __init__(self, name: str, backend: Backend) -> None:
        self._name = name
        self._backend = backend
        self._waiting: deque[Transfer] = deque()
        self._closed = False
        self._attendants = [
            Attendant(f"treadle-{name}-{number}", self._copy, idle=_IDLE) for number in range(LANES)
        ]

    def put(self, transfer: Transfer) -> None:
        """Queue a transfer; it runs after those before it have started."""
        if self._closed:
            raise DeviceLost(f"{self._name}: the device was closed")
        self._waiting.append(transfer)
        try:
            call_one(self._attendants)
        except BaseException:
            with contextlib.suppress(ValueError):  # another thread has taken it already
                self._waiting.remove(transfer)
            raise

    def _copy(self) -> bool:
        try:
            transfer = self._waiting.popleft()
        except IndexError:
            return False
        transfer.run(self._backend)
        return True

    def close(self) -> None:
        """Finish what is queued and end the threads."""
        self._closed = True
        for each in self._attendants:
            each.dismiss()

    def reset_after_fork(self) -> None:
        """Forget threads that do not exist in this process."""
        self._waiting.clear()
        for each in self._attendants:
            each.reset_after_fork()


class Transfers:
    """Both directions of one device."""

    def __init__(self, backend: Backend, name: str) -> None:
        self._inward = Direction(f"{name}-upload", backend)
        self._outward = Direction(f"{name}-download", backend)

    def inward(self, region: Region, array: Array, after: Command | None = None) -> Transfer:
        """Describe a copy to the device, of what another device's command puts into the array."""
        return Transfer(self._inward, region, array, True, after)

    def outward(self, region: Region, array: Array) -> Transfer:
        """Describe a copy from the device."""
        return Transfer(self._outward, region, array, False)

    def close(self) -> None:
        """Finish what is queued and end the threads."""
        self._inward.close()
        self._outward.close()

    def reset_after_fork(self) -> None:
        """Forget threads that do not exist in this process."""
        self._inward.reset_after_fork()
        self._outward.reset_after_fork()
