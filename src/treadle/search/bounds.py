"""Vectors as bytes, and what rounding took away.

In: vectors as f64, already centred and in units of about 1. Out: for rows unsigned bytes in words
of four and the numbers from which a kernel bounds each distance; for queries the same with signed
bytes. The proof, which counts what f32 loses, is in docs/design/search.md. Knows no devices.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "BLOCK",
    "EMPTY_WORD",
    "GROUP",
    "MOST_DIMENSIONS",
    "Coded",
    "code_queries",
    "code_rows",
    "words_of",
]

BLOCK = 16  # rows whose words lie side by side
GROUP = 32  # rows of one word of bits
MOST_DIMENSIONS = 1 << 16  # so many products of bytes fit in 32 bits
EMPTY_WORD = 0x80808080  # four bytes that stand for 0
_STEPS = 127.0
_SLACK = 2.0**-20  # sixteen times what one operation of f32 loses
_FLOOR = 2.0**-40  # below it nothing is rounded to bytes; far above what f32 flushes to 0
_CEILING = 2.0**55  # above it squares might not fit in f32

Array = np.ndarray[Any, Any]


class Coded(NamedTuple):
    """Words of four bytes, [n, words], and four numbers of each vector, [n, 4]."""

    words: Array
    numbers: Array


def words_of(dim: int) -> int:
    """How many words of four bytes a vector has: those of whole lines of 32 dimensions."""
    return -(-dim // 32) * 8


def _length(vectors: Array) -> Array:
    found: Array = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return found


def _rounded(vectors: Array, step: float | None) -> tuple[Array, Array, Array]:
    """Whole numbers, the step that they count, and whether that may stand for the vector: vectors
    that are too large for f32 may not."""
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    fits = largest < _CEILING
    if step is None:
        scale = np.where(fits & (largest > _FLOOR), largest / _STEPS, 0.0).astype(np.float32)
    else:
        scale = np.full(len(vectors), step, np.float32)
    divisor = np.where(scale > 0, scale, np.float32(1.0)).astype(np.float64)
    whole = np.rint(vectors / divisor[:, None])
    low = -_STEPS if step is None else -_STEPS - 1
    np.clip(whole, low, _STEPS, out=whole)
    whole[scale == 0] = 0.0
    return whole, scale, fits


def _packed(whole: Array, offset: int) -> Array:
    """Whole numbers as bytes in words of four, padded with zeros."""
    count, dim = whole.shape
    padded = np.full((count, 4 * words_of(dim)), offset, np.uint8)
    padded[:, :dim] = (whole + offset).astype(np.int16).astype(np.uint8)
    return padded.view("<u4")


def code_rows(vectors: Array, step: float | None = None) -> Coded:
    """Round rows to bytes: scale, |x|^2, |x - x'| rounded up and |x| rounded up are their numbers.

    With `step` every row is rounded to multiples of it, which loses nothing of bytes."""
    with np.errstate(over="ignore", invalid="ignore"):
        whole, scale, fits = _rounded(vectors, step)
        length = _length(vectors)
        rest = _length(vectors - whole * scale.astype(np.float64)[:, None])
        numbers = np.empty((len(vectors), 4), np.float32)
        numbers[:, 0] = scale
        numbers[:, 1] = np.where(fits, length * length, 0.0)
        numbers[:, 2] = (rest + _SLACK * (length + rest)) * (1 + _SLACK) + _FLOOR
        numbers[:, 3] = length * (1 + _SLACK) + _FLOOR
        numbers[~fits] = 0.0, 0.0, np.inf, 0.0  # nothing is known: such a row is always measured
    return Coded(_packed(whole, 128), numbers)


def code_queries(vectors: Array, step: float | None = None) -> Coded:
    """Round queries to bytes: scale, |q'| rounded up, |q - q'| rounded up and the sum of the bytes
    are their numbers."""
    if len(vectors) == 1 and step is None:
        largest = float(np.abs(vectors).max())
        if _FLOOR < largest < _CEILING:
            return _code_query(vectors, float(np.float32(largest / _STEPS)))
    with np.errstate(over="ignore", invalid="ignore"):
        whole, scale, fits = _rounded(vectors, step)
        length = _length(vectors)
        coded = whole * scale.astype(np.float64)[:, None]
        numbers = np.empty((len(vectors), 4), np.float32)
        numbers[:, 0] = scale
        numbers[:, 1] = _length(coded) * (1 + _SLACK) + _FLOOR
        numbers[:, 2] = (_length(vectors - coded) + _SLACK * length) * (1 + _SLACK) + _FLOOR
        numbers[:, 3] = whole.sum(axis=1)
        numbers[~fits, :3] = 0.0, 0.0, np.inf  # nothing is known: every row is measured
    return Coded(_packed(whole, 0), numbers)


def _code_query(vector: Array, scale: float) -> Coded:
    """Round one query of ordinary size: as above, with fewer calls of NumPy, which are most of what
    it takes."""
    whole = np.rint(vector / scale)  # from -127 to 127
    coded = whole * scale
    line, shown, lost = vector[0], coded[0], (vector - coded)[0]
    length, rounded, rest = (float(np.dot(each, each)) ** 0.5 for each in (line, shown, lost))
    numbers = (
        scale,
        rounded * (1 + _SLACK) + _FLOOR,
        (rest + _SLACK * length) * (1 + _SLACK) + _FLOOR,
        float(whole.sum()),
    )
    padded = np.zeros((1, 4 * words_of(len(line))), np.int8)
    padded[0, : len(line)] = whole[0]
    return Coded(padded.view("<u4"), np.array([numbers], np.float32))
