"""Apply a kernel to arrays: submit it, or record it in a function that is being traced.

In: a definition, what the user gave, and parameters. Out: the buffers that will hold what it gives,
at once; reading one waits for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from treadle.arrays.operands import common_device, is_traced, operands
from treadle.errors import LaunchError
from treadle.lang.definition import Definition
from treadle.runtime.buffer import Buffer
from treadle.runtime.eager import run_now

__all__ = ["apply"]


def apply(
    definition: Definition,
    inputs: Sequence[Any],
    params: Mapping[str, Any] | None = None,
    output: Any = None,
) -> Any:
    """Return what a kernel gives of arrays: a buffer, or a tuple where it has several outputs."""
    where = None
    for item in inputs:
        if type(item) is not Buffer:
            if is_traced(inputs):
                return _record(definition, inputs, params, output)
            where = common_device(inputs, output)
            inputs = operands(inputs, where)
            break
    if where is None:
        where = inputs[0].device if inputs else common_device((), output)
    return run_now(where, definition, inputs, params, output)


def _record(
    definition: Definition, inputs: Sequence[Any], params: Mapping[str, Any] | None, output: Any
) -> Any:
    if output is not None:
        raise LaunchError(
            "output: a function that is being traced returns what its kernels compute; "
            f"expected no output, got {output!r}"
        )
    if any(isinstance(item, Buffer) for item in inputs):
        raise LaunchError(
            "inputs: a function that is being traced works on what it is given; pass the buffer "
            "as an argument, or an array, which becomes a table of the plan"
        )
    return definition(*operands(inputs, None), **(params or {}))
