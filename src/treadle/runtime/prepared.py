"""A pipeline over buffers: everything that its runs have in common, made once.

In: what was planned, or how to plan it, a buffer for each input and output, parameter values. Out:
one command for each run. Steps are built once and handed over again and again, so that a run costs
no more than one kernel. Scratch belongs to a pool and takes part in the order like any buffer; one
that would wait for another run's scratch gets its own. Runs that are submitted before the plan is
there have scratch beside the pool: it is chosen when they are launched, and by then their place in
the order is settled, which is that of the buffers that they write.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from math import inf
from typing import Any, NamedTuple

from treadle.backends.base import Backend, Replay
from treadle.dtypes import STORED, DType
from treadle.errors import BufferFreed, TreadleError
from treadle.ir.bound import Bound, Spec
from treadle.lang.definition import Definition
from treadle.runtime.buffer import Buffer
from treadle.runtime.caller import caller, theirs
from treadle.runtime.claim import Claim
from treadle.runtime.command import Command
from treadle.runtime.compile import Compiler
from treadle.runtime.memory import BufferLayout, layout
from treadle.runtime.plan import Plan, Planned, Unfused
from treadle.runtime.planning import Allocate, Deferred
from treadle.runtime.priority import NORMAL_RANK, Priority, rank
from treadle.runtime.queue import Queue
from treadle.runtime.quick import done_at_once
from treadle.runtime.registry import done
from treadle.runtime.several import Several

__all__ = ["Planner", "Prepared", "Ready", "Scratch", "Unplanned"]

_BOUNDS_KEPT = 1024
_SETS = 4  # of scratch for one plan, so that as many runs over different buffers may overlap

Empty = Callable[[BufferLayout], Buffer]
Titles = Callable[[tuple[int, ...]], str]  # names recorded stages, for an error


class Scratch:
    """The pieces of memory that runs of one plan keep for what is between their stages."""

    __slots__ = ("_allocate", "_sets", "recording")

    def __init__(self, allocate: Empty) -> None:
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
        self._sets.append(self.aside(pieces))
        return self._sets[-1]

    def aside(self, pieces: Sequence[int]) -> tuple[Buffer, ...]:
        """Make pieces that are not in the pool."""
        made: list[Buffer] = []
        try:
            for nbytes in pieces:
                made.append(self._allocate(layout((nbytes,), DType.U8)))
        except BaseException:
            for piece in made:
                piece.free()
            raise
        return tuple(made)

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


class Ready(NamedTuple):
    """What the runs of a pipeline need to know of its plan."""

    planned: Planned
    scratch: Scratch
    titles: Titles


class Unplanned(NamedTuple):
    """How to plan what is not planned yet; equal patterns stand for the same plan."""

    pattern: Hashable
    make: Callable[[], Ready]


class Planner:
    """What a device does for pipelines."""

    def __init__(self, backend: Backend, queue: Queue, compiler: Compiler, allocate: Empty) -> None:
        self._backend = backend
        self._queue = queue
        self._compiler = compiler
        self._allocate = allocate
        self._bounds: dict[Any, Bound] = {}

    @property
    def compiled(self) -> tuple[tuple[int, int, str], ...]:
        """What was planned and compiled last: start and stop, as perf_counter_ns gives them, and of
        which kernel."""
        return tuple(self._compiler.spans)

    def bind(
        self,
        definition: Definition,
        inputs: tuple[Spec, ...],
        outputs: tuple[Spec, ...] | None,
        key: Hashable,
        values: tuple[float, ...],
        told: tuple[Spec, ...] | None = None,
    ) -> Bound:
        """Bind a definition, and raise LaunchError for what the device cannot compute.

        `told` is what was foretold of its outputs, where it was."""
        pattern = (definition.me, inputs, outputs, key)
        bound = self._bounds.get(pattern)
        if bound is None:
            bound = definition.bind(inputs, outputs, key, values)
            self._compiler.check(definition.name, bound)
            if len(self._bounds) >= _BOUNDS_KEPT:
                self._bounds.clear()
            self._bounds[pattern] = bound
        if told is not None and told != bound.outputs:
            raise TreadleError(
                f"internal: {definition.name} was said to give {told}, and gives {bound.outputs}"
            )
        return bound

    def foretell(
        self,
        definition: Definition,
        inputs: tuple[Spec, ...],
        outputs: tuple[Spec, ...] | None,
        key: Hashable,
    ) -> tuple[Spec, ...] | None:
        """Return the specs of the outputs of a definition that ships, without lowering it; None of
        one that does not, or of one whose like was bound before: binding it takes no longer. Raise
        for what does not fit. None, too, where what the device lacks may be inside a kernel, which
        only lowering can find."""
        limits = self._backend.limits
        if limits.unsupported or not limits.dtypes.issuperset(STORED):
            return None
        if not definition.builtin or (definition.me, inputs, outputs, key) in self._bounds:
            return None
        if definition.known(inputs, outputs, key) is not None:
            return None
        return definition.foretell(inputs, outputs, key)

    def plan(self, asked: Unfused) -> Planned:
        """Fuse stages and have them compiled."""
        return self._compiler.joined(asked)

    def known(self, asked: Unfused) -> Planned | None:
        """Do what plan does where the like was planned before; else return None."""
        return self._compiler.joined_known(asked)

    @property
    def is_here(self) -> bool:
        """Whether the caller runs on the thread that plans: it must not wait for it."""
        return self._compiler.is_here

    def later(
        self,
        name: str,
        inputs: Sequence[Buffer],
        pattern: Hashable,
        make: Callable[[], tuple[Plan, Any]],
        allocate: Allocate,
        prepare: Callable[[Any, Sequence[Buffer]], Prepared],
        priority: Priority | str | None,
    ) -> Command:
        """Enqueue a pipeline over buffers whose outputs only its plan will tell; see Deferred.

        `prepare` gets what was made, and the outputs."""
        regions = [buffer._region() for buffer in inputs]

        def build(
            command: Command, made: Any, outputs: Sequence[Buffer], places: Sequence[Any]
        ) -> Any:
            command._plan = prepared = prepare(made, outputs)
            return prepared.once(command, [*regions, *places])

        code, at = caller(2)
        level = NORMAL_RANK if priority is None else rank(priority)
        command = Command(self._queue, name, code, at, None, None, level)
        here = partial(getattr, self, "is_here")
        follower = Deferred(command, self._queue, build, allocate, here)
        command._steps = partial(follower.steps, command)
        planning = self._compiler.later(follower, pattern, name, make)
        self._queue.submit(command, inputs, None, (planning,))
        return command

    def scratch(self) -> Scratch:
        """Make a pool for the runs of one plan."""
        return Scratch(self._allocate)

    def prepare(self, ready: Ready | Unplanned, **facts: Any) -> Prepared:
        """Make what runs over the same buffers and values share; see Prepared."""
        return Prepared(ready, self._compiler, self._queue, self._backend, **facts)


class Prepared:
    """What every run of a pipeline over the same buffers and values shares."""

    __slots__ = (
        "_asked",
        "_backend",
        "_brief",
        "_buffers",
        "_call",
        "_claim",
        "_compiler",
        "_holds",
        "_name",
        "_once",
        "_queue",
        "_reads",
        "_regions",
        "_result",
        "_scratch",
        "_seconds",
        "_steps",
        "_titles",
        "_values",
        "_writes",
        "planned",
    )

    def __init__(
        self,
        ready: Ready | Unplanned,
        compiler: Compiler,
        queue: Queue,
        backend: Any,
        *,
        name: str,
        buffers: Sequence[Buffer],
        inputs: int,
        values: Callable[[], tuple[float, ...]],
        early: Sequence[int],
        result: Any,
        holds: object,
    ) -> None:
        """`buffers` has one for each of `inputs` and each output; `values` gives those of the
        parameters, once stages are bound; `early` lists the slots whose contents from before the
        run are read; `holds` keeps alive what its plan calls, which the plan does not."""
        self._holds = holds
        self._compiler = compiler
        self._queue = queue
        self._backend = backend
        self._name = name
        self._buffers = tuple(buffers)
        self._values = values
        self._result = result
        self._reads = tuple([buffers[slot] for slot in early])
        self._writes = tuple(buffers[inputs:])
        # What runs share, by what it is. Two of them may make it at the same time, or a finalizer's
        # while another one does: the first that is put here counts, and no run waits for another.
        self._once: dict[str, Any] = {}
        self._regions: list[Any] | None = None
        self._steps: Any = None
        self._call: Callable[[], object] | None = None  # that does them at once, where that can be
        self._brief: Callable[[], object] | None = None  # the same, if it may be one of many
        self._seconds = inf  # that they take, where they may be launched by their submitter
        self._claim: Claim | None = None  # made once the first run has chosen scratch
        self._asked: Unplanned | None = None
        self.planned: Planned | None = None
        self._scratch: Any = None
        self._titles: Any = None
        if isinstance(ready, Ready):
            self._take(ready)
        else:
            self._asked = ready

    def _take(self, ready: Ready) -> None:
        """Take over what was planned; once or again makes no difference."""
        self._titles, self._scratch = ready.titles, ready.scratch
        self.planned = ready.planned  # after those: a run that sees it relies on them
        self._asked = None  # it refers to the pipeline, which refers to this

    def submit_among(self, several: Several, priority: Priority | str | None = None) -> Command:
        """Make the command of a run that is to be enqueued with others."""
        level = NORMAL_RANK if priority is None else rank(priority)
        call, claim, queue, steps = self._brief, self._claim, self._queue, self._steps
        command = Command(queue, self._name, *several.where, self._result, steps, level)
        command._plan = self
        if steps and claim is not None:
            command._claim = claim
            if claim.freed or not claim.live:
                self._check_open()
            several.submit(command, self._reads, self._writes, None, call)
        else:
            self._first(command, several)
        return command

    def submit(self, priority: Priority | str | None = None, *, blocks: bool = False) -> Command:
        """Enqueue a run and return its command; `blocks` says that the caller waits for it."""
        frame = sys._getframe(2)
        code, at = frame.f_code, frame.f_lasti
        if code.co_filename not in theirs:  # run() and others of ours; most often it is the user's
            code, at = caller(2)
        level = NORMAL_RANK if priority is None else rank(priority)
        call, claim, queue = self._call, self._claim, self._queue
        if call is not None and done_at_once(queue, call, claim, self._reads, self._writes):
            return done(queue, (self._name, code, at, self._result), self._writes)
        steps = self._steps  # read once: another thread's first run may make them meanwhile
        if self._seconds < inf and level == NORMAL_RANK and claim is not None:
            about = self._name, code, at, self._result
            quick: Any = queue.quick
            brief: Command | None = quick.launch(
                steps, self._seconds, about, claim, self._reads, self._writes, self
            )
            if brief is not None:
                return brief
        command = Command(queue, self._name, code, at, self._result, steps, level)
        command._plan = self
        command._blocks = blocks
        if steps and claim is not None:
            command._claim = claim
            if claim.live and not claim.freed:
                queue.submit(command, self._reads, self._writes)
                return command
        self._first(command, queue)
        return command

    def _first(self, command: Command, into: Queue | Several) -> None:
        """Enqueue a run with everything that later ones need not do."""
        self._check_open()
        asked = self._asked  # before looking: it goes when the plan has come
        if self.planned is None and asked is not None:
            self._later(command, asked, into)
            return
        assert self.planned is not None
        plan = self.planned.plan
        programs: Any = None
        if command._steps is None:
            if self._regions is None:
                placed = self._once.setdefault("placed", self._placed())
                self._writes, self._claim, self._regions = placed
            programs = plan.programs
            if programs is None:
                command._steps = self._made()
            else:
                command._steps = self._made
                self._compiler.awaited(plan)
        into.submit(command, self._reads, self._writes, programs)

    def _check_open(self) -> None:
        for buffer in self._buffers:
            if buffer._storage.region is None:
                raise BufferFreed(f"pipeline {self._name!r}: {buffer!r} was used after free()")

    def _later(self, command: Command, asked: Unplanned, into: Queue | Several) -> None:
        """Enqueue a run whose plan is still to be made."""
        regions = [buffer._region() for buffer in self._buffers]

        def make() -> tuple[Plan, Any]:
            ready = asked.make()
            self._take(ready)
            return ready.planned.plan, ready

        def build(command: Command, ready: Ready, *_: Any) -> Any:
            self._take(ready)
            return self.once(command, regions)

        follower = Deferred(command, self._queue, build)
        command._steps = partial(follower.steps, command)
        planning = self._compiler.later(follower, asked.pattern, self._name, make)
        into.submit(command, self._reads, self._writes, (planning,))

    def once(self, command: Command, regions: Sequence[Any]) -> Any:
        """Build the steps of a run that was placed before its plan was made: over these regions,
        and scratch that is shared by such runs alone, which come one after the other because they
        write the same buffers."""
        planned = self.planned
        assert planned is not None
        pieces = self._once.get("aside")
        if pieces is None:
            pieces = self._once.setdefault("aside", self._scratch.aside(planned.pieces))
        command._scratch = tuple([piece._storage for piece in pieces])
        every = [*regions, *[piece._region() for piece in pieces], *planned.plan.constants]
        return planned.plan.steps(every, self._values(), ())

    def _placed(self) -> tuple[tuple[Buffer, ...], Claim, list[Any]]:
        """What runs write, scratch chosen; a claim to it; a region for every slot of the plan."""
        planned = self.planned
        assert planned is not None
        self._once.pop("aside", None)  # those runs that have it keep it
        writes = self._writes
        regions: list[Any] = [buffer._region() for buffer in self._buffers]
        if planned.pieces:
            pieces = self._scratch.take(planned.pieces)
            writes += pieces
            regions += [piece._region() for piece in pieces]
        regions += planned.plan.constants
        return writes, Claim(self._reads, writes), regions

    def _made(self) -> Any:
        """Build the steps; where the backend records sequences, as one replay of them."""
        if self._steps is None:  # else another run that waited for the compiler was first
            steps = self._once.setdefault("steps", self._built())
            at_once = getattr(self._backend, "at_once", None)
            if at_once is not None and type(steps) is tuple:
                self._call = at_once(steps, False)
                self._brief = at_once(steps, True)
            self._steps = steps
            quick = self._queue.quick
            if quick is not None:
                self._seconds = quick.seconds(steps)
        return self._steps

    def _built(self) -> Any:
        assert self._regions is not None
        assert self.planned is not None
        steps: Any = self.planned.plan.steps(self._regions, self._values(), ())
        record = getattr(self._backend, "record", None)
        scratch = self._scratch
        if record is not None and type(steps) is tuple and steps:
            if scratch.recording is None:
                made = record(steps)
                scratch.recording = False if made is None else made
            if scratch.recording is not False:
                steps = (Replay(scratch.recording, steps),)
        return steps

    # What the queue asks when a run fails.

    def title(self, index: int | None) -> str:
        """Name the stages that step `index` does."""
        planned = self.planned
        place = None if planned is None or index is None else planned.plan.stage_of(index)
        if planned is None or place is None:
            return ""
        group = planned.plan.numbers[place]
        which = f", group {group + 1} of {len(planned.groups)}"
        return f", {self._titles(planned.groups[group])}{which},"

    def completed(self, index: int | None) -> frozenset[Any]:
        """Return the outputs that were complete when step `index` failed.

        What it or a later step was to write may overlap them."""
        planned = self.planned
        place = None if planned is None or index is None else planned.plan.stage_of(index)
        if planned is None or place is None:
            return frozenset()
        stages, buffers = planned.plan.stages, len(self._buffers)
        early = {slot for stage in stages[:place] for slot in stage.writes if slot < buffers}
        late = {slot for stage in stages[place:] for slot in stage.writes}
        return frozenset(self._place(slot) for slot in early - late)

    def _place(self, slot: int) -> tuple[Any, int, int]:
        buffer = self._buffers[slot]
        return buffer._storage, buffer._low, buffer._high
