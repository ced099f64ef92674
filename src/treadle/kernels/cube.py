"""Lookup tables from .cube files (Adobe's Cube LUT specification 1.0).

In: a path, or untrusted text. Out: a frozen, hashable Cube, or a LaunchError that names the file,
the line and what is wrong with it, and never repeats what the file says: a path in a stranger's
recipe may lead to anything. Files and tables are bounded, numbers must be finite. Knows nothing
about images."""

from __future__ import annotations

import io
import os
from array import array
from collections.abc import Iterable
from dataclasses import field
from functools import lru_cache
from typing import Any

import numpy as np

from treadle.data import dataclass
from treadle.errors import LaunchError
from treadle.files import read_regular

__all__ = ["Cube", "load_cube", "parse_cube"]

MAX_BYTES = 128 << 20
MAX_LINE = 1000  # the specification says 250; some writers are more generous in comments
MAX_OTHER = 10_000  # lines that are no rows: comments and blanks
MAX_SIZE = {"LUT_1D_SIZE": 65536, "LUT_3D_SIZE": 129}
_FARTHEST = 1e30
_RANGES = ("LUT_1D_INPUT_RANGE", "LUT_3D_INPUT_RANGE")  # of older writers
_KEYWORDS = ("TITLE", "DOMAIN_MIN", "DOMAIN_MAX", *MAX_SIZE, *_RANGES)


@dataclass(frozen=True, slots=True)
class Cube:
    """A table of RGB rows, as f32 bytes: `size` of them for 1D, size**3 (red fastest) for 3D."""

    dimensions: int  # 1 or 3
    size: int
    low: tuple[float, ...]
    high: tuple[float, ...]
    values: bytes = field(repr=False)
    title: str = field(default="", repr=False)

    @property
    def table(self) -> np.ndarray[Any, Any]:
        """The rows, as size x 3 or as blue x green x red x 3."""
        return np.frombuffer(self.values, np.float32).reshape((self.size,) * self.dimensions + (3,))


def load_cube(path: object) -> Cube | None:
    """Read a .cube file; None stays None. A file that has not changed is read once."""
    if path is None or isinstance(path, Cube):
        return path
    if not isinstance(path, str | os.PathLike):
        raise LaunchError(f"lut_apply: file must be the path of a .cube file, got {path!r}")
    name = os.fsdecode(path)
    try:
        status = os.stat(name)
    except (OSError, ValueError) as error:
        raise LaunchError(f"lut_apply: file {name!r} cannot be read: {_reason(error)}") from error
    return _load(name, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=32)
def _load(name: str, changed: int, size: int) -> Cube:
    try:
        data = read_regular(name, limit=MAX_BYTES)
    except OSError as error:
        raise LaunchError(f"lut_apply: file {name!r} cannot be read: {_reason(error)}") from error
    if b"\0" in data[:4096]:
        raise LaunchError(f"lut_apply: file {name!r} is not text; expected a .cube file")
    return parse_cube(data.decode("utf-8", errors="replace").removeprefix("\ufeff"), name)


def parse_cube(text: str, name: str = "<text>") -> Cube:
    """Parse the text of a .cube file; `name` is for messages."""
    return _Parser(name).parse(text)


class _Parser:
    def __init__(self, name: str) -> None:
        self.name = name
        self.line = 0
        self.title = ""
        self.kind = ""
        self.size = 0
        self.domain: dict[str, tuple[float, ...]] = {}
        self.values = array("d")  # of the rows, three each

    def fail(self, message: str) -> LaunchError:
        return LaunchError(f"lut_apply: file {self.name!r}, line {self.line}: {message}")

    @property
    def rows(self) -> int:
        return len(self.values) // 3

    @property
    def wanted(self) -> int:
        return self.size**3 if self.kind == "LUT_3D_SIZE" else self.size

    def parse(self, text: str) -> Cube:
        for self.line, raw in enumerate(io.StringIO(text, newline=None), 1):
            self.read(raw.rstrip("\n"))
        if not self.kind:
            raise self.fail("no LUT_1D_SIZE or LUT_3D_SIZE")
        if self.rows != self.wanted:
            raise self.fail(f"{self.rows} rows; {self.kind} {self.size} needs {self.wanted}")
        low = self.domain.get("DOMAIN_MIN", (0.0,) * 3)
        high = self.domain.get("DOMAIN_MAX", (1.0,) * 3)
        if any(a >= b for a, b in zip(low, high, strict=True)):
            raise self.fail("DOMAIN_MIN must be below DOMAIN_MAX")
        values = np.frombuffer(self.values, np.float64).astype(np.float32).tobytes()
        dimensions = 3 if self.kind == "LUT_3D_SIZE" else 1
        return Cube(dimensions, self.size, low, high, values, self.title)

    def read(self, raw: str) -> None:
        if len(raw) > MAX_LINE:
            raise self.fail(f"a line of {len(raw)} characters; at most {MAX_LINE} are read")
        words = ["TITLE"] if raw.startswith("TITLE") else raw.split("#", 1)[0].split()
        if words and (not words[0][0].isalpha() or words[0].lower() in ("nan", "inf", "infinity")):
            self.row(words)
            return
        if self.line - self.rows > MAX_OTHER:
            raise self.fail(f"more than {MAX_OTHER} lines that are no rows of the table")
        if words:
            self.keyword(words, raw)

    def keyword(self, words: list[str], raw: str) -> None:
        key = words[0]
        if key not in _KEYWORDS:
            raise self.fail("begins with no keyword of .cube files")
        if self.rows:
            raise self.fail(f"{key!r} after the first row of the table")
        if key == "TITLE":
            self.title = raw[5:].strip().strip('"')
        elif key in MAX_SIZE:
            self.sized(key, words)
        elif key in _RANGES:
            low, high = self.floats(words[1:], 2, key)
            self.domain.update(DOMAIN_MIN=(low,) * 3, DOMAIN_MAX=(high,) * 3)
        else:
            self.domain[key] = tuple(self.floats(words[1:], 3, key))

    def sized(self, key: str, words: list[str]) -> None:
        if self.kind:
            raise self.fail(f"{key} after {self.kind}; a file holds one table")
        if len(words) != 2 or not (words[1].isascii() and words[1].isdigit()):
            raise self.fail(f"{key} needs one whole number")
        size = int(words[1]) if len(words[1]) < 10 else MAX_SIZE[key] + 1
        if not 2 <= size <= MAX_SIZE[key]:
            raise self.fail(f"{key} must be 2 to {MAX_SIZE[key]}")
        self.kind, self.size = key, size

    def row(self, words: list[str]) -> None:
        if not self.kind:
            raise self.fail("a row of the table before LUT_1D_SIZE or LUT_3D_SIZE")
        if self.rows >= self.wanted:
            raise self.fail(f"more rows than the {self.wanted} of {self.kind} {self.size}")
        self.values.extend(self.floats(words, 3, "a row"))

    def floats(self, words: list[str], count: int, what: str) -> Iterable[float]:
        if len(words) != count:
            raise self.fail(f"{what} needs {count} numbers, got {len(words)}")
        try:
            found = [float(word) for word in words]
        except ValueError:
            raise self.fail(f"{what} needs {count} numbers") from None
        if not all(-_FARTHEST < x < _FARTHEST for x in found):  # which no NaN is
            raise self.fail(f"{what} needs finite numbers")
        return found


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)
