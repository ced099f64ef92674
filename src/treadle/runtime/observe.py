"""What is recorded while a trace is on: each command, each access by the host, each phase.

In: calls from the queue, with commands as they are submitted, launched and ended, and from streams.
Out: a list of records. `alert` is false unless a recorder or a stream wants to know, and a submit
asks no more than that then. What is noted while work runs are tuples of what was at hand; records
are made of them when the trace is read. Nothing is drawn, written or aligned here: fences give
times on the host's clock.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

from treadle.backends.base import Replay, Step
from treadle.data import dataclass

if TYPE_CHECKING:
    from treadle.runtime.command import Command
    from treadle.runtime.waiters import Waiter

__all__ = ["Record", "Recorder", "attend", "noting", "record", "submitted", "watch"]


@dataclass(slots=True)
class Record:
    """Something that happened, in nanoseconds of time.perf_counter_ns().

    `submit` to `launch` it waited for others, `start` to `stop` it ran, at `end` that was known."""

    kind: str  # command, group (of a command's), transfer, host, compile or phase
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
    """Collects records until its trace ends; any thread may call it.

    It is called on the thread that launches and on the one that a device's end of work wakes, where
    every moment delays what comes next."""

    def __init__(self, *, gives_way: bool = False) -> None:
        """`gives_way` says that another may take its place."""
        self.gives_way = gives_way
        self._open: dict[Command, Any] = {}  # a list: submit, batch, label, launch, bytes, steps
        self._fences: dict[Command, Any] = {}
        self._names: dict[Command, list[str]] = {}  # of the steps of a replay
        self._here = threading.local()
        self._ended: list[tuple[Any, ...]] = []  # the fields of a Record
        self._phases: list[tuple[str, int, list[Any]]] = []  # stream, batch, what was done with it

    @property
    def records(self) -> list[Record]:
        """What has ended so far."""
        return _records(self._ended[:], self._phases[:])

    @property
    def count(self) -> int:
        """How many commands and batches of streams have ended so far."""
        return len(self._ended) + len(self._phases)

    def newer(self, moment: int) -> list[Record]:
        """What has ended since a moment; what is older is not looked at."""
        ended, batches = self._ended, self._phases
        first, last = len(ended), len(batches)
        while first and ended[first - 1][_END] > moment:
            first -= 1
        while last and batches[last - 1][2] and batches[last - 1][2][-1][2] > moment:
            last -= 1
        return _records(ended[first:], batches[last:])

    # Commands. A recorder waits for a command's end like every other waiter.

    def submitted(self, command: Command) -> None:
        """Take note of a command before another thread can know it."""
        batch = getattr(self._here, "batch", -1)
        self._open[command] = [perf_counter_ns(), batch, command._label, 0, 0, 0]
        command._waiters.append(self)

    def launching(self, device: str, launch: Callable[..., Any]) -> Callable[..., Any]:
        """Return a backend's launch that takes note of what passes through."""
        opened, fences = self._open, self._fences

        def noting(steps: Any, done: Any, **options: Any) -> Any:
            command = done.__self__
            noted = opened.get(command)
            if noted is None:  # submitted before the trace began
                return launch(steps, done, **options)
            if steps and isinstance(steps[0], Replay):
                replayed = steps[0].steps
                self._names[command] = [_name(step) for step in replayed]
                noted[4], noted[5] = _nbytes(command), len(replayed)
            else:
                noted[4], noted[5] = _nbytes(command), len(steps)

            def ended(fence: Any) -> None:
                fences[command] = fence
                done(fence)

            noted[3] = perf_counter_ns()
            fence = launch(steps, ended, **options)
            if command in opened:
                fences[command] = fence
            return fence

        return noting

    def started(self, command: Command, fence: Any, steps: int) -> None:
        """Take note of a command that a thread of the host's has in hand."""
        noted = self._open.get(command)
        if noted is not None:
            noted[3:6] = perf_counter_ns(), _nbytes(command), steps
            self._fences[command] = fence

    def wake(self, command: Command) -> None:
        """Take note of a command's end."""
        now = perf_counter_ns()
        noted = self._open.pop(command, None)
        fence = self._fences.pop(command, None)
        names = self._names.pop(command, [])
        if noted is None:
            return
        submit, batch, label, launch, nbytes, steps = noted
        times = command.times
        kind, lane = "command", ""
        if times is not None or command._carried:
            kind, launch = "transfer", launch or (times[0] if times else 0)
        elif fence is not None:
            ask = getattr(fence, "times", None)
            times = ask() if ask is not None else None
            lane = str(getattr(fence, "lane", ""))
            if times is not None:
                command._times = times
        launch = launch or now  # it never was
        start, stop = times or (launch, now)

        def note(what: str, name: str, start: int, stop: int, nbytes: int, steps: int) -> None:
            fields = (what, name, command.device, command.id, submit, launch, start, stop, now)
            last = (lane, nbytes, command._status, steps, command._rank, batch)
            self._ended.append((*fields, *last))

        note(kind, label, start, stop, nbytes, steps)
        ask = getattr(fence, "parts", None)
        parts = ask() if ask is not None else None
        if parts is not None and len(parts) == len(names):
            for name, (began, ended) in zip(names, parts, strict=True):
                note("group", name, began, ended, 0, 1)

    # The host's turns.

    def asked(self, node: Command) -> None:
        """Take note that the host wants to touch a buffer."""
        self._open[node] = [perf_counter_ns(), 0, 0]

    def entered(self, node: Command) -> None:
        """Take note that it may."""
        noted = self._open.get(node)
        if noted is not None:
            noted[1], noted[2] = perf_counter_ns(), _nbytes(node)

    def left(self, node: Command, error: BaseException | None) -> None:
        """Take note that it has."""
        noted = self._open.pop(node, None)
        if noted is not None and noted[1]:
            now = perf_counter_ns()
            submit, start, nbytes = noted
            fields = ("host", node._label, node.device, node.id, submit, start, start, now, now)
            self._ended.append((*fields, "", nbytes, "completed" if error is None else "failed"))

    # The compiler's thread.

    def compiled(self, device: str, name: str, start: int, stop: int) -> None:
        """Take note that something was planned or compiled, and when."""
        fields = ("compile", name, device, 0, start, start, start, stop, stop)
        self._ended.append((*fields, "", 0, "completed"))

    # Streams.

    def phases(self, stream: str, batch: int, phases: list[tuple[str, int, int]]) -> None:
        """Take note of what a stream did with a batch: names, starts and stops."""
        self._phases.append((stream, batch, phases))

    def working_on(self, batch: int) -> None:
        """Say which batch of a stream this thread's commands belong to; -1: none."""
        self._here.batch = batch


_END = 8  # where the fields of a record say when it was known to have ended


def _records(ended: list[tuple[Any, ...]], batches: list[Any]) -> list[Record]:
    """Records of what was noted of commands and of the batches of streams."""
    found = [Record(*fields) for fields in ended]
    for record in found:
        record.status = str(record.status)
    for stream, batch, phases in batches:
        for label, start, stop in phases:
            record = Record("phase", label, stream, batch, start, start, start, stop, stop)
            record.lane, record.batch = label, batch
            found.append(record)
    return found


def _name(step: Any) -> str:
    kernel: str = step.program.kernel.name if isinstance(step, Step) else "copy"
    return kernel.removeprefix("_")


def _nbytes(command: Command) -> int:
    total = 0
    for entry in command._reads:
        total += entry[2] - entry[1]
    for entry in command._writes:
        total += entry[2] - entry[1]
    return total


active: Recorder | None = None
_noting: ContextVar[list[weakref.ref[Command]] | None] = ContextVar("treadle_noting", default=None)
_noters: set[object] = set()  # who will use `noting`
_lock = threading.RLock()  # a finalizer may close a stream, inside it too
alert = False  # whether a recorder or a noter wants to know what is submitted: all that submit asks


def submitted(command: Command) -> None:
    """Tell the recorder and the noter, if any, about a command that is about to be enqueued."""
    if active is not None:
        active.submitted(command)
    noted = _noting.get()
    if noted is not None:
        noted.append(weakref.ref(command))


def watch(command: Command, waiter: Waiter) -> bool:
    """Have a waiter woken when a command has ended, by the thread that ends it; false if it has.

    What ends at this very moment may do both."""
    if not command._watch(waiter):
        return False
    command._owner.waits.hasten()
    return True


def record(recorder: Recorder | None) -> None:
    """Have everything recorded from now on, or nothing."""
    global active, alert
    with _lock:
        active = recorder
        alert = not (active is None and not _noters)  # without a call, in which one could come


def attend(who: object, wanted: bool) -> None:
    """Say that `who` will use `noting`, or will no longer; once or again makes no difference."""
    global alert
    with _lock:
        if wanted:
            _noters.add(who)
        else:
            _noters.discard(who)
        alert = not (active is None and not _noters)  # without a call, in which one could come


class noting:
    """Collect references to the commands that a with block submits, in tasks begun there too.

    For those who `attend` only. Commands that have ended may be gone from it."""

    def __init__(self, into: list[weakref.ref[Command]]) -> None:
        self._into = into
        self._token: Any = None

    def __enter__(self) -> None:
        self._token = _noting.set(self._into)

    def __exit__(self, *_: object) -> None:
        _noting.reset(self._token)
