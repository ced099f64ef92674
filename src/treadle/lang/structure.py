"""Bind a definition by its structure: its function is evaluated once, and a new size binds numbers.

In: a definition, specs, parameters. Out: a Bound. The structure is all that is no size: dtypes,
ranks, which sizes are equal, small ones, static parameters. What a definition gave for a structure
is kept with it, together with the questions that were asked about the sizes on the way (ir.sizes).
A composite's own numbers are treated as sizes are: it is Python that computes with them, and most
go on as parameters or shapes.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from treadle.ir.bound import Bound, Spec
from treadle.ir.pattern import fill_bound
from treadle.ir.sizes import SMALLEST, placed, places
from treadle.ir.structures import Structures
from treadle.lang.lower import lower

if TYPE_CHECKING:
    from treadle.lang.definition import Definition

__all__ = ["bind", "structures"]


def structures() -> Structures[Bound]:
    """Make what a definition keeps its structures in."""
    return Structures(fill_bound)


def bind(
    definition: Definition,
    kept: Structures[Bound],
    inputs: tuple[Spec, ...],
    outputs: tuple[Spec, ...] | None,
    key: Hashable,
    routines: frozenset[str] | None,
    *,
    only_known: bool = False,
) -> Bound | None:
    """Bind a definition whose structures are kept; raise what does not fit.

    With `only_known` nothing is lowered: None where the structure has not been bound before."""
    seen: dict[int, int] = {}
    given = tuple([(spec.dtype, places(spec.shape, seen)) for spec in inputs])
    wanted = None
    if outputs is not None:
        wanted = tuple([(spec.dtype, places(spec.shape, seen)) for spec in outputs])
    numbers: list[Any] = list(seen)
    statics: Mapping[str, Any] | None = None
    static: Hashable = key
    if definition.composite:
        statics = definition.parameters.statics(key)
        static = tuple([_pattern(value, numbers) for value in statics.values()])

    found_by = (given, wanted, static, routines)
    if only_known:
        return kept.find(found_by, numbers)

    def make(sizes: Sequence[Any]) -> Bound:
        return lower(
            definition,
            _specs(given, sizes),
            None if wanted is None else _specs(wanted, sizes),
            key,
            None if statics is None else _with_sizes(statics, static, sizes),
            routines,
        )

    return kept.get(found_by, numbers, make)


def _specs(
    pattern: Sequence[tuple[Any, tuple[int, ...]]], sizes: Sequence[Any]
) -> tuple[Spec, ...]:
    return tuple([Spec(placed(shape, sizes), dtype) for dtype, shape in pattern])


class _Place:
    """Where the number of a parameter is; equal to itself only."""

    __slots__ = ("kind", "number")

    def __init__(self, number: int, kind: str) -> None:
        self.number = number
        self.kind = kind


@cache  # a composite has few parameters
def _place(number: int, kind: str) -> _Place:
    return _Place(number, kind)


def _pattern(value: Any, numbers: list[Any]) -> Hashable:
    """A parameter's structure: numbers are replaced by their place in the list that they are added
    to, except for small whole ones and those that are not equal to themselves alone."""
    kind = type(value)
    if (kind is int and value >= SMALLEST) or (kind is float and math.isfinite(value) and value):
        numbers.append(value)
        return _place(len(numbers) - 1, kind.__name__)
    if kind is tuple:
        return tuple([_pattern(item, numbers) for item in value])
    return kind, repr(value) if kind is float else value


def _with_sizes(statics: Mapping[str, Any], pattern: Any, sizes: Sequence[Any]) -> dict[str, Any]:
    pairs = zip(statics.items(), pattern, strict=True)
    return {name: _value(value, part, sizes) for (name, value), part in pairs}


def _value(value: Any, pattern: Any, sizes: Sequence[Any]) -> Any:
    if type(pattern) is _Place:
        return sizes[pattern.number]
    if type(value) is tuple:
        parts = zip(value, pattern, strict=True)
        return tuple([_value(item, part, sizes) for item, part in parts])
    return value
