"""A device: buffers to make, kernels to submit, work in flight to wait for.

In: an opened backend. Out: buffers and commands. Everything that can be known about a submit is
checked on the caller's thread, before anything is enqueued. Which device is meant when none is
named is decided here; what a device cannot do is in its Limits.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any

import numpy as np

from treadle.attendant import start
from treadle.backends.base import Backend, DeviceInfo, Limits, MemoryInfo
from treadle.dtypes import DType, as_dtype
from treadle.errors import (
    CommandTimeout,
    DeviceLost,
    DeviceUnavailable,
    LaunchError,
    QueueFull,
    TreadleError,
    entrances,
    suggest,
    without_our_frames,
)
from treadle.runtime import eager, waiters
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.compile import Compiler
from treadle.runtime.convert import as_array
from treadle.runtime.launch import Launcher
from treadle.runtime.memory import Ledger, as_shape, layout, positive
from treadle.runtime.prepared import Planner
from treadle.runtime.present import (
    BACKENDS,
    backend_class,
    best,
    count,
    devices,
    opened,
)
from treadle.runtime.priority import Priority
from treadle.runtime.queue import Queue
from treadle.runtime.request import Defined, Submittable, recording
from treadle.runtime.several import submit_many
from treadle.runtime.sharing import take, take_dlpack
from treadle.runtime.transfer import Transfers
from treadle.typed import DTypeLike, ShapeLike

if TYPE_CHECKING:
    from treadle.lang.definition import Definition

__all__ = ["BACKENDS", "Device", "device", "devices", "use_device"]

Array = np.ndarray[Any, Any]
Params = Mapping[str, object]


@entrances(
    "buffer buffer_zeros buffer_from_binary empty from_numpy from_dlpack upload download "
    "run_kernel_async host_array submit_many"
)
class Device:
    """Something that computes, opened; made by treadle.device(name).

    max_in_flight and max_bytes_in_flight bound what is submitted and has not ended; memory_limit
    bounds the bytes that buffers and scratch hold, pool_limit those that wait to be used again. All
    four can be set at any time."""

    def __init__(self, backend: Backend, name: str | None = None) -> None:
        self.backend = backend
        self.name = name or backend.name
        self._ledger = Ledger(backend, backend.info().memory or sys.maxsize)  # 0: unknown
        self.queue = Queue(backend, self.name)
        self.queue.waits.busy.append(self._ledger.held_here)
        self.queue.takes_brief(self._ledger)
        self._compiler = Compiler(backend, self.queue)
        self._transfers = Transfers(backend, self.name)
        self._launcher = Launcher(self, self.queue, self._compiler, self._ledger, self._transfers)
        self.enqueue: Callable[..., Command[Buffer]] = self._launcher.run
        self._closed = False
        self.planner = Planner(backend, self.queue, self._compiler, self._launcher.empty)
        opened.add(self)

    # What it is, and its limits.

    @property
    def info(self) -> DeviceInfo:
        """What the device is."""
        return self.backend.info()

    @property
    def limits(self) -> Limits:
        """What the device can do."""
        return self.backend.limits

    @property
    def in_flight(self) -> int:
        """Number of commands submitted and not ended."""
        return len(self.queue.open)

    @property
    def memory_in_use(self) -> int:
        """Bytes held by live buffers and by scratch of commands in flight."""
        return self._ledger.in_use

    @property
    def memory_limit(self) -> int:
        """Bytes that buffers and scratch may hold; beyond it is OutOfMemory."""
        return self._ledger.limit

    @memory_limit.setter
    def memory_limit(self, nbytes: int) -> None:
        self._ledger.limit = positive("memory_limit", nbytes)

    @property
    def memory(self) -> MemoryInfo:
        """What its memory is used for, in bytes: held, used, pooled, and the two limits."""
        return self._ledger.info()

    @property
    def pool_limit(self) -> int:
        """Bytes of released memory that it keeps for reuse; what is more goes to the system."""
        return self.backend.pool_limit

    @pool_limit.setter
    def pool_limit(self, nbytes: int) -> None:
        self.backend.pool_limit = positive("pool_limit", nbytes, least=0)
        if self.memory.pooled > nbytes:
            self.trim()

    def trim(self) -> int:
        """Give all memory that waits for reuse back to the system; return how many bytes."""
        return self.backend.trim()

    @property
    def max_in_flight(self) -> int:
        """Commands that may be in flight; beyond it is QueueFull."""
        return self.queue.max_in_flight

    @max_in_flight.setter
    def max_in_flight(self, count: int) -> None:
        self.queue.max_in_flight = positive("max_in_flight", count)

    @property
    def max_bytes_in_flight(self) -> int | None:
        """Bytes that commands in flight may use; beyond it is QueueFull. None: no limit."""
        return self.queue.max_bytes

    @max_bytes_in_flight.setter
    def max_bytes_in_flight(self, nbytes: int | None) -> None:
        self.queue.max_bytes = None if nbytes is None else positive("max_bytes_in_flight", nbytes)

    @property
    def max_running(self) -> int | None:
        """Commands that the device may be given at the same time; the others wait. None: any."""
        return self.queue.graph.pace.limit

    @max_running.setter
    def max_running(self, count: int | None) -> None:
        count = None if count is None else positive("max_running", count)
        self.queue.drive_at(limit=count, duty=self.duty_cycle)

    @property
    def duty_cycle(self) -> float:
        """The share of the time in which commands run; between them the device rests."""
        return self.queue.graph.pace.duty

    @duty_cycle.setter
    def duty_cycle(self, share: float) -> None:
        if not 0.0 < share <= 1.0:
            raise LaunchError(f"duty_cycle: expected a share above 0 and up to 1, got {share!r}")
        self.queue.drive_at(limit=self.max_running, duty=float(share))

    @property
    def power_saving(self) -> bool:
        """Whether it is driven gently: one command at a time, half of the time at most.

        Interactive commands do not wait for the pauses."""
        return self.max_running == 1 and self.duty_cycle <= 0.5

    @power_saving.setter
    def power_saving(self, on: bool) -> None:
        self.queue.drive_at(limit=1 if on else None, duty=0.5 if on else 1.0)

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} cannot be copied or pickled; open it by name where it is needed")

    def __repr__(self) -> str:
        state = "closed" if self.queue.gone is not None else f"{self.in_flight} in flight"
        return f"<treadle.Device {self.name} {state}>"

    # Buffers.

    def buffer(
        self, data: Any, shape: ShapeLike | None = None, dtype: DTypeLike | None = None
    ) -> Buffer:
        """Copy data into a new buffer.

        Takes lists, nested lists, bytes, NumPy arrays, and whatever has the buffer protocol,
        `__array_interface__` or DLPack. Python floats become f32, ints s32 (s64 where they do not
        fit), bools bool, unless `dtype` says otherwise; bytes are taken as they are."""
        array = as_array(data, shape, dtype)
        return self.empty(array.shape, as_dtype(array.dtype)).write(array)

    def buffer_zeros(self, shape: ShapeLike, dtype: DTypeLike = DType.F32) -> Buffer:
        """Make a buffer of zeros."""
        made = self.empty(shape, dtype)
        return made.write(np.zeros(made.shape, made.dtype.numpy))

    def buffer_from_binary(self, data: Any, shape: ShapeLike, dtype: DTypeLike) -> Buffer:
        """Copy raw bytes into a new buffer of the given shape and dtype."""
        try:
            raw = memoryview(data).cast("B")
        except TypeError as error:
            what = type(data).__name__
            raise LaunchError(f"data: expected contiguous bytes, got {what}") from error
        return self.buffer(raw, shape, as_dtype(dtype))

    def empty(self, shape: ShapeLike, dtype: DTypeLike = DType.F32) -> Buffer:
        """Make a buffer without setting its contents."""
        made = layout(as_shape(shape), as_dtype(dtype))
        limits = self.backend.limits
        if made.dtype not in (*limits.dtypes, DType.C64):  # the latter is a pair of f32
            have = ", ".join(sorted(limits.dtypes))
            raise LaunchError(f"dtype: {self.name} lacks {made.dtype}; it has {have}")
        if made.nbytes > limits.max_buffer:
            raise LaunchError(
                f"shape: {made} is {made.nbytes:,} bytes; a buffer on {self.name} has at most "
                f"{limits.max_buffer:,}"
            )
        return self._launcher.empty(made)

    def from_numpy(self, array: Any, *, copy: bool | None = None) -> Buffer:
        """Make a buffer from an array, in place where the device can use the array's memory.

        With copy=True it is always copied, with copy=False never (LaunchError where it must be). A
        buffer that shares an array's memory sees what is later written to it. A CUDA device reaches
        arrays of `host_array` over its bus, with copy=False alone: for what is small."""
        return take(self, array, copy)

    def from_dlpack(self, data: Any, *, copy: bool | None = None) -> Buffer:
        """Make a buffer from another library's array through DLPack, in place where possible."""
        return take_dlpack(self, data, copy)

    # Work.

    def submit(
        self,
        kernel: str | Definition | Defined | Submittable | Mapping[str, Any],
        inputs: Sequence[Buffer] | Buffer | Submittable = (),
        output: Buffer | Sequence[Buffer] | None = None,
        params: Params | None = None,
        *,
        priority: Priority | str | None = None,
        **named: Any,
    ) -> Command[Buffer]:
        """Enqueue work and return its command at once.

        Takes a kernel with inputs and output (None: allocated) and its parameters as keywords or in
        `params`; a pipeline; or one mapping with "op": run_kernel, copy_buffer, barrier or
        run_pipeline, in which keys that are not used may be None or empty. An operation can also be
        named in place of a kernel."""
        try:
            if type(kernel) is not str and isinstance(kernel, Mapping):
                return self._launcher.mapping(kernel, priority, inputs, output, params, named)
            return self.enqueue(kernel, inputs, output, params, priority, named)
        except TreadleError as error:  # here and not as an entrance, which would cost a tenth
            raise without_our_frames(error)  # noqa: B904  # the same one

    def submit_many(
        self, specs: Iterable[Any], *, priority: Priority | str | None = None
    ) -> list[Command[Any]]:
        """Enqueue all of these or, if anything is wrong with one, none, and return their commands.

        Each is what submit takes: a tuple of kernel, inputs, output and parameters, of which the
        last two may be left out; a mapping; a pipeline. They are ordered as if submitted one by
        one."""
        return submit_many(self._launcher, self.queue, specs, priority)

    def upload(self, buffer: Buffer, data: Any) -> Command[Buffer]:
        """Enqueue a copy of an array into a buffer; leave the array as it is until that ended."""
        return self._launcher.upload(buffer, data)

    def download(self, buffer: Buffer, out: Array | None = None) -> Command[Array]:
        """Enqueue a copy of a buffer into an array, which is the command's output; without `out` it
        is a new one, and one from `host_array` travels fastest."""
        return self._launcher.download(buffer, out)

    def host_array(self, shape: ShapeLike, dtype: DTypeLike = DType.F32) -> Array:
        """Make an uninitialised array in memory from which the device copies at full speed.

        It is page-locked where the device's driver can do that, and recycled when you drop it."""
        return self._launcher.host_array(layout(as_shape(shape), as_dtype(dtype)))

    def barrier(self) -> Command[None]:
        """Enqueue a command that ends when all before it has, and that all after it wait for."""
        return self._launcher.barrier()

    def run_kernel(
        self,
        kernel: str | Definition | Defined,
        inputs: Sequence[Buffer] | Buffer = (),
        output: Buffer | Sequence[Buffer] | None = None,
        params: Params | None = None,
        *,
        priority: Priority | str | None = None,
        **named: Any,
    ) -> Buffer:
        """Run a kernel, wait for it, and return its output (a tuple where it has several).

        Waits for room where submit would raise QueueFull. In a function that is being traced (a
        pipeline's or a composite's) it records the call instead."""
        while True:
            try:
                asked = kernel, inputs, output, params, priority, named, True
                made: Any = self.enqueue(*asked, plain=True)
                found: Buffer = made.wait().output if type(made) is Command else made
                return found
            except QueueFull:
                self.queue.wait_for_room()
            except TreadleError as error:
                wrong = error
                if isinstance(error, LaunchError) and recording(inputs):
                    given = {**(params or {}), **named}
                    try:
                        return self._launcher.record(kernel, inputs, output, given)
                    except TreadleError as told:
                        wrong = told
                raise without_our_frames(wrong)  # noqa: B904  # the same one

    async def run_kernel_async(
        self,
        kernel: str | Definition | Defined,
        inputs: Sequence[Buffer] | Buffer = (),
        output: Buffer | Sequence[Buffer] | None = None,
        params: Params | None = None,
        *,
        priority: Priority | str | None = None,
        **named: Any,
    ) -> Buffer:
        """Run a kernel and return its output, suspending for room, where needed, and to the end."""
        waiters.refuse_trio()
        while True:
            try:
                return await self.enqueue(kernel, inputs, output, params, priority, named)
            except QueueFull:  # raised by the call, never by the command
                for oldest in self.queue.snapshot()[:1]:
                    await oldest._ended()

    # The whole of it.

    def synchronize(self, timeout: float | None = None) -> None:
        """Block until everything submitted so far has ended, in whatever way."""
        deadline = waiters.deadline_of(timeout)
        for command in self.queue.snapshot():
            if not command._join(None if deadline is None else max(deadline - time.monotonic(), 0)):
                raise CommandTimeout(f"{self!r} after {timeout} s; {command!r} has not ended")

    def close(self) -> None:
        """Drop what has not started, finish what runs, and release the device."""
        if self.queue.waits.refused:  # a finalizer, which must not wait here
            start(f"treadle-{self.name}-close", self.close)
            return
        opened.discard(self)
        if self._closed:
            return
        reason = f"{self.name} was closed; open it again with treadle.device({self.name!r})"
        self.queue.close(reason)
        self._compiler.close()
        self._transfers.close()
        self.backend.close()
        self.queue.lose(DeviceLost(reason))
        self._closed = True  # last: a second call goes on with what Ctrl-C broke off

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reset_after_fork(self) -> None:
        """Make the device unusable in a forked child, where its threads do not exist."""
        self._closed = True
        self._ledger.reset_after_fork()
        self._transfers.reset_after_fork()
        reason = f"{self.name} was opened before this process forked and is of no use in the child"
        way = "open a new device with treadle.device(...) here, or start processes with spawn"
        self.queue.reset_after_fork(f"{reason}; {way}")


# Which device.

_current: ContextVar[Device | None] = ContextVar("treadle_device", default=None)
_named: dict[str | None, Device] = {}  # None: the default
_opening = threading.RLock()  # a finalizer may ask for a device, inside it too


def device(name: str | Device | None = None) -> Device:
    """Return an open device: "cpu", "reference", or with a number, as in "cuda:1".

    Without a name: the one set by use_device, else by the environment variable TREADLE_DEVICE, else
    the best that is present: cuda, webgpu on real hardware, cpu. The same name gives the same
    device."""
    if name is None:  # most often
        current = _current.get()
        if current is not None:
            return current
    elif isinstance(name, Device):
        return name
    found = _named.get(name)
    if found is not None and found.queue.gone is None:
        return found
    try:
        with _opening:
            return _default() if name is None else _open(name)
    except TreadleError as error:
        raise without_our_frames(error)  # noqa: B904  # the same one


def _open(name: object) -> Device:
    if not isinstance(name, str):
        raise LaunchError(f"device: expected a name, got {name!r}")
    kind, colon, number = name.partition(":")
    if kind not in BACKENDS:
        known = ", ".join(BACKENDS)
        raise DeviceUnavailable(
            f"device: expected one of {known}, got {name!r}{suggest(kind, BACKENDS)}"
        )
    if colon and not number.isdecimal():
        raise DeviceUnavailable(f"device: expected a number after the colon, got {name!r}")
    index = int(number or 0)
    full = f"{kind}:{index}" if index else kind
    found = _named.get(full)
    if found is None or found.queue.gone is not None:
        if index >= (present := count(kind)):
            raise DeviceUnavailable(f"device: {name!r} is not present; {kind} has {present} here")
        backend = backend_class(kind)
        made = Device(backend(index) if index else backend(), full)
        if (found := _named.get(full)) is None or found.queue.gone is not None:
            found = _named[full] = made  # else a finalizer's came first
    _named[name] = found
    return found


def _default() -> Device:
    """Decide once: what the environment names, else the best that is present."""
    name = os.environ.get("TREADLE_DEVICE")
    found: Device = _open(name) if name else best(_open)
    _named[None] = found
    return found


class use_device:
    """Make a device the default inside a with block, for this task or thread only."""

    def __init__(self, name: str | Device) -> None:
        self._device = device(name)
        self._tokens: list[Token[Device | None]] = []

    def __enter__(self) -> Device:
        self._tokens.append(_current.set(self._device))
        return self._device

    def __exit__(self, *_: object) -> None:
        _current.reset(self._tokens.pop())


# The life of the process.


def _close_all() -> None:
    for each in list(opened):
        each.close()


def _disown_all() -> None:
    global _opening
    _opening = threading.RLock()
    waiters.reset_after_fork()
    _named.clear()
    for each in list(opened):
        each.reset_after_fork()
    opened.clear()


eager.open_device = device
atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown_all)
