"""A planned pipeline over buffers: everything that its runs have in common, made once.

In: a Planned, a buffer for each input and output, parameter values. Out: one command for each run.
Steps are built once and handed over again and again, so that a run costs no more than one kernel.
Scratch belongs to a pool and takes part in the order like any buffer; a run that would wait for
another one's scratch gets its own.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from treadle.backends.base import Backend, Replay
from treadle.dtypes import DType
from treadle.errors import BufferFreed
from treadle.ir.bound import Bound, Spec
from treadle.lang.definition import Definition
from treadle.runtime.buffer import Buffer
from treadle.runtime.claim import Claim
from treadle.runtime.command import PACKAGE, Command, caller
from treadle.runtime.compile import Compiler
from treadle.runtime.memory import Layout, layout
from treadle.runtime.plan import Planned
from treadle.runtime.priority import NORMAL_RANK, Priority, rank
from treadle.runtime.queue import Queue

__all__ = ["Planner", "Prepared", "Scratch"]

_BOUNDS_KEPT = 1024
_SETS = 4  # of scratch for one plan, so that as many runs over different buffers may overlap

Allocate = Callable[[Layout], Buffer]
Titles = Callable[[tuple[int, ...]], str]  # names recorded stages, for an error


class Scratch:
    """The pieces of memory that runs of one plan keep for what is between their stages."""

    __slots__ = ("_allocate", "_sets", "recording")

    def __init__(self, allocate: Allocate) -> None:
        self._allocate = allocate
        self._sets: list[tuple[Buffer, ...]] = []
        self.recording: Any = None  # what the backend made of the plan's steps; False: nothing

    def take(self, pieces: Sequence[int]) -> tuple[Buffer, ...]:
        """Return pieces that no run in flight uses, made now if need be; where there are many
        already, some that will be free: scratch keeps the order like any buffer."""
        for known in self._sets:
            if not any(piece._storage.busy for piece in known):
                return known
        if len(self._sets) >= _SETS:
            self._sets.append(self._sets.pop(0))
            return self._sets[-1]
        made: list[Buffer] = []
        try:
            for nbytes in pieces:
                made.append(self._allocate(layout((nbytes,), DType.U8)))
        except BaseException:
            for piece in made:
                piece.free()
            raise
        self._sets.append(tuple(made))
        return self._sets[-1]

    @property
    def nbytes(self) -> int:
        """Bytes held now."""
        return sum(piece.size for pieces in self._sets for piece in pieces)

    def free(self) -> None:
        """Let go of everything; what is in flight keeps its pieces until it ends."""
        sets, self._sets = self._sets, []
        self.recording = None
        for pieces in sets:
            for piece in pieces:
                piece.free()


class Planner:
    """What a device does for pipelines."""

    def __init__(
        self, backend: Backend, queue: Queue, compiler: Compiler, allocate: Allocate
    ) -> None:
        self._backend = backend
        self._queue = queue
        self._compiler = compiler
        self._allocate = allocate
        self._bounds: dict[Any, Bound] = {}

    @property
    def compiled(self) -> tuple[tuple[int, int], ...]:
        """When the last programs were compiled: start and stop, as perf_counter_ns gives them."""
        return tuple(self._compiler.spans)

    def bind(
        self,
        definition: Definition,
        inputs: tuple[Spec, ...],
        outputs: tuple[Spec, ...] | None,
        key: Hashable,
        values: tuple[float, ...],
    ) -> Bound:
        """Bind a definition, and raise LaunchError for what the device cannot compute."""
        pattern = (definition, inputs, outputs, key)
        bound = self._bounds.get(pattern)
        if bound is None:
            bound = definition.bind(inputs, outputs, key, values)
            self._compiler.check(definition.name, bound)
            if len(self._bounds) >= _BOUNDS_KEPT:
                self._bounds.clear()
            self._bounds[pattern] = bound
        return bound

    def plan(
        self,
        name: str,
        bound: Bound,
        *,
        cuts: tuple[int, ...],
        shared: frozenset[tuple[int, int]],
        values: tuple[float, ...],
        tolerance: float = 0.0,
    ) -> Planned:
        """Fuse stages and have them compiled; see Compiler.joined."""
        return self._compiler.joined(name, bound, cuts, shared, values, tolerance)

    def scratch(self) -> Scratch:
        """Make a pool for the runs of one plan."""
        return Scratch(self._allocate)

    def prepare(self, planned: Planned, scratch: Scratch, **facts: Any) -> Prepared:
        """Make what runs over the same buffers and values share; see Prepared."""
        return Prepared(planned, self._compiler, self._queue, self._backend, scratch, **facts)


class Prepared:
    """What every run of a pipeline over the same buffers and values shares."""

    __slots__ = (
        "_backend",
        "_buffers",
        "_claim",
        "_compiler",
        "_lock",
        "_name",
        "_queue",
        "_reads",
        "_regions",
        "_result",
        "_scratch",
        "_steps",
        "_titles",
        "_values",
        "_writes",
        "planned",
    )

    def __init__(
        self,
        planned: Planned,
        compiler: Compiler,
        queue: Queue,
        backend: Any,
        scratch: Scratch,
        *,
        name: str,
        buffers: Sequence[Buffer],
        values: tuple[float, ...],
        early: Sequence[int],
        result: Any,
        titles: Titles,
    ) -> None:
        """`buffers` has one for each input and output; `early` lists the slots whose contents from
        before the run are read."""
        self.planned = planned
        self._compiler = compiler
        self._queue = queue
        self._backend = backend
        self._scratch = scratch
        self._name = name
        self._buffers = tuple(buffers)
        self._values = values
        self._result = result
        self._titles = titles
        self._reads = tuple([buffers[slot] for slot in early])
        self._writes = tuple(buffers[len(planned.bound.inputs) :])
        self._lock = threading.RLock()  # of what the first run makes; a finalizer may be another
        self._regions: list[Any] | None = None
        self._steps: Any = None
        self._claim: Claim | None = None  # made once the first run has chosen scratch

    def submit(self, priority: Priority | str | None = None) -> Command:
        """Enqueue a run and return its command."""
        frame = sys._getframe(2)
        code, at = frame.f_code, frame.f_lasti
        if code.co_filename.startswith(PACKAGE):  # run() and others of ours; most often it is not
            code, at = caller(3)
        level = NORMAL_RANK if priority is None else rank(priority)
        steps = self._steps  # read once: another thread's first run may make them meanwhile
        command = Command(self._queue, self._name, code, at, self._result, steps, level)
        command._plan = self
        claim = self._claim
        if steps and claim is not None:
            command._claim = claim
            if claim.live and not claim.freed:
                self._queue.submit(command, self._reads, self._writes)
                return command
        self._first(command)
        return command

    def _first(self, command: Command) -> None:
        """Enqueue a run with everything that later ones need not do."""
        for buffer in self._buffers:
            if buffer._storage.region is None:
                raise BufferFreed(f"pipeline {self._name!r}: {buffer!r} was used after free()")
        plan = self.planned.plan
        programs: Any = None
        if command._steps is None:
            with self._lock:
                if self._regions is None:
                    self._regions = self._placed()
                    self._claim = Claim(self._reads, self._writes)
            programs = plan.programs
            if programs is None:
                command._steps = self._made()
            else:
                command._steps = self._made
                self._compiler.awaited()
        self._queue.submit(command, self._reads, self._writes, programs)

    def _placed(self) -> list[Any]:
        """A region for every slot of the plan, scratch chosen."""
        planned = self.planned
        regions: list[Any] = [buffer._region() for buffer in self._buffers]
        if planned.pieces:
            pieces = self._scratch.take(planned.pieces)
            self._writes += pieces
            regions += [piece._region() for piece in pieces]
        regions += planned.plan.constants
        return regions

    def _made(self) -> Any:
        """Build the steps; where the backend records sequences, as one replay of them."""
        with self._lock:
            if self._steps is None:  # else another run that waited for the compiler was first
                self._steps = self._built()
            return self._steps

    def _built(self) -> Any:
        assert self._regions is not None
        steps: Any = self.planned.plan.steps(self._regions, self._values, ())
        record = getattr(self._backend, "record", None)
        scratch = self._scratch
        if record is not None and steps:
            if scratch.recording is None:
                made = record(steps)
                scratch.recording = False if made is None else made
            if scratch.recording is not False:
                steps = (Replay(scratch.recording, steps),)
        return steps

    # What the queue asks when a run fails.

    def title(self, index: int | None) -> str:
        """Name the stages that step `index` does."""
        plan = self.planned.plan
        if index is None or not 0 <= index < len(plan.numbers):
            return ""
        group = plan.numbers[index]
        which = f", group {group + 1} of {len(self.planned.groups)}"
        return f", {self._titles(self.planned.groups[group])}{which},"

    def completed(self, index: int | None) -> frozenset[Any]:
        """Return the outputs that were complete when step `index` failed.

        What it or a later step was to write may overlap them."""
        if index is None or not 0 <= index < len(self.planned.plan.stages):
            return frozenset()
        stages = self.planned.plan.stages
        buffers = len(self._buffers)
        early = {slot for stage in stages[:index] for slot in stage.writes if slot < buffers}
        late = {slot for stage in stages[index:] for slot in stage.writes}
        return frozenset(self._place(slot) for slot in early - late)

    def _place(self, slot: int) -> tuple[Any, int, int]:
        buffer = self._buffers[slot]
        return buffer._storage, buffer._low, buffer._high
