"""Functions of the host's as stages: what they give, and their place among kernels.

In: a definition of form HOST and specs. Out: a Bound of one stage whose kernel is a HostCall. The
function is not looked into: it says by a rule what it gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from treadle.dtypes import as_dtype
from treadle.errors import LaunchError
from treadle.ir.bound import Bound, Spec, Stage
from treadle.ir.host_call import HostCall
from treadle.ir.nodes import Kernel, Tensor
from treadle.lang.binding import Lowering
from treadle.lang.definition import Definition

__all__ = ["given_by", "host"]


def host(work: Lowering) -> Bound:
    """Bind a function of the host's; every axis has a symbol of its own, so that a launch knows
    all shapes."""
    definition, inputs = work.definition, work.inputs
    outputs = given_by(definition, inputs, work.given)
    assert outputs is not None
    symbols: list[str] = []

    def tensors(specs: Sequence[Spec], letter: str) -> tuple[Tensor, ...]:
        made = []
        for k, spec in enumerate(specs):
            dims = tuple([f"{letter}{k}_{axis}" for axis in range(len(spec.shape))])
            symbols.extend(dims)
            made.append(Tensor(f"{letter}{k}", spec.dtype, dims))
        return tuple(made)

    form = HostCall(definition.me, bool(definition.options.get("on_lane")))
    reads, writes = tensors(inputs, "x"), tensors(outputs, "y")
    kernel = Kernel(definition.name, (), reads, writes, (), form)
    dims = tuple([size for spec in (*inputs, *outputs) for size in spec.shape])
    count = len(inputs)
    slots = tuple(range(count)), tuple(range(count, count + len(outputs)))
    return Bound(inputs, outputs, (), (Stage(kernel, *slots, dims),))


def given_by(
    definition: Definition,
    inputs: tuple[Spec, ...],
    outputs: tuple[Spec, ...] | None,
    *,
    only_known: bool = False,
) -> tuple[Spec, ...] | None:
    """Return what a function of the host's gives, by its rule; raise where the outputs that were
    passed are others. With `only_known`, None where the rule takes long to tell."""
    rule = definition.options.get("results")
    if rule is None:
        natural: tuple[Spec, ...] | None = inputs[:1]
    else:
        told = rule(inputs, only_known) if definition.options.get("slow") else rule(*inputs)
        natural = None if told is None else tuple([_spec(definition, one) for one in told])
    if outputs is None or natural is None:
        return outputs if natural is None else natural
    if len(outputs) != len(natural):
        raise LaunchError(
            f"{definition.name!r} has {len(natural)} output{'' if len(natural) == 1 else 's'}, "
            f"got {len(outputs)}"
        )
    for position, (given, made) in enumerate(zip(outputs, natural, strict=True)):
        if given.shape != made.shape or given.dtype is not made.dtype:
            which = "output" if len(natural) == 1 else f"output {position}"
            raise LaunchError(f"{definition.name!r}: {which} must be {made}, got {given}")
    return outputs


def _spec(definition: Definition, told: Any) -> Spec:
    if isinstance(told, Spec):
        return told
    try:
        shape, dtype = told
        return Spec(tuple(shape), as_dtype(dtype))
    except (TypeError, ValueError) as error:
        raise LaunchError(
            f"{definition.name!r}: its rule for results must give pairs of a shape and a dtype, "
            f"got {told!r:.80}"
        ) from error
