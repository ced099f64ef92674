"""Timelines: lanes as rows, what ran in them as boxes, batches in colours.

In: rows of records on one clock. Out: SVG, a page of HTML, or a PNG. It knows neither commands nor
streams, only that a record starts, stops, has a label and may belong to a batch.
"""

from __future__ import annotations

import colorsys
import html
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from treadle.errors import LaunchError
from treadle.png import encode

__all__ = ["Timeline"]

_LABEL = 150  # pixels for the names of lanes
_ROW = 26
_HEAD = 22  # the name of a process
_AXIS = 34
_FONT = "font-family='system-ui,sans-serif'"
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))
# Letters for PNG: five rows of three dots each, a row as an octal digit.
_LETTERS = dict(
    part.split("=")
    for part in """
    A=25755 B=65656 C=34443 D=65556 E=74647 F=74644 G=34553 H=55755 I=72227 J=11152 K=55655 L=44447
    M=57755 N=75555 O=25552 P=65644 Q=25563 R=65655 S=34216 T=72222 U=55557 V=55552 W=55775 X=55255
    Y=55222 Z=71247 0=75557 1=26227 2=61247 3=61216 4=55711 5=74616 6=34757 7=71122 8=75757 9=75716
    -=00700 .=00002 :=02020 _=00007 #=57575
    """.split()
)
_DOT = 2  # pixels
# By theme and part; boxes have the same colours in both, and their text stays dark.
_PALETTES = {
    "light": {
        "ground": "#ffffff",
        "grid": "#e4e4e4",
        "line": "#f0f0f0",
        "axis": "#555555",
        "head": "#222222",
        "name": "#333333",
    },
    "dark": {
        "ground": "#16181c",
        "grid": "#34383f",
        "line": "#24272c",
        "axis": "#a3a9b1",
        "head": "#eceff2",
        "name": "#d2d6db",
    },
}
_DARK = _PALETTES["dark"]
_STROKED = ("grid", "line")
_BOXED = "#1a1a1a"
# The reader's system chooses; rules of a style go before the attributes that paint it light.
_NAMED = " class='treadle-timeline'"
_RULES = "".join(
    f".treadle-timeline .{part}{{{'stroke' if part in _STROKED else 'fill'}:{colour}}}"
    for part, colour in _DARK.items()
)
_STYLE = f"<style>@media (prefers-color-scheme:dark){{{_RULES}}}</style>"
_HUES = 0.381966  # of a circle: neighbours get colours far apart


def _colour(record: Any) -> tuple[int, int, int]:
    if record.batch >= 0:
        hue, light, rich = (record.batch * _HUES) % 1.0, 0.62, 0.55
    else:
        hue, light, rich = (sum(map(ord, record.label)) * 0.137) % 1.0, 0.72, 0.18
    red, green, blue = colorsys.hls_to_rgb(hue, light, rich)
    return round(red * 255), round(green * 255), round(blue * 255)


def _step(span: float, ticks: int) -> float:
    """A round distance between ticks."""
    raw = max(span / ticks, 1.0)
    power = 10.0 ** (len(str(int(raw))) - 1)
    return next(power * each for each in (1, 2, 5, 10) if power * each >= raw)


def _time(nanoseconds: float, span: float) -> str:
    size, unit = next((s, u) for s, u in _UNITS if span >= s or s == 1.0)
    return f"{nanoseconds / size:g} {unit}"


def _wide(text: str) -> int:
    return 4 * _DOT * len(text)


def _rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


def _write(picture: np.ndarray[Any, Any], x: int, y: int, text: str, colour: str) -> None:
    """Put text into a picture, as far as it fits."""
    for sign in text.upper():
        for row, dots in enumerate(_LETTERS.get(sign, "00000")):
            for column in range(3):
                if int(dots) & (4 >> column) and x >= 0:
                    top, left = y + row * _DOT, x + column * _DOT
                    picture[top : top + _DOT, left : left + _DOT] = _rgb(colour)
        x += 4 * _DOT


class Timeline:
    """A picture of rows of records; a notebook shows it as it is.

    The theme is light, dark, or auto: as the reader's system asks for. A PNG cannot ask; it is
    light then."""

    def __init__(
        self,
        lanes: Sequence[tuple[str, str, Sequence[Any]]],
        *,
        width: int = 1000,
        theme: str = "auto",
    ):
        if theme != "auto" and theme not in _PALETTES:
            raise LaunchError(f"theme: expected light, dark or auto, got {theme!r}")
        self._lanes = lanes
        self._width = width
        self._auto = theme == "auto"
        self._palette = _PALETTES["light" if self._auto else theme]
        every = [record for _, _, lane in lanes for record in lane]
        self._from = min((r.start for r in every), default=0)
        self._span = max(max((r.stop for r in every), default=1) - self._from, 1)
        self._rows: list[tuple[str, int, Sequence[Any]]] = []  # name, y, records
        self._heads: list[tuple[str, int]] = []
        y, before = 6, None
        for process, name, lane in lanes:
            if process != before:
                self._heads.append((process, y))
                y += _HEAD
                before = process
            self._rows.append((name, y, lane))
            y += _ROW
        self._bottom = y
        self._height = y + _AXIS

    def _x(self, moment: int) -> float:
        room = self._width - _LABEL - 12
        return _LABEL + room * (moment - self._from) / self._span

    def _ticks(self) -> list[tuple[float, str]]:
        step = _step(self._span, 8)
        count = int(self._span // step) + 1
        return [
            (self._x(int(self._from + k * step)), _time(k * step, self._span)) for k in range(count)
        ]

    def _paint(self, part: str) -> str:
        """Attributes that give a part its colour, and where the reader's system chooses a name."""
        named = f"class='{part}' " if self._auto else ""
        return f"{named}{'stroke' if part in _STROKED else 'fill'}='{self._palette[part]}'"

    def to_svg(self) -> str:
        """Return the picture as SVG text; pointing at a box says what it was."""
        out = [
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{self._width}' "
            f"height='{self._height}' viewBox='0 0 {self._width} {self._height}' {_FONT} "
            f"font-size='11'{_NAMED if self._auto else ''}>",
            *([_STYLE] if self._auto else []),
            f"<rect width='100%' height='100%' {self._paint('ground')}/>",
        ]
        for x, text in self._ticks():
            out.append(
                f"<line x1='{x:.1f}' x2='{x:.1f}' y1='4' y2='{self._bottom + 4}' "
                f"{self._paint('grid')}/><text x='{x:.1f}' y='{self._bottom + 20}' "
                f"text-anchor='middle' {self._paint('axis')}>{text}</text>"
            )
        for name, y in self._heads:
            out.append(
                f"<text x='8' y='{y + 15}' font-weight='600' {self._paint('head')}>"
                f"{html.escape(name)}</text>"
            )
        for name, y, lane in self._rows:
            out.append(
                f"<text x='{_LABEL - 8}' y='{y + 16}' text-anchor='end' {self._paint('name')}>"
                f"{html.escape(name)}</text>"
                f"<line x1='{_LABEL}' x2='{self._width - 12}' y1='{y + _ROW - 1}' "
                f"y2='{y + _ROW - 1}' {self._paint('line')}/>"
            )
            out += [self._box(record, y) for record in lane]
        return "\n".join([*out, "</svg>"])

    def _box(self, record: Any, y: int) -> str:
        x, end = self._x(record.start), self._x(record.stop)
        wide = max(end - x, 0.8)
        red, green, blue = _colour(record)
        what = record.label if record.batch < 0 else f"{record.label}, batch {record.batch}"
        long = _time(float(record.stop - record.start), float(record.stop - record.start))
        tip = html.escape(f"{what}: {long}, {record.nbytes:,} bytes")
        box = (
            f"<g><title>{tip}</title><rect x='{x:.2f}' y='{y + 3}' width='{wide:.2f}' "
            f"height='{_ROW - 7}' rx='2' fill='rgb({red},{green},{blue})'/>"
        )
        text = str(record.batch) if record.batch >= 0 else record.label
        if wide >= 7.0 * len(text) + 4:
            box += (
                f"<text x='{x + wide / 2:.2f}' y='{y + 16}' text-anchor='middle' "
                f"fill='{_BOXED}'>{html.escape(text)}</text>"
            )
        return box + "</g>"

    def to_html(self) -> str:
        """Return the picture as a page of HTML that needs nothing else."""
        around = "light dark" if self._auto else "dark" if self._palette is _DARK else "light"
        return (
            "<!doctype html><html lang='en'><meta charset='utf-8'><title>Treadle timeline</title>"
            f"<style>:root{{color-scheme:{around}}}</style>"
            f"<body style='margin:16px'>{self.to_svg()}</body></html>"
        )

    def to_png(self) -> bytes:
        """Return the picture as the bytes of a PNG file."""
        colours = self._palette
        picture = np.empty((self._height, self._width, 3), np.uint8)
        picture[:] = _rgb(colours["ground"])
        for x, text in self._ticks():
            picture[4 : self._bottom + 4, int(x)] = _rgb(colours["grid"])
            _write(picture, int(x) - _wide(text) // 2, self._bottom + 12, text, colours["axis"])
        for name, y in self._heads:
            _write(picture, 8, y + 5, name, colours["head"])
        for name, y, lane in self._rows:
            _write(picture, _LABEL - 8 - _wide(name), y + 7, name, colours["name"])
            picture[y + _ROW - 1, _LABEL : self._width - 12] = _rgb(colours["line"])
            for record in lane:
                left = int(self._x(record.start))
                right = max(int(self._x(record.stop)), left + 1)
                picture[y + 3 : y + _ROW - 4, left:right] = _colour(record)
                text = str(record.batch) if record.batch >= 0 else record.label
                if right - left >= _wide(text) + 4:
                    _write(picture, (left + right - _wide(text)) // 2, y + 7, text, _BOXED)
        return encode(picture)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write SVG, HTML or PNG, by the path's ending, and return where."""
        where = Path(path)
        kinds: dict[str, Any] = {
            ".svg": self.to_svg,
            ".html": self.to_html,
            ".htm": self.to_html,
            ".png": self.to_png,
        }
        make = kinds.get(where.suffix.lower())
        if make is None:
            raise LaunchError(
                f"path: expected one that ends in {', '.join(kinds)}, got {str(path)!r}"
            )
        data = make()
        where.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8"))
        return where

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __repr__(self) -> str:
        return f"<treadle timeline of {len(self._rows)} lanes, {_time(self._span, self._span)}>"
