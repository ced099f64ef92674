"""When what happened in a run: as a trace that Perfetto opens, and as a picture.

In: spans. Out: JSON in the trace event format, or an SVG drawing with a row for each thread. Knows
nothing about files or devices.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from weft.recipes.execute import Span

__all__ = ["save_timeline", "timeline_svg", "trace_json"]

_COLOURS = {"decode": "#3b82f6", "compute": "#22a06b", "encode": "#c2569f"}
_LEFT, _ROW, _WIDTH = 90, 26, 1000


def save_timeline(spans: Sequence[Span], path: Path) -> None:
    """Write the spans to a file: a picture where its name ends in .svg, else a trace."""
    made = timeline_svg(spans) if path.suffix.lower() == ".svg" else trace_json(spans)
    path.write_text(made, encoding="utf-8")


def trace_json(spans: Sequence[Span]) -> str:
    """Return the spans as a trace that chrome://tracing and Perfetto open."""
    zero = min((span.start for span in spans), default=0.0)
    threads = sorted({span.thread for span in spans})
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 1, "tid": number, "name": "thread_name", "args": {"name": name}}
        for number, name in enumerate(threads)
    ]
    for span in sorted(spans, key=lambda span: span.start):
        events.append(
            {
                "ph": "X", "pid": 1, "tid": threads.index(span.thread), "name": span.kind,
                "cat": span.kind, "args": {"image": span.label},
                "ts": round((span.start - zero) * 1e6, 1),
                "dur": round((span.end - span.start) * 1e6, 1),
            }
        )  # fmt: skip
    return json.dumps({"traceEvents": events, "displayTimeUnit": "ms"})


def timeline_svg(spans: Sequence[Span]) -> str:
    """Return the spans as a drawing: threads as rows, kinds of work as colours."""
    zero = min((span.start for span in spans), default=0.0)
    whole = max((span.end for span in spans), default=1.0) - zero or 1.0
    threads = sorted({span.thread for span in spans}, key=lambda name: (name == "device", name))
    height = _ROW * (len(threads) + 2) + 10
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + 20} {height}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for number, name in enumerate(threads):
        y = number * _ROW + 8
        parts.append(f'<text x="8" y="{y + 15}" fill="#333">{escape(name)}</text>')
        parts.append(f'<rect x="{_LEFT}" y="{y}" width="{_WIDTH}" height="20" fill="#f1f3f5"/>')
    for span in sorted(spans, key=lambda span: span.start):
        x = _LEFT + _WIDTH * (span.start - zero) / whole
        width = max(_WIDTH * (span.end - span.start) / whole, 0.5)
        y = threads.index(span.thread) * _ROW + 8
        title = escape(f"{span.kind} {span.label}: {(span.end - span.start) * 1e3:.1f} ms")
        parts.append(
            f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="20" stroke="#fff" '
            f'stroke-width="0.5" fill="{_COLOURS.get(span.kind, "#888")}" fill-opacity="0.8">'
            f"<title>{title}</title></rect>"
        )
    y = len(threads) * _ROW + 8
    for tick in range(11):
        x = _LEFT + _WIDTH * tick / 10
        text = f"{whole * tick / 10:.2f} s"
        parts.append(f'<text x="{x}" y="{y + 10}" fill="#666" text-anchor="middle">{text}</text>')
    for place, (kind, colour) in enumerate(_COLOURS.items()):
        x = _LEFT + 110 * place
        parts.append(f'<rect x="{x}" y="{y + 20}" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{x + 18}" y="{y + 30}" fill="#333">{kind}</text>')
    return "\n".join([*parts, "</svg>", ""])
