"""Definitions: what the decorators make of Python functions.

In: a function and options. Out: an inert Definition that can be bound to concrete specs. Launching
is
a device's business; lowering to IR is lower.py's and composite.py's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from weft.errors import KernelSyntaxError, LaunchError, suggest
from weft.lang import registry
from weft.lang.composite import record
from weft.lang.parameters import REQUIRED, Parameter, Parameters
from weft.lang.source import Text, parse
from weft.lang.spec import Bound, Spec
from weft.lang.syntax import check

__all__ = ["Definition", "Form", "Function", "KernelInfo"]


class Form(StrEnum):
    """How a kernel's function is applied."""

    POINTWISE = "pointwise"
    KERNEL = "kernel"
    REDUCTION = "reduction"
    ROWWISE = "rowwise"
    SCAN = "scan"
    COMPOSITE = "composite"


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """What a kernel takes and does."""

    name: str
    form: Form
    signature: str
    doc: str
    inputs: tuple[str, ...]
    optional_inputs: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    aliases: tuple[str, ...]
    shipped: bool  # with Weft, as opposed to registered at run time

    def __str__(self) -> str:
        lines = [self.signature, "", self.doc] if self.doc else [self.signature]
        for parameter in self.parameters:
            facts = (
                [f"default {parameter.default!r}"]
                if parameter.default is not REQUIRED
                else ["required"]
            )
            if parameter.range:
                facts.append(parameter.range)
            if parameter.static:
                facts.append("static")
            lines.append(f"  {parameter.name}: {', '.join(facts)}")
        if self.aliases:
            lines.append(f"  also: {', '.join(self.aliases)}")
        return "\n".join(lines)


class _Source:
    """A function's text, parsed when first needed."""

    __slots__ = ("function", "parsed")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.parsed: Text | None = None

    def text(self) -> Text:
        """The parsed source, checked to be in the kernel language."""
        if self.parsed is None:
            text = parse(self.function)
            check(text)
            self.parsed = text
        return self.parsed


class Function:
    """A helper that kernels call; made by `@weft.function`. Also callable as plain Python."""

    def __init__(self, function: Callable[..., Any], *, lazy: bool = False) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__
        self._source = _Source(function)
        if not lazy:
            self._source.text()

    def text(self) -> Text:
        """The parsed source."""
        return self._source.text()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function as plain Python."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<weft function {self.name}>"


class Definition:
    """A kernel: an inert description made by one of the decorators. Devices run it."""

    def __init__(
        self,
        function: Callable[..., Any],
        form: Form,
        *,
        static: tuple[str, ...] = (),
        ranges: Mapping[str, tuple[float | None, float | None]] | None = None,
        builtin: bool = False,
        name: str | None = None,
        **options: Any,
    ) -> None:
        self.function = function
        self.form = form
        self.name: str = name or function.__name__
        self.doc = inspect.cleandoc(function.__doc__ or "")
        self.__doc__ = self.doc
        self.builtin = builtin
        self.options = options
        self._source = _Source(function)
        if form is not Form.COMPOSITE and not builtin:
            self._source.text()
        inputs, optional, keywords = self._signature()
        self.inputs = inputs
        self.optional = optional
        self.parameters = Parameters(self.name, self._declare(keywords, static, ranges or {}))
        registry.register(self, builtin=builtin)

    @property
    def composite(self) -> bool:
        """Whether it expands to other kernels; its stages then depend on the parameters' values."""
        return self.form is Form.COMPOSITE

    def text(self) -> Text:
        """The parsed source."""
        return self._source.text()

    def arguments(self, params: Mapping[str, Any]) -> tuple[Hashable, tuple[float, ...]]:
        """Check parameters; return what specialises the code, and the runtime values."""
        return self.parameters.resolve(params)

    def bind(
        self,
        inputs: tuple[Spec, ...],
        outputs: tuple[Spec, ...] | None,
        key: Hashable,
        values: tuple[float, ...],
    ) -> Bound:
        """Check inputs and outputs, infer types and shapes, and return the stages to run."""
        low, high = len(self.inputs), len(self.inputs) + len(self.optional)
        if not low <= len(inputs) <= high:
            wanted = f"{low}" if low == high else f"{low} to {high}"
            listed = ", ".join((*self.inputs, *self.optional))
            raise LaunchError(
                f"kernel {self.name!r} takes {wanted} input{'s' if high != 1 else ''}"
                f"{f' ({listed})' if listed else ''}, got {len(inputs)}"
            )
        from weft.lang.lower import lower  # a definition is made long before it is lowered

        return lower(self, inputs, outputs, key, values)

    def info(self) -> KernelInfo:
        """What it takes and does."""
        return KernelInfo(
            self.name,
            self.form,
            self.signature,
            self.doc,
            self.inputs,
            self.optional,
            tuple(self.parameters.declared.values()),
            registry.aliases(self.name),
            self.builtin,
        )

    @property
    def signature(self) -> str:
        """Name, inputs and parameters as one line."""
        parts = [*self.inputs, *(f"{name}=None" for name in self.optional)]
        keywords = [
            p.name if p.default is REQUIRED else f"{p.name}={p.default!r}"
            for p in self.parameters.declared.values()
        ]
        return f"{self.name}({', '.join(parts + (['*', *keywords] if keywords else []))})"

    def __call__(self, *inputs: Any, **params: Any) -> Any:
        """Record a call inside a composite; anywhere else, raise and say how kernels are run."""
        return record(self, inputs, params)

    def __repr__(self) -> str:
        return f"<weft {self.form} {self.signature}>"

    def _signature(self) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, Any]]:
        """Inputs, optional inputs and keyword parameters with defaults, from the function
        itself."""
        code = self.function.__code__
        names = code.co_varnames[: code.co_argcount]
        only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        defaults = self.function.__defaults__ or ()
        first_optional = len(names) - len(defaults)
        optional = names[first_optional:]
        if any(default is not None for default in defaults):
            raise KernelSyntaxError(
                f"kernel {self.name!r}: an input's default can only be None (an input that may "
                "be left "
                "out); parameters with defaults go after a bare `*`",
                filename=code.co_filename,
                lineno=code.co_firstlineno,
            )
        leading = {Form.KERNEL: 1, Form.REDUCTION: 2, Form.SCAN: 1}.get(self.form, 0)
        if len(names) < leading:
            what = {
                Form.KERNEL: "`at` as its first argument",
                Form.REDUCTION: "two arguments, the accumulator and the item",
                Form.SCAN: "the state as its first argument",
            }[self.form]
            raise KernelSyntaxError(
                f"kernel {self.name!r}: a {self.form} takes {what}",
                filename=code.co_filename,
                lineno=code.co_firstlineno,
            )
        inputs = names[leading:first_optional]
        if self.form is Form.REDUCTION:
            inputs = self._lifted(names[1])
        keywords = dict.fromkeys(only, REQUIRED) | (self.function.__kwdefaults__ or {})
        return inputs, optional, keywords

    def _lifted(self, item: str) -> tuple[str, ...]:
        lift = self.options.get("lift")
        if lift is None:
            return (item,)
        code = lift.function.__code__
        names: tuple[str, ...] = code.co_varnames[: code.co_argcount]
        return names[1:] if names[:1] == ("at",) else names

    def _declare(
        self,
        keywords: dict[str, Any],
        static: tuple[str, ...],
        ranges: Mapping[str, tuple[float | None, float | None]],
    ) -> tuple[Parameter, ...]:
        for name in (*static, *ranges):
            if name not in keywords:
                raise LaunchError(
                    f"kernel {self.name!r} has no parameter {name!r}{suggest(name, keywords)}; "
                    "static "
                    "and ranges name parameters after the bare `*`"
                )
        declared = []
        for name, default in keywords.items():
            number = default is REQUIRED or (
                isinstance(default, int | float) and not isinstance(default, bool)
            )
            low, high = ranges.get(name, (None, None))
            fixed = name in static or not number
            if self.form is Form.COMPOSITE:
                fixed = True  # its function runs in Python, with the values at hand
            declared.append(Parameter(name, default, fixed, low, high))
        extra = {
            Form.REDUCTION: (("axis", self.options.get("axis")), ("keepdims", False)),
            Form.ROWWISE: (("axis", self.options.get("axis", -1)),),
            Form.SCAN: (("axis", self.options.get("axis", -1)),),
        }.get(self.form, ())
        declared += [Parameter(n, d, True) for n, d in extra if n not in keywords]
        return tuple(declared)
