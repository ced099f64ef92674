"""Tables for notebooks: names and values in, HTML out.

Objects that show themselves in a notebook hand over a heading and rows. Everything is escaped here,
once; colours are the notebook's own. What the values mean is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["facts", "listing"]


def facts(heading: str, values: Mapping[str, Any]) -> str:
    """A table of names and values; those that are None or empty are left out."""
    rows = [(name, value) for name, value in values.items() if value not in (None, "", (), [])]
    return listing(heading, (), rows)


def listing(heading: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table with a heading, and columns that may have names."""
    from html import escape  # which only notebooks need

    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    lines = [f"<tr>{head}</tr>"] if columns else []
    for row in rows:
        cells = [f"<td style='text-align:left'>{escape(_text(value))}</td>" for value in row]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table><caption>{escape(heading)}</caption>{''.join(lines)}</table>"


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, (tuple, list)):
        return ", ".join(_text(each) for each in value)
    return str(value)
