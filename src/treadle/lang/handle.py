"""What functions that are traced compute with: handles of values to come, and tables.

In: specs, and arrays as users give them. Out: handles that know shape and dtype, and record what is
done with them in the trace that they belong to, by calls of kernels and by operators alike.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from treadle.bfloat import bfloat_values
from treadle.data import dataclass
from treadle.dtypes import STORED, DType, as_dtype
from treadle.errors import LaunchError
from treadle.ir.bound import Spec
from treadle.ir.casts import convert, widened
from treadle.ir.sizes import SizeTable
from treadle.lang import registry
from treadle.lang.indexing import Basic, basic, cuts, expanded, follow, is_array
from treadle.lang.operators import Operators
from treadle.lang.promotion import is_number

if TYPE_CHECKING:
    from treadle.lang.composite import CallTrace

__all__ = ["Constant", "Handle", "constant"]


@dataclass(frozen=True, slots=True, eq=False)
class Handle(Operators):
    """A value inside a composite: what a stage will have computed."""

    trace: CallTrace = field(repr=False)
    slot: int
    spec: Spec

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape it will have."""
        return self.spec.shape

    @property
    def dtype(self) -> str:
        """The dtype it will have."""
        return str(self.spec.dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.spec.shape)

    def has_routine(self, name: str) -> bool:
        """Whether the device that this is bound for has a library routine of this name.

        Bound for no device in particular, all are taken to be there."""
        return self.trace.routines is None or name in self.trace.routines

    def reshape(self, *shape: Any) -> Handle:
        """The same elements under another shape, of which one size may be -1; nothing is copied."""
        sizes = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        if -1 in sizes:
            sizes = follow(sizes, self.spec.elements)
        spec = Spec(sizes, self.spec.dtype)
        if spec.elements != self.spec.elements:
            raise LaunchError(
                f"in kernel {self.trace.owner!r}: {self.spec.elements} elements of shape "
                f"{self.shape} cannot be reshaped to {sizes}"
            )
        return Handle(self.trace, self.slot, spec)

    def __getitem__(self, index: Any) -> Handle:
        items = expanded(index, self.shape, self)
        arrays = [place for place, item in enumerate(items) if is_array(item)]
        if not arrays:
            return self._part(basic(items, self.shape, self))
        given = [item for place, item in enumerate(items) if place != arrays[0]]
        positions = self._beside(items[arrays[0]])
        if any(item != slice(None) for item in given) or positions.dtype == "bool":
            raise LaunchError(
                "index: in a function that is being traced, expected ints and slices, or one "
                "array of positions beside whole axes; how much a condition chooses is not known"
            )
        gathered: Handle = self._apply("gather", self, positions, axis=arrays[0])
        return gathered

    def _part(self, found: Basic) -> Handle:
        ranges = found.ranges
        whole = all(r == range(n) for r, n in zip(ranges, self.shape, strict=True))
        cut = self if whole else self._apply("slice", self, **cuts(ranges))
        return cut.reshape(found.shape)

    def __bool__(self) -> bool:
        raise LaunchError(
            f"in kernel {self.trace.owner!r}: what is in an array is not known while a function is "
            "traced; write ops.where(condition, a, b) in place of `if`, or ask for shape and dtype"
        )

    # What operators ask for.

    def _beside(self, other: Any) -> Any:
        if isinstance(other, Handle | Constant) or is_number(other):
            return other
        if isinstance(other, np.ndarray | np.generic | list):
            return constant(other)
        return NotImplemented

    def _apply(self, kernel: str, *inputs: Any, **params: Any) -> Self:
        made: Self = self.trace.call(registry.lookup(kernel), inputs, params)
        return made


class Constant:
    """A table that a composite computed; kernels take it as an input."""

    __slots__ = ("array", "spec")

    def __init__(self, array: np.ndarray[Any, Any] | SizeTable) -> None:
        self.array = array
        self.spec = Spec(array.shape, as_dtype(array.dtype))

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return self.spec.shape

    @property
    def dtype(self) -> str:
        """Its dtype."""
        return str(self.spec.dtype)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.spec.shape)


def constant(values: Any, dtype: object = None) -> Constant:
    """Make a table that kernels called in a composite can read; it is uploaded once for a plan.

    `values` is an array or what NumPy makes one of, and is copied. `dtype` defaults to the array's
    own; Python's numbers are f32, or s32 (s64 if they need it) if all are whole."""
    if isinstance(values, SizeTable) and dtype is None:
        return Constant(values)  # another one for other sizes
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.asarray(None)
    if array.dtype.kind not in "fiub" and array.dtype != DType.BF16.numpy:
        raise LaunchError(
            f"constant: values must be numbers, got {type(values).__name__} {values!r:.80}"
        )
    fresh = dtype is not None
    array = bfloat_values(array) if fresh and array.dtype.kind == "V" else array
    if dtype is not None and as_dtype(dtype) is DType.C64:
        raise LaunchError(f"dtype: expected one of {', '.join(STORED)}, got c64; see x.real")
    if dtype is not None:
        array = _as_stored(array, as_dtype(dtype))
    elif not hasattr(values, "dtype"):
        kinds = {"f": DType.F32, "b": DType.BOOL}
        whole = array.dtype.kind in "fb" or np.abs(array).max(initial=0) < 2**31
        array = _as_stored(array, kinds.get(array.dtype.kind, DType.S32 if whole else DType.S64))
    array = np.ascontiguousarray(array).reshape(array.shape)  # the former makes () into (1,)
    if array.flags.writeable:
        array = array if fresh else array.copy()
        array.flags.writeable = False
    return Constant(array)


def _as_stored(array: np.ndarray[Any, Any], dtype: DType) -> np.ndarray[Any, Any]:
    """The values as `dtype`; those that it has no room for are refused."""
    with np.errstate(all="ignore"):
        if dtype.is_float:
            made = convert(array, dtype)
            lost = np.isfinite(array) & ~np.isfinite(widened(made, dtype))
        else:
            made = np.asarray(array).astype(dtype.numpy)
            lost = array != made
    if lost.any():
        raise LaunchError(f"constant: values must fit {dtype}, got {array[lost].flat[0]!s}")
    return made
