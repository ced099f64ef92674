"""Composite kernels: a Python function that calls other kernels, expanded into their stages.

In: a composite definition and specs. Out: a Bound with several stages and the scratch between them.
The function runs when it is bound, on handles that know shape and dtype and record what is called.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from treadle.data import dataclass
from treadle.dtypes import DType, as_dtype
from treadle.errors import KernelSyntaxError, LaunchError
from treadle.ir.bound import Bound, Spec, Stage
from treadle.ir.repeat import Loop, unrolled
from treadle.lang.handle import Constant, Handle, constant
from treadle.lang.info import Form
from treadle.lang.turn import Turn

if TYPE_CHECKING:
    from treadle.lang.definition import Definition

__all__ = [
    "CallTrace",
    "Constant",
    "Handle",
    "RecordedCall",
    "RecordedLoop",
    "constant",
    "copied",
    "expand",
    "foretell",
    "foretold",
    "record",
    "tracing",
]


def foretold(like: Handle, shape: tuple[int, ...], dtype: DType | None = None) -> Handle | None:
    """Return what the rest of a composite comes to, in this shape and this dtype or that of `like`,
    where nothing else is asked for: tables need not be computed then. None where the kernels are
    asked for."""
    trace = like.trace
    if not trace.foretells:
        return None
    handle = trace.handle(Spec(shape, dtype or like.spec.dtype))
    trace.told.add(handle.slot)
    return handle


Lowered = dict[tuple[Any, ...], Bound]


@dataclass(slots=True)
class RecordedCall:
    """A call of a kernel inside a composite's function."""

    definition: Definition
    key: Hashable
    values: tuple[Any, ...]  # numbers, and Turns in a loop
    inputs: tuple[Handle, ...]
    outputs: tuple[Handle, ...] = ()


class RecordedLoop(NamedTuple):
    """A loop: its calls, from the first up to the last, and what they carry from turn to turn."""

    first: int
    last: int
    times: int
    carried: list[tuple[Handle, Handle, Handle]]  # see ir.repeat


class CallTrace:
    """Calls recorded while a composite's function runs; slots are numbered as they appear."""

    def __init__(
        self,
        owner: str,
        routines: frozenset[str] | None,
        lowered: Lowered,
        foretells: bool = False,
    ) -> None:
        self.foretells = foretells  # what is called is not lowered: only specs are asked for
        self.owner = owner
        self.routines = routines
        self.lowered = lowered  # what was bound already: loops call the same over the same
        self.specs: list[Spec] = []
        self.calls: list[RecordedCall] = []
        self.constants: dict[int, Constant] = {}  # by slot
        self.told: set[int] = set()  # slots of what a composite said it comes to
        self.loops: list[RecordedLoop] = []
        self.loop: object = None  # that is being recorded
        self.inner: set[int] = set()  # slots that have a meaning only inside loops that have ended
        self.same: dict[int, int] = {}  # see original()

    def constant(self, value: Constant) -> Handle:
        """The handle of a table; one for all its uses."""
        for slot, known in self.constants.items():
            if known is value:
                return Handle(self, slot, value.spec)
        handle = self.handle(value.spec)
        self.constants[handle.slot] = value
        return handle

    def handle(self, spec: Spec) -> Handle:
        """Make a handle with a slot of its own."""
        self.specs.append(spec)
        return Handle(self, len(self.specs) - 1, spec)

    def call(
        self, definition: Definition, given: tuple[Handle | Constant, ...], params: dict[str, Any]
    ) -> Any:
        """Record a call; return what it gives."""
        inputs = tuple(self.constant(i) if isinstance(i, Constant) else i for i in given)
        specs = tuple(handle.spec for handle in inputs)
        key, values = definition.arguments(params)
        given_back: tuple[Spec, ...] | None
        if self.foretells:
            given_back = definition.foretell(specs, None, key, self.routines)
            if given_back is None:
                raise _UnforetoldError
        else:
            given_back = self.lower(definition, specs, None, key).outputs
        call = RecordedCall(definition, key, values, inputs)
        self.reachable(inputs, call.values)
        call.outputs = tuple(self.handle(spec) for spec in given_back)
        self.calls.append(call)
        return call.outputs[0] if len(call.outputs) == 1 else call.outputs

    def original(self, slot: int) -> int:
        """The slot that this one is: a loop's state that stays is what the loop was given."""
        while slot in self.same:
            slot = self.same[slot]
        return slot

    def reachable(self, handles: Sequence[Handle], values: tuple[Any, ...] = ()) -> None:
        """Raise for what was computed in a loop that has ended, and is not its state."""
        if any(type(value) is Turn and value.loop is not self.loop for value in values):
            raise LaunchError(
                f"in kernel {self.owner!r}: the turn of a repeat is used outside its body"
            )
        if any(handle.slot in self.inner for handle in handles):
            raise LaunchError(
                f"in kernel {self.owner!r}: what the body of a repeat computes is there in its "
                "turn only; make it part of the state that the body returns"
            )

    def lower(
        self,
        definition: Definition,
        inputs: tuple[Spec, ...],
        outputs: tuple[Spec, ...] | None,
        key: Hashable,
    ) -> Bound:
        """Bind a definition that is called; the same call is bound once."""
        from treadle.lang.lower import indifferent  # which imports this module

        asked = (definition, inputs, outputs, key)
        bound = self.lowered.get(asked)
        if bound is None:
            bound = self.lowered[asked] = definition.lower(inputs, outputs, key, self.routines)
            if outputs is None and indifferent(definition, inputs, bound.outputs, key):
                self.lowered[definition, inputs, bound.outputs, key] = bound
        return bound


# The composite that is being expanded: a call on tables alone names no other. Empty outside of one.
_TRACING: ContextVar[tuple[CallTrace, ...]] = ContextVar("tracing", default=())


def tracing(inputs: Sequence[Any]) -> CallTrace | None:
    """The composite that these belong to or, for tables alone, that is being expanded."""
    traces = [item.trace for item in inputs if isinstance(item, Handle)] or _TRACING.get()
    return next(iter(traces), None)


def record(definition: Definition, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
    """Record a call inside a composite; return None anywhere else."""
    trace = tracing(inputs)
    if not (inputs and trace and all(isinstance(item, Handle | Constant) for item in inputs)):
        return None
    return trace.call(definition, tuple(inputs), dict(params))


def _copy(x: Any) -> Any:
    return x


@cache
def copied() -> Definition:
    """The kernel that copies: for a loop's state, which has memory of its own."""
    from treadle.lang.definition import Definition, Form  # which imports this module

    return Definition(_copy, Form.POINTWISE, dtype="x", listed=False, builtin=True, name="_copy")


class _UnforetoldError(Exception):
    """Only lowering can tell what a call gives."""


def foretell(
    definition: Definition,
    inputs: tuple[Spec, ...],
    outputs: tuple[Spec, ...] | None,
    params: Mapping[str, Any],
    routines: frozenset[str] | None = None,
) -> tuple[Spec, ...] | None:
    """Run a composite's function on handles for the specs of what it gives, without lowering what
    it calls; None where that does not tell."""
    trace = CallTrace(definition.name, routines, {}, foretells=True)
    try:
        _, results = _traced(definition, trace, inputs, params)
    except _UnforetoldError:
        return outputs
    return _output_specs(definition, inputs, outputs, [h.spec for h in results])


def _traced(
    definition: Definition,
    trace: CallTrace,
    inputs: tuple[Spec, ...],
    params: Mapping[str, Any],
) -> tuple[list[Handle], tuple[Handle, ...]]:
    """Run a composite's function; return what it was given and what it returned."""
    handles = [trace.handle(spec) for spec in inputs]
    token = _TRACING.set((trace,))
    try:
        returned = definition.function(*handles, **params)
    except LaunchError as error:
        if definition.name in str(error):
            raise
        raise LaunchError(f"in kernel {definition.name!r}: {error}") from error
    finally:
        _TRACING.reset(token)
    results = returned if isinstance(returned, tuple) else (returned,)
    made = {handle.slot for call in trace.calls for handle in call.outputs} | trace.told
    if not all(isinstance(h, Handle) and h.slot in made for h in results):
        raise KernelSyntaxError(
            f"kernel {definition.name!r}: a composite returns what its kernels computed, got "
            f"{returned!r}"
        )
    trace.reachable(results)
    return handles, _apart(trace, results)


# What was bound since the outermost composite began to expand: each call is bound to see what it
# gives and again for the output that it gets, and so are the calls of a composite that it calls.
def expand(
    definition: Definition,
    inputs: tuple[Spec, ...],
    outputs: tuple[Spec, ...] | None,
    params: Mapping[str, Any],
    routines: frozenset[str] | None = None,
) -> Bound:
    """Run a composite's function on handles and number the slots of its stages."""
    around = _TRACING.get()
    trace = CallTrace(definition.name, routines, around[0].lowered if around else {})
    handles, results = _traced(definition, trace, inputs, params)
    specs = _output_specs(definition, inputs, outputs, [h.spec for h in results])
    final = {handle.slot: spec for handle, spec in zip(results, specs, strict=True)}
    # The slots of a Bound count inputs, then outputs, then temps.
    numbers = {handle.slot: k for k, handle in enumerate(handles)}
    numbers.update({handle.slot: len(inputs) + k for k, handle in enumerate(results)})
    temps: list[Spec] = []
    tables: list[Any] = []  # slot -1 - k until the number of temps is known
    for slot, value in trace.constants.items():
        tables.append(value.array)
        numbers[slot] = -len(tables)

    def number(slot: int) -> int:
        slot = trace.original(slot)
        if slot not in numbers:
            numbers[slot] = len(inputs) + len(specs) + len(temps)
            temps.append(trace.specs[slot])
        return numbers[slot]

    stages: list[Stage] = []
    loops: list[Loop] = []
    begins = []  # the first stage of each call
    looped = {k for loop in trace.loops for k in range(loop.first, loop.last)}
    for place, call in enumerate(trace.calls):
        # An output's stored type is the caller's choice, also for a stage that reads it again; its
        # shape is what this stage sees of it.
        wanted, read = (
            tuple(
                replace(h.spec, dtype=final.get(trace.original(h.slot), h.spec).dtype)
                for h in group
            )
            for group in (call.outputs, call.inputs)
        )
        bound = trace.lower(call.definition, read, wanted, call.key)
        if bound.loops and place in looped:
            bound = unrolled(bound)
        begins.append(len(stages))
        outer = [number(h.slot) for h in (*call.inputs, *call.outputs)]
        base = len(inputs) + len(specs) + len(temps)
        temps.extend(bound.temps)
        outer += [base + k for k in range(len(bound.temps))]
        for table in bound.constants:
            tables.append(table)
            outer.append(-len(tables))
        loops += [loop.moved(len(stages), outer.__getitem__) for loop in bound.loops]
        for stage in bound.stages:
            fixed, grows = stage.fixed, stage.grows
            if fixed is None:
                fixed, grows = _given([call.values[pick] for pick in stage.picks])
            stages.append(
                replace(
                    stage,
                    reads=tuple(outer[k] for k in stage.reads),
                    writes=tuple(outer[k] for k in stage.writes),
                    picks=(),
                    fixed=fixed,
                    grows=grows,
                )
            )
    if not around:
        forms = Form.COMPOSITE, Form.HOST
        definition.called.update([each for each, *_ in trace.lowered if each.form in forms])
    begins.append(len(stages))
    for each in trace.loops:
        trios = [(number(a.slot), number(b.slot), number(c.slot)) for a, b, c in each.carried]
        loops.append(Loop(begins[each.first], begins[each.last], each.times, tuple(trios)))
    last = len(inputs) + len(specs) + len(temps)

    def settle(slot: int) -> int:
        return slot if slot >= 0 else last - 1 - slot

    def settled(slots: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(map(settle, slots))

    stages = [replace(s, reads=settled(s.reads), writes=settled(s.writes)) for s in stages]
    loops = [loop.moved(0, settle) for loop in sorted(loops, key=attrgetter("first"))]
    return Bound(inputs, specs, tuple(temps), tuple(stages), tuple(tables), tuple(loops))


def _given(values: list[Any]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The values of a stage's parameters in the first turn, and what they grow by."""
    first = tuple([value.first if type(value) is Turn else value for value in values])
    if not any(type(value) is Turn for value in values):
        return first, ()
    return first, tuple([value.step if type(value) is Turn else 0 for value in values])


def _apart(trace: CallTrace, results: tuple[Handle, ...]) -> tuple[Handle, ...]:
    """Results that no loop uses as its state: an output's memory and stored type are the caller's,
    and the memory of a state changes places from turn to turn."""
    used = {h.slot for loop in trace.loops for trio in loop.carried for h in trio}
    return tuple([trace.call(copied(), (h,), {}) if h.slot in used else h for h in results])


def _output_specs(
    definition: Definition,
    inputs: tuple[Spec, ...],
    outputs: tuple[Spec, ...] | None,
    natural: list[Spec],
) -> tuple[Spec, ...]:
    if outputs is None:
        rule = definition.options.get("dtype")
        if rule is None:
            return tuple(natural)
        names = (*definition.inputs, *definition.optional)
        dtype = inputs[names.index(rule)].dtype if rule in names else as_dtype(rule)
        return tuple(Spec(spec.shape, dtype) for spec in natural)
    if len(outputs) != len(natural):
        raise LaunchError(
            f"kernel {definition.name!r} has {len(natural)} outputs, got {len(outputs)}"
        )
    for given, made in zip(outputs, natural, strict=True):
        if given.shape != made.shape:
            raise LaunchError(
                f"kernel {definition.name!r}: output must have shape {made.shape}, got "
                f"{given.shape}"
            )
    return outputs
