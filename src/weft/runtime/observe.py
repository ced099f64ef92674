"""What is recorded while a trace is on: each command, each access by the host, each phase.

In: calls from the queue, with commands as they are submitted, launched and ended, and from streams.
Out: a list of records. `alert` is false unless somebody wants to know, and that is all that anyone
asks then. Nothing is drawn, written or aligned here: fences give times on the host's clock.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, replace
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from weft.backends.base import Replay, Step

if TYPE_CHECKING:
    from weft.runtime.command import Command

__all__ = ["Record", "Recorder", "attend", "noting", "record", "submitted"]


@dataclass(slots=True)
class Record:
    """Something that happened, in nanoseconds of time.perf_counter_ns().

    `submit` to `launch` it waited for others, `start` to `stop` it ran, at `end` that was known."""

    kind: str  # command, group (of a command's), transfer, host or phase
    label: str  # a kernel's name, or upload, download, read, write, prepare, ...
    device: str
    number: int  # the command's id, or the batch
    submit: int
    launch: int = 0
    start: int = 0
    stop: int = 0
    end: int = 0
    lane: str = ""
    nbytes: int = 0
    status: str = ""
    steps: int = 0
    rank: int = 1
    batch: int = -1  # of the stream it belongs to, if any


class Recorder:
    """Collects records until its trace ends; any thread may call it."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._open: dict[Command, Record] = {}
        self._fences: dict[Command, Any] = {}
        self._names: dict[Command, list[str]] = {}  # of the steps of a replay
        self._here = threading.local()

    # Commands. A recorder waits for a command's end like anyone else does.

    def submitted(self, command: Command) -> None:
        """Take note of a command before anyone else can know it."""
        record = Record("command", command._label, command.device, 0, perf_counter_ns())
        record.rank = command._rank
        record.batch = getattr(self._here, "batch", -1)
        self._open[command] = record
        command._waiters = [self]

    def launching(self, device: str, launch: Callable[..., Any]) -> Callable[..., Any]:
        """Return a backend's launch that takes note of what passes through."""

        def noting(steps: Any, done: Any, **options: Any) -> Any:
            command = done.__self__
            record = self._open.get(command)
            if record is None:  # submitted before the trace began
                return launch(steps, done, **options)
            if steps and isinstance(steps[0], Replay):
                steps_done = steps[0].steps
                self._names[command] = [_name(step) for step in steps_done]
                record.steps = len(steps_done)
            else:
                record.steps = len(steps)
            record.nbytes = _nbytes(command)

            def noted(fence: Any) -> None:
                self._fences[command] = fence
                done(fence)

            record.launch = perf_counter_ns()
            fence = launch(steps, noted, **options)
            if command in self._open:
                self._fences[command] = fence
            return fence

        return noting

    def wake(self, command: Command) -> None:
        """Take note of a command's end."""
        now = perf_counter_ns()
        record = self._open.pop(command, None)
        fence = self._fences.pop(command, None)
        names = self._names.pop(command, [])
        if record is None:
            return
        record.number = command.id
        record.end = now
        record.status = str(command._status)
        times = command.times
        if times is not None:
            record.kind = "transfer"
            record.launch = times[0]
        elif fence is not None:
            ask = getattr(fence, "times", None)
            times = ask() if ask is not None else None
            record.lane = str(getattr(fence, "lane", ""))
            if times is not None:
                command._times = times
        record.launch = record.launch or now  # it never was
        record.start, record.stop = times or (record.launch, now)
        self.records.append(record)
        ask = getattr(fence, "parts", None)
        parts = ask() if ask is not None else None
        if parts is not None and len(parts) == len(names):
            group = replace(record, kind="group", nbytes=0, steps=1)
            self.records += [
                replace(group, label=name, start=start, stop=stop)
                for name, (start, stop) in zip(names, parts, strict=True)
            ]

    # The host's turns.

    def asked(self, node: Command) -> None:
        """Take note that the host wants to touch a buffer."""
        record = Record("host", node._label, node.device, 0, perf_counter_ns())
        self._open[node] = record

    def entered(self, node: Command) -> None:
        """Take note that it may."""
        record = self._open.get(node)
        if record is not None:
            record.launch = record.start = perf_counter_ns()
            record.nbytes = _nbytes(node)

    def left(self, node: Command, error: BaseException | None) -> None:
        """Take note that it has."""
        record = self._open.pop(node, None)
        if record is not None and record.start:
            record.number = node.id
            record.stop = record.end = perf_counter_ns()
            record.status = "completed" if error is None else "failed"
            self.records.append(record)

    # Streams.

    def phase(
        self, stream: str, label: str, batch: int, start: int, stop: int, nbytes: int = 0
    ) -> None:
        """Take note of what a stream did with a batch."""
        record = Record("phase", label, stream, batch, start, start, start, stop, stop, label)
        record.batch = batch
        record.nbytes = nbytes
        self.records.append(record)

    def working_on(self, batch: int) -> None:
        """Say which batch of a stream this thread's commands belong to; -1: none."""
        self._here.batch = batch


def _name(step: Any) -> str:
    kernel: str = step.program.kernel.name if isinstance(step, Step) else "copy"
    return kernel.removeprefix("_")


def _nbytes(command: Command) -> int:
    return sum(entry[2] - entry[1] for entry in (*command._reads, *command._writes))


active: Recorder | None = None
_noting: ContextVar[list[weakref.ref[Command]] | None] = ContextVar("weft_noting", default=None)
_noters = 0
_lock = threading.Lock()
alert = False  # whether anybody wants to know what is submitted: all that submit asks


def submitted(command: Command) -> None:
    """Tell whoever wants to know about a command that is about to be enqueued."""
    if active is not None:
        active.submitted(command)
    noted = _noting.get()
    if noted is not None:
        noted.append(weakref.ref(command))


def record(recorder: Recorder | None) -> None:
    """Have everything recorded from now on, or nothing."""
    global active, alert
    with _lock:
        active = recorder
        alert = active is not None or _noters > 0


def attend(more: int) -> None:
    """Count those who will use `noting`: 1 for one more, -1 for one less."""
    global _noters, alert
    with _lock:
        _noters += more
        alert = active is not None or _noters > 0


class noting:
    """Collect references to the commands that a with block submits, in tasks begun there too.

    Between attend(1) and attend(-1) only. Commands that have ended may be gone from it."""

    def __init__(self, into: list[weakref.ref[Command]]) -> None:
        self._into = into
        self._token: Any = None

    def __enter__(self) -> None:
        self._token = _noting.set(self._into)

    def __exit__(self, *_: object) -> None:
        _noting.reset(self._token)
