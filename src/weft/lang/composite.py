"""Composite kernels: a Python function that calls other kernels, expanded into their stages.

In: a composite definition and specs. Out: a Bound with several stages and the scratch between them.
The function runs when it is bound, on handles that know shape and dtype and record what is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from weft.errors import KernelSyntaxError, LaunchError
from weft.lang.spec import Bound, Spec, Stage

if TYPE_CHECKING:
    from weft.lang.definition import Definition

__all__ = ["Handle", "expand", "record"]


@dataclass(frozen=True, slots=True, eq=False)
class Handle:
    """A value inside a composite: what a stage will have computed."""

    trace: _Trace = field(repr=False)
    slot: int
    spec: Spec

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape it will have."""
        return self.spec.shape

    @property
    def dtype(self) -> str:
        """The dtype it will have."""
        return str(self.spec.dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.spec.shape)


@dataclass(slots=True)
class _Call:
    definition: Definition
    params: dict[str, Any]
    inputs: tuple[Handle, ...]
    outputs: tuple[Handle, ...] = ()


class _Trace:
    """Calls recorded while a composite's function runs; slots are numbered as they appear."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.specs: list[Spec] = []
        self.calls: list[_Call] = []

    def handle(self, spec: Spec) -> Handle:
        self.specs.append(spec)
        return Handle(self, len(self.specs) - 1, spec)

    def call(
        self, definition: Definition, inputs: tuple[Handle, ...], params: dict[str, Any]
    ) -> Any:
        specs = tuple(handle.spec for handle in inputs)
        key, values = definition.arguments(params)
        bound = definition.bind(specs, None, key, values)
        call = _Call(definition, params, inputs)
        call.outputs = tuple(self.handle(spec) for spec in bound.outputs)
        self.calls.append(call)
        return call.outputs[0] if len(call.outputs) == 1 else call.outputs


def record(definition: Definition, inputs: tuple[Any, ...], params: Mapping[str, Any]) -> Any:
    """Record a call inside a composite; anywhere else, say how kernels are run."""
    handles = [item for item in inputs if isinstance(item, Handle)]
    if not handles or len(handles) != len(inputs):
        raise TypeError(
            f"kernel {definition.name!r} is a description and cannot be called on "
            f"{', '.join(type(item).__name__ for item in inputs) or 'nothing'}; run it with "
            f"weft.run_kernel({definition.name}, [inputs]) or weft.submit(...)"
        )
    return handles[0].trace.call(definition, tuple(inputs), dict(params))


def expand(
    definition: Definition,
    inputs: tuple[Spec, ...],
    outputs: tuple[Spec, ...] | None,
    params: Mapping[str, Any],
) -> Bound:
    """Run a composite's function on handles and number the slots of its stages."""
    trace = _Trace(definition.name)
    handles = [trace.handle(spec) for spec in inputs]
    try:
        returned = definition.function(*handles, **params)
    except LaunchError as error:
        if definition.name in str(error):
            raise
        raise LaunchError(f"in kernel {definition.name!r}: {error}") from error
    results = returned if isinstance(returned, tuple) else (returned,)
    made = {handle.slot for call in trace.calls for handle in call.outputs}
    if not all(isinstance(h, Handle) and h.slot in made for h in results):
        raise KernelSyntaxError(
            f"kernel {definition.name!r}: a composite returns what its kernels computed, got "
            f"{returned!r}"
        )
    specs = _output_specs(definition, inputs, outputs, [h.spec for h in results])
    final = {handle.slot: spec for handle, spec in zip(results, specs, strict=True)}
    # The slots of a Bound count inputs, then outputs, then temps.
    numbers = {handle.slot: k for k, handle in enumerate(handles)}
    numbers.update({handle.slot: len(inputs) + k for k, handle in enumerate(results)})
    temps: list[Spec] = []

    def number(slot: int) -> int:
        if slot not in numbers:
            numbers[slot] = len(inputs) + len(specs) + len(temps)
            temps.append(trace.specs[slot])
        return numbers[slot]

    stages: list[Stage] = []
    for call in trace.calls:
        wanted = tuple(final.get(h.slot, h.spec) for h in call.outputs)
        key, values = call.definition.arguments(call.params)
        # A stage that reads an output whose stored type is the caller's choice reads that type.
        read = tuple(final.get(h.slot, h.spec) for h in call.inputs)
        bound = call.definition.bind(read, wanted, key, values)
        outer = [number(h.slot) for h in (*call.inputs, *call.outputs)]
        base = len(inputs) + len(specs) + len(temps)
        temps.extend(bound.temps)
        outer += [base + k for k in range(len(bound.temps))]
        for stage in bound.stages:
            fixed = stage.fixed
            if fixed is None:
                fixed = tuple(values[pick] for pick in stage.picks)
            stages.append(
                replace(
                    stage,
                    reads=tuple(outer[k] for k in stage.reads),
                    writes=tuple(outer[k] for k in stage.writes),
                    picks=(),
                    fixed=fixed,
                )
            )
    return Bound(inputs, specs, tuple(temps), tuple(stages))


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
        dtype = inputs[definition.inputs.index(rule)].dtype
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
