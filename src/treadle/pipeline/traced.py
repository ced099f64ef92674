"""A function of buffers that calls kernels, as a pipeline: traced once for each set of specs.

In: a Python function and buffers. Out: its results as new buffers, or a command. The function runs
on handles that know shape and dtype and record what is called, as a composite kernel's does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, ParamSpec, TypeVar

from treadle.errors import entrances
from treadle.ir.bound import Bound, Spec
from treadle.lang.composite import Handle
from treadle.lang.definition import Definition, Form
from treadle.pipeline.entry import Entry, RecordedStage, Temp, checked_tolerance, operands
from treadle.runtime.buffer import Buffer
from treadle.runtime.command import Command
from treadle.runtime.device import Device, device
from treadle.runtime.plan import Unfused
from treadle.runtime.priority import Priority

if TYPE_CHECKING:
    from treadle.pipeline.joined import Joined
    from treadle.pipeline.plan import PipelinePlan
    from treadle.runtime.plan import Planned
    from treadle.runtime.prepared import Prepared, Scratch

__all__ = ["Traced"]

P = ParamSpec("P")
R = TypeVar("R")

_KEPT = 64  # traces, by device, specs and parameters


class _Trace(NamedTuple):
    """What one set of specs and parameters gave."""

    device: Device
    bound: Bound
    joined: Joined
    early: tuple[int, ...]
    planned: Planned
    scratch: Scratch
    values: tuple[float, ...]


class _Asked(NamedTuple):
    """What a call gives the function: equal ones are traced once."""

    where: Device
    specs: tuple[Spec, ...]
    key: Hashable
    values: tuple[float, ...]


@entrances("__call__ submit plan")
class Traced(Generic[P, R]):
    """A pipeline made of a function of buffers, by `@treadle.pipeline`; calling it runs it.

    The function runs once for each set of specs and parameters; what it calls is fused as the
    stages of any pipeline are. Keyword parameters are plain values inside it."""

    def __init__(self, function: Callable[P, R], tolerance: float = 0.0) -> None:
        self.tolerance = checked_tolerance(tolerance)
        self.definition = Definition(function, Form.COMPOSITE, listed=False)
        self.name = self.definition.name
        self.__name__ = self.name
        self.__doc__ = function.__doc__ or type(self).__doc__
        self.__wrapped__ = function
        self._traces: dict[Hashable, _Trace] = {}

    def __call__(self, *inputs: P.args, **params: P.kwargs) -> R:
        """Run it over buffers, wait, and return its results as new buffers.

        In a function that is being traced it records what it calls instead."""
        given: tuple[Any, ...] = inputs
        if any(isinstance(item, Handle) for item in given):
            recorded: R = self.definition(*given, **params)
            return recorded
        trace = self._trace(self._asked(given, params))
        return self._run(trace, given, None).wait().output

    def submit(
        self, *inputs: Buffer, priority: Priority | str | None = None, **params: Any
    ) -> Command[R]:
        """Enqueue a run over buffers and return its command, whose output is new buffers.

        The function runs on the device's own thread, for the first of such buffers."""
        asked = self._asked(inputs, params)
        found = self._known(asked)
        if found is not None or asked.where.planner.is_here:
            return self._run(found or self._trace(asked), inputs, priority)

        def make() -> tuple[Any, _Trace]:
            trace = self._trace(asked)
            return trace.planned.plan, trace

        def allocate(trace: _Trace) -> tuple[Buffer, ...]:
            where = trace.device
            return tuple([where.empty(spec.shape, spec.dtype) for spec in trace.bound.outputs])

        def prepare(trace: _Trace, made: Sequence[Buffer]) -> Prepared:
            return self._prepared(trace, inputs, made)

        return asked.where.planner.later(
            self.name, inputs, (self, asked), make, allocate, prepare, priority
        )

    def _run(
        self, trace: _Trace, inputs: Sequence[Buffer], priority: Priority | str | None
    ) -> Command[R]:
        where = trace.device
        fresh = [where.empty(spec.shape, spec.dtype) for spec in trace.bound.outputs]
        return self._prepared(trace, inputs, fresh).submit(priority)

    def _prepared(
        self, trace: _Trace, inputs: Sequence[Buffer], fresh: Sequence[Buffer]
    ) -> Prepared:
        kernels = [stage.kernel.name for stage in trace.bound.stages]

        def titles(stages: tuple[int, ...]) -> str:
            listed = ", ".join(str(stage + 1) for stage in stages)
            called = ", ".join(kernels[stage] for stage in stages)
            plural = "s" if len(stages) > 1 else ""
            return f"stage{plural} {listed} of {len(kernels)} ({called})"

        from treadle.runtime.prepared import Ready  # when first used

        return trace.device.planner.prepare(
            Ready(trace.planned, trace.scratch, titles),
            name=self.name,
            buffers=(*inputs, *fresh),
            inputs=len(inputs),
            values=lambda: trace.values,
            early=trace.early,
            result=fresh[0] if len(fresh) == 1 else tuple(fresh),
            holds=self.definition,
        )

    def plan(self, *inputs: Buffer, **params: Any) -> PipelinePlan:
        """Return how a run over such buffers goes."""
        from treadle.pipeline.plan import PipelinePlan  # as below

        trace = self._trace(self._asked(inputs, params))
        names = [stage.kernel.name.removeprefix("_") for stage in trace.bound.stages]
        stages = tuple(
            RecordedStage(k, "run_kernel", name, (), (), {}) for k, name in enumerate(names)
        )
        given = (*self.definition.inputs, *self.definition.optional)[: len(inputs)]
        return PipelinePlan(
            self.name, trace.device.name, stages, trace.joined, trace.planned, given
        )

    @property
    def traces(self) -> int:
        """Number of traces that are kept."""
        return len(self._traces)

    def free(self) -> None:
        """Let go of traces and their scratch; the next call traces again."""
        traces, self._traces = self._traces, {}
        for trace in traces.values():
            trace.scratch.free()

    def _asked(self, inputs: tuple[Any, ...], params: dict[str, Any]) -> _Asked:
        """Check what it is called with, as far as that can be done without running it."""
        first = next((item for item in inputs if isinstance(item, Buffer)), None)
        where = first.device if first is not None else device()
        operands(inputs, "inputs", self, where)
        key, values = self.definition.arguments(params)
        specs = tuple([item._layout.spec for item in inputs])
        self.definition.check_inputs(specs)
        return _Asked(where, specs, key, values)

    def _known(self, asked: _Asked) -> _Trace | None:
        found = self._traces.get(asked)
        return found if found is not None and found.planned.plan.error is None else None

    def _trace(self, asked: _Asked) -> _Trace:
        """Run the function on handles, where that was not done before for the like."""
        found = self._known(asked)
        if found is None:
            found = self._new(asked)
            while len(self._traces) >= _KEPT:
                self._traces.pop(next(iter(self._traces))).scratch.free()
            self._traces[asked] = found
        return found

    def _new(self, asked: _Asked) -> _Trace:
        from treadle.pipeline.joined import Joined, Slots, early, join, values_of  # when first used

        where, specs, key, values = asked
        bound = where.planner.bind(self.definition, specs, None, key, values)
        entry = Entry("run_kernel", self.definition, {}, key, values, (), (), None, bound)
        # Scratch stands for the buffers, which are others at each call.
        reads: Any = tuple(Temp(self, spec.shape, spec.dtype) for spec in bound.inputs)
        writes: Any = tuple(Temp(self, spec.shape, spec.dtype) for spec in bound.outputs)
        count = len(reads) + len(writes)
        slots = Slots(
            reads,
            writes,
            (),
            (),
            (tuple(range(len(reads))),),
            (tuple(range(len(reads), count)),),
            frozenset(),
        )
        joined = join([entry], slots)
        joined = Joined(joined.bound, (), frozenset(), tuple(range(len(bound.stages))))
        every = values_of([entry])
        unfused = Unfused(self.name, joined.bound, (), frozenset(), every, self.tolerance)
        planned = where.planner.plan(unfused)
        scratch = where.planner.scratch()
        return _Trace(where, bound, joined, early(slots), planned, scratch, every)

    def __repr__(self) -> str:
        return f"<treadle pipeline {self.definition.signature}>"
