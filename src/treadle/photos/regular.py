"""Reading photos from untrusted places: regular files only, never more than a limit.

In: a path, or a stream. Out: the file, open, or its bytes, or a PhotoError that says what is wrong
with it. What a regular file is, is `treadle.files`' to tell.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from treadle import files
from treadle.photos.photo import PhotoError

__all__ = ["MAX_BYTES", "open_regular", "read_regular", "read_stream"]

MAX_BYTES = 1_000_000_000
_PIECE = 1 << 24


@contextmanager
def open_regular(
    path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES
) -> Iterator[tuple[int, os.stat_result]]:
    """Open a regular file for reading; give its descriptor and what the system says about it."""
    with _words_of_the_system():
        opened = files.open_regular(path)
    try:
        with _words_of_the_system():
            status = os.fstat(opened)
        if status.st_size > max_bytes:
            raise PhotoError(
                f"it has {_size(status.st_size)}, more than the limit of {_size(max_bytes)}; "
                "--max-bytes raises it"
            )
        yield opened, status
    finally:
        os.close(opened)


def read_regular(path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file; refuse more than `max_bytes` before reading any."""
    with open_regular(path, max_bytes=max_bytes) as (opened, before), _words_of_the_system():
        # One byte more than there should be shows that a file has grown.
        data = _read(lambda size: os.read(opened, size), before.st_size + 1)
        after = os.fstat(opened)
    if len(data) != before.st_size or after.st_mtime_ns != before.st_mtime_ns:
        raise PhotoError("changed while it was read; run again when its writer has finished")
    return data


def read_stream(stream: BinaryIO, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return all that a stream, such as standard input, gives; refuse more than `max_bytes`."""
    with _words_of_the_system():
        data = _read(stream.read, max_bytes + 1)
    if len(data) > max_bytes:
        raise PhotoError(f"is more than {_size(max_bytes)}, the limit; --max-bytes raises it")
    return data


def _read(read: object, most: int) -> bytes:
    assert callable(read)
    found = bytearray()
    while len(found) < most:
        piece = read(min(_PIECE, most - len(found)))
        if not piece:
            break
        found += piece
    return bytes(found)


def _size(count: int) -> str:
    return f"{count / 1e6:,.0f} MB" if count >= 1e6 else f"{count:,} bytes"


@contextmanager
def _words_of_the_system() -> Iterator[None]:
    """Turn what a system says about a file into one PhotoError."""
    try:
        yield
    except MemoryError as error:
        raise PhotoError("not enough memory to read it") from error
    except BlockingIOError as error:
        raise PhotoError("gives nothing to read, as a device would") from error
    except OSError as error:
        raise PhotoError(error.strerror or str(error)) from error
    except ValueError as error:  # a null byte in a path
        raise PhotoError(str(error)) from error
