"""Definitions: what the decorators make of Python functions.

In: a function and options. Out: an inert Definition that can be bound to concrete specs. Launching
is a device's business; lowering to IR is lower.py's and composite.py's.
"""

from __future__ import annotations

import ast
import inspect
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from treadle.dtypes import STORED, DType, as_dtype
from treadle.errors import KernelSyntaxError, KernelTypeError, LaunchError, suggest
from treadle.ir.bound import Bound, Spec
from treadle.lang import registry
from treadle.lang.composite import record
from treadle.lang.info import Form, KernelInfo, listed
from treadle.lang.parameters import REQUIRED, Parameter, Parameters, Range
from treadle.lang.source import Text, parse
from treadle.lang.syntax import check

if TYPE_CHECKING:
    from treadle.ir.structures import Structures
    from treadle.lang.outside import Outside

__all__ = ["Definition", "Form", "Function", "KernelInfo", "Takes"]

Takes = Sequence[str] | Mapping[str, Sequence[str]]  # dtypes of every input, or by input's name


_SHAPES = {
    Form.POINTWISE: "what the inputs broadcast to",
    Form.KERNEL: "that of the first input, its leading axes if fewer are indexed",
    Form.REDUCTION: "that of the first input without axis, or with size 1 there for keepdims",
    Form.ROWWISE: "that of the first input; without axis where each row gives one value",
    Form.SCAN: "that of the first input",
    Form.COMPOSITE: "that of what its last kernel gives",
    Form.HOST: "that of the first input",
}
_AXIS = "an axis of the first input; negative ones count from the end"
_AXES = (
    "an axis of the first input, a tuple of them, or None for all; negative ones count from the end"
)


@cache  # many kernels take the same
def _dtypes(names: tuple[str, ...]) -> tuple[DType, ...]:
    return tuple(map(as_dtype, names))


class _Source:
    """A function's text, parsed when first needed."""

    __slots__ = ("function", "parsed")

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.parsed: Text | None = None

    def text(self, *, variadic: bool = False) -> Text:
        """The parsed source, checked to be in the kernel language."""
        if self.parsed is None:
            text = parse(self.function)
            check(text, variadic=variadic)
            self.parsed = text
        return self.parsed


class Function:
    """A helper that kernels call; made by `@treadle.function`. Also callable as plain Python."""

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
        return f"<treadle function {self.name}>"


_INSTEAD = {DType.C64: "kernels compute with real numbers: x.real, x.imag, or operators"}


class Definition:
    """A kernel: an inert description made by one of the decorators. Devices run it."""

    def __init__(
        self,
        function: Callable[..., Any],
        form: Form,
        *,
        static: tuple[str, ...] = (),
        ranges: Mapping[str, Range] | None = None,
        convert: Mapping[str, Callable[[Any], Hashable]] | None = None,
        takes: Takes | None = None,
        gives: str | None = None,
        builtin: bool = False,
        name: str | None = None,
        listed: bool = True,
        named: tuple[str, ...] | None = None,
        **options: Any,
    ) -> None:
        """`named` are the names of the inputs, where the function itself does not say them."""
        self.function = function
        # What stands for it in the keys of caches, and in a HostCall, which must not keep it alive.
        # Its hash has to be asked for while it lives.
        self.me = weakref.ref(self)
        hash(self.me)
        # What a composite's function called that may be held by nothing else: what its plans call.
        self.called: set[Definition] = set()
        self.form = form
        self.name: str = name or function.__name__
        self.doc = inspect.cleandoc(function.__doc__ or "")
        self.__doc__ = self.doc
        self.builtin = builtin
        self.options = options
        self._source = _Source(function)
        self.structures: Structures[Bound] | None = None  # of what it was bound to
        self._bind: Any = None
        self._outside: Outside | None = None
        code = function.__code__
        starred = code.co_argcount + code.co_kwonlyargcount
        # The name of `*inputs`, where any number of inputs may follow.
        several = code.co_flags & inspect.CO_VARARGS and named is None
        self.variadic = code.co_varnames[starred] if several else None
        if form not in (Form.COMPOSITE, Form.HOST) and not builtin:
            self.text()
            import treadle.lang.structure  # noqa: F401  # not by the first submit; see foretell
        if form in (Form.REDUCTION, Form.SCAN):
            self._check_init()
        inputs, optional, keywords = self._signature() if named is None else (named, (), {})
        self.inputs = inputs
        self.optional = optional
        self.takes = self._taken(takes)
        self.gives = gives
        self.parameters = Parameters(
            self.name, self._declare(keywords, static, ranges or {}, convert or {})
        )
        if listed:
            registry.register(self, builtin=builtin)

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: a weak reference cannot, and is made there."""
        return {name: value for name, value in vars(self).items() if name != "me"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.me = weakref.ref(self)
        hash(self.me)

    @property
    def composite(self) -> bool:
        """Whether it expands to other kernels; its stages then depend on the parameters' values."""
        return self.form is Form.COMPOSITE

    def text(self) -> Text:
        """The parsed source."""
        return self._source.text(variadic=self.form in (Form.KERNEL, Form.COMPOSITE))

    def arguments(self, params: Mapping[str, Any]) -> tuple[Hashable, tuple[float, ...]]:
        """Check parameters; return what specialises the code, and the runtime values."""
        if not self.builtin:
            self.check_outside()
        return self.parameters.resolve(params)

    def check_outside(self) -> None:
        """Raise where a name that the function reads from outside has changed since it was read."""
        if self._outside is None:
            from treadle.lang.outside import Outside  # see bind

            self._outside = Outside(self.name, self.function)  # type: ignore[arg-type]
        self._outside.check()

    def bind(
        self,
        inputs: tuple[Spec, ...],
        outputs: tuple[Spec, ...] | None,
        key: Hashable,
        values: tuple[float, ...],
        routines: frozenset[str] | None = None,
    ) -> Bound:
        """Check inputs and outputs, infer types and shapes, and return the stages to run.

        `routines` names the library routines of the device that they are for, where that is
        known: a composite may choose other stages where there is none. Other sizes of the same
        structure cost little: see lang.structure."""
        self.check_inputs(inputs)
        if self.structures is None:
            from treadle.lang.structure import bind, structures  # long after it was made

            self.structures, self._bind = structures(), bind
        bound: Bound = self._bind(self, self.structures, inputs, outputs, key, routines)
        return bound

    def known(
        self,
        inputs: tuple[Spec, ...],
        outputs: tuple[Spec, ...] | None,
        key: Hashable,
        routines: frozenset[str] | None = None,
    ) -> Bound | None:
        """Return what bind returns where it was bound to the like before, in other sizes perhaps;
        None where it would have to be lowered. Raise for inputs that it does not take."""
        self.check_inputs(inputs)
        if self.structures is None:
            return None
        known = self.structures
        found: Bound | None = self._bind(
            self, known, inputs, outputs, key, routines, only_known=True
        )
        if found is None and outputs is not None:
            from treadle.lang.lower import indifferent  # see bind

            found = self._bind(self, known, inputs, None, key, routines, only_known=True)
            if found is not None and (
                found.outputs != outputs or not indifferent(self, inputs, outputs, key)
            ):
                found = None
        return found

    def lower(
        self,
        inputs: tuple[Spec, ...],
        outputs: tuple[Spec, ...] | None,
        key: Hashable,
        routines: frozenset[str] | None = None,
    ) -> Bound:
        """Bind it inside another one that is being bound: sizes may be Sizes."""
        self.check_inputs(inputs)
        from treadle.lang.lower import lower  # see bind

        return lower(self, inputs, outputs, key, None, routines)

    def check_inputs(self, inputs: tuple[Spec, ...]) -> None:
        """Raise for another number of inputs, or other dtypes, than it takes."""
        low, high = len(self.inputs), len(self.inputs) + len(self.optional)
        if self.variadic:
            low, high = low + 1, max(len(inputs), low + 1)
        if not low <= len(inputs) <= high:
            wanted = f"{low}" if low == high else f"{low} to {high}"
            wanted = f"{low} or more" if self.variadic else wanted
            listed = ", ".join((*self.inputs, *self.optional))
            named = next(iter(self.parameters.declared), "") if len(inputs) > high else ""
            raise LaunchError(
                f"kernel {self.name!r} takes {wanted} input{'' if wanted == '1' else 's'}"
                f"{f' ({listed})' if listed else ''}, got {len(inputs)}"
                f"{f'; parameters go by name: {named}=...' if named else ''}"
            )
        self._check_dtypes(inputs)

    @cached_property
    def rank(self) -> int | None:
        """The number of axes that a kernel's function indexes, if it says so: with `rank`, or by
        unpacking `at` into names."""
        given: int | None = self.options.get("rank")
        if given:
            return given
        at = self.function.__code__.co_varnames[0]
        for node in ast.walk(self.text().tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                target = node.targets[0]
                if node.value.id == at and isinstance(target, ast.Tuple):
                    return len(target.elts)
        return None

    @cached_property
    def brief(self) -> bool:
        """Whether lowering it takes less than a thread takes to begin: no loops, few words."""
        from treadle.lang.foretell import brief  # see bind

        return self.form not in (Form.COMPOSITE, Form.HOST) and brief(self.text())

    def foretell(
        self,
        inputs: tuple[Spec, ...],
        outputs: tuple[Spec, ...] | None,
        key: Hashable,
        routines: frozenset[str] | None = None,
    ) -> tuple[Spec, ...] | None:
        """Return the outputs' specs; None where only a long body tells them. Raise for what does
        not fit; see lang.foretell."""
        from treadle.lang.foretell import foretell  # see bind

        return foretell(self, inputs, outputs, key, routines)

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
            {name: self.takes.get(name, STORED) for name in self._all_inputs()},
            self.gives or self._shape_rule(),
        )

    def _all_inputs(self) -> tuple[str, ...]:
        starred = (self.variadic,) if self.variadic else ()
        return (*self.inputs, *self.optional, *starred)

    def _taken(self, takes: Takes | None) -> dict[str, tuple[DType, ...]]:
        names = self._all_inputs()
        given = takes if isinstance(takes, Mapping) else dict.fromkeys(names, takes or STORED)
        for name in given:
            if name not in names:
                raise LaunchError(
                    f"kernel {self.name!r} has no input {name!r}{suggest(name, names)}; `takes` "
                    "names inputs"
                )
        return {name: _dtypes(tuple(dtypes)) for name, dtypes in given.items()}

    def _check_dtypes(self, inputs: tuple[Spec, ...]) -> None:
        names = (*self.inputs, *self.optional)
        for position, spec in enumerate(inputs):
            name = names[position] if position < len(names) else self.variadic or ""
            allowed = self.takes.get(name, STORED)
            if spec.dtype not in allowed:
                which = name if position < len(names) else f"input {position}"
                instead = _INSTEAD.get(spec.dtype, "convert it with cast")
                raise LaunchError(
                    f"kernel {self.name!r}: {which} must be {listed(allowed)}, got {spec.dtype}; "
                    f"{instead}"
                )

    def _shape_rule(self) -> str:
        rule = self.options.get("shape")
        if rule is not None:
            return inspect.cleandoc(rule.__doc__ or "what shape= returns").split("\n\n")[0]
        if self.form is Form.KERNEL and not self.inputs:
            return "that of the output passed"
        return _SHAPES[self.form]

    @property
    def signature(self) -> str:
        """Name, inputs and parameters as one line."""
        parts = [*self.inputs, *(f"{name}=None" for name in self.optional)]
        keywords = [
            p.name if p.default is REQUIRED else f"{p.name}={p.default!r}"
            for p in self.parameters.declared.values()
        ]
        star = [f"*{self.variadic}"] if self.variadic else ["*"] if keywords else []
        return f"{self.name}({', '.join([*parts, *star, *keywords])})"

    def __call__(self, *inputs: Any, **params: Any) -> Any:
        """Record a call inside a composite; anywhere else, raise and say how kernels are run."""
        recorded = record(self, inputs, params)
        if recorded is None:
            raise TypeError(
                f"kernel {self.name!r} is a description and cannot be called on "
                f"{', '.join(type(item).__name__ for item in inputs) or 'nothing'}; run it with "
                f"treadle.run_kernel({self.name}, [inputs]) or treadle.submit(...)"
            )
        return recorded

    def __repr__(self) -> str:
        return f"<treadle {self.form} {self.signature}>"

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
                f"kernel {self.name!r}: an input's default can only be None (an input that may be "
                "left out); parameters with defaults go after a bare `*`",
                filename=code.co_filename,
                lineno=code.co_firstlineno,
            )
        leading = {Form.KERNEL: 1, Form.REDUCTION: 2, Form.SCAN: 1, Form.HOST: 1}.get(self.form, 0)
        if len(names) < leading:
            what = {
                Form.KERNEL: "`at` as its first argument",
                Form.REDUCTION: "two arguments, the accumulator and the item",
                Form.SCAN: "the state as its first argument",
                Form.HOST: "what it fills as its first argument",
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
        if keywords and self.form is Form.HOST:
            raise KernelSyntaxError(
                f"{self.name!r}: a host's function takes buffers and no parameters, got "
                f"{', '.join(keywords)}; bind values with functools.partial or a closure",
                filename=code.co_filename,
                lineno=code.co_firstlineno,
            )
        return inputs, optional, keywords

    def _check_init(self) -> None:
        """Raise unless `init` is a number, a condition, one of two words, or a tuple of such."""
        init = self.options.get("init")
        parts = init if isinstance(init, tuple) else (init,)
        for part in parts:
            if not isinstance(part, int | float) and part not in ("lowest", "highest"):
                raise self.text().error(
                    KernelTypeError,
                    "init must be a number, True or False, 'lowest' or 'highest', or a tuple of "
                    f"them for a state of several parts; got {init!r:.80}",
                )
        if not parts:
            raise self.text().error(KernelTypeError, "init is an empty tuple: a state has parts")

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
        ranges: Mapping[str, Range],
        convert: Mapping[str, Callable[[Any], Hashable]],
    ) -> tuple[Parameter, ...]:
        for name in (*static, *ranges, *convert):
            if name not in keywords:
                raise LaunchError(
                    f"kernel {self.name!r} has no parameter {name!r}{suggest(name, keywords)}; "
                    "static, ranges and convert name parameters after the bare `*`"
                )
        declared = []
        for name, default in keywords.items():
            number = default is REQUIRED or (
                isinstance(default, int | float) and not isinstance(default, bool)
            )
            fixed = name in static or not number
            if self.form is Form.COMPOSITE:
                fixed = True  # its function runs in Python, with the values at hand
            parameter = Parameter.ranged(name, default, fixed, ranges.get(name))
            if name in convert:
                parameter = replace(parameter, convert=convert[name])
            declared.append(parameter)
        return (*declared, *[p for p in self._own_parameters() if p.name not in keywords])

    def _own_parameters(self) -> tuple[Parameter, ...]:
        """The parameters that a form brings."""
        axis = self.options.get("axis")
        if self.form is Form.REDUCTION:
            flag = Parameter("keepdims", False, True, choices=(False, True))
            return Parameter("axis", axis, True, rule=_AXES), flag
        if self.form in (Form.ROWWISE, Form.SCAN):
            return (Parameter("axis", self.options.get("axis", -1), True, rule=_AXIS),)
        return ()
