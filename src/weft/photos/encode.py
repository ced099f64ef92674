"""Encoding: a Photo in, the bytes of a file out.

Eight bits go through Pillow; sixteen bits of colour, which Pillow does not write, go to PNG and
TIFF by hand. A format that cannot hold what the photo has (alpha in JPEG) is an error that says
what to do, never a silent loss. Knows nothing about paths.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from contextlib import suppress
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np

from weft import png
from weft.photos.decode import library
from weft.photos.photo import FORMATS, Photo, PhotoError, Pixels

__all__ = ["encode"]

_PNG_LEVEL = 3  # zlib: twice as fast as its default for two per cent more bytes


def encode(photo: Photo, format: str, *, quality: int = 92) -> bytes:
    """Encode a photo; `quality` (1 to 100) is for JPEG and WebP."""
    holds = FORMATS[format]
    height, width = photo.size
    if min(photo.size) < 1:
        raise PhotoError(f"has no pixels left: {width}x{height}")
    if max(photo.size) > holds.largest:
        raise PhotoError(f"{width}x{height} is too large for {format}: {holds.largest} a side")
    if photo.alpha is not None and not holds.alpha:
        peak = np.iinfo(photo.alpha.dtype).max
        if photo.alpha.min() == peak:  # nothing shows through: nothing is lost
            return encode(replace(photo, alpha=None), format, quality=quality)
        fits = ", ".join(each.name for each in FORMATS.values() if each.alpha)
        raise PhotoError(f"has transparency, which {format} cannot hold; --format takes {fits}")
    pixels = _together(photo)
    if pixels.dtype == np.uint16 and not holds.sixteen:
        pixels = np.asarray((pixels.astype(np.uint32) * 255 + 32895) >> 16, np.uint8)
    if pixels.dtype == np.uint16:
        return _WIDE[format](pixels, photo)
    return _eight(pixels, photo, format, quality)


def _together(photo: Photo) -> Pixels:
    if photo.alpha is None:
        return photo.colour
    return np.concatenate([photo.colour, photo.alpha[:, :, np.newaxis]], axis=2)


def _eight(pixels: Pixels, photo: Photo, format: str, quality: int) -> bytes:
    flat = pixels[:, :, 0] if pixels.shape[2] == 1 else pixels
    by_format: dict[str, dict[str, Any]] = {
        "jpeg": {"quality": quality},
        "png": {"compress_level": _PNG_LEVEL},
        "webp": {"quality": quality, "method": 2},
        "tiff": {"compression": "tiff_lzw"},
    }
    options = by_format[format]
    if photo.icc:
        options["icc_profile"] = photo.icc
    if photo.exif and format != "tiff":
        options["exif"] = photo.exif
    try:
        with _scratch() as file:
            image = library().fromarray(np.ascontiguousarray(flat))
            image.save(file, format.upper(), **options)
            file.seek(0)
            return bytes(file.read())
    except (OSError, ValueError, KeyError) as error:
        raise PhotoError(f"cannot be written as {format}: {error}") from error


def _scratch() -> BinaryIO:
    """A file in memory: one of the system's where there are such, because only while it writes to
    a file of the system's does Pillow let other threads run."""
    if hasattr(os, "memfd_create"):
        with suppress(OSError):  # forbidden, as in some sandboxes
            return open(os.memfd_create("weft"), "w+b")
    return io.BytesIO()


def _wide_png(pixels: Pixels, photo: Photo) -> bytes:
    chunks = []
    if photo.icc:
        chunks.append((b"iCCP", b"icc\0\0" + zlib.compress(photo.icc)))
    if photo.exif:
        chunks.append((b"eXIf", photo.exif.removeprefix(b"Exif\0\0")))
    return png.encode(pixels, level=_PNG_LEVEL, chunks=chunks)


def _wide_tiff(pixels: Pixels, photo: Photo) -> bytes:
    """One strip, deflated, little-endian: TIFF 6.0 with Adobe's compression 8."""
    if pixels.shape[2] == 2:  # few readers know sixteen bits of grey with alpha
        pixels = pixels[:, :, [0, 0, 0, 1]]
    height, width, channels = pixels.shape
    strip = zlib.compress(np.ascontiguousarray(pixels, dtype="<u2").tobytes(), _PNG_LEVEL)
    short, long_, raw = 3, 4, 7
    entries: list[tuple[int, int, int, bytes]] = [
        (256, long_, 1, struct.pack("<I", width)),
        (257, long_, 1, struct.pack("<I", height)),
        (258, short, channels, struct.pack(f"<{channels}H", *[16] * channels)),
        (259, short, 1, struct.pack("<H", 8)),  # deflate
        (262, short, 1, struct.pack("<H", 2 if channels > 2 else 1)),  # RGB, or black is zero
        (273, long_, 1, struct.pack("<I", 8)),  # the strip follows the header
        (277, short, 1, struct.pack("<H", channels)),
        (278, long_, 1, struct.pack("<I", height)),
        (279, long_, 1, struct.pack("<I", len(strip))),
    ]
    if channels % 2 == 0:
        entries.append((338, short, 1, struct.pack("<H", 2)))  # alpha, not premultiplied
    if photo.icc:
        entries.append((34675, raw, len(photo.icc), photo.icc))
    body = strip + b"\0" * (len(strip) % 2)
    start = 8 + len(body)
    beyond = start + 2 + 12 * len(entries) + 4
    table, extra = struct.pack("<H", len(entries)), b""
    for tag, kind, count, value in entries:
        table += struct.pack("<HHI", tag, kind, count)
        if len(value) > 4:
            table += struct.pack("<I", beyond + len(extra))
            extra += value + b"\0" * (len(value) % 2)
        else:
            table += value.ljust(4, b"\0")
    return struct.pack("<2sHI", b"II", 42, start) + body + table + b"\0" * 4 + extra


_WIDE = {"png": _wide_png, "tiff": _wide_tiff}
