"""What a file says about its arrays: names, dtypes and shapes, as JSON and back.

In: arrays, or text from a file that may be a stranger's. Out: text, or entries whose numbers were
checked: no dtype but plain numbers, no size that a file could not have. Knows nothing about where
an array's bytes lie.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from treadle.data import dataclass

__all__ = ["MAX_TEXT", "ArrayEntry", "dump", "parse"]

MAX_TEXT = 1 << 20  # bytes of JSON in a file or a record
_MAX_RANK = 8
_MAX_BYTES = 1 << 56
_MAX_NAME = 200
_DTYPES = {f"<{kind}{size}" for kind in "iu" for size in (2, 4, 8)} | {"<f4", "<f8", "|i1", "|u1"}


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """An array as a file describes it."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    @classmethod
    def of(cls, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> ArrayEntry:
        """Describe an array that is to be written; ValueError where a file cannot hold it."""
        little = dtype.newbyteorder("<")
        if little.str not in _DTYPES:
            raise ValueError(f"array {name!r}: expected a dtype of plain numbers, got {dtype}")
        return cls(name, little, shape)

    @property
    def nbytes(self) -> int:
        """How many bytes the array has."""
        return math.prod(self.shape) * self.dtype.itemsize

    def as_list(self) -> list[Any]:
        """Return what `dump` writes of it."""
        return [self.name, self.dtype.str, list(self.shape)]

    @classmethod
    def from_list(cls, found: object) -> ArrayEntry:
        """Take what a file says for an entry; ValueError says what is wrong with it."""
        match found:
            case [str(name), str(dtype), list(shape)] if len(name) <= _MAX_NAME:
                pass
            case _:
                raise ValueError("an array is not described by name, dtype and shape")
        if dtype not in _DTYPES:
            raise ValueError(f"an array has the dtype {dtype[:20]!r}")
        if len(shape) > _MAX_RANK or not all(
            type(size) is int and 0 <= size <= _MAX_BYTES for size in shape
        ):
            raise ValueError("an array has a shape that no file can hold")
        entry = cls(name, np.dtype(dtype), tuple(shape))
        if math.prod(max(size, 1) for size in shape) * entry.dtype.itemsize > _MAX_BYTES:
            raise ValueError("an array is larger than any file")
        return entry


def dump(text: dict[str, Any]) -> bytes:
    """Write JSON; ValueError where it is more than a file may hold."""
    made = json.dumps(text, allow_nan=False, separators=(",", ":")).encode()
    if len(made) > MAX_TEXT:
        raise ValueError(f"a description of {len(made)} bytes; at most {MAX_TEXT} are written")
    return made


def parse(text: bytes, keys: set[str]) -> dict[str, Any]:
    """Read JSON of these keys from a file; ValueError says what is wrong with it."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("its description is not JSON") from None
    if not isinstance(found, dict) or found.keys() != keys:
        raise ValueError("its description has other keys than those of this version")
    if not isinstance(found["meta"], dict) or not isinstance(found["arrays"], list):
        raise ValueError("its description has values of the wrong kind")
    return found
