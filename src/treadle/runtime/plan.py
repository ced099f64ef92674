"""Bound definitions as steps: which region goes where, and what in-place work needs on the side.

In: a Bound, its programs, and buffers. Out: the steps of one launch. A plan is made once for each
pattern of shapes and dtypes and used for every submit of it. It neither compiles nor launches.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from treadle.backends.base import Copy, Program, Region, Step
from treadle.errors import LaunchError
from treadle.ir.bound import Bound
from treadle.ir.host_call import HostCall
from treadle.ir.repeat import reads_of
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.hosted import HostedSteps
from treadle.runtime.looped import Looped
from treadle.runtime.memory import BufferLayout, Ledger, Storage, layout

if TYPE_CHECKING:
    from treadle.ir.nodes import Kernel
    from treadle.ir.repeat import Loop
    from treadle.ir.schedule import Schedule
    from treadle.passes.fixed import Choice
    from treadle.passes.uniform import Hoisted

__all__ = [
    "PIECE_ALIGN",
    "Compiled",
    "Plan",
    "Planned",
    "Unfused",
    "disjoint",
    "overlap",
    "set_aside",
]

Values = tuple[float, ...]
Pieces = dict[int, tuple[int, int]]  # slots that lie in others: which, and from which byte on
Shared = tuple[int, int, bool]  # an output, an input that shares bytes with it, whether all of them

_VALUES_KEPT = 64  # of the parameters of a stage
PIECE_ALIGN = 256  # bytes; where every device lets a region start

_new: Any = tuple.__new__  # makes a NamedTuple in half the time


class Unfused(NamedTuple):
    """The stages of a pipeline as they were joined, and what else a plan of them depends on."""

    name: str  # pipelines that differ in it alone share a plan
    bound: Bound
    cuts: tuple[int, ...]  # stages before which nothing is fused
    shared: frozenset[tuple[int, int]]  # slots whose buffers overlap
    values: Values  # the parameters'; a plan depends on them only where there is a tolerance
    tolerance: float = 0.0


class Compiled:
    """A kernel's program: not there yet, there, or failed. The queue's holder changes it."""

    __slots__ = ("error", "hoisted", "kernel", "program", "room", "taken", "waiting")

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.hoisted: Hoisted | None = None  # what its program takes instead of its parameters
        # What that was for values given before; plans for other sizes mostly take the same.
        self.taken: dict[Hashable, Values] = {}
        self.room = _VALUES_KEPT
        self.program: Program | None = None
        self.error: BaseException | None = None
        self.waiting: dict[Command, bool] = {}  # commands that cannot run without it

    @property
    def missing(self) -> bool:
        """Whether it is still to be compiled."""
        return self.program is None and self.error is None

    def settle(self, program: Program | None, error: BaseException | None) -> None:
        """Take note of the program, or of why there is none."""
        self.program, self.error = program, error


class _Stage:
    """One kernel of a plan, with everything that does not change between submits."""

    __slots__ = (
        "_last",
        "_room",
        "compiled",
        "dims",
        "fixed",
        "grows",
        "kernel",
        "order",
        "picks",
        "reads",
        "slots",
        "writes",
    )

    def __init__(
        self,
        stage: Any,
        reads: tuple[int, ...],
        compiled: Compiled,
        values: int,
        pieces: Pieces,
    ) -> None:
        self.kernel: Kernel = stage.kernel
        self.compiled = compiled
        self.dims: tuple[int, ...] = stage.dims
        self.reads = reads
        # What it changes: of a piece, the whole that the piece is of.
        self.writes: tuple[int, ...] = tuple([pieces.get(w, (w, 0))[0] for w in stage.writes])
        self.slots: tuple[int, ...] = (*stage.writes, *stage.reads)
        slots = self.slots
        # itemgetter of a single item gives the item and not a tuple
        self.order: Any = itemgetter(*slots) if len(slots) > 1 else lambda r, i=slots[0]: (r[i],)
        self.fixed: Values | None = stage.fixed
        self.grows: Values = stage.grows
        whole = stage.picks == tuple(range(values))
        self.picks: tuple[int, ...] | None = None if whole else stage.picks
        self._last: tuple[Values | None, Values] = None, ()  # given, and taken by the program

    def step(self, regions: Sequence[Region], values: Values) -> Step:
        """Return it as a step of a launch, with a region for each slot of the plan."""
        if self.fixed is not None or self.picks is not None:
            values = self.given(values)
        if self.compiled.hoisted is not None:
            values = self.taken(values)
        step: Step = _new(Step, (self.compiled.program, self.order(regions), self.dims, values))
        return step

    def given(self, values: Values) -> Values:
        """Return the values of the kernel's parameters, of those of a launch."""
        if self.fixed is not None:
            return self.fixed
        return values if self.picks is None else tuple([values[i] for i in self.picks])

    def taken(self, values: Values) -> Values:
        """Return what the program takes for values of the kernel's parameters."""
        if self.compiled.hoisted is None:
            return values
        given, made = self._last
        return made if given is values else self._computed(self.compiled.hoisted, values)

    def keep(self, count: int) -> None:
        """Have room for what the program takes in so many turns of a loop."""
        self.compiled.room = max(self.compiled.room, count)

    def _computed(self, hoisted: Hoisted, values: Values) -> Values:
        """Return what the program takes, computed now unless values like these were given before:
        what is the same for every element."""
        dims = dict(zip(self.kernel.symbols, self.dims, strict=True)) if hoisted.sized else {}
        known = self.compiled.taken
        key = (repr(values) if 0 in values else values, *[dims[dim] for dim in hoisted.sized])
        made = known.get(key)  # as text, where there are zeros, which have signs
        if made is None:
            made = hoisted.values(values, dims)
            if len(known) >= self.compiled.room:
                known.clear()
            known[key] = made
        self._last = values, made
        return made


class Plan:
    """How one definition runs over one pattern of shapes and dtypes."""

    __slots__ = (
        "aside",
        "calls",
        "constants",
        "inputs",
        "loops",
        "name",
        "numbers",
        "only",
        "outputs",
        "pieces",
        "stages",
        "temps",
        "there",
    )

    def __init__(
        self,
        name: str,
        bound: Bound,
        programs: Sequence[Compiled],
        values: int,
        shared: frozenset[tuple[int, int]] = frozenset(),
    ) -> None:
        """`shared` are slots whose buffers overlap."""
        self.name = name
        self.inputs = len(bound.inputs)
        self.outputs: tuple[BufferLayout, ...] = tuple(
            layout(s.shape, s.dtype) for s in bound.outputs
        )
        self.pieces, joined = _pieces(bound, shared)
        first = len(bound.inputs) + len(bound.outputs)
        self.temps = tuple(
            0 if first + k in self.pieces else spec.nbytes for k, spec in enumerate(bound.temps)
        )
        self.constants: tuple[Region, ...] = ()  # uploaded by the compiler, kept with the plan
        specs = (*bound.inputs, *bound.outputs, *bound.temps)
        # What writes nothing is not launched; `numbers` says which stages are left.
        self.numbers = tuple(
            number
            for number, stage in enumerate(bound.stages)
            if any(specs[slot].elements for slot in stage.writes) and number not in joined
        )
        reads = reads_of(bound)
        self.stages = tuple(
            _Stage(bound.stages[n], reads[n], programs[n], values, self.pieces)
            for n in self.numbers
        )
        self.loops = tuple([self._looped(loop) for loop in bound.loops])
        self.there = False  # all programs are
        # Most plans have one stage, and are made into steps by the thread that launches them.
        # Some are done by the host.
        self.calls = any([isinstance(stage.kernel.form, HostCall) for stage in self.stages])
        alone = len(self.stages) == 1 and not self.pieces and not self.loops and not self.calls
        self.only = self.stages[0] if alone else None
        self.aside: dict[tuple[Shared, ...], tuple[int, ...]] = {}  # see _redirected()

    def _looped(self, loop: Loop) -> Looped:
        first, last = (bisect_left(self.numbers, edge) for edge in (loop.first, loop.last))
        return Looped(loop, first, last, self.stages)

    @property
    def programs(self) -> tuple[Compiled, ...] | None:
        """What has to be waited for, or has failed to compile; None if all programs are there."""
        if self.there:
            return None
        programs = tuple([stage.compiled for stage in self.stages])
        self.there = all(compiled.program is not None for compiled in programs)
        return None if self.there else programs

    @property
    def error(self) -> BaseException | None:
        """Why one of its programs could not be compiled, if that is so."""
        return next((s.compiled.error for s in self.stages if s.compiled.error is not None), None)

    def steps(
        self,
        regions: Sequence[Region],
        values: Values,
        copies: tuple[Copy, ...],
        _holds: object = None,
    ) -> tuple[Step | Copy, ...] | HostedSteps:
        """Return the steps of one launch, with a region for each slot; raise what compiling did.

        The steps keep the host's functions alive that they call; the plan does not. Where a command
        asks for its steps later, it has the definition among the arguments until then."""
        if not self.there and self.error is not None:
            raise self.error
        if self.pieces:
            regions = list(regions)
            for slot, (whole, start) in self.pieces.items():
                memory, offset = regions[whole]
                regions[slot] = Region(memory, offset + start)
        if self.loops:
            made: tuple[Step | Copy, ...] = (*self._written_out(regions, values), *copies)
        else:
            made = (*[stage.step(regions, values) for stage in self.stages], *copies)
        return HostedSteps(made) if self.calls else made

    def _written_out(self, regions: Sequence[Region], values: Values) -> list[Step]:
        made: list[Step] = []
        done = 0
        for loop in self.loops:
            made += [stage.step(regions, values) for stage in self.stages[done : loop.first]]
            made += loop.steps(regions, values)
            done = loop.last
        return made + [stage.step(regions, values) for stage in self.stages[done:]]

    def stage_of(self, index: int) -> int | None:
        """Return which of its stages the step of this number is."""
        for loop in self.loops:
            size = loop.last - loop.first
            if index < loop.first:
                break
            if index < loop.first + size * loop.count:
                return loop.first + (index - loop.first) % size
            index -= size * (loop.count - 1)
        return index if 0 <= index < len(self.stages) else None


def _pieces(bound: Bound, shared: frozenset[tuple[int, int]]) -> tuple[Pieces, set[int]]:
    """Find scratch that is only laid one after the other into an output, and the stages that do so:
    the stage that writes it can write it there at once, unless another sees the output's bytes."""
    first = len(bound.inputs) + len(bound.outputs)
    reads = [slot for stage in bound.stages for slot in stage.reads]
    # What a loop carries stays where it is.
    reads += [slot for loop in bound.loops for trio in loop.carried for slot in trio]
    writes = [slot for stage in bound.stages for slot in stage.writes]
    seen = {slot for pair in shared for slot in pair}
    specs = (*bound.inputs, *bound.outputs, *bound.temps)
    pieces: Pieces = {}
    joined: set[int] = set()
    for number, stage in enumerate(bound.stages):
        if stage.kernel.routine != "concat":
            continue
        whole = stage.writes[0]
        sizes = dict(zip(stage.kernel.symbols, stage.dims, strict=True))
        found: Pieces = {}
        start = 0
        for slot, tensor in zip(stage.reads, stage.kernel.inputs, strict=True):
            lead, count, tail = (sizes.get(str(dim), dim) for dim in tensor.dims)
            scratch = first <= slot < first + len(bound.temps)
            alone = reads.count(slot) == 1 and writes.count(slot) == 1
            size = int(count) * int(tail) * tensor.dtype.size
            fits = scratch and specs[slot].nbytes == size  # plans may come from the disk
            if lead == 1 and fits and alone and start % PIECE_ALIGN == 0:
                found[slot] = whole, start
            start += size
        ours = whole < first and writes.count(whole) == 1 and whole not in (*reads, *seen)
        ours = ours and start == specs[whole].nbytes
        if ours and len(found) == len(stage.reads):
            pieces |= found
            joined.add(number)
    return pieces, joined


class Planned(NamedTuple):
    """A pipeline's plan, and how it came about."""

    plan: Plan
    bound: Bound  # as fused; its slots are the plan's
    groups: tuple[tuple[int, ...], ...]  # for each of its stages: those it does, as recorded
    notes: tuple[str, ...]  # for each recorded stage: what became of it
    choices: tuple[Choice, ...]  # how each group computes, where there is a tolerance
    schedule: Callable[[Kernel], Schedule]  # gives what the device decides about a kernel

    @property
    def pieces(self) -> tuple[int, ...]:
        """Bytes of each piece of scratch."""
        return tuple(spec.nbytes for spec in self.bound.temps)


def overlap(a: Buffer, b: Buffer) -> bool:
    """Whether two buffers share bytes."""
    return a._storage is b._storage and a._low < b._high and b._low < a._high


def disjoint(outputs: Sequence[Buffer]) -> None:
    """Raise where outputs share bytes."""
    for i, first in enumerate(outputs):
        for second in outputs[i + 1 :]:
            if overlap(first, second):
                raise LaunchError(f"output: {first!r} and {second!r} share memory")


def set_aside(
    ledger: Ledger,
    scratch: list[Storage],
    plan: Plan,
    inputs: Sequence[Buffer],
    outputs: Sequence[Buffer],
    regions: list[Region],
) -> tuple[Copy, ...]:
    """Add scratch and constants to `regions`, redirect outputs that would spoil an input; return
    the copies that follow the stages then. New scratch is kept in `scratch`."""
    copies: list[Copy] = []
    for position in _redirected(plan, inputs, outputs):
        slot, nbytes = plan.inputs + position, outputs[position].size
        aside = ledger.set_aside(scratch, nbytes)
        copies.append(Copy(regions[slot], aside, nbytes))
        regions[slot] = aside
    for nbytes in plan.temps:
        piece = plan.pieces.get(len(regions))
        place = ledger.set_aside(scratch, nbytes) if piece is None else regions[piece[0]]
        regions.append(place)
    regions += plan.constants
    return tuple(copies)


def _redirected(plan: Plan, inputs: Sequence[Buffer], outputs: Sequence[Buffer]) -> tuple[int, ...]:
    """Return which outputs must be written to the side first, because an input shares their bytes.

    Not needed where the kernel reads each element only at the place that it then writes, or where
    the input has been read for the last time before the output is first written."""
    shared = tuple(
        [
            (position, index, a._low == b._low and a._high == b._high)
            for position, b in enumerate(outputs)
            for index, a in enumerate(inputs)
            if overlap(a, b)
        ]
    )
    found = plan.aside.get(shared)
    if found is None:
        positions = range(len(outputs))
        found = tuple(p for p in positions if _spoils(plan, plan.inputs + p, p, shared))
        plan.aside[shared] = found
    return found


def _spoils(plan: Plan, slot: int, position: int, shared: tuple[Shared, ...]) -> bool:
    """Whether writing an output in place would change an input before its last use."""
    exact = {index: same for p, index, same in shared if p == position}
    written = False
    for stage in plan.stages:
        hit = [(k, r) for k, r in enumerate(stage.reads) if r in exact]
        if written and hit:
            return True
        if slot in stage.writes:
            if hit:
                from treadle.passes.inplace import (
                    elementwise,  # the compile path loads when it is used
                )

                safe = elementwise(stage.kernel)
                if not all(safe[k] and exact[r] for k, r in hit):
                    return True
            written = True
    return False
