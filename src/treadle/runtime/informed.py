"""What a kernel takes and does, with what devices make of it.

In: a definition. Out: a KernelInfo. Definitions know what they take; whether the lines of a scan
can be cut is passes' to find, from the kernel for numbers of a type.
"""

from __future__ import annotations

from dataclasses import replace

from treadle.dtypes import DType
from treadle.errors import TreadleError
from treadle.ir.bound import Spec
from treadle.ir.nodes import Scan
from treadle.lang.definition import Definition
from treadle.lang.info import Form, KernelInfo
from treadle.lang.parameters import REQUIRED
from treadle.passes.transitions import transition_of

__all__ = ["describe"]

_TRIED = (DType.F32, DType.S32)  # bits are for integers only


def describe(definition: Definition) -> KernelInfo:
    """Return what a kernel takes and does."""
    found = definition.info()
    # A composite that a user wrote is not called with made-up inputs.
    walks = found.form is Form.SCAN or (found.form is Form.COMPOSITE and found.shipped)
    return replace(found, lines=_lines(definition)) if walks else found


def _lines(definition: Definition) -> str:
    """How the lines of the first scan that it comes to are walked; empty where there is none, and
    where parameters say what it computes."""
    declared = definition.parameters.declared.values()
    given = {each.name: 1.0 for each in declared if each.default is REQUIRED}
    for dtype in _TRIED:
        specs = (Spec((2,), dtype),) * len(definition.inputs)
        try:
            key, values = definition.arguments(given)
            stages = definition.bind(specs, None, key, values).stages
        except TreadleError:
            continue
        for stage in stages:
            if isinstance(stage.kernel.form, Scan):
                pieces = transition_of(stage.kernel.form)
                if pieces is None:
                    return "each from its first element to its last"
                return f"long ones in pieces that are summed up: {pieces.kind}"
    return ""
