"""Which files to read and where their results go.

In: files, folders and patterns, the output's place, format and name. Out: works in a fixed order,
what was named and is not there, what is there and is passed over, and problems for what cannot be a
work: pipes and devices, links that lead nowhere or round in circles, two inputs with the same
output, an output that would replace an input. Reads folders, never files; of a store, which a URL
names, it takes what a listing says.
"""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cache
from pathlib import Path

from treadle.data import dataclass
from treadle.files import what_else
from treadle.photos import READS, SUFFIXES, missing
from treadle.recipes.name import Naming, shown
from treadle.remote import RemotePath, as_local, remote_path

__all__ = ["PIPE", "Found", "Place", "Work", "find"]

Place = Path | RemotePath  # where an image is, or its result goes

PIPE = "-"  # as an input standard input, as an output standard output
_OURS = ".treadle"
_NO_IMAGE = "no image that Treadle reads"


@dataclass(frozen=True, slots=True)
class Work:
    """An image to read, and the path of its result; `name` is that path below the output folder.

    `format` is what the output's name asks for; None where that is the input's own affair."""

    source: Place
    output: Place
    name: str
    format: str | None = None


@dataclass(slots=True)
class Found:
    """What there is to do, and what cannot or will not be done, by path and reason."""

    works: list[Work] = field(default_factory=list)
    problems: list[tuple[Place, str]] = field(default_factory=list)
    absent: list[tuple[Place, str]] = field(default_factory=list)  # named, and not there
    passed: list[tuple[Place, str]] = field(default_factory=list)  # in a folder, and not read
    clashes: list[tuple[Place, str]] = field(default_factory=list)  # among the problems


def find(
    inputs: Sequence[str], out: Place, naming: Naming | None = None, *, stdin: str = "stdin"
) -> Found:
    """Find the images that `inputs` name; folders are searched through, `out` is left out.

    `stdin` is what standard input is called among them."""
    found = Found()
    sources: list[tuple[Place, Path]] = []  # each with its path below the output folder
    for given in inputs:
        path = as_local(given)
        if path is None:
            sources += _stored(given, out, found)
        elif given == PIPE:
            sources.append((path, Path(stdin)))
        elif os.path.isdir(path):
            sources += _folder(path, _real(out), found)
        elif os.path.lexists(path):
            sources += _file(path, Path(path.name), found)
        elif glob.has_magic(given):
            matches = sorted(glob.glob(str(path), recursive=True))
            if not matches:
                found.absent.append((path, "no file matches this pattern"))
            for match in map(Path, matches):
                if os.path.isdir(match):
                    sources += _folder(match, _real(out), found)
                else:
                    sources += _candidate(match, Path(match.name), found)
        else:
            found.absent.append((path, "no such file"))
    _assign(sources, out, naming or Naming(), found)
    return found


def _stored(given: str, out: Place, found: Found) -> Iterator[tuple[Place, Path]]:
    """The images that a URL names: one, those below a folder, or those that match a pattern."""
    path = RemotePath(given.rstrip("/"))
    apart = f"{out}/" if str(out) != str(path) else ""  # the output folder, where it lies inside
    try:
        for file, below in remote_path(given).files():
            hidden = [part for part in below.parts if part.startswith(".")]
            ending = file.suffix.lower()
            known = ending in SUFFIXES or ending in READS
            if _OURS in hidden or (apart and file.url.startswith(apart)):
                continue
            if hidden:
                found.passed.append((file, "hidden"))
            elif (why := _cannot(ending) if known else _NO_IMAGE) and file.url != path.url:
                found.passed.append((file, why))
            else:
                yield file, Path(below)
    except OSError as error:
        found.absent.append((path, error.strerror or str(error)))


def _real(place: Place) -> str:
    """What is the same for two names of one file."""
    return str(place) if isinstance(place, RemotePath) else os.path.realpath(place)


def _file(path: Path, relative: Path, found: Found) -> Iterator[tuple[Path, Path]]:
    """A file, unless it is something else or leads nowhere."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        nowhere = isinstance(error, FileNotFoundError) and os.path.islink(path)
        said = "a symbolic link that leads nowhere" if nowhere else error.strerror or str(error)
        found.problems.append((path, said))
        return
    if stat.S_ISREG(mode):
        yield path, relative
    else:
        found.problems.append((path, what_else(mode)))


def _candidate(path: Path, relative: Path, found: Found) -> Iterator[tuple[Path, Path]]:
    """A file of a folder or a pattern: passed over where its ending is not an image's."""
    ending = path.suffix.lower()
    known = ending in SUFFIXES or ending in READS
    if why := _cannot(ending) if known else _NO_IMAGE:
        found.passed.append((path, why))
    else:
        yield from _file(path, relative, found)


@cache
def _cannot(ending: str) -> str:
    return missing(ending)


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
    start: Path, top: Path, out: str, seen: set[str], links: list[Path], found: Found
) -> Iterator[tuple[Path, Path]]:
    # A list of what is under way instead of recursion: folders may be nested as deep as they like.
    # Each with its real path, to which only links would add more than a name.
    real = os.path.realpath(start)
    under_way = [(real, _entries(start, real, top, out, seen, found))]
    while under_way:
        real, entries = under_way[-1]
        entry = next(entries, None)
        if entry is None:
            under_way.pop()
            continue
        path = Path(entry.path)
        if entry.name.startswith("."):
            if entry.name != _OURS:
                found.passed.append((path, "hidden"))
        elif entry.is_dir(follow_symlinks=False):
            real = os.path.join(real, entry.name)
            under_way.append((real, _entries(path, real, top, out, seen, found)))
        elif entry.is_symlink() and os.path.isdir(path):
            links.append(path)
        elif entry.is_symlink() and not os.path.exists(path):
            yield from _file(path, path.relative_to(top), found)  # which says why not
        else:
            yield from _candidate(path, path.relative_to(top), found)


def _entries(
    folder: Path, real: str, top: Path, out: str, seen: set[str], found: Found
) -> Iterator[os.DirEntry[str]]:
    if (real == out and folder != top) or real in seen:
        return iter(())
    seen.add(real)
    try:
        with os.scandir(folder) as listed:
            return iter(sorted(listed, key=lambda entry: entry.name))
    except OSError as error:
        found.problems.append((folder, f"cannot be read: {error.strerror}"))
        return iter(())


def _assign(
    sources: Sequence[tuple[Place, Path]], out: Place, naming: Naming, found: Found
) -> None:
    """Give each source its output, and refuse what would be written twice or over an input."""
    reads = {_real(source) for source, _ in sources if str(source) != PIPE}
    taken: dict[str, Place] = {}
    named = [
        (source, relative, naming.of(relative, number))
        for number, (source, relative) in enumerate(sources, 1)
    ]
    # An image that keeps its name has it before those whose format is written as another.
    named.sort(key=lambda each: each[1].suffix != each[2].suffix)
    for source, _, name in named:
        output = out if naming.single else out / name
        key = naming.key(name)
        if key in taken:
            # The same file named twice is no mistake; two files with one output are.
            if _real(source) != _real(taken[key]):
                said = f"its output {shown(name)} is already that of {shown(taken[key])}"
                found.clashes.append((source, said))
        elif _real(output) in reads and str(output) != PIPE:
            found.problems.append((source, f"its output {shown(output)} would replace an input"))
        else:
            taken[key] = source
            found.works.append(
                Work(source, output, name.as_posix(), naming.format_of(Path(output.name)))
            )
    found.problems += found.clashes
