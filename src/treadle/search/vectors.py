"""Vectors from users: checked, and as a table keeps them.

In: lists, arrays, buffers. Out: f32, u8 or words of bits, one row a vector, or one error that says
what is wrong with which row. Knows no index.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from treadle.errors import SearchError
from treadle.search.series import Array

_F32 = np.dtype(np.float32)
_SMALL = 1 << 14  # numbers for which another array costs less than anything else

__all__ = ["as_given", "read_vectors"]


def read_vectors(given: Any, dim: int, dtype: str, what: str) -> tuple[Array, bool]:
    """Return vectors as [n, ...] of the dtype's own type, and whether one came without its axis.

    It may be the caller's own memory, which a table copies."""
    plain = type(given) is np.ndarray
    if plain and dtype == "f32" and given.dtype is _F32 and given.shape == (dim,):
        return _floats(given.reshape(1, dim), what), True  # one query, most often
    if not plain and np.ma.is_masked(given):
        raise SearchError(f"{what}: some numbers are masked; fill them in, or leave those rows out")
    try:
        array = given if plain else np.asarray(given)
    except (ValueError, TypeError) as error:
        raise SearchError(f"{what}: expected rows of numbers of one length: {error}") from error
    if array.dtype.kind not in "biuf":
        raise SearchError(
            f"{what}: expected numbers, got {_kind(array)}; convert them to float32 first"
        )
    single = array.ndim == 1
    if single and array.size == 0:
        raise SearchError(f"{what}: expected {dim} numbers, got none")
    rows = array.reshape(1, -1) if single else array
    if rows.ndim != 2:
        raise SearchError(
            f"{what}: expected one vector or rows of them, got an array of shape {array.shape}"
        )
    if dtype == "bits":
        return _bits(rows, dim, what), single
    if rows.shape[1] != dim:
        raise SearchError(f"{what}: the index has {dim} dimensions, got vectors of {rows.shape[1]}")
    return (_floats if dtype == "f32" else _bytes)(rows, what), single


def _kind(array: Array) -> str:
    return "rows of several lengths or objects" if array.dtype.kind == "O" else str(array.dtype)


def _floats(rows: Array, what: str) -> Array:
    if rows.dtype == np.float32:
        found = np.ascontiguousarray(rows)
    else:
        with np.errstate(over="ignore"):
            found = np.ascontiguousarray(rows, np.float32)
    if not _all_finite(found):
        row, column = np.argwhere(~np.isfinite(found))[0].tolist()
        came = rows[row, column]
        beyond = np.isfinite(came)
        raise SearchError(
            f"{what}: row {row} has {came:g} in dimension {column}"
            f"{', which f32 cannot hold' if beyond else ''}; every number has to be finite"
        )
    return found


def _all_finite(found: Array) -> bool:
    if found.size <= _SMALL:
        return bool(np.count_nonzero(np.isfinite(found)) == found.size)  # quicker than all()
    # Numbers of f32 that are finite have a finite sum in f64, and a sum makes no second array.
    with np.errstate(invalid="ignore"):
        return bool(np.isfinite(found.sum(dtype=np.float64)))


def _bytes(rows: Array, what: str) -> Array:
    if rows.dtype != np.uint8:
        wrong = ~((rows >= 0) & (rows <= 255) & (rows == np.trunc(rows)))
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            raise SearchError(
                f"{what}: row {row} has {rows[row, column]:g} in dimension {column}; an index of "
                "u8 takes whole numbers from 0 to 255"
            )
    return np.ascontiguousarray(rows, np.uint8)


def _bits(rows: Array, dim: int, what: str) -> Array:
    """Words of 32 bits, as quantize_binary makes them; bits beyond `dim` are 0."""
    words = -(-dim // 32)
    if rows.shape[1] == dim and rows.dtype != np.uint32:
        if rows.dtype != np.bool_ and not ((rows == 0) | (rows == 1)).all():
            row, column = np.argwhere((rows != 0) & (rows != 1))[0].tolist()
            raise SearchError(
                f"{what}: row {row} has {rows[row, column]:g} in dimension {column}; bits are 0 "
                "or 1"
            )
        packed = np.packbits(rows.astype(np.bool_), axis=1, bitorder="little")
    elif rows.dtype == np.uint8 and rows.shape[1] == -(-dim // 8):
        packed = rows
    elif rows.dtype == np.uint32 and rows.shape[1] == words:
        packed = np.ascontiguousarray(rows, "<u4").view(np.uint8)
    else:
        raise SearchError(
            f"{what}: the index has {dim} bits; expected rows of {dim} truth values, "
            f"{-(-dim // 8)} bytes (u8) or {words} words (u32), got {rows.shape[1]} of {rows.dtype}"
        )
    found = np.zeros((len(rows), words * 4), np.uint8)
    found[:, : packed.shape[1]] = packed
    made = found.view("<u4")
    if dim % 32 and (made[:, -1] >> np.uint32(dim % 32)).any():
        raise SearchError(
            f"{what}: there are bits beyond the first {dim}; pack them with "
            "np.packbits(..., bitorder='little')"
        )
    return made.astype(np.uint32, copy=False)


def as_given(rows: Array, dim: int, dtype: str) -> Array:
    """Vectors of a table as users have them: bits as bytes, eight in each."""
    if dtype != "bits":
        return rows
    return np.ascontiguousarray(rows, "<u4").view(np.uint8)[:, : -(-dim // 8)]
