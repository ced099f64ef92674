"""The linear algebra extension of the standard.

In: matrices, or stacks of them. Out: arrays, at once. Products, norms, traces and crosses are
kernels; decompositions and what is made of them (det, inv, solve, svd, ...) NumPy computes on the
host, as a stage in its turn. A matrix that has no solution is an error of what reads the result.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from treadle.array_api.given import (
    Array,
    Axes,
    array,
    axes_of,
    axis_of,
    call,
    cast,
    fresh,
    kind,
    pair,
)  # fmt: skip
from treadle.array_api.hosted import hosted
from treadle.array_api.linear import matmul, matrix_transpose, tensordot, vecdot
from treadle.array_api.manipulation import broadcast_arrays, moveaxis, stack
from treadle.array_api.statistics import max as largest
from treadle.array_api.statistics import min as smallest
from treadle.array_api.statistics import sum as total
from treadle.array_api.types import result_type
from treadle.dtypes import DType

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm",
    "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve",
    "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip


class EighResult(NamedTuple):
    """What `eigh` gives."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """What `qr` gives."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """What `slogdet` gives."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """What `svd` gives."""

    U: Array
    S: Array
    Vh: Array


def _matrices(x: Any, what: str, *, square: bool = False) -> Any:
    """Matrices of floats, which NumPy takes."""
    if array(x).ndim < 2 or (square and x.shape[-1] != x.shape[-2]):
        raise ValueError(f"{what}: expected {'square ' * square}matrices, got shape {x.shape}")
    if kind(x).numpy.kind not in "fc" or kind(x).size < 4:
        raise TypeError(f"{what}: expected float32 or float64, got {kind(x)}; see astype")
    return x


def _real(x: Any) -> DType:
    """The dtype of a matrix's norms and the like."""
    return DType.F32 if x.dtype.numpy.kind == "c" else x.dtype


# Decompositions, and what is made of them, by NumPy. A rule says what comes out of a spec.


def _like(x: Any, **_: Any) -> Any:
    return [(x.shape, x.dtype)]


def _one_each(x: Any, **_: Any) -> Any:
    return [(x.shape[:-2], x.dtype)]


def _values(x: Any, **_: Any) -> Any:
    return [((*x.shape[:-2], min(x.shape[-2:])), _real(x))]


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """Decompose positive definite matrices into a triangle and its transpose, by NumPy."""
    found = _matrices(x, "cholesky", square=True)
    return hosted("cholesky", _cholesky, _like, found, upper=upper)  # type: ignore[no-any-return]


def _cholesky(x: Any, upper: bool) -> Any:
    made = np.linalg.cholesky(x)
    return np.conj(np.swapaxes(made, -1, -2)) if upper else made


def det(x: Array, /) -> Array:
    """Compute determinants, by NumPy."""
    found = _matrices(x, "det", square=True)
    return hosted("det", np.linalg.det, _one_each, found)  # type: ignore[no-any-return]


def eigh(x: Array, /) -> EighResult:
    """Compute eigenvalues and eigenvectors of symmetric matrices, by NumPy."""
    found = _matrices(x, "eigh", square=True)
    return EighResult(*hosted("eigh", np.linalg.eigh, _eigh_specs, found))


def _eigh_specs(x: Any) -> Any:
    return [*_values(x), *_like(x)]


def eigvalsh(x: Array, /) -> Array:
    """Compute eigenvalues of symmetric matrices, by NumPy."""
    found = _matrices(x, "eigvalsh", square=True)
    return hosted("eigvalsh", np.linalg.eigvalsh, _values, found)  # type: ignore[no-any-return]


def inv(x: Array, /) -> Array:
    """Invert matrices, by NumPy."""
    found = _matrices(x, "inv", square=True)
    return hosted("inv", np.linalg.inv, _like, found)  # type: ignore[no-any-return]


def matrix_rank(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """Count the singular values of matrices above a part of the largest, by NumPy."""
    found = _matrices(x, "matrix_rank")
    more = () if rtol is None else (rtol if hasattr(rtol, "dtype") else _number(rtol, x),)
    return hosted("matrix_rank", _matrix_rank, _ranks, found, *more)  # type: ignore[no-any-return]


def _number(value: Any, x: Any) -> Any:
    return fresh(value, DType.F32 if kind(x).numpy.kind == "c" else kind(x), x)


def _matrix_rank(x: Any, *rtol: Any) -> Any:
    found = np.linalg.svd(x, compute_uv=False)
    least = max(x.shape[-2:]) * np.finfo(found.dtype).eps if not rtol else rtol[0]
    highest = found.max(axis=-1, keepdims=True, initial=0)
    return np.count_nonzero(found > highest * np.asarray(least)[..., None], axis=-1)


def _ranks(x: Any, *_: Any) -> Any:
    return [(x.shape[:-2], DType.S32)]


def pinv(x: Array, /, *, rtol: float | Array | None = None) -> Array:
    """Compute pseudo-inverses of matrices, by NumPy."""
    found = _matrices(x, "pinv")
    more = () if rtol is None else (rtol if hasattr(rtol, "dtype") else _number(rtol, x),)
    return hosted("pinv", _pinv, _turned, found, *more)  # type: ignore[no-any-return]


def _pinv(x: Any, *rtol: Any) -> Any:
    least = max(x.shape[-2:]) * np.finfo(x.dtype).eps if not rtol else rtol[0]
    return np.linalg.pinv(x, rcond=least)


def _turned(x: Any, *_: Any) -> Any:
    return [((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)]


def qr(x: Array, /, *, mode: str = "reduced") -> QRResult:
    """Decompose matrices into one of orthogonal columns and a triangle, by NumPy."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode: expected 'reduced' or 'complete', got {mode!r}")
    return QRResult(*hosted("qr", np.linalg.qr, _qr_specs, _matrices(x, "qr"), mode=mode))


def _qr_specs(x: Any, mode: str) -> Any:
    *lead, rows, columns = x.shape
    inner = min(rows, columns) if mode == "reduced" else rows
    return [((*lead, rows, inner), x.dtype), ((*lead, inner, columns), x.dtype)]


def slogdet(x: Array, /) -> SlogdetResult:
    """Compute signs and logarithms of determinants, by NumPy."""
    found = _matrices(x, "slogdet", square=True)
    return SlogdetResult(*hosted("slogdet", np.linalg.slogdet, _slogdet_specs, found))


def _slogdet_specs(x: Any) -> Any:
    return [(x.shape[:-2], x.dtype), (x.shape[:-2], _real(x))]


def solve(x1: Array, x2: Array, /) -> Array:
    """Solve linear equations x1 @ x = x2, for a vector x2 or for matrices, by NumPy."""
    a, b = pair(_matrices(x1, "solve", square=True), x2, same=True)
    return hosted("solve", _solve, _solved, a, b)  # type: ignore[no-any-return]


def _solve(a: Any, b: Any) -> Any:
    return np.linalg.solve(a, b[:, None])[..., 0] if b.ndim == 1 else np.linalg.solve(a, b)


def _solved(a: Any, b: Any) -> Any:
    if len(b.shape) == 1:
        return [((*a.shape[:-2], b.shape[0]), a.dtype)]
    return [((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:]), a.dtype)]


def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """Decompose matrices into singular vectors and values, by NumPy."""
    found = hosted(
        "svd", np.linalg.svd, _svd_specs, _matrices(x, "svd"), full_matrices=full_matrices
    )
    return SVDResult(*found)


def _svd_specs(x: Any, full_matrices: bool) -> Any:
    *lead, rows, columns = x.shape
    inner = min(rows, columns)
    left, right = (rows, columns) if full_matrices else (inner, inner)
    return [
        ((*lead, rows, left), x.dtype),
        ((*lead, inner), _real(x)),
        ((*lead, right, columns), x.dtype),
    ]


def svdvals(x: Array, /) -> Array:
    """Compute singular values of matrices, by NumPy."""
    return hosted("svdvals", np.linalg.svdvals, _values, _matrices(x, "svdvals"))  # type: ignore[no-any-return]


# What kernels compute.


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Compute the cross products of vectors of three along an axis."""
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f"axis: expected vectors of 3, got shapes {x1.shape} and {x2.shape}")
    a, b = pair(*broadcast_arrays(x1, x2), same=True)
    place = axis_of(axis, a.ndim)
    first, second = (moveaxis(x, place, 0) for x in (a, b))
    turns = [first[k - 2] * second[k - 1] - first[k - 1] * second[k - 2] for k in range(3)]
    return stack(turns, axis=place)


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """Copy a diagonal of matrices."""
    if array(x).ndim < 2:
        raise ValueError(f"x: expected matrices, got shape {x.shape}")
    rows, columns = x.shape[-2:]
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    lead = x.shape[:-2]
    if not count or 0 in lead:
        return fresh(np.zeros((*lead, count)), kind(x), x)  # type: ignore[no-any-return]
    first = max(offset, 0) - min(offset, 0) * columns
    places = first + np.arange(count) * (columns + 1)
    flat = x.reshape((*lead, rows * columns))
    return call("gather", flat, fresh(places, DType.S32, x), axis=len(lead))  # type: ignore[no-any-return]


def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """Add up a diagonal of matrices."""
    return total(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def outer(x1: Array, x2: Array, /) -> Array:
    """Multiply each element of a vector by each of another."""
    if array(x1).ndim != 1 or array(x2).ndim != 1:
        raise ValueError(f"expected vectors, got shapes {x1.shape} and {x2.shape}")
    result_type(x1, x2)
    return x1.reshape((x1.shape[0], 1)) * x2.reshape((1, x2.shape[0]))


def matrix_power(x: Array, n: int, /) -> Array:
    """Multiply square matrices by themselves n times; of their inverses for a negative n."""
    found = _matrices(x, "matrix_power", square=True)
    if n == 0:
        size = x.shape[-1]
        made = np.broadcast_to(np.eye(size), x.shape)
        return fresh(made, kind(x), x)  # type: ignore[no-any-return]
    factor: Any = inv(found) if n < 0 else found
    result: Any = None
    left = abs(n)
    while left:
        if left & 1:
            result = factor if result is None else matmul(result, factor)
        left >>= 1
        factor = matmul(factor, factor) if left else factor
    return call("_copy", result) if result is x else result  # type: ignore[no-any-return]


def vector_norm(x: Array, /, *, axis: Axes = None, keepdims: bool = False, ord: float = 2) -> Array:
    """Compute norms of vectors along axes, or of all elements."""
    if not kind(x).is_float and kind(x).numpy.kind != "c":
        raise TypeError(f"x: expected floats, got {kind(x)}; see astype")
    own = kind(x)
    size: Any = abs(x)
    axes = axes_of(axis, x.ndim)
    where: dict[str, Any] = {"axis": axes, "keepdims": keepdims}
    if ord == math.inf:
        return largest(size, **where)
    if ord == -math.inf:
        return smallest(size, **where)
    if ord == 0:
        return cast(total(cast(size != 0, DType.S32), **where), own)  # type: ignore[no-any-return]
    if ord == 1:
        return total(size, **where)
    if ord == 2:
        return call("sqrt", total(size * size, **where))  # type: ignore[no-any-return]
    return total(size ** float(ord), **where) ** (1.0 / ord)


def matrix_norm(x: Array, /, *, keepdims: bool = False, ord: float | str | None = "fro") -> Array:
    """Compute norms of matrices: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf."""
    found = _matrices(x, "matrix_norm")
    if ord in ("fro", None):
        return vector_norm(found, axis=(-2, -1), keepdims=keepdims)
    if ord in (2, -2, "nuc"):
        values = svdvals(found)
        fold = total if ord == "nuc" else largest if ord == 2 else smallest
        made = fold(values, axis=-1)
    elif ord in (1, -1, math.inf, -math.inf):
        sums = total(abs(found), axis=-2 if abs(float(ord)) == 1 else -1)
        made = (largest if float(ord) > 0 else smallest)(sums, axis=-1)
    else:
        raise ValueError(f"ord: expected 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, got {ord!r}")
    return made.reshape((*x.shape[:-2], 1, 1)) if keepdims else made
