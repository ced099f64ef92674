"""What results are called, and how names are shown.

In: the path of an input, the output's format and a template. Out: the path of the result below the
output folder; and any name as text that a terminal takes. Looks at no file.
"""

from __future__ import annotations

import os
import string
import sys
import unicodedata
from pathlib import Path

from treadle.data import dataclass
from treadle.errors import suggest
from treadle.photos import FORMATS, SUFFIXES, PhotoError, format_written_for

__all__ = ["FIELDS", "Naming", "shown"]

FIELDS = ("stem", "ext", "recipe", "n")


def shown(path: object) -> str:
    """A path or a URL as one line that every terminal and every file can take: what cannot be
    seen, or would move the cursor, is written as its escape."""
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii")
        for each in str(path)
    )


@dataclass(frozen=True, slots=True)
class Naming:
    """How results are named: `template` with FIELDS in it, or as the inputs where it is None.

    `single` says that the output's path is the result's own, not that of a folder."""

    format: str | None = None
    template: str | None = None
    recipe: str = ""
    single: bool = False

    def __post_init__(self) -> None:
        if self.template is not None:
            _check(self.template, self.format)

    def of(self, relative: Path, number: int) -> Path:
        """Return the result's path below the output folder, for an input's below its own."""
        suffix = self._suffix(relative)
        if self.template is None:
            return relative if suffix == relative.suffix else relative.with_suffix(suffix)
        filled = self.template.format(
            stem=relative.stem, ext=suffix.removeprefix("."), recipe=self.recipe, n=number
        )
        return relative.with_name(filled)

    def format_of(self, output: Path) -> str | None:
        """Return the format that the output's name and the options ask for."""
        return self.format or SUFFIXES.get(output.suffix.lower())

    def key(self, name: Path) -> str:
        """Equal for names that a file system here may hold for the same."""
        if sys.platform == "darwin":
            return unicodedata.normalize("NFC", str(name)).casefold()
        return os.path.normcase(name)

    def _suffix(self, relative: Path) -> str:
        wanted = self.format or format_written_for(relative.suffix)
        if wanted is None or SUFFIXES.get(relative.suffix.lower()) == wanted:
            return relative.suffix
        return FORMATS[wanted].suffixes[0]


def _check(template: str, format: str | None) -> None:
    """Refuse a template that gives no file names."""
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        raise PhotoError(f"--name: {error}, in {template!r}") from error
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        if name not in FIELDS:
            hint = suggest(name, FIELDS) or f"; there are {', '.join(FIELDS)}"
            raise PhotoError(f"--name: no field is called {name!r}{hint}")
        if conversion or (spec and (name != "n" or not spec.isdecimal())):
            raise PhotoError(f"--name: {{{name}}} takes no {(conversion or spec)!r}")
    if any(each in template for each in "/\\\0"):
        raise PhotoError(f"--name: expected a file's name without folders, got {template!r}")
    ending = Path(template).suffix
    if ending == ".{ext}":
        return
    fixed = SUFFIXES.get(ending.lower())
    if fixed is None:
        known = ", ".join(each.suffixes[0] for each in FORMATS.values())
        raise PhotoError(f"--name: expected an ending of .{{ext}} or {known}, got {template!r}")
    if format is not None and fixed != format:
        raise PhotoError(f"--name: {template!r} ends as {fixed}, but the format is {format}")
