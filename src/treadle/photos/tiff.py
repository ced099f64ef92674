"""A TIFF writer: an array in, a file's bytes out.

In: u8 or u16 arrays of height x width x channels, and the photo they are of. Out: TIFF 6.0
with one strip, deflated (Adobe's compression 8), little-endian. Pillow's own writer has no sixteen
bits of colour and loses EXIF when it compresses; its directories are used here. zlib lets other
threads run meanwhile.
"""

from __future__ import annotations

import struct
import zlib
from contextlib import suppress
from typing import Any

import numpy as np

from treadle.photos import describe, exif
from treadle.photos.photo import Photo, Pixels

__all__ = ["encode"]

_HEADER = struct.pack("<2sHI", b"II", 42, 8)  # the directory follows it
_DEFLATE, _DIFFERENCES = 8, 2
_ALPHA = 2  # not premultiplied


def encode(pixels: Pixels, image_module: Any, *, level: int, photo: Photo) -> bytes:
    """Return the bytes of a TIFF file; `level` is zlib's, `photo` says what describes it."""
    if pixels.shape[2] == 2 and pixels.dtype == np.uint16:  # which few readers know
        pixels = pixels[:, :, [0, 0, 0, 1]]
    height, width, channels = pixels.shape
    plain = np.ascontiguousarray(pixels, dtype=pixels.dtype.newbyteorder("<"))
    steps = plain.copy()
    steps[:, 1:] -= plain[:, :-1]  # neighbours are alike, and differences wrap
    strip = zlib.compress(steps.data, level)
    table = [
        (256, width),
        (257, height),
        (258, (8 * plain.itemsize,) * channels),
        (259, _DEFLATE),
        (262, 2 if channels > 2 else 1),  # RGB, or black is zero
        (273, 0),  # the strip's place; the directory adds its own length
        (277, channels),
        (278, height),
        (279, len(strip)),
        (317, _DIFFERENCES),
    ]
    if channels % 2 == 0:
        table.append((338, _ALPHA))
    if photo.icc:
        table.append((34675, photo.icc))
    table += describe.tiff_entries(photo)
    if photo.exif:
        with suppress(Exception):  # what describes a photo must not cost the photo
            described = list(exif.entries(photo.exif, image_module))
            directory = _directory([*table, *described])
            return _HEADER + directory + strip
    return _HEADER + _directory(table) + strip


def _directory(table: list[tuple[int, Any]]) -> bytes:
    from PIL import TiffImagePlugin

    directory = TiffImagePlugin.ImageFileDirectory_v2(prefix=b"II")
    for tag, value in table:
        directory[tag] = value
    return bytes(directory.tobytes(8))
