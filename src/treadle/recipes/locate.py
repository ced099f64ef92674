"""Where things stand in a TOML text: tomllib says what a file holds, not on which lines.

In: the text. Out: line and column of each key, by the table it is in. It reads headers and keys
only; what it does not find has no line, which costs an error message its caret and nothing else.
"""

from __future__ import annotations

import re

from treadle.data import dataclass

__all__ = ["KeyPlace", "locate"]

_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.\-]+)\s*\]\]?")
_KEY = re.compile(r"\s*([\w\-]+|\"[^\"]*\"|'[^']*')\s*=\s*")
_FENCES = ('"""', "'''")


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """A line, counted from 1, and columns of the key and of its value, counted from 0."""

    line: int
    key: int
    value: int


def locate(text: str) -> dict[tuple[str, int, str], KeyPlace]:
    """Return the place of each key, by (table, which of that name, key); a header's key is ""."""
    found: dict[tuple[str, int, str], KeyPlace] = {}
    table, counts, fence, depth = "", {"": 0}, "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if fence:
            if fence in line:
                fence = ""
            continue
        inside = depth > 0
        if not inside and (header := _HEADER.match(line)):
            table = header[2]
            counts[table] = counts.get(table, -1) + 1
            start = header.start(1)
            found[table, counts[table], ""] = KeyPlace(number, start, start)
            continue
        if not inside and (key := _KEY.match(line)):
            name = key[1].strip("\"'")
            found[table, counts[table], name] = KeyPlace(number, key.start(1), key.end())
        fence = next((each for each in _FENCES if line.count(each) % 2), "")
        bare = re.sub(r"\"[^\"]*\"|'[^']*'|#.*", "", line)
        depth = max(depth + bare.count("[") - bare.count("]"), 0)
    return found
