"""Functions made of kernels: what `treadle.ops` holds.

In: definitions. Out: a function for each, with the signature, the documentation and the name of its
kernel. What a call does is apply's business.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from treadle.arrays.apply import apply
from treadle.errors import LaunchError, TreadleError, without_our_frames
from treadle.lang.definition import Definition
from treadle.lang.parameters import REQUIRED

__all__ = ["SEVERAL", "function_of"]

# The kernels that ship with Treadle and give more than one array, and how many.
SEVERAL = {"l2_top_k": 2, "quantize_int8": 2, "top_k": 2}


def function_of(definition: Definition, name: str | None = None) -> Callable[..., Any]:
    """Make a function that applies a kernel to arrays and returns buffers at once."""
    by_name = frozenset((*definition.inputs, *definition.optional))

    def call(*inputs: Any, output: Any = None, **params: Any) -> Any:
        try:
            if params and not by_name.isdisjoint(params):
                inputs, params = _in_order(definition, inputs, params)
            return apply(definition, inputs, params, output)
        except TreadleError as error:
            raise without_our_frames(error)  # noqa: B904  # the same one

    called = name or definition.name
    call.__code__ = call.__code__.replace(co_name=called, co_qualname=called)
    call.__name__ = call.__qualname__ = called
    call.__module__ = "treadle.ops"
    call.__doc__ = _doc(definition, called)
    call.__signature__ = _signature(definition)  # type: ignore[attr-defined]
    return call


def _in_order(
    definition: Definition, inputs: tuple[Any, ...], params: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Inputs that were given by name, in their places behind the others."""
    names = (*definition.inputs, *definition.optional)
    found = list(inputs)
    rest = {name: value for name, value in params.items() if name not in names}
    for place, name in enumerate(names):
        if name not in params:
            continue
        if place < len(inputs):
            raise LaunchError(f"kernel {definition.name!r}: the input {name!r} is given twice")
        if place > len(found):
            raise LaunchError(
                f"kernel {definition.name!r}: {name!r} is given, but {names[len(found)]!r}, which "
                "comes before it, is not"
            )
        if params[name] is not None or name not in definition.optional:
            found.append(params[name])
    return tuple(found), rest


def _signature(definition: Definition) -> inspect.Signature:
    kinds = inspect.Parameter
    listed = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in definition.inputs]
    listed += [
        kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=None) for name in definition.optional
    ]
    if definition.variadic:
        listed.append(kinds(definition.variadic, kinds.VAR_POSITIONAL))
    for parameter in definition.parameters.declared.values():
        default = kinds.empty if parameter.default is REQUIRED else parameter.default
        listed.append(kinds(parameter.name, kinds.KEYWORD_ONLY, default=default))
    listed.append(kinds("output", kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature(listed)


def _doc(definition: Definition, called: str) -> str:
    info = definition.info()
    parts = [definition.doc]
    if called != definition.name:
        parts.append(f"Another name of {definition.name}.")
    ranges = [f"{p.name}: {p.range}." for p in info.parameters if p.range]
    parts += ["\n".join(ranges)] if ranges else []
    parts.append(f"Gives: {info.shape}.")
    return "\n\n".join(part for part in parts if part)
