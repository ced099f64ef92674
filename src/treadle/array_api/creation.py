"""Creation functions of the standard.

In: shapes, numbers, and arrays of other libraries. Out: buffers on a device, by default the one in
use. What a function like zeros holds is made by the host and copied to the device.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from treadle.array_api.given import Array, Number, array, call, fresh, kind, where_is
from treadle.array_api.manipulation import broadcast_to
from treadle.array_api.types import astype, default_float, default_integer, dtype_of, result_type
from treadle.dtypes import DType, as_dtype
from treadle.lang.composite import Handle
from treadle.runtime.buffer import Buffer
from treadle.runtime.device import Device

__all__ = [
    "arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like",
    "linspace", "meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip

Shape = int | tuple[int, ...]


class _Exchanged(Protocol):
    """An array that speaks DLPack."""

    def __dlpack__(self) -> Any: ...


def _wanted(dtype: Any, otherwise: DType) -> DType:
    return otherwise if dtype is None else as_dtype(dtype)


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None
) -> Array:
    """Make an array of a number, nested sequences, or another array.

    A buffer is returned itself unless its dtype or device change or copy=True. Python's floats
    become float32, its ints int64 (int32 on a device without). Another library's array is copied,
    since work that was submitted may read it long after you changed it; with copy=False its memory
    is used as it is, or it is an error."""
    if isinstance(obj, Buffer | Handle):
        return _of_array(obj, dtype, device, copy)
    where = where_is(named=device)
    if isinstance(obj, bool | int | float | complex | list | tuple | range):
        if copy is False:
            raise ValueError("copy: Python's numbers are copied; expected copy=None or copy=True")
        return _of_python(obj, dtype, where)
    if copy is False:
        made = where.from_numpy(np.asarray(obj), copy=False)
        return _of_array(made, dtype, None, False)
    made = where.buffer(obj)
    return made if dtype is None else astype(made, dtype, copy=False)


def _of_array(x: Any, dtype: Any, device: Any, copy: bool | None) -> Array:
    wanted = _wanted(dtype, kind(x))
    moves = device is not None and where_is(named=device) is not where_is(x)
    if copy is False and (wanted is not kind(x) or moves):
        raise ValueError(f"copy: {x!r} cannot become {wanted} on {device} without a copy")
    return astype(x, wanted, copy=copy is True, device=device)


def _of_python(values: Any, dtype: Any, where: Device) -> Array:
    found = np.asarray(_unpacked(values))
    if dtype is None:
        weak = {"b": DType.BOOL, "f": default_float(where), "i": default_integer(where)}
        if found.dtype.kind not in (*weak, "c"):
            raise TypeError(f"obj: expected numbers, got {values!r:.80}")
        empty = not found.size and not isinstance(values, bool | int | float)
        first = default_float(where) if empty else weak.get(found.dtype.kind)
        wanted = first or as_dtype("complex64")
    else:
        wanted = as_dtype(dtype)
    if wanted is DType.BOOL or (wanted.is_integer and found.dtype.kind == "f"):
        found = found.astype(wanted.numpy)
    return where.buffer(found, found.shape, wanted)


def _unpacked(values: Any) -> Any:
    """Nested sequences with the arrays of one element in them as numbers, which waits for those."""
    if isinstance(values, list | tuple):
        return [_unpacked(value) for value in values]
    return values.to_numpy() if isinstance(values, Buffer) else values


def empty(shape: Shape, *, dtype: Any = None, device: Any = None) -> Array:
    """Make an array whose elements are not set."""
    where = where_is(named=device)
    return where.empty(shape, _wanted(dtype, default_float(where)))


def full(shape: Shape, fill_value: Number, *, dtype: Any = None, device: Any = None) -> Array:
    """Make an array that holds one number everywhere."""
    where = where_is(named=device)
    wanted = _wanted(dtype, dtype_of(fill_value, where))
    return where.buffer(np.full(shape, fill_value, wanted.numpy))


def zeros(shape: Shape, *, dtype: Any = None, device: Any = None) -> Array:
    """Make an array of zeros."""
    where = where_is(named=device)
    return where.buffer_zeros(shape, _wanted(dtype, default_float(where)))


def ones(shape: Shape, *, dtype: Any = None, device: Any = None) -> Array:
    """Make an array of ones."""
    return full(shape, 1.0 if dtype is None else 1, dtype=dtype, device=device)


def full_like(x: Array, /, fill_value: Number, *, dtype: Any = None, device: Any = None) -> Array:
    """Make an array of another's shape and dtype that holds one number everywhere."""
    wanted = _wanted(dtype, kind(x))
    if device is not None:
        return full(x.shape, fill_value, dtype=wanted, device=device)
    return fresh(np.full(x.shape, fill_value, wanted.numpy), wanted, x)  # type: ignore[no-any-return]


def empty_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    """Make an array of another's shape and dtype whose elements are not set."""
    return where_is(x, named=device).empty(array(x).shape, _wanted(dtype, kind(x)))


def zeros_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    """Make an array of zeros with another's shape and dtype."""
    return full_like(x, 0, dtype=dtype, device=device)


def ones_like(x: Array, /, *, dtype: Any = None, device: Any = None) -> Array:
    """Make an array of ones with another's shape and dtype."""
    return full_like(x, 1, dtype=dtype, device=device)


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: Any = None,
    device: Any = None,
) -> Array:
    """Make an array of the numbers from start to before stop, a step apart."""
    where = where_is(named=device)
    begin: Any
    begin, end = (0, start) if stop is None else (start, stop)
    whole = all(isinstance(number, int) for number in (begin, end, step))
    wanted = _wanted(dtype, default_integer(where) if whole else default_float(where))
    made: Any = np.arange(begin, end, step, dtype=wanted.numpy)
    return where.buffer(made)


def linspace(
    start: float,
    stop: float,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Array:
    """Make an array of `num` numbers from start to stop, the latter among them or not."""
    where = where_is(named=device)
    wanted = _wanted(dtype, default_float(where))
    return where.buffer(np.linspace(start, stop, num, endpoint, dtype=wanted.numpy))


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Any = None,
) -> Array:
    """Make a matrix with ones on a diagonal and zeros elsewhere."""
    where = where_is(named=device)
    return where.buffer(np.eye(n_rows, n_cols, k, _wanted(dtype, default_float(where)).numpy))


def from_dlpack(x: _Exchanged, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """Make an array of another library's through DLPack, in place where that is possible."""
    if isinstance(x, Buffer):
        return _of_array(x, None, device, copy)
    return where_is(named=device).from_dlpack(x, copy=copy)


def meshgrid(*arrays: Array, indexing: str = "xy") -> list[Array]:
    """Make matrices of coordinates from vectors of them, in Cartesian or in matrix order."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing: expected 'xy' or 'ij', got {indexing!r}")
    if any(array(x).ndim > 1 for x in arrays):
        raise ValueError("meshgrid: expected vectors")
    if len(arrays) > 1:
        result_type(*arrays)
    count = len(arrays)
    order = list(range(count))
    if indexing == "xy" and count > 1:
        order[:2] = [1, 0]
    sizes = [0] * count
    for x, axis in zip(arrays, order, strict=True):
        sizes[axis] = x.shape[0] if x.shape else 1
    made = []
    for x, axis in zip(arrays, order, strict=True):
        alone = tuple(sizes[d] if d == axis else 1 for d in range(count))
        made.append(broadcast_to(x.reshape(alone), tuple(sizes)))
    return made


def _part(x: Any, k: int, upper: bool) -> Any:
    if array(x).ndim < 2:
        raise ValueError(f"x: expected matrices, got shape {x.shape}")
    return call("triu" if upper else "tril", x, diagonal=k)


def tril(x: Array, /, *, k: int = 0) -> Array:
    """Copy matrices, with zeros above diagonal k."""
    return _part(x, k, False)  # type: ignore[no-any-return]


def triu(x: Array, /, *, k: int = 0) -> Array:
    """Copy matrices, with zeros below diagonal k."""
    return _part(x, k, True)  # type: ignore[no-any-return]
