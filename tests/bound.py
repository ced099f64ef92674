"""Run a definition through lang, passes and the interpreter, without a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from treadle.dtypes import as_dtype
from treadle.ir.bound import Spec
from treadle.ir.interpret import interpret
from treadle.ir.repeat import unrolled
from treadle.ir.verify import verify
from treadle.lang.definition import Definition
from treadle.passes import optimise


def spec_of(array: np.ndarray[Any, Any]) -> Spec:
    """The spec of a host array."""
    return Spec(array.shape, as_dtype(array.dtype))


def evaluate(
    definition: Definition,
    *inputs: Any,
    output: Spec | Sequence[Spec] | None = None,
    optimised: bool = True,
    **params: Any,
) -> Any:
    """Compute a definition's outputs for host arrays."""
    arrays = [np.asarray(item) for item in inputs]
    outputs = (output,) if isinstance(output, Spec) else (tuple(output) if output else None)
    key, values = definition.arguments(params)
    bound = unrolled(definition.bind(tuple(map(spec_of, arrays)), outputs, key, values))
    slots: list[Any] = [*arrays, *[None] * (len(bound.outputs) + len(bound.temps))]
    slots += bound.constants
    for stage in bound.stages:
        kernel = optimise(stage.kernel) if optimised else stage.kernel
        verify(kernel)
        picked = stage.fixed if stage.fixed is not None else [values[k] for k in stage.picks]
        results = interpret(
            kernel,
            [slots[k] for k in stage.reads],
            dict(zip(kernel.symbols, stage.dims, strict=True)),
            dict(zip((p.name for p in kernel.params), picked, strict=True)),
        )
        for slot, result in zip(stage.writes, results, strict=True):
            slots[slot] = result
    first = len(arrays)
    found = [slots[first + k].reshape(spec.shape) for k, spec in enumerate(bound.outputs)]
    return found[0] if len(found) == 1 else found
