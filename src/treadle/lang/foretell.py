"""What a definition will give, as far as that can be told at once.

In: a definition, specs and a key. Out: the specs of its outputs, or None where only its body tells;
a LaunchError for whatever does not fit. A submit asks this on the caller's thread, where lowering
takes too long, but for a body of a few words that says nothing else of what it gives: that is
lowered here, in less time than the thread that plans takes to begin. Shapes follow from the form
and its rules, and lowering takes them from here; dtypes follow from the rule `dtype`, or from
`results`, with which a definition says what its body comes to: lowering does not look at that, and
tests/unit/test_foretell.py holds shipped kernels to it.
"""

from __future__ import annotations

import ast
import functools
import inspect
import operator
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from treadle.data import make_methods
from treadle.dtypes import DType, as_dtype, promote
from treadle.errors import KernelError, LaunchError, suggest
from treadle.ir.bound import Spec
from treadle.lang.composite import RecordedCall
from treadle.lang.composite import foretell as foretell_composite
from treadle.lang.definition import Definition, Form, Function
from treadle.lang.handle import Handle
from treadle.lang.promotion import storage_type
from treadle.lang.shapes import broadcast, normalise_axes, pad
from treadle.lang.values import check_fits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from treadle.lang.source import Text

__all__ = [
    "Asked",
    "brief",
    "foretell",
    "kernel_shape",
    "pointwise_shape",
    "reduced",
    "row_axis",
    "spread",
]

_BRIEF = 120  # nodes of syntax: about half a millisecond

Shape = tuple[int, ...]

make_methods(Spec, Handle, RecordedCall)  # which a submit makes, and that has no time


class Asked:
    """A definition meeting its inputs: names, parameters and rules, without the body."""

    def __init__(
        self,
        definition: Definition,
        inputs: tuple[Spec, ...],
        outputs: tuple[Spec, ...] | None,
        key: Hashable,
    ) -> None:
        self.definition = definition
        self.name = definition.name
        self.inputs = inputs
        self.given = outputs
        named = (*definition.inputs, *definition.optional)
        more = range(len(inputs) - len(named))  # of `*inputs`
        self.names = (*named, *(f"{definition.variadic}{k}" for k in more))[: len(inputs)]
        self.statics = definition.parameters.statics(key)
        self.kinds = definition.parameters.kinds(key)

    def check_outputs(self, shape: Shape, count: int) -> None:
        """Raise unless the given outputs are `count` buffers of this shape."""
        assert self.given is not None
        for spec in self.given:
            _require_real(self.name, spec.dtype)
        if len(self.given) != count:
            plural = "s" if count != 1 else ""
            raise LaunchError(
                f"kernel {self.name!r} has {count} output{plural}, got {len(self.given)}"
            )
        for position, spec in enumerate(self.given):
            if spec.shape != shape:
                which = "output" if count == 1 else f"output {position}"
                raise LaunchError(
                    f"kernel {self.name!r}: {which} must have shape {shape}, got {spec.shape}"
                )

    def ruled_dtype(self) -> DType | None:
        """The dtype that the definition's rule gives the outputs, if it has one."""
        rule = self.definition.options.get("dtype")
        if rule is None:
            return None
        if callable(rule):
            return _require_real(self.name, as_dtype(rule(**self.named_for(rule))))
        if rule in self.names:
            return self.inputs[self.names.index(rule)].dtype
        if rule in (*self.definition.inputs, *self.definition.optional):
            return None
        return _require_real(self.name, as_dtype(rule))

    def named_for(self, rule: Any) -> dict[str, Any]:
        """Arguments for a shape or dtype rule: specs of inputs and values of statics, by name."""
        code = rule.__code__
        wanted = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        known: dict[str, Any] = dict.fromkeys(self.definition.optional)
        known.update(zip(self.names, self.inputs, strict=True))
        known.update(self.statics)
        if self.definition.variadic:
            known[self.definition.variadic] = self.inputs[len(self.definition.inputs) :]
        for name in wanted:
            if name not in known:
                runtime = name in self.kinds
                why = "is a runtime parameter; mark it static" if runtime else "is not known"
                raise LaunchError(
                    f"kernel {self.name!r}: its rule asks for {name!r}, which {why}"
                    f"{'' if runtime else suggest(name, known)}"
                )
        return {name: known[name] for name in wanted}

    def results(self) -> tuple[DType, ...] | None:
        """The dtypes of its outputs, if it says what they are."""
        told = self.definition.options.get("results")
        ruled = self.ruled_dtype()
        if callable(told):
            told = told(**self.named_for(told))
        if told is None:
            # How many a user's function gives is known once it is lowered.
            return (ruled,) if ruled is not None and self.definition.builtin else None
        several = told if isinstance(told, tuple) else (told,)
        return tuple([ruled or self._result(one) for one in several])

    def _result(self, told: Any) -> DType:
        if told in self.names:
            return self.inputs[self.names.index(told)].dtype
        if told not in _WORDS:
            return as_dtype(told)
        dtypes = [spec.dtype for spec in self.inputs]
        found = _WORDS[told](self, functools.reduce(promote, dtypes, dtypes[0]))
        elementwise = self.definition.form in (Form.POINTWISE, Form.KERNEL)
        return storage_type(found, dtypes, elementwise=elementwise)  # see Lowering.natural


def _require_real(name: str, dtype: DType) -> DType:
    """Return a dtype that kernels can store; raise for the one that only operators know."""
    if dtype is DType.C64:
        raise LaunchError(
            f"kernel {name!r}: kernels compute with real numbers, and do not give c64"
        )
    return dtype


def _float(asked: Asked, dtype: DType) -> DType:
    """As `dtype` in float maths; see Typing.as_float."""
    if dtype.is_float:
        return dtype
    wide = dtype is DType.S64 or any(spec.dtype is DType.F64 for spec in asked.inputs)
    return DType.F64 if wide else DType.F32


def _arithmetic(asked: Asked, dtype: DType) -> DType:
    """As sums and products of inputs and parameters are."""
    if "float" in asked.kinds.values():
        return _float(asked, dtype)
    if asked.definition.builtin:  # in a user's body a parameter may meet something else
        for name, kind in asked.kinds.items():
            check_fits(asked.name, name, kind, dtype)
    return dtype


def _sum(_: Asked, dtype: DType) -> DType:
    """As sums over an axis are."""
    return DType.S64 if dtype.is_integer else dtype


_WORDS: dict[str, Callable[[Asked, DType], DType]] = {
    "arithmetic": _arithmetic,
    "float": _float,
    "sum": _sum,
}


def foretell(
    definition: Definition,
    inputs: tuple[Spec, ...],
    outputs: tuple[Spec, ...] | None,
    key: Hashable,
    routines: frozenset[str] | None = None,
) -> tuple[Spec, ...] | None:
    """Return what a definition gives; None where only its body tells. Raise what does not fit.

    A user's composite is not run: it may take any time."""
    definition.check_inputs(inputs)
    if definition.composite:
        if not definition.builtin:
            return outputs
        statics = definition.parameters.statics(key)
        return foretell_composite(definition, inputs, outputs, statics, routines)
    if definition.form is Form.HOST:
        from treadle.lang.host import given_by  # which imports this module

        return given_by(definition, inputs, outputs, only_known=True)
    asked = Asked(definition, inputs, outputs, key)
    shape = _SHAPES[definition.form](asked)
    dtypes = asked.results()
    if dtypes is None:
        natural = definition.known(inputs, None, key, routines)
        if natural is not None:  # it was lowered before
            dtypes = tuple([spec.dtype for spec in natural.outputs])
            shape = natural.outputs[0].shape if outputs is None else shape
    if outputs is not None:
        if shape is not None:
            asked.check_outputs(shape, len(outputs) if dtypes is None else len(dtypes))
        return outputs
    if shape is None or dtypes is None:
        return _lowered(definition, inputs, key, routines) if definition.brief else None
    return tuple([Spec(shape, dtype) for dtype in dtypes])


def _lowered(
    definition: Definition, inputs: tuple[Spec, ...], key: Hashable, routines: frozenset[str] | None
) -> tuple[Spec, ...] | None:
    """What lowering finds, which the plan then takes from there. What is wrong with the body, the
    command tells, as it does of a long one."""
    try:
        return definition.bind(inputs, None, key, (), routines).outputs
    except KernelError:
        return None


def brief(text: Text) -> bool:
    """Whether a function, with those that it calls, has no loop and few words."""
    left, waiting, seen = _BRIEF, [text], {text.function}
    while waiting:
        text = waiting.pop()
        for node in ast.walk(text.tree):
            left -= 1
            if left < 0 or isinstance(node, ast.For | ast.While | ast.comprehension):
                return False
        called = inspect.getclosurevars(text.function)
        for value in (*called.globals.values(), *called.nonlocals.values()):
            if isinstance(value, Function) and value.function not in seen:
                seen.add(value.function)
                waiting.append(value.text())
    return True


def pointwise_shape(asked: Asked) -> Shape:
    """What the inputs of a pointwise kernel, and the output if it is given, broadcast to."""
    shapes = [spec.shape for spec in asked.inputs]
    if asked.given:
        # Inputs broadcast to the output too, as NumPy's out= does.
        return broadcast(asked.name, [*shapes, asked.given[0].shape], [*asked.names, "output"])
    if not shapes:
        raise LaunchError(f"kernel {asked.name!r} has no inputs; pass the output to fill")
    return broadcast(asked.name, shapes, asked.names)


def kernel_shape(asked: Asked) -> Shape:
    """The space of a kernel that is given indices."""
    rule = asked.definition.options.get("shape")
    if rule is not None:
        found = rule(**asked.named_for(rule))
        try:
            shape = tuple(n if isinstance(n, int) else operator.index(n) for n in found)
        except TypeError:
            shape = (-1,)
        if any(n < 0 for n in shape):
            raise LaunchError(
                f"kernel {asked.name!r}: its shape rule must give a tuple of sizes, "
                f"got {found!r:.80}"
            )
        if asked.given:
            asked.check_outputs(shape, len(asked.given))
        return shape
    if asked.given:
        return asked.given[0].shape
    if not asked.inputs:
        raise LaunchError(
            f"kernel {asked.name!r} has no inputs to take a shape from; pass an output"
        )
    rank = asked.definition.rank
    first = asked.inputs[0].shape
    if rank is not None and rank > len(first):
        raise LaunchError(
            f"kernel {asked.name!r}: {asked.names[0]} must have at least {rank} dimensions, "
            f"got {first}"
        )
    return first if rank is None else first[:rank]


def row_axis(asked: Asked, what: str) -> int:
    """The one axis that rows and scans lie along."""
    rank = max(len(spec.shape) for spec in asked.inputs)
    if rank == 0:
        raise LaunchError(f"kernel {asked.name!r} works {what}; a single element has none")
    given = asked.statics.get("axis", -1)
    axes = normalise_axes(asked.name, given, rank)
    if len(axes) != 1:
        raise LaunchError(f"kernel {asked.name!r}: axis must be one axis, got {given!r}")
    return axes[0]


def spread(asked: Asked, axis: int) -> tuple[list[Shape], Shape]:
    """Pad the inputs of a row or scan kernel to one rank and find the space they span.

    A one-dimensional extra input lies along the axis."""
    shapes = [spec.shape for spec in asked.inputs]
    rank = max(len(shape) for shape in shapes)
    padded = []
    for position, shape in enumerate(shapes):
        if position and len(shape) == 1 and axis != rank - 1:
            shape = tuple(shape[0] if k == axis else 1 for k in range(rank))
        padded.append(pad(shape, rank))
    return padded, broadcast(asked.name, padded, asked.names)


def reduced(asked: Asked) -> tuple[Sequence[int], Shape]:
    """The axes that a reduction folds, and the shape of what is left."""
    shape = asked.inputs[0].shape
    for name, spec in zip(asked.names, asked.inputs, strict=True):
        if spec.shape != shape:
            raise LaunchError(
                f"kernel {asked.name!r}: {name} must have the shape of {asked.names[0]}, {shape}, "
                f"got {spec.shape}"
            )
    axes = normalise_axes(asked.name, asked.statics.get("axis"), len(shape))
    keep = asked.statics.get("keepdims", False)
    left = tuple(1 if k in axes else n for k, n in enumerate(shape) if keep or k not in axes)
    if asked.definition.options["nonempty"] and 0 in shape and 0 not in left:
        raise LaunchError(
            f"kernel {asked.name!r}: {asked.names[0]} has no elements along axis "
            f"{asked.statics.get('axis')!r} (its shape is {shape}), and of nothing there is no "
            "result"
        )
    return axes, left


def _row_shape(asked: Asked) -> Shape | None:
    """Whether each row gives a row or a single value, its body tells, unless it says so."""
    axis = row_axis(asked, "on rows")
    _, space = spread(asked, axis)
    single = asked.definition.options.get("single", None if not asked.definition.builtin else False)
    if single is None:
        return None
    return tuple(n for k, n in enumerate(space) if not single or k != axis)


def _scan_shape(asked: Asked) -> Shape:
    return spread(asked, row_axis(asked, "along an axis"))[1]


_SHAPES: dict[Form, Callable[[Asked], Shape | None]] = {
    Form.POINTWISE: pointwise_shape,
    Form.KERNEL: kernel_shape,
    Form.ROWWISE: _row_shape,
    Form.SCAN: _scan_shape,
    Form.REDUCTION: lambda asked: reduced(asked)[1],
}
