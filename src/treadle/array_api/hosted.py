"""Functions of the standard for which Treadle has no kernel: NumPy computes them on the host.

In: arrays and a function of NumPy's. Out: arrays, at once. The function is a stage as kernels are:
a thread of the host's calls it in its turn, so that it is ordered, awaited and recorded like them,
and what it raises is raised by what reads its result. Only the arrays' way to the host and back
costs more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from treadle.arrays.apply import apply
from treadle.dtypes import DType
from treadle.ir.bound import Spec
from treadle.lang.definition import Definition, Form

__all__ = ["hosted"]

Results = Callable[..., Sequence[tuple[Sequence[int], DType]]]


def hosted(
    name: str, compute: Callable[..., Any], rule: Results, *arrays: Any, **params: Any
) -> Any:
    """What a function of NumPy's gives of arrays; `rule` says in which shapes and dtypes.

    Both get the parameters as keywords; the rule gets the arrays' specs."""
    definition = _definition(name, compute, rule, tuple(sorted(params.items())))
    return apply(definition, arrays)


@lru_cache(256)
def _definition(
    name: str, compute: Callable[..., Any], rule: Results, params: tuple[tuple[str, Any], ...]
) -> Definition:
    given = dict(params)

    def fill(out: Any, *inputs: Any) -> None:
        with np.errstate(all="ignore"):
            made = compute(*inputs, **given)
        several = isinstance(out, tuple)
        for target, value in zip(
            out if several else (out,), made if several else (made,), strict=True
        ):
            target[...] = value

    def results(*specs: Spec) -> Any:
        return rule(*specs, **given)

    return Definition(fill, Form.HOST, results=results, name=name, listed=False, builtin=True)
