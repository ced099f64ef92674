"""Results as lines of one file: CSV, or JSON lines.

In: verdicts about images, one line each. Out: a file that grows as a run goes on, in the output
folder. The journal knows the hash of each line before it is written: a run that goes on keeps the
lines that the journal knows as the latest of their images, and drops the rest, half a line after a
power cut among it. Where a file may be replaced is decided here; images are not known.
"""

from __future__ import annotations

import csv
import io
import json
import os
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from treadle.errors import suggest
from treadle.files import open_regular, sync
from treadle.photos import PhotoError
from treadle.recipes.journal import digest
from treadle.recipes.name import shown
from treadle.recipes.network import Verdict

__all__ = ["TABLES", "ResultTable", "table_format"]

TABLES = {"csv": ".csv", "jsonl": ".jsonl"}
_MAX_LINE = 1 << 20


def table_format(word: str) -> str:
    """Return the format that a word stands for; PhotoError for one that is no table's."""
    found = word.lower().removeprefix(".")
    found = {"json": "jsonl", "ndjson": "jsonl"}.get(found, found)
    if found not in TABLES:
        raise PhotoError(
            f"format: expected csv or jsonl for what a model says, got {word!r}"
            f"{suggest(found, TABLES)}"
        )
    return found


class ResultTable:
    """The file of a run's lines; `with` closes it, and what was added is then on the disk."""

    def __init__(self, folder: Path, format: str, columns: int) -> None:
        self.path = folder / f"results{TABLES[format]}"
        self.format = format
        self._columns = columns
        self._mutex = threading.Lock()
        self._gone: set[str] = set()  # lines that others have taken the place of
        self._file: Any = None
        self.known: frozenset[str] = frozenset()

    def check(self, *, resume: bool, overwrite: bool) -> None:
        """Raise PhotoError where there is a file that is not to be replaced."""
        if os.path.lexists(self.path) and not (resume or overwrite):
            raise PhotoError(
                f"{shown(self.path)} exists; --overwrite replaces it, --resume goes on in it"
            )

    def open(self, part: Path, latest: Iterable[str] | None) -> None:
        """Begin anew, or go on with those lines whose hashes are the latest of their images."""
        kept: list[bytes] = []
        if latest is not None and os.path.lexists(self.path):
            wanted = set(latest)
            kept = [line for line in _lines(self.path) if digest(line) in wanted]
        self.known = frozenset(map(digest, kept))
        self._replace(part, kept)
        self._file = open(self.path, "ab")  # noqa: SIM115

    def line(self, name: str, verdicts: Sequence[Verdict]) -> bytes:
        """What is told of one image, as a line."""
        if self.format == "jsonl":
            listed = [{"label": v.label, "class": v.place, "score": v.score} for v in verdicts]
            return json.dumps({"image": name, "results": listed}).encode() + b"\n"
        cells: list[object] = [shown(name)]
        for verdict in verdicts:
            cells += [verdict.label, f"{verdict.score:.6g}"]
        return _row(cells)

    def add(self, line: bytes, *, instead: str | None = None) -> None:
        """Write a line, in place of the one with this hash, if there is one."""
        with self._mutex:
            if instead in self.known:
                self._gone.add(str(instead))
            self._file.write(line)
            self._file.flush()

    def close(self, part: Path) -> None:
        """Have everything on the disk, without the lines that others took the place of."""
        if self._file is None:
            return
        sync(self._file.fileno())
        self._file.close()
        self._file = None
        if self._gone:
            lines = [line for line in _lines(self.path) if line != self.header]
            self._replace(part, [line for line in lines if digest(line) not in self._gone])

    @property
    def header(self) -> bytes:
        """The first line of a CSV file."""
        if self.format == "jsonl":
            return b""
        more = [[f"label_{n}", f"score_{n}"] for n in range(2, self._columns + 1)]
        return _row(["image", "label", "score", *[each for pair in more for each in pair]])

    def _replace(self, part: Path, lines: Iterable[bytes]) -> None:
        with open(part, "xb") as file:
            file.write(self.header)
            file.writelines(lines)
            file.flush()
            sync(file.fileno())
        os.replace(part, self.path)


def _row(cells: Sequence[object]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _lines(path: Path) -> Iterable[bytes]:
    """The whole lines of a file; OSError where it is not a regular one."""
    with open(open_regular(path), "rb") as file:
        while line := file.readline(_MAX_LINE):
            if line.endswith(b"\n"):
                yield line
