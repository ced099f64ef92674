"""One binding in progress: what the forms share.

In: a definition, specs and a key. Out: typed parameters, checked outputs, a verified kernel as a
Bound.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from treadle.dtypes import DType, read_as
from treadle.errors import KernelError, KernelTypeError
from treadle.ir.bound import Bound, Spec, Stage
from treadle.ir.nodes import Axis, Const, Expr, Kernel, Load, Param, Tensor
from treadle.ir.nodes import Form as IrForm
from treadle.ir.structures import unique
from treadle.ir.verify import verify
from treadle.lang.builder import Builder
from treadle.lang.definition import Definition, Form, Function
from treadle.lang.expression import Evaluator
from treadle.lang.foretell import Asked
from treadle.lang.promotion import storage_type
from treadle.lang.values import Typing, Value, describe, is_number

__all__ = ["Lowering", "broadcast_read"]


class Lowering:
    """A definition meeting its inputs."""

    def __init__(
        self,
        definition: Definition,
        inputs: tuple[Spec, ...],
        outputs: tuple[Spec, ...] | None,
        key: Hashable,
    ) -> None:
        self.asked = Asked(definition, inputs, outputs, key)
        self.definition = definition
        self.name = definition.name
        self.inputs = inputs
        self.given = outputs
        self.names, self.statics = self.asked.names, self.asked.statics
        self.kinds = self.asked.kinds
        dtypes = [spec.dtype for spec in inputs] or [spec.dtype for spec in outputs or ()]
        floating = DType.F64 if DType.F64 in dtypes else DType.F32
        self.typing = Typing(
            floating, owner=self.name, kinds=self.kinds, narrow=self.stores_narrow()
        )

    def stores_narrow(self) -> bool:
        """Whether all that is stored are integers of 32 bits, as they are summed: those that a sum
        in 64 bits would end with."""
        ruled = self.asked.ruled_dtype()
        given = [spec.dtype for spec in self.given or ()] or ([ruled] if ruled else [])
        whole = all(dtype in (DType.S32, DType.U32) for dtype in given)
        return bool(given) and whole and self.definition.options.get("finish") is None

    def tensors(self, dims: Sequence[tuple[Any, ...]]) -> list[Tensor]:
        """The inputs as a kernel sees them; dimensions that come after theirs are others'."""
        given = zip(self.names, self.inputs, dims, strict=False)
        return [Tensor(name, spec.dtype, dim) for name, spec, dim in given]

    def params(self) -> tuple[Param, ...]:
        """The runtime parameters as IR, typed by kind."""
        types = {"float": self.typing.floating, "int": DType.S32, "negative": DType.S32}
        return tuple(Param(name, types.get(kind, DType.S64)) for name, kind in self.kinds.items())

    def scalars(self) -> dict[str, Value]:
        """Parameters as a function's body sees them; optional inputs that were left out are
        None."""
        values: dict[str, Value] = dict.fromkeys(self.definition.optional[self.left_out :])
        values.update(
            {name: v for name, v in self.statics.items() if name not in ("axis", "keepdims")}
        )
        values.update({name: v for name, v in self.statics.items() if name in self.own_names()})
        values.update({param.name: param for param in self.params()})
        return values

    @property
    def left_out(self) -> int:
        """How many optional inputs were given."""
        return len(self.inputs) - len(self.definition.inputs)

    def own_names(self) -> tuple[str, ...]:
        """The parameters that the function itself declares."""
        code = self.definition.function.__code__
        return code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]

    def evaluate(
        self, builder: Builder, env: dict[str, Value], helper: Function | None = None
    ) -> Value:
        """Evaluate the definition's own function, or one that belongs to it."""
        text = self.definition.text() if helper is None else helper.text()
        self.body = Evaluator(text, builder, env)
        return self.body.result()

    def expr(self, value: Value, dtype: DType | None = None) -> Expr:
        """What the function that was evaluated last returned, or a part of it, as an expression."""
        return self.body.returned_as(value, dtype)

    def fail(self, message: str, kind: type[KernelError] = KernelTypeError) -> KernelError:
        """Build an error that shows the definition's first line."""
        return self.definition.text().error(kind, message)

    def results(self, value: Value) -> list[Expr]:
        """The outputs' values: one, or a tuple of them."""
        found = list(value) if isinstance(value, tuple) else [value]
        if not found:
            raise self.body.fail("it returns no value", self.body.returned)
        for one in found:
            if not isinstance(one, Expr) and not is_number(one):
                raise self.body.fail(
                    f"it returns {describe(one)}; an element is a number", self.body.returned
                )
        return [self.expr(one) for one in found]

    def output_specs(self, shape: tuple[int, ...], results: Sequence[Expr]) -> tuple[Spec, ...]:
        """Check the given outputs against the shape, or make specs from the dtype rule."""
        if self.given is not None:
            self.asked.check_outputs(shape, len(results))
            return self.given
        ruled = self.asked.ruled_dtype()
        return tuple(Spec(shape, ruled or self.natural(result)) for result in results)

    def natural(self, result: Expr) -> DType:
        """The storage type of a result: that of what u8(...) gave, and of what was made of inputs
        of one narrow type."""
        kept = self.body.builder.kept(result)
        if kept is not None:
            return kept
        elementwise = self.definition.form in (Form.POINTWISE, Form.KERNEL)
        dtypes = [spec.dtype for spec in self.inputs]
        return storage_type(result.dtype, dtypes, elementwise=elementwise)

    def finish(
        self,
        form: IrForm,
        space: tuple[Any, ...],
        inputs: Sequence[Tensor],
        out: tuple[Any, ...],
        specs: tuple[Spec, ...],
        sizes: dict[str, int],
    ) -> Bound:
        """Assemble and verify the kernel, whose outputs all have the dimensions `out`; return it as
        a Bound of one stage."""
        names = self._output_names(len(specs))
        outputs = [Tensor(n, spec.dtype, out) for n, spec in zip(names, specs, strict=True)]
        params = self.params()
        # Where an input has no elements there is nothing for a library to do.
        empty = any(0 in spec.shape for spec in self.inputs)
        routine = None if empty else self.definition.options.get("routine")
        kernel = Kernel(
            self.name, space, tuple(inputs), tuple(outputs), params, form, routine=routine
        )
        verify(kernel)
        kernel = unique(kernel)
        count = len(self.inputs)
        stage = Stage(
            kernel,
            reads=tuple(range(count)),
            writes=tuple(range(count, count + len(specs))),
            dims=tuple(sizes[symbol] for symbol in kernel.symbols),
            picks=tuple(range(len(params))),
        )
        return Bound(self.inputs, specs, (), (stage,))

    def _output_names(self, count: int) -> list[str]:
        """Names for outputs that no input has."""
        base = "out"
        while any(name.startswith(base) for name in self.names):
            base = f"_{base}"
        return [base] if count == 1 else [f"{base}{k}" for k in range(count)]


def broadcast_read(tensor: Tensor, row: int | None = None) -> Load:
    """Read an operand at the element's own place; axes of size 1 repeat.

    `row` is an axis to keep as it is: a row of one element is still a row."""
    indices = tuple(
        Const(0, DType.S32) if dim == 1 and axis != row else Axis(axis)
        for axis, dim in enumerate(tensor.dims)
    )
    return Load(tensor.name, indices, read_as(tensor.dtype))
