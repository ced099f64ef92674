"""A PNG writer in a page: an array of bytes in, a file's bytes out.

In: u8 arrays, HxW or HxWxC with one channel (grey), two (grey, alpha), three (RGB) or four (RGBA).
Out: a complete PNG of eight bits a channel. It only writes: it knows no other depth, no palette, no
interlacing and no metadata, and nothing about devices. Most of the time goes to zlib, which lets
other threads run meanwhile.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["encode", "write"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPE = {1: 0, 2: 4, 3: 2, 4: 6}  # by number of channels
_SUB, _UP = 1, 2  # with 0, none, the filters that need no loop over pixels


def encode(image: npt.ArrayLike, *, level: int = 6) -> bytes:
    """Return `image` as the bytes of a PNG file; `level` is zlib's, from 0 (fast) to 9 (small)."""
    pixels = _checked(np.asarray(image))
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPE[channels], 0, 0, 0)
    data = zlib.compress(_filtered(pixels).data, level)
    chunks = (_chunk(b"IHDR", header), _chunk(b"IDAT", data), _chunk(b"IEND", b""))
    return _SIGNATURE + b"".join(chunks)


def write(path: str | os.PathLike[str], image: npt.ArrayLike, *, level: int = 6) -> int:
    """Write `image` to `path` as a PNG file and return its size in bytes."""
    return Path(path).write_bytes(encode(image, level=level))


def _checked(image: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    if image.dtype != np.uint8:
        raise TypeError(f"image: expected u8 elements, got {image.dtype}; convert to 0..255 first")
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
