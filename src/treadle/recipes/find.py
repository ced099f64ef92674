"""Which files to read and where their results go.

In: files, folders and patterns, the output folder and the output's format. Out: works in a fixed
order, and problems for what cannot be one: missing files, links that lead nowhere or round in
circles, two inputs with the same output, an output that would replace an input. Reads folders,
never files.
"""

from __future__ import annotations

import glob
import os
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from treadle.photos import FORMATS, SUFFIXES

__all__ = ["Found", "Work", "find", "shown"]


@dataclass(frozen=True, slots=True)
class Work:
    """An image to read, and the path of its result; `name` is that path below the output folder."""

    source: Path
    output: Path
    name: str


@dataclass(slots=True)
class Found:
    """What there is to do, and what cannot be done, by path and reason."""

    works: list[Work] = field(default_factory=list)
    problems: list[tuple[Path, str]] = field(default_factory=list)


def shown(path: Path | str) -> str:
    """A path as text that every terminal and every file can take."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def find(inputs: Sequence[str], out: Path, *, format: str | None = None) -> Found:
    """Find the images that `inputs` name; folders are searched through, `out` is left out."""
    found = Found()
    sources: list[tuple[Path, Path]] = []  # each with its path below the output folder
    for given in inputs:
        path = Path(given)
        if path.is_dir():
            sources += _folder(path, os.path.realpath(out), found)
        elif os.path.lexists(path) or not glob.has_magic(given):
            sources.append((path, Path(path.name)))
        else:
            matches = sorted(glob.glob(given, recursive=True))
            if not matches:
                found.problems.append((path, "no file matches this pattern"))
            for match in map(Path, matches):
                if match.is_dir():
                    sources += _folder(match, os.path.realpath(out), found)
                elif match.suffix.lower() in SUFFIXES:
                    sources.append((match, Path(match.name)))
    _assign(sources, out, format, found)
    return found


def _folder(top: Path, out: str, found: Found) -> Iterator[tuple[Path, Path]]:
    """The images below a folder: real folders first, then those behind links, each once."""
    seen: set[str] = set()
    links: list[Path] = []
    yield from _walk(top, top, out, seen, links, found)
    while links:
        link = links.pop(0)
        target = os.path.realpath(link)
        if os.path.realpath(link.parent).startswith(os.path.join(target, "")) or (
            os.path.realpath(link.parent) == target
        ):
            found.problems.append((link, "a symbolic link to a folder that it lies in"))
        elif target not in seen:
            yield from _walk(link, top, out, seen, links, found)


def _walk(
    folder: Path, top: Path, out: str, seen: set[str], links: list[Path], found: Found
) -> Iterator[tuple[Path, Path]]:
    real = os.path.realpath(folder)
    if (real == out and folder != top) or real in seen:
        return
    seen.add(real)
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        found.problems.append((folder, f"cannot be read: {error.strerror}"))
        return
    for entry in entries:
        path = folder / entry.name
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path, top, out, seen, links, found)
        elif entry.is_symlink() and path.is_dir():
            links.append(path)
        elif path.suffix.lower() in SUFFIXES:
            yield path, path.relative_to(top)
        elif entry.is_symlink() and not path.exists():
            found.problems.append((path, "a symbolic link that leads nowhere"))


def _assign(
    sources: Sequence[tuple[Path, Path]], out: Path, format: str | None, found: Found
) -> None:
    """Give each source its output, and refuse what would be written twice or over an input."""
    reads = {os.path.realpath(source) for source, _ in sources}
    taken: dict[str, Path] = {}
    for source, relative in sources:
        name = _named(relative, format)
        output = out / name
        key = _key(name)
        if not os.path.lexists(source):
            found.problems.append((source, "no such file"))
        elif key in taken:
            # The same file named twice is no mistake; two files with one output are.
            if os.path.realpath(source) != os.path.realpath(taken[key]):
                said = f"its output {shown(name)} is already that of {shown(taken[key])}"
                found.problems.append((source, said))
        elif os.path.realpath(output) in reads:
            found.problems.append((source, f"its output {shown(output)} would replace an input"))
        else:
            taken[key] = source
            found.works.append(Work(source, output, name.as_posix()))


def _named(relative: Path, format: str | None) -> Path:
    if format is None or SUFFIXES.get(relative.suffix.lower()) == format:
        return relative
    return relative.with_suffix(FORMATS[format].suffixes[0])


def _key(name: Path) -> str:
    """Equal for names that a file system here may hold for the same."""
    if sys.platform == "darwin":
        return unicodedata.normalize("NFC", str(name)).casefold()
    return os.path.normcase(name)
