"""The file of an index: arrays and what is said about them, written whole, read as a map.

In: a path, a description as JSON, arrays by name. Out: a file that is there whole or not at all;
and of such a file its description and its arrays, at once, however large they are. The layout,
little endian, in pages of 4096 bytes:

    header        kind of file, version, sizes, and checksums of header, table and description
    arrays        one after another, each from a page's start, zeros behind it
    table         a CRC-32 of each of these pages
    description   JSON: {"meta": ..., "arrays": [[name, dtype, shape], ...]}

Where an array lies follows from the sizes before it, so there are no places that could be wrong.
Header, table and description are checked when a file is opened, a page of an array before it is
served. The checksums are against damage, not against a forger: who may write the file may
write other vectors, but no text in it is run and no number in it is believed before it was
compared with the size of the file. A file is replaced, never changed, so what is mapped stays;
shortening it in place by other means ends the process that has it mapped, as with every map.
"""

from __future__ import annotations

import os
import struct
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from mmap import ACCESS_READ, mmap
from typing import Any, cast
from zlib import crc32

import numpy as np

from treadle.errors import FileDamaged
from treadle.files import Name, read_at, write_at
from treadle.search.chosen_rows import ChosenRows
from treadle.search.entries import MAX_TEXT, ArrayEntry, dump, parse
from treadle.search.filed_rows import FiledRows
from treadle.search.mapped import PAGE, Mapped, OpenFile, advise, pages_of
from treadle.search.site import Site, telling

__all__ = ["VERSION", "Stored", "get", "put", "read", "write"]

VERSION = 1
_MAGIC = b"\x93treadle-index\r\n"
# kind, version, size of a page, size of the file, pages of arrays, bytes of the description,
# checksums of the table and of the description
_HEADER = struct.Struct("<16sIIQQQII")
_SUM = struct.Struct("<I")  # at the end of the header's page, of what is before it
_CHUNK = 1 << 20  # bytes that are copied at a time

Array = np.ndarray[Any, Any] | Mapped | FiledRows | ChosenRows
Arrays = Mapping[str, Array | Sequence[Array]]


def write(path: Name, meta: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a file in place of the one that has this name; FileError leaves that as it is.

    A list of arrays is written as one, joined along the first axis."""
    with Site(path) as site:
        put(site, meta, arrays)


def put(site: Site, meta: Mapping[str, Any], arrays: Arrays) -> None:
    """Do what `write` does, in a folder that is open."""
    parts = {name: _parts(given) for name, given in arrays.items()}
    entries = [_joined(name, given) for name, given in parts.items()]
    text = dump({"meta": dict(meta), "arrays": [entry.as_list() for entry in entries]})
    with telling("write it", site.path):
        site.put(site.name, lambda opened: _fill(opened, text, parts.values()))


def _parts(given: Array | Sequence[Array]) -> list[Array]:
    return list(given) if isinstance(given, list | tuple) else [cast(Array, given)]


def _joined(name: str, parts: list[Array]) -> ArrayEntry:
    if not parts:
        raise ValueError(f"array {name!r}: expected an array or several, got none")
    first = parts[0]
    if any(each.dtype != first.dtype or each.shape[1:] != first.shape[1:] for each in parts):
        kinds = ", ".join(f"{each.dtype} {each.shape}" for each in parts)
        raise ValueError(f"array {name!r}: parts that do not fit together: {kinds}")
    shape = first.shape
    if len(parts) > 1:
        shape = (sum(len(each) for each in parts), *first.shape[1:])
    return ArrayEntry.of(name, first.dtype, shape)


def _fill(opened: int, text: bytes, arrays: Iterable[list[Array]]) -> None:
    """Write everything behind the header, then the header."""
    pages = _Pages(opened)
    for parts in arrays:
        for each in parts:
            for piece in _pieces(each):
                pages.add(piece)
        pages.end()
    table = _padded(np.array(pages.sums, "<u4").tobytes())
    described = _padded(text)
    pages.put(table)
    pages.put(described)
    sizes = (PAGE, pages.at, len(pages.sums), len(text))
    header = _HEADER.pack(_MAGIC, VERSION, *sizes, crc32(table), crc32(described))
    header = header.ljust(PAGE - _SUM.size, b"\0")
    os.pwrite(opened, header + _SUM.pack(crc32(header)), 0)


def _padded(data: bytes) -> bytes:
    return data.ljust(pages_of(len(data)) * PAGE, b"\0")


def _pieces(given: Array) -> Iterator[memoryview]:
    """The bytes of an array, a few rows at a time, as they lie in a file."""
    rows: Any = np.asarray(given).reshape(1) if given.ndim == 0 else given
    if not rows.nbytes:
        return
    step = max(_CHUNK * len(rows) // rows.nbytes, 1)
    little = rows.dtype.newbyteorder("<")
    for start in range(0, len(rows), step):
        # A copy: its checksum has to be that of what is written, also where an index grows
        # meanwhile, which writes into a block that is not full.
        piece = np.array(rows[start : start + step], little, order="C")
        yield piece.reshape(-1).view(np.uint8).data


class _Pages:
    """Writes bytes behind the header's page, and notes the checksum of each page."""

    def __init__(self, opened: int) -> None:
        self._opened = opened
        self._rest = bytearray()  # less than a page
        self.at = PAGE
        self.sums = array("L")

    def add(self, data: memoryview) -> None:
        if self._rest:
            missing = PAGE - len(self._rest)
            self._rest += data[:missing]
            data = data[missing:]
            if len(self._rest) < PAGE:
                return
            self._take(memoryview(bytes(self._rest)))
            self._rest.clear()
        whole = len(data) // PAGE * PAGE
        self._take(data[:whole])
        self._rest += data[whole:]

    def end(self) -> None:
        """Fill the last page of an array with zeros."""
        if self._rest:
            self._take(memoryview(_padded(bytes(self._rest))))
            self._rest.clear()

    def _take(self, pages: memoryview) -> None:
        for start in range(0, len(pages), PAGE):
            self.sums.append(crc32(pages[start : start + PAGE]))
        self.put(pages)

    def put(self, data: bytes | memoryview) -> None:
        self.at = write_at(self._opened, data, self.at)


class Stored:
    """An open index file: `meta` as it was given, and its arrays, mapped."""

    def __init__(self, path: str, meta: dict[str, Any], arrays: dict[str, Mapped]) -> None:
        self.path = path
        self.meta = meta
        self.arrays = arrays

    def __repr__(self) -> str:
        return f"Stored({self.path!r}, {', '.join(self.arrays)})"

    def verify(self) -> None:
        """Read the whole file and compare it with its checksums; FileDamaged where it differs."""
        for each in self.arrays.values():
            each.check(again=True)


def read(path: Name) -> Stored:
    """Open a file that `write` made; FileError where there is none, FileDamaged for any other."""
    with Site(path) as site:
        return get(site)


def get(site: Site) -> Stored:
    """Do what `read` does, in a folder that is open."""
    with telling("read it", site.path):
        return _mapped(OpenFile(site.path, site.folder.open(site.name)))


def _mapped(file: OpenFile) -> Stored:
    opened, path = file.opened, file.path
    size = os.fstat(opened).st_size
    pages, length, sums = _header(os.pread(opened, PAGE, 0), size, path)
    table = PAGE * (1 + pages)  # where it is, and where the description is
    described = table + PAGE * pages_of(pages * _SUM.size)
    parts = []
    for what, start, end, expected in (
        ("table of checksums", table, described, sums[0]),
        ("description", described, size, sums[1]),
    ):
        parts.append(read_at(opened, start, end - start))
        if crc32(parts[-1]) != expected:
            raise _damaged(path, f"its {what} differs from its checksum")
    try:
        text = parse(bytes(parts[1][:length]), {"meta", "arrays"})
        entries = [ArrayEntry.from_list(each) for each in text["arrays"]]
    except ValueError as error:
        raise _damaged(path, str(error)) from None
    if sum(pages_of(entry.nbytes) for entry in entries) != pages:
        raise _damaged(path, "its arrays have other sizes than the file")
    if len({entry.name for entry in entries}) != len(entries):
        raise _damaged(path, "two of its arrays have the same name")
    checksums = np.frombuffer(parts[0], "<u4", pages)
    memory = mmap(opened, size, access=ACCESS_READ)
    # Else the system reads a neighbourhood for each row. Who reads everything says so.
    advise(memory, "MADV_RANDOM", 0, size)
    arrays, before = {}, 0
    for entry in entries:
        taken = pages_of(entry.nbytes)
        own = checksums[before : before + taken]
        arrays[entry.name] = Mapped(file, entry, memory, PAGE * (1 + before), own)
        before += taken
    return Stored(path, text["meta"], arrays)


def _header(page: bytes, size: int, path: str) -> tuple[int, int, tuple[int, int]]:
    """Pages of arrays, bytes of the description, and the checksums of table and description."""
    if not page:
        raise _damaged(path, "it is empty")
    if page[: len(_MAGIC)] != _MAGIC[: len(page)]:
        raise FileDamaged(f"{path}: foreign: it is not an index that Treadle wrote")
    if len(page) < PAGE:
        raise FileDamaged(f"{path}: cut off: it ends in its header, after {size} bytes")
    if crc32(page[: -_SUM.size]) != _SUM.unpack(page[-_SUM.size :])[0]:
        raise _damaged(path, "its header differs from its checksum")
    _, version, paged, said, pages, length, *sums = _HEADER.unpack_from(page)
    if version > VERSION:
        raise FileDamaged(
            f"{path}: newer: it has version {version} of the format, this Treadle reads up to "
            f"{VERSION}; use the Treadle that wrote it, or a later one"
        )
    if version < 1 or paged != PAGE:
        raise _damaged(path, f"its header names version {version} and pages of {paged} bytes")
    if size < said:
        raise FileDamaged(f"{path}: cut off: it has {size} bytes of {said}")
    taken = 1 + pages + pages_of(pages * _SUM.size) + pages_of(length)
    if length > MAX_TEXT or size != said or said != PAGE * taken:
        raise _damaged(path, f"its sizes do not fit: {size} bytes, {pages} pages of arrays")
    return pages, length, (sums[0], sums[1])


def _damaged(path: str, reason: str) -> FileDamaged:
    return FileDamaged(f"{path}: damaged: {reason}")
