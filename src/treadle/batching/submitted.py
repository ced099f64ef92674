"""Batches that a device computes: kernels, pipelines, and whatever has a submit().

In: batches of items. Out: their results in arrays, when the device has told that they are there.
Items are put together in arrays that the device reads in place, or from which it copies; a batch
that is large is put together on a thread, because it may be an event loop that has it. Nothing here
waits.
"""

from __future__ import annotations

import contextlib
import contextvars
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from treadle.attendant import Attendant, giving_way
from treadle.batching.desk import Gathered
from treadle.batching.stacking import StagingPool, checked, rebuilt_from
from treadle.errors import LaunchError, QueueFull
from treadle.lang import registry as definitions
from treadle.lang.definition import Definition
from treadle.pipeline import Pipeline
from treadle.runtime import observe
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.device import Device
from treadle.runtime.device import device as device_named
from treadle.runtime.priority import Priority
from treadle.runtime.sharing import give
from treadle.streaming.buffers import mapped

__all__ = ["SubmittedWork", "submission_of"]

Submission = Callable[[Device, tuple[Any, ...], int, str], tuple[Command, Any]]

_LARGE = 1 << 20  # bytes: copying more would keep an event loop for longer than 0.2 ms
_IDLE = 2.0  # seconds
_PRIORITIES = tuple(str(each) for each in Priority)


def submission_of(
    function: Any,
    *,
    params: Mapping[str, Any] | None,
    inputs: str | Sequence[str] | None,
    outputs: Mapping[str, Any] | None,
) -> Submission | None:
    """Return how a batch is submitted to what a device computes; None for plain functions."""
    if isinstance(function, (str, Definition)):
        kernel = definitions.lookup(function) if isinstance(function, str) else function
        return partial(_submit_kernel, kernel, dict(params or {}))
    if params:
        raise LaunchError("params: expected none, because the function is not a kernel")
    if isinstance(function, Pipeline):
        names = (inputs,) if isinstance(inputs, str) else inputs
        if not outputs:
            raise LaunchError(
                "outputs: expected the names of the pipeline's results, each with the shape and "
                "dtype of one item's: outputs={'y': ((10,), 'f32')}"
            )
        return partial(_submit_pipeline, function, names, dict(outputs))
    if callable(getattr(function, "submit", None)):
        return partial(_submit_other, function)
    return None


def _only(items: tuple[Any, ...]) -> tuple[Any, ...] | dict[str, Any]:
    """The arguments of a call; of one that is a tuple or a dict, what is in it."""
    if len(items) == 1 and type(items[0]) in (tuple, dict):
        inner: tuple[Any, ...] | dict[str, Any] = items[0]
        return inner
    return items


def _submit_kernel(
    kernel: Definition,
    params: dict[str, Any],
    device: Device,
    items: tuple[Any, ...],
    count: int,
    priority: str,
) -> tuple[Command, Any]:
    given = _in_order(kernel, _only(items))
    return device.submit(kernel, list(given), None, params, priority=priority), None


def _in_order(kernel: Definition, given: tuple[Any, ...] | dict[str, Any]) -> tuple[Any, ...]:
    """Inputs in a kernel's order, where they were given by name."""
    if not isinstance(given, dict):
        return given
    names = kernel.info().inputs
    if set(names) != set(given):
        raise LaunchError(
            f"kernel {kernel.name!r} takes {', '.join(names)}; "
            f"the item has {', '.join(map(str, given))}"
        )
    return tuple([given[name] for name in names])


def _submit_pipeline(
    pipeline: Pipeline,
    names: Sequence[str] | None,
    outputs: dict[str, Any],
    device: Device,
    items: tuple[Any, ...],
    count: int,
    priority: str,
) -> tuple[Command, Any]:
    given = _only(items)
    if not isinstance(given, dict):
        if names is None or len(names) != len(given):
            raise LaunchError(
                f"inputs: expected the names of {len(given)} buffers of the pipeline, got "
                f"{names!r}; or call it with a dict of these names"
            )
        given = dict(zip(names, given, strict=True))
    results = {
        name: pipeline.device.empty((count, *shape), dtype)
        for name, (shape, dtype) in outputs.items()
    }
    command = pipeline.submit(bind={**given, **results}, priority=priority)
    return command, next(iter(results.values())) if len(results) == 1 else results


def _submit_other(
    function: Any, device: Device, items: tuple[Any, ...], count: int, priority: str
) -> tuple[Command, Any]:
    given = _only(items)
    kernel = getattr(function, "definition", None)  # of a model, of a function made a pipeline
    if isinstance(kernel, Definition):
        given = _in_order(kernel, given)
    elif isinstance(given, dict):
        raise LaunchError(f"item: {function!r} takes buffers in their order, got a dict")
    return function.submit(*given, priority=priority), None


class SubmittedWork:
    """Batches as commands on a device."""

    def __init__(
        self,
        name: str,
        submission: Submission,
        device: Device | str | None,
        *,
        rows: bool,
        most: int,
        kept: int,
    ) -> None:
        self.name = name
        self._submission = submission
        self._wanted = device  # or that of the caller who comes first
        self._rows = rows
        self._most = most
        self._kept = kept
        self._device: Device | None = None
        self._pool: StagingPool | None = None
        self._context = contextvars.copy_context()
        self._jobs: deque[Callable[[], None]] = deque()
        self._stacker = Attendant(f"treadle-{name}-stack", self._stack, idle=_IDLE)

    def open(self) -> None:
        """Find the device, if there is none yet or it is gone; a caller's own context says which,
        where none was named."""
        device = self._device
        if device is None or device.queue.gone is not None:
            device = device_named(self._wanted)
            self._pool = StagingPool(self._most, self._kept, device.host_array)
            self._device = device

    def start(self, batch: Gathered) -> None:
        """Submit a batch."""
        if sum([leaf.nbytes for item in batch.items for leaf in item.leaves]) > _LARGE:
            self._leave(partial(self._try, batch))
        else:
            self._submit(batch)

    def when_room(self, device: Device, call: Callable[[], None]) -> None:
        """Call a function when the queue of a device has room, perhaps."""
        for oldest in device.queue.snapshot()[:1]:
            if observe.watch(oldest, _Room(call)):
                return
        self._leave(call)

    def _leave(self, job: Callable[[], None]) -> None:
        """Have something done by a thread."""
        self._jobs.append(job)
        self._stacker.call()

    def _stack(self) -> bool:
        try:
            job = self._jobs.popleft()
        except IndexError:
            return False
        with giving_way:
            job()
        return True

    def _try(self, batch: Gathered) -> None:
        try:
            self._submit(batch)
        except Exception as error:
            batch.end(error=error)

    def _submit(self, batch: Gathered) -> None:
        boarding = batch.progress  # one that found the queue full goes on where it was
        if boarding is None:
            assert self._device is not None
            assert self._pool is not None
            boarding = _Boarding(self._device, self._pool, batch, rows=self._rows)
            batch.progress = boarding
        device = boarding.device
        # In a context of its own: who submits, and by when, is not the caller's that came last.
        context = self._context.copy()
        try:
            items = context.run(boarding.board, batch)
            command, results = context.run(
                self._submission, device, items, batch.count, _PRIORITIES[batch.rank]
            )
        except QueueFull:
            self.when_room(device, partial(self._try, batch))
            return
        flight = _Flight(self, batch, device, command, results, boarding.leave)
        batch.progress = flight
        if not observe.watch(command, flight):
            flight.wake(command)

    def abandon(self, batch: Gathered) -> None:
        """Drop the command of a batch that no caller wants any more, if it has not started."""
        flight = batch.progress
        if isinstance(flight, _Flight):
            flight.command.cancel()

    def close(self) -> None:
        """End the thread, and let go of all arrays."""
        self._stacker.dismiss()
        if self._pool is not None:
            self._pool.clear()

    def reset_after_fork(self) -> None:
        """Forget a thread and a device that this process does not have."""
        self._jobs.clear()
        self._stacker.reset_after_fork()
        self._device = self._pool = None


class _Boarding:
    """A batch on its way into buffers: in place where the device can use arrays, else copied."""

    def __init__(self, device: Device, pool: StagingPool, batch: Gathered, *, rows: bool) -> None:
        self.device = device
        self._pool = pool
        self._staging = pool.take(batch.key[0], batch.size)
        self._arrays = self._staging.fill([item.leaves for item in batch.items], rows=rows)
        self._aboard: list[Buffer] = []  # those whose array is there, or on its way

    def board(self, batch: Gathered) -> Any:
        """Return the items of a batch as buffers; again, where a full queue broke that off."""
        staging, device, count = self._staging, self.device, batch.count
        if staging.aboard is None:
            staging.aboard = [_buffer_of(device, box[0]) for box in staging.boxes]
        while len(self._aboard) < len(self._arrays):
            place = len(self._aboard)
            whole, in_place = staging.aboard[place]
            part = whole if count == len(whole) else whole[:count]
            if not in_place:
                device.upload(part, self._arrays[place])
            self._aboard.append(part)
        return rebuilt_from(batch.key[0], list(self._aboard))

    def leave(self) -> None:
        """Give the arrays back, when the device has done with them."""
        self._pool.give(self._staging)


def _buffer_of(device: Device, array: np.ndarray[Any, Any]) -> tuple[Buffer, bool]:
    """Return a buffer for an array, and whether it is the array's own memory."""
    if device.limits.shared:
        with contextlib.suppress(LaunchError):
            return device.from_numpy(array, copy=False), True
    return device.empty(array.shape, array.dtype), False


class _Room:
    """Calls a function when a command has ended, and its queue so has room."""

    __slots__ = ("_call", "_done")

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call
        self._done = False

    def wake(self, command: Command) -> None:
        if not self._done:
            self._call()
            self._done = True  # last: where Ctrl-C broke the call off, this is told again


class _Flight:
    """A batch on its device: told when its command has ended, and then when its results came.

    What it is told it may be told twice: Ctrl-C may have broken the first time off anywhere."""

    __slots__ = ("_batch", "_device", "_given", "_landing", "_results", "_work", "command")

    def __init__(
        self,
        work: SubmittedWork,
        batch: Gathered,
        device: Device,
        command: Command,
        results: Any,
        given: Callable[[], None],
    ) -> None:
        self.command = command
        self._work = work
        self._batch = batch
        self._device = device
        self._results = results  # where they are not the command's own
        self._given: Callable[[], None] | None = given  # gives the batch's arrays back
        # What comes of it, and the copies from the device that are on their way, by their ids.
        self._landing: tuple[Any, dict[int, Command]] | None = None

    def wake(self, command: Command) -> None:
        """Take note of a command's end; called by the runtime."""
        if threading.current_thread() is threading.main_thread():  # which Ctrl-C reaches
            self._ended(command)
        else:  # telling all callers and starting the next batch takes a while
            with giving_way:
                self._ended(command)

    def _ended(self, command: Command) -> None:
        try:
            given, self._given = self._given, None
            if given is not None:
                given()
            if command.error is not None:
                self._batch.end(error=command.error)
                return
            if self._landing is None:
                self._fetch()
                return
            arrays, left = self._landing
            left.pop(command.id, None)
            if not left:
                self._land(arrays)
        except QueueFull:
            self._work.when_room(self._device, partial(self._ended, command))
        except Exception as error:
            self._batch.end(error=error)

    def _fetch(self) -> None:
        """Begin to bring the results to the host, where they are not there."""
        results = self.command.output if self._results is None else self._results
        if results is None:
            raise LaunchError(f"{self._work.name}: expected results, and there are none")
        if self._device.limits.shared:
            self._land(mapped(results, give))
            return
        copies: list[Command] = []

        def fetch(leaf: Buffer) -> Command:
            copies.append(self._device.download(leaf))
            return copies[-1]

        fetched = mapped(results, fetch)
        self._landing = fetched, {copy.id: copy for copy in copies}
        for copy in copies:
            if not observe.watch(copy, self):
                self._ended(copy)

    def _land(self, arrays: Any) -> None:
        arrays = mapped(arrays, lambda leaf: leaf.output if isinstance(leaf, Command) else leaf)
        self._batch.end(checked(arrays, self._batch.count, self._work.name))
