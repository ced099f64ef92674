"""A PNG writer in a page: an array of bytes in, a file's bytes out.

In: u8 or u16 arrays, HxW or HxWxC with one channel (grey), two (grey, alpha), three (RGB) or four
(RGBA). Out: a complete PNG of as many bits a channel. It only writes: it knows no palette and no
interlacing, takes other chunks as bytes, and knows nothing about devices. Most of the time goes to
zlib, which lets other threads run meanwhile.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["encode", "write"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPE = {1: 0, 2: 4, 3: 2, 4: 6}  # by number of channels
_SUB, _UP = 1, 2  # with 0, none, the filters that need no loop over pixels


def encode(
    image: npt.ArrayLike, *, level: int = 6, chunks: Iterable[tuple[bytes, bytes]] = ()
) -> bytes:
    """Return `image` as the bytes of a PNG file; `level` is zlib's, from 0 (fast) to 9 (small).

    `chunks` are kinds and contents of others to put before the pixels, such as iCCP."""
    pixels = _checked(np.asarray(image))
    height, width, channels = pixels.shape
    depth = 8 * pixels.itemsize
    header = struct.pack(">IIBBBBB", width, height, depth, _COLOUR_TYPE[channels], 0, 0, 0)
    # Sixteen bits are two bytes to every filter, the high one first.
    swapped = pixels.astype(">u2").view(np.uint8) if depth == 16 else pixels
    data = zlib.compress(_filtered(swapped).data, level)
    parts = (
        (b"IHDR", header),
        *chunks,
        (b"IDAT", data),
        (b"IEND", b""),
    )
    return _SIGNATURE + b"".join(_chunk(kind, content) for kind, content in parts)


def write(path: str | os.PathLike[str], image: npt.ArrayLike, *, level: int = 6) -> int:
    """Write `image` to `path` as a PNG file and return its size in bytes."""
    return Path(path).write_bytes(encode(image, level=level))


def _checked(image: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if image.dtype not in (np.uint8, np.uint16):
        raise TypeError(
            f"image: expected u8 or u16 elements, got {image.dtype}; convert to 0..255 first"
        )
    pixels = image[:, :, np.newaxis] if image.ndim == 2 else image
    if pixels.ndim != 3 or pixels.shape[2] not in _COLOUR_TYPE:
        raise ValueError(f"image: expected HxW or HxWxC with C from 1 to 4, got {image.shape}")
    if 0 in pixels.shape:
        raise ValueError(f"image: expected at least one pixel, got {image.shape}")
    return pixels


def _filtered(pixels: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Scan lines, each led by the filter that leaves the smallest differences on it."""
    height, width, channels = pixels.shape
    rows = np.ascontiguousarray(pixels).reshape(height, width * channels)
    choices = np.empty((3, *rows.shape), np.uint8)
    choices[:] = rows
    # What would lie left of the first pixel or above the first row counts as 0.
    choices[_SUB, :, channels:] -= rows[:, :-channels]
    choices[_UP, 1:] -= rows[:-1]
    # Differences wrap, so 255 is a difference of one: the smaller of x and -x is its size.
    cost = np.minimum(choices, np.negative(choices)).sum(axis=2, dtype=np.int64)
    best = cost.argmin(axis=0)
    lines = np.empty((height, 1 + rows.shape[1]), np.uint8)
    lines[:, 0] = best
    lines[:, 1:] = choices[best, np.arange(height)]
    return lines


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
