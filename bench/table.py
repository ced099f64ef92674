"""Rows of figures, and how they are shown.

In: rows. Out: text, Markdown or plain data. It measures nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

__all__ = ["Bar", "Figure", "Row", "as_data", "as_headlines", "as_markdown", "as_text", "summary"]

HEADINGS = ("what", "treadle", "beside it", "ratio", "bar", "")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit."""

    value: float
    unit: str

    def __str__(self) -> str:
        digits = 0 if abs(self.value) >= 100 else 1 if abs(self.value) >= 10 else 2
        return f"{self.value:,.{digits}f} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Bar:
    """What a line has to reach; `ratio` says whether it is about the ratio or the figure itself."""

    limit: float
    unit: str = ""
    least: bool = False
    ratio: bool = False

    def __str__(self) -> str:
        return f"{'≥' if self.least else '≤'} {self.limit:g} {self.unit}".rstrip()

    def met(self, value: float) -> bool:
        """Whether a value reaches it."""
        return value >= self.limit if self.least else value <= self.limit


@dataclass(frozen=True, slots=True)
class Row:
    """One line: our figure, the peers' in the same unit, and the bar if there is one.

    `ratio` is how many times as good as the first peer we are; above 1 is better."""

    what: str
    figure: Figure
    peers: tuple[tuple[str, Figure], ...] = ()
    ratio: float | None = None
    bar: Bar | None = None
    note: str = ""
    headline: bool = False  # shown in the README

    @property
    def verdict(self) -> str:
        """ok or below where there is a bar."""
        if self.bar is None:
            return ""
        value = self.ratio if self.bar.ratio else self.figure.value
        return "ok" if value is not None and self.bar.met(value) else "below"

    def cells(self, mark: str = "") -> tuple[str, ...]:
        """The row as text, without its note."""
        return (
            self.what + mark,
            str(self.figure),
            ", ".join(f"{name} {figure}" for name, figure in self.peers),
            "" if self.ratio is None else f"{self.ratio:.2f}",
            "" if self.bar is None else str(self.bar),
            self.verdict,
        )


def _numbered(rows: Sequence[Row]) -> tuple[list[tuple[str, ...]], list[str]]:
    """The cells of all rows, and the notes that their marks point to; equal notes share one."""
    notes: list[str] = []
    cells = []
    for row in rows:
        mark = ""
        if row.note:
            if row.note not in notes:
                notes.append(row.note)
            mark = f" [{notes.index(row.note) + 1}]"
        cells.append(row.cells(mark))
    return cells, [f"[{number}] {note}" for number, note in enumerate(notes, 1)]


def as_text(rows: Sequence[Row]) -> str:
    """Lay the rows out for a terminal."""
    cells, notes = _numbered(rows)
    lines = [HEADINGS, *cells]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS))]
    right = {1, 3}

    def laid(line: tuple[str, ...]) -> str:
        parts = (
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        return "  ".join(parts).rstrip()

    rule = "  ".join("-" * width for width in widths).rstrip()
    below = [fill(note, 100, subsequent_indent="    ") for note in (*notes, summary(rows))]
    return "\n".join([laid(HEADINGS), rule, *map(laid, cells), "", *below])


def as_markdown(rows: Sequence[Row]) -> str:
    """Lay the rows out as a Markdown table with its notes."""
    cells, notes = _numbered(rows)
    lines = [HEADINGS, ("---", "---:", "---", "---:", "---", "---"), *cells]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n\n".join([table, *notes, summary(rows)])


def as_headlines(rows: Sequence[Row]) -> str:
    """Lay the most telling rows out as a small Markdown table."""
    lines = ["| | Treadle | beside it |", "|---|---:|---|"]
    lines += [f"| {' | '.join(row.cells()[:3])} |" for row in rows if row.headline]
    return "\n".join(lines)


def as_data(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the rows as what JSON can hold."""
    return [
        {
            "what": row.what,
            "value": row.figure.value,
            "unit": row.figure.unit,
            "peers": {name: {"value": f.value, "unit": f.unit} for name, f in row.peers},
            "ratio": row.ratio,
            "bar": None if row.bar is None else str(row.bar),
            "verdict": row.verdict or None,
            "note": row.note or None,
        }
        for row in rows
    ]


def summary(rows: Sequence[Row]) -> str:
    """Say how many bars are met."""
    judged = [row.verdict for row in rows if row.bar is not None]
    return (
        f"{judged.count('ok')} of {len(judged)} bars met. Figures are medians; contestants take "
        "turns. A ratio above 1 means better than the first one beside it."
    )
