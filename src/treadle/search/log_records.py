"""The bytes of a log: a header, then records, each with its number and its checksums.

In: changes of an index, or a log that may be a stranger's. Out: the bytes of a record; and of a log
its records, up to where it is known to be whole. The layout, little endian:

    header    kind of file, version, the index it belongs to, number of the first record, checksum
    mark      how many bytes of the log are surely on the disk, and a checksum
    record    kind, sizes, number, checksums of the body and of this; then the body, padded to 8:
              JSON {"kind": ..., "meta": ..., "arrays": [[name, dtype, shape], ...]}, and arrays

Checksums begin with the index's own number, so that no bytes of another log are taken for records.
The mark tells a torn tail from damage: what is behind it was never promised to a caller, and ends
where a record is not whole; what is before it was, and has to be there.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping
from typing import Any
from zlib import crc32

import numpy as np

from treadle.data import dataclass
from treadle.errors import FileDamaged
from treadle.files import read_at, write_at
from treadle.search.entries import ArrayEntry, dump, parse

__all__ = [
    "START",
    "Bytes",
    "LogHeader",
    "LogRecord",
    "body",
    "read_header",
    "scan",
    "write_mark",
    "write_record",
]

VERSION = 1
_MAGIC = b"\x93treadle-record\n"
_HEADER = struct.Struct("<16sII16sQ")  # kind, version, 0, lineage, number of the first record
_SUM = struct.Struct("<I")
_MARK = struct.Struct("<Q")
_MARK_AT = _HEADER.size + _SUM.size
START = _MARK_AT + _MARK.size + _SUM.size  # where the first record is
_BEGIN = b"\x93rec"
_RECORD = struct.Struct("<4sIQQI")  # kind, bytes of JSON, number, bytes of body, its checksum
_HEAD = _RECORD.size + _SUM.size
_CHUNK = 1 << 20  # bytes that are copied at a time
_LOOKS = 5  # at a mark that a writer may be changing

Bytes = bytes | memoryview


@dataclass(frozen=True, slots=True)
class LogHeader:
    """What a log says about itself: whose it is, its first record, and how much is on the disk."""

    lineage: bytes
    first: int
    durable: int

    def as_bytes(self) -> bytes:
        """Return it as it lies in the file."""
        fixed = _HEADER.pack(_MAGIC, VERSION, 0, self.lineage, self.first)
        return fixed + _SUM.pack(crc32(fixed)) + _mark(self.lineage, self.durable)


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One change of an index."""

    number: int
    kind: str
    meta: dict[str, Any]
    arrays: dict[str, np.ndarray[Any, Any]]


def _mark(lineage: bytes, durable: int) -> bytes:
    made = _MARK.pack(durable)
    return made + _SUM.pack(crc32(made, crc32(lineage)))


def write_mark(opened: int, lineage: bytes, durable: int) -> None:
    """Note how many bytes of a log are on the disk."""
    os.pwrite(opened, _mark(lineage, durable), _MARK_AT)


def read_header(opened: int, path: str) -> LogHeader:
    """Read the header and the mark of a log; FileDamaged where they are not what was written."""
    for _ in range(_LOOKS):
        found = os.pread(opened, START, 0)
        if found[: len(_MAGIC)] != _MAGIC[: len(found)]:
            raise FileDamaged(f"{path}: foreign: it is not a log that Treadle wrote")
        if len(found) < START:
            raise FileDamaged(f"{path}: cut off: it ends in its header, after {len(found)} bytes")
        if crc32(found[: _HEADER.size]) != _SUM.unpack_from(found, _HEADER.size)[0]:
            raise FileDamaged(f"{path}: damaged: its header differs from its checksum")
        _, version, _, lineage, first = _HEADER.unpack_from(found)
        if version != VERSION:
            raise FileDamaged(
                f"{path}: newer: it has version {version} of the format, this Treadle reads "
                f"{VERSION}; use the Treadle that wrote it, or a later one"
            )
        durable = _MARK.unpack_from(found, _MARK_AT)[0]
        if _mark(lineage, durable) == found[_MARK_AT:]:
            return LogHeader(lineage, first, durable)
    raise FileDamaged(f"{path}: damaged: its mark differs from its checksum")


def body(
    kind: str, meta: Mapping[str, Any], arrays: Mapping[str, np.ndarray[Any, Any]]
) -> tuple[int, list[Bytes]]:
    """Return the bytes of JSON that a record has, and its body in pieces."""
    little = {
        name: np.ascontiguousarray(each, each.dtype.newbyteorder("<")).reshape(each.shape)
        for name, each in arrays.items()
    }
    entries = [ArrayEntry.of(name, each.dtype, each.shape) for name, each in little.items()]
    described = [entry.as_list() for entry in entries]
    text = dump({"kind": kind, "meta": dict(meta), "arrays": described})
    pieces: list[Bytes] = [text, bytes(-len(text) % 8)]
    for each in little.values():
        pieces += [each.reshape(-1).view(np.uint8).data, bytes(-each.nbytes % 8)]
    return len(text), [piece for piece in pieces if len(piece)]


def write_record(
    opened: int, at: int, lineage: bytes, number: int, length: int, pieces: list[Bytes]
) -> int:
    """Write a record at a place; return where it ends.

    What is summed up is what is written, also where the caller's arrays change meanwhile: each
    piece is copied first. What comes before the body is written last."""
    seed = crc32(lineage)
    if sum(len(piece) for piece in pieces) <= _CHUNK:
        body = b"".join(pieces)
        head = _head(seed, number, length, len(body), crc32(body, seed))
        return write_at(opened, head + body, at)
    total, end = seed, at + _HEAD
    for piece in pieces:
        for start in range(0, len(piece), _CHUNK):
            copied = bytes(piece[start : start + _CHUNK])
            total = crc32(copied, total)
            end = write_at(opened, copied, end)
    write_at(opened, _head(seed, number, length, end - at - _HEAD, total), at)
    return end


def _head(seed: int, number: int, length: int, size: int, total: int) -> bytes:
    made = _RECORD.pack(_BEGIN, length, number, size, total)
    return made + _SUM.pack(crc32(made, seed))


def scan(opened: int, path: str, header: LogHeader) -> Iterator[tuple[int, LogRecord]]:
    """Give each whole record of a log with the place where it ends.

    Ends before the first that is not whole, if that was not promised to be there; else it is a
    FileDamaged that names it. Reads no more than the file has, one record at a time."""
    size = os.fstat(opened).st_size
    at, number = START, header.first
    while True:
        try:
            if at == size:
                raise _NotWhole("it is not there")
            end, record = _record(opened, at, size, number, crc32(header.lineage))
        except _NotWhole as wrong:
            if at >= header.durable:
                return
            kind = "cut off" if size < header.durable else "damaged"
            raise FileDamaged(
                f"{path}: {kind}: record {number}, from byte {at} of {size}: {wrong}"
            ) from None
        yield end, record
        at, number = end, number + 1


class _NotWhole(Exception):
    """What is wrong with a record."""


def _record(opened: int, at: int, size: int, number: int, seed: int) -> tuple[int, LogRecord]:
    if size - at < _HEAD:
        raise _NotWhole("the file ends in it")
    found = os.pread(opened, _HEAD, at)
    if crc32(found[: _RECORD.size], seed) != _SUM.unpack_from(found, _RECORD.size)[0]:
        raise _NotWhole("its sizes differ from their checksum")
    begin, length, own, nbytes, expected = _RECORD.unpack_from(found)
    if begin != _BEGIN or own != number:
        raise _NotWhole(f"it has the number {own}")
    at += _HEAD
    if nbytes > size - at:
        raise _NotWhole("the file ends in it")
    held = read_at(opened, at, nbytes)
    if len(held) < nbytes:
        raise _NotWhole("the file ends in it")
    if crc32(held, seed) != expected:
        raise _NotWhole("it differs from its checksum")
    try:
        text = parse(bytes(held[:length]), {"kind", "meta", "arrays"})
        entries = [ArrayEntry.from_list(each) for each in text["arrays"]]
    except ValueError as error:
        raise _NotWhole(str(error)) from None
    arrays, place = {}, _padded(length)
    for entry in entries:
        if place + entry.nbytes > nbytes:
            raise _NotWhole("its arrays are larger than it")
        count = entry.nbytes // entry.dtype.itemsize
        flat = np.frombuffer(held, entry.dtype, count, place)
        arrays[entry.name] = flat.reshape(entry.shape)
        place += _padded(entry.nbytes)
    return at + nbytes, LogRecord(number, str(text["kind"]), text["meta"], arrays)


def _padded(nbytes: int) -> int:
    return nbytes + -nbytes % 8
