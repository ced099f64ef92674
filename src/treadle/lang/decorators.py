"""The decorators that make kernels.

In: Python functions, with options. Out: Definitions, registered by name. Each works bare and with
options: `@treadle.pointwise` and `@treadle.pointwise(dtype="x")`. `takes` lists the dtypes that
inputs may have, for all of them or by name; `gives` says the outputs' shape in words, for
kernel_info. `ranges` says what parameters may be: bounds (None for an open end) or a few words,
which are checked at submit, or one sentence for a rule that the kernel checks itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from types import FunctionType, MethodType
from typing import Any, overload

from treadle.errors import KernelSyntaxError, entrance
from treadle.lang.definition import Definition, Form, Function, Takes
from treadle.lang.parameters import Range

__all__ = [
    "composite",
    "function",
    "host",
    "kernel",
    "pointwise",
    "reduction",
    "rowwise",
    "scan",
]

Body = Callable[..., Any]
Ranges = Mapping[str, Range]
Convert = Mapping[str, Callable[[Any], Hashable]]
SHIPPED = ("treadle.kernels.", "treadle.search.")


_METHOD = (
    "; write it as a function beside the class, and give it what it needs of the object as inputs "
    "and parameters"
)


def _define(form: Form, body: Body | None, options: dict[str, Any]) -> Any:
    options = {name: value for name, value in options.items() if value is not None}
    _check_options(options)
    return partial(_made, form, options) if body is None else _made(form, options, body)


@entrance
def _made(form: Form, options: dict[str, Any], target: Body) -> Definition:
    if not isinstance(target, FunctionType):
        raise KernelSyntaxError(
            f"a kernel is made from a function written with def, got {target!r:.80}"
            f"{_METHOD if isinstance(target, MethodType) else ''}"
        )
    if target.__code__.co_varnames[:1] in (("self",), ("cls",)):
        raise KernelSyntaxError(
            f"kernel {target.__name__!r} is a method: its first argument is no array{_METHOD}",
            filename=target.__code__.co_filename,
            lineno=target.__code__.co_firstlineno,
        )
    builtin = (getattr(target, "__module__", None) or "").startswith(SHIPPED)
    return Definition(target, form, builtin=builtin, **options)


def _check_options(options: Mapping[str, Any]) -> None:
    """Raise for an option of a kind that it cannot have."""
    for name, value in options.items():
        fits, wanted = _OPTIONS.get(name, (None, ""))
        if fits is not None and not fits(value):
            raise KernelSyntaxError(f"{name}: expected {wanted}, got {value!r:.80}")


def _names(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(isinstance(name, str) for name in value)


def _rule(value: Any) -> bool:
    if isinstance(value, str):
        return True
    words = isinstance(value, tuple) and all(isinstance(word, str | bool) for word in value)
    return isinstance(value, tuple) and (len(value) == 2 or (words and len(value) > 0))


def _dtypes(value: Any) -> bool:
    return isinstance(value, Mapping) or _names(value)


# What the decorators' options must be, where something else would be noticed late or not at all.
_OPTIONS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "static": (_names, "a tuple of parameters' names"),
    "ranges": (
        lambda value: isinstance(value, Mapping) and all(map(_rule, value.values())),
        "a mapping from parameters to (lowest, highest), a tuple of words, or a sentence",
    ),
    "convert": (
        lambda value: isinstance(value, Mapping) and all(map(callable, value.values())),
        "a mapping from parameters to functions",
    ),
    "takes": (_dtypes, "a tuple of dtypes, or a mapping from inputs to such"),
    "shape": (
        lambda value: isinstance(value, FunctionType),
        "a function of inputs and static parameters, by name, that returns the shape",
    ),
    "results": (
        lambda value: callable(value) or isinstance(value, str | tuple),
        "a dtype, an input's name, 'arithmetic', 'float', 'sum', a tuple of such, or a function",
    ),
    "rank": (lambda value: type(value) is int and value >= 0, "a number of axes"),
    "name": (lambda value: isinstance(value, str) and value != "", "a word"),
    "gives": (lambda value: isinstance(value, str), "a few words about the outputs' shape"),
    "lift": (lambda value: isinstance(value, Function), "a function marked @treadle.function"),
    "finish": (lambda value: isinstance(value, Function), "a function marked @treadle.function"),
}


@overload
def function(body: Body) -> Function: ...
@overload
def function() -> Callable[[Body], Function]: ...
@entrance
def function(body: Body | None = None) -> Any:
    """Mark a helper that kernels can call; its body is inlined where it is called."""

    @entrance
    def make(target: Body) -> Function:
        if not isinstance(target, FunctionType):
            raise KernelSyntaxError(
                f"a helper is made from a function written with def, got {target!r:.80}"
            )
        return Function(
            target, lazy=(getattr(target, "__module__", None) or "").startswith(SHIPPED)
        )

    return make if body is None else make(body)


@overload
def pointwise(body: Body) -> Definition: ...
@overload
def pointwise(
    *,
    static: tuple[str, ...] = ...,
    ranges: Ranges | None = ...,
    convert: Convert | None = ...,
    dtype: Any = ...,
    results: Any = ...,
    takes: Takes | None = ...,
    gives: str | None = ...,
    name: str | None = ...,
) -> Callable[[Body], Definition]: ...
@entrance
def pointwise(
    body: Body | None = None,
    *,
    static: tuple[str, ...] = (),
    ranges: Ranges | None = None,
    convert: Convert | None = None,
    dtype: Any = None,
    results: Any = None,
    takes: Takes | None = None,
    gives: str | None = None,
    name: str | None = None,
) -> Any:
    """Make a kernel of a function of scalars; inputs broadcast as in NumPy.

    Parameters after `*` are given at launch; those named in `static` specialise the code. `convert`
    is as in composite. `dtype` is the output's type when none is passed: a dtype, an input's name
    (its type) or a function of them. `results` changes nothing, but says what the body comes to, so
    that a submit knows it before the kernel is lowered: a dtype, an input's name, 'arithmetic' (as
    sums of the inputs and parameters are), 'float' (the same in float maths) or 'sum' (integers in
    s64), a tuple of such where there are several outputs, or a function of inputs and static
    parameters that returns one."""
    options = {
        "static": static,
        "ranges": ranges,
        "convert": convert,
        "dtype": dtype,
        "results": results,
        "takes": takes,
        "gives": gives,
        "name": name,
    }
    return _define(Form.POINTWISE, body, options)


@overload
def kernel(body: Body) -> Definition: ...
@overload
def kernel(
    *,
    static: tuple[str, ...] = ...,
    ranges: Ranges | None = ...,
    dtype: Any = ...,
    results: Any = ...,
    shape: Callable[..., tuple[int, ...]] | None = ...,
    rank: int | None = ...,
    routine: str | None = ...,
    takes: Takes | None = ...,
    gives: str | None = ...,
    name: str | None = ...,
) -> Callable[[Body], Definition]: ...
@entrance
def kernel(
    body: Body | None = None,
    *,
    static: tuple[str, ...] = (),
    ranges: Ranges | None = None,
    dtype: Any = None,
    results: Any = None,
    shape: Callable[..., tuple[int, ...]] | None = None,
    rank: int | None = None,
    routine: str | None = None,
    takes: Takes | None = None,
    gives: str | None = None,
    name: str | None = None,
) -> Any:
    """Make a kernel that computes the element at index `at` from inputs read at any index.

    `shape` is the output's shape when none is passed: a function of inputs and static parameters,
    by name. Without it the output takes the first input's leading dimensions, as many as `at` is
    unpacked into (or `rank`). `routine` names a library routine that a backend may have instead.
    `results` is as in pointwise."""
    options = {
        "static": static,
        "ranges": ranges,
        "dtype": dtype,
        "results": results,
        "shape": shape,
        "rank": rank,
        "routine": routine,
        "takes": takes,
        "gives": gives,
        "name": name,
    }
    return _define(Form.KERNEL, body, options)


@entrance
def reduction(
    *,
    init: Any,
    lift: Function | None = None,
    finish: Function | None = None,
    nonempty: bool = False,
    axis: Any = None,
    static: tuple[str, ...] = (),
    ranges: Ranges | None = None,
    dtype: Any = None,
    results: Any = None,
    takes: Takes | None = None,
    gives: str | None = None,
    name: str | None = None,
) -> Callable[[Body], Definition]:
    """Make a kernel that folds along an axis, or over everything, in the order that is fastest.

    The function combines two accumulators and must be associative and commutative; `init` is its
    identity: a number, 'lowest' or 'highest' (of the element's type), or a tuple for a state of
    several parts. `lift` turns an element into an accumulator (and takes its position first if it
    names it `at`); `finish(acc)` or `finish(acc, count)` turns the last one into the result. What
    is folded from nothing is the identity, finished; `nonempty` refuses that at submit instead."""
    options = {
        "init": init,
        "lift": lift,
        "finish": finish,
        "nonempty": nonempty,
        "axis": axis,
        "static": static,
        "ranges": ranges,
        "dtype": dtype,
        "results": results,
        "takes": takes,
        "gives": gives,
        "name": name,
    }
    made: Callable[[Body], Definition] = _define(Form.REDUCTION, None, options)
    return made


@overload
def rowwise(body: Body) -> Definition: ...
@overload
def rowwise(
    *,
    axis: int = ...,
    static: tuple[str, ...] = ...,
    ranges: Ranges | None = ...,
    dtype: Any = ...,
    results: Any = ...,
    single: bool | None = ...,
    takes: Takes | None = ...,
    gives: str | None = ...,
    name: str | None = ...,
) -> Callable[[Body], Definition]: ...
@entrance
def rowwise(
    body: Body | None = None,
    *,
    axis: int = -1,
    static: tuple[str, ...] = (),
    ranges: Ranges | None = None,
    dtype: Any = None,
    results: Any = None,
    single: bool | None = None,
    takes: Takes | None = None,
    gives: str | None = None,
    name: str | None = None,
) -> Any:
    """Make a kernel of expressions over whole rows: sum, max, min, prod and mean fold a row.

    Returns a row, or one value for each row. One-dimensional extra inputs lie along the row.
    `results` is as in pointwise; with `single`, which says whether each row gives one value, the
    shape is known at submit as well."""
    options = {
        "axis": axis,
        "static": static,
        "ranges": ranges,
        "dtype": dtype,
        "results": results,
        "single": single,
        "takes": takes,
        "gives": gives,
        "name": name,
    }
    return _define(Form.ROWWISE, body, options)


@entrance
def scan(
    *,
    init: Any,
    combine: Function | None = None,
    axis: int = -1,
    static: tuple[str, ...] = (),
    ranges: Ranges | None = None,
    dtype: Any = None,
    results: Any = None,
    takes: Takes | None = None,
    gives: str | None = None,
    routine: str | None = None,
    name: str | None = None,
) -> Callable[[Body], Definition]:
    """Make a kernel that carries a state along an axis: `f(state, x)` returns (state, output).

    `combine(before, after)` gives the state after elements that led to `before` and those behind
    them, which lead from init to `after`. With it a long line is cut into pieces that run at the
    same time; sums, products, largest and smallest ones, and states that are multiples of those
    before them plus something else, are cut without being told how."""
    options = {
        "init": init,
        "combine": combine,
        "axis": axis,
        "static": static,
        "ranges": ranges,
        "dtype": dtype,
        "results": results,
        "takes": takes,
        "gives": gives,
        "routine": routine,
        "name": name,
    }
    made: Callable[[Body], Definition] = _define(Form.SCAN, None, options)
    return made


@overload
def composite(body: Body) -> Definition: ...
@overload
def composite(
    *,
    ranges: Ranges | None = ...,
    convert: Convert | None = ...,
    dtype: str | None = ...,
    takes: Takes | None = ...,
    gives: str | None = ...,
    name: str | None = ...,
) -> Callable[[Body], Definition]: ...
@entrance
def composite(
    body: Body | None = None,
    *,
    ranges: Ranges | None = None,
    convert: Convert | None = None,
    dtype: str | None = None,
    takes: Takes | None = None,
    gives: str | None = None,
    name: str | None = None,
) -> Any:
    """Make a kernel of several: a Python function that calls kernels on its inputs.

    It runs when it is bound, with parameters as plain values; what it returns is the output.
    `convert` names functions that turn a given parameter into the value that it gets, at every
    submit; what they return is hashable, and a new value binds anew."""
    options = {
        "ranges": ranges,
        "convert": convert,
        "dtype": dtype,
        "takes": takes,
        "gives": gives,
        "name": name,
    }
    return _define(Form.COMPOSITE, body, options)


@overload
def host(body: Body) -> Definition: ...
@overload
def host(
    *,
    results: Callable[..., Any] | None = ...,
    takes: Takes | None = ...,
    gives: str | None = ...,
    name: str | None = ...,
) -> Callable[[Body], Definition]: ...
def host(
    body: Body | None = None,
    *,
    results: Callable[..., Any] | None = None,
    takes: Takes | None = None,
    gives: str | None = None,
    name: str | None = None,
) -> Any:
    """Make a stage of a Python function `f(out, *inputs)`, which a thread of the host's calls.

    It gets NumPy arrays and fills `out`, a tuple of arrays where there are several outputs. It is
    run and ordered as a kernel is, and nothing is fused with it. `results` is a function of the
    inputs' specs that returns a list of pairs of shape and dtype; without it there is one output
    like the first input. It must not wait for commands."""
    options = {"results": results, "takes": takes, "gives": gives, "name": name}
    return _define(Form.HOST, body, options)
