"""Operators on arrays: what buffers, and the handles of functions that are traced, have in common.

In: two operands. Out: what a kernel gives of them, submitted or recorded; which of the two is the
subclass's business. Here it is decided which kernel that is, and what is converted before. A
comparison gives an array of bool, of which `+` is `or` and `*` is `and`, as NumPy has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np

from treadle.dtypes import DType, as_dtype, promote, read_as
from treadle.errors import LaunchError, entrances
from treadle.lang.promotion import division_type, is_number, result_type, with_number

__all__ = ["Beside", "Operators", "array_namespace"]

# Set by treadle.features, which is above: the functions of a version of the array API standard.
array_namespace: Callable[[str | None], Any] | None = None

# What may stand beside an array: besides another one, numbers, arrays of NumPy, nested lists.
Beside = float | np.ndarray[Any, Any] | np.number[Any] | np.bool_ | list[Any]
Axis = int | tuple[int, ...] | None

_NAMED = {"add": "elementwise_add", "sub": "elementwise_sub", "mul": "elementwise_mul"}
_WITH_NUMBER = {"add": "scalar_add", "mul": "scalar_mul"}
_OF_FLOATS = {"floordiv": "floor_divide", "mod": "remainder"}  # with an exact rest
_OF_CONDITIONS = {"add": "or", "mul": "and"}
_BITS = frozenset(("and", "or", "xor", "shl", "shr"))


@entrances("astype sum mean min max argmax argmin transpose")
class Operators:
    """Arithmetic, comparisons, reductions and conversions."""

    __slots__ = ()
    __array_priority__ = 1000  # NumPy leaves `array + buffer` to the buffer

    def _apply(self, kernel: str, *inputs: Any, **params: Any) -> Self:
        """Have a kernel run, or recorded."""
        raise NotImplementedError

    def _beside(self, other: Any) -> Any:
        """What stands beside it, as an operand or a number; NotImplemented for what cannot."""
        raise NotImplementedError

    @property
    def _own_dtype(self) -> DType:
        found: Any = self
        return as_dtype(found.dtype)

    # What operators do.

    def _binary(self, op: str, other: Any, swap: bool = False, output: Any = None) -> Self:
        alike = type(other) is type(self) and other._own_dtype is self._own_dtype
        if alike and op in _NAMED and output is None and self._own_dtype is not DType.BOOL:
            return self._apply(_NAMED[op], self, other)
        beside = self._beside(other)
        if beside is NotImplemented:
            return beside  # type: ignore[no-any-return]  # which Python makes an error of
        into: dict[str, Any] = {} if output is None else {"output": output}
        if is_number(beside):
            if self._own_dtype is not DType.BOOL or type(beside) is not bool:
                return self._with_number(op, beside, swap, into)
            beside = self._beside(np.asarray(beside))
        a: Any = beside if swap else self
        b: Any = self if swap else beside
        dtypes = as_dtype(a.dtype), as_dtype(b.dtype)
        wanted = result_type(*dtypes)
        if op == "div":
            wanted = division_type(wanted)
        _check_operator(op, wanted)
        if wanted is DType.BOOL:
            op = _OF_CONDITIONS.get(op, op)
        if promote(*dtypes) is not wanted and dtypes != (wanted, wanted):
            a, b = (x if x.dtype == wanted else _cast(x, self, wanted) for x in (a, b))
        if op == "div":
            return self._apply("elementwise_div", a, b, **into)
        if op in _NAMED:
            return self._apply(_NAMED[op], a, b, **into)
        if op in _OF_FLOATS and wanted.is_float:
            return self._apply(_OF_FLOATS[op], a, b, **into)
        return self._apply("_binary", a, b, op=op, **into)

    def _with_number(self, op: str, number: float, swap: bool, into: Mapping[str, Any]) -> Self:
        wanted = with_number(self._own_dtype, number)
        if op == "div":
            wanted = division_type(wanted)
        _check_operator(op, wanted)
        if wanted.is_integer and isinstance(number, int):
            _check_number(op, read_as(wanted), number)
        a = self if self._own_dtype is wanted else self.astype(wanted)
        if op == "pow" and number == 2 and not swap:
            return self._apply("elementwise_mul", a, a, **into)
        if op in _WITH_NUMBER and (number == number or wanted is DType.C64):
            return self._apply(_WITH_NUMBER[op], a, scalar=number, **into)
        if op in _WITH_NUMBER:  # kernels with a name refuse NaN, which all arithmetic makes NaN of
            op = "sub"
        if op in _OF_FLOATS and wanted.is_float:
            whole = op == "floordiv"
            return self._apply("_rest", a, whole=whole, swap=swap, scalar=float(number), **into)
        return self._apply("_binary", a, op=op, swap=swap, scalar=number, **into)

    def __add__(self, other: Self | Beside) -> Self:
        return self._binary("add", other)

    def __radd__(self, other: Beside) -> Self:
        return self._binary("add", other, True)

    def __sub__(self, other: Self | Beside) -> Self:
        return self._binary("sub", other)

    def __rsub__(self, other: Beside) -> Self:
        return self._binary("sub", other, True)

    def __mul__(self, other: Self | Beside) -> Self:
        return self._binary("mul", other)

    def __rmul__(self, other: Beside) -> Self:
        return self._binary("mul", other, True)

    def __truediv__(self, other: Self | Beside) -> Self:
        return self._binary("div", other)

    def __rtruediv__(self, other: Beside) -> Self:
        return self._binary("div", other, True)

    def __floordiv__(self, other: Self | Beside) -> Self:
        return self._binary("floordiv", other)

    def __rfloordiv__(self, other: Beside) -> Self:
        return self._binary("floordiv", other, True)

    def __mod__(self, other: Self | Beside) -> Self:
        return self._binary("mod", other)

    def __rmod__(self, other: Beside) -> Self:
        return self._binary("mod", other, True)

    def __pow__(self, other: Self | Beside) -> Self:
        return self._binary("pow", other)

    def __rpow__(self, other: Beside) -> Self:
        return self._binary("pow", other, True)

    def __and__(self, other: Self | Beside) -> Self:
        return self._binary("and", other)

    def __rand__(self, other: Beside) -> Self:
        return self._binary("and", other, True)

    def __or__(self, other: Self | Beside) -> Self:
        return self._binary("or", other)

    def __ror__(self, other: Beside) -> Self:
        return self._binary("or", other, True)

    def __xor__(self, other: Self | Beside) -> Self:
        return self._binary("xor", other)

    def __rxor__(self, other: Beside) -> Self:
        return self._binary("xor", other, True)

    def __lshift__(self, other: Self | Beside) -> Self:
        return self._binary("shl", other)

    def __rlshift__(self, other: Beside) -> Self:
        return self._binary("shl", other, True)

    def __rshift__(self, other: Self | Beside) -> Self:
        return self._binary("shr", other)

    def __rrshift__(self, other: Beside) -> Self:
        return self._binary("shr", other, True)

    def __lt__(self, other: Self | Beside) -> Self:
        return self._binary("lt", other)

    def __le__(self, other: Self | Beside) -> Self:
        return self._binary("le", other)

    def __gt__(self, other: Self | Beside) -> Self:
        return self._binary("gt", other)

    def __ge__(self, other: Self | Beside) -> Self:
        return self._binary("ge", other)

    def __eq__(self, other: Self | Beside) -> Self:  # type: ignore[override]
        return self._binary("eq", other)

    def __ne__(self, other: Self | Beside) -> Self:  # type: ignore[override]
        return self._binary("ne", other)

    def __hash__(self) -> int:
        """By identity: arrays that hold the same are not the same key."""
        return object.__hash__(self)

    def __matmul__(self, other: Self | Beside) -> Self:
        made: Self = _product(self, self._beside(other))
        return made

    def __rmatmul__(self, other: Beside) -> Self:
        beside = self._beside(other)
        made: Self = NotImplemented if is_number(beside) else _product(beside, self, self)
        return made

    def __neg__(self) -> Self:
        _check_operator("neg", self._own_dtype)
        return self._apply("neg", self)

    def __pos__(self) -> Self:
        return self._apply("_copy", self)

    def __abs__(self) -> Self:
        return self._apply("abs", self)

    def __invert__(self) -> Self:
        if self._own_dtype is DType.BOOL:
            return self._apply("_binary", self, op="not")
        _check_operator("invert", self._own_dtype)
        return self._apply("bitwise_invert", self)

    # What methods do.

    def astype(self, dtype: Any) -> Self:
        """Convert to another dtype, as the kernel `cast` does: floats to integers truncate and
        saturate (u8 rounds to nearest), NaN gives 0."""
        return self._apply("cast", self, dtype=as_dtype(dtype))

    def sum(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Add elements up, along an axis, several, or all; integers in s64."""
        return self._apply("reduce_sum", self, axis=axis, keepdims=keepdims)

    def mean(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Average elements along an axis, several, or all, as floats."""
        return self._apply("reduce_mean", self, axis=axis, keepdims=keepdims)

    def min(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Find the smallest element along an axis, several, or all."""
        return self._apply("reduce_min", self, axis=axis, keepdims=keepdims)

    def max(self, axis: Axis = None, *, keepdims: bool = False) -> Self:
        """Find the largest element along an axis, several, or all."""
        return self._apply("reduce_max", self, axis=axis, keepdims=keepdims)

    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> Self:
        """Find the position of the first largest element along an axis, or of all (s32)."""
        return self._apply("argmax", self, axis=axis, keepdims=keepdims)

    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> Self:
        """Find the position of the first smallest element along an axis, or of all (s32)."""
        return self._apply("argmin", self, axis=axis, keepdims=keepdims)

    def transpose(self, *axes: int) -> Self:
        """Copy it with its axes in another order, by default the reverse."""
        return self._apply("transpose", self, axes=axes or None)

    @property
    def real(self) -> Self:
        """The real parts, as a copy; of real numbers, itself."""
        return self._apply("_real", self) if self._own_dtype is DType.C64 else self

    @property
    def imag(self) -> Self:
        """The imaginary parts, as a copy; of real numbers, zeros."""
        return self._apply("_imaginary", self) if self._own_dtype is DType.C64 else self * 0

    def conj(self) -> Self:
        """Turn the sign of the imaginary parts; of real numbers, itself."""
        return self._apply("_conjugate", self) if self._own_dtype is DType.C64 else self

    @property
    def T(self) -> Self:
        """Its axes in reverse order, as a copy."""
        return self.transpose()

    @property
    def mT(self) -> Self:
        """Its last two axes exchanged, as a copy: every matrix of a stack transposed."""
        count = len(self.shape)  # type: ignore[attr-defined]
        if count < 2:
            raise LaunchError(f"mT: expected matrices, got {count} axes")
        return self.transpose(*range(count - 2), count - 1, count - 2)

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        """Return the functions of the array API standard, `treadle.array_api`."""
        assert array_namespace is not None
        return array_namespace(api_version)


def _cast(operand: Any, beside: Operators, dtype: DType) -> Any:
    """An operand as another dtype; a table of a trace has no methods."""
    return beside._apply("cast", operand, dtype=dtype)


def _check_operator(op: str, dtype: DType) -> None:
    """Raise for an operator that values of a dtype do not have."""
    if dtype.is_float and (op in _BITS or op == "invert"):
        raise LaunchError(f"{op}: expected integers or conditions, got {dtype}; see astype")
    if dtype is DType.BOOL and op in ("sub", "neg"):
        raise LaunchError(f"{op}: conditions have no difference; write a ^ b, or see astype")


def _check_number(op: str, dtype: DType, number: int) -> None:
    """Raise for a number that the type in which an operator computes cannot hold."""
    low, high = dtype.limits
    if not low <= number <= high:
        raise LaunchError(
            f"{op}: expected an integer from {low} to {high} beside {dtype}, got {number}; convert "
            "the array first, as in x.astype('s64')"
        )


def _product(a: Any, b: Any, by: Any = None) -> Any:
    """The product of matrices; a vector is a row on the left and a column on the right."""
    if b is NotImplemented or is_number(b):
        return NotImplemented
    maker = a if by is None else by
    wanted = result_type(as_dtype(a.dtype), as_dtype(b.dtype))
    a, b = (x if x.dtype == wanted else _cast(x, maker, wanted) for x in (a, b))
    if not len(a.shape) or not len(b.shape):
        raise LaunchError(f"@: expected vectors or matrices, got shapes {a.shape} and {b.shape}")
    left = a.reshape((1, *a.shape)) if len(a.shape) == 1 else a
    right = b.reshape((*b.shape, 1)) if len(b.shape) == 1 else b
    made = maker._apply("matmul", left, right)
    shape = list(made.shape)
    if right is not b:
        del shape[-1]
    if left is not a:
        del shape[-1 if right is not b else -2]
    return made if len(shape) == len(made.shape) else made.reshape(tuple(shape))
