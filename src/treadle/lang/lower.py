"""Bind a definition to concrete specs: the entry, and one row for each form.

In: a definition, specs, static values and the kinds of the others. Out: a Bound with verified
kernels.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from treadle.errors import KernelSyntaxError
from treadle.ir.bound import Bound, Spec
from treadle.lang.binding import Lowering
from treadle.lang.composite import expand
from treadle.lang.definition import Definition, Form
from treadle.lang.folds import reduction, rowwise, scan
from treadle.lang.host import host
from treadle.lang.maps import kernel, pointwise

__all__ = ["indifferent", "lower"]

_FORMS = {
    Form.POINTWISE: pointwise,
    Form.KERNEL: kernel,
    Form.ROWWISE: rowwise,
    Form.REDUCTION: reduction,
    Form.SCAN: scan,
    Form.HOST: host,
}


def lower(
    definition: Definition,
    inputs: tuple[Spec, ...],
    outputs: tuple[Spec, ...] | None,
    key: Hashable,
    statics: Mapping[str, Any] | None = None,
    routines: frozenset[str] | None = None,
) -> Bound:
    """Bind a definition; raise LaunchError or KernelError with what does not fit.

    `statics` are a composite's parameters, where they are not those of the key."""
    if definition.composite:
        given = definition.parameters.statics(key) if statics is None else statics
        return expand(definition, inputs, outputs, given, routines)
    try:
        return _FORMS[definition.form](Lowering(definition, inputs, outputs, key))
    except RecursionError:  # functions in functions, each nested almost as deeply as may be
        raise definition.text().error(
            KernelSyntaxError, "it and what it calls are nested too deeply; give parts names"
        ) from None


def indifferent(
    definition: Definition, inputs: tuple[Spec, ...], outputs: tuple[Spec, ...], key: Hashable
) -> bool:
    """Whether the outputs that a definition chose itself change nothing when they are given: the
    types that it computes in stay the same."""
    if definition.composite or definition.form is Form.HOST:
        return True
    chosen, given = (Lowering(definition, inputs, each, key) for each in (None, outputs))
    return chosen.typing == given.typing
