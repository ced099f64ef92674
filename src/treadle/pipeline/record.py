"""A pipeline: stages recorded once and run many times, over buffers and scalars to swap.

In: stages as mappings or arguments, checked as they come. Out: commands, one for each run. Joining
stages is joined's, fusing and running them the device's, explaining the plan's business.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from treadle.dtypes import DType, as_dtype
from treadle.errors import (
    LaunchError,
    QueueFull,
    TreadleError,
    entrances,
    suggest,
    without_our_frames,
)
from treadle.lang.definition import Definition
from treadle.pipeline.entry import (
    Display,
    Entry,
    RecordedStage,
    Temp,
    check,
    checked_tolerance,
    give_outputs,
    lookup,
    operands,
)
from treadle.pipeline.recorded import Recorded, make_room, names_of, written_last
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.device import Device, device
from treadle.runtime.memory import as_shape
from treadle.runtime.plan import Unfused, overlap
from treadle.runtime.priority import Priority
from treadle.runtime.request import Defined, Request, asked, is_nothing, request

if TYPE_CHECKING:
    from treadle.pipeline.joined import Joined, Slots
    from treadle.pipeline.plan import PipelinePlan
    from treadle.runtime.plan import Planned
    from treadle.runtime.prepared import Prepared, Ready, Scratch, Unplanned
    from treadle.runtime.several import Several

__all__ = ["Pipeline"]

_STAGES = ("run_kernel", "copy_buffer", "barrier")  # the operations that a stage can be
_KEPT = 16  # plans of other shapes that a pipeline keeps

# Joining, swapping and explaining load when they are first used: `import treadle` need not pay.


class _UnplannedError(Exception):
    """What is asked for is not known and would have to be planned."""


@entrances("add copy_buffer temp buffer bind set plan")
class Pipeline:
    """Stages that run as one command; made by treadle.pipeline().

    Recording and swapping are for one thread at a time; submit and run are for any, also with
    `bind`, where each run has bindings of its own."""

    def __init__(
        self,
        where: str | Device | None = None,
        name: str | None = None,
        tolerance: float = 0.0,
    ) -> None:
        self.device = device(where)
        self.name = name or "pipeline"
        self.tolerance = checked_tolerance(tolerance)
        import treadle.pipeline.joined  # noqa: F401  # not by the first submit, which has no time

        self._now = Recorded()
        self._plans: dict[Hashable, tuple[Joined, Planned, Scratch]] = {}
        self._freed = False

    # Recording.

    def add(
        self,
        kernel: str | Definition | Defined | Mapping[str, Any],
        inputs: Any = (),
        output: Any = None,
        params: Mapping[str, Any] | None = None,
        *,
        label: str | None = None,
        **named: Any,
    ) -> Pipeline:
        """Add a stage and return the pipeline, so that calls can be chained.

        Takes a kernel with inputs, output and parameters, or one mapping with "op": run_kernel,
        copy_buffer or barrier, in which keys that are not used may be None or empty. Without an
        output the stage writes new scratch: `last` is it. A surface as its output shows it, after
        each run."""
        if isinstance(kernel, Mapping):
            if not is_nothing(inputs) or output is not None or params or named or label:
                raise LaunchError("add: a mapping says everything; expected no other arguments")
            return self._add(request(kernel, _STAGES))
        self._open()
        given = {**(params or {}), **named}
        try:
            definition = lookup(kernel)
        except LaunchError:
            if kernel not in _STAGES[1:]:
                raise
            found = asked(kernel, inputs=inputs, output=output, params=given, label=label)
            return self._add(found)
        key, values = definition.arguments(given)
        reads = operands(inputs, "inputs", self, self.device)
        entry = Entry("run_kernel", definition, given, key, values, reads, (), label)
        display = output if isinstance(output, Display) else None
        if output is None or display is not None:
            give_outputs(entry, self, self.device, display)
        else:
            entry.outputs = operands(output, "output", self, self.device)
        return self._append(entry)

    run_kernel = add

    def copy_buffer(self, source: Any, target: Any, *, label: str | None = None) -> Pipeline:
        """Add a stage that copies a buffer into one of the same dtype and as many elements."""
        from treadle.kernels.shape import copied  # a kernel, so that it can be fused like one

        self._open()
        reads, writes = (
            operands(source, "inputs", self, self.device),
            operands(target, "output", self, self.device),
        )
        if len(reads) != 1 or len(writes) != 1:
            raise LaunchError(
                f"copy_buffer: expected one input and output, got {len(reads)} and {len(writes)}"
            )
        key, values = copied.arguments({})
        return self._append(Entry("copy_buffer", copied, {}, key, values, reads, writes, label))

    def barrier(self) -> Pipeline:
        """Add a line that nothing is fused across: all before it has ended when the rest begins."""
        self._open()
        now = self._now
        entry = Entry("barrier", None, {}, (), (), (), (), None)
        self._now = Recorded((*now.entries, entry), now.named, now.last)
        return self

    def _add(self, found: Request) -> Pipeline:
        if found.priority is not None:
            raise LaunchError(
                f"priority: a stage has none of its own, got {found.priority!r}; see submit"
            )
        given = () if found.inputs is None else found.inputs
        if found.op == "barrier":
            return self.barrier()
        if found.op == "copy_buffer":
            return self.copy_buffer(given, found.output, label=found.label)
        return self.add(found.kernel, given, found.output, found.params, label=found.label)

    def _append(self, entry: Entry) -> Pipeline:
        now = self._now
        if entry.label is not None and any(e.label == entry.label for e in now.entries):
            raise LaunchError(f"label: {entry.label!r} is taken by another stage")
        check(entry)
        if not entry.natural:
            entry.settle(self.device.planner)
        for item in entry.outputs:
            if isinstance(item, Temp):
                item.root.written = True
        last = entry.outputs[0] if len(entry.outputs) == 1 else entry.outputs
        self._now = Recorded((*now.entries, entry), now.named, last)
        return self

    def temp(self, shape: object, dtype: object = DType.F32) -> Temp:
        """Make scratch for stages to pass on; it need not exist where stages are fused."""
        self._open()
        found = as_dtype(dtype)
        if found not in self.device.limits.dtypes:
            have = ", ".join(sorted(self.device.limits.dtypes))
            raise LaunchError(f"dtype: {self.device.name} lacks {found}; it has {have}")
        return Temp(self, as_shape(shape), found)

    @property
    def last(self) -> Any:
        """What the last stage writes: a buffer, scratch, or a tuple of them."""
        return self._now.last

    # What it is.

    @property
    def stages(self) -> tuple[RecordedStage, ...]:
        """What was recorded, in order."""
        return tuple(entry.record(index) for index, entry in enumerate(self._now.entries))

    @property
    def stage_count(self) -> int:
        """Number of stages, copies and barriers included."""
        return len(self._now.entries)

    def __len__(self) -> int:
        return len(self._now.entries)

    def __bool__(self) -> bool:
        return True

    @property
    def names(self) -> dict[str, Buffer]:
        """The buffers that have names, as bound now."""
        return dict(self._now.named)

    @property
    def valid(self) -> bool:
        """Whether it can be used: it was not freed."""
        return not self._freed

    def __repr__(self) -> str:
        count = len(self._now.entries)
        state = "freed" if self._freed else f"{count} stage{'' if count == 1 else 's'}"
        return f"<treadle.Pipeline {self.name} {state} on {self.device.name}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} holds a device's buffers and cannot be copied or pickled")

    # Swapping. What was submitted before goes on with what it had.

    def buffer(self, name: str, buffer: Buffer) -> Buffer:
        """Give a buffer a name for `bind`, and return the buffer."""
        self._open()
        found = self._buffer(name, buffer)
        now = self._now
        for known, other in now.named.items():
            if known != name and overlap(found, other):
                raise LaunchError(f"{name}: {found!r} shares memory with what is called {known!r}")
        self._now = Recorded(now.entries, {**now.named, name: found}, now.last)
        return found

    def _buffer(self, name: str, given: Any) -> Buffer:
        items = operands(given, name, self, self.device)
        if len(items) != 1 or isinstance(items[0], Temp):
            got = "scratch, which is the plan's own" if len(items) == 1 else f"{len(items)} of them"
            raise LaunchError(f"{name}: expected a Buffer, got {got}")
        return items[0]

    def bind(self, **buffers: Buffer) -> Pipeline:
        """Put other buffers in place of named ones, for runs submitted from now on.

        Dtypes must agree. Other shapes are fine where every stage can follow: outputs are bound
        in the same call, and scratch that has the shape of what is written to it follows."""
        self._open()
        now = self._now
        pairs = self._pairs(now, buffers)
        if any(old is not new for old, new in pairs):
            from treadle.pipeline.rebind import rebound  # see above

            entries = tuple(rebound(now.entries, pairs, self.device.planner))
            outputs = entries[-1].outputs if entries else ()
            last = outputs[0] if len(outputs) == 1 else outputs or now.last
            self._now = Recorded(entries, {**now.named, **buffers}, last)
        return self

    def _pairs(self, now: Recorded, buffers: Mapping[str, Any]) -> list[tuple[Buffer, Buffer]]:
        """What is bound to names, and what is to take its place; raise for what cannot."""
        pairs = []
        for name, buffer in buffers.items():
            old = now.named.get(name)
            if old is None:
                known = f"; named are {', '.join(now.named)}" if now.named else ""
                hint = suggest(str(name), now.named) or known
                raise LaunchError(f"bind: no buffer is named {name!r}{hint}; see buffer()")
            new = self._buffer(name, buffer)
            if new.dtype is not old.dtype:
                raise LaunchError(f"{name}: expected dtype {old.dtype}, got {new.dtype}")
            pairs.append((old, new))
        return pairs

    def set(self, stage: int | str | RecordedStage, **params: Any) -> Pipeline:
        """Change parameters of a stage, for runs submitted from now on.

        The stage is its index, its label, its kernel's name where only one stage runs that, or one
        of `stages`. A runtime scalar compiles nothing; a static parameter may."""
        self._open()
        now = self._now
        entries = self._set(now.entries, stage, params)
        self._now = Recorded(entries, now.named, now.last)
        return self

    def _set(
        self,
        entries: tuple[Entry, ...],
        stage: int | str | RecordedStage,
        params: Mapping[str, Any],
    ) -> tuple[Entry, ...]:
        from treadle.pipeline.rebind import changed  # see above

        index = self._find(entries, stage)
        made = changed(entries[index], params, self.device.planner)
        return (*entries[:index], made, *entries[index:][1:])

    def _find(self, entries: tuple[Entry, ...], stage: int | str | RecordedStage) -> int:
        index = stage.index if isinstance(stage, RecordedStage) else stage
        if isinstance(index, int) and not isinstance(index, bool):
            if not -len(entries) <= index < len(entries):
                raise LaunchError(f"stage: expected one of {len(entries)}, got {index}")
            return index % len(entries)
        labels = [k for k, entry in enumerate(entries) if entry.label == index]
        known = names_of(entries)
        if isinstance(index, str) and not labels:
            found = lookup(index) if index in known else None
            labels = [
                k
                for k, entry in enumerate(entries)
                if entry.op == "run_kernel" and (entry.kernel == index or entry.definition is found)
            ]
        if len(labels) == 1:
            return labels[0]
        if labels:
            listed = ", ".join(map(str, labels))
            raise LaunchError(
                f"stage: {index!r} is run by stages {listed}; give the index or a label"
            )
        hint = suggest(str(index), known)
        raise LaunchError(f"stage: no stage is called {index!r}{hint}")

    # Running.

    def submit(
        self, *, bind: Mapping[Any, Any] | None = None, priority: Priority | str | None = None
    ) -> Command:
        """Enqueue a run of all stages and return its command at once.

        `bind` is for this run only: a buffer for a name, as for `bind`, or a mapping of parameters
        for a stage, as for `set`. Threads may submit with different ones at the same time."""
        try:
            now = self._now
            if now.displayed:
                now.check_displays()
            command = self._ready(bind, False).submit(priority)
            if now.displayed:
                now.show()
            return command
        except TreadleError as error:  # here and not as an entrance, which would cost a tenth
            raise without_our_frames(error)  # noqa: B904  # the same one

    def submit_among(
        self, several: Several, priority: Priority | str | None = None
    ) -> Command[Any]:
        """Have a run enqueued with others, when all have been checked; see Device.submit_many."""
        now = self._now
        if now.displayed:
            now.check_displays()
            several.afterwards(now.show)
        return self._ready(None, False).submit_among(several, priority)

    def _ready(self, bind: Mapping[Any, Any] | None, here: bool) -> Prepared:
        """Return what is prepared for a run; what is to be planned is planned `here`, for a caller
        that will wait anyway, else on the device's own thread."""
        now = self._now
        for definition in now.users:
            definition.check_outside()
        prepared = now.known(bind) if bind else now.prepared
        if prepared is not None:
            planned = prepared.planned
            if planned is None or planned.plan.there or planned.plan.error is None:
                return prepared
        return self._prepare(now, bind, here)

    def run(
        self, *, bind: Mapping[Any, Any] | None = None, priority: Priority | str | None = None
    ) -> Any:
        """Run all stages, wait for them, and return what the last one wrote; see submit.

        Waits for room where submit would raise QueueFull."""
        while True:
            try:
                self._now.check_displays()
                command = self._ready(bind, True).submit(priority, blocks=True)
                self._now.show()
                return command.wait().output
            except QueueFull:
                self.device.queue.wait_for_room()
            except TreadleError as error:
                raise without_our_frames(error)  # noqa: B904  # the same one

    def plan(self) -> PipelinePlan:
        """Return how it will run: what is fused with what, and why not."""
        from treadle.pipeline.joined import number  # see above
        from treadle.pipeline.plan import PipelinePlan

        now = self._now
        self._open()
        slots = number(now.entries)
        joined, planned, _ = self._planned(now.entries, slots)
        names = {id(buffer): name for name, buffer in now.named.items()}
        titles = tuple(names.get(id(buffer)) for buffer in (*slots.inputs, *slots.outputs))
        return PipelinePlan(self.name, self.device.name, self.stages, joined, planned, titles)

    def _pattern(self, entries: Sequence[Entry], slots: Slots) -> Hashable:
        """What a plan of entries depends on."""
        kernels = tuple([(entry.op, entry.definition, entry.key) for entry in entries])
        values = tuple([entry.values for entry in entries]) if self.tolerance else ()
        return slots.pattern, kernels, values

    def _planned(
        self, entries: Sequence[Entry], slots: Slots, *, only_known: bool = False
    ) -> tuple[Joined, Planned, Scratch]:
        """Plan entries, on this thread; raise _UnplannedError where that is not wanted."""
        from treadle.pipeline.joined import join, values_of  # see above

        pattern = self._pattern(entries, slots)
        found = self._plans.get(pattern)
        if found is not None and found[1].plan.error is None:
            return found
        joined = join(entries, slots)
        planner = self.device.planner
        given = joined.bound, joined.cuts, joined.shared, values_of(entries), self.tolerance
        planned = (planner.known if only_known else planner.plan)(Unfused(self.name, *given))
        if planned is None:
            raise _UnplannedError
        made = joined, planned, planner.scratch()
        if not self._freed:  # while this was planned
            make_room(self._plans, _KEPT)  # scratch goes with the last run that has it
            self._plans[pattern] = made
        return made

    def _prepare(self, now: Recorded, bind: Mapping[Any, Any] | None, here: bool) -> Prepared:
        """Make what runs over what is recorded, or over what is bound for one run, share."""
        self._open()
        if not bind:
            now.prepared = prepared = self._prepared(now.entries, here)
            return prepared
        from treadle.pipeline.rebind import followed  # see above

        entries, buffers = now.entries, {}
        for name, given in bind.items():
            if isinstance(given, Mapping):
                entries = self._set(entries, name, given)
            else:
                buffers[name] = given
        pairs = self._pairs(now, buffers)
        following = followed(entries, pairs, self.device.planner, now.following)
        prepared = self._prepared(following, here)
        now.keep(bind, prepared)
        return prepared

    def _prepared(self, entries: Sequence[Entry], here: bool) -> Prepared:
        from treadle.pipeline.joined import early, number, values_of  # see above

        slots = number(entries)
        results = written_last(entries)
        return self.device.planner.prepare(
            self._asked(entries, slots, here),
            name=self.name,
            buffers=(*slots.inputs, *slots.outputs),
            inputs=len(slots.inputs),
            values=partial(values_of, entries),
            early=early(slots),
            result=results[0] if len(results) == 1 else results or None,
            holds=entries,
        )

    def _asked(self, entries: Sequence[Entry], slots: Slots, here: bool) -> Ready | Unplanned:
        """What is planned, or how to plan it where that is not known yet."""
        from treadle.pipeline.joined import ready  # see above
        from treadle.runtime.prepared import Unplanned

        def make(only_known: bool = False) -> Ready:
            return ready(entries, *self._planned(entries, slots, only_known=only_known))

        if here or self.device.planner.is_here:
            return make()
        # Where nothing is known joining stages takes a while, and so does binding them.
        if self._plans and all(entry.is_bound for entry in entries):
            try:
                return make(only_known=True)
            except _UnplannedError:
                pass
        return Unplanned((self, self._pattern(entries, slots)), make)

    # Letting go.

    def _open(self) -> None:
        if self._freed:
            raise TreadleError(f"pipeline {self.name!r} was used after free()")

    def free(self) -> None:
        """Let go of its buffers and scratch; what is in flight runs to its end."""
        self._freed = True
        plans, self._plans = self._plans, {}
        self._now = Recorded()
        for _, _, scratch in plans.values():
            scratch.free()

    def __enter__(self) -> Pipeline:
        return self

    def __exit__(self, *_: object) -> None:
        self.free()
